// Contract: sha256 of a short text, in hex. PURE. node:crypto would cost the hook 2.4 ms at start; this costs microseconds.

const K = new Uint32Array(64);
const START = new Uint32Array(8);

/** The constants are the fractional parts of the cube and square roots of the first primes. */
function fillConstants(): void {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
  primes.forEach((prime, i) => {
    K[i] = ((Math.cbrt(prime) % 1) * 0x100000000) >>> 0;
    if (i < 8) START[i] = ((Math.sqrt(prime) % 1) * 0x100000000) >>> 0;
  });
}

export function sha256Hex(text: string): string {
  if (K[0] === 0) fillConstants();
  const bytes = utf8(text);
  const bits = bytes.length * 8;
  bytes.push(0x80);
  while (bytes.length % 64 !== 56) bytes.push(0);
  for (let shift = 56; shift >= 0; shift -= 8) bytes.push(shift >= 32 ? Math.floor(bits / 0x100000000) >>> (shift - 32) & 255 : bits >>> shift & 255);
  const state = Uint32Array.from(START);
  const w = new Uint32Array(64);
  for (let block = 0; block < bytes.length; block += 64) compress(state, w, bytes, block);
  let hex = '';
  for (const word of state) hex += word.toString(16).padStart(8, '0');
  return hex;
}

function compress(state: Uint32Array, w: Uint32Array, bytes: readonly number[], from: number): void {
  const at = (list: Uint32Array, i: number): number => list[i] ?? 0;
  const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n));
  for (let i = 0; i < 16; i++) {
    const p = from + i * 4;
    w[i] = ((bytes[p] ?? 0) << 24) | ((bytes[p + 1] ?? 0) << 16) | ((bytes[p + 2] ?? 0) << 8) | (bytes[p + 3] ?? 0);
  }
  for (let i = 16; i < 64; i++) {
    const a = at(w, i - 15);
    const b = at(w, i - 2);
    w[i] = at(w, i - 16) + at(w, i - 7) + (rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)) + (rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10));
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + at(K, i) + at(w, i)) | 0;
    const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => { state[i] = at(state, i) + value; });
}

function utf8(text: string): number[] {
  const out: number[] = [];
  for (const char of text) {
    let code = char.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) out.push(code);
    else if (code < 0x800) out.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) out.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else out.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return out;
}
