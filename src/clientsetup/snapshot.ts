// Contract: one look at a client's file. Either the bytes with a stamp that belongs to them, or "absent" with what would have
// to be created, or a refusal that says why. Never opens what is not a regular file, never reports contents. Through Host.
import { hostErrorCode } from '../host.ts';
import type { FileStat, Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { Code } from '../model/diagnostic.ts';
import type { Snapshot, Stamp } from '../model/plan.ts';
import { pathsOf } from './statefiles.ts';

/** Larger than any client's configuration; a bound on what one read can cost. */
export const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** The limit that Linux itself has for one path. */
export const LINK_HOPS_MAX = 40;
/** A file that changes during each of so many reads is being written right now. */
export const STEADY_TRIES_MAX = 5;

interface Step {
  readonly name: string;
  /** The link, as the user sees it, from whose text this step came; null for a step of the path itself. */
  readonly link: string | null;
}

type Walk =
  | { readonly kind: 'file'; readonly target: string; readonly links: readonly string[]; readonly stat: FileStat }
  | { readonly kind: 'absent'; readonly target: string; readonly missingDirs: readonly string[] }
  | { readonly kind: 'refused'; readonly snapshot: Snapshot };

type Refusal = Extract<Snapshot, { state: 'refused' }>;

function refuse(path: string, code: Code, message: string, fix: string): Refusal {
  return { state: 'refused', path, diagnostic: { code, severity: 'error', where: { path }, message, fix } };
}

const KIND_TEXT = { dir: 'a directory', fifo: 'a named pipe (FIFO)', socket: 'a socket', other: 'a device', file: 'a file', link: 'a link' } as const;

function notAFile(path: string, kind: FileStat['kind']): Refusal {
  return refuse(path, 'not-a-file', `this is ${KIND_TEXT[kind]}, not a regular file`, 'move it away or put a regular file in its place, then run the command again');
}

/** Follows the path name by name, so that every link is seen and a loop or a dangling link is a refusal of its own. */
function walk(host: Host, path: string): Walk {
  const p = pathsOf(host);
  const refused = (snapshot: Refusal): Walk => ({ kind: 'refused', snapshot });
  const steps = (text: string, link: string | null): Step[] => text.split(host.platform === 'win32' ? /[\\/]+/ : /\/+/)
    .filter((name) => name !== '' && name !== '.').map((name) => ({ name, link }));
  const root = p.parse(path).root;
  const links: string[] = [];
  let at = root;
  let queue = steps(path.slice(root.length), null);
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    if (step.name === '..') { at = p.dirname(at); continue; }
    const here = p.join(at, step.name);
    const stat = host.lstat(here);
    if (stat === undefined) {
      if (step.link !== null) {
        return refused(refuse(path, 'dangling-link', `the symbolic link ${step.link} points to something that does not exist`,
          `create what ${step.link} points to, or remove the link, then run the command again`));
      }
      return absent(host, here, queue);
    }
    if (stat.kind === 'link') {
      links.push(here);
      if (links.length > LINK_HOPS_MAX) {
        return refused(refuse(path, 'link-loop', `the symbolic links on the way go in a circle or are more than ${LINK_HOPS_MAX}`,
          `correct the link ${links[0] ?? here}, then run the command again`));
      }
      const text = host.readlink(here);
      const linkRoot = p.isAbsolute(text) ? p.parse(text).root : '';
      if (linkRoot !== '') at = linkRoot;
      queue = [...steps(text.slice(linkRoot.length), step.link ?? here), ...queue];
      continue;
    }
    if (queue.length === 0 && stat.kind === 'file') return { kind: 'file', target: here, links, stat };
    if (queue.length === 0) return refused(notAFile(path, stat.kind));
    if (stat.kind !== 'dir') {
      return refused(refuse(path, 'not-a-file', `${here} is ${KIND_TEXT[stat.kind]}, but it would have to be a directory`,
        `move ${here} away, then run the command again`));
    }
    at = here;
  }
  return refused(notAFile(path, 'dir'));
}

function absent(host: Host, firstMissing: string, rest: readonly Step[]): Walk {
  const p = pathsOf(host);
  const missing = [firstMissing];
  for (const step of rest) missing.push(p.join(missing[missing.length - 1] ?? firstMissing, step.name));
  return { kind: 'absent', target: missing[missing.length - 1] ?? firstMissing, missingDirs: missing.slice(0, -1) };
}

