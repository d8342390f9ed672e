// Asking clients for their own lists: what the parsers keep of real answers, what verify concludes, and that a program that hangs,
// floods or leaves children behind is ended.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS, clientById } from '../../src/clients/registry.ts';
import { readInit } from '../../src/clients/claude/probe.ts';
import type { ClientEvidence } from '../../src/model/evidence.ts';
import type { ListedHook, ProbeSurface } from '../../src/model/probe.ts';
import { askClient, PROBE_BYTES_MAX } from '../../src/verify/probe.ts';
import { concludeProbe, discoveredWith, type ProbeAnswer, type ProbeReport } from '../../src/verify/probe-conclude.ts';
import { askAll, cli } from './probe-support.ts';
import { apply, codes, leave, machine, one, receipt, texts, trustCodex, type Machine } from './support.ts';

const fixture = (name: string): string => fs.readFileSync(path.join(import.meta.dirname, '..', 'fixtures', 'probe', name), 'utf8');
const step = (id: string, asks: string): NonNullable<ProbeSurface['steps'][number]['read']> => {
  const found = clientById(id).probe?.steps.find((one_) => one_.asks === asks)?.read;
  if (found === undefined) throw new Error(`no ${asks}`);
  return found;
};

describe('what is kept of an answer', () => {
  it.each([
    ['codex', 'hooks', 'codex.hooks-list.jsonl', { hooks: [{ event: 'pre-tool', source: '/home/dev/.codex/hooks.json', enabled: true, trusted: false }] }],
    ['codex', 'servers', 'codex.mcp-list.json', { servers: [{ name: 'lab', state: 'listed' }] }],
    ['agy', 'hooks', 'agy.hooks.documented.json', { hooks: [{ event: 'pre-tool', source: '/home/dev/.gemini/config/hooks.json', enabled: true, trusted: true }] }],
    ['claude', 'servers', 'claude.init.jsonl', { servers: [{ name: 'lab', state: 'failed' }, { name: 'ok', state: 'connected' }, { name: 'later', state: 'disabled' }] }],
    ['gemini', 'servers', 'gemini.mcp-list.txt', { servers: [{ name: 'lab', state: 'disabled' }] }],
    ['qwen', 'servers', 'qwen.mcp-list.txt', { servers: [{ name: 'lab', state: 'failed' }] }],
    ['copilot-cli', 'servers', 'copilot-cli.mcp-list.json', { servers: [{ name: 'lab', state: 'listed' }] }],
    ['droid', 'servers', 'droid.mcp-list.txt', { servers: [{ name: 'lab', state: 'failed' }] }],
    ['opencode', 'servers', 'opencode.mcp-list.txt', { servers: [{ name: 'lab', state: 'failed' }, { name: 'off', state: 'disabled' }] }],
  ] as const)('%s: %s', (id, asks, file, kept) => {
    const text = fixture(file);
    // It prints its list as if it were a message.
    const read = id === 'gemini' ? step(id, asks)('', text) : step(id, asks)(text, '');
    expect(read).toEqual(kept);
    // Nothing else: no command, no value, no foreign hook.
    expect(JSON.stringify(read)).not.toMatch(/SECRETV|\/bin\/false|guard/);
  });

  it('is nothing where the answer has another form', () => {
    for (const client of CLIENTS) {
      for (const { read } of client.probe?.steps ?? []) {
        for (const text of ['', '{}', '[', 'null', 'error: not logged in', '{"id":2,"error":{}}', '{"type":"system","subtype":"init"}', '{"command":{"data":{"hooks":5}}}', `${'['.repeat(50_000)}`]) expect(read?.(text, '')).toBeUndefined();
      }
    }
    expect(step('codex', 'servers')('[]', '')).toEqual({ servers: [] });
    expect(step('gemini', 'servers')('', 'No MCP servers configured.\n')).toEqual({ servers: [] });
    expect(readInit('{"type":"system","subtype":"init","mcp_servers":[5,{"name":7}]}')).toEqual({ servers: [] });
  });

  it('every way says what it costs and what it does', () => {
    const asked = CLIENTS.filter(({ probe }) => probe !== undefined);
    expect(asked.map(({ id }) => id)).toEqual(expect.arrayContaining(['agy', 'claude', 'codex', 'copilot-cli', 'droid', 'gemini', 'opencode', 'qwen']));
    for (const { probe } of asked) for (const fact of [probe?.source, probe?.cost, probe?.effects]) expect(fact?.text.length).toBeGreaterThan(10);
  });
});

