// The definitions of four schedulers: golden bytes, each validated by what is here for its format, and over every interval.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { withBlock } from '../../src/fleet/crontab.ts';
import { CRON_BEGIN, CRON_END, calendarOf, renderSchedule, type ScheduleInput } from '../../src/fleet/schedule-render.ts';
import { jobsFor, parseInterval, SCHEDULE_KINDS, timesOf, type ScheduleKind, type Times } from '../../src/fleet/schedule.ts';
import { repo } from '../support/cli.ts';
import { only, parsePlist, parseXml, type PlistValue } from '../support/xml.ts';

const temp = mkdtempSync(join(tmpdir(), 'praetorctl-schedule-'));
afterAll(() => rmSync(temp, { recursive: true, force: true }));

const fixture = (name: string): string => readFileSync(join(repo, 'test/fixtures/fleet', name), 'utf8');
const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** A host whose minute is the one of the captured definitions. */
const MINUTE_7 = Array.from({ length: 1000 }, (_, i) => `host-${i}`).find((id) => JSON.stringify(timesOf(id, parseInterval('15m'), 0)) === '{"every":"hour","minutes":[7,22,37,52]}') ?? '';

const HOMES: Readonly<Record<ScheduleKind, string>> = { systemd: '/home/dev', cron: '/home/dev', launchd: '/Users/dev', schtasks: 'C:\\Users\\dev' };

function input(kind: ScheduleKind, more: Partial<ScheduleInput> = {}): ScheduleInput {
  const home = more.home ?? HOMES[kind];
  const launcher = kind === 'schtasks' ? `${home}\\AppData\\Local\\Programs\\praetorctl\\bin\\praetorctl.exe` : `${home}/.local/bin/praetorctl`;
  return { kind, home, configHome: `${home}/.config`, stateDir: `${home}\\AppData\\Local\\praetorctl\\state`, launcher, interval: parseInterval('15m'), hostId: MINUTE_7, jobs: jobsFor(undefined, []), user: 'CORP\\dev', ...more };
}

const fileOf = (kind: ScheduleKind, end: string, more?: Partial<ScheduleInput>): string => renderSchedule(input(kind, more)).files.find(({ path }) => path.endsWith(end))?.text ?? '';

describe('golden definitions', () => {
  it.each([
    ['systemd', 'praetorctl-update.service'], ['systemd', 'praetorctl-update.timer'], ['launchd', 'io.praetorctl.update.plist'],
  ] as const)('%s: %s is the verified capture', (kind, name) => {
    expect(fileOf(kind, name)).toBe(fixture(name));
  });
  it('schtasks: the task is the validated capture', () => {
    expect(fileOf('schtasks', 'update.xml')).toBe(fixture('task.xml'));
  });
  it('cron', () => {
    expect(renderSchedule(input('cron')).block).toBe(`${CRON_BEGIN}\n7,22,37,52 * * * * /home/dev/.local/bin/praetorctl workstation update --scheduled >/dev/null 2>&1\n${CRON_END}\n`);
  });
  it.each(SCHEDULE_KINDS)('%s with further jobs, twice a day', (kind) => {
    const { files, block, notes } = renderSchedule(input(kind, { interval: parseInterval('13h'), jobs: jobsFor(undefined, ['receipts', 'evidence']) }));
    expect([...files.map(({ path, text }) => `==> ${path}\n${text}`), block ?? '', ...notes].join('\n')).toMatchSnapshot();
  });
});

