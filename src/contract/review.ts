// Contract: what becomes of a catalogue: a new look at the server's tools, approvals, and what of it is a loosening. PURE.
import { matchesGlob } from './glob.ts';
import type { Catalogue, Operation } from './catalogue-schema.ts';
import { draftOperation, type Draft } from './classify.ts';
import { gateFacts, type GatePosture } from './gate.ts';
import { pinChanges, stops, toolPin, type Change, type ToolDefinition } from './pins.ts';

export interface Merged { readonly catalogue: Catalogue; readonly added: readonly Draft[]; readonly changes: readonly Change[] }

export type DraftOf = (service: string, tool: ToolDefinition, sha256: (text: string) => string) => Draft;

/**
 * The catalogue with the tools as they are now. Approved operations whose definition stayed keep everything; a changed one keeps its
 * posture, takes the new pin and has to be approved again; a missing one stays, and stays unusable while it is missing.
 */
export function mergeTools(catalogue: Catalogue, tools: readonly ToolDefinition[], sha256: (text: string) => string, draftOf: DraftOf = draftOperation): Merged {
  const changes: Change[] = [];
  const added: Draft[] = [];
  const operations = new Map(catalogue.operations.map((operation) => [operation.mcpTool, operation]));
  const ids = new Set(catalogue.operations.map(({ id }) => id));
  for (const tool of tools) {
    const known = operations.get(tool.name);
    if (known === undefined) {
      const draft = draftOf(catalogue.service.id, tool, sha256);
      const operation = { ...draft.operation, id: freeId(ids, draft.operation.id) };
      ids.add(operation.id);
      added.push({ ...draft, operation });
      operations.set(tool.name, operation);
      changes.push({ tool: tool.name, part: 'new', severity: 'info', text: 'it is new: refused until it is approved' });
      continue;
    }
    const pin = toolPin(tool, sha256);
    const found = pinChanges(known, pin);
    changes.push(...found);
    if (found.some(stops)) {
      const { approval: _approval, ...rest } = known;
      const { arguments: names = [], request } = draftOf(catalogue.service.id, tool, sha256).operation;
      operations.set(tool.name, { ...rest, pin, arguments: names, ...(request === undefined ? {} : { request }), state: known.state === 'approved' ? 'review_required' : known.state });
    } else if (found.length > 0) operations.set(tool.name, repinned(known, pin));
  }
  const seen = new Set(tools.map(({ name }) => name));
  for (const { mcpTool } of catalogue.operations) if (!seen.has(mcpTool)) changes.push({ tool: mcpTool, part: 'missing', severity: 'info', text: 'the server does not have it now' });
  return { catalogue: { ...catalogue, operations: [...operations.values()] }, added, changes };
}

/** Only written differently: the approval goes with it. */
function repinned(operation: Operation, pin: Operation['pin']): Operation {
  return { ...operation, pin, ...(operation.approval === undefined ? {} : { approval: { ...operation.approval, definition: pin.definition } }) };
}

function freeId(taken: ReadonlySet<string>, id: string): string {
  if (!taken.has(id)) return id;
  for (let n = 2; ; n++) if (!taken.has(`${id}.${n}`)) return `${id}.${n}`;
}

export interface Selection { readonly reads: boolean; readonly all: boolean; readonly patterns: readonly string[] }

/** Operations that wait for approval and are meant: by id or tool name, exact or with `*`. */
export function selected(catalogue: Catalogue, { reads, all, patterns }: Selection): Operation[] {
  return catalogue.operations.filter((operation) => {
    if (operation.state !== 'review_required' && operation.state !== 'generated') return false;
    if (all || (reads && operation.effect === 'read')) return true;
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

export interface Loosening { readonly operation: string; readonly text: string }

const looser = (before: GatePosture, after: GatePosture): string[] => [
  ...(before.gated && !after.gated ? ['it is no longer confirmed'] : []),
  ...(before.human && after.gated && !after.human ? ['a person is no longer asked'] : []),
  ...(before.keyRequired && !after.keyRequired ? ['it no longer needs a key'] : []),
];

/** What a newer catalogue lets pass that an older one did not, for operations that were and are approved. Never done in silence. */
export function loosenings(before: Catalogue, after: Catalogue): Loosening[] {
  const old = new Map(before.operations.map((operation) => [operation.mcpTool, operation]));
  return after.operations.flatMap((operation) => {
    const was = old.get(operation.mcpTool);
    if (was?.state !== 'approved' || operation.state !== 'approved') return [];
    const [a, b] = [gateFacts(before, was), gateFacts(after, operation)];
    const texts = looser(a.base, b.base);
    if (JSON.stringify(a.variants) !== JSON.stringify(b.variants) && b.variants.some(({ posture }) => looser(b.base, posture).length > 0 || !posture.gated)) texts.push('its exceptions changed');
    return texts.map((text) => ({ operation: operation.id, text }));
  });
}

/** Whom a gated operation asks, in a word. */
export function tierOf(catalogue: Catalogue, operation: Operation): 'none' | 'model' | 'person' {
  const { base } = gateFacts(catalogue, operation);
  if (!base.gated) return 'none';
  return base.human ? 'person' : 'model';
}
