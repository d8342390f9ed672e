// Contract: everything that can be seen of one client without starting it and without writing: program, version, files,
// entries against the desired ones, switches, trust, receipts. What could not be read is in the answer as unread, with
// the reason; it is never treated as empty. Reads through the Host.
import { hostErrorCode, type Host } from '../host.ts';
import { ENVIRONMENT, type ClientDefinition, type EvidenceFile, type FileSpec, type Finding, type RootContext, type Roots, type Scope } from '../model/client.ts';
import type {
  ClientEvidence, CommandEvidence, EntryStatus, FileEvidence, HookEvidence, ReceiptEvidence, ServerEvidence, UnreadEvidence,
} from '../model/evidence.ts';
import { isCanonicalEvent } from '../model/events.ts';
import { isObject, sameValue, showPath, type JsonObject, type JsonValue } from '../model/json.ts';
import type { EntryAction, EntryChange, FileRecord, Records } from '../model/plan.ts';
import { hasTool } from '../clients/dialect-kit.ts';
import { arrayPathIn, hookEntry, ownedHooks, type OwnedHook } from '../clients/registration.ts';
import { clientById } from '../clients/registry.ts';
import { doubledIn } from '../clientsetup/doubled.ts';
import { launcherSpec } from '../clientsetup/launcher.ts';
import { desiredFor, placedFiles, placeFor, type DesiredFile } from '../clientsetup/desired.ts';
import { hookOps } from '../clientsetup/hook-ops.ts';
import { mcpOps } from '../clientsetup/mcp-ops.ts';
import { countForeign, findingsOf, lacksExecute } from '../clientsetup/plan.ts';
import { takeSnapshot } from '../clientsetup/snapshot.ts';
import { takeover } from '../clientsetup/takeover.ts';
import { detect, pathDirs } from '../roots/context.ts';
import { findProgram } from '../roots/installs.ts';
import { joinPath } from '../roots/paths.ts';
import type { Governed } from '../settings/guarded.ts';
import type { Settings } from '../settings/schema.ts';
import { readEvidence, type DocumentRead } from './documents.ts';
import { managedEntrypoint, managedEvidence, managedOnly, withManaged } from './managed.ts';
import { receiptEvidence, type ReceiptSource } from './receipts.ts';
import { seenInDocuments, seenInFile, seenTrust, type Documents } from './seen.ts';
import { installFacts } from './version.ts';

export interface EvidenceRequest {
  readonly context: RootContext;
  readonly scope: Scope;
  readonly settings: Settings;
  readonly governed: Governed;
  readonly records: Records;
  readonly receipts: ReceiptSource;
  readonly now: number;
}

const idsOf = (client: ClientDefinition): string[] => [client.id, ...client.aliases];

const STATUS: Record<EntryAction, EntryStatus> = { none: 'as-desired', add: 'missing', change: 'changed', remove: 'surplus' };

function hookEvidence(desired: DesiredFile, document: JsonObject | undefined): HookEvidence[] {
  const { client, spec, events } = desired;
  if (spec.role === 'mcp') return [];
  const base = (event: string, native: string): Omit<HookEvidence, 'status' | 'at'> => ({ event, native, path: spec.path, tool: isCanonicalEvent(event) && hasTool(event), keys: [] });
  if (document === undefined) {
    return events.map((event) => ({ ...base(event.canonical, event.native), status: 'unknown', at: showPath(arrayPathIn(client.hooks, spec, event.native)) }));
  }
  const owned = ownedHooks(client.hooks, document, idsOf(client));
  // A surplus entry may stand under any native event; its place says under which.
  const nativeOf = (entry: EntryChange): string => events.find((event) => (
    event.canonical === entry.name && entry.action !== 'remove' && entry.at.startsWith(showPath(arrayPathIn(client.hooks, spec, event.native)))))?.native
    ?? owned.find((own) => entry.at.startsWith(showPath(own.array)))?.native ?? '';
  const keysOf = (entry: EntryChange): string[] => {
    const event = events.find(({ canonical, native }) => canonical === entry.name && native === nativeOf(entry));
    if (entry.action !== 'change' || event === undefined) return [];
    const found = owned.filter((own) => own.event === event.canonical && own.native === event.native);
    return found.length === 0 ? [] : changedKeys(found, hookEntry(client.hooks, client.id, event));
  };
  return hookOps(client, spec, document, events).entries.map((entry) => ({ ...base(entry.name, nativeOf(entry)), status: STATUS[entry.action], at: entry.at, keys: keysOf(entry) }));
}

