// Contract: the root context of a host, and whether a client is here. Reads through the Host only.
import type { Host } from '../host.ts';
import type { ClientDefinition, Install, RootContext, Roots } from '../model/client.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { findInstalls } from './installs.ts';
import { homeOf } from './own-dirs.ts';
import { isAbsolutePath } from './paths.ts';

/** Most directories that are asked for are not there, and an error for each would cost more than the question. */
function namesIn(host: Host, path: string): readonly string[] {
  try { return host.stat(path)?.kind === 'dir' ? host.readDir(path) : []; } catch { return []; }
}

/** Every client asks for the same places: one context, one look. */
function once<T>(ask: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const answer = ask(path);
    known.set(path, answer);
    return answer;
  };
}

function isDir(host: Host, path: string): boolean {
  try { return host.stat(path)?.kind === 'dir'; } catch { return false; }
}

export function rootContext(host: Host, project?: string): RootContext {
  const home = homeOf({ platform: host.platform, env: host.env });
  if (home === undefined) {
    const name = host.platform === 'win32' ? 'USERPROFILE' : 'HOME';
    throw new PraetorError({ code: 'no-home', message: `${name} is not set to an absolute path`, fix: `set ${name} to your home directory` });
  }
  return { platform: host.platform, env: host.env, home, project: project ?? host.cwd, dirExists: once((path) => isDir(host, path)), dirNames: once((path) => namesIn(host, path)) };
}

/** Absolute directories of a PATH value, in order, once each. Relative entries depend on the directory and do not count. */
export function pathDirs(platform: RootContext['platform'], value: string | undefined): string[] {
  const parts = (value ?? '').split(platform === 'win32' ? ';' : ':');
  return [...new Set(parts.filter((part) => isAbsolutePath(platform, part)))];
}

/** A dangling link or a directory that may not be searched is a sign of the client too: the plan says what is wrong with it. */
function isMarked(host: Host, path: string): boolean {
  try { return host.lstat(path) !== undefined; } catch { return true; }
}

/** How a client was found: installed in one of these places, only its configuration, or not at all. */
export interface Detection {
  readonly how: 'program' | 'configuration' | 'none';
  /** What a shell would start; absent where the client is only an app or an extension. */
  readonly program?: string;
  readonly installs: readonly Install[];
}

export function detect(host: Host, client: ClientDefinition, context: RootContext, roots: Roots): Detection {
  const installs = findInstalls(host, client, context, pathDirs(host.platform, host.env['PATH'] ?? host.env['Path']));
  const program = installs.find(({ kind }) => kind === 'program')?.path;
  if (installs.length > 0) return { how: 'program', installs, ...(program === undefined ? {} : { program }) };
  return { how: client.configMarks(roots).some((path) => path !== '' && isMarked(host, path)) ? 'configuration' : 'none', installs };
}
