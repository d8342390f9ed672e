// A server over streamable HTTP behind `praetorctl mcp`: import and the real process against a real HTTP server, and the upstream alone
// for what takes time or breaks.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { addressFault } from '../../src/contract/address.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { headerValue, markedArguments } from '../../src/mcp/http-headers.ts';
import { startStreamable, type StreamableOptions } from '../../src/mcp/runtime/streamable-upstream.ts';
import { sseReader, type SseEvent } from '../../src/mcp/sse.ts';
import { ioOf, put, station, type Station } from '../hook/operator-support.ts';
import { buildHook } from '../hook/support.ts';
import { TOOLS, event, httpLab, json, stream, type HttpLab } from './http-lab.ts';
import { initialize, modernMeta, refusalOf, toolCall } from './support.ts';
import { guardedServer, type Wire } from './wire.ts';

const TOKEN = 'Bearer very-secret-token';
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

let lab: HttpLab;
beforeAll(buildHook);
beforeEach(async () => { lab = await httpLab(); });
afterEach(() => lab.close());

const until = async (test: () => boolean): Promise<void> => {
  for (let i = 0; !test(); i++) {
    if (i > 1_000) throw new Error(`it did not come to be: ${test.toString()}`);
    await new Promise((done) => setTimeout(done, 10));
  }
};

// ---- the pure parts ----

describe('the stream of events', () => {
  it.each([1, 2, 3, 7, 1_000])('is the same in pieces of %i characters', (size) => {
    const text = '\ufeff: comment\r\nid: 1\r\ndata\r\n\r\nretry: 250\nevent: message\ndata: {"a":\ndata: 1}\n\rdata:b\r\rdata: not whole\n';
    const events: SseEvent[] = [];
    const reader = sseReader((one) => events.push(one), 1_000);
    for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
    expect(events).toEqual([{ id: '1', type: 'message', data: '' }, { id: undefined, type: 'message', data: '{"a":\n1}' }, { id: undefined, type: 'message', data: 'b' }]);
    expect(reader.retryMs()).toBe(250);
  });

  it('one long line in many pieces costs what its length costs', () => {
    const events: SseEvent[] = [];
    const reader = sseReader((one) => events.push(one), 64 * 1024 * 1024);
    const piece = 'x'.repeat(1_024);
    const startMs = performance.now();
    reader.push('data: ');
    for (let i = 0; i < 40_000; i++) reader.push(piece);
    reader.push('\r');
    reader.push('\n\n');
    expect(events.map(({ data }) => data.length)).toEqual([40_000 * 1_024]);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });

  it('is bounded: an event without end, in one line or in many', () => {
    expect(() => sseReader(() => undefined, 100).push(`data: ${'x'.repeat(200)}`)).toThrow(RangeError);
    const reader = sseReader(() => undefined, 100);
    expect(() => { for (let i = 0; i < 50; i++) reader.push('data: xxxxxxxxxx\n'); }).toThrow(RangeError);
  });
});

describe('headers', () => {
  it.each([['us-west1', 'us-west1'], ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='], [' padded ', '=?base64?IHBhZGRlZCA=?='], ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='], ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=']])('%j as the specification has it', (value, header) => {
    expect(headerValue(value)).toBe(header);
  });

  it('marks count only where the specification lets them stand', () => {
    const of = (properties: JsonObject): unknown => markedArguments({ type: 'object', properties });
    expect(of({ a: { type: 'object', properties: { b: { type: 'integer', 'x-mcp-header': 'B' } } } })).toEqual([{ path: ['a', 'b'], header: 'Mcp-Param-B' }]);
    expect(of({ a: { type: 'string', default: 'x-mcp-header' } })).toEqual([]);
    for (const bad of [{ type: 'number', 'x-mcp-header': 'A' }, { type: 'string', 'x-mcp-header': 'a\r\nB: c' }, { type: 'string', 'x-mcp-header': '' }, { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } }, { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] }]) expect(of({ a: bad })).toBeUndefined();
    expect(of({ a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } })).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    ['https://mcp.example.com/mcp?tenant=a', undefined], ['http://localhost:1/mcp', undefined], ['http://[::1]:1/mcp', undefined], ['http://127.0.0.9/', undefined], ['http://example.com/', 'https'], ['http://localhost.example.com/', 'https'],
    ['https://a:b@example.com/', 'password'], ['https://example.com/?api_key=1', 'credential'], ['https://example.com/#a', 'fragment'], ['ftp://localhost/', 'https'], ['nothing', 'no address'],
  ])('the address %s', (address, fault) => {
    if (fault === undefined) expect(addressFault(address)).toBeUndefined();
    else expect(addressFault(address)).toContain(fault);
  });
});

