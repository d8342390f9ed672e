// Contract: the smallest splices that insert, replace or remove one entry of a scanned document. Insertion and removal
// are two halves of one design: removing what was inserted last gives back the text byte for byte. PURE.
//
// How a removal knows what an insertion added, from the text alone:
// - An insertion stands directly behind a token (the last comment of the container, else the last comma or value, else
//   the opening bracket), so all the white space in front of the entry is its own.
// - The comma it needs is put directly behind the last value; in a container with a trailing comma it brings its own.
// - In an empty container it adds a line end with the closing indent behind itself, unless a comment was there before.
//   `{}` and `{\n}` must not become the same text, so the second keeps its own line end as an empty line.
import type { Splice } from '../model/edit.ts';
import type { JsonValue } from '../model/json.ts';
import { commentEnd } from './json-scan.ts';
import {
  beginsLine, blanksBefore, indentAt, inlineStyle, isBlank, isEol, lineEndBefore, lineStyle, renderInline, renderKey,
  renderLines, spansLines, type InlineStyle,
} from './json-style.ts';
import type { Container, Entry } from './json-walk.ts';

/** Adds an entry at the end of the last container of the chain. `key` is undefined for an element. */
export function insertEntry(text: string, chain: readonly Container[], key: string | undefined, value: JsonValue): Splice[] {
  const container = chain[chain.length - 1];
  if (container === undefined) throw new TypeError('an entry needs a container');
  const last = container.last;
  if (last === undefined) return insertFirst(text, chain, container, key, value);
  const anchor = last.comma === -1 ? last.valueEnd : last.comma + 1;
  const at = lastCommentEnd(text, anchor, container.close);
  const ownComma = last.comma === -1 ? '' : ',';
  let entry: string;
  if (beginsLine(text, last.start) || spansLines(text, anchor, at) || isLineComment(text, anchor, at)) {
    const style = lineStyle(text, chain, at);
    const sibling = container.kind === 'array' ? inlineSibling(text, last, value) : undefined;
    const body = sibling === undefined ? renderLines(value, style) : renderInline(value, sibling);
    entry = style.eol + style.base + keyText(key, style.colon) + body + ownComma;
  } else {
    const style = inlineStyle(text, container.open, container.close + 1);
    const gap = container.count > 1 ? blanksOf(text, last.start) : style.gap;
    entry = gap + keyText(key, style.colon) + inlineBody(text, last, value, style) + ownComma;
  }
  if (last.comma !== -1) return [{ start: at, end: at, text: entry }];
  if (at === anchor) return [{ start: at, end: at, text: `,${entry}` }];
  return [{ start: anchor, end: anchor, text: ',' }, { start: at, end: at, text: entry }];
}

function insertFirst(
  text: string, chain: readonly Container[], container: Container, key: string | undefined, value: JsonValue,
): Splice[] {
  const open = container.open + 1;
  const at = lastCommentEnd(text, open, container.close);
  const outer = chain[chain.length - 2];
  const commented = at !== open;
  // A line comment would swallow an entry on its own line.
  if (outer !== undefined && !spansLines(text, outer.open, outer.close)) {
    const style = inlineStyle(text, outer.open, outer.close + 1);
    const pad = commented || isBlank(text.charCodeAt(open)) ? ' ' : '';
    return [{ start: at, end: at, text: pad + keyText(key, style.colon) + renderInline(value, style) }];
  }
  const style = lineStyle(text, chain, at);
  const tail = commented ? '' : style.eol + indentAt(text, container.open);
  const entry = style.eol + style.base + keyText(key, style.colon) + renderLines(value, style) + tail;
  return [{ start: at, end: at, text: entry }];
}

