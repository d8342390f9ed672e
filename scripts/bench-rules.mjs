// Contract: what operator rules cost a hook: `node scripts/bench-rules.mjs [--gate] [--rounds N]`. The same calls with no settings,
// 10 rules and 10,000 rules, compiled; CPU time of batches of ten processes, interleaved, medians compared (see bench.mjs).
// --gate fails when three tries in a row find 10,000 rules more than 5 % dearer than 10.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const RATIO_MAX = 1.05;
const gate = process.argv.includes('--gate');
const at = process.argv.indexOf('--rounds');
const rounds = at === -1 ? 12 : Number(process.argv[at + 1]);
const work = mkdtempSync(join(tmpdir(), 'praetorctl-bench-rules-'));

const rule = (i, programs) => `      - { id: r${i}, program: prog${i % programs}, subcommand: [sub${i}], options: [--force], reason: Not here. }\n`;
function station(name, rules, extra = '') {
  const place = join(work, name);
  const [config, state] = [join(place, 'config'), join(place, 'state')];
  mkdirSync(config, { recursive: true });
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: place, PRAETORCTL_STATE_DIR: state, PRAETORCTL_CONFIG_DIR: config, PRAETORCTL_HOOK_SYNTHETIC: '1' };
  if (rules > 0) {
    const body = Array.from({ length: rules }, (_, i) => rule(i, Math.max(5, rules / 4))).join('');
    writeFileSync(join(config, 'settings.yaml'), `hooks:\n  command_policy:\n    deny:\n${body}${extra}`);
    execFileSync(process.execPath, [join(ROOT, 'bin', 'praetorctl'), 'policy', 'compile'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return env;
}

function input(name, command) {
  const file = join(work, `${name}.json`);
  writeFileSync(file, JSON.stringify({ session_id: 's', cwd: work, tool_name: 'Bash', tool_input: { command } }));
  return file;
}

const [none, ten, many] = [station('none', 0), station('ten', 10), station('many', 10_000)];
const plain = input('plain', 'npm run test -- --reporter dot');
const hit = input('hit', 'prog3 sub3 --force');
const CANDIDATES = [
  { name: 'plain words, no settings', env: none, file: plain },
  { name: 'plain words, 10 rules', env: ten, file: plain, base: 'plain' },
  { name: 'plain words, 10,000 rules', env: many, file: plain, over: 'plain' },
  { name: 'a rule matches, 10 rules', env: ten, file: hit, base: 'hit' },
  { name: 'a rule matches, 10,000 rules', env: many, file: hit, over: 'hit' },
];

function batch({ env, file }) {
  const hook = join(ROOT, 'dist', 'hook.cjs');
  const script = `TIMEFORMAT='%U %S'; time { for i in 1 2 3 4 5 6 7 8 9 10; do node '${hook}' hook claude pre-tool <'${file}' >/dev/null 2>&1; done; }`;
  const ran = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
  const [user, system] = ran.stderr.trim().split(' ').map(Number);
  return (user + system) * 100;
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

function measure() {
  const samples = new Map(CANDIDATES.map((candidate) => [candidate, []]));
  for (const candidate of CANDIDATES) batch(candidate);
  for (let round = 0; round < rounds; round++) for (const candidate of round % 2 === 0 ? CANDIDATES : [...CANDIDATES].reverse()) samples.get(candidate).push(batch(candidate));
  let worst = 0;
  for (const candidate of CANDIDATES) {
    const ms = median(samples.get(candidate));
    const base = CANDIDATES.find((other) => other.base !== undefined && other.base === candidate.over);
    const ratio = base === undefined ? undefined : ms / median(samples.get(base));
    if (ratio !== undefined) worst = Math.max(worst, ratio);
    process.stdout.write(`${candidate.name.padEnd(32)} ${ms.toFixed(1).padStart(6)} ms CPU  ${ratio === undefined ? '' : `x${ratio.toFixed(3)} over 10 rules`}\n`);
  }
  return worst;
}

try {
  for (const name of ['ten', 'many']) process.stdout.write(`${name}: ${(readFileSync(join(work, name, 'state', 'policy.idx')).length / 1024).toFixed(0)} KiB\n`);
  let worst = Infinity;
  for (let attempt = 1; attempt <= (gate ? 3 : 1) && worst > RATIO_MAX; attempt++) worst = measure();
  if (gate && worst > RATIO_MAX) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
