// Contract: install.json, the one pointer of a workstation: which version answers, which stood before, what is pinned and blocked,
// and whose signatures count. It stands below the settings, because their layers are selected by it. Unknown keys are kept, so
// that an older praetorctl can write what a newer one has read; what only a newer one can understand is refused. Reads through Host.
import type { Host } from '../host.ts';
import { hostErrorCode } from '../model/host-error.ts';
import type { Platform } from '../model/client.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { dataDir, homeOf } from './own-dirs.ts';
import { joinPath } from './paths.ts';

export const INSTALL_SCHEMA = 'praetor.install/1';
/** The newest form that this program understands: a record that asks for more is refused. */
export const INSTALL_READER = 1;
export const MAX_AGE_MS_DEFAULT = 7 * 24 * 3_600_000;
export const INSTALL_BYTES_MAX = 256 * 1024;
/** The first 16 hex digits of the artefact's sha512. */
export const VERSION_ID = /^[0-9a-f]{16}$/;

export interface Pin { readonly id: string; readonly by: string; readonly at: string }
export interface Blocked { readonly id: string; readonly code: string; readonly at: string }
export interface Retired { readonly id: string; readonly at: string }

export interface InstallRecord {
  readonly minReader: number;
  /** A random UUID. */
  readonly hostId: string;
  readonly current: string;
  readonly previous: string | null;
  readonly pin: Pin | null;
  readonly blocked: readonly Blocked[];
  /** Lines as in an allowed_signers file: whose promotions count. */
  readonly anchor: readonly string[];
  /** Of the newest promotion that was verified: its number, the sha256 of its line, and its commit. */
  readonly lastSeq: number;
  readonly lastPromotion: string | null;
  readonly lastCommit: string | null;
  /** What the notes' reference named then: as long as it and the branch stay, there is nothing new. */
  readonly lastNotes: string | null;
  /** The repository that promotions must name, and the version that the newest one asks for. */
  readonly repository: string | null;
  readonly target: string | null;
  /** When that promotion ends; a fork that is frozen shows nothing newer by then. */
  readonly expires: string | null;
  /** Ids that promotions took back. */
  readonly withdrawn: readonly string[];
  /** When versions stopped being current: they are removed by the age of this. */
  readonly retired: readonly Retired[];
  readonly remote: string | null;
  readonly branch: string;
  readonly org: string | null;
  readonly name: string | null;
  /** Absolute paths of the Node programs that the launcher tries, in order. */
  readonly node: readonly string[];
  readonly launcher: string;
  /** Private key file, or public key file of one that an agent holds; null where this workstation signs nothing. */
  readonly key: string | null;
  readonly installedAt: string;
  readonly lastVerifiedAt: string | null;
  /** After how long without a verified promotion the workstation is stale: `update.max_age` of the settings, as last seen. */
  readonly maxAgeMs: number;
  /** Keys that this program does not know. */
  readonly rest: JsonObject;
}

/** Of a workstation that follows nothing yet. */
export const BLANK_RECORD: Omit<InstallRecord, 'hostId' | 'current' | 'launcher' | 'installedAt'> = {
  minReader: INSTALL_READER, previous: null, pin: null, blocked: [], anchor: [], lastSeq: 0, lastPromotion: null, lastCommit: null, lastNotes: null, repository: null, target: null, expires: null,
  withdrawn: [], retired: [], remote: null, branch: 'main', org: null, name: null, node: [], key: null, lastVerifiedAt: null, maxAgeMs: MAX_AGE_MS_DEFAULT, rest: {},
};

type Reading = Pick<Host, 'readFile' | 'platform' | 'env'>;

export function dataDirOf(host: Pick<Host, 'platform' | 'env'>): string {
  const { platform, env } = host;
  return dataDir({ platform, env, home: homeOf({ platform, env }) });
}

export function installRecordPath(platform: Platform, data: string): string {
  return joinPath(platform, data, 'install.json');
}

