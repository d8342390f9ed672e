// Contract: the two locks of a run. The run lock is one for the whole state directory, not one per client file: every run reads
// and writes the same records, and whoever holds it knows that an unfinished journal belongs to a dead process. The client lock
// is the client's own lock directory. Neither carries correctness: that rests on compare-and-swap. Through Host.
import { hostErrorCode } from '../host.ts';
import type { Host } from '../host.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { OWN_DIR_MODE, makeDirs, pathsOf } from './statefiles.ts';
import type { StateDirs } from './statefiles.ts';

export const LOCK_WAIT_MS_MAX = 5_000;
/** Claude Code takes over a lock directory whose mtime is this old; so do we, and not earlier. */
export const CLIENT_LOCK_STALE_MS = 60_000;
const CLIENT_LOCK_STEP_MS = 50;

export type Release = () => Promise<void>;

export async function takeRunLock(host: Host, dirs: StateDirs): Promise<Release | Diagnostic> {
  const path = pathsOf(host).join(dirs.locks, 'run.lock');
  makeDirs(host, dirs.locks, OWN_DIR_MODE);
  try {
    return await host.lock(path, LOCK_WAIT_MS_MAX);
  } catch (error) {
    if (hostErrorCode(error) !== 'ELOCKED') throw error;
    return {
      code: 'lock-held', severity: 'error', where: { path },
      message: 'another praetorctl is changing client files at this moment',
      fix: 'wait until it has finished, then run the command again',
    };
  }
}

/**
 * Takes the client's lock directory. It is held for the compare and the rename only, because the client waits for it.
 * A release of a lock that is gone is no error: the client may have taken it over.
 */
export async function takeClientLock(host: Host, lockPath: string): Promise<(() => void) | Diagnostic> {
  const release = (): void => {
    // Twice, because a lock left behind stops the client for a minute.
    for (let tries = 0; tries < 2; tries += 1) {
      try { host.rmdir(lockPath); return; } catch { /* gone already: the client took it over */ }
    }
  };
  const since = host.now();
  for (let waited = 0; ; waited += CLIENT_LOCK_STEP_MS) {
    try {
      host.mkdir(lockPath, OWN_DIR_MODE);
      return release;
    } catch (error) {
      if (hostErrorCode(error) !== 'EEXIST') {
        // The call may have made the directory before it failed.
        await dropOwnClientLock(host, lockPath, since);
        throw error;
      }
    }
    const held = host.lstat(lockPath);
    if (held !== undefined && host.now() - Number(BigInt(held.mtimeNs) / 1_000_000n) > CLIENT_LOCK_STALE_MS) {
      // As the client does: remove, and take it by mkdir like everybody else who waits.
      try { host.rmdir(lockPath); } catch { /* another waiter was quicker */ }
    } else if (waited >= LOCK_WAIT_MS_MAX) {
      return {
        code: 'lock-held', severity: 'error', where: { path: lockPath },
        message: 'the client itself holds its lock on this file',
        fix: 'wait until the client has finished writing (or close it), then run the command again',
      };
    }
    await host.sleep(CLIENT_LOCK_STEP_MS);
  }
}

/**
 * Removes a client lock that a killed run of ours may have left. Only a directory that was made after that run began to write
 * the file, with the mode we use, and that nobody refreshed or released while we watched: a client holds it for milliseconds.
 */
export async function dropOwnClientLock(host: Host, lockPath: string, writingSinceMs: number): Promise<void> {
  const seen = host.lstat(lockPath);
  if (seen === undefined || seen.kind !== 'dir') return;
  // File times are a few milliseconds coarser than the clock.
  if (Number(BigInt(seen.mtimeNs) / 1_000_000n) < writingSinceMs - 20) return;
  if (host.platform !== 'win32' && seen.mode !== OWN_DIR_MODE) return;
  await host.sleep(5 * CLIENT_LOCK_STEP_MS);
  const again = host.lstat(lockPath);
  if (again === undefined || again.ino !== seen.ino || again.mtimeNs !== seen.mtimeNs) return;
  try { host.rmdir(lockPath); } catch { /* released meanwhile */ }
}
