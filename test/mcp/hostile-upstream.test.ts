// What a hostile server sends through the real runtime: what was not approved is not shown, what changed is not run, an answer that
// nobody waits for reaches nobody, and the runtime goes on with bounded memory.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { buildHook } from '../hook/support.ts';
import { HOSTILE, lab, memoryOf, start, withId, type Wire } from './lab.ts';
import { initialize, refusalOf, toolCall } from './support.ts';

beforeAll(buildHook);

const READ = 'payments_get_payment';
const EVIL = 'payments_capture';
const MEMORY_KB_MAX = 700_000;

interface Visit { readonly wire: Wire; readonly ran: () => string[]; readonly answers: () => string; readonly list: (id: number) => Promise<string[]>; readonly call: (id: number, name?: string) => Promise<JsonObject> }

function visit(mode: string, capabilities: JsonObject = {}, extra: Record<string, string> = {}): Visit {
  const of = lab('payments', HOSTILE, (name) => name === READ);
  const answers = join(of.at.root, 'answers.log');
  const wire = start(of, 'payments', { LAB_MODE: mode, LAB_ANSWERS: answers, ...extra });
  wire.send(initialize(capabilities));
  const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  return {
    wire, ran: () => read(join(of.at.root, 'ran.log')).trim().split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as string), answers: () => read(answers),
    list: async (id) => {
      wire.send(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })}\n`);
      const answer = await wire.until(withId(id));
      const { tools } = (answer['result'] ?? { tools: [] }) as { tools: { name: string }[] };
      return tools.map(({ name }) => name);
    },
    call: (id, name = READ) => {
      wire.send(toolCall(id, name, { id: 'p' }));
      return wire.until(withId(id));
    },
  };
}

const did = (answer: JsonObject): void => expect(answer).toMatchObject({ result: { content: [{ text: `did ${READ}` }] } });
const isChanged = (answer: JsonObject): void => expect(refusalOf(answer)).toMatchObject({ code: 'policy_denied', details: { reason: 'definition_changed' } });

describe('a list', () => {
  it.each(['early', 'twice', 'batch', 'two-ids', 'folded-id', 'line-ends', 'escaped', 'many', 'names', 'double-same'])('%s: only what is approved is shown, anywhere', async (mode) => {
    const { wire, ran, list, call } = visit(mode);
    await wire.until((message) => message['id'] === 0);
    const names = await list(1);
    expect(names).not.toContain(EVIL);
    for (const name of names) expect(name).toMatch(/^payments_[a-z_]+$/);
    if (mode !== 'double-same') {
      expect(names).toContain(READ);
      did(await call(2));
    }
    expect(refusalOf(await call(3, EVIL))).toMatchObject({ code: 'unsupported_operation' });
    expect(wire.messages.filter(withId(1))).toHaveLength(1);
    const shown = JSON.stringify(wire.messages.filter((message) => message['method'] === undefined));
    expect(shown).not.toContain('never approved');
    expect(ran()).not.toContain(EVIL);
  });

  it.each(['deep-tool', 'bomb-cycle', 'bomb-regex', 'bomb-wide', 'bomb-required', 'long', 'double'])('%s: the tool counts as changed, the others stay', async (mode) => {
    const { wire, ran, list, call } = visit(mode);
    const names = await list(1);
    expect(names).not.toContain(READ);
    expect(names.length).toBeGreaterThan(2);
    isChanged(await call(2));
    expect(ran()).toEqual([]);
    expect(memoryOf(wire)).toBeLessThan(MEMORY_KB_MAX);
    expect(wire.err().length).toBeLessThan(20_000);
  });

  it('twice over two pages: it counts as changed', async () => {
    const { ran, call } = visit('double-pages');
    isChanged(await call(1));
    expect(ran()).toEqual([]);
  });

  it('one that cannot be read shows nothing, and nothing is run', async () => {
    const { ran, list, call } = visit('deep');
    expect(await list(1)).toEqual([]);
    expect(refusalOf(await call(2))).toMatchObject({ code: 'policy_denied' });
    expect(ran()).toEqual([]);
  });

  it('one without an end ends at the bound of pages', async () => {
    const { wire, call } = visit('endless');
    expect(refusalOf(await call(1))).toMatchObject({ code: 'policy_denied' });
    expect(memoryOf(wire)).toBeLessThan(MEMORY_KB_MAX);
  });

  it('a change that each list brings about, and a storm of them, do not hold the calls up', async () => {
    for (const mode of ['loop', 'storm']) {
      const { wire, call } = visit(mode);
      for (let id = 1; id <= 4; id++) did(await call(id));
      expect(memoryOf(wire)).toBeLessThan(MEMORY_KB_MAX);
    }
  });
});

describe('an answer', () => {
  it('to what nobody asked, or a second one, reaches nobody', async () => {
    for (const mode of ['unasked', 'answers-twice']) {
      const { wire, call } = visit(mode);
      did(await call(1));
      did(await call(2));
      expect(JSON.stringify(wire.messages)).not.toMatch(/unasked|again/);
      expect(wire.err()).toContain('an answer that nobody waits for was dropped');
    }
  });

  it('nested 100,000 deep passes as it came, and the runtime goes on', async () => {
    const { wire, call } = visit('deep-result');
    await call(1);
    await call(2);
    expect(wire.child.exitCode).toBeNull();
  });

  it('byte by byte arrives', async () => did(await visit('drip').call(1)));

  it('without an end ends the runtime at the bound, not the memory', async () => {
    const { wire } = visit('endless-line');
    wire.send(toolCall(1, READ, { id: 'p' }));
    let most = 0;
    const looking = setInterval(() => { if (wire.child.exitCode === null) most = Math.max(most, memoryOf(wire)); }, 20);
    expect(await wire.ended).toBe(1);
    clearInterval(looking);
    expect(most).toBeLessThan(MEMORY_KB_MAX);
    expect(wire.err()).toContain('a line is longer than');
  });
});

describe('a question', () => {
  it('in our words is not ours: a yes goes to the server and opens nothing', async () => {
    for (const id of ['praetor-q:1', 'praetor-q::0', 'praetor-l:0']) {
      const { wire, ran, answers, call } = visit('spoof', { elicitation: { form: {} } }, { LAB_QUESTION: id });
      await call(1);
      const question = await wire.until((message) => message['method'] === 'elicitation/create');
      expect(question['id']).toBe(id);
      wire.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } });
      wire.send(toolCall(2, 'payments_void', { id: 'p' }));
      const ours = await wire.until((message) => message['method'] === 'elicitation/create' && message['id'] !== id);
      wire.send({ jsonrpc: '2.0', id: ours['id']!, result: { action: 'decline' } });
      expect(refusalOf(await wire.until(withId(2)))).toMatchObject({ code: 'confirmation_required' });
      expect(ran()).toEqual([READ]);
      expect(answers()).toContain(id);
      expect(answers()).not.toContain(String(ours['id']));
    }
  });

  it('a notification with an id is a request of the server and changes nothing', async () => {
    const { wire, call } = visit('with-id');
    did(await call(1));
    did(await call(2));
    expect(wire.messages.filter((message) => message['id'] === 4711)).toHaveLength(2);
  });
});
