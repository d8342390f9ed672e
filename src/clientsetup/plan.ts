// Contract: desired + snapshot + record -> plan. The one planner: `remove` is a plan with nothing desired. Nothing is ever
// treated as empty that could not be read; every refusal says where, why and what to do. PURE.
import type { Diagnostic } from '../model/diagnostic.ts';
import type { EditOp, Editor, MergeFault, Tolerance } from '../model/edit.ts';
import { isObject, sameValue, showPath, type JsonObject, type Path } from '../model/json.ts';
import type { EntryChange, FilePlan, FileRecord, PlanCounts, Snapshot } from '../model/plan.ts';
import type { ClientDefinition, FileSpec, Finding } from '../model/client.ts';
import { decodeBytes, encodeText, positionOf, type TextDoc } from '../merge/text.ts';
import { artefactEditor } from '../merge/artefact.ts';
import { jsonEditor } from '../merge/json.ts';
import { tomlEditor } from '../merge/toml.ts';
import { yamlEditor } from '../merge/yaml.ts';
import { hasHooks } from '../clients/mcp-only.ts';
import { foreignHooks, ownedHooks } from '../clients/registration.ts';
import { NOTHING_GOVERNED } from '../settings/guarded.ts';
import type { DesiredFile } from './desired.ts';
import { hookOps } from './hook-ops.ts';
import { mcpOps, serverNames, type McpOps } from './mcp-ops.ts';
import { takeover, type Difference } from './takeover.ts';

export interface PlanInput {
  readonly desired: DesiredFile;
  readonly snapshot: Snapshot;
  readonly record: FileRecord | undefined;
  /** The bytes from before our first touch, if the record has them and they could be read. */
  readonly original: Uint8Array | undefined;
  /** Take over same-name MCP entries of another owner. */
  readonly adopt: boolean;
}

export interface FileVerdict { readonly file: FilePlan | undefined; readonly diagnostics: readonly Diagnostic[] }

export function editorOf(format: FileSpec['format'], tolerance: Tolerance): Editor {
  if (format === 'artefact') return artefactEditor;
  return format === 'json' ? jsonEditor(tolerance) : format === 'yaml' ? yamlEditor(tolerance) : tomlEditor;
}

const FAULT_FIX: Readonly<Partial<Record<MergeFault['code'], string>>> = {
  'empty-file': 'write {} into the file or delete it', 'too-large': 'make the file smaller', 'merge-conflict-markers': 'resolve the conflict',
  'undecodable': 'save the file as UTF-8', 'nul-filled': 'restore the file from a backup or delete it',
  'foreign-entry': 'move the file away',
};

function refusal(desired: DesiredFile, fault: MergeFault): Diagnostic {
  const { client, spec } = desired;
  const again = `praetorctl clients plan --client ${client.id}`;
  return {
    code: fault.code, severity: 'error', client: client.id, message: fault.message,
    where: { path: spec.path, line: fault.line, column: fault.column },
    fix: `${FAULT_FIX[fault.code] ?? 'correct the file'}, then run: ${again}`,
  };
}

/** Where a value stands: the place at which the editor would put another one. */
function placeOf(read: Read, path: Path): { line: number; column: number } | undefined {
  const probe = read.editor.edit(read.doc.text, [{ op: 'replace', path, value: 'praetorctl looks for the place of this value' }]);
  const start = probe.ok ? probe.splices[0]?.start : undefined;
  return start === undefined ? undefined : positionOf(read.doc.text, start);
}

function lintDiagnostic(desired: DesiredFile, finding: Finding, read: Read): Diagnostic {
  const blocks = finding.effect === 'file' && finding.certain;
  return {
    code: blocks ? 'client-rejects' : 'note', severity: blocks ? 'error' : 'warning', client: desired.client.id,
    message: `${finding.path === undefined ? '' : `${showPath(finding.path)}: `}${finding.message}`,
    where: { path: desired.spec.path, ...(finding.path === undefined ? {} : placeOf(read, finding.path)) }, fix: finding.fix,
  };
}

