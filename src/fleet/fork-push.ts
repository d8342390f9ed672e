// Contract: the one push by which a promotion becomes true: branch, artefact and note together or not at all, each only if it is
// still what was looked at. Nothing is ever forced: the branch moves forward, the two others are new or continue. Afterwards the
// server is asked. Through the Host.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { gitLine, git, gitSaid, isAncestor, remoteRefs, runGit, type GitPlace } from './git.ts';
import { ARTEFACT_FILE, PROMOTIONS_REF, branchRef } from './promotion.ts';

/** What was on the server when it was looked at. */
export interface Seen { readonly branch: string; readonly main: string; readonly notes: string | undefined }

const [LOCAL_MAIN, LOCAL_NOTES] = ['refs/praetor/remote/main', 'refs/praetor/remote/notes'];
/** Of objects that only carry a file or a line, so that the same content is the same object. */
const CARRIER = { 'user.name': 'praetorctl', 'user.email': 'praetorctl@localhost' };

/**
 * A repository that nobody has touched, with a commit of another one where it is named. In a candidate's own clone code of upstream
 * was run: its configuration could send a push, or an agent, somewhere else.
 */
export function untouchedClone(host: Host, candidate?: { readonly clone: string; readonly commit: string }): GitPlace & { readonly remove: () => void } {
  const temp = host.tempDir('praetorctl-promote-');
  try {
    const place = { host, cwd: temp.path };
    git(place, ['init', '-q', '--template=']);
    if (candidate !== undefined) git(place, ['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--', candidate.clone, `${candidate.commit}:refs/praetor/candidate`]);
    return { ...place, remove: temp.remove };
  } catch (error) {
    temp.remove();
    throw error;
  }
}

export function lostRace(changes: readonly string[]): PraetorError {
  return new PraetorError({ code: 'fork-moved', message: `somebody else was quicker: ${changes.join('; ')}`, fix: 'git pull, then praetorctl fork plan and prepare again' });
}

/** Fetches the branch and the notes of the fork into a private clone. */
export function fetchFork(place: GitPlace, address: string, branch: string): Seen {
  const there = remoteRefs(place, address, [branchRef(branch), PROMOTIONS_REF]);
  if (!there.has(branchRef(branch))) throw new PraetorError({ code: 'fork-refused', message: `the fork has no branch ${branch}`, fix: `git push origin ${branch}, once, before the first promotion` });
  const wanted = [`+${branchRef(branch)}:${LOCAL_MAIN}`, ...(there.has(PROMOTIONS_REF) ? [`+${PROMOTIONS_REF}:${LOCAL_NOTES}`] : [])];
  git(place, ['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--', address, ...wanted], { account: true });
  return { branch, main: gitLine(place, ['rev-parse', LOCAL_MAIN]), notes: there.has(PROMOTIONS_REF) ? gitLine(place, ['rev-parse', LOCAL_NOTES]) : undefined };
}

/** A commit without history whose one file is the artefact. */
export function artefactCommit(place: GitPlace, file: string, commit: string, at: string): string {
  const blob = gitLine(place, ['hash-object', '-w', '--no-filters', '--', file]);
  const tree = gitLine(place, ['mktree'], { input: `100644 blob ${blob}\t${ARTEFACT_FILE}\n` });
  return gitLine(place, ['commit-tree', tree, '-m', `Artefact of ${commit}`], { config: CARRIER, date: at });
}

/** The notes with one line more. */
export function notesWith(place: GitPlace, notes: string | undefined, commit: string, line: string, at: string): string {
  const blob = gitLine(place, ['hash-object', '-w', '--stdin'], { input: `${line}\n` });
  if (notes === undefined) runGit(place, ['update-ref', '-d', PROMOTIONS_REF]);
  else git(place, ['update-ref', PROMOTIONS_REF, notes]);
  git(place, ['notes', `--ref=${PROMOTIONS_REF}`, 'add', '-C', blob, commit], { config: CARRIER, date: at });
  return gitLine(place, ['rev-parse', PROMOTIONS_REF]);
}

export interface Move { readonly ref: string; readonly from: string | undefined; readonly to: string }

const short = (id: string | undefined): string => (id === undefined ? 'absent' : id.slice(0, 12));

function stateOf(place: GitPlace, address: string, moves: readonly Move[]): ReadonlyMap<string, string> {
  return remoteRefs(place, address, moves.map(({ ref }) => ref));
}

export function pushTogether(place: GitPlace, address: string, moves: readonly Move[]): void {
  // A lease would let a branch be replaced; that it only moves forward is checked here, against exactly the value that the lease names.
  const backwards = moves.find(({ ref, from, to }) => from !== undefined && !ref.startsWith('refs/praetor/artifacts/') && !isAncestor(place, from, to));
  if (backwards !== undefined) throw lostRace([`${backwards.ref} is ${short(backwards.from)}, which the candidate does not contain`]);
  const leases = moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`);
  const result = runGit(place, ['push', '--atomic', '--no-verify', '--porcelain', ...leases, '--', address, ...moves.map(({ ref, to }) => `${to}:${ref}`)], { account: true });
  const after = stateOf(place, address, moves);
  if (moves.every(({ ref, to }) => after.get(ref) === to)) return;
  const moved = moves.filter(({ ref, from }) => after.get(ref) !== from);
  if (moved.length > 0) throw lostRace(moved.map(({ ref, from }) => `${ref} is ${short(after.get(ref))}, it was ${short(from)}`));
  throw new PraetorError({ code: 'promotion-refused', message: `the server took none of the three: ${gitSaid(result)}`, fix: 'look at the rules of the repository for refs/praetor/* and refs/notes/*; nothing was changed there' });
}
