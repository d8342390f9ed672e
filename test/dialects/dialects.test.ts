// Contract: the promises of every dialect, said once and checked for all; then the particular decodings.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callerOf, DIALECTS, dialectFor } from '../../src/clients/dialects.ts';
import type { HookDialect } from '../../src/clients/dialect-kit.ts';
import { CANONICAL_EVENTS, type CanonicalEvent } from '../../src/model/events.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/model/json.ts';
import type { Payload } from '../../src/model/payload.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { captured } from './payloads.ts';

const BLOCKING: readonly CanonicalEvent[] = ['pre-tool', 'permission'];
/** Registered to fail closed, where the client takes silence for a failure. */
const SPOKEN_NEUTRAL: Readonly<Record<string, string>> = { cursor: '{"continue":true,"permission":"allow"}\n' };
/** Nothing that they are told at a stop makes them go on; Cline does not even wait for its hook there. */
const STOPS: readonly string[] = ['cline', 'windsurf', 'kiro'];
const DENY: Verdict = { decision: 'deny', rule: 'r', reason: 'Because.' };

function get(id: string): HookDialect {
  const dialect = dialectFor(id);
  if (dialect === undefined) throw new Error(id);
  return dialect;
}

function decoded(id: string, event: CanonicalEvent, document: JsonObject, env: Record<string, string> = {}): Payload {
  const payload = get(id).decode(event, document, env);
  if ('fault' in payload) throw new Error(payload.fault);
  return payload;
}

function payloadOf(dialect: HookDialect, event: CanonicalEvent): Payload {
  return { client: dialect.id, event, stopActive: false, subagent: false, caller: 'unknown' };
}

describe.each(DIALECTS)('$id', (dialect) => {
  test('allow is never said: it would grant what the person did not', () => {
    for (const event of CANONICAL_EVENTS) {
      const answer = dialect.encode(event, { decision: 'allow', reason: 'x' }, payloadOf(dialect, event));
      expect(answer).toEqual(dialect.neutral(event));
    }
  });

  test('neutral is silence with exit 0 wherever a call can be stopped, or what the client takes for it', () => {
    for (const event of BLOCKING) expect(dialect.neutral(event)).toEqual({ stdout: SPOKEN_NEUTRAL[dialect.id] ?? '', stderr: '', exit: 0 });
  });

  test('session and prompt events never put text on stdout', () => {
    for (const event of ['prompt', 'session-start', 'session-end', 'notification', 'subagent-start', 'post-tool'] as const) {
      for (const answer of [dialect.encode(event, DENY, payloadOf(dialect, event)), dialect.encodeError(event, 'x'), dialect.neutral(event)]) {
        expect(['', '{}\n']).toContain(answer.stdout);
        expect(answer.exit).toBe(0);
      }
    }
  });

  test('an error blocks where blocking is possible and is harmless elsewhere', () => {
    for (const event of CANONICAL_EVENTS) {
      const answer = dialect.encodeError(event, 'something');
      if (BLOCKING.includes(event)) {
        expect(answer.exit === 2 || /deny|"cancel":true/.test(answer.stdout)).toBe(true);
        expect(answer.stdout + answer.stderr).toContain('something');
      } else {
        expect(answer.exit).toBe(0);
        expect(answer.stdout.replace('{}\n', '')).toBe('');
        expect(answer.stderr).toMatch(/^praetorctl: .+\n$/);
      }
    }
  });

  test('stdout is empty or one ASCII document with a newline, also for hostile reasons', () => {
    const reason = 'a"b\\c\nline\u2028two \u{1F600} \u0000 end';
    for (const event of CANONICAL_EVENTS) {
      for (const decision of ['deny', 'ask'] as const) {
        const { stdout } = dialect.encode(event, { decision, rule: 'r', reason }, payloadOf(dialect, event));
        if (stdout === '') continue;
        expect(stdout).toMatch(/^[\x20-\x7e]+\n$/);
        expect(isObject(JSON.parse(stdout))).toBe(true);
      }
    }
  });

  test('a deny always has a reason, also where the verdict has none', () => {
    const { stdout, stderr, exit } = dialect.encode('pre-tool', { decision: 'deny' }, payloadOf(dialect, 'pre-tool'));
    if (exit === 2 && stdout === '') expect(stderr).toMatch(/^praetorctl: \S.+\n$/);
    else expect(stdout).toMatch(/(?:eason|essage)":"[^"]+"/);
  });

  test('a running stop is not blocked again', () => {
    const running = { ...payloadOf(dialect, 'stop'), stopActive: true };
    expect(dialect.encode('stop', DENY, running)).toEqual(dialect.neutral('stop'));
    const first = dialect.encode('stop', DENY, payloadOf(dialect, 'stop'));
    if (STOPS.includes(dialect.id)) expect(first).toEqual(dialect.neutral('stop'));
    else expect(first.stdout + first.stderr).toContain('Because.');
  });

  test('decode never throws, whatever the document holds', () => {
    const key = fc.constantFrom('tool_name', 'tool_input', 'toolCall', 'name', 'args', 'cwd', 'session_id', 'mcp_server', 'mcp_context', 'command', 'file_path',
      'workspacePaths', '__proto__', 'constructor', 'CommandLine', 'Input', 'ServerName', 'tool_call', 'input', 'commands', 'workspaceRoots');
    const leaf = fc.oneof(fc.string(), fc.constantFrom('Bash', 'mcp__a__b', 'mcp__', 'mcp_', 'apply_patch', 'run_command', 'manage_task', 'replace', 'run_commands', 'editor', 'read_files'), fc.integer(), fc.boolean(), fc.constant(null));
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, fc.array(tie('node'), { maxLength: 3 }), fc.dictionary(key, tie('node'), { maxKeys: 6 })),
    }));
    fc.assert(fc.property(fc.dictionary(key, node, { maxKeys: 8 }), fc.constantFrom(...CANONICAL_EVENTS), (record, event) => {
      const document = JSON.parse(JSON.stringify(record)) as JsonObject;
      const payload = dialect.decode(event, document, { PATH: '/bin' });
      expect(typeof payload).toBe('object');
      if (!('fault' in payload) && payload.tool?.kind === 'shell') expect(typeof payload.tool.command).toBe('string');
    }), { numRuns: 300 });
  });

  test('a __proto__ key lends nothing and is a fault', () => {
    const document = JSON.parse('{"__proto__":{"tool_name":"Bash","toolCall":null},"tool_name":"Read","tool_input":{},"toolCall":null}') as JsonObject;
    expect(dialect.decode('pre-tool', document, {})).toHaveProperty('fault');
  });

  test('unknown fields are tolerated in every captured document', () => {
    for (const { event, document } of captured(dialect.id)) {
      expect(dialect.decode(event, { ...document, x_new_field: { deep: [1] } }, {})).not.toHaveProperty('fault');
    }
  });
});

