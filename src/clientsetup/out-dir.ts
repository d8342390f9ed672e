// Contract: files that are ours as a whole, in a directory that is given to others: empty, or written by an earlier run, which the
// manifest in it proves by digests. A file that somebody else put or changed there is never written over. Through Host.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { dirOf, isAbsolutePath, joinPath } from '../roots/paths.ts';
import { dropEmptyDirs, dropFile, makeDirs, putFile, toBytes, toText } from './statefiles.ts';

const FILE_BYTES_MAX = 1024 * 1024;
const FILES_MAX = 1_000;
const DEPTH_MAX = 8;
/** It is given to others. */
const FILE_MODE = 0o644;
const DIR_MODE = 0o755;

export interface OutDir {
  readonly host: Host;
  readonly root: string;
  /** The name of the file that says which files are ours, and how it is read: digest by path, undefined where it is none of ours. */
  readonly manifest: string;
  readonly parse: (text: string) => ReadonlyMap<string, string> | undefined;
  /** What such a directory is, for messages: "a bundle". */
  readonly what: string;
}

export interface OutPlan { readonly write: readonly string[]; readonly drop: readonly string[] }

/** The directory that an option names. */
export function outRoot(host: Host, named: string): string {
  return isAbsolutePath(host.platform, named) ? named : joinPath(host.platform, host.cwd, named);
}

const at = ({ host, root }: OutDir, path: string): string => joinPath(host.platform, root, ...path.split('/'));

const foreign = (path: string, message: string): PraetorError => new PraetorError({ code: 'foreign-entry', where: { path }, message, fix: 'name an empty directory with --out, or move the file away' });

/** Every file below, by path with `/`. Throws on anything that is neither a file nor a directory. */
function present(target: OutDir, prefix = '', depth = 0): string[] {
  const { host } = target;
  const directory = prefix === '' ? target.root : at(target, prefix.slice(0, -1));
  const found = host.readDir(directory).flatMap((name) => {
    const path = `${prefix}${name}`;
    const kind = host.lstat(at(target, path))?.kind;
    if (kind === 'dir' && depth < DEPTH_MAX) return present(target, `${path}/`, depth + 1);
    if (kind !== 'file') throw foreign(at(target, path), `this is no file of ${target.what}`);
    return [path];
  });
  if (found.length > FILES_MAX) throw foreign(directory, `there are more than ${FILES_MAX} files`);
  return found;
}

function readText(host: Host, path: string): string | undefined {
  try {
    return toText(host.readFile(path, FILE_BYTES_MAX));
  } catch {
    return undefined;
  }
}

/** What has to be done. A file is ours if it is as an earlier run left it, or as it is about to be written. Throws on any other. */
export function planOutDir(target: OutDir, files: ReadonlyMap<string, string>): OutPlan {
  const { host, root } = target;
  const stat = host.stat(root);
  if (stat === undefined) return { write: [...files.keys()], drop: [] };
  if (stat.kind !== 'dir') throw foreign(root, 'this is no directory');
  const earlier = target.parse(readText(host, at(target, target.manifest)) ?? '') ?? new Map<string, string>();
  const there = new Map(present(target).map((path) => [path, readText(host, at(target, path))]));
  for (const [path, text] of there) {
    const isOurs = path === target.manifest ? target.parse(text ?? '') !== undefined : text !== undefined && (text === files.get(path) || earlier.get(path) === host.sha256(text));
    if (!isOurs) throw foreign(at(target, path), earlier.has(path) ? `this file of ${target.what} was changed by somebody else` : `this file is not of ${target.what} of ours`);
  }
  return { write: [...files].filter(([path, text]) => there.get(path) !== text).map(([path]) => path), drop: [...there.keys()].filter((path) => !files.has(path)) };
}

/** The manifest comes last in `files`: a run that was ended in between can be done again. */
export function writeOutDir(target: OutDir, files: ReadonlyMap<string, string>, plan: OutPlan): void {
  const { host, root } = target;
  makeDirs(host, root, DIR_MODE);
  for (const path of plan.write) {
    makeDirs(host, dirOf(host.platform, at(target, path)), DIR_MODE);
    putFile(host, at(target, path), toBytes(files.get(path) ?? ''), FILE_MODE);
  }
  for (const path of plan.drop) {
    dropFile(host, at(target, path));
    const parts = path.split('/').slice(0, -1);
    dropEmptyDirs(host, parts.map((_part, index) => at(target, parts.slice(0, index + 1).join('/'))));
  }
}
