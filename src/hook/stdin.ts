// Contract: reads the first complete JSON object from standard input. IO. It never waits for the end of input (clients keep
// stdin open), never waits longer than STDIN_WAIT_MS_MAX, and survives non-blocking descriptors whose writer is late.
// Linux reads synchronously from the descriptor itself, switched to non-blocking: the same way for files, FIFOs, terminals
// and sockets (Node and Bun parents hand out socket pairs, which cannot be opened a second time). Other platforms use
// process.stdin and a timer, which costs about 2 ms more.
import { constants, fstatSync, openSync, readSync } from 'node:fs';
import { DocumentScan } from './scan.ts';

export const STDIN_BYTES_MAX = 4 * 1024 * 1024;
export const STDIN_WAIT_MS_MAX = 5_000;
const FIRST_BUFFER_BYTES = 64 * 1024;

export type Input = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

let held: Uint8Array = new Uint8Array(0);

/** The bytes that were read, whatever became of them: for record mode. */
export function rawInput(): Uint8Array {
  return held;
}

/** Calls `done` once: before it returns where the platform allows, else later, then it calls `waiting` first. */
export function readInput(platform: string, done: (input: Input) => void, waiting: () => void): void {
  let fd: number | undefined;
  try {
    fd = descriptor(platform);
  } catch {
    return done({ ok: false, reason: 'the standard input is closed' });
  }
  if (fd !== undefined) return done(readNow(fd));
  waiting();
  readLater(done);
}

/** A descriptor that may be read synchronously without hanging; undefined where there is none. */
function descriptor(platform: string): number | undefined {
  if (platform === 'linux' && unblock()) return 0;
  const stat = fstatSync(0);
  if (stat.isFile()) return 0;
  if (platform !== 'linux' || stat.isSocket()) return undefined;
  try {
    return openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}

let handle: PipeHandle | undefined;

/**
 * libuv switches a descriptor to non-blocking when a pipe handle opens it; nothing else in Node can. The handle is never
 * read. Measured on Node 20: 0.2 ms, less than one fstat; net.Socket does the same for 1.5 ms, process.stdin for 2.5 ms.
 * It is an internal entry: where it is missing or refuses, the portable ways are used.
 */
function unblock(): boolean {
  try {
    const wrap = (process as unknown as { binding?: (name: string) => PipeWrap | undefined }).binding?.('pipe_wrap');
    if (wrap === undefined) return false;
    handle = new wrap.Pipe(wrap.constants.SOCKET);
    // 0 (or nothing, in other versions) is success.
    return !handle.open(0);
  } catch {
    return false;
  }
}

/** Others may share the descriptor (a terminal, a shell's pipe): it is left as it was found. */
export function restoreInput(): void {
  try {
    handle?.setBlocking?.(true);
  } catch { /* nothing to restore */ }
}

interface PipeHandle { open: (fd: number) => number | undefined; setBlocking?: (on: boolean) => unknown }
interface PipeWrap { readonly Pipe: new (kind: number) => PipeHandle; readonly constants: { readonly SOCKET: number } }

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * The usual case, cheaply: the first chunk is the whole document. Undefined where it is not, or not surely: then the scan
 * decides. JSON.parse alone is the proof that nothing but one document is there.
 */
function wholeDocument(bytes: Buffer, length: number): Input | undefined {
  let end = length;
  while (end > 0 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x20)) end--;
  return bytes[0] === 0x7b && bytes[end - 1] === 0x7d ? parsed(bytes, 0, end) : undefined;
}

function parsed(bytes: Buffer, start: number, end: number): Input | undefined {
  // utf8Slice is what toString ends in, without its 0.15 ms of start-up.
  const text = (bytes as Buffer & { utf8Slice?: (start: number, end: number) => string }).utf8Slice?.(start, end) ?? bytes.toString('utf8', start, end);
  // Decoding replaces what is not UTF-8; such a text must not be judged instead of the real one.
  if (text.includes('\uFFFD') && !bytes.subarray(start, end).equals(Buffer.from(text))) return { ok: false, reason: 'the hook input is not UTF-8' };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const EMPTY_INPUT: Input = { ok: false, reason: 'the hook input is empty' };

/** Bytes so far, where the first chunk was not the whole document. */
class Intake {
  private bytes: Buffer;
  private used = 0;
  private readonly scan = new DocumentScan();

  constructor(first: Buffer) {
    this.bytes = first;
  }

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
    held = this.bytes.subarray(0, this.used);
    if (this.used > STDIN_BYTES_MAX) return { ok: false, reason: 'the hook input is larger than 4 MiB' };
    const found = this.scan.next(this.bytes, this.used);
    if (found.state === 'more') return undefined;
    if (found.state === 'bad') return { ok: false, reason: found.reason };
    return parsed(this.bytes, found.start, found.end) ?? { ok: false, reason: 'the hook input is not valid JSON' };
  }

  ended(): Input {
    return this.used === 0 ? EMPTY_INPUT : { ok: false, reason: 'the hook input is cut off' };
  }

  late(): Input {
    return { ok: false, reason: this.used === 0 ? 'no hook input arrived in time' : 'the hook input was not complete in time' };
  }
}

function readNow(fd: number): Input {
  const first = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);
  let room: Buffer = first;
  let intake: Intake | undefined;
  let deadline = 0;
  for (let tries = 0; ;) {
    try {
      const count = readSync(fd, room, 0, room.length, null);
      if (count === 0) return intake?.ended() ?? EMPTY_INPUT;
      if (intake === undefined) held = first.subarray(0, count);
      const whole = intake === undefined ? wholeDocument(first, count) : undefined;
      if (whole !== undefined) return whole;
      intake ??= new Intake(first);
      const input = intake.took(count);
      if (input !== undefined) return input;
      room = intake.room();
    } catch (error) {
      if (isCode(error, 'EOF')) return intake?.ended() ?? EMPTY_INPUT;
      if (!isCode(error, 'EAGAIN')) return { ok: false, reason: 'the hook input could not be read' };
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ++tries < 200 ? 1 : 5);
    }
    // The clock starts at the first wait or incomplete chunk.
    const now = Date.now();
    if (deadline === 0) deadline = now + STDIN_WAIT_MS_MAX;
    else if (now > deadline) return (intake ?? new Intake(first)).late();
  }
}

function readLater(done: (input: Input) => void): void {
  const intake = new Intake(Buffer.allocUnsafe(FIRST_BUFFER_BYTES));
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
