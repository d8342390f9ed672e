// Contract: Copilot CLI's managed channel: a file of our own in its policy directory. Measured on 1.0.102, Linux. PURE.
import type { Platform } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, measuredOn } from '../facts.ts';

const measured = measuredOn('1.0.102');

const HOOKS: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

const policyDir = (platform: Platform): string => (platform === 'win32' ? 'C:\\ProgramData\\GitHub\\Copilot\\policy.d' : '/etc/github-copilot/policy.d');

export const copilotManaged: ManagedSurface = {
  file: (platform) => ({
    path: joinPath(platform, policyDir(platform), '50-praetorctl.json'), format: 'json', tolerance: HOOKS, shared: false,
    basis: platform === 'linux' ? measured('policy hooks are run with nothing in the home') : documented('policy hooks: loaded first, whether or not the folder is trusted'),
  }),
  // A person's hooks file may leave it out; a policy document without it is skipped (measured: "version: Required" in the log).
  besides: { version: 1 },
  winsOver: documented('every other source: disableAllHooks does not reach policy hooks'),
  blockedBy: [
    documented('a directory or file that is not owned by root, or that group or others may write'),
    documented('a document that is not JSON is dropped, a malformed entry too; a timeout runs the tool, in policy hooks as well'),
    documented('the coding agent in the cloud does not read it'),
  ],
};
