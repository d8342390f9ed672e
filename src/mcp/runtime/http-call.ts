// Contract: a planned request -> the result of its tool. IO. On the host of the catalogue only, with credentials by the name of their
// variable, again only where doing it twice is doing it once. What comes back is bounded, and holds no credential that was sent.
import type { OpenapiUpstream, Operation } from '../../contract/catalogue-schema.ts';
import { refusedResult, type Envelope } from '../../contract/envelope.ts';
import type { PlannedRequest } from '../../contract/request.ts';
import type { JsonObject } from '../../model/json.ts';

export const HTTP_MS_MAX = 30_000;
export const RESPONSE_BYTES_MAX = 1024 * 1024;
export const RETRIES_MAX = 2;
export const RETRY_AFTER_MS_MAX = 20_000;
const RETRY_MS = 250;
const REDIRECTS_MAX = 5;
const DETAIL_CHARS_MAX = 4_096;
const RETRIED: readonly number[] = [429, 500, 502, 503, 504];

export interface HttpPlace {
  readonly upstream: OpenapiUpstream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

type Code = Envelope['error']['code'];
type Credentials = { readonly ok: true; readonly headers: Readonly<Record<string, string>>; readonly from: Readonly<Record<string, string>> } | { readonly ok: false; readonly missing: readonly string[] };

/** The first of the sets of headers whose variables are all there. */
export function credentialsOf(operation: Operation, { upstream, env }: HttpPlace): Credentials {
  const sets = operation.request?.auth ?? [Object.keys(upstream.headerEnv)];
  const named = sets.map((set) => set.map((header): [string, string] => [header, upstream.headerEnv[header] ?? '']));
  const usable = (name: string): boolean => name !== '' && /^[\x20-\x7e]+$/.test((env[name] ?? '').trim());
  const found = named.find((set) => set.every(([, name]) => usable(name)));
  if (found === undefined) return { ok: false, missing: (named[0] ?? []).filter(([, name]) => !usable(name)).map(([header, name]) => name || `a variable for ${header}`) };
  return { ok: true, headers: Object.fromEntries(found.map(([header, name]) => [header.toLowerCase(), (env[name] ?? '').trim()])), from: Object.fromEntries(found.map(([header, name]) => [header.toLowerCase(), name])) };
}

export function errorResult(operation: Operation, code: Code, message: string, rest: { readonly retryable?: boolean; readonly safe?: boolean; readonly details?: JsonObject; readonly required?: readonly string[] } = {}): JsonObject {
  const { retryable = false, safe = true, details, required } = rest;
  return refusedResult({ error: { code, message, retryable, safe_to_retry: safe, operation: operation.id, ...(required === undefined ? {} : { required }), ...(details === undefined ? {} : { details }) } });
}

/** What would be sent, without a credential. */
export function planResult(operation: Operation, request: PlannedRequest, place: HttpPlace): JsonObject {
  const credentials = credentialsOf(operation, place);
  const signed = credentials.ok ? Object.fromEntries(Object.entries(credentials.from).map(([header, name]) => [header, `[from ${name}]`])) : {};
  const plan = {
    dry_run: true, operation: operation.id, request: { method: request.method, url: request.url.href, headers: { ...request.headers, ...signed }, ...(request.body === undefined ? {} : { body: request.body }) },
    ...(credentials.ok ? {} : { missing: [...credentials.missing] }), effect: operation.effect, risk: operation.risk, note: 'Nothing was sent.',
  };
  return { content: [{ type: 'text', text: JSON.stringify(plan) }] };
}

/** Doing it twice is doing it once: a read, or what the service itself keeps from happening twice. */
function isRetrySafe({ retrySafe, effect, idempotency, variants }: Operation, key: string | undefined): boolean {
  if (!retrySafe || variants.some(({ set }) => set.retrySafe === false || set.idempotency === 'none')) return false;
  return effect === 'read' || idempotency === 'natural' || idempotency === 'client_id' || key !== undefined;
}

interface Answer { readonly status: number; readonly type: string; readonly text: string; readonly cut: boolean; readonly retryAfterMs: number | undefined }
type Attempt = { readonly kind: 'answer'; readonly answer: Answer } | { readonly kind: 'away'; readonly host: string } | { readonly kind: 'timeout' | 'cancelled' } | { readonly kind: 'failed'; readonly why: string };

/** Undefined: it was cancelled. */
export async function callHttp(operation: Operation, request: PlannedRequest, key: string | undefined, place: HttpPlace, signal: AbortSignal): Promise<JsonObject | undefined> {
  const credentials = credentialsOf(operation, place);
  if (!credentials.ok) {
    return errorResult(operation, 'auth_required', `The service needs a credential. A person has to set ${credentials.missing.join(' and ')} where the client is started.`, { required: credentials.missing, details: { reason: 'credential_missing' } });
  }
  const headers = { ...request.headers, ...credentials.headers };
  const safe = isRetrySafe(operation, key);
  for (let attempt = 1; ; attempt++) {
    const got = await attemptOnce(request, headers, place.timeoutMs, signal);
    if (got.kind === 'cancelled' || signal.aborted) return undefined;
    const waitMs = safe && attempt <= RETRIES_MAX ? waitBefore(got, attempt) : undefined;
    if (waitMs === undefined) return outcome(operation, got, { attempt, safe, hide: hider(Object.values(credentials.headers)) });
    await paused(waitMs, signal);
  }
}

/** Undefined: not worth another try, or later than a call can wait. */
function waitBefore(got: Attempt, attempt: number): number | undefined {
  if (got.kind === 'away' || (got.kind === 'answer' && !RETRIED.includes(got.answer.status))) return undefined;
  const after = got.kind === 'answer' ? got.answer.retryAfterMs : undefined;
  if (after !== undefined && after > RETRY_AFTER_MS_MAX) return undefined;
  return after ?? Math.round(RETRY_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
}

function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
  });
}

