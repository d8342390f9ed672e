// Contract: `fork poll`, the scheduled half of the fork: fetch, plan, prepare; then promote, where the operator's settings or the caller
// say so and every gate passed, or offer the candidate for review. What was found for two commits is remembered, so that nothing is
// built twice. It asks nobody. Through the Host.
import { makeDirs, putFile, toBytes } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import { CANDIDATE_CLONE } from './candidate.ts';
import { planFork, type ForkPlan } from './fork-plan.ts';
import { prepareFork, type EngineCheck, type Prepared } from './fork-prepare.ts';
import { untouchedClone } from './fork-push.ts';
import { promoteFork, type PromoteInput, type PromoteResult } from './fork-promote.ts';
import { neededAddress, treeOf, type ForkRepo } from './fork-repo.ts';
import { settingsAt } from './fork-settings.ts';
import { passed } from './gates.ts';
import { commitOf, git, gitSaid, remoteRefs, runGit } from './git.ts';
import { PROMOTIONS_REF, branchRef } from './promotion.ts';

const MEMORY_FILE = 'fork-poll.json';
const MEMORY_BYTES_MAX = 16 * 1024;
const NOTES_SEEN = 'refs/praetor/seen/promotions';
export const reviewRef = (commit: string): string => `refs/heads/praetor/candidate/${commit}`;

export interface PollInput {
  readonly gates: readonly string[];
  readonly build?: string | undefined;
  /** A new directory in which the candidate stays; else it is gone at the end. */
  readonly destination?: string | undefined;
  readonly autoPromote: boolean;
  /** Push the candidate as a branch for review. */
  readonly review: boolean;
  /** Prepare again what was already looked at. */
  readonly again: boolean;
  readonly promotion: Omit<PromoteInput, 'sign'> & { readonly sign: string | undefined };
}

export interface PollResult {
  readonly state: 'up-to-date' | 'refused' | 'gate-failed' | 'waiting' | 'promoted';
  readonly plan: ForkPlan;
  readonly prepared: Prepared | null;
  readonly promotion: PromoteResult | null;
  readonly review: string | null;
  /** The answer is that of an earlier run. */
  readonly remembered: boolean;
  /** The gate that failed. */
  readonly gate: string | null;
}

interface Memory { readonly owner: string; readonly source: string; readonly state: 'waiting' | 'gate-failed'; readonly review: string | null; readonly gate: string | null }

function recall(host: Host, path: string): Memory | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(host.readFile(path, MEMORY_BYTES_MAX)).toString('utf8'));
    if (!isObject(value) || typeof value['owner'] !== 'string' || typeof value['source'] !== 'string' || (value['state'] !== 'waiting' && value['state'] !== 'gate-failed')) return undefined;
    const text = (key: string): string | null => (typeof value[key] === 'string' ? value[key] : null);
    return { owner: value['owner'], source: value['source'], state: value['state'], review: text('review'), gate: text('gate') };
  } catch {
    return undefined;
  }
}

/** The remotes as they are now, in the references of the checkout where git keeps them. HEAD and files stay. */
function fetchRemotes(repo: ForkRepo): string {
  const { place, remote, upstream, branch } = repo;
  const notes = remoteRefs(place, neededAddress(repo, remote), [PROMOTIONS_REF]).has(PROMOTIONS_REF);
  for (const name of [upstream, remote]) {
    const more = name === remote && notes ? [`+${PROMOTIONS_REF}:${NOTES_SEEN}`] : [];
    git(place, ['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--', neededAddress(repo, name), `+${branchRef(branch)}:refs/remotes/${name}/${branch}`, ...more], { account: true });
  }
  const owner = commitOf(place, `refs/remotes/${remote}/${branch}`);
  if (owner === undefined) throw new PraetorError({ code: 'fork-refused', message: `the fork has no branch ${branch}`, fix: `git push ${remote} ${branch}` });
  return owner;
}