/** Everything by which the client would not read this file as it stands. */
export function findingsOf(client: ClientDefinition, spec: FileSpec, document: JsonObject, links: readonly string[]): readonly Finding[] {
  const name = spec.path.slice(Math.max(spec.path.lastIndexOf('/'), spec.path.lastIndexOf('\\')));
  const isLink = spec.linksIgnored === true && links.some((link) => link.endsWith(name));
  const skipped: Finding = {
    id: `${client.id}.link-ignored`, effect: 'file', certain: true,
    message: `this is a symbolic link; ${client.name} leaves it out in silence`, fix: 'remove the link, then apply',
  };
  return [...(isLink ? [skipped] : []), ...client.lint(spec.role, document)];
}

interface Read { readonly doc: TextDoc; readonly editor: Editor; readonly value: JsonObject }

/** A new document: what the editor makes of nothing. */
function emptyRead(spec: FileSpec): Read {
  return { doc: { text: '', encoding: 'utf-8', bom: false }, editor: editorOf(spec.format, { ...spec.tolerance, emptyIsObject: true }), value: {} };
}

type Readable = Partial<FileSpec> & Pick<FileSpec, 'format' | 'tolerance'>;

/** Bytes -> document, or why not. Shared with verify, so that both read by the same rules. */
export function readDocument(spec: Readable, bytes: Uint8Array): { ok: true; read: Read } | { ok: false; fault: MergeFault } {
  const decoded = decodeBytes(bytes, spec.tolerance);
  if (!decoded.ok) return decoded;
  const editor = editorOf(spec.format, spec.tolerance);
  const read = editor.read(decoded.doc.text);
  if (!read.ok) return read;
  if (!isObject(read.value)) {
    return { ok: false, fault: { code: 'not-an-object', message: 'the document is not an object', offset: 0, ...positionOf(decoded.doc.text, 0) } };
  }
  return { ok: true, read: { doc: decoded.doc, editor, value: read.value } };
}

function notesFor(input: PlanInput, hooks: { shifted: number; entries: readonly EntryChange[] }): Diagnostic[] {
  const { client, spec } = input.desired;
  const notes: Diagnostic[] = [];
  if (hooks.shifted > 0) {
    notes.push({
      code: 'trust-shift', severity: 'warning', client: client.id, where: { path: spec.path },
      message: `${hooks.shifted} foreign hook group(s) stand behind ours and move up; ${client.name} keys its trust by position and will ask for them again`,
      fix: client.afterApply[0] ?? 'review them in the client',
    });
  }
  if (client.trust !== undefined && hooks.entries.some((e) => e.action === 'add' || e.action === 'change')) {
    notes.push({
      code: 'trust-needed', severity: 'info', client: client.id, where: { path: spec.path },
      message: `${client.name} will not run new or changed hooks until you trust them (untrusted hooks are skipped in silence)`,
      fix: client.afterApply[0] ?? '',
    });
  }
  return notes;
}

const deepestFirst = (a: Path, b: Path): number => b.length - a.length;

/** Bytes may be put back only if nobody else wrote since our last write. */
function isUntouched(input: PlanInput): boolean {
  const { record, snapshot } = input;
  return record !== undefined && record.pristine && snapshot.state === 'file' && snapshot.stamp.digest === record.lastDigest;
}

interface Draft {
  readonly before: FilePlan['before'];
  readonly read: Read;
  readonly entries: readonly EntryChange[];
  readonly ops: readonly EditOp[];
  readonly owned: readonly string[];
}

/** The file may have held entries of ours before the first touch that we remember (our state was lost): then it is edited. */
function holdsOurs(input: PlanInput, original: Uint8Array): boolean {
  const { client, spec } = input.desired;
  if (spec.role === 'mcp') return false;
  const opened = readDocument(spec, original);
  return !opened.ok || ownedHooks(client.hooks, opened.read.value, [client.id, ...client.aliases]).length > 0;
}

