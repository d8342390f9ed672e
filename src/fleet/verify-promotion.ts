// Contract: from a reference of the fork to a promotion that this workstation believes, or the reason why not. The signature is held
// against the anchor of the record, never against anything that came with what it signs. Through the Host.
import { PraetorError } from '../model/diagnostic.ts';
import type { InstallRecord } from '../roots/install-record.ts';
import { parseAllowedSigners } from './allowed-signers.ts';
import { fetchArtefact, fetchHeads, follows, ownRepository, promotionLine } from './fork-remote.ts';
import type { RemoteHeads } from './remote-heads.ts';
import { commitOf, type GitPlace } from './git.ts';
import { admit, namedLine, type PromotionCode, type Verified } from './judge-promotion.ts';
import { PROMOTION_SCHEMA, PROMOTIONS_REF, branchRef, readPromotion, versionId } from './promotion.ts';
import { NAMESPACE_PROMOTION, openLine, type RefusalCode } from './signed-line.ts';
import { timeNow, withdrawnNow, type Station } from './station.ts';
import { readVersion } from '../roots/version-file.ts';

export type VerifyCode = PromotionCode | RefusalCode | 'no-branch' | 'not-promoted' | 'anchor-invalid' | 'signers-invalid';
export interface VerifyRefusal { readonly code: VerifyCode; readonly message: string; readonly fix: string; readonly seq: number | null }
export interface Believed extends Verified { readonly place: GitPlace; readonly record: InstallRecord; readonly notes: readonly string[] }

const OPERATOR = 'nothing was changed; ask the operator of the fork';
const isRefusal = (value: Verified | VerifyRefusal): value is VerifyRefusal => 'fix' in value;

/** The signed line on a commit, held against the anchor. */
function openedLine(record: InstallRecord, line: string | undefined, commit: string): Verified | VerifyRefusal {
  const ref = `${PROMOTIONS_REF} on ${commit.slice(0, 12)}`;
  const refuse = (code: VerifyCode, message: string, seq: number | null = null): VerifyRefusal => ({ code, message, fix: OPERATOR, seq });
  if (line === undefined) return refuse('not-promoted', `the commit of ${branchRef(record.branch)} carries no promotion (${namedLine(undefined, ref, undefined)})`);
  const signers = parseAllowedSigners(record.anchor.join('\n'));
  if (signers.signers.length === 0) return { ...refuse('anchor-invalid', `this workstation trusts no key for promotions (${namedLine(undefined, ref, undefined)})`), fix: 'praetorctl workstation install --from <remote> --anchor <allowed signers>' };
  const opened = openLine(line, { signers, namespace: NAMESPACE_PROMOTION, schema: PROMOTION_SCHEMA, ref });
  if (!opened.ok) return refuse(opened.code, opened.message, opened.seq ?? null);
  const { fingerprint } = opened.key;
  const promotion = readPromotion(opened.payload);
  if (typeof promotion === 'string') return refuse('payload-invalid', `the promotion is of no form that is known here: ${promotion} (${namedLine(fingerprint, ref, undefined)})`);
  if (promotion.signers !== null) {
    const next = parseAllowedSigners(promotion.signers.join('\n'));
    const usable = next.signers.some(({ namespaces }) => namespaces === undefined || namespaces.includes(NAMESPACE_PROMOTION));
    if (next.problems.length > 0 || !usable) return refuse('signers-invalid', `the promotion replaces the trusted keys by lines that cannot be used (${namedLine(fingerprint, ref, promotion.seq)})`, promotion.seq);
  }
  return { promotion, digest: opened.digest, fingerprint };
}

/** What the promotion's reference names. Where that is gone or has another size, the refusal names the promotion. */
export function promotedArtefact({ promotion, fingerprint, place }: Believed, remote: string): Uint8Array {
  const { ref, bytes } = promotion.artifact;
  try {
    return fetchArtefact(place, remote, ref, bytes);
  } catch (error) {
    if (!(error instanceof PraetorError)) throw error;
    throw new PraetorError({ ...error.diagnostic, message: `${error.diagnostic.message} (${namedLine(fingerprint, ref, promotion.seq)})` }, error);
  }
}

export interface VerifyOptions {
  readonly acceptHistory: boolean;
  /** `minFrom` does not count: a person installs. */
  readonly fromAnywhere?: boolean;
}

/** Fetches what is not here yet. The answer's record remembers the promotion; it is not written here. */
export function verifyPromotion(station: Station, record: InstallRecord, heads: RemoteHeads, options: VerifyOptions): Believed | VerifyRefusal {
  const { host, data } = station;
  const refuse = (code: VerifyCode, message: string): VerifyRefusal => ({ code, message, fix: OPERATOR, seq: null });
  const remote = record.remote ?? '';
  if (heads.commit === null) return refuse('no-branch', `the fork has no branch ${record.branch} (${namedLine(undefined, branchRef(record.branch), undefined)})`);
  if (heads.notes === null) return refuse('not-promoted', `nothing was promoted in this fork (${namedLine(undefined, PROMOTIONS_REF, undefined)})`);
  const place = ownRepository(host, data);
  const here: RemoteHeads = { commit: commitOf(place, branchRef(record.branch)) ?? null, notes: commitOf(place, PROMOTIONS_REF) ?? null };
  const got = here.commit === heads.commit && here.notes === heads.notes ? here : fetchHeads(place, remote, record.branch, record.lastCommit);
  if (got.commit === null) return refuse('no-branch', `the branch ${record.branch} cannot be read (${namedLine(undefined, branchRef(record.branch), undefined)})`);
  const verified = openedLine(record, promotionLine(place, got.commit), got.commit);
  if (isRefusal(verified)) return verified;
  const { promotion, digest } = verified;
  const admitted = admit({ ...record, currentSeq: options.fromAnywhere === true ? Infinity : readVersion(host, data, record.current)?.seq ?? null }, verified, {
    ref: PROMOTIONS_REF, commit: got.commit, follows: follows(place, record.lastCommit, got.commit), acceptHistory: options.acceptHistory,
  });
  if ('refusal' in admitted) return { ...admitted.refusal, seq: promotion.seq };
  // What is promoted again counts again.
  const target = versionId(promotion.artifact.sha512);
  const next: InstallRecord = {
    ...record, lastSeq: promotion.seq, lastPromotion: digest, lastCommit: promotion.commit, lastNotes: got.notes, repository: promotion.repository, target,
    expires: promotion.expires, withdrawn: withdrawnNow(record, promotion.withdraws).filter((id) => id !== target), lastVerifiedAt: timeNow(host), ...(promotion.signers === null ? {} : { anchor: promotion.signers }),
  };
  return { ...verified, place, record: next, notes: admitted.notes };
}
