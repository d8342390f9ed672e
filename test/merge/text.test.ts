// Contract: bytes that are accepted come back byte for byte; bytes that could not are refused with a place.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBytes, detectEol, encodeText, positionOf, TEXT_CHARS_MAX } from '../../src/merge/text.ts';
import type { Tolerance } from '../../src/model/edit.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 600);
const LAX: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: true, emptyIsObject: true };
const STRICT: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

const bytes = (...parts: (number | string)[]): Uint8Array =>
  new Uint8Array(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...new TextEncoder().encode(part)])));
const utf16 = (text: string): Uint8Array =>
  new Uint8Array([0xff, 0xfe, ...[...Array(text.length).keys()].flatMap((i) => [text.charCodeAt(i) & 255, text.charCodeAt(i) >> 8])]);

function decoded(input: Uint8Array, tolerance: Tolerance): { text: string; encoding: string; bom: boolean } {
  const result = decodeBytes(input, tolerance);
  if (!result.ok) throw new Error(result.fault.message);
  expect([...encodeText(result.doc, result.doc.text)]).toEqual([...input]);
  return result.doc;
}

describe('bytes to text', () => {
  const accepted: [string, Uint8Array, Tolerance, { text: string; encoding: string; bom: boolean }][] = [
    ['an empty file is an empty text', bytes(), STRICT, { text: '', encoding: 'utf-8', bom: false }],
    ['plain UTF-8', bytes('{"é":"😀"}\n'), STRICT, { text: '{"é":"😀"}\n', encoding: 'utf-8', bom: false }],
    ['a byte order mark that the client reads is kept aside', bytes(0xef, 0xbb, 0xbf, '{}'), LAX, { text: '{}', encoding: 'utf-8', bom: true }],
    ['only the first byte order mark is one', bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf), LAX, { text: '\ufeff', encoding: 'utf-8', bom: true }],
    ['a single NUL is left to the format to refuse', bytes('{"a":"', 0, '"}'), STRICT, { text: '{"a":"\0"}', encoding: 'utf-8', bom: false }],
    ['UTF-16 with its mark', utf16('{"é":1}\r\n'), LAX, { text: '{"é":1}\r\n', encoding: 'utf-16le', bom: true }],
    ['a lone surrogate in UTF-16 survives', utf16('"\ud800x\udc00"'), LAX, { text: '"\ud800x\udc00"', encoding: 'utf-16le', bom: true }],
    ['UTF-16 of the mark alone', utf16(''), LAX, { text: '', encoding: 'utf-16le', bom: true }],
  ];
  test.each(accepted)('%s', (_name, input, tolerance, doc) => {
    expect(decoded(input, tolerance)).toEqual(doc);
  });

  const refused: [string, Uint8Array, Tolerance, { code: string; line: number; column: number; offset: number }][] = [
    ['Latin-1 is refused at its byte', bytes('{\n "a": "', 0xe9, '"}'), LAX, { code: 'undecodable', line: 2, column: 8, offset: 9 }],
    ['a cut character at the end is refused', bytes('"é', 0xc3), LAX, { code: 'undecodable', line: 1, column: 3, offset: 2 }],
    ['an overlong form is refused', bytes(0xc0, 0x80), LAX, { code: 'undecodable', line: 1, column: 1, offset: 0 }],
    ['an encoded surrogate is refused', bytes('a', 0xed, 0xa0, 0x80), LAX, { code: 'undecodable', line: 1, column: 2, offset: 1 }],
    ['a value beyond Unicode is refused', bytes(0xf4, 0x90, 0x80, 0x80), LAX, { code: 'undecodable', line: 1, column: 1, offset: 0 }],
    ['the place behind a byte order mark counts without the mark', bytes(0xef, 0xbb, 0xbf, 'a', 0xff), LAX, { code: 'undecodable', line: 1, column: 2, offset: 1 }],
    ['a file of NUL bytes is refused', bytes(0, 0, 0, 0), LAX, { code: 'nul-filled', line: 1, column: 1, offset: 0 }],
    ['one NUL byte is refused', bytes(0), LAX, { code: 'nul-filled', line: 1, column: 1, offset: 0 }],
    ['a file with a tail of NUL bytes is refused where it begins', bytes('{\n', 0, 0, 0), LAX, { code: 'nul-filled', line: 2, column: 1, offset: 2 }],
    ['a byte order mark that the client does not read is refused', bytes(0xef, 0xbb, 0xbf, '{}'), STRICT, { code: 'client-rejects', line: 1, column: 1, offset: 0 }],
    ['UTF-16 is refused where the client reads UTF-8 only', utf16('{}'), STRICT, { code: 'undecodable', line: 1, column: 1, offset: 0 }],
    ['UTF-16 with half a unit is refused', bytes(0xff, 0xfe, 0x7b), LAX, { code: 'undecodable', line: 1, column: 1, offset: 0 }],
    ['UTF-16 with the high byte first is refused', bytes(0xfe, 0xff, 0, 0x7b), LAX, { code: 'undecodable', line: 1, column: 1, offset: 0 }],
    ['UTF-16 without its mark is refused', utf16('{"a":1}').subarray(2), LAX, { code: 'undecodable', line: 1, column: 2, offset: 1 }],
    ['UTF-16 filled with NUL is refused where it begins', utf16('{\n\0\0\0'), LAX, { code: 'nul-filled', line: 2, column: 1, offset: 2 }],
    ['UTF-32 is refused', bytes(0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0), LAX, { code: 'nul-filled', line: 1, column: 1, offset: 0 }],
  ];
  test.each(refused)('%s', (_name, input, tolerance, fault) => {
    const result = decodeBytes(input, tolerance);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.fault).toMatchObject(fault);
  });

  test('a file one byte over the limit is refused and one at the limit is read', () => {
    expect(decodeBytes(new Uint8Array(TEXT_CHARS_MAX).fill(32), STRICT).ok).toBe(true);
    const result = decodeBytes(new Uint8Array(TEXT_CHARS_MAX + 1).fill(32), STRICT);
    expect(!result.ok && result.fault.code).toBe('too-large');
  });

  test('every accepted file comes back byte for byte, and nothing throws', () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: 'binary' }).map((text) => bytes(text)),
      fc.string({ unit: 'binary' }).map((text) => bytes(0xef, 0xbb, 0xbf, text)),
      fc.array(fc.nat(0xffff)).map((units) => utf16(String.fromCharCode(...units))),
      fc.tuple(fc.string({ unit: 'binary' }), fc.nat(), fc.nat(255)).map(([text, at, byte]) => {
        const out = bytes(text, 'x');
        out[at % out.length] = byte;
        return out;
      }),
    );
    fc.assert(fc.property(anyBytes, fc.constantFrom(LAX, STRICT), (input, tolerance) => {
      const result = decodeBytes(input, tolerance);
      if (result.ok) expect([...encodeText(result.doc, result.doc.text)]).toEqual([...input]);
      else expect(result.fault.line).toBeGreaterThan(0);
    }), { numRuns: RUNS });
  });

  test('an invalid byte is found exactly where the decoder would stop', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.uint8Array({ minLength: 1, maxLength: 4 }), (text, tail) => {
      const input = new Uint8Array([...bytes(text), ...tail]);
      const result = decodeBytes(input, LAX);
      if (result.ok || result.fault.code !== 'undecodable' || !result.fault.message.includes('not UTF-8')) return;
      const at = Number(/byte (\d+)/.exec(result.fault.message)?.[1]);
      const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      expect(() => strict.decode(input.subarray(0, at))).not.toThrow();
      for (let end = at + 1; end <= Math.min(input.length, at + 4); end++) expect(() => strict.decode(input.subarray(0, end))).toThrow();
    }), { numRuns: RUNS });
  });
});

