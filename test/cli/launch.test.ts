// `praetorctl clients launch` with real child processes: what it starts, what it refuses, what it says, signals and exit codes.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientById } from '../../src/clients/registry.ts';
import { bypassIn } from '../../src/model/launch.ts';
import { BIN, temporary } from '../hook/support.ts';
import { parseReceiptLine, type Receipt } from '../../src/receipts/format.ts';

interface Lab { readonly root: string; readonly home: string; readonly env: Record<string, string> }

/** Says its arguments, its variable and its process id, then does what its first word asks. */
const CLIENT = `#!${process.execPath}
const { writeFileSync } = require('node:fs');
writeFileSync(process.env.HOME + '/started.json', JSON.stringify({ args: process.argv.slice(2), safe: process.env.CLAUDE_CODE_SAFE_MODE ?? null }));
const words = process.argv.slice(2);
if (words.includes('catch')) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => { process.stdout.write(signal + '\\n'); process.exit(9); });
process.stdout.write('ready\\n');
const code = words.find((word) => word.startsWith('exit='));
if (code !== undefined) process.exit(Number(code.slice(5)));
if (words.includes('read')) process.stdin.on('data', (chunk) => process.stdout.write('got ' + chunk)).on('end', () => process.exit(0));
if (words.includes('catch') || words.includes('wait')) setInterval(() => undefined, 1000);
`;

function lab(): Lab {
  const root = temporary();
  const [home, bin] = [join(root, 'home'), join(root, 'bin')];
  for (const directory of [home, bin]) mkdirSync(directory);
  for (const name of ['cn', 'claude']) {
    writeFileSync(join(bin, name), CLIENT);
    chmodSync(join(bin, name), 0o755);
  }
  return { root, home, env: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, PRAETORCTL_STATE_DIR: join(root, 'state'), PRAETORCTL_CONFIG_DIR: join(root, 'config') } };
}

interface Ended { readonly code: number | null; readonly out: string; readonly err: string }

function launch(at: Lab, words: readonly string[], { env = {}, input, signal }: { env?: Record<string, string>; input?: string; signal?: NodeJS.Signals } = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, 'clients', 'launch', ...words], { cwd: at.root, env: { ...at.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (out === '' && signal !== undefined) child.kill(signal);
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => { err += chunk.toString(); });
    child.stdin.end(input);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

const put = (path: string, text: string): void => { mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, text); };
const started = (at: Lab): { args: string[] } | undefined => (existsSync(join(at.home, 'started.json')) ? JSON.parse(readFileSync(join(at.home, 'started.json'), 'utf8')) as { args: string[] } : undefined);
const receiptsOf = (at: Lab): Receipt[] => (existsSync(join(at.root, 'state/receipts/receipts.jsonl')) ? readFileSync(join(at.root, 'state/receipts/receipts.jsonl'), 'utf8').trim().split('\n').map((line) => parseReceiptLine(line)!) : []);
const config = (at: Lab, ...servers: string[]): void => put(join(at.home, '.continue/config.yaml'), `name: Local\nversion: 1.0.0\nmcpServers:\n${servers.join('\n')}\n`);
const GUARDED = '  - name: notes\n    command: praetorctl\n    args: [mcp, notes]';
const OPEN = '  - name: other\n    command: node\n    args: [server.js]';

describe('a client without hooks', () => {
  it('is started with the file of ours, says what is and is not enforced, and its receipt says launched-only', async () => {
    const at = lab();
    config(at, GUARDED, OPEN);
    const { code, out, err } = await launch(at, ['continue', '--', 'read', '-p', 'x y'], { input: 'typed' });
    expect([code, out]).toEqual([0, 'ready\ngot typed']);
    expect(started(at)).toMatchObject({ args: ['--config', join(at.home, '.continue/config.yaml'), 'read', '-p', 'x y'] });
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).toContain('enforced: the catalogues of notes. not enforced: servers without a catalogue (other); its own tools');
    expect(receiptsOf(at)).toMatchObject([{ client: 'continue', event: 'launch', verdict: 'neutral', rule: 'launched-only', caller: 'praetorctl' }]);
  });

  it.each([['--auto'], ['--config', 'other.yaml'], ['--config=other.yaml'], ['--mcp', 'x/y'], ['--agent', 'x/y']])('%s is refused and nothing is started', async (...words) => {
    const at = lab();
    const { code, err } = await launch(at, ['cn', '--', ...words]);
    expect([code, err.includes('launch-refused'), err.includes('way around the guard'), started(at), receiptsOf(at)]).toEqual([3, true, true, undefined, []]);
  });

  it.each<[string, readonly string[], boolean]>([
    ['codex', ['--disable', 'hooks'], true], ['codex', ['--disable=hooks'], true], ['codex', ['--disable', 'other'], false], ['codex', ['exec', '-c', 'features.hooks=false'], true], ['codex', ['-cfeatures.hooks=false'], true],
    ['codex', ['-c', '"features.hooks"=false'], true], ['codex', ['-c', 'model=x'], false], ['codex', ['--config=features.codex_hooks=false'], true], ['codex', ['exec', '--ignore-user-config', 'x'], true], ['codex', ['--', '--disable', 'hooks'], false],
    ['qwen', ['--bare'], true], ['qwen', ['-p', 'x', '--safe-mode'], true], ['qwen', ['-p', 'bare'], false], ['opencode', ['run', '--pure'], true], ['kilo', ['run', '--pure', 'x'], true],
  ])('%s %j: a way around is told from what is none', (id, args, is) => {
    expect(bypassIn(clientById(id).launch!, args, {}) !== undefined).toBe(is);
  });

  it.each([['opencode', 'OPENCODE_PURE'], ['kilo', 'KILO_PURE']])('%s: %s counts where it is on', (id, name) => {
    expect(['1', 'true', '', '0'].map((value) => bypassIn(clientById(id).launch!, [], { [name]: value }) !== undefined)).toEqual([true, true, false, false]);
  });

  it('what stands behind -- in its own arguments is text', async () => {
    const at = lab();
    expect((await launch(at, ['cn', '--', 'exit=0', '--', '--auto'])).code).toBe(0);
    expect(started(at)?.args).toEqual(['exit=0', '--', '--auto']);
  });

  it('strict: every server it has stands behind the runtime, or it is not started', async () => {
    const at = lab();
    expect((await launch(at, ['cn', '--strict', '--', 'exit=0'])).err).toContain('nothing of Continue is guarded');
    config(at, GUARDED, OPEN);
    const open = await launch(at, ['cn', '--strict', '--', 'exit=0']);
    expect([open.code, open.err.includes('other would be reachable'), started(at)]).toEqual([3, true, undefined]);
    config(at, GUARDED);
    expect((await launch(at, ['cn', '--strict', '--', 'exit=0'])).code).toBe(0);
  });
});

