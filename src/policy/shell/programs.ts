// Contract: every program that runs something else and is more than a plain wrapper, with its reader. PURE.
import type { Handler } from './call.ts';
import { git } from './git-runs.ts';
import { INTERPRETERS } from './interpreters.ts';
import { REMOTE_PROGRAMS } from './remote.ts';
import { SHELL_PROGRAMS } from './shells.ts';
import { SPREAD_PROGRAMS } from './spread.ts';
import { TOOL_PROGRAMS } from './tools.ts';
import { WINDOWS_PROGRAMS } from './windows.ts';

export const PROGRAMS: Readonly<Record<string, Handler>> = { ...TOOL_PROGRAMS, ...SHELL_PROGRAMS, ...SPREAD_PROGRAMS, ...REMOTE_PROGRAMS, ...INTERPRETERS, ...WINDOWS_PROGRAMS, git };
