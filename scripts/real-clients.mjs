// Contract: `npm run test:clients [-- <client> ...]`: installs pinned versions of the real clients outside the product's
// dependencies and runs test/real/run.mjs, mcp-proxy.mjs and silent.mjs (or, for those that need a login, offline.mjs) for each, two at a time, each with a time
// limit and all together with another, and, where the system allows it, in a network of its own that has nothing but the loopback
// interface. Prints `ok`, `FAILED` and `skipped:` lines and, last,
// `N passed, N failed, N skipped`. A skip is never a pass. Ends with 1 if anything failed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ALL_VERSIONS as RUN, WITH_SERVER } from '../test/real/clients.mjs';
import { OFFLINE } from '../test/real/offline.mjs';
import { WAYS } from '../test/silent/ways.mjs';

const root = resolve(import.meta.dirname, '..');
/** Those that run a session here, and those of which only commands run without a login. */
const CLIENTS = [...RUN, ...OFFLINE];
const CLIENT_MS_MAX = 420_000;
const SERVER_MS_MAX = 240_000;
/** Installs included. A client whose turn does not come within it has failed: nothing was shown of it. */
const ALL_MS_MAX = 24 * 60_000;
const INSTALL_MS_MAX = 300_000;
const AT_ONCE = 2;

const deadline = Date.now() + ALL_MS_MAX;
const left = (limit) => Math.max(1, Math.min(limit, deadline - Date.now()));
const counts = { passed: 0, failed: 0, skipped: 0 };
/** Process groups of ours that run now: an interrupt at the terminal does not reach them by itself. */
const groups = new Set();

function say(line) {
  if (line.startsWith('ok ')) counts.passed += 1;
  else if (line.startsWith('FAILED ')) counts.failed += 1;
  else if (line.startsWith('skipped: ')) counts.skipped += 1;
  process.stdout.write(`${line}\n`);
}

/** Private: whoever can write here chooses the programs that are run. */
function cacheDirectory() {
  const named = process.env['PRAETORCTL_CLIENT_CACHE'];
  if (named !== undefined && named !== '') return resolve(named);
  const cache = process.env['XDG_CACHE_HOME'];
  if (cache !== undefined && isAbsolute(cache)) return join(cache, 'praetorctl', 'clients');
  return join(tmpdir(), `praetorctl-clients-${userInfo().uid}`);
}

function openCache() {
  const directory = cacheDirectory();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) throw new Error(`${directory} is not a directory of this user`);
  return directory;
}

/** Resolves with the exit code; the process group is ended by its id when the time is over. */
function run(command, args, { limit, onLine, env = process.env }) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    if (child.pid !== undefined) groups.add(child.pid);
    let timedOut = false;
    let tail = '';
    const timer = setTimeout(() => {
      timedOut = true;
      end(child.pid);
    }, limit);
    createInterface({ input: child.stdout }).on('line', onLine);
    child.stderr.on('data', (chunk) => { tail = (tail + chunk).slice(-2_000); });
    const finish = (code) => {
      clearTimeout(timer);
      end(child.pid);
      groups.delete(child.pid);
      done({ code, timedOut, tail: tail.replace(/\s+/g, ' ').trim() });
    };
    child.on('error', (error) => { tail = error.message; finish(null); });
    child.on('close', finish);
  });
}

function end(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch { /* nothing is left */ }
}

