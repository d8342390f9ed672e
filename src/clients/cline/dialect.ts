// Contract: Cline CLI's hook documents and answers. PURE. Measured on 3.0.65.
// The hook files (shim.ts) are ours; to the client a deny is one document with `cancel`, which stops the whole task: the model
// never sees the reason. Exit codes mean nothing to the client. Nobody can be asked, so `ask` is degraded to deny.
import { asciiJson } from '../ascii-json.ts';
import type { CallerMark } from '../callers.ts';
import { decodeForm, fault, isAbsolute, object, own, refusingAnswers, shapedCall, splitMcp, text, type HookDialect } from '../dialect-kit.ts';
import { patchPaths } from '../patch-paths.ts';
import type { Answer } from '../../model/dialect.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { DecodeFault, ToolCall } from '../../model/payload.ts';
import { CLINE_SHIM_MARK } from './shim.ts';

const COMMANDS_MAX = 200;
const PATHS_MAX = 500;
const DEPTH_MAX = 4;

/** How a word is quoted and a line is given to a shell of its own. */
interface Shell { readonly quoted: (word: string) => string; readonly program: string; readonly call: string }
const POSIX: Shell = { quoted: (word) => `'${word.replace(/'/g, `'\\''`)}'`, program: 'sh -c', call: '' };
/** Documented for Windows; not run. */
const POWERSHELL: Shell = { quoted: (word) => `'${word.replace(/'/g, "''")}'`, program: 'powershell -Command', call: '& ' };

/** One entry of the list: a command line, or a program with its arguments; undefined where it is neither. */
function lineOf(shell: Shell, entry: JsonValue): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isObject(entry)) return undefined;
  const line = text(entry, 'command') ?? text(entry, 'cmd');
  const args = own(entry, 'args');
  if (line === undefined || args === undefined) return line;
  return Array.isArray(args) && args.every((arg) => typeof arg === 'string') ? `${shell.call}${[line, ...args].map(shell.quoted).join(' ')}` : undefined;
}

/** Everything that the client could take for a command: it reads several forms, and which one wins is its own affair. */
function entriesOf(input: JsonValue): JsonValue[] {
  if (Array.isArray(input)) return input;
  if (!isObject(input)) return [input];
  const list = own(input, 'commands');
  const listed = list === undefined ? [] : Array.isArray(list) ? list : [list];
  return own(input, 'command') === undefined && own(input, 'cmd') === undefined ? listed : [...listed, input];
}

/**
 * One command line that runs what the list runs: each entry in a shell of its own. Entries of a here-document are put
 * together by the client, so where one can begin, the whole list is judged as one text too.
 */
function commandOf(shell: Shell, input: JsonValue): string | undefined {
  const lines = entriesOf(input).map((entry) => lineOf(shell, entry));
  if (lines.length === 0 || lines.length > COMMANDS_MAX || lines.some((line) => line === undefined)) return undefined;
  const each = [...new Set(lines as string[])];
  const [first, ...rest] = each;
  if (rest.length === 0) return first;
  const together = each.some((line) => line.includes('<<')) ? [(lines as string[]).join('\n')] : [];
  return [...each, ...together].map((line) => `${shell.program} ${shell.quoted(line)}`).join('\n');
}

/** Every string in it: a read names nothing but files, in a dozen forms. */
function strings(value: JsonValue, found: string[] = [], depth = 0): string[] {
  if (found.length >= PATHS_MAX || depth > DEPTH_MAX) return found;
  if (typeof value === 'string') found.push(value);
  else if (Array.isArray(value)) for (const one of value) strings(one, found, depth + 1);
  else if (isObject(value)) for (const key of Object.keys(value)) strings(value[key] ?? null, found, depth + 1);
  return found;
}

function onWindows(document: JsonObject): boolean {
  const workspace = text(document, 'workspace') ?? '/';
  return isAbsolute(workspace) && !workspace.startsWith('/');
}

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const call = object(document, 'tool_call') ?? object(document, 'tool_result');
  if (call === undefined) return fault('"tool_call" is not an object');
  const name = text(call, 'name');
  if (name === undefined || name === '') return fault('"name" of the call is not a non-empty string');
  const input = own(call, 'input');
  if (input === undefined) return fault('"input" of the call is missing');
  if (isObject(input) && own(input, '__proto__') !== undefined) return fault('"input" of the call has a "__proto__" key');
  const callId = text(call, 'id');
  const base = { name, input, ...(callId === undefined ? {} : { callId }) };
  switch (name) {
    case 'run_commands': {
      const windows = onWindows(document);
      const command = commandOf(windows ? POWERSHELL : POSIX, input);
      if (command === undefined) return fault(`the input of tool "${name}" holds no command that can be read`);
      if (command.includes('\0')) return fault(`a command of tool "${name}" holds a NUL`);
      return { ...base, kind: 'shell', command, ...(windows ? { shell: 'powershell' } : {}) };
    }
    case 'editor':
      return isObject(input) ? shapedCall(name, { kind: 'file-write', keys: ['path'] }, input, callId) : fault(`the input of tool "${name}" is not an object`);
    case 'apply_patch': {
      const patch = typeof input === 'string' ? input : isObject(input) ? text(input, 'input') : undefined;
      return patch === undefined ? fault(`the input of tool "${name}" has no string "input"`) : { ...base, kind: 'file-write', paths: patchPaths(patch) };
    }
    case 'read_files':
      return { ...base, kind: 'file-read', paths: strings(input) };
    default: {
      const mcp = splitMcp(name, '__');
      return mcp === undefined ? { ...base, kind: 'other' } : { ...base, kind: 'mcp', mcp };
    }
  }
}

/** In the form that most clients share: one workspace, and an agent id for agents below the first one only. */
function plain(document: JsonObject): JsonObject {
  const roots = own(document, 'workspaceRoots');
  const workspace = Array.isArray(roots) ? roots[0] ?? null : roots ?? null;
  return { ...document, workspace, agent_id: text(document, 'parent_agent_id') ?? null };
}

/**
 * Measured: the client gives CLINE_BUILD_ENV to hooks and not to the commands that the model runs, and only our hook file
 * sets the other mark. No variable names the session.
 */
const MARK: CallerMark = { session: ['taskId'], env: { CLINE_BUILD_ENV: 'set', [CLINE_SHIM_MARK]: '=cline' } };

const decode = decodeForm({ client: 'cline', workspace: 'workspace', session: 'taskId', tool: decodeTool });

function denial(reason: string): Answer {
  return { stdout: `${asciiJson({ cancel: true, errorMessage: reason })}\n`, stderr: '', exit: 0 };
}

export const clineDialect: HookDialect = {
  id: 'cline',
  aliases: ['cline-cli'],
  decode: (event, document, env) => decode(event, plain(document), env),
  ...refusingAnswers({ deny: (_event, reason) => denial(reason) }),
  mark: MARK,
  guarded: [
    { path: '.cline/hooks/PreToolUse.js', level: 'hooks' },
    { path: '.cline/hooks/PostToolUse.js', level: 'hooks' },
    { path: '.cline/hooks/TaskStart.js', level: 'hooks' },
    { path: '.cline/data/settings/cline_mcp_settings.json', level: 'shared' },
  ],
};
