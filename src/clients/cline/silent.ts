// Contract: everything by which Cline CLI leaves our hook files out, as far as files and the environment show it; the checks
// themselves are shared and take their ids from the client. Measured on 3.0.65, Linux, where it does not say otherwise. PURE.
import type { Fact, SilentWay } from '../../model/client.ts';
import { documented, unknown } from '../facts.ts';

const SEEN = { basis: 'measured', versions: '3.0.65' } as const;

export const CLINE_SILENT: readonly SilentWay[] = [
  { id: 'cline.link-ignored', looks: 'a symbolic link in the place of a hook file', fix: 'remove the link, then apply', ...SEEN },
  { id: 'cline.runner-missing', looks: 'node is in no directory of PATH', fix: 'put node on the PATH with which Cline CLI is started', ...SEEN },
];

export const CLINE_UNSEEN: readonly Fact[] = [
  documented('a directory that `--config` names for one session, and variables that only the client\'s own start gives it, such as another CLINE_DIR'),
  documented('a hook file of the person\'s that rewrites the input of a call'),
  unknown('a hub that runs in the background with another PATH'),
];
