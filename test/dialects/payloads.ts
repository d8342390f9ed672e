// Contract: every captured hook document with its client and canonical event, for tests.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CanonicalEvent } from '../../src/model/events.ts';
import type { JsonObject } from '../../src/model/json.ts';

export const PAYLOADS_DIR = fileURLToPath(new URL('../fixtures/payloads', import.meta.url));

/** Native event -> canonical event, per client. */
const EVENTS: Readonly<Record<string, Readonly<Record<string, CanonicalEvent>>>> = {
  claude: {
    PreToolUse: 'pre-tool', PostToolUse: 'post-tool', PermissionRequest: 'permission', UserPromptSubmit: 'prompt', SessionStart: 'session-start',
    SessionEnd: 'session-end', Stop: 'stop', SubagentStart: 'subagent-start', SubagentStop: 'subagent-stop', Notification: 'notification',
  },
  codex: {
    PreToolUse: 'pre-tool', PostToolUse: 'post-tool', PermissionRequest: 'permission', UserPromptSubmit: 'prompt', SessionStart: 'session-start',
    SessionEnd: 'session-end', Stop: 'stop', SubagentStart: 'subagent-start', SubagentStop: 'subagent-stop',
  },
  gemini: {
    BeforeTool: 'pre-tool', AfterTool: 'post-tool', BeforeAgent: 'prompt', AfterAgent: 'stop', SessionStart: 'session-start', SessionEnd: 'session-end',
    Notification: 'notification',
  },
  qwen: {
    PreToolUse: 'pre-tool', PostToolUse: 'post-tool', UserPromptSubmit: 'prompt', SessionStart: 'session-start', Stop: 'stop', Notification: 'notification',
  },
  'copilot-cli': {
    preToolUse: 'pre-tool', postToolUse: 'post-tool', permissionRequest: 'permission', userPromptSubmitted: 'prompt', sessionStart: 'session-start',
    sessionEnd: 'session-end', agentStop: 'stop',
  },
  droid: { PreToolUse: 'pre-tool', PostToolUse: 'post-tool', SessionStart: 'session-start', SessionEnd: 'session-end', Stop: 'stop' },
  // The plugin's documents, made of what the client gave the plugin.
  opencode: { before: 'pre-tool', after: 'post-tool', created: 'session-start' },
  windsurf: { pre_run_command: 'pre-tool', pre_mcp_tool_use: 'pre-tool', pre_write_code: 'pre-tool', post_run_command: 'post-tool', pre_user_prompt: 'prompt' },
  devin: { PreToolUse: 'pre-tool', PostToolUse: 'post-tool', PermissionRequest: 'permission', SessionStart: 'session-start', Stop: 'stop' },
  kiro: { PreToolUse: 'pre-tool', PostToolUse: 'post-tool', UserPromptSubmit: 'prompt', SessionStart: 'session-start' },
  auggie: { PreToolUse: 'pre-tool', PostToolUse: 'post-tool', SessionStart: 'session-start', PromptSubmit: 'prompt' },
  // The documents of the delegate program, made of what the client gave it.
  amp: { Bash: 'pre-tool', mcp: 'pre-tool', shell_command: 'pre-tool', apply_patch: 'pre-tool' },
  goose: { PreToolUse: 'pre-tool', PostToolUse: 'post-tool', UserPromptSubmit: 'prompt', SessionStart: 'session-start', SessionEnd: 'session-end' },
  crush: { PreToolUse: 'pre-tool' },
  kimi: {
    PreToolUse: 'pre-tool', PostToolUse: 'post-tool', UserPromptSubmit: 'prompt', SessionStart: 'session-start', SessionEnd: 'session-end',
    Stop: 'stop', SubagentStart: 'subagent-start', SubagentStop: 'subagent-stop', Notification: 'notification',
  },
  junie: { PreToolUse: 'pre-tool', UserPromptSubmit: 'prompt', SessionStart: 'session-start', SessionEnd: 'session-end', Stop: 'stop' },
  kilo: { before: 'pre-tool', after: 'post-tool', created: 'session-start' },
  cline: { PreToolUse: 'pre-tool', PostToolUse: 'post-tool', TaskStart: 'session-start', TaskComplete: 'stop' },
  cursor: {
    beforeShellExecution: 'pre-tool', beforeMCPExecution: 'pre-tool', preToolUse: 'pre-tool', postToolUse: 'post-tool', sessionStart: 'session-start',
    beforeSubmitPrompt: 'prompt', stop: 'stop',
  },
  vscode: {
    PreToolUse: 'pre-tool', PostToolUse: 'post-tool', UserPromptSubmit: 'prompt', SessionStart: 'session-start', Stop: 'stop', SubagentStop: 'subagent-stop',
  },
  agy: { PreToolUse: 'pre-tool', PostToolUse: 'post-tool', PreInvocation: 'session-start', Stop: 'stop' },
};

export interface Captured {
  readonly client: string;
  readonly name: string;
  readonly event: CanonicalEvent;
  readonly text: string;
  readonly document: JsonObject;
}

export const CLIENTS = Object.keys(EVENTS);

export function captured(client: string): Captured[] {
  return readdirSync(`${PAYLOADS_DIR}/${client}`).sort().map((name) => {
    const native = name.replace(/^(?:\d+\.\d+\.\d+|documented)\./, '').split(/[.-]/)[0] ?? '';
    const event = EVENTS[client]?.[native];
    if (event === undefined) throw new Error(`${client}/${name}: no canonical event`);
    const text = readFileSync(`${PAYLOADS_DIR}/${client}/${name}`, 'utf8');
    return { client, name, event, text, document: JSON.parse(text) as JsonObject };
  });
}
