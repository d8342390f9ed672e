// Tools that the runtime refuses, because their server changed them, are named by verify for the clients that have the server.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderVerify } from '../../src/cli/verify-view.ts';
import { compileCatalogues, writeCatalogue } from '../../src/mcp/store.ts';
import { vectorCatalogue } from '../mcp/support.ts';
import { apply, codes, leave, machine, one, put, receipt, settings, verify, type Machine } from './support.ts';

async function governed(): Promise<Machine> {
  const m = machine();
  const place = { state: m.state, config: path.join(m.root, 'config') };
  writeCatalogue(m.host, place, vectorCatalogue('payments'));
  expect(compileCatalogues(m.host, place, 'test').diagnostics).toEqual([]);
  settings(m, 'mcpServers: { payments: { command: lab-server } }\n');
  await apply(m, ['claude', 'gemini']);
  leave(m, receipt('claude'));
  return m;
}

const changed = (m: Machine, text: string): void => put(path.join(m.state, 'quarantine', 'payments.json'), text);

describe('changed tools', () => {
  it('are named with what a person can do, and change no state', async () => {
    const m = await governed();
    const before = one(m, 'claude');
    expect(codes(before)).not.toContain('tools-changed');
    changed(m, '["payments_void","not_in_the_catalogue\\u001b[2K"]');
    const after = one(m, 'claude');
    expect(after.reasons.find(({ code }) => code === 'tools-changed')).toEqual({
      code: 'tools-changed', text: 'the MCP server payments changed tools after they were approved; they are refused: payments_void', fix: 'praetorctl contract diff payments --live',
    });
    expect(after.states).toEqual(before.states);
    expect(codes(one(m, 'gemini'))).toContain('tools-changed');
    expect(renderVerify(verify(m, { clients: ['claude'] }), { color: false, home: m.home })).toContain('payments_void');
  });

  it('are not those of a server that the client does not have', async () => {
    const m = await governed();
    changed(m, '["payments_void"]');
    settings(m, 'mcpServers: { other: { command: lab-server } }\n');
    await apply(m, ['claude']);
    expect(codes(one(m, 'claude'))).not.toContain('tools-changed');
  });

  it.each(['{', '"payments_void"', '[]'])('a list %s names none', async (text) => {
    const m = await governed();
    changed(m, text);
    expect(codes(one(m, 'claude'))).not.toContain('tools-changed');
    fs.rmSync(path.join(m.root, 'config', 'contracts', 'payments.json'));
    expect(codes(one(m, 'claude'))).not.toContain('tools-changed');
  });
});
