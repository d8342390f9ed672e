// Contract: `node test/real/mcp-proxy.mjs <client> <binary> [<label>]`: an MCP server behind `praetorctl mcp`, registered by `clients apply`, in a
// real client whose model follows a script, in each era of the protocol that the client speaks. Prints `ok ...`, `FAILED ...` and
// `skipped: ...` lines and ends with 0. What a call did is read from the server's own log, never from what anybody says.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { CLIENTS } from './clients.mjs';
import { trustAll } from './codex-trust.mjs';
import { startModel } from './models.mjs';
import { dropWorld, makeWorld, praetorctl, receipts, session, settings } from './world.mjs';

const [id, binary, label = id] = process.argv.slice(2);
const client = CLIENTS.find((one) => one.id === id);
if (client === undefined || binary === undefined) throw new Error('usage: mcp-proxy.mjs <client> <binary> [<label>]');

const GRANT_MS_MAX = 20_000;
/** A model that takes its time: the client has it to look at the changed list. */
const NEWS_MS = 1_500;
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const LEGACY = 'initialize';
const MODERN = '2026-07-28';
const ERASE = 'lab.notes.erase';
const APPROVED = ['notes_list', 'notes_add', 'notes_erase', 'notes_count', 'notes_total', 'notes_shift', 'notes_turn', 'notes_arm'];
const ALL = [...APPROVED, 'notes_shadow'];

/**
 * What was measured of each client, headless. `elicits`: how it answers the runtime's question by itself. `keepsTools`: its model keeps the tools
 * it was given for the session, though the list changed. `failsOn`: the eras in which it makes an error of an output that does not fit its schema.
 */
const MEASURED = {
  'claude-2.1.197': { elicits: 'cancel', failsOn: [], notModern: true },
  'claude': { elicits: 'cancel', keepsTools: true, failsOn: [MODERN] },
  'codex': { elicits: 'decline', keepsTools: true, failsOn: [], notModern: true, notHosted: 'codex exec answers by itself, and a hook cannot ask' },
  'gemini': { failsOn: [LEGACY], notModern: true, notHosted: 'the client cannot be asked by a server, and a question of a hook hangs it' },
}[label];
/** How it is started with tools of ours allowed and all listed, and how its hooks are left out for one session. */
const STARTED = {
  claude: {
    argv: (argv) => argv.map((word) => (word.startsWith('Bash,') ? ['Bash', ...ALL.map(nameOf)].join(',') : word)), env: { ENABLE_TOOL_SEARCH: 'false' },
    unhooked: (argv) => [...argv, '--settings', '{"disableAllHooks":true}'],
    hosted: ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--permission-prompt-tool', 'stdio', '--allowedTools', ALL.map(nameOf).join(',')],
  },
  codex: { argv: (argv) => argv, newest: ['--enable', 'mcp_2026_07_28'], unhooked: (argv) => ['--disable', 'hooks', ...argv] },
  gemini: {
    argv: (argv) => argv,
    unhooked: (argv, world) => {
      const path = join(world.home, '.gemini/settings.json');
      writeFileSync(path, readFileSync(path, 'utf8').replace('"privacy":', '"hooksConfig": { "enabled": false }, "privacy":'));
      return argv;
    },
  },
}[id];

let era = '';
function check(what, passed, detail) {
  const shown = passed || detail === undefined ? '' : ` - ${JSON.stringify(detail)}`.replace(/\s+/g, ' ').slice(0, 1_800);
  process.stdout.write(`${passed ? 'ok' : 'FAILED'} ${label}: mcp ${era}: ${what}${shown}\n`);
}
const skip = (what, why) => process.stdout.write(`skipped: ${label}: mcp ${era}: ${what}: ${why}\n`);

function nameOf(tool) {
  return client.mcpTool.replace('echo', tool);
}

/** A step of the script. `seen` keeps which tools the model was given when it came to this step. */
function call(seen, tool, input = {}, before = () => undefined) {
  const { tool: name, namespace } = client.mcp('');
  return (request) => {
    if (seen[tool] === undefined) before();
    seen[tool] ??= { offered: request.tools, schema: request.inputOf(nameOf(tool)) };
    return { tool: name.replace('echo', tool), ...(namespace === undefined ? {} : { namespace }), input };
  };
}

