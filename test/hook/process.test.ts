// Contract: the hook as a process besides hostile input: version skew, the dispatcher, other platforms' input, parallel runs,
// markers, and what the bundles may contain.
import { copyFileSync, chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { DIALECTS, HAND_DIALECTS } from '../../src/clients/dialects.ts';
import { BIN, buildHook, receipts, refuses, ROOT, run, shellCall, temporary, type Ran } from './support.ts';

beforeAll(buildHook);

const FORCE = 'git push --force';

describe('version skew', () => {
  test.each([['claude', 'future-event'], ['nobody', 'pre-tool'], ['agy', 'pre-invocation'], ['', ''], ['--help', '']])('"%s" "%s": no opinion, one line, receipt skipped', async (client, event) => {
    const state = temporary();
    const ran = await run(client, event, { input: shellCall('claude', FORCE), state });
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toMatch(/^praetorctl: [^\n]+\n$/);
    expect(receipts(state)).toMatchObject([{ verdict: 'skipped', client, event }]);
  });

  test('an alias is the client', async () => {
    const state = temporary();
    expect(refuses('agy', await run('antigravity', 'pre-tool', { input: shellCall('agy', FORCE), state }))).toBe(true);
    expect(receipts(state)[0]?.client).toBe('agy');
  });
});

describe('dispatcher', () => {
  const call = (argv: string[], input: string, bin = BIN) => spawnSync(bin, argv, { input, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: temporary() } });

  test('runs the hook, also through a link', () => {
    expect(call(['hook', 'claude', 'pre-tool'], shellCall('claude', FORCE))).toMatchObject({ status: 2 });
    const link = join(temporary(), 'praetorctl');
    execFileSync('ln', ['-s', BIN, link]);
    expect(call(['hook', 'gemini', 'pre-tool'], shellCall('gemini', FORCE), link).stdout).toContain('"deny"');
  });

  test.each([[undefined], ['throw new Error("x")'], ['syntax error here ('], [readFileSync(join(ROOT, 'scripts', 'hook-stub.cjs'), 'utf8')]])('without a working bundle (%s) a tool call is refused, other events go on, nothing exits 1', (content) => {
    const place = temporary();
    mkdirSync(join(place, 'bin'));
    for (const name of ['praetorctl', 'package.json']) copyFileSync(join(ROOT, 'bin', name), join(place, 'bin', name));
    chmodSync(join(place, 'bin', 'praetorctl'), 0o755);
    writeFileSync(join(place, 'package.json'), '{"type":"module"}');
    if (content !== undefined) {
      mkdirSync(join(place, 'dist'));
      writeFileSync(join(place, 'dist', 'hook.cjs'), content);
    }
    const bin = join(place, 'bin', 'praetorctl');
    for (const event of ['pre-tool', 'permission']) expect(call(['hook', 'claude', event], '{}', bin)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/^praetorctl: error: .+\n$/) });
    for (const event of ['stop', 'prompt', 'session-start', 'whatever']) expect(call(['hook', 'claude', event], '{}', bin)).toMatchObject({ status: 0, stdout: '' });
  });

  test('without the dialect of the client a tool call is refused, other clients and other events go on', () => {
    const place = temporary();
    for (const name of ['bin', 'dist']) mkdirSync(join(place, name));
    for (const name of ['praetorctl', 'package.json']) copyFileSync(join(ROOT, 'bin', name), join(place, 'bin', name));
    for (const name of readdirSync(join(ROOT, 'dist'))) if (!name.startsWith('dialect-claude-')) copyFileSync(join(ROOT, 'dist', name), join(place, 'dist', name));
    const bin = join(place, 'bin', 'praetorctl');
    expect(call(['hook', 'claude', 'pre-tool'], shellCall('claude', 'ls'), bin)).toMatchObject({ status: 2, stderr: expect.stringContaining('praetorctl: error') });
    expect(call(['hook', 'claude', 'stop'], '{}', bin)).toMatchObject({ status: 0, stdout: '' });
    expect(call(['hook', 'gemini', 'pre-tool'], shellCall('gemini', 'ls'), bin)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  test.each([[undefined], ['}{'], ['module.exports = {};']])('without a working policy bundle (%s) a call that needs it is refused', (content) => {
    const place = copyOfDist((name) => !name.startsWith('policy-'));
    const policy = readdirSync(join(ROOT, 'dist')).filter((name) => /^policy-[0-9a-f]+\.cjs$/.test(name));
    if (content !== undefined) for (const name of policy) writeFileSync(join(place, name), content);
    for (const client of ['claude', 'codex', 'gemini', 'agy']) expect(refuses(client, runCopy(place, client, 'ls | cat'))).toBe(true);
    expect(runCopy(place, 'claude', 'ls')).toMatchObject({ code: 0, stdout: '' });
  });
});

function copyOfDist(wanted: (name: string) => boolean): string {
  const place = temporary();
  for (const name of readdirSync(join(ROOT, 'dist'))) if (/^(?:hook|dialect|policy|shell|rules|langs)[-.]/.test(name) && wanted(name)) copyFileSync(join(ROOT, 'dist', name), join(place, name));
  return place;
}

function runCopy(place: string, client: string, command: string): Ran {
  const env = { PATH: process.env['PATH'], HOME: place };
  const ran = spawnSync(process.execPath, [join(place, 'hook.cjs'), 'hook', client, 'pre-tool'], { input: shellCall(client, command), encoding: 'utf8', env });
  return { code: ran.status, signal: ran.signal, stdout: ran.stdout, stderr: ran.stderr, ms: 0 };
}

describe('number of clients', () => {
  const inputsOf = (part: string): string[] => Object.keys((JSON.parse(readFileSync(join(ROOT, 'dist', `meta-${part}.json`), 'utf8')) as { inputs: object }).inputs);
  const dialectsIn = (part: string): string[] => inputsOf(part).flatMap((path) => /^src\/clients\/([a-z0-9-]+)\/dialect\.ts$/.exec(path)?.[1] ?? []);

  test('the hook holds no dialect, and each part of a dialect holds that one and no builtin module', () => {
    expect(dialectsIn('hook')).toEqual([]);
    expect(inputsOf('hook')).toContain('src/hook/load-dialects.ts');
    for (const { id } of [...DIALECTS, ...HAND_DIALECTS]) {
      expect(dialectsIn(`dialect-${id}`)).toEqual([id]);
      expect(readFileSync(join(ROOT, 'dist', `meta-dialect-${id}.json`), 'utf8')).not.toMatch(/"external"|node_modules/);
    }
  });

  test('what the hook must know of all clients is plain data and small', () => {
    const facts = [...DIALECTS, ...HAND_DIALECTS].map(({ id, aliases, mark, guarded }) => ({ id, aliases, mark, guarded }));
    expect(JSON.parse(JSON.stringify(facts))).toEqual(facts.map(({ mark, ...rest }) => (mark === undefined ? rest : { ...rest, mark })));
    expect(JSON.stringify(facts).length / facts.length).toBeLessThan(500);
  });
});

describe('code cache', () => {
  const isCache = (name: string): boolean => name.endsWith('.cache');
  const caches = (place: string): string[] => readdirSync(place).filter(isCache).map((name) => join(place, name));

  test('the build wrote one per part for this Node, each twice the same', () => {
    const names = caches(join(ROOT, 'dist')).filter((name) => name.includes(`.${process.version}-${process.arch}.`));
    expect(names.length).toBeGreaterThanOrEqual(2);
    for (const name of names) {
      const bytes = readFileSync(name);
      expect(bytes.subarray(0, bytes.length / 2).equals(bytes.subarray(bytes.length / 2))).toBe(true);
    }
  });

  test('without one the hook works', () => {
    expect(runCopy(copyOfDist((name) => !isCache(name)), 'claude', FORCE).code).toBe(2);
  });

  const damages: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    'one bit': (bytes) => { const at = Math.floor(bytes.length / 5); bytes[at] = (bytes[at] ?? 0) ^ 4; return bytes; },
    'cut off': (bytes) => bytes.subarray(0, bytes.length - 1000),
    empty: () => Buffer.alloc(0),
    'all zeros': (bytes) => Buffer.alloc(bytes.length),
    'zeros in both halves': (bytes) => { const half = bytes.length / 2; const at = Math.floor(half / 4); return bytes.fill(0, at, at + 2048).fill(0, half + at, half + at + 2048); },
    noise: (bytes) => bytes.map((_, i) => (i * 7919) % 251) as Buffer,
    'another version': (bytes) => { const half = bytes.length / 2; bytes.writeUInt32LE(1, 4); bytes.writeUInt32LE(1, half + 4); return bytes; },
  };
  test.each(Object.keys(damages))('damaged (%s): refused, and the hook works', (name) => {
    const place = copyOfDist(() => true);
    for (const cache of caches(place)) writeFileSync(cache, damages[name]?.(readFileSync(cache)) ?? '');
    expect(runCopy(place, 'claude', FORCE)).toMatchObject({ code: 2, signal: null });
    expect(runCopy(place, 'gemini', 'ls | cat')).toMatchObject({ code: 0, stdout: '' });
  });
});