describe('wrong types of needed fields are faults on tool events', () => {
  test.each([
    ['claude', { tool_input: {} }],
    ['claude', { tool_name: 7, tool_input: {} }],
    ['claude', { tool_name: 'Bash', tool_input: [] }],
    ['claude', { tool_name: 'Bash', tool_input: {} }],
    ['claude', { tool_name: 'Bash', tool_input: { command: 3 } }],
    ['claude', { tool_name: 'Bash', tool_input: { command: 'a\0b' } }],
    ['claude', { tool_name: 'Edit', tool_input: { file_path: null } }],
    ['claude', { tool_name: 'Bash', tool_input: { command: 'x' }, cwd: 5 }],
    ['codex', { tool_name: 'apply_patch', tool_input: { patch: 'x' } }],
    ['gemini', { tool_name: 'mcp_a_b', tool_input: {}, mcp_context: { server_name: 'a' } }],
    ['gemini', { tool_name: 'write_file', tool_input: { path: 'x' } }],
    ['cline', {}],
    ['cline', { tool_call: { name: 'run_commands' } }],
    ['cline', { tool_call: { name: 'run_commands', input: {} } }],
    ['cline', { tool_call: { name: 'run_commands', input: { commands: [] } } }],
    ['cline', { tool_call: { name: 'run_commands', input: { commands: ['ls', 7] } } }],
    ['cline', { tool_call: { name: 'run_commands', input: { commands: ['ls'], cmd: 7 } } }],
    ['cline', { tool_call: { name: 'run_commands', input: { commands: [{ command: 'ls', args: 'x' }] } } }],
    ['cline', { tool_call: { name: 'run_commands', input: { commands: ['a\0b'] } } }],
    ['cline', { tool_call: { name: 'editor', input: { new_text: 'x' } } }],
    ['cline', { tool_call: { name: 'apply_patch', input: { patch: 'x' } } }],
    ['cline', { tool_call: { name: 'x', input: {} }, workspaceRoots: [5] }],
    ['agy', {}],
    ['agy', { toolCall: 'run_command' }],
    ['agy', { toolCall: { name: 'run_command', args: 'x' } }],
    ['agy', { toolCall: { name: 'run_command', args: {} } }],
    ['agy', { toolCall: { name: 'manage_task', args: { Action: 'send_input' } } }],
    ['agy', { toolCall: { name: 'call_mcp_tool', args: { ServerName: 'x' } } }],
  ] as [string, JsonObject][])('%s %j', (id, document) => {
    expect(get(id).decode('pre-tool', document, {})).toHaveProperty('fault');
  });
});

