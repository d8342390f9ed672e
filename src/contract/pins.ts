// Contract: digests of a tool's definition, part by part, over JSON with sorted keys, and what a change of one means. PURE.
// Measured (docs/adr/0020-operation-catalogue.md): definitions are byte-stable over restarts, but a new version of a server often
// changes nothing but notation, so that a digest of the whole alone would make every update "everything changed".
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Operation, Pin } from './catalogue-schema.ts';

/** A tool as `tools/list` gives it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

export const SCHEMA_DEPTH_MAX = 64;
export const SCHEMA_NODES_MAX = 50_000;

/** JSON with sorted keys. Throws RangeError below SCHEMA_DEPTH_MAX and above SCHEMA_NODES_MAX: such a definition is nothing that a person can review. */
export function canonicalJson(value: JsonValue | undefined, depth = 0, left = { nodes: SCHEMA_NODES_MAX }): string {
  if (depth > SCHEMA_DEPTH_MAX) throw new RangeError(`nested deeper than ${SCHEMA_DEPTH_MAX}`);
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value);
  left.nodes -= keys.length;
  if (left.nodes < 0) throw new RangeError(`more than ${SCHEMA_NODES_MAX} values`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1, left)).join(',')}]`;
  return `{${keys.sort().map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null, depth + 1, left)}`).join(',')}}`;
}

/** Name -> required, type, enum: what a call can say, without how it is written down. */
export function parameterShape(schema: JsonObject): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const shape: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(properties)) {
    const one = isObject(value) ? value : {};
    shape[name] = {
      required: required.has(name), type: one['type'] ?? null, enum: one['enum'] ?? null, const: one['const'] ?? null,
      items: isObject(one['items']) ? one['items']['type'] ?? null : null,
      properties: isObject(one['properties']) ? parameterShape(one) : null,
    };
  }
  return shape;
}

/** One call by the client's own id of it. */
export interface IdentifiedCall { readonly callId: string; readonly service: string; readonly tool: string }

/** What the hook writes into its receipt and the runtime looks for: this call, with these arguments. The id is random, so the digest tells nothing of them. */
export function callDigest(sha256: (text: string) => string, { callId, service, tool }: IdentifiedCall, given: JsonValue): string {
  return sha256(`${service}\0${tool}\0${callId}\0${safeCanonical(given)}`).slice(0, 32);
}

/** Arguments nested beyond any use stand for themselves. */
export function safeCanonical(value: JsonValue): string {
  try {
    return canonicalJson(value);
  } catch {
    return JSON.stringify(value);
  }
}

export function toolPin(tool: ToolDefinition, sha256: (text: string) => string): Required<Pin> {
  const digest = (value: JsonValue | undefined): string => `sha256:${sha256(canonicalJson(value))}`;
  const texts = { title: tool.title ?? null, description: tool.description ?? null };
  return {
    definition: digest({ name: tool.name, ...texts, inputSchema: tool.inputSchema, annotations: tool.annotations ?? null, outputSchema: tool.outputSchema ?? null }),
    description: digest(texts), input: digest(tool.inputSchema), inputShape: digest(parameterShape(tool.inputSchema)),
    annotations: digest(tool.annotations ?? null), output: digest(tool.outputSchema ?? null),
  };
}

/** `blocking` and `high` stop the operation until a person approves it again; `notation` and `info` do not. */
export type Severity = 'blocking' | 'high' | 'notation' | 'info';

export interface Change { readonly tool: string; readonly part: 'new' | 'missing' | 'description' | 'input' | 'annotations' | 'output'; readonly severity: Severity; readonly text: string }

/** What a changed pin means. A pin without a shape counts every change of the input as one of what a call can say. */
export function pinChanges(operation: Pick<Operation, 'mcpTool' | 'pin'>, live: Required<Pin>): Change[] {
  const { mcpTool: tool, pin } = operation;
  if (pin.definition === live.definition) return [];
  const changes: Change[] = [];
  const add = (part: Change['part'], severity: Severity, text: string): void => void changes.push({ tool, part, severity, text });
  if (pin.description !== live.description) add('description', 'high', 'its title or description changed: what the model is told about it is not what was approved');
  if (pin.input !== live.input) {
    if (pin.inputShape !== undefined && pin.inputShape === live.inputShape) add('input', 'notation', 'its input schema is written differently; names, types and required arguments are the same');
    else add('input', 'high', 'its arguments changed');
  }
  if (pin.annotations !== live.annotations) add('annotations', 'high', 'its annotations changed');
  if (pin.output !== undefined && pin.output !== live.output) add('output', 'info', 'its output schema changed');
  // The parts are the same and the whole is not: nothing that a call or a reader can see.
  if (changes.length === 0) add('input', 'notation', 'its definition is written differently');
  return changes;
}

export const stops = (change: Change): boolean => change.severity === 'blocking' || change.severity === 'high';
