// Contract: all built-in rules. PURE. In the hook they are a bundle of their own (rule-set.ts).
import { CANARY_RULES } from './canary.ts';
import { RULES as PACK_RULES, TOOL_RULES } from './rules/index.ts';
import type { Rule } from './types.ts';

export const RULES: readonly Rule[] = [...PACK_RULES, ...CANARY_RULES];
export { TOOL_RULES };
