// Contract: `fork prepare`: the candidate, made in a private clone outside of the checkout. Upstream is merged without a hook, filter
// or submodule, the tree is proven equal to an expectation that was made without the merge, and only then is anything of upstream
// run: build and gates. Nothing is pushed. What fails stays for a look. Through the Host.
import { makeDir, pathsOf, putFile, toBytes } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { dirOf, joinPath } from '../roots/paths.ts';
import { checkArtefact, packArtefact, packageFacts } from './artefact.ts';
import { CANDIDATE_ARTEFACT, CANDIDATE_CLONE, writeCandidate, type Candidate } from './candidate.ts';
import { digest } from './crypto.ts';
import { treeOf, type ForkRepo } from './fork-repo.ts';
import { ownerEntries } from './fork-tree.ts';
import { planFork, type ForkPlan, type PlanInput } from './fork-plan.ts';
import { GATES_MAX, passed, runGate } from './gates.ts';
import { git, gitLine, runGit, type GitPlace } from './git.ts';
import type { Gate } from './promotion.ts';
import { unpackTar } from './tar.ts';

const DIR_MODE = 0o700;
const DEFAULT_BUILD = 'npm ci && npm run build';

export interface PrepareInput extends PlanInput {
  readonly destination: string;
  readonly gates: readonly string[];
  readonly build?: string | undefined;
}

export interface Prepared { readonly plan: ForkPlan; readonly destination: string; readonly candidate: Candidate }

/** A check of the packed engine that is recorded as a gate. Answers what it said, and whether it passed. */
export type EngineCheck = (packed: Uint8Array) => Promise<{ readonly ok: boolean; readonly said: string }>;

export const ENGINE_GATE = 'praetorctl hook (synthetic calls of the packed engine)';

const refuse = (path: string, message: string, fix: string): PraetorError => new PraetorError({ code: 'fork-refused', where: { path }, message, fix });

