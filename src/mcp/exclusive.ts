// Contract: one change of the catalogues at a time, read and written under the run lock, and a disk that refuses in words. Through Host.
// No person is asked while it is held: what was shown is compared again inside.
import { takeRunLock } from '../clientsetup/locks.ts';
import { pathsOf, type StateDirs } from '../clientsetup/statefiles.ts';
import { hostErrorCode, type Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';

const FIX: Readonly<Record<string, string>> = {
  EACCES: 'correct the permissions of the directory', EPERM: 'correct the owner and the permissions of the directory', EROFS: 'make the file system writable', ENOSPC: 'free some disk space', EDQUOT: 'free some disk space',
};

export async function exclusively<T>(host: Host, dirs: StateDirs, change: () => T): Promise<T> {
  try {
    const release = await takeRunLock(host, dirs);
    if (typeof release !== 'function') throw new PraetorError({ ...release, message: 'another praetorctl is changing catalogues or client files at this moment' });
    try {
      return change();
    } finally {
      await release();
    }
  } catch (error) {
    const code = hostErrorCode(error);
    if (error instanceof PraetorError || code === undefined) throw error;
    throw new PraetorError({ code: 'write-failed', where: { path: pathOf(host, error) ?? dirs.state }, message: `writing failed (${code})`, fix: `${FIX[code] ?? 'check the disk and the directory'}, then run the command again` }, error);
  }
}

/** The file that was to be; of a temporary one its directory. */
function pathOf(host: Host, error: unknown): string | undefined {
  const { path, dest } = error as { path?: unknown; dest?: unknown };
  const named = typeof dest === 'string' ? dest : path;
  if (typeof named !== 'string') return undefined;
  return named.endsWith('.tmp') ? pathsOf(host).dirname(named) : named;
}
