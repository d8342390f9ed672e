// Contract: `npm run test:servers`: real MCP servers from npm, pinned, installed outside the product's dependencies, each talked to
// directly and through `praetorctl mcp`: import, review, approve, then one conversation both ways. What is not about tools must be
// the same, message by message. Prints `ok`, `FAILED` and `skipped:` lines and, last, `N passed, N failed, N skipped`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '..');
const bin = join(root, 'bin/praetorctl');
const INSTALL_MS_MAX = 240_000;
const ANSWER_MS_MAX = 20_000;
const counts = { passed: 0, failed: 0, skipped: 0 };
const count = (kind, line) => { counts[kind] += 1; process.stdout.write(`${line}\n`); };
const check = (name, good, detail = '') => count(good ? 'passed' : 'failed', good ? `ok ${name}` : `FAILED ${name}${detail === '' ? '' : `: ${detail.slice(0, 400)}`}`);

const SERVERS = [
  { id: 'filesystem', package: '@modelcontextprotocol/server-filesystem@2026.8.31', entry: 'dist/index.js', args: (work) => [work], call: (work) => ({ name: 'list_directory', arguments: { path: work } }) },
  { id: 'memory', package: '@modelcontextprotocol/server-memory@2026.8.31', entry: 'dist/index.js', args: () => [], call: () => ({ name: 'read_graph', arguments: {} }) },
  { id: 'everything', package: '@modelcontextprotocol/server-everything@2026.8.31', entry: 'dist/index.js', args: () => ['stdio'], call: () => ({ name: 'echo', arguments: { message: 'ü' } }) },
  { id: 'sequential-thinking', package: '@modelcontextprotocol/server-sequential-thinking@2026.8.31', entry: 'dist/index.js', args: () => [], call: () => ({ name: 'sequentialthinking', arguments: { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 } }) },
  { id: 'notion', package: '@notionhq/notion-mcp-server@2.5.2', entry: 'bin/cli.mjs', args: () => [], call: () => undefined },
  { id: 'playwright', package: '@playwright/mcp@0.0.83', entry: 'cli.js', args: () => ['--headless'], call: () => undefined },
];

function cacheDirectory() {
  const named = process.env['PRAETORCTL_CLIENT_CACHE'];
  return named !== undefined && named !== '' ? resolve(named) : join(tmpdir(), `praetorctl-clients-${userInfo().uid}`);
}

function install(cache, server) {
  const place = join(cache, `server-${server.id}-${server.package.split('@').at(-1)}`);
  if (existsSync(join(place, 'complete'))) return place;
  const temporary = mkdtempSync(join(cache, `server-${server.id}-new-`));
  writeFileSync(join(temporary, 'package.json'), '{"private":true}\n');
  const npm = spawnSync('npm', ['install', '--prefix', temporary, '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--loglevel=error', server.package], { encoding: 'utf8', timeout: INSTALL_MS_MAX });
  if (npm.status !== 0) {
    rmSync(temporary, { recursive: true, force: true });
    count('skipped', `skipped: ${server.id}: cannot be installed (npm exit ${npm.status}: ${(npm.stderr ?? '').replace(/\s+/g, ' ').slice(-200)})`);
    return undefined;
  }
  writeFileSync(join(temporary, 'complete'), '');
  rmSync(place, { recursive: true, force: true });
  renameSync(temporary, place);
  return place;
}

