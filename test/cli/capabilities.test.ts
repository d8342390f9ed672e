// Contract: the table of clients says in one word what the facts say in many, never better than they do, and the same everywhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askingOf, capabilityRows, outcomeOf, type Asking, type Outcome } from '../../src/cli/capabilities.ts';
import { CLIENTS } from '../../src/clients/registry.ts';
import type { Fact } from '../../src/model/client.ts';
import { cli, repo, world } from '../support/cli.ts';

const fact = (text: string): Fact => ({ text, basis: 'documented' });
const rows = capabilityRows(CLIENTS);

describe('one word', () => {
  it.each([
    ['blocks the call', 'closed'], ['blocks every guarded call, by failClosed', 'closed'], ['rejects the call: the program knows no other exit', 'closed'],
    ['runs the tool', 'open'], ['runs the tool with a warning', 'open'], ['runs the tool, unless it is exit 2', 'open'], ['runs the tool; killed by a signal counts as exit 0', 'open'],
    ['blocks the call from 2.1.295 on, by onFailure "block" as registered; older versions run the tool', 'depends'], ['blocks the call from 1.2.3 on; older reports disagree', 'depends'],
    ['exit 1 runs the tool, any higher code with text on stderr blocks it', 'depends'], ['not known', 'depends'], ['no hook of ours', 'none'],
  ] as [string, Outcome][])('%s: %s', (text, word) => expect(outcomeOf(fact(text))).toBe(word));

  it.each([
    ['native dialog; in -p nobody can answer', 'asks'], ['ignored where permissions are skipped: degraded to deny', 'denied'],
    ['native for commands; for file tools degraded to deny', 'partly'], ['no hook of ours', 'none'],
  ] as [string, Asking][])('%s: %s', (text, word) => expect(askingOf(fact(text))).toBe(word));
});

describe.each(rows.map((row) => [row.id, row] as const))('%s', (id, row) => {
  it('is never called closed where the words say that a tool can run', () => {
    for (const key of ['crash', 'timeout', 'missingBinary'] as const) {
      if (row.brief[key] === 'closed') expect(row.verdicts[key].text).not.toMatch(/\bruns\b/);
      expect(row.brief[key] === 'none').toBe(row.surface === 'none');
    }
  });

  it('stands in README and docs/clients.md, with every gap', () => {
    expect(readFileSync(join(repo, 'README.md'), 'utf8')).toContain(`(docs/clients.md#${id})`);
    const docs = readFileSync(join(repo, 'docs/clients.md'), 'utf8');
    expect(docs).toContain(`<a id="${id}"></a>`);
    for (const gap of row.gaps) expect(docs).toContain(gap.text);
  });
});

it('`clients capabilities --json` is the same data', async () => {
  const said = await cli(world(), ['clients', 'capabilities', '--json']);
  expect((JSON.parse(said.out) as { clients: unknown }).clients).toEqual(JSON.parse(JSON.stringify(rows)));
});
