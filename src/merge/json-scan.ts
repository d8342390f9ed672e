// Contract: the strict gate in front of every JSON edit: RFC 8259 plus comments and trailing commas, judged in one
// pass without recursion. Messages name kinds of tokens, never what a file contains. PURE.
import type { MergeFault, Tolerance } from '../model/edit.ts';
import type { JsonValue } from '../model/json.ts';
import { faultAt, TEXT_CHARS_MAX } from './text.ts';

/** Levels of nesting that are followed: far beyond any real file, and a bound on the memory of one pass. */
export const JSON_DEPTH_MAX = 10_000;

/** Values of at least this many units are remembered with their end, so that a later walk steps over them at once. */
const LONG_VALUE_CHARS = 4096;
/** A bound on that memory; values beyond it are only walked more slowly. */
const LONG_VALUES_MAX = 100_000;
/** Parts that are joined at a time while comments are taken out: millions of small strings would need too much memory. */
const PARTS_PER_JOIN = 8192;

export interface Scan {
  readonly ok: true;
  /** Where the root value begins. */
  readonly root: number;
  /** Start and end of every comment, flat and in order. */
  readonly comments: readonly number[];
  /** Offsets of the trailing commas, in order. */
  readonly commas: readonly number[];
  /** Start to end of the long values. */
  readonly ends: ReadonlyMap<number, number>;
}
export type ScanResult = Scan | { readonly ok: false; readonly fault: MergeFault };

const VALUE = 0;
const ELEMENT_OR_END = 1;
const ELEMENT = 2;
const KEY_OR_END = 3;
const KEY = 4;
const COLON = 5;
const AFTER = 6;
const DONE = 7;
const EXPECTED = [
  'a value', 'a value or "]"', 'a value', 'a key in double quotes or "}"', 'a key in double quotes', '":"',
  'a comma or a closing bracket', 'the end of the file',
] as const;

/** What the pass knows at one place; it changes with every token. */
interface Pass {
  state: number;
  depth: number;
  /** The last comma, which may turn out to be a trailing one. */
  comma: number;
  /** The opening brackets that are not closed yet, from index 1 on. */
  readonly opened: Int32Array;
  readonly commas: number[];
  readonly ends: Map<number, number>;
}

/** The grammar alone; what the client tolerates is judged by checkDocument. */
export function scanJson(text: string): ScanResult {
  const pass: Pass = {
    state: VALUE, depth: 0, comma: -1, opened: new Int32Array(JSON_DEPTH_MAX + 1), commas: [], ends: new Map(),
  };
  const comments: number[] = [];
  const length = text.length;
  let root = -1;
  let pos = 0;
  while (pos < length) {
    const unit = text.charCodeAt(pos);
    if (unit === 32 || unit === 10 || unit === 13 || unit === 9) {
      pos++;
      continue;
    }
    let end: number;
    if (unit === 47) {
      end = commentEnd(text, pos);
      if (end !== -1) comments.push(pos, end);
    } else {
      if (root === -1) root = pos;
      end = takeToken(text, pos, unit, pass);
    }
    if (end === -1) return refuse(text, pos, pass.state);
    if (pass.depth > JSON_DEPTH_MAX) {
      return failed(text, 'too-deep', `the document is nested deeper than ${JSON_DEPTH_MAX} levels`, pos);
    }
    pos = end;
  }
  if (pass.state !== DONE) return refuse(text, length, pass.state);
  return { ok: true, root, comments, commas: pass.commas, ends: pass.ends };
}

/** The end of the token that begins here, or -1 where it may not stand. */
function takeToken(text: string, pos: number, unit: number, pass: Pass): number {
  if (unit === 125 || unit === 93) return takeClosing(text, pos, unit, pass);
  switch (pass.state) {
    case AFTER:
      if (unit !== 44) return -1;
      pass.comma = pos;
      pass.state = text.charCodeAt(pass.opened[pass.depth] ?? 0) === 123 ? KEY : ELEMENT;
      return pos + 1;
    case KEY:
    case KEY_OR_END: {
      const end = unit === 34 ? stringEnd(text, pos) : -1;
      if (end !== -1) pass.state = COLON;
      return end;
    }
    case COLON:
      if (unit !== 58) return -1;
      pass.state = VALUE;
      return pos + 1;
    case DONE:
      return -1;
    default:
      return takeValue(text, pos, unit, pass);
  }
}

