// verify reads the managed channel: what `clients render --managed` makes, put where it belongs, counts as registered by the administrator.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { CLIENTS, clientById } from '../../src/clients/registry.ts';
import { survey } from '../../src/clientsetup/survey.ts';
import { renderManaged } from '../../src/fleet/managed.ts';
import type { Host } from '../../src/host.ts';
import { DEFAULT_SETTINGS, wantedEvents } from '../../src/settings/schema.ts';
import { runDoctor } from '../../src/verify/doctor.ts';
import { verifyClients, type ClientReport } from '../../src/verify/verify.ts';
import { apply, ENGINE, leave, machine, POLICY, put, receipt, type Machine } from './support.ts';

/** Whatever is below /etc comes from the test's directory, and time has passed since the files were put there. */
function hostOf(m: Machine): Host {
  const at = (file: string): string => (file === '/etc' || file.startsWith('/etc/') ? path.join(m.root, file) : file);
  const { host } = m;
  return {
    ...host, now: () => Date.now() + 120_000, lstat: (p) => host.lstat(at(p)), stat: (p) => host.stat(at(p)), readFile: (p, max) => host.readFile(at(p), max), readDir: (p) => host.readDir(at(p)),
  };
}

function managed(m: Machine, id: string): string {
  const { rows, files } = renderManaged({ os: 'linux', clients: [clientById(id)], events: wantedEvents(DEFAULT_SETTINGS), launcher: path.join(m.bin, 'praetorctl') });
  for (const { dest, source } of rows) put(path.join(m.root, dest), files.get(source) ?? '');
  return rows[0]?.dest ?? '';
}

function reportOf(m: Machine, id: string): ClientReport {
  const [report] = verifyClients(hostOf(m), { clients: [id], scope: 'user', require: 'installed', engine: ENGINE, policy: POLICY }).clients;
  if (report === undefined) throw new Error('no report');
  return report;
}

const IDS = [...new Set(renderManaged({ os: 'linux', clients: CLIENTS, events: wantedEvents(DEFAULT_SETTINGS), launcher: undefined }).rows.map(({ client }) => client))];

describe.each(IDS)('%s', (id) => {
  it('hooks of the channel are registered, by the administrator, and nobody is asked to trust them', () => {
    const m = machine();
    const dest = managed(m, id);
    const report = reportOf(m, id);
    expect(report.states).toMatchObject({ absent: false, installed: true, drifted: false });
    expect(report.meets).toBe(true);
    expect(report.hooks.length).toBeGreaterThan(0);
    expect(report.hooks.every(({ origin, path: file, status }) => origin === 'managed' && file === dest && status === 'as-desired')).toBe(true);
    expect(report.trust).toBe('none');
    expect(report.reasons.map(({ text }) => text)).toContain(`the hooks stand in the managed channel, ${dest}`);
    expect(report.observed).toBe(false);
    leave(m, receipt(id, { workspace: m.project }));
    expect(reportOf(m, id).observed).toBe(true);
  });
  it('registered for the user too, each call is judged twice: said', async () => {
    const m = machine();
    await apply(m, [id]);
    managed(m, id);
    const report = reportOf(m, id);
    expect(new Set(report.hooks.map(({ origin }) => origin))).toEqual(new Set(['user', 'managed']));
    expect(report.reasons.find(({ text }) => text.includes('judged twice'))?.fix).toBe(`praetorctl clients remove --client ${id}`);
  });
});

test('a channel without an entry of ours changes nothing', () => {
  const m = machine();
  put(path.join(m.root, 'etc/claude-code/managed-settings.d/50-praetorctl.json'), '{"hooks": {}}');
  expect(reportOf(m, 'claude').states).toMatchObject({ absent: true, installed: false });
});

test('an entry of the channel that is not as desired is drift', () => {
  const m = machine();
  const file = path.join(m.root, managed(m, 'claude'));
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('^(Bash', '^(Grep'));
  expect(reportOf(m, 'claude').states).toMatchObject({ installed: false, drifted: true });
});

test('switches that stop hooks of people do not stop those of the channel', () => {
  const m = machine();
  managed(m, 'claude');
  put(path.join(m.home, '.claude/settings.json'), '{"disableAllHooks": true}');
  put(path.join(m.root, 'etc/claude-code/managed-settings.json'), '{"allowManagedHooksOnly": true}');
  leave(m, receipt('claude', { workspace: m.project }));
  expect(reportOf(m, 'claude')).toMatchObject({ observed: true, states: { installed: true } });
  put(path.join(m.root, 'etc/claude-code/managed-settings.json'), '{"disableAllHooks": true}');
  expect(reportOf(m, 'claude').observed).toBe(false);
});

test('Codex: a repository cannot switch them off, because the feature is pinned; allow_managed_hooks_only spares them', () => {
  const m = machine();
  const file = path.join(m.root, managed(m, 'codex'));
  put(path.join(m.project, '.codex/config.toml'), '[features]\nhooks = false\n');
  put(path.join(m.home, '.codex/config.toml'), `[projects."${m.project}"]\ntrust_level = "trusted"\n`);
  fs.writeFileSync(file, `allow_managed_hooks_only = true\n${fs.readFileSync(file, 'utf8')}`);
  leave(m, receipt('codex', { workspace: m.project }));
  expect(reportOf(m, 'codex').observed).toBe(true);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('[features]\nhooks = true\n', ''));
  expect(reportOf(m, 'codex').observed).toBe(false);
});

test('what must stand beside the entries is part of the registration: a version, a configuration that names the plugin', () => {
  for (const [id, file, from] of [['copilot-cli', 'etc/github-copilot/policy.d/50-praetorctl.json', '"version": 1,'], ['opencode', 'etc/opencode/opencode.json', 'plugins/praetorctl.js'], ['codex', 'etc/codex/requirements.toml', 'hooks = true']] as const) {
    const m = machine();
    managed(m, id);
    const at = path.join(m.root, file);
    const text = fs.readFileSync(at, 'utf8');
    expect(text).toContain(from);
    fs.writeFileSync(at, text.replace(from, from.includes('=') ? 'x = 1' : from.includes(':') ? '' : 'x'));
    expect(reportOf(m, id).states).toMatchObject({ installed: false, drifted: true });
  }
});

test('the launcher that the channel names must be there', () => {
  const m = machine();
  managed(m, 'claude');
  fs.rmSync(path.join(m.bin, 'praetorctl'));
  expect(reportOf(m, 'claude').reasons.map(({ code }) => code)).toContain('entrypoint-missing');
});

test('doctor runs the command of the channel', () => {
  const m = machine();
  const dest = managed(m, 'claude');
  const rows = runDoctor(hostOf(m), { clients: ['claude'], scope: 'user', version: ENGINE }).rows;
  // The program of this test only leaves a trace, so its answer to a call that must be refused is wrong.
  expect(rows.find(({ id }) => id === 'hook.claude.pre-tool')).toMatchObject({ status: 'error', message: expect.stringContaining(`the command in ${dest}: answers the refused sample call`) as string });
  expect(fs.existsSync(path.join(m.root, 'started-praetorctl'))).toBe(true);
});

test('plan says that the administrator has registered already, and that a second registration would be judged twice', () => {
  const m = machine();
  const dest = managed(m, 'claude');
  const { plan } = survey(hostOf(m), { purpose: 'apply', clients: ['claude'], scope: 'user', adopt: false });
  expect(plan.diagnostics.find(({ where }) => where?.path === dest)).toMatchObject({ severity: 'warning', message: expect.stringContaining('judged twice') as string });
});
