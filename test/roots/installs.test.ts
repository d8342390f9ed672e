// Detection on machines of three platforms, as tables of files: where a client is installed, where it only was, and which version is there.
import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLIENTS, clientById } from '../../src/clients/registry.ts';
import type { ClientDefinition, Install, Platform } from '../../src/model/client.ts';
import { detect, rootContext, type Detection } from '../../src/roots/context.ts';
import { installFacts } from '../../src/verify/version.ts';
import { cli, put, world } from '../support/cli.ts';
import { placesHost, type Place } from '../support/places.ts';

const codex = clientById('codex');
const HOMES = { linux: { HOME: '/home/dev' }, darwin: { HOME: '/Users/dev' }, win32: { USERPROFILE: 'C:\\Users\\dev', APPDATA: 'C:\\Users\\dev\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\dev\\AppData\\Local' } } as const;

interface Seen extends Detection { readonly version: string | null; readonly why: string }

function look(platform: Platform, places: Readonly<Record<string, Place>>, client: ClientDefinition = codex, env: Readonly<Record<string, string>> = {}): Seen {
  const path = platform === 'win32' ? 'C:\\Windows\\System32' : '/usr/bin:/bin';
  const host = placesHost(platform, { ...HOMES[platform], PATH: path, ...env }, places);
  const context = rootContext(host);
  const found = detect(host, client, context, client.roots(context));
  const { version } = installFacts(host, found.installs[0]);
  return { ...found, version: version.value, why: version.why };
}

const paths = ({ installs }: Detection): string[] => installs.map(({ path }) => path);
const npm = (name: string, version: string): string => JSON.stringify({ name, version });
const plist = (version: string): string => `<?xml version="1.0"?><plist><dict><key>CFBundleIdentifier</key><string>x</string>\n<key>CFBundleShortVersionString</key>\n\t<string>${version}</string></dict></plist>`;
/** An editor and an extension as a row may describe them; rows of such clients name their own. */
const editor: ClientDefinition = { ...codex, id: 'editor', binaries: ['editor'], installPaths: () => [], apps: ['Editor.app'], configMarks: () => [] };
const extension: ClientDefinition = { ...codex, id: 'extension', binaries: [], installPaths: () => [], extensions: ['publisher.agent'], configMarks: () => [] };

describe('programs', () => {
  it.each([
    ['linux', '/home/dev/.npm-global/bin/codex'], ['linux', '/home/dev/.nvm/versions/node/v20.1.0/bin/codex'], ['linux', '/usr/local/bin/codex'], ['linux', '/home/dev/.local/share/pnpm/codex'],
    ['linux', '/snap/bin/codex'], ['linux', '/home/dev/.local/share/fnm/node-versions/v22.0.0/installation/bin/codex'],
    ['darwin', '/opt/homebrew/bin/codex'], ['darwin', '/Users/dev/Library/pnpm/codex'], ['darwin', '/Users/dev/.volta/bin/codex'],
    ['win32', 'C:\\Users\\dev\\AppData\\Roaming\\npm\\codex.cmd'], ['win32', 'C:\\Users\\dev\\AppData\\Local\\Microsoft\\WinGet\\Links\\codex.exe'], ['win32', 'C:\\Users\\dev\\scoop\\shims\\codex.exe'],
  ] as const)('%s: found beside PATH at %s', (platform, path) => {
    expect(look(platform, { [path]: 'x' })).toMatchObject({ how: 'program', program: path, installs: [{ kind: 'program', path }] });
  });

  it('several installs are all listed, the one that a shell starts first; links to one program are one', () => {
    const seen = look('linux', {
      '/usr/bin/codex': { link: '../lib/node_modules/@openai/codex/bin/codex.js' }, '/bin/codex': { link: '/usr/bin/codex' },
      '/usr/lib/node_modules/@openai/codex/bin/codex.js': 'x', '/usr/lib/node_modules/@openai/codex/package.json': { plain: npm('@openai/codex', '0.171.0') },
      '/home/dev/.local/bin/codex': 'y', '/usr/local/bin/codex': { link: '/home/dev/.local/bin/codex' }, '/home/dev/.cargo/bin/codex': 'z',
    });
    expect(paths(seen)).toEqual(['/usr/bin/codex', '/home/dev/.local/bin/codex', '/home/dev/.cargo/bin/codex']);
    expect(seen).toMatchObject({ program: '/usr/bin/codex', version: '0.171.0', why: 'package.json' });
  });

  it('what cannot be run, a directory of that name and a link to nothing are no install', () => {
    expect(look('linux', { '/usr/bin/codex': { plain: 'x' }, '/home/dev/.local/bin/codex/readme': 'x', '/usr/local/bin/codex': { link: '/gone' } })).toMatchObject({ how: 'none', installs: [] });
  });

  it('variables of package managers count only where they are absolute', () => {
    expect(paths(look('linux', { '/opt/pnpm/codex': 'x', '/home/dev/pnpm/codex': 'x' }, codex, { PNPM_HOME: '/opt/pnpm' }))).toEqual(['/opt/pnpm/codex']);
    expect(look('linux', { '/pnpm/codex': 'x' }, codex, { PNPM_HOME: 'pnpm' }).how).toBe('none');
  });
});

