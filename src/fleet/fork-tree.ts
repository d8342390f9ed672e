// Contract: what an operational fork may differ in from its upstream, as rules over listings of trees. The prefix is part of the
// engine; paths are compared by whole parts, and without case where a file system may do so. PURE.
import { pathFault } from './tar.ts';

export const OWNER_PREFIX = '.config/operator';
export const OWNER_FILES_MAX = 256;
export const OWNER_FILE_BYTES_MAX = 1024 * 1024;
const PLAIN_FILE = '100644';
const SUBMODULE = '160000';

/** One file of a tree. Of paths, each byte is one character. */
export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
  readonly size: number;
  readonly path: string;
}

/** One reason for which a fork is refused. */
export interface Finding {
  readonly rule: 'environment' | 'grafts' | 'replace' | 'shallow' | 'partial' | 'filter' | 'submodule' | 'upstream-path' | 'owner-path' | 'difference' | 'history' | 'rewritten' | 'identity' | 'settings';
  readonly path: string | null;
  readonly text: string;
}

/** `git ls-tree -r -z -l`. */
export function parseTree(fields: readonly string[]): readonly TreeEntry[] {
  return fields.map((field) => {
    const tab = field.indexOf('\t');
    const [mode = '', , id = '', size = ''] = field.slice(0, tab).split(/ +/);
    return { mode, id, size: size === '-' ? 0 : Number(size), path: field.slice(tab + 1) };
  });
}

export const isOwnerPath = (path: string): boolean => path.startsWith(`${OWNER_PREFIX}/`);

export const ownerEntries = (tree: readonly TreeEntry[]): readonly TreeEntry[] => tree.filter(({ path }) => isOwnerPath(path));

/** A part of a path as the most forgiving file system compares it: without case, invisible characters and trailing dots. */
const folded = (part: string): string => part.replace(/[^\x21-\x7e]/g, '').replace(/\.+$/, '').toLowerCase();

/** Whether a path of upstream lies under the prefix, or is a file where the prefix needs a directory. */
function claimsPrefix(path: string): boolean {
  const prefix = OWNER_PREFIX.split('/');
  return path.split('/').slice(0, prefix.length).every((part, i) => folded(part) === prefix[i]);
}

/** What upstream's tree has that no fork can be built on. */
export function upstreamFindings(tree: readonly TreeEntry[]): readonly Finding[] {
  return tree.flatMap(({ mode, path }): Finding[] => [
    ...(claimsPrefix(path) ? [{ rule: 'upstream-path', path, text: `upstream has a path that belongs to the fork (${OWNER_PREFIX}/)` } as const] : []),
    ...(mode === SUBMODULE ? [{ rule: 'submodule', path, text: 'upstream has a submodule here' } as const] : []),
  ]);
}

/** Faults of the owner's own files. */
export function ownerFindings(tree: readonly TreeEntry[]): readonly Finding[] {
  const files = ownerEntries(tree);
  const at = (path: string | null, text: string): Finding => ({ rule: 'owner-path', path, text });
  const seen = new Set<string>();
  const faults = files.flatMap(({ mode, path, size }): Finding[] => {
    const same = path.toLowerCase();
    const twice = seen.has(same);
    seen.add(same);
    const fault = pathFault(path);
    return [
      ...(mode === PLAIN_FILE ? [] : [at(path, `an owner path is a regular file of mode 100644, this one has mode ${mode}`)]),
      ...(size > OWNER_FILE_BYTES_MAX ? [at(path, `an owner file has at most ${OWNER_FILE_BYTES_MAX} bytes, this one ${size}`)] : []),
      ...(fault === undefined ? [] : [at(path, `this path cannot be carried to every workstation: ${fault}`)]),
      ...(twice ? [at(path, 'another owner path differs only in case')] : []),
    ];
  });
  return files.length > OWNER_FILES_MAX ? [...faults, at(null, `a fork has at most ${OWNER_FILES_MAX} owner files, this one ${files.length}`)] : faults;
}

/** Every difference between the owner's tree and the upstream tree it stands on, but for owner paths. A rename is a deletion and an addition. */
export function differenceFindings(base: readonly TreeEntry[], owner: readonly TreeEntry[]): readonly Finding[] {
  const before = new Map(base.map((entry) => [entry.path, entry]));
  const after = new Map(owner.map((entry) => [entry.path, entry]));
  const at = (path: string, what: string): Finding => ({ rule: 'difference', path, text: `unexpected owner tree difference: ${what}` });
  return [
    ...base.flatMap(({ path }) => (after.has(path) ? [] : [at(path, 'the file of upstream is missing')])),
    ...owner.flatMap(({ path, mode, id }) => {
      const was = before.get(path);
      if (was === undefined) return isOwnerPath(path) ? [] : [at(path, `a file outside ${OWNER_PREFIX}/ that upstream does not have`)];
      return was.mode === mode && was.id === id ? [] : [at(path, 'the file of upstream was changed')];
    }),
  ];
}