/** Which keys of the group and of the handler differ; `twice` where an entry of ours stands there more than once. */
function changedKeys(found: readonly OwnedHook[], entry: JsonObject): string[] {
  const [own] = found;
  if (own === undefined) return [];
  const inner = Array.isArray(entry['hooks']) ? entry['hooks'][0] : undefined;
  const handler = isObject(inner) ? inner : entry;
  const keys = differing(own.handler, handler);
  const { hooks: _mine, ...wanted } = entry;
  const { hooks: _theirs, ...group } = isObject(own.item) ? own.item : {};
  if (inner !== undefined && own.handlerIndex !== undefined) keys.push(...differing(group, wanted));
  if (found.length > 1) keys.push('twice');
  return [...new Set(keys)].sort();
}

function differing(a: JsonObject, b: JsonObject): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => !sameValue(a[key], b[key]));
}

function serverEvidence(desired: DesiredFile, document: JsonObject | undefined, record: FileRecord | undefined): ServerEvidence[] {
  const { client, spec, servers } = desired;
  if (spec.role === 'hooks') return [];
  if (document === undefined) return servers.map(({ name }) => ({ name, path: spec.path, status: 'unknown' }));
  const ours = record?.ownedServers ?? [];
  const { servers: wanted, taken, differing: others } = takeover(desired, document, ours, false);
  const { entries, conflicts } = mcpOps(client, document, wanted, { ours, taken });
  return [
    ...others.map(({ name }): ServerEvidence => ({ name, path: spec.path, status: 'conflict' })),
    ...entries.map((entry): ServerEvidence => ({ name: entry.name, path: spec.path, status: STATUS[entry.action] })),
    ...conflicts.map((name): ServerEvidence => ({ name, path: spec.path, status: 'conflict' })),
  ];
}

function commandEvidence(client: ClientDefinition, spec: FileSpec, document: JsonObject): CommandEvidence[] {
  if (spec.role === 'mcp') return [];
  return ownedHooks(client.hooks, document, idsOf(client)).map((own) => {
    const timeout = own.handler['timeout'];
    return {
      event: own.event, command: own.command, path: spec.path,
      entry: inOneSpelling([own.native, isObject(own.item) ? own.item['matcher'] ?? null : null, own.handler]),
      timeoutMs: typeof timeout === 'number' ? timeout * (client.hooks.timeoutUnit === 's' ? 1000 : 1) : undefined,
    };
  });
}

/** JSON with sorted keys: a file that is only written in another order registers the same. */
function inOneSpelling(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(inOneSpelling).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${inOneSpelling(value[key] ?? null)}`).join(',')}}`;
}

function foreignGone(desired: DesiredFile, record: FileRecord | undefined, read: DocumentRead): FileEvidence['foreignGone'] {
  if (record === undefined || read.state === 'unread') return { hooks: 0, servers: 0 };
  const now = countForeign(desired, read.state === 'read' ? read.bytes : null, record.ownedServers);
  return { hooks: Math.max(0, record.foreign.hooks - now.hooks), servers: Math.max(0, record.foreign.servers - now.servers) };
}

