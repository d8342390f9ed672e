// Contract: the receipts of this machine as notes: what the checkpoint holds, and what was appended since. The checkpoint is written
// anew where much was appended; that is the one thing that verify writes, into our own directory (docs/adr/0008). It is used only
// where it fits the files, and a note says nothing until its receipt was read again. Reads and writes through the Host.
import { putFile, toBytes } from '../clientsetup/statefiles.ts';
import type { FileStat, Host } from '../host.ts';
import { RECEIPTS_FILE, rotatedNames } from '../receipts/append.ts';
import { CHECKPOINT_BYTES_MAX, CHECKPOINT_FILE, COVERS_MAX, formatCheckpoint, parseCheckpoint, type Checkpoint, type Cover } from '../receipts/checkpoint.ts';
import { parseReceiptLine, RECEIPT_BYTES_MAX, type Receipt } from '../receipts/format.ts';
import { foldReceipt, newFold, sessionTable, settle, type Fold, type Note } from '../receipts/history.ts';
import type { WalkFiles } from '../receipts/walk.ts';
import { joinPath } from '../roots/paths.ts';

/** So much is read again at each look, at most. Reading it costs less than writing a checkpoint. */
export const APPENDED_BYTES_MAX = 256 * 1024;
/** More than rotation ever keeps; of a directory that someone filled, the newest. */
export const STORE_BYTES_MAX = 512 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** Of the beginning and of the end of what was read of a file. */
const DIGEST_BYTES = 4096;
/** Rotation takes a file away while it is read: then once more. */
const TRIES_MAX = 3;

interface StoreFile { readonly path: string; readonly stat: FileStat }

export interface ReceiptStore {
  readonly lines: number;
  readonly damagedLines: number;
  /** Of receipts before this time, nothing is known for sure; null: everything was read. */
  readonly unknownBefore: number | null;
  readonly notesOf: (client: string) => readonly Note[];
  /** The receipt that a note is about, read now; undefined where something else stands there. */
  readonly receiptOf: (note: Note) => Receipt | undefined;
  readonly fromCheckpoint: boolean;
}

// One character per byte: positions stay bytes, and our lines are ASCII anyway.
const decoder = new TextDecoder('latin1');

export function walkFiles(host: Host): WalkFiles {
  return {
    names: (path) => (host.stat(path) === undefined ? undefined : host.readDir(path)),
    size: (path) => { const stat = host.stat(path); return stat?.kind === 'file' ? stat.size : undefined; },
    readAt: (path, start, end) => decoder.decode(host.readAt(path, start, end - start)),
  };
}

const namesIn = (host: Host, directory: string): readonly string[] => (host.stat(directory) === undefined ? [] : [...rotatedNames(host.readDir(directory)).reverse(), RECEIPTS_FILE]);

function filesIn(host: Host, directory: string, names: readonly string[]): readonly StoreFile[] {
  return names.slice(-COVERS_MAX).flatMap((name) => {
    const path = joinPath(host.platform, directory, name);
    const stat = host.stat(path);
    if (stat === undefined) return [];
    if (stat.kind !== 'file') throw new Error('not a regular file');
    return [{ path, stat }];
  });
}

function digestsOf(host: Host, path: string, bytes: number): Pick<Cover, 'head' | 'tail'> {
  const length = Math.min(DIGEST_BYTES, bytes);
  const digest = (offset: number): string => host.sha256(host.readAt(path, offset, length));
  return { head: digest(0), tail: digest(bytes - length) };
}

/** Nothing of what was read has changed, as far as that shows without reading all of it. */
function fits(host: Host, { path, stat }: StoreFile, cover: Cover): boolean {
  if (stat.size < cover.bytes || (stat.size === cover.bytes && stat.mtimeNs !== cover.mtimeNs)) return false;
  const now = digestsOf(host, path, cover.bytes);
  return now.head === cover.head && now.tail === cover.tail;
}

/** Rotation removes the oldest files and renames the newest. After any other change all is read again, as if all files had gone. */
function fittingCheckpoint(host: Host, directory: string, files: readonly StoreFile[]): Checkpoint | undefined {
  const path = joinPath(host.platform, directory, CHECKPOINT_FILE);
  let found: Checkpoint | undefined;
  try {
    if (host.lstat(path)?.kind === 'file') found = parseCheckpoint(new TextDecoder().decode(host.readFile(path, CHECKPOINT_BYTES_MAX)));
  } catch { /* no checkpoint: everything is read */ }
  if (found === undefined) return undefined;
  const { covers, notes } = found;
  for (let gone = 0; gone <= covers.length; gone += 1) {
    const kept = covers.slice(gone);
    if (kept.length > files.length || !kept.every((cover, i) => { const file = files[i]; return file !== undefined && fits(host, file, cover); })) continue;
    return { ...found, covers: kept, notes: notes.filter(({ file }) => file >= gone).map((note) => ({ ...note, file: note.file - gone })) };
  }
  return undefined;
}

/** `much`: worth a new checkpoint; then the fold holds the notes of the old one too. */
interface Read { readonly fold: Fold; readonly covers: readonly Cover[]; readonly much: boolean; readonly unknownBefore: number | null }

