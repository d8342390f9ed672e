// Contract: `node scripts/bench-mcp.mjs [--gate] [--rounds N]`: what the guarding runtime adds to a server.
// A call: four ways to the same server, all of them open, in turns of 100 calls whose order is reversed every other round: directly, by
// the guarding runtime, by a proxy that only passes bytes, and by a pair of the MCP SDK's server and client (installed for the
// measurement only). The median of each turn, and of those the lower quartile: what counts is what a way adds to the direct one.
// The start: CPU of `praetorctl mcp` less the CPU of the server alone, beside a bare node start; and the time to the answer to
// `initialize`, less the server's own. --gate fails when three tries in a row are over a limit.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const gate = process.argv.includes('--gate');
const at = process.argv.indexOf('--rounds');
const ROUNDS = at === -1 ? 20 : Number(process.argv[at + 1]);
const TURN = 100;
const WARM = 600;
const STARTS = 15;
const BATCH = 5;
const SDK = '@modelcontextprotocol/sdk@1.32.2';
const INSTALL_MS_MAX = 120_000;
// The targets are what the runtime is built for, on a machine at rest. With ten others at work the pair of the SDK is measured as little
// as 100 us, and a proxy that only passes bytes is at 0.24 of that: the limits leave room for it. Time to the first answer is the
// scheduler's there, and is shown only.
const LIMITS = { added: { target: 60, hard: 60 }, overSdk: { target: 0.3, hard: 0.45 }, startCpu: { target: 1.3, hard: 1.45 }, startWall: { target: 1.3, hard: Infinity } };

const bin = join(root, 'bin/praetorctl');
const server = join(root, 'test/fixtures/mcp/server.mjs');
const home = mkdtempSync(join(tmpdir(), 'bench-mcp-'));
// NODE_EXTRA_CA_CERTS and NODE_OPTIONS would be measured instead of us.
const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, PRAETORCTL_STATE_DIR: join(home, 'state'), PRAETORCTL_CONFIG_DIR: join(home, 'config'), LAB_TOOLS: join(home, 'tools.json') };

function file(name, text) {
  const path = join(home, name);
  writeFileSync(path, text);
  return path;
}

