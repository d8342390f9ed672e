// Contract: a project's hooks file may have another form than the user's.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, tree, world } from '../support/cli.ts';

test('devin: the map of events is the project file itself, and stands below hooks in the file of the user', async () => {
  const where = world({ fixture: 'devin-grown' });
  const before = tree(where.project);
  const only = ['--client', 'devin', '--scope', 'project'];
  expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
  const path = join(where.project, '.devin', 'hooks.v1.json');
  const entry = { hooks: [{ type: 'command', command: 'praetorctl hook devin pre-tool', timeout: 30 }] };
  expect((JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>)['PreToolUse']).toEqual([entry]);
  expect((await cli(where, ['clients', 'plan', ...only])).code).toBe(0);
  expect((await cli(where, ['clients', 'remove', '--yes', ...only])).code).toBe(0);
  expect(existsSync(path)).toBe(false);
  expect(tree(where.project)).toEqual(before);
  expect((await cli(where, ['clients', 'apply', '--yes', '--client', 'devin'])).code).toBe(0);
  const user = JSON.parse(readFileSync(join(where.home, '.config', 'devin', 'config.json'), 'utf8')) as { hooks: Record<string, unknown[]> };
  expect(user.hooks['PreToolUse']).toContainEqual(entry);
});
