// Contract: one process at a time changes the versions of a workstation. The lock is a directory that comes into being by one
// rename with its owner's pid and start time already in it, so a killed owner is always known and is taken over; a live one, and
// a lock of another account, are named. Through Host.
import { OWN_DIR_MODE, OWN_FILE_MODE, makeDirs, pathsOf, toBytes } from '../clientsetup/statefiles.ts';
import { hostErrorCode, type Host } from '../host.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';

export const UPDATE_LOCK = 'update.lock';
const OWNER_BYTES_MAX = 4 * 1024;
const TRIES_MAX = 20;
const PS_MS_MAX = 5_000;
/** What a taker left of a dead owner's lock stays this long: a slower taker must still meet it. */
const LEFTOVER_MS = 24 * 3_600_000;

interface Owner { readonly pid: number; readonly start: string; readonly nonce: string }

function bootId(host: Host): string {
  try {
    return new TextDecoder().decode(host.readFile('/proc/sys/kernel/random/boot_id', OWNER_BYTES_MAX)).trim();
  } catch {
    return '';
  }
}

/** The 22nd field; the second is the program's name in parentheses and may hold anything. */
function linuxStart(host: Host, pid: number): string | undefined {
  try {
    const text = new TextDecoder().decode(host.readFile(`/proc/${pid}/stat`, OWNER_BYTES_MAX));
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** When a process started, in words that only equality is asked of; undefined where there is no such process. Measured on Linux only. */
export function processStart(host: Host, pid: number): string | undefined {
  if (host.platform === 'linux') {
    const start = linuxStart(host, pid);
    return start === undefined ? undefined : `${bootId(host)} ${start}`;
  }
  const env = { PATH: host.env['PATH'] ?? '', LC_ALL: 'C', SystemRoot: host.env['SystemRoot'] ?? '' };
  const [program, args] = host.platform === 'win32' ? ['tasklist', ['/nh', '/fo', 'csv', '/fi', `PID eq ${pid}`]] as const : ['ps', ['-o', 'lstart=', '-p', String(pid)]] as const;
  const asked = host.spawn(program, args, { env, timeoutMs: PS_MS_MAX, maxBytes: OWNER_BYTES_MAX });
  const line = asked.stdout.trim();
  if (host.platform === 'win32') return line.includes(`"${pid}"`) ? 'running' : undefined;
  return line === '' ? undefined : line;
}

function readOwner(host: Host, directory: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(host.readFile(pathsOf(host).join(directory, 'owner'), OWNER_BYTES_MAX)));
    if (!isObject(value) || typeof value['pid'] !== 'number' || typeof value['start'] !== 'string' || !/^[0-9a-f]{16}$/.test(String(value['nonce']))) return undefined;
    return { pid: value['pid'], start: value['start'], nonce: String(value['nonce']) };
  } catch {
    return undefined;
  }
}

const alive = (host: Host, owner: Owner): boolean => processStart(host, owner.pid) === owner.start;

function dropLock(host: Host, directory: string): void {
  try { host.unlink(pathsOf(host).join(directory, 'owner')); } catch { /* none in it */ }
  try { host.rmdir(directory); } catch { /* another one stands there by now */ }
}

function held(path: string, by: string, fix: string): Diagnostic {
  return { code: 'lock-held', severity: 'error', where: { path }, message: `the versions of this workstation are being changed by ${by}`, fix };
}

/** Whose it is, where it is not ours to look into. */
function foreignOwner(host: Host, path: string): Diagnostic | undefined {
  const stat = host.lstat(path);
  const own = host.lstat(pathsOf(host).dirname(path));
  if (stat === undefined || host.platform === 'win32' || stat.uid === own?.uid) return undefined;
  return held(path, `another account (uid ${stat.uid})`, 'let it finish; if nothing of it runs any more, that account or root removes the directory');
}

/** Takes away what dead processes left. Only under the lock. */
function sweepLocks(host: Host, state: string): void {
  const p = pathsOf(host);
  for (const name of host.readDir(state).filter((one) => one.startsWith(`${UPDATE_LOCK}.`))) {
    const path = p.join(state, name);
    const stat = host.lstat(path);
    const owner = readOwner(host, path);
    const old = stat !== undefined && host.now() - Number(BigInt(stat.mtimeNs) / 1_000_000n) > LEFTOVER_MS;
    if (old || (name.endsWith('.new') && owner !== undefined && !alive(host, owner))) dropLock(host, path);
  }
}

/** Moves a dead owner's lock to a name made from that owner: of two takers, the second finds the name taken and has moved nothing. */
function moveAway(host: Host, lock: string, dead: Owner): void {
  const grave = `${lock}.dead-${dead.nonce}`;
  try {
    host.rename(lock, grave);
  } catch {
    return;
  }
  // A taker that slept for a day between looking and moving may have moved another's lock.
  if (readOwner(host, grave)?.nonce !== dead.nonce) try { host.rename(grave, lock); } catch { /* a third one has it */ }
}

/** Answers how to let go, or who holds it. */
export function takeUpdateLock(host: Host, state: string): (() => void) | Diagnostic {
  const p = pathsOf(host);
  const lock = p.join(state, UPDATE_LOCK);
  makeDirs(host, state, OWN_DIR_MODE);
  const me: Owner = { pid: host.pid, start: processStart(host, host.pid) ?? 'unknown', nonce: host.nonce(8) };
  const mine = `${lock}.${me.nonce}.new`;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const seen = host.lstat(lock) === undefined ? undefined : readOwner(host, lock);
    if (seen !== undefined && alive(host, seen)) return held(lock, `process ${seen.pid}`, 'wait until it has finished, then run the command again');
    const foreign = foreignOwner(host, lock);
    if (foreign !== undefined) return foreign;
    if (seen !== undefined) moveAway(host, lock, seen);
    try {
      host.mkdir(mine, OWN_DIR_MODE);
      host.writeNew(p.join(mine, 'owner'), toBytes(`${JSON.stringify(me)}\n`), OWN_FILE_MODE);
      host.rename(mine, lock);
      sweepLocks(host, state);
      return () => { if (readOwner(host, lock)?.nonce === me.nonce) dropLock(host, lock); };
    } catch (error) {
      dropLock(host, mine);
      // Somebody else was quicker. Anything else is a fault of the disk.
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].includes(hostErrorCode(error) ?? '') || host.lstat(lock) === undefined) throw error;
    }
  }
  return held(lock, 'several others at once', 'run the command again');
}
