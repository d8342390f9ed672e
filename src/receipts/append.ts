// Contract: appends one receipt line with a single O_APPEND write; rotates a file that has grown too large. IO.
// A failure never changes a verdict: the caller says it on stderr. Measured on ext4: 32 processes, no torn line.
// Not promised on network file systems.
import { closeSync, constants, fstatSync, mkdirSync, openSync, readdirSync, renameSync, rmdirSync, statSync, unlinkSync, writeSync } from 'node:fs';

export const RECEIPTS_FILE = 'receipts.jsonl';
export const RECEIPTS_FILE_BYTES_MAX = 16 * 1024 * 1024;
export const ROTATED_FILES_MAX = 8;
/** A rotation takes milliseconds; a lock this old was left by a process that died. */
const ROTATE_LOCK_MS_MAX = 60_000;
const DIRECTORIES_MAX = 64;
const ROTATE_LOCK = 'rotate.lock';

/**
 * Throws where the line could not be written completely. The size is looked at for one receipt in sixteen (`checkSize`):
 * the limit need not be exact, and the look costs as much as the write.
 */
export function appendReceipt(directory: string, line: string, checkSize: boolean, bytesMax: number = RECEIPTS_FILE_BYTES_MAX): void {
  const path = `${directory}/${RECEIPTS_FILE}`;
  const fd = openOrCreate(path, directory);
  let size = 0;
  try {
    const written = writeSync(fd, line);
    if (written !== line.length) {
      // Keep the next line whole: a torn one ends here.
      writeSync(fd, '\n');
      throw new Error('the receipt was written only in part');
    }
    if (checkSize) size = fstatSync(fd).size;
  } finally {
    closeSync(fd);
  }
  if (size > bytesMax) rotate(directory, path, bytesMax);
}

function openOrCreate(path: string, directory: string): number {
  // O_NONBLOCK: a FIFO in its place must not hang the hook.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  makeDirectories(directory);
  return openSync(path, flags, 0o600);
}

/** Step by step: `recursive: true` of Node 20 never returns below /proc. */
function makeDirectories(directory: string): void {
  let missing = directory;
  const steps: string[] = [];
  for (let depth = 0; depth < DIRECTORIES_MAX; depth++) {
    try {
      mkdirSync(missing, { mode: 0o700 });
      break;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) break;
      const cut = Math.max(missing.lastIndexOf('/'), missing.lastIndexOf('\\'));
      if (!hasCode(error, 'ENOENT') || cut <= 0) throw error;
      steps.push(missing);
      missing = missing.slice(0, cut);
    }
  }
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    try {
      mkdirSync(step, { mode: 0o700 });
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Under a lock directory, so that two processes never move the file away twice. Whoever loses goes on: nothing is lost. */
function rotate(directory: string, path: string, bytesMax: number): void {
  const lock = `${directory}/${ROTATE_LOCK}`;
  try {
    mkdirSync(lock, { mode: 0o700 });
  } catch {
    dropStaleLock(lock);
    return;
  }
  try {
    if (statSync(path).size <= bytesMax) return;
    const stamp = new Date().toISOString().replace(/[-:.]/g, '');
    renameSync(path, `${directory}/receipts-${stamp}-${process.pid}.jsonl`);
    for (const name of rotatedNames(readdirSync(directory)).slice(ROTATED_FILES_MAX)) unlinkSync(`${directory}/${name}`);
  } catch {
    // The next hook tries again.
  } finally {
    try { rmdirSync(lock); } catch { /* somebody took it for stale */ }
  }
}

function dropStaleLock(lock: string): void {
  try {
    if (Date.now() - statSync(lock).mtimeMs > ROTATE_LOCK_MS_MAX) rmdirSync(lock);
  } catch { /* gone already */ }
}

/** Rotated files, the newest first. */
export function rotatedNames(names: readonly string[]): string[] {
  return names.filter((name) => name.startsWith('receipts-') && name.endsWith('.jsonl')).sort().reverse();
}
