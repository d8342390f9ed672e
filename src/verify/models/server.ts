// Contract: a scripted model on the loopback interface, one API and one script per server. IO: the only file that listens.
// It takes requests only under a path prefix that nobody else on the machine knows and only for its own address, so that
// neither another user nor a web page can play a client's part. Bounded in requests, bytes and time.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isObject } from '../../model/json.ts';
import { recorder, type ModelRecord, type Recorder } from './record.ts';
import type { ModelApi, ModelScript, ReplyBody, Route } from './script.ts';

export const REQUESTS_MAX = 256;
export const REQUEST_BYTES_MAX = 8 * 1024 * 1024;
export const ALL_BYTES_MAX = 64 * 1024 * 1024;
export const REQUEST_MS_MAX = 30_000;
export const LIFETIME_MS_MAX = 10 * 60_000;
const CONNECTIONS_MAX = 32;
const ADDRESS = '127.0.0.1';

export interface ModelServerOptions {
  readonly api: ModelApi;
  readonly script: ModelScript;
  /** The path prefix: random, at least 16 characters of [0-9a-z] (Host.nonce). */
  readonly token: string;
  readonly limits?: Partial<ModelLimits>;
}

export interface ModelLimits {
  readonly requests: number;
  readonly requestBytes: number;
  readonly allBytes: number;
  readonly lifetimeMs: number;
}

export interface ModelServer {
  /** What the client's base URL is set to. */
  readonly url: string;
  readonly port: number;
  readonly record: () => ModelRecord;
  /** Ends every connection. Safe to call twice. */
  readonly close: () => Promise<void>;
}

interface Run {
  readonly api: ModelApi;
  readonly token: string;
  readonly limits: ModelLimits;
  readonly recorder: Recorder;
  port: number;
  requests: number;
  bytes: number;
}

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { api, script, token, limits } = options;
  if (!/^[0-9a-z]{16,128}$/.test(token)) throw new Error('the prefix of a model server must be 16 to 128 characters of [0-9a-z]');
  const run: Run = {
    api, token, recorder: recorder(script), port: 0, requests: 0, bytes: 0,
    limits: { requests: REQUESTS_MAX, requestBytes: REQUEST_BYTES_MAX, allBytes: ALL_BYTES_MAX, lifetimeMs: LIFETIME_MS_MAX, ...limits },
  };
  const server = createServer({ requestTimeout: REQUEST_MS_MAX, headersTimeout: REQUEST_MS_MAX, connectionsCheckingInterval: 1_000 }, (request, response) => {
    take(run, request, response);
  });
  server.maxConnections = CONNECTIONS_MAX;
  run.port = await listen(server);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= new Promise((resolve) => {
    clearTimeout(lifetime);
    server.close(() => resolve());
    server.closeAllConnections();
  }));
  const lifetime = setTimeout(() => {
    run.recorder.fault('the time of the model is over');
    void close();
  }, run.limits.lifetimeMs);
  lifetime.unref();
  return { url: `http://${ADDRESS}:${run.port}/${token}${api.basePath}`, port: run.port, record: run.recorder.record, close };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: ADDRESS, port: 0, exclusive: true }, () => {
      server.off('error', reject);
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('the model server has no port'));
    });
  });
}

/** Path below the prefix, without a query; undefined for a stranger. */
function pathOf(run: Run, request: IncomingMessage): string | undefined {
  const host = request.headers.host ?? '';
  if (host !== `${ADDRESS}:${run.port}` && host !== `localhost:${run.port}`) return undefined;
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  return path.startsWith(`/${run.token}/`) ? path.slice(run.token.length + 1) : undefined;
}

function take(run: Run, request: IncomingMessage, response: ServerResponse): void {
  response.on('error', () => undefined);
  const path = pathOf(run, request);
  if (path === undefined) {
    run.recorder.stranger();
    return refuse(run, response, 404, 'not found', request);
  }
  const method = request.method ?? '';
  const route = run.api.route(method === 'HEAD' ? 'GET' : method, path);
  run.requests += 1;
  const done = (status: number, tools: number): void => run.recorder.line({ method, path, route, status, tools });
  if (run.requests > run.limits.requests) {
    run.recorder.fault('too many requests');
    return refuse(run, response, 400, 'too many requests', request);
  }
  collect(run, request, (text) => answer(run, route, path, text, response, done), (why) => {
    run.recorder.fault(why);
    done(413, 0);
    refuse(run, response, 413, why, request);
  });
}

/** The body as text, or why it was not taken. Exactly one of the two is called, none where the client went away. */
function collect(run: Run, request: IncomingMessage, whole: (text: string) => void, drop: (why: string) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let over = false;
  request.on('error', () => { over = true; });
  request.on('data', (chunk: Buffer) => {
    if (over) return;
    size += chunk.length;
    run.bytes += chunk.length;
    if (size > run.limits.requestBytes || run.bytes > run.limits.allBytes) {
      over = true;
      drop(size > run.limits.requestBytes ? 'a request is too large' : 'the requests are too large together');
      return;
    }
    chunks.push(chunk);
  });
  request.on('end', () => {
    if (!over) whole(Buffer.concat(chunks).toString('utf8'));
  });
}

function answer(run: Run, route: Route, path: string, text: string, response: ServerResponse, done: (status: number, tools: number) => void): void {
  const { api } = run;
  if (route === 'count' || route === 'models') {
    done(200, 0);
    return send(response, 200, { type: 'application/json', parts: [JSON.stringify(route === 'count' ? api.count : api.models)] });
  }
  if (route === 'unknown') {
    done(404, 0);
    return send(response, 404, { type: 'application/json', parts: [JSON.stringify(api.error('this model does not know the path'))] });
  }
  const body = parsed(text);
  if (!isObject(body)) {
    run.recorder.fault('a request is not a JSON object');
    done(400, 0);
    return send(response, 400, { type: 'application/json', parts: [JSON.stringify(api.error('the request is not a JSON object'))] });
  }
  const turn = api.read(body, path);
  const reply = run.recorder.play(turn);
  done(200, turn.tools.length);
  send(response, 200, api.reply(reply, turn, run.requests));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: ReplyBody): void {
  response.writeHead(status, { 'content-type': body.type, 'cache-control': 'no-store' });
  for (const part of body.parts) response.write(part);
  response.end();
}

/** Answers without reading on, and ends the connection. */
function refuse(run: Run, response: ServerResponse, status: number, message: string, request: IncomingMessage): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(run.api.error(message)));
  request.resume();
  response.on('finish', () => request.socket.destroySoon());
}
