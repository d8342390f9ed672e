// `fork prepare` on real repositories: what the candidate is, that nothing of upstream runs before the proof, and what is packed.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PraetorError } from '../../src/model/diagnostic.ts';
import { readCandidate } from '../../src/fleet/candidate.ts';
import { prepareFork } from '../../src/fleet/fork-prepare.ts';
import { runGate } from '../../src/fleet/gates.ts';
import { unpackTar } from '../../src/fleet/tar.ts';
import { commitAll, gitHost, sh, tempDir, write } from '../support/git.ts';
import { ENGINE, operatedFork, prepared, publish, repoAt, settingsCommit, type ForkWorld } from '../support/fork.ts';

async function refused(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    if (error instanceof PraetorError) return `${error.diagnostic.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was refused');
}

const packedIn = (dir: string): Record<string, string> => Object.fromEntries(unpackTar(readFileSync(join(dir, 'artefact.tgz'))).map(({ path, executable, bytes }) => [path, `${executable ? 'x' : '-'} ${Buffer.from(bytes).toString('utf8')}`]));
const everything = (world: ForkWorld): string => [world.origin, world.upstream, world.checkout].map((dir) => sh(dir, ['for-each-ref'])).join('\n') + sh(world.checkout, ['status', '--porcelain', '--ignored']);

describe('fork prepare', () => {
  it('merges upstream in a private clone, proves the tree, packs, and touches neither input', async () => {
    const world = await operatedFork();
    const owner = settingsCommit(world, 'update: {} # ours\n');
    const source = publish(world, { 'lib/b.js': 'b\n', 'src/x.ts': 'new\n', LICENSE: 'freer\n' });
    const before = everything(world);
    const { dir, candidate } = await prepared(world, 'c1');
    expect(everything(world)).toBe(before);
    const clone = join(dir, 'repo');
    expect(sh(clone, ['rev-list', '--parents', '-n', '1', 'HEAD'])).toBe(`${candidate.commit} ${owner} ${source}`);
    expect(sh(clone, ['diff', '--name-status', source, candidate.commit]).split('\n').map((line) => line.split('\t')[0])).toEqual(['A', 'A', 'A']);
    expect(sh(clone, ['diff', '--name-only', owner, candidate.commit, '--', '.config'])).toBe('');
    expect([sh(clone, ['remote']), sh(clone, ['tag']), existsSync(join(clone, '.git/hooks'))]).toEqual(['', '', false]);
    expect(packedIn(dir)).toEqual({
      'package/LICENSE': '- freer\n', 'package/bin/engine': expect.stringMatching(/^[x-] #!\/bin\/sh\n$/) as string, 'package/lib/a.js': '- a\n', 'package/lib/b.js': '- b\n', 'package/package.json': `- ${ENGINE['package.json'] ?? ''}`,
      'package/operator/fleet.yaml': '- update: {} # ours\n', 'package/operator/fork.json': expect.stringContaining('praetor.fork/1') as string, 'package/operator/hosts.allowed': expect.stringContaining('#') as string,
    });
    const bytes = readFileSync(join(dir, 'artefact.tgz'));
    expect(candidate).toMatchObject({ owner, base: source, version: '1.0.0', repository: 'acme/praetorctl', artefact: { bytes: bytes.length, sha512: createHash('sha512').update(bytes).digest('hex') } });
    expect(readCandidate(gitHost(world.root, world.root), dir)).toMatchObject(candidate);
    // Prepared again, it is the same commit and the same artefact.
    const { at: _then, ...again } = (await prepared(world, 'c2')).candidate;
    expect(candidate).toMatchObject(again);
  });

  it("makes the owner's own commit the candidate where upstream has nothing new", async () => {
    const world = await operatedFork();
    const owner = settingsCommit(world, 'update: {}\n');
    const { candidate, plan } = await prepared(world, 'c');
    expect([candidate.commit, candidate.owner, candidate.base, plan.state]).toEqual([owner, owner, plan.source, 'up-to-date']);
  });

  it('runs nothing of upstream, of the checkout or of the account before the proof', async () => {
    const world = await operatedFork();
    publish(world, { 'src/y.ts': 'y\n', '.gitattributes': '*.ts merge=evil diff=evil\n' });
    const mark = join(world.root, 'ran');
    const script = `#!/bin/sh\ntouch '${mark}'\ncat\n`;
    for (const hook of ['post-checkout', 'post-merge', 'pre-merge-commit', 'pre-commit', 'commit-msg', 'prepare-commit-msg', 'post-commit', 'reference-transaction', 'post-index-change']) {
      write(world.checkout, { [`.git/hooks/${hook}`]: script });
      chmodSync(join(world.checkout, '.git/hooks', hook), 0o755);
    }
    write(world.root, { evil: script, '.gitconfig': `[core]\n\tfsmonitor = ${join(world.root, 'evil')}\n\thooksPath = ${join(world.checkout, '.git/hooks')}\n[filter "evil"]\n\tsmudge = ${join(world.root, 'evil')}\n\tclean = ${join(world.root, 'evil')}\n[merge "evil"]\n\tdriver = ${join(world.root, 'evil')}\n[init]\n\ttemplateDir = ${join(world.checkout, '.git')}\n[core]\n\tattributesFile = ${join(world.root, 'attributes')}\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ${join(world.root, 'evil')}\n`, attributes: '* filter=evil merge=evil\n' });
    chmodSync(join(world.root, 'evil'), 0o755);
    const { candidate } = await prepared(world, 'c');
    expect(candidate.artefact).not.toBeNull();
    expect(existsSync(mark)).toBe(false);
  });

  it('records build and gates with their exit and the digest of what they said, in order, and stops at the first that fails', async () => {
    const world = await operatedFork();
    const { dir, candidate } = await prepared(world, 'c', { build: 'mkdir -p lib && echo built > lib/made.js', gates: ['echo one; echo two >&2', 'test -f lib/made.js'] });
    expect(candidate.gates.map(({ command, exit }) => [command, exit])).toEqual([['mkdir -p lib && echo built > lib/made.js', 0], ['echo one; echo two >&2', 0], ['test -f lib/made.js', 0], ['praetorctl hook (synthetic calls of the packed engine)', 0]]);
    expect(candidate.gates[1]?.sha256).toBe(createHash('sha256').update('one\ntwo\n').digest('hex'));
    expect(packedIn(dir)['package/lib/made.js']).toBe('- built\n');
    const failed = await prepared(world, 'f', { gates: ['exit 7', 'touch never'] });
    expect([failed.candidate.gates.map(({ exit }) => exit), failed.candidate.artefact]).toEqual([[7], null]);
    expect([existsSync(join(failed.dir, 'artefact.tgz')), existsSync(join(failed.dir, 'repo/never')), readdirSync(join(failed.dir, 'gates'))]).toEqual([false, false, ['1.log']]);
  });

  it('refuses a build that changes what is tracked, that leaves a link, or nothing where package.json names something', async () => {
    const world = await operatedFork();
    expect(await refused(prepared(world, 'a', { build: 'echo changed > src/x.ts' }))).toMatch(/fork-refused: the build or a gate changed tracked files/);
    expect(await refused(prepared(world, 'b', { build: 'git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x' }))).toMatch(/changed tracked files/);
    expect(await refused(prepared(world, 'c', { build: 'ln -s /etc/passwd lib/link' }))).toMatch(/artefact-invalid: only regular files/);
    expect(await refused(prepared(world, 'd', { build: 'echo x > "lib/odd name"' }))).toMatch(/artefact-invalid/);
    publish(world, { 'package.json': JSON.stringify({ name: 'engine', version: '1.0.0', files: ['dist/'] }) });
    expect(await refused(prepared(world, 'e'))).toMatch(/the build left nothing there/);
    publish(world, { 'package.json': JSON.stringify({ name: 'engine', version: '1.0.0', files: ['lib/*.js'] }) });
    expect(await refused(prepared(world, 'f'))).toMatch(/has a pattern/);
  });

  it('leaves code caches out, and packs them not even where they are named', async () => {
    const world = await operatedFork();
    const { dir } = await prepared(world, 'c', { build: 'echo x > lib/a.js.v20.cache' });
    expect(Object.keys(packedIn(dir)).filter((path) => path.includes('cache'))).toEqual([]);
  });

  it('packs nothing where the packed engine does not answer', async () => {
    const world = await operatedFork();
    const made = await prepareFork(repoAt(world), { destination: join(world.root, 'c'), gates: [] }, () => Promise.resolve({ ok: false, said: 'silent' }));
    expect([made.candidate.artefact, made.candidate.gates.at(-1)?.exit]).toEqual([null, 1]);
  });

  it('refuses what plan refuses, and makes nothing', async () => {
    const world = await operatedFork();
    write(world.checkout, { 'src/mine.ts': '1' });
    commitAll(world.checkout, 'x');
    expect(await refused(prepared(world, 'c'))).toMatch(/^fork-refused: unexpected owner tree difference/);
    expect(existsSync(join(world.root, 'c'))).toBe(false);
  });

  it('takes only a new destination outside of the checkout, with no link on its way', async () => {
    const world = await operatedFork();
    mkdirSync(join(world.root, 'there'));
    symlinkSync(join(world.root, 'there'), join(world.root, 'link'));
    writeFileSync(join(world.root, 'file'), '');
    const at = (destination: string): Promise<string> => refused(prepareFork(repoAt(world), { destination, gates: [] }, () => Promise.resolve({ ok: true, said: '' })));
    for (const [destination, why] of [
      ['there', /is there already/], ['link/new', /a link or file lies/], ['file/new', /a link or file lies/], ['none/new', /no such directory/], ['checkout/new', /lies in the checkout/], ['checkout/.git/new', /lies in the checkout/], ['there/../checkout/new', /lies in the checkout/],
    ] as const) expect(await at(join(world.root, '/') + destination)).toMatch(why);
    expect(await at('new')).toMatch(/lies in the checkout/);
    expect(await at('../there')).toMatch(/is there already/);
    expect(readdirSync(join(world.root, 'there'))).toEqual([]);
  });
});

describe('a gate', () => {
  it('gets no agent, token or GIT_* of the environment, and is ended when its time is over', async () => {
    const dir = tempDir();
    const host = gitHost(dir, dir, { SSH_AUTH_SOCK: '/agent', GITHUB_TOKEN: 's3cret', GIT_DIR: '/elsewhere', npm_config__auth: 's3cret' });
    const { output } = await runGate(host, dir, 'env');
    expect(output).toContain('CI=true');
    expect(output).not.toMatch(/s3cret|SSH_AUTH_SOCK|GIT_DIR/);
    const started = Date.now();
    expect((await runGate(host, dir, 'sleep 30 & sleep 30', 200)).gate.exit).toBe(124);
    expect(Date.now() - started).toBeLessThan(10_000);
    expect((await runGate(host, dir, 'kill -9 $$')).gate.exit).toBe(137);
    expect((await runGate(gitHost(dir, dir, { PATH: '/nowhere' }), dir, 'true')).gate.exit).toBe(127);
  });
});
