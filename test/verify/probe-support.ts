// Contract: what the probe tests share: asking as `verify --probe` does, and the command line on a test machine.
import { runCli } from '../../src/cli/program.ts';
import { askClients } from '../../src/verify/probe.ts';
import type { ProbeAnswer } from '../../src/verify/probe-conclude.ts';
import { groundFor } from '../../src/verify/verify.ts';
import type { Machine } from './support.ts';

export function askAll(m: Machine, words: readonly string[]): Promise<ReadonlyMap<string, ProbeAnswer>> {
  return askClients(groundFor(m.host, 'user', undefined), words, 10_000);
}

export async function cli(m: Machine, argv: readonly string[]): Promise<Record<string, unknown>> {
  let out = '';
  await runCli(argv, {
    host: m.host, out: (text) => { out += text; }, err: () => undefined, outIsTty: false, errIsTty: false, inIsTty: false,
    ask: () => Promise.resolve(undefined), program: { node: process.execPath, script: 'praetorctl' },
  });
  return JSON.parse(out) as Record<string, unknown>;
}
