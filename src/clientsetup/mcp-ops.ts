// Contract: which edits bring the MCP entries of one document from what is there to what is desired. An entry is ours only
// if we wrote it (the record says so): a same-name entry of another owner is a conflict unless it is adopted or taken over. PURE.
import { isGuarded, serverOfEntry } from '../clients/mcp-entry.ts';
import type { ClientDefinition } from '../model/client.ts';
import type { EditOp } from '../model/edit.ts';
import { isObject, sameValue, showPath, type JsonObject, type JsonValue, type Path } from '../model/json.ts';
import type { EntryChange } from '../model/plan.ts';
import type { DesiredServer } from './desired.ts';

export interface McpOps {
  readonly ops: readonly EditOp[];
  readonly entries: readonly EntryChange[];
  /** Names that are ours after the change. */
  readonly owned: readonly string[];
  /** Names of foreign entries that stand in the way. */
  readonly conflicts: readonly string[];
}

const SECRET_WORD = /(key|token|secret|passw|auth|credential)/i;

/** A server for people: never a value of env or headers, of a URL the host only, nothing that follows a secret-looking flag. */
export function describeServer(entry: JsonObject): string {
  const url = entry['url'] ?? entry['httpUrl'] ?? entry['serverUrl'];
  // The path and the query of a URL can be a secret of their own.
  if (typeof url === 'string') return `http ${/^[a-z]+:\/\/(?:[^/@]*@)?([^/?#]*)/i.exec(url)?.[1] ?? ''}`;
  const { command } = entry;
  // Some clients take the command and its arguments as one list.
  const [program = '', ...rest] = Array.isArray(command) ? command.map(String) : [String(command ?? '')];
  const args = Array.isArray(entry['args']) ? entry['args'].map(String) : rest;
  const shown = args.map((arg, i) => {
    if (SECRET_WORD.test(arg) && /[=:]/.test(arg)) return `${/^[^=:]*/.exec(arg)?.[0] ?? ''}=***`;
    const before = args[i - 1];
    return before !== undefined && before.startsWith('-') && SECRET_WORD.test(before) ? '***' : arg;
  });
  return ['stdio', program, ...shown].join(' ').slice(0, 200);
}

function differences(client: ClientDefinition, existing: JsonObject, wanted: JsonObject): { set: string[]; drop: string[] } {
  const set = Object.keys(wanted).filter((key) => !sameValue(existing[key], wanted[key]));
  const drop = client.mcp.ownedKeys.filter((key) => wanted[key] === undefined && existing[key] !== undefined);
  return { set, drop };
}

function changeOps(path: Path, existing: JsonValue, wanted: JsonObject, diff: { set: string[]; drop: string[] }): EditOp[] {
  // Key by key, because the client keeps keys of its own in our entry (Codex stores approvals there).
  if (!isObject(existing)) return [{ op: 'replace', path, value: wanted }];
  return [
    ...diff.drop.map((key): EditOp => ({ op: 'remove', path: [...path, key] })),
    ...diff.set.map((key): EditOp => ({ op: 'set', path: [...path, key], value: wanted[key] ?? null })),
  ];
}

/** Where the servers of a document stand: keys of a table, or elements of a list that say their names. */
interface Table {
  readonly find: (name: string) => { readonly path: Path; readonly value: JsonValue } | undefined;
  readonly add: (name: string, entry: JsonObject) => EditOp;
}

function tableOf({ mcp }: ClientDefinition, document: JsonObject): Table {
  const table = document[mcp.key];
  if (mcp.list !== true) {
    return {
      find: (name) => (isObject(table) && Object.hasOwn(table, name) ? { path: [mcp.key, name], value: table[name] ?? null } : undefined),
      add: (name, value) => ({ op: 'set', path: [mcp.key, name], value }),
    };
  }
  const items = Array.isArray(table) ? table : [];
  return {
    find: (name) => {
      const index = items.findIndex((item) => isObject(item) && item['name'] === name);
      return index < 0 ? undefined : { path: [mcp.key, index], value: items[index] ?? null };
    },
    add: (name, entry) => ({ op: 'append', path: [mcp.key], value: { name, ...entry } }),
  };
}

/** A new document gets the keys without which the client would not read it. */
function preambleOps({ mcp }: ClientDefinition): EditOp[] {
  return Object.entries(mcp.preamble ?? {}).map(([key, value]) => ({ op: 'set', path: [key], value }));
}

/** Elements go from the last one to the first, so that no position moves before it is used. */
const lastFirst = (a: Path, b: Path): number => Number(b.at(-1)) - Number(a.at(-1));

/** The keys of a table, or the names of a list. */
export function serverNames(table: JsonValue | undefined): string[] {
  if (isObject(table)) return Object.keys(table);
  return Array.isArray(table) ? table.flatMap((one) => (isObject(one) && typeof one['name'] === 'string' ? [one['name']] : [])) : [];
}

export interface McpOwners {
  /** Names that are ours by the record. */
  readonly ours: readonly string[];
  /** Names of others' entries that may be changed; `all`: the person said so. */
  readonly taken: ReadonlySet<string> | 'all';
  /** The document from before our first touch: what stood in our place comes back. */
  readonly original?: JsonObject | undefined;
}

export function mcpOps(client: ClientDefinition, document: JsonObject, servers: readonly DesiredServer[], { ours, taken, original }: McpOwners): McpOps {
  const table = tableOf(client, document);
  const ops: EditOp[] = servers.length === 0 || Object.keys(document).length > 0 ? [] : preambleOps(client);
  const entries: EntryChange[] = [];
  const owned: string[] = [];
  const conflicts: string[] = [];
  const entry = (name: string, action: EntryChange['action'], detail: string): EntryChange =>
    ({ client: client.id, kind: 'mcp', name, action, at: showPath([client.mcp.key, name]), detail });
  for (const { name, entry: wanted } of servers) {
    const found = table.find(name);
    const detail = describeServer(wanted);
    if (found === undefined) {
      ops.push(table.add(name, wanted));
      entries.push(entry(name, 'add', detail));
      owned.push(name);
      continue;
    }
    const { path, value: existing } = found;
    const diff = isObject(existing) ? differences(client, existing, wanted) : { set: [], drop: [] };
    const same = isObject(existing) && diff.set.length === 0 && diff.drop.length === 0;
    const mine = ours.includes(name) || taken === 'all' || taken.has(name);
    if (mine) owned.push(name);
    if (same) entries.push(entry(name, 'none', detail));
    else if (!mine) conflicts.push(name);
    else {
      ops.push(...changeOps(path, existing, client.mcp.list === true ? { name, ...wanted } : wanted, diff));
      entries.push(entry(name, 'change', detail));
    }
  }
  const wantedNames = new Set(servers.map((server) => server.name));
  const paths: Path[] = [];
  for (const name of ours) {
    const found = wantedNames.has(name) ? undefined : table.find(name);
    if (found === undefined) continue;
    const before = original === undefined ? undefined : tableOf(client, original).find(name)?.value;
    const server = serverOfEntry(before);
    if (before !== undefined && isObject(before) && server !== undefined && !isGuarded(server)) {
      ops.push({ op: 'replace', path: found.path, value: before });
      entries.push(entry(name, 'change', describeServer(before)));
      continue;
    }
    paths.push(found.path);
    entries.push(entry(name, 'remove', ''));
  }
  if (client.mcp.list === true) paths.sort(lastFirst);
  ops.push(...paths.map((path): EditOp => ({ op: 'remove', path })));
  return { ops, entries, owned, conflicts };
}
