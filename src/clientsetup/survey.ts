// Contract: one look at this machine for one request: which clients, what is desired, what is there, and the plan that
// follows. Reads through the Host only. plan, apply, remove, verify and start all begin here.
import type { Host } from '../host.ts';
import { detect, pathDirs, rootContext, type Detection } from '../roots/context.ts';
import { findProgram } from '../roots/installs.ts';
import { ownDirs, type OwnDirs } from '../roots/own-dirs.ts';
import { CLIENTS, clientById } from '../clients/registry.ts';
import type { ClientDefinition, RootContext, Scope } from '../model/client.ts';
import type { JsonObject } from '../model/json.ts';
import { PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import type { EntryChange, FilePlan, FileRecord, Plan, Records, Snapshot } from '../model/plan.ts';
import { NOTHING_GOVERNED, withGuardedServers, type Governed } from '../settings/guarded.ts';
import { loadSettings, type SettingsChoice } from '../settings/load.ts';
import { DEFAULT_SETTINGS, type Settings } from '../settings/schema.ts';
import { readOriginal } from './backups.ts';
import { doubledIn, doubledWords } from './doubled.ts';
import { desiredFor, type Desired, type DesiredFile } from './desired.ts';
import { INSTALL_FIX, WORKSTATION_OWNER, isLauncherOwner, launcherSpec, launcherText, planLauncher } from './launcher.ts';
import { managedSurface, programIn } from './managed.ts';
import { countEntries, countForeign, planFile, readDocument } from './plan.ts';
import { readRecords } from './records.ts';
import { takeSnapshot } from './snapshot.ts';
import type { ApplyOptions } from './apply.ts';

export interface Request {
  readonly purpose: 'apply' | 'remove';
  /** Ids or aliases; empty: what the settings select, else what is detected. */
  readonly clients: readonly string[];
  readonly scope: Scope;
  readonly documents?: SettingsChoice;
  readonly adopt: boolean;
  /** Absolute path of the running program's script, for the launcher; undefined: no launcher is planned. */
  readonly program?: { readonly node: string; readonly script: string };
}

export interface SelectedClient { readonly client: ClientDefinition; readonly detection: Detection; readonly desired: Desired }

export interface Survey {
  readonly context: RootContext;
  readonly dirs: OwnDirs;
  readonly settings: Settings;
  readonly settingsPath: string | null;
  readonly selected: readonly SelectedClient[];
  readonly records: Records;
  readonly plan: Plan;
  readonly applyOptions: Omit<ApplyOptions, 'engine'>;
}

interface Ground { readonly host: Host; readonly request: Request; readonly context: RootContext; readonly dirs: OwnDirs; readonly records: Records }

export function ownDirsOf(host: Host, context: RootContext): OwnDirs {
  return ownDirs({ platform: host.platform, env: host.env, home: context.home });
}

function settingsFor(host: Host, dirs: OwnDirs, request: Request): { settings: Settings; governed: Governed; path: string | null } {
  // Removal must work whatever state the settings are in: it asks for nothing.
  if (request.purpose === 'remove') return { settings: DEFAULT_SETTINGS, governed: NOTHING_GOVERNED, path: null };
  const loaded = loadSettings(host, dirs.config, request.documents ?? {});
  if (!loaded.ok) throw new PraetorError(loaded.diagnostics[0] ?? { code: 'settings-invalid', message: 'the settings are invalid', fix: 'correct them' });
  return { ...loaded, ...withGuardedServers(host, dirs.config, loaded.settings) };
}

function notDetected(client: ClientDefinition): Diagnostic {
  return {
    code: 'not-detected', severity: 'warning', client: client.id,
    message: `${client.name} was not found here (no program on PATH, no configuration); it is planned because you named it`,
    fix: `install ${client.name}, or leave it out`,
  };
}

/** The clients a request means, with a warning for named ones that are not here. */
export function selectClients(host: Host, context: RootContext, words: readonly string[], settings: Settings, everything: boolean): { chosen: { client: ClientDefinition; detection: Detection }[]; diagnostics: Diagnostic[] } {
  for (const word of Object.keys(settings.clients.places)) clientById(word);
  const configured = settings.clients.selected === undefined ? [] : Object.keys(settings.clients.selected);
  const named = words.length > 0 ? words : configured;
  const ids = new Set(named.map((word) => clientById(word).id));
  const all = CLIENTS.filter((client) => ids.size === 0 || ids.has(client.id))
    .map((client) => ({ client, detection: detect(host, client, context, client.roots(context)) }));
  if (ids.size === 0) return { chosen: all.filter(({ detection }) => everything || detection.how !== 'none'), diagnostics: [] };
  return { chosen: all, diagnostics: everything ? [] : all.filter(({ detection }) => detection.how === 'none').map(({ client }) => notDetected(client)) };
}

function planOne(ground: Ground, desired: DesiredFile, snapshot: Snapshot): ReturnType<typeof planFile> {
  const record = ground.records.get(desired.spec.path);
  // What stood in the place of our servers is in it too.
  const isNeeded = (desired.events.length === 0 && desired.servers.length === 0) || (record?.ownedServers.length ?? 0) > 0;
  const original = record?.original != null && isNeeded ? readOriginal(ground.host, ground.dirs, record) : undefined;
  return planFile({ desired, snapshot, record, original, adopt: ground.request.adopt });
}

/** What registering would silence: read only here, because it is no file that we write. What cannot be read is left to verify. */
function shadowNotes(host: Host, context: RootContext, one: SelectedClient): Diagnostic[] {
  const { client, desired } = one;
  const natives = desired.files.flatMap((file) => file.events.map((event) => event.native));
  if (client.shadows === undefined || natives.length === 0) return [];
  const documents = new Map<string, JsonObject>();
  for (const file of client.evidenceFiles(desired.roots, context)) {
    const snapshot = takeSnapshot(host, file.path);
    const opened = snapshot.state === 'file' ? readDocument(file, snapshot.bytes) : undefined;
    if (opened?.ok === true) documents.set(file.name, opened.read.value);
  }
  return client.shadows(documents, natives).map((finding) => ({ code: 'note', severity: 'warning', client: client.id, message: finding.message, fix: finding.fix }));
}

/** The administrator registered us already: a second registration runs beside it. Read only here, as above. */
function managedNotes(host: Host, { client, desired }: SelectedClient): Diagnostic[] {
  const file = managedSurface(client)?.file(host.platform);
  if (file === undefined || desired.files.every(({ events, spec }) => events.length === 0 || spec.scope !== 'user')) return [];
  const snapshot = takeSnapshot(host, file.path);
  const opened = snapshot.state === 'file' ? readDocument(file, snapshot.bytes) : undefined;
  if (opened?.ok !== true || programIn(client, opened.read.value) === undefined) return [];
  return [{
    code: 'note', severity: 'warning', client: client.id, where: { path: file.path }, message: `${client.name} has our hooks in its managed channel: with those planned here each call is judged twice`,
    fix: `leave ${client.id} out of clients.selected, or name the other clients with --client`,
  }];
}

/** Calls that would be judged twice: by what is planned here, and by what stands in either scope since earlier runs. */
function doubledNotes({ request, context, records }: Ground, selected: readonly SelectedClient[]): Diagnostic[] {
  if (request.purpose !== 'apply') return [];
  const planned = new Map(selected.flatMap(({ desired }) => desired.files.map((file) => [file.spec.path, file.events.length > 0] as const)));
  const chosen = new Set(selected.map(({ client }) => client.id));
  return CLIENTS.filter(({ runsHooksOf }) => runsHooksOf !== undefined).flatMap((client) => {
    const roots = client.roots(context);
    const own = (['user', 'project'] as const).flatMap((scope) => client.files(roots, scope)).filter(({ role }) => role !== 'mcp').map(({ path }) => path);
    const doubled = doubledIn(client, roots, own, (id, path) => planned.get(path) ?? records.get(path)?.client === id);
    return doubled.filter((place) => chosen.has(client.id) || chosen.has(place.client)).map((place): Diagnostic => ({ code: 'note', severity: 'warning', client: client.id, ...doubledWords(client, place) }));
  });
}

/** Records of other clients, or of this client in other scopes, that still need the launcher. */
function othersRemain(ground: Ground, chosen: readonly ClientDefinition[], paths: ReadonlySet<string>): boolean {
  return [...ground.records.values()].some((r) => !isLauncherOwner(r.client) && !paths.has(r.path) && chosen.length > 0);
}

function launcherPlan(ground: Ground, files: readonly FilePlan[], paths: ReadonlySet<string>, chosen: readonly ClientDefinition[]): { file: FilePlan | undefined; diagnostics: readonly Diagnostic[]; replan?: (now: Snapshot) => ReturnType<typeof planLauncher> } {
  const { host, request, context } = ground;
  const spec = launcherSpec(context);
  const dirs = pathDirs(host.platform, host.env['PATH'] ?? host.env['Path']);
  const found = findProgram(host, 'praetorctl', dirs);
  const hooksWanted = request.purpose === 'apply' && files.some((f) => f.entries.some((e) => e.kind === 'hook' && e.action !== 'remove'));
  if (spec === undefined) {
    const missing: Diagnostic = { code: 'entrypoint-not-on-path', severity: 'warning', message: 'praetorctl does not resolve on PATH: registered hooks cannot run', fix: INSTALL_FIX };
    return { file: undefined, diagnostics: hooksWanted && found === undefined ? [missing] : [] };
  }
  const record = ground.records.get(spec.path);
  // `workstation install` wrote it, and only that writes it again.
  if (record?.client === WORKSTATION_OWNER) return { file: undefined, diagnostics: [] };
  const wanted = request.purpose === 'remove' ? record !== undefined && othersRemain(ground, chosen, paths) : hooksWanted && (record !== undefined || found === undefined);
  const text = wanted && request.program !== undefined ? launcherText(request.program.node, request.program.script) : undefined;
  if (text === undefined && (wanted || record === undefined)) return { file: undefined, diagnostics: [] };
  // An apply that plans no hooks (a client was left out) never takes the launcher away; only remove does.
  if (text === undefined && request.purpose === 'apply') return { file: undefined, diagnostics: [] };
  const replan = (now: Snapshot): ReturnType<typeof planLauncher> => planLauncher({ spec, snapshot: now, record, text });
  const result = replan(takeSnapshot(host, spec.path));
  const reachable = dirs.some((dir) => spec.path.startsWith(`${dir}/`));
  const unreachable: Diagnostic = {
    code: 'entrypoint-not-on-path', severity: 'warning', where: { path: spec.path },
    message: 'praetorctl gets a launcher in ~/.local/bin, but that directory is not on this PATH: Gemini CLI and Antigravity refuse guarded calls until it is, other clients run unguarded',
    fix: `add $HOME/.local/bin to PATH (in your shell profile), or ${INSTALL_FIX}`,
  };
  return { ...result, replan, diagnostics: [...result.diagnostics, ...(text !== undefined && !reachable ? [unreachable] : [])] };
}

/** `remove` deletes the launcher last, `apply` writes it first: a registration never stands without its program. */
function orderFiles(purpose: Request['purpose'], launcher: FilePlan | undefined, files: readonly FilePlan[]): FilePlan[] {
  if (launcher === undefined) return [...files];
  return purpose === 'apply' ? [launcher, ...files] : [...files, launcher];
}

function applyOptions(ground: Ground, desired: ReadonlyMap<string, DesiredFile>, launcher: ((now: Snapshot) => ReturnType<typeof planLauncher>) | undefined): Survey['applyOptions'] {
  const again = (file: FilePlan, now: Snapshot): { file: FilePlan | undefined; diagnostics: readonly Diagnostic[] } => {
    if (file.spec.role === 'launcher' && launcher !== undefined) return launcher(now);
    const wanted = desired.get(file.spec.path);
    return wanted === undefined ? { file: undefined, diagnostics: [] } : planOne(ground, wanted, now);
  };
  return {
    replan: (file, now) => {
      const result = again(file, now);
      return result.file ?? result.diagnostics.find((d) => d.severity === 'error') ?? { ...file, action: 'none', after: null, entries: [], before: now.state === 'refused' ? file.before : now };
    },
    readback: (file, bytes) => readback(ground, file, bytes, desired.get(file.spec.path)),
    countForeign: (file, bytes) => {
      const wanted = desired.get(file.spec.path);
      return wanted === undefined ? { hooks: 0, servers: 0 } : countForeign(wanted, bytes, file.ownedServers);
    },
  };
}

/** What the file really holds now, against what was intended: planning again must leave nothing to do. */
function readback(ground: Ground, file: FilePlan, bytes: Uint8Array | null, wanted: DesiredFile | undefined): { entries: readonly EntryChange[] } | Diagnostic {
  if (wanted === undefined || bytes === null) return { entries: file.entries };
  const stamp = file.before.state === 'file' ? file.before.stamp : { digest: '', size: bytes.length, dev: '0', ino: '0', mtimeNs: '0', mode: 0, uid: 0, gid: 0 };
  const snapshot: Snapshot = { state: 'file', path: file.spec.path, target: file.before.target, links: [], bytes, stamp: { ...stamp, digest: '', mode: file.mode } };
  const record: FileRecord | undefined = ground.records.get(file.spec.path);
  const known = { ...(record ?? EMPTY_RECORD), path: file.spec.path, ownedServers: file.ownedServers, created: file.created, pristine: false };
  // What the run keeps as the original: the newest baseline, the one on record, or the file before the first touch.
  const kept = file.baseline?.bytes ?? (record?.original == null ? undefined : readOriginal(ground.host, ground.dirs, record));
  const original = kept ?? (file.before.state === 'file' ? file.before.bytes : undefined);
  const result = planFile({ desired: wanted, snapshot, record: known, original, adopt: false });
  const left = result.file?.entries.filter((e) => e.action !== 'none') ?? [];
  if (left.length === 0 && !result.diagnostics.some((d) => d.severity === 'error')) return { entries: file.entries };
  return {
    code: 'readback-failed', severity: 'error', client: file.client, where: { path: file.spec.path },
    message: 'the file was written, but reading it back does not show what was intended', fix: 'praetorctl clients verify, then praetorctl clients rollback',
  };
}

const EMPTY_RECORD: FileRecord = {
  path: '', target: '', client: '', scope: 'user', existed: true, original: null, lastDigest: '', pristine: false,
  created: [], createdDirs: [], ownedServers: [], installedAt: 0, foreign: { hooks: 0, servers: 0 },
};

/** Where servers of this client were written that is not one of its own places: a place that the settings named. */
function recordedPlace(records: Records, client: ClientDefinition, context: RootContext): string | undefined {
  const roots = client.roots(context);
  const usual = new Set((['user', 'project'] as const).flatMap((scope) => client.files(roots, scope).map((spec) => spec.path)));
  return [...records.values()].find((r) => r.client === client.id && r.scope === 'user' && r.ownedServers.length > 0 && !usual.has(r.path))?.path;
}

/** Looks once and plans. Throws PraetorError for wrong names, roots and settings; refusals of files are in the plan. */
export function survey(host: Host, request: Request): Survey {
  const context = rootContext(host);
  const dirs = ownDirsOf(host, context);
  const { settings, governed, path: settingsPath } = settingsFor(host, dirs, request);
  const records = readRecords(host, dirs);
  const ground: Ground = { host, request, context, dirs, records };
  const { chosen, diagnostics } = selectClients(host, context, request.clients, settings, request.purpose === 'remove');
  const selected = chosen.map((one) => ({ ...one, desired: desiredFor(one.client, context, request.scope, request.purpose === 'remove' ? null : settings, { recorded: recordedPlace(records, one.client, context), governed }) }));
  const desired = new Map(selected.flatMap((s) => s.desired.files.map((file) => [file.spec.path, file] as const)));
  const verdicts = [...desired.values()].map((file) => planOne(ground, file, takeSnapshot(host, file.spec.path)));
  const files = verdicts.flatMap((v) => (v.file === undefined ? [] : [v.file]));
  const launcher = launcherPlan(ground, files, new Set(desired.keys()), chosen.map((c) => c.client));
  const ordered = orderFiles(request.purpose, launcher.file, files);
  const plan: Plan = {
    purpose: request.purpose, files: ordered, counts: countEntries(ordered),
    diagnostics: [...diagnostics, ...selected.flatMap((s) => [...s.desired.diagnostics, ...shadowNotes(host, context, s), ...managedNotes(host, s)]), ...doubledNotes(ground, selected), ...verdicts.flatMap((v) => v.diagnostics), ...launcher.diagnostics],
  };
  return { context, dirs, settings, settingsPath, selected, records, plan, applyOptions: { ...applyOptions(ground, desired, launcher.replan), records } };
}
