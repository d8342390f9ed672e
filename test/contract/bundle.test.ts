// `praetorctl contract bundle` on real directories: what is in it, that approvals change no byte of it, that nothing of others is written over.
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import type { CliIo } from '../../src/cli/output.ts';
import { runCli } from '../../src/cli/program.ts';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { CLIENTS } from '../../src/clients/registry.ts';
import { ownedHooks } from '../../src/clients/registration.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { ioOf, put, station, type Station } from '../hook/operator-support.ts';
import { run } from '../hook/support.ts';

const SERVER = join(import.meta.dirname, '../fixtures/mcp/server.mjs');
const TOOLS = [
  { name: 'notes_read', description: 'reads a note', inputSchema: { type: 'object', properties: { id: { type: 'string' } } }, annotations: { readOnlyHint: true } },
  { name: 'notes_delete', description: 'deletes a note', inputSchema: { type: 'object', properties: { id: { type: 'string' } } }, annotations: { destructiveHint: true } },
];

interface Lab { readonly at: Station; readonly out: string; readonly say: (words: string[], env?: Record<string, string>, extra?: Partial<CliIo>) => Promise<{ code: number; out: string; err: string; json: JsonObject }> }

async function lab(): Promise<Lab> {
  const at = station();
  const tools = join(at.root, 'tools.json');
  writeFileSync(tools, JSON.stringify(TOOLS));
  process.env['LAB_TOOLS'] = tools;
  put(join(at.home, '.claude.json'), JSON.stringify({ mcpServers: { my_notes: { command: process.execPath, args: [SERVER], env: { NOTES_TOKEN: 'secret-value' } } } }));
  const say: Lab['say'] = async (words, env = {}, extra = {}) => {
    let out = '';
    let err = '';
    const code = await runCli(words, ioOf(at, { out: (text) => { out += text; }, err: (text) => { err += text; }, ...extra }, { USER: 'dev', ...env }));
    return { code, out, err, json: words.includes('--json') && out !== '' ? JSON.parse(out) as JsonObject : {} };
  };
  expect((await say(['contract', 'import', 'my_notes', '--yes'])).code).toBe(0);
  return { at, out: join(at.root, 'bundle'), say };
}

