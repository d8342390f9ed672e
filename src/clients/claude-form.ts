// Contract: hook documents and answers of clients that took over Claude Code's form (session_id, cwd, tool_name, tool_input),
// with what is particular to each: its tools, its names of MCP tools, its answer to a tool call. PURE.
import { asciiJson } from './ascii-json.ts';
import { canBlock, decodeForm, EMPTY, fault, harmlessError, own, say, sayError, shapedCall, stderrLine, toolParts, type ToolShape } from './dialect-kit.ts';
import { patchPaths } from './patch-paths.ts';
import type { Answer, Dialect } from '../model/dialect.ts';
import type { CanonicalEvent } from '../model/events.ts';
import type { JsonObject } from '../model/json.ts';
import type { DecodeFault, Payload, ToolCall } from '../model/payload.ts';
import type { Verdict } from '../model/verdict.ts';

export interface ClaudeForm {
  readonly client: string;
  readonly shapes: Readonly<Record<string, ToolShape>>;
  /** The pair behind a tool name, or undefined where the tool is not one of an MCP server. */
  readonly mcp: (name: string) => ToolCall['mcp'];
  /** Tools whose input needs more than one key. */
  readonly special?: (name: string, input: JsonObject) => ToolCall | DecodeFault | undefined;
}

function decodeTool(form: ClaudeForm, document: JsonObject): ToolCall | DecodeFault {
  const parts = toolParts(document);
  if ('fault' in parts) return parts;
  const { name, input, callId } = parts;
  const shape = Object.prototype.hasOwnProperty.call(form.shapes, name) ? form.shapes[name] : undefined;
  if (shape !== undefined) return shapedCall(name, shape, input, callId);
  const special = form.special?.(name, input);
  if (special !== undefined) return special;
  const mcp = form.mcp(name);
  const base = { name, input, ...(callId === undefined ? {} : { callId }) };
  return mcp === undefined ? { ...base, kind: 'other' } : { ...base, kind: 'mcp', mcp };
}

export function decodeClaudeForm(form: ClaudeForm): Dialect['decode'] {
  return decodeForm({ client: form.client, workspace: 'cwd', session: 'session_id', tool: (document) => decodeTool(form, document) });
}

/** A tool whose input is the text of a patch. */
export function patchCall(name: string, keys: readonly string[], input: JsonObject): ToolCall | DecodeFault {
  const patch = keys.map((key) => own(input, key)).find((value) => typeof value === 'string');
  return typeof patch === 'string' ? { name, kind: 'file-write', paths: patchPaths(patch), input } : fault(`the input of tool "${name}" has no patch text`);
}

/** One document on exit 0. */
export function saidOnce(value: JsonObject): Answer {
  return { stdout: `${asciiJson(value)}\n`, stderr: '', exit: 0 };
}

/** The document carries the reason; exit 2 still blocks if the document is lost; stderr gives exit 2 its text. */
export function saidTwice(value: JsonObject, reason: string): Answer {
  return { ...saidOnce(value), stderr: stderrLine(reason), exit: 2 };
}

/** A denied stop makes the client go on; while it already goes on because of a hook, it may stop, or it would loop for ever. */
export function blockStop(verdict: Verdict, payload: Payload): Answer {
  return verdict.decision !== 'deny' || payload.stopActive ? EMPTY : saidOnce({ decision: 'block', reason: say(verdict) });
}

/** Exit 2 is not an answer to PermissionRequest (the dialog stays), the document is. Qwen Code: documented only. */
function permissionDeny(message: string): Answer {
  return saidOnce({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message } } });
}

/** What PreToolUse is answered in `hookSpecificOutput`. The event must be the one that runs: some clients drop the answer otherwise. */
export function preToolDocument(word: 'deny' | 'ask', reason: string): JsonObject {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: word, permissionDecisionReason: reason } };
}

export function preToolAnswer(word: 'deny' | 'ask', reason: string): Answer {
  return saidOnce(preToolDocument(word, reason));
}

/** What the model should know, without a decision. Measured on Claude Code and Codex; elsewhere it is dropped or unknown, so nothing is said. */
export function contextAnswer(event: CanonicalEvent, verdict: Verdict): Answer {
  if (event !== 'pre-tool' || verdict.decision !== 'neutral' || verdict.context === undefined) return EMPTY;
  return saidOnce({ hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: verdict.context } });
}

/** Answers in Claude Code's form; how a tool call is denied or asked is each client's own. */
export function claudeAnswers(preTool: (word: 'deny' | 'ask', reason: string) => Answer): Pick<Dialect, 'encode' | 'encodeError'> {
  return {
    encode: (event, verdict, payload) => {
      if (verdict.decision === 'neutral' || verdict.decision === 'allow') return EMPTY;
      if (event === 'pre-tool') return preTool(verdict.decision, say(verdict));
      // At a permission request a person is being asked already: that is what `ask` wants.
      if (event === 'permission') return verdict.decision === 'deny' ? permissionDeny(say(verdict)) : EMPTY;
      return event === 'stop' || event === 'subagent-stop' ? blockStop(verdict, payload) : EMPTY;
    },
    encodeError: (event, reason) => {
      if (!canBlock(event)) return harmlessError(reason);
      return event === 'pre-tool' ? preTool('deny', sayError(reason)) : permissionDeny(sayError(reason));
    },
  };
}
