// Contract: readers that most lines do not need: python and its kind, PowerShell, cmd, other machines, editors. PURE. In the hook's policy bundle
// src/hook/load-langs.ts stands in its place and loads them at the first use.
import type { Call, Handler, Reader } from './call.ts';
import { INTERPRETERS } from './interpreters.ts';
import { REMOTE_PROGRAMS } from './remote.ts';
import { SELDOM_TOOLS } from './tools.ts';
import { readPowerShell, WINDOWS_PROGRAMS } from './windows.ts';

export interface Languages {
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly readPowerShell: (walker: Reader, call: Call, source: string, within: string) => void;
}

export function languages(): Languages {
  return { handlers: { ...INTERPRETERS, ...WINDOWS_PROGRAMS, ...REMOTE_PROGRAMS, ...SELDOM_TOOLS }, readPowerShell };
}