/** A fresh directory outside of the checkout, on whose way no link lies. */
export function freshDestination(repo: ForkRepo, destination: string): string {
  const { place: { host, cwd } } = repo;
  // Where no link lies on the way, ".." means what it says.
  const path = pathsOf(host).resolve(host.cwd, destination);
  const fix = 'name a new directory outside of the checkout: --destination DIR';
  if (host.lstat(path) !== undefined) throw refuse(path, 'the destination is there already', fix);
  for (let at = dirOf(host.platform, path); ; at = dirOf(host.platform, at)) {
    const kind = host.lstat(at)?.kind;
    if (kind !== 'dir') throw refuse(at, kind === undefined ? 'there is no such directory' : 'a link or file lies on the way to the destination', fix);
    if (at === dirOf(host.platform, at)) break;
  }
  const common = gitLine(repo.place, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  const inside = [cwd, common].find((input) => `${path.replaceAll('\\', '/')}/`.startsWith(`${input.replaceAll('\\', '/')}/`));
  if (inside !== undefined) throw refuse(path, 'the destination lies in the checkout', fix);
  return path;
}

/** The tree that must come out: upstream's, and the owner's files. Made without a merge. */
export function expectedTree(place: GitPlace, owner: string, base: string): string {
  const temp = place.host.tempDir('praetorctl-index-');
  try {
    const index = joinPath(place.host.platform, temp.path, 'index');
    git(place, ['read-tree', base], { index });
    const lines = ownerEntries(treeOf(place, owner)).map(({ mode, id, path }) => `${mode} ${id} 0\t${path}\0`).join('');
    git(place, ['update-index', '-z', '--index-info'], { index, input: lines });
    return gitLine(place, ['write-tree'], { index });
  } finally {
    temp.remove();
  }
}

/** Whose commit it is: the account's or the checkout's identity, else ours. */
function committer(repo: ForkRepo): Record<string, string> {
  const value = (key: string, otherwise: string): string => runGit(repo.place, ['config', '--get', key], { account: true }).stdout.trim() || otherwise;
  return { 'user.name': value('user.name', 'praetorctl'), 'user.email': value('user.email', 'praetorctl@localhost') };
}

/** A clone with the two commits and nothing else: no template, remote, tag or configuration of the checkout. */
function privateClone(repo: ForkRepo, directory: string, { owner, source }: ForkPlan): GitPlace {
  const { host } = repo.place;
  makeDir(host, directory, DIR_MODE);
  const place = { host, cwd: directory };
  git(place, ['init', '-q', '--template=', '--initial-branch=candidate']);
  git(place, ['fetch', '-q', '--no-tags', '--no-write-fetch-head', repo.place.cwd, `${owner}:refs/praetor/owner`, `${source}:refs/praetor/source`]);
  return place;
}

function mergeUpstream(repo: ForkRepo, place: GitPlace, { owner, source, behind, base }: ForkPlan): string {
  const config = committer(repo);
  git(place, ['reset', '-q', '--hard', owner]);
  const contained = behind > 0 ? source : base ?? source;
  const wanted = expectedTree(place, owner, contained);
  if (behind > 0) {
    const merged = runGit(place, ['merge', '-q', '--no-ff', '--no-commit', '--no-verify', '--no-stat', source], { config });
    if (merged.code !== 0) throw refuse(place.cwd, 'upstream could not be merged', 'look at the candidate with git status; the fork and upstream change one place');
    if (gitLine(place, ['write-tree']) !== wanted) throw refuse(place.cwd, "the merge is not upstream's tree and the owner's files", 'report this with both commits');
    // The same two commits become the same candidate, whenever it is prepared: what was reviewed is what is promoted.
    const [, newest = '0'] = [owner, source].map((commit) => gitLine(place, ['show', '-s', '--format=%ct', commit])).sort((a, b) => Number(a) - Number(b));
    git(place, ['commit', '-q', '--no-verify', '-m', `Upstream ${source}`], { config, date: `${newest} +0000` });
  }
  if (gitLine(place, ['rev-parse', 'HEAD^{tree}']) !== wanted) throw refuse(place.cwd, "the candidate is not upstream's tree and the owner's files", 'report this with both commits');
  return gitLine(place, ['rev-parse', 'HEAD']);
}

/** Build and gates may leave what git ignores, and change nothing that is tracked. */
function refuseTouched(place: GitPlace, commit: string): void {
  const changed = git(place, ['status', '--porcelain', '-z', '--untracked-files=no', '--no-renames']);
  if (changed === '' && gitLine(place, ['rev-parse', 'HEAD']) === commit) return;
  throw refuse(place.cwd, 'the build or a gate changed tracked files, so what would be packed is not what was proven', 'correct the build, then praetorctl fork prepare with a new destination');
}

function commandsFor(host: Host, clone: string, { build, gates }: PrepareInput): readonly string[] {
  const locked = host.lstat(joinPath(host.platform, clone, 'package-lock.json')) !== undefined;
  const first = build ?? (locked ? DEFAULT_BUILD : '');
  return [...(first === '' ? [] : [first]), ...gates];
}

async function runGates(host: Host, destination: string, clone: string, commands: readonly string[]): Promise<readonly Gate[]> {
  const logs = joinPath(host.platform, destination, 'gates');
  makeDir(host, logs, DIR_MODE);
  const gates: Gate[] = [];
  for (const [i, command] of commands.entries()) {
    const { gate, output } = await runGate(host, clone, command);
    putFile(host, joinPath(host.platform, logs, `${i + 1}.log`), toBytes(output));
    gates.push(gate);
    if (!passed(gate)) break;
  }
  return gates;
}

export async function prepareFork(repo: ForkRepo, input: PrepareInput, check: EngineCheck): Promise<Prepared> {
  const { place: { host } } = repo;
  if (input.gates.length > GATES_MAX) throw new PraetorError({ code: 'usage', message: `at most ${GATES_MAX} gates can be named`, fix: 'put several commands into one script' });
  const plan = planFork(repo, input);
  const [finding] = plan.findings;
  if (finding !== undefined) throw new PraetorError({ code: 'fork-refused', ...(finding.path === null ? {} : { where: { path: finding.path } }), message: finding.text, fix: 'praetorctl fork plan shows every reason' });
  const destination = freshDestination(repo, input.destination);
  makeDir(host, destination, DIR_MODE);
  const clone = privateClone(repo, joinPath(host.platform, destination, CANDIDATE_CLONE), plan);
  const commit = mergeUpstream(repo, clone, plan);
  const gates = [...await runGates(host, destination, clone.cwd, commandsFor(host, clone.cwd, input))];
  const facts = { repository: plan.manifest.repository, owner: plan.owner, base: plan.behind > 0 ? plan.source : plan.base ?? plan.source, commit, version: packageFacts(host, clone.cwd).version, at: new Date(host.now()).toISOString() };
  const done = (artefact: Candidate['artefact']): Prepared => {
    const candidate = { ...facts, gates, artefact };
    writeCandidate(host, destination, candidate);
    return { plan, destination, candidate };
  };
  if (!gates.every(passed)) return done(null);
  refuseTouched(clone, commit);
  const packed = packArtefact(clone, commit);
  checkArtefact(clone, commit, unpackTar(packed));
  const { ok, said } = await check(packed);
  gates.push({ command: ENGINE_GATE, exit: ok ? 0 : 1, sha256: digest('sha256', said).toString('hex') });
  if (!ok) return done(null);
  putFile(host, joinPath(host.platform, destination, CANDIDATE_ARTEFACT), packed, 0o644);
  return done({ bytes: packed.length, sha512: digest('sha512', packed).toString('hex') });
}
