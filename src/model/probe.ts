// Contract: how a client is asked for its own list of hooks and servers, and what may be taken from its answer: events, names and
// states. Never a command, an argument, a value or a token: those are dropped where the answer is read. PURE.
import type { Fact } from './client.ts';

/** A hook of ours that the client says it has. */
export interface ListedHook {
  readonly event: string;
  /** The file it was taken from, where the client says so. */
  readonly source: string | undefined;
  readonly enabled: boolean;
  readonly trusted: boolean;
}

export interface ListedServer {
  readonly name: string;
  /** `listed`: the client only says that it is configured. */
  readonly state: 'connected' | 'listed' | 'disabled' | 'failed';
}

export interface Listing { readonly hooks?: readonly ListedHook[]; readonly servers?: readonly ListedServer[] }

export interface ProbeStep {
  /** `session`: the client runs its session hooks and nothing else; the receipt that ours leaves is the answer. */
  readonly asks: 'hooks' | 'servers' | 'session';
  readonly argv: (cwd: string) => readonly string[];
  /** Standard input; it stays open until the answer is there. */
  readonly input?: (cwd: string) => string;
  /** Is the answer complete? Absent: when the program ends. */
  readonly until?: (stdout: string) => boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Undefined: not an answer of the known form. Absent for `session`. */
  readonly read?: (stdout: string, stderr: string) => Listing | undefined;
}

export interface ProbeSurface {
  readonly steps: readonly ProbeStep[];
  /** Variables of the person's that say where the client's configuration is. */
  readonly keptEnv: readonly string[];
  /** What is asked, and what that cannot say. */
  readonly source: Fact;
  /** Seconds, tokens. */
  readonly cost: Fact;
  /** What it starts and writes. */
  readonly effects: Fact;
}
