// Contract: the definitions that a system's scheduler reads, as paths and texts: systemd user units, launchd property lists, Task
// Scheduler XML, a block of a crontab. Golden files hold every byte; only systemd's were ever run (docs/schedule.md). PURE.
import type { Platform } from '../model/client.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { joinPath } from '../roots/paths.ts';
import { escapedXml as escaped, plistText, type PlistValue } from './plist.ts';
import { timesOf, type Interval, type Job, type ScheduleKind, type Times } from './schedule.ts';

export interface ScheduleInput {
  readonly kind: ScheduleKind;
  readonly home: string;
  /** Where systemd's user units stand: ~/.config, or XDG_CONFIG_HOME. */
  readonly configHome: string;
  /** Where a definition is kept that a scheduler only reads once. */
  readonly stateDir: string;
  readonly launcher: string;
  readonly interval: Interval;
  readonly hostId: string;
  readonly jobs: readonly Job[];
  /** `DOMAIN\name`, for the Task Scheduler. */
  readonly user: string;
}

export interface ScheduleFile { readonly job: string; readonly path: string; readonly text: string }

export interface Definition {
  readonly kind: ScheduleKind;
  readonly interval: Interval;
  readonly jobs: readonly (Job & { readonly times: Times })[];
  readonly files: readonly ScheduleFile[];
  /** cron only: what stands between our markers. */
  readonly block: string | undefined;
  readonly notes: readonly string[];
}

interface Timed { readonly input: ScheduleInput; readonly job: Job; readonly times: Times }

export const PLATFORM_OF: Readonly<Record<ScheduleKind, Platform>> = { systemd: 'linux', cron: 'linux', launchd: 'darwin', schtasks: 'win32' };

const RANDOM_DELAY_MINUTES = 3;
const START_DELAY_MINUTES = 2;
const RUN_MINUTES_MAX = 10;

const two = (n: number): string => String(n).padStart(2, '0');
const title = ({ job }: Timed): string => `praetorctl ${job.words.filter((word) => !word.startsWith('-')).join(' ')}`;

