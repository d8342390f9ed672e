// Contract: Ed25519 keys and signatures in the formats of OpenSSH (SSHSIG, `openssh-key-v1`, public key lines), so that people sign
// with the keys, agents and hardware they have, and a workstation verifies without any program. Other key types are refused by name. PURE but for crypto.ts.
import { digest, ed25519Public, ed25519Seed, ed25519Sign, ed25519Verify, ED25519_KEY_BYTES, ED25519_SIGNATURE_BYTES } from './crypto.ts';
import { armoured, malformed, strictBase64, unarmoured, WireFault, wireReader, wireString, wireU32, type FaultCode } from './ssh-wire.ts';

export const KEY_TYPE = 'ssh-ed25519';
const MAGIC = Buffer.from('SSHSIG');
const SIGNATURE_LABEL = 'SSH SIGNATURE';
const PRIVATE_LABEL = 'OPENSSH PRIVATE KEY';
const PRIVATE_MAGIC = 'openssh-key-v1\0';
const NAME_CHARS_SHOWN = 60;

export interface PublicKey {
  /** The 32 bytes. */
  readonly raw: Buffer;
  /** `SHA256:…`, as ssh-keygen -l prints it. */
  readonly fingerprint: string;
}

export interface SigningKey extends PublicKey { readonly seed: Buffer; readonly comment: string }

export interface SshFault { readonly ok: false; readonly code: FaultCode; readonly message: string; readonly fingerprint?: string }
export type SshResult<T> = { readonly ok: true; readonly value: T } | SshFault;

const shown = (name: string): string => name.replace(/[^\x21-\x7e]/g, '?').slice(0, NAME_CHARS_SHOWN);
const wrongType = (name: string): WireFault => new WireFault('key-type', `is of the type ${shown(name)}; only ${KEY_TYPE} is supported`);

function guarded<T>(what: string, read: () => T, fingerprint?: string): SshResult<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
    const message = `${what} ${error.code === 'malformed' ? 'is damaged: ' : ''}${error.message}`;
    return { ok: false, code: error.code, message, ...(fingerprint === undefined ? {} : { fingerprint }) };
  }
}

export function fingerprintOf(blob: Uint8Array): string {
  return `SHA256:${digest('sha256', blob).toString('base64').replace(/=+$/, '')}`;
}

export function publicBlob(raw: Uint8Array): Buffer {
  return Buffer.concat([wireString(KEY_TYPE), wireString(raw)]);
}

function publicOf(raw: Buffer): PublicKey {
  return { raw, fingerprint: fingerprintOf(publicBlob(raw)) };
}

function keyOfBlob(blob: Buffer): PublicKey {
  const reader = wireReader(blob);
  const type = reader.text();
  if (type !== KEY_TYPE) throw wrongType(type);
  const raw = Buffer.from(reader.string());
  reader.end();
  if (raw.length !== ED25519_KEY_BYTES) throw malformed(`the key has ${raw.length} bytes instead of ${ED25519_KEY_BYTES}`);
  return publicOf(raw);
}

/** `ssh-ed25519 AAAA… comment`: the type and the base64 text, already split. */
export function readPublicKey(type: string, base64: string): SshResult<PublicKey> {
  return guarded('the key', () => {
    if (type !== KEY_TYPE) throw wrongType(type);
    const blob = strictBase64(base64);
    if (blob === undefined) throw malformed('it is not base64');
    return keyOfBlob(blob);
  });
}

export function readPublicLine(line: string): SshResult<PublicKey> {
  const [type = '', base64 = ''] = line.trim().split(/[ \t]+/);
  return readPublicKey(type, base64);
}

export function publicLine(key: PublicKey, comment = ''): string {
  return `${KEY_TYPE} ${publicBlob(key.raw).toString('base64')}${comment === '' ? '' : ` ${comment}`}`;
}

export function newSigningKey(comment: string): SigningKey {
  const seed = ed25519Seed();
  return { ...publicOf(ed25519Public(seed)), seed, comment };
}

/** The file that ssh-keygen reads too; without a passphrase, so it is for keys of machines and for 0600. */
export function privateKeyFile(key: SigningKey): string {
  // The two equal numbers only show a wrong passphrase, and there is none.
  const check = digest('sha256', key.seed).subarray(0, 4);
  const body = Buffer.concat([check, check, publicBlob(key.raw), wireString(Buffer.concat([key.seed, key.raw])), wireString(key.comment)]);
  const padding = Buffer.from(Array.from({ length: (8 - (body.length % 8)) % 8 }, (_, i) => i + 1));
  return armoured(PRIVATE_LABEL, Buffer.concat([
    Buffer.from(PRIVATE_MAGIC, 'latin1'), wireString('none'), wireString('none'), wireString(''), wireU32(1), wireString(publicBlob(key.raw)), wireString(Buffer.concat([body, padding])),
  ]));
}

