// Contract: payload -> verdict. Only events on which a tool can still be stopped are judged; all others are neutral. PURE.
import type { Payload } from '../model/payload.ts';
import { NEUTRAL } from '../model/verdict.ts';
import { evaluate } from '../policy/evaluate.ts';
import type { Evaluation, PolicyFacts } from '../policy/types.ts';

/** `facts` is asked only where something is judged: most events need none. */
export function judge(payload: Payload, facts: () => PolicyFacts): Evaluation {
  const judged = payload.event === 'pre-tool' || payload.event === 'permission';
  const kind = payload.tool?.kind;
  return judged && (kind === 'shell' || kind === 'file-write') ? evaluate(payload, facts()) : { verdict: NEUTRAL, trail: [] };
}
