// Contract: one signed line, `praetor1 <base64url payload> <base64 SSHSIG>`: made by a signer, opened against allowed signers. The bytes of the
// payload are what is signed; nothing is serialised again. A refusal has a stable code and names key, ref and sequence where they are known. PURE but for the Host.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { judgeSigner, type AllowedSigner, type AllowedSigners, type SignerCode } from './allowed-signers.ts';
import { digest } from './crypto.ts';
import { strictBase64, type FaultCode } from './ssh-wire.ts';
import { parseSignature, signatureBytes, signatureFits, signSsh, type PublicKey, type SigningKey } from './sshsig.ts';

export const NAMESPACE_PROMOTION = 'praetor-promotion';
export const NAMESPACE_RECEIPT = 'praetor-receipt';
export type Namespace = typeof NAMESPACE_PROMOTION | typeof NAMESPACE_RECEIPT;

const MARK = 'praetor1';
/** With its line end. A promotion with gates and signers has some KiB, a receipt of a workstation one. */
export const SIGNED_LINE_BYTES_MAX = 64 * 1024;
/** A hardware key waits for a touch. */
const SIGN_MS_MAX = 60_000;
const SIGN_BYTES_MAX = 16 * 1024;

/** Takes the bytes of a payload, gives a binary SSHSIG. */
export type Signer = (payload: string, namespace: Namespace) => Promise<Uint8Array>;

export function nodeSigner(key: SigningKey): Signer {
  return (payload, namespace) => Promise.resolve(signSsh(key, namespace, Buffer.from(payload, 'utf8')));
}

/** `key`: a private key file, or a public key file whose private half an agent or a security key holds. */
export function sshKeygenSigner(host: Host, key: string): Signer {
  return async (payload, namespace) => {
    const env = Object.fromEntries(Object.entries(host.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const run = await host.start('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', namespace], { input: payload, env, timeoutMs: SIGN_MS_MAX, maxBytes: SIGN_BYTES_MAX });
    const made = run.code === 0 ? signatureBytes(run.stdout) : undefined;
    if (made?.ok === true) return made.value;
    const why = run.failure === 'ENOENT' ? 'there is no ssh-keygen on PATH' : run.timedOut ? `ssh-keygen gave no answer within ${SIGN_MS_MAX / 1000} s` : made?.ok === false ? made.message : `ssh-keygen ended with ${String(run.code)}`;
    throw new PraetorError({ code: 'signing-failed', where: { path: key }, message: `nothing was signed: ${why}`, fix: 'load the key into an ssh-agent (ssh-add) and name its public key file, or name a key file without a passphrase' });
  };
}

/** The line without its end. */
export async function seal(payload: JsonObject, signer: Signer, namespace: Namespace): Promise<string> {
  const text = JSON.stringify(payload);
  const signature = await signer(text, namespace);
  const line = `${MARK} ${Buffer.from(text, 'utf8').toString('base64url')} ${Buffer.from(signature).toString('base64')}`;
  if (line.length >= SIGNED_LINE_BYTES_MAX) throw new PraetorError({ code: 'too-large', message: `the signed line has ${line.length} bytes; ${SIGNED_LINE_BYTES_MAX} is the limit`, fix: 'sign less' });
  return line;
}

/** What `prev` of the next line is. */
export function lineDigest(line: string): string {
  return digest('sha256', line).toString('hex');
}

export type RefusalCode = SignerCode | FaultCode | 'line-too-long' | 'namespace-wrong' | 'signature-wrong' | 'payload-invalid';

export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  /** One sentence with key, ref and sequence. */
  readonly message: string;
  readonly fingerprint: string | undefined;
  /** As the line claims: nothing has shown that it is true. */
  readonly seq: number | undefined;
}

export interface Opened {
  readonly ok: true;
  readonly payload: JsonObject;
  readonly key: PublicKey;
  readonly signer: AllowedSigner;
  readonly digest: string;
}

/** The key is judged at the time that the payload names: a line that was good stays good when its key ends. Order comes from `seq` and `prev`, never from a clock. */
export interface OpenOptions {
  readonly signers: AllowedSigners;
  readonly namespace: Namespace;
  /** The value that `schema` must have. */
  readonly schema: string;
  /** For messages. */
  readonly ref?: string;
  /** As whom the key must speak: of the payload, since a receipt says itself whose it is. */
  readonly principal?: (payload: JsonObject) => string;
}

interface Parts { readonly bytes: Buffer; readonly signature: Buffer }

function partsOf(line: string): Parts | string {
  const words = line.split(' ');
  if (words[0] !== MARK) return `the line does not begin with ${MARK}`;
  if (words.length !== 3) return 'the line does not have exactly three words';
  const bytes = strictBase64(words[1] ?? '', 'base64url');
  const signature = strictBase64(words[2] ?? '');
  return bytes === undefined || signature === undefined ? 'the line is not base64 in its canonical form' : { bytes, signature };
}

/** Compact and without duplicate keys, as JSON.stringify writes it: then two readers cannot understand it differently. */
function payloadOf(bytes: Buffer): JsonObject | string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return 'the payload is not an object';
    return JSON.stringify(value) === text ? value : 'the payload is not compact JSON with each key once';
  } catch {
    return 'the payload is not JSON';
  }
}

const sequenceOf = (payload: JsonObject | string): number | undefined => (typeof payload !== 'string' && Number.isSafeInteger(payload['seq']) && Number(payload['seq']) >= 0 ? Number(payload['seq']) : undefined);

/** Milliseconds since the epoch of a time in UTC as toISOString writes it. */
function timeOf(value: unknown): number | undefined {
  const at = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

export function openLine(line: string, options: OpenOptions): Opened | Refusal {
  let fingerprint: string | undefined;
  let seq: number | undefined;
  const no = (code: RefusalCode, what: string): Refusal => {
    const known = [fingerprint === undefined ? 'key unknown' : `key ${fingerprint}`, ...(options.ref === undefined ? [] : [`ref ${options.ref}`]), seq === undefined ? 'sequence unknown' : `sequence ${seq}`];
    return { ok: false, code, message: `${what} (${known.join(', ')})`, fingerprint, seq };
  };
  if (line.length >= SIGNED_LINE_BYTES_MAX) return no('line-too-long', `the line is longer than ${SIGNED_LINE_BYTES_MAX} bytes`);
  const parts = partsOf(line);
  if (typeof parts === 'string') return no('malformed', parts);
  const payload = payloadOf(parts.bytes);
  seq = sequenceOf(payload);
  const parsed = parseSignature(parts.signature);
  fingerprint = parsed.ok ? parsed.value.key.fingerprint : parsed.fingerprint;
  if (!parsed.ok) return no(parsed.code, parsed.message);
  const { value: signature } = parsed;
  if (signature.namespace !== options.namespace) return no('namespace-wrong', `the signature was made for another namespace than ${options.namespace}`);
  if (!signatureFits(signature, parts.bytes)) return no('signature-wrong', 'the signature does not fit the payload');
  // From here on the payload is what the holder of this key signed. Whether it may is the rest.
  if (typeof payload === 'string') return no('payload-invalid', payload);
  const at = timeOf(payload['at']);
  if (payload['schema'] !== options.schema || at === undefined) return no('payload-invalid', `the payload is no ${options.schema} with a time`);
  const { signers, namespace, principal } = options;
  const judged = judgeSigner(signers, { fingerprint: signature.key.fingerprint, namespace, at, principal: principal?.(payload) });
  if (!judged.ok) return no(judged.code, judged.message);
  return { ok: true, payload, key: signature.key, signer: judged.signer, digest: lineDigest(line) };
}
