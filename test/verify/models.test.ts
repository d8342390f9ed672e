// Contract: the scripted model servers as a client meets them: real HTTP requests on loopback, streams put together as a
// client would, every bound at the limit and one past it.
import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { anthropicMessages } from '../../src/verify/models/anthropic.ts';
import { openaiChat } from '../../src/verify/models/chat.ts';
import { exampleOf } from '../../src/verify/models/example.ts';
import { geminiGenerateContent } from '../../src/verify/models/generate-content.ts';
import { RESULT_CHARS_MAX, STEP_PLAYS_MAX } from '../../src/verify/models/record.ts';
import { openaiResponses } from '../../src/verify/models/responses.ts';
import { callId, resultsByStep, type ModelApi, type ModelScript, type Reply, type ToolStep, type TurnRequest } from '../../src/verify/models/script.ts';
import { startModelServer, type ModelLimits, type ModelServer } from '../../src/verify/models/server.ts';
import { pieces } from '../../src/verify/models/wire.ts';

const TOKEN = '0123456789abcdef0123';
const running: ModelServer[] = [];
afterEach(async () => { await Promise.all(running.splice(0).map((server) => server.close())); });

async function serve(api: ModelApi, script: ModelScript, limits: Partial<ModelLimits> = {}): Promise<ModelServer> {
  const server = await startModelServer({ api, script, token: TOKEN, limits });
  running.push(server);
  return server;
}

interface Call { readonly id: string; readonly name: string; readonly input: JsonValue }
interface Heard { readonly call?: Call; readonly text: string }

/** What of an API a test client has to know: its path, its requests and how to read its answers. */
interface Wire {
  readonly api: ModelApi;
  readonly path: (stream: boolean) => string;
  readonly body: (options: { tools: readonly string[]; turns: readonly { call: Call; result: string }[]; stream: boolean; schema?: JsonObject }) => JsonObject;
  readonly streamed: (events: readonly JsonObject[]) => Heard;
  readonly whole: (document: JsonObject) => Heard;
}

const at = (value: unknown, ...path: readonly (string | number)[]): never => {
  let here = value as Record<string | number, unknown>;
  for (const step of path) here = here?.[step] as Record<string | number, unknown>;
  return here as never;
};

const anthropic: Wire = {
  api: anthropicMessages,
  path: () => '/v1/messages?beta=true',
  body: ({ tools, turns, stream, schema }) => ({
    model: 'm', stream, tools: tools.map((name) => ({ name, input_schema: {} })),
    messages: [{ role: 'user', content: 'go' }, ...turns.flatMap(({ call, result }) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, is_error: true, content: [{ type: 'text', text: result }] }] },
    ])],
    ...(schema === undefined ? {} : { output_config: { format: { type: 'json_schema', schema } } }),
  }),
  streamed: (events) => {
    const block = events.find(({ type }) => type === 'content_block_start');
    const deltas = events.filter(({ type }) => type === 'content_block_delta');
    const json = deltas.map((event) => at(event, 'delta', 'partial_json') ?? '').join('');
    const stop: string = at(events.find(({ type }) => type === 'message_delta'), 'delta', 'stop_reason');
    expect(events.at(-1)?.['type']).toBe('message_stop');
    const text = deltas.map((event) => at(event, 'delta', 'text') ?? '').join('');
    expect(stop).toBe(json === '' ? 'end_turn' : 'tool_use');
    return json === '' ? { text } : { text, call: { id: at(block, 'content_block', 'id'), name: at(block, 'content_block', 'name'), input: JSON.parse(json) as JsonValue } };
  },
  whole: (document) => {
    const block: JsonObject = at(document, 'content', 0);
    return block['type'] === 'text' ? { text: String(block['text']) } : { text: '', call: { id: String(block['id']), name: String(block['name']), input: block['input'] ?? null } };
  },
};

