// Contract: `node test/real/run.mjs <client> <binary>`: the life of our hooks in one real client. Prints `ok ...`,
// `FAILED ...` lines and ends with 0; every check says what the client did, not what it promised.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundles } from './bundle.mjs';
import { CLIENTS } from './clients.mjs';
import { listHooks, trustAll } from './codex-trust.mjs';
import { startModel } from './models.mjs';
import { probing } from './probe.mjs';
import { proofs } from './prove.mjs';
import { contents, dropWorld, makeWorld, mentions, praetorctl, receipts, remoteMoved, session, settings } from './world.mjs';

const [id, binary] = process.argv.slice(2);
const client = CLIENTS.find((one) => one.id === id);
if (client === undefined || binary === undefined) throw new Error('usage: run.mjs <client> <binary>');

const RULE = 'git.push.force';
const PUSH = 'git push --force origin main';

function check(what, passed, detail) {
  const shown = passed || detail === undefined ? '' : ` - ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`.replace(/\s+/g, ' ').slice(0, 1_500);
  process.stdout.write(`${passed ? 'ok' : 'FAILED'} ${id}: ${what}${shown}\n`);
}

/** A world with the client's own configuration in place, a model that plays `steps`, and one session of it. */
async function playing(steps, use) {
  const world = makeWorld(client, binary);
  const model = await startModel(client.api, steps);
  const start = (options) => session(world, client.argv(options), client.environment(model.url, options));
  try {
    client.before(world.home, model.url, binary);
    return await use({ world, model, start });
  } finally {
    await model.close();
    dropWorld(world);
  }
}

const shellSteps = () => [client.shell('touch control.txt'), client.shell(PUSH)];

async function unguarded() {
  await playing(shellSteps(), async ({ world, model, start }) => {
    const run = await start();
    check('without us the forbidden command takes effect', remoteMoved(world) && existsSync(join(world.project, 'control.txt')), { ...run, record: model.record() });
  });
}

const stateOf = (world) => {
  const { code, json, err } = praetorctl(world, 'clients', 'verify', '--client', id, '--json');
  const [row] = json?.clients ?? [];
  return { code, err, states: row?.states ?? {}, trust: row?.trust, reasons: (row?.reasons ?? []).map((reason) => reason.code) };
};

function apply(world) {
  settings(world, { mcpServers: { lab: { command: process.execPath, args: [resolve(import.meta.dirname, 'mcp-server.mjs'), world.mcpLog] } } });
  const applied = praetorctl(world, 'clients', 'apply', '--yes', '--client', id);
  check('apply registers', applied.code === 0, applied.out + applied.err);
  const { code, states } = stateOf(world);
  check('verify says configured and unverified before any session', code === 3 && states.installed === true && states.observed === false, states);
}

/** In an untrusted place the client must not look guarded. */
async function withoutTrust() {
  await playing(shellSteps(), async ({ world, model, start }) => {
    apply(world);
    if (id === 'codex') {
      const run = await start();
      check('an untrusted hook is skipped in silence and the forbidden command takes effect', run.code === 0 && remoteMoved(world) && receipts(world).length === 0, run.output);
      const before = stateOf(world);
      check('verify names the missing trust', before.code === 3 && before.trust === 'untrusted' && before.states.observed === false, before);
    } else {
      const run = await start({ trusted: false });
      check('an untrusted folder stops the client before any tool call', run.code === 55 && model.record().steps.every(({ played }) => played === 0) && receipts(world).length === 0, run);
      check('verify says unverified after it', stateOf(world).states.observed === false);
    }
  });
}

/** The flag makes hooks run for one session and leaves no trust behind, so the next session is unguarded again. */
async function bypassedTrust() {
  await playing(shellSteps(), async ({ world, start }) => {
    apply(world);
    await start({ bypassTrust: true });
    check('with the bypass of trust the call is refused', !remoteMoved(world) && receipts(world).some(({ rule }) => rule === RULE));
    const after = stateOf(world);
    check('verify does not call that observed', after.code === 3 && after.states.observed === false && after.trust === 'untrusted', after);
  });
}

/** The script of a guarded session. Where a refusal ends the task, it comes last. */
function guardedSteps(world) {
  const typedHook = `printf '${client.replay}' "${client.replaySession}" | praetorctl hook ${client.id} pre-tool`;
  const control = { name: 'control', step: client.shell('touch control.txt') };
  const push = { name: 'push', step: client.shell(PUSH) };
  const before = client.beforeMcp === undefined ? [] : [{ name: 'before', step: client.beforeMcp }];
  const mcp = { name: 'mcp', step: client.mcp('hello') };
  // A tool call's login shell may reset PATH, so the typed hook names the program.
  const replay = { name: 'replay', step: client.shell(typedHook.replace('praetorctl hook', `${join(world.bin, 'praetorctl')} hook`)) };
  return client.endsAtDeny ? [control, ...before, mcp, replay, push] : [control, push, ...before, mcp, replay];
}

