// Contract: what `verify --probe` learns from a real client that was just registered: its own lists name our servers and, where it
// lists hooks, our hooks; a client that only runs session hooks leaves a receipt. Values never appear in what verify says.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { trustAll } from './codex-trust.mjs';
import { dropWorld, makeWorld, praetorctl, settings } from './world.mjs';

/** Two questions of at most 30 s each, and the rest. */
const PROBE_MS_MAX = 90_000;
const VALUE = 'value-in-clear';
const NOWHERE = 'http://127.0.0.1:9/';

/** Programs that have another name than the client's id. */
const PROGRAMS = { 'copilot-cli': 'copilot' };
/** What each must answer right after apply. Trust is a person's, so the hooks of the Codex CLI do not run yet. */
const EXPECTED = {
  claude: { hooks: 'not-asked', servers: 'listed', discovered: true },
  codex: { hooks: 'not-listed', servers: 'listed', discovered: false },
  gemini: { hooks: 'not-asked', servers: 'listed' }, qwen: { hooks: 'not-asked', servers: 'listed' }, droid: { hooks: 'not-asked', servers: 'listed' },
  opencode: { hooks: 'not-asked', servers: 'listed' }, 'copilot-cli': { hooks: 'not-asked', servers: 'listed' },
};

function verify(world, id, ...words) {
  const run = spawnSync(join(world.bin, 'praetorctl'), ['clients', 'verify', '--client', id, '--json', ...words], { cwd: world.project, env: world.env, encoding: 'utf8', timeout: PROBE_MS_MAX, input: '' });
  return { out: run.stdout + run.stderr, row: JSON.parse(run.stdout).clients[0] };
}

function stateText(world) {
  const state = join(world.home, '.local/state/praetorctl');
  if (!existsSync(state)) return '';
  return readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name) && !/originals|runs/.test(entry.parentPath ?? entry.path)).map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name), 'utf8')).join('\n');
}

export async function probing(client, binary, check) {
  const expected = EXPECTED[client.id];
  if (expected === undefined) return;
  const world = makeWorld(client, binary);
  try {
    const program = PROGRAMS[client.id];
    if (program !== undefined && !existsSync(join(world.bin, program))) symlinkSync(binary, join(world.bin, program));
    client.before(world.home, NOWHERE, binary);
    settings(world, { mcpServers: { lab: { command: process.execPath, args: [resolve(import.meta.dirname, 'mcp-server.mjs'), world.mcpLog], env: { PROBED: VALUE } } } });
    praetorctl(world, 'clients', 'apply', '--yes', '--client', client.id);
    const before = verify(world, client.id).row;
    check('without --probe nothing is asked', before.probe === null && before.states.discovered !== true, before);
    const { out, row } = verify(world, client.id, '--probe');
    check('its own lists name what was registered', row.probe?.hooks === expected.hooks && row.probe.servers === expected.servers, row.probe);
    if (expected.discovered !== undefined) check('discovered follows from its answer', row.states.discovered === expected.discovered, row);
    check('a probe is no observation', row.states.observed === false && row.lastToolReceipt === null, row.states);
    check('no value of the configuration is shown or stored', !out.includes(VALUE) && !stateText(world).includes(VALUE));
    if (client.id !== 'codex') return;
    await trustAll(world, client.environment(NOWHERE));
    const trusted = verify(world, client.id, '--probe').row;
    check('once a person trusts them it lists the hooks', trusted.probe?.hooks === 'listed' && trusted.states.discovered === true && trusted.states.observed === false, trusted);
  } finally {
    dropWorld(world);
  }
}
