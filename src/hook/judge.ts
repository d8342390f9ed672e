// Contract: payload -> verdict. Only events on which a tool can still be stopped are judged; all others are neutral. PURE.
import type { Payload } from '../model/payload.ts';
import { NEUTRAL } from '../model/verdict.ts';
import { evaluate } from '../policy/evaluate.ts';
import type { Evaluation, PolicyFacts } from '../policy/types.ts';

export function judge(payload: Payload, facts: PolicyFacts): Evaluation {
  if (payload.event !== 'pre-tool' && payload.event !== 'permission') return { verdict: NEUTRAL, trail: [] };
  return evaluate(payload, facts);
}
