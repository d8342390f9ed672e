// Contract: the operator's settings as the hook process reads them: fresh, stale, missing, damaged, foreign, changed while it runs;
// the workspace's own document; and that nothing of it can loosen.
import { spawn } from 'node:child_process';
import { chmodSync, closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { HOOK_SOURCE_BYTES_MAX } from '../../src/hook/settings-source.ts';
import { TABLE_FORMAT } from '../../src/model/table.ts';
import { compile, edit, last, policy, put, said, shell, station, type Station } from './operator-support.ts';
import { buildHook } from './support.ts';

beforeAll(buildHook);

const DENY = policy('deny:\n  - { id: tf, program: stackform, subcommand: [apply], reason: Plans are applied by the pipeline., instead: Run stackform plan. }');
const CALL = 'stackform apply -auto-approve';

function compiled(text = DENY): Station {
  const at = station();
  const outcome = compile(at, text);
  expect(outcome.diagnostics.filter((d) => d.severity === 'error')).toEqual([]);
  return at;
}

describe('in force', () => {
  test('no document, no index: built-in rules only', async () => {
    const at = station();
    expect(await said(at, CALL)).toBe('neutral');
    expect(await said(at, 'git push --force')).toBe('deny git.push.force');
    expect(existsSync(at.index)).toBe(false);
  });

  test('a fresh index; its file is private', async () => {
    const at = compiled();
    const ran = await shell(at, CALL);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('Plans are applied by the pipeline. Run stackform plan.') });
    expect(last(at)).toMatchObject({ verdict: 'deny', rule: 'operator.tf' });
    expect(last(at).settings).toBeUndefined();
    expect(statSync(at.index).mode & 0o777).toBe(0o600);
    expect(await said(at, 'stackform plan')).toBe('neutral');
    expect(await said(at, 'echo stackform apply')).toBe('neutral');
  });

  test('wrappers, quotes and nesting do not hide the program', async () => {
    const at = compiled();
    for (const command of ['sudo stackform apply', "sh -c 'stackform apply'", '/usr/bin/stackform apply', 'cd x && stackform -chdir=y apply', 'echo $(stackform apply)']) expect([command, await said(at, command)]).toEqual([command, 'deny operator.tf']);
  });

  test('rules without a program, of paths only, and patterns', async () => {
    const at = compiled(policy("deny:\n  - { id: secrets, paths: ['secrets/**', '~/.vault'], reason: Secrets stay. }\n  - 'curl .*internal\\.example'\nask:\n  - { program: make, args: ['deploy*'] }"));
    expect(await said(at, 'cat secrets/a/b.txt')).toBe('deny operator.secrets');
    expect(await said(at, 'cp x ~/.vault/y')).toBe('deny operator.secrets');
    expect(await said(at, 'echo x > secrets/new')).toBe('deny operator.secrets');
    expect(await said(at, 'cat public/a')).toBe('neutral');
    expect(await said(at, 'curl -s https://internal.example/x')).toBe('deny operator.deny-2');
    expect(await said(at, 'make deploy-eu')).toBe('ask operator.ask-1');
    await edit(at, join(at.workspace, 'secrets', 'x'));
    expect(last(at)).toMatchObject({ verdict: 'deny', rule: 'operator.secrets' });
    await edit(at, join(at.workspace, 'src', 'x'));
    expect(last(at)).toMatchObject({ verdict: 'neutral' });
  });

  test('levels and exceptions loosen what the person names, with a reason', async () => {
    const at = compiled(policy("rules: { git.push.force: ask }\nallow:\n  - { rule: git.push.force, program: git, subcommand: [push], options: [--force], args: [fork, 'topic/*'], reason: My own fork. }"));
    expect(await said(at, 'git push --force origin main')).toBe('ask git.push.force');
    expect(await said(at, 'git push --force fork topic/x')).toBe('neutral');
    expect(await said(at, 'git push --force fork topic/x main')).toBe('ask git.push.force');
    expect(await said(at, 'git push --force --no-verify fork topic/x')).not.toBe('neutral');
  });

  test('an exception never covers the guard itself unless it names the rule', async () => {
    const at = compiled(policy('allow:\n  - { program: rm, reason: Trust me. }'));
    expect(await said(at, `rm -f ${at.settings}`)).toMatch(/^deny self\./);
  });
});

