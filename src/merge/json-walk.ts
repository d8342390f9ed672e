// Contract: finds containers and entries in a text that json-scan.ts has accepted; it reports ranges and never reads
// more of a value than its end. On a text that was not scanned its answers mean nothing. PURE.
import type { Splice } from '../model/edit.ts';
import type { Path } from '../model/json.ts';
import { commentEnd } from './json-scan.ts';

/** A scanned text with the ends of its long values, which no walk needs to look into. */
export interface Source {
  readonly text: string;
  readonly ends: ReadonlyMap<number, number>;
}

/** Entries of one container on the path of an edit. It bounds the memory of the proof, far beyond any real file. */
export const CONTAINER_ENTRIES_MAX = 1024 * 1024;

/** One key with its value, or one element. Offsets are UTF-16 units of the text. */
export interface Entry {
  /** The key, or the value of an element. */
  readonly start: number;
  /** The end of the key; -1 for an element. */
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  /** The comma behind the entry; -1 where there is none. */
  readonly comma: number;
}

export interface Container {
  readonly kind: 'object' | 'array';
  readonly open: number;
  /** The closing bracket. */
  readonly close: number;
  readonly count: number;
  readonly last: Entry | undefined;
  /** The entry that was asked for, with its neighbours. */
  readonly found: Entry | undefined;
  readonly previous: Entry | undefined;
  readonly next: Entry | undefined;
  /** Where the key that was asked for stands a second time; -1 if it does not. */
  readonly duplicate: number;
}

export type Spot =
  | { readonly kind: 'found'; readonly chain: readonly Container[]; readonly valueStart: number; readonly valueEnd: number }
  /** `depth` is the index of the first step that has no entry; the last container of the chain lacks it. */
  | { readonly kind: 'missing'; readonly chain: readonly Container[]; readonly depth: number }
  | { readonly kind: 'duplicate'; readonly depth: number; readonly offset: number }
  /** The value at the first `depth` steps is no container of the kind that the next step needs. */
  | { readonly kind: 'wrong-type'; readonly depth: number; readonly offset: number }
  | { readonly kind: 'too-many'; readonly depth: number; readonly offset: number };

/** Follows a path. Every container on it is walked to its end, because a second key of the same name may come late. */
export function locate(source: Source, root: number, path: Path): Spot {
  const { text } = source;
  const chain: Container[] = [];
  let valueStart = root;
  let valueEnd = -1;
  for (let depth = 0; depth < path.length; depth++) {
    const step = path[depth];
    const opener = text.charCodeAt(valueStart);
    if (step === undefined || opener !== (typeof step === 'string' ? 123 : 91)) {
      return { kind: 'wrong-type', depth, offset: valueStart };
    }
    const container = survey(source, valueStart, step);
    chain.push(container);
    if (container.count > CONTAINER_ENTRIES_MAX) return { kind: 'too-many', depth, offset: valueStart };
    if (container.duplicate !== -1) return { kind: 'duplicate', depth, offset: container.duplicate };
    if (container.found === undefined) return { kind: 'missing', chain, depth };
    valueStart = container.found.valueStart;
    valueEnd = container.found.valueEnd;
  }
  if (valueEnd === -1) valueEnd = skipValue(source, root);
  return { kind: 'found', chain, valueStart, valueEnd };
}

/** One walk over a container. Without a step only its shape is told. */
export function survey(source: Source, open: number, step?: string | number): Container {
  const { text } = source;
  let count = 0;
  let last: Entry | undefined;
  let found: Entry | undefined;
  let previous: Entry | undefined;
  let next: Entry | undefined;
  let duplicate = -1;
  const close = eachEntry(source, open, (entry) => {
    if (found !== undefined && next === undefined) next = entry;
    const hit = typeof step === 'string' ? keyIs(text, entry.start, entry.keyEnd, step) : count === step;
    if (hit && found !== undefined) {
      if (duplicate === -1) duplicate = entry.start;
    } else if (hit) {
      found = entry;
      previous = last;
    }
    last = entry;
    count++;
  });
  const kind = text.charCodeAt(open) === 123 ? 'object' : 'array';
  return { kind, open, close, count, last, found, previous, next, duplicate };
}

