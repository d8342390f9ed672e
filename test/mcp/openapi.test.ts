// An OpenAPI document behind `praetorctl mcp`: the real process against a real HTTP server, and the backend alone for what takes time.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import type { Catalogue, OpenapiUpstream, Operation } from '../../src/contract/catalogue-schema.ts';
import { compileOpenapi, draftOf } from '../../src/contract/openapi.ts';
import type { ToolDefinition } from '../../src/contract/pins.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { RESPONSE_BYTES_MAX } from '../../src/mcp/runtime/http-call.ts';
import { startOpenapi } from '../../src/mcp/runtime/openapi-upstream.ts';
import { ioOf, put, station, type Station } from '../hook/operator-support.ts';
import { buildHook } from '../hook/support.ts';
import { initialize, modernMeta, refusalOf, sha256, toolCall } from './support.ts';
import { guardedServer, type Wire } from './wire.ts';


interface Seen { readonly method: string; readonly url: string; readonly headers: Readonly<Record<string, string | string[] | undefined>>; readonly body: string }
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let base = '';
let seen: Seen[] = [];
/** What the service does with the next requests; afterwards it is well. */
let script: Answer[] = [];
const say = (status: number, body = '{"ok":true}', headers: Record<string, string> = {}): Answer => (response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
const silent: Answer = () => undefined;
const reset: Answer = (_response, request) => void request.socket.destroy();

beforeAll(async () => {
  buildHook();
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => { body += chunk; }).on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      (script.shift() ?? say(200))(response, request);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => { server.closeAllConnections(); server.close(); });
beforeEach(() => { seen = []; script = []; });

const DOCUMENT = {
  openapi: '3.1.0', info: { title: 'Payments', version: '1.0.0' }, security: [{ token: [] }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/payments/{id}': {
      get: { operationId: 'payments_get_payment', parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }, { in: 'query', name: 'expand', schema: { type: 'array', items: { type: 'string' } } }] },
      put: { operationId: 'payments_replace', parameters: [{ in: 'path', name: 'id', required: true }], requestBody: { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties: { memo: { type: 'string' } } } } } } },
    },
    '/refunds': { post: { operationId: 'payments_create_refund', parameters: [{ in: 'header', name: 'Idempotency-Key', required: true }], requestBody: { required: true, content: { 'application/json': { schema: { type: 'object', properties: { payment_id: { type: 'string' }, amount: { type: 'integer' } }, required: ['payment_id'] } } } } } },
    '/notes': { post: { operationId: 'payments_add_note', requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { text: { type: 'string' } } } } } } } },
  },
};
const TOKEN = 'Bearer very-secret-token';

// ---- the backend alone ----

interface Backend { readonly call: (name: string, given: JsonObject) => Promise<JsonObject>; readonly send: (message: JsonObject) => boolean; readonly lines: JsonObject[]; readonly end: () => Promise<number> }

function backend(change: (operation: Operation) => Operation = (operation) => operation, more: { env?: Record<string, string>; upstream?: Partial<OpenapiUpstream>; definitions?: (tool: ToolDefinition) => ToolDefinition; timeoutMs?: number } = {}): Backend {
  const compiled = compileOpenapi(DOCUMENT, sha256);
  if (typeof compiled === 'string') throw new Error(compiled);
  const upstream: OpenapiUpstream = { transport: 'openapi', baseUrl: base, allowedHosts: [new URL(base).host], headerEnv: { Authorization: 'PAYMENTS_AUTHORIZATION' }, ...more.upstream };
  const catalogue = { service: { id: 'payments', version: '1' }, operations: compiled.tools.map((tool) => change(draftOf('payments', tool, sha256).operation)), upstream } as unknown as Catalogue;
  const lines: JsonObject[] = [];
  const waiting = new Map<number, (response: JsonObject) => void>();
  let ended: (code: number) => void = () => undefined;
  const over = new Promise<number>((done) => { ended = done; });
  const link = startOpenapi({ catalogue, upstream, definitions: compiled.tools.map(({ tool }) => (more.definitions ?? ((one) => one))(tool)), env: more.env ?? { PAYMENTS_AUTHORIZATION: TOKEN }, sha256, timeoutMs: more.timeoutMs ?? 300 }, {
    onChunk: (chunk) => {
      for (const line of chunk.toString().trim().split('\n')) {
        const message = JSON.parse(line) as JsonObject;
        lines.push(message);
        waiting.get(message['id'] as number)?.(message);
      }
    },
    onDrain: () => undefined, onEnd: ended,
  });
  let id = 100;
  const send = (message: JsonObject): boolean => link.send(`${JSON.stringify(message)}\n`);
  return {
    lines, send,
    call: (name, given) => new Promise((done) => { waiting.set(++id, done); send(toolCall(id, name, given)); }),
    end: () => { link.end(); return over; },
  };
}

