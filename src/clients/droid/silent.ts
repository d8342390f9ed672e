// Contract: everything by which Factory Droid leaves hooks out, as far as its files show it. Measured on 0.215.0, Linux, where it
// does not say otherwise. PURE.
import type { Fact, Finding, SilentWay } from '../../model/client.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { documented } from '../facts.ts';
import { doubtful, note } from '../silent-kit.ts';

const SEEN = { basis: 'measured', versions: '0.215.0' } as const;

const WAYS = {
  wrapped: { id: 'droid.wrapped-hooks', looks: 'a `hooks` wrapper in hooks.json: what is inside never runs', fix: 'move its events to the top level of the file', ...SEEN },
  disabled: { id: 'droid.hooks-disabled', looks: '`hooksDisabled: true` in the user\'s settings.json', fix: 'remove hooksDisabled from settings.json', basis: 'documented' },
  shadowed: { id: 'droid.settings-hooks-shadowed', looks: 'hooks of the person in settings.json for events that hooks.json names: they do not run', fix: 'move them from settings.json into hooks.json', ...SEEN },
} as const satisfies Record<string, SilentWay>;

export const DROID_SILENT: readonly SilentWay[] = Object.values(WAYS);

const seen = (text: string): Fact => ({ text, ...SEEN });
export const DROID_UNSEEN: readonly Fact[] = [
  documented('an organisation that allows managed hooks only'),
  documented('a hooks.json that changed after the session began: hooks are read at its start'),
  seen('`UserPromptSubmit` does not fire in `droid exec`'),
  documented('hooks that Droid imported from another client, which would run beside ours'),
];

export function lintHooks(document: JsonObject): Finding[] {
  if (document['hooks'] === undefined) return [];
  return [note(WAYS.wrapped, 'Droid ignores a "hooks" wrapper in hooks.json: what is inside never runs', { path: ['hooks'] })];
}

/** Documented as a switch for all hooks; in `droid exec` it was seen to stop none. */
export function switches(documents: ReadonlyMap<string, JsonObject>): Finding[] {
  if (documents.get('settings')?.['hooksDisabled'] !== true) return [];
  return [doubtful(WAYS.disabled, 'hooksDisabled is true in settings.json (droid exec ran hooks all the same)', { source: 'settings', path: ['hooksDisabled'] })];
}

/** Measured: an event that hooks.json names is taken from there alone, so the person's own hooks of that event stop running. */
export function shadows(documents: ReadonlyMap<string, JsonObject>, natives: readonly string[]): Finding[] {
  const hooks = documents.get('settings')?.['hooks'];
  const lost = isObject(hooks) ? natives.filter((native) => Array.isArray(hooks[native]) && hooks[native].length > 0) : [];
  if (lost.length === 0) return [];
  return [note(WAYS.shadowed, `the hooks in settings.json for ${lost.join(', ')} do not run while hooks.json names the same events`, { source: 'settings', path: ['hooks'] })];
}
