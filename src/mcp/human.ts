// Contract: a person's answer, in both eras of the protocol: a question of ours and its answer, a state that comes back. PURE.
// What comes back is in the hands of whoever sends it: a state is bound to the tool, the arguments and a time, and counts once.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { objectAt } from './messages.ts';
import { QUESTION_KEY, QUESTION_MS_MAX, STATES_MAX, type SessionConfig } from './session-types.ts';

const PREFIX = 'praetor1.';

export interface Approvals {
  /** `elicitation/create` params. */
  readonly question: (tool: string, reason: string) => JsonObject;
  readonly isYes: (answer: JsonValue | undefined) => boolean;
  /** The result that asks in the stateless protocol. */
  readonly inputRequired: (tool: string, reason: string, callDigest: string) => JsonObject;
  readonly isOwnState: (state: JsonValue | undefined) => state is string;
  /** True once for a state that was made for this call and has not run out. */
  readonly takeState: (state: string, callDigest: string) => boolean;
}

export function approvals({ hmac, nonce, now }: Pick<SessionConfig, 'hmac' | 'nonce' | 'now'>): Approvals {
  const used = new Map<string, number>();
  const question = (tool: string, reason: string): JsonObject => ({
    mode: 'form',
    message: `${tool}: ${reason} Allow this one call?`,
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean', title: 'Allow', description: 'true: do it, once.' } }, required: ['confirm'] },
  });
  return {
    question,
    isYes: (answer) => isObject(answer) && answer['action'] === 'accept' && objectAt(answer, 'content')?.['confirm'] === true,
    inputRequired: (tool, reason, callDigest) => {
      const body = `${nonce()}.${now() + QUESTION_MS_MAX}.${callDigest}`;
      return {
        resultType: 'input_required', inputRequests: { [QUESTION_KEY]: { method: 'elicitation/create', params: question(tool, reason) } }, requestState: `${PREFIX}${body}.${hmac(body)}`,
      };
    },
    isOwnState: (state): state is string => typeof state === 'string' && state.startsWith(PREFIX),
    takeState: (state, callDigest) => {
      const cut = state.lastIndexOf('.');
      const body = state.slice(PREFIX.length, cut);
      const [, until, digest] = body.split('.');
      if (!sameText(hmac(body), state.slice(cut + 1)) || digest !== callDigest || Number(until) < now() || used.has(body)) return false;
      if (used.size >= STATES_MAX) for (const [old, end] of used) if (end < now()) used.delete(old);
      // One that might have been used must not count again, so a full list takes no more.
      if (used.size >= STATES_MAX) return false;
      used.set(body, Number(until));
      return true;
    },
  };
}

/** In a time that does not depend on where they differ. */
function sameText(a: string, b: string): boolean {
  let different = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) different |= a.charCodeAt(i) ^ (b.charCodeAt(i) || 0);
  return different === 0;
}
