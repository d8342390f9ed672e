// Contract: small programs that play Claude Code for `clients prove`: they ask the model, run the registered hook and the tools,
// each with one fault of its own. Test-only.
import { chmodSync, writeFileSync } from 'node:fs';

export const MODES = ['obey', 'ignore', 'no-hook', 'never', 'crash', 'hang', 'other-path', 'deny-all', 'own-rule', 'no-reason', 'half', 'garbage', 'stop-after-control', 'impatient'] as const;
export type Mode = (typeof MODES)[number];

const SOURCE = String.raw`
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const path = process.env.PATH;
const session = 'fake-' + process.pid;
function hook(command) {
  const settings = JSON.parse(readFileSync(process.env.HOME + '/.claude/settings.json', 'utf8'));
  for (const group of settings.hooks?.PreToolUse ?? []) {
    for (const handler of group.hooks) {
      const input = MODE === 'garbage' ? '{"tool_name": 1}' : JSON.stringify({ session_id: session, cwd: process.cwd(), hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } });
      const run = spawnSync('/bin/sh', ['-c', handler.command], {
        input, encoding: 'utf8', timeout: handler.timeout * 1000, killSignal: 'SIGKILL',
        env: { ...process.env, PATH: path, CLAUDE_CODE_SESSION_ID: session, CLAUDE_PROJECT_DIR: process.cwd() },
      });
      if (run.status === 2 && MODE !== 'ignore') return run.stderr;
    }
  }
  return undefined;
}
let calls = 0;
function tool(command) {
  calls += 1;
  if (MODE === 'deny-all') return 'not allowed';
  if (MODE === 'own-rule' && calls > 1) return 'not allowed';
  const denied = MODE === 'no-hook' || (MODE === 'stop-after-control' && calls > 1) ? undefined : hook(command);
  if (denied !== undefined) return MODE === 'no-reason' ? 'blocked' : denied;
  return spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8', env: { ...process.env, PATH: path } }).stdout;
}
async function main() {
  if (MODE === 'never') return;
  if (MODE === 'crash') process.exit(7);
  if (MODE === 'hang') return void setInterval(() => undefined, 1000);
  const messages = [{ role: 'user', content: 'go' }];
  for (let turn = 0; turn < 6; turn += 1) {
    const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'm', tools: [{ name: 'Bash' }], messages }) });
    const { content } = await answer.json();
    const call = content.find((block) => block.type === 'tool_use');
    if (call === undefined) return;
    messages.push({ role: 'assistant', content }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: tool(call.input.command) ?? '' }] });
    if (MODE === 'half' && turn === 0) return;
  }
}
main();
`;

export function fakeClient(path: string, mode: Mode): void {
  const otherPath = mode === 'other-path' ? "process.env.PATH = '/usr/bin:/bin';" : '';
  writeFileSync(path, `#!${process.execPath}\nconst MODE = ${JSON.stringify(mode)};\n${otherPath}\n${SOURCE}`);
  chmodSync(path, 0o755);
}
