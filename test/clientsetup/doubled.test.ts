// Contract: where a client also executes the hooks of another one, and both are registered, apply, verify and doctor say that calls
// are judged twice.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { doubledIn } from '../../src/clientsetup/doubled.ts';
import { clientById, CLIENTS } from '../../src/clients/registry.ts';
import type { RootContext, Scope } from '../../src/model/client.ts';
import { cli, world, type World } from '../support/cli.ts';

const TWICE = /Copilot CLI also runs the hooks of Claude Code in .*\.claude\/settings\.json \(measured/;
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
  expect(later).toContain('praetorctl clients remove --client claude --scope project');
  const both = world();
  expect(await applied(both, 'claude,copilot-cli', 'project')).toMatch(TWICE);
  expect((await cli(both, ['clients', 'remove', '--yes', '--scope', 'project'])).err).not.toMatch(TWICE);
});

test('the hooks of the person and another client\'s in the project are together enough, and moved ones are not', async () => {
  const where = world();
  expect(await applied(where, 'copilot-cli', 'user')).not.toMatch(TWICE);
  expect(await applied(where, 'claude', 'project')).toMatch(TWICE);
  const moved = world();
  moved.env['CLAUDE_CONFIG_DIR'] = join(moved.home, 'claude-elsewhere');
  mkdirSync(moved.env['CLAUDE_CONFIG_DIR']);
  expect(await applied(moved, 'claude,vscode', 'user')).not.toMatch(/VS Code also runs the hooks of Claude Code/);
  const plain = world();
  expect(await applied(plain, 'claude,vscode', 'user')).toMatch(/VS Code also runs the hooks of Claude Code in .*\.claude\/settings\.json \(documented/);
});

test('plan, verify and doctor say the same words, and only of hooks of praetorctl', async () => {
  const where = world();
  const settings = join(where.home, '.claude', 'settings.json');
  mkdirSync(join(where.home, '.claude'), { recursive: true });
  writeFileSync(settings, JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'x' }] }] } }));
  expect(await applied(where, 'cursor', 'user')).not.toContain('judged twice');
  expect((await cli(where, ['clients', 'verify', '--json', '--client', 'cursor'])).out).not.toContain('double.other-client');
  const said = await applied(where, 'claude', 'user');
  const verified = JSON.parse((await cli(where, ['clients', 'verify', '--json', '--client', 'cursor'])).out) as { clients: { reasons: { check?: string; text: string; fix: string }[] }[] };
  const doctored = JSON.parse((await cli(where, ['doctor', '--json', '--client', 'cursor'])).out) as { rows: { id: string; status: string; message: string; fix: string }[] };
  const reason = verified.clients[0]?.reasons.find(({ check }) => check === 'double.other-client');
  expect(reason?.text).toMatch(/^Cursor also runs the hooks of Claude Code in /);
  expect(doctored.rows.filter(({ id }) => id === 'double.cursor')).toMatchObject([{ status: 'info', message: reason?.text, fix: reason?.fix }]);
  expect(said).toContain(reason?.text);
  expect(said).toContain(reason?.fix);
});

describe.each(CLIENTS.filter(({ runsHooksOf }) => runsHooksOf !== undefined))('$id', (client) => {
  const context: RootContext = { platform: 'linux', env: {}, home: '/home/dev', project: '/work', dirExists: () => true, dirNames: () => [] };
  const roots = client.roots(context);
  const places = client.runsHooksOf?.(roots) ?? [];

  test('each place is where the other row registers', () => {
    expect(places.length).toBeGreaterThan(0);
    for (const { client: id, scope, path } of places) {
      const source = clientById(id);
      expect(source.files(source.roots(context), scope).filter(({ role }) => role !== 'mcp').map((file) => file.path)).toContain(path);
      expect(id).not.toBe(client.id);
    }
  });

  test('twice only where both stand', () => {
    expect(doubledIn(client, roots, ['own'], () => true)).toEqual(places);
    expect(doubledIn(client, roots, ['own'], (id) => id === client.id)).toEqual([]);
    expect(doubledIn(client, roots, ['own'], (id) => id !== client.id)).toEqual([]);
  });
});

test('a row without such places is never judged twice', () => {
  const claude = clientById('claude');
  expect(doubledIn(claude, { paths: {}, diagnostics: [] }, ['own'], () => true)).toEqual([]);
});
