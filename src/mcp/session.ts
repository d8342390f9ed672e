// Contract: one session of a client with a guarded server, line by line, in both eras of the protocol. PURE: what is to be done is
// said as actions. Everything that is not about tools passes as it came. Rules: docs/mcp.md.
import { folded } from '../contract/names.ts';
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { callGate, type Calls, type ClientSide } from './calls.ts';
import { liveTools, type LiveTools, type Round } from './live-tools.ts';
import { envelopeOf, failure, idKey, isWellFormed, keyOfToken, messageOf, metaOf, objectAt, request, result, type Message, type MessageId } from './messages.ts';
import { openRequests, type RequestKind, type Requests } from './requests.ts';
import { countKeys, foldsTo, scan, textOf } from './scan.ts';
import { COMPLAINTS_MAX, HELD_CALLS_MAX, LISTS_A_TICK_MAX, LIST_MS_MAX, LIST_PAGES_MAX, type Action, type HeldCall, type Session, type SessionConfig } from './session-types.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
const LIST_CHANGED = 'notifications/tools/list_changed';
const PARAMS: readonly string[] = ['name', 'arguments', '_meta', 'inputResponses', 'requestState', 'cursor', 'requestId', 'capabilities', 'clientInfo'];

type RequestMessage = Extract<Message, { kind: 'request' }>;
const PASS_UP: readonly Action[] = [{ to: 'upstream', raw: true }];
const PASS_DOWN: readonly Action[] = [{ to: 'client', raw: true }];

interface OwnList {
  readonly id: string;
  readonly until: number;
  readonly pages: number;
  readonly round: Round;
  readonly tools: Map<string, string>;
  /** A change was told while it was under way: it may be from before. */
  readonly changedSince: boolean;
}

interface State {
  readonly config: SessionConfig;
  readonly live: LiveTools;
  readonly requests: Requests;
  readonly calls: Calls;
  client: ClientSide;
  /** The list of the client's that is under way, over its pages, and the page of ours. */
  round: Round;
  own: OwnList | undefined;
  /** False where the upstream's tools are not known as they are now: before the first list, and after one that did not come. */
  looked: boolean;
  held: Map<string, HeldCall>;
  /** What the client sees, to tell whether a change is one for it. */
  visible: string;
  /** A notification of a change that waits for the new list. */
  notice: string | undefined;
  /** Changes were told more often than lists are asked for: the next tick asks. */
  isDue: boolean;
  listsInTick: number;
  complaints: number;
  /** The envelope that our own requests carry, in the stateless protocol. */
  envelope: JsonObject;
  /** Made at the first list: nobody can guess the ids of our own requests. */
  prefix: string;
  count: number;
  /** Undefined: a mark of an earlier session may stand. */
  changed: string | undefined;
}

export function createSession(config: SessionConfig): Session {
  const live = liveTools(config.catalogue, config);
  const requests = openRequests();
  const state: State = {
    config, live, requests, calls: callGate(config, live, requests), client: { capabilities: undefined, name: 'unknown' }, round: live.round(), own: undefined, looked: false, held: new Map(),
    visible: '', notice: undefined, isDue: false, listsInTick: 0, complaints: 0, envelope: {}, prefix: '', count: 0, changed: undefined,
  };
  return {
    fromClient: (line) => fromClient(state, line),
    fromUpstream: (line) => fromUpstream(state, line),
    tick: () => tick(state),
    ended: () => state.requests.keys().flatMap((key) => refused(JSON.parse(key) as MessageId, INTERNAL_ERROR, 'the server has ended without an answer')),
    holds: () => state.held.size > 0,
  };
}

// ---- from the client ----

const refused = (id: MessageId | null, code: number, text: string): readonly Action[] => [{ to: 'client', text: failure(id, code, `praetorctl: ${text}`) }];

/** The id of what is no message; null where it would be the answer to a request that is on its way. */
function freeId({ requests }: State, { id }: JsonObject): MessageId | null {
  const isFree = (typeof id === 'string' || typeof id === 'number') && requests.kindOf(idKey(id)) === undefined;
  return isFree ? id : null;
}

