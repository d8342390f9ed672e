// Contract: a registration that another client executes: decoded by what arrives, answered in the caller's form, recorded with the
// caller, and evidence for nobody's own registration. Real processes; documents and variables as captured in real runs.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import type { CanonicalEvent } from '../../src/model/events.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { receiptEvidence, readReceipts } from '../../src/verify/receipts.ts';
import { buildHook, receipts, ROOT, run, temporary } from './support.ts';

beforeAll(buildHook);

interface Capture { readonly name: string; readonly event: CanonicalEvent; readonly env: Record<string, string>; readonly stdin: JsonObject }

const CLAUDE_EVENTS: Readonly<Record<string, CanonicalEvent>> = {
  PreToolUse: 'pre-tool', PostToolUse: 'post-tool', PermissionRequest: 'permission', UserPromptSubmit: 'prompt', SessionStart: 'session-start', SessionEnd: 'session-end', Stop: 'stop',
};

/** Copilot CLI 1.0.102 running the hooks of a project's .claude/settings.json. */
const COPILOT: readonly Capture[] = readdirSync(join(ROOT, 'test/fixtures/foreign/copilot-cli-runs-claude')).map((name) => {
  const kept = JSON.parse(readFileSync(join(ROOT, 'test/fixtures/foreign/copilot-cli-runs-claude', name), 'utf8')) as { hook_argv_tag: string; env_markers: Record<string, string>; stdin: JsonObject };
  return { name, event: CLAUDE_EVENTS[kept.hook_argv_tag]!, env: kept.env_markers, stdin: kept.stdin };
});

const droid = (name: string): JsonObject => JSON.parse(readFileSync(join(ROOT, 'test/fixtures/payloads/droid', name), 'utf8')) as JsonObject;
const withCommand = (stdin: JsonObject, command: string): JsonObject => {
  const key = stdin['tool_input'] === undefined ? 'toolInput' : 'tool_input';
  return { ...stdin, [key]: { ...(stdin[key] as JsonObject), command } };
};
const FORCE = 'git push --force';
const saidOf = (stdout: string): JsonObject => JSON.parse(stdout) as JsonObject;

