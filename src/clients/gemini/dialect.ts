// Contract: Gemini CLI's hook documents and answers. PURE. Measured on 0.61.0.
// Deny is exit 0 and one document, nothing before it: a JSON document beats the exit code, a log line before it lets the
// tool run, exit 2 without text lets the tool run, and `ask` hangs a headless run. Silence with exit 0 is "no opinion".
import { asciiJson } from '../ascii-json.ts';
import type { CallerMark } from '../callers.ts';
import {
  EMPTY, canBlock, decodeForm, fault, harmlessError, object, say, sayError, sayNobodyAsks, shapedCall, splitMcp, text, toolParts,
  type HookDialect, type ToolShape,
} from '../dialect-kit.ts';
import type { Answer } from '../../model/dialect.ts';
import type { CanonicalEvent } from '../../model/events.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, Payload, ToolCall } from '../../model/payload.ts';
import type { Verdict } from '../../model/verdict.ts';

const SHAPES: Readonly<Record<string, ToolShape>> = {
  run_shell_command: { kind: 'shell', keys: ['command'], cwdKeys: ['dir_path', 'directory'] },
  write_file: { kind: 'file-write', keys: ['file_path'] },
  replace: { kind: 'file-write', keys: ['file_path'] },
  read_file: { kind: 'file-read', keys: ['file_path', 'absolute_path'] },
};

/** `mcp_<server>_<tool>` cannot be split with certainty; `mcp_context` names both. */
function mcpOf(document: JsonObject, name: string): ToolCall['mcp'] | DecodeFault {
  const context = object(document, 'mcp_context');
  if (context !== undefined) {
    const server = text(context, 'server_name');
    const tool = text(context, 'tool_name');
    return server === undefined || tool === undefined ? fault('"mcp_context" does not name server and tool') : { server, tool, ambiguous: false };
  }
  const split = name.startsWith('mcp_') ? splitMcp(name.slice('mcp_'.length), '_') : undefined;
  return split === undefined ? undefined : { ...split, ambiguous: true };
}

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const parts = toolParts(document);
  if ('fault' in parts) return parts;
  const { name, input } = parts;
  const mcp = mcpOf(document, name);
  if (mcp !== undefined) return 'fault' in mcp ? mcp : { name, kind: 'mcp', mcp, input };
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  return shape === undefined ? { name, kind: 'other', input } : shapedCall(name, shape, input, undefined);
}

/** Measured on 0.61.0: hooks get this variable, commands that the model runs and MCP servers do not. */
const MARK: CallerMark = { session: ['session_id'], env: { GEMINI_SESSION_ID: 'session' } };

function denial(reason: string): Answer {
  return { stdout: `${asciiJson({ decision: 'deny', reason })}\n`, stderr: '', exit: 0 };
}

function encode(event: CanonicalEvent, verdict: Verdict, payload: Payload): Answer {
  if (verdict.decision === 'neutral' || verdict.decision === 'allow') return EMPTY;
  if (canBlock(event)) return denial(verdict.decision === 'deny' ? say(verdict) : sayNobodyAsks(verdict));
  // AfterAgent: the reason becomes a new prompt, without a limit on rounds.
  if (event === 'stop' && verdict.decision === 'deny') return payload.stopActive ? EMPTY : denial(say(verdict));
  return EMPTY;
}

export const geminiDialect: HookDialect = {
  id: 'gemini',
  aliases: [],
  decode: decodeForm({ client: 'gemini', workspace: 'cwd', session: 'session_id', tool: decodeTool }),
  encode,
  encodeError: (event, reason) => (canBlock(event) ? denial(sayError(reason)) : harmlessError(reason)),
  neutral: () => EMPTY,
  mark: MARK,
  guarded: [{ path: '.gemini/settings.json', level: 'shared' }],
};
