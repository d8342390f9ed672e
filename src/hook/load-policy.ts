// Contract: loads the evaluator from dist/policy.cjs, beside the hook bundle. IO. Throws where it is missing or damaged: the
// hook then answers with the encoded error.
import type { Evaluate } from './judge.ts';

/** The bundle is CommonJS: `require` is its own, and esbuild leaves this call alone. */
declare const require: (id: './policy.cjs') => { readonly evaluate: Evaluate };

export function loadPolicy(): Evaluate {
  return require('./policy.cjs').evaluate;
}
