// Contract: `receipts pull`: the references of all hosts into the auditor's own bare repository. Nothing that was pulled once is ever
// discarded: a history that does not go on is kept beside the one that is known, and what the server showed is written down for verify.
// Bounded in references and in bytes between batches. Through git.
import { putFile, toBytes, toText } from '../clientsetup/statefiles.ts';
import { hostErrorCode, type Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import { ownRepository, refsBelow } from './evidence-repo.ts';
import { git, runGit, type GitPlace } from './git.ts';
import { hostOfRef, RECEIPT_REFS } from './host-receipt.ts';

/** Beyond it one repository does not carry a fleet anyway: every push is told of all references. */
export const HOSTS_MAX = 20_000;
const HOSTS_AT_ONCE = 500;
export const PULL_BYTES_MAX = 256 * 1024 * 1024;
const LIST_BYTES_MAX = 4 * 1024 * 1024;
const PULLED_FILE = 'pulled.json';
const PULLED_BYTES_MAX = 8 * 1024 * 1024;
const STRANGE_MAX = 20;
export const FORKED_REFS = 'refs/praetor/forked/';

/** What the server showed at the last pull. */
export interface Pulled {
  readonly at: string;
  readonly refs: Readonly<Record<string, string>>;
  /** References below ours that belong to no host. */
  readonly strange: readonly string[];
  /** References that git could not fetch. */
  readonly unread: readonly string[];
}

export interface PullResult { readonly hosts: number; readonly changed: number; readonly forked: number; readonly strange: number; readonly unread: number }

function listRemote(place: GitPlace, repository: string): Pulled {
  const text = git(place, ['ls-remote', '--refs', '--', repository, `${RECEIPT_REFS}*`], { account: true, maxBytes: LIST_BYTES_MAX });
  const refs: Record<string, string> = {};
  const strange: string[] = [];
  for (const line of text.split('\n')) {
    const [, id = '', name = ''] = /^([0-9a-f]{40})\t([\x21-\x7e]+)$/.exec(line) ?? [];
    if (id === '' || !name.startsWith(RECEIPT_REFS)) continue;
    if (hostOfRef(name) !== undefined) refs[name] = id;
    else if (strange.length < STRANGE_MAX) strange.push(name.slice(0, 200));
  }
  if (Object.keys(refs).length > HOSTS_MAX) throw new PraetorError({ code: 'git-bounds', message: `the evidence repository has more than ${HOSTS_MAX} hosts`, fix: 'shard it by host id (docs/receipts.md)' });
  return { at: new Date(place.host.now()).toISOString(), refs, strange, unread: [] };
}

function storedBytes(place: GitPlace): number {
  const text = git(place, ['count-objects', '-v']);
  const kib = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return (kib('size') + kib('size-pack')) * 1024;
}

/**
 * Without a plus in front, git refuses a history that does not go on, takes the others and ends with 1. One reference that git cannot
 * take at all (objects that are none) must not keep the others away: halves are tried until it stands alone. Answers those.
 */
function fetchRefs(place: GitPlace, repository: string, refs: readonly string[]): readonly string[] {
  const result = runGit(place, ['fetch', '--no-tags', '--no-write-fetch-head', '--stdin', '--', repository], { account: true, input: `${refs.map((ref) => `${ref}:${ref}`).join('\n')}\n` });
  if (result.code === 0 || /\[rejected\]/.test(result.stderr)) return [];
  // A server that is gone is another matter: this throws then.
  git(place, ['ls-remote', '--refs', '--', repository, refs[0] ?? ''], { account: true });
  if (refs.length === 1) return refs;
  const half = refs.length >> 1;
  return [...fetchRefs(place, repository, refs.slice(0, half)), ...fetchRefs(place, repository, refs.slice(half))];
}

/** Heads that do not continue what is known get a reference of their own, by their id. */
function keepForks(place: GitPlace, refs: readonly string[], pulled: Pulled): number {
  const known = refsBelow(place, RECEIPT_REFS);
  const commands = refs.flatMap((ref) => {
    const id = pulled.refs[ref] ?? '';
    const own = known.get(ref);
    // The server may have moved on since it was asked: a head that is not here comes with the next pull.
    if (own === undefined || own === id || runGit(place, ['cat-file', '-e', `${id}^{commit}`]).code !== 0) return [];
    // A head that went back is part of what is known: verify sees it by the list of the server.
    if (runGit(place, ['merge-base', '--is-ancestor', id, own]).code === 0) return [];
    return [`update ${FORKED_REFS}${ref.slice(RECEIPT_REFS.length)}/${id} ${id}`];
  });
  if (commands.length > 0) git(place, ['update-ref', '--stdin'], { input: `${commands.join('\n')}\n` });
  return commands.length;
}

export function pullReceipts(host: Host, directory: string, repository: string): PullResult {
  const place = ownRepository(host, directory);
  const pulled = listRemote(place, repository);
  const before = refsBelow(place, RECEIPT_REFS);
  const wanted = Object.keys(pulled.refs).filter((ref) => before.get(ref) !== pulled.refs[ref]).sort();
  const start = storedBytes(place);
  const unread: string[] = [];
  for (let at = 0; at < wanted.length; at += HOSTS_AT_ONCE) {
    unread.push(...fetchRefs(place, repository, wanted.slice(at, at + HOSTS_AT_ONCE)));
    if (storedBytes(place) - start > PULL_BYTES_MAX) throw new PraetorError({ code: 'git-bounds', where: { path: directory }, message: `one pull brought more than ${PULL_BYTES_MAX / 1024 / 1024} MiB`, fix: 'look which host writes so much, then run it again: what was pulled is kept' });
  }
  const forked = keepForks(place, wanted, pulled);
  if (wanted.length > 0) git(place, ['pack-refs', '--all']);
  putFile(host, joinPath(host.platform, directory, PULLED_FILE), toBytes(`${JSON.stringify({ ...pulled, unread })}\n`));
  return { hosts: Object.keys(pulled.refs).length, changed: wanted.length, forked, strange: pulled.strange.length, unread: unread.length };
}

/** undefined where nothing was pulled yet. */
export function readPulled(host: Host, directory: string): Pulled | undefined {
  const path = joinPath(host.platform, directory, PULLED_FILE);
  try {
    const value: unknown = JSON.parse(toText(host.readFile(path, PULLED_BYTES_MAX)));
    if (isObject(value) && typeof value['at'] === 'string' && isObject(value['refs']) && Array.isArray(value['strange']) && Array.isArray(value['unread'])) return value as unknown as Pulled;
  } catch (error) {
    if (hostErrorCode(error) === 'ENOENT') return undefined;
  }
  throw new PraetorError({ code: 'state-damaged', where: { path }, message: 'what the last pull showed cannot be read', fix: 'praetorctl receipts pull' });
}
