// What a person and the settings choose: waiting, a key, a directory for the launcher; and which versions stay.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeInstallRecord } from '../../src/fleet/install-record.ts';
import { newSigningKey, privateKeyFile } from '../../src/fleet/sshsig.ts';
import { VERSION_AGE_MS_MIN } from '../../src/fleet/versions.ts';
import { realHost, type Host } from '../../src/host.ts';
import { readInstallRecord, type InstallRecord } from '../../src/roots/install-record.ts';
import { cli, settings, world, type World } from '../support/cli.ts';
import { asked, dataOf, forge, launcherOf, promote, recordOf, station, type Forge } from '../support/fleet.ts';

async function follower(fork: Forge): Promise<World> {
  const where = world({ fixture: 'claude-minimal', onPath: false });
  await cli(where, ['clients', 'apply', '--client', 'claude', '--yes']);
  expect((await station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor)).code).toBe(0);
  return where;
}
const said = (where: World): string => asked(launcherOf(where), where.home);
const hostOf = (where: World, laterMs = 0): Host => ({ ...realHost({ env: where.env, cwd: where.project }), now: () => Date.now() + laterMs });
async function updated(where: World, laterMs: number, ...words: readonly string[]): Promise<unknown[]> {
  const got = await cli(where, ['workstation', 'update', ...words, '--json'], { host: hostOf(where, laterMs) });
  return [got.code, got.json['result'], said(where)];
}
const DAY = 86_400_000;

describe('soak', () => {
  it('a promotion waits until it is old enough; --now and an urgent one do not', async () => {
    const fork = forge();
    await promote(fork, 'v1');
    const where = await follower(fork);
    settings(where, 'update: { soak: 2d }\n');
    await promote(fork, 'v2');
    expect(await updated(where, 0)).toEqual([3, 'waiting', 'v1']);
    expect(await updated(where, 2 * DAY - 600_000)).toEqual([3, 'waiting', 'v1']);
    expect(await updated(where, 2 * DAY + 600_000)).toEqual([0, 'updated', 'v2']);
    await promote(fork, 'v3');
    expect(await updated(where, 0)).toEqual([3, 'waiting', 'v2']);
    expect(await updated(where, 0, '--now')).toEqual([0, 'updated', 'v3']);
    await promote(fork, 'v4', { says: { urgent: true } });
    expect(await updated(where, 0)).toEqual([0, 'updated', 'v4']);
  });
});

describe('which versions stay', () => {
  it('a version goes seven days after it was current; the current one, the one before and a pinned one never', async () => {
    const fork = forge();
    const one = await promote(fork, 'v1');
    const where = await follower(fork);
    const two = await promote(fork, 'v2');
    expect(await updated(where, 0)).toEqual([0, 'updated', 'v2']);
    const three = await promote(fork, 'v3');
    expect(await updated(where, 0)).toEqual([0, 'updated', 'v3']);
    const data = dataOf(where);
    const here = (): boolean[] => [one, two, three].map(({ id }) => existsSync(join(data, 'versions', id)));
    const write = (change: Partial<InstallRecord>): void => {
      const record = readInstallRecord(hostOf(where), data);
      if (record === undefined) throw new Error('no record');
      writeInstallRecord(hostOf(where), data, { ...record, ...change });
    };
    await updated(where, VERSION_AGE_MS_MIN - 600_000);
    expect(here()).toEqual([true, true, true]);
    write({ pin: { id: one.id, by: 'pin', at: new Date().toISOString() } });
    await updated(where, 365 * DAY);
    expect(here()).toEqual([true, true, true]);
    write({ pin: null });
    await updated(where, VERSION_AGE_MS_MIN + 600_000);
    expect(here()).toEqual([false, true, true]);
    await updated(where, 365 * DAY);
    expect([here(), said(where)]).toEqual([[false, true, true], 'v3']);
  });
});

describe('install', () => {
  it('takes the key that is named, and a directory for the launcher', async () => {
    const fork = forge();
    await promote(fork, 'v1');
    const where = world({ fixture: 'claude-minimal' });
    await cli(where, ['clients', 'apply', '--client', 'claude', '--yes']);
    const key = newSigningKey('mine');
    const file = join(where.root, 'mine');
    writeFileSync(file, privateKeyFile(key), { mode: 0o600 });
    const bin = join(where.root, 'my bin');
    mkdirSync(bin);
    const install = (...words: string[]): ReturnType<typeof station> => station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor, ...words);
    const made = await install('--key', file, '--bin-dir', bin);
    expect([made.code, (made.json['key'] as { fingerprint: string }).fingerprint, recordOf(where)['key'], existsSync(join(dataOf(where), 'host_ed25519'))]).toEqual([0, key.fingerprint, file, false]);
    expect([recordOf(where)['launcher'], asked(join(bin, 'praetorctl'), where.home), existsSync(launcherOf(where))]).toEqual([join(bin, 'praetorctl'), 'v1', false]);
    // A further install keeps both; a file that is no key is refused and changes nothing.
    expect([(await install()).json['result'], recordOf(where)['key']]).toEqual(['unchanged', file]);
    const before = recordOf(where);
    writeFileSync(join(where.root, 'none'), 'no key\n');
    const refused = await install('--key', join(where.root, 'none'));
    expect([refused.code === 0, refused.out.includes('cannot be used'), recordOf(where)]).toEqual([false, true, before]);
  });

  it('leaves a foreign file where the launcher would go, and installs nothing', async () => {
    const fork = forge();
    await promote(fork, 'v1');
    const where = world({ fixture: 'claude-minimal' });
    mkdirSync(join(where.home, '.local/bin'), { recursive: true });
    writeFileSync(launcherOf(where), '#!/bin/sh\necho mine\n', { mode: 0o755 });
    const refused = await station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor);
    expect([refused.code === 0, refused.out.includes('foreign-entry'), readFileSync(launcherOf(where), 'utf8'), existsSync(join(dataOf(where), 'install.json'))]).toEqual([false, true, '#!/bin/sh\necho mine\n', false]);
  });
});
