// The commands of docs/fork.md, run one after the other with the built program against bare repositories.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repo } from '../support/cli.ts';
import { gitEnv, newRepo, sh, tempDir, write } from '../support/git.ts';

const blocks = [...readFileSync(join(repo, 'docs/fork.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

it('run as they stand', () => {
  const root = tempDir();
  const [work, upstream, fork, bin] = [join(root, 'work'), join(root, 'public/praetorctl.git'), join(root, 'acme/praetorctl.git'), join(root, 'bin')];
  const names = ['.gitignore', 'package.json', 'LICENSE', 'README.md', 'CHANGELOG.md', 'bin/package.json', 'bin/praetorctl', ...readdirSync(join(repo, 'schemas')).map((name) => `schemas/${name}`)];
  write(work, Object.fromEntries(names.map((name) => [name, readFileSync(join(repo, name), 'utf8')])));
  chmodSync(join(work, 'bin/praetorctl'), 0o755);
  newRepo(work);
  mkdirSync(join(root, 'public'));
  sh(root, ['clone', '-q', '--bare', work, upstream]);
  sh(root, ['init', '-q', '--bare', '-b', 'main', fork]);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(root, 'key')]);
  write(bin, { praetorctl: `#!/bin/sh\nexec '${process.execPath}' '${join(repo, 'bin/praetorctl')}' "$@"\n` });
  chmodSync(join(bin, 'praetorctl'), 0o755);
  write(root, { '.gitconfig': '[user]\n\tname = Operator\n\temail = operator@example.org\n' });
  const [variables, ...steps] = blocks;
  expect(variables).toMatch(/^UPSTREAM=.*\nFORK=.*\nKEY=.*\nBUILD=.*\n$/);
  expect(steps.length).toBe(3);
  const dist = join(repo, 'dist');
  const env = {
    ...gitEnv(root), PATH: `${bin}:${gitEnv(root)['PATH'] ?? ''}`, PRAETORCTL_STATE_DIR: join(root, 'state'), UPSTREAM: upstream, FORK: fork, KEY: join(root, 'key'),
    BUILD: `mkdir dist && cp '${dist}'/*.cjs '${dist}'/*.json '${dist}'/*.txt dist/`,
  };
  // Between the steps upstream moves on, and the fork's own settings.
  const between = `cd '${work}' && echo new >> README.md && git -c user.name=x -c user.email=x@example.org commit -q -am new && git push -q '${upstream}' main && cd - >/dev/null\n`;
  const script = `set -e\n${steps[0] ?? ''}${between}${steps[1] ?? ''}${between}${steps[2] ?? ''}`;
  const out = execFileSync('sh', ['-c', script], { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  expect(out).toContain('sync possible: 1 behind');
  expect(out).toMatch(/promoted [0-9a-f]{16} \(.*\) as sequence 1/);
  expect(out).toMatch(/waits for review \(refs\/heads\/praetor\/candidate\/[0-9a-f]{40}\)/);
  expect(sh(fork, ['for-each-ref', '--format=%(refname)']).split('\n').map((name) => name.replace(/[0-9a-f]{40}/, 'COMMIT'))).toEqual(['refs/heads/main', 'refs/heads/praetor/candidate/COMMIT', 'refs/notes/praetor/receipts', 'refs/praetor/artifacts/COMMIT']);
});