/** Every file with its text. */
function contents(directory: string): Record<string, string> {
  return Object.fromEntries(readdirSync(directory, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [relative(directory, path), readFileSync(path, 'utf8')] as const;
  }).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const jsonAt = (directory: string, path: string): JsonObject => JSON.parse(readFileSync(join(directory, path), 'utf8')) as JsonObject;
const hooksOf = (id: string, document: JsonObject): string[] => ownedHooks(CLIENTS.find((client) => client.id === id)!.hooks, document, [id]).map(({ native, item, command }) => `${native} ${String((item as JsonObject)['matcher'])} ${command}`);

describe('contract bundle', () => {
  it('is a plugin, with sets for the others, and the same bytes each time', async () => {
    const { say, out } = await lab();
    const made = await say(['contract', 'bundle', 'my_notes', '--out', out, '--json']);
    expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });
    OUTPUT_SCHEMAS['contract-bundle']!.parse(made.json);
    const first = contents(out);
    expect(Object.keys(first)).toEqual([
      '.claude-plugin/plugin.json', '.mcp.json', '.praetor-bundle.json', 'README.md', 'antigravity/hooks.json', 'antigravity/mcp_config.json', 'antigravity/plugin.json',
      'antigravity/rules/praetor-my_notes.md', 'codex/config.toml', 'codex/hooks.json', 'hooks/hooks.json', 'skills/my_notes/SKILL.md',
    ]);
    expect(jsonAt(out, '.claude-plugin/plugin.json')).toMatchObject({ name: 'praetor-my-notes', version: '1.0.0' });
    expect(jsonAt(out, '.mcp.json')).toEqual({ mcpServers: { my_notes: { type: 'stdio', command: 'praetorctl', args: ['mcp', 'my_notes'] } } });
    expect(hooksOf('claude', jsonAt(out, 'hooks/hooks.json'))).toEqual(['PreToolUse ^mcp__(plugin[_-]praetor[_-]my[_-]notes[_-]my[_-]notes|my[_-]notes)__ praetorctl hook claude pre-tool']);
    expect(hooksOf('codex', jsonAt(out, 'codex/hooks.json'))).toEqual(['PreToolUse ^mcp__my[_-]notes__ praetorctl hook codex pre-tool']);
    expect(parseToml(readFileSync(join(out, 'codex/config.toml'), 'utf8'))).toEqual({ mcp_servers: { my_notes: { command: 'praetorctl', args: ['mcp', 'my_notes'], env_vars: ['NOTES_TOKEN'] } } });
    expect(hooksOf('agy', jsonAt(out, 'antigravity/hooks.json'))).toEqual(['PreToolUse ^call_mcp_tool$|^mcp_ praetorctl hook agy pre-tool']);
    expect(statSync(join(out, 'README.md')).mode & 0o777).toBe(0o644);
    expect(Object.values(first).join('')).not.toMatch(/secret-value|notes_read|notes_delete/);
    const again = await say(['contract', 'bundle', 'my_notes', '--out', out, '--json']);
    expect([again.code, again.json['written'], again.json['bindings']]).toEqual([0, 0, []]);
    expect(contents(out)).toEqual(first);
  });

  it('approvals change no byte of it', async () => {
    const { say, out, at } = await lab();
    await say(['contract', 'bundle', 'my_notes', '--out', out]);
    const before = contents(out);
    await say(['contract', 'review', 'my_notes']);
    expect((await say(['contract', 'approve', 'my_notes', '--all', '--yes'])).out).toContain('2 approved');
    const other = join(at.root, 'other');
    await say(['contract', 'bundle', 'my_notes', '--out', other]);
    expect(contents(other)).toEqual(before);
  });

  it('binds the name that the tools have in the plugin: on record, in force, once', async () => {
    const { say, out, at } = await lab();
    const call = (name: string, server: string | undefined): string => JSON.stringify({ session_id: 's', cwd: at.workspace, tool_name: name, tool_input: {}, ...(server === undefined ? {} : { mcp_server: { name: server } }) });
    const calls = [['mcp__plugin_praetor-my-notes_my_notes__notes_delete', undefined], ['mcp__plugin_praetor-my-notes_my_notes__notes_delete', 'plugin:praetor-my-notes:my_notes']] as const;
    const judged = async (): Promise<string[]> => {
      const answers = [];
      for (const [name, server] of calls) answers.push((await run('claude', 'pre-tool', { state: at.state, env: at.env, input: call(name, server) })).stdout);
      return answers;
    };
    expect(await judged()).toEqual(['', '']);
    const refused = await say(['contract', 'bundle', 'my_notes', '--out', out], { CLAUDECODE: '1' });
    expect([refused.code, refused.err.includes('only a person'), existsSync(out)]).toEqual([64, true, false]);
    expect((await say(['contract', 'bundle', 'my_notes', '--out', out])).out).toContain('is bound to plugin_praetor-my-notes_my_notes too');
    for (const answer of await judged()) expect(answer).toContain('not approved');
    await say(['contract', 'bundle', 'my_notes', '--out', out]);
    const lines = readFileSync(join(at.root, 'config/contracts/changes.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as JsonObject);
    expect(lines.filter(({ action }) => action === 'bind')).toMatchObject([{ by: 'dev', service: 'my_notes', bindings: ['plugin_praetor-my-notes_my_notes'], from: 'bundle' }]);
  });

  it('a name that another catalogue has stops it', async () => {
    const { say, out, at } = await lab();
    const path = join(at.root, 'config/contracts/my_notes.json');
    const catalogue = JSON.parse(readFileSync(path, 'utf8')) as { service: JsonObject };
    writeFileSync(join(at.root, 'config/contracts/other.json'), JSON.stringify({ ...catalogue, service: { ...catalogue.service, id: 'other' }, bindings: ['plugin_praetor_my_notes_my_notes'] }));
    const { code, err } = await say(['contract', 'bundle', 'my_notes', '--out', out]);
    expect([code, err.includes('is bound by'), existsSync(out)]).toEqual([64, true, false]);
  });

  it.each([
    ['a file of somebody else', (out: string) => writeFileSync(join(out, 'notes.txt'), 'mine'), 'not of a bundle of ours'],
    ['a file of ours that somebody changed', (out: string) => writeFileSync(join(out, 'README.md'), 'mine'), 'changed by somebody else'],
    ['a manifest of something else', (out: string) => writeFileSync(join(out, '.praetor-bundle.json'), '{}'), 'not of a bundle of ours'],
    ['a link', (out: string) => { unlinkSync(join(out, 'README.md')); symlinkSync('/etc/hostname', join(out, 'README.md')); }, 'no file of a bundle'],
  ])('%s: nothing is written', async (_what, damage, why) => {
    const { say, out } = await lab();
    await say(['contract', 'bundle', 'my_notes', '--out', out]);
    damage(out);
    const before = contents(out);
    const { code, err } = await say(['contract', 'bundle', '--self', '--out', out]);
    expect([code, err.includes(why)]).toEqual([4, true]);
    expect(contents(out)).toEqual(before);
  });

  it('one that was interrupted is finished, one that is no longer wanted is replaced', async () => {
    const { say, out } = await lab();
    await say(['contract', 'bundle', 'my_notes', '--out', out]);
    const whole = contents(out);
    for (const path of ['.praetor-bundle.json', 'hooks/hooks.json']) unlinkSync(join(out, path));
    expect((await say(['contract', 'bundle', 'my_notes', '--out', out])).code).toBe(0);
    expect(contents(out)).toEqual(whole);
    expect((await say(['contract', 'bundle', '--self', '--out', out])).code).toBe(0);
    expect(Object.keys(contents(out))).toEqual(['.claude-plugin/plugin.json', '.praetor-bundle.json', 'README.md', 'antigravity/hooks.json', 'antigravity/plugin.json', 'hooks/hooks.json']);
    expect(existsSync(join(out, 'skills'))).toBe(false);
  });

  it('--self: what apply registers, as plugins', async () => {
    const { say, out } = await lab();
    mkdirSync(out);
    await say(['contract', 'bundle', '--self', '--out', out]);
    expect(jsonAt(out, '.claude-plugin/plugin.json')).toMatchObject({ name: 'praetor' });
    const registered = CLIENTS.find(({ id }) => id === 'claude')!.hooks.events.filter(({ canonical }) => canonical === 'pre-tool' || canonical === 'session-start');
    expect(hooksOf('claude', jsonAt(out, 'hooks/hooks.json'))).toEqual(registered.map(({ native, matcher, canonical }) => `${native} ${String(matcher)} praetorctl hook claude ${canonical}`));
    expect(hooksOf('agy', jsonAt(out, 'antigravity/hooks.json')).map((line) => line.split(' ').at(-1))).toEqual(['pre-tool', 'session-start']);
  });

  it.each([[['contract', 'bundle', '--out', 'x']], [['contract', 'bundle', 'my_notes', '--self', '--out', 'x']], [['contract', 'bundle', 'nobody', '--out', 'x']], [['contract', 'bundle', 'my_notes']]])('%j is refused', async (words) => {
    const { say } = await lab();
    expect((await say(words)).code).toBe(64);
  });
});

describe('clients apply --via plugin', () => {
  it('writes what contract bundle --self writes, says how it is installed and why files stay, and touches no client', async () => {
    const { at, out, say } = await lab();
    const before = readFileSync(join(at.home, '.claude.json'), 'utf8');
    const made = await say(['clients', 'apply', '--via', 'plugin', '--out', out]);
    expect({ code: made.code, install: made.out.includes(`claude plugin validate ${out}`), why: made.out.includes('files stay the default') }).toEqual({ code: 0, install: true, why: true });
    const other = join(at.root, 'other');
    expect((await say(['contract', 'bundle', '--self', '--out', other])).code).toBe(0);
    expect(contents(out)).toEqual(contents(other));
    expect(readFileSync(join(at.home, '.claude.json'), 'utf8')).toBe(before);
    expect((await say(['clients', 'apply', '--via', 'plugin'])).code).toBe(64);
    expect((await say(['clients', 'apply', '--out', out, '--yes'])).code).toBe(64);
  });
});
