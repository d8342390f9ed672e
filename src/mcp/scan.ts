// Contract: one line of JSON without reading its values: what it is, its id, and whether it could be read in two ways. PURE.
// A reader of another make takes the first of two equal keys instead of the last, or takes `Method` for `method` (Go does): such a line
// would be one message here and another one there.
import { folded } from '../contract/names.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';

/** Deeper is nothing that a tool takes or gives, and what walks it by calling itself ends there. */
export const DEPTH_MAX = 512;

export interface Scan {
  readonly kind: 'message' | 'batch' | 'other';
  /** `twice`: a key at the top that another reader may take for another. */
  readonly fault: '' | 'twice' | 'deep';
  /** As they stand in the text; undefined: not there. */
  readonly id: string | undefined;
  readonly method: string | undefined;
  readonly hasResult: boolean;
  /** Keys of all objects. */
  readonly keys: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const NAMES: readonly string[] = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];


/** Of text that is JSON; of other text it gives anything. */
export function scan(text: string): Scan {
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  let twice = false;
  const tops: string[] = [];
  let id: string | undefined;
  let method: string | undefined;
  const { length } = text;
  const first = text.trimStart().charCodeAt(0);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      const end = stringEnd(text, i);
      const colon = afterSpace(text, end);
      if (text.charCodeAt(colon) === COLON) {
        keys += 1;
        if (depth === 1) {
          const name = textOf(text.slice(i, end));
          if (tops.includes(name) || (!NAMES.includes(name) && NAMES.includes(folded(name)))) twice = true;
          tops.push(name);
          if (name === 'id') id = tokenAt(text, afterSpace(text, colon + 1));
          else if (name === 'method') method = tokenAt(text, afterSpace(text, colon + 1));
        }
      }
      i = end - 1;
    } else if (unit === 123 || unit === 91) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (unit === 125 || unit === 93) depth -= 1;
  }
  return {
    kind: first === 123 ? 'message' : first === 91 ? 'batch' : 'other', fault: deepest > DEPTH_MAX ? 'deep' : twice ? 'twice' : '', id, method, hasResult: tops.includes('result'), keys,
  };
}

/** The text of a JSON string; where it is none that JSON.parse takes, as it stands. */
export function textOf(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1);
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}

/** A string or a word; of an object or an array its first character. */
function tokenAt(text: string, start: number): string {
  if (text.charCodeAt(start) === QUOTE) return text.slice(start, stringEnd(text, start));
  let end = start;
  while (end < text.length && !' \t\r\n,}]{['.includes(text.charAt(end))) end += 1;
  return text.slice(start, Math.max(end, start + 1));
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** Behind the closing quote. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let at = end - 1;
    while (text.charCodeAt(at) === BACKSLASH) at -= 1;
    if ((end - at) % 2 === 1) return end + 1;
  }
  return text.length;
}

/** Keys of all objects of a value. JSON.parse leaves out the first of two equal keys: where the text has more, one stands twice. */
export function countKeys(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  let keys = Array.isArray(value) ? 0 : items.length;
  for (const item of items) if (typeof item === 'object') keys += countKeys(item);
  return keys;
}

/** Has the object a key that another reader takes for one of these names? */
export function foldsTo(value: JsonObject, names: readonly string[]): boolean {
  return Object.keys(value).some((name) => !names.includes(name) && names.some((one) => folded(one) === folded(name)));
}
