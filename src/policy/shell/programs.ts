// Contract: every program that runs something else and is more than a plain wrapper, with its reader. PURE.
import type { Handler } from './call.ts';
import { FILE_TOOLS } from './files.ts';
import { git } from './git-runs.ts';
import { LANGUAGE_PROGRAMS } from './known.ts';
import { languages } from './langs.ts';
import { SHELL_PROGRAMS } from './shells.ts';
import { SPREAD_PROGRAMS } from './spread.ts';

const PROGRAMS: Readonly<Record<string, Handler>> = { ...FILE_TOOLS, ...SHELL_PROGRAMS, ...SPREAD_PROGRAMS, git };

export function handlerOf(program: string): Handler | undefined {
  if (Object.prototype.hasOwnProperty.call(PROGRAMS, program)) return PROGRAMS[program];
  return LANGUAGE_PROGRAMS.includes(` ${program} `) ? languages().handlers[program] : undefined;
}

export function handledPrograms(): readonly string[] {
  return [...Object.keys(PROGRAMS), ...LANGUAGE_PROGRAMS.trim().split(' ')];
}
