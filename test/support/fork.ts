// A public upstream, an operational fork of it on a server (bare repositories) and a checkout of the fork, driven by the command line.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareFork, type PrepareInput, type Prepared } from '../../src/fleet/fork-prepare.ts';
import { openRepo, type ForkRepo } from '../../src/fleet/fork-repo.ts';
import { newSigningKey, privateKeyFile, publicLine } from '../../src/fleet/sshsig.ts';
import { runCli } from '../../src/cli/program.ts';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { repo } from './cli.ts';
import { commitAll, gitHost, newRepo, sh, tempDir, write } from './git.ts';

export interface ForkWorld {
  readonly root: string;
  /** Where upstream is worked on; `publish` puts it on its server. */
  readonly work: string;
  readonly upstream: string;
  readonly origin: string;
  readonly checkout: string;
}

export const ENGINE: Readonly<Record<string, string>> = {
  '.gitignore': readFileSync(join(repo, '.gitignore'), 'utf8'),
  'package.json': JSON.stringify({ name: 'engine', version: '1.0.0', bin: { engine: 'bin/engine' }, files: ['bin/', 'lib/', 'LICENSE'] }),
  'bin/engine': '#!/bin/sh\n', 'lib/a.js': 'a\n', 'src/x.ts': 'x\n', LICENSE: 'free\n',
};

export function publish(world: ForkWorld, files: Readonly<Record<string, string>>, message = 'upstream'): string {
  write(world.work, files);
  const commit = commitAll(world.work, message);
  sh(world.work, ['push', '-q', world.upstream, 'main']);
  sh(world.checkout, ['fetch', '-q', 'upstream']);
  return commit;
}

/** A fork that nobody has initialised yet. */
export function freshFork(engine: Readonly<Record<string, string>> = ENGINE): ForkWorld {
  const root = tempDir();
  const world = { root, work: join(root, 'work'), upstream: join(root, 'pub/praetorctl.git'), origin: join(root, 'acme/praetorctl.git'), checkout: join(root, 'checkout') };
  newRepo(world.work, engine);
  mkdirSync(join(root, 'pub'));
  mkdirSync(join(root, 'acme'));
  sh(root, ['clone', '-q', '--bare', world.work, world.upstream]);
  sh(root, ['clone', '-q', '--bare', world.upstream, world.origin]);
  sh(root, ['clone', '-q', world.origin, world.checkout]);
  sh(world.checkout, ['remote', 'add', 'upstream', world.upstream]);
  sh(world.checkout, ['fetch', '-q', 'upstream']);
  return world;
}

export interface ForkAnswer { readonly code: number; readonly out: string; readonly err: string; readonly json: Record<string, unknown>; readonly rules: readonly string[] }

/** `praetorctl fork ...` in the checkout; every JSON answer is held against its schema. */
export async function fork(world: ForkWorld, args: readonly string[], env: Record<string, string> = {}, cwd = world.checkout): Promise<ForkAnswer> {
  let [out, err] = ['', ''];
  const host = gitHost(world.root, cwd, { PRAETORCTL_STATE_DIR: join(world.root, 'state'), ...env });
  const code = await runCli(['fork', ...args], {
    host, out: (text) => { out += text; }, err: (text) => { err += text; }, outIsTty: false, errIsTty: false, inIsTty: false,
    ask: () => Promise.reject(new Error('nobody is asked')), program: { node: process.execPath, script: join(repo, 'bin/praetorctl') },
  });
  const json = args.includes('--json') ? JSON.parse(out) as Record<string, unknown> : {};
  if (args.includes('--json')) OUTPUT_SCHEMAS[`fork-${args[0] ?? ''}`]?.parse(json);
  const findings = (json['findings'] ?? []) as { rule: string }[];
  return { code, out, err, json, rules: [...new Set(findings.map(({ rule }) => rule))].sort() };
}

/** An initialised fork whose operator files are committed and pushed. */
export async function operatedFork(engine?: Readonly<Record<string, string>>): Promise<ForkWorld> {
  const world = freshFork(engine);
  const made = await fork(world, ['init']);
  if (made.code !== 0) throw new Error(made.err);
  sh(world.checkout, ['add', '-f', '.config/operator']);
  commitAll(world.checkout, 'Operator settings');
  sh(world.checkout, ['push', '-q', 'origin', 'main']);
  return world;
}

export const repoAt = (world: ForkWorld, cwd = world.checkout, env: Record<string, string> = {}): ForkRepo => openRepo(gitHost(world.root, cwd, env), { remote: 'origin', upstream: 'upstream', branch: 'main' });

/** A candidate whose engine is not asked: the engine of most tests is none. */
export async function prepared(world: ForkWorld, name: string, more: Partial<PrepareInput> = {}, cwd = world.checkout, env: Record<string, string> = {}): Promise<Prepared & { readonly dir: string }> {
  const dir = join(world.root, name);
  return { dir, ...await prepareFork(repoAt(world, cwd, env), { destination: dir, gates: [], ...more }, () => Promise.resolve({ ok: true, said: 'not asked' })) };
}

/** A signing key without a passphrase, as a file. */
export function signingKey(world: ForkWorld, name = 'key'): { readonly file: string; readonly line: string } {
  const key = newSigningKey(name);
  const file = join(world.root, name);
  writeFileSync(file, privateKeyFile(key), { mode: 0o600 });
  return { file, line: publicLine(key) };
}

export function settingsCommit(world: ForkWorld, text: string, cwd = world.checkout): string {
  write(cwd, { '.config/operator/fleet.yaml': text });
  return commitAll(cwd, 'settings');
}
