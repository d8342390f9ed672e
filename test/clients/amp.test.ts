// The program that Amp delegates to, run as Amp runs it: the arguments on standard input, the tool in the environment, the answer
// in the exit. And the rules: which of the person's stand in the way, and which file spoils all.
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, readFileSync, renameSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { amp } from '../../src/clients/amp/setup.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { cli, get, put, world, type World } from '../support/cli.ts';

const PROGRAM = '.config/amp/praetorctl-amp';
const ONLY = ['--client', 'amp'];

async function applied(): Promise<World> {
  const where = world({ fixture: 'amp-grown' });
  expect((await cli(where, ['clients', 'apply', '--yes', ...ONLY])).code).toBe(0);
  return where;
}

interface Call { readonly tool: string; readonly args: object; readonly cwd?: string; readonly env?: Record<string, string> }

function delegate(where: World, { tool, args, cwd = where.project, env = {} }: Call): { code: number | null; out: string; err: string } {
  const run = spawnSync(join(where.home, PROGRAM), [], { cwd, env: { ...where.env, AGENT: 'amp', AGENT_TOOL_NAME: tool, ...env }, input: JSON.stringify(args), encoding: 'utf8' });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

describe('the program', () => {
  test('is there, can be started, and is taken away', async () => {
    const where = await applied();
    expect(statSync(join(where.home, PROGRAM)).mode & 0o777).toBe(0o755);
    expect(get(where, '.config/amp/settings.json')).toContain('"to": "~/.config/amp/praetorctl-amp"');
    expect((await cli(where, ['clients', 'remove', '--yes', ...ONLY])).code).toBe(0);
    expect(() => statSync(join(where.home, PROGRAM))).toThrow();
  });

  test('an edit by hand is drift, and apply writes it anew', async () => {
    const where = await applied();
    const original = get(where, PROGRAM);
    for (const edited of [original.replace('exit 2', 'exit 0'), original.replace('amp pre-tool"', 'amp post-tool"'), original.replace('# COMMANDS', '# commands')]) {
      expect(edited).not.toBe(original);
      put(where, PROGRAM, edited);
      expect((await cli(where, ['clients', 'verify', '--require', 'installed', ...ONLY])).code).toBe(3);
      expect((await cli(where, ['clients', 'apply', '--yes', ...ONLY])).code).toBe(0);
      expect(get(where, PROGRAM)).toBe(original);
    }
  });

  test('without the right to execute it is drift; apply gives it back, and rollback takes it away', async () => {
    const where = await applied();
    const file = join(where.home, PROGRAM);
    chmodSync(file, 0o640);
    const verdict = await cli(where, ['clients', 'verify', '--require', 'installed', '--json', ...ONLY]);
    expect(verdict.code).toBe(3);
    expect(verdict.out).toContain('"changed"');
    expect((await cli(where, ['clients', 'plan', '--json', ...ONLY])).json).toMatchObject({ counts: { change: 1 } });
    expect((await cli(where, ['clients', 'apply', '--yes', ...ONLY])).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o750);
    expect((await cli(where, ['clients', 'verify', '--require', 'installed', ...ONLY])).code).toBe(0);
    expect((await cli(where, ['clients', 'rollback', '--yes'])).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test.each([['remove'], ['rollback']])('%s does not leave a link of the person to nothing: it refuses, and goes on without the link', async (word) => {
    const where = await applied();
    const file = join(where.home, PROGRAM);
    renameSync(file, join(where.root, 'moved'));
    symlinkSync(join(where.root, 'moved'), file);
    const command = ['clients', word, '--yes', ...(word === 'remove' ? ONLY : [])];
    const refused = await cli(where, command);
    expect(refused.code).not.toBe(0);
    expect(refused.out + refused.err).toMatch(/symbolic link/);
    expect([lstatSync(file).isSymbolicLink(), statSync(file).isFile()]).toEqual([true, true]);
    unlinkSync(file);
    renameSync(join(where.root, 'moved'), file);
    expect((await cli(where, command)).code).toBe(0);
    expect(() => lstatSync(file)).toThrow();
  });

  test.each([
    ['a forbidden command is rejected with the reason', { tool: 'shell_command', args: { command: 'git push --force' } }, 2, /git\.push\.force/],
    ['the older shell tool too', { tool: 'Bash', args: { cmd: 'git push --force' } }, 2, /git\.push\.force/],
    ['another command is left to the person', { tool: 'shell_command', args: { command: 'git status' } }, 1, /^$/],
    ['a tool of a server stays allowed', { tool: 'mcp__lab__echo', args: { text: 'hello' } }, 0, /^$/],
    ['an edit stays allowed', { tool: 'edit_file', args: { path: 'a.txt' } }, 0, /^$/],
    ['an edit of the program itself is not', { tool: 'edit_file', args: { path: '~/.config/amp/praetorctl-amp' } }, 2, /praetorctl/],
    ['a call without its command is rejected', { tool: 'Bash', args: {} }, 2, /could not be judged/],
    ['a name that JSON would have to quote is rejected', { tool: 'a"b', args: {} }, 2, /does not know/],
    ['no name is rejected', { tool: '', args: {} }, 2, /does not know/],
  ] as const)('%s', async (_what, call, code, said) => {
    const run = delegate(await applied(), call);
    expect([run.code, run.out]).toEqual([code, '']);
    expect(run.err).toMatch(said);
  });

  test('a directory that JSON would have to quote is left out, and the call is still judged', async () => {
    const where = await applied();
    put(where, 'odd "dir"/file', '');
    expect(delegate(where, { tool: 'Bash', args: { cmd: 'git push --force' }, cwd: join(where.home, 'odd "dir"') }).code).toBe(2);
  });

  test('a question of the hook asks the person, with its words', async () => {
    const where = await applied();
    const run = delegate(where, { tool: 'edit_file', args: { path: '.claude/settings.json' } });
    expect([run.code, run.out]).toEqual([1, '']);
    expect(run.err).toMatch(/self\.files/);
  });

  test.each([
    ['no program', undefined, /not on PATH/],
    ['a crash', 'exit 70', /exit 70/],
    ['a crash with the exit of a question', 'echo Error: boom >&2; exit 1', /exit 1/],
    ['a question without its words', 'echo garbage; exit 1', /exit 1/],
    ['garbage with exit 0', 'echo garbage', /exit 0/],
    ['a signal', 'kill -9 $$', /exit 137/],
  ])('%s rejects', async (_what, guard, said) => {
    const where = await applied();
    if (guard !== undefined) {
      put(where, '../fake/praetorctl', `#!/bin/sh\n${guard}\n`);
      chmodSync(join(where.root, 'fake/praetorctl'), 0o755);
    }
    const run = delegate(where, { tool: 'mcp__lab__echo', args: {}, env: { PATH: `${join(where.root, 'fake')}:/usr/bin:/bin` } });
    expect(run.code).toBe(2);
    expect(run.err).toMatch(said);
  });

  test('the receipt names the caller, and a hook typed into a tool call does not count', async () => {
    const where = await applied();
    delegate(where, { tool: 'shell_command', args: { command: 'ls' } });
    spawnSync('sh', ['-c', `echo '{"tool":"shell_command","args":{"command":"ls"}}' | praetorctl hook amp pre-tool`], { env: { ...where.env, AGENT: 'amp' } });
    const callers = readFileSync(join(where.root, 'state/receipts/receipts.jsonl'), 'utf8').trim().split('\n').map((line) => (JSON.parse(line) as { caller: string }).caller);
    expect(callers).toEqual(['amp', 'unknown']);
  });
});

describe('the rules', () => {
  const ours = { tool: '{Bash,mcp__*}', action: 'delegate', to: '~/.config/amp/praetorctl-amp' };
  const found = (...rules: (JsonObject | number)[]) => amp.lint('hooks+mcp', { 'amp.permissions': rules }).map(({ id, effect, path }) => [id, effect, path?.[1]]);
  test.each([
    ['nothing in the way', [{ tool: 'web_search', action: 'allow' }, ours], []],
    ['stricter ones do not count', [{ tool: 'Bash', action: 'ask' }, { tool: '*', action: 'reject' }, ours], []],
    ['one behind ours does not count', [ours, { tool: '*', action: 'allow' }], []],
    ['one that allows a shell', [{ tool: 'Bash', action: 'allow', matches: { cmd: 'ls*' } }, ours], [['amp.rule-before-ours', 'note', 0]]],
    ['one that allows everything', [{ tool: 'x', action: 'ask' }, { tool: '*', action: 'allow' }, ours], [['amp.rule-before-ours', 'hooks', 1]]],
    ['before ours is there', [{ tool: 'mcp__a__*', action: 'delegate', to: 'other' }], [['amp.rule-before-ours', 'note', 0]]],
    ['one that is no rule', [ours, { tool: 'x', action: 'never' }], [['amp.rules-invalid', 'hooks', 1]]],
    ['a delegate without a program', [{ tool: 'x', action: 'delegate' }, ours], [['amp.rules-invalid', 'hooks', 0]]],
    ['no object', [7, ours], [['amp.rules-invalid', 'hooks', 0]]],
  ] as [string, (JsonObject | number)[], unknown[]][])('%s', (_what, rules, expected) => {
    expect(found(...rules)).toEqual(expected);
  });
});
