// Contract: the room's one door to node:crypto: Ed25519 over raw keys, and digests. It knows no format of a file or a line.
import { createHash, createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';

export const ED25519_KEY_BYTES = 32;
export const ED25519_SIGNATURE_BYTES = 64;

// A raw key in the DER that node takes: what stands in front of the 32 bytes never changes (RFC 8410).
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

const privateOf = (seed: Uint8Array): KeyObject => createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });

export function digest(algorithm: 'sha256' | 'sha512', data: Uint8Array | string): Buffer {
  return createHash(algorithm).update(data).digest();
}

export function hmacSha256(key: Uint8Array, data: string): string {
  return createHmac('sha256', key).update(data).digest('hex');
}

export function ed25519Sign(seed: Uint8Array, message: Uint8Array): Buffer {
  return sign(null, message, privateOf(seed));
}

/** The key that was used last: taking one in costs as much as a verification, and an auditor reads one host after the other. */
let lastKey: { readonly hex: string; readonly key: KeyObject } | undefined;

function publicOf(raw: Uint8Array): KeyObject {
  const hex = Buffer.from(raw).toString('hex');
  if (lastKey?.hex !== hex) lastKey = { hex, key: createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' }) };
  return lastKey.key;
}

export function ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== ED25519_KEY_BYTES || signature.length !== ED25519_SIGNATURE_BYTES) return false;
  try {
    return verify(null, message, publicOf(publicKey), signature);
  } catch {
    // Bytes that are no point of the curve.
    return false;
  }
}

export function ed25519Public(seed: Uint8Array): Buffer {
  return createPublicKey(privateOf(seed)).export({ format: 'der', type: 'spki' }).subarray(SPKI_HEAD.length);
}

/** A fresh seed from the system's source of randomness. */
export function ed25519Seed(): Buffer {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PKCS8_HEAD.length);
}