describe('sources that changed or broke', () => {
  test('a rule that the source adds is in force at once, one that it drops stays until it is compiled', async () => {
    const at = compiled();
    put(at.settings, policy('deny:\n  - { id: hl, program: helm, reason: No. }'));
    expect(await said(at, 'helm install x')).toBe('deny operator.hl (stale)');
    expect(await said(at, CALL)).toBe('deny operator.tf (stale)');
    expect(existsSync(at.pending)).toBe(true);
    expect(statSync(at.pending).mode & 0o777).toBe(0o600);
    compile(at);
    expect(await said(at, CALL)).toBe('neutral');
    expect(await said(at, 'helm install x')).toBe('deny operator.hl');
    expect(existsSync(at.pending)).toBe(false);
  });

  test('a changed source takes exceptions and levels away at once, and gives none', async () => {
    const at = compiled(policy('rules: { git.push.force: off }\nallow:\n  - { id: a, program: stackform, reason: x }\ndeny:\n  - { id: tf, program: stackform }'));
    expect(await said(at, 'git push --force')).toBe('neutral');
    expect(await said(at, CALL)).toBe('neutral');
    put(at.settings, policy('deny:\n  - { id: tf, program: stackform }'));
    expect(await said(at, 'git push --force')).toBe('deny git.push.force (stale)');
    expect(await said(at, CALL)).toBe('deny operator.tf (stale)');
    const strict = compiled(DENY);
    put(strict.settings, policy('mode: default\nrules: { git.push.force: off }\npacks: { git-destructive: off, hook-bypass: off }\nallow:\n  - { program: stackform, reason: x }\n  - { rule: operator.tf, program: stackform, reason: x }'));
    expect(await said(strict, 'git push --force')).toBe('deny git.push.force (stale)');
    expect(await said(strict, 'git commit --no-verify -m x')).toMatch(/^deny .* \(stale\)$/);
    expect(await said(strict, CALL)).toBe('deny operator.tf (stale)');
  });

  const breaks: Readonly<Record<string, (at: Station) => void>> = {
    'not YAML': (at) => put(at.settings, 'hooks: [}'),
    'an unknown key': (at) => put(at.settings, 'hooks: { command_polisy: {} }'),
    'not UTF-8': (at) => put(at.settings, Uint8Array.of(0xff, 0xfe, 0x00)),
    'gone': (at) => rmSync(at.settings),
    'a directory': (at) => { rmSync(at.settings); mkdirSync(at.settings); },
    'a dangling link': (at) => { rmSync(at.settings); symlinkSync('/nonexistent', at.settings); },
  };
  test.each(Object.keys(breaks))('a broken source (%s) leaves the last good index in force', async (name) => {
    const at = compiled();
    breaks[name]?.(at);
    expect(await said(at, CALL)).toBe('deny operator.tf (stale)');
    expect(await said(at, 'ls')).toBe('neutral (stale)');
    expect(compile(at).exit === 0).toBe(name === 'gone');
  });

  test('a source that is too large for a hook to compile: what was compiled stays in force, else a person is asked', async () => {
    const at = compiled();
    put(at.settings, `${policy('deny:\n  - { id: hl, program: helm }')}# ${'x'.repeat(HOOK_SOURCE_BYTES_MAX)}\n`);
    expect(await said(at, CALL)).toBe('deny operator.tf (stale)');
    expect(await said(at, 'helm ls')).toBe('neutral (stale)');
    rmSync(at.index);
    expect(await said(at, 'ls')).toBe('ask settings.invalid (invalid)');
    compile(at);
    expect(await said(at, 'helm ls')).toBe('deny operator.hl');
  });

  test('an edit that keeps size and modification time is seen', async () => {
    const at = compiled();
    const { mtime, atime } = statSync(at.settings);
    const text = readFileSync(at.settings, 'utf8').replace('stackform, sub', 'terraforn, sub');
    writeFileSync(at.settings, text);
    utimesSync(at.settings, atime, mtime);
    expect(await said(at, 'terraforn apply')).toBe('deny operator.tf (stale)');
  });
});

