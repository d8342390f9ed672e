// Contract: an HTTP service as the other side of the proxy. IO. Speaks both eras of the protocol: the handshake or the envelope of each
// request, the tools of the catalogue, and calls, which become the requests of the catalogue. The session in front has judged each call.
import type { Catalogue, OpenapiUpstream, Operation } from '../../contract/catalogue-schema.ts';
import type { ToolDefinition } from '../../contract/pins.ts';
import { planRequest, requestLine } from '../../contract/request.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { failure, idKey, messageOf, metaOf, objectAt, result, type Message, type MessageId } from '../messages.ts';
import { HTTP_MS_MAX, callHttp, errorResult, planResult, type HttpPlace } from './http-call.ts';
import { END_MS_MAX, type Link, type LinkEvents } from './link.ts';

const PROTOCOLS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol/';
/** The tools stay as they are as long as the program runs. */
const LIST_MS = 60_000;
const UNSUPPORTED_VERSION = -32022;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
export const RUNNING_MAX = 32;
export const WAITING_MAX = 1_000;

export interface OpenapiOptions {
  readonly catalogue: Catalogue;
  readonly upstream: OpenapiUpstream;
  /** As they were shown for approval. */
  readonly definitions: readonly ToolDefinition[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sha256: (text: string) => string;
  readonly timeoutMs?: number;
}

interface Served { readonly operation: Operation; readonly tool: ToolDefinition }

/** Only tools whose text says the very request that the catalogue would send: what is done is what was approved. */
function servedOf({ catalogue, definitions }: OpenapiOptions): Map<string, Served> {
  const operations = new Map(catalogue.operations.map((operation) => [operation.mcpTool, operation]));
  return new Map(definitions.flatMap((tool) => {
    const operation = operations.get(tool.name);
    const says = operation?.request !== undefined && tool.description?.endsWith(requestLine(operation.request)) === true;
    return operation !== undefined && says ? [[tool.name, { operation, tool }] as const] : [];
  }));
}

export function startOpenapi(options: OpenapiOptions, events: LinkEvents): Link {
  const { catalogue, upstream, env, timeoutMs = HTTP_MS_MAX } = options;
  const served = servedOf(options);
  const place: HttpPlace = { upstream, env, timeoutMs };
  const out = outbox(events);
  const work = workers(events);
  const serverInfo = { name: catalogue.service.id, version: catalogue.service.version };
  const asked = (message: Extract<Message, { kind: 'request' }>): void => {
    const { id, method, params } = message;
    const { modern } = metaOf(params);
    const version = objectAt(params, '_meta')?.[`${META}protocolVersion`];
    if (modern && version !== MODERN) return out.put(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: UNSUPPORTED_VERSION, message: 'Unsupported protocol version', data: { supported: [MODERN], requested: version ?? null } } })}\n`);
    const frame: JsonObject = modern ? { resultType: 'complete', _meta: { [`${META}serverInfo`]: serverInfo } } : {};
    const page: JsonObject = modern ? { ...frame, ttlMs: LIST_MS, cacheScope: 'private' } : {};
    if (modern && method === 'server/discover') out.put(result(id, { ...page, supportedVersions: [MODERN], capabilities: { tools: {} } }));
    else if (method === 'initialize') {
      const wanted = params['protocolVersion'];
      const protocolVersion = typeof wanted === 'string' && PROTOCOLS.includes(wanted) ? wanted : PROTOCOLS[0] ?? '';
      out.put(result(id, { protocolVersion, capabilities: { tools: {} }, serverInfo }));
    } else if (method === 'ping' && !modern) out.put(result(id, {}));
    else if (method === 'tools/list') out.put(result(id, { ...page, tools: [...served.values()].map(({ tool }) => tool as ToolDefinition & JsonObject) }));
    else if (method !== 'tools/call') out.put(failure(id, METHOD_NOT_FOUND, `praetorctl: ${method.slice(0, 100)} is not here`));
    else {
      const tool = served.get(typeof params['name'] === 'string' ? params['name'] : '');
      if (tool === undefined) return out.put(failure(id, INVALID_PARAMS, 'praetorctl: no tool of this name'));
      work.add(id, async (signal) => {
        const answer = await called(options, tool, place, params, signal);
        if (answer !== undefined) out.put(result(id, { ...answer, ...frame }));
      });
    }
  };
  return {
    send: (line) => {
      const message = messageOf(line.toString());
      if (message.kind === 'request') asked(message);
      else if (message.kind === 'notification' && message.method === 'notifications/cancelled') work.cancel(message.params['requestId']);
      return !work.isFull();
    },
    pause: out.pause, resume: out.resume,
    end: () => work.end(() => events.onEnd(0)),
  };
}

async function called({ sha256 }: OpenapiOptions, { operation, tool }: Served, place: HttpPlace, params: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined> {
  const given = isObject(params['arguments']) ? params['arguments'] : {};
  const required = Array.isArray(tool.inputSchema['required']) ? tool.inputSchema['required'].filter((name) => typeof name === 'string') : [];
  const planned = planRequest(operation, place.upstream, given, required, sha256);
  if (!planned.ok) return errorResult(operation, planned.code, planned.message, { retryable: planned.code === 'validation_error', details: { reason: planned.reason } });
  const { dryRun } = operation;
  if (dryRun?.by === 'runtime' && Object.hasOwn(given, dryRun.input) && given[dryRun.input] === true) return planResult(operation, planned.request, place);
  return callHttp(operation, planned.request, planned.key, place, signal);
}

/** Lines for the client, kept while it takes none. */
function outbox({ onChunk }: LinkEvents): { put: (line: string) => void; pause: () => void; resume: () => void } {
  let lines: string[] = [];
  let isPaused = false;
  const flush = (): void => {
    const all = lines;
    lines = [];
    if (all.length > 0) onChunk(Buffer.from(all.join('')));
  };
  return {
    // Not within `send`: the proxy is in the middle of a line of the client then.
    put: (line) => {
      lines.push(line);
      if (lines.length === 1) setImmediate(() => { if (!isPaused) flush(); });
    },
    pause: () => { isPaused = true; },
    resume: () => {
      if (!isPaused) return;
      isPaused = false;
      flush();
    },
  };
}

type Job = (signal: AbortSignal) => Promise<void>;
interface Running { readonly key: string; readonly job: Job; readonly stop: AbortController }

/** A bounded number of calls at once, the others in their order. */
function workers({ onDrain }: LinkEvents): { add: (id: MessageId, job: Job) => void; cancel: (id: unknown) => void; isFull: () => boolean; end: (finished: () => void) => void } {
  const running = new Set<Running>();
  let waiting: Running[] = [];
  let wasFull = false;
  let isEnding = false;
  let ended: (() => void) | undefined;
  const finish = (): void => {
    const tell = ended;
    ended = undefined;
    // What was put last is flushed before.
    if (tell !== undefined) setImmediate(() => setImmediate(tell));
  };
  const next = (): void => {
    while (running.size < RUNNING_MAX) {
      const one = waiting.shift();
      if (one === undefined) break;
      running.add(one);
      void one.job(one.stop.signal).catch(() => undefined).finally(() => {
        running.delete(one);
        next();
      });
    }
    if (wasFull && waiting.length < WAITING_MAX / 2) {
      wasFull = false;
      onDrain();
    }
    if (running.size === 0 && waiting.length === 0) finish();
  };
  return {
    add: (id, job) => {
      waiting.push({ key: idKey(id), job, stop: new AbortController() });
      next();
    },
    cancel: (id) => {
      if (typeof id !== 'string' && typeof id !== 'number') return;
      waiting = waiting.filter(({ key }) => key !== idKey(id));
      for (const one of running) if (one.key === idKey(id)) one.stop.abort();
    },
    isFull: () => (wasFull ||= waiting.length >= WAITING_MAX),
    end: (finished) => {
      if (isEnding) return;
      isEnding = true;
      ended = finished;
      if (running.size === 0) return finish();
      setTimeout(() => {
        waiting = [];
        for (const { stop } of running) stop.abort();
        finish();
      }, END_MS_MAX);
    },
  };
}
