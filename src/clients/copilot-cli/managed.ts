// Contract: Copilot CLI's managed channel: a file of our own in its policy directory. Documented. PURE.
import type { Platform } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented } from '../facts.ts';

const HOOKS: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

const policyDir = (platform: Platform): string => (platform === 'win32' ? 'C:\\ProgramData\\GitHub\\Copilot\\policy.d' : '/etc/github-copilot/policy.d');

export const copilotManaged: ManagedSurface = {
  file: (platform) => ({
    path: joinPath(platform, policyDir(platform), '50-praetorctl.json'), format: 'json', tolerance: HOOKS, shared: false,
    basis: documented('policy hooks: loaded first, whether or not the folder is trusted'),
  }),
  winsOver: documented('every other source: disableAllHooks does not reach policy hooks'),
  blockedBy: [
    documented('a directory or file that is not owned by root, or that group or others may write'),
    documented('a document that is not JSON is dropped, a malformed entry too; a timeout runs the tool, in policy hooks as well'),
    documented('the coding agent in the cloud does not read it'),
  ],
};
