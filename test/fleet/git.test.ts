// Real git: what the caller's environment and a repository's own configuration may not do to a call of ours.
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PraetorError } from '../../src/model/diagnostic.ts';
import { commitOf, git, gitBlob, gitFields, gitLine, isAncestor, redirectingVariables, remoteRefs, runGit, withoutCredentials } from '../../src/fleet/git.ts';
import { commitAll, gitHost, newRepo, sh, tempDir, write } from '../support/git.ts';

function failure(run: () => unknown): { code: string; message: string; fix: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof PraetorError) return error.diagnostic;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a call of git', () => {
  it('reads the repository it is told, whatever GIT_* of the caller says', () => {
    const root = tempDir();
    const [one, other] = [join(root, 'one'), join(root, 'other')];
    const first = newRepo(one, { a: '1' });
    newRepo(other, { b: '2' });
    const host = gitHost(root, one, {
      GIT_DIR: join(other, '.git'), GIT_INDEX_FILE: join(root, 'no-index'), GIT_WORK_TREE: other, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'alias.x', GIT_CONFIG_VALUE_0: 'y', GIT_SSH_COMMAND: 'x', GIT_TRACE: '1',
    });
    expect(gitLine({ host, cwd: one }, ['rev-parse', 'HEAD'])).toBe(first);
    expect(gitFields({ host, cwd: one }, ['ls-files', '-z'])).toEqual(['a']);
    expect(redirectingVariables(host)).toEqual(['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0', 'GIT_DIR', 'GIT_INDEX_FILE', 'GIT_WORK_TREE']);
    expect(redirectingVariables(gitHost(root, one, { GIT_AUTHOR_NAME: 'x', GIT_PAGER: 'less' }))).toEqual([]);
  });

  it('runs no hook and no file system monitor of the repository, and reads the account only when asked', () => {
    const root = tempDir();
    const repo = join(root, 'repo');
    newRepo(repo, { a: '1' });
    const mark = join(root, 'ran');
    write(repo, { '.git/hooks/pre-commit': `#!/bin/sh\ntouch '${mark}'\nexit 1\n`, '.git/hooks/fsm': `#!/bin/sh\ntouch '${mark}'\n` });
    for (const name of ['pre-commit', 'fsm']) chmodSync(join(repo, '.git/hooks', name), 0o755);
    sh(repo, ['config', 'core.fsmonitor', join(repo, '.git/hooks/fsm')]);
    write(root, { '.gitconfig': '[user]\n\tname = Account\n\temail = account@example.org\n[core]\n\thooksPath = nowhere\n' });
    const place = { host: gitHost(root, repo), cwd: repo };
    write(repo, { a: '2' });
    expect(git(place, ['status', '--porcelain'])).toBe(' M a\n');
    expect(runGit(place, ['config', 'user.name']).code).toBe(1);
    expect(gitLine(place, ['config', 'user.name'], { account: true })).toBe('Account');
    git(place, ['commit', '-q', '-a', '-m', 'x'], { account: true, date: '2020-01-01T00:00:00Z' });
    expect(gitLine(place, ['log', '-1', '--format=%an %ae %ct'])).toBe('Account account@example.org 1577836800');
    expect(existsSync(mark)).toBe(false);
  });

  it('does not look at replacement objects', () => {
    const root = tempDir();
    const first = newRepo(root, { a: '1' });
    write(root, { a: '2' });
    const second = commitAll(root, 'second');
    sh(root, ['replace', second, first]);
    const place = { host: gitHost(root, root), cwd: root };
    expect(sh(root, ['log', '-1', '--format=%s', second])).toBe('first');
    expect(gitLine(place, ['log', '-1', '--format=%s', second])).toBe('second');
    expect([isAncestor(place, first, second), isAncestor(place, second, first)]).toEqual([true, false]);
    expect([commitOf(place, 'main'), commitOf(place, 'no-such'), commitOf(place, '--all')]).toEqual([second, undefined, undefined]);
    expect(failure(() => isAncestor(place, '0'.repeat(40), second)).code).toBe('git-failed');
  });

  it('gives back every byte of an object, and answers which references a server has', () => {
    const root = tempDir();
    const bytes = Uint8Array.from({ length: 512 }, (_v, i) => (i * 7) % 256);
    newRepo(root);
    const place = { host: gitHost(root, root), cwd: root };
    place.host.writeNew(join(root, 'b'), bytes, 0o644);
    const head = commitAll(root, 'bytes');
    expect(Uint8Array.from(gitBlob(place, 'HEAD:b'))).toEqual(bytes);
    sh(root, ['update-ref', 'refs/x/refs/heads/main', head]);
    expect([...remoteRefs(place, root, ['refs/heads/main', 'refs/heads/none'])]).toEqual([['refs/heads/main', head]]);
  });

  it('is bounded, starts no helper of a URL, and says short and without credentials what failed', () => {
    const root = tempDir();
    newRepo(root, { a: 'x'.repeat(5000) });
    const place = { host: gitHost(root, root), cwd: root };
    expect(failure(() => gitBlob(place, 'HEAD:a', 4999)).code).toBe('git-bounds');
    expect(gitBlob(place, 'HEAD:a', 5000).length).toBe(5000);
    expect(failure(() => git(place, ['cat-file', '--batch'], { timeoutMs: 1 })).code).toBe('git-bounds');
    expect(failure(() => git({ ...place, cwd: join(root, 'none') }, ['status'])).message).toBe('there is no such directory');
    expect(failure(() => git({ host: gitHost(root, root, { PATH: '/nowhere' }), cwd: root }, ['status'])).code).toBe('git-unavailable');
    const mark = join(root, 'ran');
    expect(failure(() => remoteRefs(place, `ext::sh -c "touch '${mark}'"`, ['refs/heads/main'])).message).toMatch(/transport 'ext' not allowed/);
    expect(existsSync(mark)).toBe(false);
    const missing = failure(() => git(place, ['cat-file', 'blob', 'HEAD:none']));
    expect(missing.message).toMatch(/^git cat-file failed \(exit 128\): fatal: /);
    expect(withoutCredentials("fatal: unable to access 'https://me:s3cret@example.org/x.git/' and ssh://u@h/p")).toBe("fatal: unable to access 'https://***@example.org/x.git/' and ssh://***@h/p");
  });
});
