// Contract: words of a command line and paths of a tool call -> normalised absolute paths, from text alone. PURE.
// A path whose root is unknown (relative with an unknown directory, or behind an unresolved variable) starts with `?/`.
import { HOME_MARK, PWD_MARK } from './shell-types.ts';
import type { Place, PolicyFacts } from './types.ts';

export const UNKNOWN_ROOT = '?';

/** Case does not count on Windows and (by default) on macOS; backslashes separate on Windows. */
export function fold(path: string, platform: string): string {
  const slashes = platform === 'win32' ? path.replace(/\\/g, '/') : path;
  return platform === 'win32' || platform === 'darwin' ? slashes.toLowerCase() : slashes;
}

export function resolvePath(text: string, place: Place): string {
  const { facts } = place;
  let path = text;
  if (path.includes(HOME_MARK)) path = path.split(HOME_MARK).join(facts.home ?? UNKNOWN_ROOT);
  if (path.includes(PWD_MARK)) path = path.split(PWD_MARK).join(place.cwd ?? UNKNOWN_ROOT);
  // A leading variable or substitution may stand for any directory.
  if (path.startsWith('$')) path = `${UNKNOWN_ROOT}/${path}`;
  path = fold(path, facts.platform);
  if (isRooted(path)) return normalise(path);
  const base = place.cwd === undefined ? UNKNOWN_ROOT : fold(place.cwd, facts.platform);
  return normalise(`${base}/${path}`);
}

function isRooted(path: string): boolean {
  return path.startsWith('/') || path.startsWith(`${UNKNOWN_ROOT}/`) || path === UNKNOWN_ROOT || (path.length > 1 && path[1] === ':');
}

/** Takes out `.`, `..`, doubled and trailing slashes. */
export function normalise(path: string): string {
  const absolute = path.startsWith('/');
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (out.length > 0 && out[out.length - 1] !== UNKNOWN_ROOT) out.pop();
    } else out.push(part);
  }
  const joined = out.join('/');
  return absolute ? `/${joined}` : joined;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** True where `inner` is `outer` or below it. */
export function isWithin(inner: string, outer: string): boolean {
  if (outer === '/') return inner.startsWith('/');
  return inner === outer || (inner.startsWith(outer) && inner[outer.length] === '/');
}

/** The directories that the facts name, normalised once. */
interface Named { readonly home: string | undefined; readonly workspace: string | undefined; readonly own: readonly string[] }
const named = new WeakMap<PolicyFacts, Named>();

function namedBy(facts: PolicyFacts): Named {
  let found = named.get(facts);
  if (found === undefined) {
    const whole = (path: string): string => normalise(fold(path, facts.platform));
    const { home, workspace, ownPaths } = facts;
    found = { home: home === undefined ? undefined : whole(home), workspace: workspace === undefined ? undefined : whole(workspace), own: ownPaths.map(whole) };
    named.set(facts, found);
  }
  return found;
}

export function homeOfFacts(facts: PolicyFacts): string | undefined {
  return namedBy(facts).home;
}

export function workspaceOfFacts(facts: PolicyFacts): string | undefined {
  return namedBy(facts).workspace;
}

export function ownOfFacts(facts: PolicyFacts): readonly string[] {
  return namedBy(facts).own;
}
