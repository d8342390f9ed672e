// Contract: Kiro's hook documents and answers (IDE from 1.0 on, CLI from 3 on; the forms of CLI 2.x and Amazon Q are the same). PURE.
// Documented, and recorded by a third party on IDE 1.0.165; not run here. Exit 2 with the reason on stderr blocks a call; other
// exit codes are a warning and the tool runs. Nobody can be asked from a hook.
import { decodeForm, fault, own, refusingAnswers, shapedCall, splitMcp, stderrLine, text, toolParts, type HookDialect, type ToolShape } from '../dialect-kit.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { DecodeFault, ToolCall } from '../../model/payload.ts';

const FILE_KEYS = ['path', 'file_path', 'targetFile'];
const SHELL: ToolShape = { kind: 'shell', keys: ['command'], cwdKeys: ['working_dir', 'cwd'] };
const WRITE: ToolShape = { kind: 'file-write', keys: FILE_KEYS };
const SHAPES: Readonly<Record<string, ToolShape>> = {
  execute_bash: SHELL, execute_cmd: SHELL, execute_pwsh: SHELL, shell: SHELL,
  fs_write: WRITE, write: WRITE, fs_append: WRITE, str_replace: WRITE, delete_file: WRITE,
};

/** A read of several files names each of them inside `operations`. */
function readCall(name: string, input: JsonObject): ToolCall {
  const operations = own(input, 'operations');
  const places = Array.isArray(operations) ? operations.filter(isObject) : [input];
  return { name, kind: 'file-read', paths: places.map((one) => text(one, 'path')).filter((path) => path !== undefined), input };
}

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const parts = toolParts(document);
  if ('fault' in parts) return parts;
  const { name, input, callId } = parts;
  if (name.startsWith('@')) {
    const mcp = splitMcp(name.slice(1), '/');
    return mcp === undefined ? fault(`the tool "${name.slice(0, 64)}" does not name server and tool`) : { name, kind: 'mcp', mcp, input };
  }
  if (name === 'fs_read' || name === 'read') return readCall(name, input);
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape === undefined) return { name, kind: 'other', input };
  const call = shapedCall(name, shape, input, callId);
  return name === 'execute_pwsh' && !('fault' in call) ? { ...call, shell: 'powershell' } : call;
}

export const kiroDialect: HookDialect = {
  id: 'kiro',
  aliases: ['kiro-cli'],
  decode: decodeForm({ client: 'kiro', workspace: 'cwd', session: 'session_id', tool: decodeTool }),
  ...refusingAnswers({ deny: (_event, reason) => ({ stdout: '', stderr: stderrLine(reason), exit: 2 }) }),
  guarded: [
    { path: '.kiro/hooks/praetorctl.json', level: 'hooks' },
    { path: '.kiro/settings/mcp.json', level: 'shared' },
  ],
};
