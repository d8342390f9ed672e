// Contract: compiled settings -> the bytes of policy.idx. PURE and deterministic: the same document gives the same bytes.
import { encodeTable, hashText } from '../model/table.ts';
import type { OperatorRule } from '../policy/operator.ts';
import { INDEX_MAGIC, type PolicyMeta } from '../policy/operator-index.ts';

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

export function encodeIndex(meta: PolicyMeta, rules: readonly OperatorRule[]): Uint8Array {
  const groups = byProgram(rules);
  const named = [...groups].filter(([program]) => program !== '').map(([key, rows]) => ({ key, rows }));
  return encodeTable(INDEX_MAGIC, JSON.stringify(meta), hashText(`${meta.digest} ${meta.rows}`), groups.get('') ?? [], named);
}
