// Contract: everything that `clients report` shows: what verify sees, the newest proofs, the verdicts of the last days, and what no
// registration can close. Writes nothing, starts nothing. Reads through the Host.
import type { Host } from '../host.ts';
import type { Fact } from '../model/client.ts';
import { clientById } from '../clients/registry.ts';
import { rootContext } from '../roots/context.ts';
import { ownDirs } from '../roots/own-dirs.ts';
import type { Proof } from '../receipts/proof.ts';
import { verdictHistory, type History } from './history.ts';
import { readProofs } from './proofs.ts';
import { verifyClients, type VerifyRequest, type VerifyResult } from './verify.ts';

/** Newest first; the file keeps more. */
export const SHOWN_PROOFS_MAX = 50;

export interface ShownProof extends Pick<Proof, 'time' | 'client' | 'result' | 'cause' | 'clientVersion' | 'engine'> {
  /** Does it still say anything about today? */
  readonly binds: boolean;
}

export interface ClientGaps { readonly client: string; readonly seenOn: Fact; readonly gaps: readonly Fact[] }

export interface Report {
  readonly verified: VerifyResult;
  readonly proofs: readonly ShownProof[];
  /** Why the proofs could not be read. */
  readonly proofsUnread: string | null;
  readonly history: History;
  readonly gaps: readonly ClientGaps[];
}

export function gatherReport(host: Host, request: VerifyRequest): Report {
  const verified = verifyClients(host, request);
  const { home } = rootContext(host);
  const { receipts } = ownDirs({ platform: host.platform, env: host.env, home });
  const source = readProofs(host, receipts);
  const proven = new Map(verified.clients.map(({ client, proven: at }) => [client, at]));
  const proofs = (source.ok ? source.proofs : []).filter((proof) => proven.has(proof.client)).slice(0, SHOWN_PROOFS_MAX)
    .map(({ time, client, result, cause, clientVersion, engine }): ShownProof => ({ time, client, result, cause, clientVersion, engine, binds: result === 'proven' && proven.get(client) === time }));
  return {
    verified, proofs, proofsUnread: source.ok ? null : source.why, history: verdictHistory(host, receipts, verified.now),
    gaps: verified.clients.map(({ client }) => { const { seenOn, gaps } = clientById(client); return { client, seenOn, gaps }; }),
  };
}
