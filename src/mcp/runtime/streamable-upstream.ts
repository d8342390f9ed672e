// Contract: an MCP server over streamable HTTP as the other side of the proxy. IO. One POST a message; the answer is a message or a
// stream of them. Up to 2025-11-25 there is a session, a stream of the server's own messages and resumption; in 2026-07-28 there is
// none of them, and the end of a request's stream is its cancellation. Whose messages they are is not looked at: the session does.
import type { Upstream } from '../../contract/catalogue-schema.ts';
import { addressFault } from '../../contract/address.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { markedArguments, modernHeaders, type MarkedArgument } from '../http-headers.ts';
import { failure, idKey, messageOf, metaOf, type Message, type MessageId } from '../messages.ts';
import { wireTo, type Outcome, type Outgoing, type Wire } from './exchange.ts';
import { END_MS_MAX, type Link, type LinkEvents } from './link.ts';

export type HttpUpstream = Extract<Upstream, { transport: 'http' }>;

export interface StreamableOptions {
  readonly upstream: HttpUpstream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One line for the person. */
  readonly log: (line: string) => void;
  readonly limits?: Partial<typeof LIMITS>;
}

/** All but the last are milliseconds. */
const LIMITS = {
  /** For what is answered at once: the handshake, notifications, the end of the session. */
  shortMs: 30_000,
  /** For a request: a tool may work long, and the client has a limit of its own. */
  answerMs: 30 * 60_000,
  retryMs: 1_000,
  retryMsMax: 30_000,
  /** A stream that lived as long was none that failed. */
  aliveMs: 10_000,
  leaveMs: 1_000,
  /** In a row, without anything new. */
  resumes: 5,
};

const INTERNAL_ERROR = -32603;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
export const PENDING_MAX = 10_000;
const EVENT_ID_CHARS_MAX = 4_096;
/** What the connection is made of. */
const RESERVED: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'accept', 'accept-encoding', 'upgrade', 'mcp-session-id', 'mcp-protocol-version', 'last-event-id']);

interface Pending { readonly id: MessageId; readonly method: string; readonly modern: boolean; isAnswered: boolean; abort: () => void; readonly whenAnswered: () => void }
type RequestMessage = Extract<Message, { kind: 'request' }>;

interface State {
  readonly options: StreamableOptions;
  readonly limits: typeof LIMITS;
  readonly events: LinkEvents;
  readonly wire: Wire;
  readonly credentials: Readonly<Record<string, string>>;
  readonly pending: Map<string, Pending>;
  /** Arguments that go into headers, by tool; undefined: the tool must not be used. */
  readonly marked: Map<string, readonly MarkedArgument[] | undefined>;
  readonly streams: Set<() => void>;
  /** Messages on their way that are answered by nothing. */
  readonly told: Set<() => void>;
  /** Lines that wait for the handshake. */
  held: string[] | undefined;
  session: string | undefined;
  protocol: string | undefined;
  isOver: boolean;
  whenIdle: (() => void) | undefined;
}

/** The headers of the catalogue with their variables' values, or which variable has none that can be sent. */
function credentialsOf({ headerEnv }: HttpUpstream, env: StreamableOptions['env']): { readonly headers: Record<string, string> } | string {
  const headers: Record<string, string> = {};
  for (const [header, name] of Object.entries(headerEnv)) {
    const value = (env[name] ?? '').trim();
    if (RESERVED.has(header.toLowerCase())) return `the catalogue sets the header ${header}, which is the protocol's own`;
    if (!/^[\x20-\x7e]+$/.test(value)) return `the variable ${name} must hold the whole value of the header ${header}, where the client is started`;
    headers[header] = value;
  }
  return { headers };
}

export function startStreamable(options: StreamableOptions, events: LinkEvents): Link {
  const { upstream, env } = options;
  const found = credentialsOf(upstream, env);
  const fault = addressFault(upstream.url) ?? (upstream.allowedHosts.includes(new URL(upstream.url).host) ? undefined : 'its host is not one of the allowed ones');
  const why = fault === undefined ? (typeof found === 'string' ? found : undefined) : `the address of the catalogue cannot be used: ${fault}`;
  const state: State = {
    options, events, limits: { ...LIMITS, ...options.limits }, wire: wireTo(fault === undefined ? upstream.url : 'http://localhost'), credentials: typeof found === 'string' ? {} : found.headers,
    pending: new Map(), marked: new Map(), streams: new Set(), told: new Set(), held: undefined, session: undefined, protocol: undefined, isOver: why !== undefined, whenIdle: undefined,
  };
  if (why !== undefined) setImmediate(() => events.onEnd(1, why));
  return {
    send: (line) => {
      const text = line.toString().trimEnd();
      if (state.isOver || text === '') return true;
      if (state.held === undefined) send(state, text);
      else if (state.held.push(text) > PENDING_MAX) setImmediate(() => close(state, 1));
      return true;
    },
    pause: state.wire.pause, resume: state.wire.resume,
    end: () => end(state),
  };
}

