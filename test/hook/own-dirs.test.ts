// Contract: our own directories per platform, from an injected environment only.
import { describe, expect, test } from 'vitest';
import { PraetorError } from '../../src/model/diagnostic.ts';
import { dataDir, dataDirOfVersion, homeOf, ownDirs } from '../../src/roots/own-dirs.ts';

describe('ownDirs', () => {
  test.each([
    ['linux', {}, '/h', '/h/.config/praetorctl', '/h/.local/state/praetorctl'],
    ['freebsd', {}, '/h', '/h/.config/praetorctl', '/h/.local/state/praetorctl'],
    ['linux', { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s/' }, '/h', '/c/praetorctl', '/s/praetorctl'],
    ['linux', { XDG_CONFIG_HOME: 'relative', XDG_STATE_HOME: '' }, '/h/', '/h/.config/praetorctl', '/h/.local/state/praetorctl'],
    ['linux', { PRAETORCTL_CONFIG_DIR: '/c//', PRAETORCTL_STATE_DIR: '/s', XDG_STATE_HOME: '/x' }, undefined, '/c', '/s'],
    ['linux', {}, '/', '/.config/praetorctl', '/.local/state/praetorctl'],
    ['darwin', { XDG_CONFIG_HOME: '/x' }, '/Users/d', '/Users/d/Library/Application Support/praetorctl', '/Users/d/Library/Application Support/praetorctl/state'],
    ['win32', { APPDATA: 'C:\\R', LOCALAPPDATA: 'C:\\L\\' }, undefined, 'C:\\R\\praetorctl', 'C:\\L\\praetorctl\\state'],
    ['win32', { APPDATA: 'R' }, 'C:\\Users\\d', 'C:\\Users\\d\\AppData\\Roaming\\praetorctl', 'C:\\Users\\d\\AppData\\Local\\praetorctl\\state'],
    ['win32', { PRAETORCTL_STATE_DIR: '\\\\server\\share', PRAETORCTL_CONFIG_DIR: 'D:/c' }, undefined, 'D:/c', '\\\\server\\share'],
  ])('%s %j', (platform, env, home, config, state) => {
    const separator = platform === 'win32' ? '\\' : '/';
    expect(ownDirs({ platform, env, home })).toEqual({ config, state, receipts: `${state}${separator}receipts`, runs: `${state}${separator}runs`, locks: `${state}${separator}locks` });
  });

  test('a relative override and a missing home are said, not guessed', () => {
    const code = (work: () => unknown): string => {
      try { work(); } catch (error) { return error instanceof PraetorError ? error.diagnostic.code : 'other'; }
      return 'none';
    };
    expect(code(() => ownDirs({ platform: 'linux', env: { PRAETORCTL_STATE_DIR: 'x' }, home: '/h' }))).toBe('root-override-relative');
    expect(code(() => ownDirs({ platform: 'win32', env: { PRAETORCTL_CONFIG_DIR: '/x' }, home: 'C:\\h' }))).toBe('root-override-relative');
    expect(code(() => ownDirs({ platform: 'linux', env: {}, home: undefined }))).toBe('no-home');
  });

  test.each([
    ['linux', {}, '/h', '/h/.local/share/praetorctl'],
    ['linux', { XDG_DATA_HOME: '/d/' }, '/h', '/d/praetorctl'],
    ['linux', { XDG_DATA_HOME: 'd' }, '/h', '/h/.local/share/praetorctl'],
    ['linux', { PRAETORCTL_DATA_DIR: '/d//', XDG_DATA_HOME: '/x' }, undefined, '/d'],
    ['darwin', { XDG_DATA_HOME: '/d' }, '/Users/d', '/Users/d/Library/Application Support/praetorctl'],
    ['win32', { LOCALAPPDATA: 'C:\\L\\' }, undefined, 'C:\\L\\praetorctl'],
    ['win32', { LOCALAPPDATA: 'L' }, 'C:\\Users\\d', 'C:\\Users\\d\\AppData\\Local\\praetorctl'],
    ['win32', { PRAETORCTL_DATA_DIR: '\\\\server\\share' }, undefined, '\\\\server\\share'],
  ])('data: %s %j', (platform, env, home, data) => {
    expect(dataDir({ platform, env, home })).toBe(data);
    expect(() => dataDir({ platform, env: { PRAETORCTL_DATA_DIR: 'x' }, home })).toThrow(/absolute/);
  });

  test.each([
    ['linux', '/d/praetorctl/versions/0123456789abcdef', '/d/praetorctl'],
    ['linux', '/usr/lib/node_modules/praetorctl', undefined],
    ['linux', '/versions/x', undefined],
    ['linux', '', undefined],
    ['win32', 'C:\\L\\praetorctl\\versions\\0123456789abcdef', 'C:\\L\\praetorctl'],
  ])('of a version: %s %s', (platform, installation, data) => {
    expect(dataDirOfVersion(platform, installation)).toBe(data);
  });

  test('homeOf', () => {
    expect(homeOf({ platform: 'linux', env: { HOME: '/h', USERPROFILE: 'C:\\h' } })).toBe('/h');
    expect(homeOf({ platform: 'win32', env: { HOME: '/h', USERPROFILE: 'C:\\h' } })).toBe('C:\\h');
    expect(homeOf({ platform: 'linux', env: { HOME: 'h' } })).toBeUndefined();
    expect(homeOf({ platform: 'linux', env: {} })).toBeUndefined();
  });
});
