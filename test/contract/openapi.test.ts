// OpenAPI documents -> tools, requests and drafts: the fixtures, hostile documents, and the commands over them.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliIo } from '../../src/cli/output.ts';
import { runCli } from '../../src/cli/program.ts';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { parseCatalogue, type Catalogue, type OpenapiUpstream, type Operation } from '../../src/contract/catalogue-schema.ts';
import { compileOpenapi, draftOf, TOOL_NAME_CHARS_MAX, type CompiledDocument } from '../../src/contract/openapi.ts';
import { canonicalJson } from '../../src/contract/pins.ts';
import { planRequest, requestLine } from '../../src/contract/request.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { ioOf, station, type Station } from '../hook/operator-support.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/openapi');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function compile(document: JsonValue): CompiledDocument {
  const compiled = compileOpenapi(document, sha256);
  if (typeof compiled === 'string') throw new Error(compiled);
  return compiled;
}

const fixture = (name: string): CompiledDocument => compile(JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as JsonValue);
const operationsOf = (compiled: CompiledDocument): Operation[] => compiled.tools.map((tool) => draftOf('svc', tool, sha256).operation);
const one = (operations: readonly Operation[], tool: string): Operation => {
  const found = operations.find(({ mcpTool }) => mcpTool === tool);
  if (found === undefined) throw new Error(`no ${tool} among ${operations.map(({ mcpTool }) => mcpTool).join(', ')}`);
  return found;
};
const withPaths = (paths: JsonObject, rest: JsonObject = {}): JsonObject => ({ openapi: '3.1.0', info: { title: 't', version: '1' }, servers: [{ url: 'https://api.test/v1' }], paths, ...rest });

