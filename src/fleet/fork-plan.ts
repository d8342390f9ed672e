// Contract: `fork plan`: three commits, all present, and the proof that the owner's tree is the upstream tree it stands on and
// owner paths. What is found is answered as a value; nothing is written. Through the Host.
import type { ForkManifest } from './fork-manifest.ts';
import { filterFindings, identityFindings, manifestAt, namedCommit, objectFindings, treeOf, type ForkRepo } from './fork-repo.ts';
import { settingsAt } from './fork-settings.ts';
import { OWNER_PREFIX, differenceFindings, ownerEntries, ownerFindings, upstreamFindings, type Finding } from './fork-tree.ts';
import { git, gitLine, isAncestor, runGit, type GitPlace } from './git.ts';

export interface ForkPlan {
  readonly state: 'up-to-date' | 'sync-possible' | 'refused';
  readonly manifest: ForkManifest;
  readonly owner: string;
  /** The upstream commit that the owner's commit contains; null where there is not exactly one. */
  readonly base: string | null;
  readonly source: string;
  /** Commits of upstream that the fork lacks, and commits of the fork that upstream does not have. */
  readonly behind: number;
  readonly ahead: number;
  readonly ownerFiles: readonly string[];
  readonly findings: readonly Finding[];
}

export interface PlanInput { readonly owner?: string | undefined; readonly source?: string | undefined }

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/**
 * The upstream commit on which the fork was last put, as its own history says: the newest second parent that has no owner paths,
 * or the commit under the first one that has. Upstream was rewritten if it no longer contains that commit.
 */
export function knownUpstream(place: GitPlace, owner: string): string | undefined {
  const first = lines(git(place, ['rev-list', '--first-parent', owner, '--', OWNER_PREFIX])).at(-1);
  if (first === undefined) return undefined;
  const merged = lines(git(place, ['rev-list', '--first-parent', '--merges', '--parents', owner, `^${first}`])).map((line) => line.split(' ')[2] ?? '');
  const answers = merged.length === 0 ? [] : lines(git(place, ['cat-file', '--batch-check'], { input: merged.map((commit) => `${commit}:${OWNER_PREFIX}\n`).join('') }));
  const upstream = merged.find((_commit, i) => answers[i]?.endsWith(' missing') === true);
  if (upstream !== undefined) return upstream;
  const parent = runGit(place, ['rev-parse', '--verify', '--quiet', `${first}^1`]);
  return parent.code === 0 ? parent.stdout.trim() : undefined;
}

function historyFindings(place: GitPlace, owner: string, source: string, bases: readonly string[]): readonly Finding[] {
  const known = knownUpstream(place, owner);
  if (known !== undefined && !isAncestor(place, known, source)) {
    return [{ rule: 'rewritten', path: null, text: `upstream was rewritten: it does not contain ${known}, on which the fork stands` }];
  }
  return bases.length === 1 ? [] : [{ rule: 'history', path: null, text: `the fork and upstream have ${bases.length} last common commits; exactly one is needed` }];
}

/** Of paths in trees, each byte is one character. */
const readable = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');

/** The proof for three commits of one repository. */
export function treeFindings(place: GitPlace, base: string, owner: string, source: string): readonly Finding[] {
  const [baseTree, ownerTree] = [treeOf(place, base), treeOf(place, owner)];
  const sourceTree = source === base ? baseTree : treeOf(place, source);
  const upstream = [...upstreamFindings(baseTree), ...(source === base ? [] : upstreamFindings(sourceTree))];
  const commits = [...new Set([owner, source])];
  return [...differenceFindings(baseTree, ownerTree), ...ownerFindings(ownerTree), ...upstream, ...commits.flatMap((commit) => filterFindings(place, commit))]
    .filter((one, i, all) => all.findIndex((other) => other.rule === one.rule && other.path === one.path && other.text === one.text) === i)
    .map((finding) => ({ ...finding, path: finding.path === null ? null : readable(finding.path) }));
}

const count = (place: GitPlace, range: string): number => Number(gitLine(place, ['rev-list', '--count', range]));

export function planFork(repo: ForkRepo, input: PlanInput = {}): ForkPlan {
  const { place, upstream, branch } = repo;
  const owner = namedCommit(place, input.owner, 'HEAD', 'commit something first');
  const source = namedCommit(place, input.source, `refs/remotes/${upstream}/${branch}`, `git fetch ${upstream} (git remote add ${upstream} URL, if there is none)`);
  const manifest = manifestAt(place, owner);
  const unsound = [...objectFindings(repo), ...identityFindings(repo, manifest)];
  const ownerFiles = ownerEntries(treeOf(place, owner)).map(({ path }) => readable(path));
  // Where objects are not what they seem, nothing that follows would prove anything.
  if (unsound.length > 0) return { state: 'refused', manifest, owner, base: null, source, behind: 0, ahead: 0, ownerFiles, findings: unsound };
  const bases = lines(runGit(place, ['merge-base', '--all', owner, source]).stdout);
  const [base] = bases;
  const [behind, ahead] = [count(place, `${owner}..${source}`), count(place, `${source}..${owner}`)];
  const history = historyFindings(place, owner, source, bases);
  const findings = history.length > 0 || base === undefined ? history : [...treeFindings(place, base, owner, source), ...settingsAt(place, owner).findings];
  const state = findings.length > 0 ? 'refused' : behind > 0 ? 'sync-possible' : 'up-to-date';
  return { state, manifest, owner, base: bases.length === 1 ? base ?? null : null, source, behind, ahead, ownerFiles, findings };
}
