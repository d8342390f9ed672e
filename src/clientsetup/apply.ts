// Contract: executes a plan. Everything is checked before the first write; the journal is on disk before the first change; each
// file goes through compare-and-swap; results come from reading back. A failure stops the run and says what stands. Through Host.
import { hostErrorCode } from '../host.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ApplyReport, EntryChange, FilePlan, FileResult, Records, Snapshot } from '../model/plan.ts';
import { pruneRuns } from './backups.ts';
import type { RunnablePlan } from './journal.ts';
import { takeRunLock } from './locks.ts';
import { readRecords, writeRecords } from './records.ts';
import { recoverLocked } from './recover.ts';
import { beginRun, endFile, finishRun, noteFile, stateAfterFault, tempOf } from './run.ts';
import type { Run } from './run.ts';
import { takeSnapshot } from './snapshot.ts';
import { OWN_DIR_MODE, makeDirs } from './statefiles.ts';
import type { StateDirs } from './statefiles.ts';
import { fitted, isDiagnostic, stepOf, writeClientFile } from './writefile.ts';
import type { Step } from './writefile.ts';

export interface ApplyOptions {
  /** The same file planned again on what stands there now. The answer's `before` is `now`. */
  readonly replan: (file: FilePlan, now: Snapshot) => FilePlan | Diagnostic;
  /** What the bytes (null: no file) really hold, or why that is not what was intended. */
  readonly readback: (file: FilePlan, bytes: Uint8Array | null) => { readonly entries: readonly EntryChange[] } | Diagnostic;
  readonly countForeign: (file: FilePlan, bytes: Uint8Array | null) => { readonly hooks: number; readonly servers: number };
  /** Version of praetorctl, for the journal. */
  readonly engine: string;
  /** The records the plan was made with. If they are others by now, the plan is outdated. */
  readonly records?: Records;
}

interface Work { readonly file: FilePlan; result: FileResult | null; read: Uint8Array | null }

function isError(diagnostic: Diagnostic): boolean {
  return diagnostic.severity === 'error';
}

function report(run: string | null, plan: RunnablePlan, work: readonly Work[], extra: readonly Diagnostic[]): ApplyReport {
  const files = work.map(({ file, result }): FileResult => result
    ?? { client: file.client, path: file.before.path, outcome: 'not-reached', entries: [] });
  const diagnostics = [...plan.diagnostics, ...files.flatMap((file) => file.diagnostic ?? []), ...extra];
  const stopped = files.some((file) => file.outcome === 'conflict' || file.outcome === 'failed' || file.outcome === 'not-reached');
  return { run, files, diagnostics, ok: !stopped && !diagnostics.some(isError) };
}

const FAULT_FIX: Readonly<Record<string, string>> = {
  EACCES: 'correct the permissions of the directory', EPERM: 'correct the owner and the permissions of the file and its directory',
  EROFS: 'make the file system writable', ENOSPC: 'free some disk space', EDQUOT: 'free some disk space',
};

function faultDiagnostic(error: unknown, path: string, client?: string): Diagnostic {
  if (error instanceof PraetorError) return error.diagnostic;
  const code = hostErrorCode(error);
  // Without an error code this is a fault of the program, and nobody should read it as a fault of the disk.
  if (code === undefined) throw error;
  return {
    code: 'write-failed', severity: 'error', where: { path }, ...(client === undefined ? {} : { client }),
    message: `writing failed (${code})`, fix: `${FAULT_FIX[code] ?? 'check the disk and the directory'}, then run the command again`,
  };
}

function resultOf(file: FilePlan, step: Step): FileResult {
  const base = { client: file.client, path: file.before.path };
  if ('diagnostic' in step) return { ...base, outcome: step.kind, entries: [], diagnostic: step.diagnostic };
  return { ...base, outcome: step.kind, entries: step.entries };
}

/** Two plans for one file would each undo the other. */
function sharedTarget(work: readonly Work[]): Work | undefined {
  const seen = new Set<string>();
  return work.find(({ file }) => file.action !== 'none' && (seen.has(file.before.target) || !seen.add(file.before.target)));
}

