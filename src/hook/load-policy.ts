// Contract: loads the evaluator from the policy bundle. IO. Throws where it is missing or damaged: the hook then answers with
// the encoded error. `load` is given by dist/hook.cjs (scripts/hook-stub.cjs), which starts both bundles.
import type { Evaluate } from './judge.ts';

declare const load: (bundle: 'policy') => { readonly evaluate: Evaluate };

export function loadPolicy(): Evaluate {
  const { evaluate } = load('policy');
  return (payload, facts) => evaluate(payload, { ...facts, brief: true });
}
