// Contract: `policy allow`: a refused call gets a code, a person in a real terminal allows exactly that call, and nobody else can.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { policyAllow } from '../../src/cli/policy-operator.ts';
import { PraetorError } from '../../src/model/diagnostic.ts';
import { CODE_ALPHABET, PENDING_MAX } from '../../src/policy/allow-once-call.ts';
import { compile, edit, GLOBAL, ioOf, last, policy, said, shell, station, type Call, type Station } from './operator-support.ts';
import { BIN, ROOT, run, temporary } from './support.ts';

const FORCE = 'git push --force origin main';

beforeAll(() => { execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'inherit' }); });

async function codeOf(at: Station, command = FORCE, call: Call = {}): Promise<string> {
  const ran = await shell(at, command, call);
  const code = /policy allow ([0-9A-Z]{6})\b/.exec(ran.stdout + ran.stderr)?.[1];
  if (code === undefined) throw new Error(`no code in ${ran.stdout}${ran.stderr}`);
  return code;
}

const pendingNames = (at: Station): string[] => (existsSync(join(at.state, 'pending')) ? readdirSync(join(at.state, 'pending')) : []);

/** In a terminal of its own, with no client above it: the chain of processes is cut, as a person's terminal would. */
function inTerminal(at: Station, words: string, answer: string, env: Record<string, string> = {}): { out: string; code: string } {
  const place = temporary();
  const done = join(place, 'code');
  const script = join(place, 'run.sh');
  writeFileSync(script, `script -qec '"${process.execPath}" "${BIN}" ${words}' "${join(place, 'out')}" <<'END' >/dev/null 2>&1\n${answer}\nEND\necho $? > "${done}"\n`);
  const clean = { PATH: process.env['PATH'] ?? '', ...at.env, ...env };
  spawnSync('setsid', ['--fork', 'sh', script], { env: clean, cwd: at.root, stdio: 'ignore' });
  const until = Date.now() + 30_000;
  while (!(existsSync(done) && statSync(done).size > 0) && Date.now() < until) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  return { out: readFileSync(join(place, 'out'), 'utf8'), code: readFileSync(done, 'utf8').trim() };
}

/** The command in this process, as a person who answers. */
async function allow(at: Station, code: string, options: { answer?: string; for?: string; tty?: boolean; env?: Record<string, string>; now?: number } = {}): Promise<{ granted: boolean; shown: string; code: string }> {
  let shown = '';
  const tty = options.tty ?? true;
  const io = ioOf(at, { inIsTty: tty, errIsTty: tty, err: (text) => { shown += text; }, ask: () => Promise.resolve(options.answer ?? 'y') }, options.env);
  const now = options.now;
  // The environments above this process are the test runner's own.
  const host = { ...io.host, platform: 'darwin' as const, ...(now === undefined ? {} : { now: () => now }) };
  try {
    const outcome = await policyAllow({ io: { ...io, host }, global: GLOBAL, options: options.for === undefined ? {} : { for: options.for }, args: [code] });
    return { granted: outcome.body['granted'] === true, shown, code: '' };
  } catch (error) {
    if (error instanceof PraetorError) return { granted: false, shown: error.diagnostic.message, code: error.diagnostic.code };
    throw error;
  }
}

describe('a code', () => {
  test('stands in the reason; what is kept is private and holds what a person must see', async () => {
    const at = station();
    const code = await codeOf(at);
    expect([...code].every((letter) => CODE_ALPHABET.includes(letter))).toBe(true);
    expect(last(at)).toMatchObject({ verdict: 'deny', rule: 'git.push.force' });
    const directory = join(at.state, 'pending');
    const [name = ''] = pendingNames(at);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(directory, name), 'utf8'))).toMatchObject({ rule: 'git.push.force', shown: FORCE, workspace: at.workspace });
    expect(readFileSync(join(at.state, 'receipts', 'receipts.jsonl'), 'utf8')).not.toMatch(new RegExp(`${code}|push --force origin`));
  });

  test('the same call keeps it, whichever client asks; another call, workspace or rule has its own', async () => {
    const at = station();
    const code = await codeOf(at);
    expect(await codeOf(at)).toBe(code);
    expect(await codeOf(at, FORCE, { client: 'codex' })).toBe(code);
    expect(await codeOf(at, FORCE, { client: 'gemini' })).toBe(code);
    expect(await codeOf(at, `${FORCE} `)).not.toBe(code);
    expect(await codeOf(at, FORCE, { workspace: at.home })).not.toBe(code);
  });

  test('none for calls that pass, for our own tests, and none where nothing can be kept', async () => {
    const at = station();
    await shell(at, 'ls');
    expect((await shell(at, FORCE, { env: { PRAETORCTL_HOOK_SYNTHETIC: '1' } })).stdout).not.toContain('policy allow');
    expect(pendingNames(at)).toEqual([]);
    writeFileSync(join(at.state, 'pending'), 'a file');
    const ran = await shell(at, FORCE);
    expect(ran.code).toBe(2);
    expect(ran.stdout).not.toContain('policy allow');
  });

  test('their number is bounded, the oldest go', async () => {
    const at = station();
    const first = await codeOf(at, `${FORCE}-0`);
    const directory = join(at.state, 'pending');
    const text = readFileSync(join(directory, pendingNames(at)[0] ?? ''), 'utf8');
    for (let i = 0; i < PENDING_MAX + 10; i++) writeFileSync(join(directory, `${i.toString(16).padStart(32, '0')}.${first.slice(0, 4)}${CODE_ALPHABET[i % 30] ?? ''}${CODE_ALPHABET[Math.floor(i / 30)] ?? ''}.asked`), text);
    await codeOf(at, `${FORCE}-new`);
    expect(pendingNames(at).length).toBeLessThanOrEqual(PENDING_MAX);
  });
});

