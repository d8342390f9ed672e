// Where the servers of Visual Studio Code stand, for each platform and each profile.
import { describe, expect, it } from 'vitest';
import { codeMcpFiles, codeMcpPaths } from '../../src/clients/vscode-files.ts';
import type { RootContext } from '../../src/model/client.ts';

const PROFILES = '/home/dev/.config/Code/User/profiles';
const linux: RootContext = {
  platform: 'linux', env: {}, home: '/home/dev', project: '/work', dirExists: () => true,
  dirNames: (path) => (path === PROFILES ? ['-2a6f1b3c', '.DS_Store', '7f00c0de', 'agents', 'builtin', 'ZZ'] : []),
};

describe('the servers of Visual Studio Code', () => {
  it('stand in the user\'s directory and in each profile that exists', () => {
    expect(codeMcpFiles(codeMcpPaths(linux)).map((file) => file.path)).toEqual(['/home/dev/.config/Code/User/mcp.json', `${PROFILES}/-2a6f1b3c/mcp.json`, `${PROFILES}/7f00c0de/mcp.json`]);
  });

  it.each([
    [{ ...linux, env: { XDG_CONFIG_HOME: '/cfg' } }, '/cfg/Code/User/mcp.json'],
    [{ ...linux, env: { XDG_CONFIG_HOME: 'relative' } }, '/home/dev/.config/Code/User/mcp.json'],
    [{ ...linux, platform: 'darwin', home: '/Users/dev' }, '/Users/dev/Library/Application Support/Code/User/mcp.json'],
    [{ ...linux, platform: 'win32', home: 'C:\\Users\\dev', env: { APPDATA: 'D:\\Roaming' } }, 'D:\\Roaming\\Code\\User\\mcp.json'],
    [{ ...linux, platform: 'win32', home: 'C:\\Users\\dev' }, 'C:\\Users\\dev\\AppData\\Roaming\\Code\\User\\mcp.json'],
  ] as const)('%#: by platform and environment', (context, path) => {
    expect(codeMcpPaths(context)['mcp']).toBe(path);
  });

  it('looks at a bounded number of profiles', () => {
    const many = { ...linux, dirNames: () => Array.from({ length: 500 }, (_, i) => i.toString(16)) };
    expect(codeMcpFiles(codeMcpPaths(many))).toHaveLength(65);
  });
});
