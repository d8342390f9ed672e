// Contract: keeps account of several edits made one after the other, and tells them as splices of the first text.
// PURE.
import type { Splice } from '../model/edit.ts';

/** A stretch of the original text, or new text (then `start` and `end` count units of `text`). */
interface Piece { readonly start: number; readonly end: number; readonly text: string | undefined }
export type Pieces = readonly Piece[];

export function wholeText(length: number): Pieces {
  return [{ start: 0, end: length, text: undefined }];
}

/** Applies one splice whose offsets are those of the text that the pieces make up now. */
export function splicePieces(pieces: Pieces, splice: Splice): Pieces {
  const out: Piece[] = [];
  const insert = (): void => {
    if (splice.text !== '') out.push({ start: 0, end: splice.text.length, text: splice.text });
  };
  let at = 0;
  let inserted = false;
  for (const piece of pieces) {
    const pieceEnd = at + piece.end - piece.start;
    const keepUntil = Math.min(pieceEnd, splice.start);
    const keepFrom = Math.max(at, splice.end);
    if (keepUntil > at) out.push({ ...piece, end: piece.start + keepUntil - at });
    if (!inserted && splice.start <= pieceEnd) {
      insert();
      inserted = true;
    }
    if (keepFrom < pieceEnd) out.push({ ...piece, start: piece.start + keepFrom - at });
    at = pieceEnd;
  }
  if (!inserted) insert();
  return out;
}

/** The splices that make the original text into the text of the pieces, without the ends that both sides share. */
export function toSplices(original: string, pieces: Pieces): Splice[] {
  const out: Splice[] = [];
  let from = 0;
  let text = '';
  const close = (until: number): void => {
    const splice = trimmed(original, { start: from, end: until, text });
    if (splice.end > splice.start || splice.text !== '') out.push(splice);
    text = '';
  };
  for (const piece of pieces) {
    if (piece.text !== undefined) {
      text += piece.text.slice(piece.start, piece.end);
      continue;
    }
    close(piece.start);
    from = piece.end;
  }
  close(original.length);
  return out;
}

/** The place in the original text of an offset of the text now: for new text, the place where it was put in. */
export function originalOffset(pieces: Pieces, offset: number): number {
  let at = 0;
  let original = 0;
  for (const piece of pieces) {
    const length = piece.end - piece.start;
    if (piece.text === undefined) {
      if (offset < at + length) return piece.start + Math.max(0, offset - at);
      original = piece.end;
    } else if (offset < at + length) {
      return original;
    }
    at += length;
  }
  return original;
}

/** `splices` are in order and do not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const splice of splices) {
    parts.push(text.slice(from, splice.start), splice.text);
    from = splice.end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

function trimmed(original: string, splice: Splice): Splice {
  let { start, end } = splice;
  let head = 0;
  let tail = splice.text.length;
  while (start < end && head < tail && original.charCodeAt(start) === splice.text.charCodeAt(head)) {
    start++;
    head++;
  }
  while (end > start && tail > head && original.charCodeAt(end - 1) === splice.text.charCodeAt(tail - 1)) {
    end--;
    tail--;
  }
  return { start, end, text: splice.text.slice(head, tail) };
}
