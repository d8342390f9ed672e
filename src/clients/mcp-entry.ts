// Contract: an entry of an MCP server in any client's spelling -> what it starts or where it connects to. PURE.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';

type Texts = Readonly<Record<string, string>>;

/** Values are as they stand there, with references in the client's spelling. */
export type EntryServer =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly env: Texts }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Texts };

/** A command with arguments, a list of both, or an address. */
export function serverOfEntry(entry: JsonValue | undefined): EntryServer | undefined {
  if (!isObject(entry)) return undefined;
  const url = entry['url'] ?? entry['httpUrl'] ?? entry['serverUrl'];
  if (typeof url === 'string') return { kind: 'http', url, headers: headersOf(entry) };
  const words = Array.isArray(entry['command']) ? entry['command'] : [entry['command'] ?? entry['cmd'], ...(Array.isArray(entry['args']) ? entry['args'] : [])];
  if (!words.every((word) => typeof word === 'string') || words.length === 0) return undefined;
  const [command = '', ...args] = words as string[];
  return { kind: 'stdio', command, args, env: textsOf(entry['env'] ?? entry['environment'] ?? entry['envs']) };
}

/** Some clients name a variable instead of a value. */
function headersOf(entry: JsonObject): Texts {
  const options = entry['requestOptions'];
  const named = Object.entries(textsOf(entry['env_http_headers'])).map(([header, name]) => [header, `\${${name}}`]);
  const bearer = entry['bearer_token_env_var'];
  return {
    ...textsOf(entry['headers'] ?? entry['http_headers'] ?? (isObject(options) ? options['headers'] : undefined)), ...Object.fromEntries(named),
    ...(typeof bearer === 'string' ? { Authorization: `Bearer \${${bearer}}` } : {}),
  };
}

function textsOf(value: JsonValue | undefined): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

/** Is it the guarding runtime already? */
export function isGuarded(server: EntryServer): boolean {
  return server.kind === 'stdio' && server.args[0] === 'mcp' && /(?:^|[\\/])praetorctl(?:\.cmd|\.exe)?$/.test(server.command);
}

export interface NamedEntry { readonly name: string; readonly entry: JsonValue | undefined }

/** A table by name, or a list whose entries say theirs. */
export function namedEntries(servers: JsonValue | undefined): NamedEntry[] {
  if (Array.isArray(servers)) return servers.map((entry) => ({ name: isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : '?', entry }));
  return isObject(servers) ? Object.entries(servers).map(([name, entry]) => ({ name, entry })) : [];
}

/** `${NAME}`, `${env:NAME}`, `{env:NAME}`, and `$NAME` where it is the whole value: a lone `$` is more often a character of a secret. */
const REFERENCE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}|\{env:([A-Za-z_][A-Za-z0-9_]*)\}|^\$([A-Za-z_][A-Za-z0-9_]*)$/g;

/** The value with each reference as `spell` says it. */
export function withReferences(value: string, spell: (name: string) => string): string {
  return value.replace(REFERENCE, (_whole, braces?: string, env?: string, bare?: string) => spell(braces ?? env ?? bare ?? ''));
}
