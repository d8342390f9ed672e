// Contract: the shells in which clients run a registered string: how each is started with it, and by which form of the string it
// would run something else or nothing. PURE. The Windows forms are data: they were not run on Windows.
import type { Platform, ShellName } from '../model/client.ts';

interface Shell {
  /** Program and arguments that run a command line as the clients do. */
  readonly argv: (command: string) => readonly [string, ...string[]];
  /** Why this shell would not run the string as it stands; undefined: it would. */
  readonly fault: (command: string) => string | undefined;
}

const quoted = (command: string): boolean => command.trimStart().startsWith('"') || command.trimStart().startsWith("'");

export const SHELL_FORMS: Readonly<Record<ShellName, Shell>> = {
  sh: { argv: (command) => ['/bin/sh', '-c', command], fault: () => undefined },
  bash: {
    argv: (command) => ['bash', '-c', command],
    fault: (command) => (!quoted(command) && command.includes('\\') ? 'bash eats the backslashes of an unquoted path' : undefined),
  },
  cmd: {
    argv: (command) => ['cmd.exe', '/d', '/s', '/c', `"${command}"`],
    fault: (command) => (command.trimStart().startsWith("'") ? 'cmd knows no single quotes' : undefined),
  },
  powershell: {
    argv: (command) => ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', command],
    fault: (command) => (quoted(command) ? 'PowerShell takes a path in quotes for a text: it runs nothing, or fails' : undefined),
  },
};

/** Where a row does not know better. */
const USUAL: Readonly<Record<'posix' | 'win32', readonly ShellName[]>> = { posix: ['sh'], win32: ['cmd', 'powershell'] };

export function shellsOf(shells: { readonly posix: readonly ShellName[]; readonly win32: readonly ShellName[] } | undefined, platform: Platform): readonly ShellName[] {
  return (shells ?? USUAL)[platform === 'win32' ? 'win32' : 'posix'];
}
