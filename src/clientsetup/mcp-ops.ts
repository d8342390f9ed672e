// Contract: which edits bring the MCP entries of one document from what is there to what is desired. An entry is ours only
// if we wrote it (the record says so): a same-name entry of another owner is a conflict unless it is adopted. PURE.
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

export function mcpOps(client: ClientDefinition, document: JsonObject, servers: readonly DesiredServer[], ours: readonly string[], adopt: boolean): McpOps {
  const table = document[client.mcp.key];
  const present = isObject(table) ? table : {};
  const ops: EditOp[] = [];
  const entries: EntryChange[] = [];
  const owned: string[] = [];
  const conflicts: string[] = [];
  const entry = (name: string, action: EntryChange['action'], detail: string): EntryChange =>
    ({ client: client.id, kind: 'mcp', name, action, at: showPath([client.mcp.key, name]), detail });
  for (const { name, entry: wanted } of servers) {
    const path: Path = [client.mcp.key, name];
    const existing = Object.prototype.hasOwnProperty.call(present, name) ? present[name] : undefined;
    const detail = describeServer(wanted);
    if (existing === undefined) {
      ops.push({ op: 'set', path, value: wanted });
      entries.push(entry(name, 'add', detail));
      owned.push(name);
      continue;
    }
    const diff = isObject(existing) ? differences(client, existing, wanted) : { set: [], drop: [] };
    const same = isObject(existing) && diff.set.length === 0 && diff.drop.length === 0;
    const mine = ours.includes(name) || adopt;
    if (mine) owned.push(name);
    if (same) entries.push(entry(name, 'none', detail));
    else if (!mine) conflicts.push(name);
    else {
      ops.push(...changeOps(path, existing, wanted, diff));
      entries.push(entry(name, 'change', detail));
    }
  }
  const wantedNames = new Set(servers.map((server) => server.name));
  for (const name of ours) {
    if (wantedNames.has(name) || !Object.prototype.hasOwnProperty.call(present, name)) continue;
    ops.push({ op: 'remove', path: [client.mcp.key, name] });
    entries.push(entry(name, 'remove', ''));
  }
  return { ops, entries, owned, conflicts };
}