/** Calls back for every entry in order and answers the offset of the closing bracket. */
export function eachEntry(source: Source, open: number, visit: (entry: Entry) => void): number {
  const { text } = source;
  const isObject = text.charCodeAt(open) === 123;
  let pos = skipGap(text, open + 1);
  while (pos < text.length) {
    const unit = text.charCodeAt(pos);
    if (unit === 125 || unit === 93) return pos;
    const start = pos;
    const keyEnd = isObject ? skipString(text, pos) : -1;
    const valueStart = isObject ? skipGap(text, skipGap(text, keyEnd) + 1) : pos;
    const valueEnd = skipValue(source, valueStart);
    pos = skipGap(text, valueEnd);
    const comma = text.charCodeAt(pos) === 44 ? pos : -1;
    if (comma !== -1) pos = skipGap(text, pos + 1);
    visit({ start, keyEnd, valueStart, valueEnd, comma });
  }
  return pos;
}

/** The next offset that is neither white space nor inside a comment. */
export function skipGap(text: string, start: number): number {
  let pos = start;
  while (pos < text.length) {
    const unit = text.charCodeAt(pos);
    if (unit === 32 || unit === 10 || unit === 13 || unit === 9) {
      pos++;
    } else if (unit === 47) {
      const end = commentEnd(text, pos);
      if (end === -1) return pos;
      pos = end;
    } else {
      return pos;
    }
  }
  return pos;
}

export function skipValue(source: Source, start: number): number {
  const { text, ends } = source;
  const first = text.charCodeAt(start);
  if (first === 34) return skipString(text, start);
  if (first !== 123 && first !== 91) return skipScalar(text, start);
  const known = ends.get(start);
  if (known !== undefined) return known;
  let depth = 0;
  let pos = start;
  while (pos < text.length) {
    const unit = text.charCodeAt(pos);
    if (unit === 34) {
      pos = skipString(text, pos);
      continue;
    }
    if (unit === 47) {
      const end = commentEnd(text, pos);
      pos = end === -1 ? text.length : end;
      continue;
    }
    pos++;
    if (unit === 123 || unit === 91) depth++;
    else if ((unit === 125 || unit === 93) && --depth === 0) return pos;
  }
  return pos;
}

/** The ends of the long values after an edit: moved along, or forgotten where the value itself was replaced. */
export function shiftEnds(ends: ReadonlyMap<number, number>, splices: readonly Splice[]): ReadonlyMap<number, number> {
  const out = new Map<number, number>();
  for (const [start, end] of ends) {
    let before = 0;
    let inside = 0;
    let whole = true;
    for (const splice of splices) {
      const delta = splice.text.length - (splice.end - splice.start);
      if (splice.end <= start) before += delta;
      else if (splice.start > start && splice.end < end) inside += delta;
      else if (splice.start < end) whole = false;
    }
    if (whole) out.set(start + before, end + before + inside);
  }
  return out;
}

function skipString(text: string, start: number): number {
  const length = text.length;
  for (let i = start + 1; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 34) return i + 1;
    if (unit === 92) i++;
  }
  return length;
}

function skipScalar(text: string, start: number): number {
  let pos = start;
  for (; pos < text.length; pos++) {
    const unit = text.charCodeAt(pos);
    const inside = (unit >= 48 && unit <= 57) || (unit >= 97 && unit <= 122) || unit === 69 || unit === 43 || unit === 45 || unit === 46;
    if (!inside) break;
  }
  return pos;
}

/** Whether a raw key, with its quotes, spells this name. An escape is always longer than what it stands for. */
export function keyIs(text: string, start: number, end: number, name: string): boolean {
  const length = end - start - 2;
  if (length < name.length) return false;
  if (length === name.length) return text.startsWith(name, start + 1) && !name.includes('\\');
  const raw = text.slice(start, end);
  return raw.includes('\\') && JSON.parse(raw) === name;
}

/** What a value is, for people. */
export function kindOf(text: string, valueStart: number): string {
  switch (text.charAt(valueStart)) {
    case '{': return 'an object';
    case '[': return 'an array';
    case '"': return 'a string';
    case 't':
    case 'f': return 'a boolean';
    case 'n': return 'null';
    default: return 'a number';
  }
}