const tool = { name: 'read', description: 'reads', inputSchema: { type: 'object', properties: { id: { type: 'string' } } }, annotations: { readOnlyHint: true } };
file('tools.json', JSON.stringify([tool]));
mkdirSync(env.PRAETORCTL_CONFIG_DIR);
file('config/settings.yaml', `mcpServers:\n  lab: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(server)}] }\n`);
for (const words of [['contract', 'import', 'lab', '--yes'], ['contract', 'review', 'lab'], ['contract', 'approve', 'lab', '--all', '--yes'], ['policy', 'compile']]) {
  const ran = spawnSync(process.execPath, [bin, ...words], { env, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${words.join(' ')}: ${ran.stderr}`);
}
const empty = file('empty.cjs', '');
const passing = file('pass.cjs', `const child = require('child_process').spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.on('data', (bytes) => child.stdin.write(bytes)).on('end', () => child.stdin.end());
child.stdout.on('data', (bytes) => process.stdout.write(bytes));
child.on('close', (code) => process.exit(code));
`);
const PAIR = `import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
const client = new Client({ name: 'pair', version: '1' }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: process.execPath, args: process.argv.slice(2), env: process.env }));
const server = new Server({ name: 'pair', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, ({ params }) => client.listTools(params));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params));
await server.connect(new StdioServerTransport());
process.stdin.on('end', () => void client.close().then(() => process.exit(0)));
`;

/** The pair's script beside an installed SDK; undefined where it cannot be installed. */
function sdkPair() {
  const cache = process.env.PRAETORCTL_CLIENT_CACHE || join(tmpdir(), `praetorctl-clients-${userInfo().uid}`);
  mkdirSync(cache, { recursive: true });
  const place = join(cache, `bench-sdk-${SDK.split('@').at(-1)}`);
  if (!existsSync(join(place, 'complete'))) {
    const temporary = mkdtempSync(join(cache, 'bench-sdk-new-'));
    writeFileSync(join(temporary, 'package.json'), '{"private":true}\n');
    const npm = spawnSync('npm', ['install', '--prefix', temporary, '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--loglevel=error', SDK], { encoding: 'utf8', timeout: INSTALL_MS_MAX });
    if (npm.status !== 0) {
      rmSync(temporary, { recursive: true, force: true });
      process.stdout.write(`skipped: the pair of the SDK: ${SDK} cannot be installed (npm exit ${npm.status})\n`);
      return undefined;
    }
    writeFileSync(join(temporary, 'complete'), '');
    rmSync(place, { recursive: true, force: true });
    renameSync(temporary, place);
  }
  const script = join(place, `pair-${process.pid}.mjs`);
  writeFileSync(script, PAIR);
  return script;
}

const part = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
const median = (values) => part(values, 0.5);
const quartile = (values) => part(values, 0.25);
const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } } };

function way(argv) {
  const child = spawn(process.execPath, argv, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  let rest = '';
  let take = () => undefined;
  let id = 0;
  child.stdout.setEncoding('utf8').on('data', (text) => {
    rest += text;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      rest = rest.slice(end + 1);
      take();
    }
  });
  const ask = (message) => new Promise((done) => {
    take = done;
    child.stdin.write(`${JSON.stringify(message)}\n`);
  });
  const calls = async (count) => {
    const times = [];
    for (let i = 0; i < count; i++) {
      const message = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name: 'read', arguments: { id: 'x' } } };
      const before = process.hrtime.bigint();
      await ask(message);
      times.push(Number(process.hrtime.bigint() - before) / 1000);
    }
    return median(times);
  };
  return {
    calls, open: () => ask(initialize), tell: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    /** Of its first thread, in microseconds; Linux only. */
    cpu: () => { try { return Number(readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ')[0]) / 1000; } catch { return NaN; } },
    end: () => new Promise((done) => { child.on('close', done); child.stdin.end(); }),
  };
}

async function measureCalls(pair) {
  const ways = { direct: way([server]), bytes: way([passing, server]), guard: way([bin, 'mcp', 'lab']), ...(pair === undefined ? {} : { sdk: way([pair, server]) }) };
  const names = Object.keys(ways);
  for (const name of names) {
    await ways[name].open();
    ways[name].tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await ways[name].calls(WARM);
  }
  const before = Object.fromEntries(names.map((name) => [name, ways[name].cpu()]));
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const one = {};
    for (const name of round % 2 === 0 ? names : names.toReversed()) one[name] = await ways[name].calls(TURN);
    rounds.push(one);
  }
  const cpu = Object.fromEntries(names.map((name) => [name, (ways[name].cpu() - before[name]) / (ROUNDS * TURN)]));
  await Promise.all(names.map((name) => ways[name].end()));
  const added = Object.fromEntries(names.map((name) => [name, quartile(rounds.map((one) => one[name])) - quartile(rounds.map((one) => one.direct))]));
  const direct = quartile(rounds.map((one) => one.direct));
  process.stdout.write(`a call: directly ${direct.toFixed(0)} us; added: ${names.slice(1).map((name) => `${name} ${added[name].toFixed(0)} us (CPU ${cpu[name].toFixed(0)} us)`).join(', ')}\n`);
  return { added: added.guard, overSdk: pair === undefined ? undefined : added.guard / added.sdk, overBytes: added.guard / added.bytes };
}

/** CPU milliseconds of one process and what it waited for. Its input is a pipe that has ended, its output one that nobody fills. */
function cpuOf(words) {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const { stderr } = spawnSync('bash', ['-c', `exec 3< <(:) 4> >(cat >/dev/null) 5>&2; TIMEFORMAT='%U %S'; time { for ((i = 0; i < ${BATCH}; i++)); do ${quoted} <&3 >&4 2>/dev/null; done; }`], { env, encoding: 'utf8' });
  const [user, system] = stderr.trim().split(' ').map(Number);
  return ((user + system) * 1000) / BATCH;
}

async function firstAnswer(argv) {
  const before = process.hrtime.bigint();
  const one = way(argv);
  await one.open();
  const ms = Number(process.hrtime.bigint() - before) / 1e6;
  await one.end();
  return ms;
}

async function measureStart() {
  const bare = [process.execPath, empty];
  const samples = { bare: [], alone: [], guard: [] };
  const wall = { bare: [], alone: [], guard: [] };
  for (let i = 0; i < STARTS; i++) {
    samples.bare.push(cpuOf(bare));
    samples.alone.push(cpuOf([process.execPath, server]));
    samples.guard.push(cpuOf([process.execPath, bin, 'mcp', 'lab']));
    const before = process.hrtime.bigint();
    spawnSync(bare[0], bare.slice(1), { env });
    wall.bare.push(Number(process.hrtime.bigint() - before) / 1e6);
    wall.alone.push(await firstAnswer([server]));
    wall.guard.push(await firstAnswer([bin, 'mcp', 'lab']));
  }
  const ratio = ({ bare: one, alone, guard }) => (quartile(guard) - quartile(alone)) / quartile(one);
  process.stdout.write(`the start, less the server's own: CPU x${ratio(samples).toFixed(2)} of a bare start (${quartile(samples.bare).toFixed(0)} ms), to the first answer x${ratio(wall).toFixed(2)} (${quartile(wall.bare).toFixed(0)} ms)\n`);
  return { startCpu: ratio(samples), startWall: ratio(wall) };
}

if (process.platform === 'win32') {
  process.stderr.write('bench-mcp: needs bash; not measured on Windows\n');
  process.exit(0);
}
const pair = sdkPair();
try {
  let over = [];
  for (let attempt = 1; attempt <= (gate ? 3 : 1); attempt++) {
    const got = { ...await measureCalls(pair), ...await measureStart() };
    const beyond = (which) => Object.entries(LIMITS).filter(([name, limit]) => got[name] > limit[which]).map(([name, limit]) => `${name} ${got[name].toFixed(2)} > ${limit[which]}`);
    over = beyond('hard');
    const missed = beyond('target');
    process.stdout.write(over.length > 0 ? `OVER THE LIMIT: ${over.join(', ')}\n` : missed.length > 0 ? `over the target: ${missed.join(', ')}\n` : 'within the targets\n');
    if (over.length === 0) break;
    if (gate) process.stdout.write(`try ${attempt} of 3: over the limit\n`);
  }
  if (gate && over.length > 0) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
  if (pair !== undefined) rmSync(pair, { force: true });
}
