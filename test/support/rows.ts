// Contract: the clients that have hooks, for the tests that are about hooks, and those that the shared home has in use.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasHooks } from '../../src/clients/mcp-only.ts';
import { CLIENTS } from '../../src/clients/registry.ts';
import { dirNames, repo } from './cli.ts';

export const HOOKED = CLIENTS.filter(hasHooks);

const home = join(repo, 'test/fixtures/homes/four-clients');

/** Found by their configuration in the home `four-clients`. */
export const SHARED = HOOKED.filter((client) => {
  const roots = client.roots({ platform: 'linux', env: {}, home, project: '/work', dirExists: existsSync, dirNames });
  return client.configMarks(roots).some(existsSync);
});
