// Contract: one client file by compare-and-swap: temp file beside the real target, compare, rename, read back; with a new plan
// and bounded tries where somebody else wrote in between. Leaves no temp file and no directory behind that it did not need. Through Host.
import { hostErrorCode } from '../host.ts';
import type { Host } from '../host.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { EntryChange, FilePlan, FileRecord, Snapshot } from '../model/plan.ts';
import { takeClientLock } from './locks.ts';
import { withExecute } from './plan.ts';
import { isUnmoved, sameSnapshot, takeSnapshot } from './snapshot.ts';
import { OWN_DIR_MODE, dropEmptyDirs, dropFile, makeDir, pathsOf } from './statefiles.ts';

export const CAS_TRIES_MAX = 8;

export interface FileIo {
  readonly host: Host;
  readonly temp: string;
  readonly record: FileRecord | undefined;
  /** A rollback may delete what its run created, whatever the record says. */
  readonly mayDelete: boolean;
  readonly replan: (file: FilePlan, now: Snapshot) => FilePlan | Diagnostic;
  readonly readback: (file: FilePlan, bytes: Uint8Array | null) => { readonly entries: readonly EntryChange[] } | Diagnostic;
  /** Called with the plan as it now is before anything is touched; makes the journal say so. */
  readonly note: (file: FilePlan) => void;
}

export type Step =
  | { readonly kind: 'written' | 'deleted' | 'unchanged'; readonly file: FilePlan; readonly entries: readonly EntryChange[]; readonly bytes: Uint8Array | null }
  | { readonly kind: 'conflict' | 'failed'; readonly diagnostic: Diagnostic };

export function isDiagnostic(value: object): value is Diagnostic {
  return 'code' in value && 'severity' in value;
}

/** Conflicts are what a second try may solve; everything else needs a person. */
export function stepOf(diagnostic: Diagnostic): Step {
  const conflict = diagnostic.code === 'changed-underneath' || diagnostic.code === 'lock-held' || diagnostic.code === 'foreign-entry'
    || diagnostic.code === 'rollback-changed' || diagnostic.code === 'plan-outdated';
  return { kind: conflict ? 'conflict' : 'failed', diagnostic };
}

function keptChanging(file: FilePlan): Diagnostic {
  return {
    code: 'changed-underneath', severity: 'error', client: file.client, where: { path: file.before.path },
    message: `another program changed the file during each of ${CAS_TRIES_MAX} tries`,
    fix: 'close the program that writes it, then run the command again',
  };
}

function notOurs(file: FilePlan): Diagnostic {
  return {
    code: 'internal', severity: 'error', client: file.client, where: { path: file.before.path },
    message: 'the plan asks to delete a file that praetorctl did not create', fix: 'report this as a bug',
  };
}

/** The plan that fits what stands there now: the same one, or a new one. */
export function fitted(io: Pick<FileIo, 'host' | 'replan'>, file: FilePlan): FilePlan | Diagnostic {
  const now = takeSnapshot(io.host, file.before.path);
  if (now.state === 'refused') return now.diagnostic;
  return sameSnapshot(io.host, now, file.before) ? file : io.replan(file, now);
}

function modeAndOwner(file: FilePlan): { mode: number; owner?: { uid: number; gid: number } } {
  if (file.before.state === 'absent') return { mode: file.mode };
  const { mode, uid, gid } = file.before.stamp;
  // A restore gives the original mode back, but not a bit that somebody took away since: nothing is widened by putting bytes back.
  return { mode: file.action === 'restore' ? file.mode & mode : withExecute(file.spec, mode), owner: { uid, gid } };
}

/** Windows refuses to replace a file that another program has open; that passes. */
function isBusy(host: Host, error: unknown): boolean {
  return host.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(hostErrorCode(error) ?? '');
}

