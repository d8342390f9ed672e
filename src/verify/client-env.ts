// Contract: the environment in which verify starts a client: what finds programs and configuration; no key, no token, no proxy of
// the person's, and nothing but loopback to talk to. PURE.
import type { Host } from '../host.ts';
import { LOOPBACK_ONLY } from '../clients/prove-kit.ts';

const KEPT = ['HOME', 'PATH', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TERM', 'SHELL', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'PRAETORCTL_STATE_DIR', 'PRAETORCTL_CONFIG_DIR', 'PRAETORCTL_DATA_DIR'];

/** `keptEnv`: variables of a row that say where its client's configuration is. `own`: what a start sets itself. */
export function clientEnv(env: Host['env'], keptEnv: readonly string[], own: Readonly<Record<string, string>>, tmp: string): Record<string, string> {
  const kept = [...KEPT, ...keptEnv].flatMap((name): [string, string][] => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), ...LOOPBACK_ONLY, TMPDIR: tmp, ...own };
}
