// Lines of a hostile client through the real runtime to a server that takes whatever any reader could take for a call. What has a gate
// is not run without it, in no reading; the runtime goes on; its memory is bounded.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { QUESTIONS_MAX, QUESTION_KEY } from '../../src/mcp/session-types.ts';
import { buildHook } from '../hook/support.ts';
import { GULLIBLE, lab, memoryOf, start, withId, type Lab, type Wire } from './lab.ts';
import { initialize, modernMeta, refusalOf, toolCall } from './support.ts';

beforeAll(buildHook);

const GATED = 'payments_void';
const CALL = `"method":"tools/call","params":{"name":"${GATED}","arguments":{"id":"p"}}`;
const FORM = { elicitation: { form: {} } };

interface Attack { readonly of: Lab; readonly wire: Wire; readonly ran: () => string[]; readonly settled: () => Promise<void> }

function attack(capabilities: JsonObject = {}): Attack {
  const of = lab('payments', GULLIBLE);
  const wire = start(of);
  wire.send(initialize(capabilities));
  let count = 0;
  const file = join(of.at.root, 'ran.log');
  return {
    of, wire,
    ran: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as string) : []),
    // A call that is allowed goes the same way: when it was answered, everything before it was dealt with.
    settled: async () => {
      const id = `settled-${count++}`;
      wire.send(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'payments_get_payment', arguments: { id } } })}\n`);
      expect(await wire.until((message) => message['id'] === id)).toMatchObject({ result: { content: [{ text: 'did payments_get_payment' }] } });
    },
  };
}

const line = (text: string): Buffer => Buffer.from(`${text}\n`);
const inString = (end: string): Buffer => line(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${end}{\\"jsonrpc\\":\\"2.0\\"}","y":"a${end}"},"z":["${end}",{"jsonrpc":"2.0","id":2,${CALL}},"${end}"]}`);

