// Contract: Qwen Code's managed channel: the system's settings file. Documented. PURE.
import type { Platform } from '../../model/client.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { documented } from '../facts.ts';

export function systemSettings(platform: Platform): string {
  if (platform === 'win32') return 'C:\\ProgramData\\qwen-code\\settings.json';
  return platform === 'darwin' ? '/Library/Application Support/QwenCode/settings.json' : '/etc/qwen-code/settings.json';
}

export const qwenManaged: ManagedSurface = {
  file: (platform) => ({
    path: systemSettings(platform), format: 'json', tolerance: { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false }, shared: true,
    basis: documented('the system settings'),
  }),
  winsOver: documented('settings of the user and the workspace'),
  blockedBy: [documented('QWEN_CODE_SYSTEM_SETTINGS_PATH in the environment of the client names another file')],
};
