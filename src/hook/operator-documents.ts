// Contract: does the installed version hold documents of an operator? Asked only where nothing usable is compiled: a hook cannot read
// them, and what it cannot read it must not take for nothing. IO, three file looks and one small read.
import { readFileSync } from 'node:fs';
import type { EnvMap } from '../model/dialect.ts';
import { below, dataDir } from '../roots/own-dirs.ts';
import { lookAt } from './index-reader.ts';

const RECORD_BYTES_MAX = 256 * 1024;
/** Alone on its line, as the launcher finds it (roots/install-record.ts). */
const CURRENT = /^ {2}"current": "([0-9a-f]{16})"/m;

/** True also where it cannot be told: a record that is damaged, a version that is gone. */
export function hasOperatorDocuments(place: { readonly platform: string; readonly env: EnvMap; readonly home: string | undefined }): boolean {
  const { platform } = place;
  let data: string;
  try {
    data = dataDir(place);
  } catch {
    // No directory is known, so nothing is installed in it.
    return false;
  }
  try {
    const record = below(platform, data, 'install.json');
    const stat = lookAt(record);
    if (stat === undefined) return false;
    const current = stat.size > RECORD_BYTES_MAX ? undefined : CURRENT.exec(readFileSync(record, 'utf8'))?.[1];
    if (current === undefined) return true;
    const version = below(platform, below(platform, data, 'versions'), current);
    return lookAt(below(platform, version, 'operator')) !== undefined || lookAt(version) === undefined;
  } catch {
    return true;
  }
}
