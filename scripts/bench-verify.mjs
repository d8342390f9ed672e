// Contract: what `clients verify` and `capabilities` cost beside a bare Node start, in the same run: `node scripts/bench-verify.mjs
// [--gate] [--rounds N]`; scripts/bench.mjs runs it too. Verify sees every client registered, 1,000,000 receipts of 25 clients in
// 200 workspaces, and as much appended after its checkpoint as it ever reads again. CPU time (user + system) of whole processes,
// taken by bash' `time`, medians of interleaved runs. --gate fails only when three tries in a row are over a limit.
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const BIN = join(ROOT, 'bin', 'praetorctl');
const RECEIPTS = 1_000_000;
const CLIENTS = 25;
const WORKSPACES = 200;
const CALLS_PER_SESSION = 50;
const FILE_BYTES = 16 * 1024 * 1024;
/** A little less than what makes a new checkpoint. */
const APPENDED_BYTES = 250_000;
const LIMITS = { verify: { times: 1.5, plusMs: 300 }, capabilities: { times: 1.3, plusMs: 0 } };

const at = process.argv.indexOf('--rounds');
const rounds = at === -1 ? 9 : Number(process.argv[at + 1]);
const gate = process.argv.includes('--gate');
const work = mkdtempSync(join(tmpdir(), 'praetorctl-bench-verify-'));
const home = join(work, 'home');
const receipts = join(work, 'state', 'receipts');
const env = {
  PATH: `${join(work, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, NO_COLOR: '1',
  PRAETORCTL_STATE_DIR: join(work, 'state'), PRAETORCTL_CONFIG_DIR: join(work, 'config'),
};

function praetorctl(...words) {
  const ran = spawnSync(process.execPath, [BIN, ...words], { env, cwd: work, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (ran.error !== undefined) throw ran.error;
  return ran;
}

function prepare() {
  cpSync(join(ROOT, 'test/fixtures/homes/four-clients'), home, { recursive: true });
  mkdirSync(join(work, 'bin'));
  writeFileSync(join(work, 'bin', 'praetorctl'), '#!/bin/sh\n', { mode: 0o755 });
  const known = JSON.parse(praetorctl('capabilities', '--json').stdout).clients.map(({ id }) => id);
  const applied = praetorctl('clients', 'apply', '--yes', '--client', known.join(','));
  if (applied.status !== 0) throw new Error(`apply: ${applied.stdout}${applied.stderr}`);
  return known;
}

const iso = (ms) => new Date(ms).toISOString();
const EVENTS = ['session-start', 'pre-tool', 'post-tool', 'pre-tool', 'post-tool'];

function line(client, i, time, session, workspace) {
  return `{"v":1,"time":"${iso(time)}","client":"${client}","event":"${EVENTS[i % EVENTS.length]}","caller":"${client}","verdict":"neutral","kind":"shell","tool":"Bash","session":"${session.toString(16).padStart(16, '0')}","engine":"0.1.0","policy":"0123456789abcdef","ms":9,"workspace":"/home/dev/work/project-${workspace}"}\n`;
}

/** Sessions of all clients beside each other, one after the other for each. Rotated as the hook does it. */
function fill(clients) {
  const start = Date.now() - RECEIPTS * 1000;
  let text = '';
  for (let i = 0; i < RECEIPTS; i += 1) {
    const which = (i * 7) % CLIENTS;
    const session = Math.floor(i / (CLIENTS * CALLS_PER_SESSION)) * CLIENTS + which;
    text += line(clients[which], Math.floor(i / CLIENTS), start + i * 1000 - 60_000, session, (session * 37) % WORKSPACES);
    if (text.length >= FILE_BYTES || i === RECEIPTS - 1) {
      const name = i === RECEIPTS - 1 ? 'receipts.jsonl' : `receipts-${iso(start + i * 1000).replace(/[-:.]/g, '')}-${i}.jsonl`;
      writeFileSync(join(receipts, name), text, { mode: 0o600 });
      text = '';
    }
  }
}

function append(clients) {
  let text = '';
  for (let i = 0; text.length < APPENDED_BYTES; i += 1) text += line(clients[i % clients.length], Math.floor(i / clients.length), Date.now() + i, 1_000_000 + (i % 400), i % WORKSPACES);
  appendFileSync(join(receipts, 'receipts.jsonl'), text);
}

/** Milliseconds of CPU time. */
function cpu(...argv) {
  const quoted = argv.map((word) => `'${word}'`).join(' ');
  const run = spawnSync('bash', ['-c', `TIMEFORMAT='%U %S'; time ${quoted} >/dev/null 2>&1; exit 0`], { env, cwd: work, encoding: 'utf8' });
  const [user, system] = run.stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return (user + system) * 1000;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

function measure() {
  const runs = { bare: ['node', join(work, 'empty.cjs')], capabilities: [BIN, 'capabilities'], verify: [BIN, 'clients', 'verify'] };
  const samples = { bare: [], capabilities: [], verify: [] };
  for (let i = 0; i < rounds; i += 1) for (const [name, argv] of Object.entries(runs)) samples[name].push(cpu(...argv));
  const bare = median(samples.bare);
  process.stdout.write(`${'node empty.cjs'.padEnd(36)} ${bare.toFixed(0).padStart(6)} ms CPU\n`);
  let over = false;
  for (const [name, { times, plusMs }] of Object.entries(LIMITS)) {
    const ms = median(samples[name]);
    const limit = times * bare + plusMs;
    over ||= ms > limit;
    process.stdout.write(`${(name === 'verify' ? 'clients verify, 1,000,000 receipts' : name).padEnd(36)} ${ms.toFixed(0).padStart(6)} ms CPU  limit ${limit.toFixed(0)} (${times} x${plusMs > 0 ? ` + ${plusMs} ms` : ''})  ${ms > limit ? 'OVER THE LIMIT' : 'ok'}\n`);
  }
  return over;
}

if (process.platform === 'win32') {
  process.stderr.write('bench-verify: needs bash; not measured on Windows\n');
  process.exit(0);
}
try {
  writeFileSync(join(work, 'empty.cjs'), '');
  const known = prepare();
  const clients = Array.from({ length: CLIENTS }, (_, i) => known[i] ?? `another-${i}`);
  mkdirSync(receipts, { recursive: true });
  fill(clients);
  const first = cpu(BIN, 'clients', 'verify');
  const before = statSync(join(receipts, 'checkpoint.json')).size;
  append([...new Set([...clients, ...known])]);
  // The figures mean something only if the answer is right: every client was observed, by receipts that the checkpoint does not hold.
  const said = JSON.parse(praetorctl('clients', 'verify', '--json').stdout);
  const missing = said.clients.filter(({ hooks, lastToolReceipt }) => hooks.length > 0 && lastToolReceipt === null).map(({ client }) => client);
  if (said.clients.length < 8 || missing.length > 0) throw new Error(`verify does not see the receipts of: ${missing.join(', ') || 'most clients'}`);
  process.stdout.write(`${said.clients.length} clients, ${readdirSync(receipts).length - 1} files of receipts, checkpoint of ${Math.round(before / 1024)} KiB; the first look, without it: ${first.toFixed(0)} ms CPU\n`);
  let over = true;
  for (let attempt = 1; over && attempt <= (gate ? 3 : 1); attempt += 1) {
    over = measure();
    if (over && gate) process.stdout.write(`try ${attempt} of 3: over the limit\n`);
  }
  if (gate && over) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
