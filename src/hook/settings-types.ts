// Contract: the settings of one call as the rest of the hook sees them, wherever they were read. PURE.
import type { Verdict } from '../model/verdict.ts';
import type { OperatorRules } from '../policy/operator.ts';
import { NO_CONTRACT_SETTINGS, type ContractSettings, type EvaluatorSpec } from '../policy/operator-index.ts';
import type { PolicySettings } from '../policy/pack.ts';

/**
 * `stale`: the source changed or broke since it was compiled: what was compiled stays in force, and what the source tightens
 * is in force too. `source`: nothing usable was compiled, the source is in force. `invalid`: neither can be read: a person is asked.
 */
export type SettingsState = '' | 'stale' | 'source' | 'invalid';

export interface HookSettings {
  readonly policy: PolicySettings | undefined;
  readonly operator: OperatorRules | undefined;
  readonly evaluators: readonly EvaluatorSpec[];
  readonly contract: ContractSettings;
  /** Documents and scripts that nobody but the person changes. */
  readonly files: readonly string[];
  readonly state: SettingsState;
  /** Documents could not be read: the least that is said of a call that would be neutral. */
  readonly problem: Verdict | undefined;
}

export const NO_SETTINGS: HookSettings = { policy: undefined, operator: undefined, evaluators: [], contract: NO_CONTRACT_SETTINGS, files: [], state: '', problem: undefined };

