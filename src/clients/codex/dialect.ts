// Contract: Codex' hook documents and answers. PURE. Measured on 0.171.0 (Linux).
// Deny is one document and exit 0. Exit 2 with a reason on stderr blocks as well on Linux, but not where PowerShell starts
// the hook (it turns every exit code into 1, and "deny with exit 1" lets the tool run). The document must hold exactly
// these keys: any unknown key, a missing reason or a missing hookEventName makes Codex drop it and run the tool.
// `ask` and `allow` are unknown words to Codex (dropped, the tool runs): ask is said as deny, allow as silence.
import { asciiJson } from '../ascii-json.ts';
import type { CallerMark } from '../callers.ts';
import { blockStop, contextAnswer } from '../claude-form.ts';
import {
  EMPTY, canBlock, decodeForm, fault, harmlessError, say, sayError, sayNobodyAsks, shapedCall,
  splitMcp, text, toolParts, type HookDialect,
} from '../dialect-kit.ts';
import { patchPaths } from '../patch-paths.ts';
import type { Answer } from '../../model/dialect.ts';
import type { CanonicalEvent } from '../../model/events.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, Payload, ToolCall } from '../../model/payload.ts';
import type { Verdict } from '../../model/verdict.ts';

/** Shell calls come as `Bash`, patches as `apply_patch` with the patch text in `command`; MCP names are sanitised (`-` and `.` become `_`). */
function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const parts = toolParts(document);
  if ('fault' in parts) return parts;
  const { name, input, callId } = parts;
  const base = { name, input, ...(callId === undefined ? {} : { callId }) };
  if (name === 'Bash') return shapedCall(name, { kind: 'shell', keys: ['command'] }, input, callId);
  if (name === 'view_image') return shapedCall(name, { kind: 'file-read', keys: ['path'] }, input, callId);
  if (name === 'apply_patch') {
    const patch = text(input, 'command');
    return patch === undefined ? fault('the input of tool "apply_patch" has no string "command"') : { ...base, kind: 'file-write', paths: patchPaths(patch) };
  }
  const split = name.startsWith('mcp__') ? splitMcp(name.slice('mcp__'.length), '__') : undefined;
  return split === undefined ? { ...base, kind: 'other' } : { ...base, kind: 'mcp', mcp: split };
}

/**
 * Measured on 0.171.0 (Linux, npm package): a hook gets no variable of its own. Its PATH begins with Codex' helper
 * directory `<CODEX_HOME>/tmp/arg0-linux/codex-arg0<random>` (older versions `tmp/arg0/`), made for each run and deleted at
 * its end. The npm launcher's CODEX_MANAGED_* and the package's `codex-path` entry reach every child, so they prove nothing.
 * Commands that the model runs can inherit the helper directory too, but carry the variables below, which hooks do not:
 * that keeps a hook typed into a tool call from counting. A Codex started inside such a command stays unknown.
 */
const MARK: CallerMark = { session: [], env: { CODEX_TOOL_CALL_ID: 'unset', CODEX_THREAD_ID: 'unset', CODEX_SESSION_ID: 'unset' }, path: 'codex-arg0' };

function answerDocument(value: JsonObject): Answer {
  return { stdout: `${asciiJson(value)}\n`, stderr: '', exit: 0 };
}

function denial(event: CanonicalEvent, reason: string): Answer {
  return event === 'pre-tool'
    ? answerDocument({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason } })
    : answerDocument({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: reason } } });
}

function encode(event: CanonicalEvent, verdict: Verdict, payload: Payload): Answer {
  if (verdict.decision === 'neutral' || verdict.decision === 'allow') return contextAnswer(event, verdict);
  if (event === 'pre-tool') return denial(event, verdict.decision === 'deny' ? say(verdict) : sayNobodyAsks(verdict));
  if (event === 'permission') return verdict.decision === 'deny' ? denial(event, say(verdict)) : EMPTY;
  // A stop that is blocked again and again loops without a limit (610 model calls in 50 s on 0.171.0): blockStop ends it.
  return event === 'stop' || event === 'subagent-stop' ? blockStop(verdict, payload) : EMPTY;
}

export const codexDialect: HookDialect = {
  id: 'codex',
  aliases: [],
  decode: decodeForm({ client: 'codex', workspace: 'cwd', session: 'session_id', tool: decodeTool }),
  encode,
  encodeError: (event, reason) => (canBlock(event) ? denial(event, sayError(reason)) : harmlessError(reason)),
  neutral: () => EMPTY,
  mcpSpelling: (server) => server.replace(/[^A-Za-z0-9_]/g, '_'),
  mark: MARK,
  guarded: [
    { path: '.codex/hooks.json', level: 'hooks' },
    { path: '.codex/config.toml', level: 'shared' },
  ],
};
