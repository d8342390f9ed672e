// Contract: `praetorctl receipts list | show`: which hooks ran and what they answered. Reads the newest receipts first and stops
// when it has enough, so that a million of them stay usable. Newest last, as in a log.
import { dialectFor } from '../clients/dialects.ts';
import type { Host } from '../host.ts';
import { EXIT, PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import type { Receipt } from '../receipts/format.ts';
import { walkReceipts, type WalkResult } from '../receipts/walk.ts';
import { ownDirs } from '../roots/own-dirs.ts';
import { rootContext } from '../roots/context.ts';
import { walkFiles } from '../verify/receipt-store.ts';
import { absolutePath } from './policy-input.ts';
import { styleFor, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { reasonOfRule } from './policy-rules.ts';
import { renderReceipt, renderReceipts } from './receipts-view.ts';

export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 1_000_000;
/** Receipts are appended in the order of time, except where a clock was set: so much older than --since ends the walk. */
const SINCE_SLACK_MS = 3_600_000;
const LINE_START = '{"v":1,"time":"';

export interface ShownReceipt extends Receipt { readonly id: string }

/** Stable over rotation and copies: the time, and four digits over the line for receipts of one millisecond. */
export function receiptId(host: Pick<Host, 'sha256'>, receipt: Receipt, line: string): string {
  return `${Date.parse(receipt.time).toString(36)}-${host.sha256(line).slice(0, 4)}`;
}

interface Filter {
  readonly clients: readonly string[];
  readonly verdicts: readonly string[];
  readonly events: readonly string[];
  readonly rules: readonly string[];
  readonly workspace: string | undefined;
  readonly since: number;
  readonly until: number;
}

const usage = (message: string, fix: string): PraetorError => new PraetorError({ code: 'usage', message, fix });
const words = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : []);

/** Beyond it there is no date. */
const TIME_MS_MAX = 8.64e15 - SINCE_SLACK_MS;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `2h`, `7d`: so long ago. A date or a time of ISO 8601: UTC where it names no offset. */
export function parseMoment(text: string, now: number): number | undefined {
  const ago = /^(\d{1,6})(s|m|h|d|w)$/.exec(text);
  if (ago !== null) return now - Number(ago[1]) * (UNIT_MS[ago[2] ?? ''] ?? 0);
  const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  if (iso === null) return undefined;
  const at = Date.parse(iso[1] === undefined || iso[4] !== undefined ? text : `${text}Z`);
  return Number.isNaN(at) ? undefined : at;
}

function moment(options: CommandContext['options'], name: 'since' | 'until', now: number, fallback: number): number {
  const value = options[name];
  if (typeof value !== 'string') return fallback;
  const at = parseMoment(value, now);
  if (at === undefined || Math.abs(at) > TIME_MS_MAX) throw usage(`--${name} "${value.slice(0, 40)}" is no time`, `write an age such as 2h or 7d, or a time such as 2026-03-01 or 2026-03-01T08:30Z`);
  return at;
}

const VERDICTS: readonly string[] = ['neutral', 'allow', 'ask', 'deny', 'error', 'skipped', 'recorded'] satisfies Receipt['verdict'][];

function verdictsOf(value: unknown): string[] {
  const given = words(value);
  const unknown = given.find((word) => !VERDICTS.includes(word));
  if (unknown !== undefined) throw usage(`there is no verdict "${unknown.slice(0, 40)}"`, `use ${VERDICTS.join(', ')}`);
  return given;
}

function filterOf(context: CommandContext, now: number): Filter {
  const { options, io } = context;
  const workspace = options['workspace'];
  return {
    clients: words(options['client']).flatMap((word) => { const known = dialectFor(word); return known === undefined ? [word] : [known.id, ...known.aliases]; }),
    verdicts: verdictsOf(options['verdict']), events: words(options['event']), rules: words(options['rule']),
    workspace: typeof workspace === 'string' ? absolutePath(io.host, workspace) : undefined,
    since: moment(options, 'since', now, -Infinity), until: moment(options, 'until', now, Infinity),
  };
}

const below = (path: string, parent: string): boolean => path === parent || path.startsWith(parent === '/' ? '/' : `${parent}/`) || path.startsWith(`${parent}\\`);

/** In front of the rule whose refusal a person lifted: this call, or one call of its operation. */
const LIFTED: readonly string[] = ['allow-once:', 'grant:'];
const refusedBy = (rule: string): string => { const lifted = LIFTED.find((prefix) => rule.startsWith(prefix)); return lifted === undefined ? rule : rule.slice(lifted.length); };
/** `git.push` names the rule and every rule below it, also where a person lifted it; `allow-once` names every lifted call. */
function ruleFits(rule: string | undefined, wanted: string): boolean {
  if (rule === undefined) return false;
  const base = refusedBy(rule);
  return base === wanted || base.startsWith(`${wanted}.`) || rule === wanted || rule.startsWith(`${wanted}:`);
}
const oneOf = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value);

function fits(filter: Filter, receipt: Receipt): boolean {
  const at = Date.parse(receipt.time);
  return at >= filter.since && at <= filter.until && oneOf(filter.clients, receipt.client) && oneOf(filter.verdicts, receipt.verdict) && oneOf(filter.events, receipt.event)
    && (filter.rules.length === 0 || filter.rules.some((rule) => ruleFits(receipt.rule, rule)))
    && (filter.workspace === undefined || (receipt.workspace !== undefined && below(receipt.workspace, filter.workspace)));
}

