// Contract: the record before an install, also where it is damaged: then only the id of this host is kept, and the file is set aside
// when the new record is written. What only a newer praetorctl understands is not damaged and is refused. Through Host.
import { pathsOf, toText } from '../clientsetup/statefiles.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { INSTALL_BYTES_MAX, installRecordPath, readInstallRecord, type InstallRecord } from '../roots/install-record.ts';
import { HOST_KEY_FILE } from '../roots/own-dirs.ts';
import { readPrivateKey } from './sshsig.ts';
import type { Station } from './station.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

export interface RecordBefore {
  readonly record: InstallRecord | undefined;
  /** Found in what is left of a damaged record, or as the comment of the key that was made with it. */
  readonly hostId: string | undefined;
  readonly damaged: boolean;
}

function textAt({ host }: Station, path: string): string {
  try {
    return toText(host.readFile(path, INSTALL_BYTES_MAX));
  } catch {
    return '';
  }
}

function hostIdLeft(station: Station): string | undefined {
  const { host, data } = station;
  const written = new RegExp(`"hostId":\\s*"(${UUID})"`).exec(textAt(station, installRecordPath(host.platform, data)))?.[1];
  if (written !== undefined) return written;
  const key = readPrivateKey(textAt(station, pathsOf(host).join(data, HOST_KEY_FILE)));
  return key.ok && new RegExp(`^${UUID}$`).test(key.value.comment) ? key.value.comment : undefined;
}

export function recordBefore(station: Station): RecordBefore {
  try {
    return { record: readInstallRecord(station.host, station.data), hostId: undefined, damaged: false };
  } catch (error) {
    if (!(error instanceof PraetorError) || error.diagnostic.code !== 'state-damaged') throw error;
    return { record: undefined, hostId: hostIdLeft(station), damaged: true };
  }
}

/** Answers what is to be said of it. */
export function setRecordAside({ host, data }: Station, { hostId }: RecordBefore): readonly string[] {
  const path = installRecordPath(host.platform, data);
  const aside = `${path}.damaged-${new Date(host.now()).toISOString().replace(/[:.]/g, '')}`;
  host.rename(path, aside);
  return [`the record was damaged and is ${aside} now; ${hostId === undefined ? 'this host has a new id, which the fork does not know yet' : 'this host keeps its id'}; pins, blocks and the promotions seen before are forgotten`];
}
