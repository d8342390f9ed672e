// Contract: text <-> document of a generated program file of ours (a plugin, a hook script), so that it is planned, written and
// read back like every other file. The document is `{native: [{type, command, body}]}`; the text is an owner header with a
// digest, the table of commands, and the body. A body that opens with `#!` stays a script: that line comes first, and the
// header is in its comments. A file without the header is somebody else's and is refused. PURE.
import type { EditOp, EditResult, Editor, MergeFault, ReadResult } from '../model/edit.ts';
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { sha256Hex } from '../model/sha256.ts';

const OWNER = 'Written by "praetorctl clients apply"; "praetorctl clients remove" takes it away. Edits are undone by the next apply.';
const DIGEST = 'sha256 of what follows: ';

/** How a header line is said in the language of the file. In a shell script the table is for readers only. */
interface Style { readonly comment: string; readonly table: string; readonly end: string }
const MODULE: Style = { comment: '// ', table: 'const COMMANDS = ', end: ';' };
const SCRIPT: Style = { comment: '# ', table: '# COMMANDS = ', end: '' };

/** The `#!` line of a script with its line end, or nothing. */
function opening(text: string): string {
  return text.startsWith('#!') ? text.slice(0, text.indexOf('\n') + 1) : '';
}

/** Everything that makes a handler of this file, so that an edited body is a changed registration. */
interface Handler { readonly type: 'command'; readonly command: string; readonly body: string }

function fault(code: MergeFault['code'], message: string): { ok: false; fault: MergeFault } {
  return { ok: false, fault: { code, message, offset: 0, line: 1, column: 1 } };
}

function tableOf(style: Style, line: string): JsonObject | undefined {
  if (!line.startsWith(style.table) || !line.endsWith(style.end)) return undefined;
  try {
    const value = JSON.parse(line.slice(style.table.length, line.length - style.end.length)) as JsonValue;
    return isObject(value) && Object.values(value).every((command) => typeof command === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

function read(text: string): ReadResult {
  if (text.trim() === '') return { ok: true, value: {} };
  const first = opening(text);
  const style = first === '' ? MODULE : SCRIPT;
  const [owner = '', digest = '', table = '', ...rest] = text.slice(first.length).split('\n');
  if (owner !== style.comment + OWNER) return fault('foreign-entry', 'a file of somebody else stands where praetorctl would write its own');
  const commands = tableOf(style, table);
  const body = first + rest.join('\n');
  const edited = digest !== `${style.comment}${DIGEST}${sha256Hex(`${table}\n${body}`)}`;
  // Ours but damaged: a document that never equals the desired one, so that apply writes it anew.
  if (commands === undefined) return { ok: true, value: { damaged: true } };
  const value: JsonObject = {};
  for (const [native, command] of Object.entries(commands)) {
    value[native] = [{ type: 'command', command, body, ...(edited ? { edited } : {}) }];
  }
  return { ok: true, value };
}

function handlerOf(value: JsonValue | undefined): Handler | undefined {
  if (!isObject(value) || typeof value['command'] !== 'string' || typeof value['body'] !== 'string') return undefined;
  return { type: 'command', command: value['command'], body: value['body'] };
}

/** The body that is written is the last one named: handlers of one file share it. Sorted: one document has one text. */
function render(handlers: ReadonlyMap<string, Handler>, body: string): string {
  if (handlers.size === 0) return '';
  const first = opening(body);
  const style = first === '' ? MODULE : SCRIPT;
  const commands = Object.fromEntries([...handlers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([native, { command }]) => [native, command]));
  const table = `${style.table}${JSON.stringify(commands)}${style.end}`;
  return `${first}${style.comment}${OWNER}\n${style.comment}${DIGEST}${sha256Hex(`${table}\n${body}`)}\n${table}\n${body.slice(first.length)}`;
}

function edit(text: string, ops: readonly EditOp[]): EditResult {
  const before = read(text);
  if (!before.ok) return before;
  const handlers = new Map<string, Handler>();
  let body = '';
  const put = (native: string, value: JsonValue | undefined): boolean => {
    const handler = handlerOf(value);
    if (handler === undefined) return false;
    handlers.set(native, handler);
    body = handler.body;
    return true;
  };
  for (const [native, items] of Object.entries(isObject(before.value) ? before.value : {})) if (Array.isArray(items)) put(native, items[0]);
  for (const op of ops) {
    const native = op.path[0];
    if (op.op === 'prune') continue;
    if (typeof native !== 'string' || op.op === 'set') return fault('internal', 'a generated file holds nothing but hooks');
    if (op.op === 'remove') handlers.delete(native);
    else if (!put(native, op.value)) return fault('internal', 'a generated file holds nothing but hooks');
  }
  const after = render(handlers, body);
  return { ok: true, text: after, created: [], splices: after === text ? [] : [{ start: 0, end: text.length, text: after }] };
}

export const artefactEditor: Editor = { read, edit };