function isPromoted(repo: ForkRepo, commit: string): boolean {
  return commitOf(repo.place, NOTES_SEEN) !== undefined && treeOf(repo.place, NOTES_SEEN).some(({ path }) => path.replaceAll('/', '') === commit);
}

/** A branch of the candidate's name holds exactly that commit: it is made once and never moved. */
function offerReview(repo: ForkRepo, prepared: Prepared): string {
  const { host } = repo.place;
  const { commit } = prepared.candidate;
  const ref = reviewRef(commit);
  const address = neededAddress(repo, repo.remote);
  if (remoteRefs(repo.place, address, [ref]).get(ref) === commit) return ref;
  const clone = untouchedClone(host, { clone: joinPath(host.platform, prepared.destination, CANDIDATE_CLONE), commit });
  const result = runGit(clone, ['push', '--no-verify', '--porcelain', `--force-with-lease=${ref}:`, '--', address, `${commit}:${ref}`], { account: true });
  clone.remove();
  if (result.code !== 0) throw new PraetorError({ code: 'promotion-refused', message: `the server did not take the branch for review: ${gitSaid(result)}`, fix: 'allow the account to push refs/heads/praetor/candidate/*, or poll without --review' });
  return ref;
}

async function pollPrepared(repo: ForkRepo, input: PollInput, plan: ForkPlan, prepared: Prepared): Promise<PollResult> {
  const failed = prepared.candidate.gates.find((gate) => !passed(gate));
  const result = { plan, prepared, promotion: null, review: null, remembered: false, gate: failed?.command ?? null };
  if (failed !== undefined) return { ...result, state: 'gate-failed' };
  if (input.autoPromote || settingsAt(repo.place, plan.owner).autoPromote === 'verified') {
    const { sign } = input.promotion;
    if (sign === undefined) throw new PraetorError({ code: 'usage', message: 'there is no key to sign the promotion with', fix: 'name it: --sign KEY, or PRAETORCTL_FORK_KEY' });
    const promotion = await promoteFork(repo, prepared.destination, { ...input.promotion, sign });
    return { ...result, state: promotion.promoted ? 'promoted' : 'up-to-date', promotion };
  }
  return { ...result, state: 'waiting', review: input.review ? offerReview(repo, prepared) : null };
}

export async function pollFork(repo: ForkRepo, state: string, input: PollInput, check: EngineCheck): Promise<PollResult> {
  const { place: { host } } = repo;
  const owner = fetchRemotes(repo);
  const plan = planFork(repo, { owner });
  const early = { plan, prepared: null, promotion: null, review: null, remembered: false, gate: null };
  if (plan.state === 'refused') return { ...early, state: 'refused' };
  if (plan.state === 'up-to-date' && isPromoted(repo, owner)) return { ...early, state: 'up-to-date' };
  const memory = joinPath(host.platform, state, MEMORY_FILE);
  const known = recall(host, memory);
  const promotes = input.autoPromote || settingsAt(repo.place, owner).autoPromote === 'verified';
  const stands = known !== undefined && known.owner === owner && known.source === plan.source && (known.state === 'gate-failed' || (!promotes && (!input.review || known.review !== null)));
  if (stands && !input.again && input.destination === undefined) return { ...early, state: known.state, review: known.review, gate: known.gate, remembered: true };
  const temp = input.destination === undefined ? host.tempDir('praetorctl-poll-') : undefined;
  try {
    const destination = input.destination ?? joinPath(host.platform, temp?.path ?? '', 'candidate');
    const prepared = await prepareFork(repo, { destination, gates: input.gates, build: input.build, owner, source: plan.source }, check);
    const result = await pollPrepared(repo, input, plan, prepared);
    if (result.state === 'waiting' || result.state === 'gate-failed') {
      makeDirs(host, state, 0o700);
      const { state: found, review, gate } = result;
      putFile(host, memory, toBytes(`${JSON.stringify({ owner, source: plan.source, state: found, review, gate } satisfies Memory)}\n`));
    }
    return result;
  } finally {
    temp?.remove();
  }
}
