// Contract: what the dialects share: guarded reads of foreign documents, MCP names, one-line reasons, answers. PURE.
// Reads take own properties only, so that a `__proto__` key can never lend a value.
import type { Answer, Dialect } from '../model/dialect.ts';
import type { CanonicalEvent } from '../model/events.ts';
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { DecodeFault, Payload, ToolCall } from '../model/payload.ts';
import type { Verdict } from '../model/verdict.ts';
import type { MarkedDialect } from './callers.ts';

export { splitMcp } from '../model/mcp-names.ts';

export const REASON_CHARS_MAX = 600;

/** A file of a client that holds registrations, relative to the home directory or to a project. */
export interface GuardedFile {
  readonly path: string;
  /** `hooks`: it holds hook registrations and nothing else. `shared`: people also let agents edit it. */
  readonly level: 'hooks' | 'shared';
}

/** What the hook must know of every dialect without loading it. Plain data: the build writes it into the hook's bundle. */
export interface DialectFacts extends MarkedDialect {
  readonly guarded: readonly GuardedFile[];
}

/** A dialect as the hook uses it. */
export interface HookDialect extends Dialect, DialectFacts {
  /** How the client writes a server's name in names of tools, where it replaces characters; absent: as it is. */
  readonly mcpSpelling?: (server: string) => string;
  /** For dialects that people and git hook managers call: words behind the event as a document. */
  readonly fromWords?: (words: readonly string[], cwd: string) => JsonObject | DecodeFault;
}

export const EMPTY: Answer = { stdout: '', stderr: '', exit: 0 };

export function own(document: JsonObject, key: string): JsonValue | undefined {
  return Object.prototype.hasOwnProperty.call(document, key) ? document[key] : undefined;
}

export function text(document: JsonObject, key: string): string | undefined {
  const value = own(document, key);
  return typeof value === 'string' ? value : undefined;
}

export function flag(document: JsonObject, key: string): boolean {
  return own(document, key) === true;
}

export function object(document: JsonObject, key: string): JsonObject | undefined {
  const value = own(document, key);
  return isObject(value) ? value : undefined;
}

export function fault(what: string): DecodeFault {
  return { fault: what };
}

export function isFault(value: ToolCall | Payload | DecodeFault | undefined): value is DecodeFault {
  return value !== undefined && 'fault' in value;
}

/** True for events on which the guard can still stop something. */
export function canBlock(event: CanonicalEvent): boolean {
  return event === 'pre-tool' || event === 'permission';
}

export function hasTool(event: CanonicalEvent): boolean {
  return event === 'pre-tool' || event === 'permission' || event === 'post-tool';
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('\\\\') || (path.length > 2 && path[1] === ':' && (path[2] === '\\' || path[2] === '/'));
}

/** The working directory of a payload: absent or relative is unknown; a value of another type is a fault. */
export function workspaceOf(document: JsonObject, key: string): string | undefined | DecodeFault {
  const value = own(document, key);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') return fault(`"${key}" is not a string`);
  return isAbsolute(value) ? value : undefined;
}

/** The first folder of a list of workspace folders. */
export function firstWorkspace(key: string): (document: JsonObject) => string | undefined | DecodeFault {
  return (document) => {
    const value = own(document, key);
    if (value !== undefined && value !== null && !Array.isArray(value)) return fault(`"${key}" is not a list`);
    return workspaceOf({ [key]: value?.[0] ?? null }, key);
  };
}

/** What is particular to a client's documents; the rest of decoding is the same for all that name their fields like this. */
export interface DocumentForm {
  readonly client: string;
  /** Key of the workspace, or how it is found. */
  readonly workspace: string | ((document: JsonObject) => string | undefined | DecodeFault);
  /** Keys of the session: the first one that holds a string counts. */
  readonly session: string | readonly string[];
  readonly tool: (document: JsonObject) => ToolCall | DecodeFault;
  /** Absent: the flag `stop_hook_active`. */
  readonly stopActive?: (document: JsonObject) => boolean;
}

export function decodeForm(form: DocumentForm): Dialect['decode'] {
  return (event, document) => {
    const workspace = typeof form.workspace === 'string' ? workspaceOf(document, form.workspace) : form.workspace(document);
    if (typeof workspace === 'object') return workspace;
    if (own(document, '__proto__') !== undefined) return fault('the document has a "__proto__" key');
    const tool = hasTool(event) ? form.tool(document) : undefined;
    if (isFault(tool)) return tool;
    const sessionId = (typeof form.session === 'string' ? [form.session] : form.session).map((key) => text(document, key)).find((value) => value !== undefined);
    return {
      client: form.client,
      event,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(workspace === undefined ? {} : { workspace }),
      ...(tool === undefined ? {} : { tool }),
      stopActive: form.stopActive?.(document) ?? flag(document, 'stop_hook_active'),
      subagent: text(document, 'agent_id') !== undefined,
      caller: 'unknown',
    };
  };
}

