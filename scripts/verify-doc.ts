// Contract: the text of docs/verify.md from the catalogues of the rows, the shared one and the list of ways that the tests build,
// so that no check stands there without a test and no test without a line. PURE.
import { CLIENTS } from '../src/clients/registry.ts';
import type { ClientDefinition, Fact } from '../src/model/client.ts';
import { RECEIPT_WAYS, SHARED_WAYS, type SharedWay } from '../src/verify/ways.ts';
import { WAYS, type Way } from '../test/silent/ways.mjs';

const cell = (text: string): string => text.replace(/\|/g, '\\|').replace(/\n/g, ' ');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`)].join('\n');

const SAYS: Readonly<Record<Way['says'], string>> = {
  off: '`hooks-off`: not observed, whatever the receipts say', drop: '`file-dropped`: not installed, not observed', drift: '`entries-differ` or `entries-gone`: drifted, stale',
  trust: '`untrusted`: not observed, whatever the receipts say', doubt: '`file-doubtful`: said, because it depends on the version or the session', note: '`note`: said; it keeps nothing of ours from running',
  missing: '`entrypoint-missing`, and what the client does then', unread: '`entries-unread` or `evidence-unread`: unknown, not observed', moved: '`root-moved`: not registered here',
};

/** The basis of a way: what was seen of the client, or what was only read. */
const basis = (fact: Pick<Fact, 'basis' | 'versions'>): string => (fact.basis === 'unknown' ? 'not measured' : `${fact.basis}${fact.versions === undefined ? '' : ` (${fact.versions})`}`);

const REAL: Readonly<Record<string, string>> = { off: 'real client: the hook does not run', closed: 'real client: the hook does not run, and the call is blocked', runs: 'real client: the hook runs all the same' };

/** Each way that the tests build for a check, with what became of it in the real client. */
function covered(ways: readonly Way[]): string {
  return ways.map((way) => `${way.what} (${REAL[way.real] ?? `fixture only: ${way.real}`})`).join('; ');
}

const unique = (words: readonly string[]): string => [...new Set(words)].join('; ');

function section(client: ClientDefinition): string {
  const ways = WAYS.filter((way) => way.client === client.id);
  const own = (client.silent ?? []).map(({ id, looks, fix, ...fact }) => {
    const built = ways.filter((way) => way.check === id);
    return [`\`${id}\``, looks, unique(built.map((way) => SAYS[way.says])), fix, basis(fact), covered(built)];
  });
  const shared = ways.filter((way) => !(client.silent ?? []).some(({ id }) => id === way.check));
  return [
    `## ${client.name} (\`${client.id}\`)`, '',
    ...(own.length === 0 ? [] : [table(['check', 'what it looks like', 'verify says', 'fix', 'basis', 'tested with'], own), '']),
    ...(shared.length === 0 ? [] : ['Checks of every client, tried with this one:', '', table(['check', 'tried with', 'verify says', 'real client'], shared.map((way) => [`\`${way.check}\``, way.what, SAYS[way.says], REAL[way.real]?.replace('real client: ', '') ?? `fixture only: ${way.real}`])), '']),
    ...((client.unseen ?? []).length === 0 ? [] : ['Cannot be seen from files; only a receipt that is missing tells:', '', ...(client.unseen ?? []).map((fact) => `- ${fact.text} (${basis(fact)})`), '']),
  ].join('\n');
}

const shared = (ways: readonly SharedWay[]): string => table(['check', 'what it looks like', 'fix'], ways.map(({ id, looks, fix }) => [`\`${id}\``, looks, fix]));

export function verifyDoc(): string {
  const rows = CLIENTS.filter((client) => (client.silent ?? []).length > 0 || (client.unseen ?? []).length > 0);
  const ids = [...rows.flatMap(({ silent }) => silent ?? []), ...SHARED_WAYS, ...RECEIPT_WAYS].length;
  const real = WAYS.filter(({ real: how }) => REAL[how] !== undefined).length;
  return [
    '# What verify looks for', '',
    'A hook that is registered can be off in silence: the client ends with exit 0 and says nothing. `praetorctl clients verify` and `praetorctl doctor` report every way that files and the environment show, from the same rows: the id of the check, the file and the key, what stands there (never a value), and the fix. In `--json` a reason carries `check` and `evidence`.', '',
    `There are ${ids} checks with an id, besides \`file.*\` and \`layer.*\`. ${WAYS.length} ways are built in the tests: each in a home of its own (test/silent/silent.test.ts), and ${real} of them also with the real client of the pinned version (test/real/silent.mjs, \`npm run test:clients\`).`, '',
    'A switch or a missing trust counts even against a newer receipt: the receipt may come from another directory, or from a session with flags of its own.', '',
    '## Every client', '', shared(SHARED_WAYS), '',
    '`file.CODE`: the file with our hooks cannot be read by the rules of the client, and `layer.CODE`: another file that could hold a switch cannot. CODE is one of the error codes of docs/cli.md; `client-rejects` is what this client\'s own reader refuses (a byte order mark, a comment, a trailing comma), `foreign-entry` somebody else\'s file in place of ours. What cannot be read is unknown, never well.', '',
    '## Receipts', '', 'A receipt of a tool call by the client itself, after the registration came to stand as it does, is the only evidence for `observed`. It is stale where something else is in place now. A receipt knows the client\'s program by its time only: one that is replaced with its old time kept is not noticed. A proof binds size, time and inode, so that it is noticed there.', '', shared(RECEIPT_WAYS), '',
    ...rows.map(section),
  ].join('\n');
}
