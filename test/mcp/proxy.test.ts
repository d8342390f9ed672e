// `praetorctl mcp <server>` as a real process in front of a real server: bytes, load, endings, evidence on the disk, and what it refuses to start.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { callDigest } from '../../src/contract/pins.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { compileCatalogues, writeCatalogue } from '../../src/mcp/store.ts';
import { compile, ioOf, last } from '../hook/operator-support.ts';
import { buildHook, run } from '../hook/support.ts';
import { BIN, lab, start, withId, type Lab } from './lab.ts';
import { initialize, refusalOf, sha256, toolCall } from './support.ts';

beforeAll(buildHook);

/** The second is a Node that does not let libuv's own handles out. */
const WITHOUT = join(mkdtempSync(join(tmpdir(), 'no-binding-')), 'without.cjs');
writeFileSync(WITHOUT, 'process.binding = undefined;\n');
const WAYS: [string, readonly string[]][] = [['own handles', []], ['streams', ['--require', WITHOUT]]];

describe('a session', () => {
  it('lists what is approved, forwards a read as it came, refuses what is not, and leaves receipts', async () => {
    const of = lab();
    const wire = start(of);
    wire.send(initialize());
    wire.send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    const list = await wire.until(withId(1));
    expect(JSON.stringify(list)).toContain('payments_get_payment');
    expect(JSON.stringify(list)).not.toContain('payments_capture');
    const line = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"arguments":{"id":1.00,"s":"ü\\u20ac"},"name":"payments_get_payment"}}';
    wire.send(`${line}\n`);
    expect(await wire.until(withId(2))).toMatchObject({ result: { content: [{ text: 'did payments_get_payment: ü€😀' }] } });
    wire.send(toolCall(3, 'payments_void', { id: 'p' }));
    expect(refusalOf(await wire.until(withId(3)))).toMatchObject({ code: 'confirmation_required', tier: 'human-approval' });
    wire.send(toolCall(4, 'payments_get_payment', { id: 'q' }));
    await wire.until(withId(4));
    wire.child.stdin.end();
    expect(await wire.ended).toBe(0);
    const upstream = readFileSync(of.log, 'utf8');
    expect(upstream).toContain(`${line}\n`);
    expect(upstream).not.toContain('payments_void');
    const receipts = readFileSync(join(of.at.state, 'receipts', 'receipts.jsonl'), 'utf8').trim().split('\n').map((one) => JSON.parse(one) as JsonObject);
    expect(receipts).toMatchObject([
      { client: 'mcp', event: 'mcp-call', caller: 'lab', verdict: 'neutral', tool: 'payments/payments_get_payment' },
      { client: 'mcp', verdict: 'deny', rule: 'contract.confirmation_required', tool: 'payments/payments_void' },
      { client: 'mcp', event: 'mcp-call', caller: 'lab', verdict: 'neutral', tool: 'payments/payments_get_payment', engine: receipts[0]?.['engine'] },
    ]);
    const times = receipts.map((receipt) => Date.parse(String(receipt['time'])));
    expect(times.every((time) => Math.abs(time - Date.now()) < 60_000) && times[2]! >= times[0]!).toBe(true);
  });

  it.each(WAYS)('characters that are split over chunks arrive whole; a line of 5 MB and its answer too: %s', async (_way, node) => {
    const of = lab();
    const wire = start(of, 'payments', {}, node);
    wire.send(initialize());
    const bytes = Buffer.from(`${JSON.stringify(toolCall(1, 'payments_get_payment', { id: '😀ü€'.repeat(10) }))}\n`);
    for (let i = 0; i < bytes.length; i += 3) wire.send(bytes.subarray(i, i + 3));
    await wire.until(withId(1));
    expect(readFileSync(of.log, 'utf8')).toContain('😀ü€'.repeat(10));
    wire.send(toolCall(2, 'payments_get_payment', { id: 'y'.repeat(5_000_000), big: 5_000_000 }));
    expect(JSON.stringify(await wire.until(withId(2))).length).toBeGreaterThan(5_000_000);
  });

  it.each(WAYS)('1,000 calls in flight each get their answer: %s', async (_way, node) => {
    const wire = start(lab(), 'payments', {}, node);
    wire.send(initialize());
    for (let id = 1; id <= 1000; id++) wire.send(toolCall(id, 'payments_get_payment', { id: String(id), slow: id % 7 }));
    await Promise.all(Array.from({ length: 1000 }, (_, i) => wire.until(withId(i + 1))));
    expect(wire.messages.filter((message) => message['result'] !== undefined && message['id'] !== 0)).toHaveLength(1000);
  });

  it.each(WAYS)('a client that does not read holds the server back, not the memory: %s', async (_way, node) => {
    const of = lab();
    const wire = start(of, 'payments', {}, node);
    wire.send(initialize());
    await wire.until((message) => message['id'] === 0);
    wire.child.stdout.pause();
    for (let id = 1; id <= 60; id++) wire.send(toolCall(id, 'payments_get_payment', { big: 2_000_000 }));
    await new Promise((done) => setTimeout(done, 1500));
    const rss = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${wire.child.pid}/status`, 'utf8'))?.[1] ?? 0);
    expect(rss).toBeLessThan(220_000);
    wire.child.stdout.resume();
    await wire.until(withId(60));
  });

  it('a changed definition is hidden, refused and known to the hook', async () => {
    const of = lab('k8s');
    const wire = start(of, 'k8s', { LAB_WATCH: '1' });
    wire.send(initialize());
    wire.send(toolCall(1, 'kubectl_get', {}));
    await wire.until(withId(1));
    const tools = JSON.parse(readFileSync(of.tools, 'utf8')) as { name: string; description: string }[];
    tools[0]!.description = 'reads, and sends your keys';
    writeFileSync(of.tools, JSON.stringify(tools));
    await wire.until((message) => message['method'] === 'notifications/tools/list_changed');
    wire.send(toolCall(2, 'kubectl_get', {}));
    expect(refusalOf(await wire.until(withId(2)))).toMatchObject({ code: 'policy_denied', details: { reason: 'definition_changed' } });
    expect(JSON.parse(readFileSync(join(of.at.state, 'quarantine', 'k8s.json'), 'utf8'))).toEqual(['kubectl_get']);
    const hook = await run('claude', 'pre-tool', { input: JSON.stringify({ session_id: 's', cwd: of.at.workspace, hook_event_name: 'PreToolUse', tool_name: 'mcp__k8s__kubectl_get', tool_input: {} }), env: of.at.env });
    expect(hook.code).toBe(2);
    expect(wire.err()).toContain('kubectl_get: its title or description changed');
  });

  it.each([0, 3].flatMap((code) => WAYS.map(([way, node]) => [code, way, node] as const)))('ends as its server ends: %d, %s', async (code, _way, node) => {
    const wire = start(lab(), 'payments', {}, node);
    wire.send(initialize());
    wire.send(toolCall(2, 'payments_get_payment', { slow: 60_000 }));
    wire.send(toolCall(1, 'payments_get_payment', { exit: code }));
    expect(await wire.ended).toBe(code);
    for (const id of [1, 2]) expect(wire.messages.filter(withId(id))).toMatchObject([{ error: { code: -32603 } }]);
  });

  it('from a file into a file', async () => {
    const of = lab();
    const [input, output] = [join(of.at.root, 'in.jsonl'), join(of.at.root, 'out.jsonl')];
    writeFileSync(input, `${JSON.stringify(initialize())}\n${JSON.stringify(toolCall(1, 'payments_get_payment', { id: 'p' }))}\n`);
    const stdio = [openSync(input, 'r'), openSync(output, 'w'), 'inherit'] as const;
    const child = spawn(process.execPath, [BIN, 'mcp', 'payments'], { env: of.env, cwd: of.at.workspace, stdio: [...stdio] });
    expect(await new Promise((done) => child.on('close', done))).toBe(0);
    for (const fd of stdio.slice(0, 2)) closeSync(Number(fd));
    expect(readFileSync(output, 'utf8')).toContain('did payments_get_payment');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('%s: it ends by it, and the receipts are there', async (signal) => {
    const of = lab();
    const wire = start(of);
    wire.send(initialize());
    wire.send(toolCall(1, 'payments_get_payment', { id: 'p' }));
    await wire.until(withId(1));
    wire.child.kill(signal);
    await wire.ended;
    expect(wire.child.signalCode).toBe(signal);
    expect(readFileSync(join(of.at.state, 'receipts', 'receipts.jsonl'), 'utf8')).toContain('payments/payments_get_payment');
  });

  it('a server that ignores the end of its input is ended', async () => {
    const of = lab();
    const { host } = ioOf(of.at);
    const place = { state: of.at.state, config: join(of.at.root, 'config') };
    writeCatalogue(host, place, { ...of.catalogue, upstream: { transport: 'stdio', command: process.execPath, args: ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], envNames: [] } });
    compileCatalogues(host, place, 'test', true);
    const wire = start(of);
    wire.child.stdin.end();
    expect(await wire.ended).toBe(137);
  });
});

describe('a person on the disk', () => {
  it("the hook's question about exactly this call counts once", async () => {
    const of = lab();
    const payload = { session_id: 's', cwd: of.at.workspace, hook_event_name: 'PreToolUse', tool_name: 'mcp__payments__payments_void', tool_input: { id: 'p' }, tool_use_id: 'toolu_77' };
    const wire = start(of);
    wire.send(initialize());
    await wire.until(withId(0));
    const ask = (env: Record<string, string>): ReturnType<typeof run> => run('claude', 'pre-tool', { input: JSON.stringify(payload), env: { ...of.at.env, ...env } });
    const claude = { CLAUDE_CODE_SESSION_ID: 's', CLAUDE_PROJECT_DIR: of.at.workspace };
    const meta = { _meta: { 'claudecode/toolUseId': 'toolu_77' } };
    // By hand: nobody was asked.
    expect((await ask({})).stdout).toContain('"ask"');
    wire.send(toolCall(9, 'payments_void', { id: 'p' }, meta));
    expect(refusalOf(await wire.until(withId(9)))).toMatchObject({ code: 'confirmation_required' });
    expect((await ask(claude)).stdout).toContain('"ask"');
    wire.send(toolCall(1, 'payments_void', { id: 'q' }, meta));
    expect(refusalOf(await wire.until(withId(1)))).toMatchObject({ code: 'confirmation_required' });
    wire.send(toolCall(2, 'payments_void', { id: 'p' }, meta));
    expect(await wire.until(withId(2))).toMatchObject({ result: { content: [{}] } });
    wire.send(toolCall(3, 'payments_void', { id: 'p' }, meta));
    expect(refusalOf(await wire.until(withId(3)))).toMatchObject({ code: 'confirmation_required' });
    expect(readFileSync(join(of.at.state, 'receipts', 'receipts.jsonl'), 'utf8')).toContain(callDigest(sha256, { callId: 'toolu_77', service: 'payments', tool: 'payments_void' }, { id: 'p' }));
    const later = start(of);
    later.send(initialize());
    later.send(toolCall(1, 'payments_void', { id: 'p' }, meta));
    expect(refusalOf(await later.until(withId(1)))).toMatchObject({ code: 'confirmation_required' });
  });

  it('two runtimes at once: one executes the call about which the person was asked', async () => {
    const of = lab();
    const wires = [start(of), start(of), start(of)];
    for (const wire of wires) wire.send(initialize());
    await Promise.all(wires.map((wire) => wire.until(withId(0))));
    const payload = { session_id: 's', cwd: of.at.workspace, hook_event_name: 'PreToolUse', tool_name: 'mcp__payments__payments_void', tool_input: { id: 'p' }, tool_use_id: 'toolu_78' };
    await run('claude', 'pre-tool', { input: JSON.stringify(payload), env: { ...of.at.env, CLAUDE_CODE_SESSION_ID: 's', CLAUDE_PROJECT_DIR: of.at.workspace } });
    for (const wire of wires) wire.send(toolCall(1, 'payments_void', { id: 'p' }, { _meta: { 'claudecode/toolUseId': 'toolu_78' } }));
    const answers = await Promise.all(wires.map((wire) => wire.until(withId(1))));
    expect(answers.filter((answer) => !JSON.stringify(answer).includes('confirmation_required'))).toHaveLength(1);
  });

  it('a question about one tool is no yes to another with the same id and arguments', async () => {
    const of = lab();
    const { host } = ioOf(of.at);
    const place = { state: of.at.state, config: join(of.at.root, 'config') };
    const known = of.catalogue.operations.find(({ mcpTool }) => mcpTool === 'payments_void')!;
    const read = of.catalogue.operations.find(({ mcpTool }) => mcpTool === 'payments_get_payment')!;
    const posture = { effect: known.effect, risk: known.risk, reversible: known.reversible, idempotency: known.idempotency, retrySafe: known.retrySafe, confirmationRequired: known.confirmationRequired, ...(known.humanApproval === undefined ? {} : { humanApproval: known.humanApproval }) };
    writeCatalogue(host, place, { ...of.catalogue, operations: of.catalogue.operations.map((one) => (one === read ? { ...one, ...posture } : one)) });
    expect(compileCatalogues(host, place, 'test').diagnostics).toEqual([]);
    const wire = start(of);
    wire.send(initialize());
    await wire.until(withId(0));
    const payload = { session_id: 's', cwd: of.at.workspace, hook_event_name: 'PreToolUse', tool_name: 'mcp__payments__payments_get_payment', tool_input: { id: 'p' }, tool_use_id: 'toolu_79' };
    const hook = await run('claude', 'pre-tool', { input: JSON.stringify(payload), env: { ...of.at.env, CLAUDE_CODE_SESSION_ID: 's', CLAUDE_PROJECT_DIR: of.at.workspace } });
    expect(hook.stdout).toContain('"ask"');
    const meta = { _meta: { 'claudecode/toolUseId': 'toolu_79' } };
    wire.send(toolCall(1, 'payments_void', { id: 'p' }, meta));
    expect(refusalOf(await wire.until(withId(1)))).toMatchObject({ code: 'confirmation_required' });
    wire.send(toolCall(2, 'payments_get_payment', { id: 'p' }, meta));
    expect(await wire.until(withId(2))).toMatchObject({ result: { content: [{}] } });
  });

  it('a grant counts once, and not when it has run out', async () => {
    const of = lab();
    const directory = join(of.at.state, 'grants');
    mkdirSync(directory);
    const grant = (name: string, expiresMs: number): void => writeFileSync(join(directory, `${name}.json`), JSON.stringify({ v: 1, operation: 'payments.payments.void', expiresMs, by: 'dev', at: 'now' }));
    grant('old', Date.now() - 1);
    const wire = start(of);
    wire.send(initialize());
    wire.send(toolCall(1, 'payments_void', {}));
    expect(refusalOf(await wire.until(withId(1)))).toMatchObject({ code: 'confirmation_required' });
    grant('new', Date.now() + 60_000);
    wire.send(toolCall(2, 'payments_void', {}));
    expect(await wire.until(withId(2))).toMatchObject({ result: { content: [{}] } });
    expect(readdirSync(directory)).toEqual([]);
  });

  const asked = (of: Lab, given: JsonObject, more: JsonObject = {}, client = 'gemini', event = 'pre-tool'): ReturnType<typeof run> => {
    const own = { session_id: 's', cwd: of.at.workspace, tool_name: client === 'gemini' ? 'mcp_payments_payments_void' : 'mcp__payments__payments_void', tool_input: given, ...more };
    const how = client === 'gemini' ? { hook_event_name: 'BeforeTool', mcp_context: { server_name: 'payments', tool_name: 'payments_void' } } : { hook_event_name: event === 'permission' ? 'PermissionRequest' : 'PreToolUse' };
    return run(client, event, { input: JSON.stringify({ ...own, ...how }), env: of.at.env });
  };
  const granted = (of: Lab): string => {
    const directory = join(of.at.state, 'grants');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'g.json'), JSON.stringify({ v: 1, operation: 'payments.payments.void', expiresMs: Date.now() + 60_000, by: 'dev', at: 'now' }));
    return directory;
  };

  it('a grant lifts the question of the hook too, for the call that it lets through, and the runtime executes it once', async () => {
    const of = lab();
    expect((await asked(of, { id: 'p' })).stdout).toContain('praetorctl contract grant payments.payments.void');
    const directory = granted(of);
    expect(await asked(of, { id: 'p' })).toMatchObject({ code: 0, stdout: '' });
    expect(last(of.at)).toMatchObject({ verdict: 'neutral', rule: 'grant:contract.confirmation_required' });
    expect((await asked(of, { id: 'p' })).stdout).toContain('"deny"');
    const wire = start(of);
    wire.send(initialize());
    wire.send(toolCall(1, 'payments_void', { id: 'other' }));
    expect(refusalOf(await wire.until(withId(1)))).toMatchObject({ code: 'confirmation_required' });
    wire.send(toolCall(2, 'payments_void', { id: 'p' }));
    expect(await wire.until(withId(2))).toMatchObject({ result: { content: [{}] } });
    wire.send(toolCall(3, 'payments_void', { id: 'p' }));
    expect(refusalOf(await wire.until(withId(3)))).toMatchObject({ code: 'confirmation_required' });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('what the hook let through for a grant is not asked about again at the permission event, and a test of ours takes none', async () => {
    const of = lab();
    granted(of);
    const synthetic = { ...of, at: { ...of.at, env: { ...of.at.env, PRAETORCTL_HOOK_SYNTHETIC: '1' } } };
    expect((await asked(synthetic, { id: 'p' }, {}, 'claude')).stdout).toContain('"ask"');
    expect((await asked(of, { id: 'p' }, {}, 'claude')).stdout).toBe('');
    expect((await asked(of, { id: 'p' }, {}, 'claude', 'permission')).stdout).toBe('');
    expect((await asked(of, { id: 'q' }, {}, 'claude')).stdout).toContain('"ask"');
  });

  it('where grants do not count, the hook takes none', async () => {
    const of = lab();
    compile(of.at, 'contract: { human_evidence: [hook, elicitation] }\n');
    const directory = granted(of);
    expect((await asked(of, { id: 'p' }, {}, 'claude')).stdout).toContain('"ask"');
    expect(readdirSync(directory)).toEqual(['g.json']);
  });

  it('a call that a person allowed by its code reaches the runtime as allowed, also where the client gives calls no id', async () => {
    const of = lab();
    const code = /policy allow ([0-9A-Z]{6})/.exec((await asked(of, { id: 'p' })).stdout)?.[1];
    const pending = join(of.at.state, 'pending');
    for (const name of readdirSync(pending)) renameSync(join(pending, name), join(pending, name.replace(`${code}.asked`, `${code}.granted`)));
    expect((await asked(of, { id: 'p' })).stdout).toBe('');
    const wire = start(of);
    wire.send(initialize());
    wire.send(toolCall(1, 'payments_void', { id: 'p' }));
    expect(await wire.until(withId(1))).toMatchObject({ result: { content: [{}] } });
    wire.send(toolCall(2, 'payments_void', { id: 'p' }));
    expect(refusalOf(await wire.until(withId(2)))).toMatchObject({ code: 'confirmation_required' });
  });
});

describe('nothing is started', () => {
  it.each<[string, (of: Lab) => void, string]>([
    ['for a server without a catalogue', () => undefined, 'no catalogue governs'],
    ['where the catalogue changed', (of) => utimesSync(join(of.at.root, 'config', 'contracts', 'payments.json'), 1, 1), 'changed since it was compiled'],
    ['where the index is damaged', (of) => writeFileSync(join(of.at.state, 'contract.idx'), 'no'), 'damaged'],
    ['where nothing is compiled', (of) => rmSync(join(of.at.state, 'contract.idx')), 'no catalogue is in force'],
    ['where the compiled catalogue is gone', (of) => rmSync(join(of.at.state, 'catalogues', 'payments.json')), 'cannot be read'],
  ])('%s', async (what, change, text) => {
    const of = lab();
    change(of);
    const wire = start(of, what.includes('without') ? 'github' : 'payments');
    expect(await wire.ended).toBe(1);
    expect(wire.err()).toContain(text);
    expect(wire.messages).toEqual([]);
    expect(readFileSync(of.log, 'utf8')).toBe('');
  });

  it('where the program of the server is missing, it says so and ends as a shell would', async () => {
    const of = lab();
    const { host } = ioOf(of.at);
    const place = { state: of.at.state, config: join(of.at.root, 'config') };
    writeCatalogue(host, place, { ...of.catalogue, upstream: { transport: 'stdio', command: join(of.at.root, 'nothing'), args: [], envNames: [] } });
    compileCatalogues(host, place, 'test', true);
    const wire = start(of);
    expect(await wire.ended).toBe(127);
    expect(wire.err()).toContain('cannot be started');
    expect(existsSync(of.log)).toBe(true);
  });
});
