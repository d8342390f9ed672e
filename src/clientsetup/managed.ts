// Contract: a client's registrations in its managed channel, by the same row and planner as in a person's file: only the place is
// another, and the program is named so that a person's PATH does not choose it. PURE.
import { arrayPathIn, hookEntry, ownedHooks } from '../clients/registration.ts';
import type { ClientDefinition, FileSpec, HookEvent, Platform } from '../model/client.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject, sameValue, showPath, type JsonObject, type JsonValue, type Path } from '../model/json.ts';
import type { ManagedCompanion, ManagedFile, ManagedSurface } from '../model/managed.ts';
import { planFile, readDocument } from './plan.ts';

export function managedSurface({ managed }: ClientDefinition): ManagedSurface | undefined {
  return managed !== undefined && 'file' in managed ? managed : undefined;
}

export function managedSpec(file: ManagedFile): FileSpec {
  return { role: 'hooks', scope: 'user', path: file.path, format: file.format, tolerance: file.tolerance, secret: false };
}

/**
 * POSIX: an absolute path, which holds nothing that a shell would read. Windows: bare words, because no one spelling of a path with
 * blanks is a command in cmd, PowerShell and Git Bash alike; there the machine's PATH comes before the person's.
 */
export function managedProgram(platform: Platform, launcher: string): string {
  return platform === 'win32' ? 'praetorctl' : launcher;
}

export const MANAGED_LAUNCHERS: Readonly<Record<Platform, string>> = {
  linux: '/usr/local/bin/praetorctl', darwin: '/usr/local/bin/praetorctl', win32: 'C:\\Program Files\\praetorctl\\praetorctl.cmd',
};

/** The row, with this program in the place of the bare word and what must stand beside the entries. */
export function managedClient(client: ClientDefinition, program: string): ClientDefinition {
  const { hooks } = client;
  const { handler } = hooks;
  const preamble = { ...hooks.preamble, ...managedSurface(client)?.besides };
  return { ...client, hooks: { ...hooks, preamble, handler: { ...handler, make: (command, event) => handler.make(command.replace(/^praetorctl(?= )/, () => program), event) } } };
}

/** The program that our entries of a document name; undefined where there are none. */
export function programIn(client: ClientDefinition, document: JsonObject): string | undefined {
  const [own] = ownedHooks(client.hooks, document, [client.id, ...client.aliases]);
  return own?.command.slice(0, own.command.lastIndexOf(' hook '));
}

/** One change by hand, where a file of somebody else stands: a value at the end of a list, or a key. */
export type MergeStep = { readonly append: string; readonly value: JsonValue } | { readonly set: string; readonly value: JsonValue };
export interface ManagedContent { readonly text: string; readonly document: JsonObject; readonly merge: readonly MergeStep[] }

/** The whole file where there is none, and what would have to be added to one. */
export function managedContent(client: ClientDefinition, file: ManagedFile, events: readonly HookEvent[], program: string): ManagedContent {
  const spec = managedSpec(file);
  const managed = managedClient(client, program);
  const { file: plan, diagnostics } = planFile({
    desired: { client: managed, spec, events, servers: [], active: true },
    snapshot: { state: 'absent', path: spec.path, target: spec.path, missingDirs: [] }, record: undefined, original: undefined, adopt: false,
  });
  const error = diagnostics.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new PraetorError(error);
  const read = plan?.after == null ? undefined : readDocument(spec, plan.after);
  if (plan?.after == null || read?.ok !== true || !isObject(read.read.value)) throw new PraetorError({ code: 'internal', client: client.id, message: 'nothing is planned for the managed channel', fix: 'report this as a bug' });
  const besides = Object.entries(managedSurface(client)?.besides ?? {}).flatMap(([key, value]) => leaves([key], value));
  return {
    text: new TextDecoder().decode(plan.after), document: read.read.value,
    merge: [...besides, ...events.map((event) => ({ append: showPath(arrayPathIn(managed.hooks, spec, event.native)), value: hookEntry(managed.hooks, client.id, event) }))],
  };
}

/** As `managedContent`, for a file that only points at another one. */
export function companionContent({ content }: ManagedCompanion): ManagedContent {
  return { text: `${JSON.stringify(content, null, 2)}\n`, document: content, merge: Object.entries(content).flatMap(([key, value]) => leaves([key], value)) };
}

/** Is everything of `wanted` in the document? Of a list: each of its values. */
export function holds(document: JsonValue | undefined, wanted: JsonValue): boolean {
  if (Array.isArray(wanted)) return Array.isArray(document) && wanted.every((value) => document.some((one) => sameValue(one, value)));
  if (isObject(wanted)) return isObject(document) && Object.entries(wanted).every(([key, value]) => holds(document[key], value));
  return document !== undefined && sameValue(document, wanted);
}

function leaves(path: Path, value: JsonValue): MergeStep[] {
  if (Array.isArray(value)) return value.map((one) => ({ append: showPath(path), value: one }));
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => leaves([...path, key], inner)) : [{ set: showPath(path), value }];
}
