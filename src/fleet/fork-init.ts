// Contract: `fork init`: the owner's files, written into a clean checkout that is still upstream's. Nothing is staged or committed,
// HEAD does not move, and afterwards the checkout differs in exactly these files. Through the Host.
import { dropEmptyDirs, dropFile, makeDirs, putFile, toBytes } from '../clientsetup/statefiles.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { joinPath } from '../roots/paths.ts';
import { FORK_MANIFEST, formatManifest, identityOf, isIdentity, sameIdentity, type ForkManifest } from './fork-manifest.ts';
import { addressOf, namedCommit, objectFindings, treeOf, type ForkRepo } from './fork-repo.ts';
import { OWNER_PREFIX, upstreamFindings, type Finding } from './fork-tree.ts';
import { gitFields, gitLine, runGit } from './git.ts';

const FILE_MODE = 0o644;
const DIR_MODE = 0o755;
const CHANGES_SHOWN_MAX = 5;

const FLEET_YAML = `# Operator settings of the whole fleet. Every workstation that follows this fork has them below its own.
# praetorctl settings check says whether this document is valid; praetorctl settings explain <key> where a value comes from.
# It must hold at least one section, which may be empty.
#
# update:
#   soak: 1d

hooks:
  command_policy: {}
`;

const HOSTS_ALLOWED = `# The keys of the workstations whose receipts count, one a line, in the form of ssh's allowed signers. The principal is the host:
# <host id> namespaces="praetor-receipt" ssh-ed25519 AAAA...
`;

export interface InitInput {
  readonly owner?: string | undefined;
  readonly repository?: string | undefined;
  readonly source?: string | undefined;
}

export interface InitResult { readonly manifest: ForkManifest; readonly head: string; readonly files: readonly string[] }

const usage = (message: string, fix: string): PraetorError => new PraetorError({ code: 'usage', message, fix });

/** Whose fork it becomes: as named, or as the remotes of the checkout say. */
function manifestFor(repo: ForkRepo, { owner, repository, source }: InitInput): ForkManifest {
  const known = (remote: string): string | undefined => identityOf(addressOf(repo, remote) ?? '');
  const from = source ?? known(repo.upstream);
  if (from === undefined) throw usage(`there is no remote "${repo.upstream}" that says where the fork comes from`, `git remote add ${repo.upstream} URL, or name it: --source owner/name`);
  const to = repository ?? (owner === undefined ? known(repo.remote) : `${owner}/${from.split('/')[1] ?? ''}`);
  if (to === undefined) throw usage(`there is no remote "${repo.remote}" that says whose the fork is`, 'name it: --owner OWNER, or --repository owner/name');
  const wrong = [from, to].find((identity) => !isIdentity(identity));
  if (wrong !== undefined) throw usage('a repository is named owner/name', 'praetorctl fork init --repository owner/name --source owner/name');
  if (sameIdentity(from, to)) throw usage(`the fork and its source would both be ${to}`, 'name the owner of the fork: --owner OWNER');
  return { repository: to, source: from };
}

function refuseFindings(findings: readonly Finding[]): void {
  const [first] = findings;
  if (first !== undefined) throw new PraetorError({ code: 'fork-refused', ...(first.path === null ? {} : { where: { path: first.path } }), message: first.text, fix: 'make a fresh full clone of the repository, and run it there' });
}

/** The path in the checkout; every directory on the way is a real one, or not there yet. */
function pathIn(repo: ForkRepo, path: string): string {
  const { place: { host, cwd } } = repo;
  const parts = path.split('/');
  for (let n = 1; n <= parts.length; n++) {
    const at = joinPath(host.platform, cwd, ...parts.slice(0, n));
    const stat = host.lstat(at);
    if (stat === undefined) break;
    if (n === parts.length || stat.kind !== 'dir') {
      throw new PraetorError({ code: 'fork-exists', where: { path: at }, message: n === parts.length ? 'this is there already: a fork is initialised once' : 'this is no directory', fix: 'if it is left over, move it away; then praetorctl fork init' });
    }
  }
  return joinPath(host.platform, cwd, ...parts);
}

/** Upstream itself must ignore the prefix: else a careless `git add` there would publish an operator's files. */
function refuseUnignored(repo: ForkRepo): void {
  const result = runGit(repo.place, ['check-ignore', '--no-index', '-v', '--', FORK_MANIFEST]);
  const [, source = ''] = /^(.*?):\d+:/.exec(result.stdout) ?? [];
  const tracked = source !== '' && runGit(repo.place, ['ls-files', '--error-unmatch', '--', source]).code === 0;
  if (result.code === 0 && tracked) return;
  throw new PraetorError({ code: 'fork-refused', where: { path: '.gitignore' }, message: `upstream does not ignore ${OWNER_PREFIX}/, so it is no version that can be forked`, fix: 'take a version of praetorctl whose .gitignore has that line' });
}

const changes = (repo: ForkRepo): readonly string[] => gitFields(repo.place, ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames']);

function refuseUnclean(repo: ForkRepo): void {
  const found = changes(repo);
  if (found.length === 0) return;
  const shown = found.slice(0, CHANGES_SHOWN_MAX).map((field) => field.slice(3)).join(', ');
  throw new PraetorError({ code: 'fork-unclean', where: { path: repo.place.cwd }, message: `the checkout is not clean: ${shown}${found.length > CHANGES_SHOWN_MAX ? ', ...' : ''}`, fix: 'commit, stash or remove what is there: git status' });
}

export function initFork(repo: ForkRepo, input: InitInput): InitResult {
  const { place } = repo;
  const { host } = place;
  const head = namedCommit(place, undefined, 'HEAD', 'clone the fork first');
  refuseFindings(objectFindings(repo));
  const tree = treeOf(place, head);
  if (tree.some(({ path }) => path === FORK_MANIFEST)) throw new PraetorError({ code: 'fork-exists', where: { path: FORK_MANIFEST }, message: 'this checkout is an operational fork already', fix: 'praetorctl fork plan' });
  refuseFindings(upstreamFindings(tree));
  refuseUnclean(repo);
  const directory = pathIn(repo, OWNER_PREFIX);
  refuseUnignored(repo);
  const manifest = manifestFor(repo, input);
  const texts: readonly (readonly [name: string, text: string])[] = [['fork.json', formatManifest(manifest)], ['fleet.yaml', FLEET_YAML], ['hosts.allowed', HOSTS_ALLOWED]];
  const written: string[] = [];
  const made = makeDirs(host, directory, DIR_MODE);
  try {
    for (const [name, text] of texts) {
      const path = joinPath(host.platform, directory, name);
      putFile(host, path, toBytes(text), FILE_MODE);
      written.push(path);
    }
    if (changes(repo).length > 0 || gitLine(place, ['rev-parse', 'HEAD']) !== head) throw new PraetorError({ code: 'fork-unclean', where: { path: place.cwd }, message: 'the checkout changed while it was initialised', fix: 'git status, then praetorctl fork init' });
  } catch (error) {
    for (const path of written) dropFile(host, path);
    dropEmptyDirs(host, made);
    throw error;
  }
  return { manifest, head, files: texts.map(([name]) => `${OWNER_PREFIX}/${name}`) };
}
