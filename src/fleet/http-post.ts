// Contract: one POST of one body, bounded in time and in what is read of the answer. No redirect is followed, no proxy asked, and nothing of the
// answer but its status, Retry-After and what a partial success says is kept. IO.
import * as http from 'node:http';
import * as https from 'node:https';
import { gzipSync } from 'node:zlib';

const POST_MS_MAX = 30_000;
const ANSWER_BYTES_MAX = 64 * 1024;

export interface PostAnswer {
  /** undefined: there was no answer. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** A word for why there was none: a code of the system or `timeout`. */
  readonly failure: string | undefined;
}

export type Post = (url: string, headers: Readonly<Record<string, string>>, body: string, gzip: boolean) => Promise<PostAnswer>;

export const post: Post = (url, headers, body, gzip) => new Promise((resolve) => {
  const bytes = gzip ? gzipSync(body) : Buffer.from(body, 'utf8');
  const door = url.startsWith('https:') ? https : http;
  const failed = (failure: string): void => resolve({ status: undefined, retryAfter: undefined, body: '', failure });
  const request = door.request(url, { method: 'POST', headers: { ...headers, 'content-length': String(bytes.length), ...(gzip ? { 'content-encoding': 'gzip' } : {}) }, agent: false, timeout: POST_MS_MAX }, (response) => {
    const chunks: Buffer[] = [];
    let left = ANSWER_BYTES_MAX;
    response.on('data', (chunk: Buffer) => {
      if (left > 0) chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) response.destroy();
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      clearTimeout(timer);
      resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'], body: Buffer.concat(chunks).toString('utf8'), failure: undefined });
    });
  });
  const timer = setTimeout(() => request.destroy(Object.assign(new Error(), { code: 'timeout' })), POST_MS_MAX);
  request.on('error', (error: NodeJS.ErrnoException) => { clearTimeout(timer); failed(error.code ?? 'unknown'); });
  request.end(bytes);
});