describe('what is no program', () => {
  it.each(['linux', 'darwin', 'win32'] as const)('%s: a directory of configuration left behind is not installed', (platform) => {
    const file = platform === 'win32' ? 'C:\\Users\\dev\\.codex\\config.toml' : `${HOMES[platform].HOME}/.codex/config.toml`;
    expect(look(platform, { [file]: { plain: '' } })).toEqual({ how: 'configuration', installs: [], version: null, why: 'no program was found' });
    expect(look(platform, {}).how).toBe('none');
  });

  it('every client is absent from an empty machine of each platform, and nothing but looking is done', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) expect(CLIENTS.filter((client) => look(platform, {}, client).how !== 'none').map(({ id }) => id)).toEqual([]);
  });

  it('app bundles on macOS, for all and for this user; the version is in Info.plist', () => {
    const files = { '/Applications/Editor.app/Contents/Info.plist': { plain: plist('1.9.2') }, '/Users/dev/Applications/Editor.app/Contents/Info.plist': { plain: plist('1.8.0') } };
    const seen = look('darwin', files, editor);
    expect(seen).toMatchObject({ how: 'program', version: '1.9.2', why: 'Info.plist' });
    expect(seen.program).toBe(undefined);
    expect(seen.installs).toEqual([{ kind: 'app', path: '/Applications/Editor.app' }, { kind: 'app', path: '/Users/dev/Applications/Editor.app' }]);
    expect(look('linux', files, editor).how).toBe('none');
    expect(look('darwin', { '/Applications/Editor.app/Contents/Resources/left': 'x' }, editor).how).toBe('none');
    expect(look('darwin', { '/Applications/Editor.app/Contents/Info.plist': { plain: 'bplist00\u0001' } }, editor)).toMatchObject({ how: 'program', version: null });
    expect(look('darwin', { '/Applications/Editor.app/Contents/Info.plist': { plain: plist('1.0\u001b[2J<b>') } }, editor).version).toBe(null);
  });

  it('rows that name an app or an extension are found by it', () => {
    const named = CLIENTS.flatMap((client) => [
      ...(client.apps ?? []).map((name) => [client, 'app', `/Applications/${name}`, `/Applications/${name}/Contents/Info.plist`, plist('1.2.3')] as const),
      ...(client.extensions ?? []).map((id) => [client, 'extension', `/Users/dev/.vscode/extensions/${id}-1.2.3`, `/Users/dev/.vscode/extensions/${id}-1.2.3/package.json`, npm('x', '1.2.3')] as const),
    ]);
    expect(named.length).toBeGreaterThan(2);
    for (const [client, kind, path, file, text] of named) expect({ id: client.id, ...look('darwin', { [file]: { plain: text } }, client) }).toMatchObject({ id: client.id, how: 'program', installs: [{ kind, path }], version: '1.2.3' });
  });

  it.each([['linux', '/home/dev/.vscode/extensions/'], ['darwin', '/Users/dev/.cursor/extensions/'], ['win32', 'C:\\Users\\dev\\.windsurf\\extensions\\']] as const)('%s: extensions of editors below %s, without those that were taken out', (platform, dir) => {
    const sep = platform === 'win32' ? '\\' : '/';
    const at = (folder: string, name: string): string => `${dir}${folder}${sep}${name}`;
    const seen = look(platform, {
      [at('Publisher.agent-3.0.65-linux-x64', 'package.json')]: { plain: npm('agent', '3.0.65') }, [at('publisher.agent-2.0.0', 'package.json')]: { plain: npm('agent', '2.0.0') },
      [at('publisher.agent-1.0.0', 'left.txt')]: { plain: '' }, [at('publisher.agent-helper-1.0.0', 'package.json')]: { plain: npm('agent-helper', '1.0.0') },
      [`${dir}.obsolete`]: { plain: '{"publisher.agent-2.0.0":true}' },
    }, extension);
    expect(seen).toMatchObject({ how: 'program', installs: [{ kind: 'extension', path: `${dir}Publisher.agent-3.0.65-linux-x64` }], version: '3.0.65', why: 'package.json' });
    expect(look(platform, { [at('publisher.agent-2.0.0', 'package.json')]: { plain: npm('agent', '2.0.0') }, [`${dir}.obsolete`]: { plain: 'broken' } }, extension).version).toBe('2.0.0');
  });
});

