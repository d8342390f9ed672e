// Contract: what an auditor remembers beside the repository: of every host the newest receipt that was verified, so that a history that
// becomes shorter or other is noticed, and what was accepted by hand. Through Host.
import { putFile, toBytes, toText } from '../clientsetup/statefiles.ts';
import { hostErrorCode, type Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import type { Seen } from './receipt-chain.ts';

const SEEN_FILE = 'seen.json';
const SEEN_SCHEMA = 'praetor.seen/1';
const SEEN_BYTES_MAX = 32 * 1024 * 1024;

export interface AuditState {
  readonly hosts: Readonly<Record<string, Seen>>;
  /** Heads beside the known history that somebody looked at and accepted, by host. */
  readonly accepted: Readonly<Record<string, readonly string[]>>;
}

function isSeen(value: unknown): value is Seen {
  if (!isObject(value)) return false;
  const { seq, digest, commit, at, key, os, engine, state } = value;
  return typeof seq === 'number' && [digest, commit, at, key, os, state].every((text) => typeof text === 'string') && isObject(engine) && typeof engine['version'] === 'string';
}

export function readAuditState(host: Host, directory: string): AuditState {
  const path = joinPath(host.platform, directory, SEEN_FILE);
  try {
    const value: unknown = JSON.parse(toText(host.readFile(path, SEEN_BYTES_MAX)));
    if (isObject(value) && value['schema'] === SEEN_SCHEMA && isObject(value['hosts']) && Object.values(value['hosts']).every(isSeen) && isObject(value['accepted'])) {
      return { hosts: value['hosts'] as unknown as AuditState['hosts'], accepted: value['accepted'] as unknown as AuditState['accepted'] };
    }
  } catch (error) {
    if (hostErrorCode(error) === 'ENOENT') return { hosts: {}, accepted: {} };
  }
  throw new PraetorError({ code: 'state-damaged', where: { path }, message: 'what was verified before cannot be read, so a shortened history could not be noticed', fix: 'restore the file; if it is lost, take it away: then everything is verified from the first receipt on' });
}

export function writeAuditState(host: Host, directory: string, state: AuditState): void {
  const hosts = Object.fromEntries(Object.entries(state.hosts).sort(([a], [b]) => (a < b ? -1 : 1)));
  putFile(host, joinPath(host.platform, directory, SEEN_FILE), toBytes(`${JSON.stringify({ schema: SEEN_SCHEMA, hosts, accepted: state.accepted })}\n`));
}
