// Contract: the layout of the compiled settings (policy.idx), shared by the writer (settings/index-writer.ts) and the hook's
// reader. PURE. All numbers are little-endian and unsigned.
//
//   header, 64 bytes   magic "PRTLPIX\0", format, slots, table offset, meta offset, meta length, meta check, file length,
//                      seed, length and offset of the rows without a program (0: none), zeros, check of the header
//   meta               JSON (PolicyMeta), right behind the header, so that one read gets both
//   table              open addressing, 16 bytes a slot: hash of the program, offset, length, check over these, the slot's
//                      number and the seed; an empty slot has a check too, so zeros are damage, not absence
//   rows               4 bytes check, then JSON: [program, rows]
//
// Checks find damage (a torn write, a bad block), not intent: who can write the state directory is the person.
import type { Level } from './pack.ts';

export const INDEX_MAGIC = 'PRTLPIX\0';
export const INDEX_FORMAT = 1;
export const HEADER_BYTES = 64;
export const SLOT_BYTES = 16;
/** The first read: header and, nearly always, meta. */
export const HEAD_READ_BYTES = 8192;
export const META_BYTES_MAX = 1024 * 1024;
export const ROWS_BYTES_MAX = 16 * 1024 * 1024;
/** Slots read at once while probing. */
export const PROBE_SLOTS = 8;

/** What a file was when it was read. The change time cannot be set back like the modification time. */
export interface SourceStamp {
  readonly path: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
}

/** One check of the operator's own, as the hook runs it. */
export interface EvaluatorSpec {
  readonly id: string;
  readonly events: readonly string[];
  /** Kinds of tools; empty: all. */
  readonly tools: readonly string[];
  /** Candidates, each a program and its fixed arguments; empty: the script itself is executed. */
  readonly interpreter: readonly (readonly string[])[];
  /** Absolute, or below the workspace where `inWorkspace`. */
  readonly script: string;
  readonly inWorkspace: boolean;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly outputBytes: number;
}

export interface PolicyMeta {
  readonly engine: string;
  /** First 16 hex digits of the sha256 of the document's text. */
  readonly digest: string;
  readonly sources: readonly SourceStamp[];
  /** Set where the document is invalid: the first complaint, without values. Then nothing else of it counts. */
  readonly problem: string;
  readonly mode: 'default' | 'strict';
  readonly packs: Readonly<Record<string, Level>>;
  readonly rules: Readonly<Record<string, Level>>;
  readonly evaluators: readonly EvaluatorSpec[];
  readonly rows: number;
}

/** FNV-1a over the bytes of a text; `seed` gives independent functions. */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    hash = Math.imul(hash ^ (code & 255), 0x01000193);
    if (code > 255) hash = Math.imul(hash ^ (code >> 8), 0x01000193);
  }
  return hash >>> 0;
}

/** FNV-1a over four bytes at a time: fast enough for rows of a megabyte. */
export function hashBytes(bytes: { readonly length: number; readonly [index: number]: number }, start: number, end: number, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) | 0;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const word = (bytes[i] as number) | ((bytes[i + 1] as number) << 8) | ((bytes[i + 2] as number) << 16) | ((bytes[i + 3] as number) << 24);
    hash = Math.imul(hash ^ word, 0x01000193);
    hash ^= hash >>> 15;
  }
  for (; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return (hash ^ (end - start)) >>> 0;
}

/** The check of a slot. */
export function slotCheck(slot: number, hash: number, offset: number, length: number, seed: number): number {
  let check = seed | 1;
  check = Math.imul(check ^ slot, 0x01000193);
  check = Math.imul(check ^ hash, 0x01000193);
  check = Math.imul(check ^ offset, 0x01000193);
  check = Math.imul(check ^ length, 0x01000193);
  check ^= check >>> 13;
  return (check | 1) >>> 0;
}
