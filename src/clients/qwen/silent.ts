// Contract: everything by which Qwen Code leaves our hooks out, as far as its files show it. Measured on 0.24.4, Linux, where it
// does not say otherwise. PURE.
import type { Fact, Finding, RootContext, SilentWay } from '../../model/client.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { doubtful, firstBoolean, folderRule, off, type Layer } from '../silent-kit.ts';

const SEEN = { basis: 'measured', versions: '0.24.4' } as const;

const WAYS = {
  disabled: { id: 'qwen.disable-all-hooks', looks: '`disableAllHooks: true` (also as a string) in the user, workspace, system or system-defaults settings', fix: 'remove disableAllHooks', ...SEEN },
  type: { id: 'qwen.hooks-type', looks: '`hooks` is not an object', fix: 'make hooks an object', ...SEEN },
  untrusted: { id: 'qwen.folder-untrusted', looks: '`DO_NOT_TRUST` for this folder, or one above it, in trustedFolders.json, where `security.folderTrust.enabled` is true', fix: 'trust the folder in the dialog of Qwen Code itself', basis: 'unknown' },
} as const satisfies Record<string, SilentWay>;

export const QWEN_SILENT: readonly SilentWay[] = Object.values(WAYS);

const seen = (text: string): Fact => ({ text, ...SEEN });
export const QWEN_UNSEEN: readonly Fact[] = [
  seen('`--safe-mode` and `--bare`, given to one session'),
  seen('a workspace settings file that is not valid JSON is replaced by the client in silence: before the next session it is seen as unreadable, afterwards as a registration that is gone'),
  seen('variables that only the client\'s own start gives it, such as another QWEN_HOME'),
];

// The strongest layer first. Measured: the workspace's `true` turns off hooks of the user and of the system, a system `false` wins over it.
const LAYERS: readonly Layer[] = [['system', 'the system settings'], ['project', 'the workspace settings'], ['own', 'the user settings'], ['defaults', 'the system-defaults settings']];

export function switches(documents: ReadonlyMap<string, JsonObject>, _env: RootContext['env'], context: RootContext): Finding[] {
  const found: Finding[] = [];
  const disabled = firstBoolean(documents, LAYERS, ['disableAllHooks'], new Map([['true', true]]));
  if (disabled?.value === true) {
    const [source, label] = disabled.layer;
    found.push(off(WAYS.disabled, `disableAllHooks is true in ${label}`, { source, path: ['disableAllHooks'] }, `remove disableAllHooks from ${label}`));
  }
  const asked = firstBoolean(documents, LAYERS.filter(([name]) => name !== 'project'), ['security', 'folderTrust', 'enabled']);
  const rule = asked?.value === true ? folderRule(documents.get('trust'), context) : undefined;
  if (rule?.value === 'DO_NOT_TRUST') found.push(doubtful(WAYS.untrusted, 'this folder is marked as not trusted', { source: 'trust', path: [rule.dir] }));
  return found;
}

export function lint(document: JsonObject): Finding[] {
  const hooks = document['hooks'];
  return hooks === undefined || isObject(hooks) ? [] : [off(WAYS.type, 'hooks is not an object', { path: ['hooks'] })];
}
