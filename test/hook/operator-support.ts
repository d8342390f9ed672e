// Contract: a workstation for tests of the guard's settings: directories of its own, the built hook as a process, the compile
// command in process. Test-only.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CliIo, Outcome } from '../../src/cli/output.ts';
import { policyCompile } from '../../src/cli/policy-operator.ts';
import { realHost } from '../../src/host.ts';
import { BIN, receipts, run, temporary, type Ran } from './support.ts';
import type { Receipt } from '../../src/receipts/format.ts';

export interface Station {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly state: string;
  readonly settings: string;
  readonly index: string;
  readonly pending: string;
  readonly env: Record<string, string>;
}

export function station(): Station {
  const root = temporary();
  const [home, workspace, state, config] = ['home', 'work', 'state', 'config'].map((name) => join(root, name)) as [string, string, string, string];
  for (const directory of [home, workspace, config]) mkdirSync(directory);
  return {
    root, home, workspace, state, settings: join(config, 'settings.yaml'), index: join(state, 'policy.idx'), pending: join(state, 'policy.pending.idx'),
    env: { HOME: home, PRAETORCTL_STATE_DIR: state, PRAETORCTL_CONFIG_DIR: config },
  };
}

export function put(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** `hooks.command_policy` as YAML. */
export function policy(lines: string): string {
  return `hooks:\n  command_policy:\n${lines.split('\n').map((line) => `    ${line}`).join('\n')}\n`;
}

export function ioOf(at: Station, extra: Partial<CliIo> = {}, env: Record<string, string> = {}): CliIo {
  return {
    host: realHost({ env: { ...at.env, PATH: process.env['PATH'] ?? '', ...env }, cwd: at.workspace }), out: () => undefined, err: () => undefined,
    outIsTty: false, errIsTty: false, inIsTty: false, ask: () => Promise.resolve(undefined), program: { node: process.execPath, script: BIN }, ...extra,
  };
}

export const GLOBAL = { json: false, quiet: false, verbose: false, color: 'never' as const };

export function compile(at: Station, text?: string): Outcome {
  if (text !== undefined) put(at.settings, text);
  return policyCompile({ io: ioOf(at), global: GLOBAL, options: {}, args: [] });
}

export interface Call { readonly client?: string; readonly event?: string; readonly workspace?: string; readonly env?: Record<string, string> }

export function shellDocument(at: Station, command: string, call: Call = {}): string {
  const cwd = call.workspace ?? at.workspace;
  return JSON.stringify((call.client ?? 'claude') === 'agy'
    ? { conversationId: 's', workspacePaths: [cwd], toolCall: { name: 'run_command', args: { CommandLine: command } } }
    : { session_id: 's', cwd, tool_name: call.client === 'gemini' ? 'run_shell_command' : 'Bash', tool_input: { command } });
}

export async function shell(at: Station, command: string, call: Call = {}): Promise<Ran> {
  return await run(call.client ?? 'claude', call.event ?? 'pre-tool', { state: at.state, env: { ...at.env, ...call.env }, input: shellDocument(at, command, call) });
}

export async function edit(at: Station, path: string, call: Call = {}): Promise<Ran> {
  const input = JSON.stringify({ session_id: 's', cwd: call.workspace ?? at.workspace, tool_name: 'Write', tool_input: { file_path: path, content: 'x' } });
  return await run('claude', call.event ?? 'pre-tool', { state: at.state, env: { ...at.env, ...call.env }, input });
}

export function last(at: Station): Receipt {
  const all = receipts(at.state);
  const receipt = all[all.length - 1];
  if (receipt === undefined) throw new Error('no receipt');
  return receipt;
}

/** `deny operator.x`, as the receipt says it, with the state of the settings behind it. */
export async function said(at: Station, command: string, call: Call = {}): Promise<string> {
  await shell(at, command, call);
  const { verdict, rule, settings } = last(at);
  return [verdict, rule, settings === undefined ? undefined : `(${settings})`].filter((word) => word !== undefined).join(' ');
}
