// Contract: JSON values to TOML text (keys, inline values, table blocks), and the tag that carries TOML's own literals
// (dates, big integers, inf, nan) through the JSON value model. PURE. New text is always valid TOML 1.0, one line per key.
import { NESTING_DEPTH_MAX } from './value-edit.ts';
import { isObject } from '../model/json.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';

/** A literal that JSON cannot hold is read as `{ "$toml": "<its text in the file>" }`; writing that object restores the literal. */
export const LITERAL_TAG = '$toml';

const LITERAL = /^(?:[+-]?(?:inf|nan)|[+-]?\d{16,20}|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/;
const BARE_KEY = /^[A-Za-z0-9_-]+$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

export function literal(text: string): JsonObject {
  return { [LITERAL_TAG]: text };
}

function literalText(value: JsonObject): string | undefined {
  const text = value[LITERAL_TAG];
  return typeof text === 'string' && Object.keys(value).length === 1 && LITERAL.test(text) ? text : undefined;
}

/** A value that stands as a table, not as a tagged literal. */
export function isTable(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && literalText(value) === undefined;
}

/** A value that TOML people write as `[[name]]` blocks. */
export function isTableArray(value: JsonValue | undefined): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}

/** Why a value cannot be written as TOML, or undefined. Never names the value itself: it may be a secret. */
export function unwritable(value: unknown, depth = 0): string | undefined {
  if (depth > NESTING_DEPTH_MAX) return 'the new value is nested too deeply';
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? 'the new value holds half of a surrogate pair' : undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return undefined;
  if (Array.isArray(value)) {
    for (const item of value) {
      const reason = unwritable(item, depth + 1);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
  if (!isObject(value)) return 'TOML has no null';
  for (const key of Object.keys(value)) {
    const reason = unwritable(key) ?? unwritable(value[key], depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function basicString(text: string): string {
  const escaped = text.replace(/["\\\u0000-\u001f\u007f]/g, (char) => {
    const short = { '"': '\\"', '\\': '\\\\', '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r' }[char];
    return short ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;
  });
  return `"${escaped}"`;
}

/** A dotted key or the inside of a header. */
export function keyText(steps: readonly string[]): string {
  return steps.map((step) => (BARE_KEY.test(step) ? step : basicString(step))).join('.');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  // An integer that JavaScript cannot hold exactly must not pretend to be one: TOML integers are exact.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !/[.e]/.test(text) ? `${text}.0` : text;
}

/** The value on one line, as it stands after `=` or in an array. */
export function inlineText(value: JsonValue): string {
  if (typeof value === 'string') return basicString(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(inlineText).join(', ')}]`;
  if (value === null) throw new TypeError('TOML has no null');
  const tagged = literalText(value);
  if (tagged !== undefined) return tagged;
  const entries = Object.keys(value).map((key) => pairText([key], value[key] as JsonValue));
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** `key = value`; `steps` is a dotted key. */
export function pairText(steps: readonly string[], value: JsonValue): string {
  return `${keyText(steps)} = ${inlineText(value)}`;
}

function tableBlocks(steps: readonly string[], value: JsonObject, open: '[' | '[['): string[][] {
  const own: string[] = [];
  const below: string[][] = [];
  for (const key of Object.keys(value)) {
    const item = value[key] as JsonValue;
    if (isTable(item) || isTableArray(item)) below.push(...valueBlocks([...steps, key], item));
    else own.push(pairText([key], item));
  }
  // A table with nothing but sub-tables is defined by their headers; an empty one needs its own.
  if (open === '[' && own.length === 0 && below.length > 0) return below;
  return [[open + keyText(steps) + (open === '[' ? ']' : ']]'), ...own], ...below];
}

function valueBlocks(steps: readonly string[], value: JsonObject | JsonObject[]): string[][] {
  if (Array.isArray(value)) return value.flatMap((item) => tableBlocks(steps, item, '[['));
  return tableBlocks(steps, value, '[');
}

/** The lines of `[steps]` (or of one `[[steps]]` per item) with all sub-tables, a blank line between the blocks. */
export function blockLines(steps: readonly string[], value: JsonObject | JsonObject[]): string[] {
  return valueBlocks(steps, value).flatMap((block, i) => (i === 0 ? block : ['', ...block]));
}