const responses: Wire = {
  api: openaiResponses,
  path: () => '/responses',
  body: ({ tools, turns, stream, schema }) => ({
    model: 'm', stream, tools: tools.map((name) => ({ type: 'function', name })),
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }, ...turns.flatMap(({ call, result }) => [
      { type: 'function_call', call_id: call.id, name: call.name, arguments: JSON.stringify(call.input) },
      { type: 'function_call_output', call_id: call.id, output: result },
    ])],
    ...(schema === undefined ? {} : { text: { format: { type: 'json_schema', name: 'x', schema } } }),
  }),
  streamed: (events) => {
    const done = events.find(({ type }) => type === 'response.output_item.done');
    const joined = (type: string): string => events.filter((event) => event['type'] === type).map((event) => String(event['delta'])).join('');
    expect(events.map(({ sequence_number: n }) => n)).toEqual(events.map((_, i) => i));
    const heard = responses.whole(at(events.at(-1), 'response'));
    expect(at(done, 'item')).toEqual(at(events.at(-1), 'response', 'output', 0));
    expect(joined(heard.call === undefined ? 'response.output_text.delta' : 'response.function_call_arguments.delta')).toBe(heard.call === undefined ? heard.text : at(done, 'item', 'arguments'));
    return heard;
  },
  whole: (document) => {
    const item: JsonObject = at(document, 'output', 0);
    if (item['type'] === 'message') return { text: at(item, 'content', 0, 'text') };
    return { text: '', call: { id: String(item['call_id']), name: String(item['name']), input: JSON.parse(String(item['arguments'])) as JsonValue } };
  },
};

const chat: Wire = {
  api: openaiChat,
  path: () => '/chat/completions',
  body: ({ tools, turns, stream, schema }) => ({
    model: 'm', stream, tools: tools.map((name) => ({ type: 'function', function: { name } })),
    messages: [{ role: 'user', content: 'go' }, ...turns.flatMap(({ call, result }) => [
      { role: 'assistant', content: null, tool_calls: [{ id: call.id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } }] },
      { role: 'tool', tool_call_id: call.id, content: result },
    ])],
    ...(schema === undefined ? {} : { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
  }),
  streamed: (events) => {
    const deltas = events.map((event): JsonObject => at(event, 'choices', 0, 'delta') ?? {});
    const first: JsonObject | undefined = deltas.map((delta): JsonObject | undefined => at(delta, 'tool_calls', 0)).find((call) => call?.['id'] !== undefined);
    const text = deltas.map((delta) => delta['content'] ?? '').join('');
    const json = deltas.map((delta) => at(delta, 'tool_calls', 0, 'function', 'arguments') ?? '').join('');
    return first === undefined ? { text } : { text, call: { id: String(first['id']), name: at(first, 'function', 'name'), input: JSON.parse(json) as JsonValue } };
  },
  whole: (document) => {
    const message: JsonObject = at(document, 'choices', 0, 'message');
    const call: JsonObject | undefined = at(message, 'tool_calls', 0);
    if (call === undefined) return { text: String(message['content']) };
    return { text: '', call: { id: String(call['id']), name: at(call, 'function', 'name'), input: JSON.parse(at(call, 'function', 'arguments')) as JsonValue } };
  },
};

const gemini: Wire = {
  api: geminiGenerateContent,
  path: (stream) => `/v1beta/models/m-1:${stream ? 'streamGenerateContent?alt=sse&' : 'generateContent?'}key=query-secret`,
  body: ({ tools, turns, schema }) => ({
    tools: tools.length === 0 ? [] : [{ functionDeclarations: tools.map((name) => ({ name })) }],
    contents: [{ role: 'user', parts: [{ text: 'go' }] }, ...turns.flatMap(({ call, result }) => [
      { role: 'model', parts: [{ functionCall: { id: call.id, name: call.name, args: call.input } }] },
      { role: 'user', parts: [{ functionResponse: { id: call.id, name: call.name, response: { error: result } } }] },
    ])],
    ...(schema === undefined ? {} : { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } }),
  }),
  streamed: (events) => gemini.whole(events[0] ?? {}),
  whole: (document) => {
    const part: JsonObject = at(document, 'candidates', 0, 'content', 'parts', 0);
    if (part['functionCall'] === undefined) return { text: String(part['text']) };
    return { text: '', call: { id: at(part, 'functionCall', 'id'), name: at(part, 'functionCall', 'name'), input: at(part, 'functionCall', 'args') } };
  },
};

