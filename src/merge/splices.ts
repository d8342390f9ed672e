// Contract: folds successive splices, each against the text of its own moment, into splices against the original text. PURE.
import type { Splice } from '../model/edit.ts';

/** A stretch of the original (`text` undefined) or inserted text. */
interface Piece { readonly start: number; readonly end: number; readonly text?: string }

export type Pieces = readonly Piece[];

export function wholeText(length: number): Pieces {
  return length === 0 ? [] : [{ start: 0, end: length }];
}

export function applySplices(text: string, splices: readonly Splice[]): string {
  let out = '';
  let at = 0;
  for (const splice of splices) {
    out += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return out + text.slice(at);
}

function sizeOf(piece: Piece): number {
  return piece.text === undefined ? piece.end - piece.start : piece.text.length;
}

function part(piece: Piece, from: number, to: number): Piece {
  if (piece.text === undefined) return { start: piece.start + from, end: piece.start + to };
  return { start: piece.start, end: piece.end, text: piece.text.slice(from, to) };
}

/** The pieces of the text after these ordered splices. */
export function splicePieces(pieces: Pieces, splices: readonly Splice[]): Pieces {
  const out: Piece[] = [];
  let at = 0;
  let next = 0;
  for (const piece of pieces) {
    const end = at + sizeOf(piece);
    let from = at;
    while (next < splices.length && (splices[next] as Splice).start < end) {
      const splice = splices[next] as Splice;
      if (splice.start > from) out.push(part(piece, from - at, splice.start - at));
      if (splice.start >= at && splice.text !== '') out.push({ start: 0, end: 0, text: splice.text });
      from = Math.max(from, Math.min(splice.end, end));
      if (splice.end > end) break;
      next += 1;
    }
    if (from < end) out.push(part(piece, from - at, end - at));
    at = end;
  }
  for (const splice of splices.slice(next)) {
    if (splice.start >= at && splice.text !== '') out.push({ start: 0, end: 0, text: splice.text });
  }
  return out;
}

/** What remains of the original decides the splices: every gap between remaining stretches is one. */
export function splicesOf(pieces: Pieces, original: string): Splice[] {
  const splices: Splice[] = [];
  let at = 0;
  let inserted = '';
  const close = (start: number): void => {
    if (inserted !== original.slice(at, start)) splices.push({ start: at, end: start, text: inserted });
    inserted = '';
  };
  for (const piece of pieces) {
    if (piece.text !== undefined) inserted += piece.text;
    else {
      close(piece.start);
      at = piece.end;
    }
  }
  close(original.length);
  return splices;
}

/** Where an offset of the edited text lies in the original; inserted text lies where it was put. */
export function originalOffset(pieces: Pieces, offset: number): number {
  let at = 0;
  let original = 0;
  for (const piece of pieces) {
    const end = at + sizeOf(piece);
    if (piece.text === undefined) {
      if (offset < end) return piece.start + offset - at;
      original = piece.end;
    } else if (offset < end) return original;
    at = end;
  }
  return original;
}