describe('systemd says that the units are good, with nothing on standard error', () => {
  const units = (name: string, more: Partial<ScheduleInput>): { home: string; paths: string[] } => {
    const home = join(temp, name);
    const launcher = more.launcher === undefined ? join(home, '.local/bin/praetorctl') : more.launcher;
    mkdirSync(dirname(launcher), { recursive: true });
    writeFileSync(launcher, '#!/bin/sh\n');
    chmodSync(launcher, 0o755);
    const { files } = renderSchedule(input('systemd', { jobs: jobsFor(undefined, ['evidence', 'receipts']), ...more, home, configHome: join(home, '.config'), launcher }));
    for (const { path, text } of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return { home, paths: files.map(({ path }) => path) };
  };
  const verify = (home: string, paths: readonly string[]): { code: number | null; err: string } => {
    const run = join(home, 'run');
    mkdirSync(run, { mode: 0o700 });
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', ...paths], { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: run } });
    return { code: status, err: stderr };
  };
  it.runIf(has('systemd-analyze'))('a launcher below the home, one with a blank, three jobs', () => {
    for (const [name, more] of [['plain', {}], ['blank', { launcher: join(temp, 'a b', 'praetorctl') }], ['daily', { interval: parseInterval('24h') }]] as const) {
      const { home, paths } = units(name, more);
      expect(paths.length).toBe(6);
      expect(verify(home, paths)).toEqual({ code: 0, err: '' });
    }
  });
  it.runIf(has('systemd-analyze'))('the check can fail: an unknown key is no error to systemd, but it is said', () => {
    const { home, paths } = units('bad', {});
    const [service = ''] = paths;
    writeFileSync(service, readFileSync(service, 'utf8').replace('Nice=19', 'Niceness=19'));
    expect(verify(home, paths).err).toContain('Niceness');
  });
  it.runIf(has('systemd-analyze'))('every calendar', () => {
    const seen = new Set<string>();
    for (const asked of ['5m', '6m', '10m', '12m', '15m', '20m', '30m', '1h', '2h', '3h', '4h', '6h', '8h', '12h', '24h']) for (const host of ['a', 'b']) seen.add(calendarOf(timesOf(host, parseInterval(asked), 0)));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['calendar', ...seen], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.match(/Normalized form/g)?.length).toBe(seen.size);
    expect(spawnSync('systemd-analyze', ['calendar', '*:61/15']).status).not.toBe(0);
  });
});

const plist = (more?: Partial<ScheduleInput>): { [key: string]: PlistValue } => parsePlist(fileOf('launchd', 'update.plist', more)) as { [key: string]: PlistValue };

describe('launchd', () => {
  it('is a strict property list with what a laptop needs', () => {
    expect(plist({ launcher: '/Users/dev/R&D/praetorctl' })).toMatchObject({
      Label: 'io.praetorctl.update', ProgramArguments: ['/Users/dev/R&D/praetorctl', 'workstation', 'update', '--scheduled'], RunAtLoad: true, ProcessType: 'Background',
    });
    expect(plist()).not.toHaveProperty('KeepAlive');
    expect(plist()).not.toHaveProperty('StartInterval');
  });
  it.runIf(has('python3'))("python's plistlib reads the same", () => {
    const said = spawnSync('python3', ['-c', 'import plistlib,json,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'], { input: fileOf('launchd', 'update.plist'), encoding: 'utf8' });
    expect(said.stderr).toBe('');
    expect(JSON.parse(said.stdout)).toEqual(plist());
  });
});

describe('Task Scheduler', () => {
  const task = parseXml(fileOf('schtasks', 'update.xml'));
  it('overrides the defaults that bite: batteries, missed runs, three days of time', () => {
    const text = (name: string): string => only(task, name).text;
    expect(Object.fromEntries(only(task, 'Settings').children.map(({ name, text: value }) => [name, value]))).toEqual({
      MultipleInstancesPolicy: 'IgnoreNew', DisallowStartIfOnBatteries: 'false', StopIfGoingOnBatteries: 'false', StartWhenAvailable: 'true', RunOnlyIfNetworkAvailable: 'true',
      ExecutionTimeLimit: 'PT10M', Priority: '7', Hidden: 'true', Enabled: 'true',
    });
    expect([text('RunLevel'), text('LogonType'), text('Interval'), text('Author')]).toEqual(['LeastPrivilege', 'InteractiveToken', 'PT15M', 'praetorctl']);
    expect(text('Command')).toBe('%SystemRoot%\\System32\\conhost.exe');
    expect(text('Arguments')).toMatch(/^--headless "C:\\.*\\praetorctl\.exe" workstation update --scheduled$/);
  });
  it('children of a trigger stand in the order of the schema', () => {
    const order = ['Enabled', 'StartBoundary', 'EndBoundary', 'Repetition', 'ExecutionTimeLimit', 'UserId', 'RandomDelay', 'Delay'];
    for (const name of ['TimeTrigger', 'LogonTrigger']) {
      const at = only(task, name).children.map((child) => order.indexOf(child.name));
      expect(at).toEqual([...at].sort((a, b) => a - b));
      expect(at).not.toContain(-1);
    }
  });
  it.runIf(has('xmllint'))('is valid by the schema made from the documented one (xmllint; skipped where that is not installed)', () => {
    for (const asked of ['5m', '15m', '1h', '24h']) {
      const file = join(temp, `task-${asked}.xml`);
      writeFileSync(file, fileOf('schtasks', 'update.xml', { interval: parseInterval(asked) }));
      expect(spawnSync('xmllint', ['--noout', '--schema', join(repo, 'test/fixtures/fleet/task.xsd'), file], { encoding: 'utf8' })).toMatchObject({ status: 0 });
    }
  });
});

