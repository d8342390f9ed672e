// Contract: the editor for JSON with whatever the client's reader tolerates. It refuses what it cannot read, touches
// only the entries it was asked to touch, and proves the result before it answers. No string makes it throw. PURE.
import type { Editor, EditOp, EditResult, MergeFault, ReadResult, Splice, Tolerance } from '../model/edit.ts';
import { showPath, type JsonValue, type Path } from '../model/json.ts';
import { insertEntry, removeEntry, replaceValue } from './json-change.ts';
import { applyIntent, intentOf, isTooDeep, meetsIntent, parseSlice, sameJson, type Intent } from './json-intent.ts';
import { applySplices, originalOffset, splicePieces, toSplices, wholeText, type Pieces } from './json-pieces.ts';
import { checkDocument, scannedValue } from './json-scan.ts';
import { CONTAINER_ENTRIES_MAX, kindOf, locate, shiftEnds, survey, type Source, type Spot } from './json-walk.ts';
import { detectEol, faultAt } from './text.ts';

interface Step {
  readonly ok: true;
  readonly splices: readonly Splice[];
  readonly created: readonly Path[];
}
type StepResult = Step | { readonly ok: false; readonly fault: MergeFault };

/** Levels that one operation may add: far beyond any registration, and within what JSON.stringify takes. */
const NEW_LEVELS_MAX = 500;

const NOTHING: Step = { ok: true, splices: [], created: [] };

export function jsonEditor(tolerance: Tolerance): Editor {
  return {
    read: (text) => guarded(() => read(text, tolerance)),
    edit: (text, ops) => guarded(() => edit(text, ops, tolerance)),
  };
}

/** A fault of ours must reach the caller as a refusal, not as an exception half way through a plan. */
function guarded<T>(work: () => T): T | { readonly ok: false; readonly fault: MergeFault } {
  try {
    return work();
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'unknown';
    return internal(`the JSON editor failed (${kind}); nothing was changed`);
  }
}

function internal(message: string): { readonly ok: false; readonly fault: MergeFault } {
  return { ok: false, fault: { code: 'internal', message, offset: 0, line: 1, column: 1 } };
}

function read(text: string, tolerance: Tolerance): ReadResult {
  if (isBlankText(text)) return tolerance.emptyIsObject ? { ok: true, value: {} } : emptyFile(text);
  const scan = checkDocument(text, tolerance);
  return scan.ok ? { ok: true, value: scannedValue(text, scan) } : scan;
}

function isBlankText(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}

function emptyFile(text: string): { readonly ok: false; readonly fault: MergeFault } {
  return { ok: false, fault: faultAt(text, 'empty-file', 'the file is empty', 0) };
}

function edit(text: string, ops: readonly EditOp[], tolerance: Tolerance): EditResult {
  if (!isBlankText(text)) return editDocument(text, ops, tolerance);
  if (!tolerance.emptyIsObject) return emptyFile(text);
  const result = editDocument(`{}${detectEol(text)}`, ops, tolerance);
  if (!result.ok) return result;
  if (result.splices.length === 0) return { ok: true, text, created: [], splices: [] };
  return { ...result, splices: [{ start: 0, end: text.length, text: result.text }] };
}

function editDocument(before: string, ops: readonly EditOp[], tolerance: Tolerance): EditResult {
  const scan = checkDocument(before, tolerance);
  if (!scan.ok) return scan;
  const intent = intentOf({ text: before, ends: scan.ends }, scan.root);
  let source: Source = { text: before, ends: scan.ends };
  let pieces: Pieces = wholeText(before.length);
  let created: readonly Path[] = [];
  for (const op of ops) {
    const step = applyOp(source, scan.root, op);
    if (!step.ok) return atOriginal(before, pieces, step.fault);
    applyIntent(intent, op, step.splices.length > 0);
    const gone = (op.op === 'remove' || op.op === 'prune') && step.splices.length > 0;
    created = [...(gone ? without(created, op.path) : created), ...step.created];
    // From the back, so that the offsets of the earlier splices stay true.
    for (const splice of step.splices.toReversed()) pieces = splicePieces(pieces, splice);
    source = { text: applySplices(source.text, step.splices), ends: shiftEnds(source.ends, step.splices) };
  }
  const { text } = source;
  const splices = toSplices(before, pieces);
  if (splices.length === 0 && text === before) return { ok: true, text, created, splices };
  const fault = prove(before, text, splices, intent, tolerance);
  return fault === undefined ? { ok: true, text, created, splices } : atOriginal(before, pieces, fault);
}

/** A later operation sees a text that nobody else has: its fault is told at a place of the file. */
function atOriginal(before: string, pieces: Pieces, fault: MergeFault): { readonly ok: false; readonly fault: MergeFault } {
  return { ok: false, fault: faultAt(before, fault.code, fault.message, originalOffset(pieces, fault.offset)) };
}

/** Parses again and compares with the intent; undefined means that all is well. */
function prove(
  before: string, text: string, splices: readonly Splice[], intent: Intent, tolerance: Tolerance,
): MergeFault | undefined {
  const scan = checkDocument(text, tolerance);
  if (!scan.ok) {
    const bound = scan.fault.code === 'too-large' || scan.fault.code === 'too-deep';
    return bound ? scan.fault : internal('the edited document could not be read again; nothing was changed').fault;
  }
  if (!meetsIntent(intent, { text, ends: scan.ends }, scan.root)) {
    return internal('the edited document does not say what was asked for; nothing was changed').fault;
  }
  if (applySplices(before, splices) === text) return undefined;
  return internal('the splices do not make the edited document; nothing was changed').fault;
}

