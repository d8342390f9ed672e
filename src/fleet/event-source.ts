// Contract: the receipts that were not exported yet, oldest first, with the place behind each: a byte position for every file. A file is known by
// its first line, so rotation changes nothing. More than the bound waits for nobody: the oldest are counted and passed over. Reads through Host.
import { hostErrorCode, type Host } from '../host.ts';
import { RECEIPTS_FILE, rotatedNames } from '../receipts/append.ts';
import { parseReceiptLine, RECEIPT_BYTES_MAX, type Receipt } from '../receipts/format.ts';
import { joinPath } from '../roots/paths.ts';

/** So much of the receipts may wait. The receipts are the spool: nothing is stored twice. */
export const WAITING_BYTES_MAX = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Bytes of each file that were exported, by the digest of its first line. */
export type Positions = Readonly<Record<string, number>>;

interface Source { readonly id: string; readonly path: string; readonly from: number; readonly size: number }

export interface Waiting { readonly receipt: Receipt; readonly file: string; readonly end: number }

export interface WaitingReceipts {
  /** Each may be asked once. */
  readonly receipts: Iterable<Waiting>;
  /** Files that are there; positions of others are forgotten. */
  readonly known: ReadonlySet<string>;
  /** Where the export goes on for files whose oldest receipts were passed over. */
  readonly skipped: Positions;
  readonly dropped: number;
  /** Something was not exported and is not there any more. */
  readonly lost: boolean;
  readonly bytes: number;
}

// One character per byte: positions stay bytes, and receipts are ASCII.
const decoder = new TextDecoder('latin1');

function sourceOf(host: Host, path: string, positions: Positions): Source | undefined {
  try {
    const stat = host.stat(path);
    if (stat?.kind !== 'file') return undefined;
    const head = decoder.decode(host.readAt(path, 0, RECEIPT_BYTES_MAX));
    const end = head.indexOf('\n');
    if (end === -1) return undefined;
    const id = host.sha256(head.slice(0, end)).slice(0, 32);
    const from = positions[id] ?? 0;
    return { id, path, from: from > stat.size ? 0 : from, size: stat.size };
  } catch (error) {
    // Rotation took it away while it was looked at.
    if (hostErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function* linesOf(host: Host, { path, from, size }: Source): Generator<{ readonly line: string; readonly end: number }> {
  for (let at = from; at < size;) {
    const text = decoder.decode(host.readAt(path, at, Math.min(CHUNK_BYTES, size - at)));
    const last = text.lastIndexOf('\n');
    if (last === -1) {
      // The last line is being written. One as long as a chunk is none of ours and is passed over.
      if (text.length < CHUNK_BYTES) return;
      at += text.length;
      continue;
    }
    for (let start = 0; start <= last;) {
      const end = text.indexOf('\n', start);
      yield { line: text.slice(start, end), end: at + end + 1 };
      start = end + 1;
    }
    at += last + 1;
  }
}

/** The oldest receipts beyond the bound: counted, not kept. */
function passOver(host: Host, sources: readonly Source[], waiting: number, bytesMax: number): { readonly sources: readonly Source[]; readonly dropped: number; readonly skipped: Positions } {
  let [over, dropped] = [waiting - bytesMax, 0];
  const skipped: Record<string, number> = {};
  const left = sources.map((source) => {
    if (over <= 0) return source;
    let { from } = source;
    for (const { line, end } of linesOf(host, source)) {
      if (over <= 0) break;
      dropped += isEvidence(parseReceiptLine(line)) ? 1 : 0;
      over -= end - from;
      from = end;
    }
    skipped[source.id] = from;
    return { ...source, from };
  });
  return { sources: left, dropped, skipped };
}

/** What doctor and the demonstration make is never evidence. */
function isEvidence(receipt: Receipt | undefined): receipt is Receipt {
  return receipt !== undefined && receipt.synthetic !== true;
}

function* receiptsOf(host: Host, sources: readonly Source[]): Generator<Waiting> {
  for (const source of sources) {
    for (const { line, end } of linesOf(host, source)) {
      const receipt = parseReceiptLine(line);
      if (isEvidence(receipt)) yield { receipt, file: source.id, end };
    }
  }
}

/** `last`: the file in which the export stood. */
export function waitingReceipts(host: Host, directory: string, positions: Positions, last: string | null, bytesMax: number = WAITING_BYTES_MAX): WaitingReceipts {
  const names = host.stat(directory) === undefined ? [] : [...rotatedNames(host.readDir(directory)).reverse(), RECEIPTS_FILE];
  const found = names.flatMap((name) => sourceOf(host, joinPath(host.platform, directory, name), positions) ?? []);
  const bytes = found.reduce((sum, { from, size }) => sum + size - from, 0);
  const { sources, dropped, skipped } = passOver(host, found, bytes, bytesMax);
  const known = new Set(found.map(({ id }) => id));
  return { receipts: receiptsOf(host, sources), known, skipped, dropped, lost: last !== null && !known.has(last), bytes };
}
