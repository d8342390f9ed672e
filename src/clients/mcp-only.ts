// Contract: what the rows of clients without hooks share. Nothing of ours runs in such a client: its row says so by a hook
// surface without events, and everything that asks about hooks asks hasHooks first. PURE.
import type { ClientDefinition, Fact, FileSpec, McpServer, McpSurface, RootContext, Roots } from '../model/client.ts';
import type { Tolerance } from '../model/edit.ts';
import type { JsonObject } from '../model/json.ts';
import { dirOf } from '../roots/paths.ts';
import { documented } from './facts.ts';
import { hasReference, httpEntry, stdioEntry } from './mcp-kit.ts';

/** Whether a client tells anybody about its tool calls. */
export function hasHooks(client: ClientDefinition): boolean {
  return client.hooks.events.length > 0;
}

/** Said of such a client wherever one would look for a verdict: it may have hooks of its own that were never seen to run. */
export const NO_HOOK = 'no hook of ours';
export const NO_HOOK_SURFACE = `${NO_HOOK}: only MCP servers behind the guarding proxy are judged`;

/** A strict JSON document, which is what is assumed of a client of which nothing else is known. */
export const STRICT_JSON: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

/** With comments and trailing commas, as editors of the VS Code kind read their settings. */
export const JSONC: Tolerance = { ...STRICT_JSON, comments: true, trailingCommas: true };

/** The parts of a row that are about hooks, for a client of which `why` is known. */
export function noHooks(why: Fact): Pick<ClientDefinition, 'hooks' | 'lint' | 'evidenceFiles' | 'switches' | 'sample' | 'verdicts' | 'prove'> {
  const none: Fact = { ...why, text: NO_HOOK };
  return {
    hooks: { shape: 'none', timeoutUnit: 's', events: [], positional: false, arrayPath: (native) => [native], arrays: () => [], handler: { make: () => ({}), commandOf: () => undefined } },
    lint: () => [],
    evidenceFiles: () => [],
    switches: () => [],
    sample: () => ({ command: '', payload: {} }),
    verdicts: { deny: none, ask: none, neutral: none, crash: none, timeout: none, missingBinary: none, denyEffect: 'none' },
    prove: { unsupported: why.text },
  };
}

/** Two sources that name different places, or one that moved: the first file that exists, else the first directory that does. */
export function chosenPlace(context: RootContext, client: Pick<ClientDefinition, 'id' | 'name'>, candidates: readonly string[]): { path: string; diagnostics: Roots['diagnostics'] } {
  const { platform, dirNames, dirExists } = context;
  const file = candidates.find((path) => dirNames(dirOf(platform, path)).includes(path.slice(dirOf(platform, path).length + 1)));
  const path = file ?? candidates.find((one) => dirExists(dirOf(platform, one))) ?? candidates[0] ?? '';
  const why = file !== undefined ? 'it exists' : dirExists(dirOf(platform, path)) ? 'its directory exists' : 'none of them exists';
  return {
    path,
    diagnostics: [{
      code: 'unverified-root', severity: 'info', client: client.id, message: `documents disagree about the place of ${client.name}'s servers; of ${candidates.length} places ${path} is taken, because ${why}`,
      fix: `if it is another one, set clients.places.${client.id} in the settings`,
    }],
  };
}

/** One file for the person and, where there is one, another for the project. */
export function serverFiles(format: FileSpec['format'], tolerance: Tolerance): ClientDefinition['files'] {
  return ({ paths }, scope) => {
    const path = paths[scope === 'user' ? 'mcp' : 'projectMcp'];
    return path === undefined ? [] : [{ role: 'mcp', scope, path, format, tolerance, secret: scope === 'user' }];
  };
}

export interface PlainServers {
  readonly key: string;
  /** Keys that an entry has besides the common ones. */
  readonly stdio?: JsonObject;
  readonly http?: JsonObject;
  /** Why a server cannot be said in this client, if it cannot. */
  readonly refuse?: (server: McpServer) => string | undefined;
}

/** `{command, args, env}` and `{url, headers}`. That `${NAME}` would be replaced is known of none of these clients. */
export function plainServers({ key, stdio = {}, http = {}, refuse }: PlainServers): McpSurface {
  return {
    key, ownedKeys: [...new Set([...Object.keys(stdio), ...Object.keys(http), 'command', 'args', 'env', 'url', 'headers'])], toolNaming: 'no hook names a tool',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => {
      const why = refuse?.(server);
      if (why !== undefined) return { ok: false, why };
      if (Object.values(server.kind === 'stdio' ? server.env : server.headers).some(hasReference)) return { ok: false, why: 'it is not known that ${NAME} is replaced' };
      return { ok: true, entry: server.kind === 'stdio' ? { ...stdio, ...stdioEntry(server) } : { ...http, ...httpEntry(server, 'url') } };
    },
  };
}

/** What every client without hooks leaves open. */
export const BUILT_IN_TOOLS: Fact = documented('its own tools, and servers that others register, are judged by nobody');