// ---- the upstream alone ----

interface Link { readonly lines: JsonObject[]; readonly logs: string[]; readonly send: (message: JsonObject) => void; readonly answer: (id: number) => Promise<JsonObject>; readonly end: () => void; readonly ended: Promise<[number, string | undefined]>; readonly link: ReturnType<typeof startStreamable> }

function connect(more: Partial<StreamableOptions> & { url?: string } = {}): Link {
  const lines: JsonObject[] = [];
  const logs: string[] = [];
  let ended: (value: [number, string | undefined]) => void = () => undefined;
  const over = new Promise<[number, string | undefined]>((done) => { ended = done; });
  const url = more.url ?? lab.url;
  const link = startStreamable({
    upstream: { transport: 'http', url, allowedHosts: [new URL(url).host], headerEnv: {} }, env: {}, log: (line) => logs.push(line), ...more,
    limits: { shortMs: 500, answerMs: 2_000, retryMs: 20, aliveMs: 10_000, leaveMs: 100, ...more.limits },
  }, {
    onChunk: (chunk) => { for (const line of chunk.toString().trimEnd().split('\n')) lines.push(JSON.parse(line) as JsonObject); },
    onDrain: () => undefined, onEnd: (code, why) => ended([code, why]),
  });
  const answer = async (id: number): Promise<JsonObject> => {
    await until(() => lines.some((line) => line['id'] === id && line['method'] === undefined));
    return lines.find((line) => line['id'] === id && line['method'] === undefined)!;
  };
  return { lines, logs, link, answer, ended: over, send: (message) => void link.send(`${JSON.stringify(message)}\n`), end: link.end };
}

async function opened(more: Partial<StreamableOptions> = {}): Promise<Link> {
  const link = connect(more);
  link.send(initialize());
  link.send(INITIALIZED);
  await link.answer(0);
  await until(() => lab.own !== undefined);
  return link;
}

const errorOf = (message: JsonObject): { code: number; message: string } => message['error'] as { code: number; message: string };

