// Contract: which program a client is, and its version, without starting it: starting some clients writes files, starts an updater or wants a
// network. Only the package.json of the npm package around the program is read; otherwise the version is not known.
// Reads through the Host.
import type { FileStat, Host } from '../host.ts';
import { isObject } from '../model/json.ts';
import { dirOf, isAbsolutePath, joinPath } from '../roots/paths.ts';

const LINK_HOPS_MAX = 40;
const LEVELS_UP_MAX = 4;
const PACKAGE_BYTES_MAX = 1024 * 1024;

export interface VersionFound { readonly value: string | null; readonly why: string }

export interface ProgramFacts {
  readonly version: VersionFound;
  readonly binary: string | undefined;
  readonly programChangedAt: number | undefined;
}

const NOT_READ: VersionFound = { value: null, why: 'not read' };

export function programFacts(host: Host, program: string | undefined): ProgramFacts {
  if (program === undefined) return { version: { value: null, why: 'no program was found' }, binary: undefined, programChangedAt: undefined };
  let version = NOT_READ;
  let binary: string | undefined;
  const times: number[] = [];
  const seen = (stat: FileStat | undefined): void => { if (stat !== undefined) times.push(Math.floor(Number(BigInt(stat.mtimeNs) / 1_000_000n))); };
  try {
    // The link says when a version was chosen, the file when it was written.
    seen(host.lstat(program));
    const real = realProgram(host, program);
    const stat = host.stat(real);
    seen(stat);
    if (stat !== undefined) binary = `${stat.size}:${stat.mtimeNs}:${stat.ino}`;
    const found = packageOf(host, dirOf(host.platform, real));
    if (found !== undefined) {
      version = { value: found.version, why: 'package.json' };
      seen(host.stat(found.path));
    }
  } catch {
    // Whatever cannot be read here only means that the version stays unknown.
  }
  return { version, binary, programChangedAt: times.length === 0 ? undefined : Math.max(...times) };
}

function packageOf(host: Host, start: string): { readonly version: string; readonly path: string } | undefined {
  let dir = start;
  for (let level = 0; level < LEVELS_UP_MAX; level += 1) {
    const version = packageVersion(host, dir);
    if (version !== undefined) return { version, path: joinPath(host.platform, dir, 'package.json') };
    dir = dirOf(host.platform, dir);
  }
  return undefined;
}

/** The file behind the links of the last name; directories on the way may be links, the system follows those. */
function realProgram(host: Host, program: string): string {
  let at = program;
  for (let hop = 0; hop < LINK_HOPS_MAX && host.lstat(at)?.kind === 'link'; hop += 1) {
    const text = host.readlink(at);
    at = isAbsolutePath(host.platform, text) ? text : resolved(host, dirOf(host.platform, at), text);
  }
  return at;
}

function resolved(host: Host, base: string, relative: string): string {
  let at = base;
  for (const step of relative.split(host.platform === 'win32' ? /[\\/]+/ : /\/+/)) {
    if (step === '..') at = dirOf(host.platform, at);
    else if (step !== '' && step !== '.') at = joinPath(host.platform, at, step);
  }
  return at;
}

/** Counts only if the directory is the installed package that it names: else any package.json above would do. */
function packageVersion(host: Host, dir: string): string | undefined {
  const path = joinPath(host.platform, dir, 'package.json');
  if (host.stat(path)?.kind !== 'file') return undefined;
  const value: unknown = JSON.parse(new TextDecoder().decode(host.readFile(path, PACKAGE_BYTES_MAX)));
  if (!isObject(value) || typeof value['name'] !== 'string' || typeof value['version'] !== 'string') return undefined;
  if (!dir.replace(/\\/g, '/').endsWith(`/node_modules/${value['name']}`)) return undefined;
  return /^[0-9A-Za-z.+-]{1,64}$/.test(value['version']) ? value['version'] : undefined;
}
