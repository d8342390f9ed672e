// Contract: one run as its journal sees it: before-images and first-touch originals before the write, the record that each file
// will have after it, and the end (records first, then the journal, so that a kill in between is settled again). Through Host.
import type { Host } from '../host.ts';
import type { FilePlan, FileRecord, Records } from '../model/plan.ts';
import { JOURNAL_VERSION, assertOwnJournal, keepImage, makeRunDir, markFile, newRunId, saveJournal } from './journal.ts';
import type { JournalFile, JournalHandle, JournalState, RunnablePlan } from './journal.ts';
import { keepOriginal, readRecords, writeRecords } from './records.ts';
import { recordAfter, standing, tidy } from './recover.ts';
import { pathsOf, tempIn } from './statefiles.ts';
import type { StateDirs } from './statefiles.ts';

export interface RunInput {
  readonly host: Host;
  readonly dirs: StateDirs;
  readonly plan: RunnablePlan;
  readonly files: readonly FilePlan[];
  readonly records: Records;
  readonly countForeign: (file: FilePlan, bytes: Uint8Array | null) => { readonly hooks: number; readonly servers: number };
  readonly engine: string;
}

export interface Run {
  readonly host: Host;
  readonly dirs: StateDirs;
  readonly id: string;
  readonly rollback: RunnablePlan['rollback'];
  /** As they were when the run began. */
  readonly records: Records;
  readonly countForeign: RunInput['countForeign'];
  readonly handle: JournalHandle;
  /** When each file was written, for the records. */
  readonly writtenAt: Map<string, number>;
  images: number;
}

function installs(file: FilePlan): boolean {
  return file.entries.some((entry) => entry.kind === 'hook' && (entry.action === 'add' || entry.action === 'change'));
}

/** Nothing of ours stands in the file after this change. */
function leaves(file: FilePlan): boolean {
  return file.after === null || file.action === 'restore'
    || (file.ownedServers.length === 0 && file.entries.every((entry) => entry.action === 'remove'));
}

function baselineOf(run: Run, path: string, { bytes, mode }: NonNullable<FilePlan['baseline']>): FileRecord['original'] {
  const digest = run.host.sha256(bytes);
  return { digest, backup: keepOriginal(run.host, run.dirs, path, bytes, digest), mode };
}

/** The record after the write; the original is kept on the first touch, and again when the user had removed the file. */
function nextRecord(run: Run, file: FilePlan): FileRecord | null {
  const { before } = file;
  if (run.rollback !== undefined) return run.rollback.records.get(before.path) ?? null;
  if (leaves(file) || file.after === null) return null;
  const known = run.records.get(before.path);
  const first = known === undefined || before.state === 'absent';
  const missing = before.state === 'absent' ? before.missingDirs : [];
  const original = first && before.state === 'file'
    ? { digest: before.stamp.digest, backup: keepOriginal(run.host, run.dirs, before.path, before.bytes, before.stamp.digest), mode: before.stamp.mode }
    : null;
  const base = file.baseline === undefined ? undefined : baselineOf(run, before.path, file.baseline);
  return {
    path: before.path, target: before.target, client: file.client, scope: file.spec.scope,
    existed: base !== undefined || (first ? before.state === 'file' : known.existed),
    original: base ?? (first ? original : known.original),
    lastDigest: run.host.sha256(file.after),
    pristine: base !== undefined || first || (known.pristine && before.state === 'file' && before.stamp.digest === known.lastDigest),
    created: file.created,
    createdDirs: [...(known?.createdDirs ?? []).filter((path) => !missing.includes(path)), ...missing].sort((a, b) => a.length - b.length),
    ownedServers: file.ownedServers,
    installedAt: installs(file) || known === undefined ? run.host.now() : known.installedAt,
    foreign: run.countForeign(file, file.after),
  };
}

