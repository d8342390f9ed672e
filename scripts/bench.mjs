// Contract: measures what a hook costs beside a bare Node start, in the same run: `npm run bench [-- --gate] [--rounds N] [--json]`.
// CPU time (user + system) of batches of ten processes, taken by bash' `time` (its children included, 1 ms resolution);
// candidates are interleaved, the order is reversed every other round, the medians are compared. CPU ratios hold under
// load where wall time does not. --gate fails only when three tries in a row are over the hard limit.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const BATCH = 10;
// `parser`: the wish for a line that needs the whole parser is 1.30 with the code cache. The full policy does not reach it yet
// (docs/performance.md says what was tried), so the gate stands at the honest figure and only keeps it from getting worse.
const LIMITS = { shell: { target: 1.2, hard: 1.3 }, parser: { target: 1.3, hard: 1.45 }, other: { target: 1.12, hard: 1.2 }, catalogue: { target: 1.05, hard: 1.05 }, info: { target: Infinity, hard: Infinity } };

const option = (name, fallback) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? fallback : process.argv[at + 1];
};
const gate = process.argv.includes('--gate');
const rounds = Number(option('--rounds', '12'));

const work = mkdtempSync(join(tmpdir(), 'praetorctl-bench-'));
const empty = join(work, 'empty.cjs');
writeFileSync(empty, '');
const captured = (name) => JSON.parse(readFileSync(join(ROOT, 'test/fixtures/payloads/claude', name), 'utf8'));
function input(name, document) {
  const path = join(work, `${name}.json`);
  writeFileSync(path, JSON.stringify(document));
  return path;
}
const bash = captured('2.1.332.PreToolUse.Bash.json');
const shell = (command) => ({ ...bash, tool_input: { ...bash.tool_input, command } });
const plain = input('plain', shell('npm run test -- --reporter dot'));
const syntax = input('syntax', shell('cd "$PWD/sub" && FOO=1 timeout 60 npm test 2>&1 | tee out.log; git commit -m "$(cat <<\'EOF\'\nfix: it\'s done (really)\nEOF\n)" && for f in a b; do rm -f "$f.tmp"; done'));
const ruled = input('ruled', shell('git push origin topic:topic'));
const mcp = input('mcp', captured('2.1.332.PreToolUse.mcp__lab__echo.json'));
const session = input('session', captured('2.1.332.SessionStart.json'));
const listed = input('listed', { ...captured('2.1.332.PreToolUse.mcp__lab__echo.json'), tool_name: 'mcp__big__tool_3', tool_input: { id: 'p' } });
const hook = join(ROOT, 'dist', 'hook.cjs');
const bin = join(ROOT, 'bin', 'praetorctl');

/** Directories where the server `big` has a catalogue of so many operations. */
function catalogued(count) {
  const place = join(work, `operations-${count}`);
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: work, PRAETORCTL_STATE_DIR: join(place, 'state'), PRAETORCTL_CONFIG_DIR: join(place, 'config') };
  const digest = `sha256:${'0'.repeat(64)}`;
  const operation = (i) => ({
    id: `big.t${i}`, mcpTool: `tool_${i}`, state: i < 5 ? 'approved' : 'review_required', effect: 'read', risk: 'none', reversible: true, idempotency: 'natural', retrySafe: true, confirmationRequired: false,
    pin: { definition: digest, description: digest, input: digest, annotations: digest }, ...(i < 5 ? { approval: { by: 'bench', at: 'now', definition: digest } } : {}),
  });
  const service = { id: 'big', version: '1', source: { kind: 'manual', digest } };
  mkdirSync(join(env.PRAETORCTL_CONFIG_DIR, 'contracts'), { recursive: true });
  writeFileSync(join(env.PRAETORCTL_CONFIG_DIR, 'contracts', 'big.json'), JSON.stringify({ schema: 'praetor.catalogue/1', service, bindings: ['big'], operations: Array.from({ length: count }, (_, i) => operation(i)) }));
  const ran = spawnSync(process.execPath, [bin, 'contract', 'lint'], { env, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`a catalogue of ${count}: ${ran.stderr}`);
  const refused = spawnSync(process.execPath, [hook, 'hook', 'claude', 'pre-tool'], { env: { ...env, PRAETORCTL_HOOK_SYNTHETIC: '1' }, input: readFileSync(listed, 'utf8').replace('tool_3', 'tool_7'), encoding: 'utf8' });
  if (refused.status !== 2) throw new Error(`a catalogue of ${count}: the hook does not read it`);
  return { PRAETORCTL_STATE_DIR: env.PRAETORCTL_STATE_DIR, PRAETORCTL_CONFIG_DIR: env.PRAETORCTL_CONFIG_DIR };
}

// What a Node gets for which no code cache was written.
const cold = join(work, 'dist');
mkdirSync(cold);
for (const name of readdirSync(join(ROOT, 'dist'))) if (/^(?:hook|dialect|policy|shell|rules|langs)[-.].*cjs$/.test(name)) copyFileSync(join(ROOT, 'dist', name), join(cold, name));

