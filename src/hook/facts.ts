// Contract: the facts of a judgement, from an injected environment. The hook and `policy test|explain` build them here. PURE.
import { guardedFiles } from '../clients/dialects.ts';
import type { EnvMap } from '../model/dialect.ts';
import type { Payload } from '../model/payload.ts';
import type { PolicyFacts } from '../policy/types.ts';
import { below, configDir, homeOf, stateDir } from '../roots/own-dirs.ts';

export interface HookPlace {
  readonly platform: string;
  readonly env: EnvMap;
  readonly home: string | undefined;
  /** Where receipts go; undefined where no directory is known, then `problem` says why. */
  readonly receipts: string | undefined;
  readonly problem: string | undefined;
  /** Directory of the program that is running (dist/ and bin/ are below it); a guard that can be replaced guards nothing. */
  readonly installation: string | undefined;
}

export function hookPlace(platform: string, env: EnvMap, installation?: string): HookPlace {
  const home = homeOf({ platform, env });
  try {
    const state = stateDir({ platform, env, home });
    return { platform, env, home, receipts: below(platform, state, 'receipts'), problem: undefined, installation };
  } catch (error) {
    return { platform, env, home, receipts: undefined, problem: error instanceof Error ? error.message : 'no state directory', installation };
  }
}

/** Called for tool events only; a directory that the environment names wrongly is left out here and reported by hookPlace. */
export function policyFacts(place: HookPlace, payload: Payload): PolicyFacts {
  const ownPaths: string[] = [];
  for (const directory of [stateDir, configDir]) {
    try {
      ownPaths.push(directory(place));
    } catch { /* unknown: nothing of ours is there */ }
  }
  // The launcher that apply writes, and the installed program.
  if (place.home !== undefined && place.platform !== 'win32') ownPaths.push(`${place.home}/.local/bin/praetorctl`);
  if (place.installation !== undefined) for (const name of ['bin', 'dist']) ownPaths.push(below(place.platform, place.installation, name));
  return { platform: place.platform, home: place.home, workspace: payload.workspace, ownPaths, guarded: guardedFiles() };
}
