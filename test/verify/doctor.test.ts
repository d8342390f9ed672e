// doctor runs what is registered, with the real program where it shall be well, and with stand-ins where it shall not.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientById } from '../../src/clients/registry.ts';
import { HOOKED } from '../support/rows.ts';
import { ownedHooks } from '../../src/clients/registration.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { parseReceiptLine } from '../../src/receipts/format.ts';
import { CHECKS, renderChecks, runDoctor, type DoctorRequest, type DoctorResult } from '../../src/verify/doctor.ts';
import type { DoctorRow } from '../../src/verify/doctor-check.ts';
import { desktopPath } from '../../src/verify/doctor-machine.ts';
import { SHELL_FORMS, shellsOf } from '../../src/verify/shells.ts';
import { renderDoctor } from '../../src/cli/verify-view.ts';
import { smallEnv } from '../../src/verify/run-command.ts';
import { realHost, type Host } from '../../src/host.ts';
import { apply, editJson, fileOf, leave, machine, one, put, receipt, trustCodex, tree, verify, type Machine } from './support.ts';

const repo = path.resolve(import.meta.dirname, '../..');
const IDS = HOOKED.map((client) => client.id).sort();

beforeAll(() => {
  if (!fs.existsSync(path.join(repo, 'dist', 'hook.cjs'))) execFileSync(process.execPath, [path.join(repo, 'scripts', 'build.mjs')], { cwd: repo });
});