describe.each([
  ['another platform (process.stdin and a timer)', 'Object.defineProperty(process, "platform", { value: "darwin" });'],
  ['a Node without the internal pipe entry', 'process.binding = undefined;'],
  ['a Node whose internal pipe entry refuses', 'process.binding = () => ({ Pipe: class { open() { return -22; } }, constants: { SOCKET: 0 } });'],
])('input on %s', (_name, code) => {
  const env = (): Record<string, string> => {
    const shim = join(temporary(), 'shim.cjs');
    writeFileSync(shim, code);
    return { NODE_OPTIONS: `--require ${shim}`, DOC: shellCall('claude', FORCE) };
  };
  test('socket, kept open', async () => {
    expect(await run('claude', 'pre-tool', { env: env(), feed: (stdin) => { stdin.write(shellCall('claude', FORCE)); } })).toMatchObject({ code: 2, stdout: expect.stringContaining('git.push.force') });
  });
  test('socket, in pieces', async () => {
    const bytes = Buffer.from(shellCall('claude', `echo é; ${FORCE}`));
    expect(await run('claude', 'pre-tool', { env: env(), feed: (stdin) => { bytes.forEach((_, i) => setTimeout(() => stdin.write(bytes.subarray(i, i + 1)), 100 + 2 * i)); } }))
      .toMatchObject({ code: 2, stdout: expect.stringContaining('git.push.force') });
  });
  test('pipe, file, nothing', async () => {
    const file = join(temporary(), 'in.json');
    writeFileSync(file, shellCall('claude', FORCE));
    for (const shell of ['printf %s "$DOC" | "$NODE" "$HOOK" hook "$1" "$2"', `"$NODE" "$HOOK" hook "$1" "$2" <'${file}'`]) {
      expect(await run('claude', 'pre-tool', { shell, env: env() })).toMatchObject({ code: 2, stdout: expect.stringContaining('git.push.force') });
    }
    expect(await run('claude', 'pre-tool', { shell: '"$NODE" "$HOOK" hook "$1" "$2" </dev/null', env: env() })).toMatchObject({ code: 2, stderr: expect.stringContaining('empty') });
    expect(await run('claude', 'pre-tool', { env: env(), input: `${shellCall('claude', 'ls')} x` })).toMatchObject({ code: 2, stderr: expect.stringContaining('more than one') });
  });
  test('deadline', async () => {
    const ran = await run('claude', 'pre-tool', { env: env(), feed: (stdin) => { stdin.write('{'); } });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('in time') });
    expect(ran.ms).toBeLessThan(9000);
  });
});

