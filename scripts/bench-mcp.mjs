// Contract: `node scripts/bench-mcp.mjs [--gate]`: what the guarding runtime adds: microseconds a call (p50, the same server with and
// without it, in turns) and its start (CPU, against a bare node). Limits: 60 us a call, 1.3 times a bare start.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '..');
const CALLS = 1_000;
const ROUNDS = 5;
const ADDED_US_MAX = 60;
const START_RATIO_MAX = 1.3;
const bin = join(root, 'bin/praetorctl');
const server = join(root, 'test/fixtures/mcp/server.mjs');
const home = mkdtempSync(join(tmpdir(), 'bench-mcp-'));
const env = { PATH: process.env.PATH, HOME: home, PRAETORCTL_STATE_DIR: join(home, 'state'), PRAETORCTL_CONFIG_DIR: join(home, 'config'), LAB_TOOLS: join(home, 'tools.json') };

const tool = { name: 'read', description: 'reads', inputSchema: { type: 'object', properties: { id: { type: 'string' } } }, annotations: { readOnlyHint: true } };
writeFileSync(env.LAB_TOOLS, JSON.stringify([tool]));
mkdirSync(env.PRAETORCTL_CONFIG_DIR);
writeFileSync(join(env.PRAETORCTL_CONFIG_DIR, 'settings.yaml'), `mcpServers:\n  lab: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(server)}] }\n`);
for (const words of [['contract', 'import', 'lab', '--yes'], ['contract', 'review', 'lab'], ['contract', 'approve', 'lab', '--all', '--yes']]) {
  const ran = spawnSync(process.execPath, [bin, ...words], { env, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${words.join(' ')}: ${ran.stderr}`);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Microseconds of each of CALLS calls, one after the other. */
async function calls(argv) {
  const child = spawn(process.execPath, argv, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  let take = () => undefined;
  lines.on('line', () => take());
  const ask = (message) => new Promise((done) => {
    take = done;
    child.stdin.write(`${JSON.stringify(message)}\n`);
  });
  await ask({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } } });
  for (let id = 1; id <= 100; id++) await ask({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'read', arguments: { id: 'x' } } });
  const times = [];
  for (let id = 101; id <= 100 + CALLS; id++) {
    const before = process.hrtime.bigint();
    await ask({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'read', arguments: { id: 'x' } } });
    times.push(Number(process.hrtime.bigint() - before) / 1000);
  }
  const ended = new Promise((done) => child.on('close', done));
  child.stdin.end();
  await ended;
  return median(times);
}

/** CPU milliseconds of a process and what it waited for, by the shell's `times`. */
function cpu(command) {
  const { stdout } = spawnSync('sh', ['-c', `${command} </dev/null >/dev/null 2>&1; times`], { env: { ...env, NODE: process.execPath, BIN: bin }, encoding: 'utf8' });
  const [user, system] = stdout.trim().split('\n').at(-1).split(' ').map((text) => { const [, m, s] = /(\d+)m([\d.]+)s/.exec(text); return Number(m) * 60_000 + Number(s) * 1000; });
  return user + system;
}

function measureStart() {
  const bare = [];
  const guard = [];
  writeFileSync(join(home, 'empty.cjs'), '');
  const alone = [];
  // The server ends with its input: what is left when its own cost is taken off is the runtime's.
  for (let i = 0; i < 15; i++) {
    bare.push(cpu(`"$NODE" ${join(home, 'empty.cjs')}`));
    guard.push(cpu('"$NODE" "$BIN" mcp lab'));
    alone.push(cpu(`"$NODE" ${server}`));
  }
  return (median(guard) - median(alone)) / median(bare);
}

const added = [];
for (let round = 0; round < ROUNDS; round++) {
  const plain = await calls([server]);
  const guarded = await calls([bin, 'mcp', 'lab']);
  added.push(guarded - plain);
  process.stdout.write(`call: plain ${plain.toFixed(0)} us, guarded ${guarded.toFixed(0)} us, added ${(guarded - plain).toFixed(0)} us\n`);
}
const start = measureStart();
rmSync(home, { recursive: true, force: true });
const us = median(added);
process.stdout.write(`added a call: ${us.toFixed(0)} us (limit ${ADDED_US_MAX}); start, the server's own taken off: x${start.toFixed(2)} (limit ${START_RATIO_MAX}); ${ROUNDS} rounds of ${CALLS} calls\n`);
if (process.argv.includes('--gate') && (us > ADDED_US_MAX || start > START_RATIO_MAX)) process.exitCode = 1;