/** Puts the real program, or a stand-in with the given shell body, on the machine's PATH. */
function program(m: Machine, body = `exec '${process.execPath}' '${path.join(repo, 'bin', 'praetorctl')}' "$@"`): Machine {
  fs.writeFileSync(path.join(m.bin, 'praetorctl'), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return m;
}

async function applied(ids: readonly string[] = IDS, body?: string): Promise<Machine> {
  const m = program(machine(), body);
  await apply(m, ids);
  if (ids.includes('codex')) trustCodex(m);
  return m;
}

/** A desktop PATH on which the program is found too. */
const onDesktop = (m: Machine): Host => ({ ...m.host, stat: (p) => m.host.stat(p === '/usr/local/bin/praetorctl' ? path.join(m.bin, 'praetorctl') : p), canExecute: (p) => m.host.canExecute(p === '/usr/local/bin/praetorctl' ? path.join(m.bin, 'praetorctl') : p) });
const VERSION = (JSON.parse(fs.readFileSync(path.join(repo, 'package.json'), 'utf8')) as { version: string }).version;
/** Every row that any test sees is of exactly one check. */
function doctor(m: Machine, request: Partial<DoctorRequest> = {}, host: Host = onDesktop(m)): DoctorResult {
  const result = runDoctor(host, { clients: [], scope: 'user', version: VERSION, ...request });
  for (const row of result.rows) expect(CHECKS.filter(({ id }) => (id.endsWith('.') ? row.id.startsWith(id) : row.id === id)), row.id).toHaveLength(1);
  return result;
}
const find = (result: DoctorResult, id: string): DoctorRow[] => result.rows.filter((row) => row.id === id);
const status = (result: DoctorResult, id: string): string[] => find(result, id).map((row) => row.status);

describe('a machine that is well', () => {
  it('has no error: each registered command runs and judges in its client\'s own form', async () => {
    const m = await applied();
    // The test's apply says a version of its own.
    const result = doctor(m);
    expect(result.rows.filter((row) => row.status !== 'ok' && row.status !== 'info' && row.id !== 'entrypoint.version')).toEqual([]);
    expect(result).toMatchObject({ ok: true, exit: 0 });
    for (const id of IDS) {
      // A client can have a gate for each kind of tool, a file for each event, or no event of a session.
      expect([...new Set(status(result, `hook.${id}.pre-tool`))]).toEqual(['ok']);
      expect(find(result, `hook.${id}.pre-tool`)[0]?.message).toContain('refused in the client\'s own form');
      const starts = clientById(id).hooks.events.some(({ canonical }) => canonical === 'session-start');
      expect([...new Set(status(result, `hook.${id}.session-start`))]).toEqual(starts ? ['ok'] : []);
      expect(status(result, `switch.${id}`)).toEqual(['ok']);
    }
  });

  it('leaves receipts that are no evidence', async () => {
    const m = await applied(['gemini']);
    doctor(m);
    const lines = fs.readFileSync(path.join(m.state, 'receipts', 'receipts.jsonl'), 'utf8').trim().split('\n').map((line) => parseReceiptLine(line));
    expect(lines.length).toBe(3);
    expect(lines.every((line) => line?.synthetic === true)).toBe(true);
    expect(one(m, 'gemini').states).toMatchObject({ observed: false, discovered: 'unknown' });
  });

  it('changes no file of the home and starts no client', async () => {
    const m = await applied();
    const before = tree(m.home);
    doctor(m);
    expect(tree(m.home)).toEqual(before);
    expect(fs.readdirSync(m.root).filter((name) => name.startsWith('started-'))).toEqual([]);
  });

  it('is rows sorted by id, and text without the home', async () => {
    const m = await applied(['claude']);
    const result = doctor(m, { clients: ['claude'] });
    expect(result.rows.map((row) => row.id)).toEqual(result.rows.map((row) => row.id).sort());
    const text = renderDoctor(result, { color: false, home: m.home });
    expect(text).toMatch(/^ok +hook\.claude\.pre-tool +the command in ~\/\.claude\/settings\.json: /m);
    expect(text).toContain('doctor: 0 error(s), 1 warning(s), 0 unknown');
    expect(text).not.toContain(m.home);
  });
});

describe('programs that do not do what they should', () => {
  it.each([
    ['lets everything pass', 'cat >/dev/null', /answers the refused sample call otherwise/],
    ['refuses everything', 'cat >/dev/null; echo no >&2; exit 2', /answers the harmless sample call otherwise/],
    ['crashes', 'exit 1', /answers the harmless sample call otherwise than it should \(exit 1\)/],
    ['speaks another dialect', 'if grep -q force; then echo \'{"verdict":"deny"}\'; fi', /answers the refused sample call otherwise/],
    ['grants permission', 'cat >/dev/null; echo \'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}\'', /answers the harmless sample call otherwise/],
    ['kills itself', 'kill -9 $$', /was ended by SIGKILL|\(exit 137\)/],
  ])('%s', async (_name, body, said) => {
    const m = await applied(['claude', 'gemini'], body);
    const result = doctor(m, { clients: ['claude', 'gemini'] });
    expect(result).toMatchObject({ ok: false, exit: 3 });
    const rows = find(result, 'hook.claude.pre-tool');
    expect(rows[0]?.status).toBe('error');
    expect(rows[0]?.message).toMatch(said);
  });

  it('is not there: an error that says what each client does then', async () => {
    const m = await applied();
    fs.rmSync(path.join(m.bin, 'praetorctl'));
    const result = doctor(m, {}, m.host);
    expect(status(result, 'entrypoint.path')).toEqual(['error']);
    const message = find(result, 'entrypoint.path')[0]?.message ?? '';
    expect(message).toContain('Gemini CLI blocks every guarded call');
    expect(message).toContain('Codex CLI runs the tool');
    expect(find(result, 'hook.gemini.pre-tool')[0]).toMatchObject({ status: 'error', message: expect.stringContaining('was not found by the shell') as string });
  });

  it('hangs: the time limit ends it', async () => {
    const m = await applied(['gemini'], 'exec sleep 60');
    const slow = onDesktop(m);
    const result = doctor(m, { clients: ['gemini'] }, { ...slow, spawn: (command, args, options) => slow.spawn(command, args, { ...options, timeoutMs: 300 }) });
    expect(find(result, 'hook.gemini.pre-tool')[0]).toMatchObject({ status: 'error', message: expect.stringContaining('gave no answer') as string });
  });

  it('is found on this PATH but not by a client of the desktop', async () => {
    const m = await applied(['gemini']);
    const result = doctor(m, { clients: ['gemini'] }, m.host);
    expect(status(result, 'entrypoint.path')).toEqual(['ok']);
    // A warning, because clients started from a shell do find it; red is for what nothing finds.
    expect(find(result, 'entrypoint.desktop-path')[0]).toMatchObject({ status: 'warning', message: expect.stringContaining('Gemini CLI blocks every guarded call') as string });
    const lost = doctor(m, { clients: ['gemini'] }, { ...m.host, env: { ...m.host.env, PATH: '/nowhere' } });
    expect([status(lost, 'entrypoint.path'), status(lost, 'entrypoint.desktop-path')]).toEqual([['error'], ['error']]);
    const nobody = program(machine());
    expect(status(doctor(nobody, {}, nobody.host), 'entrypoint.desktop-path')).toEqual(['info']);
    expect(desktopPath('darwin', {})).not.toContain('/usr/local/bin');
    expect(desktopPath('win32', { SystemRoot: 'D:\\W' })[0]).toBe('D:\\W\\System32');
  });

  it('leaves no receipt: an error, because nothing could ever be observed', async () => {
    const m = await applied(['gemini']);
    put(path.join(m.state, 'receipts'), 'a file where the directory should be');
    const result = doctor(m, { clients: ['gemini'] });
    expect(find(result, 'hook.gemini.pre-tool')[0]).toMatchObject({ status: 'error', message: expect.stringContaining('leaves no receipt') as string });
  });
});

describe('what is run and how', () => {
  it('gets a small environment, marked as synthetic', () => {
    expect(smallEnv({ PATH: '/bin', HOME: '/h', SECRET_TOKEN: 'x', PRAETORCTL_STATE_DIR: '/s', CLAUDE_CODE_SESSION_ID: 'y' })).toEqual({ PATH: '/bin', HOME: '/h', PRAETORCTL_STATE_DIR: '/s', PRAETORCTL_HOOK_SYNTHETIC: '1' });
  });

  it.each([
    ['touch ran; rm -rf /x/praetorctl hook gemini pre-tool', 0],
    ['rm -rf /x/praetorctl hook gemini pre-tool', 0],
    ['touch ran\n/x/praetorctl hook gemini pre-tool', 0],
    ['"/a\'b/praetorctl" hook gemini pre-tool', 1],
  ])('never runs a string that praetorctl does not write: %j', async (command, rows) => {
    const m = await applied(['gemini']);
    const gemini = clientById('gemini');
    editJson(fileOf(m, gemini, 'hooks').path, (document) => {
      const own = ownedHooks(gemini.hooks, document, ['gemini']).find((hook) => hook.event === 'pre-tool');
      if (own !== undefined) own.handler['command'] = command;
      return undefined;
    });
    const spawned: string[] = [];
    const host = onDesktop(m);
    const result = doctor(m, { clients: ['gemini'] }, { ...host, spawn: (c, args, options) => { spawned.push(args.join(' ')); return host.spawn(c, args, options); } });
    expect(spawned.filter((line) => line.includes('rm ') || line.includes('touch'))).toEqual([]);
    expect(status(result, 'hook.gemini.pre-tool')).toEqual(rows === 1 ? ['unknown'] : []);
  });

  it('runs a program that the user registered by its path, but not one that a project names', async () => {
    const m = await applied(['claude']);
    const command = `${path.join(m.bin, 'praetorctl')} hook claude pre-tool`;
    put(path.join(m.home, '.claude', 'settings.json'), JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] } }));
    expect(status(doctor(m, { clients: ['claude'] }), 'hook.claude.pre-tool')).toEqual(['ok']);
    put(path.join(m.project, '.claude', 'settings.json'), JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] } }));
    expect(status(doctor(m, { clients: ['claude'], scope: 'project' }), 'hook.claude.pre-tool.project')).toEqual(['unknown']);
  });

  /** Registered on Linux, looked at as if on Windows: nothing is started there. */
  function onWindows(m: Machine, change: (text: string) => string = (text) => text): string[] {
    const env = { ...m.env, USERPROFILE: 'C:\\Users\\dev', APPDATA: 'C:\\a', LOCALAPPDATA: 'C:\\l', PRAETORCTL_STATE_DIR: 'C:\\s', PRAETORCTL_CONFIG_DIR: 'C:\\c' };
    const file = 'C:\\Users\\dev\\.gemini\\settings.json';
    const text = Buffer.from(change(fs.readFileSync(fileOf(m, clientById('gemini'), 'hooks').path, 'utf8')));
    const real = realHost({ env, platform: 'win32', cwd: 'C:\\work' });
    const stat = (kind: 'file' | 'dir'): ReturnType<Host['stat']> => ({ kind, size: text.length, dev: '0', ino: '0', mtimeNs: '1', mode: 0o666, uid: 0, gid: 0, nlink: 1 });
    const look = (p: string): ReturnType<Host['stat']> => (p === file ? stat('file') : file.startsWith(`${p}\\`) ? stat('dir') : undefined);
    const readFile = (p: string): Uint8Array => {
      if (p === file) return text;
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    };
    const host: Host = { ...real, lstat: look, stat: look, readFile, spawn: () => { throw new Error('started'); } };
    const row = find(doctor(m, { clients: ['gemini'] }, host), 'hook.gemini.pre-tool')[0];
    return [row?.status ?? '', row?.message ?? ''];
  }

  it('is not run on Windows, but its form is checked for the shells there', async () => {
    const m = await applied(['gemini']);
    expect(onWindows(m)).toEqual(['skipped', expect.stringContaining('valid in powershell')]);
    expect(onWindows(m, (text) => text.replaceAll('praetorctl hook', '\\"C:/Program Files/praetorctl\\" hook'))).toEqual(['error', expect.stringContaining('PowerShell takes a path in quotes for a text')]);
  });

  it('shells are started as the clients start them', () => {
    const line = 'praetorctl hook gemini pre-tool';
    expect(SHELL_FORMS.sh.argv(line)).toEqual(['/bin/sh', '-c', line]);
    expect(SHELL_FORMS.bash.argv(line)).toEqual(['bash', '-c', line]);
    expect(SHELL_FORMS.cmd.argv(line)).toEqual(['cmd.exe', '/d', '/s', '/c', `"${line}"`]);
    expect(SHELL_FORMS.powershell.argv(line)).toEqual(['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', line]);
    for (const { fault } of Object.values(SHELL_FORMS)) expect(fault(line)).toBeUndefined();
    expect(SHELL_FORMS.bash.fault('C:\\x\\praetorctl hook a b')).toContain('backslashes');
    expect(SHELL_FORMS.bash.fault('"C:\\x\\praetorctl" hook a b')).toBeUndefined();
    expect(SHELL_FORMS.cmd.fault("'C:/x/praetorctl' hook a b")).toContain('single quotes');
    expect([shellsOf(undefined, 'linux'), shellsOf(undefined, 'win32'), shellsOf({ posix: ['bash'], win32: ['cmd'] }, 'darwin')]).toEqual([['sh'], ['cmd', 'powershell'], ['bash']]);
  });

  it('runs in the shell that the client uses, and says so where that is not there', async () => {
    const m = await applied(['gemini', 'claude']);
    const programs: string[] = [];
    const host = onDesktop(m);
    doctor(m, { clients: ['gemini', 'claude'] }, { ...host, spawn: (c, args, options) => { programs.push(c); return host.spawn(c, args, options); } });
    expect([...new Set(programs)].sort()).toEqual([path.join(m.bin, 'praetorctl'), '/bin/sh', 'bash'].sort());
    const bare: Host = { ...host, env: { ...m.host.env, PATH: m.bin } };
    expect(find(doctor(m, { clients: ['gemini'] }, bare), 'hook.gemini.pre-tool')[0]).toMatchObject({ status: 'error', message: expect.stringContaining('runs it in bash, which is not on this PATH') as string });
  });
});

