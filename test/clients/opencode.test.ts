// The generated plugin: planned, written and taken away like every file; somebody else's file of that name is never touched;
// and inside it only silence with exit 0 lets a call pass.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { cli, get, put, world, type World } from '../support/cli.ts';

const PLUGIN = '.config/opencode/plugins/praetorctl.js';
const ONLY = ['--client', 'opencode'];

async function applied(): Promise<World> {
  const where = world();
  expect((await cli(where, ['clients', 'apply', '--yes', ...ONLY])).code).toBe(0);
  return where;
}

describe('the file', () => {
  test('an edit by hand is drift, apply writes it anew, remove deletes it', async () => {
    const where = await applied();
    const original = get(where, PLUGIN);
    for (const edited of [original.replace('throw new Error(reason)', 'return'), original.replace('opencode pre-tool', 'opencode post-tool'), original.replace('const COMMANDS', 'const COMMAND')]) {
      expect(edited).not.toBe(original);
      put(where, PLUGIN, edited);
      expect((await cli(where, ['clients', 'verify', '--require', 'installed', ...ONLY])).code).toBe(3);
      expect((await cli(where, ['clients', 'apply', '--yes', ...ONLY])).code).toBe(0);
      expect(get(where, PLUGIN)).toBe(original);
    }
    expect((await cli(where, ['clients', 'remove', '--yes', ...ONLY])).code).toBe(0);
    expect(existsSync(join(where.home, '.config'))).toBe(false);
  });

  test('a foreign file of the same name is a conflict and stays', async () => {
    const where = world();
    put(where, PLUGIN, 'export const Mine = async () => ({});\n');
    const refused = await cli(where, ['clients', 'apply', '--yes', ...ONLY]);
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('foreign-entry');
    expect((await cli(where, ['clients', 'remove', '--yes', ...ONLY])).err).not.toContain('error');
    expect(get(where, PLUGIN)).toBe('export const Mine = async () => ({});\n');
  });
});

describe('inside', () => {
  type Before = (input: object, output: object) => Promise<void>;
  const path = process.env['PATH'];
  afterEach(() => { process.env['PATH'] = path; });

  /** The hook of the written plugin, with a program in the guard's place. */
  async function withGuard(guard: string | undefined): Promise<Before> {
    const where = await applied();
    const bin = join(where.root, 'fake');
    put(where, '../fake/praetorctl', guard === undefined ? '' : `#!/bin/sh\n${guard}\n`);
    if (guard !== undefined) chmodSync(join(bin, 'praetorctl'), 0o755);
    process.env['PATH'] = `${guard === undefined ? '/nowhere' : bin}:/usr/bin:/bin`;
    const module = join(where.root, 'plugin.mjs');
    writeFileSync(module, get(where, PLUGIN));
    const { Praetorctl } = await import(/* @vite-ignore */ pathToFileURL(module).href) as { Praetorctl: (context: object) => Promise<Record<string, Before>> };
    const hooks = await Praetorctl({ directory: '/w', worktree: '/w' });
    return hooks['tool.execute.before']!;
  }

  const call = (before: Before): Promise<void> => before({ tool: 'bash', sessionID: 's', callID: 'c' }, { args: { command: 'ls' } });

  test.each([['silence', 'cat > /dev/null'], ['white space', 'cat > /dev/null; echo']])('%s lets the call pass', async (_name, guard) => {
    await expect(call(await withGuard(guard))).resolves.toBeUndefined();
  });

  test.each([
    ['a deny', `cat > /dev/null; echo '{"decision":"deny","reason":"not here"}'`, 'not here'],
    ['another word', `cat > /dev/null; echo '{"decision":"allow"}'`, 'cannot be read'],
    ['no JSON', 'cat > /dev/null; echo yes', 'cannot be read'],
    ['exit 1', 'cat > /dev/null; exit 1', 'exit 1'],
    ['exit 2', 'cat > /dev/null; exit 2', 'exit 2'],
    ['a signal', 'cat > /dev/null; kill -9 $$', 'the guard'],
    ['an exit before the call is read', 'exec <&-; sleep 0.1; exit 3', 'exit 3'],
    ['no program', undefined, 'praetorctl is not on PATH'],
  ])('%s refuses', async (_name, guard, said) => {
    await expect(call(await withGuard(guard))).rejects.toThrow(said);
  });
});
