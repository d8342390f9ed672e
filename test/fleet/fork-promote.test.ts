// `fork promote` against real servers (bare repositories): one push or none, races, refusals of a server, tampering, withdrawal.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { EXIT, PraetorError, exitOf } from '../../src/model/diagnostic.ts';
import { parseAllowedSigners } from '../../src/fleet/allowed-signers.ts';
import { promoteFork, withdrawVersions, type PromoteInput, type PromoteResult } from '../../src/fleet/fork-promote.ts';
import { PROMOTIONS_REF, artefactRef, versionId } from '../../src/fleet/promotion.ts';
import { chainOf, readChain } from '../../src/fleet/promotion-chain.ts';
import { lineDigest, nodeSigner, openLine, seal } from '../../src/fleet/signed-line.ts';
import { readPrivateKey } from '../../src/fleet/sshsig.ts';
import { gitHost, sh, write } from '../support/git.ts';
import { operatedFork, prepared, publish, repoAt, settingsCommit, signingKey, type ForkWorld } from '../support/fork.ts';

async function refused(run: Promise<unknown>): Promise<{ readonly exit: number; readonly text: string }> {
  try {
    await run;
  } catch (error) {
    if (error instanceof PraetorError) return { exit: exitOf(error.diagnostic.code), text: `${error.diagnostic.code}: ${error.message}` };
    throw error;
  }
  throw new Error('nothing was refused');
}

