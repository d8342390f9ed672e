// Every known way to be silently off, built in a home: verify and doctor name the check, the evidence and a fix, and verify never
// says observed where the hook would not run, whatever the receipts say.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS, clientById } from '../../src/clients/registry.ts';
import { realHost, type Host } from '../../src/host.ts';
import { hasHooks } from '../../src/clients/mcp-only.ts';
import { runDoctor } from '../../src/verify/doctor.ts';
import { isKnownCheck, SHARED_WAYS } from '../../src/verify/ways.ts';
import { verifyClients, type ClientReport } from '../../src/verify/verify.ts';
import { renderVerify } from '../../src/cli/verify-view.ts';
import { cli, world } from '../support/cli.ts';
import { apply, ENGINE, leave, machine, POLICY, receipt, trustCodex, type Machine } from '../verify/support.ts';
import { HOOK_FILES, WAYS, type Way, type WayWorld } from './ways.mjs';

/** The machine as the session sees it: variables of its own, and whatever is below /etc taken from the test's directory. */
function hostOf(m: Machine, env: Record<string, string>): Host {
  const at = (file: string): string => (file === '/etc' || file.startsWith('/etc/') ? path.join(m.root, file) : file);
  const host = realHost({ env: { ...m.env, ...env }, cwd: m.project });
  return {
    ...host, now: () => Date.now() + 120_000, lstat: (p) => host.lstat(at(p)), stat: (p) => host.stat(at(p)), readFile: (p, max) => host.readFile(at(p), max), readDir: (p) => host.readDir(at(p)),
  };
}

interface Spoiled { readonly m: Machine; readonly place: WayWorld; readonly host: Host }