function applyOp(source: Source, root: number, op: EditOp): StepResult {
  const { text } = source;
  if (op.op === 'prune') return prune(source, root, op.path);
  const last = op.path[op.path.length - 1];
  if (op.op === 'set' && typeof last !== 'string') {
    return refuse(text, 'wrong-type', `${name(op.path)} cannot be set: only a key can`, root);
  }
  if (last === undefined && op.op !== 'append') {
    return refuse(text, 'wrong-type', 'the document itself cannot be replaced or removed', root);
  }
  if (op.op !== 'remove' && isTooDeep(op.value, NEW_LEVELS_MAX)) {
    return refuse(text, 'too-deep', `the new value is nested deeper than ${NEW_LEVELS_MAX} levels`, root);
  }
  const spot = locate(source, root, op.path);
  if (spot.kind !== 'found' && spot.kind !== 'missing') return misplaced(text, op.path, spot);
  if (spot.kind === 'missing') {
    if (op.op === 'set' || op.op === 'append') return create(text, op, spot);
    const lacking = spot.chain[spot.chain.length - 1];
    return refuse(text, 'wrong-type', `there is nothing at ${name(op.path)}`, lacking?.open ?? root);
  }
  const container = spot.chain[spot.chain.length - 1];
  if (op.op === 'append') {
    if (text.charCodeAt(spot.valueStart) !== 91) {
      return misplaced(text, op.path, { kind: 'wrong-type', depth: op.path.length, offset: spot.valueStart });
    }
    const list = survey(source, spot.valueStart);
    if (list.count >= CONTAINER_ENTRIES_MAX) {
      return misplaced(text, op.path, { kind: 'too-many', depth: op.path.length, offset: spot.valueStart });
    }
    const chain = [...spot.chain, list];
    return { ok: true, splices: insertEntry(text, chain, undefined, op.value), created: [] };
  }
  if (op.op === 'remove') {
    if (container === undefined) return NOTHING;
    return { ok: true, splices: removeEntry(text, container), created: [] };
  }
  if (sameJson(op.value, parseSlice(text.slice(spot.valueStart, spot.valueEnd)))) return NOTHING;
  return { ok: true, splices: replaceValue(text, spot.chain, spot.valueStart, spot.valueEnd, op.value), created: [] };
}

/** Adds the missing containers and the value as one new entry. */
function create(text: string, op: EditOp & { op: 'set' | 'append' }, spot: Spot & { kind: 'missing' }): StepResult {
  const missing = op.path.slice(spot.depth);
  const key = missing[0];
  const lacking = spot.chain[spot.chain.length - 1];
  if (typeof key !== 'string' || missing.some((step) => typeof step === 'number')) {
    return refuse(text, 'wrong-type', `there is nothing at ${name(op.path)}, and only keys can be added`, lacking?.open ?? 0);
  }
  if (missing.length > NEW_LEVELS_MAX) {
    return refuse(text, 'too-deep', `the path adds more than ${NEW_LEVELS_MAX} levels`, lacking?.open ?? 0);
  }
  let value: JsonValue = op.op === 'append' ? [op.value] : op.value;
  // A computed key defines `__proto__` as an own property.
  for (const step of missing.slice(1).toReversed()) value = { [step]: value };
  const created = missing.map((_, i) => op.path.slice(0, spot.depth + i + 1));
  if (op.op === 'set') created.pop();
  return { ok: true, splices: insertEntry(text, spot.chain, key, value), created };
}

function prune(source: Source, root: number, path: Path): StepResult {
  const { text } = source;
  if (path.length === 0) return NOTHING;
  const spot = locate(source, root, path);
  if (spot.kind === 'duplicate' || spot.kind === 'too-many') return misplaced(text, path, spot);
  const container = spot.kind === 'found' ? spot.chain[spot.chain.length - 1] : undefined;
  if (spot.kind !== 'found' || container === undefined) return NOTHING;
  // A container with a comment is not empty: the comment is somebody's text.
  if (!/^[{[][ \t\r\n]*[}\]]$/.test(text.slice(spot.valueStart, spot.valueEnd))) return NOTHING;
  return { ok: true, splices: removeEntry(text, container), created: [] };
}

function misplaced(text: string, path: Path, spot: Spot & { kind: 'duplicate' | 'wrong-type' | 'too-many' }): StepResult {
  if (spot.kind === 'duplicate') {
    const place = showPath(path.slice(0, spot.depth + 1));
    return refuse(text, 'duplicate-key', `${place} stands there twice, and readers differ in which one counts`, spot.offset);
  }
  if (spot.kind === 'too-many') {
    const message = `${name(path.slice(0, spot.depth))} has too many entries: ${CONTAINER_ENTRIES_MAX} is the limit`;
    return refuse(text, 'too-large', message, spot.offset);
  }
  const wanted = typeof path[spot.depth] === 'string' ? 'an object' : 'an array';
  const message = `${name(path.slice(0, spot.depth))} is ${kindOf(text, spot.offset)}, not ${wanted}`;
  return refuse(text, 'wrong-type', message, spot.offset);
}

function name(path: Path): string {
  return path.length === 0 ? 'the document' : showPath(path);
}

function refuse(text: string, code: MergeFault['code'], message: string, offset: number): StepResult {
  return { ok: false, fault: faultAt(text, code, message, offset) };
}

/** Created containers after a removal: those inside are gone, and later elements of the same array moved up. */
function without(created: readonly Path[], removed: Path): Path[] {
  const depth = removed.length - 1;
  const index = removed[depth];
  return created
    .filter((path) => !removed.every((step, i) => path[i] === step))
    .map((path) => {
      const step = path[depth];
      const sibling = removed.slice(0, -1).every((part, i) => path[i] === part);
      const moved = sibling && typeof step === 'number' && typeof index === 'number' && step > index;
      return moved ? [...path.slice(0, depth), step - 1, ...path.slice(depth + 1)] : path;
    });
}
