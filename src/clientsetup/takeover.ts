// Contract: which servers of a client's own file the guarding runtime takes the place of: those whose name a catalogue binds and that
// are what it starts. What belongs to the person's entry (variables, credentials, switches) stays with it. PURE.
import { isGuarded, namedEntries, serverOfEntry, withReferences, type EntryServer } from '../clients/mcp-entry.ts';
import { normalName } from '../contract/catalogue.ts';
import { isObject, sameValue, type JsonObject, type JsonValue } from '../model/json.ts';
import { NOTHING_GOVERNED, type GovernedServer } from '../settings/guarded.ts';
import type { DesiredFile, DesiredServer } from './desired.ts';

export interface Difference { readonly name: string; readonly why: string }

export interface Takeover {
  /** What shall stand: that of the settings, and the runtime in the place of the client's own. */
  readonly servers: readonly DesiredServer[];
  /** Entries of somebody else that may be changed, because they are what a catalogue starts. */
  readonly taken: ReadonlySet<string>;
  /** Entries that a catalogue governs by name and that are something else. */
  readonly differing: readonly Difference[];
}

/** What says how the server is reached; everything else of an entry stays. */
const REACH: ReadonlySet<string> = new Set(['type', 'command', 'cmd', 'args', 'url', 'httpUrl', 'serverUrl', 'headers', 'http_headers', 'env_http_headers']);

export function takeover({ client, servers, governed = NOTHING_GOVERNED }: DesiredFile, document: JsonObject, ours: readonly string[], adopt: boolean, original?: JsonObject): Takeover {
  const all = [...servers];
  const taken = new Set<string>();
  const differing: Difference[] = [];
  for (const { name, entry } of governed.size === 0 ? [] : namedEntries(document[client.mcp.key])) {
    const catalogue = governed.get(normalName(name));
    const server = serverOfEntry(entry);
    if (catalogue === undefined || !isObject(entry)) continue;
    const fault = server === undefined ? 'it is not understood' : differenceOf(server, catalogue);
    if (servers.some((wanted) => wanted.name === name)) {
      if (fault === undefined) taken.add(name);
    } else if (server !== undefined && isGuarded(server)) {
      // In the place of the person's own it stands as it was written, with what was added to it since. One that was made for the
      // settings alone goes with them.
      if (ours.includes(name) && namedEntries(original?.[client.mcp.key]).some((one) => one.name === name)) all.push({ name, entry });
    } else if (fault !== undefined && !adopt) differing.push({ name, why: fault });
    else {
      const made = runtimeEntry(client.mcp, name, entry, server, catalogue);
      if (made.ok) all.push({ name, entry: made.entry });
      if (made.ok) taken.add(name);
      else differing.push({ name, why: made.why });
    }
  }
  return { servers: all, taken, differing };
}

function differenceOf(server: EntryServer, { upstream }: GovernedServer): string | undefined {
  if (upstream === undefined) return 'its catalogue names no server that a client could start';
  if (server.kind === 'stdio') return upstream.kind === 'stdio' && upstream.command === server.command && sameValue([...upstream.args], [...server.args]) ? undefined : 'its command is another one than that of its catalogue';
  if (upstream.kind !== 'http' || upstream.url !== server.url) return 'its address is another one than that of its catalogue';
  const header = Object.keys(server.headers).find((one) => upstream.headerEnv[one] === undefined);
  return header === undefined ? undefined : `its header ${header.slice(0, 100)} is not in its catalogue`;
}

/** A header's value goes where the runtime reads it: into the variable that the catalogue names. */
function runtimeEntry(mcp: DesiredFile['client']['mcp'], name: string, entry: JsonObject, server: EntryServer | undefined, { upstream }: GovernedServer): ReturnType<DesiredFile['client']['mcp']['entry']> {
  const variables = server?.kind === 'http' && upstream?.kind === 'http' ? Object.entries(server.headers).flatMap(([header, value]) => {
    const variable = upstream.headerEnv[header];
    return variable === undefined ? [] : [[variable, withReferences(value, (one) => `\${${one}}`)]];
  }) : [];
  const made = mcp.entry({ kind: 'stdio', command: 'praetorctl', args: ['mcp', name], env: Object.fromEntries(variables) as Record<string, string> });
  if (!made.ok) return made;
  const kept = mcp.ownedKeys.filter((key) => !REACH.has(key) && entry[key] !== undefined).map((key): [string, JsonValue] => {
    const [theirs, mine] = [entry[key] ?? null, made.entry[key]];
    return [key, isObject(theirs) && isObject(mine) ? { ...theirs, ...mine } : theirs];
  });
  return { ok: true, entry: { ...made.entry, ...Object.fromEntries(kept) } };
}
