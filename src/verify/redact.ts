// Contract: from a recorded hook document to a capture that can be committed: structure, keys, types and the words of a
// client's own vocabulary stay, every other value is replaced. The same value gets the same replacement within a recording, so
// that relations (a path below the working directory, one id in two places) can still be seen. Deterministic. PURE.
import { CLIENTS } from '../clients/registry.ts';
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';

const DEPTH_MAX = 64;
const KEY = /^[A-Za-z_$][A-Za-z_.$-]{0,47}$/;
/** Letters only: an id or a token has digits, a sentence has spaces. */
const WORD = /^[A-Za-z][A-Za-z_-]{0,31}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const URL = /^[a-z][a-z0-9+.-]*:\/\//i;
const PATH = /^(?:\/|~\/|[A-Za-z]:[\\/]|\\\\)/;

/** Keys whose values are words of the client, not of the person. */
const VOCABULARY = new Set(['hook_event_name', 'hookEventName', 'tool_name', 'toolName', 'permission_mode', 'permissionMode', 'source', 'trigger', 'type', 'kind', 'role', 'effort']);
const COMMANDS = new Set(['command', 'cmd', 'CommandLine', 'script']);

interface Names { readonly of: Map<string, string>; readonly counts: Map<string, number> }

/** Event and tool names that a row already knows are words wherever they stand as a vocabulary key's value. */
const KNOWN = new Set(CLIENTS.flatMap((client) => [...client.hooks.events.map(({ native }) => native), String(client.sample('allow', '/').payload['tool_name'] ?? '')]));

function fresh(names: Names, group: string, value: string, make: (n: number) => string): string {
  const key = `${group}\0${value}`;
  const known = names.of.get(key);
  if (known !== undefined) return known;
  const n = (names.counts.get(group) ?? 0) + 1;
  names.counts.set(group, n);
  const made = make(n);
  names.of.set(key, made);
  return made;
}

/** Each part of a path on its own, so that "below" stays below. */
function path(names: Names, value: string): string {
  const separator = value.includes('\\') && !value.includes('/') ? '\\' : '/';
  const parts = value.split(/[\\/]/).map((part) => (part === '' || part === '.' || part === '..' || part === '~' || /^[A-Za-z]:$/.test(part) ? part : fresh(names, 'path', part, (n) => `part-${n}`)));
  return parts.map((part) => (/^[A-Za-z]:$/.test(part) ? 'C:' : part)).join(separator);
}

/** The form of an MCP tool's name says how the client spells it; server and tool are the person's. */
function mcpName(value: string): string | undefined {
  const form = /^(mcp_{1,2})(?!_).+?(__|_)[^_].*$/.exec(value);
  if (form === null) return undefined;
  return `${form[1]}server${form[1] === 'mcp__' ? '__' : '_'}tool`;
}

function text(names: Names, key: string, value: string): string {
  if (value === '') return '';
  if (VOCABULARY.has(key)) {
    const mcp = mcpName(value);
    if (mcp !== undefined) return mcp;
    if (KNOWN.has(value) || WORD.test(value)) return value;
  }
  if (COMMANDS.has(key)) return fresh(names, 'command', value, (n) => `echo command-${n}`);
  if (UUID.test(value)) return fresh(names, 'uuid', value, (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
  if (TIME.test(value)) return fresh(names, 'time', value, (n) => `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}.000Z`);
  if (URL.test(value)) return fresh(names, 'url', value, (n) => `https://example.invalid/${n}`);
  if (PATH.test(value)) return path(names, value);
  return fresh(names, 'text', value, (n) => `text-${n}`);
}

function number(value: number): number {
  if (!Number.isInteger(value)) return 0.5;
  return value === 0 ? 0 : value < 0 ? -1 : 1;
}

function walk(names: Names, key: string, value: JsonValue, depth: number): JsonValue {
  if (depth > DEPTH_MAX) return 'too-deep';
  if (typeof value === 'string') return text(names, key, value);
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return value.map((inner) => walk(names, key, inner, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, JsonValue] => [KEY.test(name) && name !== '__proto__' ? name : fresh(names, 'key', name, (n) => `key-${n}`), walk(names, name, inner, depth + 1)]);
  return Object.fromEntries(entries);
}

/** One redactor for all documents of a recording. */
export function redactor(): (document: JsonObject) => JsonObject {
  const names: Names = { of: new Map(), counts: new Map() };
  return (document) => walk(names, '', document, 0) as JsonObject;
}

/** What a redacted capture is called: its native event and tool, where the document names them. */
export function captureName(client: string, event: string, document: JsonObject): string {
  const word = (...keys: string[]): string | undefined => keys.map((key) => document[key]).find((value): value is string => typeof value === 'string' && WORD.test(value));
  const parts = [client, word('hook_event_name', 'hookEventName') ?? event, word('tool_name', 'toolName')];
  return parts.filter((part): part is string => part !== undefined).map((part) => part.replace(/[^A-Za-z0-9_-]/g, '')).join('.');
}