const direct = (event) => ['node', hook, 'hook', 'claude', event];
// New candidates (for example `clients plan` with a large settings file) go here.
const CANDIDATES = [
  { name: 'node empty.cjs', argv: ['node', empty], file: plain, base: 'file', kind: 'info' },
  { name: 'shell event, plain words', argv: direct('pre-tool'), file: plain, over: 'file', kind: 'shell' },
  { name: 'shell event, shell syntax', argv: direct('pre-tool'), file: syntax, over: 'file', kind: 'parser' },
  { name: 'shell event that needs the rules', argv: direct('pre-tool'), file: ruled, over: 'file', kind: 'parser' },
  { name: 'MCP event', argv: direct('pre-tool'), file: mcp, over: 'file', kind: 'other' },
  { name: 'MCP event, 10 operations', argv: direct('pre-tool'), file: listed, env: catalogued(10), base: 'operations', kind: 'info' },
  { name: 'MCP event, 100,000 operations', argv: direct('pre-tool'), file: listed, env: catalogued(100_000), over: 'operations', kind: 'catalogue' },
  { name: 'session-start event', argv: direct('session-start'), file: session, over: 'file', kind: 'other' },
  { name: 'shell event via bin/praetorctl', argv: [bin, 'hook', 'claude', 'pre-tool'], file: plain, over: 'file', kind: 'shell' },
  { name: 'shell syntax via bin/praetorctl', argv: [bin, 'hook', 'claude', 'pre-tool'], file: syntax, over: 'file', kind: 'parser' },
  { name: 'shell event, plain, no code cache', argv: ['node', join(cold, 'hook.cjs'), 'hook', 'claude', 'pre-tool'], file: plain, over: 'file', kind: 'info' },
  { name: 'shell event, syntax, no code cache', argv: ['node', join(cold, 'hook.cjs'), 'hook', 'claude', 'pre-tool'], file: syntax, over: 'file', kind: 'info' },
  { name: 'node empty.cjs, socket stdin', argv: ['node', empty], file: plain, socket: true, base: 'socket', kind: 'info' },
  { name: 'shell event, socket stdin', argv: direct('pre-tool'), file: plain, socket: true, over: 'socket', kind: 'shell' },
];

/** Node hands out socket pairs for `pipe`: descriptors 3 to 12 are one socket each, with the document written into it. */
function batch(candidate) {
  const quoted = candidate.argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const loop = candidate.socket
    ? `for i in 3 4 5 6 7 8 9 10 11 12; do ${quoted} <&$i >/dev/null 2>&1; done`
    : `for i in 1 2 3 4 5 6 7 8 9 10; do ${quoted} <'${candidate.file}' >/dev/null 2>&1; done`;
  const out = openSync(join(work, 'time.txt'), 'w');
  const extra = candidate.socket ? Array.from({ length: BATCH }, () => 'pipe') : [];
  return new Promise((done, fail) => {
    const child = spawn('bash', ['-c', `TIMEFORMAT='%U %S'; time { ${loop}; }`], {
      stdio: ['ignore', 'ignore', out, ...extra],
      // NODE_EXTRA_CA_CERTS and NODE_OPTIONS would be measured instead of us.
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: work, PRAETORCTL_STATE_DIR: join(work, 'state'), PRAETORCTL_CONFIG_DIR: join(work, 'config'), PRAETORCTL_HOOK_SYNTHETIC: '1', ...candidate.env },
    });
    closeSync(out);
    const document = readFileSync(candidate.file);
    for (const pipe of child.stdio.slice(3)) pipe?.on('error', () => undefined).write(document);
    child.on('error', fail);
    child.on('close', () => {
      const [user, system] = readFileSync(join(work, 'time.txt'), 'utf8').trim().split(' ').map(Number);
      if (!Number.isFinite(user + system)) fail(new Error('bash did not report times'));
      else done(((user + system) * 1000) / BATCH);
    });
    child.on('exit', () => { for (const pipe of child.stdio.slice(3)) pipe?.destroy(); });
  });
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function measure() {
  const samples = new Map(CANDIDATES.map((c) => [c, []]));
  for (const candidate of CANDIDATES) await batch(candidate);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? CANDIDATES : [...CANDIDATES].reverse();
    for (const candidate of order) samples.get(candidate).push(await batch(candidate));
  }
  return CANDIDATES.map((candidate) => {
    const ms = median(samples.get(candidate));
    const base = CANDIDATES.find((c) => c.base !== undefined && c.base === candidate.over);
    return { name: candidate.name, kind: candidate.kind, ms, ratio: base === undefined ? undefined : ms / median(samples.get(base)) };
  });
}

function print(results) {
  for (const { name, kind, ms, ratio } of results) {
    const limit = LIMITS[kind];
    const judged = ratio === undefined || limit.hard === Infinity ? '' : ratio <= limit.target ? 'ok' : ratio <= limit.hard ? `over the target ${limit.target}` : `OVER THE LIMIT ${limit.hard}`;
    process.stdout.write(`${name.padEnd(36)} ${ms.toFixed(1).padStart(6)} ms CPU  ${ratio === undefined ? '     ' : `x${ratio.toFixed(3)}`}  ${judged}\n`);
  }
}

if (process.platform === 'win32') {
  process.stderr.write('bench: needs bash; not measured on Windows\n');
  process.exit(0);
}
try {
  let failed = false;
  for (let attempt = 1; attempt <= (gate ? 3 : 1); attempt++) {
    const results = await measure();
    if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(results)}\n`);
    else print(results);
    failed = results.some(({ kind, ratio }) => ratio !== undefined && ratio > LIMITS[kind].hard);
    if (!failed) break;
    if (gate) process.stdout.write(`try ${attempt} of 3: over the limit\n`);
  }
  if (gate && failed) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
// The command line is measured by scripts of their own, because one run of it takes as long as ten hooks.
for (const script of ['bench-verify.mjs', 'bench-detect.mjs', 'bench-mcp.mjs', 'bench-fleet.mjs']) {
  const commands = spawnSync(process.execPath, [join(ROOT, 'scripts', script), ...(gate ? ['--gate'] : [])], { stdio: 'inherit' });
  if (commands.status !== 0) process.exitCode = 1;
}
