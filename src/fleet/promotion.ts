// Contract: what a promotion says, and where the fork keeps it. A signed line whose payload has any other form is none; keys that
// this program does not know are left to newer ones. PURE.
import { isObject, type JsonObject } from '../model/json.ts';

export const PROMOTION_SCHEMA = 'praetor.promotion/1';
export const PROMOTIONS_REF = 'refs/notes/praetor/receipts';
const ARTEFACTS = 'refs/praetor/artifacts/';
/** The one file in the commit that such a reference names. */
export const ARTEFACT_FILE = 'praetorctl.tgz';

export const branchRef = (branch: string): string => `refs/heads/${branch}`;
export const artefactRef = (commit: string): string => ARTEFACTS + commit;

export interface Gate { readonly command: string; readonly exit: number; readonly sha256: string }

export interface Promotion {
  readonly repository: string;
  /** Counts from 1; `prev` is the sha256 of the line before. */
  readonly seq: number;
  readonly prev: string | null;
  readonly at: string;
  readonly commit: string;
  readonly base: string;
  readonly artifact: { readonly ref: string; readonly bytes: number; readonly sha512: string };
  readonly version: string;
  readonly gates: readonly Gate[];
  readonly urgent: boolean;
  /** The lowest `seq` from which one may come to this version; 0: from any. */
  readonly minFrom: number;
  /** Ids of versions that shall not be used any more. */
  readonly withdraws: readonly string[];
  /** The last promoted commit of a history that was given up. */
  readonly resets: string | null;
  readonly expires: string | null;
  /** Replaces the anchor of every workstation that trusts the key of this line. */
  readonly signers: readonly string[] | null;
}

/** The id of a version: of its artefact's sha512. */
export const versionId = (sha512: string): string => sha512.slice(0, 16);

const hex = (digits: number) => (value: unknown): value is string => typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value);
const [isCommit, isSha256, isSha512, isId] = [hex(40), hex(64), hex(128), hex(16)];
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 4096;
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(value) && !Number.isNaN(Date.parse(value));
const listOf = <T>(is: (value: unknown) => value is T) => (value: unknown): value is T[] => Array.isArray(value) && value.every(is);
const isArtefact = (value: unknown): boolean => isObject(value) && typeof value['ref'] === 'string' && value['ref'].startsWith(ARTEFACTS) && isCommit(value['ref'].slice(ARTEFACTS.length))
  && isCount(value['bytes']) && isSha512(value['sha512']);
const isGate = (value: unknown): value is Gate => isObject(value) && isText(value['command']) && Number.isSafeInteger(value['exit']) && isSha256(value['sha256']);

const NEEDED: Readonly<Record<string, (value: unknown) => boolean>> = {
  repository: isText, seq: (value) => isCount(value) && value > 0, prev: (value) => value === null || isSha256(value), at: isTime, commit: isCommit, base: isCommit,
  artifact: isArtefact, version: isText, gates: listOf(isGate),
};
const OPTIONAL: Readonly<Record<string, (value: unknown) => boolean>> = {
  urgent: (value) => typeof value === 'boolean', minFrom: isCount, withdraws: listOf(isId), resets: isCommit, expires: isTime, signers: (value) => listOf(isText)(value) && value.length > 0,
};

/** The key that is wrong, or the promotion. */
export function readPromotion(payload: JsonObject): Promotion | string {
  const wrong = Object.keys(NEEDED).find((key) => NEEDED[key]?.(payload[key]) !== true) ?? Object.keys(OPTIONAL).find((key) => payload[key] !== undefined && OPTIONAL[key]?.(payload[key]) !== true);
  if (wrong !== undefined) return wrong;
  return { urgent: false, minFrom: 0, withdraws: [], resets: null, expires: null, signers: null, ...payload } as unknown as Promotion;
}
