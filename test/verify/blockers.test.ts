// Everything by which a client leaves our hooks out although they are registered.
import * as path from 'node:path';
import * as fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clientById } from '../../src/clients/registry.ts';
import type { Host } from '../../src/host.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { apply, codes, editJson, fileOf, leave, machine, one, put, receipt, texts, trustCodex, verify, type Machine } from './support.ts';

/** The same machine with a system layer of its own: whatever is below /etc is taken from the test's directory. */
function withSystem(m: Machine): Host {
  const at = (file: string): string => (file === '/etc' || file.startsWith('/etc/') ? path.join(m.root, file) : file);
  const { host } = m;
  return {
    ...host, now: () => Date.now() + 120_000, lstat: (p) => host.lstat(at(p)), stat: (p) => host.stat(at(p)), readFile: (p, max) => host.readFile(at(p), max),
  };
}

interface Case { readonly id: string; readonly name: string; readonly env?: Record<string, string>; readonly spoil?: (m: Machine) => void; readonly said: string }

const inHome = (m: Machine, ...parts: string[]): string => path.join(m.home, ...parts);
const inProject = (m: Machine, ...parts: string[]): string => path.join(m.project, ...parts);
const merge = (file: string, more: JsonObject): void => editJson(file, (document) => ({ ...document, ...more }));
const toml = (m: Machine, text: string): void => fs.appendFileSync(inHome(m, '.codex', 'config.toml'), text);

const SWITCHES: readonly Case[] = [
  { id: 'claude', name: 'disableAllHooks of the user', spoil: (m) => merge(inHome(m, '.claude', 'settings.json'), { disableAllHooks: true }), said: 'disableAllHooks is true in the user settings' },
  { id: 'claude', name: 'disableAllHooks of the project', spoil: (m) => merge(inProject(m, '.claude', 'settings.json'), { disableAllHooks: true }), said: 'project settings' },
  { id: 'claude', name: 'disableAllHooks in the local settings', spoil: (m) => merge(inProject(m, '.claude', 'settings.local.json'), { disableAllHooks: true }), said: 'local settings' },
  { id: 'claude', name: 'CLAUDE_CODE_SIMPLE in the environment', env: { CLAUDE_CODE_SIMPLE: '1' }, said: 'CLAUDE_CODE_SIMPLE=1' },
  { id: 'claude', name: 'CLAUDE_CODE_SAFE_MODE through env in the settings', spoil: (m) => merge(inHome(m, '.claude', 'settings.json'), { env: { CLAUDE_CODE_SAFE_MODE: '1' } }), said: 'CLAUDE_CODE_SAFE_MODE=1' },
  { id: 'codex', name: 'features.hooks of the user', spoil: (m) => toml(m, '\n[features]\nhooks = false\n'), said: 'features.hooks is false in the user config.toml' },
  { id: 'codex', name: 'features.codex_hooks of the user', spoil: (m) => toml(m, '\n[features]\ncodex_hooks = false\n'), said: 'features.codex_hooks' },
  { id: 'gemini', name: 'hooksConfig.enabled of the user', spoil: (m) => merge(inHome(m, '.gemini', 'settings.json'), { hooksConfig: { enabled: false } }), said: 'hooksConfig.enabled is false in the user settings' },
  { id: 'gemini', name: 'hooksConfig.enabled of the workspace', spoil: (m) => merge(inProject(m, '.gemini', 'settings.json'), { hooksConfig: { enabled: false } }), said: 'workspace settings' },
  { id: 'gemini', name: 'our command in a disabled list', spoil: (m) => merge(inProject(m, '.gemini', 'settings.json'), { hooksConfig: { disabled: ['praetorctl hook gemini pre-tool'] } }), said: 'hooksConfig.disabled' },
  { id: 'qwen', name: 'disableAllHooks of the user', spoil: (m) => merge(inHome(m, '.qwen', 'settings.json'), { disableAllHooks: true }), said: 'disableAllHooks is true in the user settings' },
  { id: 'qwen', name: 'disableAllHooks of the workspace', spoil: (m) => merge(inProject(m, '.qwen', 'settings.json'), { disableAllHooks: true }), said: 'workspace settings' },
  {
    id: 'agy', name: 'our group', said: 'enabled = false',
    spoil: (m) => editJson(inHome(m, '.gemini', 'config', 'hooks.json'), (d) => { (d['praetorctl'] as JsonObject)['enabled'] = false; return undefined; }),
  },
];

