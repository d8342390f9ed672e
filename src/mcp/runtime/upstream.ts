// Contract: where the guarded calls go: a program that is started, or an HTTP service. IO.
import { spawn } from 'node:child_process';

/** The other side of the proxy. `onLine` gets one message without its line end. */
export interface UpstreamLink {
  /** False: the other side takes no more for now; `onDrain` says when it does. */
  readonly send: (message: string | Buffer) => boolean;
  readonly pause: () => void;
  readonly resume: () => void;
  /** The client has gone: nothing more is sent. Ends the other side within END_MS_MAX. */
  readonly end: () => void;
}

export interface UpstreamEvents {
  readonly onChunk: (chunk: Buffer) => void;
  readonly onDrain: () => void;
  /** `code` as a shell would give it: 128 and the number for a signal. `why` where it never ran. */
  readonly onEnd: (code: number, why?: string) => void;
}

export interface StdioUpstream { readonly command: string; readonly args: readonly string[]; readonly cwd?: string | undefined; readonly env?: Readonly<Record<string, string>> }

/** From the end of standard input to the end of the server, as clients give it. */
export const END_MS_MAX = 2_000;
const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGPIPE: 13, SIGTERM: 15 };

/** The environment is the client's own, as it would be without the proxy, and `env` besides. Its standard error is ours. */
export function startProgram({ command, args, cwd, env }: StdioUpstream, events: UpstreamEvents): UpstreamLink {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...(cwd === undefined ? {} : { cwd }), ...(env === undefined ? {} : { env: { ...process.env, ...env } }), windowsHide: true });
  let over = false;
  const timers: NodeJS.Timeout[] = [];
  const finish = (code: number, why?: string): void => {
    if (over) return;
    over = true;
    for (const timer of timers) clearTimeout(timer);
    events.onEnd(code, why);
  };
  child.on('error', (error) => finish(127, error.message));
  // `close`, not `exit`: what it wrote last still has to be read.
  child.on('close', (code, signal) => finish(code ?? 128 + (SIGNALS[signal ?? ''] ?? 0)));
  // A server that has gone says so by `close`; a write to it is no fault of ours.
  child.stdin.on('error', () => undefined);
  child.stdin.on('drain', events.onDrain);
  child.stdout.on('data', events.onChunk);
  return {
    send: (message) => (over || !child.stdin.writable ? true : child.stdin.write(message)),
    pause: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),
    end: () => {
      if (over) return;
      child.stdin.end();
      timers.push(setTimeout(() => child.kill('SIGTERM'), END_MS_MAX), setTimeout(() => child.kill('SIGKILL'), 2 * END_MS_MAX));
    },
  };
}
