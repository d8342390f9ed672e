// Contract: Kimi's hook documents and answers: Claude Code's form with tools of its own. PURE. Read in its sources.
// Deny is the document and exit 2; every other exit, a timeout and a missing program run the tool, and there is no `ask`.
import { decodeClaudeForm, preToolDocument, saidTwice } from '../claude-form.ts';
import { refusingAnswers, splitMcp, type HookDialect, type ToolShape } from '../dialect-kit.ts';

const FILE_KEYS = ['path', 'file_path'];
const SHELL: ToolShape = { kind: 'shell', keys: ['command'] };
const WRITE: ToolShape = { kind: 'file-write', keys: FILE_KEYS };
const READ: ToolShape = { kind: 'file-read', keys: FILE_KEYS };
const SHAPES: Readonly<Record<string, ToolShape>> = {
  // Kimi CLI.
  Shell: SHELL, WriteFile: WRITE, StrReplaceFile: WRITE, ReadFile: READ,
  // Kimi Code CLI.
  Bash: SHELL, Write: WRITE, Edit: WRITE, Read: READ,
};

export const kimiDialect: HookDialect = {
  id: 'kimi',
  aliases: ['kimi-code'],
  decode: decodeClaudeForm({
    client: 'kimi', shapes: SHAPES,
    mcp: (name) => (name.startsWith('mcp__') ? splitMcp(name.slice('mcp__'.length), '__') : undefined),
  }),
  ...refusingAnswers({
    deny: (_event, reason) => saidTwice(preToolDocument('deny', reason), reason),
    stop: (reason) => saidTwice({ decision: 'block', reason }, reason),
  }),
  guarded: [
    { path: '.kimi/config.toml', level: 'shared' },
    { path: '.kimi-code/config.toml', level: 'shared' },
  ],
};
