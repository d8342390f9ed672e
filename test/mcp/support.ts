// Contract: a session with a catalogue of the vectors and an upstream that is nothing but its tools.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCatalogue, type Catalogue } from '../../src/contract/catalogue-schema.ts';
import { argumentsOf } from '../../src/contract/classify.ts';
import { callDigest, toolPin, type ToolDefinition } from '../../src/contract/pins.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { createSession } from '../../src/mcp/session.ts';
import type { Action, CallNote, Session, SessionConfig } from '../../src/mcp/session-types.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const vectors = readFileSync(join(import.meta.dirname, '../fixtures/contract/vectors.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as JsonObject);

/** The upstream's tools: one for each operation, with pins that fit. */
export function withLiveTools(catalogue: Catalogue): { catalogue: Catalogue; tools: ToolDefinition[] } {
  const tools = catalogue.operations.map((operation): ToolDefinition => ({
    name: operation.mcpTool, description: `does ${operation.mcpTool}`, inputSchema: { type: 'object', properties: { id: { type: 'string' }, text: { type: 'string' } } }, annotations: { openWorldHint: true },
    outputSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
  }));
  const operations = catalogue.operations.map((operation, i) => {
    const pin = toolPin(tools[i]!, sha256);
    return { ...operation, pin, ...(operation.approval === undefined ? {} : { approval: { ...operation.approval, definition: pin.definition } }) };
  });
  return { catalogue: { ...catalogue, operations }, tools };
}

export function vectorCatalogue(name: string): Catalogue {
  const found = vectors.find((vector) => vector['kind'] === 'catalogue' && vector['name'] === name);
  const parsed = parseCatalogue(name, JSON.stringify(found?.['catalogue']));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed.catalogue;
}

export interface Rig {
  readonly session: Session;
  readonly notes: CallNote[];
  readonly quarantined: string[][];
  readonly tools: ToolDefinition[];
  /** Sends a line of the client, answers lists, and gives what reached each side. */
  readonly send: (message: JsonObject | string) => { client: JsonObject[]; upstream: JsonObject[]; upstreamLines: string[] };
  readonly say: (message: JsonObject | string) => { client: JsonObject[]; upstream: JsonObject[]; upstreamLines: string[] };
  now: number;
}

export interface RigOptions {
  readonly floor?: SessionConfig['floor'];
  readonly receipts?: { tool_use_id: string; verdict: string; tool: string; args: JsonValue; consumed?: boolean }[];
  readonly grants?: string[];
  readonly humanEvidence?: SessionConfig['humanEvidence'];
  readonly executes?: boolean;
}

export function rig(catalogue: Catalogue, tools: ToolDefinition[], options: RigOptions = {}): Rig {
  const notes: CallNote[] = [];
  const quarantined: string[][] = [];
  const used = new Set<string>();
  const secret = randomBytes(16);
  const grants = [...(options.grants ?? [])];
  const made: Rig = { now: 1_000_000 } as Rig;
  const session = createSession({
    catalogue, floor: options.floor ?? 'none', humanEvidence: options.humanEvidence ?? ['hook', 'grant', 'elicitation'], hostsPinned: catalogue.upstream?.transport !== 'stdio', executes: options.executes ?? false, sha256,
    hmac: (text) => createHmac('sha256', secret).update(text).digest('hex'), nonce: () => randomBytes(8).toString('hex'), now: () => made.now,
    takeHookEvidence: (digest) => {
      const found = (options.receipts ?? []).some(({ tool_use_id, verdict, tool, args, consumed }) => verdict === 'ask' && consumed !== true && callDigest(sha256, { callId: tool_use_id, service: catalogue.service.id, tool }, args) === digest);
      const taken = found && !used.has(digest);
      used.add(digest);
      return taken;
    },
    takeGrant: (operation) => {
      const at = grants.indexOf(operation);
      if (at >= 0) grants.splice(at, 1);
      return at >= 0;
    },
    note: (note) => notes.push(note), quarantine: (names) => quarantined.push([...names]),
  });
  const sorted = (actions: readonly Action[], line: string): { client: JsonObject[]; upstream: JsonObject[]; upstreamLines: string[] } => {
    const client: JsonObject[] = [];
    const upstream: JsonObject[] = [];
    const upstreamLines: string[] = [];
    for (const action of actions) {
      if (action.to === 'log') continue;
      const text = 'raw' in action ? line : action.text;
      const value = JSON.parse(text) as JsonObject;
      if (action.to === 'client') client.push(value);
      else if (value['method'] === 'tools/list') {
        const answer = sorted(session.fromUpstream(JSON.stringify({ jsonrpc: '2.0', id: value['id'], result: { tools: made.tools } })), '');
        client.push(...answer.client);
        upstream.push(...answer.upstream);
        upstreamLines.push(...answer.upstreamLines);
      } else {
        upstream.push(value);
        upstreamLines.push(text.replace(/\n$/, ''));
      }
    }
    return { client, upstream, upstreamLines };
  };
  const text = (message: JsonObject | string): string => (typeof message === 'string' ? message : JSON.stringify(message));
  return Object.assign(made, {
    session, notes, quarantined, tools,
    send: (message: JsonObject | string) => sorted(session.fromClient(text(message)), text(message)),
    say: (message: JsonObject | string) => sorted(session.fromUpstream(text(message)), text(message)),
  });
}

export const initialize = (capabilities: JsonObject = {}): JsonObject => ({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'lab', version: '1' } } });
export const toolCall = (id: number, name: string, given: JsonValue, rest: JsonObject = {}): JsonObject => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given, ...rest } });
export const modernMeta = (capabilities: JsonObject): JsonObject => ({ _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': capabilities, 'io.modelcontextprotocol/clientInfo': { name: 'lab', version: '1' } } });

export { argumentsOf };

/** The envelope of a refusal. */
export function refusalOf(response: JsonObject | undefined): JsonObject {
  const result = response?.['result'] as { isError?: boolean; structuredContent?: unknown; content: { text: string }[] } | undefined;
  if (result?.isError !== true || result.structuredContent !== undefined) throw new Error(`no refusal: ${JSON.stringify(response)}`);
  return (JSON.parse(result.content[0]!.text) as { error: JsonObject }).error;
}
