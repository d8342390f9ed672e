// install and remove on real files; the scheduler is a program on PATH that records what it is told.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import type { Host } from '../../src/host.ts';
import { BLANK_RECORD, formatInstallRecord } from '../../src/roots/install-record.ts';
import { cli, put, tree, world, type Answer, type World } from '../support/cli.ts';
import { fakeScheduler, hostOf, type FakeScheduler } from '../support/fake-scheduler.ts';

interface Stage { readonly where: World; readonly fake: FakeScheduler; readonly host: Host; readonly run: (...argv: string[]) => Promise<Answer> }

function stage(platform: 'linux' | 'darwin' | 'win32'): Stage {
  const where = world();
  const fake = fakeScheduler(where);
  if (platform === 'win32') {
    for (const dir of ['Users/dev', 'project', 'bin']) mkdirSync(join(where.root, 'C', dir), { recursive: true });
    writeFileSync(join(where.root, 'C/bin/praetorctl.exe'), '');
    chmodSync(join(where.root, 'C/bin/praetorctl.exe'), 0o755);
  } else {
    put(where, '.local/bin/praetorctl', '#!/bin/sh\n');
    chmodSync(join(where.home, '.local/bin/praetorctl'), 0o755);
  }
  const windows = { USERPROFILE: 'C:\\Users\\dev', LOCALAPPDATA: 'C:\\Users\\dev\\AppData\\Local', USERDOMAIN: 'CORP', USERNAME: 'dev', PRAETORCTL_STATE_DIR: 'C:\\state', PRAETORCTL_CONFIG_DIR: 'C:\\config' };
  const host = hostOf(where, platform, platform === 'win32' ? windows : {});
  const launcher = platform === 'win32' ? ['--launcher', 'C:\\bin\\praetorctl.exe'] : [];
  return { where, fake, host, run: (verb, ...argv) => cli(where, ['schedule', verb ?? '', ...(verb === 'install' ? launcher : []), ...argv], { host }) };
}

const timer = '.config/systemd/user/praetorctl-update.timer';
const service = '.config/systemd/user/praetorctl-update.service';
const read = (where: World, path: string): string => readFileSync(join(where.home, path), 'utf8');

