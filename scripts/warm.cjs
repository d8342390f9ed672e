// dist/warm.cjs: writes V8's code cache of the hook and of the command line for the Node that runs this file: `node dist/warm.cjs`.
// Both work without it. It runs typical documents of every client, and typical commands in the demonstration's home, so that the
// functions they need are in the cache.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const vm = require('vm');
const { spawnSync } = require('child_process');

const files = () => fs.readdirSync(__dirname).filter((name) => /^(?:hook|dialect-[a-z0-9-]+|policy|shell|rules|langs|contract|mcp|guard|cli|brief)-[0-9a-f]{12}\.cjs$/.test(name));

/** The newest of each, as the stub names them. */
function current() {
  const stubs = ['hook.cjs', 'mcp.cjs', 'cli.cjs', 'brief.cjs'].filter((name) => fs.existsSync(path.join(__dirname, name))).map((name) => fs.readFileSync(path.join(__dirname, name), 'utf8'));
  return files().filter((name) => stubs.some((stub) => stub.includes(name)));
}

const COMMAND = 'cd "$PWD/a" && FOO=1 timeout 5 npm test 2>&1 | tee out.log > x; git -c a=b commit -am "$(cat <<\'E\'\nit\'s (x)\nE\n)" || for f in a \'b\'; do rm -rf "$f.tmp"; done; git push -u origin x';
const EVERYDAY = 'cd "$PWD/sub" && FOO=1 timeout 60 npm test 2>&1 | tee out.log; git add -A; git commit -m "$(cat <<\'EOF\'\nfix: it\'s done\nEOF\n)" && for f in a b; do rm -f "$f.tmp"; done; grep -rn "a b" src | head -5 || true';
const SHELL = { session_id: 's', cwd: '/w', hook_event_name: 'x', tool_name: 'Bash', tool_input: { command: COMMAND }, tool_use_id: 'x' };
const plain = (tool) => ({ ...SHELL, ...tool });
const RUNS = [
  ['claude', 'pre-tool', SHELL],
  ['claude', 'pre-tool', plain({ tool_input: { command: 'npm run test -- --x' } })],
  ['claude', 'pre-tool', plain({ tool_input: { command: 'git push --force' } })],
  ['claude', 'pre-tool', plain({ tool_input: { command: EVERYDAY } })],
  ['claude', 'pre-tool', plain({ tool_input: { command: 'python3 -c "import os; os.remove(\'a\')" && pwsh -c "Get-ChildItem" && node -e 1' } })],
  ['claude', 'pre-tool', plain({ tool_name: 'Edit', tool_input: { file_path: '/w/a.ts' } })],
  ['claude', 'pre-tool', plain({ tool_name: 'mcp__a__b', mcp_server: { name: 'a' } })],
  ['claude', 'pre-tool', plain({ tool_name: 'mcp__lab__drop', tool_input: {} })],
  ['claude', 'session-start', { session_id: 's', cwd: '/w' }],
  ['claude', 'stop', { session_id: 's', cwd: '/w', stop_hook_active: false }],
  ['codex', 'pre-tool', SHELL],
  ['codex', 'pre-tool', plain({ tool_name: 'apply_patch', tool_input: { command: '*** Begin Patch\n*** Add File: a\n' } })],
  ['codex', 'pre-tool', plain({ tool_name: 'mcp__a__b' })],
  ['gemini', 'pre-tool', plain({ tool_name: 'run_shell_command' })],
  ['gemini', 'pre-tool', plain({ tool_name: 'mcp_a_b', mcp_context: { server_name: 'a', tool_name: 'b' } })],
  ['agy', 'pre-tool', { conversationId: 's', workspacePaths: ['/w'], toolCall: { name: 'run_command', args: { CommandLine: COMMAND } } }],
  ['agy', 'session-start', { conversationId: 's', workspacePaths: [] }],
  ['lefthook', 'pre-tool', { command: COMMAND }],
  // One of each client, from its row: written in by scripts/build.mjs.
  ...SAMPLES,
];

/** A machine under load; without the cache everything works too. */
const COMMANDS_MS_MAX = 60_000;

const cacheOf = (file) => `${file}.${process.version}-${process.arch}.cache`;

/** Twice, so that the stub can see damage; on the disk before it gets its name. */
function write(script, file) {
  const temporary = `${cacheOf(file)}.${process.pid}.tmp`;
  const data = script.createCachedData();
  const fd = fs.openSync(temporary, 'w', 0o644);
  fs.writeSync(fd, Buffer.concat([data, data]));
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync(temporary, cacheOf(file));
}

const scripts = new Map();
function load(name) {
  const file = path.join(__dirname, current().find((f) => f.length === name.length + 17 && f.startsWith(`${name}-`)));
  // The same wrapper as the stub's: the cache belongs to exactly this text.
  if (!scripts.has(file)) scripts.set(file, new vm.Script(`(function (require, module, load, __dirname) {${fs.readFileSync(file, 'utf8')}\n})`, { filename: file }));
  const module = { exports: {} };
  scripts.get(file).runInThisContext()(require, module, load, __dirname);
  return module.exports;
}

