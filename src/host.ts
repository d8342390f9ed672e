// Contract: the Host port. Every touch of the machine outside the hook's hot path goes through it, so that dry runs,
// verification and fault injection are the same code on another host. realHost is the only one that reaches the disk. IO.
import * as fs from 'node:fs';
import * as os from 'node:os';
import { createHash, randomBytes } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import type { Writable } from 'node:stream';
import lockfile from 'proper-lockfile';
import { hostErrorCode as errnoOf } from './model/host-error.ts';
import type { Platform } from './model/client.ts';
import type { Stamp } from './model/plan.ts';

export { hostErrorCode } from './model/host-error.ts';

/** A version of a file as the system knows it, without its content. */
export interface FileStat extends Omit<Stamp, 'digest'> {
  readonly kind: 'file' | 'dir' | 'link' | 'fifo' | 'socket' | 'other';
  readonly nlink: number;
}

export interface SpawnResult { readonly code: number | null; readonly signal: string | null; readonly stdout: string; readonly stderr: string; readonly failure?: string }

export interface SpawnOptions {
  readonly input?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** How standard output becomes text (default utf8). latin1 keeps every byte: one character each. */
  readonly encoding?: 'utf8' | 'latin1';
}

export interface StartOptions extends SpawnOptions {
  /** With it standard input stays open after `input`, and the program is ended once what it has written so far satisfies this. */
  readonly until?: (stdout: string) => boolean;
}

export interface StartResult extends SpawnResult { readonly timedOut: boolean }

/** A private directory that is gone when `remove` was called, or when this process ends. */
export interface TempDir { readonly path: string; readonly remove: () => void }

export interface Host {
  readonly platform: Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Random lower-case hex of the given number of bytes. */
  readonly nonce: (bytes: number) => string;
  readonly sha256: (data: Uint8Array | string) => string;
  /** undefined when nothing is there. lstat does not follow links. */
  readonly lstat: (path: string) => FileStat | undefined;
  readonly stat: (path: string) => FileStat | undefined;
  readonly readlink: (path: string) => string;
  /** Reads a regular file whole; opens without blocking on anything else. Throws beyond maxBytes. */
  readonly readFile: (path: string, maxBytes: number) => Uint8Array;
  /** Reads `length` bytes from `offset` (fewer at the end of the file). */
  readonly readAt: (path: string, offset: number, length: number) => Uint8Array;
  readonly readDir: (path: string) => readonly string[];
  readonly canExecute: (path: string) => boolean;
  /** O_EXCL create, mode set before content is visible, owner set where given and changed, all bytes written, fsync. */
  readonly writeNew: (path: string, bytes: Uint8Array, mode: number, owner?: { uid: number; gid: number }) => void;
  readonly rename: (from: string, to: string) => void;
  readonly unlink: (path: string) => void;
  readonly mkdir: (path: string, mode: number) => void;
  readonly rmdir: (path: string) => void;
  readonly fsyncDir: (path: string) => void;
  /** Sets the time of the last change of a file of ours. */
  readonly setModified: (path: string, ms: number) => void;
  /** Takes a lock file or fails with an error whose code is ELOCKED after waitMs. The release never throws. */
  readonly lock: (lockPath: string, waitMs: number) => Promise<() => Promise<void>>;
  readonly spawn: (command: string, args: readonly string[], options: SpawnOptions) => SpawnResult;
  /** As spawn, without blocking, in a process group of its own that is ended whole: at the end, when the time is over, or with this process. */
  readonly start: (command: string, args: readonly string[], options: StartOptions) => Promise<StartResult>;
  /** A fresh directory 0700 in the system's place for such, named by its real path. */
  readonly tempDir: (prefix: string) => TempDir;
}

function toStat(s: fs.BigIntStats): FileStat {
  const kind = s.isFile() ? 'file' : s.isDirectory() ? 'dir' : s.isSymbolicLink() ? 'link' : s.isFIFO() ? 'fifo' : s.isSocket() ? 'socket' : 'other';
  return {
    kind, size: Number(s.size), dev: String(s.dev), ino: String(s.ino), mtimeNs: String(s.mtimeNs),
    mode: Number(s.mode) & 0o7777, uid: Number(s.uid), gid: Number(s.gid), nlink: Number(s.nlink),
  };
}