const SYSTEM: readonly (readonly [string, string, string, string])[] = [
  ['claude', 'etc/claude-code/managed-settings.json', '{"disableAllHooks": true}', 'managed settings'],
  ['claude', 'etc/claude-code/managed-settings.json', '{"allowManagedHooksOnly": true}', 'managed hooks only'],
  ['claude', 'etc/claude-code/managed-settings.json', '{"strictPluginOnlyCustomization": true}', 'plugins only'],
  ['claude', 'etc/claude-code/managed-settings.json', '{"strictPluginOnlyCustomization": ["hooks"]}', 'plugins only'],
  ['codex', 'etc/codex/managed_config.toml', '[features]\nhooks = false\n', 'the managed config.toml'],
  ['codex', 'etc/codex/requirements.toml', '[features]\nhooks = false\n', 'requirements.toml'],
  ['codex', 'etc/codex/requirements.toml', 'allow_managed_hooks_only = true\n', 'managed hooks only'],
  ['gemini', 'etc/gemini-cli/settings.json', '{"hooksConfig": {"enabled": false}}', 'the system settings'],
  ['qwen', 'etc/qwen-code/settings.json', '{"disableAllHooks": true}', 'the system settings'],
];

async function running(id: string, env: Record<string, string> = {}): Promise<Machine> {
  const m = machine({ env });
  await apply(m, [id]);
  if (clientById(id).trust !== undefined) trustCodex(m);
  leave(m, receipt(id));
  return m;
}

describe('switches', () => {
  it.each(SWITCHES.map((c) => [`${c.id}: ${c.name}`, c] as const))('%s', async (_name, c) => {
    const m = await running(c.id, c.env);
    c.spoil?.(m);
    // A receipt that is newer than the switch may come from another directory: it does not count either.
    leave(m, receipt(c.id));
    const report = one(m, c.id);
    expect(report.states).toMatchObject({ installed: true, observed: false, drifted: false });
    expect(codes(report)[0]).toBe('hooks-off');
    expect(texts(report)).toContain(c.said);
    expect(texts(report)).toContain('configured, enforcement unverified: there are receipts, but');
    expect(report.next).not.toBe('');
    expect(report.meets).toBe(false);
  });

  it.each(SYSTEM)('%s: %s with %s', async (id, file, text, said) => {
    const m = await running(id);
    expect(one(m, id, {}, withSystem(m)).states.observed).toBe(true);
    put(path.join(m.root, file), text);
    const report = one(m, id, {}, withSystem(m));
    expect(report.states).toMatchObject({ installed: true, observed: false });
    expect(codes(report)[0]).toBe('hooks-off');
    expect(texts(report)).toContain(said);
    put(path.join(m.root, file), '{ broken');
    expect(one(m, id, {}, withSystem(m)).states.observed).toBe('unknown');
  });

  it('says that Codex has hooks in config.toml too, which keeps nothing from running', async () => {
    const m = await running('codex');
    toml(m, '\n[[hooks.PreToolUse]]\nmatcher = "Bash"\n');
    const report = one(m, 'codex');
    expect(report.states).toMatchObject({ installed: true, observed: true });
    expect(codes(report)).toEqual(['note']);
  });

  it('counts a project\'s switch that Codex honours only in a trusted project as doubtful', async () => {
    const m = await running('codex');
    put(inProject(m, '.codex', 'config.toml'), '[features]\nhooks = false\n');
    const report = one(m, 'codex');
    expect(report.states).toMatchObject({ installed: true, observed: true });
    expect(codes(report)).toEqual(['file-doubtful']);
    expect(texts(report)).toContain('the project config.toml');
  });

  it('knows that a nearer layer may turn hooks on again', async () => {
    const m = await running('claude');
    merge(inHome(m, '.claude', 'settings.json'), { disableAllHooks: true });
    put(inProject(m, '.claude', 'settings.json'), '{"disableAllHooks": false}');
    expect(one(m, 'claude').states).toMatchObject({ installed: true, observed: true });
  });

  it('says nothing of a switch while a file that may hold one cannot be read', async () => {
    const m = await running('claude');
    put(inProject(m, '.claude', 'settings.local.json'), '{ "disableAllHooks": tr');
    const report = one(m, 'claude');
    expect(report.states).toMatchObject({ installed: true, discovered: true, observed: 'unknown' });
    expect(texts(report)).toMatch(/evidence-unread: .*settings\.local\.json:1:/);
    expect(report.observed).toBe(false);
  });

  it('sees the switch of a project registration in the project\'s own file', async () => {
    const m = machine();
    await apply(m, ['agy'], 'project');
    leave(m, receipt('agy', { workspace: m.project }));
    expect(one(m, 'agy', { scope: 'project' }).states.observed).toBe(true);
    editJson(inProject(m, '.agents', 'hooks.json'), (d) => { (d['praetorctl'] as JsonObject)['enabled'] = false; return undefined; });
    expect(one(m, 'agy', { scope: 'project' }).states.observed).toBe(false);
  });
});

