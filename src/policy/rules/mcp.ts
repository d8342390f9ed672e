// Contract: MCP calls that would change the guard's files or read keys of the person: a string argument names such a path and
// the tool's name carries a verb of writing or reading. The walk over the arguments is bounded. PURE.
import type { JsonValue } from '../../model/json.ts';
import { pairsOf } from '../../model/mcp-names.ts';
import type { ToolCall } from '../../model/payload.ts';
import type { Hit, Place, ToolRule } from '../types.ts';
import { isMcpCanary, MCP_CANARY_RULE } from '../canary.ts';
import { head, toolRule } from './kit.ts';
import { isSecretPath } from './secret-places.ts';
import { judgeFileTool, toolPath } from './self-files.ts';
import { levelOf } from './self-places.ts';

const WRITING = ['write', 'edit', 'delete', 'remove', 'move', 'create', 'patch', 'put', 'update', 'rename', 'replace', 'append', 'save', 'insert', 'copy', 'truncate', 'unlink', 'chmod', 'modify', 'set', 'apply', 'upload'];
const READING = ['read', 'get', 'cat', 'open', 'view', 'fetch', 'load', 'download', 'search', 'send', 'upload'];

const STRINGS_MAX = 2000;
const DEPTH_MAX = 12;
const PATH_CHARS_MAX = 4096;

/** Every string in the arguments that can be a path. */
export function pathsIn(value: JsonValue, found: string[] = [], depth = 0): string[] {
  if (depth > DEPTH_MAX || found.length >= STRINGS_MAX) return found;
  if (typeof value === 'string') {
    const path = value.startsWith('file://') ? decodeUri(value.slice('file://'.length)) : value;
    if (path.length > 0 && path.length <= PATH_CHARS_MAX && !path.includes('\n')) found.push(path);
  } else if (Array.isArray(value)) for (const one of value) pathsIn(one, found, depth + 1);
  else if (value !== null && typeof value === 'object') for (const key of Object.keys(value)) pathsIn(value[key] ?? null, found, depth + 1);
  return found;
}

function decodeUri(text: string): string {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** `write_file`, `writeFile`, `fs-write`: the verb stands as a word of its own in the tool's name. */
export function hasVerb(name: string, verbs: readonly string[]): boolean {
  const words = name.replace(/([a-z])([A-Z])/gu, '$1_$2').toLowerCase().split(/[^a-z]+/u);
  return words.some((word) => verbs.includes(word) || verbs.includes(word.endsWith('s') ? word.slice(0, -1) : word));
}

/** Where the name can mean several tools, one with such a verb is enough. */
function hasVerbAny({ name, mcp }: ToolCall, verbs: readonly string[]): boolean {
  return mcp === undefined ? hasVerb(name, verbs) : pairsOf(mcp).some(({ tool }) => hasVerb(tool, verbs));
}

/** The verdict on an MCP call about the guard's own files and hook files. */
export function judgeMcp(tool: ToolCall, place: Place): Hit | undefined {
  if (!hasVerbAny(tool, WRITING)) return undefined;
  const paths = pathsIn(tool.input).filter((path) => levelOf(toolPath(path, place), true, place) !== undefined);
  if (paths.length === 0) return undefined;
  const takesAway = hasVerbAny(tool, ['delete', 'remove', 'move', 'rename', 'unlink', 'truncate', 'chmod']);
  if (takesAway || paths.some((path) => levelOf(toolPath(path, place), false, place) === 'git-hook')) return {};
  return judgeFileTool({ ...tool, paths }, place);
}

function readsSecret(tool: ToolCall, place: Place): Hit | undefined {
  if (tool.kind === 'mcp' && !hasVerbAny(tool, READING)) return undefined;
  const paths = tool.kind === 'mcp' ? pathsIn(tool.input) : tool.paths ?? [];
  return paths.some((path) => isSecretPath(toolPath(path, place), place) === 'key') ? {} : undefined;
}

/** No verb of writing in it: what a proof may name, though its call is refused before it reaches the server. */
export function isHarmlessName(tool: string): boolean {
  return !hasVerb(tool, WRITING);
}

export const MCP_RULES: readonly ToolRule[] = [
  toolRule('self-protection', head(MCP_CANARY_RULE, 'The canary of `praetorctl clients prove` in a call of an MCP tool', 'This is the canary of a proof: it is refused on purpose, to show that the guard is heard. Nothing needs to be done.'), ['mcp'], ({ input }) => (pathsIn(input).some(isMcpCanary) ? {} : undefined)),
  toolRule('self-protection', head('self.mcp', 'MCP tools that write registrations, settings or hooks', 'This file belongs to praetorctl, registers its hooks or is a git hook. Ask the person to change it.'), ['mcp'], judgeMcp),
  toolRule('secrets', head('secrets.read.tool', 'reading private keys and credential stores by a tool', 'This file holds a key or credentials of the person. Ask the person for what you need from it.'), ['file-read', 'mcp'], readsSecret),
];
