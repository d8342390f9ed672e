// Contract: the editor for YAML files. Every op becomes the fewest splices that give the intended value; comments, spacing,
// order, quoting and line ends elsewhere stay. What several places of a document share, and lists and maps in brackets over
// several lines, are refused on the way to an edit and kept everywhere else. PURE, never throws.
// `remove` of what `set` or `append` inserted, then `prune` of `created` from the innermost on, gives the original bytes back;
// the one exception is named in yaml-edit.ts.
import type { Editor, EditOp, Tolerance } from '../model/edit.ts';
import { isObject, sameValue, valueAt } from '../model/json.ts';
import type { JsonObject, JsonValue, Path } from '../model/json.ts';
import { editorFor, NOTHING, type Format, type Step } from './session.ts';
import { tooDeep } from './toml-guard.ts';
import { intended, isEmptyContainer, NESTING_DEPTH_MAX, put } from './value-edit.ts';
import { readYaml, type YamlDocument } from './yaml-document.ts';
import { insertInto, removeItem, replaceNode, type Place } from './yaml-edit.ts';
import { unwritable, unwritableKey } from './yaml-literal.ts';
import { barrier, fault, nodeAt, walk, type Walked } from './yaml-walk.ts';

function planOp(doc: YamlDocument, op: EditOp): Step {
  const { path } = op;
  if (op.op === 'prune') return path.length > 0 && isEmptyContainer(valueAt(doc.value, path)) ? planRemove(doc, path) : NOTHING;
  if (path.length === 0) return { fault: fault(doc, [], 0, 'the document itself cannot be the target of an edit') };
  if (path.length > NESTING_DEPTH_MAX) return { fault: tooDeep(doc.text, 0) };
  const result = walk(doc, path);
  if (!result.ok) return result;
  const { walked } = result;
  const exists = walked.items.length === path.length;
  switch (op.op) {
    case 'remove':
      return exists ? planRemove(doc, path) : missing(doc, path);
    case 'replace':
      return exists ? planReplace(doc, walked, path, op.value) : missing(doc, path);
    case 'append':
      return planAppend(doc, walked, path, op.value);
    case 'set':
      if (typeof path.at(-1) === 'number') return { fault: fault(doc, path, 0, 'an element of a list is replaced, not set') };
      return exists ? planReplace(doc, walked, path, op.value) : planInsert(doc, walked, path, op.value);
  }
}

function missing(doc: YamlDocument, path: Path): Step {
  return { fault: fault(doc, path, 0, 'there is nothing') };
}

/** The container at the end of the way, or further in front. */
function placeAt(walked: Walked, path: Path, depth = walked.items.length): Place {
  return { node: nodeAt(walked, depth), holder: walked.items[depth - 1], path: path.slice(0, depth) };
}

function planInsert(doc: YamlDocument, walked: Walked, path: Path, value: JsonValue): Step {
  const steps = path.slice(walked.items.length);
  const why = steps.map((step) => (typeof step === 'string' ? unwritableKey(step) : 'there is no such element')).find((reason) => reason !== undefined);
  if (why !== undefined) return { fault: fault(doc, path, 0, why) };
  const inner = steps.slice(1).reduceRight<JsonValue>((made, step) => put({}, [step], made), value);
  return insertInto(doc, placeAt(walked, path), String(steps[0]), inner);
}

function planAppend(doc: YamlDocument, walked: Walked, path: Path, value: JsonValue): Step {
  if (walked.items.length < path.length) return planInsert(doc, walked, path, [value]);
  const place = placeAt(walked, path);
  const why = barrier(doc, place.node);
  if (why !== undefined) return { fault: fault(doc, path, place.node.start, why) };
  if (place.node.kind !== 'seq' && place.node.kind !== 'flow-seq' && place.node.kind !== 'empty') return { fault: fault(doc, path, place.node.start, 'it is no list') };
  return insertInto(doc, place, undefined, value);
}

function planReplace(doc: YamlDocument, walked: Walked, path: Path, value: JsonValue): Step {
  const current = valueAt(doc.value, path);
  if (sameValue(current, value)) return NOTHING;
  const item = walked.items.at(-1);
  if (item === undefined) return missing(doc, path);
  const { node } = item;
  // What is replaced whole may not hold the anchor of another place, or be one.
  if (isObject(value) && isObject(current) && !isEmptyContainer(current)) return { ops: mapOps(path, current, value) };
  if (Array.isArray(value) && Array.isArray(current) && current.length > 0) return { ops: listOps(path, current.length, value) };
  if (node.linked) return { fault: fault(doc, path, node.start, 'it has an anchor, an alias or a tag') };
  return replaceNode(doc, item, path, value);
}

/** Key by key, so that equal keys keep their spelling and their comments. */
function mapOps(path: Path, current: JsonObject, value: JsonObject): EditOp[] {
  const changed = Object.keys(value).filter((key) => !sameValue(valueAt(current, [key]), value[key]));
  const gone = Object.keys(current).filter((key) => !Object.hasOwn(value, key));
  return [
    ...changed.map((key): EditOp => ({ op: 'set', path: [...path, key], value: value[key] ?? null })),
    ...gone.map((key): EditOp => ({ op: 'remove', path: [...path, key] })),
  ];
}

function listOps(path: Path, length: number, value: readonly JsonValue[]): EditOp[] {
  const ops = value.map((element, index): EditOp => (
    index < length ? { op: 'replace', path: [...path, index], value: element } : { op: 'append', path, value: element }
  ));
  for (let index = length - 1; index >= value.length; index -= 1) ops.push({ op: 'remove', path: [...path, index] });
  return ops;
}

function planRemove(doc: YamlDocument, path: Path): Step {
  const result = walk(doc, path);
  if (!result.ok) return result;
  const { walked } = result;
  const item = walked.items.at(-1);
  const place = placeAt(walked, path, path.length - 1);
  if (item === undefined || walked.items.length < path.length) return missing(doc, path);
  if (item.node.linked) return { fault: fault(doc, path, item.start, 'it has an anchor, an alias or a tag') };
  return removeItem(doc, place, place.node.items.indexOf(item));
}

export function yamlEditor({ emptyIsObject }: Tolerance): Editor {
  const format: Format<YamlDocument> = { name: 'YAML', read: (text) => readYaml(text, emptyIsObject), plan: planOp, intent: ({ value }, op) => intended(value, op), unwritable };
  return editorFor(format);
}
