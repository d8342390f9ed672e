// Contract: hook documents and answers of VS Code's agent mode. PURE. Documented (Copilot Chat 0.42.0 sources); not run here.
// Deny and ask are exit 0 and one document with hookSpecificOutput. It must name the event that runs: with another name the
// client strips the answer and runs the tool. Every exit code but 2, and text that is not JSON, runs the tool.
import type { CallerMark } from '../callers.ts';
import { claudeAnswers, patchCall, preToolAnswer, saidOnce } from '../claude-form.ts';
import { decodeForm, EMPTY, fault, own, say, shapedCall, text, type HookDialect, type ToolShape } from '../dialect-kit.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { DecodeFault, ToolCall } from '../../model/payload.ts';

const FILE_KEYS = ['filePath', 'file_path', 'path', 'dirPath'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  run_in_terminal: { kind: 'shell', keys: ['command'] },
  // Text typed into a running shell.
  send_to_terminal: { kind: 'shell', keys: ['command', 'input', 'text'] },
  create_file: { kind: 'file-write', keys: FILE_KEYS },
  create_directory: { kind: 'file-write', keys: FILE_KEYS },
  insert_edit_into_file: { kind: 'file-write', keys: FILE_KEYS },
  replace_string_in_file: { kind: 'file-write', keys: FILE_KEYS },
  edit_notebook_file: { kind: 'file-write', keys: FILE_KEYS },
  read_file: { kind: 'file-read', keys: FILE_KEYS },
};

/** An object; in the Copilot form possibly the JSON text of one. */
function inputOf(document: JsonObject): JsonObject | undefined {
  const value = ['tool_input', 'toolInput', 'toolArgs'].map((key) => own(document, key)).find((one) => one !== undefined);
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  try {
    const parsed = JSON.parse(value) as JsonValue;
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Several files in one call: a list of paths, or of edits that each name theirs. */
function manyFiles(name: string, list: JsonValue | undefined, input: JsonObject): ToolCall | DecodeFault {
  const paths = Array.isArray(list) ? list.map((one) => (isObject(one) ? FILE_KEYS.map((key) => text(one, key)).find((path) => path !== undefined) : one)) : [];
  const all = paths.filter((path) => typeof path === 'string');
  if (!Array.isArray(list) || all.length !== paths.length) return fault(`the input of tool "${name}" does not name its files`);
  return { name, kind: 'file-write', paths: all, input };
}

/** `create_and_run_task` carries a command and its arguments apart. */
function taskCall(name: string, input: JsonObject): ToolCall | DecodeFault {
  const task = own(input, 'task');
  const command = isObject(task) ? text(task, 'command') : undefined;
  if (!isObject(task) || command === undefined) return fault(`the input of tool "${name}" has no task with a command`);
  const args = own(task, 'args');
  return { name, kind: 'shell', command: [command, ...(Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : [])].join(' '), input };
}

/** `mcp_<server>_<tool>`, the server cut and respelled: where it ends is a guess. */
function mcpOf(name: string): ToolCall['mcp'] {
  const rest = name.startsWith('mcp_') ? name.slice('mcp_'.length) : '';
  const at = rest.indexOf('_');
  return at <= 0 || at === rest.length - 1 ? undefined : { server: rest.slice(0, at), tool: rest.slice(at + 1), ambiguous: true };
}

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const name = text(document, 'tool_name') ?? text(document, 'toolName');
  if (name === undefined || name === '') return fault('"tool_name" is not a non-empty string');
  const input = inputOf(document);
  if (input === undefined) return fault('"tool_input" is not an object');
  if (own(input, '__proto__') !== undefined) return fault('"tool_input" has a "__proto__" key');
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape !== undefined) return shapedCall(name, shape, input, text(document, 'tool_use_id'));
  if (name === 'apply_patch') return patchCall(name, ['input'], input);
  if (name === 'multi_replace_string_in_file') return manyFiles(name, own(input, 'replacements'), input);
  if (name === 'editFiles') return manyFiles(name, own(input, 'files'), input);
  if (name === 'create_and_run_task') return taskCall(name, input);
  const mcp = mcpOf(name);
  return mcp === undefined ? { name, kind: 'other', input } : { name, kind: 'mcp', mcp, input };
}

/** The registration itself sets the variable. Copilot CLI reads the same directory, and what it runs is not VS Code's. */
const MARK: CallerMark = { session: ['session_id', 'sessionId'], env: { PRAETORCTL_REGISTERED_FOR: '=vscode', COPILOT_CLI: 'unset' } };

const answers = claudeAnswers(preToolAnswer);

export const vscodeDialect: HookDialect = {
  id: 'vscode',
  aliases: ['code'],
  decode: decodeForm({ client: 'vscode', workspace: 'cwd', session: ['session_id', 'sessionId'], tool: decodeTool }),
  ...answers,
  encode: (event, verdict, payload) => {
    if (event !== 'stop' && event !== 'subagent-stop') return answers.encode(event, verdict, payload);
    if (verdict.decision !== 'deny' || payload.stopActive) return EMPTY;
    return saidOnce({ hookSpecificOutput: { hookEventName: event === 'stop' ? 'Stop' : 'SubagentStop', decision: 'block', reason: say(verdict) } });
  },
  neutral: () => EMPTY,
  mark: MARK,
  guarded: [
    { path: '.copilot/hooks/praetorctl-vscode.json', level: 'hooks' },
    { path: '.github/hooks/praetorctl-vscode.json', level: 'hooks' },
    { path: '.vscode/mcp.json', level: 'shared' },
  ],
};
