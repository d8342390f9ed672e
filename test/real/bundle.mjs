// Contract: a bundle of `contract bundle` in the real Claude Code: its own validation passes, and from `--plugin-dir` alone and from a marketplace, with
// nothing registered in any file, the hook refuses a call of the plugin's server and the runtime behind it runs the confirmed one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { startModel } from './models.mjs';
import { dropWorld, makeWorld, praetorctl, receipts, session, settings } from './world.mjs';

const COMMAND_MS_MAX = 30_000;
const TOOL = 'mcp__plugin_praetor-lab_lab__echo';

const EXPECTED = [`claude ${TOOL} deny contract.confirmation_required`, `claude ${TOOL} neutral`];
const script = () => [{ tool: TOOL, input: { text: 'unconfirmed' } }, { tool: TOOL, input: { text: 'confirmed', confirm: true } }];
const verdicts = (lines) => lines.filter(({ event }) => event === 'pre-tool').map(({ caller, tool, verdict, rule }) => `${caller} ${tool} ${verdict} ${rule ?? ''}`.trim());

function claude(world, argv, environment) {
  const run = spawnSync(world.binary, argv, { cwd: world.project, env: { ...world.env, ...environment }, encoding: 'utf8', timeout: COMMAND_MS_MAX, input: '' });
  return { code: run.status, output: run.stdout + run.stderr };
}

function makeBundles(world, check) {
  settings(world, { mcpServers: { lab: { command: process.execPath, args: [resolve(import.meta.dirname, 'mcp-server.mjs'), world.mcpLog] } } });
  const [own, lab] = [join(world.base, 'own'), join(world.base, 'lab')];
  const words = [['import', 'lab', '--yes'], ['review', 'lab'], ['approve', 'lab', '--all', '--yes'], ['bundle', 'lab', '--out', lab], ['bundle', '--self', '--out', own]];
  const failed = words.map((arguments_) => praetorctl(world, 'contract', ...arguments_)).filter(({ code }) => code !== 0);
  check('a server is imported, approved and bundled', failed.length === 0, failed.map(({ err }) => err));
  return { own, lab };
}

/** A catalogue of plugins on this machine, with the bundle as its only one. */
function marketplace(world, directory) {
  mkdirSync(join(world.base, '.claude-plugin'));
  writeFileSync(join(world.base, '.claude-plugin/marketplace.json'), JSON.stringify({ name: 'local', owner: { name: 'test' }, plugins: [{ name: 'praetor-lab', source: `./${basename(directory)}` }] }));
}

async function installed(world, client, check, directory) {
  const model = await startModel(client.api, script());
  try {
    const environment = client.environment(model.url);
    marketplace(world, directory);
    const steps = [['plugin', 'marketplace', 'add', world.base], ['plugin', 'install', 'praetor-lab@local']].map((argv) => claude(world, argv, environment));
    check('the client installs it from a marketplace on this machine', steps.every(({ code }) => code === 0), steps);
    rmSync(world.mcpLog, { force: true });
    const before = receipts(world).length;
    const run = await session(world, [...client.argv().slice(0, -1), TOOL], environment);
    const judged = verdicts(receipts(world).slice(before));
    check('installed, its hook and its runtime do the same', JSON.stringify(judged) === JSON.stringify(EXPECTED) && existsSync(world.mcpLog) && readFileSync(world.mcpLog, 'utf8') === 'confirmed\n', { judged, run });
  } finally {
    await model.close();
  }
}

export async function bundles(client, binary, check) {
  if (client.id !== 'claude') return;
  const world = makeWorld(client, binary);
  const model = await startModel(client.api, script());
  try {
    const environment = client.environment(model.url);
    client.before(world.home, model.url, binary);
    const { own, lab } = makeBundles(world, check);
    for (const [name, directory] of Object.entries({ own, lab })) {
      const { code, output } = claude(world, ['plugin', 'validate', directory], environment);
      check(`the client's own validation passes (${name})`, code === 0 && output.includes('Validation passed') && !output.includes('refuses'), output);
    }
    const run = await session(world, [...client.argv().slice(0, -1), TOOL, '--plugin-dir', lab], environment);
    const { steps } = model.record();
    check('the hook of the bundle refuses the unconfirmed call, and says how to confirm', steps[0]?.result?.text.includes('confirm') === true && steps[0].result.text.includes('[praetorctl: contract.confirmation_required]'), { steps, run });
    check('the confirmed call goes through the runtime of the bundle', steps[1]?.result?.text.includes('echo: confirmed') === true && existsSync(world.mcpLog) && readFileSync(world.mcpLog, 'utf8') === 'confirmed\n', { steps, run });
    const judged = verdicts(receipts(world));
    check('a receipt of this client for each', JSON.stringify(judged) === JSON.stringify(EXPECTED), judged);
    await installed(world, client, check, lab);
  } finally {
    await model.close();
    dropWorld(world);
  }
}
