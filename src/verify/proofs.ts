// Contract: the receipts of kind `proof`: stored beside the others in a file of their own, the newest last, and what must still
// be the same for one to say anything about today. Reads and writes through the Host.
import type { Host } from '../host.ts';
import type { ClientEvidence } from '../model/evidence.ts';
import { makeDirs, OWN_DIR_MODE, putFile, toBytes } from '../clientsetup/statefiles.ts';
import { formatProof, parseProofLine, PROOFS_FILE, PROOFS_FILE_BYTES_MAX, PROOFS_MAX, type Proof, type ProofBinding } from '../receipts/proof.ts';
import { joinPath } from '../roots/paths.ts';
import type { Tri } from '../model/evidence.ts';
import type { ProofCause } from './prove-cause.ts';
import type { Reason } from './state.ts';

/** Newest first; a file that is not there is none, one that cannot be read says so. */
export type ProofSource = { readonly ok: true; readonly proofs: readonly Proof[] } | { readonly ok: false; readonly why: string };

const pathIn = (host: Host, directory: string): string => joinPath(host.platform, directory, PROOFS_FILE);

export function readProofs(host: Host, directory: string): ProofSource {
  try {
    const path = pathIn(host, directory);
    if (host.stat(path) === undefined) return { ok: true, proofs: [] };
    const lines = new TextDecoder().decode(host.readFile(path, PROOFS_FILE_BYTES_MAX)).split('\n');
    return { ok: true, proofs: lines.flatMap((line) => parseProofLine(line) ?? []).reverse() };
  } catch (error) {
    return { ok: false, why: error instanceof Error && 'code' in error ? String(error.code) : 'unknown' };
  }
}

/** Two proofs at a time could lose one of them, and nothing more: each is taken again in seconds. */
export function storeProof(host: Host, directory: string, proof: Proof): void {
  makeDirs(host, directory, OWN_DIR_MODE);
  const before = readProofs(host, directory);
  const kept = before.ok ? [...before.proofs].reverse().slice(-(PROOFS_MAX - 1)) : [];
  putFile(host, pathIn(host, directory), toBytes([...kept, proof].map(formatProof).join('')));
}

/** Undefined where there is nothing that a proof could be about. */
export function bindingOf(host: Host, e: ClientEvidence, engine: string, policy: string): ProofBinding | undefined {
  if (e.program === undefined || e.binary === undefined) return undefined;
  const entries = e.files.flatMap((file) => file.commands).map(({ path, entry }) => `${path}\0${entry}`).sort();
  if (entries.length === 0) return undefined;
  return { program: e.program, binary: e.binary, clientVersion: e.version.value, engine, policy, registration: host.sha256([e.entrypoint ?? '', ...entries].join('\0\0')) };
}

/** What changed since, in words; empty: it still binds. */
export function changedSince(proof: Proof, now: ProofBinding | undefined): readonly string[] {
  if (now === undefined) return ['the client or the registration is gone'];
  const parts: readonly [boolean, string][] = [
    [proof.clientVersion !== now.clientVersion, "the client's version"], [proof.program !== now.program || proof.binary !== now.binary, "the client's program"],
    [proof.engine !== now.engine, 'the version of praetorctl'], [proof.policy !== now.policy, 'the policy'], [proof.registration !== now.registration, 'the registration'],
  ];
  return parts.filter(([changed]) => changed).map(([, what]) => what);
}

/** A run that ended before the canary, or in which it did not run, does not show that the gate is open. */
const SHOWS_NOTHING: ReadonlySet<string> = new Set<ProofCause>([
  'unsupported', 'not-installed', 'not-registered', 'could-not-start', 'never-asked', 'script-not-finished', 'timed-out', 'control-refused', 'refused-by-others', 'reason-lost', 'receipt-lost',
]);

/** What is observed once the newest proof is counted: one that saw the gate open is stronger than any older receipt. */
export function observedWith(observed: Tri, source: ProofSource, client: string, now: ProofBinding | undefined, lastToolAt: number | undefined): Tri {
  const last = source.ok ? source.proofs.find((proof) => proof.client === client) : undefined;
  if (observed !== true || last?.result !== 'not-proven' || SHOWS_NOTHING.has(last.cause) || changedSince(last, now).length > 0) return observed;
  return lastToolAt !== undefined && lastToolAt > Date.parse(last.time) ? observed : 'unknown';
}

/** The newest proof of a client decides: a later one that failed takes the word of an earlier one away. */
export function judgeProof(source: ProofSource, client: string, now: ProofBinding | undefined, standing: boolean): { readonly proven: string | null; readonly reasons: readonly Reason[] } {
  const fix = `praetorctl clients prove --client ${client}`;
  if (!source.ok) return { proven: null, reasons: [{ code: 'note', text: `the proofs cannot be read (${source.why})`, fix: 'praetorctl doctor' }] };
  const last = source.proofs.find((proof) => proof.client === client);
  if (last === undefined) return { proven: null, reasons: [] };
  const changed = changedSince(last, now);
  if (last.result === 'not-proven') {
    return { proven: null, reasons: changed.length > 0 ? [] : [{ code: 'proof-failed', text: `the last proof (${last.time}) failed: ${last.cause}`, fix }] };
  }
  if (changed.length > 0) return { proven: null, reasons: [{ code: 'proof-outdated', text: `the proof of ${last.time} does not bind any more: changed since then: ${changed.join(', ')}`, fix }] };
  if (!standing) return { proven: null, reasons: [{ code: 'proof-outdated', text: `the proof of ${last.time} does not bind any more: the hooks do not stand or run as they did then`, fix }] };
  return { proven: last.time, reasons: [] };
}
