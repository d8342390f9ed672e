// Contract: what is in the artefact of a version: the files that package.json names, as a build left them, and the operator's files
// as they are committed. Against a commit it is checked that every tracked file in it is the commit's. Through the Host.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import { treeOf } from './fork-repo.ts';
import { OWNER_PREFIX, isOwnerPath } from './fork-tree.ts';
import { gitBlobs, type GitPlace } from './git.ts';
import { ENTRIES_MAX, UNPACKED_BYTES_MAX, packTar, type TarEntry } from './tar.ts';

/** Everything of a package lies below this directory. */
export const PACKAGE_ROOT = 'package';
/** Code caches belong to the machine that made them. */
const LEFT_OUT = /\.cache$/;
/** What npm packs whatever `files` says. */
const ALWAYS = /^(?:package\.json|readme|licen[cs]e|readme\.[^/]+|licen[cs]e\.[^/]+)$/i;
const PACKAGE_JSON_BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 10;

const refuse = (where: string, message: string): PraetorError => new PraetorError({ code: 'artefact-invalid', where: { path: where }, message, fix: 'correct what the build leaves, then praetorctl fork prepare with a new destination' });

export interface PackageFacts { readonly version: string; readonly files: readonly string[] }

/** The version and the names in `files`. Patterns are not supported: what is packed shall be seen at once. */
export function packageFacts(host: Host, root: string): PackageFacts {
  const where = joinPath(host.platform, root, 'package.json');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(host.readFile(where, PACKAGE_JSON_BYTES_MAX)).toString('utf8'));
  } catch {
    throw refuse(where, 'there is no readable package.json');
  }
  const [version, files] = isObject(value) ? [value['version'], value['files']] : [];
  if (typeof version !== 'string' || version === '' || !Array.isArray(files) || files.length === 0) throw refuse(where, 'package.json names no version, or no files');
  const names = files.map((name) => (typeof name === 'string' ? name.replace(/^\.?\//, '').replace(/\/+$/, '') : ''));
  if (names.some((name) => name === '' || /[*?!{}[\]]/.test(name))) throw refuse(where, '"files" of package.json has a pattern; name files and directories');
  return { version, files: names };
}

function collect(host: Host, root: string, path: string, depth = 0): TarEntry[] {
  const at = joinPath(host.platform, root, ...path.split('/'));
  const stat = host.lstat(at);
  if (stat?.kind === 'dir' && depth < DEPTH_MAX) return host.readDir(at).flatMap((name) => collect(host, root, `${path}/${name}`, depth + 1));
  if (stat?.kind !== 'file') throw refuse(at, stat === undefined ? 'package.json names this, and the build left nothing there' : 'only regular files are packed');
  if (LEFT_OUT.test(path)) return [];
  return [{ path: `${PACKAGE_ROOT}/${path}`, executable: (stat.mode & 0o100) !== 0, bytes: host.readFile(at, UNPACKED_BYTES_MAX) }];
}

/** The package as it lies in a built checkout. */
export function packageEntries(host: Host, root: string): readonly TarEntry[] {
  const always = host.readDir(root).filter((name) => ALWAYS.test(name));
  const entries = [...new Set([...always, ...packageFacts(host, root).files])].flatMap((name) => collect(host, root, name));
  if (entries.length > ENTRIES_MAX) throw refuse(root, `the package has more than ${ENTRIES_MAX} files`);
  return entries;
}

/** The operator's files of a commit, as they are in an artefact. */
export function operatorEntries(place: GitPlace, commit: string): readonly TarEntry[] {
  const owned = treeOf(place, commit).filter(({ path }) => isOwnerPath(path));
  const contents = gitBlobs(place, owned.map(({ id }) => id), UNPACKED_BYTES_MAX);
  return owned.map(({ path }, i) => ({ path: `${PACKAGE_ROOT}/operator/${path.slice(OWNER_PREFIX.length + 1)}`, executable: false, bytes: contents[i] ?? new Uint8Array(0) }));
}

export function packArtefact(place: GitPlace, commit: string): Uint8Array {
  return packTar([...packageEntries(place.host, place.cwd), ...operatorEntries(place, commit)]);
}

/** Throws where an artefact does not hold exactly the operator's files of a commit, or another content of a file that the commit has. */
export function checkArtefact(place: GitPlace, commit: string, entries: readonly TarEntry[]): void {
  const operator = `${PACKAGE_ROOT}/operator/`;
  const wanted = new Map(operatorEntries(place, commit).map((entry) => [entry.path, entry]));
  const found = entries.filter(({ path }) => path.startsWith(operator));
  const strange = found.find(({ path, bytes, executable }) => executable || wanted.get(path) === undefined || Buffer.compare(wanted.get(path)?.bytes ?? new Uint8Array(0), bytes) !== 0);
  if (strange !== undefined || found.length !== wanted.size) throw refuse(strange?.path ?? operator, "the artefact does not hold the operator's files of this commit");
  const packed = new Map(entries.map((entry) => [entry.path, entry]));
  const tracked = treeOf(place, commit).filter(({ path }) => !isOwnerPath(path) && packed.has(`${PACKAGE_ROOT}/${path}`));
  const contents = gitBlobs(place, tracked.map(({ id }) => id), UNPACKED_BYTES_MAX);
  const other = tracked.find(({ path, mode }, i) => {
    const entry = packed.get(`${PACKAGE_ROOT}/${path}`);
    return entry === undefined || entry.executable !== (mode === '100755') || Buffer.compare(entry.bytes, contents[i] ?? new Uint8Array(0)) !== 0;
  });
  if (other !== undefined) throw refuse(other.path, 'the artefact holds another content of this file than the commit');
  if (!tracked.some(({ path }) => path === 'package.json')) throw refuse('package.json', 'the artefact holds no package.json of the commit');
}
