// Contract: the layout of tables that the hook reads by offset (compiled settings, catalogue index), shared by the writer below
// and the hook's reader. PURE. All numbers are little-endian and unsigned.
//
//   header, 64 bytes   magic (8 characters), format, slots, table offset, meta offset, meta length, meta check, file length,
//                      seed, length and offset of the rows without a key (0: none), zeros, check of the header
//   meta               JSON, right behind the header, so that one read gets both
//   table              open addressing, 16 bytes a slot: hash of the key, offset, length, check over these, the slot's
//                      number and the seed; an empty slot has a check too, so zeros are damage, not absence
//   rows               4 bytes check, then JSON: [key, rows]
//
// Checks find damage (a torn write, a bad block), not intent: who can write the state directory is the person.

export const TABLE_FORMAT = 1;
export const HEADER_BYTES = 64;
export const SLOT_BYTES = 16;
/** The first read: header and, nearly always, meta. */
export const HEAD_READ_BYTES = 8192;
export const META_BYTES_MAX = 1024 * 1024;
export const ROWS_BYTES_MAX = 16 * 1024 * 1024;
/** Slots read at once while probing. */
export const PROBE_SLOTS = 8;

/** `size` of a file that was not there. */
export const ABSENT_SIZE = -1;

/** What a file was when it was read. The change time cannot be set back like the modification time. */
export interface SourceStamp {
  readonly path: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
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

/** Rows of one key, which is not empty. */
export interface TableGroup { readonly key: string; readonly rows: readonly unknown[] }

interface Placed { readonly key: string; readonly offset: number; readonly length: number; readonly bytes: Uint8Array; readonly check: number }

function place(groups: readonly TableGroup[], start: number, seed: number): Placed[] {
  let offset = start;
  return groups.map(({ key, rows }) => {
    const json = new TextEncoder().encode(JSON.stringify([key, rows]));
    const bytes = new Uint8Array(4 + json.length);
    bytes.set(json, 4);
    const check = hashBytes(bytes, 4, bytes.length, seed);
    new DataView(bytes.buffer).setUint32(0, check, true);
    const placed = { key, offset, length: bytes.length, bytes, check };
    offset += bytes.length;
    return placed;
  });
}

/** At most half full: a probe nearly always ends in the first read. */
function slotsFor(count: number): number {
  let slots = 8;
  while (slots < count * 2) slots *= 2;
  return slots;
}

/** `keyless` rows are given for every key. The same input gives the same bytes. */
export function encodeTable(magic: string, metaText: string, seed: number, keyless: readonly unknown[], named: readonly TableGroup[]): Uint8Array {
  const groups = [{ key: '', rows: keyless }, ...named];
  const metaBytes = new TextEncoder().encode(metaText);
  const slots = slotsFor(named.length);
  const tableAt = HEADER_BYTES + metaBytes.length;
  const placed = place(groups, tableAt + slots * SLOT_BYTES, seed);
  const last = placed[placed.length - 1];
  const out = new Uint8Array(last === undefined ? tableAt : last.offset + last.length);
  const view = new DataView(out.buffer);
  const star = placed[0];
  for (let i = 0; i < magic.length; i++) out[i] = magic.charCodeAt(i);
  const noRows = keyless.length === 0;
  const numbers = [TABLE_FORMAT, slots, tableAt, HEADER_BYTES, metaBytes.length, hashBytes(metaBytes, 0, metaBytes.length, seed), out.length, seed,
    noRows ? 0 : star?.length ?? 0, noRows ? 0 : star?.offset ?? 0];
  numbers.forEach((number, i) => view.setUint32(8 + 4 * i, number, true));
  out.set(metaBytes, HEADER_BYTES);
  for (let slot = 0; slot < slots; slot++) view.setUint32(tableAt + slot * SLOT_BYTES + 12, slotCheck(slot, 0, 0, 0, seed), true);
  for (const { key, offset, length, bytes } of placed) {
    out.set(bytes, offset);
    if (key !== '') fill(view, { tableAt, slots, seed }, hashText(key) || 1, offset, length);
  }
  view.setUint32(60, hashBytes(out, 0, 60, 0), true);
  return out;
}

function fill(view: DataView, table: { tableAt: number; slots: number; seed: number }, hash: number, offset: number, length: number): void {
  let slot = hash % table.slots;
  while (view.getUint32(table.tableAt + slot * SLOT_BYTES + 4, true) !== 0) slot = (slot + 1) % table.slots;
  const at = table.tableAt + slot * SLOT_BYTES;
  view.setUint32(at, hash, true);
  view.setUint32(at + 4, offset, true);
  view.setUint32(at + 8, length, true);
  view.setUint32(at + 12, slotCheck(slot, hash, offset, length, table.seed), true);
}
