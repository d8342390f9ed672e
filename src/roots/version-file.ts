// Contract: version.json, what stands in a version's directory about it, and whether its files are still the ones that were unpacked.
// It finds damage, not an attacker: whoever can write the files can write the list too. Reads through Host.
import type { Host } from '../host.ts';
import { isObject } from '../model/json.ts';
import { versionDir } from './install-record.ts';
import { joinPath } from './paths.ts';

export const VERSION_FILE = 'version.json';
const VERSION_BYTES_MAX = 1024 * 1024;
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Code caches are made here, by the machine's own Node. */
const CACHE = /\.cache$/;

export interface VersionFile {
  readonly id: string;
  readonly sha512: string;
  /** As the promotion or the package names it. */
  readonly version: string;
  /** Of the promotion; null where it came from a file or a checkout. */
  readonly seq: number | null;
  readonly commit: string | null;
  readonly at: string;
  /** The sha256 of every unpacked file by its path with slashes. Missing in what older versions unpacked. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What stands in a version's directory about it; undefined where the version is not there or is none. */
export function readVersion(host: Pick<Host, 'platform' | 'readFile'>, data: string, id: string): VersionFile | undefined {
  const directory = versionDir(host.platform, data, id);
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(host.readFile(joinPath(host.platform, directory, VERSION_FILE), VERSION_BYTES_MAX)));
    return isObject(value) && value['id'] === id && typeof value['version'] === 'string' ? value as unknown as VersionFile : undefined;
  } catch {
    return undefined;
  }
}

type Looking = Pick<Host, 'platform' | 'readFile' | 'readDir' | 'lstat' | 'sha256'>;

function filesBelow(host: Looking, directory: string, prefix = ''): readonly string[] {
  return host.readDir(directory).flatMap((name) => {
    const path = joinPath(host.platform, directory, name);
    return host.lstat(path)?.kind === 'dir' ? filesBelow(host, path, `${prefix}${name}/`) : [`${prefix}${name}`];
  });
}

function isSame(host: Looking, path: string, sha256: unknown): boolean {
  try {
    return host.lstat(path)?.kind === 'file' && host.sha256(host.readFile(path, FILE_BYTES_MAX)) === sha256;
  } catch {
    return false;
  }
}

/** The first file of a version that is missing, another one, or too much; undefined where all are as they were unpacked, or where that was not recorded. */
export function damagedFile(host: Looking, data: string, id: string): string | undefined {
  const about = readVersion(host, data, id);
  const directory = versionDir(host.platform, data, id);
  if (about === undefined) return joinPath(host.platform, directory, VERSION_FILE);
  const { files } = about;
  if (files === undefined) return undefined;
  const at = (path: string): string => joinPath(host.platform, directory, ...path.split('/'));
  const other = Object.keys(files).find((path) => !isSame(host, at(path), files[path]))
    ?? filesBelow(host, directory).find((path) => path !== VERSION_FILE && !CACHE.test(path) && !Object.hasOwn(files, path));
  return other === undefined ? undefined : at(other);
}