describe('versions, without a start', () => {
  const of = (platform: Platform, places: Readonly<Record<string, Place>>, client: ClientDefinition = codex): string | null => look(platform, places, client).version;

  it('of npm on Windows: the package that the start script names', () => {
    const npmDir = 'C:\\Users\\dev\\AppData\\Roaming\\npm\\';
    const shim = '@ECHO off\r\n"%_prog%"  "%dp0%\\node_modules\\@openai\\codex\\bin\\codex.js" %*';
    const pkg = `${npmDir}node_modules\\@openai\\codex\\package.json`;
    expect(of('win32', { [`${npmDir}codex.cmd`]: shim, [pkg]: { plain: npm('@openai/codex', '0.171.0') } })).toBe('0.171.0');
    expect(of('win32', { [`${npmDir}codex.cmd`]: shim })).toBe(null);
    expect(of('win32', { [`${npmDir}codex.cmd`]: 'x'.repeat(20_000) + shim, [pkg]: { plain: npm('@openai/codex', '0.171.0') } })).toBe(null);
  });

  it('of pnpm: the package that the start script names', () => {
    expect(of('linux', {
      '/home/dev/.local/share/pnpm/codex': '#!/bin/sh\nexec node "$basedir/global/5/node_modules/@openai/codex/bin/codex.js" "$@"\n',
      '/home/dev/.local/share/pnpm/global/5/node_modules/@openai/codex/package.json': { plain: npm('@openai/codex', '0.170.1') },
    })).toBe('0.170.1');
  });

  it('of installers that name a directory or a file by it', () => {
    expect(of('linux', { '/home/dev/.local/bin/codex': { link: '/home/dev/.local/share/codex/versions/2.1.332' }, '/home/dev/.local/share/codex/versions/2.1.332': 'x'.repeat(20_000) })).toBe('2.1.332');
    expect(of('darwin', { '/opt/homebrew/bin/codex': { link: '../Cellar/codex/0.171.0/bin/codex' }, '/opt/homebrew/Cellar/codex/0.171.0/bin/codex': 'x' })).toBe('0.171.0');
    expect(of('linux', { '/home/dev/.nvm/versions/node/v20.1.0/bin/codex': 'x' })).toBe(null);
  });

  it('of editors: the app beside the program', () => {
    expect(of('linux', { '/usr/bin/editor': { link: '/usr/share/editor/bin/editor' }, '/usr/share/editor/bin/editor': 'x', '/usr/share/editor/resources/app/package.json': { plain: npm('Editor', '1.90.1') } }, editor)).toBe('1.90.1');
    const dir = 'C:\\Users\\dev\\AppData\\Local\\Programs\\editor\\';
    const windows: ClientDefinition = { ...editor, installPaths: () => [`${dir}Editor.exe`] };
    expect(of('win32', { [`${dir}Editor.exe`]: 'x', [`${dir}resources\\app\\package.json`]: { plain: npm('Editor', '1.90.2') } }, windows)).toBe('1.90.2');
  });

  it('says why where it is not known', () => {
    const host = placesHost('linux', HOMES.linux, { '/x/codex': 'x' });
    const install: Install = { kind: 'program', path: '/x/codex' };
    expect(installFacts(host, install).version).toEqual({ value: null, why: 'not read' });
    expect(installFacts(host, { kind: 'extension', path: '/gone' })).toMatchObject({ version: { value: null }, programChangedAt: undefined });
    expect(installFacts(host, undefined).version.why).toBe('no program was found');
  });
});

describe('clients list', () => {
  it('shows every install of one client, and what is only configuration', async () => {
    const where = world({ fixture: 'codex-minimal' });
    const none = await cli(where, ['clients', 'list']);
    expect(none.out).toMatch(/^codex +Codex CLI +configuration only$/m);
    for (const file of ['.local/bin/gemini', '.npm-global/bin/gemini']) put(where, file, '#!/bin/sh\nexit 9\n');
    for (const file of ['.local/bin/gemini', '.npm-global/bin/gemini']) chmodSync(`${where.home}/${file}`, 0o755);
    const text = await cli(where, ['clients', 'list']);
    expect(text.out).toMatch(/^gemini +Gemini CLI +~\/\.local\/bin\/gemini\n {15,}~\/\.npm-global\/bin\/gemini$/m);
    const json = await cli(where, ['clients', 'list', '--json']);
    const gemini = (json.json['clients'] as { id: string }[]).find(({ id }) => id === 'gemini');
    expect(gemini).toMatchObject({ detected: 'program', program: `${where.home}/.local/bin/gemini`, installs: [{ kind: 'program' }, { kind: 'program' }] });
  });
});
