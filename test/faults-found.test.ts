// Faults that a tester found once, each as the kind it was. They stay right.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, get, put, repo, settings, tree, world, type World } from './support/cli.ts';

const verdict = (where: World, command: string): number | null => spawnSync(process.execPath, [join(repo, 'bin/praetorctl'), 'hook', 'claude', 'pre-tool'], {
  env: where.env, encoding: 'utf8', timeout: 20_000,
  input: JSON.stringify({ session_id: 's', cwd: where.project, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } }),
}).status;

interface Verified { clients: { client: string; states: Record<string, unknown>; reasons: { text: string }[] }[] }

describe('the guard is guarded', () => {
  it.each([
    'ln -sf /bin/true ~/.local/bin/praetorctl', 'echo > ~/.local/bin/praetorctl', 'rm ~/.local/bin/praetorctl', 'mv x ~/.local/bin/praetorctl', 'chmod 000 ~/.local/bin/praetorctl',
    `rm -rf ${join(repo, 'dist')}`, `echo x > ${join(repo, 'bin/praetorctl')}`,
  ])('%s is denied', (command) => { expect(verdict(world(), command)).toBe(2); });

  it('a replaced launcher is drift', async () => {
    const where = world({ fixture: 'four-clients', onPath: false });
    where.env['PATH'] = `${join(where.home, '.local/bin')}:/usr/bin:/bin`;
    await cli(where, ['clients', 'apply', '--yes', '--client', 'gemini']);
    put(where, '.local/bin/praetorctl', '#!/bin/sh\nexit 0\n');
    const answer = await cli(where, ['clients', 'verify', '--client', 'gemini', '--require', 'installed', '--json']);
    expect(answer.code).toBe(3);
    expect((answer.json as unknown as Verified).clients[0]).toMatchObject({ states: { drifted: true }, reasons: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining('launcher') as string })]) as unknown });
    expect((await cli(where, ['clients', 'plan', '--client', 'gemini'])).code).toBe(3);
  });
});

describe('a key that disarms our handler is a change', () => {
  it.each([
    ['claude', '.claude/settings.json', '"async": true'], ['claude', '.claude/settings.json', '"if": "Bash(zzz)"'], ['claude', '.claude/settings.json', '"once": true'],
    ['codex', '.codex/hooks.json', '"async": true'], ['gemini', '.gemini/settings.json', '"env": {}'], ['agy', '.gemini/config/hooks.json', '"enabled": false'],
  ])('%s %s %s', async (id, file, key) => {
    const where = world({ fixture: 'four-clients' });
    await cli(where, ['clients', 'apply', '--yes', '--client', id]);
    const before = get(where, file);
    put(where, file, before.replace(/("command": ?"praetorctl hook [a-z]+ pre-tool")/, `${key}, $1`));
    expect(get(where, file)).not.toBe(before);
    const verified = await cli(where, ['clients', 'verify', '--client', id, '--json']);
    expect((verified.json as unknown as Verified).clients[0]).toMatchObject({ states: { drifted: true } });
    expect((await cli(where, ['clients', 'apply', '--yes', '--client', id])).code).toBe(0);
    expect(get(where, file)).not.toContain(key);
  });
});

describe('a file that cannot be read', () => {
  it('a dangling settings file is a sign of the client and is refused by name', async () => {
    const where = world();
    mkdirSync(join(where.home, '.gemini'));
    symlinkSync('/no/such/file', join(where.home, '.gemini/settings.json'));
    const answer = await cli(where, ['clients', 'apply', '--yes']);
    expect([answer.code, answer.err]).toEqual([1, expect.stringContaining('dangling-link')]);
    expect(answer.err).toContain('--client');
  });

  it('does not keep the other clients registered: remove goes on where we never wrote', async () => {
    const where = world({ fixture: 'four-clients' });
    const before = tree(where.home);
    await cli(where, ['clients', 'apply', '--yes', '--client', 'claude,codex,agy']);
    put(where, '.gemini/settings.json', '{ broken');
    const answer = await cli(where, ['clients', 'remove', '--yes']);
    expect([answer.code, answer.err]).toEqual([0, expect.stringContaining('left as it is')]);
    put(where, '.gemini/settings.json', Buffer.from(before['.gemini/settings.json']!.split(' ')[1]!, 'base64'));
    expect(tree(where.home)).toEqual(before);
  });

  it('a fault that the client\'s own reader has is placed by line and column', async () => {
    const where = world();
    put(where, '.claude/settings.json', '{\n  "hooks": {\n    "PreToolUse": [\n      { "hooks": [{ "type": "zzz" }] }\n    ]\n  }\n}\n');
    const answer = await cli(where, ['clients', 'plan', '--client', 'claude']);
    expect(answer.err).toMatch(/client-rejects: ~\/\.claude\/settings\.json:4:7:/);
  });
});

