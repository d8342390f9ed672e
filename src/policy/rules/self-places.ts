// Contract: which paths belong to the guard, hold its registrations, or are hooks of a project. PURE.
import { fold, homeOfFacts, isWithin, normalise, ownOfFacts, workspaceOfFacts } from '../paths.ts';
import type { Place } from '../types.ts';

/** `own`: our directories, launcher and package. `hooks`: holds registrations only. `shared`: people edit it, too. `workspace`: a project's own rules for us. */
export type Level = 'own' | 'hooks' | 'shared' | 'workspace' | 'git-hook';

const PROGRAM = 'praetorctl';

/** Directories whose registrations can matter in this session: home, the workspace and what is above it, the place itself. */
function isRoot(root: string, place: Place): boolean {
  const { facts } = place;
  if (root === '?' || root === homeOfFacts(facts)) return true;
  if (place.cwd !== undefined && normalise(fold(place.cwd, facts.platform)) === root) return true;
  const workspace = workspaceOfFacts(facts);
  return workspace === undefined || isWithin(workspace, root === '' ? '/' : root);
}

/** Places where programs are found on PATH, and where npm keeps the package. */
function isProgram(path: string, whole: boolean): boolean {
  const lower = path.toLowerCase();
  const base = lower.slice(lower.lastIndexOf('/') + 1);
  const parent = lower.slice(0, lower.length - base.length);
  if ((base === PROGRAM || base === `${PROGRAM}.cmd` || base === `${PROGRAM}.ps1` || base === `${PROGRAM}.exe`) && (parent.endsWith('/bin/') || parent.endsWith('/npm/') || parent.endsWith('/shims/'))) return true;
  const at = lower.indexOf(`/node_modules/${PROGRAM}`);
  if (at === -1) return false;
  const next = lower[at + `/node_modules/${PROGRAM}`.length];
  return next === '/' || (next === undefined && whole);
}

/** True where removing or moving the directory `path` takes `<root>/<tail>` with it. */
function holds(path: string, tail: string, place: Place): boolean {
  for (let slash = tail.lastIndexOf('/'); slash > 0; slash = tail.lastIndexOf('/', slash - 1)) {
    const directory = `/${tail.slice(0, slash)}`;
    if (path.endsWith(directory) && isRoot(path.slice(0, -directory.length), place)) return true;
  }
  return false;
}

/** What a change of `path` touches; `whole`: it takes the directory with everything in it. */
export function levelOf(path: string, whole: boolean, place: Place): Level | undefined {
  const { facts } = place;
  if (isProgram(path, whole)) return 'own';
  for (const own of ownOfFacts(facts)) {
    if (isWithin(path, own) || (whole && isWithin(own, path))) return 'own';
  }
  let level: Level | undefined;
  for (const file of facts.guarded) {
    const tail = fold(file.path, facts.platform);
    const hit = path.endsWith(`/${tail}`) ? isRoot(path.slice(0, -tail.length - 1), place) : whole && holds(path, tail, place);
    if (hit && level !== 'hooks') level = file.level;
  }
  if (level !== undefined) return level;
  const at = path.lastIndexOf(`/.${PROGRAM}`);
  if (at !== -1 && (path.length === at + PROGRAM.length + 2 || path[at + PROGRAM.length + 2] === '/') && isRoot(path.slice(0, at), place)) return 'workspace';
  return isGitHook(path) ? 'git-hook' : undefined;
}

/** `.git/hooks/<name>`, also of submodules and worktrees; the samples run nothing. */
export function isGitHook(path: string): boolean {
  if (path.endsWith('.sample')) return false;
  const git = path.indexOf('/.git/');
  if (git === -1) return false;
  const at = path.indexOf('/hooks', git + 4);
  if (at === -1) return false;
  const next = path[at + '/hooks'.length];
  return (at === git + 5 || path.startsWith('/.git/modules/', git) || path.startsWith('/.git/worktrees/', git)) && (next === undefined || next === '/');
}

/** Configuration files of hook managers: taking one away switches the hooks off. */
export function isHookConfig(path: string): boolean {
  const base = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return base === '.husky' || base === 'lefthook.yml' || base === 'lefthook.yaml' || base === '.lefthook.yml' || base === 'lefthook.toml' || base === 'lefthook.json' || base === '.pre-commit-config.yaml' || base === '.overcommit.yml' || base === '.huskyrc' || base === '.simple-git-hooks.json' || base === '.githooks' || path.includes('/.husky/');
}