describe('everything else', () => {
  it('reports switches, dropped and unreadable files, and missing trust', async () => {
    const m = await applied();
    editJson(path.join(m.home, '.gemini', 'settings.json'), (d) => ({ ...d, hooksConfig: { enabled: false } }));
    editJson(path.join(m.home, '.gemini', 'config', 'hooks.json'), (d) => ({ ...d, other: 5 }));
    put(path.join(m.home, '.claude.json'), 'broken');
    trustCodex(m, () => undefined);
    const result = doctor(m);
    expect(find(result, 'switch.gemini')[0]).toMatchObject({ status: 'error', message: expect.stringContaining('hooksConfig.enabled') as string });
    expect(find(result, 'switch.agy')[0]).toMatchObject({ status: 'error', message: expect.stringContaining('drops the whole file') as string });
    expect(find(result, 'file.claude')[0]).toMatchObject({ status: 'unknown', message: expect.stringContaining('.claude.json') as string });
    expect(find(result, 'trust.codex')[0]).toMatchObject({ status: 'error', fix: expect.stringContaining('/hooks') as string });
  });

  it('reports a registration for the user and for the project at once', async () => {
    const m = await applied(['gemini']);
    expect(status(doctor(m), 'double.gemini')).toEqual(['ok']);
    await apply(m, ['gemini'], 'project');
    expect(status(doctor(m), 'double.gemini')).toEqual(['warning']);
    const inHome = realHost({ env: m.env, cwd: m.home });
    expect(status(doctor(m, { clients: ['gemini'] }, inHome), 'double.gemini')).toEqual(['ok']);
  });

  it('warns of a state directory that is open to others, and of damaged receipts', async () => {
    const m = await applied(['gemini']);
    expect(status(doctor(m), 'state.directory')).toEqual(['ok']);
    fs.chmodSync(m.state, 0o755);
    leave(m, receipt('gemini'));
    fs.appendFileSync(path.join(m.state, 'receipts', 'receipts.jsonl'), 'torn\n');
    expect(status(doctor(m), 'state.directory')).toEqual(['warning']);
    expect(status(doctor(m), 'state.receipts')).toEqual(['warning']);
    fs.chmodSync(m.state, 0o700);
    expect(status(doctor(program(machine())), 'state.directory')).toEqual(['info']);
  });

  it('warns of NODE_EXTRA_CA_CERTS on Node 20 only', () => {
    const m = program(machine({ env: { NODE_EXTRA_CA_CERTS: '/x.pem' } }));
    const withNode = (version: string): DoctorResult => doctor(m, {}, { ...m.host, spawn: () => ({ code: 0, signal: null, stdout: version, stderr: '' }) });
    expect(status(withNode('v20.20.2\n'), 'node.extra-ca-certs')).toEqual(['warning']);
    expect(status(withNode('v22.1.0\n'), 'node.extra-ca-certs')).toEqual(['ok']);
    expect(status(withNode('?'), 'node.extra-ca-certs')).toEqual(['unknown']);
    expect(status(doctor(program(machine())), 'node.extra-ca-certs')).toEqual(['ok']);
  });

  it('judges what verify judges: a client that is well for doctor is installed for verify', async () => {
    const m = await applied();
    expect(doctor(m).ok).toBe(true);
    expect(verify(m, { require: 'installed' }).exit).toBe(0);
    const settings = path.join(m.home, '.claude', 'settings.json');
    editJson(settings, (d) => ({ ...d, model: 5 } as JsonObject));
    expect(doctor(m).ok).toBe(false);
    expect(verify(m, { require: 'installed' }).exit).toBe(3);
  });
});

