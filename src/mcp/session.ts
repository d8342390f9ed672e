// Contract: one session of a client with a guarded server, line by line, in both eras of the protocol. PURE: what is to be done is
// said as actions. Everything that is not about tools passes as it came. Rules: docs/mcp.md.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { callGate, type Calls, type ClientSide } from './calls.ts';
import { liveTools, type LiveTools } from './live-tools.ts';
import { envelopeOf, failure, idKey, messageOf, metaOf, objectAt, repeatsKey, request, result, type Message, type MessageId } from './messages.ts';
import { HELD_CALLS_MAX, LIST_MS_MAX, LIST_PAGES_MAX, type Action, type HeldCall, type Session, type SessionConfig } from './session-types.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;

type RequestMessage = Extract<Message, { kind: 'request' }>;
const PASS_UP: readonly Action[] = [{ to: 'upstream', raw: true }];
const PASS_DOWN: readonly Action[] = [{ to: 'client', raw: true }];

interface State {
  readonly config: SessionConfig;
  readonly live: LiveTools;
  readonly calls: Calls;
  client: ClientSide;
  /** The client's own lists that are under way, and the page of ours. */
  readonly lists: Set<string>;
  own: { readonly id: string; readonly until: number; pages: number; readonly tools: string[] } | undefined;
  /** False until the upstream's tools were looked at once. */
  looked: boolean;
  held: HeldCall[];
  /** What the client sees, to tell whether a change is one for it. */
  visible: string;
  /** A notification of a change that waits for the new list. */
  notice: string | undefined;
  /** The envelope that our own requests carry, in the stateless protocol. */
  envelope: JsonObject;
  /** Made at the first list: nobody can guess the ids of our own requests. */
  prefix: string;
  count: number;
  changed: string;
}

export function createSession(config: SessionConfig): Session {
  const live = liveTools(config.catalogue, config);
  const state: State = {
    config, live, calls: callGate(config, live), client: { capabilities: undefined, name: 'unknown' }, lists: new Set(), own: undefined, looked: false, held: [], visible: '',
    notice: undefined, envelope: {}, prefix: '', count: 0, changed: '',
  };
  return {
    fromClient: (line) => fromClient(state, line),
    fromUpstream: (line) => fromUpstream(state, line),
    tick: () => tick(state),
    holds: () => state.held.length > 0,
  };
}

// ---- from the client ----

function fromClient(state: State, line: string): readonly Action[] {
  if (line.trim() === '') return [];
  const message = messageOf(line);
  switch (message.kind) {
    // What this program cannot read might be read by the upstream, as something else.
    case 'other': return [{ to: 'client', text: failure(null, PARSE_ERROR, 'praetorctl: this line is no message of the protocol') }];
    case 'batch': return [{ to: 'client', text: failure(null, INVALID_REQUEST, 'praetorctl: batches are not taken, send one message a line') }];
    case 'response': return state.calls.answered(message.id, message.value) ?? PASS_UP;
    case 'notification': return notified(state, message);
    case 'request': return requested(state, message, line);
  }
}

function notified(state: State, { method, params }: Extract<Message, { kind: 'notification' }>): readonly Action[] {
  if (method === 'notifications/cancelled') {
    const id = params['requestId'];
    if (typeof id !== 'string' && typeof id !== 'number') return PASS_UP;
    const waiting = state.held.some((held) => held.id === id);
    state.held = state.held.filter((held) => held.id !== id);
    // The upstream never saw such a call.
    return state.calls.cancelled(id) || waiting ? [] : PASS_UP;
  }
  return PASS_UP;
}

function requested(state: State, message: RequestMessage, line: string): readonly Action[] {
  const { method, id, params } = message;
  // A reader that takes the first of two equal keys would see another message than this one.
  if (repeatsKey(line, 1)) return [{ to: 'client', text: failure(id, INVALID_REQUEST, 'praetorctl: the message has one key twice') }];
  if (method === 'initialize') {
    const info = objectAt(params, 'clientInfo');
    state.client = { capabilities: objectAt(params, 'capabilities'), name: typeof info?.['name'] === 'string' ? info['name'] : 'unknown' };
    return PASS_UP;
  }
  if (method === 'tools/list') {
    state.lists.add(idKey(id));
    return PASS_UP;
  }
  if (method !== 'tools/call') return PASS_UP;
  if (metaOf(params).modern) state.envelope = envelopeOf(params);
  const held: HeldCall = { id, params, line };
  if (state.looked && state.own === undefined) return state.calls.call(held, state.client);
  if (state.held.length >= HELD_CALLS_MAX) return [{ to: 'client', text: failure(id, INTERNAL_ERROR, 'praetorctl: too many calls wait for the list of tools') }];
  state.held.push(held);
  return state.own === undefined ? startList(state) : [];
}

// ---- lists ----

