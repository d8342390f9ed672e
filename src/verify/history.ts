// Contract: how many verdicts of each kind the hooks gave, day by day in UTC, over the last HISTORY_DAYS. Counts the newest receipts
// first and ends at a bound, and says what it counted: a number without its extent would claim more than was read. Lines are not
// parsed: the words are found where the writer puts them, so that a million receipts stay a matter of a second. Reads through the Host.
import type { Host } from '../host.ts';
import type { ReceiptVerdict } from '../receipts/format.ts';
import { walkReceipts } from '../receipts/walk.ts';
import { walkFiles } from './receipt-store.ts';

export const HISTORY_DAYS = 30;
/** About a quarter of a million receipts. */
export const HISTORY_BYTES_MAX = 64 * 1024 * 1024;
/** Receipts are appended in the order of time, except where a clock was set: so much older than the first day ends the walk. */
const SLACK_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const HISTORY_VERDICTS = ['neutral', 'allow', 'ask', 'deny', 'error', 'skipped', 'recorded'] as const satisfies readonly ReceiptVerdict[];
export type VerdictCounts = Readonly<Record<ReceiptVerdict, number>>;

export interface HistoryDay { readonly day: string; readonly counts: VerdictCounts }

export interface History {
  /** HISTORY_DAYS days, the oldest first, days without a receipt included. */
  readonly days: readonly HistoryDay[];
  readonly counted: number;
  /** Made by doctor or the demonstration: not counted. */
  readonly synthetic: number;
  /** Lines within these days that are no receipt, or from the future. */
  readonly leftOut: number;
  /** False where the bound was reached before the first day: then older days lack receipts. */
  readonly complete: boolean;
  /** Why nothing could be read. */
  readonly unread: string | null;
}

const START = '{"v":1,"time":"';
const DAY_CHARS = 10;
const TIME_CHARS = 24;
const VERDICT = '","verdict":"';

const nothing = (): Record<ReceiptVerdict, number> => ({ neutral: 0, allow: 0, ask: 0, deny: 0, error: 0, skipped: 0, recorded: 0 });

function verdictOf(line: string): ReceiptVerdict | undefined {
  const at = line.indexOf(VERDICT, START.length);
  if (at < 0) return undefined;
  const from = at + VERDICT.length;
  const word = line.slice(from, line.indexOf('"', from));
  return HISTORY_VERDICTS.find((verdict) => verdict === word);
}

export function verdictHistory(host: Host, directory: string, now: number, bytesMax: number = HISTORY_BYTES_MAX): History {
  const first = Math.floor(now / DAY_MS) - HISTORY_DAYS + 1;
  const dayNames = Array.from({ length: HISTORY_DAYS }, (_, i) => new Date((first + i) * DAY_MS).toISOString().slice(0, DAY_CHARS));
  const counts = new Map(dayNames.map((day) => [day, nothing()]));
  // Times of one form compare as text.
  const oldest = new Date(first * DAY_MS - SLACK_MS).toISOString();
  const begin = dayNames[0] ?? '';
  let counted = 0;
  let synthetic = 0;
  let leftOut = 0;
  const look = (line: string): 'skip' | 'stop' => {
    const time = line.startsWith(START) ? line.slice(START.length, START.length + TIME_CHARS) : '';
    if (time !== '' && time < oldest) return 'stop';
    const day = counts.get(time.slice(0, DAY_CHARS));
    const verdict = verdictOf(line);
    if (time !== '' && time < begin) return 'skip';
    if (day === undefined || verdict === undefined) leftOut += 1;
    else if (line.includes(',"synthetic":true')) synthetic += 1;
    else {
      day[verdict] += 1;
      counted += 1;
    }
    return 'skip';
  };
  const days = (): HistoryDay[] => [...counts].map(([day, found]) => ({ day, counts: found }));
  try {
    const walked = walkReceipts(directory, walkFiles(host), { look, visit: () => false }, bytesMax);
    return { days: days(), counted, synthetic, leftOut: leftOut + walked.damagedLines, complete: walked.stopped !== 'bound', unread: null };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { days: days(), counted, synthetic, leftOut, complete: false, unread: code };
  }
}
