// Contract: the binary form of SSH (RFC 4251): numbers and length-prefixed strings, read with bounds; strict base64; PEM armour. PURE.

export type FaultCode = 'malformed' | 'key-type' | 'encrypted';

/** Where the bytes are not what they must be. Readers turn it into a refusal; it never leaves the room. */
export class WireFault extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const malformed = (message: string): WireFault => new WireFault('malformed', message);

export interface WireReader {
  readonly u32: () => number;
  readonly string: () => Buffer;
  readonly text: () => string;
  readonly take: (length: number) => Buffer;
  readonly left: () => number;
  /** Throws where bytes are left. */
  readonly end: () => void;
}

export function wireReader(bytes: Buffer): WireReader {
  let at = 0;
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw malformed('it ends too early');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const u32 = (): number => take(4).readUInt32BE(0);
  const string = (): Buffer => take(u32());
  return {
    u32, string, take, text: () => string().toString('latin1'), left: () => bytes.length - at,
    end: () => { if (at !== bytes.length) throw malformed(`${bytes.length - at} byte(s) stand behind its end`); },
  };
}

export function wireU32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value);
  return out;
}

export function wireString(value: Uint8Array | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  return Buffer.concat([wireU32(bytes.length), bytes]);
}

/** Buffer.from skips what is not base64, so two texts could stand for one value: only the one canonical text is taken. */
export function strictBase64(text: string, encoding: 'base64' | 'base64url' = 'base64'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return text !== '' && bytes.toString(encoding) === text ? bytes : undefined;
}

const ARMOUR_COLUMNS = 70;

export function armoured(label: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString('base64').match(new RegExp(`.{1,${ARMOUR_COLUMNS}}`, 'g')) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** The bytes between the two lines; nothing may stand in front or behind. */
export function unarmoured(label: string, text: string): Buffer {
  const lines = text.replace(/\r\n/g, '\n').trimEnd().split('\n');
  if (lines[0] !== `-----BEGIN ${label}-----`) throw malformed(`it does not begin with "-----BEGIN ${label}-----"`);
  if (lines[lines.length - 1] !== `-----END ${label}-----`) throw malformed(`it does not end with "-----END ${label}-----"`);
  const bytes = strictBase64(lines.slice(1, -1).join(''));
  if (bytes === undefined) throw malformed('it is not base64');
  return bytes;
}
