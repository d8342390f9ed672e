// Contract: payload -> verdict. Only events on which a tool can still be stopped are judged; all others are neutral. PURE.
// The evaluator is passed in: the hook loads it from a second file, and only where a verdict can depend on it.
import type { Payload, ToolCall } from '../model/payload.ts';
import { NEUTRAL, type Verdict } from '../model/verdict.ts';
import type { OperatorRules } from '../policy/operator.ts';
import { surelyNeutral } from '../policy/quick.ts';
import type { Evaluation, PolicyFacts } from '../policy/types.ts';

export type Evaluate = (payload: Payload, facts: PolicyFacts) => Evaluation;

/** `facts` and `load` are asked only where something is judged: most events need neither. */
export function judge(payload: Payload, facts: () => PolicyFacts, load: () => Evaluate): Verdict {
  const { event, tool } = payload;
  if (tool === undefined || (event !== 'pre-tool' && event !== 'permission')) return NEUTRAL;
  if (tool.kind === 'other') return NEUTRAL;
  const given = facts();
  return surelyNeutral(tool, given) && !concernsOperator(tool, given.operator) ? NEUTRAL : load()(payload, given).verdict;
}

/** For calls that the quick answer would let pass: a command of plain words, or plain paths. */
function concernsOperator(tool: ToolCall, operator: OperatorRules | undefined): boolean {
  if (operator === undefined) return false;
  const command = tool.kind === 'shell' ? tool.command ?? '' : '';
  const end = command.indexOf(' ');
  const word = end === -1 ? command : command.slice(0, end);
  const program = word.slice(word.lastIndexOf('/') + 1);
  return operator.rulesFor(program).length > 0 || operator.rulesFor(program.toLowerCase()).length > 0;
}
