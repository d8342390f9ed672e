// `clients prove` with small programs that play a client: each fault has its own cause, and only what obeys is proven.
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENTS, clientById } from '../../src/clients/registry.ts';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { parseProofLine } from '../../src/receipts/proof.ts';
import { proveClients, type ClientProof } from '../../src/verify/prove.ts';
import { proofEnv } from '../../src/verify/prove-run.ts';
import { fakeClient, type Mode } from '../support/fake-client.ts';
import { cli, repo, world, type World } from '../support/cli.ts';
import { apply, editJson, fileOf, machine, one, put, type Machine } from './support.ts';

let engine = '';
let policy = '';

/** The hook that runs is the built one, so its version and policy are asked for. */
beforeAll(() => {
  const m = machine();
  spawnSync(process.execPath, [path.join(repo, 'bin/praetorctl'), 'hook', 'claude', 'session-start'], { input: '{"session_id":"x","cwd":"/"}', env: m.env });
  const line = fs.readFileSync(path.join(m.state, 'receipts/receipts.jsonl'), 'utf8');
  ({ engine, policy } = JSON.parse(line) as { engine: string; policy: string });
});

async function withFake(mode: Mode): Promise<Machine> {
  const m = machine({ env: { PATH: '' } });
  const bin = m.bin;
  m.env['PATH'] = `${bin}:/usr/bin:/bin`;
  put(path.join(bin, 'praetorctl'), `#!/bin/sh\nexec '${process.execPath}' '${path.join(repo, 'bin/praetorctl')}' "$@"\n`);
  fs.chmodSync(path.join(bin, 'praetorctl'), 0o755);
  fakeClient(path.join(bin, 'claude'), mode);
  await apply(m, ['claude']);
  return m;
}

async function prove(m: Machine, timeoutMs = 20_000): Promise<ClientProof> {
  const [found] = (await proveClients(m.host, { clients: ['claude'], engine, policy, timeoutMs })).clients;
  if (found === undefined) throw new Error('no proof');
  return found;
}

const proofsOf = (m: Machine): string => fs.readFileSync(path.join(m.state, 'receipts/proofs.jsonl'), 'utf8');
const leftovers = (): string[] => fs.readdirSync(fs.realpathSync(process.env['TMPDIR'] ?? '/tmp')).filter((name) => name.startsWith('praetorctl-prove-'));

