// A workstation follows a fork: what it takes, what it refuses and says, and how it goes back.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../../src/clients/registry.ts';
import { versionId } from '../../src/fleet/promotion.ts';
import { smoke } from '../../src/fleet/smoke.ts';
import { nodeSigner, seal } from '../../src/fleet/signed-line.ts';
import { newSigningKey } from '../../src/fleet/sshsig.ts';
import { realHost } from '../../src/host.ts';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { cli, world, type Answer, type World } from '../support/cli.ts';
import { artefactOf, asked, dataOf, forge, idOf, launcherOf, promote, recordOf, signerLine, station, type Forge, type Manner, type Promote } from '../support/fleet.ts';
import { sh } from '../support/git.ts';

async function follower(fork: Forge): Promise<World> {
  const where = world({ fixture: 'claude-minimal', onPath: false });
  await cli(where, ['clients', 'apply', '--client', 'claude', '--yes']);
  const made = await station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor);
  expect([made.code, made.err]).toEqual([0, '']);
  OUTPUT_SCHEMAS['workstation-install']?.parse(made.json);
  return where;
}

async function update(where: World, ...words: readonly string[]): Promise<Answer & { readonly result: string; readonly why: string | null }> {
  const answer = await station(where, 'update', ...words);
  OUTPUT_SCHEMAS['workstation-update']?.parse(answer.json);
  return { ...answer, result: String(answer.json['result']), why: answer.json['code'] as string | null };
}

const said = (where: World): string => asked(launcherOf(where), where.home);
async function stateOf(where: World): Promise<string> {
  const answer = await station(where, 'status');
  OUTPUT_SCHEMAS['workstation-status']?.parse(answer.json);
  expect(answer.code).toBe(answer.json['state'] === 'current' ? 0 : 3);
  return String(answer.json['state']);
}

describe('a workstation that follows a fork', () => {
  it('installs the newest promotion, takes the next, and has nothing to do then', async () => {
    const fork = forge();
    const one = await promote(fork, 'v1');
    const where = await follower(fork);
    expect(said(where)).toBe('v1');
    expect(await stateOf(where)).toBe('current');
    expect((await update(where)).result).toBe('up-to-date');
    const two = await promote(fork, 'v2');
    const check = await update(where, '--check');
    expect([check.code, check.result, said(where), await stateOf(where)]).toEqual([3, 'available', 'v1', 'behind']);
    const done = await update(where);
    expect([done.code, done.result, said(where), await stateOf(where)]).toEqual([0, 'updated', 'v2', 'current']);
    expect(recordOf(where)).toMatchObject({ current: two.id, previous: one.id, lastSeq: 2, lastCommit: two.commit, repository: 'acme/praetorctl', target: two.id });
    expect((await update(where, '--check')).result).toBe('up-to-date');
    const log = readFileSync(join(where.root, 'state/update.jsonl'), 'utf8').trim().split('\n').map((line) => (JSON.parse(line) as { result: string }).result);
    expect(log).toEqual(['installed', 'up-to-date', 'available', 'updated']);
  });

  it('one line on standard error under a scheduler', async () => {
    const fork = forge();
    await promote(fork, 'v1');
    const where = await follower(fork);
    const got = await cli(where, ['workstation', 'update', '--scheduled']);
    expect([got.code, got.out]).toEqual([0, '']);
    expect(got.err).toMatch(/^praetorctl: info: note: update: up-to-date: .*\n$/);
    sh(fork.root, ['init', '-q', 'nothing']);
    const away = await cli(where, ['workstation', 'install', '--from', fork.remote, '--remote', join(fork.root, 'gone.git')]);
    expect(away.code).toBe(0);
    const offline = await cli(where, ['workstation', 'update', '--scheduled']);
    expect([offline.code, offline.err.split('\n').filter((line) => line !== '').length, said(where)]).toEqual([1, 1, 'v1']);
  });

  it.each<[Manner, string]>([['exits-1', 'allow-refused'], ['allows-all', 'deny-allowed'], ['denies-all', 'allow-refused'], ['takes-anything', 'malformed-allowed'], ['bad-when-current', 'deny-allowed']])(
    'a release that judges badly (%s) is blocked and the old one answers', async (manner, code) => {
      const fork = forge();
      const one = await promote(fork, 'v1');
      const where = await follower(fork);
      const bad = await promote(fork, 'v2', { manner });
      const got = await update(where);
      expect([got.code, got.result, got.why, said(where)]).toEqual([1, 'reverted', code, 'v1']);
      expect(recordOf(where)).toMatchObject({ current: one.id, previous: null, blocked: [{ id: bad.id, code }] });
      const again = await update(where);
      expect([again.code, again.result, await stateOf(where)]).toEqual([3, 'blocked', 'blocked']);
      await promote(fork, 'v3');
      expect([(await update(where)).result, said(where)]).toEqual(['updated', 'v3']);
    });

  it('says the fault of the first sample that failed, whichever process was quicker', async () => {
    const claude = CLIENTS.filter(({ id }) => id === 'claude');
    // Harmless calls are judged at once; a refused one slowly, a broken one at once, and both badly.
    const program = `const said = require('fs').readFileSync(0, 'utf8'); setTimeout(() => process.exit(0), said.includes('push --force') && said.trim().endsWith('}') ? 600 : 0)`;
    const where = world();
    const fault = await smoke(realHost({ env: where.env, cwd: where.project }), claude, () => ({ command: process.execPath, args: ['-e', program], env: {} }));
    expect(fault?.code).toBe('deny-allowed');
  });

  it('a release that hangs is blocked after a bounded time', async () => {
    const fork = forge();
    await promote(fork, 'v1');
    const where = await follower(fork);
    await promote(fork, 'v2', { manner: 'hangs' });
    const got = await update(where);
    expect([got.result, got.why, said(where)]).toEqual(['reverted', 'no-answer', 'v1']);
  }, 60_000);
});

