// Contract: what changes the installed version, its schedule or what a fleet runs is refused below an AI client, before anything is read.
import { expect, test } from 'vitest';
import { cli, tree, world } from '../support/cli.ts';

const CHANGING = [
  'workstation install --from .', 'workstation rollback', 'workstation pin', 'workstation unpin', 'workstation update', 'workstation update --scheduled', 'workstation update --now',
  'schedule install --yes', 'schedule remove --yes', 'fork promote c --sign k', 'receipts verify --accept 00000000-0000-4000-8000-000000000000',
];

test.each(CHANGING)('%s is refused below a client', async (command) => {
  const where = world({ env: { CLAUDECODE: '1' } });
  const before = tree(where.root);
  const got = await cli(where, command.split(' '));
  expect([got.code, got.err]).toEqual([64, expect.stringContaining('(CLAUDECODE is set), and only a person may decide this') as string]);
  expect(tree(where.root)).toEqual(before);
});

test.each(['workstation update --check', 'workstation status', 'schedule render', 'schedule remove --dry-run'])('%s is not', async (command) => {
  const got = await cli(world({ env: { CLAUDECODE: '1' } }), command.split(' '));
  expect(got.err).not.toContain('only a person');
});
