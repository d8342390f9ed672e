// Contract: hook documents of clients that took over Claude Code's form (session_id, cwd, tool_name, tool_input), decoded by
// what is particular to each: its tools, its names of MCP tools, its mark. PURE.
import { decodeForm, shapedCall, toolParts, type ToolShape } from './dialect-kit.ts';
import type { Dialect, EnvMap } from '../model/dialect.ts';
import type { JsonObject } from '../model/json.ts';
import type { DecodeFault, ToolCall } from '../model/payload.ts';

export interface ClaudeForm {
  readonly client: string;
  readonly shapes: Readonly<Record<string, ToolShape>>;
  /** The pair behind a tool name, or undefined where the tool is not one of an MCP server. */
  readonly mcp: (name: string) => ToolCall['mcp'];
  /** Tools whose input needs more than one key. */
  readonly special?: (name: string, input: JsonObject) => ToolCall | DecodeFault | undefined;
  readonly isCaller: (document: JsonObject, env: EnvMap) => boolean;
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
  const { client, isCaller } = form;
  return decodeForm({ client, workspace: 'cwd', session: 'session_id', tool: (document) => decodeTool(form, document), isCaller });
}