describe('a session of 2025-11-25', () => {
  it.each([['JSON', false], ['streams', true]])('with answers as %s: id and version on every request, the end is told', async (_what, streams) => {
    lab.streams = streams;
    const one = await opened();
    one.send(toolCall(1, 'notes_read', { id: 'a' }));
    expect(await one.answer(1)).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'did notes_read: ü€😀' }] } });
    const [session] = [...lab.sessions];
    one.end();
    expect(await one.ended).toEqual([0, undefined]);
    expect(lab.asked.map(({ method, message }) => `${method} ${String(message?.['method'] ?? '')}`)).toEqual(['POST initialize', 'POST notifications/initialized', 'GET ', 'POST tools/call', 'DELETE ']);
    expect(lab.asked.slice(1).map(({ headers }) => [headers['mcp-session-id'], headers['mcp-protocol-version']])).toEqual(Array.from({ length: 4 }, () => [session, '2025-11-25']));
    expect(lab.asked[0]?.headers).toMatchObject({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' });
    expect(lab.asked[0]?.headers['mcp-session-id']).toBeUndefined();
    expect(lab.sessions.size).toBe(0);
  });

  it('what follows the handshake does not overtake it', async () => {
    lab.takeover = ({ message }, response) => {
      if (message?.['method'] !== 'notifications/initialized') return false;
      setTimeout(() => response.writeHead(202).end(), 100);
      return true;
    };
    const one = connect();
    for (const message of [initialize(), INITIALIZED, toolCall(1, 'notes_read', {})]) one.send(message);
    await one.answer(1);
    expect(lab.asked.filter(({ method }) => method === 'POST').map(({ message }) => message?.['method'])).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
    one.end();
  });

  it("the server's own messages come, and answers to them go back", async () => {
    const one = await opened();
    lab.own!.write(event({ jsonrpc: '2.0', id: 'q', method: 'roots/list' }));
    await until(() => one.lines.some(({ method }) => method === 'roots/list'));
    one.send({ jsonrpc: '2.0', id: 'q', result: { roots: [] } });
    await until(() => lab.asked.some(({ message }) => message?.['id'] === 'q'));
    one.end();
    await one.ended;
  });

  it('a server without a stream of its own (405) is asked once', async () => {
    lab.takeover = ({ method }, response) => method === 'GET' && response.writeHead(405).end() !== undefined;
    const one = connect();
    for (const message of [initialize(), INITIALIZED, toolCall(1, 'notes_read', {})]) one.send(message);
    await one.answer(1);
    await new Promise((done) => setTimeout(done, 100));
    expect(lab.asked.filter(({ method }) => method === 'GET')).toHaveLength(1);
    expect(one.logs).toEqual([]);
    one.end();
  });

  it('a stream of its own that breaks off is opened again from where it was, and not for ever', async () => {
    const one = await opened();
    lab.own!.end(event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }, 'e1'));
    await until(() => lab.asked.filter(({ method }) => method === 'GET').length === 2);
    expect(lab.asked.at(-1)?.headers['last-event-id']).toBe('e1');
    lab.takeover = ({ method }, response) => method === 'GET' && stream(response).end() !== undefined;
    lab.own!.end();
    await until(() => one.logs.length > 0);
    expect(one.logs).toEqual([expect.stringContaining('again and again')]);
    expect(lab.asked.filter(({ method }) => method === 'GET').length).toBeLessThan(9);
    one.end();
  });

  it('an answer whose stream breaks off is taken up again; without a place to go on from it is an error', async () => {
    const one = await opened();
    lab.takeover = ({ method, message, headers }, response) => {
      if (message?.['id'] === 1) return stream(response).end('retry: 30\nid: p0\ndata:\n\n') !== undefined;
      if (message?.['id'] === 2) return stream(response).end(event({ jsonrpc: '2.0', method: 'notifications/progress', params: {} })) !== undefined;
      if (method !== 'GET') return false;
      return stream(response).end(headers['last-event-id'] === 'p0' ? event({ jsonrpc: '2.0', id: 1, result: { content: [] } }, 'p1') : '') !== undefined;
    };
    one.send(toolCall(1, 'notes_read', {}));
    expect(await one.answer(1)).toMatchObject({ result: { content: [] } });
    one.send(toolCall(2, 'notes_read', {}));
    expect(errorOf(await one.answer(2)).message).toContain('ended its stream without an answer');
    one.end();
  });

  it('resumption is bounded', async () => {
    const one = await opened();
    lab.takeover = ({ method, message }, response) => (message?.['id'] === 1 || method === 'GET') && stream(response).end(message?.['id'] === 1 ? 'id: p0\ndata:\n\n' : '') !== undefined;
    one.send(toolCall(1, 'notes_read', {}));
    await one.answer(1);
    expect(lab.asked.filter(({ headers }) => headers['last-event-id'] === 'p0').length).toBeLessThanOrEqual(6);
    one.end();
  });

  it('a cancellation is told to the server, and its stream is let go', async () => {
    const one = await opened();
    let isClosed = false;
    lab.takeover = ({ message }, response) => {
      if (message?.['id'] !== 1) return false;
      stream(response).on('close', () => { isClosed = true; });
      return true;
    };
    one.send(toolCall(1, 'notes_read', {}));
    await until(() => lab.asked.some(({ message }) => message?.['id'] === 1));
    one.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await until(() => isClosed);
    expect(lab.asked.some(({ message }) => message?.['method'] === 'notifications/cancelled')).toBe(true);
    expect(one.lines.some(({ id }) => id === 1)).toBe(false);
    one.end();
  });

  it('a session that the server forgot: every open request gets an error, and the upstream is over', async () => {
    const one = await opened();
    lab.takeover = ({ message }) => message?.['id'] === 1;
    one.send(toolCall(1, 'notes_read', {}));
    await until(() => lab.asked.some(({ message }) => message?.['id'] === 1));
    lab.sessions.clear();
    one.send(toolCall(2, 'notes_read', {}));
    expect(await one.ended).toEqual([1, undefined]);
    expect([1, 2].map((id) => errorOf(one.lines.find((line) => line['id'] === id)!).message)).toEqual(Array.from({ length: 2 }, () => 'praetorctl: the server has ended the session'));
    expect(one.logs).toEqual(['the server has ended the session']);
  });
});

