// Contract: GitHub Copilot CLI's hook documents and answers. PURE. Measured on 1.0.102. Under its own (camelCase) event names it
// speaks a form of its own; hooks of a project's .claude/settings.json get Claude Code's keys and tool names (only permission
// requests stay in the own form). The answers below are understood under both.
// Deny is exit 0 and one flat document: under these names the client runs the tool after Claude Code's form, and exit 2 blocks
// but keeps the reason from the model. Any other exit code blocks too, so a crash of ours never lets a call pass.
import { asciiJson } from '../ascii-json.ts';
import type { CallerMark } from '../callers.ts';
import { blockStop } from '../claude-form.ts';
import {
  EMPTY, canBlock, decodeForm, fault, harmlessError, own, say, sayError, sayNobodyAsks, shapedCall,
  splitMcp, text, type HookDialect, type ToolShape,
} from '../dialect-kit.ts';
import type { Answer } from '../../model/dialect.ts';
import type { CanonicalEvent } from '../../model/events.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { DecodeFault, Payload, ToolCall } from '../../model/payload.ts';
import type { Verdict } from '../../model/verdict.ts';

const FILE_KEYS = ['path', 'file_path', 'filePath'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  bash: { kind: 'shell', keys: ['command'] },
  powershell: { kind: 'shell', keys: ['command'] },
  // Text typed into a running shell.
  write_bash: { kind: 'shell', keys: ['input'] },
  write_powershell: { kind: 'shell', keys: ['input'] },
  create: { kind: 'file-write', keys: FILE_KEYS },
  edit: { kind: 'file-write', keys: FILE_KEYS },
  str_replace_editor: { kind: 'file-write', keys: FILE_KEYS },
  view: { kind: 'file-read', keys: FILE_KEYS },
  // In hooks of a project's .claude/settings.json.
  Bash: { kind: 'shell', keys: ['command'] },
  Write: { kind: 'file-write', keys: FILE_KEYS },
  Edit: { kind: 'file-write', keys: FILE_KEYS },
  MultiEdit: { kind: 'file-write', keys: FILE_KEYS },
  Read: { kind: 'file-read', keys: FILE_KEYS },
};

/** The arguments are an object; older documents describe a JSON text. */
function inputOf(document: JsonObject): JsonObject | undefined {
  const value = own(document, 'toolArgs') ?? own(document, 'toolInput') ?? own(document, 'tool_input');
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  try {
    const parsed = JSON.parse(value) as JsonValue;
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** `<server>/<tool>` in permission requests, `<server>-<tool>` elsewhere: with more than one hyphen the split is a guess. */
function mcpOf(name: string): ToolCall['mcp'] {
  return splitMcp(name, '/') ?? splitMcp(name, '-');
}

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const name = text(document, 'toolName') ?? text(document, 'tool_name');
  if (name === undefined || name === '') return fault('"toolName" is not a non-empty string');
  const input = inputOf(document);
  if (input === undefined) return fault('"toolArgs" is not an object');
  if (own(input, '__proto__') !== undefined) return fault('"toolArgs" has a "__proto__" key');
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape !== undefined) return shapedCall(name, shape, input, undefined);
  const mcp = mcpOf(name);
  return mcp === undefined ? { name, kind: 'other', input } : { name, kind: 'mcp', mcp, input };
}

/**
 * Measured on 1.0.102: hooks get COPILOT_PROJECT_DIR, commands that the model runs get COPILOT_AGENT_SESSION_ID instead. No
 * variable of a hook names the session, so the document must at least be one of a session.
 */
const MARK: CallerMark = { session: ['sessionId', 'session_id'], env: { COPILOT_CLI: '=1', COPILOT_PROJECT_DIR: 'set', COPILOT_AGENT_SESSION_ID: 'unset' } };

function denial(event: CanonicalEvent, reason: string): Answer {
  const document = event === 'permission' ? { behavior: 'deny', message: reason } : { permissionDecision: 'deny', permissionDecisionReason: reason };
  return { stdout: `${asciiJson(document)}\n`, stderr: '', exit: 0 };
}

function encode(event: CanonicalEvent, verdict: Verdict, payload: Payload): Answer {
  if (verdict.decision === 'neutral' || verdict.decision === 'allow') return EMPTY;
  // `ask` opens a dialog, and with -p it refuses the call in words that hide our reason.
  if (event === 'pre-tool' && verdict.decision === 'ask') {
    return { stdout: `${asciiJson({ permissionDecision: 'ask', permissionDecisionReason: say(verdict) })}\n`, stderr: '', exit: 0 };
  }
  // At a permission request a person is being asked already.
  if (event === 'permission' && verdict.decision === 'ask') return EMPTY;
  if (canBlock(event)) return denial(event, verdict.decision === 'deny' ? say(verdict) : sayNobodyAsks(verdict));
  return event === 'stop' ? blockStop(verdict, payload) : EMPTY;
}

export const copilotCliDialect: HookDialect = {
  id: 'copilot-cli',
  aliases: ['copilot'],
  decode: decodeForm({ client: 'copilot-cli', workspace: 'cwd', session: ['sessionId', 'session_id'], tool: decodeTool }),
  encode,
  encodeError: (event, reason) => (canBlock(event) ? denial(event, sayError(reason)) : harmlessError(reason)),
  neutral: () => EMPTY,
  mark: MARK,
  guarded: [
    { path: '.copilot/hooks/praetorctl.json', level: 'hooks' },
    { path: '.github/hooks/praetorctl.json', level: 'hooks' },
    { path: '.copilot/settings.json', level: 'shared' },
    { path: '.copilot/mcp-config.json', level: 'shared' },
  ],
};