describe('a person in a terminal', () => {
  test('allows exactly this call once', async () => {
    const at = station();
    const code = await codeOf(at);
    const ran = inTerminal(at, `policy allow ${code}`, 'y');
    expect(ran.out).toContain(FORCE);
    expect(ran.out).toContain(at.workspace);
    expect(ran.out).toContain('git.push.force');
    expect(ran.out).toContain('allowed once');
    expect(await said(at, `${FORCE} --tags`)).toBe('deny git.push.force');
    expect(await said(at, FORCE, { workspace: at.home })).toBe('deny git.push.force');
    const passed = await shell(at, FORCE);
    expect(passed).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(last(at)).toMatchObject({ verdict: 'neutral', rule: 'allow-once:git.push.force' });
    expect(await said(at, FORCE)).toBe('deny git.push.force');
  });

  test('who says no, or nothing, allows nothing; the code stays', async () => {
    const at = station();
    const code = await codeOf(at);
    expect(inTerminal(at, `policy allow ${code}`, 'n').out).toContain('not allowed');
    expect(await said(at, FORCE)).toBe('deny git.push.force');
    expect(await codeOf(at)).toBe(code);
  });

  test('a client in the environment is refused, there too', async () => {
    const at = station();
    const code = await codeOf(at);
    const ran = inTerminal(at, `policy allow ${code}`, 'y', { CLAUDECODE: '1' });
    expect(ran.out).toContain('only a person may decide this');
    expect(await said(at, FORCE)).toBe('deny git.push.force');
  });

  test('taking the mark out of the environment does not help: it stands in the process above', () => {
    if (process.platform !== 'linux') return;
    const at = station();
    const ran = spawnSync('sh', ['-c', `env -u GEMINI_CLI script -qec '"${process.execPath}" "${BIN}" policy allow K7Q2MX' /dev/null; :`], { env: { PATH: process.env['PATH'] ?? '', ...at.env, GEMINI_CLI: '1' }, input: 'y\n', encoding: 'utf8' });
    expect(ran.stdout).toContain('only a person may decide this');
  });
});

describe('nobody else', () => {
  test('without a terminal it is refused, as a process', async () => {
    const at = station();
    const code = await codeOf(at);
    const ran = spawnSync(process.execPath, [BIN, 'policy', 'allow', code], { env: { PATH: process.env['PATH'] ?? '', ...at.env }, input: 'y\n', encoding: 'utf8' });
    expect(ran.status).toBe(64);
    expect(ran.stderr).toMatch(/no terminal|only a person/);
    expect(await said(at, FORCE)).toBe('deny git.push.force');
  });

  test.each([
    ['CLAUDECODE', '1'], ['CLAUDE_CODE_SESSION_ID', 'x'], ['CLAUDE_PROJECT_DIR', '/w'], ['GEMINI_CLI', '1'], ['GEMINI_SESSION_ID', 'x'], ['CODEX_THREAD_ID', 'x'], ['CODEX_SANDBOX', 'seatbelt'],
    ['CODEX_MANAGED_BY_NPM', '1'], ['ANTIGRAVITY_CONVERSATION_ID', 'x'], ['CURSOR_AGENT', '1'], ['CURSOR_TRACE_ID', 'x'], ['PATH', '/home/x/.codex/tmp/arg0-linux/codex-arg0AbC:/usr/bin'],
  ])('under %s it is refused', async (name, value) => {
    const at = station();
    const code = await codeOf(at);
    const answer = await allow(at, code, { env: { [name]: value } });
    expect(answer).toMatchObject({ granted: false, code: 'not-confirmed' });
    expect(answer.shown).toContain(name);
  });

  test.each([['CLAUDE_CONFIG_DIR', '/x'], ['CODEX_HOME', '/x'], ['ANTIGRAVITY_CONFIG_DIR', '/x'], ['CLAUDE_CODE_USE_BEDROCK', '1'], ['CLAUDE_CODE_SSE_PORT', '1'], ['CLAUDECODE', '']])('%s is a person\'s own setting', async (name, value) => {
    const at = station();
    expect((await allow(at, await codeOf(at), { env: { [name]: value } })).granted).toBe(true);
  });

  test('compile is a person\'s too', () => {
    const at = station();
    const ran = spawnSync(process.execPath, [BIN, 'policy', 'compile'], { env: { PATH: process.env['PATH'] ?? '', ...at.env, CLAUDECODE: '1' }, encoding: 'utf8' });
    expect(ran).toMatchObject({ status: 64, stderr: expect.stringContaining('CLAUDECODE') });
  });
});