describe('the program', () => {
  it('without the right to be executed is passed over by every shell', async () => {
    const m = await applied(['gemini']);
    expect(status(doctor(m), 'entrypoint.executable')).toEqual(['ok']);
    const first = path.join(m.root, 'first');
    put(path.join(first, 'praetorctl'), '#!/bin/sh\n');
    const before = { ...onDesktop(m), env: { ...m.env, PATH: `${first}:${m.env['PATH'] ?? ''}` } };
    expect(find(doctor(m, {}, before), 'entrypoint.executable')[0]).toMatchObject({ status: 'warning', message: expect.stringContaining('runs in its place') as string });
    fs.rmSync(path.join(m.bin, 'praetorctl'));
    expect(find(doctor(m, {}, { ...m.host, env: before.env }), 'entrypoint.executable')[0]).toMatchObject({ status: 'error', fix: expect.stringContaining('chmod +x') as string });
  });

  it('of another version than this one, or than the one that registered', async () => {
    const m = await applied(['gemini']);
    const fromRun = find(doctor(m), 'entrypoint.version')[0];
    // The test's apply says version 1.2.3 of itself.
    expect(fromRun).toMatchObject({ status: 'warning', message: expect.stringContaining('last written by praetorctl 1.2.3') as string });
    expect(find(doctor(m, { version: '9.9.9' }), 'entrypoint.version')[0]).toMatchObject({ status: 'warning', message: expect.stringContaining('this is 9.9.9') as string });
    expect(status(doctor(program(machine())), 'entrypoint.version')).toEqual(['ok']);
    program(m, 'echo 1.2.3');
    expect(status(doctor(m, { version: '1.2.3' }), 'entrypoint.version')).toEqual(['ok']);
    program(m, 'echo "something else"');
    expect(status(doctor(m), 'entrypoint.version')).toEqual(['unknown']);
    fs.rmSync(path.join(m.bin, 'praetorctl'));
    expect(status(doctor(m, {}, m.host), 'entrypoint.version')).toEqual(['skipped']);
  });
});

