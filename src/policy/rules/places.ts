// Contract: what a path is to the person: root, system, a home, its private parts, the workspace, a repository. From text
// alone: links are not followed here; whoever can ask the file system resolves the path first and asks again. PURE.
import { baseName, homeOfFacts, isWithin, normalise, resolvePath, UNKNOWN_ROOT, workspaceOfFacts } from '../paths.ts';
import { HOME_MARK } from '../shell-types.ts';
import type { Place, Word } from '../types.ts';
import { listed } from './options.ts';

export type Kind =
  | 'root' | 'system' | 'home' | 'private'
  /** A direct child of the home directory that holds neither settings nor caches. */
  | 'home-entry'
  /** The workspace or a directory above it. */
  | 'workspace'
  | 'repository';

const TOP_DIRS = ' /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /var /users /system /library /applications /volumes /private /cores /nix /snap ';
const DEEP_DIRS = ' /usr/local /usr/local/bin /usr/local/lib /usr/local/etc /usr/local/sbin /usr/local/share /usr/src /var/lib /var/log /var/mail /var/spool /var/www /var/cache /var/backups /private/etc /private/var /etc/.. ';
/** Everything below these belongs to the system. */
const TREES = ['/bin', '/boot', '/dev', '/etc', '/lib', '/lib32', '/lib64', '/proc', '/sbin', '/sys', '/usr/bin', '/usr/include', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec', '/usr/sbin', '/usr/share', '/system', '/private/etc', '/library'];
/** One level below these as well: `/var/lib/postgresql` is somebody's data. */
const PARENTS = ' /var/lib /var/spool /var/backups /home /users /opt /srv /mnt /media /volumes ';
const WINDOWS_DIRS = ' windows users programs programdata perflogs recovery system32 ';

const PRIVATE = ' .ssh .gnupg .aws .azure .kube .config .local .docker .password-store .mozilla .thunderbird .gcloud .claude .codex .gemini .vscode library documents desktop downloads pictures music videos movies dropbox onedrive .netrc .gitconfig .git-credentials .local/share .local/bin .local/state .config/gcloud .config/gh library/keychains .oci .terraform.d .npmrc .pypirc ';
/** Programs fill these again by themselves. */
const CACHES = ' .cache .npm .yarn .pnpm-store .gradle .nuget .ivy2 .m2 .bun .deno .turbo .parcel-cache .nv .node-gyp .tmp tmp temp node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .eslintcache .trash ';

/** Case counts on Linux only; the tables are in lower case and hold no name whose case matters. */
function inTable(table: string, path: string): boolean {
  return table.includes(` ${path.toLowerCase()} `);
}

function isTemporary(path: string): boolean {
  return isWithin(path, '/tmp') || isWithin(path, '/var/tmp') || isWithin(path, '/private/tmp') || isWithin(path, '/dev/shm') || isWithin(path, '/var/folders');
}

/** A directory that the system consists of, rather than something inside one. */
export function isTopDirectory(path: string): boolean {
  const lower = path.toLowerCase();
  return lower === '/' || TOP_DIRS.includes(` ${lower} `) || DEEP_DIRS.includes(` ${lower} `) || TREES.includes(lower);
}

/** Directories for programs and data that are installed by hand. */
export function isForInstalls(path: string): boolean {
  const lower = path.toLowerCase();
  for (const tree of ['/usr/local', '/opt', '/srv', '/mnt', '/media', '/var/www', '/var/cache', '/volumes']) if (isWithin(lower, tree)) return true;
  return false;
}

/** A file that belongs to the system; devices are not files in this sense. */
export function isSystemFile(path: string): boolean {
  const lower = path.toLowerCase();
  if (isWithin(lower, '/dev') || isForInstalls(lower)) return false;
  for (const tree of TREES) if (lower !== tree && isWithin(lower, tree)) return true;
  return false;
}

function windowsKind(path: string): Kind | undefined {
  const inside = path.slice(3).toLowerCase();
  if (inside === '') return 'root';
  if (inTable(WINDOWS_DIRS, inside) || inside.startsWith('program files') || isWithin(inside, 'windows')) return 'system';
  // C:/Users/<name>
  return inside.startsWith('users/') && inside.indexOf('/', 6) === -1 ? 'home' : undefined;
}

function systemKind(path: string): Kind | undefined {
  if (path === '/') return 'root';
  const lower = path.toLowerCase();
  if (lower === '/dev/null' || lower === '/dev/stdout' || lower === '/dev/stderr' || lower === '/dev/tty' || isTemporary(lower)) return undefined;
  if (TOP_DIRS.includes(` ${lower} `) || DEEP_DIRS.includes(` ${lower} `)) return lower === '/root' ? 'home' : 'system';
  for (const tree of TREES) if (isWithin(lower, tree)) return 'system';
  const parent = lower.slice(0, lower.lastIndexOf('/'));
  if (parent === '/home' || parent === '/users') return 'home';
  return PARENTS.includes(` ${parent} `) ? 'system' : undefined;
}

function homeKind(path: string, home: string): Kind | undefined {
  if (path === home || (home !== '/' && isWithin(home, path))) return 'home';
  if (!isWithin(path, home)) return undefined;
  const inside = path.slice(home.length + 1);
  if (inTable(PRIVATE, inside)) return 'private';
  for (const directory of ['.ssh', '.gnupg', '.aws', '.password-store']) if (isWithin(inside, directory)) return 'private';
  return inside.includes('/') || inTable(CACHES, inside) ? undefined : 'home-entry';
}

/** What a normalised absolute path is; undefined where nothing speaks against changing it. */
export function kindOf(path: string, place: Place): Kind | undefined {
  const { facts } = place;
  if (path === '' || path === UNKNOWN_ROOT) return undefined;
  const home = homeOfFacts(facts);
  const workspace = workspaceOfFacts(facts);
  // Inside the workspace only the repository's own directory is special, wherever the workspace stands.
  const inside = workspace !== undefined && workspace !== '/' && path !== workspace && isWithin(path, workspace);
  // A clone in a temporary directory is nobody's history, unless it is the workspace that stands there.
  if (baseName(path) === '.git' && (inside || !isTemporary(path))) return 'repository';
  if (inside) return undefined;
  if (path.length > 1 && path[1] === ':') {
    const kind = windowsKind(path);
    if (kind !== undefined) return kind;
  } else if (path === '/') return 'root';
  const own = home === undefined ? undefined : homeKind(path, home);
  if (own === 'home' || own === 'private') return own;
  if (workspace !== undefined && isWithin(workspace, path)) return 'workspace';
  if (own !== undefined) return own;
  return home !== undefined && isWithin(path, home) ? undefined : systemKind(path) ?? privateOfOthers(path);
}

/** Keys and credentials below somebody else's home directory. */
function privateOfOthers(path: string): Kind | undefined {
  const lower = path.toLowerCase();
  const base = lower.startsWith('/home/') ? 6 : lower.startsWith('/users/') ? 7 : lower.startsWith('/root/') ? 0 : -1;
  if (base === -1) return undefined;
  const end = base === 0 ? 5 : path.indexOf('/', base);
  return end !== -1 && homeKind(path, path.slice(0, end)) === 'private' ? 'private' : undefined;
}

/** A tilde that came out of a variable is not expanded by every shell, but it is what was meant. A quoted one is a name. */
function withHome({ text, quoted }: Word): string {
  return !quoted && (text === '~' || text.startsWith('~/')) ? HOME_MARK + text.slice(1) : text;
}

/** `DIR/*` empties DIR: the same as removing it. */
export function withoutGlob(word: Word): string {
  if (!word.glob) return withHome(word);
  // `/v*` and `/*/`: whatever matches there is a directory of the root.
  const second = word.text.indexOf('/', 1);
  if (word.text[0] === '/' && (second === -1 || second === word.text.length - 1)) return '/';
  for (const tail of ['/*', '/.*', '/{*,.*}', '/.[!.]*', '/?*', '/**']) if (word.text.endsWith(tail)) return word.text === tail ? '/' : word.text.slice(0, -tail.length);
  return listed('* .* ** ./* {*,.*} ?*', word.text) ? '.' : word.text;
}

/** Home itself, also where it is not known which directory that is. */
export function isHomeMark(text: string): boolean {
  return text === HOME_MARK || text === `${HOME_MARK}/`;
}

/** The path of a word as it counts on this machine; undefined where it cannot be known or lies elsewhere. */
export function localPath(text: string, place: Place): string | undefined {
  return text === '' ? undefined : onRemote(resolvePath(text, place), place);
}

/** In a container only what is mounted is the person's; elsewhere (ssh) only what every machine has. */
function onRemote(path: string, place: Place): string | undefined {
  const { remote } = place;
  if (remote === undefined) return path;
  if (remote.kind === 'ssh') return path;
  for (const { host, inside } of remote.mounts) {
    const mounted = normalise(inside);
    if (isWithin(path, mounted)) return resolvePath(host + path.slice(mounted === '/' ? 0 : mounted.length), { ...place, remote: undefined });
  }
  // The root of a container, and where services keep their data, matter in every one of them.
  return path === '/' || path.startsWith('/var/lib/') ? path : undefined;
}

/** What the path in a word is. Unresolved words are not judged here. */
export function kindOfText(text: string, place: Place): Kind | undefined {
  if (text === '') return undefined;
  if (isHomeMark(text)) return 'home';
  const path = onRemote(resolvePath(text, place), place);
  if (path === undefined) return undefined;
  const kind = kindOf(path, place);
  // The workspace and the entries of a home are this machine's.
  return place.remote?.kind === 'ssh' && (kind === 'workspace' || kind === 'home-entry') ? undefined : kind;
}

export function kindOfWord(word: Word, place: Place): Kind | undefined {
  return word.dynamic ? undefined : kindOfText(withoutGlob(word), place);
}