describe('what goes wrong', () => {
  it.each<[string, Parameters<typeof connect>[0], string]>([
    ['http to another machine', { url: 'http://example.com/mcp' }, 'neither https nor on this machine'],
    ['a variable that is not set', { upstream: { transport: 'http', url: 'http://127.0.0.1:1/', allowedHosts: ['127.0.0.1:1'], headerEnv: { Authorization: 'NOTES_AUTHORIZATION' } } }, 'NOTES_AUTHORIZATION must hold'],
    ['a value that would be two headers', { upstream: { transport: 'http', url: 'http://127.0.0.1:1/', allowedHosts: ['127.0.0.1:1'], headerEnv: { Authorization: 'A' } }, env: { A: 'x\r\nB: c' } }, 'A must hold'],
    ['a header of the protocol', { upstream: { transport: 'http', url: 'http://127.0.0.1:1/', allowedHosts: ['127.0.0.1:1'], headerEnv: { 'MCP-Session-Id': 'A' } }, env: { A: 'x' } }, 'own'],
    ['a host that is not allowed', { upstream: { transport: 'http', url: 'http://127.0.0.1:1/', allowedHosts: ['127.0.0.1:2'], headerEnv: {} } }, 'not one of the allowed'],
  ])('%s: nothing is sent', async (_what, options, why) => {
    const one = connect(options);
    one.send(initialize());
    expect(await one.ended).toEqual([1, expect.stringContaining(why)]);
    expect(lab.asked).toEqual([]);
  });

  it('a redirect is followed on its host with the same request, and nowhere else', async () => {
    const other = await httpLab();
    const upstream = { transport: 'http' as const, url: lab.url, allowedHosts: [new URL(lab.url).host], headerEnv: { Authorization: 'A' } };
    const one = await opened({ upstream, env: { A: TOKEN } });
    const to = (status: number, location: string) => { lab.takeover = ({ url }, response) => url === '/mcp' && response.writeHead(status, { location }).end() !== undefined; };
    to(307, '/mcp/');
    one.send(toolCall(1, 'notes_read', {}));
    expect(await one.answer(1)).toHaveProperty('result');
    to(307, other.url);
    one.send(toolCall(2, 'notes_read', {}));
    expect(errorOf(await one.answer(2)).message).toContain('points to another host');
    to(302, '/mcp/');
    one.send(toolCall(3, 'notes_read', {}));
    expect(errorOf(await one.answer(3)).message).toContain('would change the request');
    to(307, '/mcp');
    one.send(toolCall(4, 'notes_read', {}));
    expect(errorOf(await one.answer(4)).message).toContain('without end');
    expect(other.asked).toEqual([]);
    one.end();
    other.close();
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['silence', () => undefined, 'said nothing'], ['a reset', (response) => void response.socket?.destroy(), 'cannot be reached'], ['no JSON', (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'), 'answered 200'],
    ['another answer', (response) => json(response, { jsonrpc: '2.0', id: 99, result: {} }), 'something else'], ['half of an answer', (response) => { response.writeHead(200, { 'content-length': '100' }); response.write('{'); setTimeout(() => response.socket?.destroy(), 20); }, 'within its answer'],
    ['a packed answer', (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'), 'packed'], ['401', (response) => void response.writeHead(401).end(), 'another credential (401)'], ['500', (response) => void response.writeHead(500).end('oh'), 'answered 500'],
    ['an error of the protocol', (response) => json(response, { jsonrpc: '2.0', id: null, error: { code: -32602, message: 'no such thing' } }, {}, 400), 'no such thing'],
  ])('%s is an error of the request, and the next one goes on', async (_what, answer, text) => {
    const one = await opened();
    lab.takeover = ({ message }, response) => { if (message?.['id'] !== 1) return false; answer(response); return true; };
    one.send(toolCall(1, 'notes_read', {}));
    expect(errorOf(await one.answer(1)).message).toContain(text);
    one.send(toolCall(2, 'notes_read', {}));
    expect(await one.answer(2)).toHaveProperty('result');
    one.end();
    expect(await one.ended).toEqual([0, undefined]);
  });

  it('1,000 requests in flight each get their answer; a client that does not read holds the server back', async () => {
    const one = await opened();
    one.link.pause();
    for (let i = 1; i <= 1_000; i++) one.send(toolCall(i, 'notes_read', { id: String(i) }));
    await new Promise((done) => setTimeout(done, 200));
    expect(one.lines).toHaveLength(1);
    one.link.resume();
    await until(() => one.lines.length === 1_001);
    one.end();
    expect(await one.ended).toEqual([0, undefined]);
  });
});

describe('the protocol of 2026-07-28', () => {
  const modern = (id: number, method: string, params: JsonObject = {}): JsonObject => ({ jsonrpc: '2.0', id, method, params: { ...params, ...modernMeta({}) } });

  it('has its headers, no session, no stream of its own, and arguments that the schema marks', async () => {
    const one = connect();
    one.send(modern(1, 'server/discover'));
    one.send(modern(2, 'tools/list'));
    await one.answer(2);
    one.send(modern(3, 'tools/call', { name: 'notes_read', arguments: { id: 'ü' } }));
    await one.answer(3);
    expect(lab.asked.map(({ headers }) => [headers['mcp-protocol-version'], headers['mcp-method'], headers['mcp-name'], headers['mcp-param-id'], headers['mcp-session-id']])).toEqual([
      ['2026-07-28', 'server/discover', undefined, undefined, undefined], ['2026-07-28', 'tools/list', undefined, undefined, undefined], ['2026-07-28', 'tools/call', 'notes_read', '=?base64?w7w=?=', undefined],
    ]);
    one.send(modern(4, 'tools/call', { name: 'notes_bad', arguments: {} }));
    expect(errorOf(await one.answer(4)).message).toContain('not allowed');
    expect(lab.asked).toHaveLength(3);
    one.end();
    expect(await one.ended).toEqual([0, undefined]);
    expect(lab.asked.filter(({ method }) => method !== 'POST')).toEqual([]);
  });

  it('the end of the stream is the cancellation', async () => {
    const one = connect();
    let isClosed = false;
    lab.takeover = (_asked, response) => { stream(response).on('close', () => { isClosed = true; }); return true; };
    one.send(modern(1, 'tools/call', { name: 'notes_read', arguments: {} }));
    await until(() => lab.asked.length === 1);
    one.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await until(() => isClosed);
    expect(lab.asked).toHaveLength(1);
    one.end();
    await one.ended;
  });

  it('a server of an earlier protocol answers the probe so that the client goes on with initialize', async () => {
    for (const status of [400, 404, 405]) {
      lab.takeover = ({ message }, response) => message?.['method'] === 'server/discover' && response.writeHead(status).end('no') !== undefined;
      const one = connect();
      one.send(modern(1, 'server/discover'));
      expect(errorOf(await one.answer(1)).code).toBe(-32601);
      one.end();
    }
  });

  it('changes come on the stream that listens, which ends with the client', async () => {
    const one = connect();
    let listening: ServerResponse | undefined;
    lab.takeover = ({ message }, response) => { if (message?.['method'] !== 'subscriptions/listen') return false; listening = stream(response); return true; };
    one.send(modern(1, 'subscriptions/listen'));
    await until(() => listening !== undefined);
    listening!.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
    await until(() => one.lines.length === 1);
    one.end();
    expect(await one.ended).toEqual([0, undefined]);
  });
});

// ---- the whole ----

const running: ChildProcessWithoutNullStreams[] = [];
afterEach(() => { for (const child of running.splice(0)) child.kill('SIGKILL'); });

const guarded = (at: Station, env: Record<string, string>): Wire => guardedServer(at, 'notes', env, running);

interface Said { readonly code: number; readonly out: string; readonly err: string }

async function say(at: Station, words: string[], env: Record<string, string> = {}, answer = 'y'): Promise<Said> {
  let out = '';
  let err = '';
  const code = await runCli(words, ioOf(at, { inIsTty: true, errIsTty: true, ask: () => Promise.resolve(answer), out: (text) => { out += text; }, err: (text) => { err += text; } }, env));
  return { code, out, err };
}

describe('praetorctl with a server over HTTP', () => {
  it('import shows the address and asks before it connects; no value of a header goes into the catalogue', async () => {
    const at = station();
    put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { notes: { type: 'http', url: lab.url, headers: { Authorization: 'Bearer ${NOTES_TOKEN}', 'X-Team': '${TEAM}' } } } }));
    const path = join(at.root, 'config/contracts/notes.json');
    const no = await say(at, ['contract', 'import', 'notes'], { NOTES_TOKEN: 'very-secret-token', TEAM: 'a' }, 'n');
    expect({ code: no.code, shown: no.err.includes(`as Claude Code does, to read its list of tools:\n  ${lab.url}`), asked: lab.asked }).toEqual({ code: 130, shown: true, asked: [] });
    const missing = await say(at, ['contract', 'import', 'notes'], { TEAM: 'a' });
    expect({ code: missing.code, err: missing.err.includes('needs NOTES_AUTHORIZATION in the environment') }).toEqual({ code: 64, err: true });
    const yes = await say(at, ['contract', 'import', 'notes'], { NOTES_TOKEN: 'very-secret-token', TEAM: 'a' });
    expect(yes).toMatchObject({ code: 0, out: expect.stringContaining('3 operations (2 read, 1 change things)') as string });
    expect(yes.out).toContain('NOTES_AUTHORIZATION must hold the whole value of the header Authorization');
    expect(lab.asked[0]?.headers).toMatchObject({ authorization: TOKEN, 'x-team': 'a' });
    expect(lab.sessions.size).toBe(0);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('very-secret');
    expect(JSON.parse(text)).toMatchObject({ upstream: { transport: 'http', url: lab.url, allowedHosts: [new URL(lab.url).host], headerEnv: { Authorization: 'NOTES_AUTHORIZATION', 'X-Team': 'TEAM' } } });
  });

  it.each([['an address of another machine without TLS', 'http://example.com/mcp', 'neither https'], ['a credential in the address', 'https://example.com/?token=very-secret', 'looks like a credential']])('import refuses %s', async (_what, url, text) => {
    const at = station();
    put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { notes: { type: 'http', url } } }));
    const said = await say(at, ['contract', 'import', 'notes']);
    expect({ code: said.code, err: said.err.includes(text), secret: said.err.includes('very-secret') }).toEqual({ code: 64, err: true, secret: false });
  });

  it('lists and lets pass what is approved, in front of the real server; another address has to be approved again', async () => {
    const at = station();
    put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { notes: { type: 'http', url: lab.url, headers: { Authorization: '${NOTES_AUTH}' } } } }));
    const env = { NOTES_AUTH: TOKEN };
    for (const words of [['import', 'notes'], ['review', 'notes'], ['approve', 'notes', '--reads']]) expect((await say(at, ['contract', ...words], env)).code).toBe(0);
    expect(await say(at, ['contract', 'diff', 'notes', '--live'], env)).toMatchObject({ code: 0, out: 'no change\n' });
    const wire = guarded(at, env);
    expect(await wire.ask(initialize())).toMatchObject({ result: { serverInfo: { name: 'lab', version: '7' } } });
    wire.child.stdin.write(`${JSON.stringify(INITIALIZED)}\n`);
    expect(((await wire.ask({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))['result'] as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(['notes_read', 'notes_bad']);
    expect(await wire.ask(toolCall(2, 'notes_read', { id: 'a' }))).toMatchObject({ result: { content: [{ text: 'did notes_read: ü€😀' }] } });
    expect(refusalOf(await wire.ask(toolCall(3, 'notes_delete', { id: 'a' })))).toMatchObject({ code: 'unsupported_operation' });
    expect(lab.asked.filter(({ message }) => message?.['method'] === 'tools/call')).toHaveLength(1);
    expect(lab.asked.at(-1)?.headers['authorization']).toBe(TOKEN);
    wire.child.stdin.end();
    expect(await wire.ended).toBe(0);
    expect(lab.sessions.size).toBe(0);
    const elsewhere = lab.url.replace('/mcp', '/other');
    put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { notes: { type: 'http', url: elsewhere, headers: { Authorization: '${NOTES_AUTH}' } } } }));
    expect((await say(at, ['contract', 'import', 'notes'], env)).out).toContain(`0 approved, ${TOOLS.length} waiting`);
  });

  it('a variable that is missing is named on standard error, and nothing is connected to', async () => {
    const at = station();
    put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { notes: { type: 'http', url: lab.url, headers: { Authorization: '${NOTES_AUTH}' } } } }));
    await say(at, ['contract', 'import', 'notes'], { NOTES_AUTH: TOKEN });
    lab.asked.length = 0;
    const wire = guarded(at, {});
    expect(await wire.ended).toBe(1);
    expect(wire.err()).toContain('the variable NOTES_AUTH must hold the whole value of the header Authorization');
    expect(lab.asked).toEqual([]);
  });
});
