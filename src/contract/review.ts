// Contract: what becomes of a catalogue: a new look at the server's tools, and approvals. PURE.
import { matchesGlob } from './glob.ts';
import type { Catalogue, Operation } from './catalogue-schema.ts';
import { draftOperation, type Draft } from './classify.ts';
import { gateFacts } from './gate.ts';
import { pinChanges, stops, toolPin, type Change, type ToolDefinition } from './pins.ts';
import { LISTED_TWICE, isStronger, strengthened, strictest } from './redraft.ts';

export interface Merged {
  readonly catalogue: Catalogue;
  readonly added: readonly Draft[];
  /** Operations whose new definition says more than the catalogue did. */
  readonly redrafted: readonly Draft[];
  readonly changes: readonly Change[];
}

export type DraftOf = (service: string, tool: ToolDefinition, sha256: (text: string) => string) => Draft;

/** By name, in the order of the list. A server may list a name more than once. */
export function byName(tools: readonly ToolDefinition[]): ReadonlyMap<string, readonly [ToolDefinition, ...ToolDefinition[]]> {
  const groups = new Map<string, [ToolDefinition, ...ToolDefinition[]]>();
  for (const tool of tools) {
    const group = groups.get(tool.name);
    if (group === undefined) groups.set(tool.name, [tool]);
    else group.push(tool);
  }
  return groups;
}

/**
 * The catalogue with the tools as they are now. Approved operations whose definition stayed keep everything; a changed one keeps its
 * posture where the new definition does not say more, takes the new pin and has to be approved again; a missing one stays, and stays
 * unusable while it is missing.
 */
export function mergeTools(catalogue: Catalogue, tools: readonly ToolDefinition[], sha256: (text: string) => string, draftOf: DraftOf = draftOperation): Merged {
  const changes: Change[] = [];
  const added: Draft[] = [];
  const redrafted: Draft[] = [];
  const operations = new Map(catalogue.operations.map((operation) => [operation.mcpTool, operation]));
  const ids = new Set(catalogue.operations.map(({ id }) => id));
  const seen = byName(tools);
  for (const [name, [tool, ...others]] of seen) {
    const draftNow = (): Draft => strictest([draftOf(catalogue.service.id, tool, sha256), ...others.map((other) => draftOf(catalogue.service.id, other, sha256))]);
    const known = operations.get(name);
    if (known === undefined) {
      const draft = draftNow();
      const operation = { ...draft.operation, id: freeId(ids, draft.operation.id) };
      ids.add(operation.id);
      added.push({ ...draft, operation });
      operations.set(name, operation);
      changes.push({ tool: name, part: 'new', severity: 'info', text: 'it is new: refused until it is approved' });
      continue;
    }
    const found = others.length === 0 ? pinChanges(known, toolPin(tool, sha256)) : [{ tool: name, part: 'input', severity: 'high', text: LISTED_TWICE } as const];
    changes.push(...found);
    if (found.some(stops)) {
      const draft = draftNow();
      const after = changedOperation(known, draft.operation);
      if (isStronger(after, known)) redrafted.push({ ...draft, operation: after, flags: [...draft.flags, 'its definition says more than the catalogue did: drafted anew'] });
      operations.set(name, after);
    } else if (found.length > 0) operations.set(name, repinned(known, toolPin(tool, sha256)));
  }
  for (const { mcpTool } of catalogue.operations) if (!seen.has(mcpTool)) changes.push({ tool: mcpTool, part: 'missing', severity: 'info', text: 'the server does not have it now' });
  return { catalogue: { ...catalogue, operations: [...operations.values()] }, added, redrafted, changes };
}

/** It waits for approval again, and is no weaker than what it says of itself now. */
function changedOperation(known: Operation, draft: Operation): Operation {
  const { approval: _approval, ...rest } = strengthened(known, draft);
  const { pin, arguments: names = [], request, confirmationReason } = draft;
  return {
    ...rest, pin, arguments: names, ...(request === undefined ? {} : { request }), ...(confirmationReason === undefined ? {} : { confirmationReason }),
    state: known.state === 'approved' ? 'review_required' : known.state,
  };
}

/** Only written differently: the approval goes with it. */
function repinned(operation: Operation, pin: Operation['pin']): Operation {
  return { ...operation, pin, ...(operation.approval === undefined ? {} : { approval: { ...operation.approval, definition: pin.definition } }) };
}

function freeId(taken: ReadonlySet<string>, id: string): string {
  if (!taken.has(id)) return id;
  for (let n = 2; ; n++) if (!taken.has(`${id}.${n}`)) return `${id}.${n}`;
}

export interface Selection {
  readonly reads: boolean;
  readonly all: boolean;
  readonly patterns: readonly string[];
  /** What the catalogue calls a read and its definition does not: such a one is approved by its name only. */
  readonly isContradicted?: (operation: Operation) => boolean;
}

const waits = ({ state }: Operation): boolean => state === 'review_required' || state === 'generated';

/** Operations that wait for approval and are meant: by id or tool name, exact or with `*`. */
export function selected(catalogue: Catalogue, { reads, all, patterns, isContradicted }: Selection): Operation[] {
  return catalogue.operations.filter((operation) => {
    if (!waits(operation)) return false;
    if (all || (reads && operation.effect === 'read' && isContradicted?.(operation) !== true)) return true;
    return patterns.some((pattern) => matchesGlob(pattern, operation.id) || matchesGlob(pattern, operation.mcpTool));
  });
}

/** Names that meant nothing, so that a misspelt one does not go unnoticed. */
export function unmatched(catalogue: Catalogue, patterns: readonly string[]): string[] {
  return patterns.filter((pattern) => !catalogue.operations.some(({ id, mcpTool }) => matchesGlob(pattern, id) || matchesGlob(pattern, mcpTool)));
}

export function approve(catalogue: Catalogue, tools: readonly string[], by: string, at: string, note?: string): Catalogue {
  return {
    ...catalogue,
    operations: catalogue.operations.map((operation) => (tools.includes(operation.mcpTool)
      ? { ...operation, state: 'approved', approval: { by, at, definition: operation.pin.definition, ...(note === undefined ? {} : { note }) } } : operation)),
  };
}

/** Whom a gated operation asks, in a word. */
export function tierOf(catalogue: Catalogue, operation: Operation): 'none' | 'model' | 'person' {
  const { base } = gateFacts(catalogue, operation);
  if (!base.gated) return 'none';
  return base.human ? 'person' : 'model';
}
