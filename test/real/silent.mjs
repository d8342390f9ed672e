// Contract: `node test/real/silent.mjs <client> <binary> [<check>]`: every way to be silently off that can be built here, with the real
// client. Guarded first (the forbidden command is refused, verify says observed); then each way in turn in the same home: verify
// names the check and does not say observed, the client does not run the hook, and the way is taken back; guarded again last.
// Prints `ok ...` and `FAILED ...` lines and ends with 0.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WAYS } from '../silent/ways.mjs';
import { CLIENTS } from './clients.mjs';
import { trustAll } from './codex-trust.mjs';
import { startModel } from './models.mjs';
import { dropWorld, makeWorld, praetorctl, receipts, remoteMoved, resetRemote, session } from './world.mjs';

const [id, binary, only] = process.argv.slice(2);
const client = CLIENTS.find((one) => one.id === id);
if (client === undefined || binary === undefined) throw new Error('usage: silent.mjs <client> <binary> [<check>]');

const RULE = 'git.push.force';
const PUSH = 'git push --force origin main';
const VERIFY_MS_MAX = 30_000;
const script = resolve(import.meta.dirname, '../../bin/praetorctl');
/** Files of a client that name the address of its model. */
const ADDRESSED = ['.codex/config.toml', '.factory/settings.json', '.config/opencode/opencode.json', '.config/kilo/kilo.jsonc'];

function check(what, passed, detail) {
  const shown = passed ? '' : ` - ${JSON.stringify(detail)}`.replace(/\s+/g, ' ').slice(0, 1_500);
  process.stdout.write(`${passed ? 'ok' : 'FAILED'} ${id}: ${what}${shown}\n`);
}

/** In the environment of the session; started by its path, because some ways take it off PATH. */
function verify(world, env = {}) {
  const run = spawnSync(process.execPath, [script, 'clients', 'verify', '--json', '--client', id], { cwd: world.project, env: { ...world.env, ...env }, encoding: 'utf8', timeout: VERIFY_MS_MAX, input: '' });
  try {
    const [row] = JSON.parse(run.stdout).clients;
    return { code: run.status, states: row.states, checks: row.reasons.flatMap((reason) => (reason.check === undefined ? [] : [reason.check])) };
  } catch {
    return { code: run.status, states: {}, checks: [], failure: run.stderr };
  }
}

const refusals = (world) => receipts(world).filter(({ rule, verdict }) => rule === RULE && verdict === 'deny').length;

/** Each session has a model of its own, because a script is played once; the client's files name the new address. */
async function withModel(world, use) {
  const model = await startModel(client.api, [client.shell(PUSH)]);
  try {
    for (const file of ADDRESSED.map((name) => join(world.home, name)).filter((path) => world.address !== undefined && existsSync(path))) {
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(world.address, model.url));
    }
    world.address = model.url;
    return await use(model);
  } finally {
    await model.close();
  }
}

/** One session in which the model asks for the forbidden command. */
async function attempt(world, model, env = {}) {
  const before = refusals(world);
  const run = await session(world, client.argv(), { ...client.environment(model.url), ...env });
  const [step] = model.record().steps;
  const seen = { refused: refusals(world) - before, moved: remoteMoved(world), asked: step.played > 0, code: run.code, timedOut: run.timedOut, output: run.output.slice(-600) };
  resetRemote(world);
  return seen;
}

async function guarded(world, when) {
  await withModel(world, async (model) => {
    if (!world.prepared) {
      client.before(world.home, model.url, binary);
      check('apply registers', praetorctl(world, 'clients', 'apply', '--yes', '--client', id).code === 0);
      if (id === 'codex') await trustAll(world, client.environment(model.url));
      world.prepared = true;
    }
    const seen = await attempt(world, model);
    const found = verify(world);
    check(`${when}: the hook refuses the forbidden command and verify says observed`, seen.refused > 0 && !seen.moved && found.states.observed === true && found.code === 0, { seen, found });
  });
}

const SAID_ONLY = ['doubt', 'note', 'missing'];

async function tryWay(world, way) {
  const undo = [];
  const place = { home: world.home, project: world.project, bin: world.bin, undo };
  const what = `${way.check}, ${way.what}`;
  await withModel(world, async (model) => {
    try {
      const env = way.env?.(place) ?? {};
      way.spoil?.(place);
      const found = verify(world, env);
      check(`${what}: verify names it${SAID_ONLY.includes(way.says) ? '' : ' and does not say observed'}`, found.checks.includes(way.check) && (SAID_ONLY.includes(way.says) || (found.code === 3 && (found.states.observed !== true || found.states.stale === true))), found);
      const seen = await attempt(world, model, env);
      if (way.real === 'runs') check(`${what}: the client runs the hook all the same`, seen.asked && seen.refused > 0 && !seen.moved, seen);
      else if (way.real === 'closed') check(`${what}: the client does not run the hook and blocks the call`, seen.asked && seen.refused === 0 && !seen.moved, seen);
      // A hook that is only heard too late leaves its receipt all the same.
      else check(`${what}: the client ${seen.refused === 0 ? 'does not run the hook' : 'does not wait for the hook'}, and the forbidden command ${seen.moved ? 'takes effect' : 'is stopped by something else'}`, seen.asked && (seen.refused === 0 || seen.moved), seen);
    } finally {
      undo.toReversed().forEach((back) => back());
    }
  });
}

const world = makeWorld(client, binary);
try {
  await guarded(world, 'before');
  for (const way of WAYS.filter((one) => one.client === id && ['off', 'closed', 'runs'].includes(one.real) && (only === undefined || one.check === only))) await tryWay(world, way);
  await guarded(world, 'afterwards');
} finally {
  dropWorld(world);
}
