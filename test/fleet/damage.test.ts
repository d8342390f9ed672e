// What was damaged on a workstation is noticed by what would use it, named, and comes back.
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { artefactRef } from '../../src/fleet/promotion.ts';
import { checkSettings, ownSettingsNote, placed } from '../../src/fleet/settle.ts';
import { stationOf } from '../../src/fleet/station.ts';
import { realHost } from '../../src/host.ts';
import { damagedFile, readVersion } from '../../src/roots/version-file.ts';
import { cli, repo, world, type World } from '../support/cli.ts';
import { artefactOf, asked, dataOf, forge, idOf, launcherOf, promote, recordOf, station, type Forge } from '../support/fleet.ts';
import { sh } from '../support/git.ts';

const FILES = { 'dist/rules.txt': 'one\n' };

async function follower(fork: Forge, onPath = false): Promise<World> {
  const where = world({ fixture: 'claude-minimal', onPath });
  const made = await station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor);
  expect(made.code).toBe(0);
  return where;
}

const fileOf = (where: World, id: string, path: string): string => join(dataOf(where), 'versions', id, path);
function damage(file: string): void {
  chmodSync(file, 0o644);
  writeFileSync(file, `${readFileSync(file, 'utf8')}# changed\n`);
}
const notes = (answer: { readonly json: Record<string, unknown> }): string => JSON.stringify(answer.json['diagnostics']);
const rowsOf = async (where: World, id: string): Promise<readonly { status: string; message: string }[]> =>
  ((await cli(where, ['doctor', '--json'])).json['rows'] as { id: string; status: string; message: string }[]).filter((row) => row.id === id);

describe('a version whose files were changed', () => {
  it('is found by doctor, and unpacked again by an update with nothing new', async () => {
    const fork = forge();
    const { id } = await promote(fork, 'v1', { files: FILES });
    const where = await follower(fork);
    const file = fileOf(where, id, 'dist/rules.txt');
    expect((await rowsOf(where, 'version.files'))[0]?.status).toBe('ok');
    damage(file);
    expect((await rowsOf(where, 'version.files'))[0]).toMatchObject({ status: 'error', message: expect.stringContaining('dist/rules.txt') as string });
    const got = await station(where, 'update');
    expect([got.code, got.json['result'], readFileSync(file, 'utf8')]).toEqual([0, 'up-to-date', FILES['dist/rules.txt']]);
    expect(notes(got)).toContain('dist/rules.txt');
    expect(readVersion(realHost(), dataOf(where), id)).toMatchObject({ version: 'v1', seq: 1 });
  });

  it('is repaired by installing it again, also where a file is missing or too much', async () => {
    const fork = forge();
    const { id } = await promote(fork, 'v1', { files: FILES });
    const where = await follower(fork);
    for (const spoil of [
      () => { damage(fileOf(where, id, 'dist/rules.txt')); }, () => { rmSync(fileOf(where, id, 'package.json')); },
      () => { writeFileSync(fileOf(where, id, 'dist/more.txt'), ''); }, () => { damage(fileOf(where, id, 'version.json')); },
    ]) {
      spoil();
      expect(damagedFile(realHost(), dataOf(where), id)).toBeDefined();
      expect((await station(where, 'install', '--from', fork.remote)).code).toBe(0);
      expect(damagedFile(realHost(), dataOf(where), id)).toBeUndefined();
    }
    writeFileSync(fileOf(where, id, 'bin/praetorctl.v20.cache'), '');
    expect(damagedFile(realHost(), dataOf(where), id)).toBeUndefined();
    expect(asked(launcherOf(where), where.home)).toBe('v1');
  });

  it('is refused by name where its artefact is not here any more', async () => {
    const fork = forge();
    const one = await promote(fork, 'v1', { files: FILES });
    const where = await follower(fork);
    await promote(fork, 'v2');
    expect((await station(where, 'update')).json['result']).toBe('updated');
    damage(fileOf(where, one.id, 'dist/rules.txt'));
    const back = await station(where, 'rollback', '--to', one.id);
    expect([back.code, notes(back).includes('dist/rules.txt'), asked(launcherOf(where), where.home)]).toEqual([1, true, 'v2']);
    rmSync(join(dataOf(where), 'repo.git'), { recursive: true });
    damage(fileOf(where, String(recordOf(where)['current']), 'package.json'));
    const update = await station(where, 'update');
    expect([update.code, update.json['code'], notes(update).includes('package.json')]).toEqual([1, 'version-damaged', true]);
  });
});

