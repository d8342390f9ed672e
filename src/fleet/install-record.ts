// Contract: the one place that writes install.json. One rename is the whole transition of a workstation: a reader meets the
// record before it or after it, whatever happens in between. Only under the update lock. Through Host.
import { OWN_DIR_MODE, makeDirs, putFile, toBytes } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { dropUnchanged } from './unchanged.ts';
import { formatInstallRecord, installRecordPath, type InstallRecord } from '../roots/install-record.ts';

export function writeInstallRecord(host: Host, data: string, record: InstallRecord): void {
  makeDirs(host, data, OWN_DIR_MODE);
  // What the launcher answers by itself was true of the record before.
  dropUnchanged(host, data);
  putFile(host, installRecordPath(host.platform, data), toBytes(formatInstallRecord(record)));
}
