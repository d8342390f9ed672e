// Contract: who signs, from the path of a key: an Ed25519 key file without passphrase signs here, everything else (a public key file whose
// private half an agent or a security key holds, a key with a passphrase) through ssh-keygen. Reads through Host.
import { toText } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { nodeSigner, sshKeygenSigner, type Signer } from './signed-line.ts';
import { readPrivateKey, readPublicLine } from './sshsig.ts';

const KEY_BYTES_MAX = 64 * 1024;

export interface KeySigner { readonly sign: Signer; /** undefined where the file does not show it. */ readonly fingerprint: string | undefined }

export function signerFor(host: Host, path: string): KeySigner {
  let text: string;
  try {
    text = toText(host.readFile(path, KEY_BYTES_MAX));
  } catch (error) {
    throw new PraetorError({ code: 'unreadable', where: { path }, message: 'the signing key cannot be read', fix: 'name a private key file, or the public key file of a key that an ssh-agent holds' }, error);
  }
  const isPrivate = text.startsWith('-----BEGIN ');
  const own = isPrivate ? readPrivateKey(text) : undefined;
  if (own?.ok === true) return { sign: nodeSigner(own.value), fingerprint: own.value.fingerprint };
  const named = own ?? readPublicLine(text);
  if (named.ok) return { sign: sshKeygenSigner(host, path), fingerprint: named.value.fingerprint };
  // ssh-keygen asks the agent for the key behind a file with a passphrase.
  if (named.code === 'encrypted') return { sign: sshKeygenSigner(host, path), fingerprint: undefined };
  throw new PraetorError({ code: 'signing-failed', where: { path }, message: named.message, fix: 'name an Ed25519 key (ssh-keygen -t ed25519 makes one)' });
}