describe('indexes that cannot be used', () => {
  const damages: Readonly<Record<string, (at: Station, bytes: Buffer) => void>> = {
    missing: (at) => rmSync(at.index),
    empty: (at) => put(at.index, ''),
    'cut off': (at, bytes) => put(at.index, bytes.subarray(0, bytes.length - 10)),
    'cut in the header': (at, bytes) => put(at.index, bytes.subarray(0, 40)),
    'another format': (at, bytes) => { bytes.writeUInt32LE(TABLE_FORMAT + 1, 8); put(at.index, bytes); },
    'another magic': (at, bytes) => { bytes.write('OTHER', 0); put(at.index, bytes); },
    'meta damaged': (at, bytes) => { bytes[70] = (bytes[70] ?? 0) ^ 1; put(at.index, bytes); },
    'all zeros': (at, bytes) => put(at.index, Buffer.alloc(bytes.length)),
    'text instead': (at) => put(at.index, '{"rules": []}'),
    'a directory': (at) => { rmSync(at.index); mkdirSync(at.index); },
    'a link': (at) => { rmSync(at.index); symlinkSync('/dev/zero', at.index); },
    'a FIFO': (at) => { rmSync(at.index); spawnFifo(at.index); },
  };
  test.each(Object.keys(damages))('%s: the source is in force', async (name) => {
    const at = compiled();
    damages[name]?.(at, readFileSync(at.index));
    expect(await said(at, CALL)).toBe('deny operator.tf (source)');
    expect(await said(at, 'git status')).toBe('neutral (source)');
    expect(existsSync(at.pending)).toBe(true);
  });

  test.each(['the rows', 'the table, zeroed', 'the table, one bit'])('damage in %s is found where it is read, and the source is asked', async (what) => {
    const at = compiled();
    const bytes = readFileSync(at.index);
    const table = bytes.readUInt32LE(16);
    if (what === 'the rows') bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1;
    else if (what === 'the table, zeroed') bytes.fill(0, table, table + 8 * 16);
    else for (let slot = 0; slot < 8; slot++) bytes[table + slot * 16] = (bytes[table + slot * 16] ?? 0) ^ 4;
    put(at.index, bytes);
    expect(await said(at, CALL)).toBe('deny operator.tf');
  });

  test('neither index nor source: a person is asked about everything that changes something', async () => {
    const at = compiled();
    put(at.index, 'damaged');
    rmSync(at.settings);
    expect(await said(at, 'ls')).toBe('ask settings.invalid (invalid)');
    put(at.settings, 'hooks: [}');
    expect(await said(at, 'ls')).toBe('ask settings.invalid (invalid)');
    expect(await said(at, 'git push --force')).toBe('deny git.push.force (invalid)');
    await edit(at, join(at.workspace, 'x'));
    expect(last(at)).toMatchObject({ verdict: 'ask', rule: 'settings.invalid' });
    expect((await shell(at, 'ls', { event: 'post-tool' })).code).toBe(0);
  });

  test('an invalid source is compiled once, not at every call', async () => {
    const at = station();
    put(at.settings, 'hooks: [}');
    expect(await said(at, 'ls')).toBe('ask settings.invalid (invalid)');
    const before = statSync(at.pending).mtimeMs;
    expect(await said(at, 'ls')).toBe('ask settings.invalid (invalid)');
    expect(statSync(at.pending).mtimeMs).toBe(before);
  });

  test('a state directory that cannot be written: the source is in force all the same', async () => {
    const at = station();
    put(at.settings, DENY);
    put(at.state, 'a file');
    expect((await shell(at, CALL)).code).toBe(2);
  });
});

function spawnFifo(path: string): void {
  const made = spawn('mkfifo', [path]);
  const until = Date.now() + 5000;
  while (!existsSync(path) && Date.now() < until) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  made.unref();
}

test('compile and hooks at the same time: every call is answered by an old or a new rule', async () => {
  const at = compiled(policy('deny:\n  - { id: a, program: stackform }'));
  let stop = false;
  const writer = (async () => {
    for (let round = 0; !stop; round++) {
      compile(at, policy(`deny:\n  - { id: ${round % 2 === 0 ? 'b' : 'a'}, program: stackform }`));
      await new Promise((done) => { setTimeout(done, 3); });
    }
  })();
  const answers: string[] = [];
  for (let i = 0; i < 8; i++) {
    const runs = await Promise.all(Array.from({ length: 4 }, () => shell(at, CALL)));
    answers.push(...runs.map(({ code, stderr }) => `${code} ${/operator\.[ab]/.exec(stderr)?.[0] ?? stderr}`));
  }
  stop = true;
  await writer;
  expect(answers.filter((answer) => !/^2 operator\.[ab]$/.test(answer))).toEqual([]);
  expect(readdirSync(at.state).filter((name) => name.endsWith('.tmp'))).toEqual([]);
}, 120_000);