/** What this program cannot read, or another reader could read as something else, is not passed on. */
function fromClient(state: State, line: string): readonly Action[] {
  if (line.trim() === '') return [];
  const { kind, fault, keys } = scan(line);
  if (kind === 'batch') return refused(null, INVALID_REQUEST, 'batches are not taken, send one message a line');
  if (fault === 'deep') return refused(null, INVALID_REQUEST, 'the message is nested too deep');
  const message = messageOf(line);
  if (message.kind === 'batch' || message.value === undefined) return refused(null, PARSE_ERROR, 'this line is no message of the protocol');
  if (message.kind === 'other' || !isWellFormed(message.value)) return refused(freeId(state, message.value), INVALID_REQUEST, 'this line is no message of the protocol');
  const id = message.kind === 'request' ? message.id : null;
  if (fault === 'twice') return refused(id, INVALID_REQUEST, 'the message has one key twice');
  if (message.kind === 'response') return state.calls.answered(message.id, message.value) ?? PASS_UP;
  const isTwice = countKeys(message.value) < keys;
  return message.kind === 'notification' ? notified(state, message, isTwice) : requested(state, message, line, isTwice);
}

function notified(state: State, { method, params, value }: Extract<Message, { kind: 'notification' }>, isTwice: boolean): readonly Action[] {
  // A request whose id is none that we know would be answered by a server that takes any.
  if (Object.hasOwn(value, 'id') || !method.startsWith('notifications/')) return refused(null, INVALID_REQUEST, 'a request has a text or a whole number as its id');
  if (method !== 'notifications/cancelled') return PASS_UP;
  if (isTwice || foldsTo(params, PARAMS)) return [];
  const id = params['requestId'];
  if (typeof id !== 'string' && typeof id !== 'number') return PASS_UP;
  const key = idKey(id);
  const isOurs = state.held.delete(key) || state.calls.cancelled(key);
  // What a key stands for may be done all the same: its result is waited for, and a retry with the key gets it.
  if (!state.calls.watches(key)) state.requests.end(key);
  // The upstream never saw such a call.
  return isOurs ? [] : PASS_UP;
}

function requested(state: State, message: RequestMessage, line: string, isTwice: boolean): readonly Action[] {
  const { method, id, params } = message;
  if (typeof id === 'number' && !Number.isSafeInteger(id)) return refused(null, INVALID_REQUEST, 'a request has a text or a whole number as its id');
  const key = idKey(id);
  // A server that does not mind the case, or a space, would take it for one of these.
  const meant = folded(method.trim());
  if (meant !== method && (meant === 'tools/call' || meant === 'tools/list' || meant === 'initialize')) return refused(id, INVALID_REQUEST, `the method is ${meant}`);
  const kind: RequestKind = method === 'tools/call' ? 'call' : method === 'tools/list' ? 'list' : 'other';
  const begun = state.requests.begin(key, kind);
  // Not with that id: it would be the answer to the first.
  if (begun === 'twice') return refused(null, INVALID_REQUEST, 'a request with this id has no answer yet');
  if (begun === 'full') return refused(id, INTERNAL_ERROR, 'too many requests have no answer yet');
  if (metaOf(params).modern) state.envelope = envelopeOf(params);
  // A refusal of a call is a result, see calls.ts.
  if (kind === 'call') return called(state, { id, params, line, isTwice: isTwice || foldsTo(params, PARAMS) }, key);
  if ((kind === 'list' || method === 'initialize') && (isTwice || foldsTo(params, PARAMS))) {
    state.requests.end(key);
    return refused(id, INVALID_REQUEST, 'the message has one key twice');
  }
  if (method === 'initialize') {
    const info = objectAt(params, 'clientInfo');
    state.client = { capabilities: objectAt(params, 'capabilities'), name: typeof info?.['name'] === 'string' ? info['name'] : 'unknown' };
  } else if (kind === 'list' && typeof params['cursor'] !== 'string') state.round = state.live.round();
  return PASS_UP;
}

