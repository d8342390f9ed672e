// Contract: judges one command line or path as the hook would. Test-only.
import { guardedFiles } from '../../src/clients/dialects.ts';
import type { Payload, ToolCall } from '../../src/model/payload.ts';
import { evaluate } from '../../src/policy/evaluate.ts';
import type { Evaluation, PolicyFacts } from '../../src/policy/types.ts';

export const FACTS: PolicyFacts = {
  platform: 'linux', home: '/home/dev', workspace: '/home/dev/work/repo',
  ownPaths: ['/home/dev/.config/praetorctl', '/home/dev/.local/state/praetorctl'], guarded: guardedFiles(),
};

export function payloadOf(tool: ToolCall): Payload {
  return { client: 'x', event: 'pre-tool', stopActive: false, subagent: false, caller: 'x', tool };
}

export function shell(command: string, facts: Partial<PolicyFacts> = {}, cwd?: string): Evaluation {
  return evaluate(payloadOf({ name: 'Bash', kind: 'shell', command, input: {}, ...(cwd === undefined ? {} : { cwd }) }), { ...FACTS, ...facts });
}

export function write(path: string, facts: Partial<PolicyFacts> = {}): Evaluation {
  return evaluate(payloadOf({ name: 'Write', kind: 'file-write', paths: [path], input: {} }), { ...FACTS, ...facts });
}

/** `deny git.push.force`, or `neutral`. */
export function said({ verdict }: Evaluation): string {
  return verdict.rule === undefined ? verdict.decision : `${verdict.decision} ${verdict.rule}`;
}
