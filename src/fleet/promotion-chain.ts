// Contract: every promotion of a fork in its order, as the notes hold them: one line a note, `seq` without a gap from 1, each `prev` the
// digest of the line before, each line signed by a key that was allowed when it was written. Anything else is damage and is named. Reads only.
import { PraetorError } from '../model/diagnostic.ts';
import { parseAllowedSigners, type AllowedSigners } from './allowed-signers.ts';
import { treeOf } from './fork-repo.ts';
import { gitBlobs, type GitPlace } from './git.ts';
import { PROMOTIONS_REF, PROMOTION_SCHEMA, readPromotion, versionId, type Promotion } from './promotion.ts';
import { NAMESPACE_PROMOTION, SIGNED_LINE_BYTES_MAX, openLine } from './signed-line.ts';
import { parseSignature, publicLine, type PublicKey } from './sshsig.ts';

export const PROMOTIONS_MAX = 10_000;

export interface Promoted { readonly promotion: Promotion; readonly digest: string; readonly key: PublicKey }

export interface Chain {
  readonly promoted: readonly Promoted[];
  /** Who may sign the next one; undefined where no promotion has said so yet. */
  readonly signers: AllowedSigners | undefined;
}

export const NO_CHAIN: Chain = { promoted: [], signers: undefined };

const damaged = (message: string): PraetorError => new PraetorError({
  code: 'promotions-damaged', where: { path: PROMOTIONS_REF }, message, fix: 'find out who wrote that reference: git log -p refs/notes/praetor/receipts; put the last good state back there',
});

/** The key that a line names; it still has to fit. */
function namedKey(line: string): PublicKey | undefined {
  const parsed = parseSignature(Buffer.from(line.split(' ')[2] ?? '', 'base64'));
  return parsed.ok ? parsed.value.key : undefined;
}

function opened(line: string, signers: AllowedSigners | undefined): Promoted {
  const key = namedKey(line);
  const allowed = signers ?? parseAllowedSigners(key === undefined ? '' : `* ${publicLine(key)}`);
  const result = openLine(line, { signers: allowed, namespace: NAMESPACE_PROMOTION, schema: PROMOTION_SCHEMA, ref: PROMOTIONS_REF });
  if (!result.ok) throw damaged(result.message);
  const promotion = readPromotion(result.payload);
  if (typeof promotion === 'string') throw damaged(`a promotion says something impossible of "${promotion}"`);
  return { promotion, digest: result.digest, key: result.key };
}

/** Before anything is believed, the lines are only put into the order that they claim. */
function claimedSeq(line: string): number {
  try {
    const value = JSON.parse(Buffer.from(line.split(' ')[1] ?? '', 'base64url').toString('utf8')) as { seq?: unknown };
    return Number.isSafeInteger(value.seq) ? Number(value.seq) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}

/** By commit that the note stands on. */
export function chainOf(lines: ReadonlyMap<string, string>): Chain {
  const sorted = [...lines].map(([commit, line]) => ({ commit, line, seq: claimedSeq(line) })).sort((a, b) => a.seq - b.seq);
  let signers: AllowedSigners | undefined;
  const promoted: Promoted[] = [];
  for (const [i, { commit, line, seq }] of sorted.entries()) {
    if (seq !== i + 1) throw damaged(`the promotion after sequence ${i} claims sequence ${Number.isNaN(seq) ? 'unknown' : seq}: one is missing, or two are the same`);
    const one = opened(line, signers);
    if (one.promotion.commit !== commit) throw damaged(`sequence ${seq} stands on commit ${commit} and speaks of ${one.promotion.commit}`);
    if (one.promotion.prev !== (promoted.at(-1)?.digest ?? null)) throw damaged(`sequence ${seq} does not continue the one before it`);
    promoted.push(one);
    if (one.promotion.signers !== null) signers = parseAllowedSigners(one.promotion.signers.join('\n'));
  }
  return { promoted, signers };
}

/** The chain at a commit of the notes. */
export function readChain(place: GitPlace, notes: string | undefined): Chain {
  if (notes === undefined) return NO_CHAIN;
  const entries = treeOf(place, notes);
  if (entries.length > PROMOTIONS_MAX) throw damaged(`there are more than ${PROMOTIONS_MAX} promotions`);
  const large = entries.find(({ size }) => size > SIGNED_LINE_BYTES_MAX);
  if (large !== undefined) throw damaged(`the note of commit ${large.path.replaceAll('/', '')} has ${large.size} bytes`);
  const contents = gitBlobs(place, entries.map(({ id }) => id), PROMOTIONS_MAX * 1024 * 8);
  return chainOf(new Map(entries.map(({ path }, i) => [path.replaceAll('/', ''), Buffer.from(contents[i] ?? []).toString('utf8').replace(/\n$/, '')])));
}

export const idOf = ({ promotion }: Promoted): string => versionId(promotion.artifact.sha512);

/** Ids that some promotion took back. */
export function withdrawnIds({ promoted }: Chain): ReadonlySet<string> {
  return new Set(promoted.flatMap(({ promotion }) => promotion.withdraws));
}
