// Contract: writes an answer so that a refusal cannot get lost. IO. One document, one write where the pipe takes it; short
// writes and EAGAIN are continued, with a deadline. Where stdout is gone, a refusal is said by exit 2 and stderr, which
// every supported client takes as "deny"; where stderr is gone too, exit 2 still stands.
import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Answer } from '../model/dialect.ts';

export const STDOUT_WAIT_MS_MAX = 2_000;

/** Writes and returns the exit code. `refuses`: the answer stops or asks about a tool call. */
export function deliver(answer: Answer, refuses: boolean): number {
  const heard = answer.stdout === '' || (writeAll(1, answer.stdout) && !(refuses && answer.exit === 0 && isNull(1)));
  const stderr = answer.stderr !== '' ? answer.stderr : !heard && refuses ? 'praetorctl: refused, but the answer could not be written\n' : '';
  if (stderr !== '') writeAll(2, stderr);
  return !heard && refuses ? 2 : answer.exit;
}

/** Node opens /dev/null for a descriptor that was closed at its start: a document written there reaches nobody. */
function isNull(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isCharacterDevice() && stat.rdev === statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}

/** False where not every byte was taken. Never throws. */
export function writeAll(fd: number, text: string): boolean {
  const bytes = Buffer.from(text);
  let deadline = 0;
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at, bytes.length - at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return false;
      const now = Date.now();
      if (deadline === 0) deadline = now + STDOUT_WAIT_MS_MAX;
      else if (now > deadline) return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return true;
}
