// Contract: the evaluator's vocabulary. `evaluate` (evaluate.ts) is what the hook, `policy test` and `policy explain` call. PURE.
import type { GuardedFile } from '../clients/dialect-kit.ts';
import type { Verdict } from '../model/verdict.ts';
import type { SimpleCommand, Word } from './shell-types.ts';

/** What a judgement depends on besides the payload. Nothing else: same payload and same facts give the same verdict. */
export interface PolicyFacts {
  readonly platform: string;
  readonly home: string | undefined;
  readonly workspace: string | undefined;
  /** Our own directories and files, absolute. */
  readonly ownPaths: readonly string[];
  /** Files of the clients that hold registrations, relative to home or project. */
  readonly guarded: readonly GuardedFile[];
}

/** Characters [start, end) of the command line; absent for path rules. */
export type Span = readonly [start: number, end: number];

export interface TrailStep {
  readonly rule: string;
  /** `none`: the rule was considered and did not match. `unresolved`: what runs cannot be known from the text. */
  readonly result: 'deny' | 'ask' | 'none' | 'unresolved';
  readonly span?: Span;
}

export interface Evaluation {
  readonly verdict: Verdict;
  readonly trail: readonly TrailStep[];
}

/** A command with its wrappers (sudo, env, timeout, ...) taken off. */
export interface Effective {
  /** Base name of the program, `.exe` removed; empty where the command is only assignments or redirections. */
  readonly program: string;
  readonly args: readonly Word[];
  /** Assignments in front of it, also those given to `env`. */
  readonly assigns: readonly Word[];
  readonly command: SimpleCommand;
}

export interface Place {
  readonly facts: PolicyFacts;
  /** The directory in which the command runs, as far as the text says; undefined is unknown. */
  readonly cwd: string | undefined;
}

export interface Match {
  readonly decision: 'deny' | 'ask';
  readonly reason: string;
  readonly at?: Word;
}

export interface Rule {
  readonly id: string;
  /** Base names of the programs it looks at. */
  readonly programs: readonly string[];
  /** It also looks at every command with assignments, or with redirections. */
  readonly also?: 'assigns' | 'redirects';
  readonly check: (effective: Effective, place: Place) => Match | undefined;
}
