// Contract: which program a client is, and its version, without starting it: starting some clients writes files, starts an updater or wants a
// network. Read are the package.json of the npm package around the program or of the app or extension, the Info.plist of an app bundle, and
// the names of directories that an installer calls by the version; otherwise the version is not known. Bounded reads of few files, so no
// time limit is needed. Reads through the Host.
import type { FileStat, Host } from '../host.ts';
import type { Install } from '../model/client.ts';
import { isObject } from '../model/json.ts';
import { dirOf, isAbsolutePath, joinPath } from '../roots/paths.ts';

const LINK_HOPS_MAX = 40;
const LEVELS_UP_MAX = 4;
const PACKAGE_BYTES_MAX = 1024 * 1024;
const PLIST_BYTES_MAX = 256 * 1024;
/** A start script of a package manager; a program is larger. */
const SHIM_BYTES_MAX = 16 * 1024;
const VERSION = /^[0-9][0-9A-Za-z.+-]{0,63}$/;

export interface VersionFound { readonly value: string | null; readonly why: string }

export interface ProgramFacts {
  readonly version: VersionFound;
  readonly binary: string | undefined;
  readonly programChangedAt: number | undefined;
}

const NOT_READ: VersionFound = { value: null, why: 'not read' };

interface Found { readonly version: string; readonly path: string; readonly why: string }

const NOTHING: ProgramFacts = { version: { value: null, why: 'no program was found' }, binary: undefined, programChangedAt: undefined };

/** Of the install that counts; undefined: there is none. */
export function installFacts(host: Host, install: Install | undefined): ProgramFacts {
  if (install === undefined) return NOTHING;
  let version = NOT_READ;
  let binary: string | undefined;
  const times: number[] = [];
  const seen = (stat: FileStat | undefined): void => { if (stat !== undefined) times.push(Math.floor(Number(BigInt(stat.mtimeNs) / 1_000_000n))); };
  try {
    // The link says when a version was chosen, the file when it was written.
    seen(host.lstat(install.path));
    const real = realProgram(host, install.path);
    const stat = host.stat(real);
    seen(stat);
    if (stat?.kind === 'file') binary = `${stat.size}:${stat.mtimeNs}:${stat.ino}`;
    const found = install.kind === 'program' ? programVersion(host, real) : bundleVersion(host, install);
    if (found !== undefined) {
      version = { value: found.version, why: found.why };
      seen(host.stat(found.path));
    }
  } catch {
    // Whatever cannot be read here only means that the version stays unknown.
  }
  return { version, binary, programChangedAt: times.length === 0 ? undefined : Math.max(...times) };
}

function programVersion(host: Host, real: string): Found | undefined {
  const dir = dirOf(host.platform, real);
  return packageOf(host, dir) ?? shimVersion(host, real, dir) ?? pathVersion(real);
}

function bundleVersion(host: Host, { kind, path }: Install): Found | undefined {
  return kind === 'app' ? plistVersion(host, joinPath(host.platform, path, 'Contents', 'Info.plist')) : packageVersion(host, path, () => true);
}

/** The npm package around a program, or the app of the Electron kind that it starts. */
function packageOf(host: Host, start: string): Found | undefined {
  let dir = start;
  for (let level = 0; level < LEVELS_UP_MAX; level += 1) {
    const at = dir;
    // Counts only if the directory is the installed package that it names: else any package.json above would do.
    const found = packageVersion(host, at, (name) => at.replace(/\\/g, '/').endsWith(`/node_modules/${name}`))
      ?? packageVersion(host, joinPath(host.platform, at, 'resources', 'app'), () => true);
    if (found !== undefined) return found;
    dir = dirOf(host.platform, dir);
  }
  return undefined;
}

/** npm on Windows and pnpm write a small script that names the package relative to itself. */
function shimVersion(host: Host, real: string, dir: string): Found | undefined {
  if ((host.stat(real)?.size ?? 0) > SHIM_BYTES_MAX) return undefined;
  const text = new TextDecoder().decode(host.readFile(real, SHIM_BYTES_MAX));
  const named = /(?:%~?dp0%?|\$basedir)[\\/]([^"\s]*?node_modules[\\/](?:@[^\\/"\s]+[\\/])?[^\\/"\s]+)/.exec(text)?.[1];
  return named === undefined ? undefined : packageVersion(host, resolved(host, dir, named.replace(/\\/g, '/')), () => true);
}

/** Installers that keep versions beside each other name the directory or the file by the version: `versions/2.1.0`, `Cellar/x/1.0.0/bin`. */
function pathVersion(real: string): Found | undefined {
  const version = /[\\/](?:versions|(?:Cellar|Caskroom)[\\/][^\\/]+)[\\/](\d+\.\d[^\\/]*)(?:[\\/]|$)/.exec(real)?.[1];
  return version === undefined || !VERSION.test(version) ? undefined : { version, path: real, why: 'path' };
}

/** Only the XML form; a binary one is not read. */
function plistVersion(host: Host, path: string): Found | undefined {
  const text = new TextDecoder().decode(host.readFile(path, PLIST_BYTES_MAX));
  const version = /<key>CFBundleShortVersionString<\/key>\s*<string>([^<]*)<\/string>/.exec(text)?.[1]?.trim();
  return version === undefined || !VERSION.test(version) ? undefined : { version, path, why: 'Info.plist' };
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

function packageVersion(host: Host, dir: string, fits: (name: string) => boolean): Found | undefined {
  const path = joinPath(host.platform, dir, 'package.json');
  if (host.stat(path)?.kind !== 'file') return undefined;
  const value: unknown = JSON.parse(new TextDecoder().decode(host.readFile(path, PACKAGE_BYTES_MAX)));
  if (!isObject(value) || typeof value['name'] !== 'string' || typeof value['version'] !== 'string' || !fits(value['name'])) return undefined;
  return VERSION.test(value['version']) ? { version: value['version'], path, why: 'package.json' } : undefined;
}
