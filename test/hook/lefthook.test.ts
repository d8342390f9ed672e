// Contract: the dialect for git hook managers and people, and the real lefthook and husky from npm in a real repository with a
// commit that is refused. Skipped with a line on stderr where npm cannot be reached.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { lefthookDialect } from '../../src/clients/lefthook/dialect.ts';
import { DIALECTS, dialectFor } from '../../src/clients/dialects.ts';
import { CANONICAL_EVENTS } from '../../src/model/events.ts';
import { compile, last, policy, put, station, type Station } from './operator-support.ts';
import { BIN, buildHook, temporary } from './support.ts';

const SETTINGS = policy("deny:\n  - { id: secrets, paths: ['secrets/**', '**/*.pem'], reason: Keys do not belong into a repository. }\nask:\n  - { program: make, args: [deploy] }");
const VERSIONS = { lefthook: '2.2.2', husky: '9.1.7' };

interface Ran { readonly code: number | null; readonly out: string; readonly err: string }

function hook(at: Station, words: readonly string[], input = '', event = 'pre-tool'): Ran {
  const ran = spawnSync(process.execPath, [BIN, 'hook', 'lefthook', event, ...words], { input, encoding: 'utf8', cwd: at.workspace, env: { PATH: process.env['PATH'] ?? '', ...at.env } });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

function ready(): Station {
  const at = station();
  compile(at, SETTINGS);
  return at;
}

beforeAll(buildHook);

describe('by hand', () => {
  test('a command: exit 0 with one marker line, or exit 1 with the reason', () => {
    const at = ready();
    expect(hook(at, ['--command', 'git status'])).toEqual({ code: 0, out: 'praetorctl: ok (lefthook pre-tool)\n', err: '' });
    const refused = hook(at, ['--command', 'git push --force']);
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^praetorctl: .*git\.push\.force.*\n$/) });
    expect(last(at)).toMatchObject({ client: 'lefthook', caller: 'unknown', verdict: 'deny', rule: 'git.push.force', workspace: at.workspace });
  });

  test('nobody can be asked: ask refuses too', () => {
    expect(hook(ready(), ['--command', 'make deploy'])).toMatchObject({ code: 1, err: expect.stringContaining('operator.ask-1') });
  });

  test('paths, relative to the current directory', () => {
    const at = ready();
    expect(hook(at, ['--paths', 'src/a.ts', 'README.md'])).toMatchObject({ code: 0 });
    expect(hook(at, ['--paths'])).toMatchObject({ code: 0 });
    expect(hook(at, ['--paths', '--', 'secrets/a'])).toMatchObject({ code: 1, err: expect.stringContaining('Keys do not belong') });
    expect(hook(at, ['--paths', 'src/a.ts', 'deep/x/key.pem'])).toMatchObject({ code: 1 });
  });

  test('the same as one document on standard input', () => {
    const at = ready();
    expect(hook(at, [], JSON.stringify({ command: 'ls', cwd: at.workspace }))).toMatchObject({ code: 0 });
    expect(hook(at, [], JSON.stringify({ paths: ['secrets/x'], cwd: at.workspace }))).toMatchObject({ code: 1 });
    expect(hook(at, [], JSON.stringify({ command: 'git push -f' }))).toMatchObject({ code: 1 });
  });

  test.each([
    [['--nonsense'], ''], [['--command'], ''], [['--command', 'a', 'b'], ''], [[], ''], [[], '{}'], [[], '{"command": 1}'], [[], '{"command":"a","paths":[]}'], [[], '{"paths":"a"}'], [[], '{"paths":[1]}'], [[], '[]'], [[], 'not json'],
  ])('%j with input %j is refused, never taken for a pass', (words, input) => {
    expect(hook(ready(), words, input)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^praetorctl: .+\n$/) });
  });

  test('other events have nothing to refuse', () => {
    expect(hook(ready(), [], '{}', 'stop')).toMatchObject({ code: 0, out: 'praetorctl: ok (lefthook stop)\n' });
  });
});

