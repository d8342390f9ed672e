// The launcher answers "is there anything new?" itself where the answer is no: with real shells and real git it says what the program
// says, byte for byte, and leaves to the program whatever is not exactly as it was.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { realHost } from '../../src/host.ts';
import { stationOf } from '../../src/fleet/station.ts';
import { FULL_CHECK_MS, unchangedText } from '../../src/fleet/unchanged.ts';
import { readInstallRecord, type InstallRecord } from '../../src/roots/install-record.ts';
import { cli, world, type World } from '../support/cli.ts';
import { dataOf, forge, launcherOf, promote, recordOf, station, type Forge } from '../support/fleet.ts';
import { sh } from '../support/git.ts';

const CHECK = ['workstation', 'update', '--check'];
const SCHEDULED = ['workstation', 'update', '--scheduled'];
const SHELLS = [['dash'], ['bash', '--posix'], ['busybox', 'sh'], ['ksh'], ['mksh']].filter(([name = '']) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);

interface Said { readonly code: number | null; readonly out: string; readonly err: string }

function run(where: World, words: readonly string[], env: Readonly<Record<string, string>> = {}, shell: readonly string[] = []): Said {
  const [command = '', ...args] = [...shell, launcherOf(where), ...words];
  const got = spawnSync(command, args, { env: { ...where.env, ...env }, encoding: 'utf8', cwd: '/', timeout: 20_000 });
  return { code: got.status, out: got.stdout, err: got.stderr };
}

/** The engine of these tests says this to whatever is no hook: then the program was started. */
const PROGRAM = '{"diagnostics":[]}\n';
const file = (where: World, name: string): string => join(dataOf(where), name);

function readRecord(where: World): InstallRecord {
  const record = readInstallRecord(realHost({ env: where.env, cwd: where.project }), dataOf(where));
  if (record === undefined) throw new Error('nothing is installed');
  return record;
}

async function follower(fork: Forge, ...more: readonly string[]): Promise<World> {
  const where = world({ onPath: false });
  expect((await station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor, ...more)).code).toBe(0);
  return where;
}

/** After it the launcher answers. */
async function verified(where: World): Promise<void> {
  expect((await station(where, 'update')).json['result']).toBe('up-to-date');
}

async function same(where: World, shell: readonly string[] = []): Promise<void> {
  for (const words of [CHECK, SCHEDULED]) {
    const mine = run(where, words, {}, shell);
    expect(existsSync(file(where, 'unchanged.sh'))).toBe(true);
    const { code, out, err } = await cli(where, words);
    expect(mine).toEqual({ code, out, err });
    expect(mine.code).toBe(0);
  }
}

const fork = forge();
let where: World;
beforeAll(async () => {
  await promote(fork, 'v1');
  where = await follower(fork);
}, 60_000);

