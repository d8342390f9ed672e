// Contract: the particulars of a reason: which entry, which file, which switch, and the exact next action. Names, paths
// and counts only: never a value from a client's file. PURE.
import type { ClientDefinition, Finding } from '../model/client.ts';
import type { ClientEvidence, FileEvidence, HookEvidence, ServerEvidence } from '../model/evidence.ts';
import { showPath } from '../model/json.ts';
import { blockers, desiredTrust, hookFiles, isOfThisProgram, serverFiles } from './checks.ts';
import type { Reason, ReasonCode } from './state.ts';

type Particulars = (reason: Reason, client: ClientDefinition, e: ClientEvidence) => readonly Reason[];

const list = (words: readonly string[]): string => [...new Set(words)].sort().join(', ');

function byStatus(entries: readonly { readonly word: string; readonly status: string }[]): string {
  const order = ['missing', 'changed', 'surplus', 'conflict'];
  return order.flatMap((status) => {
    const words = entries.filter((entry) => entry.status === status).map((entry) => entry.word);
    return words.length === 0 ? [] : [`${status}: ${list(words)}`];
  }).join('; ');
}

const hooksOf = (e: ClientEvidence): { word: string; status: string }[] => [
  ...hookFiles(e).flatMap((file) => file.hooks.map((hook: HookEvidence) => ({ word: hook.event, status: hook.status }))),
  ...(e.launcherIntact ? [] : [{ word: 'the launcher in ~/.local/bin', status: 'changed' }]),
];
const serversOf = (e: ClientEvidence): { word: string; status: string }[] => serverFiles(e).flatMap((file) => file.servers.map((server: ServerEvidence) => ({ word: server.name, status: server.status })));

const detailed = (entries: (e: ClientEvidence) => { word: string; status: string }[]): Particulars => (reason, _client, e) => [{ ...reason, text: `${reason.text} (${byStatus(entries(e))})` }];

function unreadFiles(reason: Reason, files: readonly FileEvidence[]): Reason[] {
  return files.flatMap((file) => (file.diagnostic === undefined ? [] : [{ ...reason, text: `${reason.text}: ${placeOf(file.diagnostic, file.spec.path)}: ${file.diagnostic.message}`, fix: file.diagnostic.fix }]));
}

function placeOf(diagnostic: { readonly where?: { readonly path: string; readonly line?: number; readonly column?: number } }, path: string): string {
  const { where } = diagnostic;
  if (where?.line === undefined) return where?.path ?? path;
  return `${where.path}:${where.line}${where.column === undefined ? '' : `:${where.column}`}`;
}

/** One reason for each finding of the given kind, in the words of the client's row. */
function findings(reason: Reason, e: ClientEvidence, matches: (finding: Finding) => boolean): Reason[] {
  const found = blockers(e).filter(matches);
  if (found.length === 0) return [reason];
  return found.map((finding) => ({ ...reason, text: `${finding.path === undefined ? '' : `${showPath(finding.path)}: `}${finding.message}`, fix: finding.fix }));
}

function untrusted(reason: Reason, _client: ClientDefinition, e: ClientEvidence): Reason[] {
  const states = desiredTrust(e).filter((one) => one.state !== 'trusted');
  const fix = states.find((one) => one.fix !== '')?.fix ?? reason.fix;
  return [{ ...reason, text: `${reason.text} (${states.map((one) => `${one.canonical}: ${one.state}`).sort().join(', ')})`, fix }];
}

function foreignGone(reason: Reason, _client: ClientDefinition, e: ClientEvidence): Reason[] {
  const counted = (n: number, word: string): string => (n === 0 ? '' : `${n} ${word}${n === 1 ? '' : 's'}`);
  const places = e.files.flatMap(({ foreignGone: gone, spec }) => {
    const words = [counted(gone.hooks, 'hook'), counted(gone.servers, 'MCP server')].filter((word) => word !== '');
    return words.length === 0 ? [] : [`${words.join(' and ')} in ${spec.path}`];
  });
  return [{ ...reason, text: `${reason.text}: ${places.join('; ')}` }];
}