describe('systemd', () => {
  it('writes two units, enables the timer, and has nothing to do the second time', async () => {
    const { where, fake, run } = stage('linux');
    const before = tree(where.home);
    const answer = await run('install', '--yes');
    expect(answer.code, answer.err).toBe(0);
    expect(fake.told()).toEqual(['systemctl --user daemon-reload', 'systemctl --user enable --now praetorctl-update.timer']);
    expect(answer.out).toContain('$ systemctl --user enable --now praetorctl-update.timer');
    expect(read(where, service)).toContain('ExecStart=%h/.local/bin/praetorctl workstation update --scheduled');
    const again = await run('install', '--yes');
    expect([again.code, again.out, fake.told()]).toEqual([0, 'nothing to do\n', []]);
    const gone = await run('remove', '--yes');
    expect(gone.code, gone.err).toBe(0);
    expect(fake.told()).toEqual(['systemctl --user disable --now praetorctl-update.timer', 'systemctl --user daemon-reload']);
    expect(tree(where.home)).toEqual(before);
    expect((await run('remove', '--yes')).out).toBe('nothing to do\n');
    expect(fake.told()).toEqual([]);
  });
  it('takes the interval of the settings where none is named, and makes nothing from broken ones', async () => {
    const { where, run } = stage('linux');
    const settings = (text: string): void => {
      mkdirSync(join(where.root, 'config'), { recursive: true });
      writeFileSync(join(where.root, 'config/settings.yaml'), text);
    };
    settings('update: { interval: 6h }\n');
    expect((await run('install', '--yes')).code).toBe(0);
    expect(read(where, timer)).toMatch(/OnCalendar=\*-\*-\* \d\/6:\d\d:00/);
    settings('update: { interval: soon }\n');
    const broken = await run('install', '--yes');
    expect([broken.code, broken.err]).toEqual([64, expect.stringContaining('settings.yaml:1')]);
    expect((await run('remove', '--yes')).code).toBe(0);
  });
  it('another interval restarts the timer; a job that is no longer wanted goes', async () => {
    const { where, fake, run } = stage('linux');
    await run('install', '--yes', '--with', 'evidence');
    fake.told();
    await run('install', '--yes', '--interval', '1h');
    expect(fake.told()).toEqual([
      'systemctl --user disable --now praetorctl-evidence.timer', 'systemctl --user daemon-reload', 'systemctl --user restart praetorctl-update.timer',
    ]);
    expect(existsSync(join(where.home, '.config/systemd/user/praetorctl-evidence.timer'))).toBe(false);
    expect(read(where, timer)).toMatch(/OnCalendar=\*:\d+\n/);
  });
  it('a timer that somebody stopped is started again, with the files as they are', async () => {
    const { fake, run } = stage('linux');
    await run('install', '--yes');
    fake.told();
    fake.set('jobs.json', '{}');
    const answer = await run('install', '--yes');
    expect([answer.code, fake.told()]).toEqual([0, ['systemctl --user enable --now praetorctl-update.timer']]);
  });
  it('a unit of somebody else and a drop-in are refused, and nothing is written or told', async () => {
    for (const path of [service, `${timer}.d/override.conf`]) {
      const { where, fake, run } = stage('linux');
      put(where, path, '[Service]\nExecStart=/bin/true\n');
      const before = tree(where.home);
      const answer = await run('install', '--yes');
      expect(answer.code).toBe(4);
      expect(answer.err).toMatch(/error: foreign-entry: ~\/\.config\/systemd\/user\/praetorctl-update/);
      expect(fake.told()).toEqual([]);
      expect(tree(where.home)).toEqual(before);
      expect((await run('remove', '--yes')).code).toBe(0);
      expect(tree(where.home)).toEqual(before);
    }
  });
  it('a scheduler that refuses: the files are as before', async () => {
    const { where, fake, run } = stage('linux');
    const before = tree(where.home);
    fake.set('fail', 'enable');
    const answer = await run('install', '--yes');
    expect(answer.code).toBe(1);
    expect(answer.err).toContain('systemctl --user enable --now praetorctl-update.timer failed: refused by the fake');
    expect(answer.err).toContain('the files are as they were before');
    expect(tree(where.home)).toEqual(before);
  });
  it('without a scheduler that answers nothing is written', async () => {
    const { where, fake, run } = stage('linux');
    fake.set('fail', 'is-active');
    const before = tree(where.home);
    const answer = await run('install', '--yes');
    expect([answer.code, fake.told()]).toEqual([1, []]);
    expect(answer.err).toContain('--kind cron');
    expect(tree(where.home)).toEqual(before);
  });
  it('a dry run writes and tells nothing, and exits 3 while there is something to do', async () => {
    const { where, fake, run } = stage('linux');
    const before = tree(where.root);
    const answer = await run('install', '--dry-run');
    expect(answer.code).toBe(3);
    expect(answer.out).toContain('$ systemctl --user daemon-reload');
    expect(fake.told()).toEqual([]);
    delete before['scheduler/argv'];
    const after = tree(where.root);
    for (const path of ['scheduler/argv', 'scheduler/jobs.json']) delete after[path];
    expect(after).toEqual(before);
    await run('install', '--yes');
    expect((await run('install', '--dry-run')).code).toBe(0);
  });
  it('asks in a terminal, and is refused without one', async () => {
    const { where, fake, host, run } = stage('linux');
    expect((await run('install')).code).toBe(64);
    const no = await cli(where, ['schedule', 'install'], { host, tty: true, answer: 'n' });
    expect([no.code, fake.told()]).toEqual([130, []]);
    expect(no.err).toContain('$ systemctl --user enable --now praetorctl-update.timer');
    expect((await cli(where, ['schedule', 'install'], { host, tty: true, answer: 'y' })).code).toBe(0);
  });
  it('a launcher that is not there, and a kind of another system, are refused', async () => {
    const { run } = stage('linux');
    expect((await run('install', '--yes', '--launcher', '/nowhere/praetorctl')).err).toContain('nothing would run');
    expect((await run('install', '--yes', '--kind', 'launchd')).code).toBe(64);
  });
  it('the launcher is kept for the timer when the clients are removed', async () => {
    const where = world({ onPath: false, fixture: 'claude-minimal' });
    fakeScheduler(where);
    const host = hostOf(where, 'linux');
    await cli(where, ['clients', 'apply', '--yes', '--client', 'claude'], { host });
    expect((await cli(where, ['schedule', 'install', '--yes'], { host })).code).toBe(0);
    await cli(where, ['clients', 'remove', '--yes'], { host });
    expect(existsSync(join(where.home, '.local/bin/praetorctl'))).toBe(true);
  });
});

describe('launchd (on this disk, with a launchctl that only records; not executed on macOS)', () => {
  it('boots out only what is loaded, and does nothing for equal bytes', async () => {
    const { where, fake, run } = stage('darwin');
    const uid = process.getuid?.() ?? 0;
    const path = join(where.home, 'Library/LaunchAgents/io.praetorctl.update.plist');
    const installed = await run('install', '--yes');
    expect(installed.code, installed.err).toBe(0);
    expect(fake.told()).toEqual([`launchctl bootstrap gui/${uid} ${path}`]);
    expect(existsSync(join(where.home, 'Library/Logs/praetorctl'))).toBe(true);
    await run('install', '--yes');
    expect(fake.told()).toEqual([]);
    await run('install', '--yes', '--interval', '2h');
    expect(fake.told()).toEqual([`launchctl bootout gui/${uid}/io.praetorctl.update`, `launchctl bootstrap gui/${uid} ${path}`]);
    await run('remove', '--yes');
    expect(fake.told()).toEqual([`launchctl bootout gui/${uid}/io.praetorctl.update`]);
    expect(existsSync(path)).toBe(false);
  });
});