/** What the server did, by its own log. */
function done(world) {
  const lines = existsSync(world.mcpLog) ? readFileSync(world.mcpLog, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line)) : [];
  rmSync(world.mcpLog, { force: true });
  return { opened: lines.flatMap(({ opened }) => opened ?? []), ran: lines.flatMap(({ ran, given }) => (ran === undefined ? [] : [{ ran, given }])) };
}
const times = (ran, tool) => ran.filter((one) => one.ran === tool).length;

/** Plays the script in one session. */
async function play(world, script, { isHooked = true, host, argv: own } = {}) {
  const seen = {};
  const steps = script(seen);
  const model = await startModel(client.api, steps);
  try {
    readdress(world, model.url);
    const before = receipts(world).length;
    const argv = own ?? (host === undefined ? STARTED.argv(client.argv()) : STARTED.hosted);
    const run = await session(world, isHooked ? argv : STARTED.unhooked(argv, world), { ...client.environment(model.url), ...STARTED.env }, host);
    const record = model.record();
    const said = record.steps.map(({ result }) => result?.text ?? '');
    const ended = run.code === 0 && !run.timedOut && record.endings > 0 && record.faults.length === 0;
    const brief = { code: run.code, timedOut: run.timedOut, faults: record.faults, said: said.map((text) => text.slice(0, 200)), output: run.output.slice(-500) };
    return { ...done(world), seen, said, failed: record.steps.map(({ result }) => result?.failed === true), ended, brief, lines: receipts(world).slice(before) };
  } finally {
    await model.close();
  }
}

/** Every session has a model of its own; a configuration that names its address gets the new one. */
function readdress(world, url) {
  if (world.address === undefined) client.before(world.home, url, binary);
  const path = join(world.home, '.codex/config.toml');
  if (world.address !== undefined && existsSync(path)) writeFileSync(path, readFileSync(path, 'utf8').replaceAll(world.address, url));
  world.address = url;
}

/** A person in a terminal allows one call of the operation. */
function grant(world) {
  const run = spawnSync('script', ['-qec', `'${join(world.bin, 'praetorctl')}' contract grant ${ERASE}`, '/dev/null'], { cwd: world.project, env: world.env, encoding: 'utf8', timeout: GRANT_MS_MAX, input: 'y\n' });
  world.granted = { code: run.status, out: `${run.stdout}${run.stderr ?? ''}` };
}

const step = (world, ...words) => {
  const run = praetorctl(world, ...words);
  return { words: words.join(' '), code: run.code, text: run.out + run.err, json: run.json };
};

/** The server as a person brings it under the guard; the erasing operation is made one that a person approves. */
function govern(world) {
  const steps = [step(world, 'contract', 'import', 'lab', '--yes')];
  const path = join(world.home, '.config/praetorctl/contracts/lab.json');
  const catalogue = JSON.parse(readFileSync(path, 'utf8'));
  const erase = catalogue.operations.find(({ mcpTool }) => mcpTool === 'notes_erase');
  Object.assign(erase, { confirmationRequired: true, humanApproval: true });
  writeFileSync(path, `${JSON.stringify(catalogue, null, 2)}\n`);
  steps.push(step(world, 'contract', 'review', 'lab'), step(world, 'contract', 'approve', 'lab', ...APPROVED, '--yes'), step(world, 'clients', 'apply', '--yes', '--client', id));
  check('imported, reviewed, approved, and registered in front of the server', steps.every(({ code }) => code === 0) && erase.id === ERASE, steps.map(({ words, code, text }) => [words, code, code === 0 ? '' : text]));
}

/** Without the guard the same calls take effect: what is shown below could fail. */
async function control(world) {
  const { ran, said, failed, ended, brief, opened } = await play(world, (seen) => [call(seen, 'notes_erase'), call(seen, 'notes_shadow'), call(seen, 'notes_count')]);
  check('control: without the runtime the dangerous calls are executed', ended && times(ran, 'notes_erase') === 1 && times(ran, 'notes_shadow') === 1, { ran, brief });
  const fails = MEASURED.failsOn.includes(era);
  const isError = failed[2] || /error|does not match/i.test(said[2] ?? '');
  check(`control: an output that does not fit its schema is ${fails ? 'an error in this client, though it was executed' : 'passed on'}`, times(ran, 'notes_count') === 1 && isError === fails, { said, failed });
  return opened;
}

