// Contract: one client's way of asking and of being answered. Implemented in src/clients/<id>/dialect.ts. PURE.
import type { CanonicalEvent } from './events.ts';
import type { JsonObject } from './json.ts';
import type { DecodeFault, Payload } from './payload.ts';
import type { Verdict } from './verdict.ts';

export type EnvMap = Readonly<Record<string, string | undefined>>;

/** The one answer of a hook process. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

export interface Dialect {
  readonly id: string;
  readonly decode: (event: CanonicalEvent, document: JsonObject, env: EnvMap) => Payload | DecodeFault;
  readonly encode: (event: CanonicalEvent, verdict: Verdict, payload: Payload) => Answer;
  /** Fail-closed answer for a fault of ours or an undecodable document: blocks where the event can block. */
  readonly encodeError: (event: CanonicalEvent, reason: string) => Answer;
  /** "No opinion": what is also said to events this version does not know. */
  readonly neutral: (event: CanonicalEvent) => Answer;
}
