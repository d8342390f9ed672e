// Path rules of three platforms as pure functions, run on whatever platform this is.
import envPaths from 'env-paths';
import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { pathDirs } from '../../src/roots/context.ts';
import { homeOf, ownDirs } from '../../src/roots/own-dirs.ts';
import { dirOf, isAbsolutePath, joinPath } from '../../src/roots/paths.ts';

describe('paths', () => {
  it.each([
    ['linux', '/a', true], ['linux', 'a', false], ['linux', 'C:\\a', false], ['linux', '', false],
    ['win32', 'C:\\a', true], ['win32', 'c:/a', true], ['win32', '\\\\server\\share', true], ['win32', '\\a', false], ['win32', 'C:a', false], ['win32', '/a', false],
  ] as const)('%s %j absolute: %s', (platform, path, expected) => { expect(isAbsolutePath(platform, path)).toBe(expected); });

  it('joins and takes apart', () => {
    expect(joinPath('win32', 'C:\\Users\\a', '.codex', 'config.toml')).toBe('C:\\Users\\a\\.codex\\config.toml');
    expect(joinPath('linux', '/', 'etc', 'x')).toBe('/etc/x');
    expect([dirOf('linux', '/a/b'), dirOf('linux', '/a'), dirOf('win32', 'C:\\a\\b')]).toEqual(['/a', '/', 'C:\\a']);
  });

  it('only absolute entries of PATH count', () => {
    expect(pathDirs('linux', '/usr/bin:.::bin:/bin:/usr/bin')).toEqual(['/usr/bin', '/bin']);
    expect(pathDirs('win32', 'C:\\x;.;D:\\y')).toEqual(['C:\\x', 'D:\\y']);
  });
});

describe('own directories', () => {
  it('agree with env-paths where both follow the specification', () => {
    if (process.platform !== 'linux') return;
    const home = homedir();
    const theirs = envPaths('praetorctl', { suffix: '' });
    const env = { XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'], XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };
    const ours = ownDirs({ platform: 'linux', env, home });
    expect([ours.config, ours.state]).toEqual([theirs.config, theirs.log]);
  });

  it.each([
    ['linux', { HOME: '/h' }, '/h/.config/praetorctl', '/h/.local/state/praetorctl'],
    ['linux', { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, '/c/praetorctl', '/s/praetorctl'],
    ['linux', { HOME: '/h', XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: './s' }, '/h/.config/praetorctl', '/h/.local/state/praetorctl'],
    ['darwin', { HOME: '/Users/h' }, '/Users/h/Library/Application Support/praetorctl', '/Users/h/Library/Application Support/praetorctl/state'],
    ['win32', { USERPROFILE: 'C:\\U', APPDATA: 'C:\\U\\R', LOCALAPPDATA: 'C:\\U\\L' }, 'C:\\U\\R\\praetorctl', 'C:\\U\\L\\praetorctl\\state'],
    ['win32', { USERPROFILE: 'C:\\U' }, 'C:\\U\\AppData\\Roaming\\praetorctl', 'C:\\U\\AppData\\Local\\praetorctl\\state'],
  ] as const)('%s %j', (platform, env, config, state) => {
    const dirs = ownDirs({ platform, env, home: homeOf({ platform, env }) });
    expect([dirs.config, dirs.state]).toEqual([config, state]);
  });

  it('a relative override of ours is an error', () => {
    expect(() => ownDirs({ platform: 'linux', env: { PRAETORCTL_STATE_DIR: 'x' }, home: '/h' })).toThrow(/absolute/);
  });
});
