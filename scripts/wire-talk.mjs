// Contract: for scripts/real-servers.mjs: a client of the protocol that notes all that it sees, and what two such notes differ in. It
// has everything that a client may have (roots, sampling, elicitation) and answers each question of a server in the same way.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const ANSWER_MS_MAX = 20_000;
const QUIET_MS = 250;
const CANCEL_MS = 300;

const later = (ms) => new Promise((done) => { setTimeout(done, ms); });

/** Every field that a question needs, in the first way that its schema allows. */
function contentFor(schema) {
  return Object.fromEntries((schema?.required ?? []).map((name) => {
    const field = schema.properties?.[name] ?? {};
    if (field.default !== undefined) return [name, field.default];
    if (Array.isArray(field.enum)) return [name, field.enum[0]];
    return [name, field.type === 'boolean' ? true : field.type === 'integer' || field.type === 'number' ? field.minimum ?? 1 : field.format === 'email' ? 'a@example.test' : 'text'];
  }));
}

function replyTo({ method, params }, work) {
  if (method === 'ping') return { result: {} };
  if (method === 'roots/list') return { result: { roots: [{ uri: `file://${work}`, name: 'work' }] } };
  if (method === 'sampling/createMessage') return { result: { role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'lab', stopReason: 'endTurn' } };
  if (method === 'elicitation/create') return { result: params?.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: contentFor(params?.requestedSchema) } };
  return { error: { code: -32601, message: 'no' } };
}

/** One conversation. `steps`: messages, or a function that makes the next ones of what was answered so far. Each is over when it is quiet. */
export async function talk(argv, env, work, steps) {
  const child = spawn(process.execPath, argv, { env, cwd: work, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const answers = new Map();
  let seen = [];
  let lastMs = Date.now();
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    lastMs = Date.now();
    const message = JSON.parse(line);
    if (message.method === undefined) return void answers.set(message.id, message);
    const { id, ...rest } = message;
    seen.push({ ...rest, ...(id === undefined ? {} : { question: true }) });
    if (id !== undefined) send({ id, ...replyTo(message, work) });
  });
  const notes = [];
  let over = false;
  const ended = new Promise((done) => { child.on('close', (code) => { over = true; done(code); }); });
  const answered = async (id, limitMs) => {
    for (const end = Date.now() + limitMs; Date.now() < end && !over && !answers.has(id);) await later(10);
    return answers.get(id);
  };
  const step = async ({ label, message, cancel }) => {
    send(message);
    if (cancel === true) {
      await later(CANCEL_MS);
      send({ method: 'notifications/cancelled', params: { requestId: message.id, reason: 'enough' } });
    }
    const answer = message.id === undefined ? undefined : await answered(message.id, cancel === true ? CANCEL_MS : ANSWER_MS_MAX);
    while (Date.now() - lastMs < QUIET_MS && !over) await later(20);
    notes.push({ label, request: message, answer: answer ?? (message.id === undefined ? undefined : 'no answer'), seen });
    seen = [];
  };
  for (const one of typeof steps === 'function' ? [] : steps) await step(one);
  if (typeof steps === 'function') for (let next = steps(notes); next.length > 0; next = steps(notes)) for (const one of next) await step(one);
  child.stdin.end();
  const late = setTimeout(() => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* gone */ } }, 8_000);
  const code = await ended;
  clearTimeout(late);
  return { notes, code };
}

/** What is another at every run: times, random names, of which a server over standard input has none. */
const steady = (value) => JSON.stringify(value)
  .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, '<time>').replace(/\d{1,2}:\d\d:\d\d(?: [AP]M)?/g, '<time>').replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>').replace(/\b1[5-9]\d{11}\b/g, '<ms>').replaceAll('session undefined', 'session <uuid>');

const isLists = ({ method }) => method === 'notifications/tools/list_changed';

/** A note of a log that nobody asked for is random in the server that has one. */
const heard = ({ seen }) => seen.filter((one) => !isLists(one)).map((one) => (one.method === 'notifications/message' ? one.method : steady(one))).sort();