describe('what is concluded', () => {
  const evidence = (events: readonly string[], servers: readonly string[]): ClientEvidence => ({
    files: [{ spec: { role: 'hooks+mcp' }, hooks: events.map((event) => ({ event, status: 'as-desired' })), servers: servers.map((name) => ({ name, status: 'as-desired' })) }],
  }) as unknown as ClientEvidence;
  const hook = (event: string, more: Partial<ListedHook> = {}): ListedHook => ({ event, source: undefined, enabled: true, trusted: true, ...more });
  const codex = clientById('codex');
  const conclude = (answer: Partial<ProbeAnswer>, events = ['pre-tool', 'post-tool'], servers = ['lab']): ProbeReport => {
    const report = concludeProbe(codex, evidence(events, servers), { hooks: undefined, servers: undefined, session: false, failures: [], ...answer });
    if (report === null) throw new Error('nothing');
    return report;
  };

  it.each([
    ['all', { hooks: [hook('pre-tool'), hook('post-tool'), hook('stop')] }, 'listed'],
    ['one of two', { hooks: [hook('pre-tool')] }, 'incomplete'],
    ['none', { hooks: [] }, 'not-listed'],
    ['untrusted', { hooks: [hook('pre-tool', { trusted: false }), hook('post-tool', { enabled: false })] }, 'not-listed'],
    ['no answer', { failures: ['x'] }, 'unknown'],
  ] as const)('hooks: %s', (_name, answer, verdict) => {
    expect(conclude(answer).hooks).toBe(verdict);
  });

  it('servers, and what is down', () => {
    expect(conclude({ servers: [{ name: 'lab', state: 'failed' }, { name: 'other', state: 'failed' }] })).toMatchObject({ servers: 'listed', notes: ['it lists the MCP server lab as failed'] });
    expect(conclude({ servers: [] })).toMatchObject({ servers: 'not-listed' });
    expect(conclude({ servers: [] }, [], [])).toMatchObject({ servers: 'not-asked', hooks: 'unknown' });
    expect(conclude({ hooks: [hook('pre-tool', { trusted: false })] }, ['pre-tool'])).toMatchObject({ notes: ['it lists these hooks as not trusted or not enabled: pre-tool'] });
    expect(concludeProbe(codex, evidence([], []), undefined)).toBeNull();
  });

  it('the client\'s word about its hooks counts, but never beyond what is registered', () => {
    const report = (hooks: ProbeReport['hooks']): ProbeReport => ({ hooks, servers: 'not-asked', notes: [] });
    const table = (['listed', 'incomplete', 'not-listed', 'unknown', 'not-asked'] as const).map((verdict) => ([true, false, 'unknown'] as const).map((before) => discoveredWith(before, report(verdict))));
    expect(table).toEqual([[true, false, true], [false, false, false], [false, false, false], [true, false, 'unknown'], [true, false, 'unknown']]);
    expect(discoveredWith('unknown', null)).toBe('unknown');
  });
});

/** A stand-in for the client, on PATH under its name. */
function standIn(m: Machine, name: string, body: string): void {
  fs.writeFileSync(path.join(m.bin, name), `#!${process.execPath}\n${body}\n`, { mode: 0o755 });
}

