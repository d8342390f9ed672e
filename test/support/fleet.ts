// A fork with promotions on a server, and workstations that follow it. Git and signatures are real; the engine is a small program that
// judges like one, or badly in a chosen way.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { PROMOTIONS_REF, PROMOTION_SCHEMA, artefactRef } from '../../src/fleet/promotion.ts';
import { NAMESPACE_PROMOTION, nodeSigner, seal, type Namespace } from '../../src/fleet/signed-line.ts';
import { newSigningKey, publicLine, type SigningKey } from '../../src/fleet/sshsig.ts';
import { packTar } from '../../src/fleet/tar.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { cli, repo, type Answer, type World } from './cli.ts';
import { commitAll, newRepo, sh, tempDir, write } from './git.ts';

export type Manner = 'good' | 'exits-1' | 'allows-all' | 'denies-all' | 'hangs' | 'takes-anything' | 'bad-when-current';

/** Answers in the form of one client; the reason of a refusal names the version. Settings are compiled by the real program. */
export const engine = (name: string, manner: Manner): string => `#!/usr/bin/env node
'use strict';
const fs = require('fs');
if (process.argv[2] === 'policy') { const { status } = require('child_process').spawnSync(process.execPath, [${JSON.stringify(join(repo, 'bin/praetorctl'))}, ...process.argv.slice(2)], { stdio: 'inherit' }); process.exit(status ?? 1); }
if (process.argv[2] !== 'hook') { process.stdout.write('{"diagnostics":[]}\\n'); process.exit(0); }
const manner = ${JSON.stringify(manner)};
const current = () => { try { return fs.readFileSync(__dirname + '/../../../install.json', 'utf8').includes('"current": "' + require('path').basename(require('path').dirname(__dirname)) + '"'); } catch { return false; } };
const said = fs.readFileSync(0, 'utf8');
const deny = () => { process.stdout.write(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: ${JSON.stringify(name)} } }) + '\\n'); process.exit(0); };
if (manner === 'exits-1') process.exit(1);
if (manner === 'hangs') { setTimeout(() => undefined, 60000); } else {
  if (manner === 'allows-all' || (manner === 'bad-when-current' && current())) process.exit(0);
  if (manner === 'denies-all') deny();
  let document;
  try { document = JSON.parse(said); } catch { if (manner === 'takes-anything') process.exit(0); deny(); }
  if (JSON.stringify(document).includes('push --force')) deny();
}
`;

/** The good one in sh, for a workstation whose Node is sh: it starts in a tenth of the time. */
const quickEngine = (name: string): string => `#!/bin/sh
[ "$1" = hook ] || { echo '{"diagnostics":[]}'; exit 0; }
IFS= read -r said
case $said in *'push --force'*|*[!}]) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"${name}"}}';; esac
`;

export const quickArtefact = (name: string): Uint8Array => artefactOf(name, 'good', { 'bin/praetorctl': quickEngine(name) });

/** `undefined` leaves a file out. */
export function artefactOf(name: string, manner: Manner = 'good', more: Readonly<Record<string, string | undefined>> = {}): Uint8Array {
  const files: Record<string, string | undefined> = {
    'operator/fork.json': JSON.stringify({ schema: 'praetor.fork/1', repository: REPOSITORY, source: 'up/stream' }),
    'operator/fleet.yaml': 'hooks:\n  command_policy: {}\n',
    'package.json': JSON.stringify({ name: 'praetorctl', version: name }), 'bin/package.json': '{"type":"commonjs"}', 'bin/praetorctl': engine(name, manner), ...more,
  };
  return packTar(Object.entries(files).flatMap(([path, text]) => (text === undefined ? [] : [{ path: `package/${path}`, executable: path === 'bin/praetorctl', bytes: Buffer.from(text) }])));
}

export const sha512 = (bytes: Uint8Array): string => createHash('sha512').update(bytes).digest('hex');
export const idOf = (bytes: Uint8Array): string => sha512(bytes).slice(0, 16);

export interface Forge {
  readonly root: string;
  readonly remote: string;
  readonly work: string;
  readonly key: SigningKey;
  readonly anchor: string;
  last: string | null;
  seq: number;
}

export const REPOSITORY = 'acme/praetorctl';

