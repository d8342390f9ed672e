// `fork init` and `fork plan` on real repositories: what a fork may be, and every hostile input by its rule.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identityOf, parseManifest } from '../../src/fleet/fork-manifest.ts';
import { differenceFindings, ownerFindings, upstreamFindings, OWNER_FILE_BYTES_MAX, OWNER_FILES_MAX, type TreeEntry } from '../../src/fleet/fork-tree.ts';
import { repo } from '../support/cli.ts';
import { commitAll, sh, tempDir, write } from '../support/git.ts';
import { ENGINE, fork, freshFork, operatedFork, publish, type ForkWorld } from '../support/fork.ts';

const plan = (world: ForkWorld, more: readonly string[] = [], env: Record<string, string> = {}) => fork(world, ['plan', '--json', ...more], env);
const head = (world: ForkWorld): string => sh(world.checkout, ['rev-parse', 'HEAD']);

describe('fork init', () => {
  it('writes the owner files, stages and commits nothing, and leaves HEAD where it is', async () => {
    const world = freshFork();
    const before = head(world);
    const made = await fork(world, ['init', '--json']);
    expect([made.code, made.json['repository'], made.json['source']]).toEqual([0, 'acme/praetorctl', 'pub/praetorctl']);
    expect(head(world)).toBe(before);
    expect(sh(world.checkout, ['status', '--porcelain'])).toBe('');
    expect(sh(world.checkout, ['status', '--porcelain', '--ignored', '--untracked-files=all']).split('\n')).toEqual(['fleet.yaml', 'fork.json', 'hosts.allowed'].map((name) => `!! .config/operator/${name}`));
    sh(world.checkout, ['add', '-f', '.config/operator']);
    expect(sh(world.checkout, ['diff', '--cached', '--name-status']).split('\n').sort()).toEqual(['fleet.yaml', 'fork.json', 'hosts.allowed'].map((name) => `A\t.config/operator/${name}`));
  });

  it('takes names from flags where there are no remotes, and refuses names that say nothing', async () => {
    const world = freshFork();
    sh(world.checkout, ['remote', 'remove', 'upstream']);
    expect((await fork(world, ['init'])).code).toBe(64);
    for (const bad of [['--source', 'no-slash'], ['--source', 'acme/praetorctl'], ['--source', 'a/b c'], ['--source', 'pub/praetorctl', '--repository', 'PUB/Praetorctl']]) expect((await fork(world, ['init', ...bad])).code).toBe(64);
    expect(existsSync(join(world.checkout, '.config'))).toBe(false);
    const made = await fork(world, ['init', '--json', '--source', 'pub/praetorctl', '--owner', 'other']);
    expect([made.code, made.json['repository']]).toEqual([0, 'other/praetorctl']);
  });

  it('refuses an unclean checkout with 4, and a second time with 1, committed or not', async () => {
    const world = freshFork();
    write(world.checkout, { stray: '1' });
    const unclean = await fork(world, ['init']);
    expect([unclean.code, unclean.err]).toEqual([4, expect.stringContaining('fork-unclean') as string]);
    sh(world.checkout, ['clean', '-fdq']);
    expect((await fork(world, ['init'])).code).toBe(0);
    const second = await fork(world, ['init']);
    expect([second.code, second.err]).toEqual([1, expect.stringContaining('fork-exists') as string]);
    sh(world.checkout, ['add', '-f', '.config/operator']);
    commitAll(world.checkout, 'settings');
    expect((await fork(world, ['init'])).err).toContain('fork-exists');
  });

  it('refuses an upstream that does not ignore the prefix itself', async () => {
    const world = freshFork({ ...ENGINE, '.gitignore': 'node_modules/\n' });
    const refused = await fork(world, ['init']);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('does not ignore .config/operator/') as string]);
    // A line of this checkout only does not protect upstream.
    writeFileSync(join(world.checkout, '.git/info/exclude'), '.config/operator/\n');
    expect((await fork(world, ['init'])).code).toBe(1);
    expect(existsSync(join(world.checkout, '.config'))).toBe(false);
  });

  it('our own repository ignores the prefix', () => {
    const dir = tempDir();
    sh(dir, ['init', '-q']);
    write(dir, { '.gitignore': ENGINE['.gitignore'] ?? '' });
    const ignored = (path: string): boolean => { try { execFileSync('git', ['check-ignore', '-q', '--no-index', '--', path], { cwd: dir }); return true; } catch { return false; } };
    expect(['.config/operator/fork.json', '.config/operator/orgs/a.yaml'].map(ignored)).toEqual([true, true]);
    expect(['.config/operators', '.config/other', 'src/x.ts'].map(ignored)).toEqual([false, false, false]);
    expect(existsSync(join(repo, '.config/operator'))).toBe(false);
  });

  it('does not follow a link on the way', async () => {
    const world = freshFork();
    const outside = join(world.root, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(world.checkout, '.config'));
    // An untracked link is a change; one that is ignored is not.
    writeFileSync(join(world.checkout, '.git/info/exclude'), '.config\n');
    expect((await fork(world, ['init'])).code).toBe(1);
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe('fork plan', () => {
  it('says up to date, and what upstream has that the fork lacks', async () => {
    const world = await operatedFork();
    const none = await plan(world);
    expect([none.code, none.json['state'], none.json['behind'], none.json['ahead']]).toEqual([0, 'up-to-date', 0, 1]);
    const source = publish(world, { 'src/y.ts': 'y\n' });
    const sync = await plan(world);
    expect([sync.code, sync.json['state'], sync.json['behind'], sync.json['source'], sync.json['owner']]).toEqual([3, 'sync-possible', 1, source, head(world)]);
    expect(sync.json['base']).toBe(none.json['base']);
    expect(sync.json['ownerFiles']).toEqual(['.config/operator/fleet.yaml', '.config/operator/fork.json', '.config/operator/hosts.allowed']);
    const text = await fork(world, ['plan']);
    expect(text.out).toContain('sync possible: 1 behind, 1 ahead, 3 owner files');
  });

  it('takes commits by their whole name only, and only those that are here', async () => {
    const world = await operatedFork();
    const owner = head(world);
    expect((await plan(world, ['--owner-commit', owner.slice(0, 12)])).code).toBe(64);
    expect((await plan(world, ['--owner-commit', 'main'])).code).toBe(64);
    expect((await plan(world, ['--source-commit', 'f'.repeat(40)])).code).toBe(1);
    expect((await plan(world, ['--owner-commit', owner])).code).toBe(0);
    sh(world.checkout, ['update-ref', '-d', 'refs/remotes/upstream/main']);
    expect((await plan(world)).code).toBe(1);
  });

  it('stands on the merged upstream after a sync, also when settings came by a merge of their own', async () => {
    const world = await operatedFork();
    const source = publish(world, { 'src/y.ts': 'y\n' });
    sh(world.checkout, ['merge', '-q', '--no-ff', '-m', 'sync', 'upstream/main']);
    sh(world.checkout, ['checkout', '-q', '-b', 'settings']);
    write(world.checkout, { '.config/operator/orgs/a.yaml': 'hooks: {}\n' });
    sh(world.checkout, ['add', '-f', '.config/operator']);
    commitAll(world.checkout, 'an organisation');
    sh(world.checkout, ['checkout', '-q', 'main']);
    sh(world.checkout, ['merge', '-q', '--no-ff', '-m', 'settings', 'settings']);
    const none = await plan(world);
    expect([none.code, none.json['base']]).toEqual([0, source]);
  });

  const hostile: readonly [string, string, (world: ForkWorld) => void][] = [
    ['an owner path that upstream adds later', 'upstream-path', (world) => {
      write(world.work, { '.config/operator/fleet.yaml': 'theirs\n' });
      sh(world.work, ['add', '-f', '.config/operator']);
      publish(world, {});
    }],
    ['an owner path of upstream in other case', 'upstream-path', (world) => { publish(world, { '.Config/Operator/x': '1' }); }],
    ['a file of upstream where the prefix needs a directory', 'upstream-path', (world) => { publish(world, { '.config': 'file' }); }],
    ['a submodule of upstream', 'submodule', (world) => {
      sh(world.work, ['update-index', '--add', '--cacheinfo', `160000,${sh(world.work, ['rev-parse', 'HEAD'])},sub`]);
      mkdirSync(join(world.work, 'sub'));
      sh(world.work, ['commit', '-q', '-m', 'sub']);
      sh(world.work, ['push', '-q', world.upstream, 'main']);
      sh(world.checkout, ['fetch', '-q', 'upstream']);
    }],
    ['a filter that an attribute of upstream selects', 'filter', (world) => { publish(world, { '.gitattributes': 'src/*.ts filter=evil\n' }); }],
    ['a changed engine file', 'difference', (world) => { write(world.checkout, { 'src/x.ts': 'mine\n' }); commitAll(world.checkout, 'x'); }],
    ['an added engine file', 'difference', (world) => { write(world.checkout, { 'src/mine.ts': '1' }); commitAll(world.checkout, 'x'); }],
    ['a changed mode of an engine file', 'difference', (world) => { chmodSync(join(world.checkout, 'src/x.ts'), 0o755); commitAll(world.checkout, 'x'); }],
    ['a file beside the prefix', 'difference', (world) => { write(world.checkout, { '.config/operator.yaml': '1', '.config/operators/a': '1' }); commitAll(world.checkout, 'x'); }],
    ['an engine file that was moved under an owner path', 'difference', (world) => {
      mkdirSync(join(world.checkout, '.config/operator/moved'));
      renameSync(join(world.checkout, 'src/x.ts'), join(world.checkout, '.config/operator/moved/x.ts'));
      sh(world.checkout, ['add', '-f', '-A', '.config/operator']);
      commitAll(world.checkout, 'x');
    }],
    ['a symbolic link as owner path', 'owner-path', (world) => { symlinkSync('/etc/passwd', join(world.checkout, '.config/operator/link')); sh(world.checkout, ['add', '-f', '.config/operator']); commitAll(world.checkout, 'x'); }],
    ['an executable owner path', 'owner-path', (world) => { chmodSync(join(world.checkout, '.config/operator/fleet.yaml'), 0o755); commitAll(world.checkout, 'x'); }],
    ['owner paths that differ only in case', 'owner-path', (world) => { write(world.checkout, { '.config/operator/FLEET.yaml': '1' }); sh(world.checkout, ['add', '-f', '.config/operator']); commitAll(world.checkout, 'x'); }],
    ['an owner file that is too large', 'owner-path', (world) => { write(world.checkout, { '.config/operator/fleet.yaml': 'x'.repeat(OWNER_FILE_BYTES_MAX + 1) }); commitAll(world.checkout, 'x'); }],
    ['a settings document that no workstation would take', 'settings', (world) => { write(world.checkout, { '.config/operator/fleet.yaml': '# x\nupdate: { interval: 1s }\n' }); commitAll(world.checkout, 'x'); }],
    ["an organisation that loosens the fleet's settings", 'settings', (world) => {
      write(world.checkout, { '.config/operator/fleet.yaml': 'hooks: { command_policy: { mode: strict } }\n', '.config/operator/orgs/a.yaml': 'hooks: { command_policy: { mode: default } }\n' });
      sh(world.checkout, ['add', '-f', '.config/operator']);
      commitAll(world.checkout, 'x');
    }],
    ['a rewritten upstream', 'rewritten', (world) => {
      sh(world.work, ['commit', '-q', '--amend', '-m', 'rewritten']);
      sh(world.work, ['push', '-q', '--force', world.upstream, 'main']);
      sh(world.checkout, ['fetch', '-q', 'upstream']);
    }],
    ['grafts', 'grafts', (world) => { writeFileSync(join(world.checkout, '.git/info/grafts'), `${head(world)}\n`); }],
    ['replacement objects', 'replace', (world) => { sh(world.checkout, ['replace', head(world), sh(world.checkout, ['rev-parse', 'HEAD^'])]); }],
    ['a partial clone', 'partial', (world) => { sh(world.checkout, ['config', 'remote.upstream.promisor', 'true']); }],
    ['another upstream than the manifest says', 'identity', (world) => { sh(world.checkout, ['remote', 'set-url', 'upstream', join(world.root, 'evil/praetorctl.git')]); }],
    ['another fork than the manifest says', 'identity', (world) => { sh(world.checkout, ['remote', 'set-url', 'origin', join(world.root, 'other/praetorctl.git')]); }],
  ];
  it.each(hostile)('refuses %s', async (_what, rule, change) => {
    const world = await operatedFork();
    expect((await plan(world)).code).toBe(0);
    change(world);
    const answer = await plan(world);
    expect([answer.code, answer.json['state'], answer.rules]).toEqual([1, 'refused', [rule]]);
    expect((answer.json['diagnostics'] as unknown[]).length).toBeGreaterThan(0);
  });

  it('names the deletion when an engine file is moved under an owner path', async () => {
    const world = await operatedFork();
    hostile.find(([what]) => what.includes('moved under'))?.[2](world);
    expect((await plan(world)).json['findings']).toEqual([{ rule: 'difference', path: 'src/x.ts', text: 'unexpected owner tree difference: the file of upstream is missing' }]);
  });

  it('refuses a rewritten upstream also after a sync', async () => {
    const world = await operatedFork();
    publish(world, { 'src/y.ts': 'y\n' });
    sh(world.checkout, ['merge', '-q', '--no-ff', '-m', 'sync', 'upstream/main']);
    expect((await plan(world)).code).toBe(0);
    sh(world.work, ['commit', '-q', '--amend', '-m', 'rewritten']);
    sh(world.work, ['push', '-q', '--force', world.upstream, 'main']);
    sh(world.checkout, ['fetch', '-q', 'upstream']);
    expect((await plan(world)).rules).toEqual(['rewritten']);
  });

  it('refuses a shallow clone', async () => {
    const world = await operatedFork();
    publish(world, { 'src/y.ts': 'y\n' });
    const shallow = join(world.root, 'shallow');
    sh(world.root, ['clone', '-q', '--depth=1', `file://${world.origin}`, shallow]);
    sh(shallow, ['remote', 'add', 'upstream', world.upstream]);
    sh(shallow, ['fetch', '-q', 'upstream']);
    expect((await fork(world, ['plan', '--json'], {}, shallow)).rules).toEqual(['shallow']);
  });

  it('lets a filter stand that is configured and that no path selects', async () => {
    const world = await operatedFork();
    sh(world.checkout, ['config', 'filter.lfs.clean', 'git-lfs clean']);
    sh(world.checkout, ['config', 'filter.lfs.required', 'true']);
    publish(world, { '.gitattributes': '*.png filter=lfs\n*.ts -filter\n' });
    expect((await plan(world)).code).toBe(3);
  });

  it.each(['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_WORK_TREE', 'GIT_OBJECT_DIRECTORY', 'GIT_CONFIG_COUNT'])('refuses to work where %s leads git elsewhere', async (name) => {
    const world = await operatedFork();
    const answer = await fork(world, ['plan'], { [name]: join(world.root, 'elsewhere') });
    expect([answer.code, answer.err]).toEqual([1, expect.stringContaining(name) as string]);
    expect(answer.err).not.toContain('/elsewhere');
  });

  it('refuses a directory that is no fork, and a manifest that is none', async () => {
    const world = freshFork();
    expect((await plan(world)).code).toBe(1);
    expect((await fork(world, ['plan'], {}, world.root)).err).toContain('no checkout');
    const operated = await operatedFork();
    for (const bad of ['', '{}', '[]', '{"schema":"praetor.fork/2","repository":"a/b","source":"c/d"}', '{"schema":"praetor.fork/1","repository":"a/b","source":"A/B"}', '{"schema":"praetor.fork/1","repository":"a","source":"c/d"}']) {
      expect(() => parseManifest(bad)).toThrow();
    }
    write(operated.checkout, { '.config/operator/fork.json': 'not json' });
    commitAll(operated.checkout, 'x');
    expect((await plan(operated)).code).toBe(1);
  });
});

describe('rules over trees', () => {
  const file = (path: string, more: Partial<TreeEntry> = {}): TreeEntry => ({ mode: '100644', id: '1', size: 1, path, ...more });

  it('compares the prefix by whole parts, and as forgiving file systems do', () => {
    const claimed = ['.config', '.config/operator', '.config/operator/x', '.CONFIG/OPERATOR/x', '.config./operator/x', '.config/operator.', '.con\u200cfig/operator/x'];
    expect(claimed.filter((path) => upstreamFindings([file(path)]).length === 0)).toEqual([]);
    expect(['.config/operators', '.config/operator.d/x', '.config/x', 'config/operator/x', 'a/.config/operator/x', '.configs'].filter((path) => upstreamFindings([file(path)]).length > 0)).toEqual([]);
  });

  it('holds the limits at and one past them', () => {
    const many = Array.from({ length: OWNER_FILES_MAX }, (_v, i) => file(`.config/operator/orgs/o${i}.yaml`));
    expect(ownerFindings(many)).toEqual([]);
    expect(ownerFindings([...many, file('.config/operator/one-more')]).length).toBe(1);
    expect(ownerFindings([file('.config/operator/a', { size: OWNER_FILE_BYTES_MAX })])).toEqual([]);
    expect(ownerFindings([file('.config/operator/a', { size: OWNER_FILE_BYTES_MAX + 1 })]).length).toBe(1);
    expect(differenceFindings([file('a'), file('b')], [file('a', { id: '2' }), file('c'), file('.config/operator/x')]).map(({ path }) => path)).toEqual(['b', 'a', 'c']);
  });

  it.each([
    ['https://example.org/acme/praetorctl.git', 'acme/praetorctl'], ['git@example.org:acme/praetorctl', 'acme/praetorctl'], ['ssh://git@example.org:22/group/acme/praetorctl.git/', 'acme/praetorctl'],
    ['C:\\repos\\acme\\praetorctl.git', 'acme/praetorctl'], ['https://user:s3cret@example.org/acme/p', 'acme/p'], ['', undefined], ['/x', undefined], ['https://example.org/a b/c', undefined],
  ])('the identity of %s is %s', (address, identity) => { expect(identityOf(address)).toBe(identity); });
});