async function running(way: Pick<Way, 'client' | 'scope'>): Promise<Machine> {
  const m = machine();
  // The shape of a home in which the client was configured before.
  for (const file of ['.claude/settings.json', '.gemini/settings.json', '.qwen/settings.json']) {
    fs.mkdirSync(path.join(m.home, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(m.home, file), '{}\n');
  }
  await apply(m, [way.client], way.scope ?? 'user');
  if (clientById(way.client).trust !== undefined) trustCodex(m, undefined, way.scope ?? 'user');
  leave(m, receipt(way.client, { workspace: m.project }));
  return m;
}

function spoil(m: Machine, way: Way): Spoiled {
  const place: WayWorld = { home: m.home, project: m.project, bin: m.bin, system: m.root, undo: [] };
  const env = way.env?.(place) ?? {};
  way.spoil?.(place);
  // A receipt that is newer than the fault: it may come from another directory or from a session with flags.
  leave(m, receipt(way.client, { workspace: m.project }));
  return { m, place, host: hostOf(m, env) };
}

function reportOf(host: Host, way: Pick<Way, 'client' | 'scope'>): ClientReport {
  const report = verifyClients(host, { clients: [way.client], scope: way.scope ?? 'user', require: 'observed', engine: ENGINE, policy: POLICY }).clients[0];
  if (report === undefined) throw new Error('no report');
  return report;
}

const STATES: Record<Way['says'], object> = {
  off: { states: { installed: true, observed: false }, meets: false }, trust: { states: { installed: true, observed: false }, meets: false },
  drop: { states: { installed: false, discovered: false, observed: false }, meets: false }, drift: { states: { installed: false, drifted: true, stale: true }, meets: false },
  unread: { states: { observed: 'unknown' }, meets: false }, moved: { states: { observed: false, installed: false }, meets: false },
  doubt: { states: { installed: true } }, note: { states: { installed: true, observed: true } }, missing: { states: { installed: true } },
};

describe('every way', () => {
  it.each(WAYS.map((way) => [`${way.client}: ${way.what} is ${way.check}`, way] as const))('%s', async (_name, way) => {
    const m = await running(way);
    expect(reportOf(hostOf(m, {}), way).states.observed).toBe(true);
    const { host, place } = spoil(m, way);
    const report = reportOf(host, way);
    expect({ states: report.states, meets: report.meets, reasons: report.reasons }).toMatchObject(STATES[way.says]);
    const reason = report.reasons.find(({ check }) => check === way.check);
    expect(report.reasons.map(({ check }) => check)).toContain(way.check);
    expect(reason?.fix).not.toBe('');
    expect(reason?.evidence).toBeDefined();
    const { file, seen } = reason?.evidence ?? { file: '', seen: '' };
    if (file !== null) expect([m.home, m.project, m.root, '/etc'].some((dir) => file.startsWith(dir))).toBe(true);
    expect(seen).not.toBe('');
    for (const { check } of report.reasons) if (check !== undefined) expect(isKnownCheck(check, clientById(way.client).silent ?? [])).toBe(true);
    place.undo.toReversed().forEach((undo) => undo());
    leave(m, receipt(way.client, { workspace: m.project }));
    expect(reportOf(hostOf(m, {}), way).states.observed).toBe(true);
  });

  it.each(WAYS.map((way) => [`${way.client}: ${way.what}`, way] as const))('doctor says the same: %s', async (_name, way) => {
    const m = await running(way);
    const { host } = spoil(m, way);
    const reported = reportOf(host, way).reasons.find(({ check }) => check === way.check);
    const { rows } = runDoctor({ ...host, spawn: () => ({ code: 1, signal: null, stdout: '', stderr: '' }) }, { clients: [way.client], scope: way.scope ?? 'user' });
    // The program is the same for every client, so doctor has one row for it.
    if (way.says === 'missing') return expect(rows.find(({ id }) => id === 'entrypoint.path')?.status).toBe('error');
    const row = rows.find(({ check }) => check === way.check);
    expect(row).toMatchObject({ message: reported?.text, fix: reported?.fix, evidence: reported?.evidence });
    const status = { off: 'error', drop: 'error', trust: 'error', drift: way.check.startsWith('entry.') ? 'error' : row?.status, unread: 'unknown', moved: 'error', doubt: 'warning', note: 'info' }[way.says];
    expect(row?.status).toBe(status);
  });
});

describe('the catalogues', () => {
  const ids = new Set(WAYS.map(({ check }) => check));
  it('hold nothing that no test builds, and the tests build nothing else', () => {
    const catalogued = [...CLIENTS.flatMap(({ silent }) => silent ?? []), ...SHARED_WAYS].map(({ id }) => id);
    // The launcher is there only where praetorctl is not on PATH by itself: see below.
    expect(catalogued.filter((id) => !ids.has(id) && id !== 'entrypoint.launcher')).toEqual([]);
    for (const { check, client } of WAYS) expect(isKnownCheck(check, clientById(client).silent ?? [])).toBe(true);
    expect(new Set(catalogued).size).toBe(catalogued.length);
    expect(catalogued.length).toBeGreaterThan(40);
  });

  it('know no check that is not there', () => {
    expect(isKnownCheck('file.zzz', [])).toBe(false);
    expect(isKnownCheck('claude.zzz', clientById('claude').silent ?? [])).toBe(false);
  });

  it('hold every check that a row can name', () => {
    for (const { id, silent } of CLIENTS) {
      const dir = path.join('src/clients', id);
      const text = fs.readdirSync(dir).map((name) => fs.readFileSync(path.join(dir, name), 'utf8')).join('\n');
      const named = [...text.matchAll(new RegExp(`\\bid: '(${id}\\.[a-z-]+)'`, 'g'))].map(([, check]) => check);
      for (const check of named) expect(silent?.map((way) => way.id) ?? [], id).toContain(check);
    }
  });

  it('say of every client with files of its own what cannot be seen', () => {
    for (const id of Object.keys(HOOK_FILES).filter((name) => clientById(name).seenOn.basis === 'measured')) expect((clientById(id).unseen ?? []).length).toBeGreaterThan(2);
    expect(CLIENTS.filter(hasHooks).length).toBeGreaterThan(7);
  });
});

describe.each(CLIENTS.filter(hasHooks).map(({ id }) => id))('%s, as every client', (id) => {
  it.each([
    ['entry.gone', { entries: true }], ['entrypoint.path', { env: { PATH: '/nowhere' } }], ['record.on', { env: { PRAETORCTL_HOOK_RECORD_DIR: '/recorded' } }],
  ] as const)('%s', async (check, how: { readonly entries?: boolean; readonly env?: Record<string, string> }) => {
    const m = await running({ client: id });
    const { files, observed } = { files: [...new Set(reportOf(hostOf(m, {}), { client: id }).hooks.map((hook) => hook.path))], observed: reportOf(hostOf(m, {}), { client: id }).observed };
    expect(observed).toBe(true);
    if (how.entries === true) files.forEach((file) => fs.rmSync(file));
    const report = reportOf(hostOf(m, how.env ?? {}), { client: id });
    expect(report.reasons.map((reason) => reason.check)).toContain(check);
    if (check !== 'entrypoint.path') expect(report.states.observed).toBe(false);
  });
});

describe('the launcher', () => {
  it.each([['gone', (file: string) => fs.rmSync(file)], ['one that lets everything pass', (file: string) => fs.writeFileSync(file, '#!/bin/sh\nexit 0\n', { mode: 0o755 })]] as const)('%s', async (_name, change) => {
    const where = world({ fixture: 'four-clients', onPath: false });
    where.env['PATH'] = `${path.join(where.home, '.local/bin')}:/usr/bin:/bin`;
    const only = ['--client', 'claude'];
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
    const checks = async (): Promise<unknown[]> => {
      const { out } = await cli(where, ['clients', 'verify', '--json', ...only]);
      return (JSON.parse(out) as { clients: ClientReport[] }).clients.flatMap(({ reasons }) => reasons.map(({ check }) => check));
    };
    expect(await checks()).not.toContain('entrypoint.launcher');
    change(path.join(where.home, '.local', 'bin', 'praetorctl'));
    expect(await checks()).toContain('entrypoint.launcher');
  });
});

describe('the text', () => {
  it('names the check', async () => {
    const m = await running({ client: 'claude' });
    const way = WAYS.find(({ check }) => check === 'claude.simple-mode');
    if (way === undefined) throw new Error('no way');
    const { host } = spoil(m, way);
    const text = renderVerify(verifyClients(host, { clients: ['claude'], scope: 'user', require: 'observed', engine: ENGINE, policy: POLICY }), { color: false, home: m.home, columns: 200 });
    expect(text).toContain('[claude.simple-mode]');
  });
});
