// Contract: one HTTP request to the pinned address and what comes back: a text, or the events of a stream. IO. Never to another origin,
// never unpacked, bounded in bytes and in silence. `node:http` and not `fetch`: a stream may be silent for longer than fetch waits.
import * as http from 'node:http';
import * as https from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { sseReader, type SseEvent } from '../sse.ts';

export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
export const REQUESTS_MAX = 256;
const SIDE_REQUESTS_MAX = 1_024;
const REDIRECTS_MAX = 3;
/** A peer that is gone without a word is noticed. */
const KEEP_ALIVE_MS = 30_000;

export interface Outgoing {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long nothing may come; undefined: a stream that may be silent for ever. */
  readonly silenceMs?: number;
  /** Beside the bounded number of requests: what a waiting request may be waiting for. */
  readonly aside: boolean;
}

export type Outcome =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  /** A stream that is over, orderly or not. */
  | { readonly kind: 'stream'; readonly retryMs: number | undefined }
  | { readonly kind: 'failed'; readonly why: string };

export interface Taker {
  readonly onHead: (headers: http.IncomingHttpHeaders) => void;
  readonly onEvent: (event: SseEvent) => void;
  /** Once, and not after `abort`. */
  readonly onOver: (outcome: Outcome) => void;
}

export interface Wire {
  readonly open: (outgoing: Outgoing, taker: Taker) => { readonly abort: () => void };
  readonly pause: () => void;
  readonly resume: () => void;
  readonly close: () => void;
}

export function wireTo(address: string): Wire {
  const base = new URL(address);
  const door = base.protocol === 'https:' ? https : http;
  const options = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS };
  const agents = { main: new door.Agent({ ...options, maxSockets: REQUESTS_MAX }), aside: new door.Agent({ ...options, maxSockets: SIDE_REQUESTS_MAX }) };
  const live = new Set<http.IncomingMessage>();
  let isPaused = false;
  const follow = (outgoing: Outgoing, taker: Taker, current: { request?: http.ClientRequest; isOver: boolean }, url: URL, redirects: number): void => {
    let timer: NodeJS.Timeout | undefined;
    const over = (outcome: Outcome): void => {
      clearTimeout(timer);
      if (current.isOver) return;
      current.isOver = true;
      // One that came whole leaves its connection for the next.
      if (outcome.kind === 'failed') request.destroy();
      taker.onOver(outcome);
    };
    const { method, headers, body, silenceMs, aside } = outgoing;
    const request = door.request(url, { method, agent: aside ? agents.aside : agents.main, headers: { ...headers, ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }) } });
    current.request = request;
    if (silenceMs !== undefined) timer = setTimeout(() => over({ kind: 'failed', why: `it said nothing for ${silenceMs / 1000} s` }), silenceMs);
    request.on('socket', (socket) => void socket.setKeepAlive(true, KEEP_ALIVE_MS));
    request.on('error', (error: NodeJS.ErrnoException) => over({ kind: 'failed', why: `it cannot be reached (${error.code ?? 'the connection failed'})` }));
    request.on('response', (response) => {
      const away = redirectOf(response, base);
      if (away instanceof URL && redirects < REDIRECTS_MAX) {
        clearTimeout(timer);
        response.resume();
        if (!current.isOver) follow(outgoing, taker, current, away, redirects + 1);
        return;
      }
      if (away !== undefined) return over({ kind: 'failed', why: away instanceof URL ? 'it redirects without end' : away });
      live.add(response);
      response.on('close', () => live.delete(response)).on('data', () => void timer?.refresh());
      if (isPaused) response.pause();
      read(response, taker, over);
    });
    request.end(body);
  };
  return {
    open: (outgoing, taker) => {
      const current: { request?: http.ClientRequest; isOver: boolean } = { isOver: false };
      follow(outgoing, taker, current, base, 0);
      return { abort: () => {
        if (current.isOver) return;
        current.isOver = true;
        current.request?.destroy();
      } };
    },
    pause: () => { isPaused = true; for (const response of live) response.pause(); },
    resume: () => { isPaused = false; for (const response of live) response.resume(); },
    close: () => { agents.main.destroy(); agents.aside.destroy(); },
  };
}

/** Where the same request is to be made, or why it is not made anywhere else. Another scheme or port is another host. */
function redirectOf({ statusCode = 0, headers }: http.IncomingMessage, base: URL): URL | string | undefined {
  if (statusCode < 300 || statusCode >= 400) return undefined;
  const { location } = headers;
  const next = location !== undefined && URL.canParse(location, base.href) ? new URL(location, base) : undefined;
  if (next === undefined || next.origin !== base.origin) return `it points to another host${next === undefined ? '' : ` (${next.host.slice(0, 253)})`}, and the catalogue allows only its own`;
  return statusCode === 307 || statusCode === 308 ? next : `it redirects with ${statusCode}, which would change the request`;
}

function read(response: http.IncomingMessage, { onHead, onEvent }: Taker, over: (outcome: Outcome) => void): void {
  const { statusCode: status = 0, headers } = response;
  const packed = headers['content-encoding'];
  if (packed !== undefined && packed !== 'identity') return over({ kind: 'failed', why: 'its answer is packed, which was not asked for' });
  onHead(headers);
  const text = new StringDecoder('utf8');
  const isStream = status === 200 && /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
  const parts: string[] = [];
  let length = 0;
  const events = sseReader(onEvent, MESSAGE_BYTES_MAX);
  response.on('data', (chunk: Buffer) => {
    try {
      if (isStream) return events.push(text.write(chunk));
    } catch (error) {
      return over({ kind: 'failed', why: error instanceof Error ? error.message : 'it sent what cannot be read' });
    }
    length += chunk.length;
    if (length > MESSAGE_BYTES_MAX) return over({ kind: 'failed', why: `its answer is longer than ${MESSAGE_BYTES_MAX} bytes` });
    parts.push(text.write(chunk));
  });
  // `close` comes in every case, after `end` where there was one.
  response.on('error', () => undefined);
  response.on('close', () => {
    if (isStream) over({ kind: 'stream', retryMs: events.retryMs() });
    else if (response.complete) over({ kind: 'answer', status, body: parts.join('') });
    else over({ kind: 'failed', why: 'the connection ended within its answer' });
  });
}