const textOf = (response: JsonObject): string => (response['result'] as { content: { text: string }[] }).content[0]!.text;

describe('what is sent again', () => {
  it.each<[string, () => Answer[], number]>([
    ['cv-115: a timeout of a read', () => [silent, say(200)], 2], ['a reset connection', () => [reset, say(200)], 2], ['503 twice', () => [say(503), say(503), say(200)], 3], ['429 with a short wait', () => [say(429, '', { 'retry-after': '0' }), say(200)], 2],
  ])('%s', async (_what, answers, attempts) => {
    script = answers();
    expect(textOf(await backend().call('payments_get_payment', { id: 'p' }))).toBe('{"ok":true}');
    expect(seen).toHaveLength(attempts);
  });

  it('cv-117: a key makes it safe, and stays the same', async () => {
    script = [say(503), say(200)];
    await backend().call('payments_create_refund', { payment_id: 'p', idempotency_key: 'k' });
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k']);
  });

  it('a key is made of the request where the catalogue says so', async () => {
    const derived = backend((operation) => (operation.idempotencyKey === undefined ? operation : { ...operation, idempotencyKey: { ...operation.idempotencyKey, derive: 'request_fingerprint' } }));
    script = [reset, say(200)];
    for (const amount of [1, 1, 2]) await derived.call('payments_create_refund', { payment_id: 'p', amount });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 0, 3]);
  });

  it.each<[string, string, JsonObject, () => Answer[], string, boolean]>([
    ['a mutation without a key: never', 'payments_add_note', { text: 'x' }, () => [say(503)], 'upstream_unavailable', false], ['a mutation that timed out: never', 'payments_add_note', { text: 'x' }, () => [silent], 'upstream_timeout', false],
    ['a wait longer than 20 s ends it', 'payments_get_payment', { id: 'p' }, () => [say(503, '{}', { 'retry-after': '21' })], 'upstream_unavailable', true], ['400 is an answer', 'payments_get_payment', { id: 'p' }, () => [say(400)], 'validation_error', true],
    ['501 is an answer', 'payments_get_payment', { id: 'p' }, () => [say(501)], 'upstream_unavailable', true],
  ])('%s', async (_what, name, given, answers, code, safe) => {
    script = answers();
    expect(refusalOf(await backend().call(name, given))).toMatchObject({ code, safe_to_retry: safe });
    expect(seen).toHaveLength(1);
  });

  it('at most two more times', async () => {
    script = [say(500), say(502), say(504), say(200)];
    expect(refusalOf(await backend().call('payments_get_payment', { id: 'p' }))).toMatchObject({ code: 'upstream_timeout', details: { status: 504, attempts: 3 } });
    expect(seen).toHaveLength(3);
  });
});

describe('where it goes', () => {
  it('cv-119: a redirect to another host is refused, and nothing reaches it', async () => {
    const other = createServer((_request, response) => { seen.push({ method: 'other', url: '', headers: {}, body: '' }); response.end(); });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const port = (other.address() as AddressInfo).port;
    for (const location of ['https://evil.example.test/', `http://127.0.0.1:${port}/`, '//evil.example.test/x', 'file:///etc/passwd', 'http://[']) {
      script = [say(302, '', { location })];
      expect(refusalOf(await backend().call('payments_get_payment', { id: 'p' })), location).toMatchObject({ code: 'policy_denied', details: { reason: 'host_not_allowed' } });
    }
    other.close();
    expect(seen.every(({ method }) => method === 'GET')).toBe(true);
    expect(seen).toHaveLength(5);
  });

  it('a read follows on its host, a mutation does not, and none goes round', async () => {
    script = [say(307, '', { location: '/moved' })];
    expect(textOf(await backend().call('payments_get_payment', { id: 'p' }))).toBe('{"ok":true}');
    expect(seen[1]).toMatchObject({ url: '/moved', headers: { authorization: TOKEN } });
    script = [say(307, '', { location: '/moved' })];
    expect(refusalOf(await backend().call('payments_add_note', { text: 'x' }))).toMatchObject({ details: { status: 307 } });
    script = Array.from({ length: 20 }, () => say(302, '', { location: '/round' }));
    expect(refusalOf(await backend().call('payments_get_payment', { id: 'p' }))).toMatchObject({ details: { status: 302 } });
    expect(seen.length).toBeLessThan(10);
  });

  it('cv-121: a path parameter stays in its segment on the wire; a host that is not listed is not called', async () => {
    await backend().call('payments_get_payment', { id: '../admin?x=1#', expand: ['a', 'b'] });
    expect(seen.map(({ url }) => url)).toEqual(['/payments/..%2Fadmin%3Fx%3D1%23?expand=a&expand=b']);
    expect(refusalOf(await backend(undefined, { upstream: { allowedHosts: ['127.0.0.1'] } }).call('payments_get_payment', { id: 'p' }))).toMatchObject({ code: 'policy_denied', details: { reason: 'host_not_allowed' } });
    expect(refusalOf(await backend().call('payments_get_payment', { id: '..' }))).toMatchObject({ code: 'validation_error' });
    expect(seen).toHaveLength(1);
  });
});

