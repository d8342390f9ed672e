// Contract: `npm run test:servers`: real MCP servers from npm, pinned, installed outside the product's dependencies, each talked to
// directly and through `praetorctl mcp`: import, review, approve, then one conversation both ways (scripts/wire-talk.mjs): resources,
// prompts, completion, logging, progress, roots, sampling, elicitation, cancellation, as far as the server has them. Every difference is
// printed; one that the contract does not explain is a failure. `node scripts/real-servers.mjs ID...` runs some of them. Prints `ok`,
// `FAILED` and `skipped:` lines and, last, `N passed, N failed, N skipped`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { differences, talk } from './wire-talk.mjs';

const root = resolve(import.meta.dirname, '..');
const bin = join(root, 'bin/praetorctl');
const INSTALL_MS_MAX = 240_000;
const counts = { passed: 0, failed: 0, skipped: 0 };
const count = (kind, line) => { counts[kind] += 1; process.stdout.write(`${line}\n`); };
const check = (name, good, detail = '') => count(good ? 'passed' : 'failed', good ? `ok ${name}` : `FAILED ${name}${detail === '' ? '' : `: ${detail.slice(0, 400)}`}`);

const EVERYTHING = {
  package: '@modelcontextprotocol/server-everything@2026.8.31', entry: 'dist/index.js', args: () => ['stdio'],
  calls: () => [
    { name: 'echo', arguments: { message: 'ü' } }, { name: 'get-sum', arguments: { a: 1, b: 2 } }, { name: 'get-structured-content', arguments: { location: 'Chicago' } }, { name: 'get-tiny-image', arguments: {} }, { name: 'get-resource-links', arguments: { count: 2 } },
    { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 2 } }, { name: 'get-roots-list', arguments: {} }, { name: 'trigger-sampling-request', arguments: { prompt: 'say', maxTokens: 10 } },
    { name: 'trigger-elicitation-request', arguments: {} }, { name: 'toggle-subscriber-updates', arguments: {} }, { name: 'toggle-simulated-logging', arguments: {} }, { name: 'toggle-simulated-logging', arguments: {} }, { name: 'toggle-subscriber-updates', arguments: {} },
  ],
  cut: { name: 'trigger-long-running-operation', arguments: { duration: 2, steps: 4 } },
  sees: ['roots/list', 'sampling/createMessage', 'elicitation/create', 'notifications/progress', 'notifications/message', 'notifications/resources/updated'],
};
const SERVERS = [
  { id: 'filesystem', package: '@modelcontextprotocol/server-filesystem@2026.8.31', entry: 'dist/index.js', args: (work) => [work], calls: (work) => [{ name: 'write_file', arguments: { path: join(work, 'b.txt'), content: 'b' } }, { name: 'list_directory', arguments: { path: work } }, { name: 'read_text_file', arguments: { path: '/nothing' } }], sees: ['roots/list'] },
  { id: 'memory', package: '@modelcontextprotocol/server-memory@2026.8.31', entry: 'dist/index.js', args: () => [], calls: () => [{ name: 'read_graph', arguments: {} }] },
  { id: 'everything', ...EVERYTHING },
  { id: 'everything-http', installed: 'everything', ...EVERYTHING, http: ['streamableHttp'] },
  { id: 'sequential-thinking', package: '@modelcontextprotocol/server-sequential-thinking@2026.8.31', entry: 'dist/index.js', args: () => [], calls: () => [{ name: 'sequentialthinking', arguments: { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 } }] },
  { id: 'notion', package: '@notionhq/notion-mcp-server@2.5.2', entry: 'bin/cli.mjs', args: () => [] },
  { id: 'playwright', package: '@playwright/mcp@0.0.83', entry: 'cli.js', args: () => ['--headless'] },
  { id: 'mongodb', package: 'mongodb-mcp-server@3.0.4', entry: 'dist/esm/index.js', args: () => [] },
];

function cacheDirectory() {
  const named = process.env['PRAETORCTL_CLIENT_CACHE'];
  return named !== undefined && named !== '' ? resolve(named) : join(tmpdir(), `praetorctl-clients-${userInfo().uid}`);
}

