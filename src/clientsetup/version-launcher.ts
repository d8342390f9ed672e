// Contract: the text of the launcher of an installed workstation: it starts the version that install.json names. A file of its own,
// because `workstation status` compares with it and may load little. PURE.
import type { Platform } from '../model/client.ts';

export const quoted = (path: string): string => `'${path.replace(/'/g, `'\\''`)}'`;

export interface VersionLauncher {
  readonly platform: Platform;
  /** Absolute paths; the first that exists is taken, then whatever PATH calls node. */
  readonly nodes: readonly string[];
  readonly data: string;
  /** False where the data directory is not the one that the environment alone leads to: then the program must be told. */
  readonly usual: boolean;
  /** What becomes of a tool call where there is no Node: exit 2 refuses it in every client that listens to exit codes. */
  readonly onMissing: 'allow' | 'deny';
}

/**
 * Everything in it is a builtin of the shell: a hook starts Node and nothing else. The question for something new has lines of its own,
 * which are read for that question only. `current` stands alone on its line
 * (roots/install-record.ts), so the first such line is the pointer.
 */
function posixVersionLauncher({ nodes, data, usual, onMissing }: VersionLauncher): string {
  const deny = onMissing === 'deny' ? `case "$1 $3" in 'hook pre-tool'|'hook permission') exit 2;; esac; ` : '';
  return [
    '#!/bin/sh', '# Written by "praetorctl workstation install": it starts the version that install.json names.',
    `d=${quoted(data)}; c=${usual ? '' : '; export PRAETORCTL_DATA_DIR="${PRAETORCTL_DATA_DIR:-$d}"'}`,
    `[ -r "$d/install.json" ] && while IFS= read -r l; do case $l in '  "current": "'*) c=\${l#*: \\"}; c=\${c%%\\"*}; break;; esac; done <"$d/install.json"`,
    'p="$d/versions/$c/bin/praetorctl"; w="version \'$c\' is not installed in $d"',
    // Nothing but the id of a version may name a program: `../../elsewhere` is no place in `versions`.
    'case ${#c}:${c%%[!0123456789abcdef]*} in "16:$c") ;; *) p=;; esac',
    // Nothing new is known without Node (fleet/unchanged.ts). A file that is no sh must not end this one: `command`.
    `[ -f "$p" ] && case "$#$*" in '3workstation update --check'|'3workstation update --scheduled') u="$d/unchanged.sh"; [ -r "$u" ] && command . "$u";; esac`,
    `[ -f "$p" ] && { w='there is no Node.js'; for n in ${nodes.map(quoted).join(' ')}; do [ -x "$n" ] && exec "$n" "$p" "$@"; done; command -v node >/dev/null 2>&1 && exec node "$p" "$@"; }`,
    `echo "praetorctl: error: $w. fix: run praetorctl workstation install again" >&2; ${deny}exit 127`, '',
  ].join('\n');
}

const percentless = (path: string): string => path.replace(/%/g, '%%');

/** Not run on Windows. `for /f` reads the file itself; the first line that names `current` counts. */
function windowsVersionLauncher({ nodes, data, usual, onMissing }: VersionLauncher): string {
  const start = '"%P%" %*';
  return [
    '@echo off', 'rem Written by "praetorctl workstation install": it starts the version that install.json names.', 'setlocal DisableDelayedExpansion',
    `set "D=${percentless(data)}"`, ...(usual ? [] : ['if not defined PRAETORCTL_DATA_DIR set "PRAETORCTL_DATA_DIR=%D%"']), 'set "C="',
    `for /f "usebackq tokens=1,2 delims=:, " %%A in ("%D%\\install.json") do if not defined C if "%%~A"=="current" set "C=%%~B"`,
    'set "P=%D%\\versions\\%C%\\bin\\praetorctl"',
    'if exist "%P%" (', ...nodes.map((node) => `  if exist "${percentless(node)}" ("${percentless(node)}" ${start} & exit /b)`), `  where /q node && (node ${start} & exit /b)`, ')',
    'echo praetorctl: error: version "%C%" or Node.js is not there. fix: run praetorctl workstation install again 1>&2',
    ...(onMissing === 'deny' ? ['if "%~1 %~3"=="hook pre-tool" exit /b 2', 'if "%~1 %~3"=="hook permission" exit /b 2'] : []), 'exit /b 127', '',
  ].join('\r\n');
}

export function versionLauncherText(input: VersionLauncher): string {
  return input.platform === 'win32' ? windowsVersionLauncher(input) : posixVersionLauncher(input);
}