/** Nothing is left but what a new file of this client begins with. */
function isBare({ client, spec }: DesiredFile, document: JsonObject): boolean {
  const begin = (spec.role === 'mcp' ? client.mcp.preamble : client.hooks.preamble) ?? {};
  return Object.keys(document).every((key) => sameValue(document[key], begin[key]));
}

/** Restores the original bytes where that is exact; deletes a file that we created and that holds nothing else. */
function removal(input: PlanInput, draft: Draft, text: string): Pick<FilePlan, 'action' | 'after' | 'mode'> {
  const { record, original } = input;
  const edited = encodeText(draft.read.doc, text);
  const mode = draft.before.state === 'file' ? draft.before.stamp.mode : 0o600;
  if (record !== undefined && !record.existed) {
    const left = draft.read.editor.read(text);
    if (isUntouched(input) || text.trim() === '' || (left.ok && isObject(left.value) && isBare(input.desired, left.value))) return { action: 'delete', after: null, mode };
  }
  if (record?.original != null && original !== undefined && isUntouched(input) && !holdsOurs(input, original)) return { action: 'restore', after: original, mode: record.original.mode };
  return { action: 'edit', after: edited, mode };
}

/** A program of ours that its client cannot start. Only systems with such a right have files of this kind. */
export function lacksExecute(spec: FileSpec, mode: number): boolean {
  return spec.executable === true && (mode & 0o100) === 0;
}

/** The right to execute for everyone who may read. */
export const withExecute = (spec: FileSpec, mode: number): number => (lacksExecute(spec, mode) ? mode | ((mode & 0o444) >> 2) : mode);

/** The bytes are as desired: no work, unless the client could not start the program that they are. */
function sameBytes(input: PlanInput, draft: Draft): FilePlan {
  const { client, spec } = input.desired;
  const { before, entries } = draft;
  const base = { client: client.id, spec, before, ownedServers: draft.owned, created: input.record?.created ?? [] };
  const mode = before.state === 'file' ? before.stamp.mode : 0;
  if (before.state === 'absent' || entries.length === 0 || !lacksExecute(spec, mode)) return { ...base, action: 'none', after: null, mode, entries };
  return { ...base, action: 'edit', after: before.bytes, mode: withExecute(spec, mode), entries: entries.map((entry) => ({ ...entry, action: 'change' })) };
}

/** The person put a link where our file stood: deleting what is behind it would leave the link to nothing. */
export function leavesLink(client: string, { action, before }: Pick<FilePlan, 'action' | 'before'>): Diagnostic | undefined {
  if (action !== 'delete' || before.state !== 'file' || !before.links.includes(before.path)) return undefined;
  return {
    code: 'dangling-link', severity: 'error', client, where: { path: before.path },
    message: `this is a symbolic link to the file that would be deleted, ${before.target}; the link would point to nothing`,
    fix: 'put the file back in the place of the link, or remove the link, then run the command again',
  };
}

function finish(input: PlanInput, draft: Draft): FileVerdict {
  const { client, spec, events, servers } = input.desired;
  const nothing = events.length === 0 && servers.length === 0;
  const base = { client: client.id, spec, before: draft.before, entries: draft.entries, ownedServers: draft.owned };
  const recorded = input.record?.created ?? [];
  // A file in which nothing of ours is left, but which we still remember, is no work: apply drops the record.
  if (draft.ops.length === 0) return { file: sameBytes(input, draft), diagnostics: [] };
  const prunes = [...recorded].sort(deepestFirst).map((path): EditOp => ({ op: 'prune', path }));
  const result = draft.read.editor.edit(draft.read.doc.text, [...draft.ops, ...prunes]);
  if (!result.ok) return { file: undefined, diagnostics: [refusal(input.desired, result.fault)] };
  const created = [...recorded, ...result.created.filter((path) => !recorded.some((r) => showPath(r) === showPath(path)))];
  if (draft.before.state === 'absent') {
    const mode = spec.executable === true ? 0o755 : spec.secret ? 0o600 : 0o644;
    return { file: { ...base, action: 'create', after: encodeText(draft.read.doc, result.text), mode, created }, diagnostics: [] };
  }
  const end = nothing ? removal(input, draft, result.text) : { action: 'edit' as const, after: encodeText(draft.read.doc, result.text), mode: withExecute(spec, draft.before.stamp.mode) };
  const link = leavesLink(client.id, { action: end.action, before: draft.before });
  if (link !== undefined) return { file: undefined, diagnostics: [link] };
  return { file: { ...base, ...end, created: end.action === 'restore' || end.action === 'delete' ? [] : created }, diagnostics: [] };
}

