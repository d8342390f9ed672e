// Contract: hook documents and answers of Devin Local (Devin for Terminal): Claude Code's form with tools of its own. PURE.
// Documented; not run here. All pages agree that exit 2 blocks, and disagree about other exit codes, so deny is exit 2 with the
// reason on stderr and, in the documented form, on stdout. Nobody can be asked from a hook, so `ask` is degraded to deny.
import { asciiJson } from '../ascii-json.ts';
import type { CallerMark } from '../callers.ts';
import { decodeClaudeForm, saidOnce } from '../claude-form.ts';
import { refusingAnswers, splitMcp, stderrLine, type HookDialect, type ToolShape } from '../dialect-kit.ts';

const FILE_KEYS = ['file_path', 'path'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  exec: { kind: 'shell', keys: ['command'], cwdKeys: ['cwd'] },
  // Text typed into a running shell.
  write_to_process: { kind: 'shell', keys: ['input', 'content', 'text'] },
  edit: { kind: 'file-write', keys: FILE_KEYS },
  write: { kind: 'file-write', keys: FILE_KEYS },
  read: { kind: 'file-read', keys: FILE_KEYS },
};

/** Documented: the variable is set for hooks. No variable names the session, so the document must at least name its event. */
const MARK: CallerMark = { session: ['hook_event_name'], env: { DEVIN_PROJECT_DIR: 'set' } };

export const devinDialect: HookDialect = {
  id: 'devin',
  aliases: [],
  decode: decodeClaudeForm({
    client: 'devin', shapes: SHAPES,
    mcp: (name) => (name.startsWith('mcp__') ? splitMcp(name.slice('mcp__'.length), '__') : undefined),
  }),
  ...refusingAnswers({
    deny: (_event, reason) => ({ stdout: `${asciiJson({ decision: 'block', reason })}\n`, stderr: stderrLine(reason), exit: 2 }),
    stop: (reason) => saidOnce({ decision: 'block', reason }),
  }),
  mark: MARK,
  guarded: [
    { path: '.config/devin/config.json', level: 'shared' },
    { path: '.config/devin/mcp_config.json', level: 'shared' },
    { path: '.devin/hooks.v1.json', level: 'hooks' },
    { path: '.devin/mcp_config.json', level: 'shared' },
  ],
};