describe('decoding', () => {
  const tool = (id: string, document: JsonObject) => decoded(id, 'pre-tool', document).tool;

  test('claude: the named MCP server wins over the split', () => {
    expect(tool('claude', { tool_name: 'mcp__plugin_p_s__go', tool_input: {}, mcp_server: { name: 'plugin:p:s', source: 'plugin' } })?.mcp)
      .toEqual({ server: 'plugin:p:s', tool: 'go', ambiguous: false, apart: true });
    expect(tool('claude', { tool_name: 'mcp__a__b', tool_input: {} })?.mcp).toEqual({ server: 'a', tool: 'b', ambiguous: false });
    expect(tool('claude', { tool_name: 'mcp__a__b__c', tool_input: {} })?.mcp).toEqual({ server: 'a', tool: 'b__c', ambiguous: true, candidates: [{ server: 'a', tool: 'b__c' }, { server: 'a__b', tool: 'c' }] });
    expect(tool('claude', { tool_name: 'mcp__a', tool_input: {} })?.kind).toBe('other');
  });

  test('codex: the paths of a patch', () => {
    const patch = '*** Begin Patch\n*** Add File: a b.txt\n+x\n*** Update File: /abs/c\n*** Move to: d/e\n@@\n-*** Delete File: no\n*** Delete File: f\n*** End Patch\n';
    expect(tool('codex', { tool_name: 'apply_patch', tool_input: { command: patch } })).toMatchObject({ kind: 'file-write', paths: ['a b.txt', '/abs/c', 'd/e', 'f'] });
  });

  test('gemini: mcp_context names the pair that the tool name cannot', () => {
    const name = { tool_name: 'mcp_my_srv-x.y_echo_text', tool_input: {} };
    expect(tool('gemini', { ...name, mcp_context: { server_name: 'my_srv-x.y', tool_name: 'echo_text' } })?.mcp).toEqual({ server: 'my_srv-x.y', tool: 'echo_text', ambiguous: false });
    expect(tool('gemini', name)?.mcp).toMatchObject({ ambiguous: true });
  });

  test('agy: text typed into a running shell is a command line', () => {
    expect(tool('agy', { toolCall: { name: 'manage_task', args: { Action: 'send_input', TaskId: '1', Input: 'git push -f\n' } } })).toMatchObject({ kind: 'shell', command: 'git push -f\n' });
    expect(tool('agy', { toolCall: { name: 'manage_task', args: { Action: 'list' } } })?.kind).toBe('other');
  });

  test('agy: workspace from the list, else from the call, else unknown', () => {
    const call = { name: 'run_command', args: { CommandLine: 'ls', Cwd: '/call' } };
    expect(decoded('agy', 'pre-tool', { workspacePaths: ['/ws'], toolCall: call }).workspace).toBe('/ws');
    expect(decoded('agy', 'pre-tool', { workspacePaths: [], toolCall: call }).workspace).toBe('/call');
    expect(decoded('agy', 'pre-tool', { toolCall: null }).workspace).toBeUndefined();
  });

  test('kilo: a background process runs a command in some of its actions', () => {
    expect(tool('kilo', { tool: 'background_process', args: { action: 'start', command: 'git push -f', workdir: '/x' } })).toMatchObject({ kind: 'shell', command: 'git push -f', cwd: '/x' });
    expect(tool('kilo', { tool: 'background_process', args: { action: 'list' } })?.kind).toBe('other');
    expect(get('kilo').decode('pre-tool', { tool: 'background_process', args: { action: 'start', command: 7 } }, {})).toHaveProperty('fault');
    expect(tool('opencode', { tool: 'background_process', args: { command: 'x' } })?.kind).toBe('mcp');
  });

  test('cline: every form in which the client takes commands, each entry for itself', () => {
    const run = (input: JsonValue, root = '/w'): unknown => decoded('cline', 'pre-tool', { workspaceRoots: [root], tool_call: { id: 'c', name: 'run_commands', input } }).tool;
    for (const input of [{ commands: ['ls -l'] }, { commands: 'ls -l' }, { commands: { command: 'ls -l' } }, { command: 'ls -l' }, { cmd: 'ls -l' }, ['ls -l'], [{ command: 'ls -l' }], 'ls -l', { commands: ['ls -l'], command: 'ls -l' }]) {
      expect(run(input)).toMatchObject({ kind: 'shell', command: 'ls -l', callId: 'c' });
    }
    expect(run({ commands: [{ command: 'git', args: ['push', "it's"] }] })).toMatchObject({ command: `'git' 'push' 'it'\\''s'` });
    expect(run({ commands: ['a "', 'b'] })).toMatchObject({ command: `sh -c 'a "'\nsh -c 'b'` });
    expect(run({ commands: ['bash <<E', 'b', 'E'] })).toMatchObject({ command: `sh -c 'bash <<E'\nsh -c 'b'\nsh -c 'E'\nsh -c 'bash <<E\nb\nE'` });
    expect(run({ commands: ['ls', "it's"] }, 'C:\\work')).toMatchObject({ shell: 'powershell', command: `powershell -Command 'ls'\npowershell -Command 'it''s'` });
  });

  test('cline: paths of the file tools, and the server of a tool', () => {
    const call = (name: string, input: JsonValue): unknown => tool('cline', { tool_call: { name, input } });
    expect(call('editor', { path: '/w/a', new_text: 'x' })).toMatchObject({ kind: 'file-write', paths: ['/w/a'] });
    for (const input of [{ input: '*** Delete File: f\n' }, '*** Delete File: f\n']) expect(call('apply_patch', input)).toMatchObject({ kind: 'file-write', paths: ['f'] });
    expect(call('read_files', { files: [{ path: '/a', start_line: 1 }, '/b'] })).toMatchObject({ kind: 'file-read', paths: ['/a', '/b'] });
    expect(call('lab__echo', {})).toMatchObject({ kind: 'mcp', mcp: { server: 'lab', tool: 'echo' } });
    expect(call('ask_question', {})).toMatchObject({ kind: 'other' });
  });

  test('cline: an agent with a parent is a subagent', () => {
    expect([null, 'agent_1'].map((parent) => decoded('cline', 'stop', { agent_id: 'agent_2', parent_agent_id: parent }).subagent)).toEqual([false, true]);
  });

  test('a relative workspace is unknown', () => {
    expect(decoded('claude', 'stop', { cwd: 'x' }).workspace).toBeUndefined();
  });
});

