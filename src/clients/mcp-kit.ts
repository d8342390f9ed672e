// Contract: what the MCP rows of several clients share. Values are literals or `${NAME}` references and are never shown. PURE.
import type { JsonObject } from '../model/json.ts';
import type { McpServer } from '../model/client.ts';

export type EntryResult = { readonly ok: true; readonly entry: JsonObject } | { readonly ok: false; readonly why: string };

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The variable that a value consists of, or undefined for literals and mixtures. */
export function wholeReference(value: string): string | undefined {
  return /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1];
}

export function hasReference(value: string): boolean {
  REFERENCE.lastIndex = 0;
  return REFERENCE.test(value);
}

export function strings(values: Readonly<Record<string, string>>): JsonObject {
  const out: JsonObject = {};
  for (const key of Object.keys(values).sort()) out[key] = values[key] ?? '';
  return out;
}

/** The server with its `${NAME}` references in another spelling. */
export function respelled(server: McpServer, spell: (name: string) => string): McpServer {
  const all = (values: Readonly<Record<string, string>>): Record<string, string> => Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, value.replace(REFERENCE, (_whole, name: string) => spell(name))]));
  return server.kind === 'stdio' ? { ...server, env: all(server.env) } : { ...server, headers: all(server.headers) };
}

/** The stdio form that most clients share: command, args, and env where there is any. */
export function stdioEntry(server: Extract<McpServer, { kind: 'stdio' }>): JsonObject {
  const entry: JsonObject = { command: server.command, args: [...server.args] };
  if (Object.keys(server.env).length > 0) entry['env'] = strings(server.env);
  return entry;
}

export function httpEntry(server: Extract<McpServer, { kind: 'http' }>, urlKey: string): JsonObject {
  const entry: JsonObject = { [urlKey]: server.url };
  if (Object.keys(server.headers).length > 0) entry['headers'] = strings(server.headers);
  return entry;
}
