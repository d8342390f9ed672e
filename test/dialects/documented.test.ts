// Contract: what is particular to the documents, the answers and the marks of the clients that are only documented.
import { describe, expect, test } from 'vitest';
import { callerOf, dialectFor } from '../../src/clients/dialects.ts';
import type { Decision } from '../../src/model/verdict.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Payload } from '../../src/model/payload.ts';

function dialect(id: string) {
  const found = dialectFor(id);
  if (found === undefined) throw new Error(id);
  return found;
}

function decoded(id: string, document: JsonObject): Payload {
  const payload = dialect(id).decode('pre-tool', document, {});
  if ('fault' in payload) throw new Error(payload.fault);
  return payload;
}

const tool = (id: string, document: JsonObject) => decoded(id, document).tool;
const said = (id: string, decision: Decision, document: JsonObject) => dialect(id).encode('pre-tool', { decision, reason: 'Look.' }, decoded(id, document));

test.each([
  ['auggie', { tool_name: 'remove-files', tool_input: { file_paths: ['a', 1] } }],
  ['auggie', { tool_name: 'launch-process', tool_input: {} }],
  ['auggie', { tool_name: 'launch-process', tool_input: { command: 'x' }, workspace_roots: '/x' }],
  ['auggie', { tool_name: 'apply_patch', tool_input: { patch: 'x' } }],
  ['cursor', { hook_event_name: 'beforeShellExecution' }],
  ['cursor', { hook_event_name: 'beforeMCPExecution', tool_name: 'x', tool_input: '[1' }],
  ['cursor', { hook_event_name: 'preToolUse', tool_name: 'Write', tool_input: {} }],
  ['vscode', { tool_name: 'run_in_terminal', tool_input: 'x' }],
  ['vscode', { tool_name: 'editFiles', tool_input: { files: ['a', 1] } }],
  ['vscode', { tool_name: 'multi_replace_string_in_file', tool_input: {} }],
  ['vscode', { tool_name: 'create_and_run_task', tool_input: { task: {} } }],
  ['windsurf', { agent_action_name: 'pre_run_command' }],
  ['windsurf', { agent_action_name: 'pre_run_command', tool_info: { command: 'x' } }],
  ['windsurf', { agent_action_name: 'pre_mcp_tool_use', tool_info: { mcp_tool_name: 'x' } }],
  ['devin', { tool_name: 'exec', tool_input: { shell_id: 'main' } }],
  ['kiro', { tool_name: 'execute_bash', tool_input: {} }],
  ['kiro', { tool_name: '@server', tool_input: {} }],
] as [string, JsonObject][])('%s: a wrong type of a needed field is a fault: %j', (id, document) => {
  expect(dialect(id).decode('pre-tool', document, {})).toHaveProperty('fault');
});

test.each([
  ['auggie', { conversation_id: 's' }, { AUGMENT_CONVERSATION_ID: 's', AUGMENT_HOOK_EVENT: 'PreToolUse' }, 'auggie'],
  ['auggie', { conversation_id: 's' }, { AUGMENT_CONVERSATION_ID: 'inherited', AUGMENT_HOOK_EVENT: 'PreToolUse' }, 'unknown'],
  ['auggie', { conversation_id: 's' }, { AUGMENT_CONVERSATION_ID: 's' }, 'unknown'],
  ['cursor', { cursor_version: '9.9.9' }, { CURSOR_VERSION: '9.9.9', CURSOR_PROJECT_DIR: '/w' }, 'cursor'],
  ['cursor', { cursor_version: '9.9.9' }, { CURSOR_VERSION: '9.9.8', CURSOR_PROJECT_DIR: '/w' }, 'unknown'],
  ['claude', { cursor_version: '9.9.9' }, { CURSOR_VERSION: '9.9.9', CURSOR_PROJECT_DIR: '/w', CLAUDE_PROJECT_DIR: '/w' }, 'cursor'],
  ['vscode', { session_id: 's' }, { PRAETORCTL_REGISTERED_FOR: 'vscode' }, 'vscode'],
  ['vscode', { sessionId: 's' }, { PRAETORCTL_REGISTERED_FOR: 'vscode' }, 'vscode'],
  ['vscode', { session_id: 's' }, {}, 'unknown'],
  // Copilot CLI reads the same directory.
  ['vscode', { session_id: 's' }, { PRAETORCTL_REGISTERED_FOR: 'vscode', COPILOT_CLI: '1', COPILOT_PROJECT_DIR: '/w' }, 'copilot-cli'],
  ['devin', { hook_event_name: 'PreToolUse' }, { DEVIN_PROJECT_DIR: '/w', CLAUDE_PROJECT_DIR: '/w' }, 'devin'],
  ['claude', { hook_event_name: 'PreToolUse', session_id: 's' }, { DEVIN_PROJECT_DIR: '/w', CLAUDE_PROJECT_DIR: '/w' }, 'devin'],
  ['devin', { hook_event_name: 'PreToolUse' }, {}, 'unknown'],
  // Nothing marks a hook of Cascade.
  ['windsurf', { trajectory_id: 's' }, { PATH: '/bin' }, 'unknown'],
] as [string, JsonObject, Record<string, string>, string][])('%s registration, %j, %j -> %s', (id, document, env, expected) => {
  expect(callerOf(id, document, env)).toBe(expected);
});

