// A workstation with one real MCP server in a client's file, and `praetorctl` in process.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliIo } from '../../src/cli/output.ts';
import { runCli } from '../../src/cli/program.ts';
import type { Catalogue } from '../../src/contract/catalogue-schema.ts';
import { ioOf, put, station, type Station } from '../hook/operator-support.ts';

export const SERVER = join(import.meta.dirname, '../fixtures/mcp/server.mjs');
export const TOOLS = [
  { name: 'notes_read', description: 'reads a note\n\nby its id', inputSchema: { type: 'object', properties: { id: { type: 'string' } } }, annotations: { readOnlyHint: true } },
  { name: 'notes_list', description: 'lists\u200b notes', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } },
  { name: 'notes_delete', description: 'deletes a note', inputSchema: { type: 'object', properties: { id: { type: 'string' } } }, annotations: { destructiveHint: true } },
  { name: 'get_status', description: 'status', inputSchema: { type: 'object', properties: {} } },
  { name: 'run', description: 'runs', inputSchema: { type: 'object', properties: { command: { type: 'string' } } }, annotations: { readOnlyHint: true } },
];

export interface Lab { readonly at: Station; readonly tools: string; readonly say: (words: string[], io?: Partial<CliIo>) => Promise<{ code: number; out: string; err: string; json: Record<string, never> }> }

export function lab(): Lab {
  const at = station();
  const tools = join(at.root, 'tools.json');
  writeFileSync(tools, JSON.stringify(TOOLS));
  put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { notes: { command: process.execPath, args: [SERVER], env: { NOTES_TOKEN: 'secret-value' } } } }));
  process.env['LAB_TOOLS'] = tools;
  return {
    at, tools,
    say: async (words, extra = {}) => {
      let out = '';
      let err = '';
      const code = await runCli(words, ioOf(at, { out: (text) => { out += text; }, err: (text) => { err += text; }, ...extra }, { USER: 'dev' }));
      return { code, out, err, json: words.includes('--json') ? JSON.parse(out) as Record<string, never> : {} };
    },
  };
}

export const PERSON: Partial<CliIo> = { inIsTty: true, errIsTty: true, ask: () => Promise.resolve('y') };
export const catalogueOf = (at: Station): Catalogue => JSON.parse(readFileSync(join(at.root, 'config/contracts/notes.json'), 'utf8')) as Catalogue;
export const stateOf = (at: Station, tool: string): string | undefined => catalogueOf(at).operations.find(({ mcpTool }) => mcpTool === tool)?.state;
