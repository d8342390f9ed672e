// The whole way by the command line, with the engine of this repository: init, plan, prepare, promote; and an engine that does not judge.
import { chmodSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ARTEFACT_BYTES_MAX, unpackTar } from '../../src/fleet/tar.ts';
import { repo } from '../support/cli.ts';
import { write } from '../support/git.ts';
import { ENGINE, fork, operatedFork, publish, signingKey } from '../support/fork.ts';

const schemas = Object.fromEntries(readdirSync(join(repo, 'schemas')).map((name) => [`schemas/${name}`, readFileSync(join(repo, 'schemas', name), 'utf8')]));
const REAL: Readonly<Record<string, string>> = {
  ...ENGINE, ...schemas,
  ...Object.fromEntries(['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md', 'bin/package.json'].map((name) => [name, readFileSync(join(repo, name), 'utf8')])),
  'bin/praetorctl': readFileSync(join(repo, 'bin/praetorctl'), 'utf8'),
};
const BUILD = `mkdir dist && cp '${join(repo, 'dist')}'/*.cjs '${join(repo, 'dist')}'/*.json dist/ && cp '${join(repo, 'dist')}'/*.txt dist/`;

describe('praetorctl fork', () => {
  it('goes from upstream to a promoted version that holds our package and the operator files', async () => {
    const world = await operatedFork(REAL);
    chmodSync(join(world.work, 'bin/praetorctl'), 0o755);
    publish(world, { 'src/x.ts': 'newer\n' });
    const [dir, key] = [join(world.root, 'candidate'), signingKey(world)];
    expect((await fork(world, ['plan'])).code).toBe(3);
    const made = await fork(world, ['prepare', '--json', '--destination', dir, '--build', BUILD, '--gate', 'node bin/praetorctl --version', '--gate', 'true']);
    expect([made.code, made.json['diagnostics']]).toEqual([0, []]);
    const entries = unpackTar(readFileSync(join(dir, 'artefact.tgz')));
    const paths = entries.map(({ path }) => path);
    for (const path of ['package/bin/praetorctl', 'package/dist/hook.cjs', 'package/dist/cli.cjs', 'package/schemas/fork-plan.schema.json', 'package/package.json', 'package/operator/fork.json']) expect(paths).toContain(path);
    expect(entries.find(({ path }) => path === 'package/bin/praetorctl')?.executable).toBe(true);
    expect(readFileSync(join(dir, 'artefact.tgz')).length).toBeLessThan(ARTEFACT_BYTES_MAX / 8);
    const done = await fork(world, ['promote', dir, '--json', '--sign', key.file, '--expires', '30d', '--urgent']);
    expect([done.code, done.json['promoted'], (done.json['promotion'] as { urgent: boolean }).urgent]).toEqual([0, true, true]);
    expect((await fork(world, ['promote', dir, '--sign', key.file])).out).toMatch(/^nothing to promote: [0-9a-f]{40} is promoted already/);
    expect((await fork(world, ['promote', dir, '--json', '--sign', key.file])).code).toBe(3);
    expect((await fork(world, ['promote', '--json', '--withdraw', String(done.json['id']), '--sign', key.file])).code).toBe(1);
  });

  it('does not pack an engine that does not judge', async () => {
    const world = await operatedFork();
    const [dir, key] = [join(world.root, 'c'), signingKey(world)];
    const silent = await fork(world, ['prepare', '--json', '--destination', dir]);
    expect([silent.code, silent.json['artefact']]).toEqual([1, null]);
    expect((silent.json['diagnostics'] as { code: string }[]).map(({ code }) => code)).toEqual(['gate-failed']);
    expect((await fork(world, ['promote', dir, '--sign', key.file])).err).toContain('gate-failed');
    // One that allows everything answers the harmless call rightly.
    publish(world, { 'bin/praetorctl': '#!/usr/bin/env node\n' });
    expect((await fork(world, ['prepare', '--json', '--destination', join(world.root, 'd')])).json['artefact']).toBeNull();
  });

  it('says by 64 what is asked wrongly, before anything is done', async () => {
    const world = await operatedFork();
    write(world.root, { signers: '' });
    for (const args of [['promote', '--sign', 'k'], ['promote', 'd', '--withdraw', 'x', '--sign', 'k'], ['promote', 'd'], ['prepare'], ['promote', 'd', '--sign', 'k', '--min-from', '0'], ['promote', 'd', '--sign', 'k', '--expires', 'yesterday'], ['promote', 'd', '--sign', 'k', '--expires', '2020-01-01'], ['plan', '--branch', '../x']]) {
      expect([args, (await fork(world, args)).code]).toEqual([args, 64]);
    }
    expect((await fork(world, ['promote', 'd', '--sign', 'k', '--new-signers', 'none'])).code).toBe(1);
  });
});
