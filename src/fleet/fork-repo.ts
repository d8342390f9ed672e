// Contract: the checkout of an operational fork as it lies there: its remotes, and what in it would make git show other objects
// than the ones that are there (grafts, replacement objects, missing history, filters). Reads only. Through the Host.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { joinPath } from '../roots/paths.ts';
import { FORK_MANIFEST, identityOf, parseManifest, sameIdentity, type ForkManifest } from './fork-manifest.ts';
import { parseTree, type Finding, type TreeEntry } from './fork-tree.ts';
import { commitOf, git, gitBlob, gitFields, gitLine, redirectingVariables, runGit, type GitPlace } from './git.ts';

const FILTERED_SHOWN_MAX = 20;

/** The checkout, and how its remotes and its branch are called. */
export interface ForkRepo {
  readonly place: GitPlace;
  readonly remote: string;
  readonly upstream: string;
  readonly branch: string;
}

export interface ForkNames { readonly remote: string; readonly upstream: string; readonly branch: string }

const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;

export function openRepo(host: Host, names: ForkNames): ForkRepo {
  const odd = Object.values(names).find((name: string) => !NAME.test(name) || name.includes('..'));
  if (odd !== undefined) throw new PraetorError({ code: 'usage', message: 'a remote or branch has an odd name', fix: 'name it with letters, digits, ".", "_", "-" and "/"' });
  const elsewhere = redirectingVariables(host);
  if (elsewhere.length > 0) {
    throw new PraetorError({ code: 'fork-refused', message: `the environment leads git elsewhere: ${elsewhere.join(', ')}`, fix: `unset ${elsewhere.join(' ')}; inside of a git hook: run it outside` });
  }
  const found = runGit({ host, cwd: host.cwd }, ['rev-parse', '--show-toplevel']);
  if (found.code !== 0) throw new PraetorError({ code: 'fork-refused', where: { path: host.cwd }, message: 'this is no checkout of a git repository', fix: 'run it in a checkout of the fork' });
  return { place: { host, cwd: found.stdout.replace(/\n$/, '') }, ...names };
}

/** The address of a remote as it is configured, or undefined. It may hold credentials and is not shown. */
export function addressOf(repo: ForkRepo, remote: string): string | undefined {
  const result = runGit(repo.place, ['config', '--local', '--get', `remote.${remote}.url`]);
  return result.code === 0 ? result.stdout.replace(/\n$/, '') : undefined;
}

export function neededAddress(repo: ForkRepo, remote: string): string {
  const address = addressOf(repo, remote);
  if (address === undefined) throw new PraetorError({ code: 'fork-refused', where: { path: repo.place.cwd }, message: `there is no remote "${remote}"`, fix: `git remote add ${remote} URL` });
  return address;
}

export function treeOf(place: GitPlace, commit: string): readonly TreeEntry[] {
  return parseTree(gitFields(place, ['ls-tree', '-r', '-z', '-l', '--full-tree', commit], { bytes: true }));
}

/** The manifest in a commit. Throws where it has none, or a damaged one. */
export function manifestAt(place: GitPlace, commit: string): ForkManifest {
  if (runGit(place, ['cat-file', '-e', `${commit}:${FORK_MANIFEST}`]).code !== 0) {
    throw new PraetorError({ code: 'fork-refused', where: { path: place.cwd }, message: `commit ${commit.slice(0, 12)} is no operational fork: it has no ${FORK_MANIFEST}`, fix: 'praetorctl fork init, then git add -f and commit what it wrote' });
  }
  return parseManifest(Buffer.from(gitBlob(place, `${commit}:${FORK_MANIFEST}`)).toString('utf8'));
}

/** What would make git show something else than the objects that are there. */
export function objectFindings(repo: ForkRepo): readonly Finding[] {
  const { place } = repo;
  const { host } = place;
  const common = gitLine(place, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  const grafts = host.stat(joinPath(host.platform, common, 'info', 'grafts'));
  const replaced = git(place, ['for-each-ref', '--count=1', '--format=%(refname)', 'refs/replace/']);
  const promised = runGit(place, ['config', '--get-regexp', '^(remote\\..*\\.(promisor|partialclonefilter)|extensions\\.partialclone)$']);
  return [
    ...(grafts === undefined || grafts.size === 0 ? [] : [{ rule: 'grafts', path: 'info/grafts', text: 'the repository has grafts, so its history is not what the commits say' } as const]),
    ...(replaced === '' ? [] : [{ rule: 'replace', path: null, text: 'the repository has replacement objects (git replace -l)' } as const]),
    ...(gitLine(place, ['rev-parse', '--is-shallow-repository']) === 'true' ? [{ rule: 'shallow', path: null, text: 'the repository is shallow (git fetch --unshallow)' } as const] : []),
    ...(promised.code === 0 ? [{ rule: 'partial', path: null, text: 'the repository is a partial clone: objects are missing' } as const] : []),
  ];
}

/** Tracked paths of a commit for which an attribute selects a filter. That a filter is configured does not matter. */
export function filterFindings(place: GitPlace, commit: string): readonly Finding[] {
  const temp = place.host.tempDir('praetorctl-index-');
  try {
    const index = joinPath(place.host.platform, temp.path, 'index');
    git(place, ['read-tree', commit], { index });
    const paths = git(place, ['ls-files', '-z', '--cached'], { index, bytes: true });
    const fields = gitFields(place, ['check-attr', '--cached', '-z', '--stdin', 'filter'], { index, bytes: true, input: paths });
    const found = fields.flatMap((path, i): Finding[] => {
      if (i % 3 !== 0 || ['unspecified', 'unset'].includes(fields[i + 2] ?? '')) return [];
      return [{ rule: 'filter', path, text: 'an attribute selects a filter for this path' }];
    });
    return found.slice(0, FILTERED_SHOWN_MAX);
  } finally {
    temp.remove();
  }
}

/** Whether the remotes are what the manifest says. A remote that is not there says nothing. */
export function identityFindings(repo: ForkRepo, manifest: ForkManifest): readonly Finding[] {
  const check = (remote: string, wanted: string): Finding[] => {
    const address = addressOf(repo, remote);
    const identity = address === undefined ? wanted : identityOf(address);
    if (identity !== undefined && sameIdentity(identity, wanted)) return [];
    return [{ rule: 'identity', path: FORK_MANIFEST, text: `remote "${remote}" is ${identity ?? 'no owner/name'}, the manifest says ${wanted}` }];
  };
  return [...check(repo.remote, manifest.repository), ...check(repo.upstream, manifest.source)];
}

const FULL_SHA = /^[0-9a-f]{40}$/;

/** A commit that is named in full, or the one a reference names. Always present here. */
export function namedCommit(place: GitPlace, named: string | undefined, reference: string, fix: string): string {
  if (named !== undefined && !FULL_SHA.test(named)) throw new PraetorError({ code: 'usage', message: 'name a commit with all 40 digits', fix: `git rev-parse ${reference}` });
  const commit = commitOf(place, named ?? reference);
  if (commit === undefined) throw new PraetorError({ code: 'fork-refused', where: { path: place.cwd }, message: `${named ?? reference} is not here`, fix });
  return commit;
}