test('the descriptor is left blocking for whoever shares it', async () => {
  const ran = await run('claude', 'stop', {
    shell: '{ echo "{}"; sleep 1; echo rest; } | { "$NODE" "$HOOK" hook "$1" "$2"; cat; }',
  });
  expect(ran.stdout).toBe('rest\n');
  expect(ran.stderr).toBe('');
});

describe('receipts of real runs', () => {
  test('caller, session hash, synthetic mark; never a value of the environment', async () => {
    const state = temporary();
    await run('claude', 'pre-tool', { state, input: shellCall('claude', 'ls secret-file'), env: { CLAUDE_CODE_SESSION_ID: 's', CLAUDE_PROJECT_DIR: '/w', SECRET_TOKEN: 'hush-value', PRAETORCTL_HOOK_SYNTHETIC: '1' } });
    const [receipt] = receipts(state);
    expect(receipt).toMatchObject({ caller: 'claude', synthetic: true, session: '043a718774c572bd', workspace: '/w', tool: 'Bash' });
    const directory = join(state, 'receipts');
    const text = readFileSync(join(directory, 'receipts.jsonl'), 'utf8');
    expect(text).not.toMatch(/hush-value|secret-file/);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'receipts.jsonl')).mode & 0o777).toBe(0o600);
  });

  test('32 at a time: every one leaves exactly one whole receipt', async () => {
    const state = temporary();
    for (let round = 0; round < 4; round++) {
      const runs = await Promise.all(Array.from({ length: 32 }, (_, i) => run('codex', 'pre-tool', { state, input: shellCall('codex', i % 2 === 0 ? FORCE : `echo ${i} | cat`) })));
      expect(runs.filter((ran) => ran.stdout.includes('"deny"'))).toHaveLength(16);
      expect(runs.every((ran) => ran.code === 0 && ran.stderr === '')).toBe(true);
    }
    expect(receipts(state)).toHaveLength(128);
  }, 120_000);
});

