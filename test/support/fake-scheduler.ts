// A scheduler of another system, or of this one, as a program on PATH: it records its arguments and remembers what it was told, so
// that install and remove are run as they are, and only the scheduler itself is not there.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realHost, type Host } from '../../src/host.ts';
import type { Platform } from '../../src/model/client.ts';
import type { World } from './cli.ts';
import { CALLS } from './hosts.ts';

export const PROGRAMS = ['systemctl', 'launchctl', 'schtasks', 'crontab'] as const;

/** Remembers jobs in `jobs.json`, the table in `table`; a word in `fail` makes every command line with it fail. */
const SCRIPT = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const [dir, program, ...args] = process.argv.slice(2);
const at = (name) => dir + '/' + name;
appendFileSync(at('argv'), JSON.stringify([program, ...args]) + '\\n');
const read = (name, none) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : none);
const fail = read('fail', '');
if (fail !== '' && args.includes(fail)) { process.stderr.write('refused by the fake\\n'); process.exit(5); }
const jobs = new Map(Object.entries(JSON.parse(read('jobs.json', '{}'))));
const end = (code, text = '') => { writeFileSync(at('jobs.json'), JSON.stringify(Object.fromEntries(jobs))); process.stdout.write(text); process.exit(code); };
const last = args.at(-1);
if (program === 'systemctl') {
  const verb = args[1];
  if (verb === 'is-enabled') end(jobs.has(last) ? 0 : 1, jobs.has(last) ? 'enabled\\n' : 'disabled\\n');
  if (verb === 'is-active') end(jobs.has(last) ? 0 : 3, jobs.has(last) ? 'active\\n' : 'inactive\\n');
  if (verb === 'enable') jobs.set(last, '');
  if (verb === 'disable') jobs.delete(last);
  end(0);
}
if (program === 'launchctl') {
  const label = (text) => text.split('/').at(-1).replace(/\\.plist$/, '');
  if (args[0] === 'print') end(jobs.has(label(last)) ? 0 : 113);
  if (args[0] === 'bootout') end(jobs.delete(label(last)) ? 0 : 3);
  if (jobs.has(label(last))) { process.stderr.write('already bootstrapped\\n'); end(5); }
  jobs.set(label(last), '');
  end(0);
}
if (program === 'schtasks') {
  const name = args[args.indexOf('/TN') + 1];
  if (args[0] === '/Query') end(jobs.has(name) ? 0 : 1, jobs.get(name) ?? '');
  if (args[0] === '/Delete') end(jobs.delete(name) ? 0 : 1);
  jobs.set(name, readFileSync(dir + '/..' + args[args.indexOf('/XML') + 1].replace(/^C:/, '/C').replaceAll('\\\\', '/'), 'utf8'));
  end(0);
}
if (args[0] === '-l') {
  if (!existsSync(at('table'))) { process.stderr.write('no crontab for dev\\n'); process.exit(1); }
  process.stdout.write(readFileSync(at('table'), 'utf8'));
} else writeFileSync(at('table'), readFileSync(0, 'utf8'));
`;

export interface FakeScheduler {
  /** The command lines since the last call, without the questions. */
  readonly told: () => string[];
  readonly asked: () => string[];
  readonly set: (name: 'fail' | 'jobs.json' | 'table', text: string) => void;
  readonly get: (name: 'jobs.json' | 'table') => string;
}

const QUESTIONS = /^(systemctl --user is-|launchctl print|schtasks \/Query|crontab -l)/;

export function fakeScheduler(where: World): FakeScheduler {
  const dir = join(where.root, 'scheduler');
  mkdirSync(dir);
  writeFileSync(join(dir, 'fake.mjs'), SCRIPT);
  for (const program of PROGRAMS) {
    const path = join(where.root, 'bin', program);
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${join(dir, 'fake.mjs')}' '${dir}' ${program} "$@"\n`);
    chmodSync(path, 0o755);
  }
  const lines = (): string[] => (existsSync(join(dir, 'argv')) ? readFileSync(join(dir, 'argv'), 'utf8').trimEnd().split('\n').filter(Boolean).map((line) => (JSON.parse(line) as string[]).join(' ')) : []);
  const since = (keep: (line: string) => boolean): string[] => {
    const found = lines().filter(keep);
    writeFileSync(join(dir, 'argv'), '');
    return found;
  };
  return {
    told: () => since((line) => !QUESTIONS.test(line)), asked: () => since((line) => QUESTIONS.test(line)),
    set: (name, text) => writeFileSync(join(dir, name), text), get: (name) => readFileSync(join(dir, name), 'utf8'),
  };
}

/** A host of another system on this disk: drive C of Windows is a directory of the world. */
export function hostOf(where: World, platform: Platform, env: Record<string, string> = {}): Host {
  const host = realHost({ env: { ...where.env, ...env }, cwd: where.project, platform, pid: 0 });
  if (platform !== 'win32') return host;
  const here = (value: unknown): unknown => (typeof value === 'string' && value.startsWith('C:\\') ? join(where.root, 'C', ...value.slice(3).split('\\')) : value);
  const mapped: Record<string, unknown> = { ...host, cwd: 'C:\\project' };
  for (const name of CALLS) {
    const real = host[name] as (...args: unknown[]) => unknown;
    mapped[name] = (...args: unknown[]): unknown => real(...args.map(here));
  }
  return mapped as unknown as Host;
}