describe('exit code and signals are the client\'s', () => {
  it.each([0, 1, 3, 77])('exit %i', async (code) => {
    expect((await launch(lab(), ['cn', '--', `exit=${code}`])).code).toBe(code);
  });

  it.each([['SIGTERM'], ['SIGINT'], ['SIGHUP']] as const)('%s reaches the client, whose answer counts', async (signal) => {
    const { code, out } = await launch(lab(), ['cn', '--', 'catch'], { signal });
    expect([code, out]).toEqual([9, `ready\n${signal}\n`]);
  });

  it('a client that a signal ends: 128 and its number', async () => {
    expect((await launch(lab(), ['cn', '--', 'wait'], { signal: 'SIGTERM' })).code).toBe(143);
  });
});

describe('a client with hooks', () => {
  it('is started with its state on the line; strict refuses below discovered', async () => {
    const at = lab();
    const loose = await launch(at, ['claude', '--', 'exit=5']);
    expect([loose.code, loose.err.includes('hooks: not registered')]).toEqual([5, true]);
    expect(receiptsOf(at)).toMatchObject([{ client: 'claude', event: 'launch', rule: 'launched' }]);
    const strict = await launch(at, ['claude', '--strict', '--', 'exit=5']);
    expect([strict.code, strict.err.includes('not known to have read our hooks')]).toEqual([3, true]);
  });

  it('strict starts it once it was seen to run our hooks', async () => {
    const at = lab();
    put(join(at.home, '.claude/settings.json'), '{}');
    const say = (words: string[], input: string, env: Record<string, string> = {}): number | null => spawnSync(process.execPath, [BIN, ...words], { cwd: at.root, env: { ...at.env, ...env }, input }).status;
    expect(say(['clients', 'apply', '--yes', '--client', 'claude'], '')).toBe(0);
    expect((await launch(at, ['claude', '--strict', '--', 'exit=5'])).code).toBe(3);
    const call = { session_id: 'later', cwd: at.root, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } };
    expect(say(['hook', 'claude', 'pre-tool'], JSON.stringify(call), { CLAUDE_CODE_SESSION_ID: 'later', CLAUDE_PROJECT_DIR: at.root, CLAUDECODE: '1' })).toBe(0);
    const { code, err } = await launch(at, ['claude', '--strict', '--', 'exit=5']);
    expect([code, err.includes('hooks: observed')]).toEqual([5, true]);
  });

  it.each([[['--bare'], {}], [['--safe-mode'], {}], [['--mcp-config', '{"mcpServers":{}}'], {}], [['--strict-mcp-config', '--mcp-config=x.json'], {}], [['--setting-sources', ''], {}], [['-p', 'x'], { CLAUDE_CODE_SAFE_MODE: '1' }]])('%j %j is refused', async (words, env) => {
    const at = lab();
    const { code, err } = await launch(at, ['claude', '--', ...words], { env });
    expect([code, err.includes('way around the guard'), started(at)]).toEqual([3, true, undefined]);
  });
});

it.each([[['zed', '--', 'x'], 'how Zed is started'], [['nobody'], 'unknown client'], [['cn', '--json'], 'no JSON answer']])('%j is refused', async (words, text) => {
  const { code, out, err } = await launch(lab(), words);
  expect([code, (out + err).includes(text)]).toEqual([64, true]);
});