function journalFile(run: Run, file: FilePlan, temp: string): JournalFile {
  const { host, dirs } = run;
  const { before } = file;
  let image: JournalFile['before'] = null;
  if (before.state === 'file') {
    const name = `${run.images}.before`;
    run.images += 1;
    keepImage(host, dirs, run.id, name, before.bytes);
    image = { digest: before.stamp.digest, mode: before.stamp.mode, image: name };
  }
  return {
    path: before.path, target: before.target, client: file.client, spec: file.spec, action: file.action, entries: file.entries,
    missingDirs: before.state === 'absent' ? before.missingDirs : [],
    before: image, after: file.after === null ? null : host.sha256(file.after), mode: file.mode, temp,
    previous: run.records.get(before.path) ?? null, next: nextRecord(run, file),
    installs: run.rollback === undefined && installs(file), state: 'planned', writingAt: 0,
  };
}

/** Puts the journal on disk. Only after this may a client file be touched. */
export function beginRun(input: RunInput): Run {
  const { host, dirs, plan } = input;
  const id = newRunId(host, dirs);
  makeRunDir(host, dirs, id);
  const handle: JournalHandle = {
    digest: null,
    journal: {
      version: JOURNAL_VERSION, id, engine: input.engine, purpose: plan.purpose, startedAt: host.now(), state: 'open',
      rollbackOf: plan.rollback?.of ?? null, files: [],
    },
  };
  const run: Run = {
    host, dirs, id, rollback: plan.rollback, records: input.records, countForeign: input.countForeign, handle,
    writtenAt: new Map(), images: 0,
  };
  const files = input.files.filter((file) => file.action !== 'none')
    .map((file) => journalFile(run, file, tempIn(host, pathsOf(host).dirname(file.before.target))));
  handle.journal = { ...handle.journal, files };
  saveJournal(host, dirs, handle);
  return run;
}

function entryOf(run: Run, path: string): JournalFile | undefined {
  return run.handle.journal.files.find((file) => file.path === path);
}

export function tempOf(run: Run, path: string): string {
  const entry = entryOf(run, path);
  if (entry === undefined) throw new Error('a file of the run is not in its journal');
  return entry.temp;
}

/** Says in the journal that the next calls may change this file, with the plan as it now is. */
export function noteFile(run: Run, file: FilePlan): void {
  const known = entryOf(run, file.before.path);
  if (known === undefined) throw new Error('a file of the run is not in its journal');
  const beforeDigest = file.before.state === 'file' ? file.before.stamp.digest : null;
  const afterDigest = file.after === null ? null : run.host.sha256(file.after);
  const same = (known.before?.digest ?? null) === beforeDigest && known.after === afterDigest && known.action === file.action;
  const entry = same ? known : journalFile(run, file, known.temp);
  run.handle.journal = markFile(run.handle.journal, known.path, { ...entry, state: 'writing', writingAt: run.host.now() });
  saveJournal(run.host, run.dirs, run.handle);
}

/** After a failed call the file itself says what became of it; if it cannot be read, nobody can tell. */
export function stateAfterFault(run: Run, path: string): JournalState {
  const entry = entryOf(run, path);
  if (entry === undefined || entry.state === 'planned') return 'not-done';
  const stands = standing(run.host, entry);
  const state = stands === 'after' ? 'done' : stands === 'before' ? 'not-done' : 'foreign';
  tidy(run.host, entry, state);
  return state;
}

/** Kept in memory: the next note or the end of the run writes it, and recovery could find it out. */
export function endFile(run: Run, path: string, state: JournalState): void {
  if (state === 'done') run.writtenAt.set(path, run.host.now());
  run.handle.journal = markFile(run.handle.journal, path, { state });
}

export function finishRun(run: Run, forget: readonly string[]): void {
  const { host, dirs, handle } = run;
  const journal = {
    ...handle.journal, state: 'finished' as const,
    files: handle.journal.files.map((file) => (file.state === 'planned' ? { ...file, state: 'not-done' as const } : file)),
  };
  assertOwnJournal(host, dirs, handle);
  // Read again: the records are the one thing that all runs share.
  const records = new Map(readRecords(host, dirs));
  for (const path of forget) records.delete(path);
  for (const file of journal.files) {
    const record = recordAfter(host, file, file.state);
    if (record === null) records.delete(file.path);
    else if (record !== undefined) records.set(file.path, file.installs ? { ...record, installedAt: run.writtenAt.get(file.path) ?? record.installedAt } : record);
  }
  writeRecords(host, dirs, records);
  handle.journal = journal;
  saveJournal(host, dirs, handle);
}