function install(cache, server) {
  const place = join(cache, `server-${server.installed ?? server.id}-${server.package.split('@').at(-1)}`);
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

/** What to say: all that the server says it has, then the calls, one of them cut short. Made once, of what the server itself answers. */
function stepsFor(server, work) {
  let id = 100;
  let stage = 0;
  const ask = (method, params, more = {}) => ({ label: more.label ?? method, message: { id: id += 1, method, ...(params === undefined ? {} : { params }) }, ...more });
  const call = ({ name, arguments: given }, more = {}) => ask('tools/call', { name, arguments: given, _meta: { progressToken: `p${id}` } }, { label: name, ...more });
  const resultOf = (notes, label) => notes.find((one) => one.label === label)?.answer?.result ?? {};
  return (notes) => {
    stage += 1;
    const { capabilities = {} } = resultOf(notes, 'initialize');
    if (stage === 1) {
      const client = { protocolVersion: '2025-11-25', capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } }, clientInfo: { name: 'lab', version: '1' } };
      return [ask('initialize', client), { label: 'initialized', message: { method: 'notifications/initialized' } }, ask('ping')];
    }
    if (stage === 2) return [
      ask('tools/list'), ask('resources/list'), ask('resources/templates/list'), ask('prompts/list'), ask('nothing/here'), ...(capabilities.logging === undefined ? [] : [ask('logging/setLevel', { level: 'debug' })]),
      { label: 'roots/list_changed', message: { method: 'notifications/roots/list_changed' } },
    ];
    if (stage > 3) return [];
    const { resources = [] } = resultOf(notes, 'resources/list');
    const { prompts = [] } = resultOf(notes, 'prompts/list');
    const { resourceTemplates = [] } = resultOf(notes, 'resources/templates/list');
    const filled = ({ arguments: wanted = [] }) => Object.fromEntries(wanted.map(({ name }) => [name, '1']));
    const completed = prompts.find((prompt) => (prompt.arguments ?? []).length > 0);
    return [
      ...resources.slice(0, 2).map(({ uri }) => ask('resources/read', { uri }, { label: `resources/read ${uri}` })), ...resourceTemplates.slice(0, 1).map(({ uriTemplate }) => ask('resources/read', { uri: uriTemplate.replace(/\{[^}]*\}/g, '1') }, { label: `resources/read ${uriTemplate}` })),
      ...(capabilities.resources === undefined ? [] : [ask('resources/read', { uri: 'nothing://here' }, { label: 'a resource that is not there' })]),
      ...(capabilities.resources?.subscribe === true && resources.length > 0 ? [ask('resources/subscribe', { uri: resources[0].uri })] : []),
      ...prompts.slice(0, 3).map((prompt) => ask('prompts/get', { name: prompt.name, arguments: filled(prompt) }, { label: `prompts/get ${prompt.name}` })),
      ...(capabilities.completions === undefined || completed === undefined ? [] : [ask('completion/complete', { ref: { type: 'ref/prompt', name: completed.name }, argument: { name: completed.arguments[0].name, value: '' } })]),
      ...(server.calls?.(work) ?? []).map((one) => call(one)),
      ...(capabilities.resources?.subscribe === true && resources.length > 0 ? [ask('resources/unsubscribe', { uri: resources[0].uri })] : []),
      ...(server.cut === undefined ? [] : [call(server.cut, { label: `${server.cut.name}, cancelled`, cancel: true }), ask('ping', undefined, { label: 'ping after what was cancelled' })]),
    ];
  };
}

