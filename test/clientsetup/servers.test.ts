// Contract: an apply leaves the names of each client's servers for the hook, ours and the person's, and the hook uses them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dialectFor } from '../../src/clients/dialects.ts';
import { serverNames } from '../../src/clientsetup/mcp-ops.ts';
import { hookPlace } from '../../src/hook/facts.ts';
import { respond } from '../../src/hook/respond.ts';
import { knownServers } from '../../src/hook/servers.ts';
import { SERVERS_BYTES_MAX, SERVERS_FILE } from '../../src/model/known-servers.ts';
import type { ToolCall } from '../../src/model/payload.ts';
import { cli, put, settings, world, type World } from '../support/cli.ts';

const OURS = `mcpServers:
  my-server: { command: lab-mcp }
`;
const stateOf = (where: World): string => join(where.root, 'state');

function seenBy(where: World, client: string, document: Record<string, string | object>): ToolCall['mcp'] {
  const place = { ...hookPlace('linux', {}), state: stateOf(where) };
  const response = respond(dialectFor(client)!, 'pre-tool', document, {}, { ...place, servers: (id) => knownServers(place, id) }, () => () => ({ verdict: { decision: 'neutral' }, trail: [] }));
  return response.payload?.tool?.mcp;
}

test('names of ours and of the person are known after an apply, and the hook tells server and tool by them', async () => {
  const where = world();
  settings(where, OURS);
  put(where, '.codex/config.toml', '[mcp_servers."their.tool_box"]\ncommand = "x"\n');
  put(where, '.copilot/mcp-config.json', '{"mcpServers": {"lab-srv": {"type": "local", "command": "x", "args": [], "tools": ["*"]}}}\n');
  expect((await cli(where, ['clients', 'apply', '--yes', '--client', 'codex,copilot-cli'])).code).toBe(0);
  const place = { platform: 'linux', state: stateOf(where) };
  expect(knownServers(place, 'codex')).toEqual(['my-server', 'their.tool_box']);
  expect(knownServers(place, 'copilot-cli')).toEqual(['lab-srv', 'my-server']);
  const codex = (tool: string): ToolCall['mcp'] => seenBy(where, 'codex', { session_id: 's', cwd: '/w', tool_name: tool, tool_input: {} });
  expect(codex('mcp__my_server__drop_all')).toEqual({ server: 'my-server', tool: 'drop_all', ambiguous: false });
  expect(codex('mcp__their_tool_box__ping')).toEqual({ server: 'their.tool_box', tool: 'ping', ambiguous: false });
  expect(codex('mcp__other__ping')).toEqual({ server: 'other', tool: 'ping', ambiguous: false });
  const copilot = (tool: string): ToolCall['mcp'] => seenBy(where, 'copilot-cli', { sessionId: 's', cwd: '/w', toolName: tool, toolArgs: {} });
  expect(copilot('lab-srv-ping-it')).toEqual({ server: 'lab-srv', tool: 'ping-it', ambiguous: false });
  expect(copilot('lab-srv/ping-it')).toMatchObject({ server: 'lab-srv', tool: 'ping-it', ambiguous: false });
  expect(copilot('new-one-ping')).toMatchObject({ ambiguous: true });
});

test('a server that goes is forgotten at the next apply; one of a project is kept', async () => {
  const where = world();
  settings(where, OURS);
  expect((await cli(where, ['clients', 'apply', '--yes', '--client', 'copilot-cli'])).code).toBe(0);
  expect((await cli(where, ['clients', 'apply', '--yes', '--client', 'copilot-cli', '--scope', 'project'])).code).toBe(0);
  settings(where, '');
  expect((await cli(where, ['clients', 'apply', '--yes', '--client', 'copilot-cli'])).code).toBe(0);
  const known = JSON.parse(readFileSync(join(stateOf(where), SERVERS_FILE), 'utf8')) as unknown;
  expect(known).toEqual({ v: 1, clients: { 'copilot-cli': { user: [], project: ['my-server'] } } });
});

test('a dry run writes nothing, and what is damaged or too large is nothing known', async () => {
  const where = world();
  settings(where, OURS);
  await cli(where, ['clients', 'apply', '--yes', '--dry-run', '--client', 'codex']);
  expect(existsSync(join(stateOf(where), SERVERS_FILE))).toBe(false);
  await cli(where, ['clients', 'apply', '--yes', '--client', 'codex']);
  const place = { platform: 'linux', state: stateOf(where) };
  expect(knownServers(place, 'codex')).toEqual(['my-server']);
  for (const text of ['{', ' '.repeat(SERVERS_BYTES_MAX + 1)]) {
    writeFileSync(join(stateOf(where), SERVERS_FILE), text);
    expect(knownServers(place, 'codex')).toEqual([]);
  }
  expect(knownServers({ platform: 'linux', state: undefined }, 'codex')).toEqual([]);
});

test('servers stand as keys of a table or as names in a list', () => {
  expect(serverNames({ a: {}, b: {} })).toEqual(['a', 'b']);
  expect(serverNames([{ name: 'a' }, { name: 1 }, 'x', { name: 'b' }])).toEqual(['a', 'b']);
  expect(serverNames('x')).toEqual([]);
});
