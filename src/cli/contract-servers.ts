// Contract: how a server is started, from the operator's settings or from the files of the clients. Through Host, reads only.
import type { ClientDefinition, RootContext, Scope } from '../model/client.ts';
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Host } from '../host.ts';
import { CLIENTS } from '../clients/registry.ts';
import type { Settings } from '../settings/schema.ts';
import { readEvidence } from '../verify/documents.ts';

export type FoundServer =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly envNames: readonly string[]; readonly env: Readonly<Record<string, string>>; readonly from: string }
  /** `headers`: as they stand there, with references in the client's spelling. `headerEnv`: the variables, where they are known. */
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly headerEnv?: Readonly<Record<string, string>>; readonly from: string };

/** An entry in any client's spelling: a command with arguments, a list of both, or an address. */
export function serverOfEntry(entry: JsonValue | undefined, from: string): FoundServer | undefined {
  if (!isObject(entry)) return undefined;
  const url = entry['url'] ?? entry['httpUrl'] ?? entry['serverUrl'];
  if (typeof url === 'string') return { kind: 'http', url, headers: headersOf(entry), from };
  const words = Array.isArray(entry['command']) ? entry['command'] : [entry['command'] ?? entry['cmd'], ...(Array.isArray(entry['args']) ? entry['args'] : [])];
  if (!words.every((word) => typeof word === 'string') || words.length === 0) return undefined;
  const [command = '', ...args] = words as string[];
  const env = envOf(entry['env'] ?? entry['environment'] ?? entry['envs']);
  return { kind: 'stdio', command, args, env, envNames: Object.keys(env).sort(), from };
}

/** Some clients name a variable instead of a value. */
function headersOf(entry: JsonObject): Record<string, string> {
  const options = entry['requestOptions'];
  const named = Object.entries(envOf(entry['env_http_headers'])).map(([header, name]) => [header, `\${${name}}`]);
  const bearer = entry['bearer_token_env_var'];
  return {
    ...envOf(entry['headers'] ?? entry['http_headers'] ?? (isObject(options) ? options['headers'] : undefined)), ...Object.fromEntries(named),
    ...(typeof bearer === 'string' ? { Authorization: `Bearer \${${bearer}}` } : {}),
  };
}

function envOf(value: JsonValue | undefined): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

/** Is the entry the guarding runtime already? */
export function isGuarded(server: FoundServer): boolean {
  return server.kind === 'stdio' && server.args[0] === 'mcp' && /(?:^|[\\/])praetorctl(?:\.cmd|\.exe)?$/.test(server.command);
}

export interface FindRequest { readonly context: RootContext; readonly settings: Settings; readonly clients: readonly string[]; readonly scope: Scope }

/** In the settings first, then client by client; entries that are the runtime itself are left out. */
export function findServers(host: Host, name: string, { context, settings, clients, scope }: FindRequest): FoundServer[] {
  const found: FoundServer[] = [];
  const own = Object.hasOwn(settings.mcpServers, name) ? settings.mcpServers[name] : undefined;
  if (own !== undefined && clients.length === 0) {
    found.push('command' in own ? { kind: 'stdio', command: own.command, args: own.args, env: own.env, envNames: Object.keys(own.env).sort(), from: 'the settings' } : { kind: 'http', url: own.url, headers: own.headers, from: 'the settings' });
  }
  for (const client of CLIENTS.filter(({ id }) => clients.length === 0 || clients.includes(id))) {
    for (const { name: entry, server } of serversOf(host, client, context, [scope])) {
      if (entry === name && server !== undefined && !isGuarded(server)) found.push(server);
    }
  }
  return found;
}

interface NamedEntry { readonly name: string; readonly entry: JsonValue | undefined }

/** A table by name, or a list whose entries say theirs. */
function namedEntries(servers: JsonValue | undefined): NamedEntry[] {
  if (Array.isArray(servers)) return servers.map((entry) => ({ name: isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : '?', entry }));
  return isObject(servers) ? Object.entries(servers).map(([name, entry]) => ({ name, entry })) : [];
}

/** A file that cannot be read holds no entry that could be used. */
function entriesOf(host: Host, client: ClientDefinition, context: RootContext, scope: Scope): NamedEntry[] {
  return client.files(client.roots(context), scope).filter((spec) => spec.role !== 'hooks').flatMap((spec) => {
    const read = readEvidence(host, client.id, spec);
    if (read.state === 'unread') return [{ name: spec.path, entry: undefined }];
    return read.state === 'read' ? namedEntries(read.document[client.mcp.key]) : [];
  });
}

/** Every server in the client's files. Without `server`: an entry or a whole file that is not understood, so what it starts is not known. */
export function serversOf(host: Host, client: ClientDefinition, context: RootContext, scopes: readonly Scope[]): { readonly name: string; readonly server: FoundServer | undefined }[] {
  return scopes.flatMap((scope) => entriesOf(host, client, context, scope)).map(({ name, entry }) => ({ name, server: serverOfEntry(entry, client.name) }));
}