function takeClosing(text: string, pos: number, unit: number, pass: Pass): number {
  const open = pass.opened[pass.depth] ?? 0;
  // Each closing bracket comes two units behind its opening one in Unicode.
  if (pass.depth === 0 || text.charCodeAt(open) !== unit - 2 || pass.state === VALUE || pass.state === COLON) return -1;
  const end = pos + 1;
  if (end - open >= LONG_VALUE_CHARS && pass.ends.size < LONG_VALUES_MAX) pass.ends.set(open, end);
  if (pass.state === ELEMENT || pass.state === KEY) pass.commas.push(pass.comma);
  pass.depth--;
  pass.state = pass.depth === 0 ? DONE : AFTER;
  return end;
}

function takeValue(text: string, pos: number, unit: number, pass: Pass): number {
  if (unit === 123 || unit === 91) {
    // One level too many falls outside of the list, and the caller stops there.
    pass.depth++;
    pass.opened[pass.depth] = pos;
    pass.state = unit === 123 ? KEY_OR_END : ELEMENT_OR_END;
    return pos + 1;
  }
  const end = unit === 34 ? stringEnd(text, pos) : scalarEnd(text, pos, unit);
  if (end !== -1) pass.state = pass.depth === 0 ? DONE : AFTER;
  return end;
}

/** A whole document as this client reads it: the grammar, the root's type, and the client's own tolerance. */
export function checkDocument(text: string, tolerance: Tolerance): ScanResult {
  if (text.length > TEXT_CHARS_MAX) {
    return failed(text, 'too-large', `the file is longer than ${TEXT_CHARS_MAX} characters`, 0);
  }
  const scan = scanJson(text);
  if (!scan.ok) return scan;
  if (text.charCodeAt(scan.root) !== 123) {
    return failed(text, 'not-an-object', 'the document is not an object', scan.root);
  }
  const comment = tolerance.comments ? undefined : scan.comments[0];
  const comma = tolerance.trailingCommas ? undefined : scan.commas[0];
  if (comment === undefined && comma === undefined) return scan;
  const what = comment !== undefined && comment < (comma ?? Infinity) ? 'comments' : 'trailing commas';
  return failed(
    text,
    'client-rejects',
    `the client's reader does not accept ${what} and already ignores this file`,
    Math.min(comment ?? Infinity, comma ?? Infinity),
  );
}

/** The value of a scanned text. JSON.parse defines `__proto__` as an own key and keeps the last of duplicate keys. */
export function scannedValue(text: string, scan: Scan): JsonValue {
  if (scan.comments.length === 0 && scan.commas.length === 0) return JSON.parse(text) as JsonValue;
  let parts: string[] = [];
  let bare = '';
  let from = 0;
  let nextComma = 0;
  const dropCommasBefore = (limit: number): void => {
    for (let at = scan.commas[nextComma]; at !== undefined && at < limit; at = scan.commas[++nextComma]) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
    if (parts.length < PARTS_PER_JOIN) return;
    bare += parts.join('');
    parts = [];
  };
  for (let i = 0; i < scan.comments.length; i += 2) {
    const start = scan.comments[i] ?? 0;
    dropCommasBefore(start);
    parts.push(text.slice(from, start), ' ');
    from = scan.comments[i + 1] ?? 0;
  }
  dropCommasBefore(text.length);
  return JSON.parse(bare + parts.join('') + text.slice(from)) as JsonValue;
}

/** The end of the comment that starts here, or -1. A line comment ends before its line end. */
export function commentEnd(text: string, start: number): number {
  const second = text.charCodeAt(start + 1);
  if (second === 42) {
    const close = text.indexOf('*/', start + 2);
    return close === -1 ? -1 : close + 2;
  }
  if (second !== 47) return -1;
  let end = start + 2;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (unit === 10 || unit === 13) break;
  }
  return end;
}

function stringEnd(text: string, start: number): number {
  const length = text.length;
  for (let i = start + 1; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 34) return i + 1;
    if (unit < 32) return -1;
    if (unit === 92) {
      i = escapeEnd(text, i);
      if (i === -1) return -1;
    }
  }
  return -1;
}

/** The last unit of the escape sequence that starts here, or -1. */
function escapeEnd(text: string, start: number): number {
  const kind = text.charCodeAt(start + 1);
  if (kind !== 117) return isSimpleEscape(kind) ? start + 1 : -1;
  for (let i = start + 2; i < start + 6; i++) {
    const unit = text.charCodeAt(i);
    const hex = isDigit(unit) || (unit >= 65 && unit <= 70) || (unit >= 97 && unit <= 102);
    if (!hex) return -1;
  }
  return start + 5;
}

