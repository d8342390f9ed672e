// For every client row: a server of the client's own file that a catalogue starts becomes the guarding runtime, and comes back. Then once
// with real processes: from the client's file to a guarded call and back.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isGuarded, namedEntries, serverOfEntry, type EntryServer } from '../../src/clients/mcp-entry.ts';
import { CLIENTS } from '../../src/clients/registry.ts';
import { mcpOps } from '../../src/clientsetup/mcp-ops.ts';
import { editorOf, readDocument } from '../../src/clientsetup/plan.ts';
import type { ClientDefinition, FileSpec, McpServer } from '../../src/model/client.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { cli, dirNames, repo, settings, tree, world, type World } from '../support/cli.ts';

const SECRET = 'very-secret';
const STDIO: McpServer = { kind: 'stdio', command: 'lab-mcp', args: ['--root', '/srv/lab'], env: { LAB_TOKEN: SECRET } };
const HTTP: McpServer = { kind: 'http', url: 'https://mcp.example.test/mcp', headers: { Authorization: `Bearer ${SECRET}` } };
const UPSTREAMS: Record<McpServer['kind'], JsonObject> = {
  stdio: { transport: 'stdio', command: 'lab-mcp', args: ['--root', '/srv/lab'], envNames: ['LAB_TOKEN'] },
  http: { transport: 'http', url: 'https://mcp.example.test/mcp', allowedHosts: ['mcp.example.test'], headerEnv: { Authorization: 'LAB_AUTHORIZATION' } },
};
const OTHER: McpServer = { kind: 'stdio', command: 'other-mcp', args: [], env: {} };

const specOf = (client: ClientDefinition, where: World): FileSpec | undefined =>
  client.files(client.roots({ platform: 'linux', env: where.env, home: where.home, project: where.project, dirExists: existsSync, dirNames }), 'user').find(({ role }) => role !== 'hooks');

/** The text with an entry besides, as the client itself would hold it. */
function withEntry(client: ClientDefinition, spec: FileSpec, text: string, name: string, server: McpServer): string | undefined {
  const editor = editorOf(spec.format, { ...spec.tolerance, emptyIsObject: true });
  const read = editor.read(text);
  const made = client.mcp.entry(server);
  if (!read.ok || !made.ok) return undefined;
  const { ops } = mcpOps(client, read.value as JsonObject, [{ name, entry: made.entry }], { ours: [], taken: new Set() });
  const edited = editor.edit(text, ops);
  return edited.ok ? edited.text : undefined;
}

function catalogue(where: World, upstream: JsonObject): void {
  const document = { schema: 'praetor.catalogue/1', service: { id: 'lab', version: '1', source: { kind: 'mcp', digest: `sha256:${'0'.repeat(64)}` } }, bindings: ['lab'], upstream, operations: [] };
  mkdirSync(join(where.root, 'config/contracts'), { recursive: true });
  writeFileSync(join(where.root, 'config/contracts/lab.json'), JSON.stringify(document));
}

function serverIn(client: ClientDefinition, spec: FileSpec, name: string): EntryServer | undefined {
  const opened = readDocument(spec, readFileSync(spec.path));
  return opened.ok ? serverOfEntry(namedEntries(opened.read.value[client.mcp.key]).find((one) => one.name === name)?.entry) : undefined;
}

