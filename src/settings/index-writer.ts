// Contract: compiled settings -> the bytes of policy.idx (layout: policy/operator-index.ts). PURE and deterministic: the same
// document gives the same bytes.
import type { OperatorRule } from '../policy/operator.ts';
import { HEADER_BYTES, INDEX_FORMAT, INDEX_MAGIC, SLOT_BYTES, hashBytes, hashText, slotCheck, type PolicyMeta } from '../policy/operator-index.ts';

interface Rows { readonly program: string; readonly rules: OperatorRule[] }

/** Rows by program, in the order of the document; rules without a program stand under the empty name. */
export function byProgram(rules: readonly OperatorRule[]): Map<string, OperatorRule[]> {
  const groups = new Map<string, OperatorRule[]>([['', []]]);
  for (const rule of rules) {
    for (const program of rule.programs.length === 0 ? [''] : new Set(rule.programs)) {
      const group = groups.get(program);
      if (group === undefined) groups.set(program, [rule]);
      else group.push(rule);
    }
  }
  return groups;
}

interface Placed { readonly program: string; readonly offset: number; readonly length: number; readonly bytes: Uint8Array; readonly check: number }

function place(groups: readonly Rows[], start: number, seed: number): Placed[] {
  let offset = start;
  return groups.map(({ program, rules }) => {
    const json = new TextEncoder().encode(JSON.stringify([program, rules]));
    const bytes = new Uint8Array(4 + json.length);
    bytes.set(json, 4);
    const check = hashBytes(bytes, 4, bytes.length, seed);
    new DataView(bytes.buffer).setUint32(0, check, true);
    const placed = { program, offset, length: bytes.length, bytes, check };
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

export function encodeIndex(meta: PolicyMeta, rules: readonly OperatorRule[]): Uint8Array {
  const groups = [...byProgram(rules)].map(([program, rows]) => ({ program, rules: rows }));
  const named = groups.filter(({ program }) => program !== '');
  const metaBytes = new TextEncoder().encode(JSON.stringify(meta));
  const seed = hashText(`${meta.digest} ${meta.rows}`);
  const slots = slotsFor(named.length);
  const tableAt = HEADER_BYTES + metaBytes.length;
  const placed = place(groups, tableAt + slots * SLOT_BYTES, seed);
  const last = placed[placed.length - 1];
  const out = new Uint8Array(last === undefined ? tableAt : last.offset + last.length);
  const view = new DataView(out.buffer);
  const star = placed.find(({ program }) => program === '');
  for (let i = 0; i < INDEX_MAGIC.length; i++) out[i] = INDEX_MAGIC.charCodeAt(i);
  const noRows = groups[0]?.rules.length === 0;
  const numbers = [INDEX_FORMAT, slots, tableAt, HEADER_BYTES, metaBytes.length, hashBytes(metaBytes, 0, metaBytes.length, seed), out.length, seed,
    noRows ? 0 : star?.length ?? 0, noRows ? 0 : star?.offset ?? 0];
  numbers.forEach((number, i) => view.setUint32(8 + 4 * i, number, true));
  out.set(metaBytes, HEADER_BYTES);
  for (let slot = 0; slot < slots; slot++) view.setUint32(tableAt + slot * SLOT_BYTES + 12, slotCheck(slot, 0, 0, 0, seed), true);
  for (const { program, offset, length, bytes } of placed) {
    out.set(bytes, offset);
    if (program !== '') fill(view, { tableAt, slots, seed }, hashText(program) || 1, offset, length);
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