test('auggie: the server stands behind the tool, and the flag says that there is one', () => {
  const name = (tool_name: string, is_mcp_tool = true) => tool('auggie', { tool_name, tool_input: {}, is_mcp_tool });
  expect(name('ping-it_lab-srv')?.mcp).toEqual({ server: 'lab-srv', tool: 'ping-it', ambiguous: false });
  expect(name('ping_it_lab')?.mcp).toEqual({ server: 'lab', tool: 'ping_it', ambiguous: true, candidates: [{ server: 'lab', tool: 'ping_it' }, { server: 'it_lab', tool: 'ping' }] });
  expect(name('bare')?.mcp).toEqual({ server: '', tool: 'bare', ambiguous: true });
  expect(name('codebase_retrieval', false)?.kind).toBe('other');
});

test('windsurf: only exit 2 stops anything, and nobody is asked', () => {
  const document = { agent_action_name: 'pre_run_command', tool_info: { command_line: 'ls', cwd: '/w' } };
  for (const decision of ['deny', 'ask'] as const) expect(said('windsurf', decision, document)).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('Look.') as string });
  expect(decoded('windsurf', document).workspace).toBe('/w');
});

test('kiro: server and tool stand apart, a read can name several files, and only exit 2 stops a call', () => {
  expect(tool('kiro', { tool_name: '@lab_srv/ping_it', tool_input: {} })?.mcp).toEqual({ server: 'lab_srv', tool: 'ping_it', ambiguous: false });
  expect(tool('kiro', { tool_name: 'fs_read', tool_input: { operations: [{ path: '/a' }, { path: 'b' }] } })?.paths).toEqual(['/a', 'b']);
  for (const decision of ['deny', 'ask'] as const) {
    expect(said('kiro', decision, { tool_name: 'execute_bash', tool_input: { command: 'ls' } })).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('Look.') as string });
  }
});

test('vscode: a stop that is refused names its own event, or the client drops the answer', () => {
  const payload: Payload = { client: 'vscode', event: 'stop', stopActive: false, subagent: false, caller: 'unknown' };
  expect(dialect('vscode').encode('stop', { decision: 'deny', reason: 'Look.' }, payload).stdout).toContain('"hookEventName":"Stop"');
  expect(dialect('vscode').encode('subagent-stop', { decision: 'deny', reason: 'Look.' }, payload).stdout).toContain('"hookEventName":"SubagentStop"');
});

describe('cursor', () => {
  test('the input is an object or its text', () => {
    for (const tool_input of [{ path: '/a' }, '{"path":"/a"}']) {
      expect(tool('cursor', { hook_event_name: 'beforeMCPExecution', tool_name: 'read', tool_input })).toMatchObject({ kind: 'mcp', input: { path: '/a' } });
    }
  });

  test('a person is asked only where the client asks', () => {
    expect(said('cursor', 'ask', { hook_event_name: 'beforeShellExecution', command: 'ls' }).stdout).toContain('"permission":"ask"');
    expect(said('cursor', 'ask', { hook_event_name: 'beforeMCPExecution', tool_name: 'read', tool_input: '{}' }).stdout).toContain('"permission":"ask"');
    for (const tool_name of ['Shell', 'Write', 'MCP:read']) {
      expect(said('cursor', 'ask', { hook_event_name: 'preToolUse', tool_name, tool_input: { command: 'ls', path: '/a' } }).stdout).toContain('"permission":"deny"');
    }
  });
});
