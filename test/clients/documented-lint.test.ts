// Contract: what the rows that are only documented say about a file by which their client would leave our hooks out.
import { describe, expect, test } from 'vitest';
import { clientById } from '../../src/clients/registry.ts';
import type { RootContext } from '../../src/model/client.ts';
import type { JsonObject } from '../../src/model/json.ts';

const CONTEXT: RootContext = { platform: 'linux', env: {}, home: '/home/dev', project: '/work', dirExists: () => true, dirNames: () => [] };
const found = (id: string, document: JsonObject): string[] => clientById(id).lint('hooks', document).map((finding) => `${finding.effect} ${(finding.path ?? []).join('.')}`);

describe('auggie', () => {
  const group = { hooks: [{ type: 'command', command: 'x' }] };
  test.each([
    [{ hooks: { PreToolUse: [group] } }, []],
    [{ hooks: [] }, ['hooks hooks']],
    [{ hooks: { PreToolUse: [group, { command: 'x' }] } }, ['hooks hooks.PreToolUse.1']],
    [{ hooks: { PreToolUse: [{ hooks: [{ command: 'x' }] }] } }, ['hooks hooks.PreToolUse.0']],
    [{ hooks: { PreToolUse: [group], beforeShellExecution: [{ command: 'x' }] } }, ['hooks hooks.beforeShellExecution']],
  ] as [JsonObject, string[]][])('%j', (document, expected) => {
    expect(found('auggie', document)).toEqual(expected);
  });
});

describe('cursor', () => {
  test.each([
    [{ version: 1, hooks: { stop: [] } }, []],
    [{ hooks: {} }, ['file version']],
    [{ version: 1, hooks: { beforeShellExec: [] } }, ['file hooks.beforeShellExec']],
    [{ version: 1, hooks: [] }, ['file hooks']],
  ] as [JsonObject, string[]][])('%j', (document, expected) => {
    expect(found('cursor', document)).toEqual(expected);
  });
});

test('vscode: switches of the person and of a workspace', () => {
  const look = (name: string, document: JsonObject) => clientById('vscode').switches(new Map([[name, document]]), {}, CONTEXT).map(({ id, effect }) => `${effect} ${id}`);
  expect(look('settings', { 'chat.useHooks': false })).toEqual(['hooks vscode.hooks-off']);
  expect(look('workspace', { 'chat.hookFilesLocations': { '~/.copilot/hooks': false } })).toEqual(['hooks vscode.hooks-off']);
  expect(look('settings', { 'chat.hookFilesLocations': { '.github/hooks': true } })).toEqual([]);
});

test('kiro: a version of another form, a hooks key that is no list', () => {
  expect(found('kiro', { version: 'v1', hooks: [] })).toEqual([]);
  expect(found('kiro', { version: '1.0.0', hooks: {} })).toEqual(['file version', 'file hooks']);
});
