// Contract: everything that can be seen of one client without starting it and without writing: program, version, files,
// entries against the desired ones, switches, trust, receipts. What could not be read is in the answer as unread, with
// the reason; it is never treated as empty. Reads through the Host.
import type { Host } from '../host.ts';
import type { ClientDefinition, FileSpec, Finding, RootContext, Roots, Scope } from '../model/client.ts';
import type {
  ClientEvidence, CommandEvidence, EntryStatus, FileEvidence, HookEvidence, ReceiptEvidence, ServerEvidence, UnreadEvidence,
} from '../model/evidence.ts';
import { isCanonicalEvent } from '../model/events.ts';
import { isObject, showPath, type JsonObject, type JsonValue } from '../model/json.ts';
import type { EntryAction, EntryChange, FileRecord, Records } from '../model/plan.ts';
import { hasTool } from '../clients/dialect-kit.ts';
import { ownedHooks } from '../clients/registration.ts';
import { launcherSpec } from '../clientsetup/launcher.ts';
import { desiredFor, type DesiredFile } from '../clientsetup/desired.ts';
import { hookOps } from '../clientsetup/hook-ops.ts';
import { mcpOps } from '../clientsetup/mcp-ops.ts';
import { countForeign } from '../clientsetup/plan.ts';
import { takeSnapshot } from '../clientsetup/snapshot.ts';
import { detect, findProgram, pathDirs } from '../roots/context.ts';
import type { Settings } from '../settings/schema.ts';
import { readEvidence, type DocumentRead } from './documents.ts';
import { receiptEvidence, type ReceiptSource } from './receipts.ts';
import { programFacts } from './version.ts';

export interface EvidenceRequest {
  readonly context: RootContext;
  readonly scope: Scope;
  readonly settings: Settings;
  readonly records: Records;
  readonly receipts: ReceiptSource;
  readonly now: number;
}

const idsOf = (client: ClientDefinition): string[] => [client.id, ...client.aliases];

const STATUS: Record<EntryAction, EntryStatus> = { none: 'as-desired', add: 'missing', change: 'changed', remove: 'surplus' };

function hookEvidence(desired: DesiredFile, document: JsonObject | undefined): HookEvidence[] {
  const { client, spec, events } = desired;
  if (spec.role === 'mcp') return [];
  const base = (event: string, native: string): Omit<HookEvidence, 'status' | 'at'> => ({ event, native, path: spec.path, tool: isCanonicalEvent(event) && hasTool(event) });
  if (document === undefined) {
    return events.map((event) => ({ ...base(event.canonical, event.native), status: 'unknown', at: showPath(client.hooks.arrayPath(event.native)) }));
  }
  const owned = ownedHooks(client.hooks, document, idsOf(client));
  // A surplus entry may stand under any native event; its place says under which.
  const nativeOf = (entry: EntryChange): string => events.find((event) => event.canonical === entry.name && entry.action !== 'remove')?.native
    ?? owned.find((own) => entry.at.startsWith(showPath(own.array)))?.native ?? '';
  return hookOps(client, document, events).entries.map((entry) => ({ ...base(entry.name, nativeOf(entry)), status: STATUS[entry.action], at: entry.at }));
}

function serverEvidence(desired: DesiredFile, document: JsonObject | undefined, record: FileRecord | undefined): ServerEvidence[] {
  const { client, spec, servers } = desired;
  if (spec.role === 'hooks') return [];
  if (document === undefined) return servers.map(({ name }) => ({ name, path: spec.path, status: 'unknown' }));
  const { entries, conflicts } = mcpOps(client, document, servers, record?.ownedServers ?? [], false);
  return [
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
  return {
    spec, state: read.state, recorded: record !== undefined, installedAt: record?.installedAt,
    diagnostic: read.state === 'unread' ? read.diagnostic : undefined,
    links: read.state === 'absent' ? [] : read.links,
    modifiedAt: read.state === 'absent' ? undefined : read.modifiedAt,
    hooks: hookEvidence(desired, document), servers: serverEvidence(desired, document, record),
    commands: document === undefined ? [] : commandEvidence(client, spec, document),
    findings: read.state === 'read' ? client.lint(spec.role, read.document) : [],
    foreignGone: foreignGone(desired, record, read),
  };
}

interface Evidence { readonly documents: ReadonlyMap<string, JsonObject>; readonly unread: readonly UnreadEvidence[] }

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
  const unread = new Map<string, UnreadEvidence>();
  const take = (names: readonly string[], file: Parameters<typeof readEvidence>[2]): void => {
    if (file.path === '') return;
    const read = readEvidence(host, client.id, file);
    if (read.state === 'read') names.forEach((name) => documents.set(name, read.document));
    if (read.state === 'unread') unread.set(file.path, { name: names[0] ?? '', path: file.path, diagnostic: read.diagnostic });
  };
  for (const file of client.evidenceFiles(roots, request.context)) take([file.name], file);
  for (const spec of client.files(roots, 'user')) take(namesOf(spec.role), spec);
  if (request.scope === 'project') client.files(roots, 'project').filter((spec) => spec.role !== 'mcp').forEach((spec) => take(['scoped'], spec));
  return { documents, unread: [...unread.values()] };
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
  return client.trust(documents, hooksFile.path, (text) => host.sha256(text));
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

const findingKey = (finding: Finding): string => `${finding.id}\0${finding.message}\0${showPath(finding.path ?? [])}`;

export function gatherEvidence(host: Host, client: ClientDefinition, request: EvidenceRequest): ClientEvidence {
  const { context, scope, settings, records, now } = request;
  const { roots, files: desired, diagnostics } = desiredFor(client, context, scope, settings);
  const found = detect(host, client, context, roots);
  const files = desired.map((file) => fileEvidence(file, records.get(file.spec.path), readEvidence(host, client.id, file.spec)));
  const evidence = evidenceDocuments(host, client, roots, request);
  const since = countsSince(files);
  const receipts: ReceiptEvidence = receiptEvidence(request.receipts, {
    id: client.id, aliases: client.aliases, since, now, workspace: scope === 'project' ? isBelow(context.platform, context.project) : undefined,
  });
  // A document that stands under two names would report the same switch twice.
  const switches = [...new Map(client.switches(evidence.documents, context.env).map((finding) => [findingKey(finding), finding])).values()];
  return {
    client: client.id, scope, detected: found.how, program: found.program, ...programFacts(host, found.program),
    files, unread: evidence.unread, switches, trust: trustEvidence(host, client, desired.find((f) => f.spec.role !== 'mcp')?.spec, evidence),
    receipts, since, diagnostics,
    launcherIntact: launcherIntact(host, context, records),
    entrypoint: findProgram(host, 'praetorctl', pathDirs(host.platform, host.env['PATH'] ?? host.env['Path'])),
  };
}
