// Contract: where Claude Code takes hooks from besides the settings of the user and the project: the local layer, and the
// plugins that are installed and enabled. Form of the list as captured on 2.1.332 (installed_plugins.json, version 2). PURE.
import type { EvidenceFile, OtherHooks } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { joinPath } from '../../roots/paths.ts';

const STRICT: Tolerance = { comments: false, trailingCommas: false, bom: true, utf16le: true, emptyIsObject: false };
const file = (name: string, path: string): EvidenceFile => ({ name, path, format: 'json', tolerance: STRICT });

function isEnabled(plugin: string, lists: ReadonlyMap<string, JsonObject>): boolean {
  return ['settings', 'project', 'local'].some((name) => {
    const enabled = lists.get(name)?.['enabledPlugins'];
    return isObject(enabled) && enabled[plugin] === true;
  });
}

export const claudeOtherHooks: OtherHooks = {
  lists: ({ paths }) => [
    file('settings', paths['settings'] ?? ''), file('project', paths['projectSettings'] ?? ''), file('local', paths['localSettings'] ?? ''), file('plugins', paths['plugins'] ?? ''),
  ],
  places: ({ paths }, lists) => {
    const plugins = lists.get('plugins')?.['plugins'];
    const installed = isObject(plugins) ? Object.entries(plugins) : [];
    const found = installed.filter(([name]) => isEnabled(name, lists)).flatMap(([name, installs]) => {
      const places = Array.isArray(installs) ? installs.flatMap((one) => (isObject(one) && typeof one['installPath'] === 'string' ? [one['installPath']] : [])) : [];
      return [...new Set(places)].map((path) => file(`plugin ${name}`, joinPath(path.includes('\\') ? 'win32' : 'linux', path, 'hooks', 'hooks.json')));
    });
    return [file('local settings', paths['localSettings'] ?? ''), ...found];
  },
};