// ---- to the server ----

const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** Of the eras with a session. */
const sessionHeaders = ({ session, protocol }: State): Record<string, string> => ({ ...(session === undefined ? {} : { 'Mcp-Session-Id': session }), ...(protocol === undefined ? {} : { 'MCP-Protocol-Version': protocol }) });

function send(state: State, line: string): void {
  const message = messageOf(line);
  if (message.kind === 'request') return ask(state, message, line);
  if (message.kind === 'notification' && message.method === 'notifications/cancelled') return cancel(state, message.params['requestId'], line);
  const isReady = message.kind === 'notification' && message.method === 'notifications/initialized';
  // What follows must not overtake it.
  if (isReady) state.held = [];
  tell(state, line, () => {
    if (!isReady) return;
    listen(state);
    release(state);
  });
}

function release(state: State): void {
  const lines = state.held ?? [];
  state.held = undefined;
  // One of them can be a handshake again.
  for (const [i, line] of lines.entries()) {
    if (state.held !== undefined) return void (state.held as string[]).push(...lines.slice(i));
    send(state, line);
  }
  state.whenIdle?.();
}

/** A notification, or an answer of the client's. */
function tell(state: State, line: string, then: () => void = () => undefined): void {
  const outgoing: Outgoing = { method: 'POST', headers: { ...state.credentials, ...jsonHeaders, ...sessionHeaders(state) }, body: line, silenceMs: state.limits.shortMs, aside: true };
  const { abort } = state.wire.open(outgoing, {
    onHead: () => undefined, onEvent: ({ data }) => void emit(state, data),
    onOver: (outcome) => {
      state.told.delete(abort);
      if (isGone(state, outcome)) return gone(state);
      if (outcome.kind === 'failed') state.options.log(`a message did not reach the server: ${outcome.why}`);
      else if (outcome.kind === 'answer' && outcome.status >= 400) state.options.log(`a message was refused by the server with ${outcome.status}`);
      then();
      state.whenIdle?.();
    },
  });
  state.told.add(abort);
}

function cancel(state: State, id: JsonValue | undefined, line: string): void {
  const one = typeof id === 'string' || typeof id === 'number' ? state.pending.get(idKey(id)) : undefined;
  // Nobody waits for it any more: the stream goes once the server has been told, or is what tells it.
  const drop = (): void => { if (one !== undefined) settle(state, one); };
  if (one?.modern === true) return drop();
  tell(state, line, drop);
}

function ask(state: State, message: RequestMessage, line: string): void {
  const { id, method, params } = message;
  if (state.pending.size >= PENDING_MAX) return refuse(state, id, INTERNAL_ERROR, 'too many requests are under way');
  const { modern } = metaOf(params);
  const tool = method === 'tools/call' ? String(params['name']) : '';
  if (modern && state.marked.has(tool) && state.marked.get(tool) === undefined) return refuse(state, id, INVALID_PARAMS, 'the definition of this tool puts arguments into headers in a way that is not allowed');
  const isOpening = method === 'initialize';
  if (isOpening) {
    state.held = [];
    state.session = undefined;
    state.protocol = undefined;
  }
  const one: Pending = { id, method, modern, isAnswered: false, abort: () => undefined, whenAnswered: () => { if (isOpening) release(state); } };
  state.pending.set(idKey(id), one);
  const version = modern ? String((params['_meta'] as JsonObject)['io.modelcontextprotocol/protocolVersion']) : '';
  const headers = modern ? modernHeaders(version, method, params, state.marked.get(tool) ?? []) : sessionHeaders(state);
  const silenceMs = method === 'subscriptions/listen' ? undefined : isOpening ? state.limits.shortMs : state.limits.answerMs;
  run(state, one, { method: 'POST', headers: { ...state.credentials, ...jsonHeaders, ...headers }, body: line, ...(silenceMs === undefined ? {} : { silenceMs }), aside: silenceMs === undefined }, state.limits.resumes);
}

