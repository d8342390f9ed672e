// Contract: where a client also executes the hooks of another one, and both are registered, apply says that calls are judged twice.
import { expect, test } from 'vitest';
import { doubledIn } from '../../src/clientsetup/doubled.ts';
import { CLIENTS } from '../../src/clients/registry.ts';
import type { Scope } from '../../src/model/client.ts';
import { cli, world, type World } from '../support/cli.ts';

const TWICE = /Copilot CLI also runs the hooks of Claude Code \(measured/;
const applied = async (where: World, clients: string, scope: Scope): Promise<string> => {
  const ran = await cli(where, ['clients', 'apply', '--yes', '--client', clients, '--scope', scope]);
  expect(ran.code).toBe(0);
  return ran.err;
};

test('in a project, at once or one after the other; not for the user, and not for one client alone', async () => {
  const where = world();
  expect(await applied(where, 'claude,copilot-cli', 'user')).not.toMatch(TWICE);
  expect(await applied(where, 'copilot-cli', 'project')).not.toMatch(TWICE);
  const later = await applied(where, 'claude', 'project');
  expect(later).toMatch(TWICE);
  expect(later).toContain('praetorctl clients apply --client copilot-cli');
  const both = world();
  expect(await applied(both, 'claude,copilot-cli', 'project')).toMatch(TWICE);
  expect((await cli(both, ['clients', 'remove', '--yes', '--scope', 'project'])).err).not.toMatch(TWICE);
});

test('every client that a row names is there, and pairs come only where both are registered', () => {
  for (const scope of ['user', 'project'] as const) {
    const all = doubledIn(CLIENTS, scope, () => true);
    expect(all.length).toBe(CLIENTS.flatMap(({ runsHooksOf = [] }) => runsHooksOf.filter((one) => one.scope === scope)).length);
    for (const { client, through } of all) {
      expect(doubledIn(CLIENTS, scope, (id) => id === client.id)).toEqual([]);
      expect(doubledIn(CLIENTS, scope, (id) => id === through.id)).toEqual([]);
    }
  }
});
