// Contract: reads receipts back, the newest first, bounded, through file functions that are passed in. Torn, foreign and
// damaged lines are counted, not fatal. IO only through the port.
import { RECEIPTS_FILE, rotatedNames } from './append.ts';
import { parseReceiptLine, type Receipt } from './format.ts';

export const TAIL_BYTES_MAX = 8 * 1024 * 1024;

/** What reading needs of the file system. Functions return undefined where the file or directory is not there. */
export interface ReceiptFiles {
  readonly names: (directory: string) => readonly string[] | undefined;
  readonly size: (path: string) => number | undefined;
  /** Bytes [start, end) as UTF-8. */
  readonly readAt: (path: string, start: number, end: number) => string | undefined;
}

export interface ReceiptTail {
  /** Newest first. */
  readonly receipts: readonly Receipt[];
  readonly damagedLines: number;
  /** Older receipts exist that were not read. */
  readonly truncated: boolean;
}

/** The receipts in `directory` from the newest back, over at most `bytesMax` bytes. */
export function readReceiptTail(directory: string, files: ReceiptFiles, bytesMax: number = TAIL_BYTES_MAX): ReceiptTail {
  const rotated = rotatedNames(files.names(directory) ?? []);
  const receipts: Receipt[] = [];
  let damagedLines = 0;
  let left = bytesMax;
  for (const name of [RECEIPTS_FILE, ...rotated]) {
    const path = `${directory}/${name}`;
    const size = files.size(path);
    if (size === undefined || size === 0) continue;
    if (left <= 0) return { receipts, damagedLines, truncated: true };
    const start = Math.max(0, size - left);
    const lines = (files.readAt(path, start, size) ?? '').split('\n');
    // The first line of a cut is a part of one; a last line without newline is being written.
    if (start > 0) lines.shift();
    for (let i = lines.length - 1; i >= 0; i--) {
      const line = lines[i] ?? '';
      if (line === '') continue;
      const receipt = parseReceiptLine(line);
      if (receipt === undefined) damagedLines++;
      else receipts.push(receipt);
    }
    left -= size - start;
    if (start > 0) return { receipts, damagedLines, truncated: true };
  }
  return { receipts, damagedLines, truncated: false };
}
