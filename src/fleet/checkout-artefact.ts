// Contract: a built checkout as an artefact, for an installation by hand: the files of its package and, where it is a fork, the
// operator's files as they are committed. Nothing is signed: whoever names the directory trusts it. Through Host.
import type { Host } from '../host.ts';
import { joinPath } from '../roots/paths.ts';
import { packageEntries, packageFacts, operatorEntries } from './artefact.ts';
import type { Artefact } from './bring-in.ts';
import { commitOf } from './git.ts';
import { packTar } from './tar.ts';

export function checkoutArtefact(host: Host, path: string): Artefact {
  const place = { host, cwd: path };
  const commit = host.lstat(joinPath(host.platform, path, '.git')) === undefined ? undefined : commitOf(place, 'HEAD');
  const bytes = packTar([...packageEntries(host, path), ...(commit === undefined ? [] : operatorEntries(place, commit))]);
  return { bytes, version: packageFacts(host, path).version, seq: null, commit: commit ?? null };
}