describe('bundles', () => {
  test.each(['hook', 'policy'])('%s: no package, no builtin but fs, small', (name) => {
    const meta = JSON.parse(readFileSync(join(ROOT, 'dist', `meta-${name}.json`), 'utf8')) as { inputs: object; outputs: Record<string, { bytes: number; imports: { path: string }[] }> };
    expect(Object.keys(meta.inputs).filter((path) => !path.startsWith('src/'))).toEqual([]);
    const output = Object.values(meta.outputs)[0];
    expect([...new Set(output?.imports.map(({ path }) => path))]).toEqual(name === 'hook' ? ['node:fs'] : []);
    expect(output?.bytes).toBeLessThan(name === 'hook' ? 60 * 1024 : 120 * 1024);
  });

  test('the guarding proxy starts with nothing but fs, and reads the rest while the server starts', () => {
    const importsOf = (name: string): string[] => {
      const meta = JSON.parse(readFileSync(join(ROOT, 'dist', `meta-${name}.json`), 'utf8')) as { inputs: object; outputs: Record<string, { bytes: number; imports: { path: string }[] }> };
      expect(Object.keys(meta.inputs).filter((path) => !path.startsWith('src/'))).toEqual([]);
      return [...new Set(Object.values(meta.outputs).flatMap(({ imports }) => imports.map(({ path }) => path)))].sort();
    };
    // crypto is asked for at the first use.
    expect(importsOf('mcp')).toEqual(['node:crypto', 'node:fs']);
    expect(importsOf('guard')).toEqual(['node:crypto', 'node:fs']);
  });

  test('a rebuild under running hooks never shows half a file', async () => {
    const builds = (async () => { for (let i = 0; i < 4; i++) buildHook(); })();
    const runs = await Promise.all(Array.from({ length: 12 }, () => run('claude', 'pre-tool', { input: shellCall('claude', FORCE) })));
    await builds;
    expect(runs.map((ran) => ran.code)).toEqual(Array.from({ length: 12 }, () => 2));
    expect(readdirSync(join(ROOT, 'dist')).filter((name) => name.endsWith('.tmp') && /hook|policy/.test(name))).toEqual([]);
  });
});
