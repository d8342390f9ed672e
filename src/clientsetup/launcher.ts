// Contract: the launcher file ~/.local/bin/praetorctl. The registered command is bare words, so it must resolve on the PATH
// of the clients: a missing program makes Gemini CLI and Antigravity refuse every call and others run unguarded. Where it
// does not resolve, apply writes this launcher as part of the plan and remove takes it out again. An installed workstation has the
// same file from the same plan, but its own text (it starts the version that install.json names) and its own owner: apply and
// remove leave it alone. PURE.
import type { Platform, RootContext } from '../model/client.ts';
import type { FileSpec } from '../model/client.ts';
import type { FileRecord, Snapshot } from '../model/plan.ts';
import { joinPath } from '../roots/paths.ts';
import { planOwnFile, type OwnFileVerdict } from './own-file.ts';

/** Never a package name: whoever owns it on a registry would be installed. */
export const INSTALL_FIX = 'run in the praetorctl checkout: npm install -g .';

export const LAUNCHER_OWNER = 'praetorctl';
/** The record of the launcher carries this name once a workstation was installed. */
export const WORKSTATION_OWNER = 'workstation';

/** Whose record keeps no client's registration. */
export const isLauncherOwner = (client: string): boolean => client === LAUNCHER_OWNER || client === WORKSTATION_OWNER;

export function launcherFile(path: string): FileSpec {
  return {
    role: 'launcher', scope: 'user', path, format: 'json', secret: false, executable: true,
    tolerance: { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false },
  };
}

/** POSIX only: on Windows a program directory on PATH is not ours to choose, so the person installs it with npm. */
export function launcherSpec(context: RootContext): FileSpec | undefined {
  return context.platform === 'win32' ? undefined : launcherFile(joinPath(context.platform, context.home, '.local', 'bin', 'praetorctl'));
}

const quoted = (path: string): string => `'${path.replace(/'/g, `'\\''`)}'`;

export function launcherText(node: string, script: string): string {
  return `#!/bin/sh\n# Written by "praetorctl clients apply"; "praetorctl clients remove" takes it away.\nexec ${quoted(node)} ${quoted(script)} "$@"\n`;
}

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
 * Everything in it is a builtin of the shell: a hook starts Node and nothing else. `current` stands alone on its line
 * (roots/install-record.ts), so the first such line is the pointer.
 */
function posixVersionLauncher({ nodes, data, usual, onMissing }: VersionLauncher): string {
  const deny = onMissing === 'deny' ? `case "$1 $3" in 'hook pre-tool'|'hook permission') exit 2;; esac; ` : '';
  return [
    '#!/bin/sh', '# Written by "praetorctl workstation install": it starts the version that install.json names.',
    `d=${quoted(data)}; c=${usual ? '' : '; export PRAETORCTL_DATA_DIR="$d"'}`,
    `[ -r "$d/install.json" ] && while IFS= read -r l; do case $l in '  "current": "'*) c=\${l#*: \\"}; c=\${c%%\\"*}; break;; esac; done <"$d/install.json"`,
    'p="$d/versions/$c/bin/praetorctl"; w="version \'$c\' is not installed in $d"',
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
    `set "D=${percentless(data)}"`, ...(usual ? [] : ['set "PRAETORCTL_DATA_DIR=%D%"']), 'set "C="',
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

export interface LauncherInput {
  readonly spec: FileSpec;
  readonly owner?: typeof LAUNCHER_OWNER | typeof WORKSTATION_OWNER;
  readonly snapshot: Snapshot;
  readonly record: FileRecord | undefined;
  /** undefined: no launcher is wanted. */
  readonly text: string | undefined;
}

export function planLauncher({ spec, snapshot, record, text, owner = LAUNCHER_OWNER }: LauncherInput): OwnFileVerdict {
  return planOwnFile({
    owner, spec, snapshot, record, text, entry: { kind: 'launcher', name: 'praetorctl', detail: 'the program that the hooks call' },
    foreign: {
      code: 'entrypoint-not-on-path', severity: 'warning', where: { path: spec.path },
      message: 'praetorctl does not resolve on PATH, and a foreign file stands where its launcher would go', fix: INSTALL_FIX,
    },
  });
}
