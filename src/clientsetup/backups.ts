// Contract: what can be undone. Lists the runs, plans the undoing of one from its before-images, keeps a bounded number of runs,
// and hands out the originals from before our first touch. Plans only: the applier executes. Through Host.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { EntryChange, FilePlan, FileRecord, Plan, Snapshot } from '../model/plan.ts';
import { readJournal, runDir, runIds } from './journal.ts';
import type { Journal, JournalFile, RunnablePlan } from './journal.ts';
import { WORKSTATION_OWNER } from './launcher.ts';
import { originalsDir, readProven, readRecords } from './records.ts';
import { dropRunDir } from './recover.ts';
import { leavesLink } from './plan.ts';
import { digestOf, takeSnapshot } from './snapshot.ts';
import { dropFile, pathsOf } from './statefiles.ts';
import type { StateDirs } from './statefiles.ts';

export const RUNS_KEPT_MAX = 50;

export interface RunSummary {
  readonly id: string;
  /** Milliseconds since the epoch; null where the journal is damaged. */
  readonly startedAt: number | null;
  readonly purpose: Plan['purpose'] | 'unknown';
  /** The version of praetorctl that ran; null where the journal is damaged. */
  readonly engine: string | null;
  readonly state: Journal['state'] | 'damaged';
  readonly rollbackOf: string | null;
  /** All that the run changed was undone by later runs. */
  readonly rolledBack: boolean;
  /** Paths of the files that the run changed. */
  readonly files: readonly string[];
}

function changedFiles(journal: Journal): readonly JournalFile[] {
  return journal.files.filter((file) => file.state === 'done');
}

function readableJournals(host: Host, dirs: StateDirs): ReadonlyMap<string, Journal | null> {
  const all = new Map<string, Journal | null>();
  for (const id of runIds(host, dirs)) {
    try {
      const handle = readJournal(host, dirs, id);
      if (handle !== undefined) all.set(id, handle.journal);
    } catch (error) {
      if (!(error instanceof PraetorError)) throw error;
      all.set(id, null);
    }
  }
  return all;
}

function isUndone(journal: Journal, all: Iterable<Journal | null>): boolean {
  const undone = new Set<string>();
  for (const other of all) {
    if (other === null || other.rollbackOf !== journal.id || other.state === 'open') continue;
    for (const file of changedFiles(other)) undone.add(file.path);
  }
  const changed = changedFiles(journal);
  return changed.length > 0 && changed.every((file) => undone.has(file.path));
}

/** All runs, newest first. */
export function listRuns(host: Host, dirs: StateDirs): readonly RunSummary[] {
  const all = readableJournals(host, dirs);
  return [...all].reverse().map(([id, journal]): RunSummary => {
    if (journal === null) return { id, startedAt: null, purpose: 'unknown', engine: null, state: 'damaged', rollbackOf: null, rolledBack: false, files: [] };
    return {
      id, startedAt: journal.startedAt, purpose: journal.purpose, engine: journal.engine, state: journal.state, rollbackOf: journal.rollbackOf,
      rolledBack: isUndone(journal, all.values()),
      files: changedFiles(journal).map(({ path }) => path),
    };
  });
}

/** The original bytes of a record, proven by their digest; undefined if there are none or the backup is damaged. */
export function readOriginal(host: Host, dirs: StateDirs, record: FileRecord): Uint8Array | undefined {
  if (record.original === null) return undefined;
  try {
    return readProven(host, pathsOf(host).join(dirs.state, record.original.backup), record.original.digest);
  } catch (error) {
    if (!(error instanceof PraetorError)) throw error;
    return undefined;
  }
}

const OPPOSITE = { add: 'remove', remove: 'add', change: 'change', none: 'none' } as const;

function inverted(entries: readonly EntryChange[]): readonly EntryChange[] {
  return entries.map((entry) => ({ ...entry, action: OPPOSITE[entry.action] }));
}

function changedSince(file: JournalFile): Diagnostic {
  return {
    code: 'rollback-changed', severity: 'error', client: file.client, where: { path: file.path },
    message: 'the file was changed since the run that is to be undone', fix: 'take out only the entries of praetorctl: praetorctl clients remove',
  };
}

