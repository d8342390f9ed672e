// Contract: OpenCode's managed channel: our plugin, and the machine's configuration that names it. Measured on 1.18.33, Linux. PURE.
import type { Platform } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { ManagedCompanion, ManagedSurface } from '../../model/managed.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, measuredOn } from '../facts.ts';

const measured = measuredOn('1.18.33');

const PLUGIN: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };

function managedDir(platform: Platform): string {
  return platform === 'win32' ? 'C:\\ProgramData\\opencode' : platform === 'darwin' ? '/Library/Application Support/opencode' : '/etc/opencode';
}

const CONFIG: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: false, emptyIsObject: false };

const pluginPath = (platform: Platform): string => joinPath(platform, managedDir(platform), 'plugins', 'praetorctl.js');

const basis = (platform: Platform): ManagedCompanion['basis'] => (platform === 'linux' ? measured('a plugin that the managed configuration names is loaded') : documented('the managed configuration directory'));

/** Plugins of that directory are not found by themselves (measured), so the configuration names ours. */
function config(platform: Platform): ManagedCompanion {
  const url = `file://${platform === 'win32' ? '/' : ''}${pluginPath(platform).replace(/\\/g, '/').replace(/ /g, '%20')}`;
  return { path: joinPath(platform, managedDir(platform), 'opencode.json'), format: 'json', tolerance: CONFIG, shared: true, basis: basis(platform), content: { plugin: [url] } };
}

export const opencodeManaged: ManagedSurface = {
  file: (platform) => ({ path: pluginPath(platform), format: 'artefact', tolerance: PLUGIN, shared: false, basis: basis(platform) }),
  also: (platform) => [config(platform)],
  winsOver: documented('configuration of the user and the project'),
  blockedBy: [documented('nothing keeps a person from adding plugins and servers of their own; that takes the client\'s own policies'), documented('--pure leaves plugins out')],
};
