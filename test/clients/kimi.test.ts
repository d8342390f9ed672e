// Hooks in a list of TOML tables: ours is appended behind the person's, taken away byte for byte, and found again wherever it
// stands; a file that cannot be read is refused; and which of the two directories counts.
import { describe, expect, test } from 'vitest';
import { kimi } from '../../src/clients/kimi/setup.ts';
import { cli, get, put, tree, world } from '../support/cli.ts';

const CONFIG = '.kimi/config.toml';
const ONLY = ['--client', 'kimi'];
const grown = () => world({ fixture: 'kimi-grown' });

describe('the list of tables', () => {
  test('ours stand behind the last one of the person, and nothing else changes', async () => {
    const where = grown();
    const before = get(where, CONFIG);
    expect((await cli(where, ['clients', 'apply', '--yes', ...ONLY])).code).toBe(0);
    const after = get(where, CONFIG);
    const ours = ['pre-tool', 'session-start'].map((event) => `[[hooks]]\nevent = "${event === 'pre-tool' ? 'PreToolUse' : 'SessionStart'}"\ncommand = "praetorctl hook kimi ${event}"\ntimeout = 30\n`);
    for (const table of ours) expect(after).toContain(table);
    expect(ours.reduce((text, table) => text.replace(table, ''), after).replace(/\n{2,}/g, '\n\n')).toBe(before);
    expect(after.indexOf('praetorctl')).toBeGreaterThan(after.indexOf('notify'));
  });

  test('a table of ours between two of the person is taken out alone', async () => {
    const where = grown();
    await cli(where, ['clients', 'apply', '--yes', ...ONLY]);
    const later = '\n[[hooks]]\nevent = "Stop"\ncommand = "later.sh"\n';
    put(where, CONFIG, get(where, CONFIG) + later);
    expect((await cli(where, ['clients', 'remove', '--yes', ...ONLY])).code).toBe(0);
    expect(get(where, CONFIG)).toBe(get(grown(), CONFIG) + later);
  });

  test('an edited table of ours is drift and is put right', async () => {
    const where = grown();
    await cli(where, ['clients', 'apply', '--yes', ...ONLY]);
    const applied = get(where, CONFIG);
    put(where, CONFIG, applied.replace('timeout = 30', 'timeout = 1'));
    expect((await cli(where, ['clients', 'verify', '--require', 'installed', ...ONLY])).code).toBe(3);
    expect((await cli(where, ['clients', 'apply', '--yes', ...ONLY])).code).toBe(0);
    expect(get(where, CONFIG)).toBe(applied);
  });

  test.each([
    ['an open header', (text: string) => `${text}[[hooks\n`],
    ['conflict markers', (text: string) => `<<<<<<< HEAD\n${text}=======\n>>>>>>> theirs\n`],
    ['a number in the list\'s place', (text: string) => `hooks = 5\n${text.replaceAll('[[hooks]]', '[[others]]')}`],
    ['a key twice', (text: string) => text.replace('default_model', 'default_model = "a"\ndefault_model')],
  ])('%s is refused and nothing is written', async (_what, spoil) => {
    const where = grown();
    put(where, CONFIG, spoil(get(where, CONFIG)));
    const before = tree(where.home);
    expect((await cli(where, ['clients', 'apply', '--yes', ...ONLY])).code).toBe(1);
    expect(tree(where.home)).toEqual(before);
  });

  test('a hook of another form is said, because the newer generation drops the whole file for it', () => {
    expect(kimi.lint('hooks', { hooks: [{ event: 'Stop', command: 'x' }] })).toEqual([]);
    expect(kimi.lint('hooks', { hooks: [{ event: 'Stop', command: 'x', async: true }] })).toMatchObject([{ id: 'kimi.hook-form', path: ['hooks', 0] }]);
  });
});

describe('which directory', () => {
  const dirOf = (present: readonly string[]) => kimi.roots({ platform: 'linux', env: {}, home: '/h', project: '/p', dirExists: (path) => present.includes(path), dirNames: () => [] });
  test.each([
    [[], '/h/.kimi', 0],
    [['/h/.kimi'], '/h/.kimi', 0],
    [['/h/.kimi-code'], '/h/.kimi-code', 0],
    [['/h/.kimi', '/h/.kimi-code'], '/h/.kimi-code', 1],
  ] as const)('%j -> %s', (present, dir, notes) => {
    const roots = dirOf(present);
    expect([roots.paths['dir'], roots.diagnostics.length]).toEqual([dir, notes]);
  });
});