function conflicts(input: PlanInput, names: readonly string[]): Diagnostic[] {
  const { client, spec } = input.desired;
  return names.map((name): Diagnostic => ({
    code: 'foreign-entry', severity: 'error', client: client.id, where: { path: spec.path },
    message: `an MCP server named ${name} is already registered by someone else and differs`,
    fix: `rename it in the settings, or take it over: praetorctl clients apply --client ${client.id} --adopt`,
  }));
}

function differences(input: PlanInput, found: readonly Difference[]): Diagnostic[] {
  const { client, spec } = input.desired;
  return found.map(({ name, why }): Diagnostic => ({
    code: 'foreign-entry', severity: 'error', client: client.id, where: { path: spec.path },
    message: `the MCP server ${name} is governed by a catalogue, but ${why}`,
    fix: `rename one of the two, put the runtime in its place all the same: praetorctl clients apply --client ${client.id} --adopt, or set contract.client_servers: leave`,
  }));
}

function originalDocument({ original, desired: { spec } }: PlanInput): JsonObject | undefined {
  const opened = original === undefined ? undefined : readDocument(spec, original);
  return opened?.ok === true ? opened.read.value : undefined;
}

interface ServerPart extends Pick<McpOps, 'ops' | 'entries' | 'owned'> {
  readonly wanted: DesiredFile['servers'];
  readonly refused: readonly Diagnostic[];
  /** An entry of somebody else becomes ours. */
  readonly takes: boolean;
}

function serverPart(input: PlanInput, document: JsonObject): ServerPart {
  const { desired, adopt } = input;
  if (desired.spec.role === 'hooks') return { ops: [], entries: [], owned: [], wanted: [], refused: [], takes: false };
  const ours = input.record?.ownedServers ?? [];
  const original = originalDocument(input);
  const { servers: wanted, taken, differing } = takeover(desired, document, ours, adopt, original);
  const made = mcpOps(desired.client, document, wanted, { ours, taken: adopt ? 'all' : taken, original });
  const names = serverNames(document[desired.client.mcp.key]);
  return { ...made, wanted, refused: [...conflicts(input, made.conflicts), ...differences(input, differing)], takes: made.owned.some((name) => !ours.includes(name) && names.includes(name)) };
}

/** Another's entry becomes ours in a file that others changed since our first touch: what is to come back is the file of now, without us. */
function withBaseline(input: PlanInput, file: FilePlan): FilePlan {
  const { desired, snapshot, record } = input;
  if (record === undefined || isUntouched(input) || snapshot.state !== 'file') return file;
  const without = planFile({ ...input, adopt: false, original: undefined, desired: { ...desired, events: [], servers: [], governed: NOTHING_GOVERNED, active: false } }).file;
  return { ...file, baseline: { bytes: without?.after ?? snapshot.bytes, mode: snapshot.stamp.mode } };
}

/**
 * What `remove` does with a file that it cannot read: an error where we know that we wrote there. Otherwise a warning, so that
 * a broken file of one client does not keep the registrations of the others in place.
 */