describe('the workspace document', () => {
  const own = (at: Station): string => join(at.workspace, '.praetorctl', 'settings.yaml');

  test('tightens, with and without operator settings, also below the workspace', async () => {
    const at = station();
    put(own(at), policy("deny:\n  - { id: pub, program: shipit, subcommand: [publish], reason: The pipeline publishes. }\nrules: { git.push.force-with-lease: deny }"));
    expect(await said(at, 'shipit publish')).toBe('deny workspace.pub');
    expect(await said(at, 'npm test')).toBe('neutral');
    mkdirSync(join(at.workspace, 'a', 'b'), { recursive: true });
    expect(await said(at, 'shipit publish', { workspace: join(at.workspace, 'a', 'b') })).toBe('deny workspace.pub');
    expect(await said(at, 'shipit publish', { workspace: at.home })).toBe('neutral');
    compile(at, DENY);
    expect(await said(at, 'shipit publish')).toBe('deny workspace.pub');
    expect(await said(at, CALL)).toBe('deny operator.tf');
    expect(readdirSync(join(at.state, 'workspaces'))).toHaveLength(1);
  });

  test('cannot loosen: levels, exceptions, modes and evaluators of it have no effect', async () => {
    const at = compiled(policy('mode: strict\nrules: { git.push.force: deny }\ndeny:\n  - { id: tf, program: stackform }'));
    put(own(at), policy('mode: default\npacks: { git-destructive: off, hook-bypass: off, self-protection: off, operator: off }\nrules: { git.push.force: off, operator.tf: off }\nallow:\n  - { program: stackform, reason: x }\n  - { rule: git.push.force, program: git, reason: x }'));
    expect(await said(at, 'git push --force')).toBe('deny git.push.force');
    expect(await said(at, CALL)).toBe('deny operator.tf');
    expect(await said(at, 'git commit --no-verify -m x')).toMatch(/^deny /);
    expect(await said(at, 'ls')).toBe('neutral');
  });

  test('a lower level for a pack does not lower a rule of it', async () => {
    const at = station();
    put(own(at), policy('packs: { git-destructive: ask, hook-bypass: ask }'));
    expect(await said(at, 'git push --force')).toBe('deny git.push.force');
  });

  test('it is not lifted by an exception of the operator', async () => {
    const at = compiled(policy('allow:\n  - { program: npm, reason: My own. }'));
    put(own(at), policy('deny:\n  - { id: pub, program: shipit, subcommand: [publish] }'));
    expect(await said(at, 'shipit publish')).toBe('deny workspace.pub');
  });

  const broken: Readonly<Record<string, (path: string) => void>> = {
    'not YAML': (path) => put(path, 'hooks: [}'),
    'an unknown key': (path) => put(path, policy('denny: []')),
    'other sections': (path) => put(path, 'mcpServers: {}'),
    'evaluators': (path) => put(path, 'hooks: { evaluators: [] }'),
    'an exponential pattern': (path) => put(path, policy("deny:\n  - '(?=a)b'")),
    'too large': (path) => put(path, `# ${'x'.repeat(64 * 1024)}`),
    'not UTF-8': (path) => put(path, Uint8Array.of(0xc3)),
    'a directory': (path) => mkdirSync(path, { recursive: true }),
  };
  test.each(Object.keys(broken))('broken (%s): a person is asked, and denials stay', async (name) => {
    const at = station();
    broken[name]?.(own(at));
    expect(await said(at, 'npm test')).toBe('ask settings.workspace');
    expect(await said(at, 'npm test')).toBe('ask settings.workspace');
    expect(await said(at, 'git push --force')).toBe('deny git.push.force');
    expect((await shell(at, 'npm test')).stdout).not.toContain('(?=');
  });

  test('a change is seen at once; an empty one says nothing', async () => {
    const at = station();
    put(own(at), '');
    expect(await said(at, 'shipit publish')).toBe('neutral');
    put(own(at), policy('deny:\n  - { program: shipit }'));
    expect(await said(at, 'shipit publish')).toBe('deny workspace.deny-1');
    rmSync(own(at));
    expect(await said(at, 'shipit publish')).toBe('neutral');
  });

  test('the guard protects it', async () => {
    const at = station();
    put(own(at), policy('deny:\n  - { program: shipit }'));
    expect(await said(at, `rm ${own(at)}`)).toMatch(/^deny self\./);
    await edit(at, own(at));
    expect(last(at)).toMatchObject({ verdict: 'deny', rule: 'self.files' });
  });

  test('a file in place of the directory is no document; one that may not be read is a question', async () => {
    const at = station();
    put(join(at.workspace, '.praetorctl'), 'x');
    expect(await said(at, 'npm test')).toBe('neutral');
    if (process.getuid?.() === 0) return;
    const other = station();
    put(own(other), '');
    chmodSync(own(other), 0);
    expect(await said(other, 'npm test')).toBe('ask settings.workspace');
  });
});

test('a pattern that backtracks on this Node is run in bounded time', async () => {
  const at = compiled(policy("deny:\n  - { id: re, program: tool, pattern: 'tool x.*a.*b.*c.*d$' }"));
  const started = performance.now();
  expect(await said(at, `tool x${'abc'.repeat(18_000)}`)).toBe('neutral');
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(await said(at, 'tool x1a2b3c4d')).toBe('deny operator.re');
});

test('a torn write of the pending index is no danger', async () => {
  const at = compiled();
  put(at.settings, policy('deny:\n  - { id: hl, program: helm }'));
  expect(await said(at, 'helm ls')).toBe('deny operator.hl (stale)');
  const fd = openSync(at.pending, 'r+');
  ftruncateSync(fd, 100);
  writeSync(fd, 'zzz', 50);
  closeSync(fd);
  expect(await said(at, 'helm ls')).toBe('deny operator.hl (stale)');
});
