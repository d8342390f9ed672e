// Contract: what file tools, reading tools and MCP tools may do to the guard's files, to hooks and to keys. The text that a
// tool writes decides about settings files that people let agents edit.
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/model/json.ts';
import type { ToolCall } from '../../../src/model/payload.ts';
import { evaluate } from '../../../src/policy/evaluate.ts';
import { pathsIn } from '../../../src/policy/rules/mcp.ts';
import { effectOf, switchesHooksOff } from '../../../src/policy/rules/self-text.ts';
import { FACTS, payloadOf, said } from '../support.ts';

const judge = (tool: ToolCall): string => said(evaluate(payloadOf(tool), FACTS));
const edit = (path: string, oldText: string, newText: string): string => judge({ name: 'Edit', kind: 'file-write', paths: [path], input: { file_path: path, old_string: oldText, new_string: newText } });
const whole = (path: string, content: string): string => judge({ name: 'Write', kind: 'file-write', paths: [path], input: { file_path: path, content } });
const patch = (path: string, ...lines: string[]): string => judge({ name: 'apply_patch', kind: 'file-write', paths: [path], input: { command: `*** Begin Patch\n*** Update File: ${path}\n${lines.join('\n')}\n*** End Patch` } });
const mcp = (tool: string, input: JsonValue): string => judge({ name: `mcp__fs__${tool}`, kind: 'mcp', mcp: { server: 'fs', tool, ambiguous: false }, input });

const CLAUDE = '/home/dev/.claude/settings.json';
const CODEX = '/home/dev/.codex/config.toml';
const HOOK = '"command": "praetorctl hook claude pre-tool"';

describe('file tools on settings files that people share', () => {
  test.each([
    ['another key', edit(CLAUDE, '"model": "a"', '"model": "b"'), 'neutral'],
    ['another table', edit(CODEX, 'model = "a"', 'model = "b"'), 'neutral'],
    ['an MCP server', patch(CODEX, '+[mcp_servers.x]', '+command = "x"'), 'neutral'],
    ['a hook of somebody else', edit(CLAUDE, '"hooks": {', '"hooks": { "Stop": [],'), 'ask self.files'],
    ['our hook replaced', edit(CLAUDE, HOOK, '"command": "true"'), 'deny self.files'],
    ['our hook taken out', edit(CLAUDE, HOOK, ''), 'deny self.files'],
    ['the switch', edit(CLAUDE, '"model": "a"', '"model": "a", "disableAllHooks": true'), 'deny self.files'],
    ['the switch in a table', patch(CODEX, '+[features]', '+hooks = false'), 'deny self.files'],
    ['the switch back on', edit(CLAUDE, '"disableAllHooks": true', '"disableAllHooks": false'), 'ask self.files'],
    ['the whole file without our hook', whole(CLAUDE, '{"model":"b"}'), 'deny self.files'],
    ['the whole file with our hook', whole(CLAUDE, `{"hooks":{"PreToolUse":[{${HOOK}}]}}`), 'ask self.files'],
    ['the whole file of a project', whole('/home/dev/work/repo/.claude/settings.json', '{"permissions":{}}'), 'ask self.files'],
    ['the switch in a project', whole('.claude/settings.local.json', '{"disableAllHooks": true}'), 'deny self.files'],
    ['many edits', judge({ name: 'MultiEdit', kind: 'file-write', paths: [CLAUDE], input: { file_path: CLAUDE, edits: [{ old_string: 'a', new_string: 'b' }, { old_string: 'c', new_string: '"disableAllHooks":\n true' }] } }), 'deny self.files'],
    ['a deletion by patch', judge({ name: 'apply_patch', kind: 'file-write', paths: [CODEX], input: { command: `*** Begin Patch\n*** Delete File: ${CODEX}\n*** End Patch` } }), 'deny self.files'],
    ['nothing known', judge({ name: 'Write', kind: 'file-write', paths: [CLAUDE], input: {} }), 'ask self.files'],
    ['a file of hooks only', edit('/home/dev/.codex/hooks.json', 'a', 'b'), 'deny self.files'],
    ['our own settings', whole('/home/dev/.config/praetorctl/settings.yaml', 'hooks: {}'), 'deny self.files'],
    ['our launcher', whole('/home/dev/.local/bin/praetorctl', '#!/bin/sh\n'), 'deny self.files'],
    ['our package', whole('/usr/local/lib/node_modules/praetorctl/dist/hook.cjs', ''), 'deny self.files'],
    ['rules of the workspace', whole('.praetorctl/settings.yaml', 'x: 1'), 'ask self.files'],
    ['a git hook', whole('.git/hooks/pre-commit', 'exit 0'), 'deny git.hooks.file'],
    ['a git hook of a submodule', whole('.git/modules/lib/hooks/pre-push', ''), 'deny git.hooks.file'],
    ['a sample', whole('.git/hooks/pre-commit.sample', ''), 'neutral'],
    ['a fixture', whole('test/fixtures/.claude/settings.json', '{"disableAllHooks":true}'), 'neutral'],
    ['documents about it', whole('docs/hooks.md', 'set disableAllHooks: true'), 'neutral'],
  ])('%s: %s', (_name, found, expected) => { expect(found).toBe(expected); });
});

