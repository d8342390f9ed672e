// Contract: the headers that the protocol of 2026-07-28 wants of a request over HTTP: its version, method and name, and the arguments
// that a tool's schema marks with `x-mcp-header`. PURE.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';

const MARK = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const NAMED: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };
const DEPTH_MAX = 32;

export interface MarkedArgument { readonly path: readonly string[]; readonly header: string }

/** A value as a header may hold it: what is not plain ASCII goes in base64 between marks. */
export function headerValue(value: string): string {
  const isPlain = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

/** The marked arguments of a tool; undefined: a mark stands where none may, so that the tool must not be used. */
export function markedArguments(inputSchema: JsonObject): readonly MarkedArgument[] | undefined {
  const found: MarkedArgument[] = [];
  const seen = new Set<string>();
  const allowed = (schema: JsonValue | undefined, path: readonly string[]): boolean => {
    if (!isObject(schema) || path.length > DEPTH_MAX) return !hasMark(schema);
    if (Object.hasOwn(schema, MARK)) {
      const name = schema[MARK];
      const type = schema['type'];
      if (typeof name !== 'string' || !TOKEN.test(name) || seen.has(name.toLowerCase()) || path.length === 0) return false;
      if (type !== 'string' && type !== 'integer' && type !== 'boolean') return false;
      seen.add(name.toLowerCase());
      found.push({ path, header: `Mcp-Param-${name}` });
    }
    return Object.entries(schema).every(([key, value]) => (key === 'properties' && isObject(value)
      ? Object.entries(value).every(([name, one]) => allowed(one, [...path, name])) : key === MARK || !hasMark(value)));
  };
  return allowed(inputSchema, []) ? found : undefined;
}

/** Texts such as a default value may hold the word; only a key is a mark. */
function hasMark(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasMark);
  return isObject(value) && (Object.hasOwn(value, MARK) || Object.values(value).some(hasMark));
}

export function modernHeaders(version: string, method: string, params: JsonObject, marked: readonly MarkedArgument[]): Record<string, string> {
  const named = NAMED[method] === undefined ? undefined : params[NAMED[method]];
  const headers: Record<string, string> = { 'MCP-Protocol-Version': headerValue(version), 'Mcp-Method': headerValue(method), ...(typeof named === 'string' ? { 'Mcp-Name': headerValue(named) } : {}) };
  for (const { path, header } of marked) {
    const value = path.reduce<JsonValue | undefined>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), params['arguments']);
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)) headers[header] = headerValue(String(value));
  }
  return headers;
}
