// Contract: one temporary machine for a verify test: a home, a project, programs on PATH, applied registrations, receipts.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { createHash } from 'node:crypto';
import { parse, stringify } from 'smol-toml';
import { afterAll } from 'vitest';
import { realHost, type Host } from '../../src/host.ts';
import { clientById } from '../../src/clients/registry.ts';
import { dirNames } from '../support/cli.ts';
import { HOOKED } from '../support/rows.ts';
import { ownedHooks } from '../../src/clients/registration.ts';
import { trustHash } from '../../src/clients/codex/setup.ts';
import { applyPlan } from '../../src/clientsetup/apply.ts';
import { survey } from '../../src/clientsetup/survey.ts';
import type { ClientDefinition, FileSpec, Scope } from '../../src/model/client.ts';
import { isObject, type JsonObject } from '../../src/model/json.ts';
import { formatReceipt, type Receipt } from '../../src/receipts/format.ts';
import { verifyClients, type ClientReport, type VerifyRequest, type VerifyResult } from '../../src/verify/verify.ts';

export const ENGINE = '1.2.3';
export const POLICY = 'abcdef0123456789';

const roots: string[] = [];
afterAll(() => { for (const dir of roots.splice(0)) fs.rmSync(dir, { recursive: true, force: true }); });

export interface Machine {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly bin: string;
  readonly state: string;
  readonly env: Record<string, string>;
  readonly host: Host;
}

export function machine(options: { readonly programs?: readonly string[]; readonly env?: Record<string, string> } = {}): Machine {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'praetorctl-verify-')));
  roots.push(root);
  const [home, project, bin, state] = ['home', 'project', 'bin', 'state'].map((name) => path.join(root, name)) as [string, string, string, string];
  for (const dir of [home, project, bin]) fs.mkdirSync(dir);
  for (const name of options.programs ?? ['praetorctl', ...HOOKED.flatMap((client) => client.binaries)]) {
    // A program that leaves a trace, so that a test can say that it was never started.
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\ntouch '${root}/started-${name}'\n`, { mode: 0o755 });
  }
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin`, PRAETORCTL_STATE_DIR: state, PRAETORCTL_CONFIG_DIR: path.join(root, 'config'), ...options.env };
  return { root, home, project, bin, state, env, host: realHost({ env, cwd: project }) };
}

/** The same machine, `ms` later or with other facts. */
export function hostAt(m: Machine, now: number): Host {
  return { ...m.host, now: () => now };
}

export async function apply(m: Machine, clients: readonly string[], scope: Scope = 'user'): Promise<void> {
  const found = survey(m.host, { purpose: 'apply', clients, scope, adopt: false });
  const report = await applyPlan(m.host, found.dirs, found.plan, { ...found.applyOptions, engine: ENGINE });
  if (!report.ok) throw new Error(JSON.stringify(report.diagnostics));
}

export function settings(m: Machine, text: string): void {
  put(path.join(m.root, 'config', 'settings.yaml'), text);
}

export function put(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

/** What the client's row says of its files on this machine. */
export function filesOf(m: Machine, client: ClientDefinition, scope: Scope): readonly FileSpec[] {
  const context = { platform: 'linux' as const, env: m.env, home: m.home, project: m.project, dirExists: (dir: string) => fs.existsSync(dir), dirNames };
  return client.files(client.roots(context), scope);
}

export function fileOf(m: Machine, client: ClientDefinition, role: 'hooks' | 'mcp', scope: Scope = 'user'): FileSpec {
  const found = filesOf(m, client, scope).find((spec) => spec.role === role || spec.role === 'hooks+mcp');
  if (found === undefined) throw new Error(`no ${role} file`);
  return found;
}

const isToml = (file: string): boolean => file.endsWith('.toml');

/** The document in a file, as JSON values; a TOML file is read by a library, not by our own editors. */
export function readJson(file: string): JsonObject {
  const text = fs.readFileSync(file, 'utf8');
  return (isToml(file) ? parse(text) : JSON.parse(text)) as JsonObject;
}

/** Writes a file whole in its own format, as a client that saves its settings does. */
export function writeJson(file: string, document: JsonObject, indent = 2): void {
  put(file, isToml(file) ? stringify(document) : JSON.stringify(document, null, indent));
}

export function editJson(file: string, change: (document: JsonObject) => JsonObject | undefined): void {
  const document = fs.existsSync(file) ? readJson(file) : {};
  writeJson(file, change(document) ?? document);
}

export function receipt(client: string, more: Partial<Receipt> = {}): Receipt {
  return {
    v: 1, time: new Date(Date.now() + 60_000).toISOString(), client, caller: client, event: 'pre-tool', verdict: 'neutral', kind: 'shell', tool: 'x',
    session: '0011223344556677', engine: ENGINE, policy: POLICY, ms: 5, ...more,
  };
}

export function leave(m: Machine, ...receipts: readonly Receipt[]): void {
  const file = path.join(m.state, 'receipts', 'receipts.jsonl');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.appendFileSync(file, receipts.map(formatReceipt).join(''));
}

export function verify(m: Machine, request: Partial<VerifyRequest> = {}, host: Host = hostAt(m, Date.now() + 120_000)): VerifyResult {
  return verifyClients(host, { clients: [], scope: 'user', require: 'observed', engine: ENGINE, policy: POLICY, ...request });
}

export function one(m: Machine, id: string, request: Partial<VerifyRequest> = {}, host?: Host): ClientReport {
  const found = verify(m, { clients: [id], ...request }, host).clients[0];
  if (found === undefined) throw new Error('no report');
  return found;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
export const texts = (report: ClientReport): string => report.reasons.map((reason) => `${reason.code}: ${reason.text} -> ${reason.fix}`).join('\n');
export const codes = (report: ClientReport): string[] => report.reasons.map((reason) => reason.code);

const snake = (native: string): string => native.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();

/** Writes the trust records as the Codex dialogs do, of a project's folder too; `change` spoils that of a hook. */
export function trustCodex(m: Machine, change: (key: string, record: JsonObject) => JsonObject | undefined = (_k, r) => r, scope: Scope = 'user'): void {
  const codex = clientById('codex');
  const hooksFile = fileOf(m, codex, 'hooks', scope).path;
  const state: JsonObject = {};
  for (const own of ownedHooks(codex.hooks, readJson(hooksFile), ['codex'])) {
    if (!isObject(own.item)) continue;
    const key = `${hooksFile}:${snake(own.native)}:${own.index}:${own.handlerIndex ?? 0}`;
    const record = change(key, { trusted_hash: trustHash(own.native, own.item, own.handler, sha256) });
    if (record !== undefined) state[key] = record;
  }
  const folder = scope === 'project' ? { projects: { [m.project]: { trust_level: 'trusted' } } } : {};
  put(path.join(m.home, '.codex', 'config.toml'), stringify({ hooks: { state }, ...folder }));
}

/** What stands below a directory: kind, mode, time and content. */
export function tree(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (at: string): void => {
    for (const name of fs.readdirSync(at).sort()) {
      const full = path.join(at, name);
      const stat = fs.lstatSync(full);
      found[path.relative(dir, full)] = `${stat.mode.toString(8)} ${stat.mtimeMs} ${stat.isFile() && (stat.mode & 0o400) !== 0 ? sha256(fs.readFileSync(full, 'latin1')) : stat.isSymbolicLink() ? fs.readlinkSync(full) : ''}`;
      if (stat.isDirectory()) visit(full);
    }
  };
  visit(dir);
  return found;
}