describe('what is refused leaves the old version, and says key, reference and sequence', () => {
  const NAMED = /\((?:key (?:SHA256:\S+|unknown)), ref refs\/\S+(?: on [0-9a-f]{12})?, sequence (?:\d+|unknown)\)/;

  async function refused(what: (fork: Forge) => Promise<unknown>, result: string, code: string): Promise<World> {
    const fork = forge();
    await promote(fork, 'v1');
    await promote(fork, 'v2');
    const where = await follower(fork);
    await what(fork);
    const got = await update(where);
    expect([got.code, got.result, got.why]).toEqual([1, result, code]);
    expect(String(got.json['message'])).toMatch(NAMED);
    expect(said(where)).toBe('v2');
    return where;
  }
  const another = newSigningKey('x');
  const bad = (options: Promote) => (fork: Forge): Promise<unknown> => promote(fork, 'v3', options);

  it('a foreign key', async () => { await refused(bad({ key: another }), 'refused', 'key-unknown'); });
  it('a receipt of a workstation in the place of a promotion', async () => { await refused(bad({ namespace: 'praetor-receipt' }), 'refused', 'namespace-wrong'); });
  it('a swapped artefact', async () => {
    const other = artefactOf('vX');
    await refused(bad({ served: other }), 'refused', 'artefact-other');
  });
  it('the promotion of another commit', async () => { await refused(bad({ says: { commit: 'a'.repeat(40) } }), 'refused', 'commit-other'); });
  it('the promotion of another repository', async () => { await refused(bad({ says: { repository: 'evil/praetorctl' } }), 'refused', 'repository-other'); });
  it('an artefact that is of another repository', async () => {
    await refused(bad({ files: { 'operator/fork.json': JSON.stringify({ schema: 'praetor.fork/1', repository: 'evil/x', source: 'up/stream' }) } }), 'refused', 'repository-other');
  });
  it('an artefact without the operator\'s files, by an update and by an installation', async () => {
    const without = { 'operator/fork.json': undefined };
    const where = await refused(bad({ files: without }), 'refused', 'operator-missing');
    const fork = forge();
    await promote(fork, 'v1', { files: without });
    const before = recordOf(where);
    for (const place of [where, world({ fixture: 'claude-minimal', onPath: false })]) {
      const got = await cli(place, ['workstation', 'install', '--from', fork.remote, '--anchor', fork.anchor]);
      expect([got.code, got.err]).toEqual([1, expect.stringMatching(/promotion-refused.*operator\/fork\.json/s) as string]);
      expect(got.err).toMatch(NAMED);
    }
    expect([said(where), recordOf(where)]).toEqual(['v2', before]);
  });
  it('a sequence that was seen', async () => { await refused(bad({ says: { seq: 2 } }), 'refused', 'replayed'); });
  it('an older line on a newer commit', async () => {
    await refused(async (fork) => { const line = fork.last ?? ''; await promote(fork, 'v3', { line }); }, 'refused', 'commit-other');
  });
  it('a line that does not follow on the last', async () => { await refused(bad({ says: { prev: 'b'.repeat(64) } }), 'refused', 'chain-broken'); });
  it('a commit that nobody promoted', async () => { await refused(bad({ silent: true }), 'refused', 'not-promoted'); });
  it('a payload that was changed', async () => {
    await refused(async (fork) => {
      const line = await seal({ schema: 'praetor.promotion/1', at: new Date().toISOString(), seq: 3 }, nodeSigner(fork.key), 'praetor-promotion');
      const [mark, , signature] = line.split(' ');
      await promote(fork, 'v3', { line: `${mark} ${Buffer.from('{"seq":9}').toString('base64url')} ${signature}` });
    }, 'refused', 'signature-wrong');
  });
  it('a version that withdraws itself', async () => {
    const bytes = artefactOf('v3');
    await refused(bad({ artefact: bytes, says: { withdraws: [idOf(bytes)] } }), 'refused', 'withdrawn');
  });
  it('a promotion that this version cannot come to', async () => { await refused(bad({ says: { minFrom: 3 } }), 'refused', 'min-from'); });
  it('new keys that cannot be used', async () => { await refused(bad({ says: { signers: ['ops ssh-rsa AAAA'] } }), 'refused', 'signers-invalid'); });

  const rewrite = async (fork: Forge, options: Promote = {}): Promise<unknown> => {
    sh(fork.work, ['reset', '-q', '--hard', 'HEAD~1']);
    return promote(fork, 'v3', options);
  };
  it('a rewritten history, until a person or a signed reset accepts it', async () => {
    const where = await refused(rewrite, 'diverged', 'diverged');
    expect(await stateOf(where)).toBe('diverged');
    expect([(await update(where, '--accept-history')).result, said(where), await stateOf(where)]).toEqual(['updated', 'v3', 'current']);
  });
  it('a signed reset of exactly the last promoted commit is taken', async () => {
    const fork = forge();
    await promote(fork, 'v1');
    const two = await promote(fork, 'v2');
    const where = await follower(fork);
    await rewrite(fork, { says: { resets: two.commit } });
    expect([(await update(where)).result, said(where)]).toEqual(['updated', 'v3']);
  });
});