/** The directory with the client's packages; undefined where they cannot be had, with a line that says why. */
async function install(cache, client) {
  const key = createHash('sha256').update(client.packages.join('\n')).digest('hex').slice(0, 12);
  const place = join(cache, `${client.id}-${key}`);
  if (existsSync(join(place, 'complete'))) return place;
  const temporary = mkdtempSync(join(cache, `${client.id}-new-`));
  try {
    writeFileSync(join(temporary, 'package.json'), '{"private":true}\n');
    // Install scripts of these packages only link or fetch things; none is needed.
    const npm = await run('npm', ['install', '--prefix', temporary, '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--loglevel=error', ...client.packages], { limit: left(INSTALL_MS_MAX), onLine: () => undefined });
    if (npm.code !== 0) {
      say(`skipped: ${client.id}: cannot be installed (${npm.timedOut ? `npm took longer than ${INSTALL_MS_MAX / 1000} s` : `npm exit ${npm.code}: ${npm.tail.slice(-300)}`})`);
      return undefined;
    }
    if (!existsSync(client.binary(join(temporary, 'node_modules')))) {
      say(`skipped: ${client.id}: its package has no program for ${process.platform} ${process.arch}`);
      return undefined;
    }
    writeFileSync(join(temporary, 'complete'), '');
    rmSync(place, { recursive: true, force: true });
    renameSync(temporary, place);
    return place;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * A prefix under which a command has the loopback interface and no other and, where possible, process ids of its own, so
 * that whatever a client leaves behind ends with it. Empty where the system does not give one.
 */
function isolation() {
  const up = 'ip link set lo up && exec "$@"';
  const own = ['--pid', '--fork', '--kill-child', '--mount-proc'];
  for (const flags of [['-n', ...own], ['-r', '-n', ...own], ['-n'], ['-r', '-n']]) {
    const prefix = ['unshare', ...flags, 'sh', '-c', up, 'sh'];
    const [command, ...args] = prefix;
    if (spawnSync(command, [...args, 'true'], { stdio: 'ignore', timeout: 10_000 }).status === 0) return prefix;
  }
  return [];
}

/** Those whose managed channel is tried with the real client. */
const MANAGED = ['claude', 'codex', 'gemini', 'copilot-cli', 'qwen', 'opencode'];

/** The last one starts the client once for each way to be silently off that can be tried with it. */
function scriptsOf(client) {
  if (client.offline === true) return [['offline.mjs', CLIENT_MS_MAX]];
  const server = WITH_SERVER.includes(client.id) ? [['mcp-proxy.mjs', SERVER_MS_MAX]] : [];
  if (client.label !== undefined) return server;
  const managed = MANAGED.includes(client.id) ? [['managed.mjs', CLIENT_MS_MAX]] : [];
  return [['run.mjs', CLIENT_MS_MAX], ...server, ...managed, ...(WAYS.some((way) => way.client === client.id && ['off', 'closed', 'runs'].includes(way.real)) ? [['silent.mjs', 2 * CLIENT_MS_MAX]] : [])];
}

async function test(cache, client, prefix) {
  if (Date.now() >= deadline) return say(`FAILED ${client.id}: not begun within ${ALL_MS_MAX / 60_000} minutes`);
  const place = await install(cache, client);
  if (place === undefined) return;
  for (const [script, limit] of scriptsOf(client)) await runScript(script, limit, client, prefix, client.binary(join(place, 'node_modules')));
}

async function runScript(script, limit, client, prefix, binary) {
  const [command, ...args] = [...prefix, process.execPath, join(root, 'test/real', script), client.id, binary, ...(client.label === undefined ? [] : [client.label])];
  const before = Date.now();
  // Ours to remove, because a run that is ended in the middle cannot clean up after itself.
  const temporary = mkdtempSync(join(tmpdir(), 'real-clients-'));
  let lines = 0;
  const result = await run(command, args, {
    limit: left(limit),
    env: { ...process.env, TMPDIR: temporary },
    onLine: (line) => {
      lines += 1;
      say(line);
    },
  });
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  const name = client.label ?? client.id;
  if (result.timedOut) say(`FAILED ${name}: ${script} not done after ${Math.round((Date.now() - before) / 1000)} s`);
  else if (result.code !== 0 || lines === 0) say(`FAILED ${name}: ${script} itself ended with ${result.code} - ${result.tail}`);
  else process.stdout.write(`${name}: ${script} ${((Date.now() - before) / 1000).toFixed(1)} s\n`);
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((word) => !CLIENTS.some(({ id }) => id === word));
if (unknown.length > 0) {
  process.stderr.write(`no such client: ${unknown.join(', ')}. known: ${CLIENTS.map(({ id }) => id).join(', ')}\n`);
  process.exit(64);
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const pid of groups) end(pid);
    process.exit(130);
  });
}
const queue = CLIENTS.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
const cache = openCache();
const prefix = isolation();
process.stdout.write(`network: ${prefix.length > 0 ? 'loopback only' : 'not isolated; clients are pointed at loopback'}\n`);
const worker = async () => {
  for (let client = queue.shift(); client !== undefined; client = queue.shift()) await test(cache, client, prefix);
};
await Promise.all(Array.from({ length: AT_ONCE }, worker));
process.stdout.write(`all: ${((Date.now() - deadline + ALL_MS_MAX) / 60_000).toFixed(1)} minutes\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
