// Contract: `node test/real/offline.mjs <client> <binary>`: clients in which no hook of ours can be tried: those that run no session
// without a login, by the commands that they have without one, and one without hooks, by a session that calls a server. They read
// what we wrote, and where they can, they try our gate. Prints what run.mjs prints.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { contents, dropWorld, makeWorld, praetorctl, receipts, session, settings } from './world.mjs';

const RULE = 'git.push.force';
const SERVER = { command: process.execPath, args: [resolve(import.meta.dirname, 'mcp-server.mjs'), '/dev/null'], env: { LAB_MODE: 'test' } };

function put(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const amp = {
  id: 'amp',
  offline: true,
  packages: [`@ampcode/cli-${process.platform}-${process.arch}@0.0.1790142911-g7618fb`],
  binary: (modules) => join(modules, '@ampcode', `cli-${process.platform}-${process.arch}`, 'amp'),
  files: ['.config/amp/settings.json', '.config/amp/praetorctl-amp'],
  environment: { AMP_API_KEY: 'not-a-key', AMP_SKIP_UPDATE_CHECK: '1' },
  before: (home) => put(join(home, '.config/amp/settings.json'), [
    '{', '  // the person\'s own comment', '  "amp.permissions": [', '    { "tool": "shell_command", "matches": { "command": "*deploy*" }, "action": "reject" },', '  ],', '}', '',
  ].join('\n')),
  async checks(world, run, check) {
    const asked = async (...args) => parsed((await run(['permissions', 'test', '--json', ...args])).output) ?? {};
    const shown = ({ action, source, error }) => `${action} ${source} ${error ?? ''}`.trim();
    const push = await asked('shell_command', '--command', 'git push --force origin main');
    check('a forbidden command is rejected by our rule, with the reason', push.action === 'reject' && push.source === 'user' && push.error?.includes(`[praetorctl: ${RULE}]`), push);
    const table = [
      ['another command is left to the person', ['shell_command', '--command', 'git status'], 'ask user'],
      ['a tool of a server stays allowed', ['mcp__lab__echo', '--text', 'hello'], 'allow user'],
      ['a rule of the person still counts', ['shell_command', '--command', 'make deploy'], 'reject user'],
      ['a tool that is not guarded is left to the client', ['Grep', '--pattern', 'x'], 'allow built-in'],
    ];
    for (const [what, args, wanted] of table) {
      const answer = await asked(...args);
      check(what, shown(answer) === wanted, answer);
    }
    const lines = receipts(world);
    check('each judged call left a receipt of this client', lines.length === 3 && lines.every(({ caller, event }) => caller === 'amp' && event === 'pre-tool'), lines);
    const listed = await run(['permissions', 'list']);
    check('the client lists our rule behind the one of the person', /deploy[\s\S]*delegate --to '~\/\.config\/amp\/praetorctl-amp'/.test(listed.output), listed.output);
    rmSync(join(world.bin, 'praetorctl'));
    const missing = await asked('mcp__lab__echo', '--text', 'hello');
    check('without praetorctl on PATH a guarded call is rejected', missing.action === 'reject' && missing.error?.includes('not on PATH'), missing);
  },
};

const auggie = {
  id: 'auggie',
  offline: true,
  packages: ['@augmentcode/auggie@0.36.0'],
  binary: (modules) => join(modules, '.bin', 'auggie'),
  files: ['.augment/settings.json'],
  environment: { AUGMENT_DISABLE_AUTO_UPDATE: '1' },
  before: (home) => put(join(home, '.augment/settings.json'), '{\n  // the person\'s own comment\n  "mcpServers": {\n    "own": { "type": "stdio", "command": "own-mcp", "args": [] },\n  },\n}\n'),
  async checks(_world, run, check) {
    const listed = await run(['mcp', 'list', '--json']);
    // Warnings about the missing login stand before the document.
    const servers = parsed(listed.output.slice(listed.output.indexOf('{')))?.servers ?? [];
    const [own, lab] = ['own', 'lab'].map((name) => servers.find((server) => server.name === name));
    check('the client lists the server that we wrote, with its command and arguments',
      lab?.command === [SERVER.command, ...SERVER.args].join(' ') && lab.transport === 'stdio' && lab.enabled === true && lab.source === 'user', listed.output);
    check('the client still lists the one of the person', own?.command === 'own-mcp', listed.output);
  },
};

const HOOK_RAN = 'hook-ran';
/** It has no command that lists servers, but it runs a session without a login where the model is one of its file's. */
const continueCli = {
  id: 'continue',
  command: 'cn',
  offline: true,
  packages: ['@continuedev/cli@1.5.47'],
  binary: (modules) => join(modules, '.bin', 'cn'),
  files: ['.continue/config.yaml'],
  environment: { CONTINUE_TELEMETRY_ENABLED: '0', NO_COLOR: '1' },
  script: [{ tool: 'echo', input: { text: 'hello' } }],
  before(home, url) {
    put(join(home, '.continue/config.yaml'), [
      '# the person\'s own comment', 'name: Local', 'version: 1.0.0', 'schema: v1', 'models:', '  - name: scripted', '    provider: openai', '    model: scripted',
      `    apiBase: ${url}`, '    apiKey: not-a-key', '    roles: [chat]', '    capabilities: [tool_use]', '',
    ].join('\n'));
    put(join(home, '.claude/settings.json'), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `touch "$HOME/${HOOK_RAN}"` }] }] } }));
  },
  async checks(world, run, check, record) {
    const ended = await run(['-p', '--auto', 'Do as the script says.']);
    const { tools, steps: [step] } = record();
    check('the server that we wrote is started and its tool offered to the model, without the server\'s name', tools.includes('echo'), tools);
    check('a call of the model reaches the server', ended.code === 0 && step.result?.text.includes('echo: hello') === true, { step, output: ended.output.slice(-600) });
    check('no hook is run, not even of the settings that its engine is said to read', !existsSync(join(world.home, HOOK_RAN)));
  },
};

