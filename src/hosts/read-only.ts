// Contract: a Host on which everything can be done and nothing happens: writes go to memory, later reads see them, the disk is
// only read. `--dry-run` therefore runs the same code to the end. Programs are still started (version probes); locks are free.
import { posix, win32 } from 'node:path';
import type { FileStat, Host } from '../host.ts';

interface Node { readonly stat: FileStat; readonly bytes: Uint8Array }

/** What memory knows of one path: a node of its own, or that the one on the disk is gone. */
type Overlay = Map<string, Node | 'gone'>;

interface Tree {
  readonly host: Host;
  readonly overlay: Overlay;
  /** The path with all links resolved; the last name only if `follow`. */
  readonly real: (path: string, follow: boolean) => string;
  readonly lstat: (realPath: string) => FileStat | undefined;
  readonly names: (realPath: string) => readonly string[];
  readonly put: (realPath: string, kind: 'file' | 'dir', mode: number, bytes: Uint8Array, owner?: { uid: number; gid: number }) => void;
}

const LINK_HOPS_MAX = 40;
const NOTHING = new Uint8Array(0);

function fail(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function makeTree(host: Host): Tree {
  const p = host.platform === 'win32' ? win32 : posix;
  const overlay: Overlay = new Map();
  let serial = 0;
  const lstat = (path: string): FileStat | undefined => {
    const node = overlay.get(path);
    if (node !== undefined) return node === 'gone' ? undefined : node.stat;
    return host.lstat(path);
  };
  const real = (path: string, follow: boolean): string => {
    const split = (text: string): string[] => text.split(p.sep === '/' ? /\/+/ : /[\\/]+/).filter((name) => name !== '' && name !== '.');
    let at = p.parse(path).root;
    let queue = split(path.slice(at.length));
    let hops = 0;
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      if (name === '..') { at = p.dirname(at); continue; }
      const here = at.endsWith(p.sep) ? at + name : at + p.sep + name;
      const stat = queue.length > 0 || follow ? lstat(here) : undefined;
      if (stat?.kind !== 'link') {
        if (queue.length > 0 && stat !== undefined && stat.kind !== 'dir') throw fail('ENOTDIR', path);
        at = here;
        continue;
      }
      hops += 1;
      if (hops > LINK_HOPS_MAX) throw fail('ELOOP', path);
      // Links exist on the disk only: nothing of ours makes one.
      const text = host.readlink(here);
      const root = p.isAbsolute(text) ? p.parse(text).root : '';
      if (root !== '') at = root;
      queue = [...split(text.slice(root.length)), ...queue];
    }
    return at;
  };
  const names = (path: string): readonly string[] => {
    const found = new Set(overlay.has(path) || host.lstat(path) === undefined ? [] : host.readDir(path));
    const prefix = path.endsWith(p.sep) ? path : path + p.sep;
    for (const [key, node] of overlay) {
      if (!key.startsWith(prefix) || key.includes(p.sep, prefix.length)) continue;
      const name = key.slice(prefix.length);
      if (node === 'gone') found.delete(name);
      else found.add(name);
    }
    return [...found].sort();
  };
  const put: Tree['put'] = (path, kind, mode, bytes, owner) => {
    const parent = lstat(p.dirname(path));
    if (parent === undefined) throw fail('ENOENT', path);
    if (parent.kind !== 'dir') throw fail('ENOTDIR', path);
    if (lstat(path) !== undefined) throw fail('EEXIST', path);
    serial += 1;
    overlay.set(path, {
      bytes,
      stat: {
        kind, size: bytes.length, dev: parent.dev, ino: String(10n ** 18n + BigInt(serial)), mtimeNs: String(BigInt(host.now()) * 1_000_000n + BigInt(serial)),
        mode, uid: owner?.uid ?? parent.uid, gid: owner?.gid ?? parent.gid, nlink: 1,
      },
    });
  };
  return { host, overlay, real, lstat, names, put };
}