describe('a client that obeys', () => {
  it('is proven, the proof is stored without a command or a key, and verify says since when', async () => {
    const m = await withFake('obey');
    m.env['ANTHROPIC_API_KEY'] = 'sk-the-persons-own';
    const proof = await prove(m);
    expect(proof).toMatchObject({ proven: true, cause: null, control: 'ran', canary: 'refused' });
    const text = proofsOf(m);
    expect(parseProofLine(text.trim())).toMatchObject({ kind: 'proof', client: 'claude', result: 'proven', engine, policy });
    expect(text).not.toMatch(/canary|sk-|praetorctl-prove/);
    const now = one(m, 'claude', { engine, policy }, m.host);
    expect(now.proven).toBe(proof.time);
    expect(now.reasons).toEqual([]);
  });

  it.each<[string, (m: Machine) => void | Promise<void>, RegExp]>([
    ['the program changed', (m) => { fs.appendFileSync(path.join(m.bin, 'claude'), '\n'); }, /the client's program/],
    ['the registration changed', (m) => { editJson(fileOf(m, clientById('claude'), 'hooks').path, (d) => JSON.parse(JSON.stringify(d).replace('"timeout":30', '"timeout":29'))); }, /the registration/],
    ['hooks were switched off', (m) => { editJson(fileOf(m, clientById('claude'), 'hooks').path, (d) => ({ ...d, disableAllHooks: true })); }, /do not stand or run/],
    ['another praetorctl is found first', (m) => { fs.mkdirSync(path.join(m.root, 'first')); fs.copyFileSync(path.join(m.bin, 'praetorctl'), path.join(m.root, 'first/praetorctl')); m.env['PATH'] = `${path.join(m.root, 'first')}:${m.env['PATH']}`; }, /the registration/],
  ])('does not bind any more once %s', async (_what, change, said) => {
    const m = await withFake('obey');
    expect((await prove(m)).proven).toBe(true);
    await change(m);
    const now = one(m, 'claude', { engine, policy }, m.host);
    expect(now.proven).toBeNull();
    expect(now.reasons.find(({ code }) => code === 'proof-outdated')?.text).toMatch(said);
    expect(JSON.stringify(now)).not.toContain('enforcing');
  });

  it('does not bind for another version or policy of ours, and a later failure takes it away', async () => {
    const m = await withFake('obey');
    expect((await prove(m)).proven).toBe(true);
    expect(one(m, 'claude', { engine: '9', policy }, m.host).reasons.map(({ code }) => code)).toContain('proof-outdated');
    expect(one(m, 'claude', { engine, policy: '9' }, m.host).proven).toBeNull();
    expect(one(m, 'claude', { engine, policy }, m.host).proven).not.toBeNull();
    fs.writeFileSync(path.join(m.state, 'receipts/proofs.jsonl'), proofsOf(m) + proofsOf(m).replace('"proven","cause":""', '"not-proven","cause":"timed-out"'));
    expect(one(m, 'claude', { engine, policy }, m.host)).toMatchObject({ proven: null, reasons: [{ code: 'proof-failed' }] });
  });

  it('is not observed any more once a newer proof saw the canary run, until it is proven again', async () => {
    const m = await withFake('obey');
    expect((await prove(m)).proven).toBe(true);
    const good = proofsOf(m);
    const look = (): ReturnType<typeof one> => one(m, 'claude', { engine, policy, require: 'observed' }, m.host);
    expect(look()).toMatchObject({ observed: true, meets: true });
    const failed = (cause: string): void => { fs.writeFileSync(path.join(m.state, 'receipts/proofs.jsonl'), good + good.replace('"proven","cause":""', `"not-proven","cause":"${cause}"`)); };
    failed('hook-not-run');
    expect(look()).toMatchObject({ observed: false, meets: false, states: { observed: 'unknown' }, reasons: [{ code: 'proof-failed' }] });
    failed('timed-out');
    expect(look()).toMatchObject({ observed: true, meets: true });
    failed('wrong-dialect');
    expect(look().meets).toBe(false);
    expect((await prove(m)).proven).toBe(true);
    expect(look()).toMatchObject({ observed: true, meets: true });
  });

  it('tolerates damaged lines and lines of later versions', async () => {
    const m = await withFake('obey');
    expect((await prove(m)).proven).toBe(true);
    fs.appendFileSync(path.join(m.state, 'receipts/proofs.jsonl'), '{"v":1,"kind":"pro\n{"v":2,"kind":"proof"}\nnull\n');
    expect(one(m, 'claude', { engine, policy }, m.host).proven).not.toBeNull();
    expect((await prove(m)).proven).toBe(true);
    expect(proofsOf(m).trim().split('\n')).toHaveLength(2);
  });
});

describe('every fault has its cause', () => {
  it.each<[Mode, string]>([
    ['ignore', 'wrong-dialect'], ['no-hook', 'hook-not-run'], ['never', 'never-asked'], ['crash', 'could-not-start'], ['other-path', 'program-missing'], ['deny-all', 'control-refused'],
    ['own-rule', 'refused-by-others'], ['no-reason', 'reason-lost'], ['half', 'script-not-finished'], ['garbage', 'hook-error'], ['stop-after-control', 'hook-not-run'],
  ])('%s: %s', async (mode, cause) => {
    const m = await withFake(mode);
    const found = await prove(m);
    expect([found.proven, found.cause]).toEqual([false, cause]);
    expect(found.fix).not.toBe('');
    expect(one(m, 'claude', { engine, policy }, m.host).proven).toBeNull();
  });

  it('hang: ended when the time is over, with nothing left behind', async () => {
    const m = await withFake('hang');
    const before = leftovers();
    const found = await prove(m, 1_500);
    expect(found).toMatchObject({ proven: false, cause: 'never-asked' });
    expect(found.seconds).toBeLessThan(10);
    expect(leftovers().filter((name) => !before.includes(name))).toEqual([]);
  });

  it('a hook that answers later than the client waits', async () => {
    const m = await withFake('impatient');
    put(path.join(m.bin, 'praetorctl'), '#!/bin/sh\nsleep 3\n');
    editJson(fileOf(m, clientById('claude'), 'hooks').path, (d) => JSON.parse(JSON.stringify(d).replaceAll('"timeout":30', '"timeout":1')));
    expect(await prove(m)).toMatchObject({ cause: 'hook-timeout', canary: 'ran' });
  });

  it('a hook that answers nothing', async () => {
    const m = await withFake('obey');
    put(path.join(m.bin, 'praetorctl'), '#!/bin/sh\nexit 0\n');
    expect(await prove(m)).toMatchObject({ cause: 'hook-broken', canary: 'ran' });
  });

  it('a praetorctl of another version', async () => {
    const m = await withFake('obey');
    const [found] = (await proveClients(m.host, { clients: ['claude'], engine: '9.9.9', policy })).clients;
    expect(found).toMatchObject({ proven: false, cause: 'version-skew' });
  });

  it('a switch, a rejected file, no registration, no program, no way', async () => {
    const m = await withFake('no-hook');
    const file = fileOf(m, clientById('claude'), 'hooks').path;
    const good = fs.readFileSync(file, 'utf8');
    editJson(file, (d) => ({ ...d, disableAllHooks: true }));
    expect((await prove(m)).cause).toBe('hooks-off');
    put(file, good);
    editJson(file, (d) => ({ ...d, model: 7 }));
    expect((await prove(m)).cause).toBe('file-rejected');
    put(file, `${good}// no`);
    expect((await prove(m)).cause).toBe('file-rejected');
    fs.rmSync(file);
    expect((await prove(m)).cause).toBe('not-registered');
    put(file, good);
    fs.rmSync(path.join(m.bin, 'claude'));
    expect((await prove(m)).cause).toBe('not-installed');
    const [agy] = (await proveClients(m.host, { clients: ['agy'] })).clients;
    expect(agy).toMatchObject({ proven: false, cause: 'unsupported' });
  });

  it('a program that cannot be started', async () => {
    const m = await withFake('obey');
    put(path.join(m.bin, 'claude'), '#!/no/such/interpreter\n');
    expect((await prove(m)).cause).toBe('could-not-start');
  });
});

describe('the environment of the client', () => {
  it('holds no key, token or proxy of the person, and every redirect', () => {
    const env = { PATH: '/bin', HOME: '/h', ANTHROPIC_API_KEY: 'secret-1', OPENAI_API_KEY: 'secret-2', GEMINI_API_KEY: 'secret-3', GITHUB_TOKEN: 'secret-4', HTTPS_PROXY: 'http://u:secret-5@p', PRAETORCTL_HOOK_RECORD_DIR: '/x', CODEX_HOME: '/c' };
    const surfaces = CLIENTS.flatMap(({ prove: way }) => (way === undefined || 'unsupported' in way ? [] : [way]));
    expect(surfaces.length).toBeGreaterThan(7);
    for (const surface of surfaces) {
      const start = surface.start({ url: 'http://127.0.0.1:1/t', fileAt: (name) => `/f/${name}`, paths: { mcp: '/m' } });
      const made = proofEnv(env, surface, start, '/t');
      expect(JSON.stringify([made, start.files])).not.toMatch(/secret-|PRAETORCTL_HOOK_RECORD_DIR/);
      expect(JSON.stringify([made, start.argv, start.files])).toContain('http://127.0.0.1:1/t');
      expect(start.argv.join(' ')).not.toMatch(/hook-trust/);
    }
  });
});

describe('the configuration of the person', () => {
  const startOf = (id: string): { argv: readonly string[]; files: Readonly<Record<string, { env?: Record<string, string> }>> } => {
    const way = clientById(id).prove;
    if (way === undefined || 'unsupported' in way) throw new Error('no way');
    return way.start({ url: 'http://127.0.0.1:1/t', fileAt: (name) => `/f/${name}`, paths: {} }) as ReturnType<typeof startOf>;
  };

  it('cannot take Claude Code off loopback: the settings of the proof beat an env of the person', () => {
    const { files } = startOf('claude');
    const set = files['claude-settings.json']?.env ?? {};
    for (const name of ['NO_PROXY', 'no_proxy']) expect(set[name]).toBe('127.0.0.1,localhost,::1');
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) expect(set[name]).toBe('http://127.0.0.1:9');
    expect(set).toMatchObject({ CLAUDE_CODE_ENABLE_TELEMETRY: '0', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_HEADERS: '' });
  });

  it('cannot give Qwen Code another proxy', () => {
    const { argv } = startOf('qwen');
    expect(argv[argv.indexOf('--proxy') + 1]).toBe('http://127.0.0.1:9');
  });
});

