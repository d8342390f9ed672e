// Contract: what the rows that are only documented say about a file by which their client would leave our hooks out.
import { describe, expect, test } from 'vitest';
import { clientById } from '../../src/clients/registry.ts';
import type { JsonObject } from '../../src/model/json.ts';

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