/** Compare once more and swap, with as little as possible between the two. True if it was done. */
async function swap(io: FileIo, file: FilePlan): Promise<boolean | Diagnostic> {
  const { host } = io;
  const release = file.spec.clientLock === undefined ? () => undefined : await takeClientLock(host, file.spec.clientLock);
  if (typeof release !== 'function') return { ...release, client: file.client };
  try {
    if (!sameSnapshot(host, takeSnapshot(host, file.before.path), file.before)) return false;
    if (!isUnmoved(host, file.before)) return false;
    if (file.after === null) host.unlink(file.before.target);
    else host.rename(io.temp, file.before.target);
    return true;
  } catch (error) {
    if (isBusy(host, error)) return false;
    throw error;
  } finally {
    release();
  }
}

/** One try. 'again' where somebody else was quicker; then everything made for this try is gone again. */
async function attempt(io: FileIo, file: FilePlan): Promise<'done' | 'again' | Diagnostic> {
  const { host } = io;
  const { before } = file;
  const made: string[] = [];
  let swapped: boolean | Diagnostic = false;
  try {
    if (before.state === 'absent') {
      // 0700: these directories hold what may contain secrets, and the client that reads them runs as the same user.
      for (const path of before.missingDirs) {
        made.push(path);
        if (!makeDir(host, path, OWN_DIR_MODE)) made.pop();
      }
    }
    if (file.after !== null) {
      const { mode, owner } = modeAndOwner(file);
      host.writeNew(io.temp, file.after, mode, owner);
    }
    swapped = await swap(io, file);
  } finally {
    if (swapped !== true) {
      // A call that failed may have done its work all the same: then the temp file is gone and the directory is not empty.
      dropFile(host, io.temp);
      dropEmptyDirs(host, made);
    }
  }
  if (swapped !== true) return swapped === false ? 'again' : swapped;
  const p = pathsOf(host);
  host.fsyncDir(p.dirname(before.target));
  for (const path of made) host.fsyncDir(p.dirname(path));
  if (file.after === null) dropEmptyDirs(host, io.record?.createdDirs ?? []);
  return 'done';
}

/** Null where the file is not what was written: somebody else wrote after us. */
function readBack(io: FileIo, file: FilePlan): Step | null {
  const now = takeSnapshot(io.host, file.before.path);
  if (file.after === null) {
    if (now.state !== 'absent') return null;
  } else if (now.state !== 'file' || now.stamp.digest !== io.host.sha256(file.after)) {
    return null;
  }
  const bytes = now.state === 'file' ? now.bytes : null;
  const seen = io.readback(file, bytes);
  if (isDiagnostic(seen)) return { kind: 'failed', diagnostic: seen };
  return { kind: file.after === null ? 'deleted' : 'written', file, entries: seen.entries, bytes };
}

function untouched(io: FileIo, file: FilePlan, wrote: FilePlan | null): Step {
  const bytes = file.before.state === 'file' ? file.before.bytes : null;
  const seen = io.readback(file, bytes);
  if (isDiagnostic(seen)) return { kind: 'failed', diagnostic: seen };
  // Our write happened, then another program wrote and kept our entries: written, and the bytes are the other program's.
  return { kind: wrote === null ? 'unchanged' : 'written', file: wrote ?? file, entries: seen.entries, bytes };
}

export async function writeClientFile(io: FileIo, planned: FilePlan): Promise<Step> {
  const { host } = io;
  let file = planned;
  let wrote: FilePlan | null = null;
  for (let tries = 0; tries < CAS_TRIES_MAX; tries += 1) {
    // Jitter, so that two that meet do not meet again.
    if (tries > 0) await host.sleep(2 + Number.parseInt(host.nonce(1), 16) / 16);
    const fresh = fitted(io, file);
    if (isDiagnostic(fresh)) return stepOf(fresh);
    file = fresh;
    if (file.action === 'none') return untouched(io, file, wrote);
    if (file.action === 'delete' && !io.mayDelete && io.record?.existed !== false) return stepOf(notOurs(file));
    io.note(file);
    const result = await attempt(io, file);
    if (result === 'again') continue;
    if (result !== 'done') return stepOf(result);
    wrote = file;
    const step = readBack(io, file);
    if (step !== null) return step;
  }
  return stepOf(keptChanging(file));
}
