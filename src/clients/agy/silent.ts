// Contract: everything by which Antigravity leaves our hooks out, as far as its files show it. Documented and third-party measured
// only; nothing here was run by us. PURE.
import type { EventArray, Fact, Finding, SilentWay } from '../../model/client.ts';
import { isObject, type JsonObject, type Path } from '../../model/json.ts';
import { dropped, off } from '../silent-kit.ts';

const READ = { basis: 'documented', versions: '1.0.x to 1.5.x, third-party reports' } as const;

/** The name of our group at the top level. */
export const GROUP = 'praetorctl';

const WAYS = {
  dropped: { id: 'agy.hooks-file-dropped', looks: 'a top-level `enabled`, a named hook that is no object, an event that is no list, a group where a flat list belongs, an unknown type or a timeout that is no whole number, of anybody, in hooks.json', fix: 'correct that entry, then run: praetorctl clients plan --client agy', ...READ },
  disabled: { id: 'agy.group-disabled', looks: '`enabled: false` in our group', fix: `remove ${GROUP}.enabled or set it to true`, ...READ },
} as const satisfies Record<string, SilentWay>;

export const AGY_SILENT: readonly SilentWay[] = Object.values(WAYS);

const read = (text: string): Fact => ({ text, ...READ });
export const AGY_UNSEEN: readonly Fact[] = [
  read('`--gemini_dir`, given to one session'),
  read('a workspace registration in print mode where the directory is no open workspace'),
  read('whether the IDE reads another hooks.json than the command line does'),
  read('tool calls of subagents pass no hook (1.2.16)'),
];

const FLAT_EVENTS = ['PreInvocation', 'PostInvocation', 'Stop', 'SessionStart'];

/** Named groups at top level: `{name: {enabled?, Event: [...]}}`. */
export function arrays(document: JsonObject): EventArray[] {
  return Object.keys(document).flatMap((name) => {
    const group = document[name];
    if (!isObject(group)) return [];
    return Object.keys(group).flatMap((native) => {
      const items = group[native];
      return Array.isArray(items) ? [{ path: [name, native], native, items }] : [];
    });
  });
}

function lintHandler(handler: unknown): string | undefined {
  if (!isObject(handler)) return 'a handler is not an object';
  const type = handler['type'];
  if (type !== undefined && type !== 'command' && type !== 'prompt') return 'a handler has an unknown type';
  return handler['timeout'] !== undefined && !Number.isInteger(handler['timeout']) ? 'a timeout is not a whole number' : undefined;
}

export function lint(document: JsonObject): Finding[] {
  const found: Finding[] = [];
  const drop = (message: string, path: Path): void => { found.push(dropped(WAYS.dropped, `${message}; Antigravity drops the whole file`, { path })); };
  for (const name of Object.keys(document)) {
    const group = document[name];
    if (!isObject(group)) { drop('a named hook is not an object', [name]); continue; }
    for (const key of Object.keys(group)) {
      if (key === 'enabled') { if (typeof group[key] !== 'boolean') drop('enabled is not a boolean', [name, key]); continue; }
      if (/^[A-Z]/.test(key) && !Array.isArray(group[key])) drop('an event is not a list', [name, key]);
    }
  }
  for (const array of arrays(document)) {
    array.items.forEach((item, index) => {
      const grouped = isObject(item) && Array.isArray(item['hooks']);
      const at = [...array.path, index];
      if (grouped && FLAT_EVENTS.includes(array.native)) drop('an event that takes a flat list has a group', at);
      for (const handler of isObject(item) && Array.isArray(item['hooks']) ? item['hooks'] : [item]) {
        const fault = lintHandler(handler);
        if (fault !== undefined) drop(fault, at);
      }
    });
  }
  return found;
}

export function switches(documents: ReadonlyMap<string, JsonObject>): Finding[] {
  const source = documents.has('scoped') ? 'scoped' : 'own';
  const group = documents.get(source)?.[GROUP];
  if (!isObject(group) || group['enabled'] !== false) return [];
  return [off(WAYS.disabled, `the hook group ${GROUP} has enabled = false`, { source, path: [GROUP, 'enabled'] })];
}
