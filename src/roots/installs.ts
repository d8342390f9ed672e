// Contract: every install of one client on this machine: programs (those on PATH first), app bundles, extensions of editors. Nothing
// is started. What an uninstalled client left behind is no install. Reads through the Host.
import type { FileStat, Host } from '../host.ts';
import type { ClientDefinition, Install, RootContext } from '../model/client.ts';
import { isObject } from '../model/json.ts';
import { joinPath } from './paths.ts';
import { appDirs, extensionDirs, usualBinDirs } from './places.ts';

const OBSOLETE_BYTES_MAX = 1024 * 1024;

/** What stands at a path, or nothing: a directory that may not be searched holds nothing that could be started. */
function seen(host: Host, path: string): FileStat | undefined {
  try { return host.stat(path); } catch { return undefined; }
}

function canRun(host: Host, path: string): boolean {
  return seen(host, path)?.kind === 'file' && (host.platform === 'win32' || host.canExecute(path));
}

/** What a shell would start of this name from this directory. */
function programIn(host: Host, dir: string, name: string): string | undefined {
  const suffixes = host.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  return suffixes.map((suffix) => joinPath(host.platform, dir, name + suffix)).find((path) => canRun(host, path));
}

/** Where a program is found in these directories, as a shell would find it; undefined if nowhere. */
export function findProgram(host: Host, name: string, dirs: readonly string[]): string | undefined {
  for (const dir of dirs) {
    const path = programIn(host, dir, name);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** Another program than this one answers to its name: not the same file under another name. */
export function isShadowed(host: Host, found: string, launcher: string): boolean {
  const [one, other] = [seen(host, found), seen(host, launcher)];
  return found !== launcher && (one === undefined || other === undefined || one.dev !== other.dev || one.ino !== other.ino);
}

function programs(host: Host, client: ClientDefinition, context: RootContext, path: readonly string[]): string[] {
  const dirs = [...path, ...usualBinDirs(context).filter(context.dirExists)];
  const found = client.binaries.flatMap((name) => dirs.flatMap((dir) => programIn(host, dir, name) ?? []));
  const all = [...found, ...client.installPaths(context).filter((file) => canRun(host, file))];
  // Links to one program are one install, and a directory can stand on PATH under two names.
  const known = new Set<string>();
  return all.filter((file) => {
    const stat = seen(host, file);
    const identity = stat === undefined ? file : `${stat.dev}:${stat.ino}`;
    return known.has(identity) ? false : known.add(identity) !== undefined;
  });
}

function apps(host: Host, client: ClientDefinition, context: RootContext): string[] {
  const names = client.apps ?? [];
  return appDirs(context).flatMap((dir) => names.map((name) => joinPath(context.platform, dir, name)))
    .filter((path) => seen(host, joinPath(context.platform, path, 'Contents', 'Info.plist'))?.kind === 'file');
}

/** Extensions that the editor was told to remove: their folders stay until it starts again. */
function obsoleteIn(host: Host, path: string): ReadonlySet<string> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(host.readFile(path, OBSOLETE_BYTES_MAX)));
    return new Set(isObject(value) ? Object.keys(value).filter((name) => value[name] === true).map((name) => name.toLowerCase()) : []);
  } catch {
    return new Set();
  }
}

/** Folders are named `publisher.name-1.2.3`, some with a platform behind it. */
function extensions(host: Host, client: ClientDefinition, context: RootContext): string[] {
  const ids = client.extensions ?? [];
  if (ids.length === 0) return [];
  const { platform } = context;
  return extensionDirs(context).flatMap((dir) => {
    const names = context.dirNames(dir).filter((name) => ids.some((id) => name.toLowerCase().startsWith(`${id}-`) && /\d/.test(name.charAt(id.length + 1))));
    if (names.length === 0) return [];
    const obsolete = obsoleteIn(host, joinPath(platform, dir, '.obsolete'));
    return names.filter((name) => !obsolete.has(name.toLowerCase())).map((name) => joinPath(platform, dir, name));
  }).filter((path) => seen(host, joinPath(platform, path, 'package.json'))?.kind === 'file');
}

/** `path`: the directories of PATH. The first program is the one that a shell starts. */
export function findInstalls(host: Host, client: ClientDefinition, context: RootContext, path: readonly string[]): readonly Install[] {
  const of = (kind: Install['kind'], paths: readonly string[]): Install[] => paths.map((at) => ({ kind, path: at }));
  return [...of('program', programs(host, client, context, path)), ...of('app', apps(host, client, context)), ...of('extension', extensions(host, client, context))];
}
