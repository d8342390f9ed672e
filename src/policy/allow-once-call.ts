// Contract: what makes two calls the same call for `policy allow`, and the form of what is kept. Shared by the hook, which
// writes and consumes, and the command line, which shows and grants. PURE.
import type { ToolCall } from '../model/payload.ts';
import { isObject, type JsonValue } from '../model/json.ts';

/** No letter or digit that is taken for another. */
export const CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE_CHARS = 6;
/** A code that nobody uses is forgotten. */
export const PENDING_MS_MAX = 15 * 60_000;
export const PENDING_MAX = 64;
/** How much of a command is kept for the person to read. */
export const SHOWN_CHARS_MAX = 4096;
export const PENDING_DIRECTORY = 'pending';
export const PENDING_FILE_BYTES_MAX = 64 * 1024;

/** A client may ask for permission after the hook of the same call let it pass. */
export const USED_MS_MAX = 2 * 60_000;

/** `used`: taken by a call whose permission event may still come. */
export type PendingState = 'asked' | 'granted' | 'used';

/** `<first 32 digits of the digest>.<code>.<state>`, below <state directory>/pending. */
export interface PendingName { readonly digest: string; readonly code: string; readonly state: PendingState }

/** One refused call. The file is readable by the person alone and goes with its use or its time. */
export interface Pending {
  readonly v: 1;
  readonly digest: string;
  readonly rule: string;
  readonly reason: string;
  readonly client: string;
  readonly kind: string;
  readonly tool: string;
  readonly workspace: string;
  /** The command or the paths, for the person to read; cut at SHOWN_CHARS_MAX. Equality is decided by the digest. */
  readonly shown: string;
  readonly cut: boolean;
  readonly createdMs: number;
  readonly expiresMs: number;
  /** Granted only: every such call until the end of time, instead of one. */
  readonly until: boolean;
}

export function pendingName({ digest, code, state }: PendingName): string {
  return `${digest.slice(0, 32)}.${code}.${state}`;
}

export function parsePendingName(name: string): PendingName | undefined {
  const match = /^([0-9a-f]{32})\.([2-9A-Z]{6})\.(asked|granted|used)$/.exec(name);
  const [, digest, code, state] = match ?? [];
  return digest === undefined || code === undefined || (state !== 'asked' && state !== 'granted' && state !== 'used') ? undefined : { digest, code, state };
}

export function parsePending(text: string): Pending | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['v'] !== 1) return undefined;
  const words = ['digest', 'rule', 'reason', 'client', 'kind', 'tool', 'workspace', 'shown'] as const;
  if (words.some((key) => typeof value[key] !== 'string') || typeof value['createdMs'] !== 'number' || typeof value['expiresMs'] !== 'number') return undefined;
  return value as unknown as Pending;
}

/** The order of keys does not make another call. */
function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, ordered(value[key] ?? null)]));
}

/** The text whose digest names a call. A command is the same whichever client runs it; another tool's call is its input. */
export function callText(tool: ToolCall, workspace: string | undefined): string {
  const what = tool.kind === 'shell' ? { command: tool.command ?? '', cwd: tool.cwd ?? '' } : { name: tool.name, paths: [...(tool.paths ?? [])], input: ordered(tool.input) };
  return JSON.stringify(['praetorctl/call', 1, workspace ?? '', tool.kind, what]);
}

export function shownText(tool: ToolCall): string {
  if (tool.kind === 'shell') return tool.command ?? '';
  return tool.kind === 'mcp' && tool.mcp !== undefined ? `${tool.mcp.server} ${tool.mcp.tool}` : (tool.paths ?? []).join('\n');
}
