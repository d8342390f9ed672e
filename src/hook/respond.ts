// Contract: one parsed document -> the answer and what the receipt says about it. Everything of a hook run that is not IO. PURE.
import type { HookDialect } from '../clients/dialect-kit.ts';
import { callerOf } from '../clients/dialects.ts';
import type { Answer, EnvMap } from '../model/dialect.ts';
import type { CanonicalEvent } from '../model/events.ts';
import { isObject } from '../model/json.ts';
import type { Payload } from '../model/payload.ts';
import type { ReceiptVerdict } from '../receipts/format.ts';
import { policyFacts, type HookPlace } from './facts.ts';
import { judge, type Evaluate } from './judge.ts';

export interface Response {
  readonly answer: Answer;
  readonly verdict: ReceiptVerdict;
  readonly rule?: string;
  readonly payload?: Payload;
}

export function respond(dialect: HookDialect, event: CanonicalEvent, value: unknown, env: EnvMap, place: HookPlace, load: () => Evaluate): Response {
  if (!isObject(value)) return errorResponse(dialect, event, 'the hook input is not a JSON object');
  const decoded = dialect.decode(event, value, env);
  if ('fault' in decoded) return errorResponse(dialect, event, decoded.fault);
  const payload = decoded.caller === 'unknown' ? { ...decoded, caller: callerOf(dialect, value, env) } : decoded;
  const verdict = judge(payload, () => policyFacts(place, payload), load);
  return {
    answer: dialect.encode(event, verdict, payload),
    verdict: verdict.decision,
    payload,
    ...(verdict.rule === undefined ? {} : { rule: verdict.rule }),
  };
}

export function errorResponse(dialect: HookDialect, event: CanonicalEvent, reason: string): Response {
  return { answer: dialect.encodeError(event, reason), verdict: 'error' };
}