const foreign = (m: Machine, id: string, change: (document: JsonObject) => void): void =>
  editJson(fileOf(m, clientById(id), 'hooks').path, (document) => { change(document); return undefined; });
const hooks = (document: JsonObject): JsonObject => document['hooks'] as JsonObject;

const DROPPED: readonly (readonly [string, string, (m: Machine) => void])[] = [
  ['claude', 'model of a wrong type', (m) => foreign(m, 'claude', (d) => { d['model'] = 5; })],
  ['claude', 'permissions of a wrong type', (m) => foreign(m, 'claude', (d) => { d['permissions'] = 'x'; })],
  ['claude', 'a bad neighbour under PreToolUse', (m) => foreign(m, 'claude', (d) => { (hooks(d)['PreToolUse'] as JsonObject[]).push({ hooks: [{ type: 'zzz' }] }); })],
  ['codex', 'an unknown top-level key', (m) => foreign(m, 'codex', (d) => { d['version'] = 1; })],
  ['codex', 'a handler of an unknown type', (m) => foreign(m, 'codex', (d) => { hooks(d)['Stop'] = [{ hooks: [{ type: 'shell' }] }]; })],
  ['agy', 'another tool\'s hook of a wrong type', (m) => foreign(m, 'agy', (d) => { d['other'] = 5; })],
  ['agy', 'a group where a flat list belongs', (m) => foreign(m, 'agy', (d) => { d['other'] = { Stop: [{ hooks: [{ type: 'command', command: 'x' }] }] }; })],
  ['agy', 'a timeout that is no whole number', (m) => foreign(m, 'agy', (d) => { d['other'] = { PreToolUse: [{ hooks: [{ command: 'x', timeout: 1.5 }] }] }; })],
];

describe('files that the client drops', () => {
  it.each(DROPPED)('%s: %s', async (id, _name, spoil) => {
    const m = await running(id);
    spoil(m);
    leave(m, receipt(id));
    const report = one(m, id);
    expect(report.states).toMatchObject({ installed: false, discovered: false, observed: false });
    expect(codes(report)).toContain('file-dropped');
    expect(report.hooks.every((hook) => hook.status === 'as-desired')).toBe(true);
    expect(one(m, id, { require: 'installed' }).meets).toBe(false);
  });

  it('only doubts where versions differ', async () => {
    const m = await running('claude');
    foreign(m, 'claude', (d) => { hooks(d)['Stop'] = [{ hooks: [{ type: 'zzz' }] }]; });
    expect(one(m, 'claude').states).toMatchObject({ installed: true, observed: true });
    expect(codes(one(m, 'claude'))).toEqual(['file-doubtful']);
  });
});

