// Contract: what the probes of several clients share: lists of servers as text or JSON, cut down to names and states. PURE.
import { isObject, type JsonValue } from '../model/json.ts';
import type { Listing, ListedServer } from '../model/probe.ts';

/** Of one list; more than a person has. */
export const LISTED_MAX = 1000;

/** Colours and cursor moves of a terminal. */
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g');

export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** How most of them say that there is none. */
export const NO_SERVERS = /\bno (?:mcp )?servers\b/i;

const STATES: readonly (readonly [RegExp, ListedServer['state']])[] = [
  [/\bdisabled\b|\bpending\b|\bneeds auth/i, 'disabled'], [/\bdisconnected\b|\bfailed\b|\berror\b/i, 'failed'], [/\bconnected\b/i, 'connected'],
];

export function stateIn(text: string): ListedServer['state'] {
  return STATES.find(([pattern]) => pattern.test(text))?.[1] ?? 'listed';
}

/**
 * Lines of a list for people. `name` finds the name in a line without colours; a line without one is no server. `nothing` is how the
 * client says that there is none; an answer that is neither is not understood.
 */
export function textList(line: RegExp, nothing: RegExp): (stdout: string, stderr: string) => Listing | undefined {
  return (stdout, stderr) => {
    // Some print a list as if it were a message.
    const text = `${stdout}\n${stderr}`.replace(ESCAPES, '');
    const servers = text.split(/\r?\n/).slice(0, LISTED_MAX).flatMap((one): ListedServer[] => {
      const found = line.exec(one);
      // Only what stands behind the command says how the server is; a command may be called anything.
      return found?.groups?.['name'] === undefined ? [] : [{ name: found.groups['name'], state: stateIn(found.groups['state'] ?? '') }];
    });
    return servers.length > 0 || nothing.test(text) ? { servers } : undefined;
  };
}

/** `{ "mcpServers": { name: { enabled? } } }`, wherever the document begins. */
export function jsonServers(stdout: string): Listing | undefined {
  const document = parsedJson(stdout);
  const servers = isObject(document) ? document['mcpServers'] : undefined;
  if (!isObject(servers)) return undefined;
  return { servers: Object.entries(servers).slice(0, LISTED_MAX).map(([name, entry]) => ({ name, state: isObject(entry) && entry['enabled'] === false ? 'disabled' : 'listed' })) };
}
