// Contract: what the settings say about updates of this workstation. Settings that cannot be read change nothing about what stands:
// the defaults count then, and the caller says so. Through Host.
import type { Host } from '../host.ts';
import { PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { homeOf, configDir } from '../roots/own-dirs.ts';
import { loadSettings } from '../settings/load.ts';
import { DEFAULT_SETTINGS, durationMs, type Settings } from '../settings/schema.ts';

export interface StationSettings {
  readonly soakMs: number;
  readonly maxAgeMs: number;
  readonly onMissing: 'allow' | 'deny';
  /** A scheduler takes nothing by itself. */
  readonly manual: boolean;
  readonly remote: string | undefined;
  readonly branch: string | undefined;
  /** The one commit whose promotion is taken. */
  readonly pin: string | undefined;
  readonly fault: Pick<Diagnostic, 'message' | 'where'> | undefined;
}

function loaded(host: Host, version: string | undefined): Settings | Diagnostic {
  try {
    const result = loadSettings(host, configDir({ platform: host.platform, env: host.env, home: homeOf(host) }), { version });
    return result.ok ? result.settings : result.diagnostics.find(({ severity }) => severity === 'error') ?? { code: 'settings-invalid', severity: 'error', message: 'the settings are invalid', fix: '' };
  } catch (error) {
    if (!(error instanceof PraetorError)) throw error;
    return error.diagnostic;
  }
}

/** `version`: the directory of a version whose operator's files count instead of those of the current one. */
export function stationSettings(host: Host, version?: string): StationSettings {
  const read = loaded(host, version);
  const { update, hooks } = 'severity' in read ? DEFAULT_SETTINGS : read;
  return {
    soakMs: durationMs(update.soak), maxAgeMs: durationMs(update.max_age), onMissing: hooks.on_missing_runtime, manual: update.channel === 'manual', remote: update.remote, branch: update.branch, pin: update.pin,
    fault: 'severity' in read ? read : undefined,
  };
}
