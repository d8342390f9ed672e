// kill -9 before every call that changes the disk, during install, update and rollback: the launcher answers with the old version or the
// new one, a second run completes, and `previous` is right. Many hooks during many switches: none fails. Many at once: one wins.
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeInstallRecord } from '../../src/fleet/install-record.ts';
import { switched } from '../../src/fleet/station.ts';
import { realHost } from '../../src/host.ts';
import { readInstallRecord } from '../../src/roots/install-record.ts';
import { bundleChild, startChild, type Ended } from '../support/children.ts';
import { cli, world, type World } from '../support/cli.ts';
import { asked, dataOf, forge, launcherOf, promote, recordOf, station, type Forge, type Promoted } from '../support/fleet.ts';

const built = mkdtempSync(join(tmpdir(), 'praetorctl-kill-'));
afterAll(() => { rmSync(built, { recursive: true, force: true }); });
let script = '';
beforeAll(async () => { script = await bundleChild('kill-station', built); });

const fork: Forge = forge();
let [one, two]: Promoted[] = [];
let where: World;
beforeAll(async () => {
  where = world({ fixture: 'claude-minimal', onPath: false, env: { PATH: process.env['PATH'] ?? '' } });
  await cli(where, ['clients', 'apply', '--client', 'claude', '--yes']);
  one = await promote(fork, 'v1');
}, 60_000);

const run = (what: string, n: number): Promise<Ended> => startChild(script, [JSON.stringify(where.env), where.project, String(n), what, fork.remote, fork.anchor]).ended;
const said = (): string => asked(launcherOf(where), where.home);

/** The world as it was, for the next try: moved in whole, so that nothing of a try stays. */
function keep(name: string): () => void {
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

async function everyKill(what: string, answers: readonly RegExp[], after: () => void): Promise<number> {
  const restore = keep(what);
  let kills = 0;
  for (let n = 1; ; n += 1) {
    restore();
    const ended = await run(what, n);
    if (ended.signal === null) {
      expect([n, ended.code, ended.err]).toEqual([n, 0, '']);
      after();
      return kills;
    }
    expect(ended.signal).toBe('SIGKILL');
    kills += 1;
    const answer = said();
    expect([n, answer, answers.some((form) => form.test(answer))]).toEqual([n, answer, true]);
    const again = await run(what, 0);
    expect([n, again.code, again.err]).toEqual([n, 0, '']);
    after();
  }
}

describe('killed at every call that changes the disk', () => {
  it('install', async () => {
    // Before the launcher is taken over, the one of `clients apply` answers.
    const kills = await everyKill('install', [/^(?!exit )/], () => { expect([said(), recordOf(where)['previous']]).toEqual(['v1', null]); });
    expect(kills).toBeGreaterThan(15);
  }, 600_000);

  it('update', async () => {
    two = await promote(fork, 'v2');
    const kills = await everyKill('update', [/^v1$/, /^v2$/], () => { expect([said(), recordOf(where)['current'], recordOf(where)['previous']]).toEqual(['v2', two?.id, one?.id]); });
    expect(kills).toBeGreaterThan(15);
  }, 600_000);

  it('rollback, and again after it', async () => {
    const kills = await everyKill('rollback', [/^v1$/, /^v2$/], () => { expect([said(), recordOf(where)['current'], recordOf(where)['previous']]).toEqual(['v1', one?.id, two?.id]); });
    expect(kills).toBeGreaterThan(3);
  }, 600_000);
});

describe('under load', () => {
  const HOOKS = 400;
  const SWITCHES = 300;

  it(`${HOOKS} hooks during ${SWITCHES} switches: none fails`, async () => {
    const host = realHost({ env: where.env, cwd: where.project });
    const data = dataOf(where);
    const input = JSON.stringify({ session_id: 's', cwd: '/w', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'git push --force' } });
    const answers: string[] = [];
    const hook = (): Promise<void> => new Promise((resolve) => {
      const child = spawn(launcherOf(where), ['hook', 'claude', 'pre-tool'], { env: { HOME: where.home }, stdio: ['pipe', 'pipe', 'pipe'] });
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => { out += chunk.toString(); });
      child.stdin.on('error', () => undefined);
      child.on('close', (code) => { answers.push(`${String(code)} ${/"permissionDecisionReason":"(v[12])"/.exec(out)?.[1] ?? out}`); resolve(); });
      child.stdin.end(input);
    });
    let started = 0;
    const worker = async (): Promise<void> => { while (started < HOOKS) { started += 1; await hook(); } };
    let switches = 0;
    const switching = async (): Promise<void> => {
      while (answers.length < HOOKS || switches < SWITCHES) {
        const record = readInstallRecord(host, data);
        if (record === undefined) throw new Error('no record');
        writeInstallRecord(host, data, switched(record, record.current === one?.id ? two?.id ?? '' : one?.id ?? '', new Date().toISOString()));
        switches += 1;
        await new Promise((resolve) => { setTimeout(resolve, 2); });
      }
    };
    await Promise.all([switching(), ...Array.from({ length: 4 }, worker)]);
    expect(answers.filter((answer) => answer !== '0 v1' && answer !== '0 v2')).toEqual([]);
    expect([answers.length, switches >= SWITCHES, new Set(answers).size]).toEqual([HOOKS, true, 2]);
  }, 300_000);

  it('six at once: one does it, the others say that it is being done or is done', async () => {
    await station(where, 'unpin');
    await promote(fork, 'v3');
    const ended = await Promise.all(Array.from({ length: 6 }, () => run('update', 0)));
    const lost = ended.filter(({ code }) => code !== 0);
    expect(lost.every(({ err }) => err.includes('are being changed by process'))).toBe(true);
    expect([ended.length - lost.length > 0, said()]).toEqual([true, 'v3']);
  }, 120_000);
});
