// Contract: one proof = one JSON line: what `clients prove` saw of a client, and to what that is bound. PURE.
// It holds names, paths, versions and digests: never an answer of the client, a key or a command.
// Readers take lines of later versions: unknown keys are dropped, unknown causes kept as they are.
import { asciiJson } from '../clients/ascii-json.ts';
import { isObject } from '../model/json.ts';

export const PROOFS_FILE = 'proofs.jsonl';
export const PROOF_BYTES_MAX = 4096;
/** Of all clients together: the newest are kept. */
export const PROOFS_MAX = 256;
export const PROOFS_FILE_BYTES_MAX = PROOFS_MAX * PROOF_BYTES_MAX;

/** What must still be the same for a proof to say anything about today. */
export interface ProofBinding {
  readonly program: string;
  /** Size, time and inode of the real file; an upgrade changes one of them. */
  readonly binary: string;
  readonly clientVersion: string | null;
  readonly engine: string;
  readonly policy: string;
  /** sha256 over our entries as they stand in the client's files, and where the program behind them is. */
  readonly registration: string;
}

export interface Proof extends ProofBinding {
  readonly v: 1;
  readonly kind: 'proof';
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly client: string;
  readonly result: 'proven' | 'not-proven';
  /** Empty where proven. */
  readonly cause: string;
}

export function formatProof(proof: Proof): string {
  const { v, kind, time, client, result, cause, program, binary, clientVersion, engine, policy, registration } = proof;
  return `${asciiJson({ v, kind, time, client, result, cause, program, binary, clientVersion, engine, policy, registration })}\n`;
}

export function parseProofLine(line: string): Proof | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['v'] !== 1 || value['kind'] !== 'proof') return undefined;
  const { time, client, result, cause, program, binary, clientVersion, engine, policy, registration } = value;
  const words = [time, client, cause, program, binary, engine, policy, registration];
  if (!words.every((word): word is string => typeof word === 'string') || Number.isNaN(Date.parse(String(time)))) return undefined;
  if (result !== 'proven' && result !== 'not-proven') return undefined;
  const [t, c, why, p, b, e, y, r] = words as [string, string, string, string, string, string, string, string];
  return { v: 1, kind: 'proof', time: t, client: c, result, cause: why, program: p, binary: b, clientVersion: typeof clientVersion === 'string' ? clientVersion : null, engine: e, policy: y, registration: r };
}
