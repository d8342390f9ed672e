// Contract: where documents disagree about a place, what is there decides and is named; the operator's word is above that.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeDesktop } from '../../src/clients/claude-desktop/setup.ts';
import { clientById } from '../../src/clients/registry.ts';
import { chosenPlace } from '../../src/clients/mcp-only.ts';
import type { RootContext } from '../../src/model/client.ts';
import { cli, get, put, settings, tree, world } from '../support/cli.ts';

const SERVERS = 'mcpServers: { lab: { command: lab-mcp } }\n';
const context: RootContext = { platform: 'darwin', env: {}, home: '/Users/dev', project: '/work', dirExists: () => false, dirNames: () => [] };

describe('a place in doubt', () => {
  const [a, b] = ['/x/one/mcp.json', '/x/two/mcp.json'];
  const client = { id: 'trae', name: 'Trae' };
  it.each<[string, Partial<RootContext>, string]>([
    ['the first, where nothing exists', {}, a], ['a directory that exists', { dirExists: (path) => path === '/x/two' }, b], ['a file that exists, before any directory', { dirExists: () => true, dirNames: (path) => (path === '/x/two' ? ['mcp.json'] : []) }, b],
  ])('is %s', (_name, seen, path) => {
    const chosen = chosenPlace({ ...context, ...seen }, client, [a, b]);
    expect(chosen.path).toBe(path);
    expect(chosen.diagnostics[0]?.message).toContain(path);
    expect(chosen.diagnostics[0]?.fix).toContain('clients.places.trae');
  });

  it('of Zed is in doubt on macOS alone', () => {
    const zed = clientById('zed');
    const library = '/Users/dev/Library/Application Support/Zed';
    expect(zed.roots(context)).toMatchObject({ paths: { mcp: '/Users/dev/.config/zed/settings.json' }, diagnostics: [{ code: 'unverified-root' }] });
    expect(zed.roots({ ...context, dirExists: (path) => path === library }).paths['mcp']).toBe(`${library}/settings.json`);
    expect(zed.roots({ ...context, platform: 'linux', home: '/home/dev' }).diagnostics).toEqual([]);
  });

  it('of Claude Desktop on Windows is the package, where it is installed', () => {
    const windows: RootContext = { ...context, platform: 'win32', home: 'C:\\Users\\dev', env: { APPDATA: 'C:\\Users\\dev\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\dev\\AppData\\Local' } };
    const packaged = 'C:\\Users\\dev\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc';
    expect(claudeDesktop.roots(windows).paths['mcp']).toBe('C:\\Users\\dev\\AppData\\Roaming\\Claude\\claude_desktop_config.json');
    expect(claudeDesktop.roots({ ...windows, dirExists: (path) => path === packaged }).paths['mcp']).toBe(`${packaged}\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json`);
  });
});

describe('clients.places', () => {
  it('moves the file of a client, silences the doubt, and remove finds it without the settings', async () => {
    const where = world();
    const elsewhere = put(where, 'apps/trae/mcp.json', '{}\n');
    const before = tree(where.home);
    settings(where, `${SERVERS}clients: { places: { trae: '${elsewhere}' } }\n`);
    const applied = await cli(where, ['clients', 'apply', '--yes', '--client', 'trae']);
    expect([applied.code, applied.err.includes('unverified-root')]).toEqual([0, false]);
    expect(get(where, 'apps/trae/mcp.json')).toContain('lab-mcp');
    expect(existsSync(join(where.home, '.config/Trae'))).toBe(false);
    expect((await cli(where, ['clients', 'verify', '--require', 'installed', '--client', 'trae'])).code).toBe(0);
    settings(where, 'broken: [');
    expect((await cli(where, ['clients', 'remove', '--yes', '--client', 'trae'])).code).toBe(0);
    expect(tree(where.home)).toEqual(before);
  });

  it.each([
    ["{ trae: 'relative/mcp.json' }", 'is not an absolute path'], ["{ traee: /x }", 'unknown client'], ["{ gemini: /x/settings.json }", 'cannot move it'],
  ])('%s is an error', async (places, said) => {
    const where = world();
    settings(where, `${SERVERS}clients: { places: ${places} }\n`);
    const plan = await cli(where, ['clients', 'plan', '--client', 'trae,gemini']);
    expect([plan.code, plan.err]).toEqual([64, expect.stringContaining(said)]);
  });

  it('says which place was taken', async () => {
    const where = world();
    settings(where, SERVERS);
    put(where, '.config/Trae/mcp.json', '{}\n');
    const plan = await cli(where, ['clients', 'plan', '--client', 'trae']);
    expect(plan.err).toMatch(/of 2 places ~?\S*\.config\/Trae\/mcp\.json is taken, because it exists/);
    expect(plan.out).toContain('.config/Trae/mcp.json');
  });
});