/** Every scheduler expands something else in a path, so a path in which any of them would is refused. */
function checkPath(platform: Platform, path: string): void {
  const bad = platform === 'win32' ? /["%<>|\u0000-\u001f]/ : /["'$%`\\\u0000-\u001f]/;
  if (!bad.test(path)) return;
  throw new PraetorError({ code: 'usage', where: { path }, message: 'a scheduler would expand a character of this path', fix: 'put the launcher into a directory with a plain name: --launcher' });
}

// systemd

export const unitName = (job: string, suffix: 'service' | 'timer'): string => `praetorctl-${job}.${suffix}`;

/** `%h` where it can be said: the unit is the same for every user then. */
function execStart({ input, job }: Timed): string {
  const { home, launcher } = input;
  const path = launcher.startsWith(`${home}/`) ? `%h${launcher.slice(home.length)}` : launcher;
  return [path.includes(' ') ? `"${path}"` : path, ...job.words].join(' ');
}

export function calendarOf(times: Times): string {
  if (times.every === 'hour') {
    const [first = 0, second] = times.minutes;
    return second === undefined ? `*:${first}` : `*:${first}/${second - first}`;
  }
  const [first = 0, second] = times.hours;
  return `*-*-* ${second === undefined ? two(first) : `${first}/${second - first}`}:${two(times.minute)}:00`;
}

function systemdFiles(one: Timed): ScheduleFile[] {
  const { input, job, times } = one;
  const at = (suffix: 'service' | 'timer', lines: readonly string[]): ScheduleFile => ({
    job: job.id, path: joinPath('linux', input.configHome, 'systemd', 'user', unitName(job.id, suffix)), text: `${lines.join('\n')}\n`,
  });
  const head = ['[Unit]', `Description=${title(one)}`];
  return [
    at('service', [
      ...head, '[Service]', 'Type=oneshot', `ExecStart=${execStart(one)}`, 'Nice=19', 'IOSchedulingClass=idle', 'CPUSchedulingPolicy=idle',
      `TimeoutStartSec=${RUN_MINUTES_MAX}min`,
      // Held, or behind, and locked by another run: answers, not failures.
      'SuccessExitStatus=3 4', 'UMask=0077', 'NoNewPrivileges=yes',
    ]),
    at('timer', [
      ...head, '[Timer]', `OnStartupSec=${START_DELAY_MINUTES}min`, `OnCalendar=${calendarOf(times)}`, 'Persistent=true',
      `RandomizedDelaySec=${RANDOM_DELAY_MINUTES}min`, 'FixedRandomDelay=true', 'AccuracySec=1min', '[Install]', 'WantedBy=timers.target',
    ]),
  ];
}

// launchd

export const launchdLabel = (job: string): string => `io.praetorctl.${job}`;
export const launchdLogDir = (home: string): string => joinPath('darwin', home, 'Library', 'Logs', 'praetorctl');

function calendarIntervals(times: Times): PlistValue[] {
  return times.every === 'hour' ? times.minutes.map((Minute) => ({ Minute })) : times.hours.map((Hour) => ({ Hour, Minute: times.minute }));
}

function launchdFiles({ input, job, times }: Timed): ScheduleFile[] {
  const label = launchdLabel(job.id);
  const log = joinPath('darwin', launchdLogDir(input.home), `${job.id}.log`);
  const text = plistText({
    Label: label, ProgramArguments: [input.launcher, ...job.words], StartCalendarInterval: calendarIntervals(times), RunAtLoad: true, ProcessType: 'Background',
    LowPriorityIO: true, Nice: 10, ExitTimeOut: 30, StandardOutPath: log, StandardErrorPath: log, EnvironmentVariables: { PATH: '/usr/bin:/bin' },
  });
  return [{ job: job.id, path: joinPath('darwin', input.home, 'Library', 'LaunchAgents', `${label}.plist`), text }];
}

// Task Scheduler

export const taskName = (job: string): string => `\\praetorctl\\${job}`;
export const TASK_AUTHOR = '<Author>praetorctl</Author>';

function schtasksFiles(one: Timed): ScheduleFile[] {
  const { input, job, times } = one;
  const { minutes } = input.interval;
  const [hour, minute] = times.every === 'hour' ? [0, times.minutes[0] ?? 0] : [times.hours[0] ?? 0, times.minute];
  const user = escaped(input.user);
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<Task version="1.3" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    ${TASK_AUTHOR}
    <Description>${title(one)}</Description>
    <URI>${taskName(job.id)}</URI>
  </RegistrationInfo>
  <Triggers>
    <TimeTrigger>
      <Enabled>true</Enabled>
      <StartBoundary>2026-01-01T${two(hour)}:${two(minute)}:00</StartBoundary>
      <Repetition><Interval>${minutes < 60 ? `PT${minutes}M` : `PT${minutes / 60}H`}</Interval><StopAtDurationEnd>false</StopAtDurationEnd></Repetition>
      <RandomDelay>PT${RANDOM_DELAY_MINUTES}M</RandomDelay>
    </TimeTrigger>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>${user}</UserId>
      <Delay>PT${START_DELAY_MINUTES}M</Delay>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${user}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <RunOnlyIfNetworkAvailable>true</RunOnlyIfNetworkAvailable>
    <ExecutionTimeLimit>PT${RUN_MINUTES_MAX}M</ExecutionTimeLimit>
    <Priority>7</Priority>
    <Hidden>true</Hidden>
    <Enabled>true</Enabled>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>%SystemRoot%\\System32\\conhost.exe</Command>
      <Arguments>--headless "${escaped(input.launcher)}" ${job.words.join(' ')}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
  return [{ job: job.id, path: joinPath('win32', input.stateDir, 'schedule', `${job.id}.xml`), text }];
}

// cron

export const CRON_BEGIN = '# BEGIN praetorctl schedule ("praetorctl schedule remove" takes this block away)';
export const CRON_END = '# END praetorctl schedule';

function cronLine({ input, job, times }: Timed): string {
  const when = times.every === 'hour' ? `${times.minutes.join(',')} *` : `${times.minute} ${times.hours.join(',')}`;
  const program = input.launcher.includes(' ') ? `'${input.launcher}'` : input.launcher;
  // What cron would send by mail stands in update.jsonl already.
  return `${when} * * * ${program} ${job.words.join(' ')} >/dev/null 2>&1`;
}

const FILES: Readonly<Record<Exclude<ScheduleKind, 'cron'>, (one: Timed) => ScheduleFile[]>> = { systemd: systemdFiles, launchd: launchdFiles, schtasks: schtasksFiles };

const NOT_RUN = 'this definition was validated as a file only; it was never executed by its scheduler';
const NOTES: Readonly<Record<ScheduleKind, readonly string[]>> = {
  systemd: ['runs while you are logged in: lingering is not switched on', 'a run that was missed while the machine was off is made up for at the next start (Persistent); after a suspend some systemd versions skip it'],
  launchd: ['runs while you are logged in; runs that were missed during sleep become one run at wake', NOT_RUN],
  schtasks: ['runs while you are logged on; a run that was missed is started when the machine is available', NOT_RUN],
  cron: ['runs that are missed while the machine is off or asleep are not made up for', 'cron does not keep two runs apart: a run that meets another one says "locked" and ends'],
};

export function renderSchedule(input: ScheduleInput): Definition {
  const { kind, interval, jobs } = input;
  checkPath(PLATFORM_OF[kind], input.launcher);
  const timed = jobs.map((job, index): Timed => ({ input, job, times: timesOf(input.hostId, interval, index) }));
  const even = parseFloat(interval.asked) * (interval.asked.endsWith('h') ? 60 : 1) === interval.minutes;
  return {
    kind, interval, jobs: timed.map(({ job, times }) => ({ ...job, times })),
    files: kind === 'cron' ? [] : timed.flatMap(FILES[kind]),
    block: kind === 'cron' ? `${[CRON_BEGIN, ...timed.map(cronLine), CRON_END].join('\n')}\n` : undefined,
    notes: [...(even ? [] : [`${interval.asked} does not divide the day evenly: every ${interval.minutes} minutes`]), ...NOTES[kind]],
  };
}