/** PATH entries as seen in hooks of codex-cli 0.171.0 (npm package, Linux). */
const HELPER = '/home/dev/.codex/tmp/arg0-linux/codex-arg0HODrJq';
const PACKAGE = '/opt/npm/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/codex-path';

describe('caller', () => {
  const document = { session_id: 's1', taskId: 's1', conversationId: 's1', sessionID: 's1', tool_name: 'X', tool_input: {}, toolCall: null };
  test.each([
    ['claude', { CLAUDE_CODE_SESSION_ID: 's1', CLAUDE_PROJECT_DIR: '/w' }, 'claude'],
    ['claude', { CLAUDE_CODE_SESSION_ID: 'inherited', CLAUDE_PROJECT_DIR: '/w' }, 'unknown'],
    ['claude', { CLAUDE_PROJECT_DIR: '/w' }, 'unknown'],
    // A command that the model runs: the session's variables without the hook's own.
    ['claude', { CLAUDE_CODE_SESSION_ID: 's1', CLAUDECODE: '1', CLAUDE_CODE_EXECPATH: '/x/claude' }, 'unknown'],
    ['gemini', { GEMINI_SESSION_ID: 's1', CLAUDE_PROJECT_DIR: '/w' }, 'gemini'],
    ['gemini', { CLAUDE_CODE_SESSION_ID: 's1', CLAUDE_PROJECT_DIR: '/w' }, 'claude'],
    ['gemini', { GEMINI_CLI: '1' }, 'unknown'],
    ['qwen', { QWEN_CODE_SESSION_ID: 's1', QWEN_PROJECT_DIR: '/w', CLAUDE_PROJECT_DIR: '/w', GEMINI_PROJECT_DIR: '/w' }, 'qwen'],
    ['qwen', { QWEN_CODE_SESSION_ID: 'inherited', QWEN_PROJECT_DIR: '/w' }, 'unknown'],
    // A command that the model runs: the session's variables without the hook's own.
    ['qwen', { QWEN_CODE_SESSION_ID: 's1', QWEN_CODE: '1' }, 'unknown'],
    ['claude', { QWEN_CODE_SESSION_ID: 's1', QWEN_PROJECT_DIR: '/w', CLAUDE_PROJECT_DIR: '/w' }, 'qwen'],
    ['copilot-cli', { COPILOT_CLI: '1', COPILOT_PROJECT_DIR: '/w', CLAUDE_PROJECT_DIR: '/w' }, 'copilot-cli'],
    // A command that the model runs.
    ['copilot-cli', { COPILOT_CLI: '1', COPILOT_AGENT_SESSION_ID: 's1' }, 'unknown'],
    ['claude', { COPILOT_CLI: '1', COPILOT_PROJECT_DIR: '/w', CLAUDE_PROJECT_DIR: '/w' }, 'copilot-cli'],
    ['droid', { session_id: 's1', FACTORY_PROJECT_DIR: '/w', CLAUDE_PROJECT_DIR: '/w' }, 'droid'],
    ['droid', { session_id: 'inherited', FACTORY_PROJECT_DIR: '/w' }, 'unknown'],
    // A command that the model runs.
    ['droid', { FACTORY_AIRGAP_ENABLED: 'true' }, 'unknown'],
    ['opencode', { PRAETORCTL_SHIM_SESSION: 's1' }, 'opencode'],
    ['opencode', { PRAETORCTL_SHIM_SESSION: 'other' }, 'unknown'],
    // A command that the model runs.
    ['opencode', { OPENCODE: '1', AGENT: '1' }, 'unknown'],
    ['kilo', { PRAETORCTL_SHIM_SESSION: 's1', KILO: '1' }, 'kilo'],
    // A command that the model runs.
    ['kilo', { KILO: '1', KILO_PID: '7', OPENCODE: '1', AGENT: '1' }, 'unknown'],
    ['cline', { CLINE_BUILD_ENV: 'production', PRAETORCTL_SHIM: 'cline' }, 'cline'],
    ['cline', { CLINE_BUILD_ENV: 'production' }, 'unknown'],
    // A command that the model runs; a person who runs the hook file.
    ['cline', { CLINE_CONNECTOR_CLI_LAUNCH: '{}', PRAETORCTL_SHIM: 'cline' }, 'unknown'],
    ['agy', { ANTIGRAVITY_CONVERSATION_ID: 's1' }, 'agy'],
    ['codex', { PATH: `${HELPER}:${PACKAGE}:/usr/bin` }, 'codex'],
    ['codex', { PATH: '/home/dev/.codex/tmp/arg0/codex-arg0AbC:/usr/bin' }, 'codex'],
    ['codex', { Path: 'C:\\Users\\dev\\.codex\\tmp\\arg0\\codex-arg0AbC;C:\\Windows' }, 'codex'],
    // zsh reads ~/.zshenv also for a hook, so the entry need not stay the first one.
    ['codex', { PATH: `/home/dev/bin:${HELPER}:/usr/bin` }, 'codex'],
    ['codex', { PATH: `${PACKAGE}:/usr/bin`, CODEX_MANAGED_BY_NPM: '1' }, 'unknown'],
    // Commands that the model runs, as a login shell and without one.
    ['codex', { PATH: `${PACKAGE}:/usr/bin`, CODEX_TOOL_CALL_ID: 'call_1', CODEX_THREAD_ID: 's1', CODEX_SESSION_ID: 's1' }, 'unknown'],
    ['codex', { PATH: `${PACKAGE}:${HELPER}:/usr/bin`, CODEX_TOOL_CALL_ID: 'call_1', CODEX_THREAD_ID: 's1', CODEX_SESSION_ID: 's1' }, 'unknown'],
    ['codex', { PATH: `${HELPER}:/usr/bin`, CODEX_THREAD_ID: 's1' }, 'unknown'],
    ['codex', { PATH: '/usr/bin' }, 'unknown'],
    ['claude', { PATH: `${HELPER}:/usr/bin` }, 'unknown'],
  ])('%s registration, %j -> %s', (id, env, expected) => {
    expect(callerOf(id, document, env)).toBe(expected);
  });

  test('alias', () => {
    expect(dialectFor('antigravity')?.id).toBe('agy');
    expect(dialectFor('nobody')).toBeUndefined();
  });
});