const refs = (dir: string): string => sh(dir, ['for-each-ref', '--format=%(refname) %(objectname)']);
const lineOf = (world: ForkWorld, commit: string): string => sh(world.origin, ['notes', `--ref=${PROMOTIONS_REF}`, 'show', commit]);
const promote = (world: ForkWorld, dir: string, sign: string, more: Partial<PromoteInput> = {}, cwd = world.checkout, env: Record<string, string> = {}): Promise<PromoteResult> => promoteFork(repoAt(world, cwd, env), dir, { sign, ...more });
const keygen = (args: readonly string[], env: Record<string, string> = {}): string => execFileSync('ssh-keygen', [...args], { env: { PATH: '/usr/bin:/bin', ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** A second operator's checkout of the same fork. */
function second(world: ForkWorld): string {
  const dir = join(world.root, 'second');
  sh(world.root, ['clone', '-q', world.origin, dir]);
  sh(dir, ['remote', 'add', 'upstream', world.upstream]);
  sh(dir, ['fetch', '-q', 'upstream']);
  return dir;
}

describe('fork promote', () => {
  it('moves branch, artefact and note together, with a line that verifies, and says 3 the second time', async () => {
    const world = await operatedFork();
    publish(world, { 'src/y.ts': 'y\n' });
    const key = signingKey(world);
    const { dir, candidate } = await prepared(world, 'c', { gates: ['true'] });
    const done = await promote(world, dir, key.file, { urgent: true, minFrom: 0, expires: '2027-01-01T00:00:00.000Z' });
    const { commit } = candidate;
    expect(sh(world.origin, ['rev-parse', 'main'])).toBe(commit);
    const line = lineOf(world, commit);
    expect(line.split('\n').length).toBe(1);
    const read = openLine(line, { signers: parseAllowedSigners(`* namespaces="praetor-promotion" ${key.line}`), namespace: 'praetor-promotion', schema: 'praetor.promotion/1' });
    expect(read.ok && read.payload).toMatchObject({
      repository: 'acme/praetorctl', seq: 1, prev: null, commit, base: candidate.base, version: '1.0.0', urgent: true, expires: '2027-01-01T00:00:00.000Z', gates: candidate.gates,
      artifact: { ref: artefactRef(commit), bytes: candidate.artefact?.bytes, sha512: candidate.artefact?.sha512 },
    });
    expect(done).toMatchObject({ promoted: true, id: versionId(candidate.artefact?.sha512 ?? ''), digest: lineDigest(line) });
    expect(execFileSync('git', ['cat-file', 'blob', `${artefactRef(commit)}:praetorctl.tgz`], { cwd: world.origin }).equals(readFileSync(join(dir, 'artefact.tgz')))).toBe(true);
    expect(sh(world.origin, ['rev-list', '--count', artefactRef(commit)])).toBe('1');
    const before = refs(world.origin);
    expect(await promote(world, dir, key.file)).toMatchObject({ promoted: false, why: `${commit} is promoted already` });
    expect(refs(world.origin)).toBe(before);
  });

  it('continues the chain: settings alone, then a sync; every note stays one line', async () => {
    const world = await operatedFork();
    const key = signingKey(world);
    const commits: string[] = [];
    for (const [i, text] of ['update: {} # one\n', 'update: {} # two\n', 'update: {} # three\n'].entries()) {
      if (i === 2) publish(world, { 'src/y.ts': 'y\n' });
      settingsCommit(world, text);
      const { dir, candidate } = await prepared(world, `c${i}`);
      await promote(world, dir, key.file);
      commits.push(candidate.commit);
      sh(world.checkout, ['pull', '-q', '--ff-only', 'origin', 'main']);
    }
    const chain = readChain({ host: gitHost(world.root, world.origin), cwd: world.origin }, sh(world.origin, ['rev-parse', PROMOTIONS_REF]));
    expect(chain.promoted.map(({ promotion: { seq, commit } }) => [seq, commit])).toEqual(commits.map((commit, i) => [i + 1, commit]));
    expect(chain.promoted.map(({ promotion: { prev } }) => prev)).toEqual([null, ...commits.slice(0, 2).map((commit) => lineDigest(lineOf(world, commit)))]);
    // Two histories of notes that are merged the way git offers for lines keep every line whole.
    const other = second(world);
    sh(other, ['fetch', '-q', 'origin', `${PROMOTIONS_REF}:${PROMOTIONS_REF}`, `${PROMOTIONS_REF}:refs/notes/theirs`]);
    sh(other, ['notes', '--ref=refs/notes/theirs', 'append', '-m', 'a word of theirs', commits[0] ?? '']);
    sh(other, ['notes', `--ref=${PROMOTIONS_REF}`, 'append', '-m', 'a word of ours', commits[1] ?? '']);
    sh(other, ['notes', `--ref=${PROMOTIONS_REF}`, 'merge', '-s', 'cat_sort_uniq', 'refs/notes/theirs']);
    for (const commit of commits) expect(sh(other, ['notes', `--ref=${PROMOTIONS_REF}`, 'show', commit]).split('\n')).toContain(lineOf(world, commit));
    expect(() => readChain({ host: gitHost(world.root, other), cwd: other }, sh(other, ['rev-parse', PROMOTIONS_REF]))).toThrow(PraetorError);
  });

  it('lets one of two promoters win; the other changed nothing and is told what moved, with 4', async () => {
    const world = await operatedFork();
    const key = signingKey(world);
    const other = second(world);
    settingsCommit(world, 'update: {} # ours\n');
    settingsCommit(world, 'update: {} # theirs\n', other);
    const [mine, theirs] = [await prepared(world, 'mine'), await prepared(world, 'theirs', {}, other)];
    expect((await promote(world, theirs.dir, key.file, {}, other)).promoted).toBe(true);
    const before = refs(world.origin);
    const lost = await refused(promote(world, mine.dir, key.file));
    expect(lost).toEqual({ exit: EXIT.conflict, text: expect.stringMatching(/^fork-moved: .*refs\/heads\/main is [0-9a-f]{12}/) as string });
    expect(refs(world.origin)).toBe(before);
  });

  const moves: readonly (readonly [string, () => string, RegExp])[] = [
    ['the branch', () => `git update-ref refs/heads/main $(git commit-tree -p refs/heads/main -m x refs/heads/main^{tree})`, /refs\/heads\/main is [0-9a-f]{12}, it was/],
    ['the notes', () => `git update-ref ${PROMOTIONS_REF} $(git commit-tree -m x refs/heads/main^{tree})`, /refs\/notes\/praetor\/receipts is [0-9a-f]{12}, it was absent/],
    ['the artefact', () => `git update-ref refs/praetor/artifacts/$CANDIDATE refs/heads/main`, /refs\/praetor\/artifacts\/[0-9a-f]{40} is [0-9a-f]{12}, it was absent/],
  ];
  it.each(moves)('pushes nothing where %s moves between the look and the push', async (_what, move, told) => {
    const world = await operatedFork();
    const key = signingKey(world);
    settingsCommit(world, 'update: {} # ours\n');
    const { dir, candidate } = await prepared(world, 'c');
    // The signer is the last thing that runs before the push: a key that an agent holds is asked through this program.
    const bin = join(world.root, 'bin');
    const real = execFileSync('sh', ['-c', 'command -v ssh-keygen'], { encoding: 'utf8' }).trim();
    write(bin, { 'ssh-keygen': `#!/bin/sh\n(cd '${world.origin}' && CANDIDATE=${candidate.commit} GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x && export CANDIDATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL && ${move()}) >/dev/null\nexec '${real}' -Y sign -f '${key.file}' -n praetor-promotion\n` });
    chmodSync(join(bin, 'ssh-keygen'), 0o755);
    writeFileSync(`${key.file}.pub`, `${key.line}\n`);
    const lost = await refused(promote(world, dir, `${key.file}.pub`, {}, world.checkout, { PATH: `${bin}:${process.env['PATH'] ?? ''}` }));
    expect(lost.text).toMatch(told);
    expect(lost.exit).toBe(4);
    expect(refs(world.origin)).not.toContain(`refs/heads/main ${candidate.commit}`);
    expect(sh(world.origin, ['log', '-1', '--format=%s', '--all', '--grep=Artefact'])).toBe('');
  });

  it('changes nothing where a hook of the server refuses the note only', async () => {
    const world = await operatedFork();
    const key = signingKey(world);
    settingsCommit(world, 'update: {} # ours\n');
    const { dir } = await prepared(world, 'c');
    write(world.origin, { 'hooks/update': '#!/bin/sh\ncase "$1" in refs/notes/*) echo "notes are closed" >&2; exit 1;; esac\n' });
    chmodSync(join(world.origin, 'hooks/update'), 0o755);
    const before = refs(world.origin);
    const answer = await refused(promote(world, dir, key.file));
    expect(answer).toEqual({ exit: 1, text: expect.stringMatching(/^promotion-refused: the server took none of the three: .*notes are closed/) as string });
    expect(refs(world.origin)).toBe(before);
    chmodSync(join(world.origin, 'hooks/update'), 0o644);
    expect((await promote(world, dir, key.file)).promoted).toBe(true);
  });

  it('does not believe the clone in which code of upstream was run', async () => {
    const world = await operatedFork();
    const key = signingKey(world);
    settingsCommit(world, 'update: {} # ours\n');
    const [mark, thief] = [join(world.root, 'ran'), join(world.root, 'thief/praetorctl.git')];
    sh(world.root, ['clone', '-q', '--bare', world.origin, thief]);
    const before = refs(thief);
    const evil = join(world.root, 'evil');
    write(world.root, { evil: `#!/bin/sh\necho "agent $SSH_AUTH_SOCK" >> '${mark}'\ncat\n` });
    chmodSync(evil, 0o755);
    const build = [
      `git config url.'${thief}'.insteadOf '${world.origin}'`, `git config url.'${thief}'.pushInsteadOf '${world.origin}'`, `git config core.fsmonitor '${evil}'`, `git config core.sshCommand '${evil}'`, `git config credential.helper '!${evil}'`,
      `git config filter.x.clean '${evil}'`, `mkdir -p .git/info .git/hooks && echo '* filter=x' > .git/info/attributes`, `cp '${evil}' .git/hooks/pre-push && cp '${evil}' .git/hooks/reference-transaction`,
    ].join(' && ');
    const { dir, candidate } = await prepared(world, 'c', { build }, world.checkout, { SSH_AUTH_SOCK: '/the/agent' });
    const said = (): string => (existsSync(mark) ? readFileSync(mark, 'utf8') : '');
    expect(said()).not.toContain('/the/agent');
    writeFileSync(mark, '');
    expect((await promote(world, dir, key.file, {}, world.checkout, { SSH_AUTH_SOCK: '/the/agent' })).promoted).toBe(true);
    expect([said(), refs(thief), sh(world.origin, ['rev-parse', 'main'])]).toEqual(['', before, candidate.commit]);
  });

  it('works with an agent, and says what to do with a key behind a passphrase or none at all', async () => {
    const world = await operatedFork();
    settingsCommit(world, 'update: {} # ours\n');
    const { dir } = await prepared(world, 'c');
    const locked = join(world.root, 'locked');
    keygen(['-q', '-t', 'ed25519', '-N', 'secret', '-f', locked]);
    expect((await refused(promote(world, dir, locked, {}, world.checkout, { SSH_ASKPASS_REQUIRE: 'force', SSH_ASKPASS: '/bin/false' }))).text).toMatch(/^signing-failed/);
    expect((await refused(promote(world, dir, join(world.root, 'none')))).text).toMatch(/^unreadable: the signing key cannot be read/);
    const free = join(world.root, 'free');
    keygen(['-q', '-t', 'ed25519', '-N', '', '-f', free]);
    const agent = execFileSync('ssh-agent', ['-s'], { encoding: 'utf8' });
    const [socket = '', pid = ''] = [/SSH_AUTH_SOCK=([^;]+)/.exec(agent)?.[1], /SSH_AGENT_PID=(\d+)/.exec(agent)?.[1]];
    try {
      execFileSync('ssh-add', ['-q', free], { env: { PATH: '/usr/bin:/bin', SSH_AUTH_SOCK: socket }, stdio: 'ignore' });
      mkdirSync(join(world.root, 'aside'));
      writeFileSync(join(world.root, 'aside/free.pub'), readFileSync(`${free}.pub`));
      expect((await promote(world, dir, join(world.root, 'aside/free.pub'), {}, world.checkout, { SSH_AUTH_SOCK: socket })).promoted).toBe(true);
    } finally {
      process.kill(Number(pid));
    }
  });

  it('refuses a candidate whose gate failed, that was changed, or that upstream no longer stands behind', async () => {
    const world = await operatedFork();
    const key = signingKey(world);
    settingsCommit(world, 'update: {} # ours\n');
    publish(world, { 'src/y.ts': 'y\n' });
    expect((await refused(promote(world, (await prepared(world, 'f', { gates: ['false'] })).dir, key.file))).text).toBe('gate-failed: a gate of this candidate failed: false');
    const { dir, candidate } = await prepared(world, 'c');
    const [file, json] = [join(dir, 'artefact.tgz'), join(dir, 'candidate.json')];
    const [artefact, document] = [readFileSync(file), readFileSync(json, 'utf8')];
    const before = refs(world.origin);
    const swapped = async (bytes: Buffer, say: string): Promise<string> => {
      writeFileSync(file, bytes);
      writeFileSync(json, say);
      const { text } = await refused(promote(world, dir, key.file));
      writeFileSync(file, artefact);
      writeFileSync(json, document);
      return text;
    };
    expect(await swapped(Buffer.concat([artefact, Buffer.from('x')]), document)).toMatch(/^artefact-invalid: the artefact is not the one/);
    // Another content that candidate.json agrees with is caught by the commit.
    const tar = gunzipSync(artefact);
    tar.write('evil', tar.indexOf('#!/bin/sh'), 'latin1');
    const evil = gzipSync(tar);
    const agreed = JSON.stringify({ ...JSON.parse(document) as object, artefact: { bytes: evil.length, sha512: createHash('sha512').update(evil).digest('hex') } });
    expect(await swapped(evil, agreed)).toMatch(/^artefact-invalid: the artefact holds another content/);
    const say = (more: object): string => JSON.stringify({ ...JSON.parse(document) as object, ...more });
    expect(await swapped(artefact, say({ commit: candidate.base }))).toMatch(/^fork-refused/);
    expect(await swapped(artefact, say({ base: candidate.owner }))).toMatch(/^fork-refused/);
    expect(await swapped(artefact, say({ repository: 'other/praetorctl' }))).toMatch(/another fork/);
    expect(await swapped(artefact, say({ gates: 'none' }))).toMatch(/no candidate/);
    expect(await swapped(artefact, '{')).toMatch(/no candidate/);
    write(join(dir, 'repo'), { 'src/evil.ts': '1' });
    sh(join(dir, 'repo'), ['add', '-A']);
    sh(join(dir, 'repo'), ['commit', '-q', '--amend', '--no-edit']);
    expect(await swapped(artefact, say({ commit: sh(join(dir, 'repo'), ['rev-parse', 'HEAD']) }))).toMatch(/not upstream's tree/);
    sh(world.work, ['commit', '-q', '--amend', '-m', 'rewritten']);
    sh(world.work, ['push', '-q', '--force', world.upstream, 'main']);
    expect((await refused(promote(world, dir, key.file))).text).toMatch(/upstream was rewritten/);
    expect(refs(world.origin)).toBe(before);
  });

  it('lets only keys sign that the last promotion named, and refuses a chain that somebody else wrote on', async () => {
    const world = await operatedFork();
    const [key, next, foreign] = [signingKey(world, 'k1'), signingKey(world, 'k2'), signingKey(world, 'k3')];
    const go = async (name: string, sign: string, more: Partial<PromoteInput> = {}): Promise<PromoteResult> => {
      settingsCommit(world, `update: {} # ${name}\n`);
      const { dir } = await prepared(world, name);
      return await promote(world, dir, sign, more);
    };
    const signers = `# two keys\n* namespaces="praetor-promotion" ${key.line}\n* namespaces="praetor-promotion" ${next.line}\n`;
    expect((await refused(go('bad', key.file, { newSigners: 'no key' }))).text).toMatch(/new signers cannot be used/);
    expect((await go('first', key.file, { newSigners: signers })).promotion?.signers?.length).toBe(2);
    expect((await refused(go('stranger', foreign.file))).text).toMatch(/no workstation would take this: .*key SHA256:/);
    expect((await go('second', next.file)).promotion?.seq).toBe(2);
    // Somebody with write access to the server adds a line of his own.
    const stranger = readPrivateKey(readFileSync(foreign.file, 'utf8'));
    if (!stranger.ok) throw new Error('no key');
    const main = sh(world.origin, ['rev-parse', 'main']);
    const commit = sh(world.origin, ['commit-tree', '-p', main, '-m', 'x', `${main}^{tree}`]);
    const line = await seal({ schema: 'praetor.promotion/1', at: '2026-01-01T00:00:00.000Z', seq: 3 }, nodeSigner(stranger.value), 'praetor-promotion');
    sh(world.origin, ['notes', `--ref=${PROMOTIONS_REF}`, 'add', '-m', line, commit]);
    const answer = await refused(go('third', next.file));
    expect(answer.text).toMatch(/^promotions-damaged: the key is not among the allowed signers \(key SHA256:.*sequence 3\)/);
  });

  it('promotes over a history that was given up only where that is said', async () => {
    const world = await operatedFork();
    const key = signingKey(world);
    const start = sh(world.checkout, ['rev-parse', 'HEAD']);
    const old = settingsCommit(world, 'update: {} # old\n');
    await promote(world, (await prepared(world, 'a')).dir, key.file);
    sh(world.checkout, ['reset', '-q', '--hard', start]);
    settingsCommit(world, 'update: {} # new\n');
    sh(world.checkout, ['push', '-q', '--force', 'origin', 'main']);
    const { dir } = await prepared(world, 'b');
    expect((await refused(promote(world, dir, key.file))).text).toContain(`does not contain ${old}`);
    expect((await refused(promote(world, dir, key.file, { resets: start }))).text).toContain(`promoted last is ${old}`);
    expect((await promote(world, dir, key.file, { resets: old })).promotion).toMatchObject({ seq: 2, resets: old });
    settingsCommit(world, 'update: {} # newer\n');
    const third = await prepared(world, 'c');
    expect((await refused(promote(world, third.dir, key.file, { resets: old }))).text).toMatch(/nothing is given up/);
  });
});

describe('a withdrawal', () => {
  it('promotes the older artefact again, on a commit that changes nothing, and names what is withdrawn', async () => {
    const world = await operatedFork();
    const key = signingKey(world);
    const made: PromoteResult[] = [];
    for (const name of ['a', 'b', 'c']) {
      settingsCommit(world, `update: {} # ${name}\n`);
      made.push(await promote(world, (await prepared(world, name)).dir, key.file));
    }
    const [a, b, c] = made.map(({ id }) => id ?? '');
    const withdraw = (...ids: string[]): Promise<PromoteResult> => withdrawVersions(repoAt(world), ids, { sign: key.file });
    expect((await refused(withdraw('0'.repeat(16)))).text).toMatch(/no promotion has the version/);
    const main = sh(world.origin, ['rev-parse', 'main']);
    const done = await withdraw(c ?? '');
    expect(done.promotion).toMatchObject({ seq: 4, withdraws: [c], artifact: made[1]?.promotion?.artifact, base: made[1]?.promotion?.base });
    expect(done.id).toBe(b);
    expect(sh(world.origin, ['rev-list', '--parents', '-n', '1', 'main']).split(' ').slice(1)).toEqual([main]);
    expect(sh(world.origin, ['diff', '--stat', main, 'main'])).toBe('');
    expect((await withdraw(c ?? '')).promoted).toBe(false);
    expect((await withdraw(b ?? '')).id).toBe(a);
    expect((await refused(withdraw(a ?? ''))).text).toMatch(/no older version is left/);
    sh(world.checkout, ['pull', '-q', '--ff-only', 'origin', 'main']);
    settingsCommit(world, 'update: {} # d\n');
    const d = await promote(world, (await prepared(world, 'd')).dir, key.file);
    expect(d.promotion?.seq).toBe(6);
    settingsCommit(world, 'update: {} # e\n');
    const e = await promote(world, (await prepared(world, 'e')).dir, key.file);
    // The one before a bad version may be bad too.
    const both = await withdraw(e.id ?? '', d.id ?? '', c ?? '');
    expect([both.id, both.promotion?.withdraws]).toEqual([a, [e.id, d.id]]);
  });
});

describe('the chain of promotions', () => {
  it('names a gap, a second line of one sequence, a broken link and a line on another commit', async () => {
    const world = await operatedFork();
    const file = signingKey(world).file;
    const key = readPrivateKey(readFileSync(file, 'utf8'));
    if (!key.ok) throw new Error('no key');
    const payload = (seq: number, prev: string | null, more: object = {}) => ({
      schema: 'praetor.promotion/1', repository: 'a/b', seq, prev, at: '2026-01-01T00:00:00.000Z', commit: String(seq).repeat(40), base: 'b'.repeat(40),
      artifact: { ref: artefactRef('c'.repeat(40)), bytes: 1, sha512: 'd'.repeat(128) }, version: '1', gates: [], ...more,
    });
    const line = (seq: number, prev: string | null, more: object = {}): Promise<string> => seal(payload(seq, prev, more) as never, nodeSigner(key.value), 'praetor-promotion');
    const one = await line(1, null);
    const two = await line(2, lineDigest(one));
    const at = (...lines: readonly (readonly [number, string])[]) => (): unknown => chainOf(new Map(lines.map(([n, text]) => [String(n).repeat(40), text])));
    expect(at([2, two], [1, one])()).toMatchObject({ promoted: [{ promotion: { seq: 1 } }, { promotion: { seq: 2 } }] });
    expect(at([2, two])).toThrow(/after sequence 0 claims sequence 2/);
    expect(at([1, one], [2, await line(1, null)])).toThrow(/after sequence 1 claims sequence 1/);
    expect(at([1, one], [2, await line(2, '0'.repeat(64))])).toThrow(/does not continue/);
    expect(at([3, one])).toThrow(/stands on commit 3+ and speaks of 1+/);
    expect(at([1, one], [2, 'no line'])).toThrow(/claims sequence/);
    expect(at([1, await line(1, null, { version: 3 })])).toThrow(/impossible of "version"/);
    expect(at([1, one.replace(/ .*? /, ` ${Buffer.from(JSON.stringify(payload(1, null, { version: '2' }))).toString('base64url')} `)])).toThrow(/does not fit the payload/);
  });
});