const WIRES = [anthropic, responses, chat, gemini];

function eventsOf(text: string): JsonObject[] {
  expect(text.endsWith('\n\n')).toBe(true);
  return text.split('\n\n').filter((frame) => frame !== '' && frame !== 'data: [DONE]').map((frame) => {
    const lines = frame.split('\n');
    const data = JSON.parse(lines.at(-1)?.replace(/^data: /, '') ?? '') as JsonObject;
    if (lines.length === 2) expect(lines[0]).toBe(`event: ${String(data['type'])}`);
    return data;
  });
}

async function post(server: ModelServer, path: string, body: JsonValue | string): Promise<Response> {
  return fetch(server.url + path, {
    method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-api-key': 'header-secret', authorization: 'Bearer header-secret' },
  });
}

async function turn(wire: Wire, server: ModelServer, options: Partial<Parameters<Wire['body']>[0]> = {}): Promise<Heard> {
  const all = { tools: ['shell'], turns: [], stream: true, ...options };
  const response = await post(server, wire.path(all.stream), wire.body(all));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(all.stream ? 'text/event-stream' : 'application/json');
  const text = await response.text();
  return all.stream ? wire.streamed(eventsOf(text)) : wire.whole(JSON.parse(text) as JsonObject);
}

const step = (command: string): ToolStep => ({ tool: 'shell', input: { command } });
const SCRIPT: ModelScript = { steps: [step('touch control'), step('git push --force')], ending: 'done' };

