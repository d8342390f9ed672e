// Contract: from the bytes of an artefact to a version that stands at its place and has shown that it judges; and the switch to
// it with the proof through the launcher, undone where that fails. Only under the update lock. Through Host.
import type { ClientDefinition } from '../model/client.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { InstallRecord } from '../roots/install-record.ts';
import { digest } from './crypto.ts';
import { parseManifest } from './fork-manifest.ts';
import { writeInstallRecord } from './install-record.ts';
import { versionId } from './promotion.ts';
import { smokeLauncher, smokeVersion, smokedClients, type SmokeFault } from './smoke.ts';
import { switched, timeNow, withBlock, type Station } from './station.ts';
import { unpackTar, type TarEntry } from './tar.ts';
import { addVersion, programOf, type Added } from './versions.ts';

const MANIFEST = 'package/operator/fork.json';

export interface Artefact {
  readonly bytes: Uint8Array;
  readonly version: string;
  readonly seq: number | null;
  readonly commit: string | null;
}

/** The repository that an artefact names itself; null where it holds no operator's files. */
export function repositoryOf(entries: readonly TarEntry[]): string | null {
  const manifest = entries.find(({ path }) => path === MANIFEST);
  return manifest === undefined ? null : parseManifest(new TextDecoder().decode(manifest.bytes)).repository;
}

export const sha512Of = (bytes: Uint8Array): string => digest('sha512', bytes).toString('hex');

export interface Brought extends Added { readonly id: string; readonly fault: SmokeFault | undefined; readonly repository: string | null }

/** Unpacks, warms and tries it. A version with a fault stands there too; nothing points to it, and age removes it. */
export async function bringIn(station: Station, artefact: Artefact): Promise<Brought> {
  const { host, data, node } = station;
  const sha512 = sha512Of(artefact.bytes);
  const id = versionId(sha512);
  const entries = unpackTar(artefact.bytes);
  const repository = repositoryOf(entries);
  const added = await addVersion(host, data, node, { id, sha512, version: artefact.version, seq: artefact.seq, commit: artefact.commit, entries });
  const fault = await smokeVersion(host, clientsOf(station), node, programOf(host, added.directory));
  return { ...added, id, fault, repository };
}

export const clientsOf = ({ host, dirs }: Station): readonly ClientDefinition[] => smokedClients(host, dirs);

/** What stands before the switch must answer: a launcher that is broken already is no fault of the new version. */
export async function checkLauncher(station: Station, record: InstallRecord): Promise<void> {
  const fault = await smokeLauncher(station.host, clientsOf(station).slice(0, 1), record.launcher, station.home);
  if (fault === undefined) return;
  throw new PraetorError({
    code: 'launcher-broken', where: { path: record.launcher }, message: `the installed launcher does not judge before anything was changed: ${fault.message}`,
    fix: 'praetorctl workstation install --from <checkout, tarball or remote>: it writes the launcher again',
  });
}

export interface Switch { readonly record: InstallRecord; readonly fault: SmokeFault | undefined }

/** One rename, then the proof; where it fails, one rename back, and the version is blocked. */
export async function switchTo(station: Station, record: InstallRecord, id: string): Promise<Switch> {
  const { host, data, home } = station;
  const next = switched(record, id, timeNow(host));
  writeInstallRecord(host, data, next);
  const fault = await smokeLauncher(host, clientsOf(station), record.launcher, home);
  if (fault === undefined) return { record: next, fault };
  const back = withBlock(record, id, fault.code, timeNow(host));
  writeInstallRecord(host, data, back);
  return { record: back, fault };
}
