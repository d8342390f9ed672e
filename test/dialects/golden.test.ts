// Contract: every captured document of every client decodes to a known payload and every verdict is said in exactly the
// bytes that were measured. The golden files are read by people: a change in them is a change of behaviour.
import { expect, test } from 'vitest';
import { dialectFor } from '../../src/clients/dialects.ts';
import type { Answer } from '../../src/model/dialect.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { CLIENTS, captured } from './payloads.ts';

const VERDICTS: readonly Verdict[] = [
  { decision: 'neutral' },
  { decision: 'deny', rule: 'test.rule', reason: 'Do it another way.' },
  { decision: 'ask', rule: 'test.rule', reason: 'A person must look.' },
];

function show(answer: Answer): string {
  return `exit ${answer.exit} stdout ${JSON.stringify(answer.stdout)} stderr ${JSON.stringify(answer.stderr)}`;
}

for (const client of CLIENTS) {
  test(`${client}: decoded documents and answers`, async () => {
    const dialect = dialectFor(client);
    if (dialect === undefined) throw new Error(client);
    const out: string[] = [];
    for (const { name, event, document } of captured(client)) {
      const payload = dialect.decode(event, document, {});
      if ('fault' in payload) throw new Error(`${name}: ${payload.fault}`);
      const { tool, ...rest } = payload;
      const shown = tool === undefined ? rest : { ...rest, tool: { ...tool, input: typeof tool.input } };
      out.push(`## ${name} as ${event}`, JSON.stringify(shown));
      for (const verdict of VERDICTS) out.push(`${verdict.decision}: ${show(dialect.encode(event, verdict, payload))}`);
      out.push(`error: ${show(dialect.encodeError(event, 'the hook input is cut off'))}`, '');
    }
    await expect(out.join('\n')).toMatchFileSnapshot(`golden/${client}.txt`);
  });
}