/** Puts another value where one stands; its key, its comma and the comments around it stay. */
export function replaceValue(text: string, chain: readonly Container[], valueStart: number, valueEnd: number, value: JsonValue): Splice[] {
  const container = chain[chain.length - 1];
  const outerIsInline = container !== undefined && !spansLines(text, container.open, container.close);
  const old = text.slice(valueStart, valueEnd);
  const oldIsInline = /^[{[]/.test(old) && !/^[{[]\s*[}\]]$/.test(old) && !spansLines(old, 0, old.length);
  if (oldIsInline) return [{ start: valueStart, end: valueEnd, text: renderInline(value, inlineStyle(text, valueStart, valueEnd)) }];
  if (outerIsInline && container !== undefined) {
    const style = inlineStyle(text, container.open, container.close + 1);
    return [{ start: valueStart, end: valueEnd, text: renderInline(value, style) }];
  }
  const style = { ...lineStyle(text, chain, valueStart), base: indentAt(text, valueStart) };
  return [{ start: valueStart, end: valueEnd, text: renderLines(value, style) }];
}

/** Removes the entry that was found in this container. */
export function removeEntry(text: string, container: Container): Splice[] {
  const entry = container.found;
  if (entry === undefined) throw new TypeError('only an entry that was found is removed');
  const previous = container.previous;
  // With a trailing comma of its own, the last entry leaves the comma in front to be the trailing one.
  const trails = container.next === undefined && entry.comma !== -1;
  if (previous !== undefined && !trails && leadsLine(text, previous.comma, entry.start)) {
    return removeWithLeadingComma(text, entry, previous);
  }
  if (container.next !== undefined) return removeBeforeNext(text, entry);
  return removeLast(text, container, entry, previous);
}

/** `, "b": 2` on its own line: the comma in front goes with the entry, and its own comma serves the entry before. */
function removeWithLeadingComma(text: string, entry: Entry, previous: Entry): Splice[] {
  const end = commentsOnLine(text, entry.valueEnd).end;
  const start = lineStart(text, previous.comma, end, previous.valueEnd);
  return [{ start, end, text: '' }];
}

function removeBeforeNext(text: string, entry: Entry): Splice[] {
  const core = coreOf(text, entry);
  const tail = commentsOnLine(text, core.end);
  const ownLine = beginsLine(text, entry.start);
  if (tail.closed && ownLine) {
    return merged([{ start: lineEndBefore(text, entry.start), end: tail.eol, text: '' }, ...core.rest]);
  }
  if (tail.closed) {
    // The comment at the end of a shared line may be about its other entries, so it stays.
    const end = tail.end === core.end ? tail.eol : core.end;
    return merged([{ start: blanksBefore(text, entry.start), end, text: '' }, ...core.rest]);
  }
  let end = core.end;
  while (isBlank(text.charCodeAt(end))) end++;
  return merged([{ start: entry.start, end, text: '' }, ...core.rest]);
}

function removeLast(text: string, container: Container, entry: Entry, previous: Entry | undefined): Splice[] {
  const core = coreOf(text, entry);
  const gapStart = previous === undefined ? container.open + 1 : previous.comma + 1;
  const ownLine = beginsLine(text, entry.start);
  const tail = commentsOnLine(text, core.end);
  // As above: at the end of a shared line a comment stays, directly in front of the bracket it goes.
  let end = ownLine || (core.end === entry.valueEnd && !tail.closed) ? tail.end : core.end;
  if (previous === undefined && ownLine && blanksOnly(text, gapStart, entry.start)) {
    end = closingLineEnd(text, container, end);
  }
  const start = ownLine ? lineStart(text, entry.start, end, gapStart) : blanksBefore(text, entry.start);
  const splices: Splice[] = [{ start, end, text: '' }, ...core.rest];
  if (entry.comma === -1 && previous !== undefined) {
    splices.unshift({ start: previous.comma, end: previous.comma + 1, text: '' });
  }
  return merged(splices);
}

/** The entry with its comma, and what stands between the two on the same line. A comma further down goes alone. */
function coreOf(text: string, entry: Entry): { readonly end: number; readonly rest: Splice[] } {
  if (entry.comma === -1) return { end: entry.valueEnd, rest: [] };
  if (!spansLines(text, entry.valueEnd, entry.comma)) return { end: entry.comma + 1, rest: [] };
  const end = commentsOnLine(text, entry.valueEnd).end;
  return { end, rest: [{ start: entry.comma, end: entry.comma + 1, text: '' }] };
}

/** The line end and the closing indent that an insertion into an empty container adds behind its entry. */
function closingLineEnd(text: string, container: Container, end: number): number {
  if (!blanksOnly(text, end, container.close)) return end;
  let at = end;
  if (text.charCodeAt(at) === 13) at++;
  if (text.charCodeAt(at) === 10) at++;
  if (at === end) return end;
  const indent = indentAt(text, container.open);
  return text.startsWith(indent, at) ? at + indent.length : end;
}

/** Where a removal starts that takes the line end with it, unless a line comment needs that line end. */
function lineStart(text: string, offset: number, end: number, gapStart: number): number {
  const start = lineEndBefore(text, offset);
  let after = end;
  while (isBlank(text.charCodeAt(after))) after++;
  const needed = !isEol(text.charCodeAt(after)) && isLineComment(text, gapStart, start);
  return needed ? blanksBefore(text, offset) : start;
}

/** Whether a comma begins its line and only blanks stand between it and the entry. */
function leadsLine(text: string, comma: number, entryStart: number): boolean {
  return beginsLine(text, comma) && blanksBefore(text, entryStart) === comma + 1;
}

/** Comments on the same line. `end` is behind the last one; `closed` tells whether only they stand before the line end. */
function commentsOnLine(text: string, from: number): { readonly end: number; readonly eol: number; readonly closed: boolean } {
  let end = from;
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (isEol(unit)) return { end, eol: at, closed: true };
    if (isBlank(unit)) {
      at++;
      continue;
    }
    const stop = unit === 47 ? commentEnd(text, at) : -1;
    if (stop === -1 || spansLines(text, at, stop)) break;
    at = stop;
    end = stop;
  }
  return { end, eol: at, closed: false };
}

/** The end of the last comment in a gap, or the start of the gap. */
function lastCommentEnd(text: string, from: number, to: number): number {
  let end = from;
  for (let at = from; at < to; ) {
    const stop = text.charCodeAt(at) === 47 ? commentEnd(text, at) : -1;
    at = stop === -1 ? at + 1 : stop;
    if (stop !== -1) end = stop;
  }
  return end;
}

/** Whether a line comment of the gap that begins at `from` ends exactly here. Commas may stand in the gap. */
function isLineComment(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; ) {
    const stop = text.charCodeAt(at) === 47 ? commentEnd(text, at) : -1;
    if (stop === end) return text.charCodeAt(at + 1) === 47;
    at = stop === -1 ? at + 1 : stop;
  }
  return false;
}

