// Contract: when a job runs. An interval is one that divides the day evenly, so that every system's scheduler can say it, and the
// minute comes from the host's id: stable for a host, spread over the fleet. PURE.
import { PraetorError } from '../model/diagnostic.ts';
import { sha256Hex } from '../model/sha256.ts';

export const SCHEDULE_KINDS = ['systemd', 'launchd', 'schtasks', 'cron'] as const;
export type ScheduleKind = typeof SCHEDULE_KINDS[number];

export const INTERVAL_MINUTES_MIN = 5;
export const INTERVAL_MINUTES_MAX = 24 * 60;
const HOUR_MINUTES = 60;
const DAY_HOURS = 24;

/** Those that divide an hour, then those of whole hours that divide a day. */
const EVEN_MINUTES = [5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, INTERVAL_MINUTES_MAX];

export interface Interval {
  readonly asked: string;
  /** The longest even interval that is not longer than what was asked for. */
  readonly minutes: number;
}

export function parseInterval(asked: string): Interval {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,3})(m|h)$/.exec(asked) ?? [];
  const minutes = Number(count) * (unit === 'h' ? HOUR_MINUTES : 1);
  if (unit === '' || minutes < INTERVAL_MINUTES_MIN || minutes > INTERVAL_MINUTES_MAX) {
    throw new PraetorError({ code: 'usage', message: 'the interval is not between 5m and 24h', fix: 'write minutes or hours, for example --interval 15m' });
  }
  return { asked, minutes: Math.max(...EVEN_MINUTES.filter((even) => even <= minutes)) };
}

/** One command of praetorctl that a scheduler starts. */
export interface Job { readonly id: string; readonly words: readonly string[] }

/** The times of a day, as every scheduler can say them: the minutes of each hour, or one minute of some hours. */
export type Times =
  | { readonly every: 'hour'; readonly minutes: readonly number[] }
  | { readonly every: 'day'; readonly hours: readonly number[]; readonly minute: number };

const steps = (first: number, step: number, end: number): number[] => Array.from({ length: Math.ceil((end - first) / step) }, (_, i) => first + i * step);

/** Jobs of one host start in different minutes, so that they do not wait for one another's lock. */
const JOB_SHIFT_MINUTES = 2;

export function timesOf(hostId: string, interval: Interval, index: number): Times {
  const { minutes: step } = interval;
  const first = (Number.parseInt(sha256Hex(`schedule ${hostId}`).slice(0, 8), 16) + index * JOB_SHIFT_MINUTES) % step;
  if (step <= HOUR_MINUTES) return { every: 'hour', minutes: steps(first, step, HOUR_MINUTES) };
  return { every: 'day', minute: first % HOUR_MINUTES, hours: steps(Math.floor(first / HOUR_MINUTES), step / HOUR_MINUTES, DAY_HOURS) };
}

export const OPTIONAL_JOBS: readonly Job[] = [
  { id: 'evidence', words: ['evidence', 'export', '--quiet'] },
  { id: 'receipts', words: ['receipts', 'push', '--quiet'] },
];

export const UPDATE_WORDS: readonly string[] = ['workstation', 'update', '--scheduled'];
export const UPDATE_JOB = 'update';
export const JOB_IDS: readonly string[] = [UPDATE_JOB, ...OPTIONAL_JOBS.map(({ id }) => id)];

const WORDS_MAX = 16;

/** Bare words only: each scheduler has quoting rules of its own, and none of them is needed for a command of ours. */
export function jobsFor(command: string | undefined, extra: readonly string[]): readonly Job[] {
  const words = command === undefined ? UPDATE_WORDS : command.trim().split(/ +/);
  if (words.length > WORDS_MAX || words.some((word) => !/^[A-Za-z0-9._:/=@,+-]{1,200}$/.test(word)) || words[0] === 'hook') {
    throw new PraetorError({ code: 'usage', message: 'the scheduled command is not a list of plain words', fix: `name a command of praetorctl without quotes, for example --command "${UPDATE_WORDS.join(' ')}"` });
  }
  const unknown = extra.find((id) => !OPTIONAL_JOBS.some((job) => job.id === id));
  if (unknown !== undefined) {
    throw new PraetorError({ code: 'usage', message: `"${unknown.slice(0, 20)}" is no job that can be scheduled with it`, fix: `--with ${OPTIONAL_JOBS.map(({ id }) => id).join(',')}` });
  }
  return [{ id: UPDATE_JOB, words }, ...OPTIONAL_JOBS.filter(({ id }) => extra.includes(id))];
}