/** One connection of a request; a stream that breaks off is taken up again where it has a place to go on from. */
function run(state: State, one: Pending, outgoing: Outgoing, tries: number, from?: string): void {
  let last = from;
  let isNew = false;
  let leaving: NodeJS.Timeout | undefined;
  const { abort } = state.wire.open(outgoing, {
    onHead: (headers) => {
      const session = headers['mcp-session-id'];
      if (one.method === 'initialize' && typeof session === 'string' && /^[\x21-\x7e]{1,1024}$/.test(session)) state.session = session;
    },
    onEvent: ({ id, type, data }) => {
      isNew ||= id !== last || data !== '';
      if (id !== undefined && id.length <= EVENT_ID_CHARS_MAX) last = id;
      if (type === 'message' && data !== '') emit(state, data);
      // A server that leaves the stream open after its answer has had its time.
      if (one.isAnswered) leaving ??= setTimeout(abort, state.limits.leaveMs);
    },
    onOver: (outcome) => {
      clearTimeout(leaving);
      if (one.isAnswered || state.isOver) return;
      const left = isNew ? state.limits.resumes : tries - 1;
      // What the server does with a request whose stream it does not keep is over with the stream.
      if (outcome.kind === 'answer' || one.modern || last === undefined || last === '' || left <= 0) {
        return answered(state, one, outcome);
      }
      const timer = setTimeout(() => run(state, one, { method: 'GET', headers: { ...state.credentials, Accept: 'text/event-stream', ...sessionHeaders(state), 'Last-Event-ID': last ?? '' }, silenceMs: state.limits.answerMs, aside: true }, left, last), waitMs(state, outcome));
      one.abort = () => clearTimeout(timer);
    },
  });
  one.abort = abort;
}

function waitMs({ limits }: State, outcome: Outcome): number {
  return Math.min(limits.retryMsMax, (outcome.kind === 'stream' ? outcome.retryMs : undefined) ?? limits.retryMs);
}

/** The stream of messages that belong to no request; most servers have none. */
function listen(state: State, last?: string, tries = state.limits.resumes): void {
  if (state.isOver || state.protocol === undefined) return;
  const startMs = Date.now();
  let from = last;
  let isNew = false;
  const { abort } = state.wire.open({ method: 'GET', headers: { ...state.credentials, Accept: 'text/event-stream', ...sessionHeaders(state), ...(last === undefined ? {} : { 'Last-Event-ID': last }) }, aside: true }, {
    onHead: () => undefined,
    onEvent: ({ id, type, data }) => {
      isNew = true;
      if (id !== undefined && id !== '' && id.length <= EVENT_ID_CHARS_MAX) from = id;
      if (type === 'message' && data !== '') emit(state, data);
    },
    onOver: (outcome) => {
      state.streams.delete(abort);
      if (state.isOver || (outcome.kind === 'answer' && outcome.status < 500)) return;
      const left = isNew || Date.now() - startMs >= state.limits.aliveMs ? state.limits.resumes : tries - 1;
      if (left <= 0) return state.options.log('the server\'s own messages are not received any more: its stream broke off again and again');
      const timer = setTimeout(() => { state.streams.delete(stop); listen(state, from, left); }, waitMs(state, outcome));
      const stop = (): void => clearTimeout(timer);
      state.streams.add(stop);
    },
  });
  state.streams.add(abort);
}

// ---- from the server ----

/** Between tokens only: a string has no raw line end in JSON. */
const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ').trim();

/** Passes a message on as it came, in one line. False: it is none. */
function emit(state: State, text: string): boolean {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return false;
  }
  const answers = (Array.isArray(value) ? value : [value]).filter(isObject);
  if (answers.length === 0 || state.isOver) return false;
  for (const answer of answers) {
    const { id, method, result } = answer;
    const one = typeof method !== 'string' && (typeof id === 'string' || typeof id === 'number') ? state.pending.get(idKey(id)) : undefined;
    if (isObject(result) && Array.isArray(result['tools'])) for (const tool of result['tools']) remember(state, tool);
    if (one === undefined) continue;
    if (one.method === 'initialize' && isObject(result) && typeof result['protocolVersion'] === 'string' && /^[0-9A-Za-z.-]{1,32}$/.test(result['protocolVersion'])) state.protocol = result['protocolVersion'];
    settle(state, one, false);
  }
  state.events.onChunk(Buffer.from(`${oneLine(text)}\n`));
  return true;
}

