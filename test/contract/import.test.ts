// What a server says of itself when it is imported, and imported again: never believed below what it says now, and never printed raw.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { put } from '../hook/operator-support.ts';
import { SERVER, catalogueOf, lab, stateOf, type Lab } from './lab.ts';

const input = { type: 'object', properties: { path: { type: 'string' } } };
const sync = { name: 'sync', description: 'Looks at a folder', inputSchema: input, annotations: { readOnlyHint: true } };

async function imported(tools: unknown): Promise<Lab> {
  const one = lab();
  writeFileSync(one.tools, JSON.stringify(tools));
  await one.say(['contract', 'import', 'notes', '--yes']);
  return one;
}

async function approvedRead(): Promise<Lab> {
  const one = await imported([sync]);
  await one.say(['contract', 'review', 'notes']);
  expect((await one.say(['contract', 'approve', 'notes', '--reads', '--yes'])).out).toContain('1 approved');
  return one;
}

describe('a tool that is described anew', () => {
  it.each([
    ['its annotations', { ...sync, annotations: { destructiveHint: true } }, 'destructive'],
    ['annotations that say both', { ...sync, annotations: { readOnlyHint: true, destructiveHint: true } }, 'destructive'],
    ['its description', { ...sync, description: 'Deletes everything' }, 'destructive'],
    ['no annotation any more', { ...sync, annotations: {} }, 'high'],
  ])('is at least as strong as it says now: %s', async (_what, tool, risk) => {
    const { at, tools, say } = await approvedRead();
    writeFileSync(tools, JSON.stringify([tool]));
    expect((await say(['contract', 'import', 'notes', '--yes'])).out).toContain('sync: its definition says more than the catalogue did');
    expect(catalogueOf(at).operations[0]).toMatchObject({ effect: 'mutation', risk, reversible: false, confirmationRequired: true, state: 'review_required' });
    await say(['contract', 'review', 'notes']);
    expect((await say(['contract', 'approve', 'notes', '--reads', '--yes'])).out).toContain('nothing that waits for approval is meant');
    expect(stateOf(at, 'sync')).toBe('review_required');
  });

  it('keeps what a person set where the new definition says no more', async () => {
    const { at, tools, say } = await imported([{ ...sync, annotations: {} }]);
    const catalogue = catalogueOf(at);
    Object.assign(catalogue.operations[0]!, { risk: 'financial' });
    writeFileSync(join(at.root, 'config/contracts/notes.json'), JSON.stringify(catalogue));
    writeFileSync(tools, JSON.stringify([{ ...sync, description: 'Looks twice' }]));
    await say(['contract', 'import', 'notes', '--yes']);
    expect(catalogueOf(at).operations[0]).toMatchObject({ effect: 'mutation', risk: 'financial' });
  });

  it('a catalogue that calls a read what the definition does not is contradicted in the review, and approved by name only', async () => {
    const { at, say } = await imported([{ ...sync, annotations: { destructiveHint: true } }]);
    const catalogue = catalogueOf(at);
    Object.assign(catalogue.operations[0]!, { effect: 'read', risk: 'none', reversible: true, confirmationRequired: false });
    writeFileSync(join(at.root, 'config/contracts/notes.json'), JSON.stringify(catalogue));
    expect((await say(['contract', 'review', 'notes'])).out).toContain('! its definition says mutation, risk destructive, cannot be undone; the catalogue says read');
    expect((await say(['contract', 'approve', 'notes', '--reads', '--yes'])).out).toContain('sync: not approved as a read');
    expect(stateOf(at, 'sync')).toBe('review_required');
    expect((await say(['contract', 'approve', 'notes', 'sync', '--yes'])).out).toContain('1 approved');
  });

  it.each([
    ['the read first', [sync, { ...sync, annotations: { destructiveHint: true } }], 'destructive'],
    ['the read last', [{ ...sync, annotations: { destructiveHint: true } }, sync], 'destructive'],
    ['two reads', [sync, { ...sync, description: 'another' }], 'high'],
  ])('a tool that is listed twice is drafted by the strictest: %s', async (_what, list, risk) => {
    const { at, say } = await imported(list);
    expect(catalogueOf(at).operations).toMatchObject([{ effect: 'mutation', risk, confirmationRequired: true }]);
    const review = (await say(['contract', 'review', 'notes'])).out;
    expect([review.includes('! listed 2 times'), review.split('says of itself').length - 1]).toEqual([true, 2]);
    expect((await say(['contract', 'approve', 'notes', '--reads', '--yes'])).out).toContain('nothing that waits');
  });

  it('an approved read that is listed twice now is no read', async () => {
    const { at, tools, say } = await approvedRead();
    writeFileSync(tools, JSON.stringify([sync, { ...sync, description: 'Deletes everything' }]));
    await say(['contract', 'import', 'notes', '--yes']);
    expect(catalogueOf(at).operations[0]).toMatchObject({ effect: 'mutation', risk: 'destructive', state: 'review_required' });
  });

  it('another program under the same name has to be approved again', async () => {
    const { at, tools, say } = await approvedRead();
    put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { notes: { command: process.execPath, args: [SERVER, 'other'] } } }));
    expect(existsSync(tools)).toBe(true);
    await say(['contract', 'import', 'notes', '--yes']);
    expect([stateOf(at, 'sync'), catalogueOf(at).upstream]).toEqual(['review_required', expect.objectContaining({ args: [SERVER, 'other'] })]);
  });
});

