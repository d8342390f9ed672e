// Contract: everything by which GitHub Copilot CLI leaves our hooks out, as far as its files show it. Measured on 1.0.102, Linux,
// where it does not say otherwise. PURE.
import type { Fact, Finding, SilentWay } from '../../model/client.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { doubtful, dropped, off } from '../silent-kit.ts';

const SEEN = { basis: 'measured', versions: '1.0.102' } as const;

const WAYS = {
  version: { id: 'copilot-cli.hooks-version', looks: '`version` is not 1 in our hooks file', fix: 'set version to 1', ...SEEN },
  type: { id: 'copilot-cli.hooks-type', looks: '`hooks` is not an object in our hooks file', fix: 'make hooks an object', ...SEEN },
  fileDisabled: { id: 'copilot-cli.hooks-file-disables', looks: '`disableAllHooks: true` in the file of our hooks; in another file of the directory it does not stop ours (measured)', fix: 'remove disableAllHooks', ...SEEN },
  disabled: { id: 'copilot-cli.disable-all-hooks', looks: '`disableAllHooks: true` in the repository\'s .github/copilot/settings.json or settings.local.json', fix: 'remove disableAllHooks', basis: 'documented' },
} as const satisfies Record<string, SilentWay>;

export const COPILOT_SILENT: readonly SilentWay[] = Object.values(WAYS);

const seen = (text: string): Fact => ({ text, ...SEEN });
export const COPILOT_UNSEEN: readonly Fact[] = [
  seen('a project registration in a folder that is not trusted: it is left out in silence'),
  seen('a hook that takes longer than its timeout: the call runs'),
  seen('variables that only the client\'s own start gives it, such as another COPILOT_HOME'),
];

export function lintHooks(document: JsonObject): Finding[] {
  const found: Finding[] = [];
  if (document['version'] !== undefined && document['version'] !== 1) found.push(dropped(WAYS.version, 'version is not 1; Copilot CLI ignores the whole file', { path: ['version'] }));
  if (document['hooks'] !== undefined && !isObject(document['hooks'])) found.push(dropped(WAYS.type, 'hooks is not an object; Copilot CLI ignores the whole file', { path: ['hooks'] }));
  return found;
}

/**
 * Documented: the repository's switch turns off hooks of every source. Measured: one in the user's settings.json does not, one in our
 * own hooks file does, one in another file of the directory does not.
 */
export function switches(documents: ReadonlyMap<string, JsonObject>): Finding[] {
  const disables = (name: string): boolean => documents.get(name)?.['disableAllHooks'] === true;
  const found = disables('own') ? [off(WAYS.fileDisabled, 'disableAllHooks is true in the file of our hooks', { source: 'own', path: ['disableAllHooks'] })] : [];
  const source = ['local', 'project'].find(disables);
  if (source === undefined) return found;
  const file = source === 'local' ? '.github/copilot/settings.local.json' : '.github/copilot/settings.json';
  // Documented: policy hooks cannot be disabled by it.
  return [...found, { ...doubtful(WAYS.disabled, `disableAllHooks is true in ${file}`, { source, path: ['disableAllHooks'] }, `remove disableAllHooks from ${file}`), sparesManaged: true }];
}
