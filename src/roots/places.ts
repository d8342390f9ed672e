// Contract: where programs, apps and editor extensions usually stand on each platform, besides PATH: a session of a desktop, a
// scheduler or an editor has a shorter PATH than the person's shell. Documented by the installers named; not every one was run. PURE.
import type { RootContext } from '../model/client.ts';
import { isAbsolutePath, joinPath } from './paths.ts';

/** A version manager that keeps more than this is not read further. */
const VERSIONS_MAX = 64;

/** The directory that a variable names, if it is absolute. */
function named({ platform, env }: RootContext, name: string): string | undefined {
  const value = env[name];
  return value !== undefined && isAbsolutePath(platform, value) ? value : undefined;
}

/** `bin` of every Node that nvm or fnm keeps: a client installed under one of them is on PATH only while that one is chosen. */
function nodeVersions(context: RootContext): string[] {
  const { platform, home } = context;
  const at = (...parts: string[]): string => joinPath(platform, home, ...parts);
  const each = (dir: string, ...rest: string[]): string[] => [...context.dirNames(dir)].slice(-VERSIONS_MAX).reverse().map((name) => joinPath(platform, dir, name, ...rest));
  if (platform === 'win32') return [];
  const fnm = named(context, 'FNM_DIR') ?? (platform === 'darwin' ? at('Library', 'Application Support', 'fnm') : at('.local', 'share', 'fnm'));
  return [...each(joinPath(platform, named(context, 'NVM_DIR') ?? at('.nvm'), 'versions', 'node'), 'bin'), ...each(joinPath(platform, fnm, 'node-versions'), 'installation', 'bin')];
}

function windowsBinDirs(context: RootContext): string[] {
  const { platform, home } = context;
  const at = (base: string, ...parts: string[]): string => joinPath(platform, base, ...parts);
  const local = named(context, 'LOCALAPPDATA') ?? at(home, 'AppData', 'Local');
  const roaming = named(context, 'APPDATA') ?? at(home, 'AppData', 'Roaming');
  return [
    at(roaming, 'npm'), at(home, '.local', 'bin'), named(context, 'PNPM_HOME') ?? at(local, 'pnpm'), at(home, '.bun', 'bin'), at(local, 'Volta', 'bin'),
    at(local, 'Microsoft', 'WinGet', 'Links'), at(home, 'scoop', 'shims'), at(named(context, 'ProgramData') ?? 'C:\\ProgramData', 'chocolatey', 'bin'),
    at(named(context, 'ProgramFiles') ?? 'C:\\Program Files', 'nodejs'),
  ];
}

/** Directories of programs, in the order in which they are looked at after PATH. */
export function usualBinDirs(context: RootContext): readonly string[] {
  const { platform, home } = context;
  if (platform === 'win32') return windowsBinDirs(context);
  const at = (...parts: string[]): string => joinPath(platform, home, ...parts);
  const pnpm = named(context, 'PNPM_HOME') ?? (platform === 'darwin' ? at('Library', 'pnpm') : at('.local', 'share', 'pnpm'));
  const own = [at('.local', 'bin'), at('bin'), at('.npm-global', 'bin'), pnpm, at('.bun', 'bin'), at('.deno', 'bin'), at('.volta', 'bin'), at('.cargo', 'bin'), at('go', 'bin'), at('.nix-profile', 'bin'), at('.asdf', 'shims'), at('.local', 'share', 'mise', 'shims')];
  const shared = platform === 'darwin' ? ['/opt/homebrew/bin', '/usr/local/bin'] : ['/usr/local/bin', '/home/linuxbrew/.linuxbrew/bin', '/snap/bin'];
  return [...own, ...shared, ...nodeVersions(context)];
}

/** Directories of app bundles; only macOS has them. */
export function appDirs({ platform, home }: RootContext): readonly string[] {
  return platform === 'darwin' ? ['/Applications', joinPath(platform, home, 'Applications')] : [];
}

/** Folders below the home in which editors of the VS Code kind keep their extensions. */
const EDITOR_FOLDERS = ['.vscode', '.vscode-insiders', '.vscode-oss', '.vscode-server', '.vscode-server-insiders', '.cursor', '.cursor-server', '.windsurf', '.windsurf-server', '.trae', '.kiro', '.antigravity'];

export function extensionDirs(context: RootContext): readonly string[] {
  const override = named(context, 'VSCODE_EXTENSIONS');
  return [...new Set([...(override === undefined ? [] : [override]), ...EDITOR_FOLDERS.map((folder) => joinPath(context.platform, context.home, folder, 'extensions'))])];
}