describe('Codex trust', () => {
  it('trusted: discovered without any receipt', async () => {
    const m = machine();
    await apply(m, ['codex']);
    trustCodex(m);
    const report = one(m, 'codex');
    expect(report).toMatchObject({ trust: 'trusted', states: { installed: true, discovered: true, observed: false } });
    expect(texts(report)).not.toContain('untrusted');
  });

  it('untrusted, modified, disabled: never observed, whatever the receipts say', async () => {
    const m = await running('codex');
    const spoiled: [string, (key: string, record: JsonObject) => JsonObject | undefined, string][] = [
      ['untrusted', () => undefined, 'untrusted'],
      ['modified', (_k, r) => ({ ...r, trusted_hash: 'sha256:0000' }), 'untrusted: the hooks changed'],
      ['disabled', (_k, r) => ({ ...r, enabled: false }), 'disabled in Codex CLI'],
      ['untrusted', (key, r) => (key.includes('pre_tool_use') ? undefined : r), 'pre-tool: untrusted'],
    ];
    for (const [trust, change, said] of spoiled) {
      trustCodex(m, change);
      leave(m, receipt('codex'));
      const report = one(m, 'codex');
      expect(report.trust).toBe(trust);
      expect(report.states).toMatchObject({ installed: true, observed: false });
      expect(texts(report)).toContain(said);
      expect(texts(report)).toContain('type /hooks');
      expect(verify(m, { clients: ['codex'] }).exit).toBe(3);
    }
  });

  it('a group that somebody puts before ours takes its trust away', async () => {
    const m = await running('codex');
    foreign(m, 'codex', (d) => { (hooks(d)['PreToolUse'] as JsonObject[]).unshift({ hooks: [{ type: 'command', command: 'other' }] }); });
    expect(one(m, 'codex')).toMatchObject({ trust: 'untrusted', states: { installed: true, observed: false, drifted: false } });
  });

  it('a config.toml that cannot be read leaves the trust unknown', async () => {
    const m = await running('codex');
    toml(m, '\n[features\n');
    expect(one(m, 'codex')).toMatchObject({ trust: 'unknown', states: { installed: true, observed: 'unknown' } });
    expect(codes(one(m, 'codex'))).toEqual(expect.arrayContaining(['evidence-unread', 'trust-unread']));
  });

  it('of a project\'s hooks stands in the user\'s config.toml', async () => {
    const m = machine();
    await apply(m, ['codex'], 'project');
    expect(one(m, 'codex', { scope: 'project' }).trust).toBe('untrusted');
    trustCodex(m, undefined, 'project');
    expect(one(m, 'codex', { scope: 'project' }).trust).toBe('trusted');
  });
});

describe('unreadable by permission', () => {
  it.skipIf(process.getuid?.() === 0)('is unknown, not absent', async () => {
    const m = await running('gemini');
    fs.chmodSync(inHome(m, '.gemini', 'settings.json'), 0o000);
    expect(one(m, 'gemini').states).toMatchObject({ installed: 'unknown', observed: 'unknown' });
  });

  it('is unknown for a host that refuses the file', async () => {
    const m = await running('gemini');
    const file = inHome(m, '.gemini', 'settings.json');
    const denied = (): never => { throw Object.assign(new Error('EACCES'), { code: 'EACCES' }); };
    const host = { ...m.host, now: () => Date.now() + 120_000, readFile: (p: string, max: number) => (p === file ? denied() : m.host.readFile(p, max)) };
    const report = one(m, 'gemini', {}, host);
    expect(report.states).toMatchObject({ absent: false, installed: 'unknown', discovered: 'unknown', observed: 'unknown', drifted: 'unknown' });
    expect(texts(report)).toContain('EACCES');
  });

  it('does not stumble over a directory of PATH that may not be searched', async () => {
    const m = await running('gemini');
    const host = { ...m.host, now: () => Date.now() + 120_000, env: { ...m.env, PATH: `/closed:${m.env['PATH'] ?? ''}` }, stat: (p: string) => { if (p.startsWith('/closed/')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' }); return m.host.stat(p); } };
    expect(one(m, 'gemini', {}, host).states.observed).toBe(true);
  });
});
