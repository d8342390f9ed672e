// Contract: what `workstation status` looks at, and its answer. Reads a handful of files and starts nothing: status is asked often, by
// prompts and inventories, and may cost little more than starting Node. Through the reading half of the Host.
import { versionLauncherText } from '../clientsetup/version-launcher.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { dataDirOf, readInstallRecord, versionDir, type InstallRecord } from '../roots/install-record.ts';
import { dataDir, homeOf, stateDir } from '../roots/own-dirs.ts';
import { joinPath } from '../roots/paths.ts';
import { lastVerifiedAt, type MarkHost } from './last-verified.ts';
import { readAttempts, type Attempt } from './attempts.ts';
import { STATE_TEXTS, deriveStation, type StationEvidence, type StationReason, type StationState } from './status.ts';
import { readVersion, type VersionFile } from '../roots/version-file.ts';

export interface StatusHost extends Pick<Host, 'env' | 'readFile' | 'canExecute'>, MarkHost {}

export interface StationStatus {
  readonly state: StationState;
  readonly says: string;
  readonly reasons: readonly StationReason[];
  readonly record: InstallRecord | null;
  readonly version: VersionFile | null;
  readonly lastAttempt: Attempt | null;
  readonly verifiedAgeMs: number | null;
}

const LAUNCHER_BYTES_MAX = 64 * 1024;

function launcherOf(host: StatusHost, data: string, record: InstallRecord): StationEvidence['launcher'] {
  let text: string;
  try {
    text = new TextDecoder().decode(host.readFile(record.launcher, LAUNCHER_BYTES_MAX));
  } catch {
    return host.lstat(record.launcher) === undefined ? 'missing' : 'other';
  }
  const { platform } = host;
  const usual = dataDir({ platform, env: {}, home: homeOf(host) }) === data;
  const ours = (['allow', 'deny'] as const).some((onMissing) => text === versionLauncherText({ platform, nodes: record.node, data, usual, onMissing }));
  return ours && (platform === 'win32' || host.canExecute(record.launcher)) ? 'ours' : 'other';
}

function isStale(record: InstallRecord, nowMs: number): boolean {
  const age = record.lastVerifiedAt === null ? Infinity : nowMs - Date.parse(record.lastVerifiedAt);
  // A time that is none, or in the future, says nothing: it is no proof of freshness.
  return !(age <= record.maxAgeMs) || (record.expires !== null && !(Date.parse(record.expires) > nowMs));
}

/** A rewritten fork stays one while the connection fails. */
function lastResult(attempts: readonly Attempt[]): Attempt['result'] | null {
  const told = attempts.filter(({ result }) => result !== 'failed').at(-1)?.result;
  return told === 'diverged' ? told : attempts.at(-1)?.result ?? null;
}

function evidenceOf(host: StatusHost, data: string, record: InstallRecord, attempts: readonly Attempt[]): StationEvidence {
  const { platform } = host;
  return {
    record: 'read', version: host.lstat(joinPath(platform, versionDir(platform, data, record.current), 'bin', 'praetorctl')) !== undefined,
    launcher: launcherOf(host, data, record), node: record.node.some((path) => host.canExecute(path)), follows: record.remote !== null, pinned: record.pin !== null || attempts.at(-1)?.code === 'settings-pin',
    behind: record.target !== null && record.target !== record.current, targetBlocked: record.blocked.some(({ id }) => id === record.target),
    withdrawn: record.withdrawn.includes(record.current), stale: isStale(record, host.now()), lastResult: lastResult(attempts), settingsDrifted: null,
  };
}

const NOTHING: StationEvidence = {
  record: 'none', version: false, launcher: 'missing', node: false, follows: false, pinned: false, behind: false, targetBlocked: false, withdrawn: false, stale: false, lastResult: null, settingsDrifted: null,
};

function readRecord(host: StatusHost, data: string): InstallRecord | StationEvidence['record'] {
  try {
    const record = readInstallRecord(host, data);
    return record === undefined ? 'none' : { ...record, lastVerifiedAt: lastVerifiedAt(host, data, record) };
  } catch (error) {
    if (!(error instanceof PraetorError)) throw error;
    return error.diagnostic.code === 'record-newer' ? 'newer' : 'damaged';
  }
}

export function stationStatus(host: StatusHost): StationStatus {
  const data = dataDirOf(host);
  const read = readRecord(host, data);
  const record = typeof read === 'string' ? null : read;
  const attempts = record === null ? [] : readAttempts(host, stateDir({ platform: host.platform, env: host.env, home: homeOf(host) }));
  const verdict = deriveStation(record === null ? { ...NOTHING, record: read as StationEvidence['record'] } : evidenceOf(host, data, record, attempts));
  return {
    ...verdict, says: STATE_TEXTS[verdict.state], record, lastAttempt: attempts.at(-1) ?? null, version: record === null ? null : readVersion(host, data, record.current) ?? null,
    verifiedAgeMs: record?.lastVerifiedAt == null ? null : host.now() - Date.parse(record.lastVerifiedAt),
  };
}
