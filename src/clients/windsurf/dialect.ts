// Contract: hook documents and answers of Windsurf's Cascade (also in the editor under its newer name). PURE. Documented; not run here.
// The only answer that stops anything is exit 2, with the reason on stderr; every other exit code lets the action go on, and
// nobody can be asked. Which event runs is said by `agent_action_name`.
import { decodeForm, fault, object, own, refusingAnswers, shapedCall, stderrLine, text, type HookDialect, type ToolShape } from '../dialect-kit.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, ToolCall } from '../../model/payload.ts';

const SHAPES: Readonly<Record<string, ToolShape>> = {
  run_command: { kind: 'shell', keys: ['command_line'], cwdKeys: ['cwd'] },
  write_code: { kind: 'file-write', keys: ['file_path'] },
  read_code: { kind: 'file-read', keys: ['file_path'] },
};

function mcpCall(name: string, info: JsonObject): ToolCall | DecodeFault {
  const server = text(info, 'mcp_server_name');
  const tool = text(info, 'mcp_tool_name');
  if (server === undefined || tool === undefined || tool === '') return fault('"tool_info" does not name server and tool');
  return { name, kind: 'mcp', mcp: { server, tool, ambiguous: false }, input: own(info, 'mcp_tool_arguments') ?? {} };
}

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const name = text(document, 'agent_action_name');
  if (name === undefined || name === '') return fault('"agent_action_name" is not a non-empty string');
  const info = object(document, 'tool_info');
  if (info === undefined) return fault('"tool_info" is not an object');
  if (own(info, '__proto__') !== undefined) return fault('"tool_info" has a "__proto__" key');
  const action = name.replace(/^(?:pre|post)_/, '');
  if (action === 'mcp_tool_use') return mcpCall(name, info);
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, action) ? SHAPES[action] : undefined;
  return shape === undefined ? { name, kind: 'other', input: info } : shapedCall(name, shape, info, undefined);
}

/** Only a command names a directory. */
function workspaceOfCall(document: JsonObject): string | undefined {
  const cwd = text(object(document, 'tool_info') ?? {}, 'cwd');
  return cwd !== undefined && (cwd.startsWith('/') || /^[A-Za-z]:[\\/]/.test(cwd)) ? cwd : undefined;
}

export const windsurfDialect: HookDialect = {
  id: 'windsurf',
  aliases: ['cascade'],
  decode: decodeForm({ client: 'windsurf', workspace: workspaceOfCall, session: 'trajectory_id', tool: decodeTool, stopActive: () => false }),
  ...refusingAnswers({ deny: (_event, reason) => ({ stdout: '', stderr: stderrLine(reason), exit: 2 }) }),
  guarded: [
    { path: '.codeium/windsurf/hooks.json', level: 'hooks' },
    { path: '.windsurf/hooks.json', level: 'hooks' },
    { path: '.codeium/windsurf/mcp_config.json', level: 'shared' },
  ],
};
