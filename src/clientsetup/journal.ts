// Contract: the journal of one run, <state>/runs/<runId>/journal.json, written before the first change and rewritten atomically
// before each file is touched. It holds all that recovery and rollback need: digests, before-images, temp names, records. Through Host.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { FileSpec } from '../model/client.ts';
import { isObject } from '../model/json.ts';
import type { JsonValue } from '../model/json.ts';
import type { EntryChange, FileAction, FileRecord, Plan } from '../model/plan.ts';
import { damaged, isFileRecord, isTexts } from './records.ts';
import { OWN_DIR_MODE, makeDir, makeDirs, pathsOf, putFile, toBytes, toText } from './statefiles.ts';
import type { StateDirs } from './statefiles.ts';

export const JOURNAL_VERSION = 1;
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024;
const JOURNAL_NAME = 'journal.json';
const RUN_NAME = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

/**
 * planned: not touched yet · writing: the next calls may change it · done: changed and read back · not-done: not changed ·
 * foreign: somebody else changed it in between, so that nobody can say what became of our write.
 */
export type JournalState = 'planned' | 'writing' | 'done' | 'not-done' | 'foreign';

export interface JournalFile {
  readonly path: string;
  readonly target: string;
  readonly client: string;
  readonly spec: FileSpec;
  readonly action: FileAction;
  readonly entries: readonly EntryChange[];
  readonly missingDirs: readonly string[];
  /** Null if the file was absent. `image` is a file name in the run's directory. */
  readonly before: { readonly digest: string; readonly mode: number; readonly image: string } | null;
  /** Digest of the intended bytes; null if the file shall be gone. */
  readonly after: string | null;
  readonly mode: number;
  readonly temp: string;
  readonly previous: FileRecord | null;
  readonly next: FileRecord | null;
  /** A hook entry is added or changed, so that receipts from before the write are no evidence. */
  readonly installs: boolean;
  readonly state: JournalState;
  /** When the file was last marked `writing`, milliseconds since the epoch; 0 before. */
  readonly writingAt: number;
}

export interface Journal {
  readonly version: typeof JOURNAL_VERSION;
  readonly id: string;
  readonly engine: string;
  readonly purpose: Plan['purpose'];
  readonly startedAt: number;
  /** open: the process works on it or died · finished · recovered: finished by a later run. */
  readonly state: 'open' | 'finished' | 'recovered';
  readonly rollbackOf: string | null;
  readonly files: readonly JournalFile[];
}

/** A plan that undoes a run also says which, and what the records were before it. */
export type RunnablePlan = Plan & { readonly rollback?: { readonly of: string; readonly records: ReadonlyMap<string, FileRecord | null> } };

/** The journal of the running process, with the digest of what it last wrote. */
export interface JournalHandle {
  journal: Journal;
  digest: string | null;
}

export function runDir(host: Host, dirs: StateDirs, id: string): string {
  return pathsOf(host).join(dirs.runs, id);
}

export function journalPath(host: Host, dirs: StateDirs, id: string): string {
  return pathsOf(host).join(runDir(host, dirs, id), JOURNAL_NAME);
}

/** Names of all run directories, oldest first. */
export function runIds(host: Host, dirs: StateDirs): readonly string[] {
  if (host.stat(dirs.runs) === undefined) return [];
  return host.readDir(dirs.runs).filter((name) => RUN_NAME.test(name)).sort();
}

function stampText(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:.]/g, '');
}

/** Sortable by time. Never older than an existing run, also when the clock went back, so that "newest" stays true. */
export function newRunId(host: Host, dirs: StateDirs): string {
  const last = runIds(host, dirs).at(-1)?.slice(0, 19) ?? '';
  let now = stampText(host.now());
  if (now <= last) {
    const [, date, time] = /^(\d{8})T(\d{9})Z$/.exec(last) ?? [];
    const iso = `${date?.slice(0, 4)}-${date?.slice(4, 6)}-${date?.slice(6)}T${time?.slice(0, 2)}:${time?.slice(2, 4)}:${time?.slice(4, 6)}.${time?.slice(6)}Z`;
    now = stampText(Date.parse(iso) + 1);
  }
  return `${now}-${host.nonce(4)}`;
}

export function makeRunDir(host: Host, dirs: StateDirs, id: string): string {
  makeDirs(host, dirs.runs, OWN_DIR_MODE);
  const path = runDir(host, dirs, id);
  makeDir(host, path, OWN_DIR_MODE);
  host.fsyncDir(dirs.runs);
  return path;
}