describe('Task Scheduler (paths of Windows on this disk; not executed on Windows)', () => {
  it('registers the definition by name, and takes it away', async () => {
    const { fake, run } = stage('win32');
    const installed = await run('install', '--yes');
    expect(installed.code, installed.err).toBe(0);
    expect(fake.told()).toEqual(['schtasks /Create /TN \\praetorctl\\update /XML C:\\state\\schedule\\update.xml /F']);
    expect(fake.get('jobs.json')).toContain('<UserId>CORP\\\\dev</UserId>');
    expect((await run('install', '--yes')).out).toBe('nothing to do\n');
    fake.told();
    await run('remove', '--yes');
    expect(fake.told()).toEqual(['schtasks /Delete /TN \\praetorctl\\update /F']);
  });
  it('a task of somebody else with our name is refused', async () => {
    const { fake, run } = stage('win32');
    fake.set('jobs.json', JSON.stringify({ '\\praetorctl\\update': '<Author>somebody</Author>' }));
    const answer = await run('install', '--yes');
    expect([answer.code, fake.told()]).toEqual([4, []]);
    expect((await run('remove', '--yes')).code).toBe(0);
    expect(fake.told()).toEqual([]);
  });
});

describe('cron', () => {
  it('puts one block into the table and takes it out again, the rest to the character', async () => {
    const { fake, run } = stage('linux');
    fake.set('table', 'MAILTO=me\n*/5 * * * * /x %y');
    const installed = await run('install', '--yes', '--kind', 'cron');
    expect(installed.code, installed.err).toBe(0);
    expect(fake.get('table')).toMatch(/^MAILTO=me\n\*\/5 \* \* \* \* \/x %y\n# BEGIN praetorctl [^\n]*\n[^\n]*workstation update --scheduled[^\n]*\n# END praetorctl schedule\n$/);
    expect(installed.out).toContain('not made up for');
    expect((await run('install', '--yes', '--kind', 'cron')).out).toBe('nothing to do\n');
    expect(fake.told()).toEqual(['crontab -']);
    await run('remove', '--yes', '--kind', 'cron');
    expect(fake.get('table')).toBe('MAILTO=me\n*/5 * * * * /x %y\n');
  });
  it('begins a table where there is none', async () => {
    const { fake, run } = stage('linux');
    expect((await run('install', '--yes', '--kind', 'cron')).code).toBe(0);
    expect(fake.get('table')).toMatch(/^# BEGIN praetorctl/);
  });
  it('a table that changes while the person is asked is not written over', async () => {
    const { where, fake, host } = stage('linux');
    fake.set('table', 'old\n');
    const real = host.spawn;
    let reads = 0;
    const racing: Host = {
      ...host, spawn: (command, args, options) => {
        if (args[0] === '-l' && (reads += 1) === 2) fake.set('table', 'new\n');
        return real(command, args, options);
      },
    };
    const answer = await cli(where, ['schedule', 'install', '--yes', '--kind', 'cron'], { host: racing });
    expect([answer.code, fake.get('table')]).toEqual([4, 'new\n']);
  });
});

describe('JSON', () => {
  it.each([['render', 'schedule-render'], ['install', 'schedule'], ['remove', 'schedule']])('%s fits its schema', async (verb, kind) => {
    for (const more of [[], ['--kind', 'cron']]) {
      const { run } = stage('linux');
      const { json } = await run(verb, '--json', ...(verb === 'render' ? [] : ['--yes']), ...more);
      expect(json['schema']).toBe(`praetorctl/${kind}`);
      expect(OUTPUT_SCHEMAS[kind]?.safeParse(json).error).toBeUndefined();
    }
  });
  it('the minutes come from the installed workstation', async () => {
    const { where, run } = stage('linux');
    const path = join(where.root, 'data', 'install.json');
    mkdirSync(dirname(path), { recursive: true });
    const record = { ...BLANK_RECORD, hostId: 'f0d1c9a2-6f44-4b5e-9a35-3b8a3b0e0001', current: '0123456789abcdef', node: [process.execPath], launcher: join(where.home, '.local/bin/praetorctl'), installedAt: '2026-01-01T00:00:00Z' };
    writeFileSync(path, formatInstallRecord(record));
    const host = hostOf(where, 'linux', { PRAETORCTL_DATA_DIR: dirname(path) });
    const times = async (...argv: string[]): Promise<unknown> => ((await cli(where, ['schedule', 'render', '--json', '--interval', '1h', ...argv], { host })).json['jobs'] as { times: unknown }[])[0]?.times;
    expect(await times()).toEqual(await times('--host-id', 'f0d1c9a2-6f44-4b5e-9a35-3b8a3b0e0001'));
    expect((await run('render', '--json')).code).toBe(0);
  });
});