export function forge(): Forge {
  const root = tempDir();
  const [work, remote] = [join(root, 'work'), join(root, 'acme/praetorctl.git')];
  newRepo(work, { 'README.md': 'upstream\n' });
  mkdirSync(join(root, 'acme'));
  sh(root, ['clone', '-q', '--bare', work, remote]);
  const key = newSigningKey('ops');
  const anchor = join(root, 'anchor');
  writeFileSync(anchor, `# who promotes\n${signerLine(key)}\n`);
  return { root, remote, work, key, anchor, last: null, seq: 0 };
}

export const signerLine = (key: SigningKey, namespace: string = NAMESPACE_PROMOTION): string => `ops namespaces="${namespace}" ${publicLine(key)}`;

export interface Promote {
  readonly manner?: Manner;
  readonly files?: Readonly<Record<string, string | undefined>>;
  /** Overrides what the promotion says. */
  readonly says?: JsonObject;
  readonly key?: SigningKey;
  readonly namespace?: Namespace;
  /** What is served in the place of what was promoted. */
  readonly served?: Uint8Array;
  readonly line?: string;
  /** The branch moves, and nothing is said about it. */
  readonly silent?: boolean;
  readonly artefact?: Uint8Array;
}

export interface Promoted { readonly commit: string; readonly id: string; readonly line: string; readonly bytes: Uint8Array }

function serve({ work }: Forge, commit: string, bytes: Uint8Array): string {
  writeFileSync(join(work, '../artefact.tgz'), bytes);
  const blob = sh(work, ['hash-object', '-w', join(work, '../artefact.tgz')]);
  const tree = sh(work, ['mktree'], `100644 blob ${blob}\tpraetorctl.tgz\n`);
  const made = sh(work, ['commit-tree', tree, '-m', 'artefact']);
  sh(work, ['update-ref', artefactRef(commit), made]);
  return artefactRef(commit);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export async function promote(fork: Forge, name: string, options: Promote = {}): Promise<Promoted> {
  const { work, remote } = fork;
  write(work, { 'engine.txt': name });
  const commit = commitAll(work, name);
  const bytes = options.artefact ?? artefactOf(name, options.manner, options.files);
  const ref = serve(fork, commit, options.served ?? bytes);
  const payload: JsonObject = {
    schema: PROMOTION_SCHEMA, repository: REPOSITORY, seq: fork.seq + 1, prev: fork.last === null ? null : sha256(fork.last), at: new Date().toISOString(), commit, base: sh(work, ['rev-list', '--max-parents=0', 'HEAD']),
    artifact: { ref, bytes: (options.served ?? bytes).length, sha512: sha512(bytes) }, version: name, gates: [], ...options.says,
  };
  const line = options.line ?? await seal(payload, nodeSigner(options.key ?? fork.key), options.namespace ?? NAMESPACE_PROMOTION);
  if (options.silent !== true) {
    sh(work, ['notes', `--ref=${PROMOTIONS_REF}`, 'add', '-f', '-m', line, commit]);
    fork.last = line;
    fork.seq = payload['seq'] as number;
  }
  sh(work, ['push', '-q', '--force', remote, 'HEAD:refs/heads/main', `+${ref}:${ref}`, ...(fork.seq === 0 ? [] : [`+${PROMOTIONS_REF}:${PROMOTIONS_REF}`])]);
  return { commit, id: idOf(bytes), line, bytes };
}

export const launcherOf = (where: World): string => join(where.home, '.local/bin/praetorctl');
export const dataOf = (where: World): string => join(where.home, '.local/share/praetorctl');
export const recordOf = (where: World): Record<string, unknown> => JSON.parse(readFileSync(join(dataOf(where), 'install.json'), 'utf8')) as Record<string, unknown>;

export function station(where: World, ...words: readonly string[]): Promise<Answer> {
  return cli(where, ['workstation', ...words, '--json']);
}

/** What a hook says through the launcher with nothing but a home: the name of the version that refused, or why it did not. */
export function asked(launcher: string, home: string): string {
  const input = JSON.stringify({ session_id: 's', cwd: '/w', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'git push --force' } });
  const got = spawnSync(launcher, ['hook', 'claude', 'pre-tool'], { env: { HOME: home }, input, encoding: 'utf8', timeout: 20_000 });
  try {
    return (JSON.parse(got.stdout) as { hookSpecificOutput: { permissionDecisionReason: string } }).hookSpecificOutput.permissionDecisionReason;
  } catch {
    return `exit ${String(got.status)} ${got.signal ?? ''} ${got.stdout}${got.stderr}`;
  }
}
