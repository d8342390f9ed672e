// Contract: where Visual Studio Code keeps what a person and an extension set up: one directory of the user, and a directory
// below it for each profile that is not the default one. Documented, and read in its sources; not run. PURE.
import type { FileSpec, RootContext } from '../model/client.ts';
import type { Tolerance } from '../model/edit.ts';
import { isAbsolutePath, joinPath } from '../roots/paths.ts';

/** The client's own scaffold begins with a comment. */
export const CODE_JSON: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: false, emptyIsObject: true };

/** A profile's directory is named by a hash in hexadecimal, which may be negative; anything else there is no profile of a person. */
const PROFILE = /^-?[0-9a-f]{1,16}$/;
const PROFILES_MAX = 64;
const PROFILE_KEY = 'profile:';

/** `%APPDATA%`, `~/Library/Application Support` or `$XDG_CONFIG_HOME`: where desktop programs keep a directory of their own. */
export function appDataDir({ platform, env, home }: RootContext): string {
  const named = env[platform === 'win32' ? 'APPDATA' : 'XDG_CONFIG_HOME'];
  if (platform === 'darwin') return joinPath(platform, home, 'Library', 'Application Support');
  if (named !== undefined && isAbsolutePath(platform, named)) return named;
  return platform === 'win32' ? joinPath(platform, home, 'AppData', 'Roaming') : joinPath(platform, home, '.config');
}

/** The directory `User` of an editor that is built on this one; `product` is the name of its directory. */
export function codeUserDir(context: RootContext, product = 'Code'): string {
  return joinPath(context.platform, appDataDir(context), product, 'User');
}

/** The file of servers of the default profile as `mcp`, and one for each other profile that exists. */
export function codeMcpPaths(context: RootContext): Readonly<Record<string, string>> {
  const { platform, dirNames } = context;
  const userDir = codeUserDir(context);
  const profiles = joinPath(platform, userDir, 'profiles');
  const ids = dirNames(profiles).filter((name) => PROFILE.test(name)).slice(0, PROFILES_MAX);
  return {
    userDir, mcp: joinPath(platform, userDir, 'mcp.json'),
    ...Object.fromEntries(ids.map((id) => [PROFILE_KEY + id, joinPath(platform, profiles, id, 'mcp.json')])),
  };
}

/** The files of servers in what codeMcpPaths found. Key of the servers: `servers`. */
export function codeMcpFiles(paths: Readonly<Record<string, string>>): readonly FileSpec[] {
  const keys = ['mcp', ...Object.keys(paths).filter((key) => key.startsWith(PROFILE_KEY))];
  return keys.map((key): FileSpec => ({ role: 'mcp', scope: 'user', path: paths[key] ?? '', format: 'json', tolerance: CODE_JSON, secret: true }));
}
