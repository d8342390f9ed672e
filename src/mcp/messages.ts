// Contract: JSON-RPC messages of MCP, one a line, as the guarding proxy reads and writes them. PURE.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';

export type MessageId = string | number;

/** What a line is. Anything that is no request, notification or response of the protocol is `other` and is not looked at further. */
export type Message =
  | { readonly kind: 'request'; readonly id: MessageId; readonly method: string; readonly params: JsonObject; readonly value: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject; readonly value: JsonObject }
  | { readonly kind: 'response'; readonly id: MessageId; readonly value: JsonObject }
  | { readonly kind: 'batch' }
  /** `value` where it is an object. */
  | { readonly kind: 'other'; readonly value?: JsonObject };

const OTHER: Message = { kind: 'other' };
const RESPONSE_KEYS: readonly string[] = ['jsonrpc', 'id', 'result', 'error'];

export function messageOf(line: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return OTHER;
  }
  if (Array.isArray(value)) return { kind: 'batch' };
  if (!isObject(value)) return OTHER;
  const { id, method } = value;
  const params = isObject(value['params']) ? value['params'] : {};
  const isId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') return isId ? { kind: 'request', id, method, params, value } : { kind: 'notification', method, params, value };
  // A reader that looks its method up in a table takes `["tools/call"]` for the text.
  return isId && !Object.hasOwn(value, 'method') ? { kind: 'response', id, value } : { kind: 'other', value };
}

/** Is the message in every part what the protocol says it is? What is not could be another message to another reader. */
export function isWellFormed(value: JsonObject): boolean {
  if (value['jsonrpc'] !== '2.0') return false;
  const [hasResult, hasError] = [Object.hasOwn(value, 'result'), Object.hasOwn(value, 'error')];
  if (Object.hasOwn(value, 'method')) return typeof value['method'] === 'string' && !hasResult && !hasError && (!Object.hasOwn(value, 'params') || isObject(value['params']));
  return hasResult !== hasError && isObject(hasResult ? value['result'] : value['error']) && Object.keys(value).every((key) => RESPONSE_KEYS.includes(key));
}

/** The id as a key: `1` and `"1"` are two ids. */
export const idKey = (id: MessageId): string => (typeof id === 'number' ? `${id}` : JSON.stringify(id));

/** The key of an id as it stands in a text; undefined where it is none. `1.0` is `1`, and a character may be written as an escape. */
export function keyOfToken(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  if (/^(?:0|[1-9][0-9]{0,14}|"[ !#-[\]-~]*")$/.test(token)) return token;
  try {
    const id: unknown = JSON.parse(token);
    return typeof id === 'string' || typeof id === 'number' ? idKey(id) : undefined;
  } catch {
    return undefined;
  }
}

const line = (value: JsonObject): string => `${JSON.stringify(value)}\n`;

export const request = (id: MessageId, method: string, params: JsonObject): string => line({ jsonrpc: '2.0', id, method, params });
export const result = (id: MessageId, value: JsonObject): string => line({ jsonrpc: '2.0', id, result: value });
export const failure = (id: MessageId | null, code: number, message: string): string => line({ jsonrpc: '2.0', id, error: { code, message } });

export function objectAt(value: JsonValue | undefined, key: string): JsonObject | undefined {
  const found = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(found) ? found : undefined;
}

/** Where the protocol of 2026-07-28 says, in each request, what the client is and can do. */
const META = 'io.modelcontextprotocol/';
const VERSION = `${META}protocolVersion`;

export interface RequestMeta {
  /** True where the request carries the envelope of the stateless protocol. */
  readonly modern: boolean;
  readonly capabilities: JsonObject | undefined;
  readonly clientName: string | undefined;
  /** The client's own id of the tool call, which its hook saw too (Claude Code, Codex). */
  readonly callId: string | undefined;
}

const NO_META: RequestMeta = { modern: false, capabilities: undefined, clientName: undefined, callId: undefined };

export function metaOf(params: JsonObject): RequestMeta {
  const meta = objectAt(params, '_meta');
  if (meta === undefined) return NO_META;
  const version = meta[VERSION];
  const info = objectAt(meta, `${META}clientInfo`);
  const callId = meta['claudecode/toolUseId'] ?? meta['callId'];
  return {
    modern: typeof version === 'string', capabilities: objectAt(meta, `${META}clientCapabilities`),
    clientName: typeof info?.['name'] === 'string' ? info['name'] : undefined, callId: typeof callId === 'string' && callId !== '' ? callId : undefined,
  };
}

/** Only the keys of the envelope, for a request of our own in the name of the client. */
export function envelopeOf(params: JsonObject): JsonObject {
  const meta = objectAt(params, '_meta') ?? {};
  const kept = Object.entries(meta).filter(([key]) => key.startsWith(META));
  return kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) };
}

/** A form can be shown to the person. An empty capability means forms, as before there were modes. */
export function canElicit(capabilities: JsonObject | undefined): boolean {
  const elicitation = objectAt(capabilities, 'elicitation');
  return elicitation !== undefined && (objectAt(elicitation, 'form') !== undefined || !Object.hasOwn(elicitation, 'url'));
}
