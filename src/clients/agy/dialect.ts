// Contract: Antigravity's hook documents and answers. PURE. Documented, and reported by third parties up to 1.2.16; not run here.
// On PreToolUse `{}` and every error DENY the tool, `allow` grants it without asking the person, and silence with exit 0 is
// "no opinion". On every other event the answer is `{}`. The document names no event: the event comes from the command line.
import { asciiJson } from '../ascii-json.ts';
import {
  EMPTY, canBlock, fault, harmlessError, hasTool, isAbsolute, isFault, own, object, say, sayError, shapedCall, splitMcp,
  text, type HookDialect, type ToolShape,
} from '../dialect-kit.ts';
import type { Answer } from '../../model/dialect.ts';
import type { CanonicalEvent } from '../../model/events.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { DecodeFault, Payload, ToolCall } from '../../model/payload.ts';
import type { Verdict } from '../../model/verdict.ts';

const SHAPES: Readonly<Record<string, ToolShape>> = {
  run_command: { kind: 'shell', keys: ['CommandLine'], cwdKeys: ['Cwd'] },
  write_to_file: { kind: 'file-write', keys: ['TargetFile'] },
  replace_file_content: { kind: 'file-write', keys: ['TargetFile'] },
  multi_replace_file_content: { kind: 'file-write', keys: ['TargetFile'] },
  view_file: { kind: 'file-read', keys: ['AbsolutePath'] },
};

function decodeTool(document: JsonObject): ToolCall | DecodeFault | undefined {
  const call = own(document, 'toolCall');
  // Internal steps and PostToolUse send null.
  if (call === null) return undefined;
  if (!isObject(call)) return fault('"toolCall" is not an object');
  const name = text(call, 'name');
  if (name === undefined || name === '') return fault('"toolCall.name" is not a non-empty string');
  const args = own(call, 'args') === undefined ? {} : object(call, 'args');
  if (args === undefined) return fault('"toolCall.args" is not an object');
  if (own(args, '__proto__') !== undefined) return fault('"toolCall.args" has a "__proto__" key');
  return callOf(name, args);
}

function callOf(name: string, args: JsonObject): ToolCall | DecodeFault {
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape !== undefined) return shapedCall(name, shape, args, undefined);
  // `send_input` types a line into a running shell.
  if (name === 'manage_task' && (text(args, 'Action') === 'send_input' || own(args, 'Input') !== undefined)) {
    return shapedCall(name, { kind: 'shell', keys: ['Input'] }, args, undefined);
  }
  if (name === 'call_mcp_tool') {
    const server = text(args, 'ServerName');
    const tool = text(args, 'ToolName');
    if (server === undefined || tool === undefined) return fault('call_mcp_tool does not name server and tool');
    return { name, kind: 'mcp', mcp: { server, tool, ambiguous: false }, input: own(args, 'Arguments') ?? {} };
  }
  const split = name.startsWith('mcp_') ? splitMcp(name.slice('mcp_'.length), '_') : undefined;
  return split === undefined ? { name, kind: 'other', input: args } : { name, kind: 'mcp', mcp: { ...split, ambiguous: true }, input: args };
}

/** The first workspace folder; the list is often empty on the command line, then the call's own directory. */
function workspaceFrom(document: JsonObject, tool: ToolCall | undefined): string | undefined {
  const list = own(document, 'workspacePaths');
  const first = Array.isArray(list) ? list[0] : undefined;
  const path = typeof first === 'string' && first !== '' ? first : tool?.cwd;
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

function decode(event: CanonicalEvent, document: JsonObject): Payload | DecodeFault {
  if (own(document, '__proto__') !== undefined) return fault('the document has a "__proto__" key');
  const tool = hasTool(event) ? decodeTool(document) : undefined;
  if (isFault(tool)) return tool;
  const sessionId = text(document, 'conversationId');
  const workspace = workspaceFrom(document, tool);
  const rounds = own(document, 'executionNum');
  return {
    client: 'agy',
    event,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(tool === undefined ? {} : { tool }),
    // There is no flag; the counter starts at 1 (0 in some documents) in every user turn.
    stopActive: event === 'stop' && typeof rounds === 'number' && rounds > 1,
    subagent: false,
    caller: 'unknown',
  };
}

function answerDocument(value: JsonObject): Answer {
  return { stdout: `${asciiJson(value)}\n`, stderr: '', exit: 0 };
}

function neutral(event: CanonicalEvent): Answer {
  return canBlock(event) ? EMPTY : answerDocument({});
}

function encode(event: CanonicalEvent, verdict: Verdict, payload: Payload): Answer {
  if (verdict.decision === 'neutral' || verdict.decision === 'allow') return neutral(event);
  if (canBlock(event)) return answerDocument({ decision: verdict.decision === 'deny' ? 'deny' : 'force_ask', reason: say(verdict) });
  if (event === 'stop' && verdict.decision === 'deny' && !payload.stopActive) return answerDocument({ decision: 'continue', reason: say(verdict) });
  return neutral(event);
}

export const agyDialect: HookDialect = {
  id: 'agy',
  aliases: ['antigravity'],
  decode,
  encode,
  encodeError: (event, reason) => (canBlock(event) ? answerDocument({ decision: 'deny', reason: sayError(reason) }) : harmlessError(reason, '{}\n')),
  neutral,
  mark: { session: ['conversationId'], env: { ANTIGRAVITY_CONVERSATION_ID: 'session' } },
  guarded: [
    { path: '.gemini/config/hooks.json', level: 'hooks' },
    { path: '.agents/hooks.json', level: 'hooks' },
    { path: '.gemini/config/mcp_config.json', level: 'shared' },
    { path: '.agents/mcp_config.json', level: 'shared' },
  ],
};
