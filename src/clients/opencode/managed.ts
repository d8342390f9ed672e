// Contract: OpenCode's managed channel: our plugin in the machine's plugin directory. Documented. PURE.
import type { Platform } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented } from '../facts.ts';

const PLUGIN: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };

function managedDir(platform: Platform): string {
  return platform === 'win32' ? 'C:\\ProgramData\\opencode' : platform === 'darwin' ? '/Library/Application Support/opencode' : '/etc/opencode';
}

export const opencodeManaged: ManagedSurface = {
  file: (platform) => ({
    path: joinPath(platform, managedDir(platform), 'plugins', 'praetorctl.js'), format: 'artefact', tolerance: PLUGIN, shared: false,
    basis: documented('plugins of the managed configuration directory'),
  }),
  winsOver: documented('configuration of the user and the project'),
  blockedBy: [documented('nothing keeps a person from adding plugins and servers of their own; that takes the client\'s own policies'), documented('--pure leaves plugins out')],
};