it('another praetorctl before the launcher on PATH is said by install and doctor', async () => {
  const fork = forge();
  await promote(fork, 'v1');
  const where = await follower(fork, true);
  const again = await station(where, 'install', '--from', fork.remote);
  expect(notes(again)).toContain('stands on PATH before the launcher');
  expect((await rowsOf(where, 'entrypoint.path'))[0]).toMatchObject({ status: 'warning', message: expect.stringContaining(launcherOf(where)) as string });
  expect(idOf(artefactOf('v1'))).toBe(recordOf(where)['current']);
});

it.each(['', '{}', '{"schema": "praetor.install/1",\n  "current'])('a damaged record (%j) is set aside by the install that its message names, and the host keeps its id', async (text) => {
  const fork = forge();
  await promote(fork, 'v1', { says: { seq: 4 } });
  const where = await follower(fork);
  const { hostId } = recordOf(where);
  writeFileSync(join(dataOf(where), 'install.json'), text);
  expect(notes(await station(where, 'update'))).toContain('--anchor');
  const again = await station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor);
  expect([again.code, again.json['hostId'], notes(again).includes('keeps its id'), notes(again).includes('not seen here')]).toEqual([0, hostId, true, false]);
  const aside = readdirSync(dataOf(where)).filter((name) => name.startsWith('install.json.damaged-'));
  expect(aside.map((name) => readFileSync(join(dataOf(where), name), 'utf8'))).toEqual([text]);
  expect(asked(launcherOf(where), where.home)).toBe('v1');
});

it('an artefact that is gone is refused by key, reference and sequence', async () => {
  const fork = forge();
  await promote(fork, 'v1');
  const where = await follower(fork);
  const { commit } = await promote(fork, 'v2');
  sh(fork.remote, ['update-ref', '-d', artefactRef(commit)]);
  const got = await station(where, 'update');
  expect([got.code, asked(launcherOf(where), where.home)]).toEqual([1, 'v1']);
  expect(notes(got)).toMatch(/key SHA256:.*sequence 2/);
});

it("a fault in the person's own settings is named by file and line and keeps no version back; one of the version's documents does", async () => {
  const fork = forge();
  await promote(fork, 'v1');
  const where = await follower(fork);
  const at = stationOf(realHost({ env: where.env }), process.execPath);
  const version = join(where.root, 'version');
  mkdirSync(join(version, 'operator'), { recursive: true });
  symlinkSync(join(repo, 'bin'), join(version, 'bin'));
  const own = join(where.root, 'config/settings.yaml');
  mkdirSync(join(where.root, 'config'), { recursive: true });
  writeFileSync(join(version, 'operator/fleet.yaml'), 'update:\n  channel: manual\n');
  writeFileSync(own, '# mine\nhoks: {}\n');
  const mine = await checkSettings(at, version);
  expect([mine.refusal, mine.own === undefined ? '' : ownSettingsNote(mine.own)]).toEqual([undefined, expect.stringContaining(`settings-invalid: ${own}:2: `)]);
  writeFileSync(join(version, 'operator/fleet.yaml'), 'updat: {}\n');
  const both = await checkSettings(at, version);
  expect(both.refusal === undefined ? '' : placed(both.refusal)).toContain(`${join(version, 'operator/fleet.yaml')}:1: `);
});
