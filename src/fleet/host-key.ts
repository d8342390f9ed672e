// Contract: the key with which this workstation signs its receipts: one that the person names, or one made here that nobody else
// can read. An agent's key is named by its public key file. Through Host.
import { pathsOf, putFile, toBytes, toText } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { NAMESPACE_RECEIPT } from './signed-line.ts';
import { HOST_KEY_FILE } from '../roots/own-dirs.ts';
import { newSigningKey, privateKeyFile, publicLine, readPrivateKey, readPublicLine, type PublicKey } from './sshsig.ts';

const KEY_BYTES_MAX = 16 * 1024;

export interface HostKey {
  readonly path: string;
  readonly publicLine: string;
  readonly fingerprint: string;
  /** As it belongs into hosts.allowed. */
  readonly allowed: string;
}

const keyOf = (path: string, key: PublicKey, hostId: string): HostKey =>
  ({ path, publicLine: publicLine(key, hostId), fingerprint: key.fingerprint, allowed: `${hostId} namespaces="${NAMESPACE_RECEIPT}" ${publicLine(key)}` });

function readKey(host: Host, path: string, hostId: string): HostKey {
  const refuse = (what: string): PraetorError => new PraetorError({ code: 'unreadable', where: { path }, message: `the key of this workstation cannot be used: ${what}`, fix: 'name an ed25519 key file without a passphrase, or the public key file of one that an agent holds: --key <file>' });
  let text: string;
  try {
    text = toText(host.readFile(path, KEY_BYTES_MAX));
  } catch {
    throw refuse('it cannot be read');
  }
  const key = text.startsWith('ssh-') ? readPublicLine(text) : readPrivateKey(text);
  if (!key.ok) throw refuse(key.message);
  return keyOf(path, key.value, hostId);
}

/** Made once; a further install finds it. */
export function hostKey(host: Host, data: string, hostId: string, named: string | undefined): HostKey {
  const path = named ?? pathsOf(host).join(data, HOST_KEY_FILE);
  if (named !== undefined || host.lstat(path) !== undefined) return readKey(host, path, hostId);
  const key = newSigningKey(hostId);
  putFile(host, path, toBytes(privateKeyFile(key)));
  return keyOf(path, key, hostId);
}
