// Contract: version.json, what stands in a version's directory about it. Reads through Host.
import type { Host } from '../host.ts';
import { isObject } from '../model/json.ts';
import { versionDir } from '../roots/install-record.ts';
import { joinPath } from '../roots/paths.ts';

export const VERSION_FILE = 'version.json';
const VERSION_BYTES_MAX = 16 * 1024;

export interface VersionFile {
  readonly id: string;
  readonly sha512: string;
  /** As the promotion or the package names it. */
  readonly version: string;
  /** Of the promotion; null where it came from a file or a checkout. */
  readonly seq: number | null;
  readonly commit: string | null;
  readonly at: string;
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