describe.each(WIRES.map((wire) => [wire.api.id, wire] as const))('%s', (_id, wire) => {
  it.each([true, false])('plays a script to its end, streaming %s, and keeps what comes back', async (stream) => {
    const server = await serve(wire.api, SCRIPT);
    const first = await turn(wire, server, { stream });
    expect(first.call).toEqual({ id: callId(0), name: 'shell', input: { command: 'touch control' } });
    const turns = [{ call: first.call!, result: 'ran' }];
    const second = await turn(wire, server, { stream, turns });
    expect(second.call).toEqual({ id: callId(1), name: 'shell', input: { command: 'git push --force' } });
    const last = await turn(wire, server, { stream, turns: [...turns, { call: second.call!, result: 'refused [praetorctl: git.push.force]' }] });
    expect(last).toEqual({ text: 'done' });
    const record = server.record();
    expect(record.steps.map(({ played, result }) => [played, result?.text])).toEqual([[1, 'ran'], [1, 'refused [praetorctl: git.push.force]']]);
    expect(record).toMatchObject({ endings: 1, auxiliary: 0, tools: ['shell'], faults: [] });
    expect(record.requests.map(({ method, route, status, tools }) => [method, route, status, tools])).toEqual(Array.from({ length: 3 }, () => ['POST', 'turn', 200, 1]));
  });

  it('gives a client that asks again the same step under the same id', async () => {
    const server = await serve(wire.api, SCRIPT);
    const asked = [await turn(wire, server), await turn(wire, server)];
    expect(asked[0]).toEqual(asked[1]);
    expect(server.record().steps.map(({ played }) => played)).toEqual([2, 0]);
  });

  it('answers without tools by text and leaves the script alone', async () => {
    const server = await serve(wire.api, SCRIPT);
    expect(await turn(wire, server, { tools: [] })).toEqual({ text: 'done' });
    expect(await turn(wire, server, { tools: [], stream: false })).toEqual({ text: 'done' });
    expect(server.record()).toMatchObject({ auxiliary: 2, endings: 0, steps: [{ played: 0 }, { played: 0 }] });
  });

  it('answers a wish for a document of a schema by one', async () => {
    const server = await serve(wire.api, SCRIPT);
    const schema = { type: 'OBJECT', properties: { score: { type: 'INTEGER' }, why: { type: 'string' } }, required: ['score', 'why'] };
    expect(JSON.parse((await turn(wire, server, { tools: [], stream: false, schema })).text)).toEqual({ score: 1, why: 'done' });
  });

  it('never keeps a header, a key or a prompt', async () => {
    const server = await serve(wire.api, SCRIPT);
    await turn(wire, server);
    expect(JSON.stringify(server.record())).not.toMatch(/secret|"go"/);
  });

  it('lists models, refuses what it does not know and what is no object', async () => {
    const server = await serve(wire.api, SCRIPT);
    const list = await fetch(`${server.url}${wire.api.basePath === '' ? '/v1' : ''}/models`);
    expect([list.status, Object.keys(await list.json() as object).length > 0]).toEqual([200, true]);
    expect((await post(server, '/nothing', {})).status).toBe(404);
    expect((await fetch(server.url + wire.path(true))).status).toBe(404);
    for (const body of ['{', '[]', 'null', '"x"', '']) expect((await post(server, wire.path(true), body)).status).toBe(400);
    expect(server.record().faults).toEqual(['a request is not a JSON object']);
  });

  it('takes bodies of a wrong shape without a fault of its own', async () => {
    const server = await serve(wire.api, SCRIPT);
    const hostile: JsonValue[] = [
      { messages: 5, input: {}, contents: 'x', tools: {} },
      { messages: [null, { role: 'user', content: [null, { type: 'tool_result' }] }, { role: 'tool' }], input: [{ type: 'function_call_output' }], contents: [{ parts: [{ functionResponse: 5 }, null] }], tools: [null, 5, {}] },
      { tools: [{ name: 5, function: { name: [] } }], stream: 'yes', model: {}, generationConfig: [], text: [], response_format: 'json' },
    ];
    for (const body of hostile) expect((await post(server, wire.path(true), body)).status).toBe(200);
  });

  it('gives any input back as it was', () => fc.assert(fc.property(
    fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>), fc.string(), fc.boolean(), (input, ending, stream) => {
      const request: TurnRequest = { stream, model: 'm', tools: ['shell'], results: [], schema: undefined };
      const hear = (reply: Reply): Heard => {
        const text = wire.api.reply(reply, request, 1).parts.join('');
        return stream ? wire.streamed(eventsOf(text)) : wire.whole(JSON.parse(text) as JsonObject);
      };
      expect(JSON.stringify(hear({ kind: 'call', id: 'i', step: { tool: 'shell', input } }).call)).toBe(JSON.stringify({ id: 'i', name: 'shell', input }));
      expect(hear({ kind: 'text', text: ending })).toEqual({ text: ending });
    }), { numRuns: 60 }));
});

describe('particular requests', () => {
  it('Anthropic and Gemini count tokens', async () => {
    const claude = await serve(anthropicMessages, SCRIPT);
    expect(await (await post(claude, '/v1/messages/count_tokens', {})).json()).toEqual({ input_tokens: 1 });
    const google = await serve(geminiGenerateContent, SCRIPT);
    expect(await (await post(google, '/v1beta/models/m:countTokens', {})).json()).toEqual({ totalTokens: 1 });
  });

  it('Codex: a namespace in the call and grouped tools', async () => {
    const server = await serve(openaiResponses, { steps: [{ tool: 'echo', namespace: 'mcp__lab', input: {} }], ending: 'done' });
    const body = { stream: false, tools: [{ type: 'namespace', name: 'mcp__lab', tools: [{ name: 'echo' }] }, { type: 'web_search' }], input: [] };
    expect(at(await (await post(server, '/responses', body)).json(), 'output', 0)).toMatchObject({ type: 'function_call', namespace: 'mcp__lab', name: 'echo', arguments: '{}' });
    expect(server.record().tools).toEqual(['mcp__lab__echo', 'web_search']);
  });

  it('reads a result whatever its shape', () => {
    const of = (api: ModelApi, body: JsonObject): unknown => api.read(body, '/v1beta/models/m:generateContent').results;
    expect(of(openaiResponses, { input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'a' }, { type: 'input_text', text: 'b' }] }] })).toEqual([{ id: 'c', text: 'a\nb', failed: false }]);
    expect(of(geminiGenerateContent, { contents: [{ parts: [{ functionResponse: { name: 'x', response: { output: 'o' } } }, { functionResponse: { name: 'x', response: { any: 1 } } }] }] }))
      .toEqual([{ id: undefined, text: 'o', failed: false }, { id: undefined, text: '{"any":1}', failed: false }]);
    expect(of(anthropicMessages, { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'plain' }] }] })).toEqual([{ id: 'c', text: 'plain', failed: false }]);
  });
});