describe('nothing new', () => {
  it('before the first update that finds nothing, the program is started; after it, the launcher says the same', async () => {
    expect(run(where, CHECK).out).toBe(PROGRAM);
    await verified(where);
    expect(SHELLS.length).toBeGreaterThan(0);
    for (const shell of SHELLS) await same(where, shell);
  });

  it('starts no Node', async () => {
    await verified(where);
    const trace = spawnSync('sh', ['-x', launcherOf(where), ...CHECK], { env: where.env, encoding: 'utf8' });
    expect(trace.stderr).not.toContain(`exec ${process.execPath}`);
    expect(trace.stdout).toMatch(/^up to date: /);
  });

  it('answers these words only, with nothing behind them', async () => {
    await verified(where);
    for (const words of [[...CHECK, '--json'], [...CHECK, ''], ['workstation', 'update'], ['workstation', 'update --check'], [...SCHEDULED, '--now'], ['workstation update', '--check', '']]) {
      expect([words, run(where, words).out]).toEqual([words, PROGRAM]);
    }
  });

  it('with nothing but a home, and the usual directories', async () => {
    const plain: World = { ...where, env: { HOME: where.home, PATH: '/usr/bin:/bin' } };
    await verified(plain);
    expect(spawnSync(launcherOf(where), CHECK, { env: { HOME: where.home }, encoding: 'utf8' }).stdout).toMatch(/^up to date: /);
    // The other world's directories are other settings.
    expect(run(where, CHECK).out).toBe(PROGRAM);
  });

  it('a scheduled check leaves a mark that status takes for the last verification, and a plain one does not', async () => {
    await verified(where);
    const seen = file(where, 'seen');
    const before = new Date(Date.now() - 3_600_000);
    const record = { ...recordOf(where), lastVerifiedAt: before.toISOString(), maxAgeMs: 60_000 };
    writeFileSync(file(where, 'install.json'), `${JSON.stringify(record, null, 2)}\n`);
    utimesSync(file(where, 'install.json'), before, before);
    for (const name of ['seen', 'unchanged.sh']) utimesSync(file(where, name), before, before);
    expect(run(where, CHECK).out).toMatch(/^up to date/);
    expect((await station(where, 'status')).json['state']).toBe('stale');
    expect(run(where, SCHEDULED).err).toMatch(/up-to-date/);
    expect(statSync(seen).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
    const now = await station(where, 'status');
    expect([now.json['state'], (now.json['installed'] as { lastVerifiedAt: string }).lastVerifiedAt > before.toISOString()]).toEqual(['current', true]);
    utimesSync(seen, new Date(Date.now() + 3_600_000), new Date(Date.now() + 3_600_000));
    expect((await station(where, 'status')).json['state']).toBe('stale');
  });
});

const later = (path: string): void => { const at = new Date(Date.now() + 5_000); utimesSync(path, at, at); };
const move = (path: string): (() => void) => { renameSync(path, `${path}.away`); return () => { renameSync(`${path}.away`, path); }; };

describe('whatever is not as it was goes to the program', () => {
  // What is changed, and how it is put back.
  const changes: Record<string, (at: World) => () => void> = {
    'the record is newer': (at) => { later(file(at, 'install.json')); return () => undefined; },
    'another version is current': (at) => {
      const text = readFileSync(file(at, 'install.json'), 'utf8');
      const { mtime } = statSync(file(at, 'install.json'));
      renameSync(file(at, `versions/${String(recordOf(at)['current'])}`), file(at, `versions/${'b'.repeat(16)}`));
      writeFileSync(file(at, 'install.json'), text.replace(/"current": "[0-9a-f]+"/, `"current": "${'b'.repeat(16)}"`));
      utimesSync(file(at, 'install.json'), mtime, mtime);
      return () => { writeFileSync(file(at, 'install.json'), text); renameSync(file(at, `versions/${'b'.repeat(16)}`), file(at, `versions/${String(recordOf(at)['current'])}`)); };
    },
    'settings appear': (at) => { mkdirSync(join(at.root, 'config'), { recursive: true }); writeFileSync(join(at.root, 'config/settings.yaml'), 'schema_version: 1\n'); return () => { rmSync(join(at.root, 'config'), { recursive: true }); }; },
    'a link that leads nowhere in the place of the settings': (at) => { symlinkSync('/nowhere', join(at.root, 'config')); return () => { rmSync(join(at.root, 'config')); }; },
    'somebody holds the lock': (at) => { mkdirSync(join(at.root, 'state/update.lock')); return () => { rmSync(join(at.root, 'state/update.lock'), { recursive: true }); }; },
    'the fork is not there': () => move(fork.remote),
    'the file is no sh': (at) => { const text = readFileSync(file(at, 'unchanged.sh')); writeFileSync(file(at, 'unchanged.sh'), 'if [ a = a ]; then echo "x'); return () => { writeFileSync(file(at, 'unchanged.sh'), text); }; },
    'the file is cut off': (at) => { const text = readFileSync(file(at, 'unchanged.sh')); writeFileSync(file(at, 'unchanged.sh'), text.subarray(0, text.length - 40)); return () => { writeFileSync(file(at, 'unchanged.sh'), text); }; },
    'the file is missing': (at) => move(file(at, 'unchanged.sh')),
  };
  it.each(Object.entries(changes))('%s', async (_name, change) => {
    await verified(where);
    expect(run(where, CHECK).out).toMatch(/^up to date/);
    const undo = change(where);
    const got = SHELLS.flatMap((shell) => [run(where, CHECK, {}, shell).out, run(where, SCHEDULED, {}, shell).out]);
    undo();
    expect(new Set(got)).toEqual(new Set([PROGRAM]));
  });

  it('settings that are changed, or moved in with an old time', async () => {
    const [config, settings] = [join(where.root, 'config'), join(where.root, 'config/settings.yaml')];
    const old = new Date(Date.now() - 3_600_000);
    mkdirSync(config);
    writeFileSync(settings, 'update:\n  soak: 1h\n');
    for (const path of [settings, config]) utimesSync(path, old, old);
    await verified(where);
    expect(run(where, CHECK).out).toMatch(/^up to date/);
    writeFileSync(settings, 'update:\n  soak: 2h\n');
    expect(run(where, CHECK).out).toBe(PROGRAM);
    for (const path of [settings, config]) utimesSync(path, old, old);
    expect(run(where, CHECK).out).toMatch(/^up to date/);
    writeFileSync(join(where.root, 'other.yaml'), '{}\n');
    utimesSync(join(where.root, 'other.yaml'), old, old);
    renameSync(join(where.root, 'other.yaml'), settings);
    expect(run(where, CHECK).out).toBe(PROGRAM);
    rmSync(config, { recursive: true });
  });

  it('a variable that selects settings, another directory or another form', async () => {
    await verified(where);
    for (const env of [{ PRAETORCTL_FLEET_SETTINGS: '/x' }, { PRAETORCTL_ORG_SETTINGS: '/x' }, { PRAETORCTL_JSON: '1' }, { PRAETORCTL_COLOR: 'always' }, { PRAETORCTL_CONFIG_DIR: '/x' }, { XDG_DATA_HOME: '/x' }, { PRAETORCTL_DATA_DIR: '/x' }, { HOME: '/x' }]) {
      expect([env, run(where, CHECK, env).out]).toEqual([env, PROGRAM]);
    }
    expect(run(where, CHECK, { PATH: '/nowhere' }).out).toBe(PROGRAM);
  });

  it('a day after the program had its turn it has it again; so it has after a clock that went back', async () => {
    await verified(where);
    expect(statSync(file(where, 'due')).mtimeMs).toBeGreaterThan(Date.now() + FULL_CHECK_MS - 60_000);
    expect(run(where, SCHEDULED).code).toBe(0);
    const past = new Date(Date.now() - 1_000);
    utimesSync(file(where, 'due'), past, past);
    expect([run(where, SCHEDULED).out, run(where, CHECK).out.slice(0, 10)]).toEqual([PROGRAM, 'up to date']);
    await verified(where);
    later(file(where, 'unchanged.sh'));
    expect(run(where, SCHEDULED).out).toBe(PROGRAM);
  });

  it('every command that writes the record, and every update with another end, takes the answer away', async () => {
    await verified(where);
    for (const words of [['pin'], ['update'], ['unpin'], ['install', '--from', fork.remote]]) {
      expect([0, 3]).toContain((await station(where, ...words)).code);
      expect([words, run(where, CHECK).out]).toEqual([words, PROGRAM]);
    }
    await verified(where);
    const back = move(fork.remote);
    await cli(where, SCHEDULED);
    back();
    expect(run(where, CHECK).out).toBe(PROGRAM);
    await verified(where);
    await promote(fork, 'v2');
    expect(run(where, CHECK).out).toBe(PROGRAM);
    expect((await station(where, 'update', '--check')).json['result']).toBe('available');
    expect(run(where, CHECK).out).toBe(PROGRAM);
    expect((await station(where, 'update')).json['result']).toBe('updated');
    await verified(where);
    await same(where);
  });
});

describe('what git is asked, and with what', () => {
  it('remotes with blanks, quotes, dollar signs, line ends, a dash in front; and what the settings name', async () => {
    for (const name of [`it's "$HOME" \`id\` \\ -x`, 'two\nlines', './-dash']) {
      const remote = name.startsWith('.') ? name : join(where.root, name);
      sh(where.root, ['clone', '-q', '--mirror', '--', fork.remote, join(name.startsWith('.') ? dataOf(where) : where.root, name)]);
      writeFileSync(file(where, 'install.json'), `${JSON.stringify({ ...recordOf(where), remote }, null, 2)}\n`);
      await verified(where);
      for (const shell of SHELLS) await same(where, shell);
    }
    // A word that looks like an option is none for git, and no repository either; the words are the same as the program's.
    const dash = unchangedText(stationOf(realHost({ env: where.env, cwd: where.project }), process.execPath), { ...readRecord(where), remote: "--upload-pack=touch x'y" });
    expect(dash).toContain(` 'ls-remote' '--refs' '--' '--upload-pack=touch x'\\''y' 'refs/heads/main' `);
    writeFileSync(file(where, 'unchanged.sh'), dash);
    expect([run(where, CHECK).out, existsSync(file(where, 'x'))]).toEqual([PROGRAM, false]);
    sh(where.root, ['clone', '-q', '--mirror', fork.remote, join(where.root, 'named.git')]);
    mkdirSync(join(where.root, 'config'));
    writeFileSync(join(where.root, 'config/settings.yaml'), `update:\n  remote: ${join(where.root, 'named.git')}\n`);
    for (const path of ['config', 'config/settings.yaml']) utimesSync(join(where.root, path), 1, 1);
    await verified(where);
    await same(where);
    rmSync(file(where, '-dash'), { recursive: true });
    expect(run(where, CHECK).out).toMatch(/^up to date/);
    rmSync(join(where.root, 'named.git'), { recursive: true });
    expect(run(where, CHECK).out).toBe(PROGRAM);
    rmSync(join(where.root, 'config'), { recursive: true });
    writeFileSync(file(where, 'install.json'), `${JSON.stringify({ ...recordOf(where), remote: fork.remote }, null, 2)}\n`);
  });

  it('no variable of the caller leads git elsewhere, and it gets the environment that the program gives it', async () => {
    await verified(where);
    const lead = { GIT_DIR: '/x', GIT_TRACE: '1', GIT_EXEC_PATH: '/x', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'url./x.insteadOf', GIT_CONFIG_VALUE_0: '/', https_proxy: 'http://p.example', SSH_AUTH_SOCK: '/a b', LANG: 'C', OTHER: 'x' };
    expect(run(where, CHECK, lead).out).toMatch(/^up to date/);
    const bin = join(where.root, 'spy');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\nenv | grep -v -e ^_= -e ^PWD= -e ^OLDPWD= -e ^SHLVL= | sort >'${bin}/said'\npwd >>'${bin}/said'\nexec /usr/bin/git "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const spied: World = { ...where, env: { ...where.env, ...lead, PATH: `${bin}:/usr/bin:/bin` } };
    expect(run(spied, CHECK).out).toMatch(/^up to date/);
    const mine = readFileSync(join(bin, 'said'), 'utf8');
    rmSync(join(bin, 'said'));
    expect((await cli(spied, CHECK)).code).toBe(0);
    expect(mine).toBe(readFileSync(join(bin, 'said'), 'utf8'));
    expect(mine).toContain('GIT_ALLOW_PROTOCOL=file:ssh:https');
  });

  it('a server that is not a directory is asked under `timeout`, and by the program where there is none', async () => {
    writeFileSync(file(where, 'install.json'), `${JSON.stringify({ ...recordOf(where), remote: `file://${fork.remote}` }, null, 2)}\n`);
    await verified(where);
    await same(where);
    expect(readFileSync(file(where, 'unchanged.sh'), 'utf8')).toContain("'timeout' '120' 'git'");
    const bin = join(where.root, 'few');
    mkdirSync(bin);
    for (const name of ['git', 'env']) symlinkSync(`/usr/bin/${name}`, join(bin, name));
    expect(run(where, CHECK, { PATH: bin }).out).toBe(PROGRAM);
  });
});
