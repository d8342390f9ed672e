// Contract: hosts for tests. One wrapper sees every call to the machine; on it stand a recording host, a host whose n-th call
// fails or kills the process, and a host in which somebody else acts right before the n-th call.
import * as fs from 'node:fs';
import type { Host } from '../../src/host.ts';

export const CALLS = [
  'lstat', 'stat', 'readlink', 'readFile', 'readAt', 'readDir', 'canExecute', 'writeNew', 'rename', 'unlink', 'mkdir', 'rmdir', 'fsyncDir', 'setModified', 'lock',
  'start', 'tempDir',
] as const;
export type CallName = (typeof CALLS)[number];

/** Calls after which the disk can look different. A kill before any other call is the same as before the next of these. */
export const CHANGING: ReadonlySet<CallName> = new Set(['writeNew', 'rename', 'unlink', 'mkdir', 'rmdir', 'setModified', 'lock']);

export interface HostCall { readonly n: number; readonly name: CallName; readonly args: readonly unknown[] }

type Around = (call: HostCall, run: () => unknown) => unknown;

/** `around` decides what becomes of each call; calls are numbered from 1. */
export function wrapHost(host: Host, around: Around): Host {
  let n = 0;
  const wrapped: Record<string, unknown> = { ...host };
  for (const name of CALLS) {
    const real = host[name] as (...args: unknown[]) => unknown;
    wrapped[name] = (...args: unknown[]): unknown => {
      n += 1;
      return around({ n, name, args }, () => real(...args));
    };
  }
  return wrapped as unknown as Host;
}

export function recordingHost(host: Host): { readonly host: Host; readonly calls: HostCall[] } {
  const calls: HostCall[] = [];
  return { calls, host: wrapHost(host, (call, run) => { calls.push(call); return run(); }) };
}

/**
 * throw: the call fails and did nothing · throw-after: it did its work and fails · kill: the process dies before it ·
 * kill-torn: a file is half written when the process dies.
 */
export type Fault = 'throw' | 'throw-after' | 'kill' | 'kill-torn';

function ioError(): Error {
  return Object.assign(new Error('injected fault'), { code: 'EIO' });
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment; nothing may run in between.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('unreachable');
}

export function faultyHost(host: Host, n: number, fault: Fault): Host {
  return wrapHost(host, (call, run) => {
    if (call.n !== n) return run();
    if (fault === 'kill-torn' && call.name === 'writeNew') {
      const [path, bytes] = call.args as [string, Uint8Array];
      fs.writeFileSync(path, bytes.subarray(0, bytes.length >> 1), { mode: 0o600 });
    }
    if (fault === 'kill' || fault === 'kill-torn') die();
    if (fault === 'throw-after') {
      const result = run();
      if (result instanceof Promise) return result.then(() => { throw ioError(); });
    }
    if (call.name === 'lock' || call.name === 'start') return Promise.reject(ioError());
    throw ioError();
  });
}

/** As if the process had died before the n-th call: no later call does anything either. */
export function dyingHost(host: Host, n: number): Host {
  return wrapHost(host, (call, run) => {
    if (call.n < n) return run();
    // Without an error code, so that nobody takes it for a fault of the disk.
    if (call.name === 'lock' || call.name === 'start') return Promise.reject(new Error('dead'));
    throw new Error('dead');
  });
}

/** Remembers what the disk answered. For hosts in memory over a disk that nobody changes: it makes them several times faster. */
export function rememberingHost(host: Host): Host {
  const seen = new Map<string, unknown>();
  return wrapHost(host, (call, run) => {
    const key = `${call.name} ${call.args.join(' ')}`;
    if (!seen.has(key)) seen.set(key, run());
    return seen.get(key);
  });
}

/** Somebody else acts right before the n-th call. */
export function intrudingHost(host: Host, n: number, act: () => void): Host {
  return wrapHost(host, (call, run) => {
    if (call.n === n) act();
    return run();
  });
}