describe('the dialect', () => {
  test('is found by its names and is no client', () => {
    expect(dialectFor('lefthook')).toBe(lefthookDialect);
    expect(dialectFor('git-hook')).toBe(lefthookDialect);
    expect(DIALECTS).not.toContain(lefthookDialect);
  });

  test('never exits 2, and never answers a refusal with exit 0', () => {
    const payload = { client: 'lefthook', event: 'pre-tool' as const, stopActive: false, subagent: false, caller: 'unknown' };
    for (const event of CANONICAL_EVENTS) {
      expect(lefthookDialect.encode(event, { decision: 'deny' }, payload).exit).toBe(1);
      expect(lefthookDialect.encode(event, { decision: 'ask' }, payload).exit).toBe(1);
      expect(lefthookDialect.encodeError(event, 'x').exit).toBe(1);
      expect(lefthookDialect.encode(event, { decision: 'neutral' }, payload)).toEqual(lefthookDialect.neutral(event));
    }
  });
});

// ---- the real managers ----

/** node_modules with both, or undefined where the registry cannot be reached. */
let modules: string | undefined;

beforeAll(() => {
  const place = temporary();
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  const { NODE_EXTRA_CA_CERTS: _ca, ...env } = process.env;
  const ran = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0', '--fetch-timeout=20000', ...Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`)], { cwd: place, env, encoding: 'utf8', timeout: 120_000 });
  if (ran.status === 0) modules = join(place, 'node_modules');
  else process.stderr.write('lefthook.test: npm cannot be reached, so the real lefthook and husky are not tested in this run\n');
}, 150_000);

interface Repository { readonly at: Station; readonly git: (...words: string[]) => Ran; readonly run: (program: string, ...words: string[]) => Ran }

function repository(bin: string): Repository {
  const at = ready();
  const own = join(at.root, 'bin');
  mkdirSync(own);
  writeFileSync(join(own, 'praetorctl'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(join(own, 'praetorctl'), 0o755);
  const env = { PATH: `${own}:${bin}:${process.env['PATH'] ?? ''}`, ...at.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' };
  const start = (program: string, ...words: string[]): Ran => {
    const ran = spawnSync(program, words, { cwd: at.workspace, env, encoding: 'utf8', timeout: 60_000 });
    return { code: ran.status, out: ran.stdout, err: ran.stderr };
  };
  expect(start('git', 'init', '-q', '-b', 'main').code).toBe(0);
  return { at, git: (...words) => start('git', ...words), run: start };
}

function commits({ at, git }: Repository): void {
  put(join(at.workspace, 'README.md'), 'hello\n');
  git('add', 'README.md');
  const good = git('commit', '-qm', 'first');
  expect([good.code, good.err]).toMatchObject([0, expect.any(String)]);
  expect(last(at)).toMatchObject({ client: 'lefthook', verdict: 'neutral' });
  put(join(at.workspace, 'secrets', 'key'), 'x\n');
  put(join(at.workspace, 'with blank.md'), 'x\n');
  git('add', 'secrets', 'with blank.md');
  const refused = git('commit', '-qm', 'second');
  expect(refused.code).not.toBe(0);
  expect(refused.out + refused.err).toContain('Keys do not belong into a repository.');
  expect(last(at)).toMatchObject({ client: 'lefthook', verdict: 'deny', rule: 'operator.secrets' });
  expect(git('log', '--format=%s').out).toBe('first\n');
}

test('lefthook: a commit is let through and one is refused', (context) => {
  if (modules === undefined) return context.skip();
  const repo = repository(join(modules, '.bin'));
  put(join(repo.at.workspace, 'lefthook.yml'), 'pre-commit:\n  commands:\n    praetorctl:\n      run: praetorctl hook lefthook pre-tool --paths {staged_files}\n');
  const installed = repo.run('lefthook', 'install');
  expect(installed).toMatchObject({ code: 0 });
  commits(repo);
}, 120_000);

test('husky: a commit is let through and one is refused', (context) => {
  if (modules === undefined) return context.skip();
  const repo = repository(join(modules, '.bin'));
  symlinkSync(modules, join(repo.at.workspace, 'node_modules'));
  put(join(repo.at.workspace, '.gitignore'), 'node_modules\n');
  put(join(repo.at.workspace, 'package.json'), '{"private":true}\n');
  expect(repo.run('husky')).toMatchObject({ code: 0 });
  put(join(repo.at.workspace, '.husky', 'pre-commit'), 'git diff --cached --name-only -z | xargs -0 praetorctl hook lefthook pre-tool --paths\n');
  commits(repo);
}, 120_000);

test('plain git: a hook that is one line', () => {
  const repo = repository('/usr/bin');
  const file = join(repo.at.workspace, '.git', 'hooks', 'pre-commit');
  put(file, '#!/bin/sh\ngit diff --cached --name-only -z | xargs -0 praetorctl hook lefthook pre-tool --paths\n');
  chmodSync(file, 0o755);
  commits(repo);
});