describe('a client that is asked', () => {
  const HOOKS = `
const rl = require('readline').createInterface({ input: process.stdin });
const events = process.env.CODEX_HOME === undefined ? ['pre-tool', 'session-start'] : [];
if (process.argv[2] === 'mcp') { process.stdout.write(JSON.stringify([{ name: 'lab', enabled: true, transport: { env: { K: 'SECRETV' } } }])); process.exit(0); }
rl.on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method !== 'hooks/list') return;
  process.stdout.write('noise SECRETV\\n' + JSON.stringify({ id, result: { data: [{ hooks: events.map((e) => ({ command: 'praetorctl hook codex ' + e, enabled: true, trustStatus: 'trusted', sourcePath: '/x' })) }] } }) + '\\n');
});
setInterval(() => undefined, 1000);`;

  it('is discovered by its own list; without the question it is not', async () => {
    const m = machine();
    await apply(m, ['codex']);
    trustCodex(m, () => undefined);
    standIn(m, 'codex', HOOKS);
    expect(one(m, 'codex').states.discovered).toBe('unknown');
    expect(one(m, 'codex').probe).toBeNull();
    const probes = await askAll(m, ['codex']);
    const report = one(m, 'codex', { probes });
    expect(report).toMatchObject({ probe: { hooks: 'listed' }, states: { discovered: true, observed: false } });
    expect(texts(report)).toContain('Codex CLI itself lists the registered hooks');
    expect(JSON.stringify(report)).not.toContain('SECRETV');
  });

  it('does not list the hooks: not discovered, with the reason first', async () => {
    const m = machine({ env: { CODEX_HOME: '' } });
    fs.mkdirSync(path.join(m.root, 'codex-home'));
    const env = { ...m, env: { ...m.env, CODEX_HOME: path.join(m.root, 'codex-home') } };
    const moved = { ...env, host: { ...m.host, env: env.env } };
    await apply(moved, ['codex']);
    standIn(m, 'codex', HOOKS);
    const probes = await askAll(moved, ['codex']);
    const report = one(moved, 'codex', { probes }, { ...moved.host, now: () => Date.now() + 120_000 });
    expect(report.probe?.hooks).toBe('not-listed');
    expect(report.states.discovered).toBe(false);
    expect(codes(report)).toContain('probe-missing');
    expect(texts(report)).toContain('Codex CLI itself does not list the registered hooks');
  });

  it('runs its session hooks: the receipt that ours leaves is the answer', async () => {
    const m = machine();
    await apply(m, ['claude']);
    const line = JSON.stringify(`${JSON.stringify({ ...receipt('claude', { event: 'session-start', time: '@' }) })}`);
    fs.mkdirSync(path.join(m.state, 'receipts'), { recursive: true });
    // What --init-only does on the real program: it runs the SessionStart hooks (test/real/probe.mjs).
    standIn(m, 'claude', `if (process.argv[2] === '--init-only') require('fs').appendFileSync('${path.join(m.state, 'receipts', 'receipts.jsonl')}', ${line}.replace('@', new Date(Date.now() + 60000).toISOString()) + '\\n');
else process.stdout.write(JSON.stringify({ type: 'system', subtype: 'init', mcp_servers: [] }) + '\\n');`);
    expect(one(m, 'claude').states.discovered).toBe('unknown');
    const probes = await askAll(m, ['claude']);
    expect(probes.get('claude')).toMatchObject({ session: true, failures: [], servers: [] });
    expect(one(m, 'claude', { probes }).states).toMatchObject({ discovered: true, observed: false });
    leave(m);
  });

  it('gets no key of the person\'s, a fresh directory, and no way out but loopback', async () => {
    const m = machine({ env: { OPENAI_API_KEY: 'sk-secret', HTTPS_PROXY: 'http://proxy.example' } });
    standIn(m, 'codex', `require('fs').writeFileSync('${path.join(m.root, 'seen.json')}', JSON.stringify({ env: process.env, cwd: process.cwd() })); process.exit(3);`);
    const probes = await askAll(m, ['codex']);
    expect(probes.get('codex')).toMatchObject({ hooks: undefined, failures: [expect.stringContaining('exit 3'), expect.stringContaining('exit 3')] });
    const seen = JSON.parse(fs.readFileSync(path.join(m.root, 'seen.json'), 'utf8')) as { env: Record<string, string>; cwd: string };
    expect(seen.env).not.toHaveProperty('OPENAI_API_KEY');
    expect(seen.env['HTTPS_PROXY']).toBe('http://127.0.0.1:9');
    expect(fs.existsSync(seen.cwd)).toBe(false);
    expect(seen.cwd).not.toContain(m.home);
  });

  const surface = (): ProbeSurface => ({ ...(clientById('codex').probe as ProbeSurface), steps: [{ asks: 'servers', argv: () => [], read: () => undefined }] });
  const alive = (pid: number): boolean => { try { process.kill(pid, 0); return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8')); } catch { return false; } };

  it.each([
    ['hangs', 'setInterval(() => undefined, 1000);', 'gave no answer in time'],
    ['floods', 'const b = Buffer.alloc(1 << 16, 120); const go = () => { while (process.stdout.write(b)); process.stdout.once("drain", go); }; go();', 'gave no answer in time'],
    ['ends, and leaves a child', '', 'in a form that is not known'],
    ['is no program', undefined, 'could not be started'],
  ])('%s: it is ended with everything it started', async (_name, body, said) => {
    const m = machine();
    const pids = path.join(m.root, 'pids');
    if (body !== undefined) standIn(m, 'asked', `const c = require('child_process').spawn('sleep', ['300'], { stdio: 'inherit' }); require('fs').writeFileSync('${pids}', process.pid + ' ' + c.pid); c.unref();\n${body}`);
    const answer = await askClient(m.host, path.join(m.bin, 'asked'), surface(), undefined, 1500);
    expect(answer.failures).toEqual([expect.stringContaining(said)]);
    if (body === undefined) return;
    const started = fs.readFileSync(pids, 'utf8').split(' ').map(Number);
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    expect(started.map(alive)).toEqual([false, false]);
  }, 20_000);

  it('of a flood no more than the bound is kept', async () => {
    const m = machine();
    standIn(m, 'asked', `process.stdout.write('x'.repeat(${PROBE_BYTES_MAX + 100_000}));`);
    let length = 0;
    await askClient(m.host, path.join(m.bin, 'asked'), { ...surface(), steps: [{ asks: 'servers', argv: () => [], read: (text) => { length = text.length; return { servers: [] }; } }] });
    expect(length).toBe(PROBE_BYTES_MAX);
  });
});

describe('the command line', () => {
  it('asks only with --probe', async () => {
    const m = machine();
    await apply(m, ['codex']);
    standIn(m, 'codex', `require('fs').writeFileSync('${path.join(m.root, 'asked')}', 'x'); process.exit(1);`);
    const plain = await cli(m, ['clients', 'verify', '--client', 'codex', '--json']);
    expect([fs.existsSync(path.join(m.root, 'asked')), (plain['clients'] as { probe: unknown }[])[0]?.probe]).toEqual([false, null]);
    const probed = await cli(m, ['clients', 'verify', '--client', 'codex', '--probe', '--json']);
    expect(fs.existsSync(path.join(m.root, 'asked'))).toBe(true);
    expect((probed['clients'] as { probe: unknown }[])[0]?.probe).toMatchObject({ hooks: 'unknown', notes: [expect.stringContaining('exit 1'), expect.stringContaining('exit 1')] });
  });
});