describe('which step a result belongs to', () => {
  const result = (id: string | undefined, text: string): { id: string | undefined; text: string; failed: boolean } => ({ id, text, failed: false });
  it.each([
    ['by our id, in any order', [result(callId(1), 'b'), result(callId(0), 'a')], ['a', 'b']],
    ['by position where the client gives ids of its own', [result('x', 'a'), result(undefined, 'b')], ['a', 'b']],
    ['not by position where our ids came back', [result('own', 'client'), result(callId(0), 'a')], ['a']],
    ['the first of two for one step', [result(callId(0), 'a'), result(callId(0), 'again')], ['a']],
    ['none beyond the script', [result(callId(7), 'z'), result(callId(-1), 'z'), result('call_praetorctl_x', 'z'), result('call_praetorctl_', 'z')], ['z']],
  ])('%s', (_name, results, texts) => {
    const found = resultsByStep(results, 2);
    expect([...found.keys()].sort().map((key) => found.get(key)?.text)).toEqual(texts);
  });
});

describe('bounds', () => {
  it('is for loopback and for its own prefix and address only', async () => {
    const server = await serve(anthropicMessages, SCRIPT);
    const origin = `http://127.0.0.1:${server.port}`;
    expect(server.url).toBe(`${origin}/${TOKEN}`);
    const body = JSON.stringify(anthropic.body({ tools: ['shell'], turns: [], stream: false }));
    for (const path of ['/v1/messages', `/${TOKEN.slice(1)}/v1/messages`, `/x/${TOKEN}/v1/messages`, `/${TOKEN}`, '/']) {
      expect((await fetch(origin + path, { method: 'POST', body })).status).toBe(404);
    }
    expect(await statusWithHost(server, 'attacker.example')).toBe(404);
    expect(await statusWithHost(server, `localhost:${server.port}`)).toBe(200);
    expect(server.record()).toMatchObject({ requests: [{ method: 'GET', path: '/v1/models' }], steps: [{ played: 0 }, { played: 0 }], strangers: 6, faults: [] });
  });

  it.runIf(process.platform === 'linux')('does not listen on any other address', async () => {
    const server = await serve(anthropicMessages, SCRIPT);
    await expect(fetch(`http://127.0.0.2:${server.port}/${TOKEN}/v1/models`)).rejects.toThrow();
  });

  it.each(['', 'short', 'ABCDEFGHIJKLMNOPQRST', `${TOKEN}/..`, 'a'.repeat(129)])('takes no prefix like %j', async (token) => {
    await expect(startModelServer({ api: openaiChat, script: SCRIPT, token })).rejects.toThrow('prefix');
  });

  it('takes a request of the largest size and refuses one byte more', async () => {
    const limit = 2_000;
    const server = await serve(openaiChat, SCRIPT, { requestBytes: limit });
    const bare = JSON.stringify(chat.body({ tools: ['shell'], turns: [], stream: false }));
    expect((await post(server, '/chat/completions', bare.padEnd(limit))).status).toBe(200);
    expect((await post(server, '/chat/completions', bare.padEnd(limit + 1))).status).toBe(413);
    expect(server.record()).toMatchObject({ steps: [{ played: 1 }, { played: 0 }], faults: ['a request is too large'] });
  });

  it('takes only so many bytes together and only so many requests', async () => {
    const body = JSON.stringify(chat.body({ tools: [], turns: [], stream: false }));
    const bytes = await serve(openaiChat, SCRIPT, { allBytes: body.length * 2 });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await post(bytes, '/chat/completions', body)).status);
    expect(statuses).toEqual([200, 200, 413]);
    const requests = await serve(openaiChat, SCRIPT, { requests: 2 });
    for (let i = 0; i < 2; i++) expect((await post(requests, '/chat/completions', body)).status).toBe(200);
    expect((await post(requests, '/chat/completions', body)).status).toBe(400);
    expect(requests.record().faults).toEqual(['too many requests']);
  });

  it('ends the turn for a client that asks for one step for ever', async () => {
    const server = await serve(openaiChat, SCRIPT);
    for (let i = 0; i < STEP_PLAYS_MAX; i++) expect((await turn(chat, server)).call?.id).toBe(callId(0));
    expect(await turn(chat, server)).toEqual({ text: 'done' });
    expect(server.record().faults).toEqual([`step 0 was asked for more than ${STEP_PLAYS_MAX} times`]);
  });

  it('cuts what it keeps of a result', async () => {
    const server = await serve(openaiChat, SCRIPT);
    await turn(chat, server, { turns: [{ call: { id: callId(0), name: 'shell', input: {} }, result: 'x'.repeat(RESULT_CHARS_MAX + 1) }] });
    expect(server.record().steps[0]?.result?.text).toBe('x'.repeat(RESULT_CHARS_MAX));
  });

  it('is gone when its time is over, and says so', async () => {
    const server = await serve(openaiChat, SCRIPT, { lifetimeMs: 50 });
    await expect.poll(() => server.record().faults, { timeout: 5_000 }).toEqual(['the time of the model is over']);
    await expect(post(server, '/chat/completions', {})).rejects.toThrow();
  });

  it('closes twice and ends a request that hangs', async () => {
    const server = await serve(openaiChat, SCRIPT);
    const hanging = httpRequest(`${server.url}/chat/completions`, { method: 'POST', headers: { 'content-length': '100' } });
    const ended = new Promise((resolve) => { hanging.on('error', resolve); });
    hanging.write('{');
    await expect.poll(() => hanging.socket?.connecting, { timeout: 5_000 }).toBe(false);
    await Promise.all([server.close(), server.close()]);
    expect(await ended).toBeInstanceOf(Error);
  });
});

