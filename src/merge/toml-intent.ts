// Contract: what an edit op means for the value of a document, independent of how the text expresses it. PURE.
import type { EditOp } from '../model/edit.ts';
import type { JsonObject, JsonValue, Path } from '../model/json.ts';
import { isObject, valueAt } from '../model/json.ts';
import { putKey } from './toml-document.ts';
import type { TomlDocument } from './toml-document.ts';
import { locate } from './toml-locate.ts';

export function isEmptyContainer(value: JsonValue | undefined): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** A copy of `root` with `value` at `path`; missing parents become objects. The walk has already judged the types. */
function put(root: JsonValue | undefined, path: Path, value: JsonValue): JsonValue {
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

function drop(root: JsonValue, path: Path): JsonValue {
  const parent = valueAt(root, path.slice(0, -1));
  const last = path.at(-1);
  if (Array.isArray(parent)) return put(root, path.slice(0, -1), parent.filter((_, index) => index !== last));
  const copy: JsonObject = { ...(parent as JsonObject) };
  delete copy[last as string];
  return put(root, path.slice(0, -1), copy);
}

/** The last entry of a table without a header of its own takes the table along: nothing in the text names it any more. */
function dropWithHusks(doc: TomlDocument, path: Path): JsonValue {
  let value = drop(doc.value, path);
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const parent = path.slice(0, depth);
    const named = ['header', 'value'].includes(locate(doc, parent).kind);
    if (named || !isEmptyContainer(valueAt(value, parent))) break;
    value = drop(value, parent);
  }
  return value;
}

/** The value that the document must have after `op`; `doc` is the document before it, and the op has been accepted. */
export function intentOf(doc: TomlDocument, op: EditOp): JsonValue {
  const { value } = doc;
  switch (op.op) {
    case 'set':
    case 'replace':
      return put(value, op.path, op.value);
    case 'append': {
      const items = valueAt(value, op.path);
      return put(value, op.path, [...(Array.isArray(items) ? items : []), op.value]);
    }
    case 'remove':
      return dropWithHusks(doc, op.path);
    case 'prune':
      return op.path.length > 0 && isEmptyContainer(valueAt(value, op.path)) ? dropWithHusks(doc, op.path) : value;
  }
}

/** The containers that `op` creates on its way (parents of a new value; the array of an appended element), outermost first. */
export function createdBy(doc: TomlDocument, op: EditOp): Path[] {
  if (op.op !== 'set' && op.op !== 'append') return [];
  const deepest = op.op === 'set' ? op.path.length - 1 : op.path.length;
  const created: Path[] = [];
  for (let depth = 1; depth <= deepest; depth += 1) {
    const path = op.path.slice(0, depth);
    if (valueAt(doc.value, path) === undefined) created.push(path);
  }
  return created;
}
