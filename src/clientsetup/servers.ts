// Contract: after an apply, what MCP servers stand in the clients' files, ours and others', for the hook (model/known-servers.ts).
// Through Host. A file that cannot be read leaves what was known of its client, and a list that cannot be written fails nothing:
// without it names of tools stay ambiguous, which is said.
import type { Host } from '../host.ts';
import type { ClientDefinition } from '../model/client.ts';
import { formatServers, parseServers, SERVERS_BYTES_MAX, SERVERS_FILE, withSeen, type KnownServers } from '../model/known-servers.ts';
import type { Desired, DesiredFile } from './desired.ts';
import { serverNames } from './mcp-ops.ts';
import { readDocument } from './plan.ts';
import { takeSnapshot } from './snapshot.ts';
import { makeDirs, OWN_DIR_MODE, pathsOf, putFile, toBytes, toText, type StateDirs } from './statefiles.ts';

function namesIn(host: Host, { client, spec }: DesiredFile): string[] | undefined {
  const snapshot = takeSnapshot(host, spec.path);
  if (snapshot.state === 'absent') return [];
  const opened = snapshot.state === 'file' ? readDocument(spec, snapshot.bytes) : undefined;
  return opened?.ok === true ? serverNames(opened.read.value[client.mcp.key]) : undefined;
}

function readKnown(host: Host, path: string): KnownServers {
  const stat = host.stat(path);
  return stat === undefined || stat.size > SERVERS_BYTES_MAX ? {} : parseServers(toText(host.readFile(path, SERVERS_BYTES_MAX)));
}

export function noteServers(host: Host, dirs: StateDirs, selected: readonly { readonly client: ClientDefinition; readonly desired: Desired }[]): void {
  const path = pathsOf(host).join(dirs.state, SERVERS_FILE);
  const before = readKnown(host, path);
  let known = before;
  for (const { client, desired } of selected) {
    const files = desired.files.filter(({ spec }) => spec.role === 'mcp' || spec.role === 'hooks+mcp');
    const names = files.map((file) => namesIn(host, file));
    const scope = files[0]?.spec.scope;
    if (scope !== undefined && names.every((list) => list !== undefined)) known = withSeen(known, client.id, scope, names.flat());
  }
  const text = formatServers(known);
  if (text === formatServers(before) || text.length > SERVERS_BYTES_MAX) return;
  try {
    makeDirs(host, dirs.state, OWN_DIR_MODE);
    putFile(host, path, toBytes(text));
  } catch { /* the next apply tries again */ }
}