async function guarded(world) {
  const run = await play(world, (seen) => [
    call(seen, 'notes_list', { text: 'all' }), call(seen, 'notes_shadow'), call(seen, 'notes_add', { text: 'unconfirmed' }), call({}, 'notes_add', { text: 'confirmed', confirm: true }),
    call(seen, 'notes_erase', { text: 'asked' }), call({}, 'notes_erase', { text: 'granted' }, () => grant(world)), call({}, 'notes_erase', { text: 'again' }),
    call(seen, 'notes_count'), call(seen, 'notes_total'), call(seen, 'notes_shift', { text: 'before' }), call(seen, 'notes_arm'), call({}, 'notes_shift', { text: 'after' }, () => pause(NEWS_MS)), call(seen, 'notes_turn', { text: 'last' }),
  ]);
  const { ran, said, failed, seen, ended, brief } = run;
  check('the session ended by itself and played the whole script', ended, brief);
  check('an approved read is executed once and its result reaches the model', times(ran, 'notes_list') === 1 && said[0].includes('notes_list did it: all'), { said: said[0], ran });
  const offered = seen.notes_list?.offered ?? [];
  check('the model is given the approved tools and not the other one', APPROVED.every((tool) => offered.includes(nameOf(tool))) && !offered.includes(nameOf('notes_shadow')), offered);
  check(`an unapproved tool is refused when it is called all the same (${said[1].slice(0, 60)})`, times(ran, 'notes_shadow') === 0 && said[1] !== '' && !said[1].includes('did it'), { said: said[1], ran });
  const without = ran.filter(({ ran: name, given }) => name === 'notes_add' && given.text === 'unconfirmed');
  check('a change without confirm is not executed, and the model hears what is missing', without.length === 0 && said[2].includes('confirmation_required') && said[2].includes('confirm'), said[2]);
  const added = ran.filter(({ ran: name, given }) => name === 'notes_add' && given.text === 'confirmed');
  check('confirmed it is executed once, and the server does not see confirm', added.length === 1 && !Object.hasOwn(added[0].given, 'confirm') && said[3].includes('did it: confirmed'), { said: said[3], ran });
  erased(world, run);
  check('an output that does not fit its schema reaches the model as a success, executed once', times(ran, 'notes_count') === 1 && times(ran, 'notes_total') === 1 && !failed[7] && !failed[8] && /did it|seven/.test(said[7]) && said[8].includes('did it'), { said: said.slice(7, 9), failed: failed.slice(7, 9), ran });
  const shifted = ran.filter(({ ran: name }) => name === 'notes_shift');
  check(`a tool that changes while the session runs is refused from then on (${said[11].slice(0, 90)})`, shifted.length === 1 && shifted[0].given.text === 'before' && said[11] !== '' && !said[11].includes('did it'), { said: said[11], ran });
  const last = seen.notes_turn?.offered ?? [];
  check(`${MEASURED.keepsTools === true ? 'its model keeps the tools of the session all the same' : 'and it is hidden'}, and the others go on`, last.includes(nameOf('notes_shift')) === (MEASURED.keepsTools === true) && last.includes(nameOf('notes_list')) && said[12].includes('did it: last'), { last, said: said[12] });
  agreeing(run);
}

function erased(world, { ran, said }) {
  const erasures = ran.filter(({ ran: name }) => name === 'notes_erase').map(({ given }) => given.text);
  check(`what a person approves is not executed where nobody can be asked, and the model hears how a person can allow it (${said[4].slice(0, 60)})`, !erasures.includes('asked') && /praetorctl (?:contract grant|policy allow)/.test(said[4]), { said: said[4], erasures });
  check('the grant is given in a terminal', world.granted?.code === 0 && world.granted.out.includes('allowed once until'), world.granted);
  check('after the grant it is executed exactly once', JSON.stringify(erasures) === '["granted"]' && said[5].includes('did it: granted') && !said[6].includes('did it'), { erasures, said: said.slice(5, 7) });
}