describe('MCP tools', () => {
  test.each([
    ['write_file', { path: '/home/dev/.codex/hooks.json', content: '{}' }, 'deny self.mcp'],
    ['writeFile', { file: { uri: 'file:///home/dev/.codex/hooks.json' } }, 'deny self.mcp'],
    ['delete', { paths: ['a', '/home/dev/.claude/settings.json'] }, 'deny self.mcp'],
    ['move-file', { source: '/home/dev/.claude', destination: '/tmp/x' }, 'deny self.mcp'],
    ['edit_file', { path: CLAUDE, edits: [{ oldText: 'a', newText: '"disableAllHooks": true' }] }, 'deny self.mcp'],
    ['edit_file', { path: CLAUDE, edits: [{ oldText: '"model":"a"', newText: '"model":"b"' }] }, 'neutral'],
    ['create_file', { path: '.git/hooks/pre-commit', content: '' }, 'deny self.mcp'],
    ['read_file', { path: '/home/dev/.codex/hooks.json' }, 'neutral'],
    ['list_directory', { path: '/home/dev/.claude' }, 'neutral'],
    ['write_file', { path: '/home/dev/work/repo/src/a.ts', content: 'write to ~/.codex/hooks.json' }, 'neutral'],
    ['read_file', { path: '/home/dev/.ssh/id_rsa' }, 'deny secrets.read.tool'],
    ['read_text_file', { path: '~/.aws/credentials' }, 'deny secrets.read.tool'],
    ['list_directory', { path: '/home/dev/.ssh' }, 'neutral'],
    ['read_file', { path: '/home/dev/.ssh/id_rsa.pub' }, 'neutral'],
    ['search', { query: 'id_rsa in hooks.json' }, 'neutral'],
  ] as const)('%s %j: %s', (tool, input, expected) => { expect(mcp(tool, input as unknown as JsonValue)).toBe(expected); });

  test('deep and wide arguments are walked up to a bound', () => {
    let deep: JsonValue = '/home/dev/.codex/hooks.json';
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(mcp('write', deep)).toBe('neutral');
    expect(mcp('write', { a: { b: [{ c: '/home/dev/.codex/hooks.json' }] } })).toBe('deny self.mcp');
    expect(pathsIn(Array.from({ length: 100_000 }, (_, i) => `x${i}`)).length).toBeLessThanOrEqual(2001);
  });
});

describe('reading tools', () => {
  const read = (path: string): string => judge({ name: 'Read', kind: 'file-read', paths: [path], input: { file_path: path } });
  test.each([['/home/dev/.ssh/id_ed25519', 'deny secrets.read.tool'], ['~/.netrc', 'deny secrets.read.tool'], ['/etc/shadow', 'deny secrets.read.tool'], ['README.md', 'neutral'], ['/home/dev/.ssh/config', 'neutral'], ['.env', 'neutral'], ['/home/dev/.claude/settings.json', 'neutral']])('%s: %s', (path, expected) => {
    expect(read(path)).toBe(expected);
  });
});

describe('what a text does to hooks', () => {
  test.each(['{"disableAllHooks": true}', 'disableAllHooks=true', '.disableAllHooks = true', '"hooksConfig": {"notifications": true, "enabled": false}', '[features]\nweb = true\nhooks = false', 'features.hooks = false', '{"features":{"hooks":false}}', 'del(.hooks)', '.hooks = {}'])('%s switches them off', (text) => {
    expect(switchesHooksOff(text)).toBe(true);
  });
  test.each(['{"disableAllHooks": false}', 'hooks = true', '[features]\nhooks = true\n[other]\nx = false', '.hooks', 'disableAllHooks == true', '{"hooksConfig": {"enabled": true}}', 'webhooks = 1'])('%s does not', (text) => {
    expect(switchesHooksOff(text)).toBe(false);
  });
  test('a huge text is not searched', () => {
    expect(effectOf({ whole: false, added: ['x'.repeat(2 * 1024 * 1024)], removed: [] })).toBe('unknown');
  });
});
