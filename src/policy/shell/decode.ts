// Contract: encoded text -> what it decodes to, by hand (no Buffer: a pure room); undefined where it is not that encoding. PURE.
import { TEXT_CHARS_MAX } from './state.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function base64Bytes(text: string): number[] | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const c of text) {
    if (c === '\n' || c === ' ' || c === '\r' || c === '\t') continue;
    if (c === '=') break;
    const value = ALPHABET.indexOf(c === '-' ? '+' : c === '_' ? '/' : c);
    if (value === -1) return undefined;
    held = (held << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
      held &= (1 << bits) - 1;
    }
    if (bytes.length > TEXT_CHARS_MAX) return undefined;
  }
  return bytes;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function base32(text: string): string | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const c of text.toUpperCase()) {
    if (c === '\n' || c === ' ') continue;
    if (c === '=') break;
    const value = BASE32.indexOf(c);
    if (value === -1) return undefined;
    held = (held << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
      held &= (1 << bits) - 1;
    }
  }
  return utf8(bytes);
}

/** Bytes as UTF-8; what is not UTF-8 keeps its place as a replacement letter. */
export function utf8(bytes: readonly number[]): string {
  let out = '';
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at++] ?? 0;
    const more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : -1;
    if (more === -1) { out += '\uFFFD'; continue; }
    let code = more === 0 ? first : first & (0x3f >> more);
    for (let i = 0; i < more; i++) code = (code << 6) | ((bytes[at++] ?? 0) & 0x3f);
    out += code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
  }
  return out;
}

export function base64(text: string): string | undefined {
  const bytes = base64Bytes(text);
  return bytes === undefined ? undefined : utf8(bytes);
}

/** PowerShell's -EncodedCommand. */
export function base64Utf16(text: string): string | undefined {
  const bytes = base64Bytes(text);
  if (bytes === undefined) return undefined;
  let out = '';
  for (let at = 0; at + 1 < bytes.length; at += 2) out += String.fromCharCode((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
  return out;
}

export function hex(text: string): string | undefined {
  const digits = text.replace(/\s+|\\x|0x/g, '');
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) return undefined;
  const bytes: number[] = [];
  for (let at = 0; at < digits.length; at += 2) bytes.push(parseInt(digits.slice(at, at + 2), 16));
  return utf8(bytes);
}

const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v', e: '\x1b', '\\': '\\' };

/** Escapes of `echo -e`, `printf` and `%b`. `\c` ends the text. */
export function escapes(text: string): string {
  if (!text.includes('\\')) return text;
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? '';
    if (c !== '\\') { out += c; continue; }
    const next = text[at + 1] ?? '';
    if (next === 'c') return out;
    const wide = next === 'x' || next === 'u' || next === 'U';
    const digits = (wide ? (next === 'x' ? /^[0-9a-fA-F]{1,2}/ : next === 'u' ? /^[0-9a-fA-F]{1,4}/ : /^[0-9a-fA-F]{1,8}/) : /^0?[0-7]{1,3}/).exec(text.slice(at + (wide ? 2 : 1), at + 10))?.[0];
    if (digits !== undefined && digits !== '') {
      const code = parseInt(digits, wide ? 16 : 8);
      out += code <= 0x10ffff ? String.fromCodePoint(code) : '';
      at += digits.length + (wide ? 1 : 0);
    } else if (Object.prototype.hasOwnProperty.call(NAMED, next)) {
      out += NAMED[next];
      at++;
    } else out += c;
  }
  return out;
}

/** `printf FORMAT ARGS`: %s, %b, %c, %d and escapes; undefined for any other directive. */
export function printf(format: string, args: readonly string[]): string | undefined {
  let out = '';
  let next = 0;
  do {
    const before = next;
    const text = escapes(format.replace(/%%/g, '\uF8FF'));
    let at = 0;
    for (const found of text.matchAll(/%[-+ 0#]*\d*(?:\.\d+)?([a-zA-Z])/g)) {
      out += text.slice(at, found.index);
      const value = args[next++] ?? '';
      if (found[1] === 'b') out += escapes(value);
      else if (found[1] === 's' || found[1] === 'd' || found[1] === 'i') out += value;
      else if (found[1] === 'c') out += value.slice(0, 1);
      else return undefined;
      at = found.index + found[0].length;
    }
    out += text.slice(at);
    if (out.length > TEXT_CHARS_MAX) return undefined;
    if (next === before) break;
  } while (next < args.length);
  return out.replace(/\uF8FF/g, '%');
}

/** `tr SET1 SET2` with ranges; undefined for classes and options that are not simple. */
export function translate(text: string, from: string, to: string): string | undefined {
  const a = letters(from);
  const b = letters(to);
  if (a === undefined || b === undefined || b.length === 0) return undefined;
  let out = '';
  for (const c of text) {
    const at = a.lastIndexOf(c);
    out += at === -1 ? c : b[Math.min(at, b.length - 1)] ?? c;
  }
  return out;
}

function letters(set: string): string[] | undefined {
  const out: string[] = [];
  const text = escapes(set);
  if (text.includes('[:')) return undefined;
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? '';
    const end = text[at + 2];
    if (text[at + 1] === '-' && end !== undefined) {
      for (let code = c.charCodeAt(0); code <= end.charCodeAt(0) && out.length < 512; code++) out.push(String.fromCharCode(code));
      at += 2;
    } else out.push(c);
  }
  return out;
}