/** Of a list of tools: what the contract changes, and what it does not explain. */
function listDifferences(direct, guarded, operations, explained, open) {
  const byName = new Map((direct.result?.tools ?? []).map((tool) => [tool.name, tool]));
  const shown = guarded.result?.tools ?? [];
  const state = new Map(operations.map((operation) => [operation.mcpTool, operation]));
  const counts = { hidden: 0, 'with controls': 0, 'without an output schema': 0, 'other hints': 0 };
  for (const tool of shown) {
    const before = byName.get(tool.name);
    const operation = state.get(tool.name);
    if (before === undefined || operation?.state !== 'approved') { open.push(`${tool.name} is shown`); continue; }
    const { annotations, outputSchema, inputSchema, ...rest } = tool;
    const { annotations: hints, outputSchema: output, inputSchema: input, ...was } = before;
    const added = Object.keys(inputSchema.properties ?? {}).filter((name) => !Object.hasOwn(input.properties ?? {}, name));
    const { properties, ...schema } = inputSchema;
    const { properties: had, ...wasSchema } = input;
    const kept = Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => !added.includes(name)));
    if (steady(rest) !== steady(was) || steady(schema) !== steady(wasSchema) || steady(kept) !== steady(had ?? {})) open.push(`${tool.name} is described otherwise`);
    if (added.some((name) => name !== operation.confirmationInput && name !== operation.idempotencyKey?.input && name !== operation.dryRun?.input)) open.push(`${tool.name} has ${added.join(', ')}`);
    if (added.length > 0) counts['with controls'] += 1;
    if (outputSchema === undefined && output !== undefined) counts['without an output schema'] += 1;
    else if (steady(outputSchema ?? null) !== steady(output ?? null)) open.push(`${tool.name} has another output schema`);
    if (steady(annotations ?? {}) !== steady(hints ?? {})) counts['other hints'] += 1;
  }
  for (const name of byName.keys()) {
    if (shown.some((tool) => tool.name === name)) continue;
    if (state.get(name)?.state === 'approved') open.push(`${name} is hidden though it is approved`);
    else counts.hidden += 1;
  }
  const { tools: _shown, ...page } = guarded.result ?? {};
  const { tools: _all, ...wasPage } = direct.result ?? {};
  if (steady(page) !== steady({ ...wasPage, ...(wasPage.cacheScope === undefined ? {} : { cacheScope: 'private' }) })) open.push('the list has another frame');
  for (const [what, count] of Object.entries(counts)) if (count > 0) explained.push(`${count} tools ${what}`);
}

/** What two conversations of the same steps differ in: `explained` by the contract, and `open`. */
export function differences(direct, guarded, operations, isHttp) {
  const explained = [];
  const open = [];
  for (const [i, one] of direct.entries()) {
    const other = guarded[i];
    const say = (list, text) => list.push(`${one.label}: ${text}`);
    if (other === undefined) { say(open, 'was not reached'); continue; }
    if (one.label === 'tools/list') {
      const found = { explained: [], open: [] };
      listDifferences(one.answer, other.answer, operations, found.explained, found.open);
      for (const text of found.explained) say(explained, text);
      for (const text of found.open) say(open, text);
    } else if (steady(one.answer ?? null) !== steady(other.answer ?? null)) say(open, `${steady(one.answer ?? null).slice(0, 300)} / ${steady(other.answer ?? null).slice(0, 300)}`);
    const [was, is] = [heard(one), heard(other)];
    const isCut = isHttp && one.label.includes('cancelled') && is.every((line) => was.includes(line));
    if (isCut && is.length < was.length) say(explained, 'nothing more comes of a call whose stream was let go');
    else if (JSON.stringify(was) !== JSON.stringify(is)) say(open, `the server said ${JSON.stringify(was).slice(0, 300)} / ${JSON.stringify(is).slice(0, 300)}`);
  }
  const lists = (notes) => notes.flatMap(({ seen }) => seen).filter(isLists).length;
  const [was, is] = [lists(direct), lists(guarded)];
  // A change of what is hidden is none for the client.
  if (is < was) explained.push(`${was - is} of ${was} notifications of changed tools changed nothing that is shown`);
  if (is > was) open.push(`${is} notifications of changed tools in the place of ${was}`);
  return { explained, open };
}
