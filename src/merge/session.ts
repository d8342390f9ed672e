// Contract: what the editors of texts that people write by hand (TOML, YAML) share: ops one after the other, each as the
// fewest splices, the text read again after each and compared with the intent, all or nothing. PURE, never throws.
import type { Editor, EditOp, EditResult, MergeFault, ReadResult, Splice } from '../model/edit.ts';
import { isObject, sameValue, showPath, valueAt } from '../model/json.ts';
import type { JsonValue, Path } from '../model/json.ts';
import { applySplices, originalOffset, splicePieces, splicesOf, wholeText, type Pieces } from './splices.ts';
import { faultAt } from './text.ts';
import { createdBy } from './value-edit.ts';

/**
 * One op is done by splices, or by simpler ops that are done one after the other, or refused. `risk`: what is said where the text
 * does not get the intended value, which this edit cannot know before.
 */
export type Step = { readonly splices: readonly Splice[]; readonly risk?: MergeFault } | { readonly ops: readonly EditOp[] } | { readonly fault: MergeFault };

export const NOTHING: Step = { splices: [] };

interface Doc { readonly text: string; readonly value: JsonValue }

/** A format, as far as an edit needs to know it. */
export interface Format<D extends Doc> {
  readonly name: string;
  readonly read: (text: string) => { readonly ok: true; readonly doc: D } | { readonly ok: false; readonly fault: MergeFault };
  readonly plan: (doc: D, op: EditOp) => Step;
  /** The value that the document must have after an op that was accepted. */
  readonly intent: (doc: D, op: EditOp) => JsonValue;
  /** Why a value cannot be written, or undefined. Never names the value: it may be a secret. */
  readonly unwritable: (value: unknown) => string | undefined;
}

interface Session<D> { doc: D; pieces: Pieces; risk: MergeFault | undefined }

function perform<D extends Doc>(format: Format<D>, session: Session<D>, op: EditOp): MergeFault | undefined {
  const queue: EditOp[] = [op];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const step = format.plan(session.doc, next);
    if ('fault' in step) return step.fault;
    if ('ops' in step) {
      queue.unshift(...step.ops);
      continue;
    }
    if (step.splices.length === 0) continue;
    session.risk ??= step.risk;
    const result = format.read(applySplices(session.doc.text, step.splices));
    if (!result.ok) return bounded(result.fault) ? result.fault : session.risk ?? internal(`the edited text would not be valid ${format.name}`);
    session.doc = result.doc;
    session.pieces = splicePieces(session.pieces, step.splices);
  }
  return undefined;
}

function bounded(fault: MergeFault): boolean {
  return fault.code === 'too-large' || fault.code === 'too-deep';
}

function internal(message: string): MergeFault {
  return { code: 'internal', message, offset: 0, line: 1, column: 1 };
}

function editDocument<D extends Doc>(format: Format<D>, text: string, ops: readonly EditOp[]): EditResult {
  const start = format.read(text);
  if (!start.ok) return start;
  const session: Session<D> = { doc: start.doc, pieces: wholeText(text.length), risk: undefined };
  const created = new Map<string, Path>();
  for (const op of ops) {
    const reason = 'value' in op ? format.unwritable(op.value) : undefined;
    if (reason !== undefined) return { ok: false, fault: faultAt(text, 'wrong-type', `${showPath(op.path)}: ${reason}`, 0) };
    const before = session.doc;
    session.risk = undefined;
    const fault = perform(format, session, op) ?? (sameValue(session.doc.value, format.intent(before, op)) ? undefined : session.risk ?? internal('the edited text would not have the intended value'));
    // Positions are for the user's file, not for a text between two ops that nobody ever sees.
    if (fault !== undefined) return { ok: false, fault: faultAt(text, fault.code, fault.message, originalOffset(session.pieces, fault.offset)) };
    for (const path of createdBy(before.value, op)) created.set(JSON.stringify(path), path);
  }
  const splices = splicesOf(session.pieces, text);
  if (applySplices(text, splices) !== session.doc.text) return { ok: false, fault: internal('the splices do not give the edited text') };
  const isNew = (path: Path): boolean => {
    const now = valueAt(session.doc.value, path);
    return valueAt(start.doc.value, path) === undefined && (Array.isArray(now) || isObject(now));
  };
  return { ok: true, text: session.doc.text, splices, created: [...created.values()].filter(isNew).sort((a, b) => a.length - b.length) };
}

export function editorFor<D extends Doc>(format: Format<D>): Editor {
  return {
    read: (text): ReadResult => {
      const result = format.read(text);
      return result.ok ? { ok: true, value: result.doc.value } : result;
    },
    edit: (text, ops): EditResult => {
      try {
        return editDocument(format, text, ops);
      } catch {
        // Nothing below is meant to throw; if it does, the file must stay as it is.
        return { ok: false, fault: internal(`the ${format.name} editor failed`) };
      }
    },
  };
}