describe('the fixtures', () => {
  it.each([['orders-3.1.json', 11, 'https://orders.example.test/v1'], ['petstore-3.0.json', 19, 'http://petstore.swagger.io/v2'], ['uspto-3.0.json', 3, 'https://developer.uspto.gov/ds-api'], ['circular-3.0.json', 1, 'https://httpbin.org']])('%s', (name, count, baseUrl) => {
    const compiled = fixture(name);
    expect({ count: compiled.tools.length, baseUrl: compiled.baseUrl }).toEqual({ count, baseUrl });
    const operations = operationsOf(compiled);
    expect(operations.every(({ state, approval }) => state === 'review_required' && approval === undefined)).toBe(true);
    const names = compiled.tools.map(({ tool }) => tool.name);
    expect(new Set(names).size).toBe(names.length);
    for (const { tool, request } of compiled.tools) {
      expect(tool.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(tool.description?.endsWith(requestLine(request))).toBe(true);
      expect(JSON.stringify(tool)).not.toContain('$ref');
    }
    const upstream: OpenapiUpstream = { transport: 'openapi', baseUrl, allowedHosts: [new URL(baseUrl).host], headerEnv: {} };
    const document = { schema: 'praetor.catalogue/1', service: { id: 'svc', version: '1', source: { kind: 'openapi', digest: `sha256:${sha256('')}` } }, bindings: ['svc'], upstream, operations };
    // Ids of tools may meet; import makes them free.
    expect(parseCatalogue('svc', JSON.stringify(document))).toMatchObject({ ok: true });
  });

  it('orders: postures by method, the key of the document, a name that meets a control, a path without an id', () => {
    const orders = fixture('orders-3.1.json');
    const operations = operationsOf(orders);
    expect(one(operations, 'listOrders')).toMatchObject({ effect: 'read', risk: 'none', confirmationRequired: false, idempotency: 'natural', basis: { effect: 'http_method' } });
    expect(one(operations, 'createOrder')).toMatchObject({
      effect: 'mutation', reversible: false, idempotency: 'required', retrySafe: true, confirmationRequired: true, confirmationInput: 'praetor_confirm', arguments: ['sku', 'qty', 'confirm'],
      idempotencyKey: { input: 'idempotency_key', carrier: { in: 'header', name: 'Idempotency-Key' } }, dryRun: { input: 'dry_run', by: 'runtime' },
      request: { method: 'POST', path: '/orders', body: 'application/json', auth: [['Authorization']], arguments: { sku: { in: 'body', name: 'sku' } } },
    });
    expect(one(operations, 'replaceOrder')).toMatchObject({ effect: 'mutation', idempotency: 'natural', retrySafe: true });
    expect(one(operations, 'deleteOrder')).toMatchObject({ risk: 'destructive', reversible: false, idempotency: 'natural' });
    expect(one(operations, 'updateOrder')).toMatchObject({ idempotency: 'none', retrySafe: false, confirmationRequired: true, request: { body: 'application/merge-patch+json', arguments: { body: { in: 'body', whole: true } } } });
    expect(one(operations, 'refundOrder')).toMatchObject({ risk: 'financial', idempotency: 'none', confirmationRequired: true });
    expect(one(operations, 'put_orders_order_id_status')).toMatchObject({ idempotency: 'natural', confirmationRequired: true });
    const drafts = orders.tools.map((tool) => draftOf('svc', tool, sha256));
    expect(drafts.filter(({ suggests }) => suggests === 'read').map(({ operation }) => operation.mcpTool)).toEqual(['searchOrders']);
    expect(drafts.find(({ operation }) => operation.mcpTool === 'legacyPay')?.flags).toContain('its document calls it deprecated');
    expect(orders.tools.find(({ tool }) => tool.name === 'getOrder')?.tool.inputSchema).toMatchObject({ properties: { order_id: { type: 'string', pattern: '^ord_[a-z0-9]+$' } }, required: ['order_id'] });
    expect(orders.tools.find(({ tool }) => tool.name === 'createOrder')?.tool.description).toBe('POST /orders; application/json sku, qty, confirm; sends Authorization');
  });

  it('petstore: what is not sent is left out with its reason; either credential will do; a form', () => {
    const pets = fixture('petstore-3.0.json');
    expect(pets.problems).toEqual([{ where: 'POST /pet/{petId}/uploadImage', message: 'left out: its body is multipart/form-data, which is not sent' }]);
    expect(pets.headers).toEqual(['Authorization', 'api_key']);
    expect(one(operationsOf(pets), 'updatePetWithForm')).toMatchObject({ request: { body: 'application/x-www-form-urlencoded', arguments: { petId: { in: 'path' }, name: { in: 'body' } } } });
    expect(one(operationsOf(pets), 'createUsersWithArrayInput').request?.arguments).toEqual({ body: { in: 'body', name: 'body', whole: true } });
  });
});

describe('hostile documents', () => {
  const body = (schema: JsonValue): JsonObject => ({ post: { operationId: 'do', requestBody: { content: { 'application/json': { schema } } } } });

  it('references outside, nowhere and in a circle are reported, and what they stand for is left out', () => {
    const compiled = compile(withPaths({
      '/a': { get: { parameters: [{ $ref: 'https://evil.test/p.json' }] } }, '/b': { get: { parameters: [{ $ref: '../secrets.yaml#/x' }] } }, '/c': { get: { parameters: [{ $ref: '#/components/none' }] } },
      '/d': { get: { parameters: [{ $ref: '#/components/parameters/round' }] } }, '/e': { $ref: '#/paths/~1f' }, '/f': { get: { operationId: 'fine' } }, '/g': { get: { parameters: [{ $ref: '#/__proto__' }] } },
      '/h': body({ $ref: 'file:///etc/passwd' }),
    }, { components: { parameters: { round: { $ref: '#/components/parameters/back' }, back: { $ref: '#/components/parameters/round' } } } }));
    const said = compiled.problems.map(({ message }) => message).join('\n');
    for (const what of ['https://evil.test/p.json is outside of the document', '../secrets.yaml#/x is outside', '#/components/none is not in the document', 'the references go round', '#/__proto__ is not in', 'file:///etc/passwd is outside']) expect(said).toContain(what);
    expect(compiled.tools.map(({ request }) => request.path).sort()).toEqual(['/e', '/f', '/h']);
  });

  it('a schema that unfolds without end, or to millions, stays small', () => {
    const schemas: JsonObject = { Loop: { type: 'object', properties: { next: { $ref: '#/components/schemas/Loop' }, list: { type: 'array', items: { $ref: '#/components/schemas/Loop' } } } } };
    for (let i = 0; i < 30; i++) schemas[`B${i}`] = { type: 'object', properties: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${n}`, { $ref: `#/components/schemas/B${i + 1}` }])) };
    schemas['B30'] = { allOf: Array.from({ length: 40 }, () => ({ $ref: '#/components/schemas/B30' })) };
    let deep: JsonValue = { type: 'string' };
    for (let i = 0; i < 5_000; i++) deep = { type: 'object', properties: { x: deep } };
    const started = performance.now();
    const compiled = compile(withPaths({ '/loop': body({ $ref: '#/components/schemas/Loop' }), '/bomb': body({ $ref: '#/components/schemas/B0' }), '/all': body({ $ref: '#/components/schemas/B30' }), '/deep': body(deep) }, { components: { schemas } }));
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(compiled.tools).toHaveLength(4);
    for (const { tool, request } of compiled.tools) expect(canonicalJson(tool.inputSchema).length, request.path).toBeLessThan(15_000);
  });

  it('names: unique whatever the order, bounded, of plain characters; texts are bounded', () => {
    const paths: JsonObject = { '/x': { get: { operationId: 'repos/get' } }, '/y': { get: { operationId: 'repos.get' } }, '/z': { get: { operationId: 'n'.repeat(200) } }, '/k': { get: { operationId: '\u202e\u0000', summary: 's'.repeat(1_000_000) } }, '/K': { get: {} }, '/k/': { post: {} } };
    const names = (all: JsonObject): string[] => compile(withPaths(all)).tools.map(({ tool, request }) => `${request.path} ${tool.name}`).sort();
    expect(names(Object.fromEntries(Object.entries(paths).reverse()))).toEqual(names(paths));
    const { tools } = compile(withPaths(paths));
    expect(new Set(tools.map(({ tool }) => tool.name.toLowerCase())).size).toBe(tools.length);
    expect(Math.max(...tools.map(({ tool }) => tool.name.length))).toBeLessThanOrEqual(TOOL_NAME_CHARS_MAX);
    expect(Math.max(...tools.map(({ tool }) => (tool.description ?? '').length))).toBeLessThan(5_000);
  });

  it('paths that leave, servers of their own, cookies and foreign credentials are left out', () => {
    const compiled = compile(withPaths({
      '/../admin': { get: {} }, '/a/%2e%2e/b': { get: {} }, '/q?x=1': { get: {} }, '/h#x': { get: {} }, 'no-slash': { get: {} }, '/hole/{id}': { get: {} },
      '/own': { get: { servers: [{ url: 'https://evil.test' }] } }, '/cookie': { get: { parameters: [{ in: 'cookie', name: 'sid', required: true }] } }, '/key': { get: { security: [{ q: [] }] } }, '/own-header': { get: { security: [{ own: [] }] } }, '/fine': { get: {} },
    }, { components: { securitySchemes: { q: { type: 'apiKey', in: 'query', name: 'key' }, own: { type: 'apiKey', in: 'header', name: 'Content-Length' } } } }));
    expect(compiled.tools.map(({ request }) => request.path)).toEqual(['/fine']);
  });

  it.each([[[]], ['x'], [{ swagger: '2.0', paths: {} }], [{ openapi: '3.0.0' }], [{ openapi: '3.0.0', paths: [] }]])('%j is no document', (document) => expect(compileOpenapi(document, sha256)).toBeTypeOf('string'));
});

describe('requests', () => {
  const upstream: OpenapiUpstream = { transport: 'openapi', baseUrl: 'https://payments.example.test/payments', allowedHosts: ['payments.example.test'], headerEnv: {} };
  const { tools } = compile(withPaths({
    '/{id}': { get: { operationId: 'get', parameters: [{ in: 'path', name: 'id', required: true }, { in: 'query', name: 'tags' }, { in: 'query', name: 'csv', explode: false }, { in: 'query', name: 'filter' }, { in: 'header', name: 'X-Trace' }, { in: 'header', name: 'Host' }] } },
    '/{id}/both': { post: { operationId: 'both', parameters: [{ in: 'path', name: 'id', required: true }], requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { id: { type: 'string' }, n: {} } } } } } } },
    '/{a}{b}/x': { get: { operationId: 'two', parameters: [{ in: 'path', name: 'a', required: true }, { in: 'path', name: 'b', required: true }] } },
  }));
  const operations = tools.map((tool) => draftOf('svc', tool, sha256).operation);
  const plan = (tool: string, given: JsonObject, where = upstream): ReturnType<typeof planRequest> => planRequest(one(operations, tool), where, given, [], sha256);
  const urlOf = (given: JsonObject): string => {
    const planned = plan('get', given);
    return planned.ok ? planned.request.url.href : planned.reason;
  };

  it('cv-121: a path parameter cannot leave its segment', () => {
    expect(new URL(urlOf({ id: '../admin?x=1#' })).pathname).toBe('/payments/..%2Fadmin%3Fx%3D1%23');
    expect(new URL(urlOf({ id: 'a\\b\u0000é' })).pathname).toBe('/payments/a%5Cb%00%C3%A9');
  });

  it.each([['.'], ['..'], [''], ['\ud800'], [null], [{}], [['x']], [2 ** 60]])('refuses %j in a path', (id) => expect(['path_value', 'inexact_number', 'missing_argument']).toContain(urlOf({ id })));

  it('refuses two values that make dots together', () => {
    expect(plan('two', { a: '.', b: '.' })).toMatchObject({ ok: false, reason: 'path_value' });
    expect(plan('two', { a: '.', b: 'x' })).toMatchObject({ ok: true });
  });

  it('lists, joined lists, objects and headers go where they belong; what is not declared is refused', () => {
    expect(new URL(urlOf({ id: 'x', tags: ['a', 'b&c'], csv: [1, 2], filter: { k: 'v' } })).search).toBe('?tags=a&tags=b%26c&csv=1%2C2&filter%5Bk%5D=v');
    expect(plan('get', { id: 'x', 'X-Trace': 't' })).toMatchObject({ ok: true, request: { headers: { 'x-trace': 't' } } });
    for (const bad of ['t\r\nAuthorization: x', 'ü']) expect(plan('get', { id: 'x', 'X-Trace': bad })).toMatchObject({ ok: false, reason: 'header_value' });
    expect(plan('get', { id: 'x', Host: 'evil.test' })).toMatchObject({ ok: false, reason: 'unknown_argument' });
    expect(plan('both', { id: 'in-path', body_id: 'in-body', n: { deep: [1] } })).toMatchObject({ ok: true, request: { url: { pathname: '/payments/in-path/both' }, body: '{"id":"in-body","n":{"deep":[1]}}' } });
    expect(plan('both', { id: 'x', n: [{ y: 2 ** 60 }] })).toMatchObject({ ok: false, reason: 'inexact_number' });
  });

  it('a key goes where the catalogue says, or the call is refused', () => {
    const keyed = (tool: string, carrier: NonNullable<Operation['idempotencyKey']>['carrier'], given: JsonObject): ReturnType<typeof planRequest> =>
      planRequest({ ...one(operations, tool), idempotencyKey: { input: 'n', derive: 'request_fingerprint', ...(carrier === undefined ? {} : { carrier }) } }, upstream, given, [], sha256);
    expect(keyed('both', { in: 'argument', name: 'n' }, { id: 'x' })).toMatchObject({ ok: true, key: expect.any(String) as string, request: { body: expect.stringMatching(/^\{"n":"[0-9a-f]{32}"\}$/) as string } });
    const other = (carrier: NonNullable<Operation['idempotencyKey']>['carrier'], tool: string): ReturnType<typeof planRequest> =>
      planRequest({ ...one(operations, tool), idempotencyKey: { input: 'key', derive: 'none', ...(carrier === undefined ? {} : { carrier }) } }, upstream, { id: 'x', key: 'k' }, [], sha256);
    expect(other({ in: 'body', name: 'dedupe' }, 'both')).toMatchObject({ ok: true, key: 'k', request: { body: '{"dedupe":"k"}' } });
    expect(other({ in: 'query', name: 'dedupe' }, 'get')).toMatchObject({ ok: true, request: { url: { search: '?dedupe=k' } } });
    for (const refused of [other({ in: 'body', name: 'dedupe' }, 'get'), other(undefined, 'both'), other({ in: 'path', name: 'none' }, 'both')]) expect(refused).toMatchObject({ ok: false, code: 'unsupported_operation', reason: 'no_carrier' });
  });

  it('a host that is not allowed is refused', () => expect(plan('get', { id: 'x' }, { ...upstream, allowedHosts: ['other.test'] })).toMatchObject({ ok: false, code: 'policy_denied', reason: 'host_not_allowed' }));
});

