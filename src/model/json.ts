// Contract: the JSON vocabulary of every room. PURE.

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject { [key: string]: JsonValue }

/** A position in a document: object keys are strings, array positions are numbers. */
export type Path = readonly (string | number)[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path, or undefined where any step is missing or of another type. Own keys only. */
export function valueAt(root: JsonValue | undefined, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of path) {
    if (typeof step === 'number') {
      if (!Array.isArray(value)) return undefined;
      value = value[step];
    } else {
      if (!isObject(value) || !Object.prototype.hasOwnProperty.call(value, step)) return undefined;
      value = value[step];
    }
  }
  return value;
}

/** Deep equality; the order of keys does not count. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.prototype.hasOwnProperty.call(b, key) && sameValue(a[key], b[key]));
}

/** `hooks.PreToolUse[0].command`, for people. */
export function showPath(path: Path): string {
  let out = '';
  for (const step of path) {
    if (typeof step === 'number') out += `[${step}]`;
    else if (/^[\w-]+$/.test(step)) out += out === '' ? step : `.${step}`;
    else out += `[${JSON.stringify(step)}]`;
  }
  return out;
}