function blanksOnly(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (!isBlank(unit) && !isEol(unit)) return false;
  }
  return true;
}

function blanksOf(text: string, offset: number): string {
  return text.slice(blanksBefore(text, offset), offset);
}

function keyText(key: string | undefined, colon: string): string {
  return key === undefined ? '' : renderKey(key, colon);
}

/** An array whose last element is a container on one line shows how the next one is to look. */
function inlineSibling(text: string, last: Entry, value: JsonValue): InlineStyle | undefined {
  const opener = text.charAt(last.valueStart);
  const wanted = Array.isArray(value) ? '[' : '{';
  const bare = /^[{[]\s*[}\]]$/.test(text.slice(last.valueStart, Math.min(last.valueEnd, last.valueStart + 8)));
  if (opener !== wanted || bare || spansLines(text, last.valueStart, last.valueEnd)) return undefined;
  return inlineStyle(text, last.valueStart, last.valueEnd);
}

/** Beside a sibling that takes several lines, a new value does the same, from the indent of that line on. */
function inlineBody(text: string, last: Entry, value: JsonValue, style: InlineStyle): string {
  if (!spansLines(text, last.valueStart, last.valueEnd)) return renderInline(value, style);
  const lines = lineStyle(text, [], last.valueEnd);
  return renderLines(value, { ...lines, base: indentAt(text, last.valueEnd), colon: style.colon });
}

/** Splices in order, with those that touch made one. */
function merged(splices: readonly Splice[]): Splice[] {
  const out: Splice[] = [];
  for (const splice of splices) {
    const before = out[out.length - 1];
    if (before !== undefined && splice.start <= before.end) {
      out[out.length - 1] = { start: before.start, end: Math.max(before.end, splice.end), text: before.text + splice.text };
    } else {
      out.push(splice);
    }
  }
  return out;
}