function called(state: State, held: HeldCall, key: string): readonly Action[] {
  if (state.looked && state.own === undefined && !state.isDue) return state.calls.call(held, state.client);
  if (state.held.size >= HELD_CALLS_MAX) {
    state.requests.end(key);
    return refused(held.id, INTERNAL_ERROR, 'too many calls wait for the list of tools');
  }
  state.held.set(key, held);
  return state.own === undefined && !state.isDue ? startList(state) : [];
}

// ---- lists ----

function startList(state: State, until = state.config.now() + LIST_MS_MAX): Action[] {
  if (state.prefix === '') state.prefix = `praetor-l:${state.config.nonce()}:`;
  state.isDue = false;
  state.listsInTick += 1;
  state.own = { id: `${state.prefix}${state.count++}`, until, pages: 0, round: state.live.round(), tools: new Map(), changedSince: false };
  return [{ to: 'upstream', text: request(state.own.id, 'tools/list', state.envelope) }];
}

interface Looked { readonly tools: readonly JsonObject[]; readonly logs: readonly Action[] }

function lookAt(state: State, round: Round, tools: readonly JsonValue[]): Looked {
  const shown: JsonObject[] = [];
  const logs: Action[] = [];
  for (const tool of tools) {
    const { served, changes } = round.look(tool);
    if (served !== undefined) shown.push(served);
    for (const change of changes) if (change.severity !== 'info') logs.push(...complaint(state, `${change.tool.slice(0, 128)}: ${change.text}`));
  }
  // A name that came again later on is no longer what was shown first.
  return { tools: shown.filter(({ name }) => typeof name === 'string' && state.live.stateOf(name) === 'approved'), logs };
}

/** A list of the client's. What cannot be read as a list of tools shows none. */
function answerList(state: State, id: MessageId, value: JsonObject): readonly Action[] {
  const list = value['result'];
  if (!isObject(list)) return [{ to: 'client', text: `${JSON.stringify(value)}\n` }];
  const { tools, logs } = lookAt(state, state.round, Array.isArray(list['tools']) ? list['tools'] : []);
  const scope = Object.hasOwn(list, 'cacheScope') ? { cacheScope: 'private' } : {};
  return [{ to: 'client', text: result(id, { ...list, ...scope, tools: [...tools] }) }, ...(state.own === undefined ? settle(state, typeof list['nextCursor'] !== 'string' || list['nextCursor'] === '') : []), ...logs];
}

/** A page of our own list. */
function ownPage(state: State, own: OwnList, value: JsonObject | undefined): readonly Action[] {
  const list = value?.['result'];
  if (!isObject(list) || !Array.isArray(list['tools'])) return [...endList(state, false), ...complaint(state, 'the server did not list its tools')];
  const { tools, logs } = lookAt(state, own.round, list['tools']);
  for (const tool of tools) own.tools.set(String(tool['name']), JSON.stringify(tool));
  const pages = own.pages + 1;
  const cursor = list['nextCursor'];
  if (typeof cursor !== 'string' || cursor === '' || pages >= LIST_PAGES_MAX) {
    const isAgain = own.changedSince && state.listsInTick < LISTS_A_TICK_MAX;
    return [...(isAgain ? startList(state, own.until) : endList(state, !own.changedSince)), ...logs];
  }
  state.own = { ...own, pages, id: `${state.prefix}${state.count++}` };
  return [{ to: 'upstream', text: request(state.own.id, 'tools/list', { ...state.envelope, cursor }) }, ...logs];
}

/** The list is whole, or will not come: then nothing is known of any tool, and the next call asks again. Calls that waited are judged by what is known. */
function endList(state: State, isWhole: boolean): Action[] {
  if (!isWhole) state.live.forget();
  const visible = state.config.sha256([...(state.own?.tools.values() ?? [])].toSorted().join('\n'));
  const isNew = visible !== state.visible;
  state.visible = visible;
  state.own = undefined;
  state.looked = isWhole;
  const notice = state.notice;
  state.notice = undefined;
  const held = [...state.held.values()];
  state.held.clear();
  return [
    ...(notice !== undefined && (isNew || !isWhole) ? [{ to: 'client' as const, text: notice }] : []), ...settle(state, isWhole),
    ...held.flatMap((call) => state.calls.call(call, state.client)),
  ];
}

