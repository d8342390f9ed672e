// Contract: `receipts push`: the receipt of this workstation, signed, chained to the one before, pushed to the host's own reference with a
// lease and without a fetch. What will be pushed is written down first, so a run that was killed is taken up where it stood and one sequence
// number never names two receipts. A remote that holds something else is reported and left as it is. Through Host and git.
import { makeDirs, OWN_DIR_MODE, putFile, toBytes, toText } from '../clientsetup/statefiles.ts';
import { hostErrorCode, type Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject, type JsonValue } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import { ownRepository, writeReceipt } from './evidence-repo.ts';
import { git, remoteRefs, runGit, withoutCredentials, type GitPlace } from './git.ts';
import { HEARTBEAT_MS, receiptRef, toPayload, type ReceiptFacts } from './host-receipt.ts';
import { lineDigest, NAMESPACE_RECEIPT, seal, type Signer } from './signed-line.ts';

const CHAIN_FILE = 'chain.json';
const CHAIN_SCHEMA = 'praetor.chain/1';
const CHAIN_BYTES_MAX = 256 * 1024;
const LOCK_MS_MAX = 5_000;
/** Each receipt leaves three small files; so often they become one. */
const PACK_EVERY = 200;

/** The newest receipt that is known to be on the server. */
interface Link { readonly seq: number; readonly digest: string; readonly commit: string; readonly content: string; readonly at: string }

interface Chain {
  readonly host: string;
  /** sha256 of the repository's address, which may hold a credential. */
  readonly repository: string | null;
  readonly last: Link | null;
  /** Written down before it is pushed. */
  readonly pending: Link | null;
}

export interface PushInput {
  readonly host: Host;
  /** Of our own: chain and objects. */
  readonly directory: string;
  readonly hostId: string;
  readonly repository: string;
  readonly signer: Signer;
  /** For messages. */
  readonly fingerprint: string | undefined;
  readonly facts: ReceiptFacts;
  /** Also where nothing changed. */
  readonly always: boolean;
}

export interface PushResult { readonly result: 'pushed' | 'unchanged'; readonly ref: string; readonly seq: number; readonly commit: string; readonly pushes: number; readonly why: 'first' | 'changed' | 'heartbeat' | 'asked' | 'unsent' | null }

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string';

function linkOf(value: JsonValue | undefined): Link | null | undefined {
  if (value === null) return null;
  if (!isObject(value)) return undefined;
  const { seq, digest, commit, content, at } = value;
  return typeof seq === 'number' && isText(digest) && isText(commit) && isText(content) && isText(at) ? { seq, digest, commit, content, at } : undefined;
}

function readChain(input: PushInput): Chain {
  const { host, directory, hostId } = input;
  const path = joinPath(host.platform, directory, CHAIN_FILE);
  const none: Chain = { host: hostId, repository: null, last: null, pending: null };
  let value: unknown;
  try {
    value = JSON.parse(toText(host.readFile(path, CHAIN_BYTES_MAX)));
  } catch (error) {
    if (hostErrorCode(error) === 'ENOENT') return none;
    throw new PraetorError({ code: 'state-damaged', where: { path }, message: 'what this workstation knows of its receipts cannot be read', fix: 'restore the file; without it the chain of receipts cannot go on, and an auditor must accept a new one' }, error);
  }
  const [last, pending] = isObject(value) ? [linkOf(value['last']), linkOf(value['pending'])] : [];
  if (!isObject(value) || value['schema'] !== CHAIN_SCHEMA || last === undefined || pending === undefined) throw new PraetorError({ code: 'state-damaged', where: { path }, message: 'what this workstation knows of its receipts is damaged', fix: 'restore the file; without it the chain of receipts cannot go on' });
  // Another id is another workstation with a chain of its own.
  if (value['host'] !== hostId) return none;
  return { host: hostId, repository: isText(value['repository']) ? value['repository'] : null, last, pending };
}

function writeChain({ host, directory }: PushInput, chain: Chain): void {
  putFile(host, joinPath(host.platform, directory, CHAIN_FILE), toBytes(`${JSON.stringify({ schema: CHAIN_SCHEMA, ...chain }, null, 2)}\n`));
}

function diverged(input: PushInput, link: Link, expected: string | null, found: string | undefined): PraetorError {
  const what = found === undefined ? 'the reference was deleted' : expected === null ? `the reference already holds the commit ${found}` : `the reference was overwritten: it holds the commit ${found} instead of ${expected}`;
  return new PraetorError({
    code: 'receipts-diverged', message: `${what} (key ${input.fingerprint ?? 'of an agent'}, ref ${receiptRef(input.hostId)}, sequence ${link.seq}); nothing there was changed`,
    fix: 'tell who keeps the evidence repository: praetorctl receipts verify there shows what happened',
  });
}

