// Contract: everything by which OpenCode leaves our plugin out, as far as files and the environment show it. Measured on 1.18.33,
// Linux, where it does not say otherwise. PURE.
import { ENVIRONMENT, type Fact, type Finding, type RootContext, type SilentWay } from '../../model/client.ts';
import type { JsonObject } from '../../model/json.ts';
import { doubtful, variableOn } from '../silent-kit.ts';

const SEEN = { basis: 'measured', versions: '1.18.33' } as const;

const WAYS = {
  pure: { id: 'opencode.pure', looks: '`OPENCODE_PURE=1` in the environment: no plugin is loaded', fix: 'unset OPENCODE_PURE', ...SEEN },
  project: { id: 'opencode.project-config-off', looks: '`OPENCODE_DISABLE_PROJECT_CONFIG=1` in the environment, with a project registration', fix: 'unset OPENCODE_DISABLE_PROJECT_CONFIG', basis: 'unknown' },
  home: { id: 'opencode.test-home', looks: '`OPENCODE_TEST_HOME` in the environment', fix: 'unset OPENCODE_TEST_HOME', basis: 'unknown' },
} as const satisfies Record<string, SilentWay>;

export const OPENCODE_SILENT: readonly SilentWay[] = Object.values(WAYS);

const seen = (text: string): Fact => ({ text, ...SEEN });
export const OPENCODE_UNSEEN: readonly Fact[] = [
  seen('`--pure`, given to one session'),
  seen('a plugin that cannot be loaded: the file itself is compared with what was written, but not tried'),
  seen('variables that only the client\'s own start gives it, such as another XDG_CONFIG_HOME'),
];

export function switches(documents: ReadonlyMap<string, JsonObject>, env: RootContext['env']): Finding[] {
  const found = variableOn(env, 'OPENCODE_PURE', WAYS.pure, 'OPENCODE_PURE is set, so no plugin is loaded');
  if (documents.has('scoped')) found.push(...variableOn(env, 'OPENCODE_DISABLE_PROJECT_CONFIG', WAYS.project, 'OPENCODE_DISABLE_PROJECT_CONFIG is set, so plugins of a project are left out'));
  if ((env['OPENCODE_TEST_HOME'] ?? '') !== '') found.push(doubtful(WAYS.home, 'OPENCODE_TEST_HOME gives OpenCode another home', { source: ENVIRONMENT, path: ['OPENCODE_TEST_HOME'] }));
  return found;
}
