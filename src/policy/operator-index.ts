// Contract: what the compiled settings hold (policy.idx). The layout is model/table.ts; rows are operator rules by program. PURE.
import type { SourceStamp } from '../model/table.ts';
import type { Level } from './pack.ts';

export const INDEX_MAGIC = 'PRTLPIX\0';

/** One check of the operator's own, as the hook runs it. */
export interface EvaluatorSpec {
  readonly id: string;
  readonly events: readonly string[];
  /** Kinds of tools; empty: all. */
  readonly tools: readonly string[];
  /** Candidates, each a program and its fixed arguments; empty: the script itself is executed. */
  readonly interpreter: readonly (readonly string[])[];
  /** Absolute, or below the workspace where `inWorkspace`. */
  readonly script: string;
  readonly inWorkspace: boolean;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly outputBytes: number;
}

export interface PolicyMeta {
  readonly engine: string;
  /** First 16 hex digits of the sha256 of the document's text. */
  readonly digest: string;
  readonly sources: readonly SourceStamp[];
  /** Set where the document is invalid: the first complaint, without values. Then nothing else of it counts. */
  readonly problem: string;
  readonly mode: 'default' | 'strict';
  readonly packs: Readonly<Record<string, Level>>;
  readonly rules: Readonly<Record<string, Level>>;
  readonly evaluators: readonly EvaluatorSpec[];
  readonly rows: number;
  readonly contract: ContractSettings;
  /** What documents besides the person's own say: compiled in, and never looked at by a hook. Absent where there are none. */
  readonly beneath?: {
    readonly packs: Readonly<Record<string, Level>>;
    readonly rules: Readonly<Record<string, Level>>;
    readonly files: readonly string[];
  };
}

/** What the operator says about MCP servers and their catalogues. */
export interface ContractSettings {
  readonly floor: 'none' | 'unsafe' | 'all';
  readonly unlisted: 'pass' | 'deny';
  readonly evidence: readonly ('hook' | 'grant' | 'elicitation')[];
}

export const NO_CONTRACT_SETTINGS: ContractSettings = { floor: 'none', unlisted: 'pass', evidence: ['hook', 'grant', 'elicitation'] };