function remember(state: State, tool: JsonValue): void {
  if (!isObject(tool) || typeof tool['name'] !== 'string' || !isObject(tool['inputSchema'])) return;
  const marked = markedArguments(tool['inputSchema']);
  if (marked === undefined || marked.length > 0) state.marked.set(tool['name'], marked);
  else state.marked.delete(tool['name']);
}

function settle(state: State, one: Pending, isDropped = true): void {
  if (one.isAnswered) return;
  one.isAnswered = true;
  if (isDropped) one.abort();
  if (state.pending.get(idKey(one.id)) === one) state.pending.delete(idKey(one.id));
  // Whatever waits goes on its way when the message that settled it has gone to the client.
  setImmediate(() => {
    one.whenAnswered();
    state.whenIdle?.();
  });
}

/** What came for a request in the end, where it was not its answer. */
function answered(state: State, one: Pending, outcome: Outcome): void {
  if (isGone(state, outcome) && !one.modern) return gone(state);
  if (outcome.kind !== 'answer') return refuse(state, one.id, INTERNAL_ERROR, outcome.kind === 'failed' ? `the server gave no answer: ${outcome.why}` : 'the server ended its stream without an answer');
  const { status, body } = outcome;
  if (status < 300 && emit(state, body)) {
    if (!one.isAnswered) refuse(state, one.id, INTERNAL_ERROR, 'the server answered something else');
    return;
  }
  const error = errorOf(body);
  if (status >= 400 && error !== undefined) {
    emit(state, JSON.stringify({ jsonrpc: '2.0', id: one.id, error }));
    return;
  }
  // A server that never heard of this question speaks an earlier protocol; the client goes on with that.
  const isUnknown = one.method === 'server/discover' && status >= 400 && status < 500 && status !== 401 && status !== 403;
  refuse(state, one.id, isUnknown ? METHOD_NOT_FOUND : INTERNAL_ERROR, status === 401 || status === 403
    ? `the server wants another credential (${status})${Object.keys(state.credentials).length === 0 ? ', and the catalogue names none' : ''}` : `the server answered ${status}${status < 300 ? ' and no message' : ''}`);
}

function errorOf(body: string): JsonObject | undefined {
  try {
    const value = JSON.parse(body) as JsonValue;
    const error = isObject(value) ? value['error'] : undefined;
    return isObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

function refuse(state: State, id: MessageId, code: number, message: string): void {
  // Not within `send`: the proxy is in the middle of a line of the client then.
  setImmediate(() => { if (!state.isOver) emit(state, failure(id, code, `praetorctl: ${message}`).trimEnd()); });
}

function isGone({ session }: State, outcome: Outcome): boolean {
  return session !== undefined && outcome.kind === 'answer' && outcome.status === 404;
}

/** The server forgot the session: as with a server that died, the client has to start anew. */
function gone(state: State): void {
  if (state.isOver) return;
  for (const { id } of state.pending.values()) state.events.onChunk(Buffer.from(failure(id, INTERNAL_ERROR, 'praetorctl: the server has ended the session')));
  state.options.log('the server has ended the session');
  state.session = undefined;
  close(state, 1);
}

// ---- the end ----

function close(state: State, code: number): void {
  if (state.isOver) return;
  state.isOver = true;
  for (const { abort } of state.pending.values()) abort();
  for (const abort of [...state.streams, ...state.told]) abort();
  const finish = (): void => {
    state.wire.close();
    state.events.onEnd(code);
  };
  if (state.session === undefined) return void setImmediate(finish);
  state.wire.open({ method: 'DELETE', headers: { ...state.credentials, ...sessionHeaders(state) }, silenceMs: END_MS_MAX, aside: true }, { onHead: () => undefined, onEvent: () => undefined, onOver: finish });
}

/** The client has gone: what is under way gets a moment, as a program gets that is started here. */
function end(state: State): void {
  if (state.isOver || state.whenIdle !== undefined) return;
  const isBusy = (): boolean => state.told.size > 0 || state.held !== undefined || [...state.pending.values()].some(({ method }) => method !== 'subscriptions/listen');
  if (!isBusy()) return close(state, 0);
  const timer = setTimeout(() => close(state, 0), END_MS_MAX);
  state.whenIdle = () => {
    if (isBusy()) return;
    clearTimeout(timer);
    close(state, 0);
  };
}
