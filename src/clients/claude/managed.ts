// Contract: Claude Code's managed channel: a file of our own in the directory of drop-ins. Measured on 2.1.197 and 2.1.332, Linux. PURE.
import type { Platform } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, documentedFor, measuredOn } from '../facts.ts';

const measured = measuredOn('2.1.197, 2.1.332');

const STRICT: Tolerance = { comments: false, trailingCommas: false, bom: true, utf16le: true, emptyIsObject: false };

/** The directory of managed settings. */
export function managedDir(platform: Platform): string {
  return platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';
}

export const claudeManaged: ManagedSurface = {
  file: (platform) => ({
    path: joinPath(platform, managedDir(platform), 'managed-settings.d', '50-praetorctl.json'), format: 'json', tolerance: STRICT, shared: false,
    basis: platform === 'linux' ? measured('drop-ins are read in the order of their names, lists are joined') : documentedFor('2.1.197, read in its program')('drop-ins of this directory'),
  }),
  winsOver: measured('hooks of the user, the project, the local file and plugins: those run too, but cannot switch these off, whatever disableAllHooks says there'),
  blockedBy: [
    documented('managed settings from the vendor\'s server, or an MDM profile or HKLM policy for com.anthropic.claudecode: sources are first-wins and never joined, so this file is not read where one of them is'),
    measured('disableAllHooks in the managed settings themselves; of several files the last name wins'),
    measured('a comment in this file: 2.1.197 goes on without it, 2.1.332 ends with exit 1'),
  ],
  domain: { domain: 'com.anthropic.claudecode', basis: documented('an MDM profile for this domain is read before the files, and then they are not') },
};
