// Contract: the marks that clients leave in the environment of what they start: `policy allow` never runs below one. PURE.
// Names that people set themselves (CLAUDE_CONFIG_DIR, CODEX_HOME, ...) and those that editors give to a person's own terminal
// (CLAUDE_CODE_SSE_PORT, GEMINI_CLI_IDE_*) are no marks.
import type { EnvMap } from '../model/dialect.ts';
import { DIALECTS } from './dialects.ts';

const NAMES = [
  'CLAUDECODE', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_EXECPATH', 'CLAUDE_PROJECT_DIR', 'CLAUDE_ENV_FILE',
  'GEMINI_CLI', 'GEMINI_SESSION_ID', 'GEMINI_PROJECT_DIR', 'GEMINI_CWD',
  'CODEX_THREAD_ID', 'CODEX_SESSION_ID', 'CODEX_TOOL_CALL_ID', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_CI',
  'QWEN_CODE', 'OPENCODE', 'OPENCODE_CLIENT', 'KILO', 'KILO_PID', 'CLINE_ACTIVE', 'COPILOT_CLI', 'COPILOT_AGENT', 'DROID_CLI', 'AIDER_AGENT', 'AI_AGENT', 'AUGMENT_AGENT', 'AGENT_SESSION_ID',
  'AGENT_TOOL_NAME', 'AUGMENT_PROJECT_DIR', 'CLINE_CONNECTOR_CLI_LAUNCH', 'CONTINUE_PROJECT_DIR', 'CRUSH', 'CRUSH_PROJECT_DIR', 'DROID_PROJECT_DIR',
  // By what a dialect knows its own hooks, so that a new client brings its marks. A name in small letters could be anybody's.
  ...DIALECTS.flatMap(({ mark }) => Object.entries(mark?.env ?? {}).filter(([name, wanted]) => wanted !== 'unset' && /^[A-Z]/.test(name)).map(([name]) => name)),
];
/** A name that other programs use too: only these values are marks. */
const AGENT_VALUES = ['amp', 'crush'];
const PREFIXES = ['ANTIGRAVITY_', 'CURSOR_', 'CODEX_MANAGED_'];
const NO_MARKS = ['ANTIGRAVITY_CONFIG_DIR'];
/** Codex puts its helper directory in front of the PATH of everything it starts. */
const PATH_PARTS = ['/codex-arg0', '\\codex-arg0'];

/** The name of the first mark, never its value. */
export function agentMark(env: EnvMap): string | undefined {
  for (const name of NAMES) if (env[name] !== undefined && env[name] !== '') return name;
  if (AGENT_VALUES.includes(env['AGENT'] ?? '')) return 'AGENT';
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && PREFIXES.some((prefix) => name.startsWith(prefix)) && !NO_MARKS.includes(name)) return name;
  }
  const path = env['PATH'] ?? env['Path'] ?? '';
  return PATH_PARTS.some((part) => path.includes(part)) ? 'PATH' : undefined;
}
