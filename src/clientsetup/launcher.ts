// Contract: the launcher file ~/.local/bin/praetorctl. The registered command is bare words, so it must resolve on the PATH
// of the clients: a missing program makes Gemini CLI and Antigravity refuse every call and others run unguarded. Where it
// does not resolve, apply writes this launcher as part of the plan and remove takes it out again. An installed workstation has the
// same file from the same plan, but its own text (it starts the version that install.json names) and its own owner: apply and
// remove leave it alone. PURE.
import type { RootContext } from '../model/client.ts';
import type { FileSpec } from '../model/client.ts';
import type { FileRecord, Snapshot } from '../model/plan.ts';
import { joinPath } from '../roots/paths.ts';
import { quoted } from './version-launcher.ts';
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


export function launcherText(node: string, script: string): string {
  return `#!/bin/sh\n# Written by "praetorctl clients apply"; "praetorctl clients remove" takes it away.\nexec ${quoted(node)} ${quoted(script)} "$@"\n`;
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
