// Contract: a version whose files are not the ones that were unpacked is unpacked again from the artefact that was fetched last, or it
// is named with its file. Only under the update lock. Through Host.
import { pathsOf } from '../clientsetup/statefiles.ts';
import type { InstallRecord } from '../roots/install-record.ts';
import { damagedFile, readVersion } from '../roots/version-file.ts';
import { sha512Of } from './bring-in.ts';
import { lastArtefact } from './fork-remote.ts';
import { versionId } from './promotion.ts';
import type { Station } from './station.ts';
import { unpackTar } from './tar.ts';
import { addVersion } from './versions.ts';

export interface Mended { readonly file: string; readonly mended: boolean; readonly message: string }
export const MEND_FIX = 'praetorctl workstation install --from <checkout, tarball or remote>: it unpacks the version again';

/** undefined where there is no damage. */
export async function mendVersion({ host, data, node }: Station, record: InstallRecord, id: string): Promise<Mended | undefined> {
  const file = damagedFile(host, data, id);
  if (file === undefined) return undefined;
  const bytes = lastArtefact(host, data);
  const sha512 = bytes === undefined ? '' : sha512Of(bytes);
  const shown = pathsOf(host).relative(data, file);
  if (bytes === undefined || versionId(sha512) !== id) return { file, mended: false, message: `version ${id} is damaged: ${shown} is not the file that was unpacked` };
  const promoted = id === record.target;
  const { version, seq, commit } = readVersion(host, data, id) ?? { version: 'unpacked again', seq: promoted ? record.lastSeq : null, commit: promoted ? record.lastCommit : null };
  await addVersion(host, data, node, { id, sha512, version, seq, commit, entries: unpackTar(bytes) });
  return { file, mended: true, message: `version ${id} was damaged (${shown} was not the file that was unpacked) and was unpacked again` };
}
