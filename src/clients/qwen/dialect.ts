// Contract: Qwen Code's hook documents and answers: Claude Code's dialect, not Gemini CLI's. PURE. Measured on 0.24.4.
// Deny is exit 0 and one document: exit 2 without text on stderr runs the tool, and so does a log line before the document.
// In a run without a terminal `ask` blocks by itself; that a person is asked elsewhere is documented, so `ask` is said.
import { asciiJson } from '../ascii-json.ts';
import { decodeClaudeForm } from '../claude-form.ts';
import { EMPTY, canBlock, harmlessError, say, sayError, splitMcp, text, type HookDialect, type ToolShape } from '../dialect-kit.ts';
import type { Answer, EnvMap } from '../../model/dialect.ts';
import type { CanonicalEvent } from '../../model/events.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Payload } from '../../model/payload.ts';
import type { Verdict } from '../../model/verdict.ts';

const SHAPES: Readonly<Record<string, ToolShape>> = {
  run_shell_command: { kind: 'shell', keys: ['command'], cwdKeys: ['directory'] },
  monitor: { kind: 'shell', keys: ['command'], cwdKeys: ['directory'] },
  write_file: { kind: 'file-write', keys: ['file_path'] },
  edit: { kind: 'file-write', keys: ['file_path'] },
  notebook_edit: { kind: 'file-write', keys: ['notebook_path', 'file_path'] },
  read_file: { kind: 'file-read', keys: ['file_path', 'absolute_path'] },
};

/**
 * Measured on 0.24.4: hooks get QWEN_PROJECT_DIR, commands that the model runs do not (they get QWEN_CODE=1 instead); the
 * session's variable is inherited by both, so it must name the session of the document.
 */
function isCaller(document: JsonObject, env: EnvMap): boolean {
  const session = text(document, 'session_id');
  return session !== undefined && session !== '' && env['QWEN_CODE_SESSION_ID'] === session
    && env['QWEN_PROJECT_DIR'] !== undefined && env['QWEN_CODE'] === undefined;
}

function preTool(word: 'deny' | 'ask', reason: string): Answer {
  const output = { hookEventName: 'PreToolUse', permissionDecision: word, permissionDecisionReason: reason };
  return { stdout: `${asciiJson({ hookSpecificOutput: output })}\n`, stderr: '', exit: 0 };
}

/** Documented: at a permission request the document has Claude Code's form. */
function permissionDeny(message: string): Answer {
  return { stdout: `${asciiJson({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message } } })}\n`, stderr: '', exit: 0 };
}

function encode(event: CanonicalEvent, verdict: Verdict, payload: Payload): Answer {
  if (verdict.decision === 'neutral' || verdict.decision === 'allow') return EMPTY;
  if (event === 'pre-tool') return preTool(verdict.decision, say(verdict));
  // At a permission request a person is being asked already: that is what `ask` wants.
  if (event === 'permission') return verdict.decision === 'deny' ? permissionDeny(say(verdict)) : EMPTY;
  if ((event === 'stop' || event === 'subagent-stop') && verdict.decision === 'deny') {
    return payload.stopActive ? EMPTY : { stdout: `${asciiJson({ decision: 'block', reason: say(verdict) })}\n`, stderr: '', exit: 0 };
  }
  return EMPTY;
}

function encodeError(event: CanonicalEvent, reason: string): Answer {
  if (!canBlock(event)) return harmlessError(reason);
  return event === 'pre-tool' ? preTool('deny', sayError(reason)) : permissionDeny(sayError(reason));
}

export const qwenDialect: HookDialect = {
  id: 'qwen',
  aliases: ['qwen-code'],
  decode: decodeClaudeForm({
    client: 'qwen', shapes: SHAPES, isCaller,
    mcp: (name) => (name.startsWith('mcp__') ? splitMcp(name.slice('mcp__'.length), '__') : undefined),
  }),
  encode,
  encodeError,
  neutral: () => EMPTY,
  isCaller,
  guarded: [{ path: '.qwen/settings.json', level: 'shared' }],
};