function fileEvidence(desired: DesiredFile, record: FileRecord | undefined, read: DocumentRead): FileEvidence {
  const { client, spec } = desired;
  const document = read.state === 'read' ? read.document : read.state === 'absent' ? {} : undefined;
  const stuck = read.state === 'read' && lacksExecute(spec, read.mode);
  return {
    spec, state: read.state, recorded: record !== undefined, installedAt: record?.installedAt,
    diagnostic: read.state === 'unread' ? read.diagnostic : undefined,
    links: read.state === 'absent' ? [] : read.links,
    modifiedAt: read.state === 'absent' ? undefined : read.modifiedAt,
    hooks: hookEvidence(desired, document).map((hook) => (stuck && hook.status === 'as-desired' ? { ...hook, status: 'changed', keys: ['mode'] } : hook)), servers: serverEvidence(desired, document, record),
    commands: document === undefined ? [] : commandEvidence(client, spec, document),
    findings: read.state === 'read' ? findingsOf(client, spec, read.document, read.links).map((finding) => seenInFile(finding, spec.path, read.document)) : [],
    foreignGone: foreignGone(desired, record, read),
  };
}

interface Evidence extends Documents { readonly unread: readonly UnreadEvidence[] }

/** More files in one directory than this are not looked at; each could hold a switch, so that is said to be unread. */
const DIRECTORY_FILES_MAX = 200;

/** The files that an entry of `evidenceFiles` stands for. */
function filesOf(host: Host, client: string, file: EvidenceFile): { files: readonly EvidenceFile[]; unread: readonly UnreadEvidence[] } {
  const { each, ...one } = file;
  if (each === undefined) return { files: [one], unread: [] };
  const unreadable = (message: string): UnreadEvidence => ({
    name: file.name, path: file.path, diagnostic: { code: 'unreadable', severity: 'error', client, where: { path: file.path }, message, fix: `correct the permissions of ${file.path}` },
  });
  try {
    if (file.path === '' || host.stat(file.path)?.kind !== 'dir') return { files: [], unread: [] };
    const names = host.readDir(file.path).filter((name) => name.endsWith(each) && !name.startsWith('.')).sort();
    const files = names.slice(0, DIRECTORY_FILES_MAX).map((name) => ({ ...one, name: `${file.name}/${name}`, path: joinPath(host.platform, file.path, name) }));
    return { files, unread: names.length > DIRECTORY_FILES_MAX ? [unreadable('the directory holds more files than are read')] : [] };
  } catch (error) {
    return { files: [], unread: [unreadable(`the directory cannot be read (${hostErrorCode(error) ?? 'unknown'})`)] };
  }
}

/** Names under which a row's switches and trust look for the client's own files. */
function namesOf(role: FileSpec['role']): string[] {
  return role === 'mcp' ? ['mcp'] : role === 'hooks' ? ['own', 'hooks'] : ['own', 'hooks', 'mcp'];
}

/**
 * The documents for switches and trust. `own` and `mcp` are the user's files in both scopes, because that is where the
 * client keeps them; a project's hooks file is `scoped` besides.
 */
function evidenceDocuments(host: Host, client: ClientDefinition, roots: Roots, request: EvidenceRequest): Evidence {
  const documents = new Map<string, JsonObject>();
  const places = new Map<string, string>();
  const unread = new Map<string, UnreadEvidence>();
  const take = (names: readonly string[], file: Parameters<typeof readEvidence>[2]): void => {
    if (file.path === '') return;
    names.forEach((name) => places.set(name, file.path));
    const read = readEvidence(host, client.id, file);
    if (read.state === 'read') names.forEach((name) => documents.set(name, read.document));
    if (read.state === 'unread') unread.set(file.path, { name: names[0] ?? '', path: file.path, diagnostic: read.diagnostic });
  };
  for (const file of client.evidenceFiles(roots, request.context)) {
    const found = filesOf(host, client.id, file);
    for (const each of found.files) take([each.name], each);
    for (const each of found.unread) unread.set(each.path, each);
  }
  for (const spec of placedFiles(client, request.context, roots, 'user', placeFor(client, request.settings))) take(namesOf(spec.role), spec);
  if (request.scope === 'project') client.files(roots, 'project').filter((spec) => spec.role !== 'mcp').forEach((spec) => take(['scoped'], spec));
  return { documents, places, unread: [...unread.values()] };
}

