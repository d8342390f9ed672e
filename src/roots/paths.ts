// Contract: path rules of the three platforms as pure functions, so that Windows rules are tested on Linux. PURE.
import type { Platform, RootContext } from '../model/client.ts';

/** Absolute in the platform's sense: `/x`; on Windows `C:\x`, `C:/x` or `\\server\share`. */
export function isAbsolutePath(platform: Platform, path: string): boolean {
  if (platform !== 'win32') return path.startsWith('/');
  return /^[A-Za-z]:[\\/]/.test(path) || /^[\\/]{2}[^\\/]/.test(path);
}

/** Joins with the platform's separator; a trailing separator of the base is not doubled. */
export function joinPath(platform: Platform, base: string, ...parts: readonly string[]): string {
  const separator = platform === 'win32' ? '\\' : '/';
  let out = base;
  for (const part of parts) {
    const clean = platform === 'win32' ? part.replace(/\//g, '\\') : part;
    out = out.endsWith(separator) || (platform === 'win32' && out.endsWith('/')) ? out + clean : out + separator + clean;
  }
  return out;
}

/** The directory part; the root stays the root. */
export function dirOf(platform: Platform, path: string): string {
  const cut = platform === 'win32' ? Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/')) : path.lastIndexOf('/');
  if (cut <= 0) return platform === 'win32' ? path : '/';
  return path.slice(0, cut);
}

/** Where programs with the same directory on every platform keep their configuration: `~/.config`, or the variable's directory. */
export function configHome({ platform, env, home }: Pick<RootContext, 'platform' | 'env' | 'home'>): string {
  const named = env['XDG_CONFIG_HOME'];
  // The specification says that a relative one is ignored.
  return named !== undefined && isAbsolutePath(platform, named) ? named : joinPath(platform, home, '.config');
}
