// Contract: everything by which Kilo leaves our plugin out, as far as files and the environment show it. Measured on 7.7.9, Linux,
// where it does not say otherwise. PURE.
import type { Fact, Finding, RootContext, SilentWay } from '../../model/client.ts';
import type { JsonObject } from '../../model/json.ts';
import { unknown } from '../facts.ts';
import { variableOn } from '../silent-kit.ts';

const SEEN = { basis: 'measured', versions: '7.7.9' } as const;

const PLUGINS_OFF = { id: 'kilo.pure', looks: '`KILO_PURE=1` in the environment: no plugin is loaded', fix: 'unset KILO_PURE', ...SEEN } as const satisfies SilentWay;

export const KILO_SILENT: readonly SilentWay[] = [PLUGINS_OFF];

export const KILO_UNSEEN: readonly Fact[] = [
  { text: '`--pure`, given to one session', ...SEEN },
  unknown('a plugin that cannot be loaded: the file itself is compared with what was written, but not tried'),
  unknown('variables that only the client\'s own start gives it, such as another XDG_CONFIG_HOME'),
];

export function switches(_documents: ReadonlyMap<string, JsonObject>, env: RootContext['env']): Finding[] {
  return variableOn(env, 'KILO_PURE', PLUGINS_OFF, 'KILO_PURE is set, so no plugin is loaded');
}