const evidenceUnread: Particulars = (reason, _client, e) => e.unread.map((file) => (
  { ...reason, text: `${reason.text}: ${placeOf(file.diagnostic, file.path)}: ${file.diagnostic.message}`, fix: file.diagnostic.fix }));

const PARTICULARS: { readonly [K in ReasonCode]?: Particulars } = {
  'entries-unread': (reason, _client, e) => unreadFiles(reason, hookFiles(e)),
  'unverified': (reason, client) => [client.seenOn.basis === 'measured' ? reason : { ...reason, text: `${reason.text}; ${client.name} is documented only, never measured` }],
  'servers-unread': (reason, _client, e) => unreadFiles(reason, serverFiles(e)),
  'entries-differ': detailed(hooksOf),
  'servers-differ': detailed(serversOf),
  'servers-missing': detailed(serversOf),
  'server-conflict': detailed(serversOf),
  'foreign-gone': foreignGone,
  'file-dropped': (reason, _client, e) => findings(reason, e, (f) => f.effect === 'file' && f.certain),
  'hooks-off': (reason, _client, e) => findings(reason, e, (f) => f.effect === 'hooks' && f.certain),
  'file-doubtful': (reason, _client, e) => findings(reason, e, (f) => f.effect !== 'note' && !f.certain),
  'evidence-unread': evidenceUnread,
  'evidence-skewed': (reason, client, e) => [e.receipts.tool === undefined || isOfThisProgram(e.receipts.tool, e) ? reason : { ...reason, text: `the program of ${client.name} changed since the newest receipt` }],
  'untrusted': untrusted, 'trust-modified': untrusted, 'trust-disabled': untrusted,
};

/** Reasons that no state depends on, but that a person wants to know. */
function extras(client: ClientDefinition, e: ClientEvidence): Reason[] {
  const found: Reason[] = [];
  const registered = e.files.some((file) => file.commands.length > 0);
  if (registered && e.entrypoint === undefined) {
    found.push({ code: 'entrypoint-missing', text: `praetorctl does not resolve on PATH; without it ${client.name} ${client.verdicts.missingBinary.text}`, fix: 'put the directory of praetorctl (~/.local/bin after an apply) on PATH, then: praetorctl doctor' });
  }
  const { ignored, tool, unread } = e.receipts;
  if (tool?.verdict === 'error') {
    found.push({ code: 'last-answer-error', text: 'the newest receipt says that praetorctl could not judge the call', fix: 'praetorctl doctor' });
  }
  const kinds = [[ignored.synthetic, 'made by doctor or the demonstration'], [ignored.otherCaller, 'run by hand or by another client'], [ignored.beforeInstall, 'from before the registration'], [ignored.future, 'from the future']] as const;
  const words = kinds.filter(([some]) => some).map(([, what]) => what);
  if (registered && tool === undefined && words.length > 0) {
    found.push({ code: 'ignored-receipts', text: `receipts that are no evidence: ${words.join(', ')}`, fix: `let ${client.name} run one harmless command, then: praetorctl clients verify --client ${client.id}` });
  }
  if (registered && unread !== undefined && tool === undefined) found.push({ code: 'note', text: unread, fix: 'praetorctl doctor' });
  for (const finding of blockers(e).filter((one) => one.effect === 'note')) found.push({ code: 'note', text: finding.message, fix: finding.fix });
  return found;
}

/** Whole reasons: those of the state with their particulars, then the others. The first one's fix is the next action. */
export function explain(reasons: readonly Reason[], client: ClientDefinition, e: ClientEvidence): readonly Reason[] {
  const whole = reasons.flatMap((reason) => PARTICULARS[reason.code]?.(reason, client, e) ?? [reason]);
  const seen = new Set<string>();
  return [...whole, ...extras(client, e)].filter((reason) => {
    const key = `${reason.text}\0${reason.fix}`;
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
}
