// Contract: the server behind a tool's name, from what `clients apply` saw in the client's files. IO, one small file, read only for
// names that leave it open. What cannot be read leaves the name as it was.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { HookDialect } from '../clients/dialect-kit.ts';
import { parseServers, SERVERS_BYTES_MAX, SERVERS_FILE, serversOf } from '../model/known-servers.ts';
import { narrowName } from '../model/mcp-names.ts';
import type { ToolCall } from '../model/payload.ts';
import { below } from '../roots/own-dirs.ts';

export interface ServersPlace { readonly platform: string; readonly state: string | undefined }

export function knownServers({ platform, state }: ServersPlace, client: string): readonly string[] {
  if (state === undefined) return [];
  try {
    const fd = openSync(below(platform, state, SERVERS_FILE), 'r');
    try {
      const { size } = fstatSync(fd);
      if (size > SERVERS_BYTES_MAX) return [];
      const bytes = Buffer.alloc(size);
      return serversOf(parseServers(bytes.toString('utf8', 0, readSync(fd, bytes, 0, size, 0))), client);
    } finally {
      closeSync(fd);
    }
  } catch {
    return [];
  }
}

const asItIs = (server: string): string => server;

/** A call whose name says it for certain, or whose client named the server apart, costs nothing here. */
export function withServer(tool: ToolCall, dialect: HookDialect, servers: (client: string) => readonly string[]): ToolCall {
  const { mcp } = tool;
  if (mcp === undefined || mcp.apart === true || (!mcp.ambiguous && dialect.mcpSpelling === undefined)) return tool;
  const known = servers(dialect.id);
  return known.length === 0 ? tool : { ...tool, mcp: narrowName(mcp, known, dialect.mcpSpelling ?? asItIs) };
}
