// Contract: a real MCP server over streamable HTTP for tests, both eras: sessions, JSON or streams, the stream of its own messages,
// resumption. What it was asked is kept; a test can take one request over.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';

export interface Asked { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers']; readonly message: JsonObject | undefined }
/** True: it is answered. */
export type Takeover = (asked: Asked, response: ServerResponse) => boolean;

export const TOOLS = [
  { name: 'notes_read', description: 'reads a note', inputSchema: { type: 'object', properties: { id: { type: 'string', 'x-mcp-header': 'Id' } } }, annotations: { readOnlyHint: true } },
  { name: 'notes_delete', description: 'deletes a note', inputSchema: { type: 'object', properties: { id: { type: 'string' } } }, annotations: { destructiveHint: true } },
  { name: 'notes_bad', description: 'reads', inputSchema: { type: 'object', properties: { ids: { type: 'array', items: { type: 'string', 'x-mcp-header': 'X' } } } }, annotations: { readOnlyHint: true } },
];

export interface HttpLab {
  readonly url: string;
  readonly asked: Asked[];
  readonly sessions: Set<string>;
  /** Answers as streams of events, not as JSON. */
  streams: boolean;
  takeover: Takeover | undefined;
  /** The stream of its own messages, where one is open. */
  own: ServerResponse | undefined;
  readonly close: () => void;
}

export const json = (response: ServerResponse, value: JsonValue, headers: Record<string, string> = {}, status = 200): void => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
export const stream = (response: ServerResponse, headers: Record<string, string> = {}): ServerResponse => { response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders(); return response; };
export const event = (value: JsonValue, id?: string): string => `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;

function resultOf(message: JsonObject): JsonObject {
  const params = (message['params'] ?? {}) as JsonObject;
  switch (message['method']) {
    case 'initialize': return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'lab', version: '7' } };
    case 'server/discover': return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, resultType: 'complete' };
    case 'tools/list': return { tools: TOOLS as unknown as JsonValue };
    case 'tools/call': return { content: [{ type: 'text', text: `did ${String(params['name'])}: ü€😀` }] };
    default: return {};
  }
}

function answer(lab: HttpLab, asked: Asked, response: ServerResponse): void {
  const { method, headers, message } = asked;
  const session = headers['mcp-session-id'];
  const version = headers['mcp-protocol-version'];
  const modern = version === '2026-07-28';
  if (typeof session === 'string' && !lab.sessions.has(session)) return json(response, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, {}, 404);
  if (method === 'DELETE') { lab.sessions.delete(String(session)); return void response.writeHead(200).end(); }
  if (method === 'GET') { lab.own = stream(response); return; }
  if (message === undefined) return void response.writeHead(400).end();
  if (message['method'] !== 'initialize' && !modern && (session === undefined || version !== '2025-11-25')) return json(response, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: no session' } }, {}, 400);
  if (message['id'] === undefined || message['method'] === undefined) return void response.writeHead(202).end();
  const extra: Record<string, string> = {};
  if (message['method'] === 'initialize') { const id = randomUUID(); lab.sessions.add(id); extra['mcp-session-id'] = id; }
  const value = { jsonrpc: '2.0', id: message['id'], result: resultOf(message) };
  if (lab.streams) return void stream(response, extra).end(event(value));
  // Servers format their JSON as they like.
  response.writeHead(200, { 'content-type': 'application/json', ...extra }).end(JSON.stringify(value, undefined, 1));
}

export async function httpLab(): Promise<HttpLab> {
  const lab = { asked: [], sessions: new Set(), streams: false, takeover: undefined, own: undefined } as unknown as HttpLab;
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => { body += chunk; }).on('end', () => {
      const asked: Asked = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, message: body === '' ? undefined : JSON.parse(body) as JsonObject };
      lab.asked.push(asked);
      if (lab.takeover?.(asked, response) !== true) answer(lab, asked, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(lab, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close: () => { server.closeAllConnections(); server.close(); } });
}