/** Every file once more before the first write: a plan that fits nowhere any more must not be half done. */
function preflight(host: Host, plan: RunnablePlan, options: ApplyOptions): Work[] {
  const work = plan.files.map((file): Work => ({ file, result: null, read: null }));
  for (let i = 0; i < work.length; i += 1) {
    const { file } = work[i] as Work;
    const fresh = fitted({ host, replan: options.replan }, file);
    work[i] = isDiagnostic(fresh) ? { file, result: resultOf(file, stepOf(fresh)), read: null } : { file: fresh, result: null, read: null };
  }
  const twice = sharedTarget(work);
  if (twice !== undefined) {
    twice.result = resultOf(twice.file, stepOf({
      code: 'hard-link', severity: 'error', client: twice.file.client, where: { path: twice.file.before.path },
      message: 'two files of this plan are one and the same file', fix: 'give each client a file of its own, or leave one client out',
    }));
  }
  return work;
}

function unchangedResult(file: FilePlan, options: ApplyOptions): FileResult {
  const seen = options.readback(file, file.before.state === 'file' ? file.before.bytes : null);
  return resultOf(file, isDiagnostic(seen) ? stepOf(seen) : { kind: 'unchanged', file, entries: seen.entries, bytes: null });
}

/** Records of files that hold nothing of ours any more, though nothing had to be written for that. */
function forgotten(work: readonly Work[], records: Records): readonly string[] {
  return work.filter(({ file }) => file.action === 'none' && file.entries.length === 0 && file.ownedServers.length === 0)
    .map(({ file }) => file.before.path).filter((path) => records.has(path));
}

async function writeOne(run: Run, work: Work, options: ApplyOptions): Promise<void> {
  const { host } = run;
  const { file } = work;
  const path = file.before.path;
  try {
    const step = await writeClientFile({
      host, temp: tempOf(run, path), record: run.records.get(path), mayDelete: run.rollback !== undefined,
      replan: options.replan, readback: options.readback, note: (now) => noteFile(run, now),
    }, file);
    work.result = resultOf(file, step);
    if (step.kind === 'written' || step.kind === 'deleted') work.read = step.bytes;
    // After a conflict or a failed readback the file itself says what became of it.
    const state = step.kind === 'written' || step.kind === 'deleted' ? 'done' : step.kind === 'unchanged' ? 'not-done' : stateAfterFault(run, path);
    endFile(run, path, state);
  } catch (error) {
    const diagnostic = faultDiagnostic(error, path, file.client);
    const state = stateAfterFault(run, path);
    endFile(run, path, state);
    // For example a failed flush of the directory: the new bytes stand all the same, and the result must say so.
    const outcome = state !== 'done' ? (stepOf(diagnostic).kind === 'conflict' ? 'conflict' : 'failed') : file.after === null ? 'deleted' : 'written';
    work.result = { client: file.client, path, outcome, entries: state === 'done' ? file.entries : [], diagnostic };
  }
}

/** A client that read before our rename and wrote after it has put its old version back; look once more at the very end. */
function recheck(host: Host, work: Work, options: ApplyOptions): void {
  if (work.result?.outcome !== 'written' || work.read === null) return;
  const now = takeSnapshot(host, work.file.before.path);
  if (now.state === 'file' && now.stamp.digest === host.sha256(work.read)) return;
  const seen = now.state === 'file' ? options.readback(work.file, now.bytes) : undefined;
  if (seen !== undefined && !isDiagnostic(seen)) { work.result = { ...work.result, entries: seen.entries }; return; }
  work.result = {
    ...work.result, outcome: 'conflict', entries: [],
    diagnostic: {
      code: 'changed-underneath', severity: 'error', client: work.file.client, where: { path: work.file.before.path },
      message: 'another program put its own version of the file back right after the write', fix: 'close that program, then run the command again',
    },
  };
}

function partial(run: Run, work: readonly Work[]): readonly Diagnostic[] {
  const failed = work.some(({ result }) => result === null || result.outcome === 'failed' || result.outcome === 'conflict');
  const count = work.filter(({ result }) => result?.outcome === 'written' || result?.outcome === 'deleted').length;
  if (!failed || count === 0) return [];
  return [{
    code: 'note', severity: 'warning',
    message: `${count} of ${work.length} files were changed before the run stopped; they stay as they are now`,
    fix: `to undo them: praetorctl clients rollback --to ${run.id}; to go on: run the command again`,
  }];
}

