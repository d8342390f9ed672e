// Contract: what the guarding session is made of and answers with. PURE.
import type { ApprovalTier } from '../contract/catalogue.ts';
import type { Catalogue } from '../contract/catalogue-schema.ts';
import type { ContractCode } from '../contract/decide.ts';
import type { JsonObject } from '../model/json.ts';
import type { MessageId } from './messages.ts';

/** `raw`: the bytes of the line as they came. */
export type Action =
  | { readonly to: 'client' | 'upstream'; readonly text: string }
  | { readonly to: 'client' | 'upstream'; readonly raw: true }
  | { readonly to: 'log'; readonly text: string };

export type HumanEvidence = 'hook' | 'grant' | 'elicitation';

/** One judged call, for its receipt. */
export interface CallNote {
  readonly tool: string;
  readonly verdict: 'neutral' | 'ask' | 'deny';
  readonly code?: ContractCode | 'conflict' | 'upstream_timeout';
  readonly caller: string;
  /** It only reads: its receipt need not be on the disk at once. */
  readonly canWait: boolean;
}

export interface SessionConfig {
  readonly catalogue: Catalogue;
  readonly floor: ApprovalTier;
  /** What counts as a person's approval. */
  readonly humanEvidence: readonly HumanEvidence[];
  readonly hostsPinned: boolean;
  /** The upstream is the runtime's own backend: keys and dry runs are for it. */
  readonly executes: boolean;
  readonly sha256: (text: string) => string;
  /** Keyed with a secret of this process, so that nobody else can make a state that it accepts. */
  readonly hmac: (text: string) => string;
  readonly nonce: () => string;
  readonly now: () => number;
  /** True once: the hook asked the person about exactly this call, or the person allowed it in a terminal. Takes it. */
  readonly takeHookEvidence: (callDigest: string) => boolean;
  /** True once: a grant of `contract grant` for this operation. Takes it. */
  readonly takeGrant: (operation: string, argumentsDigest: string) => boolean;
  readonly note: (note: CallNote) => void;
  /** The tools whose definition is not the approved one, whenever that changes. */
  readonly quarantine: (tools: readonly string[]) => void;
}

export interface Session {
  readonly fromClient: (line: string) => readonly Action[];
  readonly fromUpstream: (line: string) => readonly Action[];
  /** To be called about once a second: lets questions and lists run out. */
  readonly tick: () => readonly Action[];
  /** The upstream is gone: what every request that has no answer yet is told. */
  readonly ended: () => readonly Action[];
  /** Calls wait for the list of tools. */
  readonly holds: () => boolean;
}

/** A call that waits: for the list of tools, or for a person. */
export interface HeldCall { readonly id: MessageId; readonly params: JsonObject; readonly line: string; /** It could be read in two ways. */ readonly isTwice: boolean }

export const QUESTION_MS_MAX = 5 * 60_000;
export const LIST_MS_MAX = 30_000;
export const LIST_PAGES_MAX = 1_000;
export const REQUESTS_MAX = 20_000;
export const HELD_CALLS_MAX = 10_000;
export const QUESTIONS_MAX = 1_000;
/** Lists that changes ask for within one tick; what comes after that waits for the next. */
export const LISTS_A_TICK_MAX = 5;
/** Lines about what the server sends and should not. */
export const COMPLAINTS_MAX = 20;
export const LEDGER_MAX = 1_000;
export const STATES_MAX = 100_000;
/** The question's name in `inputRequests`. */
export const QUESTION_KEY = 'praetor_confirm';