function isSimpleEscape(kind: number): boolean {
  return kind === 34 || kind === 92 || kind === 47 || kind === 98 || kind === 102 || kind === 110 || kind === 114 || kind === 116;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function scalarEnd(text: string, start: number, unit: number): number {
  if (unit === 45 || isDigit(unit)) return numberEnd(text, start);
  if (text.startsWith('true', start) || text.startsWith('null', start)) return start + 4;
  return text.startsWith('false', start) ? start + 5 : -1;
}

function numberEnd(text: string, start: number): number {
  let at = text.charCodeAt(start) === 45 ? start + 1 : start;
  if (text.charCodeAt(at) === 48) at++;
  else at = digitsEnd(text, at);
  if (at !== -1 && text.charCodeAt(at) === 46) at = digitsEnd(text, at + 1);
  if (at === -1) return -1;
  const mark = text.charCodeAt(at);
  if (mark !== 69 && mark !== 101) return at;
  const sign = text.charCodeAt(at + 1);
  return digitsEnd(text, sign === 43 || sign === 45 ? at + 2 : at + 1);
}

/** The end of at least one digit, or -1. */
function digitsEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && isDigit(text.charCodeAt(at))) at++;
  return at === start ? -1 : at;
}

function failed(text: string, code: MergeFault['code'], message: string, offset: number): ScanResult {
  return { ok: false, fault: faultAt(text, code, message, offset) };
}

/** The slow path: finds out what stands where the scan stopped. */
function refuse(text: string, offset: number, state: number): ScanResult {
  const marker = conflictMarker(text, offset);
  if (marker !== -1) {
    return failed(text, 'merge-conflict-markers', 'the file holds the markers of an unresolved merge conflict', marker);
  }
  if (text.charCodeAt(offset) === 34 && state <= KEY) {
    const at = badUnitInString(text, offset);
    return failed(text, 'invalid-document', stringProblem(text, at), at);
  }
  if (state === DONE && /[{[]/.test(text.charAt(offset))) {
    return failed(text, 'invalid-document', 'a second document follows the first', offset);
  }
  const start = wordStart(text, offset);
  const expected = EXPECTED[state] ?? 'the end of the file';
  return failed(text, 'invalid-document', `found ${tokenKind(text, start)} where ${expected} is expected`, start);
}

/** Only from the failure on: a row of equals signs inside a readable comment is no conflict. */
function conflictMarker(text: string, offset: number): number {
  if (/^(?:={7}[\r\n]|={7}$)/.test(text.slice(offset, offset + 8))) return offset;
  const marker = /^(?:<{7}|>{7}) /m.exec(offset === 0 ? text : text.slice(offset - 1));
  if (marker === null) return -1;
  const at = marker.index + Math.max(0, offset - 1);
  const before = text.charCodeAt(at - 1);
  return at === 0 || before === 10 || before === 13 ? at : -1;
}

function badUnitInString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 32) return i;
    if (unit !== 92) continue;
    const end = escapeEnd(text, i);
    if (end === -1) return i;
    i = end;
  }
  return text.length;
}

function stringProblem(text: string, at: number): string {
  if (at >= text.length) return 'the file ends inside a string';
  const unit = text.charCodeAt(at);
  if (unit === 10 || unit === 13) return 'a string is not closed on its line';
  return unit === 92 ? 'a string holds an escape sequence that JSON does not have' : 'a string holds a control character';
}

/** `01` and `1.e5` stop in their middle; the fault points at the number, not at its second digit. */
function wordStart(text: string, offset: number): number {
  if (!/[\w.+-]/.test(text.charAt(offset))) return offset;
  let start = offset;
  while (start > 0 && /[\w.+-]/.test(text.charAt(start - 1))) start--;
  return start;
}

function tokenKind(text: string, offset: number): string {
  if (offset >= text.length) return 'the end of the file';
  const char = text.charAt(offset);
  if (char === "'" || char === '`') return 'a string that is not in double quotes';
  if (char === '"') return 'a string';
  if ('{}[]:,'.includes(char)) return `"${char}"`;
  if (char === '/') return text.charAt(offset + 1) === '*' ? 'a comment that is never closed' : 'a slash';
  if (/[-+.0-9]/.test(char)) return /^-?(?:0|[1-9]\d*)(?![\w.+-])/.test(text.slice(offset, offset + 400)) ? 'a number' : 'a number that JSON does not have';
  if (/[A-Za-z_$]/.test(char)) return 'a bare word';
  return char.charCodeAt(0) < 32 ? 'a control character' : 'an unexpected character';
}
