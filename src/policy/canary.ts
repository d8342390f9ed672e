// Contract: the canary of `clients prove`: the one command that nothing but this rule refuses. A program of that name exists
// only in the temporary workspace of a proof and only leaves a mark there, so the rule touches nobody's work: it matches the
// exact form with a fresh nonce and nothing else; the same for a call of an MCP tool whose arguments hold it. PURE.
import type { Rule } from './types.ts';

export const CANARY_PROGRAM = 'praetorctl-canary';
export const CANARY_RULE = 'self.canary';
export const CANARY_NONCE_BYTES = 16;

/** What the arguments of an MCP call hold in a proof. */
export const MCP_CANARY_RULE = 'self.canary.mcp';
export const mcpCanary = (nonce: string): string => `${CANARY_PROGRAM}:${nonce}`;

const NONCE = /^[0-9a-f]{32}$/;

export function isMcpCanary(text: string): boolean {
  return text.startsWith(`${CANARY_PROGRAM}:`) && NONCE.test(text.slice(CANARY_PROGRAM.length + 1));
}

export const CANARY_RULES: readonly Rule[] = [{
  id: CANARY_RULE, pack: 'self-protection', level: 'deny', title: 'The canary of `praetorctl clients prove`, with its nonce',
  reason: 'This is the canary of a proof: it is refused on purpose, to show that the guard is heard. Nothing needs to be done.',
  programs: [CANARY_PROGRAM],
  check: ({ args }) => (args.length === 1 && NONCE.test(args[0]?.text ?? '') ? {} : undefined),
}];
