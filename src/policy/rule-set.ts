// Contract: the rules, when the first command needs them. PURE. In the hook's policy bundle src/hook/load-rules.ts stands in its
// place and loads them from a bundle of their own: most lines need none.
import { RULES, TOOL_RULES } from './rules-all.ts';
import type { Rule, ToolRule } from './types.ts';

export interface RuleSet { readonly RULES: readonly Rule[]; readonly TOOL_RULES: readonly ToolRule[] }

export function ruleSet(): RuleSet {
  return { RULES, TOOL_RULES };
}
