// Contract: the operational fork as a workstation sees it: the promotion of its branch's commit, the artefact that a promotion names. What is fetched is kept in a bare repository of our own and is believed by nobody: the caller
// verifies. Every step is one bounded git. Only under the update lock, but for asking. Through the Host.
import { OWN_DIR_MODE, makeDirs, pathsOf } from '../clientsetup/statefiles.ts';
import { hostErrorCode, type Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { commitOf, git, gitBlob, gitLine, isAncestor, runGit, type GitPlace } from './git.ts';
import { ARTEFACT_FILE, PROMOTIONS_REF, branchRef } from './promotion.ts';
import type { RemoteHeads } from './remote-heads.ts';
import { SIGNED_LINE_BYTES_MAX } from './signed-line.ts';
import { ARTEFACT_BYTES_MAX } from './tar.ts';
import { removeTree } from './versions.ts';

const REPOSITORY = 'repo.git';
const FETCH_MS_MAX = 120_000;
/** Packs in our repository before it is packed anew. */
const PACKS_MAX = 40;
const ARTEFACT_REF = 'refs/praetor/artifact';

/** What a killed git leaves would stop the next one; whoever holds the update lock knows that no git of ours runs. */
function dropGitLocks(host: Host, directory: string): void {
  const p = pathsOf(host);
  for (const name of host.readDir(directory)) {
    const path = p.join(directory, name);
    if (name.endsWith('.lock')) host.unlink(path);
    else if (name === 'refs' || directory.includes(`${REPOSITORY}${p.sep}refs`)) { if (host.lstat(path)?.kind === 'dir') dropGitLocks(host, path); }
  }
}

/** Our bare repository, made where it is missing. */
export function ownRepository(host: Host, data: string): GitPlace {
  const p = pathsOf(host);
  const directory = p.join(data, REPOSITORY);
  makeDirs(host, data, OWN_DIR_MODE);
  for (const name of host.readDir(data).filter((one) => one.startsWith(`${REPOSITORY}.`))) removeTree(host, p.join(data, name));
  if (host.lstat(directory) === undefined) {
    const temp = `${directory}.${host.nonce(8)}`;
    git({ host, cwd: data }, ['init', '--quiet', '--bare', '--template=', '--', temp]);
    host.rename(temp, directory);
  }
  dropGitLocks(host, directory);
  return { host, cwd: directory, gitDir: directory };
}

const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules', '--no-show-forced-updates'];

/** Without their history the first time; later only what came since, so that the way between two promotions is known. */
export function fetchHeads(place: GitPlace, remote: string, branch: string, since: string | null): RemoteHeads {
  const known = since !== null && commitOf(place, since) !== undefined;
  git(place, [...FETCH, ...(known ? [] : ['--depth=1']), '--', remote, `+${branchRef(branch)}:${branchRef(branch)}`, `+${PROMOTIONS_REF}:${PROMOTIONS_REF}`], { account: true, timeoutMs: FETCH_MS_MAX });
  return { commit: commitOf(place, branchRef(branch)) ?? null, notes: commitOf(place, PROMOTIONS_REF) ?? null };
}

/** The signed line on a commit; undefined where there is none, or something that is no line. */
export function promotionLine(place: GitPlace, commit: string): string | undefined {
  const listed = runGit(place, ['notes', `--ref=${PROMOTIONS_REF}`, 'list', commit]);
  const blob = listed.stdout.trim();
  if (listed.code !== 0 || !/^[0-9a-f]{40}$/.test(blob)) return undefined;
  if (Number(gitLine(place, ['cat-file', '-s', blob])) > SIGNED_LINE_BYTES_MAX) return undefined;
  const lines = new TextDecoder().decode(gitBlob(place, blob, SIGNED_LINE_BYTES_MAX)).split('\n').filter((line) => line !== '');
  return lines.length === 1 ? lines[0] : undefined;
}

/** Is the commit what follows on the last one that was promoted here? Without a last one, or where that is not known any more, there is nothing to follow. */
export function follows(place: GitPlace, last: string | null, commit: string): boolean {
  if (last === null || last === commit) return true;
  return commitOf(place, last) !== undefined && isAncestor(place, last, commit);
}

/** The bytes that a promotion's reference names. `bytes` is what it says about their number. */
export function fetchArtefact(place: GitPlace, remote: string, ref: string, bytes: number): Uint8Array {
  git(place, [...FETCH, '--depth=1', '--', remote, `+${ref}:${ARTEFACT_REF}`], { account: true, timeoutMs: FETCH_MS_MAX });
  const name = `${ARTEFACT_REF}:${ARTEFACT_FILE}`;
  const size = Number(gitLine(place, ['cat-file', '-s', name]));
  if (size !== bytes) throw new PraetorError({ code: 'artefact-invalid', message: `the artefact at ${ref} has ${size} bytes, its promotion says ${bytes}`, fix: 'nothing was changed; tell the operator of the fork: what was promoted is not what is served' });
  return gitBlob(place, name, bytes + 1);
}

/** The artefact that was fetched last; undefined where there is none any more. */
export function lastArtefact(host: Host, data: string): Uint8Array | undefined {
  const directory = pathsOf(host).join(data, REPOSITORY);
  if (host.lstat(directory) === undefined) return undefined;
  const place: GitPlace = { host, cwd: directory, gitDir: directory };
  try {
    return commitOf(place, ARTEFACT_REF) === undefined ? undefined : gitBlob(place, `${ARTEFACT_REF}:${ARTEFACT_FILE}`, ARTEFACT_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof PraetorError)) throw error;
    return undefined;
  }
}

/** Packs the repository anew where many fetches have left many packs. Never fails a run. */
export function tidyRepository(place: GitPlace): void {
  const p = pathsOf(place.host);
  try {
    const packs = place.host.readDir(p.join(place.cwd, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));
    if (packs.length > PACKS_MAX) runGit(place, ['gc', '--quiet', '--prune=now'], { timeoutMs: FETCH_MS_MAX });
  } catch (error) {
    if (hostErrorCode(error) === undefined && !(error instanceof PraetorError)) throw error;
  }
}