describe('twice', () => {
  const hooksOf = (m: Machine, id: string): string => fs.readFileSync(fileOf(m, clientById(id), 'hooks').path, 'utf8');

  it('in the local settings of Claude Code, or in a plugin that is enabled', async () => {
    const m = await applied(['claude']);
    expect(status(doctor(m), 'double.claude')).toEqual(['ok']);
    const local = path.join(m.project, '.claude', 'settings.local.json');
    put(local, hooksOf(m, 'claude'));
    expect(find(doctor(m), 'double.claude')).toMatchObject([{ status: 'warning', message: expect.stringContaining('settings.local.json (local settings) too') as string }]);
    fs.rmSync(local);
    const plugin = path.join(m.home, '.claude', 'plugins', 'cache', 'm', 'p', '1.0.0');
    put(path.join(plugin, 'hooks', 'hooks.json'), hooksOf(m, 'claude'));
    put(path.join(m.home, '.claude', 'plugins', 'installed_plugins.json'), JSON.stringify({ version: 2, plugins: { 'p@m': [{ scope: 'user', installPath: plugin }, 5], 'q@m': 'x' } }));
    expect(status(doctor(m), 'double.claude')).toEqual(['ok']);
    editJson(fileOf(m, clientById('claude'), 'hooks').path, (d) => ({ ...d, enabledPlugins: { 'p@m': true } }));
    expect(find(doctor(m), 'double.claude')).toMatchObject([{ status: 'warning', message: expect.stringContaining('(plugin p@m) too') as string }]);
  });

  it('in both files of Codex', async () => {
    const m = await applied(['codex']);
    expect(status(doctor(m), 'double.codex')).toEqual(['ok']);
    fs.appendFileSync(path.join(m.home, '.codex', 'config.toml'), '\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "praetorctl hook codex pre-tool"\n');
    expect(find(doctor(m), 'double.codex')).toMatchObject([{ status: 'warning', message: expect.stringContaining('config.toml') as string }]);
  });

  it('because another client reads the file too', async () => {
    const m = await applied(['claude', 'copilot-cli']);
    expect(status(doctor(m), 'double.copilot-cli')).toEqual(['ok']);
    const reader = await applied(['copilot-cli', 'vscode']);
    expect(find(doctor(reader), 'double.vscode')).toMatchObject([{ status: 'info', message: expect.stringMatching(/also runs the hooks of Copilot CLI in .*\.copilot\/hooks\/praetorctl\.json \(documented/) as string }]);
    await apply(m, ['claude'], 'project');
    const rows = find(doctor(m), 'double.copilot-cli');
    expect(rows).toMatchObject([{ status: 'warning', message: expect.stringMatching(/also runs the hooks of Claude Code in .*\.claude\/settings\.json \(measured/) as string }]);
  });
});

describe('receipts and clocks', () => {
  it('the directory of the receipts takes them, or says why not', async () => {
    const m = await applied(['gemini']);
    const place = path.join(m.state, 'receipts');
    const file = path.join(place, 'receipts.jsonl');
    const id = 'state.receipts-directory';
    expect(status(doctor(m), id)).toEqual(['info']);
    expect(status(doctor(m), id)).toEqual(['ok']);
    fs.chmodSync(place, 0o755);
    expect(status(doctor(m), id)).toEqual(['warning']);
    fs.chmodSync(place, 0o500);
    expect(find(doctor(m), id)[0]).toMatchObject({ status: 'error', message: expect.stringContaining('leave no receipts') as string });
    fs.chmodSync(place, 0o700);
    fs.chmodSync(file, 0o400);
    expect(status(doctor(m), id)).toEqual(['error']);
    fs.rmSync(file);
    fs.symlinkSync(path.join(m.root, 'elsewhere'), file);
    const linked = doctor(m);
    expect(find(linked, id)[0]).toMatchObject({ status: 'error', message: expect.stringContaining('(link)') as string });
    // What the row says is so: the hook follows no link.
    expect(find(linked, 'hook.gemini.pre-tool')[0]?.message).toContain('leaves no receipt');
    fs.rmSync(place, { recursive: true });
    fs.mkdirSync(path.join(m.root, 'other'), { mode: 0o700 });
    fs.symlinkSync(path.join(m.root, 'other'), place);
    expect(find(doctor(m), id)[0]).toMatchObject({ status: 'warning', message: expect.stringContaining('symbolic link') as string });
  });

  it('receipts that cannot be read are an error', async () => {
    const m = await applied(['gemini']);
    fs.mkdirSync(path.join(m.state, 'receipts', 'receipts.jsonl'), { recursive: true });
    expect(status(doctor(m), 'state.receipts')).toEqual(['error']);
  });

  it('a run that was interrupted', async () => {
    const m = await applied(['gemini']);
    expect(status(doctor(m), 'state.runs')).toEqual(['ok']);
    const runs = path.join(m.state, 'runs');
    const id = fs.readdirSync(runs)[0] ?? '';
    editJson(path.join(runs, id, 'journal.json'), (d) => ({ ...d, state: 'open' }));
    expect(find(doctor(m), 'state.runs')[0]).toMatchObject({ status: 'warning', message: expect.stringContaining('was interrupted') as string });
  });

  it('receipts that are ahead of the clock', async () => {
    const m = await applied(['gemini']);
    expect(status(doctor(m), 'clock.receipts')).toEqual(['ok']);
    leave(m, receipt('gemini', { time: new Date(Date.now() + 3_600_000).toISOString() }));
    expect(find(doctor(m), 'clock.receipts')[0]).toMatchObject({ status: 'warning', message: expect.stringContaining('Gemini CLI') as string });
  });

  it('registrations and files that are ahead of the clock', async () => {
    const m = await applied(['gemini']);
    expect(status(doctor(m), 'clock.files')).toEqual(['ok']);
    const file = fileOf(m, clientById('gemini'), 'hooks').path;
    const later = new Date(Date.now() + 3_600_000);
    fs.utimesSync(file, later, later);
    expect(find(doctor(m), 'clock.files')[0]).toMatchObject({ status: 'warning', message: expect.stringContaining(file) as string });
    const host = onDesktop(m);
    const early: Host = { ...host, now: () => Date.now() - 3_600_000 };
    expect(find(doctor(m, {}, early), 'clock.files')[0]).toMatchObject({ status: 'error', message: expect.stringContaining('registered') as string });
  });
});

describe('the list of checks', () => {
  it('has each check once, in words for a person, and the document has all of them', () => {
    const ids = CHECKS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const text = renderChecks();
    for (const { id, about, otherwise } of CHECKS) for (const part of [`\`${id}`, about, otherwise]) expect(text).toContain(part);
  });
});
