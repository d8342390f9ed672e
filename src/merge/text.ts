// Contract: bytes to text and back for the files of the clients. encodeText(doc, doc.text) gives back exactly the
// bytes that decodeBytes accepted; everything that could not survive that round trip is refused. PURE.
import type { MergeFault, Tolerance } from '../model/edit.ts';

/** The longest text that is read or written, in UTF-16 units. */
export const TEXT_CHARS_MAX = 64 * 1024 * 1024;
/** One UTF-16 unit takes at most three bytes of UTF-8. */
const TEXT_BYTES_MAX = 3 * TEXT_CHARS_MAX;
/** Units per String.fromCharCode call: an argument list that no engine finds too long. */
const UNITS_PER_CHUNK = 8192;

export interface TextDoc {
  /** The text without its byte order mark. */
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le';
  readonly bom: boolean;
}

export type DecodeResult = { readonly ok: true; readonly doc: TextDoc } | { readonly ok: false; readonly fault: MergeFault };

/** 1-based line and column of an offset; `\r\n`, `\n` and a lone `\r` end a line. The column counts UTF-16 units. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const end = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== 10 && unit !== 13) continue;
    if (unit === 13 && text.charCodeAt(i + 1) === 10) {
      // The `\n` itself still belongs to the line that it ends.
      if (i + 1 >= end) break;
      i++;
    }
    line++;
    lineStart = i + 1;
  }
  return { line, column: end - lineStart + 1 };
}

/** The line end that most lines have; `\n` where there is none or a draw. */
export function detectEol(text: string): '\n' | '\r\n' {
  let pairs = 0;
  let bare = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) pairs++;
    else bare++;
  }
  return pairs > bare ? '\r\n' : '\n';
}

export function faultAt(text: string, code: MergeFault['code'], message: string, offset: number): MergeFault {
  return { code, message, offset, ...positionOf(text, offset) };
}

/** Bytes to text, or the reason why this file is not touched. */
export function decodeBytes(bytes: Uint8Array, tolerance: Tolerance): DecodeResult {
  if (bytes.length > TEXT_BYTES_MAX) return refuse('too-large', `the file is larger than ${TEXT_BYTES_MAX} bytes`);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16le(bytes, tolerance);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    return refuse('undecodable', 'the file is UTF-16 with the high byte first, which no client reads');
  }
  const nul = nulFault(bytes);
  if (nul !== undefined) return { ok: false, fault: nul };
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const body = bom ? bytes.subarray(3) : bytes;
  const text = strictUtf8(body);
  if (text === undefined) return { ok: false, fault: utf8Fault(body, bom ? 3 : 0) };
  if (text.length > TEXT_CHARS_MAX) return refuse('too-large', `the file is longer than ${TEXT_CHARS_MAX} characters`);
  if (bom && !tolerance.bom) {
    return refuse(
      'client-rejects',
      'the client does not read a file that starts with a byte order mark and ignores it already',
    );
  }
  return { ok: true, doc: { text, encoding: 'utf-8', bom } };
}

/** Text to bytes in the document's own encoding, with its byte order mark if it had one. */
export function encodeText(doc: TextDoc, text: string): Uint8Array {
  if (doc.encoding === 'utf-16le') return encodeUtf16le(text, doc.bom);
  const body = new TextEncoder().encode(text);
  if (!doc.bom) return body;
  const bytes = new Uint8Array(body.length + 3);
  bytes.set([0xef, 0xbb, 0xbf]);
  bytes.set(body, 3);
  return bytes;
}

function refuse(code: MergeFault['code'], message: string): DecodeResult {
  return { ok: false, fault: { code, message, offset: 0, line: 1, column: 1 } };
}

/** Unflushed blocks after a power cut read as runs of NUL bytes; one NUL between two others is UTF-16 without its mark. */
function nulFault(bytes: Uint8Array): MergeFault | undefined {
  const first = bytes.indexOf(0);
  if (first === -1) return undefined;
  let alternating = 0;
  for (let at = first; at !== -1; at = bytes.indexOf(0, at + 1)) {
    if (bytes[at + 1] === 0 || bytes.length === 1) {
      const before = strictUtf8(bytes.subarray(0, at));
      return faultAt(before ?? '', 'nul-filled', `the file is filled with NUL bytes from byte ${at} on`, before?.length ?? 0);
    }
    alternating++;
  }
  if (alternating * 4 < bytes.length) return undefined;
  const before = strictUtf8(bytes.subarray(0, first)) ?? '';
  return faultAt(before, 'undecodable', 'the file looks like UTF-16 without a byte order mark', before.length);
}

function strictUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function utf8Fault(body: Uint8Array, skipped: number): MergeFault {
  const bad = firstBadByte(body);
  const before = strictUtf8(body.subarray(0, bad)) ?? '';
  return faultAt(before, 'undecodable', `the file is not UTF-8: byte ${bad + skipped} belongs to no character`, before.length);
}

/** Where strict UTF-8 ends: overlong forms, surrogates and values beyond U+10FFFF are refused by the second byte. */
function firstBadByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    if (length === 0) return at;
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    for (let i = 1; i < length; i++) {
      const next = bytes[at + i] ?? 0;
      if (next < (i === 1 ? low : 0x80) || next > (i === 1 ? high : 0xbf)) return at;
    }
    at += length;
  }
  return at;
}

/** By hand, because TextDecoder turns lone surrogates into U+FFFD and the bytes would not come back. */
function decodeUtf16le(bytes: Uint8Array, tolerance: Tolerance): DecodeResult {
  if (!tolerance.utf16le) return refuse('undecodable', 'the file is UTF-16, and the client reads only UTF-8');
  if (bytes.length % 2 !== 0) return refuse('undecodable', 'the file is UTF-16 but has an odd number of bytes');
  const parts: string[] = [];
  for (let at = 2; at < bytes.length; at += 2 * UNITS_PER_CHUNK) {
    const end = Math.min(bytes.length, at + 2 * UNITS_PER_CHUNK);
    const units: number[] = [];
    for (let i = at; i < end; i += 2) units.push((bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8));
    parts.push(String.fromCharCode(...units));
  }
  const text = parts.join('');
  if (text.length > TEXT_CHARS_MAX) return refuse('too-large', `the file is longer than ${TEXT_CHARS_MAX} characters`);
  const nul = text.indexOf('\0');
  if (nul === 0) return refuse('nul-filled', 'the file is filled with NUL characters, or it is UTF-32');
  if (nul > 0 && text.charCodeAt(nul + 1) === 0) {
    return { ok: false, fault: faultAt(text, 'nul-filled', 'the file is filled with NUL characters from here on', nul) };
  }
  return { ok: true, doc: { text, encoding: 'utf-16le', bom: true } };
}

function encodeUtf16le(text: string, bom: boolean): Uint8Array {
  const skip = bom ? 2 : 0;
  const bytes = new Uint8Array(text.length * 2 + skip);
  if (bom) bytes.set([0xff, 0xfe]);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    bytes[skip + 2 * i] = unit & 0xff;
    bytes[skip + 2 * i + 1] = unit >> 8;
  }
  return bytes;
}
