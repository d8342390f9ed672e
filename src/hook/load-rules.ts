// Contract: stands for policy/rule-set.ts in the policy bundle: loads the rules at the first command that needs them. IO.
import type { RuleSet } from '../policy/rule-set.ts';

declare const load: (bundle: 'rules') => RuleSet;

let rules: RuleSet | undefined;

export function ruleSet(): RuleSet {
  return rules ??= load('rules');
}
