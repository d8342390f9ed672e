// Contract: Claude Code's hook documents and answers. PURE. Measured on 2.1.197 and 2.1.332.
// A deny is said three times over: the document carries the reason; exit 2 still blocks if the document is lost; stderr
// gives exit 2 its text. On 2.1.197 a well-formed document with an unknown word cancels exit 2, so only the words below
// are ever written. Silence with exit 0 is "no opinion"; `allow` would grant permission and is never said.
import type { CallerMark } from '../callers.ts';
import { claudeAnswers, contextAnswer, preToolAnswer, preToolDocument, saidTwice } from '../claude-form.ts';
import {
  EMPTY, decodeForm, isFault, object, shapedCall, splitMcp, text,
  toolParts, type HookDialect, type ToolShape,
} from '../dialect-kit.ts';
import type { Answer } from '../../model/dialect.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, ToolCall } from '../../model/payload.ts';

// Other clients run a project's Claude hooks with Claude's tool names and sometimes their own keys (`path`, `filePath`).
const FILE_KEYS = ['file_path', 'path', 'filePath'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  Bash: { kind: 'shell', keys: ['command'] },
  PowerShell: { kind: 'shell', keys: ['command'] },
  Edit: { kind: 'file-write', keys: FILE_KEYS },
  MultiEdit: { kind: 'file-write', keys: FILE_KEYS },
  Write: { kind: 'file-write', keys: FILE_KEYS },
  NotebookEdit: { kind: 'file-write', keys: ['notebook_path'] },
  Read: { kind: 'file-read', keys: FILE_KEYS },
};

const spelled = (server: string): string => server.replace(/[^A-Za-z0-9_-]/g, '_');

/** 2.1.332 names the server (`plugin:p:s`); earlier versions leave only `mcp__<server>__<tool>`, which is split. */
function mcpCall(name: string, document: JsonObject, input: JsonObject, callId: string | undefined): ToolCall {
  const rest = name.slice('mcp__'.length);
  const base = { name, kind: 'mcp' as const, input, ...(callId === undefined ? {} : { callId }) };
  const named = object(document, 'mcp_server');
  const server = named === undefined ? undefined : text(named, 'name');
  if (server !== undefined && server !== '') {
    const prefix = `${spelled(server)}__`;
    if (rest.startsWith(prefix)) return { ...base, mcp: { server, tool: rest.slice(prefix.length), ambiguous: false, apart: true } };
  }
  const split = splitMcp(rest, '__');
  return split === undefined ? { ...base, kind: 'other' } : { ...base, mcp: split };
}

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const parts = toolParts(document);
  if ('fault' in parts) return parts;
  const { name, input, callId } = parts;
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape !== undefined) {
    const call = shapedCall(name, shape, input, callId);
    return name === 'PowerShell' && !isFault(call) ? { ...call, shell: 'powershell' } : call;
  }
  if (name.startsWith('mcp__')) return mcpCall(name, document, input, callId);
  return { name, kind: 'other', input, ...(callId === undefined ? {} : { callId }) };
}

/**
 * Measured on 2.1.197 and 2.1.332: hooks of every event get CLAUDE_PROJECT_DIR, commands that the model runs do not, so a
 * hook typed into a tool call does not count.
 */
const MARK: CallerMark = { session: ['session_id'], env: { CLAUDE_CODE_SESSION_ID: 'session', CLAUDE_PROJECT_DIR: 'set' } };

function preTool(word: 'deny' | 'ask', reason: string): Answer {
  return word === 'deny' ? saidTwice(preToolDocument(word, reason), reason) : preToolAnswer(word, reason);
}

const ANSWERS = claudeAnswers(preTool);

export const claudeDialect: HookDialect = {
  id: 'claude',
  aliases: [],
  decode: decodeForm({ client: 'claude', workspace: 'cwd', session: 'session_id', tool: decodeTool }),
  ...ANSWERS,
  encode: (event, verdict, payload) => (verdict.context === undefined ? ANSWERS.encode(event, verdict, payload) : contextAnswer(event, verdict)),
  neutral: () => EMPTY,
  mcpSpelling: spelled,
  mark: MARK,
  guarded: [
    { path: '.claude/settings.json', level: 'shared' },
    { path: '.claude/settings.local.json', level: 'shared' },
    { path: '.claude.json', level: 'shared' },
  ],
};
