// Contract: Cursor's hook documents and answers. PURE. Documented; reports of third parties up to cursor-agent 2026.09.10; not run here.
// The gates are registered with failClosed, and then silence counts as a failure that blocks: every answer is a document, and
// "no opinion" must be said as an allow. A person is asked at beforeShellExecution and beforeMCPExecution only; at preToolUse
// `ask` is accepted and not enforced, so it is degraded to deny.
import { asciiJson } from '../ascii-json.ts';
import type { CallerMark } from '../callers.ts';
import {
  canBlock, decodeForm, fault, firstWorkspace, harmlessError, own, say, sayError, sayNobodyAsks, shapedCall, text,
  type HookDialect, type ToolShape,
} from '../dialect-kit.ts';
import type { Answer } from '../../model/dialect.ts';
import type { CanonicalEvent } from '../../model/events.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { DecodeFault, Payload, ToolCall } from '../../model/payload.ts';
import type { Verdict } from '../../model/verdict.ts';

const SHELL_GATE = 'beforeShellExecution';
const FILE_KEYS = ['file_path', 'path', 'target_file'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  Shell: { kind: 'shell', keys: ['command'], cwdKeys: ['working_directory', 'cwd'] },
  Write: { kind: 'file-write', keys: FILE_KEYS },
  StrReplace: { kind: 'file-write', keys: FILE_KEYS },
  Edit: { kind: 'file-write', keys: FILE_KEYS },
  MultiEdit: { kind: 'file-write', keys: FILE_KEYS },
  Delete: { kind: 'file-write', keys: FILE_KEYS },
  EditNotebook: { kind: 'file-write', keys: ['target_notebook', ...FILE_KEYS] },
  Read: { kind: 'file-read', keys: FILE_KEYS },
};

/** An object; in some versions the JSON text of one. */
function inputOf(document: JsonObject): JsonObject | undefined {
  const value = own(document, 'tool_input') ?? {};
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  try {
    const parsed = JSON.parse(value) as JsonValue;
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** No document names the server of an MCP tool, only its address or its command line. */
const mcpCall = (name: string, tool: string, input: JsonObject): ToolCall => ({ name, kind: 'mcp', mcp: { server: '', tool, ambiguous: true }, input });

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const native = text(document, 'hook_event_name') ?? '';
  // These documents name no tool: the event stands in its place, which also says where a person can be asked.
  if (native === SHELL_GATE || native === 'afterShellExecution') return shapedCall(native, { kind: 'shell', keys: ['command'], cwdKeys: ['cwd'] }, document, undefined);
  if (native === 'beforeReadFile') return shapedCall(native, { kind: 'file-read', keys: FILE_KEYS }, document, undefined);
  const name = text(document, 'tool_name');
  if (name === undefined || name === '') return fault('"tool_name" is not a non-empty string');
  const input = inputOf(document);
  if (input === undefined) return fault('"tool_input" is not an object');
  if (own(input, '__proto__') !== undefined) return fault('"tool_input" has a "__proto__" key');
  if (native === 'beforeMCPExecution' || native === 'afterMCPExecution') return mcpCall(name, name, input);
  if (name.startsWith('MCP:')) return mcpCall(name, name.slice('MCP:'.length).trim(), input);
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  return shape === undefined ? { name, kind: 'other', input } : shapedCall(name, shape, input, text(document, 'tool_use_id'));
}

/** Documented: hooks get CURSOR_VERSION and CURSOR_PROJECT_DIR. No variable names the session, so the version must be the document's. */
const MARK: CallerMark = { session: ['cursor_version'], env: { CURSOR_VERSION: 'session', CURSOR_PROJECT_DIR: 'set' } };

function answer(value: JsonObject): Answer {
  return { stdout: `${asciiJson(value)}\n`, stderr: '', exit: 0 };
}

function refusal(word: 'deny' | 'ask', reason: string): Answer {
  return answer({ continue: true, permission: word, user_message: reason, agent_message: reason });
}

function neutral(event: CanonicalEvent): Answer {
  return answer(canBlock(event) ? { continue: true, permission: 'allow' } : {});
}

function asksAt(tool: ToolCall | undefined): boolean {
  return tool?.name === SHELL_GATE || (tool?.kind === 'mcp' && !tool.name.startsWith('MCP:'));
}

function encode(event: CanonicalEvent, verdict: Verdict, payload: Payload): Answer {
  if (verdict.decision === 'neutral' || verdict.decision === 'allow') return neutral(event);
  if (canBlock(event)) {
    if (verdict.decision === 'deny') return refusal('deny', say(verdict));
    return asksAt(payload.tool) ? refusal('ask', say(verdict)) : refusal('deny', sayNobodyAsks(verdict));
  }
  return event === 'stop' && verdict.decision === 'deny' && !payload.stopActive ? answer({ followup_message: say(verdict) }) : neutral(event);
}

export const cursorDialect: HookDialect = {
  id: 'cursor',
  aliases: [],
  decode: decodeForm({
    client: 'cursor', workspace: firstWorkspace('workspace_roots'), session: ['conversation_id', 'session_id'], tool: decodeTool,
    stopActive: (document) => typeof own(document, 'loop_count') === 'number' && own(document, 'loop_count') !== 0,
  }),
  encode,
  encodeError: (event, reason) => (canBlock(event) ? refusal('deny', sayError(reason)) : harmlessError(reason, '{}\n')),
  neutral,
  mark: MARK,
  guarded: [
    { path: '.cursor/hooks.json', level: 'hooks' },
    { path: '.cursor/mcp.json', level: 'shared' },
  ],
};
