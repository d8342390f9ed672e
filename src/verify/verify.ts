// Contract: the use case `clients verify`: which clients, what was seen of each, what follows. Starts nothing, and writes nothing
// but the checkpoint of the receipts in our own directory (receipt-store.ts). Throws PraetorError for unknown names, wrong root overrides, broken settings or records; what cannot be read of
// a client is `unknown` in the answer. Reads through the Host.
import type { Host } from '../host.ts';
import { EXIT, PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import type { ClientDefinition, Install, RootContext, Scope } from '../model/client.ts';
import type { ClientEvidence, EntryStatus, Tri } from '../model/evidence.ts';
import type { Records } from '../model/plan.ts';
import { hasHooks } from '../clients/mcp-only.ts';
import { CLIENTS, clientById } from '../clients/registry.ts';
import { readRecords } from '../clientsetup/records.ts';
import { pendingRuns, type PendingRun } from '../clientsetup/recover.ts';
import { selectClients } from '../clientsetup/survey.ts';
import { ENGINE_VERSION, POLICY_DIGEST } from '../policy/build-info.ts';
import { rootContext } from '../roots/context.ts';
import { ownDirs, type OwnDirs } from '../roots/own-dirs.ts';
import { withGuardedServers, type Governed } from '../settings/guarded.ts';
import { loadSettings, type SettingsChoice } from '../settings/load.ts';
import { durationMs, type Settings } from '../settings/schema.ts';
import { changedToolReasons, changedTools, type ChangedTools } from './changed-tools.ts';
import { hookFiles, serverFiles, serverInput, stateInput, trustOf, type Yardstick } from './checks.ts';
import { gatherEvidence } from './evidence.ts';
import { concludeProbe, discoveredWith, probeReasons, type ProbeAnswer, type ProbeReport } from './probe-conclude.ts';
import { bindingOf, judgeProof, observedWith, readProofs, type ProofSource } from './proofs.ts';
import { managedOnly } from './managed.ts';
import { mostImportantFirst } from './importance.ts';
import { explain } from './reasons.ts';
import { readReceipts, type ReceiptSource } from './receipts.ts';
import { combine, deriveHookless, deriveServers, deriveState, enforces, type Reason, type ServerStates, type StateInput, type States, type Words } from './state.ts';

export type RequiredState = 'installed' | 'discovered' | 'observed';

export interface VerifyRequest {
  /** Ids or aliases; empty: what the settings select, else what is detected; and everything we remember having written. */
  readonly clients: readonly string[];
  readonly scope: Scope;
  readonly require: RequiredState;
  readonly documents?: SettingsChoice;
  /** The engine and policy against which receipts are measured; the running program's own unless a test says otherwise. */
  readonly engine?: string;
  readonly policy?: string;
  /** What the clients answered, by id, where they were asked (probe.ts). */
  readonly probes?: ReadonlyMap<string, ProbeAnswer>;
}

export interface HookReport { readonly origin: Scope | 'managed'; readonly event: string; readonly native: string; readonly path: string; readonly status: EntryStatus; readonly at: string; readonly lastReceipt: string | null }
export interface ServerReport { readonly name: string; readonly path: string; readonly status: EntryStatus }

export interface ClientReport {
  readonly client: string;
  readonly name: string;
  readonly version: string | null;
  readonly versionNote: string;
  readonly detected: 'program' | 'configuration' | 'none';
  readonly program: string | null;
  /** Every place where it is installed; the version is that of the first. */
  readonly installs: readonly Install[];
  readonly scope: Scope;
  readonly states: States;
  readonly observed: boolean;
  /** When `clients prove` last saw this client obey, if that still binds: same program, versions, registration and policy, and nothing off. */
  readonly proven: string | null;
  /** What the client itself listed, where it was asked. */
  readonly probe: ProbeReport | null;
  readonly trust: 'trusted' | 'untrusted' | 'modified' | 'disabled' | 'none' | 'unknown';
  readonly hooks: readonly HookReport[];
  readonly mcp: readonly ServerReport[];
  /** Of a tool event, run by the client itself after the installation. `age` in whole seconds. */
  readonly lastToolReceipt: { readonly time: string; readonly age: number; readonly event: string; readonly verdict: string; readonly engine: string } | null;
  /** The most important first: its fix is the next action. */
  readonly reasons: readonly Reason[];
  readonly next: string;
  readonly meets: boolean;
}

export interface VerifyResult {
  readonly ok: boolean;
  readonly exit: number;
  readonly require: RequiredState;
  readonly scope: Scope;
  /** When this was seen, in milliseconds since the epoch. */
  readonly now: number;
  readonly clients: readonly ClientReport[];
  /** Runs of `apply`, `remove` or `rollback` that never ended. */
  readonly pendingRuns: readonly PendingRun[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Everything that is the same for all clients of one look. Shared with doctor. */
export interface Ground {
  readonly host: Host;
  readonly context: RootContext;
  readonly dirs: OwnDirs;
  readonly settings: Settings;
  readonly governed: Governed;
  readonly records: Records;
  readonly receipts: ReceiptSource;
  readonly proofs: ProofSource;
  readonly changedTools: readonly ChangedTools[];
  readonly scope: Scope;
}

export function groundFor(host: Host, scope: Scope, documents: SettingsChoice | undefined): Ground {
  const context = rootContext(host);
  const dirs = ownDirs({ platform: host.platform, env: host.env, home: context.home });
  const loaded = loadSettings(host, dirs.config, documents ?? {});
  if (!loaded.ok) throw new PraetorError(loaded.diagnostics[0] ?? { code: 'settings-invalid', message: 'the settings are invalid', fix: 'correct them' });
  return { host, context, dirs, ...withGuardedServers(host, dirs.config, loaded.settings), records: readRecords(host, dirs), receipts: readReceipts(host, dirs.receipts), proofs: readProofs(host, dirs.receipts), changedTools: changedTools(host, dirs), scope };
}

/** Named ones; else the selected or detected ones and those that the records know in this scope. Sorted by id. */
export function chooseClients(ground: Ground, words: readonly string[]): readonly ClientDefinition[] {
  const { chosen } = selectClients(ground.host, ground.context, words, ground.settings, false);
  const ids = new Set(chosen.map(({ client }) => client.id));
  if (words.length === 0) {
    for (const record of ground.records.values()) if (record.scope === ground.scope) ids.add(record.client);
  }
  return CLIENTS.filter((client) => ids.has(client.id)).sort((a, b) => (a.id < b.id ? -1 : 1));
}

export function evidenceFor(ground: Ground, client: ClientDefinition): ClientEvidence {
  const { host, context, scope, settings, governed, records, receipts } = ground;
  return gatherEvidence(host, client, { context, scope, settings, governed, records, receipts, now: host.now() });
}

/** `idle`: nothing can be registered in the client as things are, so nothing that was asked for is missing. */
function meets(states: States, require: RequiredState, idle: boolean): boolean {
  if (idle && require === 'installed') return states.absent === true && states.drifted === false;
  const reached: Record<RequiredState, Tri> = { installed: states.installed, discovered: states.discovered, observed: states.observed };
  const installed = states.installed === true && states.drifted === false;
  // A receipt that is too old, or of another version, says nothing about what stands now.
  return installed && reached[require] === true && (require !== 'observed' || states.stale === false);
}

function lastToolReceipt(e: ClientEvidence, now: number): ClientReport['lastToolReceipt'] {
  const { tool } = e.receipts;
  if (tool === undefined) return null;
  return { time: new Date(tool.at).toISOString(), age: Math.max(0, Math.floor((now - tool.at) / 1000)), event: tool.event, verdict: tool.verdict, engine: tool.engine };
}

function hookReports(e: ClientEvidence): HookReport[] {
  const all = hookFiles(e).flatMap((file) => file.hooks.map((hook) => ({ ...hook, origin: file.managed === true ? 'managed' as const : file.spec.scope }))).map(({ origin, event, native, path, status, at }): HookReport => {
    const last = e.receipts.byEvent.get(event);
    return { origin, event, native, path, status, at, lastReceipt: last === undefined ? null : new Date(last.at).toISOString() };
  });
  return all.sort((a, b) => compare(a.event, b.event) || compare(a.at, b.at));
}

function serverReports(e: ClientEvidence): ServerReport[] {
  return serverFiles(e).flatMap((file) => file.servers).sort((a, b) => compare(a.name, b.name));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function ownedServers(e: ClientEvidence, records: Records): number {
  return e.files.reduce((n, file) => n + (records.get(file.spec.path)?.ownedServers.length ?? 0), 0);
}

function unfinished(client: ClientDefinition, runs: readonly PendingRun[]): Reason[] {
  return runs.filter((run) => run.files.some((file) => file.client === client.id)).map((run): Reason => ({
    code: 'run-unfinished', text: `the run ${run.id} (${run.purpose}) was interrupted and is not settled yet`, fix: `praetorctl clients apply --client ${client.id}`,
  }));
}

/** A receipt does not say which of two registrations ran. */
function ambiguous(ground: Ground, client: ClientDefinition, e: ClientEvidence): Reason[] {
  if (ground.scope !== 'project' || e.receipts.tool === undefined) return [];
  const user = evidenceFor({ ...ground, scope: 'user' }, client);
  if (!user.files.some((file) => file.commands.length > 0)) return [];
  return [{ code: 'note', text: 'the hooks are registered for the user too, and a receipt does not say which registration ran', fix: 'praetorctl doctor' }];
}

/** Where the person has them too, both run. */
function managedReasons(client: ClientDefinition, e: ClientEvidence): Reason[] {
  const [managed] = e.files.filter((file) => file.managed === true);
  if (managed === undefined) return [];
  if (managedOnly(e.files)) return [{ code: 'note', text: `the hooks stand in the managed channel, ${managed.spec.path}`, fix: '' }];
  return [{ code: 'note', text: `the hooks stand in the managed channel, ${managed.spec.path}, and for the user too: both run, and each call is judged twice`, fix: `praetorctl clients remove --client ${client.id}` }];
}

function withHooks(input: StateInput, servers: ServerStates, wanted: boolean, words: Words): States & { readonly reasons: readonly Reason[] } {
  const hooks = deriveState(input, words);
  const { absent, installed, discovered, observed, drifted, stale } = combine(hooks, servers, wanted);
  return { absent, installed, discovered, observed, drifted, stale, reasons: [...hooks.reasons, ...servers.reasons] };
}

function reportOn(ground: Ground, client: ClientDefinition, runs: readonly PendingRun[], request: VerifyRequest): { report: ClientReport; diagnostics: readonly Diagnostic[] } {
  const e = evidenceFor(ground, client);
  const now = ground.host.now();
  const yardstick: Yardstick = {
    now, maxAgeMs: durationMs(ground.settings.clients.verified_max_age), engine: request.engine ?? ENGINE_VERSION, policy: request.policy ?? POLICY_DIGEST,
  };
  const words = { id: client.id, name: client.name, trustFix: client.afterApply[0] ?? `review the hooks in ${client.name}` };
  const input = stateInput(e, yardstick);
  const wantedServers = serverInput(e, ownedServers(e, ground.records));
  const servers = deriveServers(wantedServers, words);
  const { reasons: why, ...derived } = hasHooks(client) ? withHooks(input, servers, wantedServers.wanted, words) : deriveHookless(servers, input.foreign, words);
  const probe = concludeProbe(client, e, request.probes?.get(client.id));
  const binding = bindingOf(ground.host, e, yardstick.engine, yardstick.policy);
  const states: States = { ...derived, discovered: discoveredWith(derived.discovered, probe), observed: observedWith(derived.observed, ground.proofs, client.id, binding, e.receipts.tool?.at) };
  const proof = judgeProof(ground.proofs, client.id, binding, ground.scope === 'user' && enforces(input));
  const reasons = mostImportantFirst([...explain(why, client, e, yardstick), ...proof.reasons, ...probeReasons(client, probe), ...unfinished(client, runs), ...ambiguous(ground, client, e), ...managedReasons(client, e), ...changedToolReasons(ground.changedTools, serverReports(e).map(({ name }) => name))]);
  const trust = trustOf(e);
  const report: ClientReport = {
    client: client.id, name: client.name, version: e.version.value, versionNote: e.version.why, detected: e.detected, program: e.program ?? null, installs: e.installs,
    scope: ground.scope, states, observed: states.observed === true, proven: proof.proven, probe,
    trust: trust === 'no-gate' ? 'none' : trust, hooks: hookReports(e), mcp: serverReports(e), lastToolReceipt: lastToolReceipt(e, now),
    reasons, next: reasons[0]?.fix ?? '', meets: meets(states, request.require, !hasHooks(client) && !wantedServers.wanted),
  };
  return { report, diagnostics: e.diagnostics };
}

const NOBODY: Diagnostic = {
  code: 'note', severity: 'warning', message: 'no client was found on this workstation, so there is nothing to verify',
  fix: 'name one with --client (praetorctl clients list)',
};

function unfinishedNote(run: PendingRun): Diagnostic {
  return {
    code: 'note', severity: 'warning', message: `the run ${run.id} (${run.purpose}) was interrupted; its files may be of either state`,
    fix: 'praetorctl clients apply settles it first',
  };
}

/** Clients that the settings want observed, whatever a command line says. */
function requiredClients({ clients: { selected } }: Settings): ReadonlySet<string> {
  return new Set(Object.entries(selected ?? {}).filter(([, one]) => one?.required === true).map(([word]) => clientById(word).id));
}

export function verifyClients(host: Host, request: VerifyRequest): VerifyResult {
  const ground = groundFor(host, request.scope, request.documents);
  const pending = pendingRuns(host, ground.dirs);
  const required = requiredClients(ground.settings);
  const words = request.clients.length === 0 ? request.clients : [...request.clients, ...required];
  const all = chooseClients(ground, words).map((client) => reportOn(ground, client, pending.runs, required.has(client.id) ? { ...request, require: 'observed' } : request));
  const clients = all.map(({ report }) => report);
  const ok = clients.length > 0 && clients.every((client) => client.meets);
  const diagnostics = [
    ...(clients.length === 0 ? [NOBODY] : []), ...all.flatMap((one) => one.diagnostics), ...pending.runs.map(unfinishedNote), ...pending.diagnostics,
  ];
  return { ok, exit: ok ? EXIT.ok : EXIT.no, require: request.require, scope: request.scope, now: host.now(), clients, pendingRuns: pending.runs, diagnostics };
}
