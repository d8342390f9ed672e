// Contract: one batch to an OTLP/HTTP endpoint: again only where the protocol says so (429, 502, 503, 504, no connection), as often and as long as
// the bounds allow, never after a partial success. Messages name the status, never a header's value or the answer's text.
import { addressFault } from '../contract/address.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import { post, type Post, type PostAnswer } from './http-post.ts';

export const TRIES_MAX = 5;
const WAIT_MS_MAX = 60_000;
const WAIT_MS_FIRST = 1_000;
const LOGS_PATH = '/v1/logs';
const AGAIN: readonly number[] = [429, 502, 503, 504];

export interface Endpoint { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly gzip: boolean }

/** `Name=VARIABLE`: a credential stands in the environment, never in an argument or a document. */
export function headersFrom(host: Pick<Host, 'env'>, specs: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const spec of specs) {
    const [, name = '', variable = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,128})=([A-Za-z_][A-Za-z0-9_]{0,127})$/.exec(spec) ?? [];
    if (name === '') throw new PraetorError({ code: 'usage', message: 'a header must be given as Name=VARIABLE, with the name of an environment variable', fix: '--header Authorization=OTLP_AUTHORIZATION' });
    const value = host.env[variable];
    if (value === undefined || !/^[\x20-\x7e]{1,8192}$/.test(value)) throw new PraetorError({ code: 'usage', message: `the environment variable ${variable} ${value === undefined ? 'is not set' : 'holds what no header can hold'}`, fix: `set ${variable} to the value of the header ${name}` });
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

export function logsUrl(endpoint: string): string {
  const fault = addressFault(endpoint);
  if (fault !== undefined) throw new PraetorError({ code: 'usage', message: `evidence may not go there: ${fault}`, fix: 'name an https endpoint, or an http one of this machine; credentials go into --header Name=VARIABLE' });
  const url = new URL(endpoint);
  if (!url.pathname.endsWith(LOGS_PATH)) url.pathname = `${url.pathname.replace(/\/+$/, '')}${LOGS_PATH}`;
  return url.toString();
}

/** Seconds or a date, as HTTP has it; bounded. */
export function retryMs(retryAfter: string | undefined, attempt: number, now: number, jitter: number): number {
  const seconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : Date.parse(retryAfter ?? '') - now;
  const usual = WAIT_MS_FIRST * 2 ** attempt * (0.5 + jitter / 2);
  return Math.round(Math.min(WAIT_MS_MAX, Number.isNaN(seconds) ? usual : Math.max(0, seconds)));
}

export interface Sent { readonly rejected: number; readonly tries: number }

function rejectedIn(body: string): number {
  try {
    const value: unknown = JSON.parse(body);
    const partial = isObject(value) && isObject(value['partialSuccess']) ? Number(value['partialSuccess']['rejectedLogRecords'] ?? 0) : 0;
    return Number.isSafeInteger(partial) && partial > 0 ? partial : 0;
  } catch {
    return 0;
  }
}

function refused({ status, failure }: PostAnswer, tries: number): PraetorError {
  const what = status === undefined ? `there was no answer (${failure ?? 'unknown'})` : `the endpoint answered ${status}`;
  return new PraetorError({ code: 'export-failed', message: `${what} after ${tries} ${tries === 1 ? 'try' : 'tries'}; nothing of this batch counts as sent`, fix: 'look at the endpoint and its credentials, then run it again: it goes on where it stood' });
}

export async function sendBatch(host: Host, { url, headers, gzip }: Endpoint, body: string, send: Post = post): Promise<Sent> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await send(url, { ...headers, 'content-type': 'application/json' }, body, gzip);
    const { status } = answer;
    if (status !== undefined && status >= 200 && status < 300) return { rejected: rejectedIn(answer.body), tries: attempt + 1 };
    const isAgain = status === undefined || AGAIN.includes(status);
    if (!isAgain || attempt + 1 >= TRIES_MAX) throw refused(answer, attempt + 1);
    await host.sleep(retryMs(answer.retryAfter, attempt, host.now(), Number.parseInt(host.nonce(2), 16) / 0xffff));
  }
}