/** A path below a file is "nothing there" for the two stat calls, as on the disk. */
function orNothing(read: () => FileStat | undefined): FileStat | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function readers(tree: Tree): Pick<Host, 'lstat' | 'stat' | 'readlink' | 'readFile' | 'readAt' | 'readDir' | 'canExecute'> {
  const { host, overlay, real } = tree;
  /** The node of our own, or undefined where the disk answers. */
  const own = (path: string): Node | undefined => {
    const node = overlay.get(real(path, true));
    if (node === 'gone') throw fail('ENOENT', path);
    if (node !== undefined && node.stat.kind === 'dir') throw fail('EISDIR', path);
    return node;
  };
  return {
    lstat: (path) => orNothing(() => tree.lstat(real(path, false))),
    stat: (path) => orNothing(() => tree.lstat(real(path, true))),
    readlink: (path) => {
      const at = real(path, false);
      if (overlay.has(at)) throw fail(overlay.get(at) === 'gone' ? 'ENOENT' : 'EINVAL', path);
      return host.readlink(at);
    },
    readFile: (path, maxBytes) => {
      const node = own(path);
      if (node === undefined) return host.readFile(path, maxBytes);
      if (node.bytes.length > maxBytes) throw fail('EFBIG', path);
      return node.bytes.slice();
    },
    readAt: (path, offset, length) => own(path)?.bytes.slice(offset, offset + length) ?? host.readAt(path, offset, length),
    readDir: (path) => {
      const at = real(path, true);
      const stat = tree.lstat(at);
      if (stat === undefined) throw fail('ENOENT', path);
      if (stat.kind !== 'dir') throw fail('ENOTDIR', path);
      return tree.names(at);
    },
    canExecute: (path) => {
      const node = overlay.get(real(path, true));
      if (node === undefined) return host.canExecute(path);
      return node !== 'gone' && (node.stat.mode & 0o111) !== 0;
    },
  };
}

function writers(tree: Tree): Pick<Host, 'writeNew' | 'rename' | 'unlink' | 'mkdir' | 'rmdir' | 'fsyncDir' | 'setModified'> {
  const { host, overlay, real } = tree;
  const existing = (path: string): { at: string; stat: FileStat } => {
    const at = real(path, false);
    const stat = tree.lstat(at);
    if (stat === undefined) throw fail('ENOENT', path);
    return { at, stat };
  };
  return {
    writeNew: (path, bytes, mode, owner) => tree.put(real(path, false), 'file', mode, bytes.slice(), owner),
    rename: (from, to) => {
      const source = existing(from);
      // Only what the applier does: a file over a file or over nothing.
      if (source.stat.kind !== 'file') throw fail('ENOTSUP', from);
      const target = real(to, false);
      if (tree.lstat(target)?.kind === 'dir') throw fail('EISDIR', to);
      const node = overlay.get(source.at);
      const bytes = node === undefined || node === 'gone' ? host.readFile(source.at, source.stat.size) : node.bytes;
      overlay.set(target, { stat: source.stat, bytes });
      overlay.set(source.at, 'gone');
    },
    unlink: (path) => {
      const { at, stat } = existing(path);
      if (stat.kind === 'dir') throw fail('EISDIR', path);
      overlay.set(at, 'gone');
    },
    mkdir: (path, mode) => tree.put(real(path, false), 'dir', mode, NOTHING),
    rmdir: (path) => {
      const { at, stat } = existing(path);
      if (stat.kind !== 'dir') throw fail('ENOTDIR', path);
      if (tree.names(at).length > 0) throw fail('ENOTEMPTY', path);
      overlay.set(at, 'gone');
    },
    fsyncDir: () => undefined,
    setModified: () => undefined,
  };
}

export function readOnlyHost(host: Host): Host {
  const tree = makeTree(host);
  return {
    ...host,
    ...readers(tree),
    ...writers(tree),
    lock: async () => async () => undefined,
    // What a program does in its own time cannot be held in memory, and neither can a directory that it shall see.
    start: async () => ({ code: null, signal: null, stdout: '', stderr: '', timedOut: false, failure: 'EROFS' }),
    tempDir: (prefix) => { throw fail('EROFS', prefix); },
  };
}