describe('places and line ends', () => {
  const places: [string, string, number, number, number][] = [
    ['the start', '', 0, 1, 1], ['behind a line feed', 'a\nb', 2, 2, 1], ['behind a pair', 'a\r\nb', 3, 2, 1],
    ['inside a pair', 'a\r\nb', 2, 1, 3], ['behind a lone carriage return', 'a\rb', 2, 2, 1],
    ['the end of the text', 'a\n\nbc', 5, 3, 3], ['beyond the end', 'ab', 9, 1, 3],
  ];
  test.each(places)('%s', (_name, text, offset, line, column) => {
    expect(positionOf(text, offset)).toEqual({ line, column });
  });

  const ends: [string, string, string][] = [
    ['no line end', 'abc', '\n'], ['line feeds', 'a\nb\n', '\n'], ['pairs', 'a\r\nb\r\n', '\r\n'],
    ['most are pairs', 'a\r\nb\r\nc\n', '\r\n'], ['most are line feeds', 'a\r\nb\nc\n', '\n'], ['a draw', 'a\r\nb\n', '\n'],
    ['a lone carriage return does not count', 'a\rb\r', '\n'],
  ];
  test.each(ends)('%s', (_name, text, eol) => {
    expect(detectEol(text)).toBe(eol);
  });
});
