// Contract: what praetorctl remembers of the files it wrote, in <state>/files.json. Absent is empty; damaged or of another
// version is an error, never "nothing registered": undo depends on these records. Also the first-touch originals. Through Host.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import type { JsonValue, Path } from '../model/json.ts';
import type { FileRecord, Records } from '../model/plan.ts';
import { OWN_DIR_MODE, makeDirs, pathsOf, putFile, toBytes, toText } from './statefiles.ts';
import type { StateDirs } from './statefiles.ts';

export const RECORDS_VERSION = 1;
export const RECORDS_BYTES_MAX = 16 * 1024 * 1024;
const ORIGINALS = 'originals';

export function recordsPath(host: Host, dirs: StateDirs): string {
  return pathsOf(host).join(dirs.state, 'files.json');
}

export function originalsDir(host: Host, dirs: StateDirs): string {
  return pathsOf(host).join(dirs.state, ORIGINALS);
}

export function damaged(path: string, message: string, fix: string, cause?: unknown): PraetorError {
  return new PraetorError({ code: 'state-damaged', where: { path }, message, fix }, cause);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

export function isPaths(value: unknown): value is Path[] {
  return Array.isArray(value) && value.every((path) => Array.isArray(path) && path.every((step) => isText(step) || isCount(step)));
}

export function isFileRecord(value: unknown): value is FileRecord {
  if (!isObject(value)) return false;
  const { original, foreign } = value;
  const originalOk = original === null
    || (isObject(original) && isText(original['digest']) && isText(original['backup']) && isCount(original['mode']));
  return originalOk && isText(value['path']) && isText(value['target']) && isText(value['client'])
    && (value['scope'] === 'user' || value['scope'] === 'project') && typeof value['existed'] === 'boolean'
    && isText(value['lastDigest']) && typeof value['pristine'] === 'boolean' && isPaths(value['created'])
    && isTexts(value['createdDirs']) && isTexts(value['ownedServers']) && isCount(value['installedAt'])
    && isObject(foreign) && isCount(foreign['hooks']) && isCount(foreign['servers']);
}

export function readRecords(host: Host, dirs: StateDirs): Records {
  const path = recordsPath(host, dirs);
  if (host.lstat(path) === undefined) return new Map();
  const fix = `move ${path} away, then run: praetorctl clients verify (registrations are found again by their command)`;
  let value: JsonValue;
  try {
    value = JSON.parse(toText(host.readFile(path, RECORDS_BYTES_MAX))) as JsonValue;
  } catch (error) {
    throw damaged(path, 'the records of the files that praetorctl wrote cannot be read', fix, error);
  }
  if (!isObject(value)) throw damaged(path, 'the records of the files that praetorctl wrote are damaged', fix);
  if (value['version'] !== RECORDS_VERSION) {
    throw damaged(path, 'the records were written by another version of praetorctl', `use the praetorctl that wrote them, or ${fix}`);
  }
  const { files } = value;
  if (!Array.isArray(files) || !files.every(isFileRecord)) {
    throw damaged(path, 'the records of the files that praetorctl wrote are damaged', fix);
  }
  return new Map((files as unknown as FileRecord[]).map((record) => [record.path, record]));
}

/** Only under the run lock, after a fresh readRecords. */
export function writeRecords(host: Host, dirs: StateDirs, records: Records): void {
  const files = [...records.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  makeDirs(host, dirs.state, OWN_DIR_MODE);
  putFile(host, recordsPath(host, dirs), toBytes(`${JSON.stringify({ version: RECORDS_VERSION, files }, null, 1)}\n`));
}

/**
 * Keeps the bytes from before our first touch. The name is made from the path and the content, so that a later run can
 * neither overwrite it nor need to; only a file whose content is not what its name says (damage) is written again.
 */
export function keepOriginal(host: Host, dirs: StateDirs, path: string, bytes: Uint8Array, digest: string): string {
  const p = pathsOf(host);
  const name = `${host.sha256(path).slice(0, 16)}-${digest}`;
  const full = p.join(originalsDir(host, dirs), name);
  const seen = host.lstat(full);
  if (seen === undefined || seen.size !== bytes.length || host.sha256(host.readFile(full, seen.size)) !== digest) {
    makeDirs(host, originalsDir(host, dirs), OWN_DIR_MODE);
    putFile(host, full, bytes);
  }
  return p.join(ORIGINALS, name);
}

/** Reads a backup and proves that it is what was stored. */
export function readProven(host: Host, path: string, digest: string): Uint8Array {
  const fix = 'take out only the entries of praetorctl instead: praetorctl clients remove';
  let bytes: Uint8Array;
  try {
    bytes = host.readFile(path, RECORDS_BYTES_MAX * 8);
  } catch (error) {
    throw damaged(path, 'a backup is missing or cannot be read', fix, error);
  }
  if (host.sha256(bytes) !== digest) throw damaged(path, 'a backup does not have the content that was stored', fix);
  return bytes;
}