function undoFile(host: Host, dirs: StateDirs, id: string, file: JournalFile): FilePlan | Diagnostic {
  const now: Snapshot = takeSnapshot(host, file.path);
  if (now.state === 'refused') return now.diagnostic;
  const base = {
    client: file.client, spec: file.spec, before: now,
    created: file.previous?.created ?? [], ownedServers: file.previous?.ownedServers ?? [],
  };
  const digest = digestOf(now);
  const modeOnly = now.state === 'file' && digest === file.after && now.stamp.mode !== file.before?.mode;
  if (digest === (file.before?.digest ?? null) && !modeOnly) {
    // Undone already, for example by a rollback that was stopped half way.
    return { ...base, action: 'none', after: null, mode: file.mode, entries: [] };
  }
  if (digest !== file.after) return changedSince(file);
  const entries = inverted(file.entries);
  if (file.before === null) return leavesLink(file.client, { action: 'delete', before: now }) ?? { ...base, action: 'delete', after: null, mode: file.mode, entries };
  const bytes = readProven(host, pathsOf(host).join(runDir(host, dirs, id), file.before.image), file.before.digest);
  return { ...base, action: now.state === 'absent' ? 'create' : 'restore', after: bytes, mode: file.before.mode, entries };
}

function refusedPlan(diagnostics: readonly Diagnostic[]): RunnablePlan {
  return { purpose: 'rollback', files: [], diagnostics, counts: { add: 0, change: 0, remove: 0, unchanged: 0 } };
}

function chosenRun(host: Host, dirs: StateDirs, runId: string | undefined): Journal | Diagnostic {
  const list = 'praetorctl clients rollback --list';
  const all = readableJournals(host, dirs);
  if (runId !== undefined) {
    const journal = all.get(runId);
    if (journal === undefined) return { code: 'unknown-run', severity: 'error', message: `there is no run ${runId}`, fix: list };
    if (journal !== null) return journal;
    return { code: 'state-damaged', severity: 'error', where: { path: runDir(host, dirs, runId) }, message: 'the journal of this run is damaged', fix: list };
  }
  const newest = [...all.values()].reverse().find((journal) => journal !== null && journal.state !== 'open' && journal.purpose !== 'rollback'
    && changedFiles(journal).some((file) => file.client !== WORKSTATION_OWNER) && !isUndone(journal, all.values()));
  return newest ?? { code: 'unknown-run', severity: 'error', message: 'there is no run that could be undone', fix: list };
}

/**
 * The plan that undoes one run: by default the newest that changed something and was not undone yet. To be called after
 * recover(); goes to applyPlan like any other plan.
 */
export function planRollback(host: Host, dirs: StateDirs, runId?: string): RunnablePlan {
  const journal = chosenRun(host, dirs, runId);
  if ('severity' in journal) return refusedPlan([journal]);
  const files: FilePlan[] = [];
  const diagnostics: Diagnostic[] = [];
  // Last written, first undone.
  for (const file of [...changedFiles(journal)].reverse()) {
    try {
      const undo = undoFile(host, dirs, journal.id, file);
      if ('severity' in undo) diagnostics.push(undo);
      else files.push(undo);
    } catch (error) {
      if (!(error instanceof PraetorError)) throw error;
      diagnostics.push(error.diagnostic);
    }
  }
  const entries = files.flatMap((file) => file.entries);
  const count = (action: EntryChange['action']): number => entries.filter((entry) => entry.action === action).length;
  return {
    purpose: 'rollback', files, diagnostics,
    counts: { add: count('add'), change: count('change'), remove: count('remove'), unchanged: count('none') },
    rollback: { of: journal.id, records: new Map(changedFiles(journal).map((file) => [file.path, file.previous])) },
  };
}

/** Drops the oldest runs above the limit, and originals that neither a record nor a kept journal refers to. Never fails a run. */
export function pruneRuns(host: Host, dirs: StateDirs): void {
  try {
    const ended = [...readableJournals(host, dirs)].filter(([, journal]) => journal !== null && journal.state !== 'open').map(([id]) => id);
    const old = ended.slice(0, Math.max(0, ended.length - RUNS_KEPT_MAX));
    if (old.length === 0) return;
    for (const id of old) dropRunDir(host, dirs, id);
    dropOriginals(host, dirs);
  } catch { /* What could not be dropped now is dropped by a later run. */ }
}

function dropOriginals(host: Host, dirs: StateDirs): void {
  const journals = [...readableJournals(host, dirs).values()];
  // A journal that cannot be read may refer to any of them.
  if (journals.includes(null)) return;
  const records = [...readRecords(host, dirs).values(), ...journals.flatMap((journal) => journal?.files.flatMap((file) => [file.previous, file.next]) ?? [])];
  const needed = new Set(records.flatMap((record) => record?.original?.backup ?? []));
  const p = pathsOf(host);
  const directory = originalsDir(host, dirs);
  if (host.stat(directory) === undefined) return;
  for (const name of host.readDir(directory)) {
    if (!needed.has(p.join(p.basename(directory), name))) dropFile(host, p.join(directory, name));
  }
}