describe('what it holds and shows', () => {
  it('a credential that is missing is named, and nothing is sent', async () => {
    expect(refusalOf(await backend(undefined, { env: {} }).call('payments_get_payment', { id: 'p' }))).toMatchObject({ code: 'auth_required', required: ['PAYMENTS_AUTHORIZATION'] });
    expect(seen).toEqual([]);
  });

  it('what the service echoes of a credential does not come back', async () => {
    script = [say(200, JSON.stringify({ echo: TOKEN, bare: 'very-secret-token' })), say(403, JSON.stringify({ token: 'very-secret-token' }))];
    const one = backend();
    const texts = [textOf(await one.call('payments_get_payment', { id: 'p' })), textOf(await one.call('payments_get_payment', { id: 'p' }))];
    expect(texts.join()).not.toContain('very-secret-token');
    expect(texts[0]).toBe('{"echo":"[redacted]","bare":"[redacted]"}');
  });

  it('bodies: a form, JSON, none; answers: bounded, bytes are counted, nothing is said', async () => {
    script = [say(204, ''), say(200, 'x'.repeat(RESPONSE_BYTES_MAX + 5)), (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(7))];
    const one = backend();
    expect(textOf(await one.call('payments_replace', { id: 'p', memo: 'a&b=c' }))).toBe('204: it was done, and says no more.');
    expect(seen[0]).toMatchObject({ method: 'PUT', body: 'memo=a%26b%3Dc', headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    const long = textOf(await one.call('payments_get_payment', { id: 'p' }));
    expect({ length: long.length < RESPONSE_BYTES_MAX + 100, end: long.endsWith(`[cut after ${RESPONSE_BYTES_MAX} bytes]`) }).toEqual({ length: true, end: true });
    expect(textOf(await one.call('payments_get_payment', { id: 'p' }))).toBe('[7 bytes of image/png]');
    await one.call('payments_add_note', { text: 'ü' });
    expect(seen[3]).toMatchObject({ body: '{"text":"ü"}', headers: { 'content-type': 'application/json' } });
  });

  it('a tool whose text does not say the request of the catalogue is not there', async () => {
    const one = backend((operation) => (operation.request === undefined ? operation : { ...operation, request: { ...operation.request, path: '/admin' } }));
    one.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await one.call('payments_get_payment', { id: 'p' })).toMatchObject({ error: { code: -32602 } });
    expect(one.lines[0]).toMatchObject({ result: { tools: [] } });
    expect(seen).toEqual([]);
  });

  it('a cancelled call is not answered; many calls at once all are; the end waits for what runs', async () => {
    // Two hundred calls at once take longer than the short wait of the other tests where the machine is busy.
    const one = backend(undefined, { timeoutMs: 60_000 });
    script = [silent];
    one.send(toolCall(1, 'payments_get_payment', { id: 'p' }));
    while (seen.length === 0) await new Promise((done) => setTimeout(done, 5));
    one.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    const all = await Promise.all(Array.from({ length: 200 }, (_, i) => one.call('payments_get_payment', { id: String(i) })));
    console.error(JSON.stringify([...new Set(all.map((m) => textOf(m)))]));
    expect(all.filter((message) => textOf(message) === '{"ok":true}')).toHaveLength(200);
    const last = one.call('payments_get_payment', { id: 'last' });
    expect(await one.end()).toBe(0);
    expect(textOf(await last)).toBe('{"ok":true}');
    expect(one.lines.some(({ id }) => id === 1)).toBe(false);
  });
});

// ---- the whole ----

const running: ChildProcessWithoutNullStreams[] = [];
afterEach(() => { for (const child of running.splice(0)) child.kill('SIGKILL'); });

async function imported(): Promise<Station> {
  const at = station();
  put(join(at.workspace, 'payments.json'), JSON.stringify(DOCUMENT));
  const person = { inIsTty: true, errIsTty: true, ask: () => Promise.resolve('y') };
  for (const words of [['import', 'payments', '--openapi', 'payments.json', '--base-url', base], ['approve', 'payments', '--all'], ['lint']]) expect(await runCli(['contract', ...words], ioOf(at, person))).toBe(0);
  return at;
}

const guarded = (at: Station, env: Record<string, string> = { PAYMENTS_AUTHORIZATION: TOKEN }): Wire => guardedServer(at, 'payments', env, running);

describe('praetorctl mcp with an OpenAPI catalogue', () => {
  it('lists what is approved, asks for what is missing, plans, and does it once', async () => {
    const wire = guarded(await imported());
    expect(await wire.ask(initialize())).toMatchObject({ result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'payments' } } });
    expect(await wire.ask({ jsonrpc: '2.0', id: 1, method: 'server/discover' })).toMatchObject({ error: { code: -32601 } });
    const { tools } = (await wire.ask({ jsonrpc: '2.0', id: 2, method: 'tools/list' }))['result'] as { tools: { name: string; inputSchema: { properties: JsonObject }; annotations: JsonObject }[] };
    expect(tools.map(({ name }) => name).sort()).toEqual(['payments_add_note', 'payments_create_refund', 'payments_get_payment', 'payments_replace']);
    expect(tools.find(({ name }) => name === 'payments_create_refund')).toMatchObject({ inputSchema: { properties: { confirm: {}, idempotency_key: {}, dry_run: {} } }, annotations: { openWorldHint: false, readOnlyHint: false } });
    const refund = (id: number, more: JsonObject): Promise<JsonObject> => wire.ask(toolCall(id, 'payments_create_refund', { payment_id: 'p', ...more }));
    expect(refusalOf(await refund(3, {}))).toMatchObject({ code: 'confirmation_required', required: ['confirm', 'idempotency_key'] });
    const plan = JSON.parse(textOf(await refund(4, { dry_run: true, idempotency_key: 'k' }))) as JsonObject;
    expect(plan).toMatchObject({ dry_run: true, request: { method: 'POST', url: `${base}/refunds`, headers: { authorization: '[from PAYMENTS_AUTHORIZATION]', 'idempotency-key': 'k' }, body: '{"payment_id":"p"}' } });
    expect(seen).toEqual([]);
    expect(textOf(await refund(5, { confirm: true, idempotency_key: 'k' }))).toBe('{"ok":true}');
    expect(textOf(await refund(6, { confirm: true, idempotency_key: 'k' }))).toBe('{"ok":true}');
    expect(seen).toMatchObject([{ method: 'POST', url: '/refunds', body: '{"payment_id":"p"}', headers: { 'idempotency-key': 'k', authorization: TOKEN } }]);
    expect(refusalOf(await wire.ask(toolCall(7, 'payments_get_payment', { id: 'p', nope: 1 })))).toMatchObject({ code: 'validation_error', details: { reason: 'unknown_argument' } });
    expect(refusalOf(await wire.ask(toolCall(8, 'payments_get_payment', {})))).toMatchObject({ code: 'validation_error', details: { reason: 'missing_argument' } });
    wire.child.stdin.end();
    expect(await wire.ended).toBe(0);
    expect(wire.err()).not.toContain('very-secret-token');
  });

  it('speaks the protocol of 2026-07-28 to a client that opens in it', async () => {
    const wire = guarded(await imported());
    const modern = (id: number, method: string, params: JsonObject = {}, capabilities: JsonObject = {}): Promise<JsonObject> => wire.ask({ jsonrpc: '2.0', id, method, params: { ...params, ...modernMeta(capabilities) } });
    const frame = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'payments' } } };
    expect(await modern(1, 'server/discover')).toMatchObject({ result: { ...frame, supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, cacheScope: 'private' } });
    expect(await modern(2, 'tools/list')).toMatchObject({ result: { ...frame, cacheScope: 'private', ttlMs: 60_000 } });
    expect(await modern(3, 'tools/call', { name: 'payments_get_payment', arguments: { id: 'p' } })).toMatchObject({ result: { ...frame, content: [{ text: '{"ok":true}' }] } });
    expect(refusalOf(await modern(4, 'tools/call', { name: 'payments_create_refund', arguments: { payment_id: 'p' } }))).toMatchObject({ code: 'confirmation_required', required: ['confirm', 'idempotency_key'] });
    expect(await modern(5, 'ping')).toMatchObject({ error: { code: -32601 } });
    const other = { _meta: { ...modernMeta({})['_meta'] as JsonObject, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } };
    expect(await wire.ask({ jsonrpc: '2.0', id: 6, method: 'server/discover', params: other })).toMatchObject({ error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } } });
    expect(seen).toHaveLength(1);
    wire.child.stdin.end();
    expect(await wire.ended).toBe(0);
  });

  it('does not start without the tools that were approved', async () => {
    const at = await imported();
    rmSync(join(at.state, 'definitions'), { recursive: true });
    const wire = guarded(at);
    expect(await wire.ended).toBe(1);
    expect(wire.err()).toContain('praetorctl contract import payments --openapi FILE');
  });
});
