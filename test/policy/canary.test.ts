// The canary of `clients prove`: refused in its exact form, also where the hook asks the quick question first, inert otherwise.
import { describe, expect, test } from 'vitest';
import { CANARY_PROGRAM, CANARY_RULE } from '../../src/policy/canary.ts';
import { evaluate } from '../../src/policy/evaluate.ts';
import { surelyNeutral } from '../../src/policy/quick.ts';
import type { PolicyFacts } from '../../src/policy/types.ts';

const NONCE = '0123456789abcdef0123456789abcdef';
const facts: PolicyFacts = { platform: 'linux', home: '/home/u', workspace: '/tmp/w', ownPaths: ['/home/u/.local/state/praetorctl'], guarded: [] };
const judged = (command: string): string | undefined => {
  const tool = { name: 'Bash', kind: 'shell' as const, command, input: { command } };
  const { verdict } = evaluate({ client: 'claude', event: 'pre-tool', tool, stopActive: false, subagent: false, caller: 'claude' }, facts);
  if (verdict.decision !== 'neutral') expect(surelyNeutral(tool, facts)).toBe(false);
  return verdict.decision === 'deny' ? verdict.rule : undefined;
};

describe('the canary rule', () => {
  test.each([`${CANARY_PROGRAM} ${NONCE}`, `/tmp/praetorctl-prove-1/bin/${CANARY_PROGRAM} ${NONCE}`, `'/tmp/a b/${CANARY_PROGRAM}' ${NONCE}`])('refuses %s', (command) => {
    expect(judged(command)).toBe(CANARY_RULE);
  });
  test.each([
    CANARY_PROGRAM, `${CANARY_PROGRAM} ${NONCE} x`, `${CANARY_PROGRAM} ${NONCE.slice(1)}`, `${CANARY_PROGRAM} ${NONCE.toUpperCase()}`, `${CANARY_PROGRAM} --help`, `echo ${CANARY_PROGRAM} ${NONCE}`,
    `grep -r '${CANARY_PROGRAM} ${NONCE}' .`, `praetorctl ${NONCE}`,
  ])('is inert for %s', (command) => {
    expect(judged(command)).toBeUndefined();
  });
});
