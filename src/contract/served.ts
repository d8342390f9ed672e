// Contract: what the guarding runtime shows a client of an approved tool: the controls as optional arguments, annotations from the
// catalogue, no output schema that a result could fail. PURE.
// Measured: a control that the served schema requires is refused by the client's library before the gate can say what is missing,
// and a result that does not fit a served output schema makes an executed call look like a failed one (facts/contract-and-mcp.md).
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Operation } from './catalogue-schema.ts';
import type { ToolDefinition } from './pins.ts';

export interface ServedOptions {
  /** The runtime itself keeps calls on the hosts of the catalogue; only then may it say that the tool has no open world. */
  readonly hostsPinned: boolean;
  readonly humanTier: boolean;
}

/** Names of arguments that the runtime adds and takes away again before the upstream sees the call. */
export function runtimeControls(operation: Operation): string[] {
  const { confirmationRequired, confirmationInput, idempotencyKey, dryRun } = operation;
  const key = idempotencyKey === undefined || idempotencyKey.carrier?.in === 'argument' ? [] : [idempotencyKey.input];
  const gated = confirmationRequired || operation.variants.some(({ set }) => set.confirmationRequired === true);
  return [...(gated ? [confirmationInput] : []), ...key, ...(dryRun?.by === 'runtime' ? [dryRun.input] : [])];
}

/** Controls that the runtime's own backend needs: the key and the dry run are part of the request that it makes. */
export function requestControls({ idempotencyKey, dryRun }: Operation): string[] {
  return [...(idempotencyKey === undefined ? [] : [idempotencyKey.input]), ...(dryRun?.by === 'runtime' ? [dryRun.input] : [])];
}

/** The arguments without the runtime's own, but for those that are `kept`. The same object where there is none of them. */
export function withoutControls(operation: Operation, given: JsonObject, kept: readonly string[] = []): JsonObject {
  const controls = [...runtimeControls(operation), operation.confirmationInput].filter((name) => Object.hasOwn(given, name) && operation.arguments?.includes(name) !== true && !kept.includes(name));
  if (controls.length === 0) return given;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !controls.includes(name)));
}

function controlSchemas(operation: Operation, humanTier: boolean): Record<string, JsonValue> {
  const controls = runtimeControls(operation);
  const schemas: Record<string, JsonValue> = {};
  if (controls.includes(operation.confirmationInput)) {
    schemas[operation.confirmationInput] = { type: 'boolean', description: humanTier ? 'Ignored: a person approves this call.' : 'true once it is sure that the person asked for exactly this.' };
  }
  const key = operation.idempotencyKey;
  if (key !== undefined) schemas[key.input] = { type: 'string', description: 'New for each intended effect, the same for a retry: 1 to 255 visible ASCII characters.' };
  if (operation.dryRun?.by === 'runtime') schemas[operation.dryRun.input] = { type: 'boolean', description: 'true: say what would be done, and do nothing.' };
  return schemas;
}

export function servedTool(operation: Operation, live: ToolDefinition, options: ServedOptions): JsonObject {
  const controls = controlSchemas(operation, options.humanTier);
  const { outputSchema: _never, annotations, ...rest } = live as ToolDefinition & JsonObject;
  const properties = isObject(live.inputSchema['properties']) ? live.inputSchema['properties'] : {};
  const added = Object.fromEntries(Object.entries(controls).filter(([name]) => !Object.hasOwn(properties, name)));
  return {
    ...rest,
    ...(Object.keys(added).length === 0 ? {} : { inputSchema: { ...live.inputSchema, properties: { ...properties, ...added } } }),
    annotations: { ...annotations, ...hints(operation, options.hostsPinned) },
  };
}

function hints(operation: Operation, hostsPinned: boolean): JsonObject {
  const mutation = operation.effect === 'mutation';
  return {
    ...(operation.title === undefined ? {} : { title: operation.title }),
    readOnlyHint: !mutation,
    destructiveHint: mutation && (!operation.reversible || operation.risk === 'destructive'),
    idempotentHint: operation.idempotency === 'natural',
    ...(hostsPinned ? { openWorldHint: false } : {}),
  };
}