function judgeSession(world, model, run, script) {
  const record = model.record();
  const { control, push, mcp, replay } = Object.fromEntries(script.map(({ name }, index) => [name, record.steps[index]]));
  const lines = receipts(world);
  const ended = client.endsAtDeny ? push.played === 1 && push.result === undefined : record.endings > 0;
  check('the session ended by itself and played the whole script', run.code === 0 && !run.timedOut && ended && record.faults.length === 0, { code: run.code, output: run.output, record });
  check('the control command ran', existsSync(join(world.project, 'control.txt')) && control.result !== undefined, control);
  check('the forbidden command did not happen', !remoteMoved(world));
  if (client.endsAtDeny) check('the refusal ended the task, and the model was asked nothing more', record.endings === 0, record);
  else check('the reason reached the model', push.result?.text.includes(`[praetorctl: ${RULE}]`) === true, push);
  check('the MCP call was judged and ran', existsSync(world.mcpLog) && readFileSync(world.mcpLog, 'utf8') === 'hello\n' && mcp.result?.text.includes('echo: hello') === true, mcp);
  const typed = lines.filter(({ workspace }) => workspace === '/');
  const own = lines.filter((line) => !typed.includes(line));
  const judged = own.filter(({ event }) => event === 'pre-tool').map(({ kind, tool, verdict, rule }) => `${kind} ${tool} ${verdict} ${rule ?? ''}`.trim());
  const expected = script.filter(({ name }) => name !== 'before').map(({ name }) => ({ push: `deny ${RULE}`, mcp: `mcp ${client.mcpTool} neutral` })[name] ?? 'neutral');
  check('one receipt per call, with its verdict', judged.length === expected.length && expected.every((end, index) => judged[index].endsWith(end)), judged);
  check('every receipt names this client as the caller and none a fault', own.length >= 4 && own.every(({ caller, client: whose, verdict }) => caller === id && whose === id && verdict !== 'error' && verdict !== 'skipped'), own);
  check('a hook typed into a tool call leaves a receipt of an unknown caller', replay.result !== undefined && typed.length === 1 && typed[0].caller === 'unknown', typed);
}

async function guarded() {
  await playing([], async ({ world }) => {
    const script = guardedSteps(world);
    const model = await startModel(client.api, script.map(({ step }) => step));
    try {
      client.before(world.home, model.url, binary);
      const original = contents(world, client.files);
      apply(world);
      const environment = client.environment(model.url);
      if (id === 'codex') await giveTrust(world, environment);
      const applied = contents(world, client.files);
      judgeSession(world, model, await session(world, client.argv(), environment), script);
      const { code, states, ...rest } = stateOf(world);
      check('verify says observed', code === 0 && states.observed === true && states.drifted === false, { code, states, ...rest });
      removeAll(world, original, applied);
    } finally {
      await model.close();
    }
  });
}

async function giveTrust(world, environment) {
  const untrusted = await listHooks(world, environment);
  check('the client lists our hooks as untrusted', untrusted.length === 2 && untrusted.every(({ trustStatus }) => trustStatus === 'untrusted'), untrusted);
  const trusted = await trustAll(world, environment);
  check('after the person trusts them the client lists them as trusted', trusted.length === 2 && trusted.every(({ trustStatus }) => trustStatus === 'trusted'), trusted);
  const { trust } = stateOf(world);
  check('verify reads the same trust', trust === 'trusted', trust);
}

function removeAll(world, original, applied) {
  const after = contents(world, client.files);
  const untouched = client.files.filter((file) => !client.rewrites.includes(file));
  check('the client left the registered file as it was', untouched.every((file) => after.get(file) === applied.get(file)), untouched);
  const removed = praetorctl(world, 'clients', 'remove', '--yes', '--client', id);
  const clean = contents(world, client.files);
  check('remove gives every byte back', removed.code === 0 && untouched.every((file) => clean.get(file) === original.get(file)), removed.out + removed.err);
  // Session logs of the client quote our reasons; its configuration must not name us any more.
  const left = mentions(world).filter((file) => client.files.includes(file));
  check('nothing of ours is left in a file that the client wrote to', left.length === 0, left);
  check('verify says not registered', stateOf(world).states.installed === false);
}

await unguarded();
if (id === 'codex' || id === 'gemini') await withoutTrust();
if (id === 'codex') await bypassedTrust();
await guarded();
await probing(client, binary, check);
await proofs(client, binary, check);
await bundles(client, binary, check);
