// Contract: both sides of the guarding proxy on libuv's own handles, without the streams of Node. IO.
// Measured on Node 20: a process that loads child_process (and with it net, stream and dgram) and starts a program costs 1.2 to
// 1.4 times a bare start, by these handles 1.03 times; a call goes through for about 30 us instead of 36.
// It is an internal entry, as in hook/stdin.ts: where it is missing or refuses, `pipes()` is undefined and the portable ways are used.
import { fstatSync } from 'node:fs';
import { endInTime, exitCode, type Link, type LinkEvents, type StdioUpstream } from './link.ts';

interface Request { oncomplete?: (status: number) => void; buffer?: Uint8Array }
interface PipeHandle {
  onread?: () => void;
  readonly useUserBuffer: (room: Uint8Array) => void;
  /** These give 0, or nothing, where it went well. */
  readonly open: (fd: number) => number | undefined;
  readonly readStart: () => number;
  readonly readStop: () => number;
  readonly writeBuffer: (request: Request, bytes: Uint8Array) => number;
  readonly writeUtf8String: (request: Request, text: string) => number;
  readonly shutdown: (request: Request) => number;
}
type StdioOption = { readonly type: 'pipe'; readonly handle: PipeHandle } | { readonly type: 'fd'; readonly fd: number };
interface ProcessHandle {
  onexit?: (code: number, signal: string) => void;
  readonly pid: number;
  readonly spawn: (options: { readonly file: string; readonly args: readonly string[]; readonly envPairs: readonly string[]; readonly cwd?: string; readonly stdio: readonly StdioOption[] }) => number;
  readonly kill: (signal: number) => number;
}
interface Bindings {
  readonly pipe_wrap: { readonly Pipe: new (kind: number) => PipeHandle; readonly constants: { readonly SOCKET: number } };
  readonly process_wrap: { readonly Process: new () => ProcessHandle };
  readonly stream_wrap: { readonly WriteWrap: new () => Request; readonly ShutdownWrap: new () => Request; readonly kLastWriteWasAsync: number; readonly kReadBytesOrError: number; readonly streamBaseState: Readonly<Record<number, number>> };
  readonly uv: { readonly errname: (code: number) => string };
}

export interface Pipes {
  /** Undefined where standard input and output are not both pipes or sockets. */
  readonly client: ((events: LinkEvents) => Link) | undefined;
  readonly start: (upstream: StdioUpstream, env: Readonly<Record<string, string | undefined>>, events: LinkEvents) => Link;
}

const SIGNAL_NUMBERS = { SIGTERM: 15, SIGKILL: 9 };
const NOT_STARTED = 127;
/** EINVAL: what comes after a NUL would be left out. */
const INVALID = -22;
const READ_BYTES_MAX = 64 * 1024;

export function pipes(platform: string): Pipes | undefined {
  if (platform === 'win32') return undefined;
  let bound: Bindings;
  try {
    const binding = (process as unknown as { binding: <K extends keyof Bindings>(name: K) => Bindings[K] }).binding;
    bound = { pipe_wrap: binding('pipe_wrap'), process_wrap: binding('process_wrap'), stream_wrap: binding('stream_wrap'), uv: binding('uv') };
    if (typeof bound.process_wrap.Process !== 'function' || typeof bound.stream_wrap.kLastWriteWasAsync !== 'number') return undefined;
  } catch {
    return undefined;
  }
  return {
    client: isPipe(0) && isPipe(1) ? (events) => client(bound, events) : undefined,
    start: (upstream, env, events) => start(bound, upstream, env, events),
  };
}

