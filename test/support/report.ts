// Contract: a machine whose report has everything that a report can show, and names that want to be markup.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProof } from '../../src/receipts/proof.ts';
import { formatReceipt, type ReceiptVerdict } from '../../src/receipts/format.ts';
import { clientById } from '../../src/clients/registry.ts';
import { ENGINE_VERSION, POLICY_DIGEST } from '../../src/policy/build-info.ts';
import { bindingOf } from '../../src/verify/proofs.ts';
import { evidenceFor, groundFor } from '../../src/verify/verify.ts';
import { apply, hostAt, leave, machine, put, receipt, type Machine } from '../verify/support.ts';

/** Would run a script, load a picture or leave its attribute, if it were not escaped. */
export const HOSTILE = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>&amp;'`;

export const DAY_MS = 86_400_000;

function history(m: Machine, now: number): void {
  const lines: string[] = [];
  const add = (daysAgo: number, verdict: ReceiptVerdict, count: number): void => {
    for (let i = 0; i < count; i += 1) lines.push(formatReceipt(receipt('claude', { time: new Date(now - daysAgo * DAY_MS - i * 1000).toISOString(), verdict, session: 'aa' })));
  };
  for (let day = 29; day >= 0; day -= 1) {
    add(day, 'neutral', 20 + ((day * 37) % 60));
    add(day, 'deny', day % 7 === 0 ? 3 : 0);
    add(day, 'ask', day % 5 === 0 ? 1 : 0);
  }
  add(3, 'error', 1);
  lines.sort();
  mkdirSync(join(m.state, 'receipts'), { recursive: true });
  writeFileSync(join(m.state, 'receipts', 'receipts.jsonl'), lines.join(''));
}

/** `now` must be some minutes ahead: the receipts that count come after the registration. */
export async function hostileMachine(now: number): Promise<Machine> {
  const m = machine();
  put(join(m.root, 'config', 'settings.yaml'), `mcpServers:\n  lab:\n    command: lab-mcp\n`);
  await apply(m, ['claude', 'codex', 'gemini', 'qwen', 'opencode', 'droid']);
  history(m, now);
  const own = { engine: ENGINE_VERSION, policy: POLICY_DIGEST };
  leave(m, receipt('claude', { time: new Date(now - 90_000).toISOString(), verdict: 'deny', ...own }), receipt('droid', { time: new Date(now - 80_000).toISOString() }));
  // Spoils the registration of one client, and another one's file altogether.
  put(join(m.home, '.qwen', 'settings.json'), '{ "mcpServers": { "<b>bold</b>": {}, } ');
  put(join(m.home, '.gemini', 'settings.json'), '{}');
  // Looked at when it is `now`: what once lay in the future is remembered so.
  const host = hostAt(m, now);
  const binding = bindingOf(host, evidenceFor(groundFor(host, 'user', undefined), clientById('claude')), ENGINE_VERSION, POLICY_DIGEST);
  if (binding === undefined) throw new Error('nothing to prove');
  const proof = { v: 1, kind: 'proof', client: 'claude', program: '/x', binary: '1:2:3', engine: HOSTILE.slice(0, 60), policy: 'p', registration: 'r' } as const;
  put(join(m.state, 'receipts', 'proofs.jsonl'), [
    formatProof({ ...proof, client: 'droid', time: new Date(now - 3 * DAY_MS).toISOString(), result: 'proven', cause: '', clientVersion: '2.1.332' }),
    formatProof({ ...proof, time: new Date(now - DAY_MS).toISOString(), client: 'gemini', result: 'not-proven', cause: HOSTILE, clientVersion: HOSTILE }),
    formatProof({ ...proof, ...binding, time: new Date(now - 120_000).toISOString(), result: 'proven', cause: '' }),
  ].join(''));
  return m;
}
