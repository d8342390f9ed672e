// Contract: reads the first complete JSON object from standard input. IO. It never waits for the end of input (clients keep
// stdin open), never waits longer than STDIN_WAIT_MS_MAX, and survives non-blocking descriptors whose writer is late.
// Linux reads synchronously: files as they are, FIFOs and terminals through a second, non-blocking open of the same
// descriptor, sockets (Node and Bun parents hand out socket pairs) after switching the descriptor to non-blocking.
// Everything else falls back to process.stdin and a timer, which costs about 2 ms more.
import { constants, fstatSync, openSync, readSync } from 'node:fs';
import { DocumentScan } from './scan.ts';

export const STDIN_BYTES_MAX = 4 * 1024 * 1024;
export const STDIN_WAIT_MS_MAX = 5_000;
const FIRST_BUFFER_BYTES = 64 * 1024;

export type Input = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** Calls `done` once, at once where the platform allows. */
export function readInput(platform: string, done: (input: Input) => void): void {
  let fd: number | undefined;
  try {
    fd = descriptor(platform);
  } catch {
    return done({ ok: false, reason: 'the standard input is closed' });
  }
  if (fd === undefined) readLater(done);
  else done(readNow(fd));
}

/** A descriptor that may be read synchronously without hanging; undefined where there is none. */
function descriptor(platform: string): number | undefined {
  const stat = fstatSync(0);
  if (stat.isFile()) return 0;
  if (platform !== 'linux') return undefined;
  try {
    if (stat.isSocket()) return unblock() ? 0 : undefined;
    return openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}

/**
 * libuv switches a descriptor to non-blocking when a pipe handle opens it; nothing else in Node can. The handle is never
 * read. net.Socket does the same and costs 1.5 ms more (measured on Node 20), so it is not used; where this internal
 * entry is missing, process.stdin is.
 */
function unblock(): boolean {
  const host = process as unknown as { binding?: (name: string) => PipeWrap | undefined };
  const wrap = host.binding?.('pipe_wrap');
  if (wrap === undefined) return false;
  // 0 (or nothing, in older versions) is success.
  return !new wrap.Pipe(wrap.constants.SOCKET).open(0);
}

interface PipeWrap { readonly Pipe: new (kind: number) => { open: (fd: number) => number | undefined }; readonly constants: { readonly SOCKET: number } }

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Bytes so far, and what they mean. */
class Intake {
  private bytes = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);
  private used = 0;
  private readonly scan = new DocumentScan();

  /** Where the next bytes go. */
  room(): Buffer {
    if (this.used === this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.bytes.length * 4, STDIN_BYTES_MAX + 1));
      this.bytes.copy(larger, 0, 0, this.used);
      this.bytes = larger;
    }
    return this.bytes.subarray(this.used);
  }

  /** The answer, once there is one. */
  took(count: number): Input | undefined {
    this.used += count;
    if (this.used > STDIN_BYTES_MAX) return { ok: false, reason: 'the hook input is larger than 4 MiB' };
    const found = this.scan.next(this.bytes, this.used);
    if (found.state === 'more') return undefined;
    if (found.state === 'bad') return { ok: false, reason: found.reason };
    const text = this.bytes.toString('utf8', found.start, found.end);
    // toString replaces what is not UTF-8; such a text must not be judged instead of the real one.
    if (text.includes('\uFFFD') && !this.bytes.subarray(found.start, found.end).equals(Buffer.from(text))) {
      return { ok: false, reason: 'the hook input is not UTF-8' };
    }
    return { ok: true, text };
  }

  ended(): Input {
    return { ok: false, reason: this.used === 0 ? 'the hook input is empty' : 'the hook input is cut off' };
  }

  late(): Input {
    return { ok: false, reason: this.used === 0 ? 'no hook input arrived in time' : 'the hook input was not complete in time' };
  }
}

function readNow(fd: number): Input {
  const intake = new Intake();
  let deadline = 0;
  for (let tries = 0; ; ) {
    const room = intake.room();
    try {
      const count = readSync(fd, room, 0, room.length, null);
      const input = count === 0 ? intake.ended() : intake.took(count);
      if (input !== undefined) return input;
      if (deadline === 0) deadline = Date.now() + STDIN_WAIT_MS_MAX;
      else if (Date.now() > deadline) return intake.late();
    } catch (error) {
      if (!isCode(error, 'EAGAIN')) return isCode(error, 'EOF') ? intake.ended() : { ok: false, reason: 'the hook input could not be read' };
      const now = Date.now();
      if (deadline === 0) deadline = now + STDIN_WAIT_MS_MAX;
      else if (now > deadline) return intake.late();
      pause(++tries < 200 ? 1 : 5);
    }
  }
}

function readLater(done: (input: Input) => void): void {
  const intake = new Intake();
  let over = false;
  const finish = (input: Input): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    done(input);
  };
  const timer = setTimeout(() => finish(intake.late()), STDIN_WAIT_MS_MAX);
  process.stdin.on('data', (chunk: Buffer) => {
    for (let from = 0; from < chunk.length && !over;) {
      const count = chunk.copy(intake.room(), 0, from);
      from += count;
      const input = intake.took(count);
      if (input !== undefined && (from >= chunk.length || !input.ok)) finish(input);
      else if (input !== undefined) finish({ ok: false, reason: 'the hook input holds more than one document' });
    }
  });
  process.stdin.on('end', () => finish(intake.ended()));
  process.stdin.on('error', () => finish({ ok: false, reason: 'the hook input could not be read' }));
}