/** Most places that are looked at are empty: `throwIfNoEntry` spares an error for each. */
function statOrNothing(read: () => fs.BigIntStats | undefined): FileStat | undefined {
  try {
    const stat = read();
    return stat === undefined ? undefined : toStat(stat);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function readRegular(path: string, maxBytes: number): Uint8Array {
  // O_NONBLOCK: opening a FIFO must not wait for a writer. The check on the descriptor is the one that counts.
  const fd = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'ENOTFILE' });
    if (stat.size > maxBytes) throw Object.assign(new Error('file too large'), { code: 'EFBIG' });
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function readRange(path: string, offset: number, length: number): Uint8Array {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const buffer = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const n = fs.readSync(fd, buffer, done, length - done, offset + done);
      if (n === 0) break;
      done += n;
    }
    return buffer.subarray(0, done);
  } finally {
    fs.closeSync(fd);
  }
}

function writeNewFile(path: string, bytes: Uint8Array, mode: number, owner?: { uid: number; gid: number }): void {
  const fd = fs.openSync(path, 'wx', 0o600);
  try {
    if (process.platform !== 'win32') {
      // Owner first: chown clears set-id bits, and the mode must be the last word before any content is visible.
      const self = fs.fstatSync(fd);
      if (owner !== undefined && (owner.uid !== self.uid || owner.gid !== self.gid)) fs.fchownSync(fd, owner.uid, owner.gid);
      fs.fchmodSync(fd, mode);
    }
    let done = 0;
    while (done < bytes.length) done += fs.writeSync(fd, bytes, done, bytes.length - done);
    fs.fsyncSync(fd);
  } catch (error) {
    fs.closeSync(fd);
    try { fs.unlinkSync(path); } catch { /* the first error is the one to report */ }
    throw error;
  }
  fs.closeSync(fd);
}

/** Shorter than any wait of ours, so that a run started right after a killed one takes its lock over instead of giving up. */
const LOCK_STALE_MS = 4_000;

async function takeLock(lockPath: string, waitMs: number): Promise<() => Promise<void>> {
  const step = 100;
  // realpath:false because the locked thing may not exist yet; correctness rests on compare-and-swap, not on this lock.
  const release = await lockfile.lock(lockPath, {
    realpath: false,
    lockfilePath: lockPath,
    stale: LOCK_STALE_MS,
    retries: { retries: Math.ceil(waitMs / step), factor: 1, minTimeout: step, maxTimeout: step },
    onCompromised: () => undefined,
  });
  return async () => {
    try { await release(); } catch { /* a lost lock is caught by compare-and-swap */ }
  };
}

function runCommand(command: string, args: readonly string[], options: SpawnOptions): SpawnResult {
  const r = spawnSync(command, [...args], {
    input: options.input ?? '', env: options.env as NodeJS.ProcessEnv, timeout: options.timeoutMs, killSignal: 'SIGKILL',
    maxBuffer: options.maxBytes, encoding: options.encoding ?? 'utf8', windowsHide: true, ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const failure = r.error === undefined ? undefined : (errnoOf(r.error) ?? 'unknown');
  return { code: r.status, signal: r.signal, stdout: r.stdout ?? '', stderr: r.stderr ?? '', ...(failure === undefined ? {} : { failure }) };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true, stdio: 'ignore' });
    else process.kill(-pid, 'SIGKILL');
  } catch { /* nothing is left of it */ }
}

