// Contract: the plan that brings this host's schedule from what stands to what is wanted: files through the planner of client files,
// and the command lines that their scheduler needs. Nothing wanted: everything of ours goes. Reads through the Host.
import { readRecords } from '../clientsetup/records.ts';
import { countEntries } from '../clientsetup/plan.ts';
import { planOwnFile, type OwnFileVerdict } from '../clientsetup/own-file.ts';
import { takeSnapshot } from '../clientsetup/snapshot.ts';
import type { ApplyOptions } from '../clientsetup/apply.ts';
import type { StateDirs } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import type { FileSpec } from '../model/client.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { FilePlan, Plan, Records, Snapshot } from '../model/plan.ts';
import { launchdLogDir, renderSchedule, type Definition, type ScheduleFile, type ScheduleInput } from './schedule-render.ts';
import { schedulerOf, type Change, type Command, type Scheduler, type Standing } from './scheduler.ts';
import { JOB_IDS, jobsFor, OPTIONAL_JOBS, type Job, type ScheduleKind } from './schedule.ts';

/** In the place of a client, in plans and records. */
export const SCHEDULE_OWNER = 'schedule';

export interface ScheduleChange {
  readonly definition: Definition;
  readonly plan: Plan;
  readonly applyOptions: Omit<ApplyOptions, 'engine'>;
  /** Before the files change, and after it. */
  readonly before: readonly Command[];
  readonly after: readonly Command[];
  /** Directories that the scheduler does not make by itself. */
  readonly dirs: readonly string[];
}

type FileKind = Exclude<ScheduleKind, 'cron'>;

function specOf(path: string): FileSpec {
  return { role: 'schedule', scope: 'user', path, format: 'artefact', secret: false, tolerance: { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false } };
}

const foreignFile = (path: string): Diagnostic => ({
  code: 'foreign-entry', severity: 'error', where: { path }, message: 'a file of somebody else stands where the schedule would go',
  fix: 'look at it, and move it away if nothing needs it',
});

/** All that a host can have of ours, so that a job that is no longer wanted is found. */
function everyFile(input: ScheduleInput): readonly ScheduleFile[] {
  const all: readonly Job[] = [...jobsFor(undefined, []), ...OPTIONAL_JOBS];
  return renderSchedule({ ...input, jobs: all }).files;
}

interface OneFile { readonly job: string; readonly spec: FileSpec; readonly replan: (now: Snapshot) => OwnFileVerdict; readonly verdict: OwnFileVerdict }

function planFiles(host: Host, input: ScheduleInput, wanted: Definition | undefined, records: Records): readonly OneFile[] {
  const texts = new Map((wanted?.files ?? []).map(({ path, text }) => [path, text]));
  return everyFile(input).map(({ job, path }): OneFile => {
    const spec = specOf(path);
    const replan = (snapshot: Snapshot): OwnFileVerdict => planOwnFile({
      owner: SCHEDULE_OWNER, spec, snapshot, record: records.get(path), text: texts.get(path), foreign: foreignFile(path),
      entry: { kind: 'schedule', name: job, detail: wanted === undefined ? '' : `every ${wanted.interval.minutes} minutes` },
    });
    return { job, spec, replan, verdict: replan(takeSnapshot(host, path)) };
  });
}

function namesIn(host: Host, path: string): readonly string[] {
  try { return host.stat(path)?.kind === 'dir' ? host.readDir(path) : []; } catch { return []; }
}

/** A drop-in of somebody else changes what our unit does, and no byte of our file shows it. */
function dropIns(host: Host, files: readonly OneFile[]): Diagnostic[] {
  return files.flatMap(({ spec: { path } }) => namesIn(host, `${path}.d`).filter((name) => name.endsWith('.conf')).map((name): Diagnostic => ({
    code: 'foreign-entry', severity: 'error', where: { path: `${path}.d/${name}` }, message: 'a drop-in of somebody else changes what this unit does',
    fix: 'look at it, and take it away if nothing needs it',
  })));
}

const changeOf = (files: readonly FilePlan[]): Change => (files.every(({ action }) => action === 'none') ? 'none' : 'changed');

function refusedBy(job: string, { state, said }: Standing): Diagnostic[] {
  if (state === 'foreign') {
    return [{ code: 'foreign-entry', severity: 'error', message: `a job of somebody else has the name of ${job}`, fix: 'look at it in the scheduler, and delete it there if nothing needs it' }];
  }
  if (state !== 'unknown') return [];
  return [{ code: 'command-failed', severity: 'error', message: `the scheduler does not answer: ${said ?? ''}`, fix: 'start a session of this user in which it runs, or schedule with --kind cron' }];
}

interface Steps { readonly before: Command[]; readonly after: Command[]; readonly diagnostics: Diagnostic[] }

/** Without an answer of the scheduler nothing is installed; taking files away is possible all the same. */
function stepsFor(scheduler: Scheduler, files: readonly OneFile[], wanted: Definition | undefined): Steps {
  const steps: Steps = { before: [], after: [], diagnostics: [] };
  for (const job of JOB_IDS) {
    const mine = files.filter((file) => file.job === job);
    const plans = mine.flatMap(({ verdict }) => verdict.file ?? []);
    const isWanted = wanted?.jobs.some(({ id }) => id === job) === true;
    if (!isWanted && plans.length === 0) continue;
    const standing = scheduler.standing(job);
    if (!isWanted) {
      steps.before.push(...scheduler.stop(job, standing));
      continue;
    }
    steps.diagnostics.push(...refusedBy(job, standing));
    steps.after.push(...scheduler.start(job, changeOf(plans), standing, mine[0]?.spec.path ?? ''));
  }
  return steps;
}

export interface ScheduleGround { readonly host: Host; readonly dirs: StateDirs; readonly uid: number }

/** `purpose` remove: what `input` names is only where to look. */
export function planSchedule(ground: ScheduleGround, kind: FileKind, input: ScheduleInput, purpose: 'apply' | 'remove'): ScheduleChange {
  const { host } = ground;
  const definition = renderSchedule(input);
  const wanted = purpose === 'apply' ? definition : undefined;
  const records = readRecords(host, ground.dirs);
  const files = planFiles(host, input, wanted, records);
  const plans = files.flatMap(({ verdict }) => verdict.file ?? []);
  const scheduler = schedulerOf(host, kind, ground.uid);
  const steps = stepsFor(scheduler, files, wanted);
  const moved = plans.some(({ action }) => action !== 'none');
  const plan: Plan = {
    purpose, files: plans, counts: countEntries(plans),
    diagnostics: [...files.flatMap(({ verdict }) => verdict.diagnostics), ...(wanted === undefined ? [] : dropIns(host, files)), ...steps.diagnostics],
  };
  return {
    definition, plan, before: steps.before, after: [...(moved ? scheduler.reread : []), ...steps.after], dirs: kind === 'launchd' && wanted !== undefined ? [launchdLogDir(input.home)] : [],
    applyOptions: {
      records, countForeign: () => ({ hooks: 0, servers: 0 }), readback: (file) => ({ entries: file.entries }),
      replan: (file, now) => {
        const result = files.find(({ spec }) => spec.path === file.spec.path)?.replan(now);
        return result?.file ?? result?.diagnostics[0] ?? { ...file, action: 'none', after: null, entries: [], before: now.state === 'refused' ? file.before : now };
      },
    },
  };
}