describe('what a server sends', () => {
  it('stays in its line, whatever it holds', async () => {
    const forged = 'a\n\nnotes_read  (notes.read, approved)';
    const { say } = await imported([
      { name: forged, description: { text: 'x' }, title: 7, inputSchema: { type: 'object', properties: 3 }, annotations: 'none' },
      { name: 'li\u0441t', description: `one\r\u001b[2Jtwo ${'x'.repeat(3000)}THE-END`, inputSchema: input },
      { name: '__proto__', inputSchema: input }, { ...sync },
    ]);
    const again = await say(['contract', 'import', 'notes', '--yes']);
    const review = await say(['contract', 'review', 'notes']);
    expect([again.code, review.code]).toEqual([0, 0]);
    expect(again.out).toContain('__proto__: left out');
    for (const text of [again.out, review.out]) expect(text.split('\n').filter((line) => line.startsWith('notes_read  (') || line.includes('\u001b'))).toEqual([]);
    expect(review.out).toContain('a⟨U+000A⟩⟨U+000A⟩notes_read');
    expect(review.out).toContain('li\u0441t (letters of two alphabets)');
    expect(review.out).toContain('THE-END');
    expect((await say(['contract', 'approve', 'notes', '--all', '--yes'])).out).toContain('3 approved');
  });

  it('may be thousands of tools, each within its own bound', async () => {
    const { at, say } = lab();
    writeFileSync(join(at.root, 'tools.json'), JSON.stringify([
      ...Array.from({ length: 10_000 }, (_, i) => ({ name: `tool_${i}`, inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } } })),
      { name: 'large', inputSchema: { type: 'object', properties: { a: { enum: Array.from({ length: 60_000 }, (_, i) => i) } } } },
    ]));
    const { code, out } = await say(['contract', 'import', 'notes', '--yes']);
    expect([code, out.includes('10000 operations'), out.includes('large: left out: its definition is more than 50000 values')]).toEqual([0, true, true]);
  });

  it.each([
    ['a list that is none', 'S(m, { tools: {} })', 'is no list'],
    ['pages that go in a circle', "S(m, { tools: [{ name: 'a', inputSchema: {} }], nextCursor: 'x' })", 'have no end'],
    ['more pages than are read', "S(m, { tools: [], nextCursor: String(n++) })", 'more than 1000 pages'],
  ])('%s fails the import', async (_what, answer, text) => {
    const { at, say } = lab();
    const program = join(at.root, 'paged.mjs');
    writeFileSync(program, `import { createInterface } from 'node:readline'; let n = 0;
const S = (m, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => { const m = JSON.parse(line);
  if (m.method === 'initialize') S(m, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
  else if (m.method === 'tools/list') ${answer}; }).on('close', () => process.exit(0));\n`);
    put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { paged: { command: process.execPath, args: [program] } } }));
    const { code, err } = await say(['contract', 'import', 'paged', '--yes']);
    expect([code, err.includes(text), existsSync(join(at.root, 'config/contracts/paged.json'))]).toEqual([1, true, false]);
  });

  it('is found in each file that OpenCode reads, and stands behind the runtime there', async () => {
    const { at, say } = lab();
    const directory = join(at.home, '.config/opencode');
    const entry = { type: 'local', command: [process.execPath, SERVER], enabled: true };
    put(join(directory, 'opencode.jsonc'), `{\n  // mine\n  "mcp": { "beside": ${JSON.stringify(entry)} },\n}\n`);
    expect((await say(['contract', 'import', 'beside', '--client', 'opencode', '--yes'])).code).toBe(0);
    expect((await say(['clients', 'apply', '--yes', '--client', 'opencode'])).code).toBe(0);
    const text = readFileSync(join(directory, 'opencode.jsonc'), 'utf8');
    expect([text.includes('// mine'), text.includes('"praetorctl"'), existsSync(join(directory, 'opencode.json'))]).toEqual([true, true, false]);
    put(join(directory, 'opencode.json'), JSON.stringify({ mcp: { first: entry } }));
    expect((await say(['contract', 'import', 'first', '--client', 'opencode', '--yes'])).code).toBe(0);
  });

  it('two names that become one word are two servers', async () => {
    const { at, say } = lab();
    put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { 'a.b': { command: process.execPath, args: [SERVER] }, 'a/b': { command: process.execPath, args: [SERVER, 'second'] } } }));
    expect((await say(['contract', 'import', 'a.b', '--yes'])).code).toBe(0);
    const before = readFileSync(join(at.root, 'config/contracts/a-b.json'), 'utf8');
    const { code, err } = await say(['contract', 'import', 'a/b', '--yes']);
    expect([code, err.includes('a/b would share the catalogue a-b with a.b')]).toEqual([4, true]);
    expect(readFileSync(join(at.root, 'config/contracts/a-b.json'), 'utf8')).toBe(before);
  });
});