export const OFFLINE = [amp, auggie, continueCli];

function checker(id) {
  return (what, passed, detail) => {
    const shown = passed || detail === undefined ? '' : ` - ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`.replace(/\s+/g, ' ').slice(0, 1_500);
    process.stdout.write(`${passed ? 'ok' : 'FAILED'} ${id}: ${what}${shown}\n`);
  };
}

async function main(id, binary) {
  const client = OFFLINE.find((one) => one.id === id);
  if (client === undefined || binary === undefined) throw new Error('usage: offline.mjs <client> <binary>');
  const check = checker(id);
  const world = makeWorld(client, binary);
  // Bundled when it is needed: the list above is read by others too.
  const model = client.script === undefined ? undefined : await (await import('./models.mjs')).startModel('openai-chat-completions', client.script);
  try {
    client.before(world.home, model?.url);
    const original = contents(world, client.files);
    settings(world, { mcpServers: { lab: SERVER } });
    const applied = praetorctl(world, 'clients', 'apply', '--yes', '--client', id);
    check('apply registers', applied.code === 0, applied.out + applied.err);
    const verified = praetorctl(world, 'clients', 'verify', '--client', id, '--json');
    check('verify says configured and unverified', verified.code === 3 && verified.json?.clients?.[0]?.states?.installed === true && verified.json.clients[0].states.observed === false, verified.out);
    const wrote = contents(world, client.files);
    const program = readFileSync(join(world.bin, 'praetorctl'), 'utf8');
    await client.checks(world, (argv) => session(world, argv, client.environment), check, model?.record);
    if (!existsSync(join(world.bin, 'praetorctl'))) writeFileSync(join(world.bin, 'praetorctl'), program, { mode: 0o755 });
    check('the client left our files as they were', client.files.every((file) => contents(world, [file]).get(file) === wrote.get(file)));
    const removed = praetorctl(world, 'clients', 'remove', '--yes', '--client', id);
    const clean = contents(world, client.files);
    check('remove gives every byte back', removed.code === 0 && client.files.every((file) => clean.get(file) === original.get(file)), removed.out + removed.err);
  } finally {
    await model?.close();
    dropWorld(world);
  }
}

if (process.argv[1] === import.meta.filename) await main(process.argv[2], process.argv[3]);