async function attemptOnce(request: PlannedRequest, headers: Readonly<Record<string, string>>, timeoutMs: number, signal: AbortSignal): Promise<Attempt> {
  const own = new AbortController();
  const stop = (): void => own.abort();
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(stop, timeoutMs);
  const follows = request.method === 'GET' || request.method === 'HEAD';
  try {
    let { url } = request;
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(url, { method: request.method, headers, redirect: 'manual', signal: own.signal, ...(request.body === undefined ? {} : { body: request.body }) });
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (location === null) return { kind: 'answer', answer: await read(response) };
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      // Another scheme or port is another host: credentials would go there.
      if (next === undefined || next.origin !== request.url.origin) {
        await response.body?.cancel();
        return { kind: 'away', host: next?.host ?? '' };
      }
      if (!follows || redirects >= REDIRECTS_MAX) return { kind: 'answer', answer: await read(response) };
      await response.body?.cancel();
      url = next;
    }
  } catch (error) {
    if (signal.aborted) return { kind: 'cancelled' };
    return own.signal.aborted ? { kind: 'timeout' } : { kind: 'failed', why: reasonOf(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'the connection failed';
}

async function read(response: Response): Promise<Answer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined && length <= RESPONSE_BYTES_MAX) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
  }
  const cut = length > RESPONSE_BYTES_MAX;
  if (cut) await reader?.cancel();
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const bytes = Buffer.concat(parts).subarray(0, RESPONSE_BYTES_MAX);
  const isText = type === '' || /^text\/|[/+](?:json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson)$/.test(type);
  const text = isText ? bytes.toString('utf8') : `[${cut ? 'more than ' : ''}${bytes.length} bytes of ${type.slice(0, 100)}]`;
  return { status: response.status, type, text, cut, retryAfterMs: retryAfter(response.headers.get('retry-after')) };
}

function retryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^[0-9]+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Takes what was sent as a credential out of a text, with and without the word before it. */
function hider(values: readonly string[]): (text: string) => string {
  const secrets = [...new Set(values.flatMap((value) => [value, value.slice(value.lastIndexOf(' ') + 1)]))].filter((value) => value.length >= 4).sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

const CODES: Readonly<Record<number, Code>> = { 400: 'validation_error', 401: 'auth_required', 403: 'permission_denied', 404: 'not_found', 408: 'upstream_timeout', 409: 'conflict', 410: 'not_found', 422: 'validation_error', 429: 'rate_limited', 504: 'upstream_timeout' };

function outcome(operation: Operation, got: Attempt, { attempt, safe, hide }: { readonly attempt: number; readonly safe: boolean; readonly hide: (text: string) => string }): JsonObject {
  const attempts = attempt > 1 ? { attempts: attempt } : {};
  const unsure = safe ? '' : ' It may have been done: look before it is called again.';
  if (got.kind === 'away') return errorResult(operation, 'policy_denied', 'The service points to another host, and the catalogue allows only its own.', { safe, details: { reason: 'host_not_allowed', host: hide(got.host).slice(0, 253) } });
  if (got.kind === 'timeout') return errorResult(operation, 'upstream_timeout', `The service did not answer in time.${unsure}`, { retryable: true, safe, details: { reason: 'timeout', ...attempts } });
  if (got.kind !== 'answer') return errorResult(operation, 'upstream_unavailable', `The service cannot be reached.${unsure}`, { retryable: true, safe, details: { reason: got.kind === 'failed' ? got.why : got.kind, ...attempts } });
  const { status, text, cut } = got.answer;
  const shown = hide(text);
  if (status < 300) return { content: [{ type: 'text', text: shown === '' ? `${status}: it was done, and says no more.` : `${shown}${cut ? `\n[cut after ${RESPONSE_BYTES_MAX} bytes]` : ''}` }] };
  const code = CODES[status] ?? (status >= 500 ? 'upstream_unavailable' : 'unknown_upstream_error');
  const retryable = RETRIED.includes(status) || status === 408;
  return errorResult(operation, code, `The service answered ${status}.${status >= 500 ? unsure : ''}`, { retryable, safe: safe || (status >= 400 && status < 500), details: { reason: 'upstream_status', status, body: shown.slice(0, DETAIL_CHARS_MAX), ...attempts } });
}
