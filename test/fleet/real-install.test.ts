// The package of this repository as a version of a workstation: from an archive and from a checkout, through the launcher, with its
// code caches and its small bundle; and settings of a release that may not be taken.
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packageEntries } from '../../src/fleet/artefact.ts';
import { engineCheck } from '../../src/fleet/engine-check.ts';
import { packTar } from '../../src/fleet/tar.ts';
import { realHost } from '../../src/host.ts';
import { cli, repo, world, type World } from '../support/cli.ts';
import { REPOSITORY, artefactOf, asked, dataOf, forge, launcherOf, promote, recordOf, station, type Manner } from '../support/fleet.ts';
import { tempDir } from '../support/git.ts';

/** The package as a build leaves it, without what the build keeps for itself. */
const checkout = tempDir();
const host = realHost({ env: { HOME: checkout, PATH: process.env['PATH'] ?? '' }, cwd: checkout });
beforeAll(() => {
  const { files } = JSON.parse(readFileSync(join(repo, 'package.json'), 'utf8')) as { files: string[] };
  for (const name of ['package.json', ...files]) cpSync(join(repo, name), join(checkout, name), { recursive: true, filter: (path) => !/meta-[a-z-]+\.json$/.test(path) });
}, 60_000);

const caches = (directory: string): readonly string[] => readdirSync(join(directory, 'dist')).filter((name) => name.endsWith('.cache'));
async function registered(): Promise<World> {
  const where = world({ fixture: 'claude-minimal', onPath: false });
  await cli(where, ['clients', 'apply', '--client', 'claude', '--yes']);
  return where;
}
const currentOf = (where: World): string => join(dataOf(where), 'versions', String(recordOf(where)['current']));
/** Of the real rule; a reason that cannot be read is `exit ...`. */
const refusal = /^(?!exit ).*git\.push\.force/;

describe('the package of this repository', () => {
  it('is installed from an archive, makes its caches here, answers through the launcher; a checkout is the same version', async () => {
    const where = await registered();
    const archive = join(tempDir(), 'praetorctl.tgz');
    writeFileSync(archive, packTar(packageEntries(host, checkout)));
    const made = await station(where, 'install', '--from', archive);
    expect([made.code, made.json['result'], made.json['diagnostics']]).toEqual([0, 'installed', []]);
    expect(caches(currentOf(where)).length).toBeGreaterThan(5);
    expect(asked(launcherOf(where), where.home)).toMatch(refusal);
    const again = await station(where, 'install', '--from', checkout);
    expect([again.code, again.json['result'], again.json['id']]).toEqual([0, 'unchanged', made.json['id']]);

    // The small bundle of `status` and the command line are two programs with one answer.
    for (const words of [['workstation', 'status', '--json'], ['workstation', 'status']]) {
      const run = (script: string): unknown => { const got = spawnSync(process.execPath, [join(currentOf(where), script), ...words], { env: where.env, encoding: 'utf8' }); return [got.status, got.stdout, got.stderr]; };
      const small = run('bin/praetorctl');
      expect(small).toEqual(run('dist/cli.cjs'));
      expect(JSON.stringify(small)).toContain(String(made.json['id']));
    }
  }, 120_000);

  it('is installed from a checkout, and without the program that makes caches it says so and answers all the same', async () => {
    const bare = tempDir();
    cpSync(checkout, bare, { recursive: true });
    rmSync(join(bare, 'dist/warm.cjs'));
    const where = await registered();
    const made = await station(where, 'install', '--from', bare);
    expect([made.code, made.json['result'], JSON.stringify(made.json['diagnostics']).includes('no code cache was made'), caches(currentOf(where))]).toEqual([0, 'installed', true, []]);
    expect(asked(launcherOf(where), where.home)).toMatch(refusal);
  }, 60_000);

  it('with settings that loosen a tightened key is refused with both documents named, and the old version stays', async () => {
    const fork = forge();
    const one = await promote(fork, 'v1');
    const where = await registered();
    expect((await station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor, '--org', 'acme')).code).toBe(0);
    const operator = { 'fork.json': JSON.stringify({ schema: 'praetor.fork/1', repository: REPOSITORY, source: 'up/stream' }), 'fleet.yaml': 'hooks: { command_policy: { mode: strict } }\n', 'orgs/acme.yaml': 'hooks: { command_policy: { mode: default } }\n' };
    const entries = packageEntries(host, checkout).filter(({ path }) => !path.endsWith('/warm.cjs'));
    const artefact = packTar([...entries, ...Object.entries(operator).map(([path, text]) => ({ path: `package/operator/${path}`, executable: false, bytes: Buffer.from(text) }))]);
    await promote(fork, 'v2', { artefact });
    const got = await station(where, 'update');
    expect([got.code, got.json['result'], got.json['code']]).toEqual([1, 'refused', 'settings-refused']);
    expect(String(got.json['message'])).toMatch(/fleet.*organisation|organisation.*fleet/);
    expect([recordOf(where)['current'], recordOf(where)['previous'], asked(launcherOf(where), where.home)]).toEqual([one.id, null, 'v1']);
  }, 60_000);
});

describe('the check of a packed engine before it is promoted', () => {
  it.each<[Manner, boolean, string]>([['good', true, 'judges for'], ['allows-all', false, 'deny-allowed'], ['denies-all', false, 'allow-refused'], ['takes-anything', false, 'malformed-allowed'], ['exits-1', false, 'allow-refused']])('%s: %s', async (manner, ok, said) => {
    const got = await engineCheck(host, process.execPath)(artefactOf('v1', manner));
    expect([got.ok, got.said.startsWith(said)]).toEqual([ok, true]);
  });
});
