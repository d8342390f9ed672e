// Contract: how the runtime refuses: a tool result marked as an error, the envelope as text. PURE.
// Never as structured content: a client puts that in the place of the text, or checks it against the tool's output schema.
import type { JsonObject } from '../model/json.ts';
import type { ContractCode, ContractDecision } from './decide.ts';

export interface Envelope {
  readonly error: {
    readonly code: ContractCode | 'upstream_unavailable' | 'upstream_timeout' | 'conflict' | 'auth_required' | 'permission_denied' | 'not_found' | 'rate_limited' | 'unknown_upstream_error';
    readonly message: string;
    readonly retryable: boolean;
    readonly safe_to_retry: boolean;
    readonly operation: string;
    readonly required?: readonly string[];
    readonly tier?: string;
    readonly details?: JsonObject;
  };
}

/** What the model can put right by itself is retryable; nothing was done, so that a retry is always safe. */
export function refusal(tool: string, decision: Exclude<ContractDecision, { readonly decision: 'none' }>): Envelope {
  const details = decision.decision === 'deny' ? { reason: decision.detail, ...(decision.state === undefined ? {} : { state: decision.state }) } : { reason: 'no_person_answered' };
  return {
    error: {
      code: decision.code, message: decision.reason, retryable: decision.code !== 'policy_denied' && decision.code !== 'unsupported_operation', safe_to_retry: true,
      operation: decision.operation ?? tool,
      ...(decision.required === undefined ? {} : { required: decision.required }), ...(decision.tier === undefined ? {} : { tier: decision.tier }), details,
    },
  };
}

/** The result of `tools/call`. */
export function refusedResult(envelope: Envelope): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(envelope) }], isError: true };
}