const startsOf = (times: Times): number[] => (times.every === 'hour' ? Array.from({ length: 24 }, (_, hour) => times.minutes.map((minute) => hour * 60 + minute)).flat() : times.hours.map((hour) => hour * 60 + times.minute));

describe('over every interval and host', () => {
  it('starts are even, never longer apart than asked, inside the day, and jobs of one host never start together', () => {
    const intervals = fc.oneof(fc.integer({ min: 5, max: 1440 }).map((n) => `${n}m`), fc.integer({ min: 1, max: 24 }).map((n) => `${n}h`));
    fc.assert(fc.property(intervals, fc.string(), (asked, hostId) => {
      const interval = parseInterval(asked);
      const wanted = Number.parseInt(asked, 10) * (asked.endsWith('h') ? 60 : 1);
      expect(interval.minutes).toBeLessThanOrEqual(wanted);
      expect(interval.minutes * 2).toBeGreaterThanOrEqual(Math.min(wanted, 24 * 60));
      const all = [0, 1, 2].map((index) => startsOf(timesOf(hostId, interval, index)));
      for (const starts of all) {
        expect(starts.length).toBe(1440 / interval.minutes);
        expect(starts.every((start, i) => start >= 0 && start < 1440 && (i === 0 || start - (starts[i - 1] ?? 0) === interval.minutes))).toBe(true);
      }
      expect(new Set(all.flat()).size).toBe(all.flat().length);
      const jobs = jobsFor(undefined, ['evidence', 'receipts']);
      for (const { text } of renderSchedule(input('launchd', { interval, hostId, jobs })).files) expect(parsePlist(text)).toBeTypeOf('object');
      for (const { text } of renderSchedule(input('schtasks', { interval, hostId, jobs })).files) expect(only(parseXml(text), 'StartBoundary').text).toMatch(/^2026-01-01T([01]\d|2[0-3]):[0-5]\d:00$/);
      for (const line of (renderSchedule(input('cron', { interval, hostId, jobs })).block ?? '').split('\n').slice(1, -2)) expect(line).toMatch(/^[0-9]{1,2}(,[0-9]{1,2})* (\*|[0-9,]+) \* \* \* \//);
    }), { numRuns: 300 });
  });
  it('is stable for a host and spread over many', () => {
    expect(timesOf('x', parseInterval('1h'), 0)).toEqual(timesOf('x', parseInterval('1h'), 0));
    expect(new Set(Array.from({ length: 600 }, (_, i) => JSON.stringify(timesOf(`host ${i}`, parseInterval('1h'), 0)))).size).toBe(60);
  });
  it.each(['4m', '25h', '1441m', '0m', '15', '15s', '1d', '-5m', '5.5m', ''])('refuses the interval %j', (asked) => {
    expect(() => parseInterval(asked)).toThrow(/between 5m and 24h/);
  });
});

describe('what a scheduler would expand', () => {
  it.each(['/home/a$b/p', '/home/a%b/p', '/home/a`b/p', "/home/a'b/p", '/home/a"b/p', '/home/a\nb/p', '/home/a\\b/p'])('is refused in a path: %j', (launcher) => {
    for (const kind of ['systemd', 'launchd', 'cron'] as const) expect(() => renderSchedule(input(kind, { launcher }))).toThrow(/expand/);
  });
  it.each(['a; b', 'a $(b)', 'workstation update > x', "'a'", 'hook x pre-tool', ''])('is refused in a command: %j', (command) => {
    expect(() => jobsFor(command, [])).toThrow(/plain words/);
  });
});

describe('the block in a crontab', () => {
  const block = renderSchedule(input('cron')).block ?? '';
  it('comes and goes without another character', () => {
    const lines = fc.array(fc.constantFrom('MAILTO=me', '# mine', '*/5 * * * * /x %y', '', '  odd  '), { maxLength: 6 });
    fc.assert(fc.property(lines, lines, (above, below) => {
      const end = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
      expect(withBlock(withBlock(end(above), block), undefined)).toBe(end(above));
      const both = end(above) + block.replace('7,22', '8,23') + end(below);
      expect(withBlock(both, block)).toBe(end(above) + block + end(below));
      expect(withBlock(both, undefined)).toBe(end(above) + end(below));
    }));
    expect(withBlock('x', block)).toBe(`x\n${block}`);
  });
  it.each([[CRON_BEGIN], [CRON_END], [CRON_END, CRON_BEGIN], [CRON_BEGIN, CRON_END, CRON_BEGIN, CRON_END]])('markers that are damaged are refused', (...lines) => {
    expect(() => withBlock(`${lines.join('\n')}\n`, block)).toThrow(/markers/);
  });
});
