// Contract: edits of values, independent of how a text expresses them: what a document must hold afterwards. PURE.
import type { EditOp } from '../model/edit.ts';
import type { JsonObject, JsonValue, Path } from '../model/json.ts';
import { isObject, valueAt } from '../model/json.ts';

/** Deepest nesting that is read or written; real configurations stay below 10. */
export const NESTING_DEPTH_MAX = 100;

/** Sets an own property even where the key is `__proto__`. */
export function putKey(target: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

export function isEmptyContainer(value: JsonValue | undefined): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** A copy of `root` with `value` at `path`; missing parents become objects. The walk has already judged the types. */
export function put(root: JsonValue | undefined, path: Path, value: JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items = Array.isArray(root) ? [...root] : [];
    items[step] = put(items[step], rest, value);
    return items;
  }
  const copy: JsonObject = isObject(root) ? { ...root } : {};
  putKey(copy, step, put(valueAt(copy, [step]), rest, value));
  return copy;
}

export function drop(root: JsonValue, path: Path): JsonValue {
  const parent = valueAt(root, path.slice(0, -1));
  const last = path.at(-1);
  if (Array.isArray(parent)) return put(root, path.slice(0, -1), parent.filter((_, index) => index !== last));
  const copy: JsonObject = { ...(parent as JsonObject) };
  delete copy[last as string];
  return put(root, path.slice(0, -1), copy);
}

/** The value that a document must have after `op`, which has been accepted. */
export function intended(value: JsonValue, op: EditOp): JsonValue {
  switch (op.op) {
    case 'set':
    case 'replace':
      return put(value, op.path, op.value);
    case 'append': {
      const items = valueAt(value, op.path);
      return put(value, op.path, [...(Array.isArray(items) ? items : []), op.value]);
    }
    case 'remove':
      return drop(value, op.path);
    case 'prune':
      return op.path.length > 0 && isEmptyContainer(valueAt(value, op.path)) ? drop(value, op.path) : value;
  }
}

/** The containers that `op` creates on its way (parents of a new value; the array of an appended element), outermost first. */
export function createdBy(root: JsonValue, op: EditOp): Path[] {
  if (op.op !== 'set' && op.op !== 'append') return [];
  const deepest = op.op === 'set' ? op.path.length - 1 : op.path.length;
  const created: Path[] = [];
  for (let depth = 1; depth <= deepest; depth += 1) {
    const path = op.path.slice(0, depth);
    if (valueAt(root, path) === undefined) created.push(path);
  }
  return created;
}
