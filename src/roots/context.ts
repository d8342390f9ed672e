// Contract: the root context of a host, and the programs that are found on it. Reads through the Host only.
import type { FileStat, Host } from '../host.ts';
import type { ClientDefinition, RootContext, Roots } from '../model/client.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { homeOf } from './own-dirs.ts';
import { isAbsolutePath, joinPath } from './paths.ts';

function namesIn(host: Host, path: string): readonly string[] {
  try { return host.readDir(path); } catch { return []; }
}

export function rootContext(host: Host, project?: string): RootContext {
  const home = homeOf({ platform: host.platform, env: host.env });
  if (home === undefined) {
    const name = host.platform === 'win32' ? 'USERPROFILE' : 'HOME';
    throw new PraetorError({ code: 'no-home', message: `${name} is not set to an absolute path`, fix: `set ${name} to your home directory` });
  }
  return { platform: host.platform, env: host.env, home, project: project ?? host.cwd, dirExists: (path) => host.stat(path)?.kind === 'dir', dirNames: (path) => namesIn(host, path) };
}

/** Absolute directories of a PATH value, in order, once each. Relative entries depend on the directory and do not count. */
export function pathDirs(platform: RootContext['platform'], value: string | undefined): string[] {
  const parts = (value ?? '').split(platform === 'win32' ? ';' : ':');
  return [...new Set(parts.filter((part) => isAbsolutePath(platform, part)))];
}

/** What stands at a path, or nothing: a directory of PATH that may not be searched holds nothing that could be started. */
function seen(host: Host, path: string): FileStat['kind'] | undefined {
  try { return host.stat(path)?.kind; } catch { return undefined; }
}

/** A dangling link or a directory that may not be searched is a sign of the client too: the plan says what is wrong with it. */
function isMarked(host: Host, path: string): boolean {
  try { return host.lstat(path) !== undefined; } catch { return true; }
}

/** Where a program is found in these directories, as a shell would find it; undefined if nowhere. */
export function findProgram(host: Host, name: string, dirs: readonly string[]): string | undefined {
  const suffixes = host.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  for (const dir of dirs) {
    for (const suffix of suffixes) {
      const path = joinPath(host.platform, dir, name + suffix);
      if (seen(host, path) === 'file' && (host.platform === 'win32' || host.canExecute(path))) return path;
    }
  }
  return undefined;
}

/** How a client was found: its program, only its configuration, or not at all. */
export interface Detection { readonly how: 'program' | 'configuration' | 'none'; readonly program?: string }

export function detect(host: Host, client: ClientDefinition, context: RootContext, roots: Roots): Detection {
  const dirs = pathDirs(host.platform, host.env['PATH'] ?? host.env['Path']);
  for (const binary of client.binaries) {
    const program = findProgram(host, binary, dirs);
    if (program !== undefined) return { how: 'program', program };
  }
  const installed = client.installPaths(context).find((path) => seen(host, path) === 'file' && host.canExecute(path));
  if (installed !== undefined) return { how: 'program', program: installed };
  return { how: client.configMarks(roots).some((path) => path !== '' && isMarked(host, path)) ? 'configuration' : 'none' };
}
