// Contract: may this promotion come in, and if so, is it to be installed now? Two pure functions: the first holds a verified line
// against what the workstation remembers, the second against its pin, its blocks and its settings. Order comes from `seq` and
// `prev`, never from a clock. PURE.
import type { InstallRecord } from '../roots/install-record.ts';
import { sameIdentity } from './fork-manifest.ts';
import { versionId, type Promotion } from './promotion.ts';

export interface Verified { readonly promotion: Promotion; readonly digest: string; readonly fingerprint: string }

export type PromotionCode = 'repository-other' | 'commit-other' | 'replayed' | 'chain-broken' | 'diverged' | 'withdrawn' | 'min-from' | 'expired';
export interface PromotionRefusal { readonly code: PromotionCode; readonly message: string; readonly fix: string }

/** For every refusal: which key, which reference, which sequence. */
export function namedLine(fingerprint: string | undefined, ref: string, seq: number | undefined): string {
  return `key ${fingerprint ?? 'unknown'}, ref ${ref}, sequence ${seq ?? 'unknown'}`;
}

export interface Remembered extends Pick<InstallRecord, 'repository' | 'lastSeq' | 'lastPromotion' | 'lastCommit'> {
  /** Of the version that runs; null where it came from no promotion. */
  readonly currentSeq: number | null;
}

export interface Seen {
  readonly ref: string;
  /** The commit that carries the line. */
  readonly commit: string;
  /** It follows on the last promoted commit. */
  readonly follows: boolean;
  /** A person said so: a history that was given up is accepted once. */
  readonly acceptHistory: boolean;
}

const OPERATOR = 'nothing was changed; ask the operator of the fork';

/** `true`: the same line as the last time. */
function orderOf(remembered: Remembered, { promotion, digest }: Verified): PromotionRefusal['code'] | 'same' | 'next' | 'gap' {
  if (digest === remembered.lastPromotion) return 'same';
  if (promotion.seq <= remembered.lastSeq) return 'replayed';
  if (remembered.lastPromotion === null) return 'next';
  if (promotion.seq > remembered.lastSeq + 1) return 'gap';
  return promotion.prev === remembered.lastPromotion ? 'next' : 'chain-broken';
}

/** Notes are warnings for people; a refusal leaves everything as it is. */
export function admit(remembered: Remembered, verified: Verified, seen: Seen): { readonly refusal: PromotionRefusal } | { readonly notes: readonly string[] } {
  const { promotion, fingerprint } = verified;
  const refuse = (code: PromotionCode, what: string, fix = OPERATOR): { refusal: PromotionRefusal } => ({ refusal: { code, message: `${what} (${namedLine(fingerprint, seen.ref, promotion.seq)})`, fix } });
  if (remembered.repository !== null && !sameIdentity(promotion.repository, remembered.repository)) return refuse('repository-other', `the promotion is one of ${promotion.repository}, this workstation follows ${remembered.repository}`);
  if (promotion.commit !== seen.commit) return refuse('commit-other', `the promotion is one of commit ${promotion.commit.slice(0, 12)}, but stands on ${seen.commit.slice(0, 12)}`);
  const order = orderOf(remembered, verified);
  if (order === 'replayed') return refuse('replayed', `the promotion is older than one that was seen here (sequence ${remembered.lastSeq})`);
  if (order === 'chain-broken' && !seen.acceptHistory) return refuse('chain-broken', `the promotion does not follow on sequence ${remembered.lastSeq} as it was seen here`, `if the fork was restored and you know it: praetorctl workstation update --accept-history`);
  const reset = promotion.resets !== null && promotion.resets === remembered.lastCommit;
  if (!seen.follows && !reset && !seen.acceptHistory) {
    return refuse('diverged', `the branch does not contain the last promoted commit ${remembered.lastCommit?.slice(0, 12) ?? ''} any more: its history was rewritten`, 'the operator promotes with a reset of that commit; or, if you know of it: praetorctl workstation update --accept-history');
  }
  if (promotion.withdraws.includes(versionId(promotion.artifact.sha512))) return refuse('withdrawn', 'the promotion withdraws its own version');
  const from = remembered.currentSeq ?? 0;
  if (order !== 'same' && promotion.minFrom > from) return refuse('min-from', `the promotion can only be reached from sequence ${promotion.minFrom}, the installed version has ${from === 0 ? 'none' : String(from)}`, 'install the promotion in between first: praetorctl workstation install --from <remote> takes the newest one without regard to this');
  return { notes: order === 'gap' ? [`${promotion.seq - remembered.lastSeq - 1} promotions between sequence ${remembered.lastSeq} and ${promotion.seq} were not seen here`] : [] };
}

export interface Standing extends Pick<InstallRecord, 'current' | 'pin' | 'blocked' | 'withdrawn'> {
  readonly nowMs: number;
  readonly soakMs: number;
  /** A person asked for it now. */
  readonly now: boolean;
}

export type Decision = { readonly what: 'up-to-date' | 'install' } | { readonly what: 'held' | 'waiting' | 'blocked' | 'expired'; readonly message: string };

const hours = (ms: number): string => (ms < 3_600_000 ? `${Math.ceil(ms / 60_000)} minutes` : `${Math.ceil(ms / 3_600_000)} hours`);

export function decideUpdate(standing: Standing, promotion: Promotion): Decision {
  const id = versionId(promotion.artifact.sha512);
  const withdrawn = [...standing.withdrawn, ...promotion.withdraws].includes(standing.current);
  if (standing.pin !== null) {
    const missed = id === standing.current ? 'it is also the newest' : `version ${id} (${promotion.version}, sequence ${promotion.seq}) is not taken`;
    return { what: 'held', message: `pinned to ${standing.pin.id} by ${standing.pin.by}; ${missed}${withdrawn ? '; the pinned version was withdrawn' : ''}` };
  }
  if (id === standing.current) return { what: 'up-to-date' };
  const block = standing.blocked.find((one) => one.id === id);
  if (block !== undefined) return { what: 'blocked', message: `version ${id} was tried here and did not judge (${block.code}); the next promotion is waited for` };
  if (promotion.expires !== null && Date.parse(promotion.expires) < standing.nowMs && !standing.now) {
    return { what: 'expired', message: `the promotion of version ${id} ended on ${promotion.expires}: the fork may have been frozen, or this clock is wrong` };
  }
  const left = Date.parse(promotion.at) + standing.soakMs - standing.nowMs;
  if (left > 0 && !promotion.urgent && !standing.now && !withdrawn) return { what: 'waiting', message: `version ${id} was promoted on ${promotion.at} and is taken in ${hours(left)}; at once with --now` };
  return { what: 'install' };
}
