// Contract: the facts of a judgement, from an injected environment. The hook and `policy test|explain` build them here. PURE.
import { guardedFiles } from '../clients/dialects.ts';
import type { EnvMap } from '../model/dialect.ts';
import type { Payload } from '../model/payload.ts';
import type { PolicyFacts } from '../policy/types.ts';
import { below, configDir, dataDir, dataDirOfVersion, homeOf, stateDir, type OwnDirsInput } from '../roots/own-dirs.ts';
import { NO_SETTINGS, type HookSettings } from './settings-types.ts';

export interface HookPlace {
  readonly platform: string;
  readonly env: EnvMap;
  readonly home: string | undefined;
  /** Where receipts go; undefined where no directory is known, then `problem` says why. */
  readonly receipts: string | undefined;
  readonly problem: string | undefined;
  /** Our own directories; undefined where the environment names none. */
  readonly state: string | undefined;
  readonly config: string | undefined;
  readonly data?: string | undefined;
  /** The settings in force in a workspace; absent: none are read. Called for tool and stop events only. */
  readonly settings?: (workspace: string | undefined) => HookSettings;
  /** The names of the MCP servers that a client has, as far as they are known; absent: none is asked for. */
  readonly servers?: (client: string) => readonly string[];
  /** Directory of the program that is running (dist/ and bin/ are below it); a guard that can be replaced guards nothing. */
  readonly installation: string | undefined;
}

export function hookPlace(platform: string, env: EnvMap, installation?: string): HookPlace {
  const home = homeOf({ platform, env });
  const base = { platform, env, home, config: named(configDir, { platform, env, home }), data: named(dataDir, { platform, env, home }), installation };
  try {
    const state = stateDir({ platform, env, home });
    return { ...base, state, receipts: below(platform, state, 'receipts'), problem: undefined };
  } catch (error) {
    return { ...base, state: undefined, receipts: undefined, problem: error instanceof Error ? error.message : 'no state directory' };
  }
}

function named(directory: (input: OwnDirsInput) => string, input: OwnDirsInput): string | undefined {
  try {
    return directory(input);
  } catch {
    return undefined;
  }
}

/** Called for tool events only; a directory that the environment names wrongly is left out here and reported by hookPlace. */
export function policyFacts(place: HookPlace, payload: Payload): PolicyFacts {
  const settings = place.settings?.(payload.workspace) ?? NO_SETTINGS;
  const ownPaths: string[] = [...settings.files];
  // A directory that is not known: nothing of ours is there.
  for (const directory of [place.state, place.config, place.data]) if (directory !== undefined) ownPaths.push(directory);
  // The launcher that apply writes, and the installed program.
  if (place.home !== undefined && place.platform !== 'win32') ownPaths.push(`${place.home}/.local/bin/praetorctl`);
  if (place.installation !== undefined) {
    // A version that runs says itself where the others and their record are, whatever the environment of this session names.
    const data = dataDirOfVersion(place.platform, place.installation);
    if (data === undefined) for (const name of ['bin', 'dist']) ownPaths.push(below(place.platform, place.installation, name));
    else if (data !== place.data) ownPaths.push(data);
  }
  return {
    platform: place.platform, home: place.home, workspace: payload.workspace, ownPaths, guarded: guardedFiles(),
    ...(settings.policy === undefined ? {} : { settings: settings.policy }), ...(settings.operator === undefined ? {} : { operator: settings.operator }),
  };
}
