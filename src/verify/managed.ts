// Contract: our hooks in a client's managed channel, as evidence. They are the administrator's: what stands there counts, what does not
// is no fault of this person's, and the client asks nobody about them. Reads through the Host.
import { holds, managedClient, managedSpec, managedSurface, programIn } from '../clientsetup/managed.ts';
import type { DesiredFile } from '../clientsetup/desired.ts';
import type { Host } from '../host.ts';
import type { ClientDefinition } from '../model/client.ts';
import type { FileEvidence, HookEvidence } from '../model/evidence.ts';
import type { JsonObject } from '../model/json.ts';
import { isAbsolutePath } from '../roots/paths.ts';
import { readEvidence } from './documents.ts';

/** How evidence.ts looks at a file. */
type Look = (desired: DesiredFile, document: JsonObject) => Pick<FileEvidence, 'hooks' | 'commands'>;

const STANDS: readonly HookEvidence['status'][] = ['as-desired', 'changed'];

/** undefined where no file of the channel holds a hook of ours. */
export function managedEvidence(host: Host, client: ClientDefinition, files: readonly DesiredFile[], look: Look): FileEvidence | undefined {
  const file = managedSurface(client)?.file(host.platform);
  if (file === undefined) return undefined;
  const spec = managedSpec(file);
  const read = readEvidence(host, client.id, spec);
  const program = read.state === 'read' ? programIn(client, read.document) : undefined;
  if (read.state !== 'read' || program === undefined) return undefined;
  const events = files.flatMap((desired) => desired.events);
  const { hooks, commands } = look({ client: managedClient(client, program), spec, events, servers: [], active: true }, read.document);
  const lost = lacking(host, client, read.document);
  return {
    spec, managed: true, state: 'read', diagnostic: undefined, links: read.links, modifiedAt: read.modifiedAt, recorded: false, installedAt: undefined,
    hooks: hooks.filter(({ status }) => STANDS.includes(status)).map((hook) => (lost.length === 0 ? hook : { ...hook, status: 'changed', keys: lost })), servers: [], commands, findings: [], foreignGone: { hooks: 0, servers: 0 },
  };
}

/** Keys beside the entries, or in a further file, without which the client does not run them or lets others switch them off. */
function lacking(host: Host, client: ClientDefinition, document: JsonObject): readonly string[] {
  const surface = managedSurface(client);
  const beside = Object.entries(surface?.besides ?? {}).filter(([key, value]) => !holds(document[key], value)).map(([key]) => key);
  const further = (surface?.also?.(host.platform) ?? []).filter((file) => {
    const read = readEvidence(host, client.id, file);
    return read.state !== 'read' || !holds(read.document, file.content);
  });
  return [...beside, ...further.flatMap((file) => Object.keys(file.content))].sort();
}

/** An event that the channel holds is not missing in the person's own file. */
export function withManaged(files: readonly FileEvidence[], managed: FileEvidence | undefined): readonly FileEvidence[] {
  if (managed === undefined) return files;
  const held = new Set(managed.hooks.map(({ native }) => native));
  return [...files.map((file) => ({ ...file, hooks: file.hooks.filter(({ status, native }) => status !== 'missing' || !held.has(native)) })), managed];
}

/** All hooks of ours stand in the managed channel. */
export const managedOnly = (files: readonly FileEvidence[]): boolean => files.some(({ managed }) => managed === true) && files.every(({ managed, commands }) => managed === true || commands.length === 0);

/** The program that the hooks start where the channel alone holds them and names it by its path; undefined: it is not there. */
export function managedEntrypoint(host: Host, files: readonly FileEvidence[], onPath: () => string | undefined): string | undefined {
  const command = managedOnly(files) ? files.find(({ managed }) => managed === true)?.commands[0]?.command : undefined;
  const program = command?.slice(0, command.lastIndexOf(' hook '));
  if (program === undefined || !isAbsolutePath(host.platform, program)) return onPath();
  return host.canExecute(program) ? program : undefined;
}
