// Contract: Windsurf's managed channel: the system's hooks file. Documented; nothing was run. PURE.
import type { Platform } from '../../model/client.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { documented } from '../facts.ts';

function hooksFile(platform: Platform): string {
  if (platform === 'win32') return 'C:\\ProgramData\\Windsurf\\hooks.json';
  return platform === 'darwin' ? '/Library/Application Support/Windsurf/hooks.json' : '/etc/windsurf/hooks.json';
}

export const windsurfManaged: ManagedSurface = {
  file: (platform) => ({
    path: hooksFile(platform), format: 'json', tolerance: { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false }, shared: true,
    basis: documented('the system hooks file'),
  }),
  winsOver: documented('hooks of the user and the workspace'),
  blockedBy: [documented('it cannot be made to fail closed: a hook that does not start lets the action go on')],
};
