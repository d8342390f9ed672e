// Many hooks during many switches: none fails. Many updates at once: one wins. The hooks are real processes of Node behind the launcher.
import { mkdtempSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeInstallRecord } from '../../src/fleet/install-record.ts';
import { switched } from '../../src/fleet/station.ts';
import { realHost } from '../../src/host.ts';
import { readInstallRecord } from '../../src/roots/install-record.ts';
import { bundleChild, startChild } from '../support/children.ts';
import { cli, world, type World } from '../support/cli.ts';
import { asked, dataOf, forge, launcherOf, promote, station, type Forge, type Promoted } from '../support/fleet.ts';

const built = mkdtempSync(join(tmpdir(), 'praetorctl-load-'));
afterAll(() => { rmSync(built, { recursive: true, force: true }); });
let script = '';
const fork: Forge = forge();
let [one, two]: Promoted[] = [];
let where: World;
beforeAll(async () => {
  script = await bundleChild('kill-station', built);
  where = world({ fixture: 'claude-minimal', onPath: false, env: { PATH: process.env['PATH'] ?? '' } });
  await cli(where, ['clients', 'apply', '--client', 'claude', '--yes']);
  one = await promote(fork, 'v1');
  expect((await station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor)).code).toBe(0);
  two = await promote(fork, 'v2');
  expect((await station(where, 'update')).code).toBe(0);
}, 120_000);

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
    await promote(fork, 'v3');
    const ended = await Promise.all(Array.from({ length: 6 }, () => startChild(script, [JSON.stringify(where.env), where.project, '0', 'update', fork.remote, fork.anchor]).ended));
    const lost = ended.filter(({ code }) => code !== 0);
    expect(lost.every(({ err }) => err.includes('are being changed by process'))).toBe(true);
    expect([ended.length - lost.length > 0, asked(launcherOf(where), where.home)]).toEqual([true, 'v3']);
  }, 120_000);
});
