// Contract: the facts of a judgement, from an injected environment. The hook and `policy test|explain` build them here. PURE.
import { guardedFiles } from '../clients/dialects.ts';
import type { EnvMap } from '../model/dialect.ts';
import type { Payload } from '../model/payload.ts';
import type { PolicyFacts } from '../policy/types.ts';
import { homeOf, ownDirs } from '../roots/own-dirs.ts';

export interface HookPlace {
  readonly platform: string;
  readonly home: string | undefined;
  readonly ownPaths: readonly string[];
  /** Where receipts go; undefined where no directory is known, then `problem` says why. */
  readonly receipts: string | undefined;
  readonly problem: string | undefined;
}

export function hookPlace(platform: string, env: EnvMap): HookPlace {
  const home = homeOf({ platform, env });
  try {
    const dirs = ownDirs({ platform, env, home });
    return { platform, home, ownPaths: [dirs.config, dirs.state], receipts: dirs.receipts, problem: undefined };
  } catch (error) {
    return { platform, home, ownPaths: [], receipts: undefined, problem: error instanceof Error ? error.message : 'no state directory' };
  }
}

export function policyFacts(place: HookPlace, payload: Payload): PolicyFacts {
  return { platform: place.platform, home: place.home, workspace: payload.workspace, ownPaths: place.ownPaths, guarded: guardedFiles() };
}