/** Stores a before-image; each try of a file has its own, so that none is ever overwritten. */
export function keepImage(host: Host, dirs: StateDirs, id: string, name: string, bytes: Uint8Array): void {
  putFile(host, pathsOf(host).join(runDir(host, dirs, id), name), bytes);
}

/** Throws if a later run took this one for dead and settled it: then this process must not go on. */
export function assertOwnJournal(host: Host, dirs: StateDirs, handle: JournalHandle): void {
  const path = journalPath(host, dirs, handle.journal.id);
  if (handle.digest !== null && host.sha256(host.readFile(path, JOURNAL_BYTES_MAX)) !== handle.digest) {
    throw new PraetorError({
      code: 'lock-held', where: { path }, message: 'another praetorctl took over this run, because it stood still too long',
      fix: 'praetorctl clients verify, then run the command again',
    });
  }
}

export function saveJournal(host: Host, dirs: StateDirs, handle: JournalHandle): void {
  assertOwnJournal(host, dirs, handle);
  const bytes = toBytes(`${JSON.stringify(handle.journal, null, 1)}\n`);
  putFile(host, journalPath(host, dirs, handle.journal.id), bytes);
  handle.digest = host.sha256(bytes);
}

export function markFile(journal: Journal, path: string, change: Partial<JournalFile>): Journal {
  return { ...journal, files: journal.files.map((file) => (file.path === path ? { ...file, ...change } : file)) };
}

function isSpec(value: unknown): value is FileSpec {
  return isObject(value) && typeof value['path'] === 'string' && typeof value['role'] === 'string'
    && (value['scope'] === 'user' || value['scope'] === 'project') && typeof value['format'] === 'string'
    && isObject(value['tolerance']) && typeof value['secret'] === 'boolean'
    && (value['clientLock'] === undefined || typeof value['clientLock'] === 'string');
}

function isJournalFile(value: unknown): value is JournalFile {
  if (!isObject(value)) return false;
  const { before, after, previous, next, entries, state } = value;
  return typeof value['path'] === 'string' && typeof value['target'] === 'string' && typeof value['client'] === 'string'
    && isSpec(value['spec']) && ['create', 'edit', 'restore', 'delete', 'none'].includes(String(value['action']))
    && Array.isArray(entries) && entries.every((entry) => isObject(entry) && typeof entry['name'] === 'string' && typeof entry['action'] === 'string')
    && isTexts(value['missingDirs']) && (after === null || typeof after === 'string') && typeof value['mode'] === 'number'
    && (before === null || (isObject(before) && typeof before['digest'] === 'string' && typeof before['mode'] === 'number' && typeof before['image'] === 'string'))
    && typeof value['temp'] === 'string' && (previous === null || isFileRecord(previous)) && (next === null || isFileRecord(next))
    && typeof value['installs'] === 'boolean' && ['planned', 'writing', 'done', 'not-done', 'foreign'].includes(String(state))
    && typeof value['writingAt'] === 'number';
}

/** Undefined where the run has no journal: it was killed before it could change anything. */
export function readJournal(host: Host, dirs: StateDirs, id: string): JournalHandle | undefined {
  const path = journalPath(host, dirs, id);
  if (host.lstat(path) === undefined) return undefined;
  const fix = `move the directory ${runDir(host, dirs, id)} away, then run: praetorctl clients verify`;
  let bytes: Uint8Array;
  let value: JsonValue;
  try {
    bytes = host.readFile(path, JOURNAL_BYTES_MAX);
    value = JSON.parse(toText(bytes)) as JsonValue;
  } catch (error) {
    throw damaged(path, 'the journal of an earlier run cannot be read', fix, error);
  }
  if (!isObject(value) || value['version'] !== JOURNAL_VERSION) {
    throw damaged(path, 'the journal of an earlier run is damaged or was written by another version of praetorctl', fix);
  }
  const { files, rollbackOf } = value;
  const ok = value['id'] === id && typeof value['engine'] === 'string' && typeof value['startedAt'] === 'number'
    && ['apply', 'remove', 'rollback'].includes(String(value['purpose'])) && ['open', 'finished', 'recovered'].includes(String(value['state']))
    && (rollbackOf === null || typeof rollbackOf === 'string') && Array.isArray(files) && files.every(isJournalFile);
  if (!ok) throw damaged(path, 'the journal of an earlier run is damaged', fix);
  return { journal: value as unknown as Journal, digest: host.sha256(bytes) };
}
