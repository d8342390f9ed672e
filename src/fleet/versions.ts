// Contract: the versions of a workstation as directories beside each other. One comes into being by one rename, complete, on the
// disk and with its code caches; nothing in it is changed afterwards. It is removed by age, and never while something points to
// it. Only under the update lock. Through Host.
import { OWN_DIR_MODE, makeDirs, pathsOf, toBytes } from '../clientsetup/statefiles.ts';
import { hostErrorCode, type Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { VERSION_ID, versionDir, type InstallRecord } from '../roots/install-record.ts';
import type { TarEntry } from './tar.ts';
import { VERSION_FILE, damagedFile, readVersion, type VersionFile } from '../roots/version-file.ts';

/** A version stays at least this long after it was current: processes started from it still load their files. */
export const VERSION_AGE_MS_MIN = 7 * 24 * 3_600_000;
const PACKAGE = 'package/';
export const PROGRAM = 'bin/praetorctl';
const WARM_MS_MAX = 180_000;
const WARM_BYTES_MAX = 64 * 1024;
const [HALF_MADE, LEAVING] = ['.tmp-', '.gone-'];

export interface VersionSource extends Omit<VersionFile, 'at' | 'files'> { readonly entries: readonly TarEntry[] }

export const programOf = (host: Host, directory: string): string => pathsOf(host).join(directory, 'bin', 'praetorctl');

/** Removes a directory with what is in it; links are not followed. */
export function removeTree(host: Host, directory: string): void {
  const p = pathsOf(host);
  for (const name of host.readDir(directory)) {
    const path = p.join(directory, name);
    if (host.lstat(path)?.kind === 'dir') removeTree(host, path);
    else host.unlink(path);
  }
  host.rmdir(directory);
}

function unpacked(host: Host, directory: string, { entries, ...about }: VersionSource): void {
  const p = pathsOf(host);
  const files = entries.map((entry) => {
    if (!entry.path.startsWith(PACKAGE)) throw new PraetorError({ code: 'artefact-invalid', message: `the archive holds a file outside of ${PACKAGE}: ${entry.path}`, fix: 'take the artefact of another promotion' });
    return { ...entry, path: p.join(directory, ...entry.path.slice(PACKAGE.length).split('/')) };
  });
  if (!files.some(({ path, executable }) => executable && path === programOf(host, directory))) {
    throw new PraetorError({ code: 'artefact-invalid', message: `the archive holds no program ${PACKAGE}${PROGRAM}`, fix: 'take the artefact of another promotion' });
  }
  const dirs = new Set([directory]);
  for (const { path, executable, bytes } of files) {
    for (const made of makeDirs(host, p.dirname(path), OWN_DIR_MODE)) dirs.add(made);
    host.writeNew(path, bytes, executable ? 0o555 : 0o444);
  }
  const sums = entries.map(({ path, bytes }) => [path.slice(PACKAGE.length), host.sha256(bytes)] as const);
  const about_: VersionFile = { ...about, at: new Date(host.now()).toISOString(), files: Object.fromEntries(sums) };
  host.writeNew(p.join(directory, VERSION_FILE), toBytes(`${JSON.stringify(about_, null, 1)}\n`), 0o444);
  for (const path of [...dirs].reverse()) host.fsyncDir(path);
}

/** Code caches belong to a machine and its Node. Without them everything works, a little slower: a failure is not one of the version. */
async function warmed(host: Host, directory: string, node: string): Promise<boolean> {
  const p = pathsOf(host);
  const script = p.join(directory, 'dist', 'warm.cjs');
  if (host.lstat(script) === undefined) return false;
  const env = Object.fromEntries(['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'TEMP', 'USERPROFILE'].flatMap((name) => (host.env[name] === undefined ? [] : [[name, host.env[name] ?? ''] as const])));
  const ran = await host.start(node, [script], { env, cwd: directory, timeoutMs: WARM_MS_MAX, maxBytes: WARM_BYTES_MAX });
  host.fsyncDir(p.dirname(script));
  return ran.code === 0;
}

export interface Added { readonly directory: string; readonly fresh: boolean; readonly warmed: boolean }

/** The version stands at its place afterwards, undamaged. What is half made when this process ends is swept by the next run. */
export async function addVersion(host: Host, data: string, node: string, source: VersionSource): Promise<Added> {
  const p = pathsOf(host);
  const directory = versionDir(host.platform, data, source.id);
  if (readVersion(host, data, source.id)?.sha512 === source.sha512 && damagedFile(host, data, source.id) === undefined) return { directory, fresh: false, warmed: true };
  const versions = p.dirname(directory);
  makeDirs(host, versions, OWN_DIR_MODE);
  const temp = p.join(versions, `${HALF_MADE}${host.nonce(8)}`);
  host.mkdir(temp, OWN_DIR_MODE);
  try {
    unpacked(host, temp, source);
    const isWarm = await warmed(host, temp, node);
    // Hooks may run from a damaged one: its place is empty no longer than between two renames.
    const damaged = host.lstat(directory) === undefined ? undefined : setAside(host, directory);
    host.rename(temp, directory);
    host.fsyncDir(versions);
    if (damaged !== undefined) removeTree(host, damaged);
    return { directory, fresh: true, warmed: isWarm };
  } catch (error) {
    try { removeTree(host, temp); } catch { /* the next run sweeps it */ }
    throw error;
  }
}

function setAside(host: Host, directory: string): string {
  const p = pathsOf(host);
  const leaving = p.join(p.dirname(directory), `${LEAVING}${host.nonce(8)}`);
  host.rename(directory, leaving);
  return leaving;
}

/** Out of the way by one rename, then file by file. */
const dropVersion = (host: Host, directory: string): void => { removeTree(host, setAside(host, directory)); };

const timeOf = (text: string): number => Date.parse(text);

/** Versions that nothing points to and that nothing can have pointed to for the shortest age. A time that is none keeps its version. */
export function oldVersions(host: Host, data: string, record: InstallRecord): readonly string[] {
  const kept = new Set([record.current, record.previous, record.pin?.id, record.target]);
  const versions = pathsOf(host).dirname(versionDir(host.platform, data, record.current));
  if (host.lstat(versions) === undefined) return [];
  return host.readDir(versions).filter((id) => VERSION_ID.test(id) && !kept.has(id)).filter((id) => {
    const since = record.retired.find((one) => one.id === id)?.at ?? readVersion(host, data, id)?.at;
    return since !== undefined && host.now() - timeOf(since) >= VERSION_AGE_MS_MIN;
  });
}

/** Removes what dead runs left and what has grown old. Never fails a run. Answers the ids that went. */
export function sweepVersions(host: Host, data: string, record: InstallRecord | undefined): readonly string[] {
  const p = pathsOf(host);
  const versions = p.join(data, 'versions');
  const gone: string[] = [];
  if (host.lstat(versions) === undefined) return gone;
  for (const name of host.readDir(versions).filter((one) => one.startsWith(HALF_MADE) || one.startsWith(LEAVING))) {
    try { removeTree(host, p.join(versions, name)); } catch (error) { if (hostErrorCode(error) === undefined) throw error; }
  }
  for (const id of record === undefined ? [] : oldVersions(host, data, record)) {
    try { dropVersion(host, versionDir(host.platform, data, id)); gone.push(id); } catch (error) { if (hostErrorCode(error) === undefined) throw error; }
  }
  return gone;
}
