// Contract: one receipt = one JSON line that says that a hook ran and what it answered. PURE.
// It never holds contents, arguments, environment or reasons: names, ids, hashes and the workspace path only.
// The order of keys is fixed and short words come first, so that readers can find fields by indexOf; text from outside
// cannot forge one, since quotes inside JSON strings are escaped. ASCII only, so characters are bytes.
import { asciiJson } from '../clients/ascii-json.ts';
import { isObject } from '../model/json.ts';
import type { ToolKind } from '../model/payload.ts';
import { sha256Hex } from '../model/sha256.ts';

/** With its newline: one write of this size is never torn on local file systems. */
export const RECEIPT_BYTES_MAX = 4096;
export const TOOL_CHARS_MAX = 128;
export const WORKSPACE_CHARS_MAX = 512;
const WORD_CHARS_MAX = 64;
/** `allow-once:` or `grant:` in front of a rule id. */
const RULE_CHARS_MAX = 96;
const EVALUATORS_CHARS_MAX = 256;

export type ReceiptVerdict = 'neutral' | 'allow' | 'ask' | 'deny' | 'error' | 'skipped' | 'recorded';

export interface Receipt {
  readonly v: 1;
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string;
  /** Whose registration ran. */
  readonly client: string;
  /** Canonical event, or the word as given where this version does not know it. */
  readonly event: string;
  /** Which client ran it, `unknown` where no mark says so. */
  readonly caller: string;
  readonly verdict: ReceiptVerdict;
  readonly rule?: string;
  readonly kind?: ToolKind;
  readonly tool?: string;
  /** First 16 hex digits of the sha256 of the client's session id. */
  readonly session?: string;
  readonly engine: string;
  readonly policy: string;
  /** From the start of the process to the answer. */
  readonly ms: number;
  /** Set by doctor and demo: such a receipt is never evidence. */
  readonly synthetic?: true;
  /** How the settings were read where that was not from a fresh index: stale, source, invalid. */
  readonly settings?: string;
  /** Results of the operator's evaluators: `checkpoint=ok,lint=failed:timeout`. */
  readonly evaluators?: string;
  /** Of an MCP call about which a person was asked: 32 hex digits over its id and arguments, by which the guarding runtime knows it. */
  readonly call?: string;
  readonly workspace?: string;
}

export function sessionHash(sessionId: string): string {
  return sha256Hex(sessionId).slice(0, 16);
}

/** ISO 8601 in UTC with milliseconds. Date.prototype.toISOString gives the same and costs the hook 0.25 ms at start. */
export function isoTime(epochMs: number): string {
  const days = Math.floor(epochMs / 86_400_000);
  const ms = epochMs - days * 86_400_000;
  // Days since 0000-03-01 in cycles of 400 years; the year begins in March, so that the leap day is its last.
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const doe = z - era * 146_097;
  const yoe = Math.floor((doe - Math.floor(doe / 1460) + Math.floor(doe / 36_524) - Math.floor(doe / 146_096)) / 365);
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  const year = yoe + era * 400 + (month <= 2 ? 1 : 0);
  const two = (n: number): string => (n < 10 ? `0${n}` : `${n}`);
  const date = `${year}-${two(month)}-${two(doy - Math.floor((153 * mp + 2) / 5) + 1)}`;
  const rest = ms % 1000;
  return `${date}T${two(Math.floor(ms / 3_600_000))}:${two(Math.floor(ms / 60_000) % 60)}:${two(Math.floor(ms / 1000) % 60)}.${rest < 100 ? '0' : ''}${two(rest)}Z`;
}

/** The line with its newline, at most RECEIPT_BYTES_MAX long. */
export function formatReceipt(r: Receipt): string {
  const ordered: Receipt = {
    v: 1,
    time: r.time,
    client: clean(r.client, WORD_CHARS_MAX),
    event: clean(r.event, WORD_CHARS_MAX),
    caller: clean(r.caller, WORD_CHARS_MAX),
    verdict: r.verdict,
    ...(r.rule === undefined ? {} : { rule: clean(r.rule, RULE_CHARS_MAX) }),
    ...(r.kind === undefined ? {} : { kind: r.kind }),
    ...(r.tool === undefined ? {} : { tool: clean(r.tool, TOOL_CHARS_MAX) }),
    ...(r.session === undefined ? {} : { session: clean(r.session, WORD_CHARS_MAX) }),
    engine: clean(r.engine, WORD_CHARS_MAX),
    policy: clean(r.policy, WORD_CHARS_MAX),
    ms: Math.round(r.ms),
    ...(r.synthetic === true ? { synthetic: true } : {}),
    ...(r.settings === undefined ? {} : { settings: clean(r.settings, WORD_CHARS_MAX) }),
    ...(r.evaluators === undefined ? {} : { evaluators: clean(r.evaluators, EVALUATORS_CHARS_MAX) }),
    ...(r.call === undefined ? {} : { call: clean(r.call, WORD_CHARS_MAX) }),
    ...(r.workspace === undefined ? {} : { workspace: clean(r.workspace, WORKSPACE_CHARS_MAX) }),
  };
  const line = `${asciiJson(ordered)}\n`;
  if (line.length <= RECEIPT_BYTES_MAX) return line;
  const { workspace: _workspace, tool: _tool, ...short } = ordered;
  return `${asciiJson(short)}\n`;
}

/** Control characters out, bounded. */
function clean(text: string, max: number): string {
  let out = '';
  for (let i = 0; i < text.length && out.length < max; i++) {
    const code = text.charCodeAt(i);
    if (code >= 32 && (code < 127 || code > 159)) out += text[i];
  }
  return out;
}

const VERDICTS: readonly string[] = ['neutral', 'allow', 'ask', 'deny', 'error', 'skipped', 'recorded'] satisfies ReceiptVerdict[];
const KINDS: readonly string[] = ['shell', 'file-write', 'file-read', 'mcp', 'other'] satisfies ToolKind[];

/** A line as written by this or a later version; undefined for torn, foreign or damaged lines. */
export function parseReceiptLine(line: string): Receipt | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['v'] !== 1) return undefined;
  const { time, client, event, caller, verdict, rule, kind, tool, session, engine, policy, ms, workspace, settings, evaluators, call } = value;
  if (typeof time !== 'string' || typeof client !== 'string' || typeof event !== 'string' || typeof caller !== 'string') return undefined;
  if (typeof engine !== 'string' || typeof policy !== 'string' || typeof ms !== 'number') return undefined;
  if (typeof verdict !== 'string' || !isVerdict(verdict) || Number.isNaN(Date.parse(time))) return undefined;
  return {
    v: 1, time, client, event, caller, verdict,
    ...(typeof rule === 'string' ? { rule } : {}),
    ...(typeof kind === 'string' && isKind(kind) ? { kind } : {}),
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(typeof session === 'string' ? { session } : {}),
    engine, policy, ms,
    ...(value['synthetic'] === true ? { synthetic: true as const } : {}),
    ...(typeof settings === 'string' ? { settings } : {}),
    ...(typeof evaluators === 'string' ? { evaluators } : {}),
    ...(typeof call === 'string' ? { call } : {}),
    ...(typeof workspace === 'string' ? { workspace } : {}),
  };
}

function isVerdict(word: string): word is ReceiptVerdict {
  return VERDICTS.includes(word);
}

function isKind(word: string): word is ToolKind {
  return KINDS.includes(word);
}