/** Whole lines of [from, to) in the order of the file. Answers where the last whole one ended. */
function readLines(host: Host, path: string, from: number, to: number, line: (text: string, offset: number) => void): number {
  let at = from;
  let inside = false;
  while (at < to) {
    const text = decoder.decode(host.readAt(path, at, Math.min(CHUNK_BYTES, to - at)));
    if (text === '') return at;
    const last = text.lastIndexOf('\n');
    if (last === -1) {
      // The last line is being written. One as long as this is none of ours: it is passed over, never gathered.
      if (text.length < CHUNK_BYTES) return at;
      inside = true;
      at += text.length;
      continue;
    }
    for (let start = 0; start <= last;) {
      const end = text.indexOf('\n', start);
      if (inside) line('', at);
      else if (end > start) line(text.slice(start, end), at + start);
      inside = false;
      start = end + 1;
    }
    at += last + 1;
  }
  return at;
}

/** What is not covered, in the order of time; of too much, the newest. */
function readRest(host: Host, files: readonly StoreFile[], checkpoint: Checkpoint | undefined, appendedBytesMax: number): Read {
  const starts: number[] = [];
  let left = STORE_BYTES_MAX;
  for (let i = files.length - 1; i >= 0; i -= 1) {
    const size = files[i]?.stat.size ?? 0;
    starts[i] = Math.max(checkpoint?.covers[i]?.bytes ?? 0, size - left);
    left -= size - (starts[i] ?? 0);
  }
  const bytes = STORE_BYTES_MAX - left;
  const much = bytes > appendedBytesMax;
  const now = host.now();
  const fold = newFold(checkpoint?.sessions ?? { names: [], times: [] }, much ? checkpoint?.notes ?? [] : []);
  let oldest: number | null = null;
  const covers = files.map(({ path, stat }, file): Cover => {
    const from = starts[file] ?? 0;
    const before = checkpoint?.covers[file];
    let lines = before?.lines ?? 0;
    let damagedLines = before?.damagedLines ?? 0;
    // A cut goes through a line.
    let torn = from > (before?.bytes ?? 0);
    const end = readLines(host, path, from, stat.size, (text, offset) => {
      const receipt = parseReceiptLine(text);
      if (receipt === undefined) damagedLines += torn ? 0 : 1;
      else {
        lines += 1;
        oldest ??= Date.parse(receipt.time);
        foldReceipt(fold, receipt, { file, offset }, now);
      }
      torn = false;
    });
    return { ...(much ? digestsOf(host, path, end) : { head: '', tail: '' }), bytes: end, mtimeNs: stat.mtimeNs, lines, damagedLines };
  });
  const cut = left <= 0 && starts.some((start, i) => start > (checkpoint?.covers[i]?.bytes ?? 0));
  return { fold, covers, much, unknownBefore: latest(checkpoint?.unknownBefore ?? null, cut ? oldest : null) };
}

function latest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time): time is number => time !== null && Number.isFinite(time));
  return known.length === 0 ? null : Math.max(...known);
}

function save(host: Host, directory: string, checkpoint: Checkpoint): void {
  try {
    putFile(host, joinPath(host.platform, directory, CHECKPOINT_FILE), toBytes(formatCheckpoint(checkpoint)));
  } catch { /* a directory that cannot be written costs time at the next look, nothing else */ }
}

function storeOf(host: Host, files: readonly StoreFile[], state: Pick<Checkpoint, 'covers' | 'unknownBefore' | 'notes'>, fromCheckpoint: boolean): ReceiptStore {
  const byClient = new Map<string, Note[]>();
  for (const note of state.notes) {
    const list = byClient.get(note.client);
    if (list === undefined) byClient.set(note.client, [note]);
    else list.push(note);
  }
  return {
    lines: state.covers.reduce((sum, { lines }) => sum + lines, 0), damagedLines: state.covers.reduce((sum, { damagedLines }) => sum + damagedLines, 0), unknownBefore: state.unknownBefore, fromCheckpoint,
    notesOf: (client) => byClient.get(client) ?? [],
    receiptOf: (note) => {
      const file = files[note.file];
      if (file === undefined) return undefined;
      const text = decoder.decode(host.readAt(file.path, note.offset, RECEIPT_BYTES_MAX));
      const receipt = parseReceiptLine(text.slice(0, Math.max(0, text.indexOf('\n'))));
      const same = receipt?.client === note.client && receipt.caller === note.caller && receipt.event === note.event && Date.parse(receipt.time) === note.at
        && (receipt.workspace ?? '') === note.workspace && (receipt.synthetic === true) === (note.kind === 'synthetic');
      return same ? receipt : undefined;
    },
  };
}

export interface StoreOptions {
  /** Whatever the checkpoint says. */
  readonly afresh?: boolean;
  readonly appendedBytesMax?: number;
}

/** Throws where the directory cannot be read. */
export function openStore(host: Host, directory: string, { afresh = false, appendedBytesMax = APPENDED_BYTES_MAX }: StoreOptions): ReceiptStore {
  for (let attempt = 1; ; attempt += 1) {
    const names = namesIn(host, directory);
    const files = filesIn(host, directory, names);
    const checkpoint = afresh ? undefined : fittingCheckpoint(host, directory, files);
    const read = readRest(host, files, checkpoint, appendedBytesMax);
    if (namesIn(host, directory).join('\0') !== names.join('\0')) {
      if (attempt < TRIES_MAX) continue;
      throw new Error('files came and went while they were read');
    }
    const { notes, forgotten } = settle(read.fold);
    const state = {
      unknownBefore: latest(read.unknownBefore, forgotten, names.length > COVERS_MAX ? host.now() : null),
      notes: read.much ? notes : [...(checkpoint?.notes ?? []), ...notes],
    };
    if (read.much) save(host, directory, { ...state, covers: read.covers, sessions: sessionTable(read.fold) });
    return storeOf(host, files, { ...state, covers: read.covers }, checkpoint !== undefined);
  }
}