describe('Copilot CLI runs the registration of Claude Code', () => {
  test('there is a capture of every event', () => {
    expect(new Set(COPILOT.map(({ event }) => event))).toEqual(new Set(Object.values(CLAUDE_EVENTS)));
  });

  test.each(COPILOT.map((one) => [one.name, one] as const))('%s: understood, no opinion, recorded with the caller', async (_name, { event, env, stdin }) => {
    const state = temporary();
    const ran = await run('claude', event, { input: JSON.stringify(stdin), env, state });
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const tool = stdin['tool_name'] ?? stdin['toolName'];
    const kind = tool === undefined ? {} : { tool, kind: String(tool).startsWith('lab-srv') ? 'mcp' : 'shell' };
    expect(receipts(state)).toMatchObject([{ client: 'claude', caller: 'copilot-cli', event, verdict: 'neutral', ...kind }]);
  });

  const gate = (event: CanonicalEvent): Capture => COPILOT.find((one) => one.event === event && JSON.stringify(one.stdin).includes('"command"'))!;

  test('a refused call is answered in the form that was measured, without exit 2, which would hide the reason', async () => {
    const { env, stdin } = gate('pre-tool');
    const ran = await run('claude', 'pre-tool', { input: JSON.stringify(withCommand(stdin, FORCE)), env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(saidOf(ran.stdout)).toEqual({ permissionDecision: 'deny', permissionDecisionReason: expect.stringContaining('git.push.force') });
  });

  test('a refused permission too: its document arrives in the own form of the caller', async () => {
    const { env, stdin } = gate('permission');
    const ran = await run('claude', 'permission', { input: JSON.stringify(withCommand(stdin, FORCE)), env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(saidOf(ran.stdout)).toEqual({ behavior: 'deny', message: expect.stringContaining('git.push.force') });
  });

  test('a document of no form at all is refused in the form of the caller', async () => {
    const { env, stdin } = gate('pre-tool');
    const state = temporary();
    const ran = await run('claude', 'pre-tool', { input: JSON.stringify({ ...stdin, tool_name: 7 }), env, state });
    expect(saidOf(ran.stdout)).toMatchObject({ permissionDecision: 'deny' });
    expect(receipts(state)).toMatchObject([{ client: 'claude', caller: 'copilot-cli', verdict: 'error' }]);
  });

  test('the same document without the marks is answered as Claude Code wants it', async () => {
    const ran = await run('claude', 'pre-tool', { input: JSON.stringify(withCommand(gate('pre-tool').stdin, FORCE)) });
    expect(ran.code).toBe(2);
    expect(saidOf(ran.stdout)).toHaveProperty('hookSpecificOutput');
  });

  test('the receipt is evidence for neither registration', async () => {
    const { env, stdin } = gate('pre-tool');
    const state = temporary();
    await run('claude', 'pre-tool', { input: JSON.stringify(stdin), env, state });
    const source = readReceipts(realHost({ env: {} }), join(state, 'receipts'));
    const ask = (id: string): ReturnType<typeof receiptEvidence> => receiptEvidence(source, { id, aliases: [], since: 1, now: Date.now(), workspace: undefined });
    expect(ask('claude')).toMatchObject({ tool: undefined, session: undefined, ignored: { otherCaller: true } });
    expect(ask('copilot-cli')).toMatchObject({ tool: undefined, session: undefined, ignored: { otherCaller: false } });
  });
});

describe('Factory Droid runs hooks that it imported from Claude Code', () => {
  const stdin = readdirSync(join(ROOT, 'test/fixtures/payloads/droid')).filter((name) => name.includes('PreToolUse')).map(droid).find((one) => one['tool_name'] === 'Execute')!;
  const session = String(stdin['session_id']);
  const env = { session_id: session, FACTORY_PROJECT_DIR: '/home/dev/work', DROID_PROJECT_DIR: '/home/dev/work', CLAUDE_PROJECT_DIR: '/home/dev/work' };

  test('its own tool names are judged, and the answer is one that it obeys', async () => {
    const state = temporary();
    const ran = await run('claude', 'pre-tool', { input: JSON.stringify(withCommand(stdin, FORCE)), env, state });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(saidOf(ran.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(receipts(state)).toMatchObject([{ client: 'claude', caller: 'droid', kind: 'shell', tool: 'Execute', verdict: 'deny' }]);
  });

  test('in a session of Claude Code that a Droid started, Claude Code is the caller', async () => {
    const state = temporary();
    const inside = { ...env, CLAUDE_CODE_SESSION_ID: 's1' };
    await run('claude', 'pre-tool', { input: JSON.stringify({ session_id: 's1', cwd: '/w', tool_name: 'Bash', tool_input: { command: FORCE } }), env: inside, state });
    expect(receipts(state)).toMatchObject([{ client: 'claude', caller: 'claude', verdict: 'deny' }]);
  });
});

test('what a git hook manager calls answers it, whoever started it', async () => {
  const env = { CLAUDE_CODE_SESSION_ID: 's1', CLAUDE_PROJECT_DIR: '/w' };
  const ran = await run('lefthook', 'pre-tool', { input: JSON.stringify({ session_id: 's1', cwd: '/w', command: FORCE }), env });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
});

describe('a client without a mark runs the registration of another one', () => {
  const vscode = (command: string): JsonObject => ({ timestamp: '2026-11-30T10:00:00.000Z', hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'run_in_terminal', tool_input: { command, explanation: 'x' }, tool_use_id: 't' });

  test.each(['claude', 'copilot-cli', 'cursor', 'droid'])('%s: a tool that takes a command line is judged as one', async (client) => {
    const state = temporary();
    const denied = await run(client, 'pre-tool', { input: JSON.stringify(vscode(FORCE)), state });
    expect(`${denied.stdout}${denied.code}`).toMatch(/"deny"|2$/);
    const fine = await run(client, 'pre-tool', { input: JSON.stringify(vscode('git status')), state });
    expect(fine.stdout).not.toContain('"deny"');
    expect(fine.code).toBe(0);
    expect(receipts(state)).toMatchObject([{ client, caller: 'unknown', verdict: 'deny' }, { client, caller: 'unknown' }]);
  });

  test('a tool of a known client stays what it is', async () => {
    const env = { CLAUDE_CODE_SESSION_ID: 's', CLAUDE_PROJECT_DIR: '/w' };
    expect(await run('claude', 'pre-tool', { input: JSON.stringify({ ...vscode(FORCE), cwd: '/w', tool_name: 'Whatever' }), env })).toMatchObject({ code: 0, stdout: '' });
  });
});
