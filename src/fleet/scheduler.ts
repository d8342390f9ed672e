// Contract: what a system's own scheduler is asked and told, as command lines that a person could type: is a job known to it, how it
// takes a new definition, how it lets one go. Asks through the Host; tells nothing by itself.
import type { Host, SpawnResult } from '../host.ts';
import { TASK_AUTHOR, launchdLabel, taskName, unitName } from './schedule-render.ts';
import type { ScheduleKind } from './schedule.ts';

/** The standard input of a command is never shown. */
export interface Command { readonly program: string; readonly args: readonly string[]; readonly input?: string }

/** `unknown`: the scheduler could not be asked, with what it said. */
export interface Standing { readonly state: 'active' | 'partly' | 'absent' | 'foreign' | 'unknown'; readonly said?: string }

/** Whether a job's files change. */
export type Change = 'none' | 'changed';

export interface Scheduler {
  readonly standing: (job: string) => Standing;
  readonly start: (job: string, change: Change, standing: Standing, path: string) => readonly Command[];
  readonly stop: (job: string, standing: Standing) => readonly Command[];
  /** After the files were written or deleted, before anything is started. */
  readonly reread: readonly Command[];
}

const COMMAND_MS_MAX = 30_000;
const COMMAND_BYTES_MAX = 4 * 1024 * 1024;
const SAID_CHARS_MAX = 200;

/** The session's bus and directories are found through the environment, so the whole of it is given on. */
export function runCommandOf(host: Host, { program, args, input }: Command): SpawnResult {
  const env = Object.fromEntries(Object.entries(host.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
  return host.spawn(program, args, { env, timeoutMs: COMMAND_MS_MAX, maxBytes: COMMAND_BYTES_MAX, ...(input === undefined ? {} : { input }) });
}

export const shown = ({ program, args }: Command): string => [program, ...args].map((word) => (/^[A-Za-z0-9._:/=@,+\\-]+$/.test(word) ? word : `'${word}'`)).join(' ');

/** What a failed command said, for a message: one line of it. */
export function saidBy(result: SpawnResult): string {
  if (result.failure !== undefined) return result.failure === 'ENOENT' ? 'the program is not here' : result.failure;
  const line = (result.stderr.trim() || result.stdout.trim()).split('\n')[0] ?? '';
  return line.slice(0, SAID_CHARS_MAX) || `exit ${result.code ?? result.signal ?? 'unknown'}`;
}

const ask = (host: Host, program: string, ...args: readonly string[]): SpawnResult => runCommandOf(host, { program, args });

/** A question that exits with `no` has been answered; without a program or a bus there is no answer. */
function systemd(host: Host): Scheduler {
  const user = (...args: readonly string[]): Command => ({ program: 'systemctl', args: ['--user', ...args] });
  return {
    standing: (job) => {
      const timer = unitName(job, 'timer');
      const enabled = ask(host, 'systemctl', '--user', 'is-enabled', timer);
      const active = ask(host, 'systemctl', '--user', 'is-active', timer);
      // is-enabled reads files alone; only the running manager knows what is active, and without it neither word is said.
      if (active.failure !== undefined || active.stdout.trim() === '') return { state: 'unknown', said: saidBy(active) };
      const words = [enabled.code === 0, active.code === 0];
      return { state: words.every(Boolean) ? 'active' : words.some(Boolean) ? 'partly' : 'absent' };
    },
    start: (job, change, { state }) => {
      if (state !== 'active') return [user('enable', '--now', unitName(job, 'timer'))];
      // A timer that is active keeps the times it was started with.
      return change === 'none' ? [] : [user('restart', unitName(job, 'timer'))];
    },
    stop: (job, { state }) => (state === 'active' || state === 'partly' ? [user('disable', '--now', unitName(job, 'timer'))] : []),
    reread: [user('daemon-reload')],
  };
}

function launchd(host: Host, uid: number): Scheduler {
  const target = (job: string): string => `gui/${uid}/${launchdLabel(job)}`;
  const out = (job: string): Command => ({ program: 'launchctl', args: ['bootout', target(job)] });
  return {
    standing: (job) => {
      const print = ask(host, 'launchctl', 'print', target(job));
      if (print.failure !== undefined) return { state: 'unknown', said: saidBy(print) };
      return { state: print.code === 0 ? 'active' : 'absent' };
    },
    start: (job, change, { state }, path) => {
      if (change === 'none' && state === 'active') return [];
      return [...(state === 'active' ? [out(job)] : []), { program: 'launchctl', args: ['bootstrap', `gui/${uid}`, path] }];
    },
    stop: (job, { state }) => (state === 'active' ? [out(job)] : []),
    reread: [],
  };
}

function schtasks(host: Host): Scheduler {
  const on = (verb: string, job: string, ...more: readonly string[]): Command => ({ program: 'schtasks', args: [verb, '/TN', taskName(job), ...more] });
  return {
    standing: (job) => {
      const query = runCommandOf(host, on('/Query', job, '/XML'));
      if (query.failure !== undefined) return { state: 'unknown', said: saidBy(query) };
      if (query.code !== 0) return { state: 'absent' };
      // The answer can be UTF-16: its ASCII characters are told apart without the bytes between them.
      return { state: query.stdout.replace(/\0/g, '').includes(TASK_AUTHOR) ? 'active' : 'foreign' };
    },
    start: (job, change, { state }, path) => (change === 'none' && state === 'active' ? [] : [on('/Create', job, '/XML', path, '/F')]),
    stop: (job, { state }) => (state === 'active' ? [on('/Delete', job, '/F')] : []),
    reread: [],
  };
}

/** `uid` is the owner of the home directory: launchd keeps its jobs by it. */
export function schedulerOf(host: Host, kind: Exclude<ScheduleKind, 'cron'>, uid: number): Scheduler {
  if (kind === 'systemd') return systemd(host);
  return kind === 'launchd' ? launchd(host, uid) : schtasks(host);
}
