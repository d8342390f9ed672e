// Contract: Qwen Code's hook documents and answers: Claude Code's dialect, not Gemini CLI's. PURE. Measured on 0.24.4.
// Deny is exit 0 and one document: exit 2 without text on stderr runs the tool, and so does a log line before the document.
// In a run without a terminal `ask` blocks by itself; that a person is asked elsewhere is documented, so `ask` is said.
import type { CallerMark } from '../callers.ts';
import { claudeAnswers, decodeClaudeForm, preToolAnswer } from '../claude-form.ts';
import { EMPTY, splitMcp, type HookDialect, type ToolShape } from '../dialect-kit.ts';

const SHAPES: Readonly<Record<string, ToolShape>> = {
  run_shell_command: { kind: 'shell', keys: ['command'], cwdKeys: ['directory'] },
  monitor: { kind: 'shell', keys: ['command'], cwdKeys: ['directory'] },
  write_file: { kind: 'file-write', keys: ['file_path'] },
  edit: { kind: 'file-write', keys: ['file_path'] },
  notebook_edit: { kind: 'file-write', keys: ['notebook_path', 'file_path'] },
  read_file: { kind: 'file-read', keys: ['file_path', 'absolute_path'] },
};

/**
 * Measured on 0.24.4: hooks get QWEN_PROJECT_DIR, commands that the model runs do not (they get QWEN_CODE=1 instead); both
 * inherit the session's variable.
 */
const MARK: CallerMark = { session: ['session_id'], env: { QWEN_CODE_SESSION_ID: 'session', QWEN_PROJECT_DIR: 'set', QWEN_CODE: 'unset' } };

export const qwenDialect: HookDialect = {
  id: 'qwen',
  aliases: ['qwen-code'],
  decode: decodeClaudeForm({
    client: 'qwen', shapes: SHAPES,
    mcp: (name) => (name.startsWith('mcp__') ? splitMcp(name.slice('mcp__'.length), '__') : undefined),
  }),
  ...claudeAnswers(preToolAnswer),
  neutral: () => EMPTY,
  mark: MARK,
  guarded: [{ path: '.qwen/settings.json', level: 'shared' }],
};