describe('contract import --openapi', () => {
  const say = async (at: Station, words: string[], io: Partial<CliIo> = {}): Promise<{ code: number; out: string; err: string }> => {
    let out = '';
    let err = '';
    const code = await runCli(words, ioOf(at, { out: (text) => { out += text; }, err: (text) => { err += text; }, ...io }, { USER: 'dev' }));
    return { code, out, err };
  };
  const PERSON: Partial<CliIo> = { inIsTty: true, errIsTty: true, ask: () => Promise.resolve('y') };
  const catalogueAt = (at: Station, name = 'orders'): Catalogue => JSON.parse(readFileSync(join(at.root, `config/contracts/${name}.json`), 'utf8')) as Catalogue;
  const file = join(FIXTURES, 'orders-3.1.json');

  it('writes a catalogue that review, approve and diff work on; a changed document stops what it changed', async () => {
    const at = station();
    const made = await say(at, ['contract', 'import', 'orders', '--openapi', file, '--json']);
    expect(made.code).toBe(0);
    expect(OUTPUT_SCHEMAS['contract-import']!.safeParse(JSON.parse(made.out)).success).toBe(true);
    expect(catalogueAt(at)).toMatchObject({ service: { source: { kind: 'openapi' } }, upstream: { transport: 'openapi', baseUrl: 'https://orders.example.test/v1', allowedHosts: ['orders.example.test'], headerEnv: { Authorization: 'ORDERS_AUTHORIZATION' }, document: file } });
    expect((await say(at, ['contract', 'import', 'orders', '--openapi', file])).out).toMatch(/ORDERS_AUTHORIZATION must hold the whole value of the header Authorization[\s\S]*mcpServers: \{ orders: \{ command: praetorctl, args: \[mcp, orders\] \} \}/);
    expect((await say(at, ['contract', 'review', 'orders'])).out).toContain('POST /orders; application/json sku, qty, confirm');
    expect((await say(at, ['contract', 'approve', 'orders', '--all'], PERSON)).out).toContain('11 approved');
    expect((await say(at, ['contract', 'lint'])).out).toContain('11 operations in force');
    expect((await say(at, ['contract', 'diff', 'orders', '--live'])).code).toBe(0);

    const changed = join(at.workspace, 'orders.yaml');
    writeFileSync(changed, readFileSync(file, 'utf8').replace('"/orders/{order_id}/refund"', '"/orders/{order_id}/payout"'));
    const again = await say(at, ['contract', 'import', 'orders', '--openapi', 'orders.yaml']);
    expect(again.out).toContain('refundOrder: its title or description changed');
    expect(catalogueAt(at).operations.filter(({ state }) => state !== 'approved').map(({ mcpTool, request }) => [mcpTool, request?.path])).toEqual([['refundOrder', '/orders/{order_id}/payout']]);
  });

  it('another address means that everything is approved again', async () => {
    const at = station();
    await say(at, ['contract', 'import', 'orders', '--openapi', file]);
    await say(at, ['contract', 'approve', 'orders', '--all'], PERSON);
    await say(at, ['contract', 'import', 'orders', '--openapi', file, '--base-url', 'https://evil.test']);
    expect(catalogueAt(at).operations.every(({ state, approval }) => state === 'review_required' && approval === undefined)).toBe(true);
    expect(catalogueAt(at).upstream).toMatchObject({ allowedHosts: ['evil.test'] });
  });

  it('reads YAML; refuses alias bombs, files that are none and documents without an address', async () => {
    const at = station();
    const write = (name: string, text: string): string => {
      writeFileSync(join(at.workspace, name), text);
      return name;
    };
    const yaml = 'openapi: 3.0.3\ninfo: {title: t, version: "1"}\nservers: [{url: "https://api.test"}]\npaths:\n  /a:\n    get: {operationId: a}\n';
    expect((await say(at, ['contract', 'import', 'y', '--openapi', write('a.yaml', yaml)])).code).toBe(0);
    expect(catalogueAt(at, 'y').operations.map(({ mcpTool }) => mcpTool)).toEqual(['a']);
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, i) => `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefg'[i]}`).join(',')}]`).join('\n')}\nopenapi: 3.0.0\npaths: {}\n`;
    for (const [text, why] of [[bomb, 'cannot be read'], ['{"openapi"', 'cannot be read'], ['- x', 'is no OpenAPI document'], [yaml.replace(/servers:.*\n/, ''), 'names no address'], [yaml.replace('https://api.test', 'https://user:pw@api.test'), 'names no address']] as const) {
      const { code, err } = await say(at, ['contract', 'import', 'z', '--openapi', write('z.yaml', text)]);
      expect({ code, err: err.includes(why) }, why).toEqual({ code: 64, err: true });
    }
    expect((await say(at, ['contract', 'import', 'z', '--openapi', 'missing.json'])).code).toBe(64);
  });
});
