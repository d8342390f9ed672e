// Contract: the directories praetorctl keeps for itself, from an injected environment. PURE.
// An explicit PRAETORCTL_* directory must be absolute; relative XDG values are ignored, as their specification asks.
import { PraetorError } from '../model/diagnostic.ts';
import type { EnvMap } from '../model/dialect.ts';

export interface OwnDirs {
  readonly config: string;
  readonly state: string;
  readonly receipts: string;
  readonly runs: string;
  readonly locks: string;
}

export interface OwnDirsInput {
  /** `process.platform`; everything that is neither `darwin` nor `win32` follows the XDG rules. */
  readonly platform: string;
  readonly env: EnvMap;
  /** See homeOf(). Needed only where no variable names the directory. */
  readonly home: string | undefined;
}

export function ownDirs(input: OwnDirsInput): OwnDirs {
  const state = stateDir(input);
  const { platform } = input;
  return { config: configDir(input), state, receipts: below(platform, state, 'receipts'), runs: below(platform, state, 'runs'), locks: below(platform, state, 'locks') };
}

/** The home directory that the environment names; undefined where it is absent or relative. */
export function homeOf(input: { readonly platform: string; readonly env: EnvMap }): string | undefined {
  const value = input.env[input.platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  return value !== undefined && isAbsolute(input.platform, value) ? value : undefined;
}

export function configDir(input: OwnDirsInput): string {
  const { platform, env, home } = input;
  const named = override(input, 'PRAETORCTL_CONFIG_DIR');
  if (named !== undefined) return named;
  if (platform === 'darwin') return join(platform, needed(home), 'Library', 'Application Support', 'praetorctl');
  if (platform === 'win32') return join(platform, absolute(platform, env['APPDATA']) ?? join(platform, needed(home), 'AppData', 'Roaming'), 'praetorctl');
  return join(platform, absolute(platform, env['XDG_CONFIG_HOME']) ?? join(platform, needed(home), '.config'), 'praetorctl');
}

export function stateDir(input: OwnDirsInput): string {
  const { platform, env, home } = input;
  const named = override(input, 'PRAETORCTL_STATE_DIR');
  if (named !== undefined) return named;
  if (platform === 'darwin') return join(platform, needed(home), 'Library', 'Application Support', 'praetorctl', 'state');
  if (platform === 'win32') return join(platform, absolute(platform, env['LOCALAPPDATA']) ?? join(platform, needed(home), 'AppData', 'Local'), 'praetorctl', 'state');
  return join(platform, absolute(platform, env['XDG_STATE_HOME']) ?? join(platform, needed(home), '.local', 'state'), 'praetorctl');
}

/** Installed versions and their record. On macOS it is the directory that holds everything of ours. */
export function dataDir(input: OwnDirsInput): string {
  const { platform, env, home } = input;
  const named = override(input, 'PRAETORCTL_DATA_DIR');
  if (named !== undefined) return named;
  if (platform === 'darwin') return join(platform, needed(home), 'Library', 'Application Support', 'praetorctl');
  if (platform === 'win32') return join(platform, absolute(platform, env['LOCALAPPDATA']) ?? join(platform, needed(home), 'AppData', 'Local'), 'praetorctl');
  return join(platform, absolute(platform, env['XDG_DATA_HOME']) ?? join(platform, needed(home), '.local', 'share'), 'praetorctl');
}

/** In the data directory: the key with which a workstation signs, where no agent holds one. */
export const HOST_KEY_FILE = 'host_ed25519';

/** The data directory in which an installed version stands; undefined for a program that stands elsewhere. */
export function dataDirOfVersion(platform: string, installation: string): string | undefined {
  const separator = platform === 'win32' ? '\\' : '/';
  const at = installation.lastIndexOf(separator);
  const versions = `${separator}versions`;
  const end = at - versions.length;
  return end > 0 && installation.startsWith(versions, end) ? installation.slice(0, end) : undefined;
}

function override({ platform, env }: OwnDirsInput, name: string): string | undefined {
  const value = env[name];
  if (value === undefined || value === '') return undefined;
  if (isAbsolute(platform, value)) return trimEnd(platform, value);
  throw new PraetorError({ code: 'root-override-relative', message: `${name} is not an absolute path`, fix: `set ${name} to an absolute path, or unset it` });
}

function needed(home: string | undefined): string {
  if (home !== undefined) return home;
  throw new PraetorError({ code: 'no-home', message: 'no home directory is known', fix: 'set HOME (USERPROFILE on Windows), or PRAETORCTL_CONFIG_DIR, PRAETORCTL_STATE_DIR and PRAETORCTL_DATA_DIR' });
}

function absolute(platform: string, value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(platform, value) ? value : undefined;
}

function isAbsolute(platform: string, path: string): boolean {
  if (platform !== 'win32') return path.startsWith('/');
  const drive = path.length > 2 && path[1] === ':' && (path[2] === '\\' || path[2] === '/');
  return drive || path.startsWith('\\\\');
}

function trimEnd(platform: string, path: string): string {
  let end = path.length;
  const last = platform === 'win32' ? 3 : 1;
  while (end > last && (path[end - 1] === '/' || (platform === 'win32' && path[end - 1] === '\\'))) end--;
  return path.slice(0, end);
}

/** A name below a directory of ours. */
export function below(platform: string, directory: string, name: string): string {
  return directory + (platform === 'win32' ? '\\' : '/') + name;
}

function join(platform: string, first: string, ...rest: string[]): string {
  const separator = platform === 'win32' ? '\\' : '/';
  const base = trimEnd(platform, first);
  return [base.endsWith(separator) ? base.slice(0, -1) : base, ...rest].join(separator);
}
