// Contract: brings the records to truth after a run that was killed. The journal says what was intended, the files say what
// became of it: each is fully old or fully new, because it was replaced by one rename. Through Host.
import type { Host } from '../host.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { FileRecord, Plan } from '../model/plan.ts';
import { readJournal, runDir, runIds, saveJournal } from './journal.ts';
import type { Journal, JournalFile, JournalHandle, JournalState } from './journal.ts';
import { dropOwnClientLock, takeRunLock } from './locks.ts';
import { originalsDir, readRecords, writeRecords } from './records.ts';
import { digestOf, takeSnapshot } from './snapshot.ts';
import { dropEmptyDirs, dropFile, pathsOf, sweepTemps } from './statefiles.ts';
import type { StateDirs } from './statefiles.ts';

export interface PendingRun {
  readonly id: string;
  readonly startedAt: number;
  readonly purpose: Plan['purpose'];
  readonly files: readonly { readonly path: string; readonly client: string; readonly state: JournalState }[];
}

/** What a file of a journal looks like now. */
export function standing(host: Host, file: JournalFile): 'after' | 'before' | 'other' {
  const now = digestOf(takeSnapshot(host, file.path));
  if (now === file.after) return 'after';
  return now === (file.before?.digest ?? null) ? 'before' : 'other';
}

function verdict(host: Host, file: JournalFile): JournalState {
  // `writing` is on disk before the first call that touches a file, so everything else is already decided.
  if (file.state === 'planned') return 'not-done';
  if (file.state !== 'writing') return file.state;
  const stands = standing(host, file);
  if (stands === 'after') return 'done';
  // Changed by somebody else: if our temp file is still there, it was never renamed, else nobody can tell.
  return stands === 'before' || host.lstat(file.temp) !== undefined ? 'not-done' : 'foreign';
}

/** The record a file has after a run that ended so; undefined means that the run says nothing about it. */
export function recordAfter(host: Host, file: JournalFile, state: JournalState): FileRecord | null | undefined {
  if (state === 'done') {
    // Later than the write itself: a receipt from in between is not counted, which is the safe side.
    return file.next === null || !file.installs ? file.next : { ...file.next, installedAt: host.now() };
  }
  if (state !== 'foreign') return undefined;
  const kept = file.next ?? file.previous;
  return kept === null ? null : { ...kept, pristine: false };
}

/** Takes away what a write that did not come to its end has left beside the file. */
export function tidy(host: Host, file: JournalFile, state: JournalState): void {
  dropFile(host, file.temp);
  if (state === 'not-done' && file.before === null) dropEmptyDirs(host, file.missingDirs);
  if (state === 'done' && file.after === null) dropEmptyDirs(host, file.previous?.createdDirs ?? []);
}

async function settle(host: Host, dirs: StateDirs, handle: JournalHandle): Promise<Journal> {
  const files: JournalFile[] = [];
  for (const file of handle.journal.files) {
    if (file.state === 'writing' && file.spec.clientLock !== undefined) await dropOwnClientLock(host, file.spec.clientLock, file.writingAt);
    files.push({ ...file, state: verdict(host, file) });
  }
  const records = new Map(readRecords(host, dirs));
  for (const file of files) {
    const record = recordAfter(host, file, file.state);
    if (record === null) records.delete(file.path);
    else if (record !== undefined) records.set(file.path, record);
  }
  writeRecords(host, dirs, records);
  // Temp files last: as long as the journal is open, they tell a second recovery what this one knew.
  handle.journal.files.forEach((file, i) => tidy(host, file, files[i]?.state ?? 'planned'));
  sweepTemps(host, runDir(host, dirs, handle.journal.id));
  handle.journal = { ...handle.journal, state: 'recovered', files };
  saveJournal(host, dirs, handle);
  return handle.journal;
}

function openRuns(host: Host, dirs: StateDirs): readonly JournalHandle[] {
  return runIds(host, dirs).flatMap((id) => {
    const handle = readJournal(host, dirs, id);
    return handle !== undefined && handle.journal.state === 'open' ? [handle] : [];
  });
}

/** A run directory without a journal was killed before its first change: nothing in it can be needed. */
export function dropRunDir(host: Host, dirs: StateDirs, id: string): void {
  const path = runDir(host, dirs, id);
  for (const name of host.readDir(path)) dropFile(host, pathsOf(host).join(path, name));
  dropEmptyDirs(host, [path]);
}

function summary(journal: Journal): PendingRun {
  return {
    id: journal.id, startedAt: journal.startedAt, purpose: journal.purpose,
    files: journal.files.map(({ path, client, state }) => ({ path, client, state })),
  };
}

/** Only under the run lock. */
export async function recoverLocked(host: Host, dirs: StateDirs): Promise<readonly PendingRun[]> {
  const settled: PendingRun[] = [];
  for (const handle of openRuns(host, dirs)) settled.push(summary(await settle(host, dirs, handle)));
  for (const id of runIds(host, dirs)) {
    if (readJournal(host, dirs, id) === undefined) dropRunDir(host, dirs, id);
  }
  sweepTemps(host, dirs.state);
  sweepTemps(host, originalsDir(host, dirs));
  return settled;
}

export interface Recovered {
  readonly runs: readonly PendingRun[];
  /** One note for each run that was settled. */
  readonly diagnostics: readonly Diagnostic[];
}

function settledNote(run: PendingRun): Diagnostic {
  const done = run.files.filter((file) => file.state === 'done').length;
  return {
    code: 'note', severity: 'warning',
    message: `an earlier run was interrupted after ${done} of ${run.files.length} files; each of them is whole, and the records are right again`,
    fix: done === 0 ? 'nothing to do' : `to undo it: praetorctl clients rollback --to ${run.id}`,
  };
}

/**
 * Settles the runs that were killed; to be called before planning an apply, remove or rollback, because a plan leans on the
 * records. Throws PraetorError (`lock-held`, `state-damaged`).
 */
export async function recover(host: Host, dirs: StateDirs): Promise<Recovered> {
  // The usual case needs no lock and writes nothing.
  if (openRuns(host, dirs).length === 0) return { runs: [], diagnostics: [] };
  const release = await takeRunLock(host, dirs);
  if (typeof release !== 'function') throw new PraetorError(release);
  try {
    const runs = await recoverLocked(host, dirs);
    return { runs, diagnostics: runs.map(settledNote) };
  } finally {
    await release();
  }
}

/** Read-only, for verify: runs without an end, with what recovery would say of each file; and journals that cannot be read. */
export function pendingRuns(host: Host, dirs: StateDirs): { readonly runs: readonly PendingRun[]; readonly diagnostics: readonly Diagnostic[] } {
  const runs: PendingRun[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const id of runIds(host, dirs)) {
    try {
      const handle = readJournal(host, dirs, id);
      if (handle === undefined || handle.journal.state !== 'open') continue;
      runs.push(summary({ ...handle.journal, files: handle.journal.files.map((file) => ({ ...file, state: verdict(host, file) })) }));
    } catch (error) {
      if (!(error instanceof PraetorError)) throw error;
      diagnostics.push(error.diagnostic);
    }
  }
  return { runs, diagnostics };
}