/** Tells when other tools than before are not what was approved. Only a whole list takes back what an earlier session told. */
function settle(state: State, isWhole: boolean): Action[] {
  const changed = state.live.changed();
  const text = changed.join('\n');
  if (text === state.changed || (text === '' && !isWhole)) return [];
  state.changed = text;
  state.config.quarantine(changed);
  return [];
}

// ---- from the upstream ----

/** Bounded: a server that goes on must not fill the client's log. */
function complaint(state: State, text: string): Action[] {
  if (state.complaints > COMPLAINTS_MAX) return [];
  state.complaints += 1;
  return [{ to: 'log', text: `${state.config.catalogue.service.id}: ${state.complaints > COMPLAINTS_MAX ? 'more of this is not said' : text}` }];
}

function fromUpstream(state: State, line: string): readonly Action[] {
  if (line.trim() === '') return [];
  const { kind, fault, id, method, hasResult } = scan(line);
  if (kind === 'batch' && fault !== 'deep') return batched(state, line);
  // A client that reads more than JSON could find in it what was taken out elsewhere.
  if (kind !== 'message') return complaint(state, 'a line that is no message was dropped');
  if (fault === 'twice') return complaint(state, 'a message with one key twice was dropped');
  if (method !== undefined || (!hasResult && (id === undefined || id === 'null'))) return toldBy(state, line, id, method);
  const key = keyOfToken(id);
  const read = (): JsonObject | undefined => {
    const message = fault === 'deep' ? undefined : messageOf(line);
    return message?.kind === 'response' ? message.value : undefined;
  };
  if (state.own !== undefined && key === idKey(state.own.id)) return ownPage(state, state.own, read());
  const asked = key === undefined ? undefined : state.requests.kindOf(key);
  if (key === undefined || asked === undefined) return complaint(state, 'an answer that nobody waits for was dropped');
  if (asked === 'list') return listed(state, key, read());
  state.requests.end(key);
  if (asked === 'call' && state.calls.watches(key)) state.calls.finished(key, read());
  return PASS_DOWN;
}

/** A request or a notification of the server's, or what it says of a line that it could not read, which has no id. */
function toldBy(state: State, line: string, id: string | undefined, method: string | undefined): readonly Action[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return complaint(state, 'a line that is no message was dropped');
  }
  if (method === undefined) return isObject(value) && isObject(value['error']) ? PASS_DOWN : complaint(state, 'an answer that nobody waits for was dropped');
  return textOf(method) === LIST_CHANGED && id === undefined ? listChanged(state, line) : PASS_DOWN;
}

function listed(state: State, key: string, value: JsonObject | undefined): readonly Action[] {
  state.requests.end(key);
  const id = JSON.parse(key) as MessageId;
  return value === undefined ? refused(id, INTERNAL_ERROR, 'the list of tools cannot be read') : answerList(state, id, value);
}

/** Answers to a list could stand in it. */
function batched(state: State, line: string): readonly Action[] {
  let messages: unknown;
  try {
    messages = JSON.parse(line);
  } catch {
    return complaint(state, 'a line that is no message was dropped');
  }
  return (messages as JsonValue[]).flatMap((message) => {
    const text = JSON.stringify(message);
    return isObject(message) ? fromUpstream(state, text).map((action): Action => ('raw' in action ? { to: action.to, text: `${text}\n` } : action)) : [];
  });
}

function listChanged(state: State, line: string): readonly Action[] {
  state.notice = `${line}\n`;
  if (state.own !== undefined) state.own = { ...state.own, changedSince: true };
  if (state.own !== undefined || state.isDue) return [];
  if (state.listsInTick < LISTS_A_TICK_MAX) return startList(state);
  state.isDue = true;
  return [];
}

function tick(state: State): readonly Action[] {
  state.listsInTick = 0;
  const late = state.own !== undefined && state.own.until < state.config.now();
  return [...(late ? endList(state, false) : []), ...(state.isDue && state.own === undefined ? startList(state) : []), ...state.calls.tick()];
}
