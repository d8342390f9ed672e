// Contract: one workstation as its commands see it: where its things are, and how its record becomes the next one. Pure but for
// reading the record. Through Host.
import type { StateDirs } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { homeOf, ownDirs } from '../roots/own-dirs.ts';
import { dataDirOf, readInstallRecord, type InstallRecord } from '../roots/install-record.ts';
import { takeUpdateLock } from './update-lock.ts';

export interface Station {
  readonly host: Host;
  readonly data: string;
  readonly dirs: StateDirs;
  readonly home: string;
  /** The Node that runs now. */
  readonly node: string;
}

export function stationOf(host: Host, node: string): Station {
  const home = homeOf({ platform: host.platform, env: host.env });
  return { host, data: dataDirOf(host), dirs: ownDirs({ platform: host.platform, env: host.env, home }), home: home ?? '', node };
}

export const INSTALL_FIRST = 'praetorctl workstation install --from <checkout, tarball or remote>';

export function neededRecord({ host, data }: Station): InstallRecord {
  const record = readInstallRecord(host, data);
  if (record !== undefined) return record;
  throw new PraetorError({ code: 'not-installed', where: { path: data }, message: 'no version is installed on this workstation', fix: INSTALL_FIRST });
}

/** Throws `lock-held` with the owner's name. */
export async function underLock<T>(station: Station, work: () => Promise<T> | T): Promise<T> {
  const release = takeUpdateLock(station.host, station.dirs.state);
  if (typeof release !== 'function') throw new PraetorError(release);
  try {
    return await work();
  } finally {
    release();
  }
}

export const timeNow = (host: Host): string => new Date(host.now()).toISOString();

/** Ids that promotions took back; more than a fleet withdraws in years. */
const WITHDRAWN_MAX = 200;
export const withdrawnNow = (record: InstallRecord, more: readonly string[]): readonly string[] => [...new Set([...record.withdrawn, ...more])].slice(-WITHDRAWN_MAX);

/** The record after a switch. Whoever switches to what is current already changes nothing. */
export function switched(record: InstallRecord, id: string, at: string): InstallRecord {
  if (id === record.current) return record;
  const retired = [...record.retired.filter((one) => one.id !== id && one.id !== record.current), { id: record.current, at }];
  return { ...record, current: id, previous: record.current, retired };
}

/** Blocks are few: a fleet that sends so many bad releases has other troubles. */
const BLOCKED_MAX = 50;
export function withBlock(record: InstallRecord, id: string, code: string, at: string): InstallRecord {
  return { ...record, blocked: [...record.blocked.filter((one) => one.id !== id), { id, code, at }].slice(-BLOCKED_MAX) };
}