describe('what waits, what is held, what comes back', () => {
  it('a rollback pins, is idempotent, needs no fork; a pin holds and says what is missed; unpin says what comes', async () => {
    const fork = forge();
    const one = await promote(fork, 'v1');
    const where = await follower(fork);
    const two = await promote(fork, 'v2');
    await update(where);
    const back = await station(where, 'rollback');
    OUTPUT_SCHEMAS['workstation-version']?.parse(back.json);
    expect([back.code, back.json['result'], said(where)]).toEqual([0, 'rolled-back', 'v1']);
    for (let i = 0; i < 2; i += 1) expect([(await station(where, 'rollback')).json['result'], said(where)]).toEqual(['already-rolled-back', 'v1']);
    expect(recordOf(where)).toMatchObject({ current: one.id, previous: two.id, pin: { id: one.id, by: 'rollback' } });
    const three = await promote(fork, 'v3', { says: { withdraws: [one.id] } });
    const held = await update(where);
    expect([held.code, held.result, said(where), await stateOf(where)]).toEqual([3, 'held', 'v1', 'held']);
    expect(String(held.json['message'])).toMatch(new RegExp(`${three.id}.*sequence 3.*withdrawn`));
    expect((await station(where, 'pin')).json['result']).toBe('already-pinned');
    const free = await station(where, 'unpin');
    expect([free.json['result'], String(free.json['message']).includes(`takes version ${three.id}`)]).toEqual(['unpinned', true]);
    expect([(await update(where)).result, said(where)]).toEqual(['updated', 'v3']);
    const there = await station(where, 'rollback', '--to', two.id);
    expect([there.json['result'], said(where)]).toEqual(['rolled-back', 'v2']);
    expect((await station(where, 'rollback', '--to', 'f'.repeat(16))).code).toBe(64);
  });

  it('rotates the trusted keys by a line of a trusted key, and the old key counts no more', async () => {
    const fork = forge();
    await promote(fork, 'v1');
    const where = await follower(fork);
    const next = newSigningKey('next');
    await promote(fork, 'v2', { says: { signers: [signerLine(next)] } });
    expect((await update(where)).result).toBe('updated');
    await promote(fork, 'v3');
    expect((await update(where)).why).toBe('key-unknown');
    await promote(fork, 'v4', { key: next });
    expect([(await update(where)).result, said(where)]).toEqual(['updated', 'v4']);
  });

  it('a gap in the sequence is said and taken; an ended promotion is not taken; a withdrawn current version goes back to an older artefact', async () => {
    const fork = forge();
    const one = await promote(fork, 'v1');
    const where = await follower(fork);
    const two = await promote(fork, 'v2', { says: { seq: 5 } });
    const gap = await update(where);
    expect([gap.result, JSON.stringify(gap.json['diagnostics']).includes('3 promotions between')]).toEqual(['updated', true]);
    await promote(fork, 'v3', { says: { expires: '2026-01-01T00:00:00Z' } });
    const ended = await update(where);
    expect([ended.code, ended.result, ended.why, said(where)]).toEqual([1, 'refused', 'expired', 'v2']);
    await promote(fork, 'v1', { artefact: one.bytes, says: { withdraws: [two.id] } });
    expect([(await update(where)).result, said(where), versionId(String(recordOf(where)['current']))]).toEqual(['updated', 'v1', one.id]);
  });

  it('clients apply, remove and rollback leave the launcher alone', async () => {
    const fork = forge();
    await promote(fork, 'v1');
    const where = await follower(fork);
    const before = readFileSync(launcherOf(where), 'utf8');
    for (const words of [['apply', '--client', 'claude', '--yes'], ['rollback', '--yes'], ['apply', '--client', 'claude', '--yes'], ['remove', '--yes']]) {
      await cli(where, ['clients', ...words]);
      expect(readFileSync(launcherOf(where), 'utf8')).toBe(before);
    }
    expect([said(where), dataOf(where).length > 0]).toEqual(['v1', true]);
  });
});