describe('what is granted', () => {
  test('--for: as often as it comes, until the time', async () => {
    const at = station();
    const code = await codeOf(at);
    expect((await allow(at, code, { for: '10m' })).granted).toBe(true);
    for (let i = 0; i < 3; i++) expect(await said(at, FORCE)).toBe('neutral allow-once:git.push.force');
    const early = station();
    const old = await codeOf(early);
    expect((await allow(early, old, { for: '1m', now: Date.now() - 61_000 })).granted).toBe(true);
    expect(await said(early, FORCE)).toBe('deny git.push.force');
  });

  test.each(['0m', '9h', '10', 'm', '-1m', '1d', '99999h'])('--for %s is refused', async (span) => {
    const at = station();
    expect(await allow(at, await codeOf(at), { for: span })).toMatchObject({ granted: false, code: 'usage' });
  });

  test('a code that has run out, was used, or was never given', async () => {
    const at = station();
    const code = await codeOf(at);
    expect(await allow(at, code, { now: Date.now() + 16 * 60_000 })).toMatchObject({ granted: false, code: 'usage' });
    expect((await allow(at, code.toLowerCase())).granted).toBe(true);
    expect(await allow(at, code)).toMatchObject({ granted: false, code: 'usage' });
    for (const wrong of ['', 'AAAAAA', '../../x', 'K7Q2M', 'K7Q2MXX', '000000']) expect(await allow(at, wrong)).toMatchObject({ granted: false, code: 'usage' });
  });

  test('one of many calls at the same time wins', async () => {
    const at = station();
    await allow(at, await codeOf(at));
    const codes = await Promise.all(Array.from({ length: 12 }, async () => (await shell(at, FORCE)).code));
    expect(codes.filter((exit) => exit === 0)).toHaveLength(1);
  }, 60_000);

  test('the permission event of the same call passes with it, once', async () => {
    const at = station();
    await allow(at, await codeOf(at));
    expect(await said(at, FORCE)).toBe('neutral allow-once:git.push.force');
    expect(await said(at, FORCE, { event: 'permission' })).toBe('neutral allow-once:git.push.force');
    expect(await said(at, FORCE, { event: 'permission' })).toBe('deny git.push.force');
    expect(await said(at, FORCE)).toBe('deny git.push.force');
  });

  test('it counts for the rule that was shown: another rule asks again', async () => {
    const at = station();
    await allow(at, await codeOf(at));
    compile(at, policy('deny:\n  - { id: all, program: git, subcommand: [push] }'));
    expect(await said(at, FORCE)).toBe('deny operator.all');
  });

  test('a file call with another content is another call', async () => {
    const at = station();
    compile(at, policy("deny:\n  - { id: s, paths: [secrets] }"));
    mkdirSync(join(at.workspace, 'secrets'));
    const path = join(at.workspace, 'secrets', 'x');
    const ran = await edit(at, path);
    await allow(at, /policy allow (\w{6})/.exec(ran.stdout)?.[1] ?? '');
    const other = JSON.stringify({ session_id: 's', cwd: at.workspace, tool_name: 'Write', tool_input: { file_path: path, content: 'y' } });
    expect((await run('claude', 'pre-tool', { state: at.state, env: at.env, input: other })).code).toBe(2);
    expect((await edit(at, path)).code).toBe(0);
    expect(last(at)).toMatchObject({ verdict: 'neutral', rule: 'allow-once:operator.s' });
  });

  test('a forged or damaged grant is none', async () => {
    const at = station();
    await codeOf(at);
    const directory = join(at.state, 'pending');
    const [name = ''] = pendingNames(at);
    for (const text of ['', '{}', '{"v":1}', readFileSync(join(directory, name), 'utf8').replace(/"digest":"..../, '"digest":"0000')]) {
      writeFileSync(join(directory, name.replace('.asked', '.granted')), text);
      expect(await said(at, FORCE)).toBe('deny git.push.force');
    }
  });
});