/** One push. `expected`: what the reference must hold, null: nothing. */
function pushCommit(input: PushInput, place: GitPlace, link: Link, expected: string | null): void {
  const ref = receiptRef(input.hostId);
  const result = runGit(place, ['push', '--porcelain', '--quiet', `--force-with-lease=${ref}:${expected ?? ''}`, '--', input.repository, `${link.commit}:${ref}`], { account: true });
  if (result.code === 0) return;
  const found = /^!\t/m.test(result.stdout) ? { at: remoteRefs(place, input.repository, [ref]).get(ref) } : undefined;
  if (found !== undefined && found.at !== (expected ?? undefined)) throw diverged(input, link, expected, found.at);
  const said = withoutCredentials(result.stderr.replace(/[^\x20-\x7e]+/g, ' ').trim()).slice(0, 300);
  throw new PraetorError({ code: 'git-failed', message: `the receipt was not taken (key ${input.fingerprint ?? 'of an agent'}, ref ${ref}, sequence ${link.seq}): ${said}`, fix: 'run it again when the evidence repository can be reached; the receipt is kept' });
}

function confirmed(input: PushInput, place: GitPlace, chain: Chain, link: Link): Chain {
  const next = { ...chain, repository: input.host.sha256(input.repository), last: link, pending: null };
  git(place, ['update-ref', receiptRef(input.hostId), link.commit]);
  writeChain(input, next);
  if (link.seq % PACK_EVERY === 0) runGit(place, ['gc', '--quiet', '--prune=now']);
  return next;
}

function reasonFor(input: PushInput, chain: Chain, content: string, moved: boolean): PushResult['why'] {
  if (chain.last === null) return 'first';
  if (moved || chain.last.content !== content) return 'changed';
  if (input.always) return 'asked';
  const age = input.host.now() - Date.parse(chain.last.at);
  // A clock that was set back must not silence the heartbeat.
  return age >= HEARTBEAT_MS || age < 0 ? 'heartbeat' : null;
}

async function makeNext(input: PushInput, place: GitPlace, chain: Chain, content: string): Promise<Link> {
  const { host, hostId, facts, signer } = input;
  const at = new Date(host.now()).toISOString();
  const seq = (chain.last?.seq ?? 0) + 1;
  const line = await seal(toPayload({ ...facts, host: hostId, seq, prev: chain.last?.digest ?? null, at }), signer, NAMESPACE_RECEIPT);
  return { seq, digest: lineDigest(line), commit: writeReceipt(place, line, chain.last?.commit ?? null, at), content, at };
}

async function pushLocked(input: PushInput): Promise<PushResult> {
  const { host, hostId, facts } = input;
  const place = ownRepository(host, input.directory);
  let chain = readChain(input);
  const repository = host.sha256(input.repository);
  // To a new repository the whole history goes, and the reference must not be there yet.
  const isKnown = (): boolean => chain.repository === null || chain.repository === repository;
  const moved = !isKnown();
  let pushes = 0;
  const send = (link: Link): void => {
    pushes += 1;
    pushCommit(input, place, link, isKnown() ? chain.last?.commit ?? null : null);
    chain = confirmed(input, place, chain, link);
  };
  const unsent = chain.pending;
  if (unsent !== null) send(unsent);
  const content = host.sha256(JSON.stringify(toPayload({ ...facts, host: hostId, seq: 0, prev: null, at: '' })));
  const why = reasonFor(input, chain, content, moved && unsent === null);
  if (why !== null) {
    const next = await makeNext(input, place, chain, content);
    chain = { ...chain, pending: next };
    writeChain(input, chain);
    send(next);
  }
  const last = chain.last as Link;
  return { result: pushes === 0 ? 'unchanged' : 'pushed', ref: receiptRef(hostId), seq: last.seq, commit: last.commit, pushes, why: why ?? (unsent === null ? null : 'unsent') };
}

export async function pushReceipt(input: PushInput): Promise<PushResult> {
  const { host, directory } = input;
  makeDirs(host, directory, OWN_DIR_MODE);
  let release: () => Promise<void>;
  try {
    release = await host.lock(joinPath(host.platform, directory, 'push.lock'), LOCK_MS_MAX);
  } catch (error) {
    throw new PraetorError({ code: 'lock-held', where: { path: directory }, message: 'another run is pushing the receipt of this workstation', fix: 'run it again when that one has ended' }, error);
  }
  try {
    return await pushLocked(input);
  } finally {
    await release();
  }
}