describe('the command', () => {
  async function here(): Promise<World> {
    const where = world();
    fakeClient(path.join(where.root, 'bin', 'claude'), 'never');
    await cli(where, ['clients', 'apply', '--yes', '--client', 'claude']);
    return where;
  }

  it.each<[NodeJS.Signals, number]>([['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]])('%s ends the client and removes the workspace', async (signal, code) => {
    const m = await withFake('hang');
    const pidFile = path.join(m.root, 'client.pid');
    const fake = path.join(m.bin, 'claude');
    fs.writeFileSync(fake, fs.readFileSync(fake, 'utf8').replace('\n', `\nif (process.argv.includes('-p')) require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));\n`));
    const tmp = path.join(m.root, 'tmp-of-the-proof');
    fs.mkdirSync(tmp);
    const child = spawn(process.execPath, [path.join(repo, 'bin/praetorctl'), 'clients', 'prove', '--yes', '--client', 'claude'], { env: { ...m.env, TMPDIR: tmp }, stdio: 'ignore' });
    const ended = new Promise<number | null>((resolve) => { child.on('exit', resolve); });
    await expect.poll(() => fs.existsSync(pidFile) && fs.readFileSync(pidFile, 'utf8') !== '', { timeout: 15_000 }).toBe(true);
    const pid = Number(fs.readFileSync(pidFile, 'utf8'));
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(fs.readdirSync(tmp)).toEqual([]);
    await expect.poll(() => { try { process.kill(pid, 0); return 'runs'; } catch { return 'gone'; } }, { timeout: 5_000 }).toBe('gone');
  });

  it('is refused without a terminal, and asks on one', async () => {
    const where = await here();
    expect(await cli(where, ['clients', 'prove', '--client', 'claude'])).toMatchObject({ code: 64, out: '' });
    expect(await cli(where, ['clients', 'prove', '--client', 'claude'], { tty: true, answer: 'n' })).toMatchObject({ code: 130 });
    expect((await cli(where, ['clients', 'prove', '--client', 'claude'], { tty: true, answer: 'y' })).out).toContain('never-asked');
  });

  it('answers in one valid document, exit 3 where one is not proven, 64 for an unknown client', async () => {
    const where = await here();
    const answer = await cli(where, ['clients', 'prove', '--yes', '--json', '--client', 'claude,agy']);
    expect(answer.code).toBe(3);
    expect(OUTPUT_SCHEMAS['prove']?.safeParse(answer.json).success).toBe(true);
    expect((await cli(where, ['clients', 'prove', '--yes', '--client', 'nobody'])).code).toBe(64);
  });
});
