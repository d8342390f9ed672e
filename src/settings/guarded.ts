// Contract: what the catalogues govern: servers of the settings are registered as the guarding runtime, `praetorctl mcp <server>`, in
// every client, and so are servers of the clients' own files that are what a catalogue starts. Through Host, reads of each catalogue
// its names and its upstream only.
import { CONTRACTS_DIRECTORY, normalName } from '../contract/catalogue.ts';
import type { Host } from '../host.ts';
import { isObject, type JsonValue } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import type { Settings } from './schema.ts';

const CATALOGUE_BYTES_MAX = 256 * 1024 * 1024;

/** Undefined upstream: nothing that stands in a client's entry. */
export interface GovernedServer {
  readonly upstream:
    | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
    | { readonly kind: 'http'; readonly url: string; readonly headerEnv: Readonly<Record<string, string>> }
    | undefined;
}

/** By the names under which clients see the servers, in normal form. */
export type Governed = ReadonlyMap<string, GovernedServer>;

export interface GuardedSettings { readonly settings: Settings; readonly governed: Governed }

export const NOTHING_GOVERNED: Governed = new Map();

function upstreamOf(value: JsonValue | undefined): GovernedServer['upstream'] {
  if (!isObject(value)) return undefined;
  const { transport, command, args, url, headerEnv } = value;
  if (transport === 'stdio' && typeof command === 'string') return { kind: 'stdio', command, args: Array.isArray(args) ? args.map(String) : [] };
  if (transport !== 'http' || typeof url !== 'string') return undefined;
  return { kind: 'http', url, headerEnv: isObject(headerEnv) ? Object.fromEntries(Object.entries(headerEnv).map(([header, name]) => [header, String(name)])) : {} };
}

/** What cannot be read governs the server of its file's name. */
function governedOf(host: Host, configDir: string): Governed {
  const directory = joinPath(host.platform, configDir, CONTRACTS_DIRECTORY);
  if (host.stat(directory)?.kind !== 'dir') return NOTHING_GOVERNED;
  return new Map(host.readDir(directory).filter((name) => name.endsWith('.json')).flatMap((name): [string, GovernedServer][] => {
    try {
      const value = JSON.parse(new TextDecoder().decode(host.readFile(joinPath(host.platform, directory, name), CATALOGUE_BYTES_MAX))) as JsonValue;
      const upstream = isObject(value) ? upstreamOf(value['upstream']) : undefined;
      return isObject(value) && Array.isArray(value['bindings']) ? value['bindings'].map((binding) => [normalName(String(binding)), { upstream }]) : [];
    } catch {
      return [[normalName(name.slice(0, -'.json'.length)), { upstream: undefined }]];
    }
  }));
}

export function withGuardedServers(host: Host, configDir: string, settings: Settings): GuardedSettings {
  const found = governedOf(host, configDir);
  const mcpServers = Object.fromEntries(Object.entries(settings.mcpServers).map(([name, server]) => {
    const catalogue = found.get(normalName(name));
    // The variables stay with the client's entry: the runtime hands its environment on.
    return [name, catalogue === undefined ? server : { command: 'praetorctl', args: ['mcp', name], env: variablesOf(server, catalogue) }];
  }));
  return { settings: { ...settings, mcpServers }, governed: settings.contract.client_servers === 'leave' ? NOTHING_GOVERNED : found };
}

/** Of a server over HTTP each header is a variable. */
function variablesOf(server: Settings['mcpServers'][string], { upstream }: GovernedServer): Readonly<Record<string, string>> {
  if ('command' in server) return server.env;
  const names = upstream?.kind === 'http' ? upstream.headerEnv : {};
  return Object.fromEntries(Object.entries(server.headers).flatMap(([header, value]) => (names[header] === undefined ? [] : [[names[header], value]])));
}
