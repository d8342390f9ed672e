// Contract: the guarded server as a program that is started, by what every Node has. IO. Where libuv's own handles can be had,
// pipes.ts does the same for less.
import { spawn } from 'node:child_process';
import { endInTime, exitCode, type Link, type LinkEvents, type StdioUpstream } from './link.ts';

/** The environment is the client's own, as it would be without the proxy, and `env` besides. Its standard error is ours. */
export function startProgram({ command, args, cwd, env }: StdioUpstream, events: LinkEvents): Link {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...(cwd === undefined ? {} : { cwd }), ...(env === undefined ? {} : { env: { ...process.env, ...env } }), windowsHide: true });
  let over = false;
  let forget = (): void => undefined;
  const finish = (code: number, why?: string): void => {
    if (over) return;
    over = true;
    forget();
    events.onEnd(code, why);
  };
  child.on('error', (error) => finish(127, error.message));
  // `close`, not `exit`: what it wrote last still has to be read.
  child.on('close', (code, signal) => finish(exitCode(code, signal)));
  // A server that has gone says so by `close`; a write to it is no fault of ours.
  child.stdin.on('error', () => undefined);
  child.stdin.on('drain', events.onDrain);
  child.stdout.on('data', events.onChunk);
  return {
    send: (message) => (over || !child.stdin.writable ? true : child.stdin.write(message)),
    pause: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),
    end: () => {
      if (over || child.stdin.writableEnded) return;
      child.stdin.end();
      forget = endInTime((signal) => void child.kill(signal));
    },
  };
}
