// Contract: walks receipts from the newest back, chunk by chunk, so that a question about the last hour never reads a year.
// Torn, foreign and damaged lines are counted, not fatal. IO only through the port.
import { RECEIPTS_FILE, rotatedNames } from './append.ts';
import { parseReceiptLine, type Receipt } from './format.ts';

/** One read. Small enough that the newest fifty receipts cost one, large enough that a million cost few hundred. */
export const WALK_CHUNK_BYTES = 1024 * 1024;
/** More than rotation ever keeps; a directory that someone filled is not read without end. */
export const WALK_BYTES_MAX = 512 * 1024 * 1024;
/** A line longer than this is not one of ours: the writer's bound is 4 KiB. */
const LINE_BYTES_MAX = 64 * 1024;

/** What walking needs of the file system; undefined where the file or directory is not there. */
export interface WalkFiles {
  readonly names: (directory: string) => readonly string[] | undefined;
  readonly size: (path: string) => number | undefined;
  /** Bytes [start, end), one character per byte. */
  readonly readAt: (path: string, start: number, end: number) => string | undefined;
}

export interface WalkResult {
  /** Lines looked at, damaged ones included. */
  readonly lines: number;
  readonly damagedLines: number;
  /** `end`: everything was read. `enough`: the visitor asked to stop. `bound`: WALK_BYTES_MAX was reached. */
  readonly stopped: 'end' | 'enough' | 'bound';
}

/**
 * `look` sees the raw line and may refuse it cheaply, or end the walk; keys and values of ours are literal in it and cannot be forged,
 * because quotes inside JSON strings are escaped. `visit` returns true to stop.
 */
export interface Visitor {
  readonly look: (line: string) => 'take' | 'skip' | 'stop';
  readonly visit: (receipt: Receipt, line: string) => boolean;
}

interface Walk { lines: number; damaged: number; left: number; readonly visitor: Visitor }

export function walkReceipts(directory: string, files: WalkFiles, visitor: Visitor, bytesMax: number = WALK_BYTES_MAX): WalkResult {
  const walk: Walk = { lines: 0, damaged: 0, left: bytesMax, visitor };
  const result = (stopped: WalkResult['stopped']): WalkResult => ({ lines: walk.lines, damagedLines: walk.damaged, stopped });
  const names = [RECEIPTS_FILE, ...rotatedNames(files.names(directory) ?? [])];
  for (const name of names) {
    const stopped = walkFile(`${directory}/${name}`, files, walk);
    if (stopped !== undefined) return result(stopped);
  }
  return result('end');
}

function walkFile(path: string, files: WalkFiles, walk: Walk): 'enough' | 'bound' | undefined {
  const size = files.size(path) ?? 0;
  /** The beginning of the chunk that was read last: a line that goes on further in front. */
  let rest = '';
  for (let end = size; end > 0;) {
    if (walk.left <= 0) return 'bound';
    const start = Math.max(0, end - WALK_CHUNK_BYTES);
    const text = (files.readAt(path, start, end) ?? '') + rest;
    walk.left -= end - start;
    end = start;
    const first = start === 0 ? -1 : text.indexOf('\n');
    // No line end in a whole chunk: nothing of ours. It is dropped as one damaged line, never gathered without end.
    rest = start === 0 ? '' : first === -1 ? text.slice(0, LINE_BYTES_MAX) : text.slice(0, first + 1);
    if (start > 0 && first === -1) continue;
    if (walkLines(text, first, walk)) return 'enough';
  }
  return undefined;
}

/** Lines behind position `first`, the last one first. A last line without its end is being written or was torn. */
function walkLines(text: string, first: number, walk: Walk): boolean {
  for (let end = text.length; end > first + 1;) {
    const stop = text[end - 1] === '\n' ? end - 1 : end;
    const at = stop === 0 ? -1 : text.lastIndexOf('\n', stop - 1);
    const line = text.slice(at + 1, stop);
    end = at + 1;
    if (line !== '' && oneLine(line, walk)) return true;
  }
  return false;
}

function oneLine(line: string, walk: Walk): boolean {
  walk.lines++;
  // Whole lines end with a brace; the writer's lines are ASCII.
  if (line.length > LINE_BYTES_MAX || line[0] !== '{' || line[line.length - 1] !== '}') {
    walk.damaged++;
    return false;
  }
  const look = walk.visitor.look(line);
  if (look !== 'take') return look === 'stop';
  const receipt = parseReceiptLine(line);
  if (receipt === undefined) walk.damaged++;
  return receipt !== undefined && walk.visitor.visit(receipt, line);
}