function signingKeyOf(text: string): SigningKey {
  const reader = wireReader(unarmoured(PRIVATE_LABEL, text));
  if (reader.take(PRIVATE_MAGIC.length).toString('latin1') !== PRIVATE_MAGIC) throw malformed('it is no file of OpenSSH');
  const cipher = reader.text();
  const kdf = reader.text();
  reader.string();
  if (reader.u32() !== 1) throw malformed('it does not hold exactly one key');
  const outer = reader.string();
  // The type stands outside too, so that the answer does not depend on the passphrase.
  const key = keyOfBlob(outer);
  if (cipher !== 'none' || kdf !== 'none') throw new WireFault('encrypted', `is protected by a passphrase (${shown(cipher)}): load it into an ssh-agent and name its public key file`);
  const body = wireReader(reader.string());
  reader.end();
  if (body.u32() !== body.u32()) throw malformed('its check numbers differ');
  if (body.text() !== KEY_TYPE || !body.string().equals(key.raw)) throw malformed('its two public keys differ');
  const both = body.string();
  const comment = body.string().toString('utf8');
  if (both.length !== 2 * ED25519_KEY_BYTES) throw malformed('the private key has a wrong length');
  body.take(body.left()).forEach((byte, i) => { if (byte !== i + 1) throw malformed('its padding is wrong'); });
  const seed = Buffer.from(both.subarray(0, ED25519_KEY_BYTES));
  if (!ed25519Public(seed).equals(key.raw)) throw malformed('the private key does not belong to its public key');
  return { ...key, seed, comment };
}

export function readPrivateKey(text: string): SshResult<SigningKey> {
  return guarded('the private key file', () => signingKeyOf(text));
}

export interface SshSignature { readonly key: PublicKey; readonly namespace: string; readonly hash: 'sha256' | 'sha512'; readonly signature: Buffer }

function signatureOf(bytes: Buffer): SshSignature {
  const reader = wireReader(bytes);
  if (!reader.take(MAGIC.length).equals(MAGIC)) throw malformed('it does not begin with SSHSIG');
  if (reader.u32() !== 1) throw malformed('its version is not 1');
  const key = keyOfBlob(reader.string());
  const namespace = reader.string().toString('utf8');
  if (namespace === '') throw malformed('it has no namespace');
  // The signed bytes hold an empty one, whatever stands here.
  if (reader.string().length !== 0) throw malformed('its reserved field is not empty');
  const hash = reader.text();
  if (hash !== 'sha256' && hash !== 'sha512') throw malformed(`its hash is ${shown(hash)} instead of sha256 or sha512`);
  const inner = wireReader(reader.string());
  reader.end();
  const type = inner.text();
  if (type !== KEY_TYPE) throw wrongType(type);
  const signature = Buffer.from(inner.string());
  inner.end();
  if (signature.length !== ED25519_SIGNATURE_BYTES) throw malformed(`the signature has ${signature.length} bytes instead of ${ED25519_SIGNATURE_BYTES}`);
  return { key, namespace, hash, signature };
}

/** The fingerprint of the key that a blob names, whatever the rest of it is: messages name it where it can be read. */
function namedKey(bytes: Buffer): string | undefined {
  try {
    const reader = wireReader(bytes);
    reader.take(MAGIC.length + 4);
    return fingerprintOf(reader.string());
  } catch {
    return undefined;
  }
}

export function parseSignature(bytes: Uint8Array): SshResult<SshSignature> {
  const buffer = Buffer.from(bytes);
  return guarded('the signature', () => signatureOf(buffer), namedKey(buffer));
}

export function signatureBytes(armour: string): SshResult<Buffer> {
  return guarded('the signature', () => unarmoured(SIGNATURE_LABEL, armour));
}

export const armouredSignature = (bytes: Uint8Array): string => armoured(SIGNATURE_LABEL, bytes);

function signedBytes(namespace: string, hash: 'sha256' | 'sha512', message: Uint8Array): Buffer {
  return Buffer.concat([MAGIC, wireString(namespace), wireString(''), wireString(hash), wireString(digest(hash, message))]);
}

/** The cryptography alone. Whether the key is trusted and the namespace is the wanted one is the caller's question. */
export function signatureFits(signature: SshSignature, message: Uint8Array): boolean {
  return ed25519Verify(signature.key.raw, signedBytes(signature.namespace, signature.hash, message), signature.signature);
}

export function signSsh(key: SigningKey, namespace: string, message: Uint8Array): Buffer {
  const signature = ed25519Sign(key.seed, signedBytes(namespace, 'sha512', message));
  return Buffer.concat([
    MAGIC, wireU32(1), wireString(publicBlob(key.raw)), wireString(namespace), wireString(''), wireString('sha512'),
    wireString(Buffer.concat([wireString(KEY_TYPE), wireString(signature)])),
  ]);
}
