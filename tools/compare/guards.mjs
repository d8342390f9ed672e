// Contract: the guards that are compared: how each is started, and which of its answers stops a call. Every guard is asked in
// its own protocol and with its own defaults; what is set is said in `note`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(new URL('.', import.meta.url)), '..', '..');

/** A Claude Code PreToolUse document. */
function claudeDocument(command, session, cwd) {
  return JSON.stringify({
    session_id: session, transcript_path: join(cwd, 'transcript.jsonl'), cwd, permission_mode: 'default', hook_event_name: 'PreToolUse',
    tool_name: 'Bash', tool_input: { command, description: 'Run a command' }, tool_use_id: `toolu_${session}`,
  });
}

/** What Claude Code does with an answer: exit 2 or a document that says so stops the call, `ask` brings a person. */
function claudeAnswer({ code, stdout }) {
  if (code === 2) return 'deny';
  try {
    const said = JSON.parse(stdout);
    const decision = said.hookSpecificOutput?.permissionDecision ?? said.decision;
    if (decision === 'deny' || decision === 'block') return 'deny';
    if (decision === 'ask') return 'ask';
  } catch { /* no document: no opinion */ }
  return code === 0 ? 'pass' : 'error';
}

const claudeHook = (argv, more = {}) => ({ ...more, argv, document: claudeDocument, answer: more.answer ?? claudeAnswer });

/** A settings document of its own; the state directory is its own too, because the compiled form is kept there. */
function strictSettings(home) {
  const [config, state] = [join(home, '.praetorctl-strict'), join(home, '.praetorctl-strict-state')];
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'settings.yaml'), 'hooks:\n  command_policy:\n    mode: strict\n');
  const env = { PRAETORCTL_CONFIG_DIR: config, PRAETORCTL_STATE_DIR: state };
  // As a person would have it. It refuses below an agent; then the hook reads the source, and costs more.
  spawnSync(process.execPath, [join(ROOT, 'bin', 'praetorctl'), 'policy', 'compile'], { env: { ...env, PATH: process.env.PATH, HOME: home }, stdio: 'ignore' });
  return env;
}

export const GUARDS = [
  {
    id: 'praetorctl', name: 'praetorctl', package: undefined,
    made: 'every tool call of its clients: destructive commands, hook bypasses, its own registrations; no opinion on the rest',
    start: () => claudeHook([process.execPath, join(ROOT, 'bin', 'praetorctl'), 'hook', 'claude', 'pre-tool']),
  },
  {
    id: 'praetorctl-strict', name: 'praetorctl (strict)', package: undefined, note: '`hooks.command_policy.mode: strict` in its settings',
    made: 'the same, and what cannot be resolved is refused instead of asked',
    start: (_modules, home) => claudeHook([process.execPath, join(ROOT, 'bin', 'praetorctl'), 'hook', 'claude', 'pre-tool'], { env: strictSettings(home) }),
  },
  {
    id: 'cc-safety-net', name: 'cc-safety-net', package: 'cc-safety-net',
    made: 'destructive git and file commands and access to secrets, for many clients; packs for clouds are installed apart and were not',
    start: (modules) => claudeHook([process.execPath, join(modules, 'cc-safety-net/dist/bin/cc-safety-net.js'), 'hook', '--coding-cli']),
  },
  {
    id: 'cc-safety-net-strict', name: 'cc-safety-net (strict)', package: 'cc-safety-net', note: 'CC_SAFETY_NET_LEVEL=strict',
    made: 'the same, and commands that it cannot verify are refused',
    start: (modules) => claudeHook([process.execPath, join(modules, 'cc-safety-net/dist/bin/cc-safety-net.js'), 'hook', '--coding-cli'], { env: { CC_SAFETY_NET_LEVEL: 'strict' } }),
  },
  {
    id: 'block-no-verify', name: 'block-no-verify', package: 'block-no-verify',
    made: 'one thing: git hooks that are switched off (--no-verify, core.hooksPath), also by way of GitHub MCP tools',
    start: (modules) => claudeHook([process.execPath, join(modules, 'block-no-verify/dist/cli.js')]),
  },
  {
    id: 'ecc-universal', name: 'ecc-universal (Bash hooks)', package: 'ecc-universal', note: 'GATEGUARD_BASH_ROUTINE_DISABLED=1, its own switch: else it also stops the first command of every session',
    made: 'a large kit of skills and hooks; its gate stops a destructive command once and asks the model for facts, the retry passes',
    start: (modules) => claudeHook([process.execPath, join(modules, 'ecc-universal/scripts/hooks/pre-bash-dispatcher.js')], { env: { GATEGUARD_BASH_ROUTINE_DISABLED: '1' } }),
  },
  {
    id: 'claude-qol', name: '@torka/claude-qol', package: '@torka/claude-qol', note: 'Python; `ask` is its answer to everything that is not on its list and is not counted',
    made: 'fewer questions: allows what its patterns know, refuses a few dangerous ones',
    start: (modules) => claudeHook(['python3', join(modules, '@torka/claude-qol/hooks/auto_approve_safe.py')], { answer: (result) => (claudeAnswer(result) === 'deny' ? 'deny' : 'pass') }),
  },
  {
    id: 'opencode-destructive-check', name: 'opencode-destructive-check', package: '@sureshsankaran/opencode-destructive-check', note: 'a plugin that runs inside OpenCode: asked in process, so it has no process cost',
    made: 'OpenCode: destructive patterns bring the permission question',
    plugin: (modules) => join(modules, '@sureshsankaran/opencode-destructive-check/src/index.ts'),
  },
];

/** Found in the registry, and why they have no row. */
export const NOT_RUN = [
  ['agentsteer', 'scores each call with a hosted model: no verdict without an account or a key'],
  ['yologuard', 'a gateway with a chat service behind it: nothing that can be asked on one machine alone'],
  ['tdd-guard', 'judges whether tests come first, not what a command destroys'],
  ['@coo-quack/sensitive-canary', 'looks for secrets and personal data in texts, not at commands'],
];