/** The output so far, cut: a program that says too much is read on, so that it does not block, but not kept. */
function keeper(maxBytes: number): { readonly take: (chunk: Buffer) => void; readonly text: () => string } {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  return {
    take: (chunk) => {
      if (left > 0) chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

/** How long the rest of an output may take once its program has ended. */
const DRAIN_MS_MAX = 1_000;

function giveInput(stdin: Writable | null, { input, until }: StartOptions): void {
  if (stdin === null || input === undefined) return;
  // A program that does not read is no fault by itself.
  stdin.on('error', () => undefined);
  stdin.write(input);
  if (until === undefined) stdin.end();
}

function startCommand(command: string, args: readonly string[], options: StartOptions): Promise<StartResult> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args], {
      env: options.env as NodeJS.ProcessEnv, stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'], detached: process.platform !== 'win32', windowsHide: true,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    const [out, err] = [keeper(options.maxBytes), keeper(options.maxBytes)];
    child.stderr?.on('data', err.take);
    giveInput(child.stdin, options);
    const end = (): void => endGroup(child.pid);
    // An interrupt at the terminal does not reach a group of its own.
    process.once('exit', end);
    let timedOut = false;
    const timer = setTimeout(() => { timedOut = true; end(); }, options.timeoutMs);
    let drain: NodeJS.Timeout | undefined;
    let over = false;
    const finish = (code: number | null, signal: string | null, failure?: string): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      clearTimeout(drain);
      end();
      process.off('exit', end);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      resolve({ code, signal, stdout: out.text(), stderr: err.text(), timedOut, ...(failure === undefined ? {} : { failure }) });
    };
    child.stdout?.on('data', (chunk: Buffer) => {
      out.take(chunk);
      // An answer is a line, so only a line's end can complete it.
      if (options.until !== undefined && chunk.includes(10) && options.until(out.text())) finish(null, null);
    });
    child.on('error', (error) => finish(null, null, errnoOf(error) ?? 'unknown'));
    // What it wrote last is still on the way. What it left behind is ended, and may hold its output open no longer than this.
    child.on('exit', (code, signal) => { end(); drain = setTimeout(() => finish(code, signal), DRAIN_MS_MAX); });
    child.on('close', finish);
  });
}

function makeTempDir(directory: string, prefix: string): TempDir {
  const path = fs.mkdtempSync(`${fs.realpathSync(directory)}/${prefix}`);
  const remove = (): void => {
    process.off('exit', remove);
    fs.rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  process.once('exit', remove);
  return { path, remove };
}

/** Tests set PRAETORCTL_TEST_GUARD: then no path below the account's real home may be touched (habit: tests cannot reach it). */
function guardPath(guarded: string | undefined, path: string): string {
  if (guarded !== undefined && (path === guarded || path.startsWith(`${guarded}/`))) {
    throw new Error('a test tried to reach the real home directory');
  }
  return path;
}

export interface RealHostOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly platform?: Platform;
  /** Another process' id, where the processes above this one must not count. */
  readonly pid?: number;
}

export function realHost(options: RealHostOptions = {}): Host {
  const env = options.env ?? process.env;
  const home = process.env['PRAETORCTL_TEST_GUARD'] === '1' ? os.userInfo().homedir : undefined;
  const at = (path: string): string => guardPath(home, path);
  const platform = options.platform ?? (process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux');
  return {
    platform, env, pid: options.pid ?? process.pid, cwd: options.cwd ?? process.cwd(),
    now: () => Date.now(),
    sleep: (ms) => new Promise((resolve) => { setTimeout(resolve, ms); }),
    nonce: (bytes) => randomBytes(bytes).toString('hex'),
    sha256: (data) => createHash('sha256').update(data).digest('hex'),
    lstat: (path) => statOrNothing(() => fs.lstatSync(at(path), { bigint: true, throwIfNoEntry: false })),
    stat: (path) => statOrNothing(() => fs.statSync(at(path), { bigint: true, throwIfNoEntry: false })),
    readlink: (path) => fs.readlinkSync(at(path)),
    readFile: (path, maxBytes) => readRegular(at(path), maxBytes),
    readAt: (path, offset, length) => readRange(at(path), offset, length),
    readDir: (path) => fs.readdirSync(at(path)).sort(),
    canExecute: (path) => {
      try { fs.accessSync(at(path), fs.constants.X_OK); return true; } catch { return false; }
    },
    writeNew: (path, bytes, mode, owner) => writeNewFile(at(path), bytes, mode, owner),
    rename: (from, to) => fs.renameSync(at(from), at(to)),
    unlink: (path) => fs.unlinkSync(at(path)),
    mkdir: (path, mode) => { fs.mkdirSync(at(path), { mode }); },
    rmdir: (path) => fs.rmdirSync(at(path)),
    setModified: (path, ms) => fs.utimesSync(at(path), ms / 1000, ms / 1000),
    fsyncDir: (path) => {
      if (process.platform === 'win32') return; // Directories cannot be opened for fsync there.
      const fd = fs.openSync(at(path), 'r');
      try { fs.fsyncSync(fd); } finally { fs.closeSync(fd); }
    },
    lock: (lockPath, waitMs) => takeLock(at(lockPath), waitMs),
    spawn: runCommand,
    start: startCommand,
    tempDir: (prefix) => makeTempDir(at(env['TMPDIR'] ?? os.tmpdir()), prefix),
  };
}
