// The lock of the versions: live, dead and foreign owners, and many at once.
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { processStart, takeUpdateLock } from '../../src/fleet/update-lock.ts';
import { realHost } from '../../src/host.ts';
import { faultyHost, recordingHost } from '../support/hosts.ts';

const root = mkdtempSync(join(tmpdir(), 'praetorctl-lock-'));
afterAll(() => { rmSync(root, { recursive: true, force: true }); });
const host = realHost({ env: { HOME: root }, cwd: root });
const fresh = (): string => mkdtempSync(join(root, 's'));
const names = (state: string): string[] => readdirSync(state).sort();
const take = (state: string, with_ = host): () => void => {
  const got = takeUpdateLock(with_, state);
  if (typeof got !== 'function') throw new Error(got.message);
  return got;
};

describe('update.lock', () => {
  it('one holds it, the next is told which process, and it is free again after the release', () => {
    const state = fresh();
    const release = take(state);
    expect(takeUpdateLock(realHost({ env: { HOME: root }, cwd: root }), state)).toMatchObject({ code: 'lock-held', message: expect.stringContaining(`process ${process.pid}`) as string });
    release();
    expect(names(state)).toEqual([]);
    take(state)();
  });

  it('a process that is gone, or whose pid another has by now, is taken over', async () => {
    const state = fresh();
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)'], { stdio: 'ignore' });
    const start = processStart(host, child.pid ?? 0);
    expect(start).toMatch(/\d+$/);
    mkdirSync(join(state, 'update.lock'));
    const own = (value: object): void => { writeFileSync(join(state, 'update.lock', 'owner'), JSON.stringify(value)); };
    own({ pid: child.pid, start, nonce: '0'.repeat(16) });
    expect(takeUpdateLock(host, state)).toMatchObject({ code: 'lock-held' });
    const gone = new Promise((resolve) => { child.on('exit', resolve); });
    child.kill('SIGKILL');
    await gone;
    const release = take(state);
    expect(names(state)).toEqual(['update.lock', `update.lock.dead-${'0'.repeat(16)}`]);
    release();
    mkdirSync(join(state, 'update.lock'));
    own({ pid: process.pid, start: 'another time', nonce: '1'.repeat(16) });
    take(state)();
  });

  it.skipIf(process.getuid?.() !== 0)('a lock of another account is named and left alone', () => {
    const state = fresh();
    mkdirSync(join(state, 'update.lock'));
    chownSync(join(state, 'update.lock'), 12_345, 12_345);
    expect(takeUpdateLock(host, state)).toMatchObject({ code: 'lock-held', message: expect.stringContaining('uid 12345') as string });
    expect(names(state)).toEqual(['update.lock']);
  });

  it('a fault at any call ends in an error or a held lock, and the next one takes it', () => {
    const seen = recordingHost(host);
    take(fresh(), seen.host)();
    for (let n = 1; n <= seen.calls.length; n += 1) {
      for (const fault of ['throw', 'throw-after'] as const) {
        const state = fresh();
        try { take(state, faultyHost(host, n, fault))(); } catch { /* the fault */ }
        // Left behind by this process, which is alive: another process will find it dead.
        rmSync(join(state, 'update.lock'), { recursive: true, force: true });
        take(state)();
      }
    }
  });
});