/** One conversation; what the server asks is answered as a client without anything would. */
async function talk(argv, env, requests) {
  const child = spawn(process.execPath, argv, { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const answers = new Map();
  const events = [];
  let wake = () => undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method !== undefined) {
      events.push(message);
      if (message.id !== undefined) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } })}\n`);
    } else answers.set(message.id, message);
    wake();
  });
  const ask = (message) => new Promise((done) => {
    const timer = setTimeout(() => done({ error: 'no answer' }), ANSWER_MS_MAX);
    wake = () => {
      if (!answers.has(message.id)) return;
      clearTimeout(timer);
      done(answers.get(message.id));
    };
    child.stdin.write(`${JSON.stringify(message)}\n`);
  });
  const said = [];
  for (const message of requests) {
    if (message.id === undefined) child.stdin.write(`${JSON.stringify(message)}\n`);
    else said.push(await ask(message));
  }
  const ended = new Promise((done) => child.on('close', done));
  child.stdin.end();
  const late = setTimeout(() => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* gone */ } }, 8_000);
  await ended;
  clearTimeout(late);
  return { said, events };
}

function conversation(call, forbidden) {
  const requests = [
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'lab', version: '1' } }], ['notifications/initialized'], ['ping'], ['tools/list'], ['resources/list'], ['resources/templates/list'], ['prompts/list'],
    ...(call === undefined ? [] : [['tools/call', call]]), ...(forbidden === undefined ? [] : [['tools/call', forbidden]]),
  ];
  return requests.map(([method, params], i) => ({ jsonrpc: '2.0', ...(method.startsWith('notifications/') ? {} : { id: i }), method, ...(params === undefined ? {} : { params }) }));
}

async function test(cache, server) {
  const place = install(cache, server);
  if (place === undefined) return;
  const home = mkdtempSync(join(tmpdir(), 'real-servers-'));
  const work = join(home, 'work');
  for (const directory of [work, join(home, 'config')]) mkdirSync(directory);
  writeFileSync(join(work, 'a.txt'), 'a');
  const name = server.package.slice(0, server.package.lastIndexOf('@'));
  const argv = [join(place, 'node_modules', name, server.entry), ...server.args(work)];
  const env = { PATH: process.env.PATH, HOME: home, PRAETORCTL_STATE_DIR: join(home, 'state'), PRAETORCTL_CONFIG_DIR: join(home, 'config'), MEMORY_FILE_PATH: join(home, 'memory.json'), NOTION_TOKEN: 'not-a-token' };
  writeFileSync(join(home, 'config', 'settings.yaml'), JSON.stringify({ mcpServers: { [server.id]: { command: process.execPath, args: argv } } }));
  const run = (...words) => spawnSync(process.execPath, [bin, ...words], { env, encoding: 'utf8', timeout: 120_000 });
  try {
    const imported = run('contract', 'import', server.id, '--yes', '--json');
    check(`${server.id}: import`, imported.status === 0, imported.stderr);
    if (imported.status !== 0) return;
    run('contract', 'review', server.id);
    const call = server.call(work);
    const approved = run('contract', 'approve', server.id, '--reads', ...(call === undefined ? [] : [call.name]), '--yes');
    check(`${server.id}: approve`, approved.status === 0, approved.stderr);
    const catalogue = JSON.parse(run('contract', 'review', server.id, '--all', '--json').stdout);
    const operations = catalogue.operations;
    const hidden = operations.find(({ state }) => state !== 'approved');
    const gated = operations.find(({ mcpTool }) => mcpTool === call?.name)?.confirmationRequired === true;
    const requests = conversation(call === undefined ? undefined : { ...call, arguments: { ...call.arguments, ...(gated ? { confirm: true } : {}) } }, hidden === undefined ? undefined : { name: hidden.mcpTool, arguments: {} });
    const direct = await talk(argv, env, conversation(call, undefined));
    const guarded = await talk([bin, 'mcp', server.id], env, requests);
    const same = (i) => JSON.stringify(direct.said[i]) === JSON.stringify(guarded.said[i]);
    for (const [i, what] of [[0, 'initialize'], [1, 'ping'], [3, 'resources'], [4, 'templates'], [5, 'prompts']]) check(`${server.id}: ${what} as without`, same(i), `${JSON.stringify(direct.said[i])} / ${JSON.stringify(guarded.said[i])}`);
    const visible = operations.filter(({ state }) => state === 'approved').map(({ mcpTool }) => mcpTool).toSorted();
    const listed = (guarded.said[2]?.result?.tools ?? []).map((tool) => tool.name).toSorted();
    check(`${server.id}: ${visible.length} of ${operations.length} tools are shown`, JSON.stringify(listed) === JSON.stringify(visible.filter((one) => direct.said[2].result.tools.some((tool) => tool.name === one))), JSON.stringify(listed));
    if (call !== undefined) check(`${server.id}: ${call.name} answers as without`, same(6), `${JSON.stringify(direct.said[6])} / ${JSON.stringify(guarded.said[6])}`);
    if (hidden !== undefined) check(`${server.id}: ${hidden.mcpTool} is refused`, JSON.stringify(guarded.said.at(-1)).includes('unsupported_operation'), JSON.stringify(guarded.said.at(-1)));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const cache = cacheDirectory();
mkdirSync(cache, { recursive: true, mode: 0o700 });
for (const server of SERVERS) await test(cache, server);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
