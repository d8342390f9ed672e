// References to variables of the client's environment, in the spelling that each client replaces.
import { expect, it } from 'vitest';
import { CLIENTS } from '../../src/clients/registry.ts';

it.each(['opencode', 'kilo'])('%s gets {env:NAME}, in variables and headers', (id) => {
  const { mcp } = CLIENTS.find((client) => client.id === id)!;
  expect(mcp.entry({ kind: 'stdio', command: 'x', args: [], env: { TOKEN: '${LAB_TOKEN}', PLAIN: 'a' } })).toMatchObject({ ok: true, entry: { environment: { TOKEN: '{env:LAB_TOKEN}', PLAIN: 'a' } } });
  expect(mcp.entry({ kind: 'http', url: 'https://mcp.example.test', headers: { Authorization: 'Bearer ${LAB_TOKEN}' } })).toMatchObject({ ok: true, entry: { headers: { Authorization: 'Bearer {env:LAB_TOKEN}' } } });
});