function trustEvidence(host: Host, client: ClientDefinition, hooksFile: FileSpec | undefined, evidence: Evidence): ClientEvidence['trust'] {
  if (client.trust === undefined) return 'no-gate';
  // The record of trust may be in any of them, so one that cannot be read leaves it open.
  if (hooksFile === undefined || evidence.unread.some(({ name }) => name === 'own' || name === 'mcp' || name === 'scoped')) return 'unknown';
  const scoped = evidence.documents.get('scoped');
  const documents = new Map(evidence.documents);
  if (hooksFile.scope === 'project') {
    if (scoped === undefined) documents.delete('own');
    else documents.set('own', scoped);
  }
  return client.trust(documents, hooksFile.path, (text) => host.sha256(text)).map((state) => seenTrust(state, evidence));
}

/** From when on a receipt is about the registration as it stands. Without a record the file's own time takes its place. */
function countsSince(files: readonly FileEvidence[]): number | undefined {
  const times = files.filter((file) => file.spec.role !== 'mcp').flatMap((file) => {
    if (file.installedAt !== undefined) return [file.installedAt];
    return file.commands.length > 0 && file.modifiedAt !== undefined ? [file.modifiedAt] : [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

function isBelow(platform: Host['platform'], dir: string): (path: string) => boolean {
  const plain = (path: string): string => (platform === 'win32' ? path.replace(/\\/g, '/').toLowerCase() : path).replace(/\/+$/, '');
  return (path) => plain(path) === plain(dir) || plain(path).startsWith(`${plain(dir)}/`);
}

/** A launcher that only exits lets every call of every client pass, so it is compared with what was written. */
function launcherIntact(host: Host, context: RootContext, records: Records): boolean {
  const path = launcherSpec(context)?.path;
  const record = path === undefined ? undefined : records.get(path);
  if (record === undefined) return true;
  const now = takeSnapshot(host, record.path);
  return now.state === 'file' && now.stamp.digest === record.lastDigest;
}

/** What runs our generated file is looked for where praetorctl itself is looked for. */
function runnerMissing({ id, name, hooks }: ClientDefinition, found: (program: string) => string | undefined): Finding[] {
  const { runner } = hooks;
  if (runner === undefined || found(runner) !== undefined) return [];
  return [{
    id: `${id}.runner-missing`, effect: 'hooks', certain: true, source: ENVIRONMENT, path: ['PATH'],
    message: `${runner} is not on this PATH; without it ${name} leaves its hooks out in silence`, fix: `put ${runner} on the PATH with which ${name} is started`,
  }];
}

const RECORD_VARIABLE = 'PRAETORCTL_HOOK_RECORD_DIR';

/** Our own switch, for every client: a hook that records answers neutrally. */
function recordMode(env: RootContext['env']): Finding[] {
  if ((env[RECORD_VARIABLE] ?? '') === '') return [];
  return [{ id: 'record.on', effect: 'hooks', certain: true, source: ENVIRONMENT, path: [RECORD_VARIABLE], message: `${RECORD_VARIABLE} is set: the hook records and refuses nothing`, fix: `unset ${RECORD_VARIABLE}` }];
}

/** Files that we wrote and that still call us, where the client does not look now. A project's files stand where they stand. */
function elsewhere(host: Host, client: ClientDefinition, request: EvidenceRequest, roots: Roots): readonly string[] {
  if (request.scope === 'project') return [];
  const here = client.files(roots, 'user').map((spec) => spec.path);
  const moved = [...request.records.values()].filter((record) => record.client === client.id && record.scope === 'user' && !here.includes(record.path));
  return moved.map((record) => record.path).filter((path) => {
    const now = takeSnapshot(host, path);
    return now.state === 'file' && new TextDecoder().decode(now.bytes).includes(`praetorctl hook ${client.id} `);
  }).sort();
}

function blockedEntrypoint(host: Host): string | undefined {
  if (host.platform === 'win32') return undefined;
  return pathDirs(host.platform, host.env['PATH']).map((dir) => joinPath(host.platform, dir, 'praetorctl')).find((path) => {
    try { return host.stat(path)?.kind === 'file'; } catch { return false; }
  });
}

/** Reads the place itself, by the rules of the client whose file it is: that client may be told to look elsewhere. */
function doubled(host: Host, client: ClientDefinition, roots: Roots, context: RootContext, files: readonly FileEvidence[]): ClientEvidence['doubled'] {
  const own = files.filter((file) => file.commands.length > 0).map((file) => file.spec.path);
  return doubledIn(client, roots, own, (id, path) => {
    if (id === client.id) return true;
    const source = clientById(id);
    const spec = source.files(source.roots(context), 'user').find(({ role }) => role !== 'mcp');
    const read = spec === undefined ? undefined : readEvidence(host, id, { ...spec, path });
    return read?.state === 'read' && ownedHooks(source.hooks, read.document, idsOf(source)).length > 0;
  });
}

const findingKey = (finding: Finding): string => `${finding.id}\0${finding.message}\0${showPath(finding.path ?? [])}`;

export function gatherEvidence(host: Host, client: ClientDefinition, request: EvidenceRequest): ClientEvidence {
  const { context, scope, settings, governed, records, now } = request;
  const { roots, files: desired, diagnostics } = desiredFor(client, context, scope, settings, { governed });
  const detected = detect(host, client, context, roots);
  const own = desired.map((file) => fileEvidence(file, records.get(file.spec.path), readEvidence(host, client.id, file.spec)));
  const files = scope === 'user' ? withManaged(own, managedEvidence(host, client, desired, (file, document) => ({ hooks: hookEvidence(file, document), commands: commandEvidence(client, file.spec, document) }))) : own;
  const evidence = evidenceDocuments(host, client, roots, request);
  const since = countsSince(files);
  const receipts: ReceiptEvidence = receiptEvidence(request.receipts, {
    id: client.id, aliases: client.aliases, since, now, workspace: scope === 'project' ? isBelow(context.platform, context.project) : undefined,
  });
  // A document that stands under two names would report the same switch twice.
  const onPath = (program: string): string | undefined => findProgram(host, program, pathDirs(host.platform, host.env['PATH'] ?? host.env['Path']));
  const natives = files.flatMap((file) => file.hooks).filter((hook) => hook.status === 'as-desired').map((hook) => hook.native);
  const spared = managedOnly(files);
  const found = [...client.switches(evidence.documents, context.env, context).filter((finding) => !(spared && finding.sparesManaged === true)), ...client.shadows?.(evidence.documents, natives) ?? [], ...recordMode(context.env), ...runnerMissing(client, onPath)];
  const switches = [...new Map(found.map((finding) => [findingKey(finding), seenInDocuments(finding, evidence)])).values()];
  const entrypoint = managedEntrypoint(host, files, () => onPath('praetorctl'));
  return {
    client: client.id, scope, detected: detected.how, program: detected.program, installs: detected.installs, ...installFacts(host, detected.installs[0]),
    files, unread: evidence.unread, switches, trust: spared ? 'no-gate' : trustEvidence(host, client, desired.find((f) => f.spec.role !== 'mcp')?.spec, evidence),
    receipts, since, diagnostics,
    launcherIntact: launcherIntact(host, context, records),
    entrypoint, entrypointBlocked: entrypoint === undefined ? blockedEntrypoint(host) : undefined,
    doubled: doubled(host, client, roots, context, files), elsewhere: elsewhere(host, client, request, roots),
  };
}
