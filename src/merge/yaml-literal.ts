// Contract: JSON values to YAML text: words, flow text on one line, and blocks of lines. New text means the same to readers of
// YAML 1.1 and 1.2: whatever one of them could take for something else than a string is quoted. PURE.
import { isObject } from '../model/json.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { NESTING_DEPTH_MAX } from './value-edit.ts';

/** An implicit key may have 1024 characters; its escapes take up to six each. */
const KEY_CHARS_MAX = 160;

const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./@+-]*$/;
const RESERVED = /^(?:true|false|yes|no|on|off|y|n|null)$/i;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** What JSON leaves as it is and a YAML reader may not: other line ends, the mark of byte order, controls. */
const RISKY = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Why a value cannot be written, or undefined. Never names the value itself: it may be a secret. */
export function unwritable(value: unknown, depth = 0): string | undefined {
  if (depth > NESTING_DEPTH_MAX) return 'the new value is nested too deeply';
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? 'the new value holds half of a surrogate pair' : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'the new value holds a number that is not finite';
  if (typeof value === 'boolean' || value === null) return undefined;
  if (Array.isArray(value)) return value.map((element) => unwritable(element, depth + 1)).find((reason) => reason !== undefined);
  if (!isObject(value)) return 'the new value is no JSON value';
  return Object.keys(value).map((key) => unwritableKey(key) ?? unwritable(value[key], depth + 1)).find((reason) => reason !== undefined);
}

export function unwritableKey(key: string): string | undefined {
  if (key.length > KEY_CHARS_MAX) return 'a key is too long';
  return LONE_SURROGATE.test(key) ? 'a key holds half of a surrogate pair' : undefined;
}

export function wordText(text: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text)) return text;
  return JSON.stringify(text).replace(RISKY, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A value on one line, for any place where a value may stand. */
export function flowText(value: JsonValue): string {
  if (typeof value === 'string') return wordText(value);
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (isObject(value)) return `{${Object.keys(value).map((key) => `${wordText(key)}: ${flowText(value[key] ?? null)}`).join(', ')}}`;
  return JSON.stringify(value);
}

function isBlock(value: JsonValue): value is JsonObject | JsonValue[] {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}

/** The lines of a container that is not empty. */
function bodyLines(value: JsonObject | JsonValue[], indent: string, step: string): string[] {
  if (Array.isArray(value)) return value.flatMap((element) => elementLines(element, indent, step));
  return Object.keys(value).flatMap((key) => pairLines(key, value[key] ?? null, indent, step));
}

export function pairLines(key: string, value: JsonValue, indent: string, step: string): string[] {
  const head = `${indent}${wordText(key)}:`;
  return isBlock(value) ? [head, ...bodyLines(value, indent + step, step)] : [`${head} ${flowText(value)}`];
}

export function elementLines(value: JsonValue, indent: string, step: string): string[] {
  if (!isBlock(value)) return [`${indent}- ${flowText(value)}`];
  const [first = '', ...rest] = bodyLines(value, `${indent}  `, step);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}
