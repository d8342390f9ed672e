// Contract: what an edit op means for the value of a document, independent of how the text expresses it. PURE.
import type { EditOp } from '../model/edit.ts';
import type { JsonValue, Path } from '../model/json.ts';
import { valueAt } from '../model/json.ts';
import type { TomlDocument } from './toml-document.ts';
import { locate } from './toml-locate.ts';
import { drop, intended, isEmptyContainer } from './value-edit.ts';

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
  if (op.op === 'remove') return dropWithHusks(doc, op.path);
  if (op.op === 'prune' && op.path.length > 0 && isEmptyContainer(valueAt(value, op.path))) return dropWithHusks(doc, op.path);
  return intended(value, op);
}
