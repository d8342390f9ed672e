// What `workstation status` and an update check with nothing new cost, as ratios of CPU time (user and system, of the process and all that it
// starts): interleaved runs, medians. status against a bare start of Node; the check against `git ls-remote` of the same repository,
// once as it is and once without the start of Node that every command of ours has. Usage: node scripts/bench-fleet.mjs [runs]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync, realpathSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const RUNS = Number(process.argv[2] ?? 15);
const CALLS = 10;
const root = realpathSync(mkdtempSync(join(tmpdir(), 'praetorctl-bench-')));
const home = join(root, 'home');
const data = join(home, '.local/share/praetorctl');
const id = 'a'.repeat(16);
const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'b', GIT_AUTHOR_EMAIL: 'b@b', GIT_COMMITTER_NAME: 'b', GIT_COMMITTER_EMAIL: 'b@b' };
const git = (cwd, ...args) => spawnSync('git', args, { cwd, env, encoding: 'utf8' }).stdout.trim();

mkdirSync(join(data, 'versions', id, 'bin'), { recursive: true });
mkdirSync(join(root, 'work'));
writeFileSync(join(data, 'versions', id, 'bin', 'praetorctl'), '');
writeFileSync(join(data, 'versions', id, 'version.json'), JSON.stringify({ id, sha512: '', version: '1.0.0', seq: 1, commit: null, at: new Date().toISOString() }));
const [work, remote] = [join(root, 'work'), join(root, 'fork.git')];
git(work, 'init', '-q', '-b', 'main');
git(work, 'commit', '-q', '--allow-empty', '-m', 'x');
git(work, 'notes', '--ref=refs/notes/praetor/receipts', 'add', '-m', 'x', 'HEAD');
git(root, 'clone', '-q', '--mirror', work, remote);
writeFileSync(join(data, 'install.json'), `${JSON.stringify({
  schema: 'praetor.install/1', minReader: 1, current: id, hostId: createHash('sha256').update('x').digest('hex'), previous: null, pin: null, blocked: [], anchor: [], lastSeq: 1, lastPromotion: null,
  lastCommit: git(work, 'rev-parse', 'HEAD'), lastNotes: git(work, 'rev-parse', 'refs/notes/praetor/receipts'), repository: null, target: id, expires: null, withdrawn: [], retired: [], remote, branch: 'main', org: null,
  name: null, node: [process.execPath], launcher: join(home, '.local/bin/praetorctl'), key: null, installedAt: new Date().toISOString(), lastVerifiedAt: new Date().toISOString(), maxAgeMs: 604_800_000,
}, null, 2)}\n`);

/** In milliseconds, of the command and of everything that it waits for. */
function cpu(command, args) {
  // The system counts in hundredths of a second, so each sample is many calls.
  const timed = spawnSync('/bin/sh', ['-c', `i=0; while [ $i -lt ${CALLS} ]; do "$@" >/dev/null 2>&1; i=$((i+1)); done; times`, 'sh', command, ...args], { env, encoding: 'utf8' });
  const [, children] = timed.stdout.trim().split('\n');
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000, 0) / CALLS;
}

const program = join(ROOT, 'bin/praetorctl');
const empty = join(root, 'empty.js');
writeFileSync(empty, '');
const cases = { node: [process.execPath, [empty]], status: [process.execPath, [program, 'workstation', 'status']], lsRemote: ['git', ['ls-remote', remote, 'refs/heads/main', 'refs/notes/praetor/receipts']], check: [process.execPath, [program, 'workstation', 'update', '--check']] };
const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let i = 0; i < RUNS + 2; i += 1) for (const [name, [command, args]] of Object.entries(cases)) { const ms = cpu(command, args); if (i > 1) times[name].push(ms); }
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const m = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
const said = spawnSync(process.execPath, [program, 'workstation', 'update', '--check', '--json'], { env, encoding: 'utf8' });
process.stdout.write(`${JSON.stringify({ runs: RUNS, medianCpuMs: m, statusToNode: +(m.status / m.node).toFixed(2), checkToLsRemote: +(m.check / m.lsRemote).toFixed(2), checkWithoutNodeToLsRemote: +((m.check - m.node) / m.lsRemote).toFixed(2), check: JSON.parse(said.stdout).result })}\n`);
rmSync(root, { recursive: true, force: true });
