// Contract: one document's text -> the answer and what the receipt says about it. Everything of a hook run that is not IO. PURE.
import type { HookDialect } from '../clients/dialect-kit.ts';
import { callerOf } from '../clients/dialects.ts';
import type { Answer, EnvMap } from '../model/dialect.ts';
import type { CanonicalEvent } from '../model/events.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import type { Payload } from '../model/payload.ts';
import type { ReceiptVerdict } from '../receipts/format.ts';
import { policyFacts, type HookPlace } from './facts.ts';
import { judge } from './judge.ts';

export interface Response {
  readonly answer: Answer;
  readonly verdict: ReceiptVerdict;
  readonly rule?: string;
  readonly payload?: Payload;
}

export function respond(dialect: HookDialect, event: CanonicalEvent, text: string, env: EnvMap, place: HookPlace): Response {
  const document = parseDocument(text);
  if (typeof document === 'string') return errorResponse(dialect, event, document);
  const decoded = dialect.decode(event, document, env);
  if ('fault' in decoded) return errorResponse(dialect, event, decoded.fault);
  const payload = decoded.caller === 'unknown' ? { ...decoded, caller: callerOf(dialect, document, env) } : decoded;
  const { verdict } = judge(payload, policyFacts(place, payload));
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

/** The document, or why it is none. Texts of JSON.parse are not repeated: they quote the input. */
function parseDocument(text: string): JsonObject | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'the hook input is not valid JSON';
  }
  return isObject(value) ? value : 'the hook input is not a JSON object';
}
