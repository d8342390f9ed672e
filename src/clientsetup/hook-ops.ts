// Contract: which edits bring the hook entries of one document from what is there to what is desired. Foreign entries are
// never touched: a handler of ours inside a foreign group is taken out of it alone. PURE.
import type { ClientDefinition, FileSpec, HookEvent } from '../model/client.ts';
import type { EditOp } from '../model/edit.ts';
import { sameValue, showPath, type JsonObject, type Path } from '../model/json.ts';
import type { EntryChange } from '../model/plan.ts';
import { arrayPathIn, commandFor, hookEntry, ownedHooks, type OwnedHook } from '../clients/registration.ts';
import { isObject, valueAt } from '../model/json.ts';

export interface HookOps {
  readonly ops: readonly EditOp[];
  readonly entries: readonly EntryChange[];
  /** Foreign entries behind one that is removed or moved, in a client whose trust keys are positions. */
  readonly shifted: number;
}

interface Step { readonly op: EditOp; readonly position: OwnedHook | undefined }

/**
 * Exactly what we write, no key more: `"async": true` or an `if` in our handler would switch it off in silence, and no client
 * was seen to add keys to a hook handler by itself.
 */
function isAsDesired(own: OwnedHook, entry: JsonObject): boolean {
  if (own.handlerIndex === undefined) return sameValue(own.handler, entry);
  const wanted = Array.isArray(entry['hooks']) ? entry['hooks'][0] : undefined;
  if (!isObject(wanted) || !isObject(own.item)) return false;
  const { hooks: _handlers, ...group } = own.item;
  const { hooks: _wanted, ...wantedGroup } = entry;
  return sameValue(group, wantedGroup) && sameValue(own.handler, wanted);
}

const pathOf = (own: OwnedHook): Path => (own.whole || own.handlerIndex === undefined
  ? [...own.array, own.index]
  : [...own.array, own.index, 'hooks', own.handlerIndex]);

function changeSteps(own: OwnedHook, entry: JsonObject, arrayPath: Path): Step[] {
  if (own.whole) return [{ op: { op: 'replace', path: pathOf(own), value: entry }, position: undefined }];
  // The group is shared with somebody else's handler, so ours leaves it and gets a group of its own.
  return [{ op: { op: 'remove', path: pathOf(own) }, position: own }, { op: { op: 'append', path: arrayPath, value: entry }, position: undefined }];
}

function eventSteps(client: ClientDefinition, spec: FileSpec, event: HookEvent, found: readonly OwnedHook[]): { steps: Step[]; entry: EntryChange } {
  const surface = client.hooks;
  const entry = hookEntry(surface, client.id, event);
  const arrayPath = arrayPathIn(surface, spec, event.native);
  const kept = found.find((own) => isAsDesired(own, entry)) ?? found[0];
  const steps: Step[] = found.filter((own) => own !== kept).map((own) => ({ op: { op: 'remove', path: pathOf(own) }, position: own }));
  const change = (action: EntryChange['action'], at: Path): EntryChange => ({
    client: client.id, kind: 'hook', name: event.canonical, action, at: showPath(at),
    detail: `${event.native} -> ${commandFor(client.id, event.canonical)}${event.matcher === undefined ? '' : `  for ${event.matcher}`}`,
  });
  if (kept === undefined) return { steps: [{ op: { op: 'append', path: arrayPath, value: entry }, position: undefined }], entry: change('add', arrayPath) };
  if (isAsDesired(kept, entry)) return { steps, entry: change(steps.length === 0 ? 'none' : 'change', pathOf(kept)) };
  return { steps: [...steps, ...changeSteps(kept, entry, arrayPath)], entry: change('change', pathOf(kept)) };
}

/** Removals go from the last position to the first, so that no index moves before it is used. */
function ordered(steps: readonly Step[]): EditOp[] {
  const rank = (step: Step): number => (step.op.op === 'replace' ? 0 : step.op.op === 'remove' ? 1 : 2);
  const order = (a: Step, b: Step): number => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    if (a.position === undefined || b.position === undefined) return 0;
    return b.position.index - a.position.index || (b.position.handlerIndex ?? 0) - (a.position.handlerIndex ?? 0);
  };
  return [...steps].sort(order).map((step) => step.op);
}

function countShifted(document: JsonObject, steps: readonly Step[]): number {
  let shifted = 0;
  const arrays = new Map<string, { path: Path; first: number; taken: number }>();
  for (const { op, position } of steps) {
    if (op.op !== 'remove' || position === undefined || !position.whole) continue;
    const key = showPath(position.array);
    const seen = arrays.get(key);
    arrays.set(key, { path: position.array, first: Math.min(seen?.first ?? position.index, position.index), taken: (seen?.taken ?? 0) + 1 });
  }
  for (const { path, first, taken } of arrays.values()) {
    const items = valueAt(document, path);
    if (Array.isArray(items)) shifted += items.length - first - taken;
  }
  return shifted;
}

/** A new document gets the keys without which the client would not read it; in a person's file they are the person's. */
function preambleOps(client: ClientDefinition, document: JsonObject, events: readonly HookEvent[]): EditOp[] {
  if (events.length === 0 || Object.keys(document).length > 0) return [];
  return Object.entries(client.hooks.preamble ?? {}).map(([key, value]) => ({ op: 'set', path: [key], value }));
}

export function hookOps(client: ClientDefinition, spec: FileSpec, document: JsonObject, events: readonly HookEvent[]): HookOps {
  const owned = ownedHooks(client.hooks, document, [client.id, ...client.aliases]);
  const steps: Step[] = [];
  const entries: EntryChange[] = [];
  const claimed = new Set<OwnedHook>();
  for (const event of events) {
    const found = owned.filter((own) => own.event === event.canonical && own.native === event.native);
    found.forEach((own) => claimed.add(own));
    const result = eventSteps(client, spec, event, found);
    steps.push(...result.steps);
    entries.push(result.entry);
  }
  for (const own of owned) {
    if (claimed.has(own)) continue;
    steps.push({ op: { op: 'remove', path: pathOf(own) }, position: own });
    entries.push({ client: client.id, kind: 'hook', name: own.event, action: 'remove', at: showPath(pathOf(own)), detail: `${own.native} -> ${own.command}` });
  }
  return { ops: [...preambleOps(client, document, events), ...ordered(steps)], entries, shifted: client.hooks.positional ? Math.max(0, countShifted(document, steps)) : 0 };
}