/** The same question to the raw line, so that most lines are never parsed. Never refuses what `fits` takes. */
function rawFilter(filter: Filter): (line: string) => 'take' | 'skip' | 'stop' {
  const field = (name: string, values: readonly string[], end: string): string[] => values.map((value) => `"${name}":${JSON.stringify(value).slice(0, -1)}${end}`);
  const groups = [field('client', filter.clients, '"'), field('verdict', filter.verdicts, '"'), field('event', filter.events, '"'), field('rule', filter.rules.flatMap((rule) => ['', ...LIFTED].map((prefix) => prefix + rule)), '')].filter((group) => group.length > 0);
  // Receipts begin with their time, and times of one form compare as text.
  const oldest = filter.since === -Infinity ? '' : new Date(filter.since - SINCE_SLACK_MS).toISOString();
  return (line) => {
    if (oldest !== '' && line.startsWith(LINE_START) && line.slice(LINE_START.length, LINE_START.length + oldest.length) < oldest) return 'stop';
    return groups.every((group) => group.some((text) => line.includes(text))) ? 'take' : 'skip';
  };
}

function receiptsDir(host: Host): string {
  const { home } = rootContext(host);
  return ownDirs({ platform: host.platform, env: host.env, home }).receipts;
}

function walk(host: Host, visitor: Parameters<typeof walkReceipts>[2]): WalkResult {
  const directory = receiptsDir(host);
  try {
    return walkReceipts(directory, walkFiles(host), visitor);
  } catch (error) {
    if (error instanceof PraetorError) throw error;
    throw new PraetorError({ code: 'unreadable', where: { path: directory }, message: 'the receipts cannot be read', fix: 'check the rights of this directory' }, error);
  }
}

function damaged(result: WalkResult): Diagnostic[] {
  if (result.damagedLines === 0) return [];
  return [{ code: 'note', severity: 'warning', message: `${result.damagedLines} line(s) of the receipts are damaged and were left out`, fix: '' }];
}

function limitOf(value: unknown): number {
  if (value === undefined) return LIMIT_DEFAULT;
  const limit = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > LIMIT_MAX) throw usage(`--limit must be a number from 1 to ${LIMIT_MAX}`, 'leave it out for the newest 50');
  return limit;
}

export function receiptsList(context: CommandContext): Outcome {
  const { io, options, global } = context;
  if (options['jsonl'] === true && global.json) throw usage('--json and --jsonl exclude each other', 'use --json for one document, --jsonl for one receipt per line');
  const now = io.host.now();
  const filter = filterOf(context, now);
  const limit = limitOf(options['limit']);
  const shown: ShownReceipt[] = [];
  let more = false;
  const result = walk(io.host, {
    look: rawFilter(filter),
    visit: (receipt, line) => {
      if (!fits(filter, receipt)) return false;
      if (shown.length === limit) return (more = true);
      shown.push({ id: receiptId(io.host, receipt, line), ...receipt });
      return false;
    },
  });
  shown.reverse();
  const lines = options['jsonl'] === true ? shown.map((receipt) => JSON.stringify(receipt)).join('\n') : renderReceipts(styleFor(io, global, rootContext(io.host).home), shown, more);
  return {
    exit: EXIT.ok, kind: 'receipts', wrote: false, diagnostics: damaged(result), text: lines,
    body: { receipts: shown, more: more || result.stopped === 'bound', damagedLines: result.damagedLines },
  };
}

const ID = /^[0-9a-z]{6,11}-[0-9a-f]{4}$/;

export function receiptsShow(context: CommandContext): Outcome {
  const { io, global, args } = context;
  const word = args[0] ?? '';
  const nth = /^[1-9]\d{0,6}$/.test(word) ? Number(word) : undefined;
  if (nth === undefined && !ID.test(word)) throw usage(`"${word.slice(0, 40)}" is neither a number nor an id of a receipt`, 'praetorctl receipts show 1 (the newest), or an id from praetorctl receipts list');
  const time = nth === undefined ? new Date(Number.parseInt(word, 36)) : undefined;
  // The time stands in the line as text, so all other lines are refused unparsed.
  const stamp = time === undefined || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
  let count = 0;
  let found: ShownReceipt | undefined;
  const result = walk(io.host, {
    look: (line) => (stamp === undefined || line.includes(stamp) ? 'take' : 'skip'),
    visit: (receipt, line) => {
      count += 1;
      const id = receiptId(io.host, receipt, line);
      if (nth === undefined ? id !== word : count !== nth) return false;
      found = { id, ...receipt };
      return true;
    },
  });
  if (found === undefined) throw usage(nth === undefined ? 'no receipt has this id' : `there are only ${count} receipts`, 'praetorctl receipts list');
  const reason = found.rule === undefined ? undefined : reasonOfRule(refusedBy(found.rule));
  return {
    exit: EXIT.ok, kind: 'receipt', wrote: false, diagnostics: damaged(result), body: { receipt: found, reason: reason ?? null },
    text: renderReceipt(styleFor(io, global, rootContext(io.host).home), found, reason),
  };
}