async function execute(run: Run, plan: RunnablePlan, work: readonly Work[], options: ApplyOptions): Promise<ApplyReport> {
  for (const one of work) {
    if (one.file.action === 'none') one.result = unchangedResult(one.file, options);
    else await writeOne(run, one, options);
    if (one.result?.diagnostic !== undefined) break;
  }
  const extra: Diagnostic[] = [];
  try {
    finishRun(run, forgotten(work, run.records));
  } catch (error) {
    // The journal is still open on disk: the next run settles the records from it.
    extra.push(faultDiagnostic(error, run.dirs.state));
  }
  for (const one of work) recheck(run.host, one, options);
  if (extra.length === 0) pruneRuns(run.host, run.dirs);
  return report(run.id, plan, work, [...extra, ...partial(run, work)]);
}

/**
 * How every rollback is applied, whatever the caller's options say: bytes are put back as they were, a file that is another by
 * now is left alone, equal bytes are the proof, and the records are those from before the run.
 */
export const ROLLBACK: Omit<ApplyOptions, 'engine' | 'records'> = {
  readback: (file) => ({ entries: file.entries }),
  replan: (file) => ({
    code: 'rollback-changed', severity: 'error', client: file.client, where: { path: file.before.path },
    message: 'the file was changed since the run that is to be undone', fix: 'take out only the entries of praetorctl: praetorctl clients remove',
  }),
  countForeign: () => ({ hooks: 0, servers: 0 }),
};

function outdated(plan: RunnablePlan, planned: Records, now: Records): boolean {
  return plan.files.some(({ before }) => JSON.stringify(planned.get(before.path)) !== JSON.stringify(now.get(before.path)));
}

async function underLock(host: Host, dirs: StateDirs, plan: RunnablePlan, options: ApplyOptions): Promise<ApplyReport> {
  const planned = options.records ?? readRecords(host, dirs);
  await recoverLocked(host, dirs);
  const records = readRecords(host, dirs);
  const untouched = plan.files.map((file): Work => ({ file, result: null, read: null }));
  if (outdated(plan, planned, records)) {
    return report(null, plan, untouched, [{
      code: 'plan-outdated', severity: 'error', message: 'another run changed what praetorctl has registered since this plan was made',
      fix: 'run the command again',
    }]);
  }
  const work = preflight(host, plan, options);
  if (work.some(({ result }) => result !== null)) return report(null, plan, work, []);
  if (work.every(({ file }) => file.action === 'none')) {
    for (const one of work) one.result = unchangedResult(one.file, options);
    const drop = new Set(forgotten(work, records));
    if (drop.size > 0) writeRecords(host, dirs, new Map([...records].filter(([path]) => !drop.has(path))));
    return report(null, plan, work, []);
  }
  const run = beginRun({ host, dirs, plan, files: work.map(({ file }) => file), records, countForeign: options.countForeign, engine: options.engine });
  return execute(run, plan, work, options);
}

/**
 * Never throws for what can go wrong on a machine: the report says it. `report.diagnostics` holds those of the plan, of the
 * files and of the run, so that exitFor(report.diagnostics) is the exit code.
 */
export async function applyPlan(host: Host, dirs: StateDirs, plan: RunnablePlan, options: ApplyOptions): Promise<ApplyReport> {
  const untouched = plan.files.map((file): Work => ({ file, result: null, read: null }));
  if (plan.diagnostics.some(isError)) return report(null, plan, untouched, []);
  try {
    makeDirs(host, dirs.state, OWN_DIR_MODE);
    const release = await takeRunLock(host, dirs);
    if (typeof release !== 'function') return report(null, plan, untouched, [release]);
    try {
      return await underLock(host, dirs, plan, plan.rollback === undefined ? options : { ...options, ...ROLLBACK });
    } finally {
      await release();
    }
  } catch (error) {
    // execute() keeps its own faults: whatever arrives here happened before the first client file was touched.
    return report(null, plan, untouched, [faultDiagnostic(error, dirs.state)]);
  }
}
