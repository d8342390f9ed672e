// Contract: the editor for TOML 1.0 files (TOML 1.1 input is tolerated). Every op becomes the fewest splices that give
// the intended value; comments, spacing, order, number spellings and line ends elsewhere stay. PURE, never throws.
// `remove` of what `set` or `append` inserted, then `prune` of `created` from the innermost on, gives the original bytes
// back; the one exception is documented at insertPair in toml-insert.ts (a key for a table that only headers imply).
import type { Editor, EditOp } from '../model/edit.ts';
import { sameValue, showPath, valueAt } from '../model/json.ts';
import type { JsonObject, JsonValue, Path } from '../model/json.ts';
import { editorFor, NOTHING, type Format, type Step } from './session.ts';
import { readDocument } from './toml-document.ts';
import type { TomlDocument } from './toml-document.ts';
import { tooDeep } from './toml-guard.ts';
import { insertItem } from './toml-inline.ts';
import { appendBlock, insertValue } from './toml-insert.ts';
import { intentOf } from './toml-intent.ts';
import { inlineText, isTable, isTableArray, unwritable } from './toml-literal.ts';
import { locate, walk, wrongType } from './toml-locate.ts';
import { removeValue } from './toml-remove.ts';
import { isEmptyContainer, NESTING_DEPTH_MAX } from './value-edit.ts';

function missing(doc: TomlDocument, path: Path): Step {
  return { fault: wrongType(doc, [], `there is nothing at ${showPath(path)}`) };
}

function planOp(doc: TomlDocument, op: EditOp): Step {
  if (op.op === 'prune') {
    return op.path.length > 0 && isEmptyContainer(valueAt(doc.value, op.path)) ? removeValue(doc, locate(doc, op.path), op.path) : NOTHING;
  }
  if (op.path.length === 0) return { fault: wrongType(doc, [], 'the document itself cannot be the target of an edit') };
  if (op.path.length > NESTING_DEPTH_MAX) return { fault: tooDeep(doc.text, 0) };
  const walked = walk(doc, op.path);
  if (!walked.ok) return walked;
  const exists = walked.depth === op.path.length;
  switch (op.op) {
    case 'remove':
      return exists ? removeValue(doc, locate(doc, op.path), op.path) : missing(doc, op.path);
    case 'replace':
      return exists ? planReplace(doc, op.path, op.value) : missing(doc, op.path);
    case 'append':
      return exists ? planAppend(doc, op.path, op.value) : { splices: insertValue(doc, op.path, walked.depth, [op.value]) };
    case 'set':
      if (typeof op.path.at(-1) === 'number') return { fault: wrongType(doc, op.path, 'an element of an array is replaced, not set') };
      return exists ? planReplace(doc, op.path, op.value) : { splices: insertValue(doc, op.path, walked.depth, op.value) };
  }
}

function planAppend(doc: TomlDocument, path: Path, value: JsonValue): Step {
  const site = locate(doc, path);
  if (site.kind === 'value' && site.node.type === 'TOMLArray') return { splices: insertItem(doc.text, site.node, inlineText(value)) };
  if (site.kind !== 'tables') return { fault: wrongType(doc, path, `${showPath(path)} is not an array`) };
  if (!isTable(value)) return { fault: wrongType(doc, path, `${showPath(path)} takes tables only`) };
  return { splices: appendBlock(doc, site, path, value) };
}

function planReplace(doc: TomlDocument, path: Path, value: JsonValue): Step {
  const current = valueAt(doc.value, path);
  if (sameValue(current, value)) return NOTHING;
  const site = locate(doc, path);
  const inline = site.kind === 'value' ? site.node : undefined;
  if (isTable(value) && isTable(current) && (inline === undefined || inline.type === 'TOMLInlineTable')) {
    return { ops: tableOps(path, current, value) };
  }
  if (inline !== undefined) return { splices: [{ start: inline.range[0], end: inline.range[1], text: inlineText(value) }] };
  if (site.kind === 'tables' && Array.isArray(current) && isTableArray(value)) return { ops: arrayOps(path, current.length, value) };
  if (typeof path.at(-1) === 'number') return { fault: wrongType(doc, path, `${showPath(path)} can only be replaced by a table`) };
  return { ops: [{ op: 'remove', path }, { op: 'set', path, value }] };
}

/** Key by key, so that equal keys keep their spelling and their comments. */
function tableOps(path: Path, current: JsonObject, value: JsonObject): EditOp[] {
  const ops: EditOp[] = [];
  for (const key of Object.keys(value)) {
    const item = value[key] as JsonValue;
    if (!sameValue(valueAt(current, [key]), item)) ops.push({ op: 'set', path: [...path, key], value: item });
  }
  for (const key of Object.keys(current)) {
    if (valueAt(value, [key]) === undefined) ops.push({ op: 'remove', path: [...path, key] });
  }
  // A table without a header vanishes with its last key; this brings it back, and does nothing to any other.
  if (Object.keys(value).length === 0 && typeof path.at(-1) === 'string') ops.push({ op: 'set', path, value });
  return ops;
}

function arrayOps(path: Path, length: number, value: readonly JsonObject[]): EditOp[] {
  const ops = value.map((item, index): EditOp => (
    index < length ? { op: 'replace', path: [...path, index], value: item } : { op: 'append', path, value: item }
  ));
  for (let index = length - 1; index >= value.length; index -= 1) ops.push({ op: 'remove', path: [...path, index] });
  return ops;
}

const toml: Format<TomlDocument> = { name: 'TOML', read: readDocument, plan: planOp, intent: intentOf, unwritable };

export const tomlEditor: Editor = editorFor(toml);
