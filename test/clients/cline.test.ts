// The generated hook files: planned, written and taken away like every file; somebody else's file of that name is never touched;
// and inside it only silence with exit 0 lets a call pass, whatever kind of module the file is taken for.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { captured } from '../dialects/payloads.ts';
import { cli, get, put, settings, world, type World } from '../support/cli.ts';

const HOOK = '.cline/hooks/PreToolUse.js';
const ONLY = ['--client', 'cline'];

async function applied(where: World = world()): Promise<World> {
  expect((await cli(where, ['clients', 'apply', '--yes', ...ONLY])).code).toBe(0);
  return where;
}

describe('the files', () => {
  test('one for each event that is wanted, none for the others', async () => {
    const where = world();
    settings(where, 'hooks: { events: [pre-tool, post-tool, prompt, session-start, stop] }\n');
    await applied(where);
    const all = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'TaskStart', 'TaskComplete'].map((name) => `.cline/hooks/${name}.js`);
    expect(all.filter((file) => existsSync(join(where.home, file)))).toEqual(all);
    settings(where, 'hooks: { events: [pre-tool] }\n');
    await applied(where);
    expect(all.filter((file) => existsSync(join(where.home, file)))).toEqual([HOOK]);
  });

  test('an edit by hand is drift, apply writes it anew, remove deletes it', async () => {
    const where = await applied();
    const original = get(where, HOOK);
    for (const edited of [original.replace('cancel: true, errorMessage: reason', 'cancel: false'), original.replace('cline pre-tool', 'cline post-tool'), original.replace('const COMMANDS', 'const COMMAND')]) {
      expect(edited).not.toBe(original);
      put(where, HOOK, edited);
      expect((await cli(where, ['clients', 'verify', '--require', 'installed', ...ONLY])).code).toBe(3);
      await applied(where);
      expect(get(where, HOOK)).toBe(original);
    }
    expect((await cli(where, ['clients', 'remove', '--yes', ...ONLY])).code).toBe(0);
    expect(existsSync(join(where.home, '.cline'))).toBe(false);
  });

  test('a foreign file of the same name is a conflict and stays', async () => {
    const where = world();
    put(where, HOOK, 'process.exit(0);\n');
    const refused = await cli(where, ['clients', 'apply', '--yes', ...ONLY]);
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('foreign-entry');
    expect(get(where, HOOK)).toBe('process.exit(0);\n');
  });

  test('a symbolic link in its place is never run by the client: apply refuses it, verify and doctor say so', async () => {
    const where = await applied();
    const moved = join(where.root, 'moved.js');
    renameSync(join(where.home, HOOK), moved);
    symlinkSync(moved, join(where.home, HOOK));
    const plan = await cli(where, ['clients', 'plan', ...ONLY]);
    expect(plan.code).toBe(1);
    expect(plan.err).toContain('leaves it out in silence');
    expect((await cli(where, ['clients', 'verify', ...ONLY])).out).toContain('leaves it out in silence');
    expect((await cli(where, ['doctor', ...ONLY])).out).toMatch(/error +switch\.cline .*symbolic link/);
  });

  test('a link on the way to the directory is none', async () => {
    const where = world();
    const real = join(where.root, 'dotfiles');
    mkdirSync(real);
    symlinkSync(real, join(where.home, '.cline'));
    await applied(where);
    expect((await cli(where, ['clients', 'plan', ...ONLY])).code).toBe(0);
  });

  test('without node on PATH the client leaves every hook out, and verify and doctor say so', async () => {
    const where = await applied();
    expect((await cli(where, ['clients', 'verify', ...ONLY])).out).not.toContain('node is not on this PATH');
    where.env['PATH'] = join(where.root, 'bin');
    expect((await cli(where, ['clients', 'verify', ...ONLY])).out).toContain('node is not on this PATH');
  });
});

describe('inside', () => {
  const [call] = captured('cline').filter(({ name }) => name.includes('PreToolUse-shell'));

  /** The written hook file as the client runs it, with a program in the guard's place. */
  async function run(guard: string | undefined, more: { file?: string; packageType?: string } = {}): Promise<{ stdout: string; status: number | null }> {
    const where = world();
    settings(where, 'hooks: { events: [pre-tool, post-tool] }\n');
    await applied(where);
    const bin = join(where.root, 'fake');
    put(where, '../fake/praetorctl', `#!/bin/sh\n${guard ?? ''}\n`);
    if (guard !== undefined) chmodSync(join(bin, 'praetorctl'), 0o755);
    if (more.packageType !== undefined) put(where, '.cline/package.json', `{"type":"${more.packageType}"}`);
    const path = `${guard === undefined ? '/nowhere' : bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
    return spawnSync(process.execPath, [join(where.home, more.file ?? HOOK)], { input: call!.text, encoding: 'utf8', env: { PATH: path, HOME: where.home } });
  }

  const refused = (result: { stdout: string }): unknown => JSON.parse(result.stdout);

  test.each([['silence', 'cat > /dev/null'], ['white space', 'cat > /dev/null; echo']])('%s lets the call pass', async (_name, guard) => {
    expect(await run(guard)).toMatchObject({ stdout: '', status: 0 });
  });

  test('the guard gets the call as it came, and the mark of the hook file', async () => {
    expect(refused(await run('[ "$PRAETORCTL_SHIM" = cline ] || exit 9; grep -q \'"run_commands"\' || exit 8; echo \'{"cancel":true,"errorMessage":"seen"}\''))).toEqual({ cancel: true, errorMessage: 'seen' });
  });

  test.each([
    ['a deny', `cat > /dev/null; echo '{"cancel":true,"errorMessage":"not here"}'`, 'not here'],
    ['another word', `cat > /dev/null; echo '{"cancel":false,"errorMessage":"x"}'`, 'cannot be read'],
    ['a deny of another dialect', `cat > /dev/null; echo '{"decision":"deny","reason":"x"}'`, 'cannot be read'],
    ['no JSON', 'cat > /dev/null; echo yes', 'cannot be read'],
    ['null', 'cat > /dev/null; echo null', 'cannot be read'],
    ['exit 1', 'cat > /dev/null; exit 1', 'exit 1'],
    ['exit 2', 'cat > /dev/null; exit 2', 'exit 2'],
    ['a signal', 'cat > /dev/null; kill -9 $$', 'the guard'],
    ['no program', undefined, 'praetorctl is not on PATH'],
  ])('%s stops the task', async (_name, guard, said) => {
    const result = await run(guard);
    expect(result.status).toBe(0);
    expect(refused(result)).toEqual({ cancel: true, errorMessage: expect.stringContaining(said) as string });
  });

  test.each(['module', 'commonjs'])('beside a package.json of type %s', async (packageType) => {
    expect(refused(await run('exit 1', { packageType }))).toMatchObject({ cancel: true });
    expect(await run('cat > /dev/null', { packageType })).toMatchObject({ stdout: '', status: 0 });
  });

  test('a later event never stops a task', async () => {
    expect(await run('exit 1', { file: '.cline/hooks/PostToolUse.js' })).toMatchObject({ stdout: '', status: 0 });
  });
});