function statusWithHost(server: ModelServer, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port: server.port, path: `/${TOKEN}/v1/models`, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('pieces of the wire', () => {
  it('pieces are at least one, few, and the whole again', () => fc.assert(fc.property(fc.string({ maxLength: 5_000 }), (text) => {
    const cut = pieces(text);
    expect(cut.join('')).toBe(text);
    expect(cut.length).toBeGreaterThan(0);
    expect(cut.length).toBeLessThanOrEqual(64);
  })));

  it.each<[JsonValue, JsonValue]>([
    [{ type: 'object', properties: { a: { enum: ['x', 'y'] }, b: { type: ['null', 'string'] }, c: { const: 5 } } }, { a: 'x', b: null, c: 5 }],
    [{ type: 'ARRAY', items: { type: 'BOOLEAN' }, minItems: 1 }, [false]],
    [{ type: 'array', items: {} }, []],
    [{ anyOf: [{ type: 'number', minimum: 3 }, {}] }, 3],
    [{ properties: { title: {} } }, { title: 't' }],
    [{ type: 'object', required: ['missing', '__proto__', 5] }, { missing: 't' }],
    [null, 't'],
    [true, 't'],
  ])('the example of %j', (schema, example) => {
    expect(exampleOf(schema, 't')).toEqual(example);
  });

  it('ends on a schema that is deeper than anybody needs', () => {
    let schema: JsonObject = {};
    for (let i = 0; i < 1_000; i++) schema = { type: 'object', properties: { a: schema } };
    expect(JSON.stringify(exampleOf(schema, 't')).length).toBeLessThan(200);
  });
});
