// Contract: what shall be registered, from the registry and the settings. PURE.
import type { ClientDefinition, FileSpec, HookEvent, McpServer, RootContext, Roots, Scope } from '../model/client.ts';
import { PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import type { JsonObject } from '../model/json.ts';
import { isAbsolutePath } from '../roots/paths.ts';
import { NOTHING_GOVERNED, type Governed } from '../settings/guarded.ts';
import { wantedEvents, type Settings } from '../settings/schema.ts';

export interface DesiredServer { readonly name: string; readonly entry: JsonObject }

/** What shall stand in one file. Nothing in either list: whatever is ours there goes. */
export interface DesiredFile {
  readonly client: ClientDefinition;
  readonly spec: FileSpec;
  readonly events: readonly HookEvent[];
  readonly servers: readonly DesiredServer[];
  /** What catalogues say of servers that the client has by itself; absent: nothing. */
  readonly governed?: Governed;
  /** False for `remove`: then a file in which we never wrote is not even opened. */
  readonly active: boolean;
}

export interface Desired {
  readonly client: ClientDefinition;
  readonly roots: Roots;
  readonly files: readonly DesiredFile[];
  readonly diagnostics: readonly Diagnostic[];
}

function toServer(value: Settings['mcpServers'][string]): McpServer {
  return 'command' in value
    ? { kind: 'stdio', command: value.command, args: value.args, env: value.env }
    : { kind: 'http', url: value.url, headers: value.headers };
}

function desiredServers(client: ClientDefinition, settings: Settings): { servers: DesiredServer[]; diagnostics: Diagnostic[] } {
  const servers: DesiredServer[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const name of Object.keys(settings.mcpServers).sort()) {
    const value = settings.mcpServers[name];
    if (value === undefined) continue;
    const skip = (why: string): void => {
      diagnostics.push({ code: 'note', severity: 'warning', client: client.id, message: `server ${name} is left out of ${client.name}: ${why}`, fix: `change mcpServers.${name} in the settings, or register it in ${client.name} by hand` });
    };
    if (!client.mcp.validName(name)) { skip('the client does not accept this name'); continue; }
    const result = client.mcp.entry(toServer(value));
    if (result.ok) servers.push({ name, entry: result.entry });
    else skip(result.why);
  }
  return { servers, diagnostics };
}

/** The place that the operator names for a client's servers. */
export function placeFor({ id, aliases }: ClientDefinition, settings: Settings): string | undefined {
  return [id, ...aliases].map((word) => settings.clients.places[word]).find((path) => path !== undefined);
}

/** The client's files; `place` takes the place of the person's first servers' file. Throws where there is none to move. */
export function placedFiles(client: ClientDefinition, { platform }: RootContext, roots: Roots, scope: Scope, place: string | undefined): readonly FileSpec[] {
  const files = client.files(roots, scope);
  if (place === undefined || scope !== 'user') return files;
  const key = `clients.places.${client.id}`;
  if (!isAbsolutePath(platform, place)) {
    throw new PraetorError({ code: 'root-override-relative', client: client.id, message: `${key} is not an absolute path`, fix: `write an absolute path, or take ${key} out of the settings` });
  }
  const first = files.find((spec) => spec.role === 'mcp');
  if (first === undefined) {
    throw new PraetorError({ code: 'settings-invalid', client: client.id, message: `${client.name} has no file for its servers alone, so ${key} cannot move it`, fix: `take ${key} out of the settings` });
  }
  return files.map((spec) => (spec === first ? { ...spec, path: place } : spec));
}

/**
 * Desired state of one client. `settings` null: nothing (that is what `remove` asks for, which takes the place that is recorded).
 * Throws on a wrong root override.
 */
export function desiredFor(client: ClientDefinition, context: RootContext, scope: Scope, settings: Settings | null, rest: { readonly recorded?: string | undefined; readonly governed?: Governed } = {}): Desired {
  const place = settings === null ? rest.recorded : placeFor(client, settings);
  const roots = client.roots(context);
  const events = settings === null ? undefined : wantedEvents(settings);
  const wanted = client.hooks.events.filter((event) => events?.has(event.canonical) === true);
  const { servers, diagnostics } = settings === null ? { servers: [], diagnostics: [] } : desiredServers(client, settings);
  const files = placedFiles(client, context, roots, scope, place).map((spec): DesiredFile => ({
    client, spec, active: settings !== null,
    events: spec.role === 'mcp' ? [] : wanted.filter((event) => spec.natives?.includes(event.native) ?? true),
    servers: spec.role === 'hooks' ? [] : servers,
    governed: spec.role === 'hooks' || settings === null ? NOTHING_GOVERNED : rest.governed ?? NOTHING_GOVERNED,
  }));
  // Where the place is named, nothing is in doubt about it any more.
  const doubts = roots.diagnostics.filter((d) => place === undefined || d.code !== 'unverified-root' || d.severity !== 'info');
  return { client, roots, files, diagnostics: [...doubts, ...diagnostics] };
}
