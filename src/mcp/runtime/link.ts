// Contract: the two sides of the guarding proxy as it sees them: the client, and the upstream. PURE.

export interface Link {
  /** False: this side takes no more for now; `onDrain` says when it does. */
  readonly send: (message: string | Buffer) => boolean;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Nothing more is sent. The upstream ends within 2 * END_MS_MAX; `done` of the client is called when everything is written. */
  readonly end: (done?: () => void) => void;
}

export interface LinkEvents {
  readonly onChunk: (chunk: Buffer) => void;
  readonly onDrain: () => void;
  /** `code` as a shell would give it: 128 and the number for a signal. `why` where it never ran. */
  readonly onEnd: (code: number, why?: string) => void;
}

export interface StdioUpstream { readonly command: string; readonly args: readonly string[]; readonly cwd?: string | undefined; readonly env?: Readonly<Record<string, string>> }

/** From the end of standard input to the end of the server, as clients give it. */
export const END_MS_MAX = 2_000;

const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGPIPE: 13, SIGTERM: 15 };

export function exitCode(code: number | null, signal: string | null): number {
  return signal === null || signal === '' ? code ?? 1 : 128 + (SIGNALS[signal] ?? 0);
}

/** Ends a program that does not end by itself, first gently. Gives what takes that back. */
export function endInTime(kill: (signal: 'SIGTERM' | 'SIGKILL') => void): () => void {
  const timers = [setTimeout(() => kill('SIGTERM'), END_MS_MAX), setTimeout(() => kill('SIGKILL'), 2 * END_MS_MAX)];
  return () => { for (const timer of timers) clearTimeout(timer); };
}
