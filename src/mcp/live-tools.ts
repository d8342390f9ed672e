// Contract: the tools that the upstream has now, against the catalogue: which are shown, which changed. PURE.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Catalogue, Operation } from '../contract/catalogue-schema.ts';
import { gateFacts, tierAsks, type GateFacts } from '../contract/gate.ts';
import type { ApprovalTier } from '../contract/catalogue.ts';
import { pinChanges, stops, toolPin, type Change, type ToolDefinition } from '../contract/pins.ts';
import { servedTool } from '../contract/served.ts';

export interface GovernedTool { readonly operation: Operation; readonly facts: GateFacts; readonly humanTier: boolean; readonly isRead: boolean }

export interface ToolLook {
  /** As the client is to see it; undefined: hidden. */
  readonly served: JsonObject | undefined;
  readonly changes: readonly Change[];
}

export interface Round {
  /** One tool of a list. Remembers what is seen; a definition that cannot be read, or comes twice, counts as changed. */
  readonly look: (tool: JsonValue) => ToolLook;
}

export interface LiveTools {
  readonly governed: (name: string) => GovernedTool | undefined;
  /** A list begins, over all its pages. */
  readonly round: () => Round;
  /** Undefined: never seen. */
  readonly stateOf: (name: string) => 'approved' | 'changed' | undefined;
  readonly changed: () => readonly string[];
  /** The upstream did not say what its tools are now: none counts as approved. */
  readonly forget: () => void;
}

/** Fields that a definition may have besides; they are passed on and are part of no pin. */
function definitionOf(tool: JsonObject): ToolDefinition | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  if (typeof name !== 'string' || !isObject(inputSchema)) return undefined;
  return {
    ...tool, name, inputSchema, ...(typeof title === 'string' ? { title } : {}), ...(typeof description === 'string' ? { description } : {}),
    ...(isObject(outputSchema) ? { outputSchema } : {}), ...(isObject(annotations) ? { annotations } : {}),
  };
}

export interface LiveOptions { readonly floor: ApprovalTier; readonly hostsPinned: boolean; readonly sha256: (text: string) => string }

export function liveTools(catalogue: Catalogue, { floor, hostsPinned, sha256 }: LiveOptions): LiveTools {
  const byName = new Map<string, GovernedTool>();
  for (const operation of catalogue.operations) {
    const facts = gateFacts(catalogue, operation);
    const postures = [facts.base, ...facts.variants.map(({ posture }) => posture)];
    byName.set(operation.mcpTool, { operation, facts, humanTier: postures.every((posture) => !posture.gated || posture.human || tierAsks(floor, posture)), isRead: postures.every(({ effect }) => effect === 'read') });
  }
  const states = new Map<string, 'approved' | 'changed'>();
  const look = (tool: JsonValue, seen: Set<string>): ToolLook => {
    const definition = isObject(tool) ? definitionOf(tool) : undefined;
    const name = isObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : '';
    const known = byName.get(name);
    if (known === undefined) return { served: undefined, changes: [{ tool: name, part: 'new', severity: 'info', text: 'it is not in the catalogue' }] };
    let changes: Change[];
    try {
      changes = definition === undefined ? [unreadable(name)] : pinChanges(known.operation, toolPin(definition, sha256));
    } catch {
      changes = [unreadable(name)];
    }
    if (seen.has(name)) changes = [{ tool: name, part: 'input', severity: 'high', text: 'it is listed twice' }];
    seen.add(name);
    const changed = changes.some(stops);
    states.set(name, changed ? 'changed' : 'approved');
    const shown = !changed && known.operation.state === 'approved' && definition !== undefined;
    return { served: shown ? servedTool(known.operation, definition, { hostsPinned, humanTier: known.humanTier }) : undefined, changes };
  };
  return {
    governed: (name) => byName.get(name),
    stateOf: (name) => states.get(name),
    forget: () => { for (const [name, state] of states) if (state === 'approved') states.delete(name); },
    changed: () => [...states].filter(([, state]) => state === 'changed').map(([name]) => name),
    round: () => {
      const seen = new Set<string>();
      return { look: (tool) => look(tool, seen) };
    },
  };
}

function unreadable(tool: string): Change {
  return { tool, part: 'input', severity: 'high', text: 'its definition cannot be read' };
}