/** The same steps, with the confirmation that the contract wants. */
function guardedSteps(notes, operations) {
  const gated = new Set(operations.filter(({ confirmationRequired }) => confirmationRequired).map(({ mcpTool }) => mcpTool));
  return notes.map(({ label, request }) => {
    const { params } = request;
    const message = request.method === 'tools/call' && gated.has(params.name) ? { ...request, params: { ...params, arguments: { ...params.arguments, confirm: true } } } : request;
    return { label, message, cancel: label.endsWith(', cancelled') };
  });
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** A server that listens, until `stop`. */
async function listening(argv, env) {
  const port = await freePort();
  const child = spawn(process.execPath, argv, { env: { ...env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise((done, fail) => {
    child.stderr.setEncoding('utf8').on('data', (text) => { if (text.includes('listening')) done(); });
    child.on('close', () => fail(new Error('it ended before it listened')));
    setTimeout(() => fail(new Error('it did not listen')), 20_000).unref();
  });
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => child.kill('SIGKILL') };
}

function compare(server, direct, guarded, operations) {
  const { explained, open } = differences(direct.notes, guarded.notes.slice(0, direct.notes.length), operations, server.http !== undefined);
  for (const text of explained) process.stdout.write(`   by the contract: ${server.id}: ${text}\n`);
  for (const text of open) process.stdout.write(`   unexplained: ${server.id}: ${text}\n`);
  const kinds = new Set(direct.notes.flatMap(({ seen }) => seen.map(({ method }) => method)));
  check(`${server.id}: ${direct.notes.length} steps as without${kinds.size === 0 ? '' : `, with ${[...kinds].toSorted().join(', ')}`}`, open.length === 0, open.join('; '));
  for (const kind of server.sees ?? []) check(`${server.id}: ${kind} was seen`, kinds.has(kind));
}

async function test(cache, server) {
  const place = install(cache, server);
  if (place === undefined) return;
  const home = mkdtempSync(join(tmpdir(), 'real-servers-'));
  const work = join(home, 'work');
  for (const directory of [work, join(home, 'config')]) mkdirSync(directory);
  writeFileSync(join(work, 'a.txt'), 'a');
  const name = server.package.slice(0, server.package.lastIndexOf('@'));
  const entry = join(place, 'node_modules', name, server.entry);
  const argv = [entry, ...server.args(work)];
  const env = { PATH: process.env.PATH, HOME: home, PRAETORCTL_STATE_DIR: join(home, 'state'), PRAETORCTL_CONFIG_DIR: join(home, 'config'), MEMORY_FILE_PATH: join(home, 'memory.json'), NOTION_TOKEN: 'not-a-token', MDB_MCP_TELEMETRY: 'disabled', DO_NOT_TRACK: '1' };
  const run = (...words) => spawnSync(process.execPath, [bin, ...words], { env, encoding: 'utf8', timeout: 120_000 });
  let remote;
  try {
    if (server.http !== undefined) remote = await listening([entry, ...server.http], env);
    writeFileSync(join(home, 'config', 'settings.yaml'), JSON.stringify({ mcpServers: { [server.id]: remote === undefined ? { command: process.execPath, args: argv } : { url: remote.url } } }));
    const imported = run('contract', 'import', server.id, '--yes', '--json');
    check(`${server.id}: import`, imported.status === 0, imported.stderr);
    if (imported.status !== 0) return;
    run('contract', 'review', server.id);
    const named = [...(server.calls?.(work) ?? []), ...(server.cut === undefined ? [] : [server.cut])].map((one) => one.name);
    const approved = run('contract', 'approve', server.id, '--reads', ...new Set(named), '--yes');
    check(`${server.id}: approve`, approved.status === 0, approved.stderr);
    const { operations } = JSON.parse(run('contract', 'review', server.id, '--all', '--json').stdout);
    const hidden = operations.find(({ state }) => state !== 'approved');
    const direct = await talk(argv, env, work, stepsFor(server, work));
    const refused = hidden === undefined ? [] : [{ label: 'hidden', message: { id: 1, method: 'tools/call', params: { name: hidden.mcpTool, arguments: {} } } }];
    const guarded = await talk([bin, 'mcp', server.id], env, work, [...guardedSteps(direct.notes, operations), ...refused]);
    compare(server, direct, guarded, operations);
    if (hidden !== undefined) check(`${server.id}: ${hidden.mcpTool} is refused`, JSON.stringify(guarded.notes.at(-1)).includes('unsupported_operation'), JSON.stringify(guarded.notes.at(-1)));
  } catch (error) {
    check(`${server.id}: runs`, false, String(error));
  } finally {
    remote?.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const cache = cacheDirectory();
mkdirSync(cache, { recursive: true, mode: 0o700 });
const chosen = process.argv.slice(2);
for (const server of SERVERS) if (chosen.length === 0 || chosen.includes(server.id)) await test(cache, server);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