describe.each(CLIENTS.map((client) => [client.id, client] as const))('%s', (id, client) => {
  const only = ['--client', id];
  /** A home with the one server, or undefined where the client cannot hold it. */
  function home(server: McpServer): { where: World; spec: FileSpec; text: string } | undefined {
    const where = world();
    const spec = specOf(client, where);
    const text = spec === undefined || spec.format === 'artefact' ? undefined : withEntry(client, spec, '', 'lab', server);
    if (spec === undefined || text === undefined) return undefined;
    mkdirSync(dirname(spec.path), { recursive: true });
    writeFileSync(spec.path, text);
    return { where, spec, text };
  }

  it.each([STDIO, HTTP].map((server) => [server.kind, server] as const))('a server over %s is replaced, keeps its credential, and comes back byte for byte', async (kind, server) => {
    const at = home(server);
    if (at === undefined) return expect(client.mcp.entry(server).ok && specOf(client, world())?.format !== 'artefact').toBe(false);
    const { where, spec } = at;
    const before = tree(where.home);
    catalogue(where, UPSTREAMS[kind]);
    const plan = await cli(where, ['clients', 'plan', ...only]);
    expect({ code: plan.code, shown: plan.out.includes('stdio praetorctl mcp lab'), secret: (plan.out + plan.err).includes(SECRET) }).toEqual({ code: 3, shown: true, secret: false });
    expect(tree(where.home)).toEqual(before);
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).err).not.toContain('error');
    expect(serverIn(client, spec, 'lab')).toEqual({ kind: 'stdio', command: 'praetorctl', args: ['mcp', 'lab'], env: kind === 'stdio' ? { LAB_TOKEN: SECRET } : { LAB_AUTHORIZATION: `Bearer ${SECRET}` } });
    expect((await cli(where, ['clients', 'plan', ...only])).code).toBe(0);
    expect((await cli(where, ['clients', 'remove', '--yes', ...only])).code).toBe(0);
    expect(tree(where.home)).toEqual(before);
  });

  it('comes back too where the file was changed before and after, and where its catalogue goes', async () => {
    const at = home(OTHER);
    if (at === undefined) return;
    const { where, spec } = at;
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
    // The person adds a server to a file in which we may have written already.
    writeFileSync(spec.path, withEntry(client, spec, readFileSync(spec.path, 'utf8'), 'added', STDIO)!);
    catalogue(where, UPSTREAMS['stdio']!);
    writeFileSync(join(where.root, 'config/contracts/lab.json'), readFileSync(join(where.root, 'config/contracts/lab.json'), 'utf8').replace('["lab"]', '["added"]'));
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
    expect(isGuarded(serverIn(client, spec, 'added')!)).toBe(true);
    writeFileSync(spec.path, withEntry(client, spec, readFileSync(spec.path, 'utf8'), 'later', OTHER)!);
    settings(where, 'contract: { client_servers: leave }\n');
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
    const { kind: _kind, ...raw } = STDIO;
    expect(serverIn(client, spec, 'added')).toMatchObject(raw);
    settings(where, '');
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
    expect(isGuarded(serverIn(client, spec, 'added')!)).toBe(true);
    expect((await cli(where, ['clients', 'remove', '--yes', ...only])).code).toBe(0);
    expect(serverIn(client, spec, 'added')).toMatchObject(raw);
    expect([serverIn(client, spec, 'lab'), serverIn(client, spec, 'later')]).toEqual([expect.objectContaining({ command: 'other-mcp' }), expect.objectContaining({ command: 'other-mcp' })]);
  });

  it('another command under the name is a named conflict, which a person can decide', async () => {
    const at = home(STDIO);
    if (at === undefined) return;
    const { where, spec } = at;
    const before = tree(where.home);
    catalogue(where, { ...UPSTREAMS['stdio'], args: ['--root', '/srv/another'] });
    const refused = await cli(where, ['clients', 'apply', '--yes', ...only]);
    expect({ code: refused.code, named: refused.err.includes('the MCP server lab is governed by a catalogue, but its command is another one') }).toEqual({ code: 4, named: true });
    expect(tree(where.home)).toEqual(before);
    settings(where, 'contract: { client_servers: leave }\n');
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
    expect(isGuarded(serverIn(client, spec, 'lab')!)).toBe(false);
    settings(where, '');
    expect((await cli(where, ['clients', 'apply', '--yes', '--adopt', ...only])).code).toBe(0);
    expect(isGuarded(serverIn(client, spec, 'lab')!)).toBe(true);
    expect((await cli(where, ['clients', 'remove', '--yes', ...only])).code).toBe(0);
    expect(tree(where.home)).toEqual(before);
  });
});

describe('with real processes', () => {
  it("a client's own server is imported, approved, replaced, guarded, and given back", async () => {
    const where = world();
    const tools = join(where.root, 'tools.json');
    writeFileSync(tools, JSON.stringify([{ name: 'read', description: 'reads', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }, { name: 'wipe', description: 'wipes', inputSchema: { type: 'object' } }]));
    const entry = { command: process.execPath, args: [join(repo, 'test/fixtures/mcp/server.mjs')], env: { LAB_TOOLS: tools }, disabled: false };
    writeFileSync(join(where.home, '.claude.json'), `${JSON.stringify({ mcpServers: { notes: entry }, other: 1 }, undefined, 4)}\n`);
    const before = tree(where.home);
    const run = (words: readonly string[], input = ''): { code: number | null; out: string; err: string } => {
      const ran = spawnSync('praetorctl', words, { env: where.env, cwd: where.project, encoding: 'utf8', timeout: 60_000, input });
      return { code: ran.status, out: ran.stdout, err: ran.stderr };
    };
    for (const words of [['import', 'notes', '--yes'], ['review', 'notes'], ['approve', 'notes', '--reads', '--yes']]) expect(run(['contract', ...words])).toMatchObject({ code: 0 });
    expect(run(['clients', 'apply', '--yes', '--client', 'claude'])).toMatchObject({ code: 0 });
    const guarded = (JSON.parse(readFileSync(join(where.home, '.claude.json'), 'utf8')) as { mcpServers: Record<string, { command: string; args: string[]; env: Record<string, string>; disabled: boolean }> }).mcpServers['notes']!;
    expect(guarded).toMatchObject({ command: 'praetorctl', args: ['mcp', 'notes'], env: entry.env, disabled: false });
    // As the client starts it: the variables of the entry are in the environment.
    const lines = [
      { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'lab', version: '1' } } }, { id: 1, method: 'tools/list' },
      { id: 2, method: 'tools/call', params: { name: 'read', arguments: {} } }, { id: 3, method: 'tools/call', params: { name: 'wipe', arguments: {} } },
    ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n');
    const ran = spawnSync(guarded.command, guarded.args, { env: { ...where.env, ...guarded.env }, cwd: where.project, encoding: 'utf8', timeout: 60_000, input: `${lines}\n` });
    const answers = new Map(ran.stdout.trim().split('\n').map((line) => JSON.parse(line) as { id: number }).map((message) => [message.id, JSON.stringify(message)]));
    expect(answers.get(1)).not.toContain('wipe');
    expect(answers.get(2)).toContain('did read');
    expect(answers.get(3)).toContain('unsupported_operation');
    // The catalogue itself can be looked at again, with the variables of the entry.
    expect(run(['contract', 'import', 'notes', '--yes'])).toMatchObject({ code: 0 });
    expect(run(['clients', 'remove', '--yes', '--client', 'claude'])).toMatchObject({ code: 0 });
    expect(tree(where.home)).toEqual(before);
  }, 120_000);
});
