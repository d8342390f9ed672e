// Contract: which of the operator's evaluators concern an event, and how their results become one verdict. PURE.
// Running them is in evaluators.ts, which is loaded only where this list is not empty.
import type { Payload } from '../model/payload.ts';
import type { Verdict } from '../model/verdict.ts';
import type { EvaluatorSpec } from '../policy/operator-index.ts';

/** What an evaluator said, or why it said nothing. */
export type EvaluatorResult =
  | { readonly id: string; readonly result: 'ok' }
  | { readonly id: string; readonly result: 'deny' | 'ask'; readonly reason: string }
  /** The workspace has no such script: the evaluator does not apply. */
  | { readonly id: string; readonly result: 'absent' }
  | { readonly id: string; readonly result: 'failed'; readonly why: string };

export interface EvaluatorsRun {
  readonly verdict: Verdict;
  /** For the receipt: `checkpoint=ok,lint=failed:timeout`. */
  readonly receipt: string;
  /** For stderr: what was skipped and why; empty where nothing was. */
  readonly complaint: string;
}

export function applicable(evaluators: readonly EvaluatorSpec[], payload: Payload): readonly EvaluatorSpec[] {
  const { event, tool } = payload;
  return evaluators.filter((evaluator) => evaluator.events.includes(event)
    && (event === 'stop' || evaluator.tools.length === 0 || (tool !== undefined && evaluator.tools.includes(tool.kind))));
}

/** deny before ask; a failure denies where a tool can still be stopped and where the session ends, and is only said elsewhere. */
export function combine(results: readonly EvaluatorResult[], payload: Payload, before: Verdict): EvaluatorsRun {
  let verdict = before;
  const stronger = (word: 'deny' | 'ask'): boolean => verdict.decision === 'neutral' || verdict.decision === 'allow' || (word === 'deny' && verdict.decision === 'ask');
  const failures: string[] = [];
  for (const result of results) {
    const rule = `evaluator.${result.id}`;
    if (result.result === 'deny' || result.result === 'ask') {
      if (stronger(result.result)) verdict = { decision: result.result, rule, reason: result.reason };
    } else if (result.result === 'failed') {
      failures.push(`${result.id}: ${result.why}`);
      if (payload.event !== 'post-tool' && stronger('deny')) {
        verdict = { decision: 'deny', rule, reason: `The check "${result.id}" of this workstation could not be done (${result.why}). Tell the person; a person must repair it or take it out of the praetorctl settings.` };
      }
    }
  }
  const receipt = results.map((result) => `${result.id}=${result.result}${result.result === 'failed' ? `:${result.why}` : ''}`).join(',').slice(0, 256);
  return { verdict, receipt, complaint: failures.length === 0 ? '' : `praetorctl: ${payload.event === 'post-tool' ? 'skipped' : 'failed'}: evaluator ${failures.join('; ')}\n` };
}