function stampOf(host: Host, stat: FileStat, bytes: Uint8Array): Stamp {
  return {
    digest: host.sha256(bytes), size: bytes.length, dev: stat.dev, ino: stat.ino, mtimeNs: stat.mtimeNs,
    mode: stat.mode, uid: stat.uid, gid: stat.gid,
  };
}

function sameVersion(a: FileStat, b: FileStat): boolean {
  return a.kind === b.kind && a.size === b.size && a.dev === b.dev && a.ino === b.ino && a.mtimeNs === b.mtimeNs
    && a.mode === b.mode && a.uid === b.uid && a.gid === b.gid && a.nlink === b.nlink;
}

function look(host: Host, path: string): Snapshot | 'moved' {
  const found = walk(host, path);
  if (found.kind === 'refused') return found.snapshot;
  if (found.kind === 'absent') return { state: 'absent', path, target: found.target, missingDirs: found.missingDirs };
  const { target, links, stat } = found;
  // Some Windows file systems answer 0 for the link count; only a count above one is a statement.
  if (stat.nlink > 1) {
    return refuse(path, 'hard-link', `the file has ${stat.nlink} names (hard links); replacing it would cut it off from the others`,
      'make it a file of its own (copy it and rename the copy over it), then run the command again');
  }
  if (stat.size > FILE_BYTES_MAX) return tooLarge(path);
  const bytes = host.readFile(target, FILE_BYTES_MAX);
  // The bytes belong to the stamp only if the name still leads to the same version of the same file.
  const after = host.lstat(target);
  if (after === undefined || !sameVersion(stat, after) || bytes.length !== after.size) return 'moved';
  return { state: 'file', path, target, links, bytes, stamp: stampOf(host, after, bytes) };
}

function tooLarge(path: string): Refusal {
  return refuse(path, 'too-large', `the file is larger than ${FILE_BYTES_MAX} bytes`, 'check what is in it; praetorctl does not edit files of this size');
}

export function takeSnapshot(host: Host, path: string): Snapshot {
  if (!pathsOf(host).isAbsolute(path)) {
    throw new PraetorError({ code: 'internal', where: { path }, message: 'a snapshot was asked for a relative path', fix: 'report this as a bug' });
  }
  for (let attempt = 0; attempt < STEADY_TRIES_MAX; attempt += 1) {
    try {
      const seen = look(host, path);
      if (seen !== 'moved') return seen;
    } catch (error) {
      const code = hostErrorCode(error);
      if (code === undefined) throw error;
      // Gone or turned into something else between two calls: look again. The last look decides.
      if (['ENOENT', 'ENOTDIR', 'EINVAL', 'ENOTFILE'].includes(code)) continue;
      if (code === 'EFBIG') return tooLarge(path);
      return refuse(path, 'unreadable', `the file cannot be read (${code})`, 'correct the permissions of the file and of the directories above it, then run the command again');
    }
  }
  return refuse(path, 'changed-underneath', 'the file kept changing while it was read', 'wait until the client has finished writing, then run the command again');
}

/**
 * Is this the same version of the same file? Windows has no modes or owners of this kind, and some of its file systems
 * give changing file ids, so that there the digest and the time decide.
 */
export function sameSnapshot(host: Host, a: Snapshot, b: Snapshot): boolean {
  if (a.state === 'absent' && b.state === 'absent') return a.target === b.target;
  if (a.state !== 'file' || b.state !== 'file') return false;
  if (a.target !== b.target || a.links.length !== b.links.length || a.links.some((link, i) => link !== b.links[i])) return false;
  const x = a.stamp;
  const y = b.stamp;
  if (x.digest !== y.digest || x.size !== y.size || x.mtimeNs !== y.mtimeNs) return false;
  return host.platform === 'win32' || (x.dev === y.dev && x.ino === y.ino && x.mode === y.mode && x.uid === y.uid && x.gid === y.gid);
}

/** The same question by one stat, for the last moment before a rename: the whole comparison takes too long to be the last. */
export function isUnmoved(host: Host, before: Exclude<Snapshot, { state: 'refused' }>): boolean {
  const now = host.lstat(before.target);
  if (before.state === 'absent') return now === undefined;
  return now !== undefined && now.mtimeNs === before.stamp.mtimeNs && now.size === before.stamp.size
    && (host.platform === 'win32' || now.ino === before.stamp.ino);
}

/** The digest of what stands there: null for absent, undefined where nothing can be said. */
export function digestOf(snapshot: Snapshot): string | null | undefined {
  if (snapshot.state === 'file') return snapshot.stamp.digest;
  return snapshot.state === 'absent' ? null : undefined;
}