/** Directory of an installed version. Below it stand bin/, dist/ and operator/. */
export function versionDir(platform: Platform, data: string, id: string): string {
  return joinPath(platform, data, 'versions', id);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const orNull = <T>(is: (value: unknown) => value is T) => (value: unknown): value is T | null => value === null || is(value);
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isId = (value: unknown): value is string => isText(value) && VERSION_ID.test(value);
const isPin = (value: unknown): value is Pin => isObject(value) && isId(value['id']) && isText(value['by']) && isText(value['at']);
const isBlocked = (value: unknown): value is Blocked[] =>
  Array.isArray(value) && value.every((one) => isObject(one) && isId(one['id']) && isText(one['code']) && isText(one['at']));

const isRetired = (value: unknown): value is Retired[] => Array.isArray(value) && value.every((one) => isObject(one) && isId(one['id']) && isText(one['at']));

type Known = Omit<InstallRecord, 'rest'>;
const KNOWN: { readonly [Key in keyof Known]: (value: unknown) => boolean } = {
  minReader: isCount, hostId: isText, current: isId, previous: orNull(isId), pin: orNull(isPin), blocked: isBlocked, anchor: isTexts,
  lastSeq: isCount, lastPromotion: orNull(isText), lastCommit: orNull(isText), lastNotes: orNull(isText),
  repository: orNull(isText), target: orNull(isId), expires: orNull(isText), withdrawn: (value) => isTexts(value) && value.every(isId), retired: isRetired, remote: orNull(isText), branch: isText, org: orNull(isText),
  name: orNull(isText), node: isTexts, launcher: isText, key: orNull(isText), installedAt: isText, lastVerifiedAt: orNull(isText), maxAgeMs: isCount,
};

function damaged(path: string, message: string, cause?: unknown): PraetorError {
  return new PraetorError({
    code: 'state-damaged', where: { path }, message,
    fix: 'praetorctl workstation install --from <checkout, tarball or remote> --anchor <allowed signers>: it sets the damaged record aside, writes it again and leaves the versions as they are',
  }, cause);
}

/** Throws PraetorError with `path` in it for what is no record, and for what only a newer praetorctl understands. */
export function parseInstallRecord(text: string, path: string): InstallRecord {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw damaged(path, 'the record of the installed version is no JSON document', error);
  }
  if (!isObject(value) || !isCount(value['minReader'])) throw damaged(path, 'the record of the installed version is damaged');
  if (value['minReader'] > INSTALL_READER) {
    throw new PraetorError({
      code: 'record-newer', where: { path }, message: `the record of the installed version needs a reader of form ${value['minReader']}, this praetorctl reads up to ${INSTALL_READER}`,
      fix: 'use the installed praetorctl (its launcher starts the version that wrote the record), or install the newer version again',
    });
  }
  const wrong = (Object.keys(KNOWN) as (keyof Known)[]).find((key) => !KNOWN[key](value[key]));
  if (wrong !== undefined || value['schema'] !== INSTALL_SCHEMA) throw damaged(path, `the record of the installed version is damaged (${wrong ?? 'schema'})`);
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'schema' && !(key in KNOWN)));
  const known = Object.fromEntries(Object.keys(KNOWN).map((key) => [key, value[key]])) as unknown as Known;
  return { ...known, rest };
}

/**
 * `current` is near the top and alone on its line: the launcher finds it without a JSON reader. Nothing else in the document can
 * stand at the beginning of a line with two spaces, because nested values are set in deeper and a line end in a text is escaped.
 */
export function formatInstallRecord(record: InstallRecord): string {
  const { rest, minReader, current, ...others } = record;
  return `${JSON.stringify({ schema: INSTALL_SCHEMA, minReader, current, ...others, ...rest }, null, 2)}\n`;
}

/** undefined where no workstation was installed. */
export function readInstallRecord(host: Reading, data: string): InstallRecord | undefined {
  const path = installRecordPath(host.platform, data);
  let bytes: Uint8Array;
  try {
    bytes = host.readFile(path, INSTALL_BYTES_MAX);
  } catch (error) {
    const code = hostErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw damaged(path, `the record of the installed version cannot be read${code === undefined ? '' : ` (${code})`}`, error);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw damaged(path, 'the record of the installed version is no text', error);
  }
  return parseInstallRecord(text, path);
}
