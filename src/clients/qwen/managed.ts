// Contract: Qwen Code's managed channel: the system's settings file. Measured on 0.24.4, Linux. PURE.
import type { Platform } from '../../model/client.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { documented, measuredOn } from '../facts.ts';

export function systemSettings(platform: Platform): string {
  if (platform === 'win32') return 'C:\\ProgramData\\qwen-code\\settings.json';
  return platform === 'darwin' ? '/Library/Application Support/QwenCode/settings.json' : '/etc/qwen-code/settings.json';
}

export const qwenManaged: ManagedSurface = {
  file: (platform) => ({
    path: systemSettings(platform), format: 'json', tolerance: { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false }, shared: true,
    basis: platform === 'linux' ? measuredOn('0.24.4')('hooks of the system settings are run with nothing in the home') : documented('the system settings'),
  }),
  winsOver: documented('settings of the user and the workspace'),
  blockedBy: [documented('QWEN_CODE_SYSTEM_SETTINGS_PATH in the environment of the client names another file')],
};
