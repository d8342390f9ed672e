// Contract: candidate.json, what `fork prepare` leaves beside the clone and the artefact, and what `fork promote` believes of it: only
// which commits and files to check. Through the Host.
import { putFile, toBytes } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import type { Gate } from './promotion.ts';

export const CANDIDATE_FILE = 'candidate.json';
export const CANDIDATE_ARTEFACT = 'artefact.tgz';
export const CANDIDATE_CLONE = 'repo';
const CANDIDATE_SCHEMA = 'praetor.candidate/1';
const CANDIDATE_BYTES_MAX = 256 * 1024;

export interface Candidate {
  readonly repository: string;
  /** The commit of the fork that it continues. */
  readonly owner: string;
  /** The commit of upstream that it contains. */
  readonly base: string;
  /** What would be promoted: the merge of the two, or the owner's commit where upstream has nothing new. */
  readonly commit: string;
  readonly version: string;
  readonly at: string;
  readonly gates: readonly Gate[];
  /** null: a gate failed, and nothing was packed. */
  readonly artefact: { readonly bytes: number; readonly sha512: string } | null;
}

export function writeCandidate(host: Host, directory: string, candidate: Candidate): void {
  putFile(host, joinPath(host.platform, directory, CANDIDATE_FILE), toBytes(`${JSON.stringify({ schema: CANDIDATE_SCHEMA, ...candidate }, null, 2)}\n`), 0o644);
}

const isHex = (digits: number, value: unknown): boolean => typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value);
const isGate = (gate: unknown): boolean => isObject(gate) && typeof gate['command'] === 'string' && Number.isSafeInteger(gate['exit']) && isHex(64, gate['sha256']);

function isCandidate(value: unknown): value is Candidate & { readonly schema: string } {
  if (!isObject(value) || value['schema'] !== CANDIDATE_SCHEMA) return false;
  const { artefact, gates } = value;
  return ['owner', 'base', 'commit'].every((key) => isHex(40, value[key])) && ['repository', 'version', 'at'].every((key) => typeof value[key] === 'string' && value[key] !== '')
    && Array.isArray(gates) && gates.every(isGate) && (artefact === null || (isObject(artefact) && Number.isSafeInteger(artefact['bytes']) && isHex(128, artefact['sha512'])));
}

export function readCandidate(host: Host, directory: string): Candidate {
  const path = joinPath(host.platform, directory, CANDIDATE_FILE);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(host.readFile(path, CANDIDATE_BYTES_MAX)).toString('utf8'));
  } catch {
    value = undefined;
  }
  if (isCandidate(value)) return value;
  throw new PraetorError({ code: 'fork-refused', where: { path }, message: 'this is no candidate of praetorctl fork prepare', fix: 'praetorctl fork prepare --destination DIR' });
}
