// Contract: how a server is started, from the operator's settings or from the files of the clients. Through Host, reads only.
import type { ClientDefinition, RootContext, Scope } from '../model/client.ts';
import { isGuarded, namedEntries, serverOfEntry, type EntryServer, type NamedEntry } from '../clients/mcp-entry.ts';
import type { Host } from '../host.ts';
import { CLIENTS } from '../clients/registry.ts';
import type { Settings } from '../settings/schema.ts';
import { readEvidence } from '../verify/documents.ts';

export type FoundServer = EntryServer & { readonly from: string; /** Header to variable, where a catalogue says so. */ readonly headerEnv?: Readonly<Record<string, string>> };

export interface FindRequest { readonly context: RootContext; readonly settings: Settings; readonly clients: readonly string[]; readonly scope: Scope }

/** In the settings first, then client by client; entries that are the runtime itself are left out. */
export function findServers(host: Host, name: string, { context, settings, clients, scope }: FindRequest): FoundServer[] {
  const found: FoundServer[] = [];
  const own = Object.hasOwn(settings.mcpServers, name) ? settings.mcpServers[name] : undefined;
  if (own !== undefined && clients.length === 0) {
    found.push('command' in own ? { kind: 'stdio', command: own.command, args: own.args, env: own.env, from: 'the settings' } : { kind: 'http', url: own.url, headers: own.headers, from: 'the settings' });
  }
  for (const client of CLIENTS.filter(({ id }) => clients.length === 0 || clients.includes(id))) {
    for (const { name: entry, server } of serversOf(host, client, context, [scope])) {
      if (entry === name && server !== undefined && !isGuarded(server)) found.push(server);
    }
  }
  return found;
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
  return scopes.flatMap((scope) => entriesOf(host, client, context, scope)).map(({ name, entry }) => {
    const server = serverOfEntry(entry);
    return { name, server: server === undefined ? undefined : { ...server, from: client.name } };
  });
}

/** The variables of the first entry of this name that is the guarding runtime. */
export function guardedVariables(host: Host, name: string, context: RootContext, clients: readonly string[]): Readonly<Record<string, string>> {
  for (const client of CLIENTS.filter(({ id }) => clients.length === 0 || clients.includes(id))) {
    for (const { name: entry, server } of serversOf(host, client, context, ['user'])) if (entry === name && server?.kind === 'stdio' && isGuarded(server)) return server.env;
  }
  return {};
}
