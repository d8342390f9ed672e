// Contract: whole-line insertion and removal in a text of lines (TOML, YAML). PURE. `insertLines` and `removeLines` undo each other exactly,
// also at the end of a file without a final newline. Only `\n` and `\r\n` end a line: TOML forbids a bare
// CR, and the YAML editor refuses one.
import type { Splice } from '../model/edit.ts';
import { detectEol } from './text.ts';

export interface Region { readonly start: number; readonly end: number }

export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** The offset behind the line's EOL, or the end of the text. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

/** The offset of the first character from `offset` on that is neither space nor tab. */
export function skipBlanks(text: string, offset: number): number {
  let at = offset;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

/** The offset where the run of spaces and tabs that ends at `offset` begins. */
export function blanksBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at -= 1;
  return at;
}

export function indentAt(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return text.slice(start, skipBlanks(text, start));
}

/** Whether the line that starts here holds white space only; the void behind the last EOL is no line. */
export function isBlankLine(text: string, start: number): boolean {
  return start < text.length && text.slice(start, lineEnd(text, start)).trim() === '';
}

export function isCommentLine(text: string, start: number): boolean {
  return text[skipBlanks(text, start)] === '#';
}

/** The offset behind the last line that is not blank; 0 if there is none. */
export function contentEnd(text: string): number {
  const length = text.trimEnd().length;
  return length === 0 ? 0 : lineEnd(text, length - 1);
}

/** The EOL of the nearest line that ends before `offset`, else the text's usual one: a mixed file stays locally uniform. */
export function eolNear(text: string, offset: number): string {
  const at = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  if (at < 0) return detectEol(text);
  return text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** Inserts lines at the start of a line or at the end of the text; a text without a final newline stays without one. */
export function insertLines(text: string, at: number, lines: readonly string[]): Splice {
  const eol = eolNear(text, at);
  const open = at > 0 && text[at - 1] !== '\n';
  const inserted = open ? lines.map((line) => eol + line) : lines.map((line) => line + eol);
  return { start: at, end: at, text: inserted.join('') };
}

/** Removes regions of whole lines. A last line without EOL takes the EOL before it along: that undoes `insertLines`. */
export function removeLines(text: string, regions: readonly Region[]): Splice[] {
  const merged = mergeRegions(regions);
  const last = merged.at(-1);
  if (last !== undefined && last.end === text.length && last.start > 0 && text[text.length - 1] !== '\n') {
    const start = last.start - (text[last.start - 2] === '\r' ? 2 : 1);
    return mergeRegions([...merged.slice(0, -1), { start, end: last.end }]).map(cut);
  }
  return merged.map(cut);
}

function cut(region: Region): Splice {
  return { start: region.start, end: region.end, text: '' };
}

function mergeRegions(regions: readonly Region[]): Region[] {
  const merged: { start: number; end: number }[] = [];
  for (const region of [...regions].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && region.start <= last.end) last.end = Math.max(last.end, region.end);
    else merged.push({ ...region });
  }
  return merged;
}
