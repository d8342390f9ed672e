// Contract: a machine of any platform as a table of files, for rules that cannot be run on Windows or macOS here. Every other call throws.
import { posix, win32 } from 'node:path';
import type { FileStat, Host } from '../../src/host.ts';
import type { Platform } from '../../src/model/client.ts';

/** Text of a file; a link to a path; a file that may not be executed. */
export type Place = string | { readonly link: string } | { readonly plain: string };

const missing = (path: string): never => { throw Object.assign(new Error(`nothing at ${path}`), { code: 'ENOENT' }); };

export function placesHost(platform: Platform, env: Readonly<Record<string, string>>, places: Readonly<Record<string, Place>>): Host {
  const p = platform === 'win32' ? win32 : posix;
  const names = Object.keys(places);
  const real = (path: string): string => {
    const place = places[path];
    return typeof place === 'object' && 'link' in place ? real(p.resolve(p.dirname(path), place.link)) : path;
  };
  const statOf = (path: string): FileStat | undefined => {
    const place = places[path];
    const kind = place === undefined ? (names.some((name) => name.startsWith(path.endsWith(p.sep) ? path : path + p.sep)) ? 'dir' : undefined) : typeof place === 'object' && 'link' in place ? 'link' : 'file';
    if (kind === undefined) return undefined;
    const size = typeof place === 'string' ? place.length : typeof place === 'object' && 'plain' in place ? place.plain.length : 0;
    return { kind, size, dev: '1', ino: String(names.indexOf(path)), mtimeNs: '1700000000000000000', mode: 0o755, uid: 0, gid: 0, nlink: 1 };
  };
  const text = (path: string): string => {
    const place = places[real(path)];
    return typeof place === 'string' ? place : typeof place === 'object' && 'plain' in place ? place.plain : missing(path);
  };
  const host: Partial<Host> = {
    platform, env, cwd: p.sep, pid: 1, now: () => 1_800_000_000_000,
    lstat: statOf, stat: (path) => statOf(real(path)),
    readlink: (path) => { const place = places[path]; return typeof place === 'object' && 'link' in place ? place.link : missing(path); },
    readFile: (path, maxBytes) => {
      const bytes = new TextEncoder().encode(text(path));
      if (bytes.length > maxBytes) throw Object.assign(new Error('file too large'), { code: 'EFBIG' });
      return bytes;
    },
    readDir: (dir) => {
      const start = dir.endsWith(p.sep) ? dir : dir + p.sep;
      const below = names.filter((name) => name.startsWith(start));
      return below.length === 0 ? missing(dir) : [...new Set(below.map((name) => name.slice(start.length).split(p.sep)[0] ?? ''))].sort();
    },
    canExecute: (path) => typeof places[real(path)] === 'string',
  };
  return new Proxy(host as Host, { get: (target, name) => (name in target ? target[name as keyof Host] : () => { throw new Error(`detection must not call ${String(name)}`); }) });
}