const COMMANDS = [
  ['clients', 'verify'], ['clients', 'apply', '--yes', '--quiet'], ['clients', 'verify', '--json'], ['clients', 'plan'], ['clients', 'list'], ['receipts', 'list'],
];

/** One command after the other, each when the one before has nothing left to do. */
function runCommands() {
  const home = process.env.HOME;
  for (const [file, content] of Object.entries(JSON.parse(fs.readFileSync(path.join(__dirname, 'demo-home.json'), 'utf8')))) {
    fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    fs.writeFileSync(path.join(home, file), Buffer.from(content, 'base64'));
  }
  const rest = [...COMMANDS];
  const next = () => {
    const words = rest.shift();
    process.exitCode = 0;
    if (words === undefined) {
      process.off('beforeExit', next);
      for (const [file, script] of scripts) write(script, file);
      return;
    }
    process.argv = [process.argv[0], 'praetorctl', ...words];
    load('cli');
    // Without anything to wait for, the end would not be announced a second time.
    setImmediate(() => undefined);
  };
  process.on('beforeExit', next);
}

function runAll() {
  const document = path.join(process.env.PRAETORCTL_STATE_DIR, 'document.json');
  process.exit = () => undefined;
  for (const [client, event, value] of RUNS) {
    fs.writeFileSync(document, JSON.stringify(value));
    fs.closeSync(0);
    fs.openSync(document, 'r');
    process.argv = [process.argv[0], 'praetorctl', 'hook', client, event];
    load('hook');
  }
  if (fs.existsSync(path.join(__dirname, 'brief.cjs'))) {
    process.argv = [process.argv[0], 'praetorctl', 'workstation', 'status'];
    load('brief');
    process.exitCode = 0;
  }
  for (const [file, script] of scripts) write(script, file);
}

const SERVER = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === 'tools/list' ? { tools: [{ name: 'read', description: 'reads', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } }, { name: 'drop', inputSchema: { type: 'object' } }] } : { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'lab', version: '1' }, content: [] };
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;

/** A server with a catalogue, so that the hook and the runtime have something to decide. */
function prepareGuard(env) {
  fs.mkdirSync(env.PRAETORCTL_CONFIG_DIR);
  fs.writeFileSync(path.join(env.PRAETORCTL_CONFIG_DIR, 'settings.yaml'), JSON.stringify({ mcpServers: { lab: { command: process.execPath, args: ['-e', SERVER] } } }));
  const steps = [['policy', 'compile'], ['contract', 'import', 'lab', '--yes'], ['contract', 'review', 'lab'], ['contract', 'approve', 'lab', '--all', '--yes']];
  for (const words of steps) spawnSync(process.execPath, [path.join(__dirname, 'cli.cjs'), ...words], { env, stdio: 'ignore', timeout: COMMANDS_MS_MAX });
}

const message = (id, method, params) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const GUARDED = message(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'warm', version: '1' } }) + message(1, 'tools/list', {})
  + message(2, 'tools/call', { name: 'read', arguments: { a: 1 } }) + message(3, 'tools/call', { name: 'drop', arguments: {} });

/** Ends when the server has, with the end of the input. */
function runGuard() {
  const exit = process.exit;
  process.exit = (code) => {
    for (const [file, script] of scripts) write(script, file);
    exit(code);
  };
  process.argv = [process.argv[0], 'praetorctl', 'mcp', 'lab'];
  load('mcp');
}

if (process.argv[2] === '--run') runAll();
else if (process.argv[2] === '--run-guard') runGuard();
else if (process.argv[2] === '--run-commands') runCommands();
else {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'praetorctl-warm-'));
  const env = { PATH: process.env.PATH, HOME: state, PRAETORCTL_STATE_DIR: state, PRAETORCTL_HOOK_SYNTHETIC: '1' };
  if (fs.existsSync(path.join(__dirname, 'cli.cjs'))) {
    env.PRAETORCTL_CONFIG_DIR = path.join(state, 'config');
    prepareGuard(env);
    spawnSync(process.execPath, [__filename, '--run-guard'], { env, cwd: state, input: GUARDED, stdio: ['pipe', 'pipe', 'ignore'], timeout: COMMANDS_MS_MAX });
  }
  // A process of its own: standard input and output belong to the runs.
  const ran = spawnSync(process.execPath, [__filename, '--run'], { env, cwd: state, stdio: ['pipe', 'ignore', 'ignore'] });
  const commands = fs.existsSync(path.join(__dirname, 'cli.cjs')) ? spawnSync(process.execPath, [__filename, '--run-commands'], { env: { ...env, PRAETORCTL_STATE_DIR: path.join(state, 'commands') }, cwd: state, stdio: 'ignore', timeout: COMMANDS_MS_MAX }) : { status: 0 };
  // The proof: a hook that starts from the caches.
  const proof = spawnSync(process.execPath, [path.join(__dirname, 'hook.cjs'), 'hook', 'claude', 'pre-tool'], { env, input: JSON.stringify(SHELL) });
  const good = ran.status === 0 && commands.status === 0 && proof.status === 0 && proof.stdout.length === 0;
  if (!good) for (const file of current()) fs.rmSync(cacheOf(path.join(__dirname, file)), { force: true });
  fs.rmSync(state, { recursive: true, force: true });
  process.exitCode = good ? 0 : 1;
}
