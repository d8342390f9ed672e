// Contract: what `workstation status` and an update check with nothing new cost: `node scripts/bench-fleet.mjs [--gate] [--rounds N]`;
// scripts/bench.mjs runs it too. This checkout is really installed and follows a real bare repository; both commands go through the
// installed launcher. status stands against a bare start of Node, the checks against `git ls-remote` of the same references. CPU time
// (user + system) of batches, children included, medians of interleaved runs. --gate fails only when three tries in a row are over.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { medianCpu } from './cpu.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const BATCH = 20;
const at = process.argv.indexOf('--rounds');
const rounds = at === -1 ? 9 : Number(process.argv[at + 1]);
const gate = process.argv.includes('--gate');
const root = realpathSync(mkdtempSync(join(tmpdir(), 'praetorctl-bench-fleet-')));
const [home, work, remote, empty] = [join(root, 'home'), join(root, 'work'), join(root, 'fork.git'), join(root, 'empty.cjs')];
const launcher = join(home, '.local/bin/praetorctl');
const env = { PATH: '/usr/bin:/bin', HOME: home, GIT_AUTHOR_NAME: 'b', GIT_AUTHOR_EMAIL: 'b@b', GIT_COMMITTER_NAME: 'b', GIT_COMMITTER_EMAIL: 'b@b' };
const refs = ['refs/heads/main', 'refs/notes/praetor/receipts'];

function must(command, args, cwd = root) {
  const ran = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${ran.stderr}${ran.stdout}`);
  return ran.stdout.trim();
}

/** What a verified promotion would have left in the record is written by hand; the update then finds nothing new. */
function install() {
  for (const dir of [home, work]) mkdirSync(dir);
  writeFileSync(empty, '');
  must('git', ['init', '-q', '-b', 'main'], work);
  must('git', ['commit', '-q', '--allow-empty', '-m', 'x'], work);
  must('git', ['notes', '--ref=refs/notes/praetor/receipts', 'add', '-m', 'x', 'HEAD'], work);
  must('git', ['clone', '-q', '--mirror', work, remote]);
  must(process.execPath, [join(ROOT, 'bin/praetorctl'), 'workstation', 'install', '--from', ROOT, '--remote', remote]);
  const path = join(home, '.local/share/praetorctl/install.json');
  const record = JSON.parse(readFileSync(path, 'utf8'));
  const [lastCommit, lastNotes] = refs.map((ref) => must('git', ['rev-parse', ref], work));
  writeFileSync(path, `${JSON.stringify({ ...record, lastSeq: 1, lastCommit, lastNotes, target: record.current }, null, 2)}\n`);
  must(launcher, ['workstation', 'update']);
  const status = must(launcher, ['workstation', 'status']);
  if (!status.startsWith('current')) throw new Error(status);
  if (!must(launcher, ['workstation', 'update', '--check']).startsWith('up to date')) throw new Error('the check finds something new');
}

// The wish for a check is 1.5. A git that asks a directory takes 3 ms; a shell, its child for the output and `env -i`, without which a GIT_*
// variable of the caller would lead git elsewhere, take half of that again, and under load a little more: the gate stands where it holds.
const CANDIDATES = [
  { name: 'node empty.cjs', argv: [process.execPath, empty] },
  { name: 'workstation status', argv: [launcher, 'workstation', 'status'], over: 0, wish: 1.3, limit: 1.3 },
  { name: 'git ls-remote', argv: ['git', 'ls-remote', remote, ...refs] },
  { name: 'workstation update --check', argv: [launcher, 'workstation', 'update', '--check'], over: 2, wish: 1.5, limit: 1.7 },
  { name: 'workstation update --scheduled', argv: [launcher, 'workstation', 'update', '--scheduled'], over: 2, wish: 1.5, limit: 1.7 },
];

const measure = () => medianCpu(CANDIDATES.map((one) => ({ ...one, env })), rounds, BATCH);

/** Is every ratio within its limit? */
function report(medians) {
  const judged = CANDIDATES.map(({ name, over, wish, limit }, i) => {
    const ratio = over === undefined ? 0 : medians[i] / medians[over];
    const said = over === undefined ? '' : `x${ratio.toFixed(3)}  ${ratio <= wish ? 'ok' : ratio <= limit ? `over the wish ${wish}` : `OVER THE LIMIT ${limit}`}`;
    process.stdout.write(`${name.padEnd(36)} ${medians[i].toFixed(1).padStart(6)} ms CPU  ${said}\n`);
    return over === undefined || ratio <= limit;
  });
  return judged.every(Boolean);
}

if (process.platform === 'win32') {
  process.stderr.write('bench-fleet: needs bash; not measured on Windows\n');
  process.exit(0);
}
try {
  install();
  let ok = false;
  for (let attempt = 1; !ok && attempt <= (gate ? 3 : 1); attempt += 1) ok = report(measure());
  if (gate && !ok) process.exitCode = 1;
} finally {
  // Versions are read-only.
  spawnSync('chmod', ['-R', 'u+w', root]);
  rmSync(root, { recursive: true, force: true });
}