/** Only these can be waited for: libuv ends the process where it is asked to wait for a file. */
function isPipe(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

interface Writer {
  readonly send: (message: string | Buffer) => boolean;
  /** Calls `done` when everything is written, or cannot be. */
  readonly flushed: (done: () => void) => void;
}

/** What the other side does not take at once waits in libuv; `gone` where there is no other side any more. */
function writer({ stream_wrap: { WriteWrap, kLastWriteWasAsync, streamBaseState } }: Bindings, handle: PipeHandle, onDrain: () => void, gone: () => void): Writer {
  let waiting = 0;
  let isGone = false;
  let whenFlushed: (() => void) | undefined;
  let spare: Request = new WriteWrap();
  const lose = (): void => {
    if (isGone) return;
    isGone = true;
    gone();
  };
  const settle = (status: number): void => {
    waiting -= 1;
    if (status < 0) lose();
    if (waiting > 0) return;
    whenFlushed?.();
    if (!isGone) onDrain();
  };
  return {
    send: (message) => {
      if (isGone) return true;
      const failed = typeof message === 'string' ? handle.writeUtf8String(spare, message) : handle.writeBuffer(spare, message);
      if (failed !== 0) {
        lose();
        return true;
      }
      // A request that was not needed serves the next write.
      if (streamBaseState[kLastWriteWasAsync] !== 0) {
        spare.oncomplete = settle;
        // Nobody else keeps what is still to be written.
        if (typeof message !== 'string') spare.buffer = message;
        spare = new WriteWrap();
        waiting += 1;
      }
      return waiting === 0;
    },
    flushed: (done) => {
      if (waiting === 0 || isGone) done();
      else whenFlushed = done;
    },
  };
}

/** Read into one room and copied from there: a room for each read costs its garbage. */
function listen({ stream_wrap: { kReadBytesOrError, streamBaseState } }: Bindings, handle: PipeHandle, onChunk: (chunk: Buffer) => void, onEnd: () => void): void {
  const room = Buffer.allocUnsafeSlow(READ_BYTES_MAX);
  handle.useUserBuffer(room);
  handle.onread = () => {
    const got = streamBaseState[kReadBytesOrError] ?? 0;
    if (got > 0) return onChunk(Buffer.from(room.subarray(0, got)));
    if (got === 0) return;
    // The end, or a fault: nothing more comes.
    handle.readStop();
    onEnd();
  };
  handle.readStart();
}

function client(bound: Bindings, { onChunk, onDrain, onEnd }: LinkEvents): Link {
  const { Pipe, constants } = bound.pipe_wrap;
  const [input, output] = [new Pipe(constants.SOCKET), new Pipe(constants.SOCKET)];
  let isOver = false;
  const gone = (): void => {
    if (isOver) return;
    isOver = true;
    onEnd(0);
  };
  output.open(1);
  input.open(0);
  const { send, flushed } = writer(bound, output, onDrain, gone);
  listen(bound, input, onChunk, gone);
  return {
    send,
    pause: () => void input.readStop(),
    resume: () => void (isOver || input.readStart()),
    end: (done) => {
      isOver = true;
      input.readStop();
      if (done !== undefined) flushed(done);
    },
  };
}

function start(bound: Bindings, { command, args, cwd, env: more }: StdioUpstream, env: Readonly<Record<string, string | undefined>>, { onChunk, onDrain, onEnd }: LinkEvents): Link {
  const { Pipe, constants } = bound.pipe_wrap;
  const [input, output, child] = [new Pipe(constants.SOCKET), new Pipe(constants.SOCKET), new bound.process_wrap.Process()];
  let left = 2;
  let code = 0;
  let isEnding = false;
  let forget = (): void => undefined;
  // Not before its output has ended: what it wrote last still has to be read.
  const part = (): void => {
    left -= 1;
    if (left > 0) return;
    forget();
    onEnd(code);
  };
  child.onexit = (status, signal) => {
    code = exitCode(status, signal);
    part();
  };
  const failed = [command, ...args].some((word) => word.includes('\0')) ? INVALID : child.spawn({
    file: command, args: [command, ...args], envPairs: Object.entries({ ...env, ...more }).map(([name, value]) => `${name}=${value}`), ...(cwd === undefined ? {} : { cwd }),
    stdio: [{ type: 'pipe', handle: input }, { type: 'pipe', handle: output }, { type: 'fd', fd: 2 }],
  });
  if (failed !== 0) {
    setImmediate(() => onEnd(NOT_STARTED, `${command}: ${bound.uv.errname(failed)}`));
    return { send: () => true, pause: () => undefined, resume: () => undefined, end: () => undefined };
  }
  const { send } = writer(bound, input, onDrain, () => undefined);
  let isRead = true;
  listen(bound, output, onChunk, () => {
    isRead = false;
    part();
  });
  return {
    send: (message) => isEnding || send(message),
    pause: () => void output.readStop(),
    resume: () => void (isRead && output.readStart()),
    end: () => {
      if (isEnding) return;
      isEnding = true;
      // After what is still to be written.
      input.shutdown(new bound.stream_wrap.ShutdownWrap());
      forget = endInTime((signal) => void child.kill(SIGNAL_NUMBERS[signal]));
    },
  };
}
