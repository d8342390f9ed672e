// Contract: the Gemini CLI's managed channel: the system's settings file. Measured on 0.61.0, Linux. PURE.
import type { Platform } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { documented, measuredOn } from '../facts.ts';

const measured = measuredOn('0.61.0');

const SETTINGS: Tolerance = { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

export function systemSettings(platform: Platform): string {
  if (platform === 'win32') return 'C:\\ProgramData\\gemini-cli\\settings.json';
  return platform === 'darwin' ? '/Library/Application Support/GeminiCli/settings.json' : '/etc/gemini-cli/settings.json';
}

export const geminiManaged: ManagedSurface = {
  file: (platform) => ({
    path: systemSettings(platform), format: 'json', tolerance: SETTINGS, shared: true,
    basis: platform === 'linux' ? measured('the system settings are read, and refused where a directory above is writable for group or others') : documented('the system settings of this system'),
  }),
  winsOver: documented('settings of the user and the workspace'),
  blockedBy: [
    documented('GEMINI_CLI_SYSTEM_SETTINGS_PATH in the environment of the client names another file: the vendor itself recommends a wrapper, and calls this no security boundary'),
    measured('a directory above that group or others may write'),
  ],
};
