// Contract: Factory Droid's hook documents and answers: Claude Code's form with tools of its own. PURE. Measured on 0.215.0.
// Deny is exit 0 and one document with hookSpecificOutput: the client runs the tool after `decision: block` (documented) and
// after a flat `permissionDecision`. `ask` is ignored where permissions are skipped, so it is degraded to deny.
import type { CallerMark } from '../callers.ts';
import { decodeClaudeForm, patchCall, preToolAnswer, saidOnce } from '../claude-form.ts';
import { refusingAnswers, splitMcp, type HookDialect, type ToolShape } from '../dialect-kit.ts';

const FILE_KEYS = ['file_path', 'path'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  Execute: { kind: 'shell', keys: ['command'] },
  Create: { kind: 'file-write', keys: FILE_KEYS },
  Edit: { kind: 'file-write', keys: FILE_KEYS },
  MultiEdit: { kind: 'file-write', keys: FILE_KEYS },
  Read: { kind: 'file-read', keys: FILE_KEYS },
};
// ApplyPatch is offered with some models instead of Edit (documented).

/**
 * Measured on 0.215.0: a hook gets fields of its document as variables (`session_id`, `tool_name`) and FACTORY_PROJECT_DIR;
 * commands that the model runs get none of them.
 */
const MARK: CallerMark = { session: ['session_id'], env: { session_id: 'session', FACTORY_PROJECT_DIR: 'set' } };

export const droidDialect: HookDialect = {
  id: 'droid',
  aliases: ['factory'],
  decode: decodeClaudeForm({
    client: 'droid', shapes: SHAPES, special: (name, input) => (name === 'ApplyPatch' ? patchCall(name, ['input', 'patch'], input) : undefined),
    mcp: (name) => splitMcp(name, '___'),
  }),
  // At a permission request, which no measured version has, the same words would be said.
  ...refusingAnswers({ deny: (_event, reason) => preToolAnswer('deny', reason), stop: (reason) => saidOnce({ decision: 'block', reason }) }),
  mark: MARK,
  guarded: [
    { path: '.factory/hooks.json', level: 'hooks' },
    { path: '.factory/settings.json', level: 'shared' },
    { path: '.factory/mcp.json', level: 'shared' },
  ],
};