/** One line of the hook and one of the runtime for each call that reached both, in the same order, and the runtime never milder. */
function agreeing({ lines, ran }) {
  const of = (one) => (one.client === 'mcp' ? one.tool.replace(/^lab\//, '') : ALL.find((tool) => one.tool === nameOf(tool)));
  const hook = lines.filter(({ client: whose, kind, event }) => whose === id && kind === 'mcp' && event === 'pre-tool');
  const runtime = lines.filter(({ client: whose }) => whose === 'mcp');
  const passed = hook.filter(({ verdict }) => verdict === 'neutral').map(of);
  const shown = { hook: hook.map((one) => `${of(one)} ${one.verdict} ${one.rule ?? ''}`), runtime: runtime.map((one) => `${of(one)} ${one.verdict} ${one.rule ?? ''}`) };
  const known = passed.filter((tool) => tool !== undefined && tool !== 'notes_shadow');
  check('hook and runtime left receipts of the same calls', known.length > 0 && known.every((tool) => runtime.some((one) => of(one) === tool)) && runtime.every((one) => passed.includes(of(one))), shown);
  const ok = runtime.filter(({ verdict }) => verdict === 'neutral').map(of);
  check('a receipt of the runtime for every executed call, and for no other', JSON.stringify(ok) === JSON.stringify(ran.map(({ ran: name }) => name)), { shown, ran });
  check('every receipt of the hook names this client', hook.length > 0 && hook.every(({ caller }) => caller === id), hook.map(({ caller }) => caller));
}

function named(world) {
  const diff = step(world, 'contract', 'diff', 'lab', '--live', '--yes');
  check('contract diff names the changed tool', diff.code === 3 && diff.text.includes('notes_shift') && !diff.text.includes('notes_list'), diff);
  const verify = step(world, 'clients', 'verify', '--client', id);
  check('verify names the changed tool', verify.text.includes('notes_shift') && verify.text.includes('praetorctl contract diff lab --live'), verify.text);
}

/** The runtime alone: its own question, and tools that changed since the session before. */
async function alone(world) {
  writeFileSync(join(world.flags, 'turn'), '');
  const { ran, said, seen, ended, brief, lines } = await play(world, (made) => [
    call(made, 'notes_erase', { text: 'asked' }), call({}, 'notes_erase', { text: 'granted' }, () => grant(world)), call({}, 'notes_erase', { text: 'again' }), call(made, 'notes_turn'), call(made, 'notes_shadow'), call(made, 'notes_shift'),
  ], { isHooked: false });
  const runtime = lines.filter(({ client: whose }) => whose === 'mcp').map(({ verdict, rule }) => `${verdict} ${rule ?? ''}`.trim());
  check('without hooks: the session ended by itself and only the runtime left receipts', ended && lines.length > 0 && lines.every(({ client: whose }) => whose === 'mcp'), { brief, lines });
  const [question, answer] = MEASURED.elicits === undefined ? [[], 'the client cannot ask'] : [['ask contract.confirmation_required'], `the client itself answers the question with ${MEASURED.elicits}`];
  const expected = [...question, 'deny contract.confirmation_required', 'neutral', ...question, 'deny contract.confirmation_required'];
  check(`without hooks: ${answer}, nothing is executed, and the model hears of the grant`, JSON.stringify(runtime.slice(0, expected.length)) === JSON.stringify(expected) && said[0].includes(`praetorctl contract grant ${ERASE}`), { runtime, said: said[0] });
  const erasures = ran.map(({ ran: name, given }) => `${name} ${given.text}`);
  check('without hooks: after the grant it is executed exactly once, and nothing else', JSON.stringify(erasures) === '["notes_erase granted"]' && said[1].includes('did it: granted'), { erasures, said });
  const offered = seen.notes_erase?.offered ?? [];
  check('tools that changed before this session are hidden, and refused', ['notes_turn', 'notes_shift', 'notes_shadow'].every((tool) => !offered.includes(nameOf(tool))) && offered.includes(nameOf('notes_list')) && said.slice(3).every((text) => text !== '' && !text.includes('did it')), { offered, said: said.slice(3) });
}

/** A server that speaks both, with whatever flag the client has for the newer one: were it spoken, this would fail and say so. */
async function notModern() {
  era = MODERN;
  const world = makeWorld(client, binary);
  try {
    register(world, true);
    const argv = STARTED.newest === undefined ? undefined : [...STARTED.newest, ...STARTED.argv(client.argv())];
    const { opened, ran, brief } = await play(world, (seen) => [call(seen, 'notes_list')], { argv });
    check('with a server of both protocols the client opens with the older one', times(ran, 'notes_list') === 1 && opened.length > 0 && !opened.includes(MODERN), { opened, ran, brief });
    skip('everything else', `the client opens with ${[...new Set(opened)].join(', ')}${STARTED.newest === undefined ? '' : `, with ${STARTED.newest.join(' ')} too`}`);
  } finally {
    dropWorld(world);
  }
}

/** A program in front of the client that a person uses: it answers what the client asks with the next of the answers. */
function hostOf(answers, asked) {
  const reply = (say, request, response) => say({ type: 'control_response', response: { subtype: 'success', request_id: request, response } });
  return {
    begin: (say) => say({ type: 'user', message: { role: 'user', content: 'Do what the script says.' }, parent_tool_use_id: null, session_id: '' }),
    take: ({ type, request_id: request, request: { subtype, input, decision_reason: reason, message } = {} }, say) => {
      if (type === 'result') return 'end';
      if (type !== 'control_request') return undefined;
      const yes = answers.shift() === true;
      asked.push({ subtype, reason: reason ?? message });
      if (subtype === 'can_use_tool') reply(say, request, yes ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'The person said no.' });
      else if (subtype === 'elicitation') reply(say, request, yes ? { action: 'accept', content: { confirm: true } } : { action: 'decline' });
      return undefined;
    },
  };
}

/** Where a program in front of the client can answer for a person: yes and no to the hook's question, and to the runtime's. */
async function answered(world) {
  if (MEASURED.notHosted !== undefined) return skip('a person who answers', MEASURED.notHosted);
  for (const [isHooked, subtype, whose] of [[true, 'can_use_tool', "the hook's"], [false, 'elicitation', "the runtime's"]]) {
    const asked = [];
    const { ran, said, ended, brief } = await play(world, () => [call({}, 'notes_erase', { text: 'yes' }), call({}, 'notes_erase', { text: 'no' })], { isHooked, host: hostOf([true, false], asked) });
    const erasures = ran.map(({ ran: name, given }) => `${name} ${given.text}`);
    check(`${whose} question reaches a person, once a call: yes executes it once, no does not`, ended && JSON.stringify(erasures) === '["notes_erase yes"]' && said[0].includes('did it: yes') && asked.length === 2 && asked.every((one) => one.subtype === subtype && one.reason?.includes("needs a person's approval")), { erasures, asked, said, brief });
  }
}

function register(world, modern) {
  world.flags = join(world.base, 'flags');
  mkdirSync(world.flags);
  readdress(world, 'http://127.0.0.1:9');
  settings(world, { mcpServers: { lab: { command: process.execPath, args: [resolve(import.meta.dirname, 'mcp-lab.mjs'), world.mcpLog, world.flags, ...(modern ? ['modern'] : [])] } } });
  const applied = praetorctl(world, 'clients', 'apply', '--yes', '--client', id);
  check('registered without the runtime', applied.code === 0, applied.err);
}

async function life(modern) {
  era = modern ? MODERN : LEGACY;
  const world = makeWorld(client, binary);
  try {
    register(world, modern);
    if (id === 'codex') await trustAll(world, client.environment(world.address));
    const opened = await control(world);
    check(`the client speaks ${opened[0]} with it`, opened.length > 0 && opened.every((one) => (one === MODERN) === modern), opened);
    govern(world);
    done(world);
    await guarded(world);
    named(world);
    done(world);
    await alone(world);
    await answered(world);
  } finally {
    dropWorld(world);
  }
}

await life(false);
await (MEASURED.notModern === true ? notModern() : life(true));
const others = Object.values(networkInterfaces()).flat().filter(({ internal }) => !internal);
if (others.length === 0) check('no network but loopback was there to be reached', true);
else skip('nothing leaves loopback', 'the system gives no network of its own');