/** A tool call whose needed strings are read from its input by key. */
export interface ToolShape {
  readonly kind: 'shell' | 'file-write' | 'file-read';
  /** The key of the command line or of the path; the first one present counts. */
  readonly keys: readonly string[];
  readonly cwdKeys?: readonly string[];
}

export function shapedCall(name: string, shape: ToolShape, input: JsonObject, callId: string | undefined): ToolCall | DecodeFault {
  const key = shape.keys.find((k) => own(input, k) !== undefined) ?? shape.keys[0] ?? '';
  const value = text(input, key);
  // Reading is never judged by path: a read without one is not worth a refusal.
  if (value === undefined && shape.kind === 'file-read') return { name, kind: shape.kind, input, paths: [], ...(callId === undefined ? {} : { callId }) };
  if (value === undefined) return fault(`the input of tool "${name.slice(0, 64)}" has no string "${key}"`);
  if (value.includes('\0')) return fault(`"${key}" of tool "${name.slice(0, 64)}" holds a NUL`);
  const base = { name, kind: shape.kind, input, ...(callId === undefined ? {} : { callId }) };
  if (shape.kind !== 'shell') return { ...base, paths: [value] };
  const cwd = (shape.cwdKeys ?? []).map((k) => text(input, k)).find((v) => v !== undefined && v !== '');
  return cwd === undefined ? { ...base, command: value } : { ...base, command: value, cwd };
}

/** The name and the input of a tool call in the form that most clients share. */
export function toolParts(document: JsonObject): { name: string; input: JsonObject; callId: string | undefined } | DecodeFault {
  const name = text(document, 'tool_name');
  if (name === undefined || name === '') return fault('"tool_name" is not a non-empty string');
  const input = object(document, 'tool_input');
  if (input === undefined) return fault('"tool_input" is not an object');
  if (own(input, '__proto__') !== undefined) return fault('"tool_input" has a "__proto__" key');
  return { name, input, callId: text(document, 'tool_use_id') };
}

/** Text for one line of a terminal or of a model: no control characters, bounded. */
export function oneLine(words: string, max: number = REASON_CHARS_MAX): string {
  let out = '';
  for (const char of words) {
    if (out.length >= max) return `${out.slice(0, max - 3)}...`;
    const code = char.charCodeAt(0);
    out += code < 32 || code === 127 || (code > 127 && code < 160) ? ' ' : char;
  }
  return out.trim();
}

/** What the model and the person read. Never empty. */
export function say(verdict: Verdict): string {
  const reason = verdict.reason === undefined || verdict.reason === '' ? 'This call is not allowed here.' : verdict.reason;
  return oneLine(`${reason}${verdict.rule === undefined ? '' : ` [praetorctl: ${verdict.rule}]`}`);
}

/** An `ask` for a client that cannot ask. */
export function sayNobodyAsks(verdict: Verdict): string {
  const { operation, reason = 'This call needs a person.' } = verdict;
  const how = operation === undefined ? 'a person must run it, or allow it in the praetorctl settings.' : `a person can allow one such call in a terminal: praetorctl contract grant ${operation}`;
  return say({ ...verdict, reason: `${reason.replace(/[^.?!]$/, '$&.')} This client cannot ask: ${how}` });
}

export function sayError(reason: string): string {
  return oneLine(`This call could not be judged and is refused: ${reason}. Run "praetorctl doctor".`);
}

/** What a client that can only refuse needs to say; `stop`: its answer to a denied stop, where it can be told to go on. */
export interface Refusals {
  readonly deny: (event: CanonicalEvent, reason: string) => Answer;
  readonly stop?: (reason: string) => Answer;
}

/** Answers of a client that cannot ask a person: an ask becomes a refusal that says what a person can do. */
export function refusingAnswers(form: Refusals): Pick<Dialect, 'encode' | 'encodeError' | 'neutral'> {
  return {
    encode: (event, verdict, payload) => {
      if (verdict.decision === 'neutral' || verdict.decision === 'allow') return EMPTY;
      if (canBlock(event)) return form.deny(event, verdict.decision === 'deny' ? say(verdict) : sayNobodyAsks(verdict));
      return (event === 'stop' || event === 'subagent-stop') && verdict.decision === 'deny' && !payload.stopActive ? form.stop?.(say(verdict)) ?? EMPTY : EMPTY;
    },
    encodeError: (event, reason) => (canBlock(event) ? form.deny(event, sayError(reason)) : harmlessError(reason)),
    neutral: () => EMPTY,
  };
}

export function stderrLine(words: string): string {
  return `praetorctl: ${oneLine(words)}\n`;
}

/** Fault on an event that cannot block: the client goes on, the person can read why. */
export function harmlessError(reason: string, stdout = ''): Answer {
  return { stdout, stderr: stderrLine(`error: ${reason}`), exit: 0 };
}
