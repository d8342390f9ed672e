// Contract: which client started a hook, from marks that are plain data: the hook has the marks of all clients in one small
// table and loads only the dialect that it needs. PURE.
import type { EnvMap } from '../model/dialect.ts';
import type { JsonObject } from '../model/json.ts';

/**
 * What a client leaves in the environment of a hook that it starts itself. Sessions inherit variables to everything inside them,
 * also to commands that the model runs, so a mark names the session of the document wherever the client gives one.
 */
export interface CallerMark {
  /** Keys of the document of which the first one present is the session, which must not be empty. None: the document is not looked at. */
  readonly session: readonly string[];
  /** Variables: equal to the session, present, absent, or equal to a text. */
  readonly env: Readonly<Record<string, 'session' | 'set' | 'unset' | `=${string}`>>;
  /** A directory whose name begins so stands in PATH. */
  readonly path?: string;
}

/** The hook's view of a dialect that it has not loaded. */
export interface MarkedDialect {
  readonly id: string;
  readonly aliases: readonly string[];
  /** Absent: the client leaves nothing by which its hooks could be told from others. */
  readonly mark?: CallerMark;
}

function sessionOf(document: JsonObject, keys: readonly string[]): string {
  for (const key of keys) {
    const value = Object.prototype.hasOwnProperty.call(document, key) ? document[key] : undefined;
    if (typeof value === 'string') return value;
  }
  return '';
}

export function fits(mark: CallerMark, document: JsonObject, env: EnvMap): boolean {
  const session = sessionOf(document, mark.session);
  if (session === '' && mark.session.length > 0) return false;
  for (const name of Object.keys(mark.env)) {
    const wanted = mark.env[name] ?? 'set';
    const value = env[name];
    const good = wanted === 'unset' ? value === undefined : value !== undefined && (wanted === 'set' || value === (wanted === 'session' ? session : wanted.slice(1)));
    if (!good) return false;
  }
  if (mark.path === undefined) return true;
  const path = env['PATH'] ?? env['Path'] ?? '';
  return path.includes(`/${mark.path}`) || path.includes(`\\${mark.path}`);
}

/**
 * Which client started this hook: the registration's own client first, then any other whose mark fits the document
 * (clients run each other's project hooks), else `unknown` (run by hand, or a client without a mark).
 */
export function callerAmong(table: readonly MarkedDialect[], registration: string, document: JsonObject, env: EnvMap): string {
  const own = table.find(({ id }) => id === registration)?.mark;
  if (own !== undefined && fits(own, document, env)) return registration;
  for (const { id, mark } of table) {
    // A mark that does not look at the document says nothing about another client's registration.
    if (id !== registration && mark !== undefined && mark.session.length > 0 && fits(mark, document, env)) return id;
  }
  return 'unknown';
}

/** The id behind a word on the command line: an id or an alias. */
export function idAmong(table: readonly MarkedDialect[], word: string): string | undefined {
  return table.find(({ id, aliases }) => id === word || aliases.includes(word))?.id;
}
