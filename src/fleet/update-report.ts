// Contract: how an update can end, and the question that a workstation asks most: is there anything new? One call of git and the
// record. Through Host.
import { PraetorError } from '../model/diagnostic.ts';
import type { InstallRecord } from '../roots/install-record.ts';
import type { AttemptResult } from './attempts.ts';
import type { GitHost } from './git.ts';
import { remoteHeads, type RemoteHeads } from './remote-heads.ts';

export interface UpdateReport {
  readonly result: AttemptResult;
  /** Why, in one stable word. */
  readonly code: string | null;
  readonly from: string;
  readonly to: string | null;
  readonly seq: number | null;
  readonly message: string;
  readonly fix: string;
  readonly notes: readonly string[];
}

export function neededRemote(record: InstallRecord): string {
  if (record.remote !== null) return record.remote;
  throw new PraetorError({ code: 'usage', message: 'this workstation follows no fork', fix: 'praetorctl workstation install --from <remote> --anchor <allowed signers>' });
}

/** Nothing moved since the last promotion was verified, and that is what runs. */
export function nothingNew(record: InstallRecord, heads: RemoteHeads): boolean {
  return heads.commit !== null && heads.commit === record.lastCommit && heads.notes === record.lastNotes && record.target === record.current && record.pin === null;
}

export function upToDate(record: InstallRecord): UpdateReport {
  const { current, target, lastSeq } = record;
  return { result: 'up-to-date', code: null, from: current, to: target, seq: lastSeq, message: `up to date: version ${current} is the newest promotion (sequence ${lastSeq})`, fix: '', notes: [] };
}

/** Asks the fork and reads nothing but the record; undefined where there is more to do than to say so. */
export function quickCheck(host: GitHost, data: string, record: InstallRecord): UpdateReport | undefined {
  return nothingNew(record, remoteHeads(host, data, neededRemote(record), record.branch)) ? upToDate(record) : undefined;
}
