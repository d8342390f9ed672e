// Real repositories in temporary directories. Git runs with a home of its own; nothing of the machine's configuration counts.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { realHost, type Host } from '../../src/host.ts';

const made: string[] = [];
afterAll(() => { for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true }); });

export function tempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'praetorctl-git-')));
  made.push(dir);
  return dir;
}

/** What git finds here, and nothing else. */
export function gitEnv(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', TMPDIR: process.env['TMPDIR'] ?? tmpdir() };
}

export function gitHost(home: string, cwd: string, env: Record<string, string> = {}): Host {
  return realHost({ env: { ...gitEnv(home), ...env }, cwd });
}

/** Plain git, as a person would use it. Answers its output without the last line end. */
export function sh(cwd: string, args: readonly string[], input?: string): string {
  const env = { ...gitEnv(cwd), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'T', GIT_AUTHOR_EMAIL: 't@example.org', GIT_COMMITTER_NAME: 'T', GIT_COMMITTER_EMAIL: 't@example.org' };
  return execFileSync('git', [...args], { cwd, env, encoding: 'utf8', input: input ?? '', stdio: ['pipe', 'pipe', 'pipe'] }).replace(/\n$/, '');
}

export function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

export function commitAll(root: string, message: string): string {
  sh(root, ['add', '-A']);
  sh(root, ['commit', '-q', '--allow-empty', '-m', message]);
  return sh(root, ['rev-parse', 'HEAD']);
}

export function newRepo(root: string, files: Readonly<Record<string, string>> = {}): string {
  mkdirSync(root, { recursive: true });
  sh(root, ['init', '-q', '-b', 'main']);
  write(root, files);
  return commitAll(root, 'first');
}