const LINES: [string, Buffer][] = [
  ['an id that is null', line(`{"jsonrpc":"2.0","id":null,${CALL}}`)],
  ['no id', line(`{"jsonrpc":"2.0",${CALL}}`)],
  ...['true', '{}', '[]', '1.5', '1e400', '12345678901234567890', '-1e30'].map((id): [string, Buffer] => [`an id that is ${id}`, line(`{"jsonrpc":"2.0","id":${id},${CALL}}`)]),
  ...['["tools/call"]', '[["tools/call"]]', '{"toString":"tools/call"}', 'null', 'true', '7'].map((method): [string, Buffer] => [`a method that is ${method}`, line(`{"jsonrpc":"2.0","id":1,"method":${method},"params":{"name":"${GATED}","arguments":{"id":"p"}}}`)]),
  ['a method that is a list, of a notification', line(`{"jsonrpc":"2.0","method":["tools/call"],"params":{"name":"${GATED}","arguments":{"id":"p"}}}`)],
  ['a method that is a list, and a result', line(`{"jsonrpc":"2.0","id":1,"method":["tools/call"],"params":{"name":"${GATED}"},"result":{}}`)],
  ...['"1.0"', '2', '["2.0"]', 'null'].map((version): [string, Buffer] => [`a version that is ${version}`, line(`{"jsonrpc":${version},"id":1,"method":["tools/call"],"params":{"name":"${GATED}"}}`)]),
  ['an answer whose prototype is a call', line(`{"jsonrpc":"2.0","id":1,"result":{},"__proto__":{${CALL}}}`)],
  ['a batch', line(`[{"jsonrpc":"2.0","id":1,${CALL}}]`)],
  ['a batch in a batch', line(`[[{"jsonrpc":"2.0","id":1,${CALL}}]]`)],
  ['two messages in a line', line(`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,${CALL}}`)],
  ['a method twice', line(`{"jsonrpc":"2.0","id":1,${CALL},"method":"ping"}`)],
  ['a method twice, of a notification', line(`{"jsonrpc":"2.0","id":1,${CALL},"method":"notifications/x"}`)],
  ['a notification that is a call for who takes the first', line(`{"jsonrpc":"2.0",${CALL},"method":"notifications/x"}`)],
  ['an answer that is a call for who takes the first', line(`{"jsonrpc":"2.0","id":1,${CALL},"method":null,"result":{}}`)],
  ['params twice', line(`{"jsonrpc":"2.0","id":1,${CALL},"params":{"name":"payments_get_payment"}}`)],
  ['a name twice', line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${GATED}","name":"payments_get_payment","arguments":{}}}`)],
  ['a name twice, once escaped', line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${GATED}","n\\u0061me":"payments_get_payment","arguments":{}}}`)],
  ['a key of another case', line(`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"${GATED}"}}`)],
  ['only a key of another case', line(`{"jsonrpc":"2.0","id":1,"METHOD":"tools/call","params":{"name":"${GATED}"}}`)],
  ['params in another case', line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"payments_get_payment"},"Params":{"name":"${GATED}"}}`)],
  ['a letter that folds to one of ASCII', line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"payments_get_payment"},"param\u017f":{"name":"${GATED}"}}`)],
  ['a name in another case', line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"${GATED}","name":"payments_get_payment","arguments":{}}}`)],
  ['the method in another case', line(`{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"${GATED}","arguments":{}}}`)],
  ['the method with a space', line(`{"jsonrpc":"2.0","id":1,"method":"tools/call ","params":{"name":"${GATED}","arguments":{}}}`)],
  ['the method with bytes that are no UTF-8', Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/'), Buffer.from([0xff]), line(`call","params":{"name":"${GATED}","arguments":{}}}`)])],
  ['a key with bytes that are no UTF-8', Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"meth'), Buffer.from([0xc3]), line(`od":"tools/call","params":{"name":"${GATED}","arguments":{}}}`)])],
  ['a byte order mark', line(`\uFEFF{"jsonrpc":"2.0","id":1,${CALL}}`)],
  ['NUL', line(`\u0000{"jsonrpc":"2.0","id":1,${CALL}}`)],
  ['NUL within', line(`{"jsonrpc":"2.0",\u0000"id":1,${CALL}}`)],
  ['a comment', line(`{"jsonrpc":"2.0","id":1,/**/${CALL}}`)],
  ['NaN', line(`{"jsonrpc":"2.0","id":1,"x":NaN,${CALL}}`)],
  ['a returned carriage between tokens', line(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":\r{"jsonrpc":"2.0","id":2,${CALL}}\r}}`)],
  ...['\u2028', '\u2029', '\u0085'].map((end): [string, Buffer] => [`a line end of other readers: ${escape(end)}`, inString(end)]),
  ['__proto__ that is a call', line(`{"jsonrpc":"2.0","id":1,"__proto__":{${CALL}}}`)],
  ['nested 100,000 deep', line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${GATED}","arguments":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}}`)],
  ['arrays 1,000,000 deep', line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${GATED}","arguments":{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}}}`)],
];

describe('a line', () => {
  it('all of them, one after the other: nothing that has a gate is run, and the runtime goes on', async () => {
    const { wire, ran, settled } = attack();
    for (const [what, bytes] of LINES) {
      wire.send(bytes);
      await settled();
      expect(ran(), what).not.toContain(GATED);
    }
    expect(memoryOf(wire)).toBeLessThan(400_000);
  });

  it.each([
    ['a method that is a list', '{"jsonrpc":"2.0","id":1,"method":["ping"]}'], ['a method that is null', '{"jsonrpc":"2.0","id":1,"method":null,"result":{}}'], ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['no version', '{"id":1,"method":"ping"}'], ['a method and a result', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}'], ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":["x"]}'],
    ['a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}'], ['neither', '{"jsonrpc":"2.0","id":1}'], ['a result that is a text', '{"jsonrpc":"2.0","id":1,"result":"x"}'], ['more in an answer', '{"jsonrpc":"2.0","id":1,"result":{},"params":{}}'],
  ])('with %s is refused with its id and does not reach the server', async (_what, text) => {
    const { of, wire, settled } = attack();
    wire.send(`${text}\n`);
    expect(await wire.until(withId(1))).toMatchObject({ error: { code: -32600 } });
    await settled();
    expect(readFileSync(of.log, 'utf8')).not.toContain(text);
  });

  it.each([
    ['control characters', `${GATED}\u0000`], ['a character of direction', `${GATED}\u202e`], ['no width', `payments\u200b_void`], ['a letter that looks the same', 'p\u0430yments_void'], ['full width', 'ｐayments_void'],
    ['another case', 'Payments_Void'], ['a space', ` ${GATED}`], ['10 KB', 'x'.repeat(10_000)], ['a name of the prototype', '__proto__'], ['another', 'constructor'], ['an empty one', ''],
  ])('a tool name with %s is unknown, and the refusal is short', async (_what, name) => {
    const { wire, ran } = attack();
    wire.send(toolCall(1, name, {}));
    const answer = await wire.until(withId(1));
    expect(refusalOf(answer)).toMatchObject({ code: 'unsupported_operation' });
    expect(JSON.stringify(answer).length).toBeLessThan(2_000);
    expect(ran()).toEqual([]);
  });

  it('arguments of the prototype are data, and confirm nothing', async () => {
    const { wire, ran } = attack();
    wire.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"payments_create_refund","arguments":{"__proto__":{"confirm":true,"idempotency_key":"k"},"constructor":{"confirm":true}}}}\n');
    expect(refusalOf(await wire.until(withId(1)))).toMatchObject({ code: 'confirmation_required' });
    wire.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"__proto__":{"name":"payments_get_payment"},"arguments":{}}}\n');
    expect(refusalOf(await wire.until(withId(2)))).toMatchObject({ code: 'validation_error' });
    expect(ran()).toEqual([]);
  });

  it('1,000,000 arguments are taken; keys of one name in them are not', async () => {
    const { wire, ran, settled } = attack();
    const many = Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":0`).join(',');
    wire.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${GATED}","arguments":{${many}}}}\n`);
    expect(refusalOf(await wire.until(withId(1)))).toMatchObject({ code: 'confirmation_required' });
    wire.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"payments_get_payment","arguments":{"a":{"b":[{"c":1,"c":2}]}}}}\n`);
    expect(refusalOf(await wire.until(withId(2)))).toMatchObject({ code: 'validation_error', details: { reason: 'ambiguous_json' } });
    await settled();
    expect(ran()).not.toContain(GATED);
  });

  it('a line without an end ends the runtime at the bound, not the memory', async () => {
    const { wire, ran } = attack();
    await wire.until((message) => message['id'] === 0);
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    wire.child.stdin.on('error', () => undefined);
    let most = 0;
    for (let i = 0; i < 80 && wire.child.exitCode === null; i++) {
      if (!wire.child.stdin.write(chunk)) await Promise.race([new Promise((done) => wire.child.stdin.once('drain', done)), wire.ended]);
      most = Math.max(most, memoryOf(wire));
    }
    expect(await wire.ended).toBe(1);
    expect(most).toBeLessThan(400_000);
    expect(wire.err()).toContain('a line is longer than');
    expect(ran()).toEqual([]);
  });
});

describe('ids', () => {
  it('the same id twice: the second is not forwarded, and the first gets its answer', async () => {
    const { wire, ran, settled } = attack();
    wire.send(toolCall(5, 'payments_get_payment', { id: 'a' }));
    wire.send(toolCall(5, 'payments_get_payment', { id: 'b' }));
    wire.send('{"jsonrpc":"2.0","id":"5","method":"tools/call","params":{"name":"payments_get_payment","arguments":{"id":"c"}}}\n');
    await wire.until(withId(5));
    await wire.until((message) => message['id'] === '5');
    await settled();
    expect(wire.messages.filter((message) => message['id'] === 5)).toHaveLength(1);
    expect(wire.messages.filter((message) => message['id'] === null)).toHaveLength(1);
    expect(ran()).toHaveLength(3 * 3);
  });

  it("a call with the id of our question, and an answer to it by that id, do not open it", async () => {
    const { wire, ran, settled } = attack(FORM);
    wire.send(toolCall(1, GATED, { id: 'p' }));
    const question = await wire.until((message) => message['method'] === 'elicitation/create');
    wire.send({ jsonrpc: '2.0', id: question['id']!, method: 'tools/call', params: { name: GATED, arguments: { id: 'q' } } });
    await wire.until((message) => message['method'] === 'elicitation/create' && message['id'] !== question['id']);
    wire.send({ jsonrpc: '2.0', id: question['id']!, result: { action: 'decline' } });
    expect(refusalOf(await wire.until(withId(1)))).toMatchObject({ code: 'confirmation_required' });
    await settled();
    expect(ran()).not.toContain(GATED);
  });

  it('a list with the id of a call that runs is not taken for its answer', async () => {
    const { wire, settled } = attack();
    wire.send(toolCall(5, 'payments_get_payment', { id: 'a' }));
    wire.send('{"jsonrpc":"2.0","id":5,"method":"tools/list"}\n');
    await settled();
    expect(JSON.stringify(wire.messages)).not.toContain('payments_capture');
  });
});

describe('a person who was not asked', () => {
  const call = (id: number, given: JsonObject, rest: JsonObject = {}): JsonObject => toolCall(id, GATED, given, { ...modernMeta(FORM), ...rest });
  const yes = { inputResponses: { [QUESTION_KEY]: { action: 'accept', content: { confirm: true } } } };

  it('answers and states that are made up, used again, of another call or of another session count for nothing', async () => {
    const [one, other] = [attack(), attack()];
    const stateOf = async ({ wire }: Attack, id: number): Promise<string> => {
      wire.send(call(id, { id: 'p' }));
      return ((await wire.until(withId(id)))['result'] as { requestState: string }).requestState;
    };
    const [state, foreign] = [await stateOf(one, 1), await stateOf(other, 1)];
    const body = state.split('.');
    const tries: JsonObject[] = [
      yes, { ...yes, requestState: '' }, { ...yes, requestState: 'praetor1.' }, { ...yes, requestState: foreign }, { ...yes, requestState: `${state} ` }, { ...yes, requestState: [state] as never },
      { ...yes, requestState: body.with(2, '99999999999999').join('.') }, { requestState: state, inputResponses: { [QUESTION_KEY]: { action: 'accept', content: { confirm: 'true' } } } },
    ];
    let id = 10;
    for (const rest of tries) {
      one.wire.send(call(++id, { id: 'p' }, rest));
      const answer = await one.wire.until(withId(id));
      expect(JSON.stringify(answer), JSON.stringify(rest)).toMatch(/confirmation_required|input_required/);
    }
    const good = await stateOf(one, 2);
    one.wire.send(call(50, { id: 'another' }, { ...yes, requestState: good }));
    expect(refusalOf(await one.wire.until(withId(50)))).toMatchObject({ code: 'confirmation_required' });
    expect(one.ran()).not.toContain(GATED);
    one.wire.send(call(51, { id: 'p' }, { ...yes, requestState: good }));
    expect(await one.wire.until(withId(51))).toMatchObject({ result: { content: [{ text: `did ${GATED}` }] } });
    const ran = one.ran().length;
    one.wire.send(call(52, { id: 'p' }, { ...yes, requestState: good }));
    expect(refusalOf(await one.wire.until(withId(52)))).toMatchObject({ code: 'confirmation_required' });
    expect(one.ran()).toHaveLength(ran);
  });

  it.each<[string, JsonObject]>([
    ['accepts without a content', { action: 'accept' }], ['a text', { action: 'accept', content: { confirm: 'true' } }], ['a list', { action: 'accept', content: [true] as never }], ['another key', { action: 'accept', content: { Confirm: true } }],
    ['another action', { action: 'Accept', content: { confirm: true } }], ['the prototype', JSON.parse('{"action":"accept","content":{"__proto__":{"confirm":true}}}') as JsonObject],
  ])('an answer that %s is none', async (_what, result) => {
    const { wire, ran } = attack(FORM);
    wire.send(toolCall(1, GATED, { id: 'p' }));
    const question = await wire.until((message) => message['method'] === 'elicitation/create');
    wire.send({ jsonrpc: '2.0', id: question['id']!, result });
    expect(refusalOf(await wire.until(withId(1)))).toMatchObject({ code: 'confirmation_required' });
    expect(ran()).toEqual([]);
  });

  it('an answer after the call was cancelled, or a second one, does nothing', async () => {
    const { wire, ran, settled } = attack(FORM);
    wire.send(toolCall(1, GATED, { id: 'p' }));
    const question = await wire.until((message) => message['method'] === 'elicitation/create');
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    for (let i = 0; i < 2; i++) wire.send({ jsonrpc: '2.0', id: question['id']!, result: { action: 'accept', content: { confirm: true } } });
    await settled();
    expect(ran()).not.toContain(GATED);
    expect(wire.messages.some(withId(1))).toBe(false);
  });

  it('questions are bounded: what comes after is refused', async () => {
    const { wire, ran } = attack(FORM);
    const calls = QUESTIONS_MAX + 200;
    for (let id = 1; id <= calls; id++) wire.send(toolCall(id, GATED, { id: String(id) }));
    expect(refusalOf(await wire.until(withId(calls)))).toMatchObject({ code: 'confirmation_required' });
    expect(wire.messages.filter((message) => message['method'] === 'elicitation/create')).toHaveLength(QUESTIONS_MAX);
    expect(ran()).toEqual([]);
  });
});