function startList(state: State): Action[] {
  if (state.prefix === '') state.prefix = `praetor-l:${state.config.nonce()}:`;
  state.own = { id: `${state.prefix}${state.count++}`, until: state.config.now() + LIST_MS_MAX, pages: 0, tools: [] };
  return [{ to: 'upstream', text: request(state.own.id, 'tools/list', state.envelope) }];
}

interface Looked { readonly tools: readonly JsonValue[]; readonly logs: readonly Action[] }

function lookAt(state: State, tools: readonly JsonValue[]): Looked {
  const shown: JsonValue[] = [];
  const logs: Action[] = [];
  for (const tool of tools) {
    const { served, changes } = state.live.look(tool);
    if (served !== undefined) shown.push(served);
    for (const change of changes) if (change.severity !== 'info') logs.push({ to: 'log', text: `${state.config.catalogue.service.id}: ${change.tool.slice(0, 128)}: ${change.text}` });
  }
  return { tools: shown, logs };
}

/** A list of the client's. What cannot be read as a list of tools shows none. */
function answerList(state: State, id: MessageId, value: JsonObject): readonly Action[] {
  state.lists.delete(idKey(id));
  const list = value['result'];
  if (!isObject(list)) return [{ to: 'client', text: `${JSON.stringify(value)}\n` }];
  const { tools, logs } = lookAt(state, Array.isArray(list['tools']) ? list['tools'] : []);
  const scope = Object.hasOwn(list, 'cacheScope') ? { cacheScope: 'private' } : {};
  return [{ to: 'client', text: result(id, { ...list, ...scope, tools: [...tools] }) }, ...(state.own === undefined ? settle(state) : []), ...logs];
}

/** A page of our own list. */
function ownPage(state: State, value: JsonObject): readonly Action[] {
  const { own } = state;
  if (own === undefined) return [];
  const list = value['result'];
  if (!isObject(list) || !Array.isArray(list['tools'])) return [...endList(state), { to: 'log', text: `${state.config.catalogue.service.id}: the server did not list its tools` }];
  const { tools, logs } = lookAt(state, list['tools']);
  own.tools.push(...tools.map((tool) => JSON.stringify(tool)));
  own.pages += 1;
  const cursor = list['nextCursor'];
  if (typeof cursor !== 'string' || cursor === '' || own.pages >= LIST_PAGES_MAX) return [...endList(state), ...logs];
  const next = { ...own, id: `${state.prefix}${state.count++}` };
  state.own = next;
  return [{ to: 'upstream', text: request(next.id, 'tools/list', { ...state.envelope, cursor }) }, ...logs];
}

/** The list is whole, or will not come: calls that waited are judged by what is known. */
function endList(state: State): Action[] {
  const visible = state.config.sha256((state.own?.tools ?? []).toSorted().join('\n'));
  const isNew = visible !== state.visible;
  state.visible = visible;
  state.own = undefined;
  state.looked = true;
  const notice = state.notice;
  state.notice = undefined;
  const held = state.held.splice(0);
  return [
    ...(notice !== undefined && isNew ? [{ to: 'client' as const, text: notice }] : []), ...settle(state),
    ...held.flatMap((call) => state.calls.call(call, state.client)),
  ];
}

/** Tells when other tools than before are not what was approved. */
function settle(state: State): Action[] {
  const changed = state.live.changed();
  const text = changed.join('\n');
  if (text === state.changed) return [];
  state.changed = text;
  state.config.quarantine(changed);
  return [];
}

// ---- from the upstream ----

function fromUpstream(state: State, line: string): readonly Action[] {
  const watching = state.lists.size > 0 || state.own !== undefined;
  if (!watching && !state.calls.isBusy() && !line.includes('list_changed')) return PASS_DOWN;
  const message = messageOf(line);
  // Answers to a list could stand in a batch.
  if (message.kind === 'batch') return (JSON.parse(line) as JsonValue[]).map((one) => JSON.stringify(one)).flatMap((one) => spelledOut(fromUpstream(state, one), one));
  if (message.kind === 'response') return answered(state, message.id, message.value);
  if (message.kind === 'other' && watching) return [{ to: 'log', text: `${state.config.catalogue.service.id}: a line that is no message was dropped` }];
  if (message.kind !== 'notification' || message.method !== 'notifications/tools/list_changed') return PASS_DOWN;
  state.notice = `${line}\n`;
  return state.own === undefined ? startList(state) : [];
}

/** For a line that never came by itself. */
function spelledOut(actions: readonly Action[], line: string): Action[] {
  return actions.map((action) => ('raw' in action ? { to: action.to, text: `${line}\n` } : action));
}

function answered(state: State, id: MessageId, value: JsonObject): readonly Action[] {
  const key = idKey(id);
  if (state.own?.id === id) return ownPage(state, value);
  if (state.lists.has(key)) return answerList(state, id, value);
  if (state.calls.watches(key)) state.calls.finished(key, value);
  return PASS_DOWN;
}

function tick(state: State): readonly Action[] {
  const late = state.own !== undefined && state.own.until < state.config.now();
  return [...(late ? endList(state) : []), ...state.calls.tick()];
}
