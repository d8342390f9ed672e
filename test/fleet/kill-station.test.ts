// kill -9 before every call that changes the disk, during install, update and rollback: the launcher answers with the old version or the
// new one, a second run completes, and `previous` is right. Several workstations share the calls among them, and the engine is a
// few lines of sh in the place of Node: what is killed is the run, and its steps are the same with any engine.
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleChild, startChild, type Ended } from '../support/children.ts';
import { cli, world, type World } from '../support/cli.ts';
import { asked, forge, launcherOf, promote, quickArtefact, recordOf, type Forge, type Promoted } from '../support/fleet.ts';

const AT_ONCE = 3;
const SHELL = '/bin/sh';

const built = mkdtempSync(join(tmpdir(), 'praetorctl-kill-'));
afterAll(() => { rmSync(built, { recursive: true, force: true }); });
let script = '';
const fork: Forge = forge();
let [one, two]: Promoted[] = [];
const stations: World[] = [];
beforeAll(async () => {
  script = await bundleChild('kill-station', built);
  one = await promote(fork, 'v1', { artefact: quickArtefact('v1') });
  for (let i = 0; i < AT_ONCE; i += 1) {
    const where = world({ fixture: 'claude-minimal', onPath: false, env: { PATH: process.env['PATH'] ?? '' } });
    await cli(where, ['clients', 'apply', '--client', 'claude', '--yes']);
    stations.push(where);
  }
}, 60_000);

const said = (where: World): string => asked(launcherOf(where), where.home);

/** The world as it was, for the next try: moved in whole, so that nothing of a try stays. */
function keep(where: World, name: string): () => void {
  const kept = join(where.root, `kept-${name}`);
  const parts = ['home', 'state'];
  for (const part of parts) if (existsSync(join(where.root, part))) cpSync(join(where.root, part), join(kept, part), { recursive: true, verbatimSymlinks: true });
  return () => {
    for (const part of parts) {
      rmSync(join(where.root, part), { recursive: true, force: true });
      if (!existsSync(join(kept, part))) continue;
      cpSync(join(kept, part), join(where.root, `${part}.new`), { recursive: true, verbatimSymlinks: true });
      renameSync(join(where.root, `${part}.new`), join(where.root, part));
    }
  };
}

/** Every n is tried by one of the workstations; each of them goes on until its run was not killed any more. */
async function everyKill(what: string, answers: readonly RegExp[], after: (where: World) => void): Promise<number> {
  let next = 0;
  const killed = new Set<number>();
  const ends: number[] = [];
  await Promise.all(stations.map(async (where) => {
    const restore = keep(where, what);
    const run = (n: number): Promise<Ended> => startChild(script, [JSON.stringify(where.env), where.project, String(n), what, fork.remote, fork.anchor, SHELL]).ended;
    for (;;) {
      const n = next += 1;
      restore();
      const ended = await run(n);
      if (ended.signal === null) {
        expect([n, ended.code, ended.err]).toEqual([n, 0, '']);
        after(where);
        ends.push(n);
        return;
      }
      expect(ended.signal).toBe('SIGKILL');
      killed.add(n);
      const answer = said(where);
      expect([n, answer, answers.some((form) => form.test(answer))]).toEqual([n, answer, true]);
      const again = await run(0);
      expect([n, again.code, again.err]).toEqual([n, 0, '']);
      after(where);
    }
  }));
  // Without a hole: every call up to the last one was the place of a kill.
  const kills = Math.min(...ends) - 1;
  expect(Array.from({ length: kills }, (_, i) => i + 1).filter((n) => !killed.has(n))).toEqual([]);
  return kills;
}

describe('killed at every call that changes the disk', () => {
  it('install', async () => {
    // Before the launcher is taken over, the one of `clients apply` answers.
    const kills = await everyKill('install', [/^(?!exit )/], (where) => { expect([said(where), recordOf(where)['previous']]).toEqual(['v1', null]); });
    expect(kills).toBeGreaterThan(15);
  }, 300_000);

  it('update', async () => {
    two = await promote(fork, 'v2', { artefact: quickArtefact('v2') });
    const kills = await everyKill('update', [/^v1$/, /^v2$/], (where) => { expect([said(where), recordOf(where)['current'], recordOf(where)['previous']]).toEqual(['v2', two?.id, one?.id]); });
    expect(kills).toBeGreaterThan(15);
  }, 300_000);

  it('rollback, and again after it', async () => {
    const kills = await everyKill('rollback', [/^v1$/, /^v2$/], (where) => { expect([said(where), recordOf(where)['current'], recordOf(where)['previous']]).toEqual(['v1', one?.id, two?.id]); });
    expect(kills).toBeGreaterThan(3);
  }, 120_000);
});
