// Droid takes an event from hooks.json alone once that file names it: the plan must say whose hooks stop running.
import { expect, test } from 'vitest';
import { cli, put, world } from '../support/cli.ts';

const HOOKS = (native: string): string => JSON.stringify({ hooks: { [native]: [{ hooks: [{ type: 'command', command: '~/bin/own.sh' }] }] } });

test('hooks of the person in settings.json for an event that is registered are named', async () => {
  const where = world();
  put(where, '.factory/settings.json', HOOKS('PreToolUse'));
  const plan = await cli(where, ['clients', 'plan', '--client', 'droid']);
  expect(plan.code).toBe(3);
  expect(plan.err).toContain('the hooks in settings.json for PreToolUse do not run while hooks.json names the same events');
});

test('hooks of other events keep running, so nothing is said', async () => {
  const where = world();
  put(where, '.factory/settings.json', HOOKS('Notification'));
  expect((await cli(where, ['clients', 'plan', '--client', 'droid'])).err).not.toContain('settings.json');
});