function unless(input: PlanInput, diagnostic: Diagnostic): Diagnostic {
  if (input.desired.active || input.record !== undefined) {
    return { ...diagnostic, fix: `${diagnostic.fix}; or go on without ${input.desired.client.name}: name the other clients with --client` };
  }
  return { ...diagnostic, severity: 'warning', message: `${diagnostic.message}; it is left as it is (we have no record of writing there)` };
}

/** Plans one file. Without a file in the answer, the diagnostics hold the refusal. */
export function planFile(input: PlanInput): FileVerdict {
  const { desired, snapshot, record } = input;
  const { client, spec, events, servers } = desired;
  // On removal a servers' file in which we never wrote is none of our business. Otherwise a broken one is refused even if
  // we want nothing in it: Codex, Antigravity and Claude Code do not start with it, so the hooks would never run.
  const onlyServers = !desired.active || (!hasHooks(client) && servers.length === 0 && (desired.governed ?? NOTHING_GOVERNED).size === 0);
  if (onlyServers && spec.role === 'mcp' && record === undefined) return { file: undefined, diagnostics: [] };
  if (snapshot.state === 'refused') return { file: undefined, diagnostics: [unless(input, snapshot.diagnostic)] };
  if (snapshot.state === 'absent' && events.length === 0 && servers.length === 0) return { file: undefined, diagnostics: [] };
  const opened = snapshot.state === 'absent' ? { ok: true as const, read: emptyRead(spec) } : readDocument(spec, snapshot.bytes);
  if (!opened.ok) return { file: undefined, diagnostics: [unless(input, refusal(desired, opened.fault))] };
  const read = opened.read;
  const hooks = spec.role === 'mcp' ? { ops: [], entries: [], shifted: 0 } : hookOps(client, spec, read.value, events);
  const servers_ = serverPart(input, read.value);
  const entries = [...hooks.entries, ...servers_.entries];
  // A file that holds nothing of ours and shall hold nothing.
  if (entries.length === 0 && record === undefined && servers_.refused.length === 0) return { file: undefined, diagnostics: [] };
  if (servers_.refused.length > 0) return { file: undefined, diagnostics: servers_.refused };
  // A file that is not there has no faults: it will begin with what the client needs.
  const lint = !desired.active || snapshot.state === 'absent' ? [] : findingsOf(client, spec, read.value, snapshot.state === 'file' ? snapshot.links : []).map((finding) => lintDiagnostic(desired, finding, read));
  if (lint.some((d) => d.severity === 'error')) return { file: undefined, diagnostics: lint };
  const done = finish({ ...input, desired: { ...desired, servers: servers_.wanted } }, { before: snapshot, read, entries, ops: [...hooks.ops, ...servers_.ops], owned: servers_.owned });
  return { file: servers_.takes && done.file !== undefined ? withBaseline(input, done.file) : done.file, diagnostics: [...lint, ...notesFor(input, hooks), ...done.diagnostics] };
}

/** Foreign entries of a file, so that their shrinkage can be reported later. */
export function countForeign(desired: DesiredFile, bytes: Uint8Array | null, ownedServers: readonly string[]): { hooks: number; servers: number } {
  if (bytes === null) return { hooks: 0, servers: 0 };
  const opened = readDocument(desired.spec, bytes);
  if (!opened.ok) return { hooks: 0, servers: 0 };
  const { client, spec } = desired;
  const names = spec.role === 'hooks' ? [] : serverNames(opened.read.value[client.mcp.key]).filter((name) => !ownedServers.includes(name));
  return { hooks: spec.role === 'mcp' ? 0 : foreignHooks(client.hooks, opened.read.value, [client.id, ...client.aliases]), servers: names.length };
}

export function countEntries(files: readonly { readonly entries: readonly EntryChange[] }[]): PlanCounts {
  const all = files.flatMap((file) => file.entries);
  const of = (action: EntryChange['action']): number => all.filter((entry) => entry.action === action).length;
  return { add: of('add'), change: of('change'), remove: of('remove'), unchanged: of('none') };
}