describe('words that can be followed', () => {
  it('no fix names a package on a registry', async () => {
    const where = world({ fixture: 'four-clients', onPath: false });
    const all = [await cli(where, ['clients', 'plan']), await cli(where, ['doctor']), await cli(where, ['clients', 'verify'])];
    expect(all.map((a) => a.out + a.err).join('\n')).not.toMatch(/npm install -g praetorctl/);
  });

  it('a checkout that is not on PATH names commands that run', async () => {
    const where = world({ fixture: 'four-clients', onPath: false });
    const verify = await cli(where, ['clients', 'verify']);
    const next = /next: (node \S+ clients apply[^\n]*)/.exec(verify.out)?.[1];
    expect(next).toBeDefined();
    expect(spawnSync('sh', ['-c', `${next!.replace('apply', 'plan')}`], { env: where.env, cwd: where.project }).status).toBe(3);
    expect((await cli(world({ fixture: 'four-clients' }), ['clients', 'verify'])).out).toContain('next: praetorctl clients apply');
  });

  it('a URL shows its host only', async () => {
    const where = world({ fixture: 'four-clients' });
    settings(where, 'mcpServers: { a: { url: "https://user:pw@h.test:8443/sekret-path?k=sekret" } }');
    const plan = await cli(where, ['clients', 'plan', '-v']);
    expect(plan.out).toContain('http h.test:8443');
    expect(plan.out).not.toMatch(/sekret|pw@/);
  });

  it('PRAETORCTL_JSON=0 means no JSON', async () => {
    const where = world({ fixture: 'four-clients' });
    for (const [value, json] of [['0', false], ['false', false], ['', false], ['1', true]] as const) {
      where.env['PRAETORCTL_JSON'] = value;
      expect((await cli(where, ['clients', 'list'])).out.startsWith('{')).toBe(json);
    }
  });
});

describe('a bad state directory', () => {
  it('below /proc the hook still answers', () => {
    const where = world({ env: { PRAETORCTL_STATE_DIR: '/proc/praetorctl-x' } });
    expect(verdict(where, 'git push --force')).toBe(2);
    expect(verdict(where, 'git status')).toBe(0);
  });

  it('an unreadable one is said in plain words', async () => {
    if (process.getuid?.() === 0) return; // Root reads everything; the host-level twin is in test/clientsetup.
    const where = world({ fixture: 'four-clients' });
    mkdirSync(join(where.root, 'state'));
    chmodSync(join(where.root, 'state'), 0o000);
    const answer = await cli(where, ['clients', 'plan']);
    expect(answer.err).not.toContain('unexpected failure');
  });

  it('a full standard output is a failure without a stack trace', () => {
    const where = world({ fixture: 'four-clients' });
    const run = spawnSync('sh', ['-c', `'${process.execPath}' '${join(repo, 'bin/praetorctl')}' clients plan > /dev/full`], { env: where.env, cwd: where.project, encoding: 'utf8' });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/praetorctl: error: write-failed/);
    expect(run.stderr).not.toMatch(/ at .*\(/);
    writeFileSync(join(where.root, 'done'), '');
  });
});

describe('globs in the root directory', () => {
  it.each(['rm -rf /v*', 'rm -rf /*/', 'rm -rf /u??', 'rm -rf /e*'])('%s is denied', (command) => { expect(verdict(world(), command)).toBe(2); });
  it.each(['rm -rf ./v*', 'rm -rf build/*/', 'ls /v*'])('%s passes', (command) => { expect(verdict(world(), command)).toBe(0); });
});
