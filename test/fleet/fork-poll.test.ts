// `fork poll` on real repositories: nothing to do, a candidate that waits, one that is promoted by itself, one whose gate fails.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pollFork, type PollInput, type PollResult } from '../../src/fleet/fork-poll.ts';
import { PROMOTIONS_REF } from '../../src/fleet/promotion.ts';
import { commitAll, sh, write } from '../support/git.ts';
import { fork, operatedFork, prepared, publish, repoAt, settingsCommit, signingKey, type ForkWorld } from '../support/fork.ts';

const poll = (world: ForkWorld, more: Partial<PollInput> = {}): Promise<PollResult> => pollFork(repoAt(world), join(world.root, 'state'), {
  gates: [], autoPromote: false, review: false, again: false, promotion: { sign: undefined }, ...more,
}, () => Promise.resolve({ ok: true, said: '' }));

const counting = (world: ForkWorld): { readonly gate: string; readonly count: () => number } => {
  const file = join(world.root, 'runs');
  return { gate: `echo x >> '${file}'`, count: () => (existsSync(file) ? readFileSync(file, 'utf8').length / 2 : 0) };
};

describe('fork poll', () => {
  it('promotes by itself where it may and every gate passed, and has nothing to do afterwards', async () => {
    const world = await operatedFork();
    const sign = signingKey(world).file;
    const head = sh(world.checkout, ['rev-parse', 'HEAD']);
    const first = await poll(world, { autoPromote: true, gates: ['true'], promotion: { sign } });
    expect([first.state, first.promotion?.promotion?.seq]).toEqual(['promoted', 1]);
    expect((await poll(world, { autoPromote: true, promotion: { sign } })).state).toBe('up-to-date');
    // Nobody fetched in the checkout.
    write(world.work, { 'src/y.ts': 'y\n' });
    const source = commitAll(world.work, 'upstream');
    sh(world.work, ['push', '-q', world.upstream, 'main']);
    const synced = await poll(world, { autoPromote: true, promotion: { sign } });
    expect([synced.state, synced.promotion?.promotion?.seq, synced.promotion?.promotion?.base]).toEqual(['promoted', 2, source]);
    expect(sh(world.origin, ['merge-base', '--is-ancestor', source, 'main'])).toBe('');
    expect((await poll(world)).state).toBe('up-to-date');
    expect(sh(world.checkout, ['rev-parse', 'HEAD'])).toBe(head);
  });

  it('offers a candidate for review once, builds it once, and what is prepared later is the same commit', async () => {
    const world = await operatedFork();
    publish(world, { 'src/y.ts': 'y\n' });
    const { gate, count } = counting(world);
    const offered = await poll(world, { gates: [gate], review: true });
    const commit = offered.prepared?.candidate.commit ?? '';
    expect([offered.state, offered.review]).toEqual(['waiting', `refs/heads/praetor/candidate/${commit}`]);
    expect(sh(world.origin, ['rev-parse', offered.review ?? ''])).toBe(commit);
    expect(sh(world.origin, ['for-each-ref', PROMOTIONS_REF])).toBe('');
    const again = await poll(world, { gates: [gate], review: true });
    expect([again.state, again.remembered, again.review, count()]).toEqual(['waiting', true, offered.review, 1]);
    const { owner, source } = offered.plan;
    const later = await prepared(world, 'later', { owner, source });
    expect(later.candidate.commit).toBe(commit);
    expect((await poll(world, { gates: [gate], review: true, again: true })).review).toBe(offered.review);
    expect(count()).toBe(2);
    publish(world, { 'src/z.ts': 'z\n' });
    expect([(await poll(world, { gates: [gate] })).remembered, count()]).toEqual([false, 3]);
  });

  it('says which gate failed and does not promote, nor build the same again', async () => {
    const world = await operatedFork();
    const sign = signingKey(world).file;
    const { gate, count } = counting(world);
    const input = { gates: [gate, 'false'], autoPromote: true, promotion: { sign } };
    expect([(await poll(world, input)).state, (await poll(world, input)).gate, count()]).toEqual(['gate-failed', 'false', 1]);
    expect(sh(world.origin, ['for-each-ref', PROMOTIONS_REF])).toBe('');
    const kept = join(world.root, 'kept');
    expect((await poll(world, { ...input, destination: kept })).prepared?.candidate.gates.map(({ exit }) => exit)).toEqual([0, 1]);
    expect(existsSync(join(kept, 'gates/2.log'))).toBe(true);
  });

  it("follows update.auto_promote of the fork's own settings, as they are pushed", async () => {
    const world = await operatedFork();
    const sign = signingKey(world).file;
    settingsCommit(world, 'update: { auto_promote: verified }\n');
    expect((await poll(world, { promotion: { sign } })).state).toBe('waiting');
    sh(world.checkout, ['push', '-q', 'origin', 'main']);
    await expect(poll(world)).rejects.toThrow(/no key to sign/);
    expect((await poll(world, { promotion: { sign } })).state).toBe('promoted');
  });

  it('refuses what plan refuses, in one line, and writes nothing', async () => {
    const world = await operatedFork();
    settingsCommit(world, 'no_such_key: 1\n');
    sh(world.checkout, ['push', '-q', 'origin', 'main']);
    const refused = await fork(world, ['poll']);
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/^refused, 1 reason: \.config\/operator\/fleet\.yaml line 1: .*\n$/);
    expect(refused.err).toBe('');
    expect((await fork(world, ['poll', '--json'])).json['state']).toBe('refused');
    expect(existsSync(join(world.root, 'state'))).toBe(false);
  });

  it('answers in one line when there is nothing to do, and with 3 when something waits', async () => {
    const world = await operatedFork();
    await poll(world, { autoPromote: true, promotion: { sign: signingKey(world).file } });
    const none = await fork(world, ['poll']);
    expect([none.code, none.err]).toEqual([0, '']);
    expect(none.out).toMatch(/^up to date: [0-9a-f]{12} contains [0-9a-f]{12}\n$/);
    publish(world, { 'src/y.ts': 'y\n' });
    await poll(world);
    const waits = await fork(world, ['poll']);
    expect(waits.code).toBe(3);
    expect(waits.out).toMatch(/^waits for review: 1 new of upstream [0-9a-f]{12}, found earlier; next: .*praetorctl fork prepare --owner-commit [0-9a-f]{40} --source-commit [0-9a-f]{40}\n$/);
    const json = await fork(world, ['poll', '--json']);
    expect([json.code, json.json['remembered'], json.json['ok']]).toEqual([3, true, true]);
  });
});
