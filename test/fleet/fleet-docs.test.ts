// The commands of docs/fleet.md in their order with the built program: an operator, an auditor and three workstations with homes of their
// own, a public upstream, and two bare repositories. Only the user's scheduler is a program that records what it is told.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repo, type World } from '../support/cli.ts';
import { fakeScheduler } from '../support/fake-scheduler.ts';
import { gitEnv, newRepo, sh, tempDir, write } from '../support/git.ts';

const ROLES = ['variables', 'operator', 'workstation', 'auditor'] as const;
const blocks = [...readFileSync(join(repo, 'docs/fleet.md'), 'utf8').matchAll(/```sh(?: (\w+))?\n([\s\S]*?)```/g)].map(([, role, text]) => ({ role: ROLES.find((one) => one === role), text: text ?? '' }));
const STATIONS = ['one', 'two', 'three'] as const;

/** Upstream as it is published, without its sources: what is built is put there by the build step. */
function publishUpstream(root: string): { readonly work: string; readonly upstream: string } {
  const [work, upstream] = [join(root, 'work'), join(root, 'public/praetorctl.git')];
  const names = ['.gitignore', 'package.json', 'LICENSE', 'README.md', 'CHANGELOG.md', 'bin/package.json', 'bin/praetorctl', ...readdirSync(join(repo, 'schemas')).map((name) => `schemas/${name}`)];
  write(work, Object.fromEntries(names.map((name) => [name, readFileSync(join(repo, name), 'utf8')])));
  chmodSync(join(work, 'bin/praetorctl'), 0o755);
  newRepo(work);
  mkdirSync(join(root, 'public'));
  sh(root, ['clone', '-q', '--bare', work, upstream]);
  return { work, upstream };
}

function program(path: string, text: string): void {
  write(join(path, '..'), { [path.slice(path.lastIndexOf('/') + 1)]: text });
  chmodSync(path, 0o755);
}

function placeOf(root: string, name: string): World {
  const own = join(root, name);
  for (const dir of ['home', 'bin']) mkdirSync(join(own, dir), { recursive: true });
  return { root: own, home: join(own, 'home'), project: own, env: {} };
}

it('run as they stand, and every command ends with 0', () => {
  const root = tempDir();
  const { work, upstream } = publishUpstream(root);
  for (const dir of ['acme', 'shared']) mkdirSync(join(root, dir));
  for (const name of ['acme/praetorctl.git', 'acme/evidence.git']) sh(root, ['init', '-q', '--bare', '-b', 'main', join(root, name)]);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(root, 'key')]);
  const dist = join(repo, 'dist');
  // Node for the first start, and the program for those who have it: the operator and the auditor.
  program(join(root, 'node/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  program(join(root, 'tools/praetorctl'), `#!/bin/sh\nexec '${process.execPath}' '${join(repo, 'bin/praetorctl')}' "$@"\n`);
  const schedulers = Object.fromEntries(STATIONS.map((name) => [name, fakeScheduler(placeOf(root, name))]));
  const variables = {
    UPSTREAM: upstream, FORK: join(root, 'acme/praetorctl.git'), EVIDENCE: `file://${join(root, 'acme/evidence.git')}`, KEY: join(root, 'key'), SHARED: join(root, 'shared'),
    // Without the program that makes code caches: nine times three seconds that show nothing about the commands.
    BUILD: `mkdir dist && cp '${dist}'/*.cjs '${dist}'/*.json '${dist}'/*.txt dist/ && rm dist/warm.cjs`, GATE: 'node bin/praetorctl --version',
  };
  const run = (name: string, text: string): string => {
    const { root: own, home } = placeOf(root, name);
    const isStation = schedulers[name] !== undefined;
    write(home, { '.gitconfig': '[user]\n\tname = Somebody\n\temail = somebody@example.org\n' });
    const path = [...(isStation ? [join(home, '.local/bin'), join(own, 'bin')] : [join(root, 'tools')]), join(root, 'node'), '/usr/bin', '/bin'].join(':');
    const env = { ...gitEnv(home), PATH: path, ...variables };
    try {
      return execFileSync('sh', ['-e', '-c', text], { cwd: home, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
      throw new Error(`${name}:\n${text}\n${String((error as { stdout?: unknown }).stdout)}\n${String((error as { stderr?: unknown }).stderr)}`, { cause: error });
    }
  };
  const status = (name: string): Record<string, unknown> => JSON.parse(run(name, 'praetorctl workstation status --json || test $? -eq 3')) as Record<string, unknown>;

  expect(blocks.every(({ role }) => role !== undefined)).toBe(true);
  expect(blocks.map(({ role }) => role).filter((role, i, all) => role !== all[i - 1])).toEqual(['variables', 'operator', 'workstation', 'operator', 'auditor', 'operator', 'workstation', 'operator', 'workstation', 'auditor']);
  expect([...(blocks[0]?.text ?? '').matchAll(/^(\w+)=/gm)].map(([, name]) => name)).toEqual(Object.keys(variables));
  const said: string[] = [];
  for (const { role, text } of blocks.slice(1)) {
    // Upstream moves on where the operator fetches it.
    if (text.includes('git fetch -q upstream')) {
      write(work, { 'README.md': 'new\n' });
      sh(work, ['commit', '-q', '-a', '-m', 'new']);
      sh(work, ['push', '-q', upstream, 'main']);
    }
    for (const name of role === 'workstation' ? STATIONS : [role ?? '']) said.push(run(name, text));
  }
  const all = said.join('');
  expect(all).toMatch(/updated from [0-9a-f]{16} to [0-9a-f]{16}/);
  expect(all.match(/^3 host\(s\), \d+ new receipt\(s\), 0 finding\(s\)/gm)).toHaveLength(2);
  expect(STATIONS.map((name) => status(name)['state'])).toEqual(['current', 'current', 'current']);
  for (const scheduler of Object.values(schedulers)) expect(scheduler.told().filter((line) => line.includes('enable'))).toEqual(['update', 'receipts'].map((job) => `systemctl --user enable --now praetorctl-${job}.timer`));
  expect(sh(join(root, 'acme/evidence.git'), ['for-each-ref', '--format=%(refname)']).split('\n')).toHaveLength(3);
}, 240_000);
