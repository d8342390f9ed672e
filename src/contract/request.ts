// Contract: one call of an operation with an `openapi` upstream -> the HTTP request that it becomes, or why there is none. PURE.
// A value stays in the place that it is for: a path parameter in its segment, a header in its line, the request on its host.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { HttpRequest, OpenapiUpstream, Operation } from './catalogue-schema.ts';
import { safeCanonical } from './pins.ts';
import { requestControls } from './served.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

export interface PlannedRequest {
  readonly method: string;
  readonly url: URL;
  /** Without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type RequestPlan =
  | { readonly ok: true; readonly request: PlannedRequest; readonly key: string | undefined }
  | { readonly ok: false; readonly code: 'validation_error' | 'policy_denied' | 'unsupported_operation'; readonly reason: string; readonly message: string };

type Refused = Extract<RequestPlan, { ok: false }>;
const no = (reason: string, message: string, code: Refused['code'] = 'validation_error'): Refused => ({ ok: false, code, reason, message });

/** The request in words, as the description of its tool ends: what a person approves, and what the model reads. Nothing of it is left out. */
export function requestLine({ method, path, arguments: places, body, auth }: HttpRequest): string {
  const said = (where: string): string => Object.entries(places).filter(([, place]) => place.in === where)
    .map(([argument, { name, whole, join }]) => `${argument}${name === argument ? '' : `>${name}`}${whole === true ? ' (all of it)' : ''}${join === true ? ' (joined)' : ''}`).join(', ');
  const part = (title: string, text: string): string => (text === '' ? '' : `; ${title} ${text}`);
  const renamed = Object.entries(places).filter(([argument, place]) => place.in === 'path' && place.name !== argument).map(([argument, { name }]) => `${argument}>${name}`).join(', ');
  const signed = auth === undefined ? '' : `; sends ${auth.map((set) => set.join(' and ') || 'no credential').join(', or ')}`;
  return `${method} ${path}${part('path', renamed)}${part('query', said('query'))}${part('headers', said('header'))}${part(body ?? '', said('body'))}${signed}`;
}

/** `given` holds no confirmation any more, but the key and the dry run. */
export function planRequest(operation: Operation, upstream: OpenapiUpstream, given: JsonObject, required: readonly string[], sha256: (text: string) => string): RequestPlan {
  const { request: spec } = operation;
  if (spec === undefined) return no('no_request', `The catalogue does not say which request ${operation.mcpTool} is.`, 'unsupported_operation');
  const controls = requestControls(operation).filter((name) => !Object.hasOwn(spec.arguments, name));
  const args = Object.fromEntries(Object.entries(given).filter(([name, value]) => !controls.includes(name) && value !== null));
  const unknown = Object.keys(given).filter((name) => !controls.includes(name) && !Object.hasOwn(spec.arguments, name));
  if (unknown.length > 0) return no('unknown_argument', `${operation.mcpTool} has no argument ${unknown.join(', ').slice(0, 200)}.`);
  const missing = required.filter((name) => !Object.hasOwn(args, name));
  if (missing.length > 0) return no('missing_argument', `${operation.mcpTool} needs ${missing.join(', ').slice(0, 400)}.`);
  if (hasInexactNumber(args)) return no('inexact_number', 'A whole number beyond 2^53 cannot be sent exactly; where the service takes a text, give a text.');
  const key = keyOf(operation, given, () => sha256(`${operation.id}\0${safeCanonical(args)}`).slice(0, 32));
  if (key !== undefined && !isCarried(spec, operation)) return no('no_carrier', `The catalogue does not say where the key of ${operation.mcpTool} goes in its request.`, 'unsupported_operation');
  return assembled(spec, operation, upstream, args, key);
}

/** The caller's key, or one that is the same for the same request where the catalogue says so. */
function keyOf({ idempotencyKey }: Operation, given: JsonObject, fingerprint: () => string): string | undefined {
  if (idempotencyKey === undefined) return undefined;
  const own = Object.hasOwn(given, idempotencyKey.input) ? given[idempotencyKey.input] : undefined;
  if (typeof own === 'string' && own !== '') return own;
  return idempotencyKey.derive === 'request_fingerprint' ? fingerprint() : undefined;
}

/** A key that does not reach the service keeps nothing from being done twice. */
function isCarried(spec: HttpRequest, { idempotencyKey }: Operation): boolean {
  const { input = '', carrier } = idempotencyKey ?? {};
  if (carrier === undefined || carrier.in === 'argument') return Object.hasOwn(spec.arguments, input);
  if (carrier.in === 'path') return spec.path.includes(`{${carrier.name}}`);
  return carrier.in !== 'body' || (spec.body !== undefined && Object.values(spec.arguments).every(({ whole }) => whole !== true));
}

function assembled(spec: HttpRequest, { idempotencyKey }: Operation, upstream: OpenapiUpstream, given: JsonObject, key: string | undefined): RequestPlan {
  const carrier = key === undefined ? undefined : idempotencyKey?.carrier;
  const args = key === undefined || idempotencyKey === undefined || !Object.hasOwn(spec.arguments, idempotencyKey.input) ? given : { ...given, [idempotencyKey.input]: key };
  const values = (where: string): [string, JsonValue, boolean][] => [
    ...Object.entries(spec.arguments).filter(([argument, place]) => place.in === where && place.whole !== true && Object.hasOwn(args, argument))
      .map(([argument, { name, join }]): [string, JsonValue, boolean] => [name, args[argument] ?? null, join === true]),
    ...(carrier?.in === where && key !== undefined ? [[carrier.name, key, false] as [string, JsonValue, boolean]] : []),
  ];
  const path = filledPath(spec.path, new Map(values('path').map(([name, value]) => [name, value])));
  if (typeof path !== 'string') return path;
  const url = onHost(upstream, path);
  if (!(url instanceof URL)) return url;
  for (const pair of values('query').flatMap(([name, value, join]) => pairs(name, value, join))) url.searchParams.append(...pair);
  const headers: Record<string, string> = { accept: 'application/json, text/*;q=0.9, */*;q=0.5' };
  for (const [name, value] of values('header')) {
    const text = pairs(name, value, true).map(([, one]) => one).join(',');
    if (!/^[\x20-\x7e]*$/.test(text)) return no('header_value', `${name} goes into a header, which takes visible ASCII characters only.`);
    headers[name.toLowerCase()] = text;
  }
  const body = bodyOf(spec, args, values('body'));
  if (body === undefined || spec.body === undefined) return { ok: true, key, request: { method: spec.method, url, headers } };
  return { ok: true, key, request: { method: spec.method, url, headers: { ...headers, 'content-type': spec.body }, body } };
}

function bodyOf(spec: HttpRequest, args: JsonObject, values: readonly [string, JsonValue, boolean][]): string | undefined {
  if (spec.body === undefined) return undefined;
  const whole = Object.keys(spec.arguments).find((argument) => spec.arguments[argument]?.whole === true);
  const all = whole === undefined ? undefined : args[whole];
  const fields = isObject(all) ? Object.entries(all) : values.map(([name, value]): [string, JsonValue] => [name, value]);
  if (spec.body === FORM_TYPE) return fields.length === 0 ? undefined : new URLSearchParams(fields.flatMap(([name, value]) => pairs(name, value, false))).toString();
  if (whole !== undefined) return all === undefined ? undefined : JSON.stringify(all);
  return fields.length === 0 && Object.values(spec.arguments).every((place) => place.in !== 'body') ? undefined : JSON.stringify(Object.fromEntries(fields));
}

/** A list is a pair for each of its items, an object one for each of its members: `name[member]`. */
function pairs(name: string, value: JsonValue, join: boolean): [string, string][] {
  const text = (one: JsonValue): string => (typeof one === 'string' ? one : JSON.stringify(one));
  if (Array.isArray(value)) return join ? [[name, value.map(text).join(',')]] : value.map((one) => [name, text(one)]);
  if (isObject(value)) return Object.entries(value).map(([member, one]) => [`${name}[${member}]`, text(one)]);
  return [[name, text(value)]];
}

/** A segment that is empty, `.` or `..` would make another path of it, however it is encoded. */
function filledPath(path: string, values: ReadonlyMap<string, JsonValue>): string | Refused {
  const out: string[] = [];
  for (const segment of path.slice(1).split('/')) {
    let filled = '';
    let rest = segment;
    for (let open = rest.indexOf('{'); open !== -1; open = rest.indexOf('{')) {
      const close = rest.indexOf('}', open);
      const name = rest.slice(open + 1, close);
      const value = close === -1 ? undefined : values.get(name);
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return no('path_value', `${name.slice(0, 100)} goes into the path and must be a text or a number.`);
      const encoded = percentEncoded(String(value));
      if (encoded === undefined || encoded === '') return no('path_value', `${name.slice(0, 100)} goes into the path and must not be empty or broken.`);
      filled += rest.slice(0, open) + encoded;
      rest = rest.slice(close + 1);
    }
    filled += rest;
    if (/^(?:\.|%2e){1,2}$/i.test(filled)) return no('path_value', 'A value that is "." or ".." would leave its place in the path.');
    out.push(filled);
  }
  return `/${out.join('/')}`;
}

function percentEncoded(value: string): string | undefined {
  try {
    return encodeURIComponent(value);
  } catch {
    return undefined;
  }
}

const outside = (): Refused => no('host_not_allowed', 'The request would leave the host that the catalogue allows.', 'policy_denied');

/** The address is read again after it was put together: its host and path have to be the ones that were meant. */
function onHost({ baseUrl, allowedHosts }: OpenapiUpstream, path: string): URL | Refused {
  const base = new URL(baseUrl);
  const whole = `${base.pathname.replace(/\/+$/, '')}${path}`;
  let url: URL;
  try {
    url = new URL(`${base.origin}${whole}`);
  } catch {
    return outside();
  }
  if (url.origin !== base.origin || !allowedHosts.includes(url.host) || url.pathname.split('/').length !== whole.split('/').length || url.username !== '' || url.search !== '' || url.hash !== '') return outside();
  return url;
}

function hasInexactNumber(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (Array.isArray(value)) return value.some(hasInexactNumber);
  return isObject(value) && Object.values(value).some(hasInexactNumber);
}
