// Contract: the names of the MCP servers that each client has, as they stood when `clients apply` last looked: so that the hook can
// tell the server in a tool's name without reading any client's files. PURE; written by clientsetup, read by the hook.
import { isObject, type JsonValue } from './json.ts';

/** Below the state directory. */
export const SERVERS_FILE = 'servers.json';
export const SERVERS_VERSION = 1;
export const SERVERS_BYTES_MAX = 256 * 1024;
/** For each client and scope. */
export const SERVERS_MAX = 500;
export const SERVER_CHARS_MAX = 200;

/** Names by client; those of projects together, because a hook may run in any of them. */
export type KnownServers = Readonly<Record<string, { readonly user: readonly string[]; readonly project: readonly string[] }>>;

const texts = (value: JsonValue | undefined): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);

/** What cannot be read is nothing known: then names stay ambiguous, which is said. */
export function parseServers(text: string): KnownServers {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return {};
  }
  if (!isObject(value) || value['v'] !== SERVERS_VERSION || !isObject(value['clients'])) return {};
  const clients = value['clients'];
  return Object.fromEntries(Object.keys(clients).flatMap((id) => {
    const one = clients[id];
    return isObject(one) ? [[id, { user: texts(one['user']), project: texts(one['project']) }]] : [];
  }));
}

export function formatServers(servers: KnownServers): string {
  return `${JSON.stringify({ v: SERVERS_VERSION, clients: servers })}\n`;
}

/**
 * What is known after a look at one scope. A list that is too long is not kept: a part of it could make a guess look certain.
 * Projects add up, because their files are not looked at again.
 */
export function withSeen(known: KnownServers, client: string, scope: 'user' | 'project', names: readonly string[]): KnownServers {
  const before = known[client] ?? { user: [], project: [] };
  const all = [...new Set(scope === 'user' ? names : [...before.project, ...names])].sort();
  const kept = all.length > SERVERS_MAX || all.some((name) => name === '' || name.length > SERVER_CHARS_MAX) ? [] : all;
  return { ...known, [client]: { ...before, [scope]: kept } };
}

export function serversOf(known: KnownServers, client: string): readonly string[] {
  const one = Object.prototype.hasOwnProperty.call(known, client) ? known[client] : undefined;
  return one === undefined ? [] : [...new Set([...one.user, ...one.project])];
}
