// What verify says of real files, for every client with hooks.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientById } from '../../src/clients/registry.ts';
import { HOOKED } from '../support/rows.ts';
import { ownedHooks } from '../../src/clients/registration.ts';
import { DEFAULT_SETTINGS, wantedEvents } from '../../src/settings/schema.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { isObject, valueAt } from '../../src/model/json.ts';
import { renderVerify } from '../../src/cli/verify-view.ts';
import {
  apply, codes, editJson, fileOf, filesOf, hostAt, leave, machine, one, put, readJson, receipt, settings, texts, tree, trustCodex, verify, writeJson, type Machine,
} from './support.ts';

const IDS = HOOKED.map((client) => client.id).sort();
const UNVERIFIED = 'configured, enforcement unverified';

/** Registered, trusted where there is such a gate, and run once. */
async function observed(id: string): Promise<Machine> {
  const m = machine();
  await apply(m, [id]);
  if (clientById(id).trust !== undefined) trustCodex(m);
  leave(m, receipt(id));
  return m;
}

/** A generated file is no document to edit: the tests in test/clients/ spoil it. */
const isGenerated = (id: string): boolean => clientById(id).hooks.shape === 'artefact';

/** Some clients take hooks from the user's file only; in a project their row has no file for them. */
const takesProjectHooks = (id: string): boolean => filesOf(machine(), clientById(id), 'project').some((spec) => spec.role !== 'mcp');

/** Where nothing but tool calls is registered, none of our entries is left without that one. */
const hasOtherEvents = (id: string): boolean => clientById(id).hooks.events.some(({ canonical }) => canonical !== 'pre-tool' && wantedEvents(DEFAULT_SETTINGS).has(canonical));

const isLinkIgnored = (m: Machine, id: string): boolean => fileOf(m, clientById(id), 'hooks').linksIgnored === true;

const hooksFile = (m: Machine, id: string): string => fileOf(m, clientById(id), 'hooks').path;

/** Changes the handler of our hook at the event of tool calls. */
function editHook(m: Machine, id: string, change: (entry: JsonObject, handler: JsonObject, items: JsonValue[], index: number) => void): void {
  const client = clientById(id);
  editJson(hooksFile(m, id), (document) => {
    const own = ownedHooks(client.hooks, document, [id]).find((hook) => hook.event === 'pre-tool');
    const items = own === undefined ? undefined : valueAt(document, own.array);
    if (own === undefined || !Array.isArray(items) || !isObject(own.item)) throw new Error('no hook');
    change(own.item, own.handler, items, own.index);
    return undefined;
  });
}

describe.each(IDS)('%s', (id) => {
  it('is absent where nothing was registered', () => {
    const report = one(machine(), id);
    expect(report.states).toEqual({ absent: true, installed: false, discovered: false, observed: false, drifted: false, stale: false });
    expect(codes(report)).toEqual(['not-registered']);
    expect(report.next).toBe(`praetorctl clients apply --client ${id}`);
  });

  it('is installed and unverified after apply', async () => {
    const m = machine();
    await apply(m, [id]);
    const report = one(m, id);
    expect(report.states).toMatchObject({ absent: false, installed: true, discovered: 'unknown', observed: false, drifted: false, stale: false });
    expect(texts(report)).toContain(UNVERIFIED);
    expect(report.proven).toBe(null);
    expect(report.meets).toBe(false);
    expect(one(m, id, { require: 'installed' }).meets).toBe(true);
    expect(verify(m, { clients: [id], require: 'installed' }).exit).toBe(0);
    expect(verify(m, { clients: [id] }).exit).toBe(3);
  });

  it('is observed after a tool call of a session of its own', async () => {
    const m = await observed(id);
    const report = one(m, id);
    expect(report.states).toEqual({ absent: false, installed: true, discovered: true, observed: true, drifted: false, stale: false });
    expect(report).toMatchObject({ observed: true, meets: true, reasons: [], next: '', lastToolReceipt: { event: 'pre-tool', verdict: 'neutral', age: 60 } });
    expect(verify(m, { clients: [id] })).toMatchObject({ ok: true, exit: 0 });
  });

  it.each([
    ['synthetic ones', { synthetic: true }, 'made by doctor or the demonstration'],
    ['those another client caused', { caller: 'someone-else' }, 'run by hand or by another client'],
    ['those run by hand', { caller: 'unknown' }, 'run by hand or by another client'],
    ['those from before the installation', { time: '2020-01-01T00:00:00.000Z' }, 'from before the registration'],
    ['those from the future', { time: '2199-01-01T00:00:00.000Z' }, 'from the future'],
  ] as const)('is not observed from receipts that are no evidence: %s', async (_name, more, said) => {
    const m = machine();
    await apply(m, [id]);
    if (clientById(id).trust !== undefined) trustCodex(m);
    leave(m, receipt(id, more));
    const report = one(m, id);
    expect(report.states.observed).toBe(false);
    expect(report.lastToolReceipt).toBe(null);
    expect(texts(report)).toContain(UNVERIFIED);
    expect(texts(report)).toContain(said);
  });

  it('is not observed from another client\'s receipts, skipped ones, or those of a session start', async () => {
    const m = machine();
    await apply(m, [id]);
    const other = IDS.find((word) => word !== id) ?? '';
    leave(m, receipt(other), receipt(other, { caller: id }), receipt(id, { verdict: 'skipped' }), receipt(id, { event: 'later-event' }));
    expect(one(m, id).states).toMatchObject({ observed: false, discovered: 'unknown' });
    if (clientById(id).trust !== undefined) trustCodex(m);
    leave(m, receipt(id, { event: 'session-start' }));
    const report = one(m, id);
    expect(report.states).toMatchObject({ observed: false, discovered: true, stale: false });
    expect(one(m, id, { require: 'discovered' }).meets).toBe(true);
  });

  it('is stale when the receipt is too old, or of another engine or policy', async () => {
    const m = await observed(id);
    const later = hostAt(m, Date.now() + 8 * 86_400_000);
    expect(one(m, id, {}, later)).toMatchObject({ states: { observed: true, stale: true }, meets: false });
    expect(codes(one(m, id, {}, later))).toEqual(['evidence-aged']);
    expect(one(m, id, { engine: '9.9.9' }).states).toMatchObject({ observed: true, stale: true });
    expect(codes(one(m, id, { policy: 'other' }))).toEqual(['evidence-skewed']);
    settings(m, 'clients: { verified_max_age: 30d }\n');
    expect(one(m, id, {}, later).states.stale).toBe(false);
  });

  it('is unverified again after the registration changed', async () => {
    const m = await observed(id);
    const client = clientById(id);
    // Fewer events, where there are several; where there is one, our entry is taken out and comes back.
    if (hasOtherEvents(id)) settings(m, 'hooks: { events: [pre-tool] }\n');
    else fs.rmSync(hooksFile(m, id));
    expect(one(m, id).states).toMatchObject({ installed: false, drifted: true, stale: true });
    fs.rmSync(path.join(m.state, 'receipts'), { recursive: true });
    leave(m, receipt(id, { time: new Date(Date.now() - 1000).toISOString() }));
    await new Promise((done) => setTimeout(done, 5));
    await apply(m, [id]);
    if (client.trust !== undefined) trustCodex(m);
    const report = one(m, id);
    expect(report.states).toMatchObject({ installed: true, observed: false, drifted: false, stale: true });
    expect(texts(report)).toContain(`${UNVERIFIED}: the last receipt of a tool call is from before`);
  });

  it.skipIf(isGenerated(id))('drifts when an entry is changed by hand, and says which', async () => {
    const m = await observed(id);
    editHook(m, id, (entry, handler) => { if (entry['matcher'] === undefined) handler['timeout'] = 1; else entry['matcher'] = '^Nothing$'; });
    const report = one(m, id);
    expect(report.states).toMatchObject({ installed: false, drifted: true, stale: true });
    expect(texts(report)).toContain('changed: pre-tool');
    const statuses = report.hooks.filter((hook) => hook.event === 'pre-tool').map((hook) => hook.status);
    expect(statuses.filter((status) => status !== 'as-desired')).toEqual(['changed']);
    expect(texts(report)).toMatch(/pre-tool.*(matcher|timeout)/);
    expect(report.meets).toBe(false);
  });

  it.skipIf(isGenerated(id))('drifts when an entry is taken out, and when all are', async () => {
    const m = await observed(id);
    editHook(m, id, (_entry, _handler, items, index) => { items.splice(index, 1); });
    const report = one(m, id);
    expect(report.states).toMatchObject({ installed: false, observed: false, drifted: true });
    expect(report.hooks).toContainEqual(expect.objectContaining({ event: 'pre-tool', status: 'missing' }));
    if (hasOtherEvents(id) || report.hooks.length > 1) {
      expect(codes(report)).toContain('no-tool-event');
      expect(texts(report)).toContain('missing: pre-tool');
    } else expect(codes(report)).toContain('entries-gone');
    fs.rmSync(hooksFile(m, id));
    expect(one(m, id).states).toMatchObject({ absent: false, installed: false, discovered: false, observed: false, drifted: true });
    expect(codes(one(m, id))).toContain('entries-gone');
  });

  it.skipIf(isGenerated(id))('drifts when an entry of an old form is left over', async () => {
    const m = await observed(id);
    editHook(m, id, (entry, _handler, items) => {
      items.push(JSON.parse(JSON.stringify(entry).replace(`hook ${id} pre-tool`, `hook ${id} stop`)) as JsonValue);
    });
    expect(one(m, id).states).toMatchObject({ installed: false, drifted: true });
    expect(texts(one(m, id))).toContain('surplus: stop');
  });

  it.skipIf(isGenerated(id))('does not drift when the client rewrites, reorders and reformats its file', async () => {
    const m = await observed(id);
    const file = hooksFile(m, id);
    const reorder = (value: JsonValue): JsonValue => {
      if (Array.isArray(value)) return value.map(reorder);
      return isObject(value) ? Object.fromEntries(Object.keys(value).reverse().map((key) => [key, reorder(value[key] ?? null)])) : value;
    };
    const document = reorder(readJson(file));
    if (isObject(document)) writeJson(file, document, 7);
    expect(one(m, id).states).toEqual({ absent: false, installed: true, discovered: true, observed: true, drifted: false, stale: false });
  });

  it('follows symbolic links', async () => {
    const m = await observed(id);
    const file = hooksFile(m, id);
    const real = path.join(m.root, `dotfiles-${id}.json`);
    fs.renameSync(file, real);
    fs.symlinkSync(real, file);
    // Where the client itself skips a link, what was seen before says nothing about now.
    const expected = isLinkIgnored(m, id) ? { installed: false, observed: false } : { installed: true, observed: true, drifted: false };
    expect(one(m, id).states).toMatchObject(expected);
  });

  it.skipIf(isGenerated(id))('calls unknown what it cannot read, with the place and the reason', async () => {
    const m = await observed(id);
    const file = hooksFile(m, id);
    put(file, '{ "hooks": {\n  broken');
    const report = one(m, id);
    expect(report.states).toMatchObject({ absent: false, installed: 'unknown', discovered: 'unknown', observed: 'unknown', drifted: 'unknown' });
    expect(report).toMatchObject({ observed: false, meets: false });
    expect(texts(report)).toMatch(new RegExp(`entries-unread: .*/${path.basename(file)}:\\d+`));
    expect(report.hooks.every((hook) => hook.status === 'unknown')).toBe(true);
    fs.rmSync(file);
    fs.mkdirSync(file);
    expect(one(m, id).states).toMatchObject({ installed: 'unknown', drifted: 'unknown' });
    expect(texts(one(m, id))).toContain('a directory');
    fs.rmdirSync(file);
    fs.symlinkSync(path.join(m.root, 'nowhere'), file);
    expect(one(m, id).states.installed).toBe('unknown');
  });

  it('without a record counts only receipts that are newer than the file', async () => {
    const m = machine();
    await apply(m, [id]);
    if (clientById(id).trust !== undefined) trustCodex(m);
    fs.rmSync(path.join(m.state, 'files.json'));
    leave(m, receipt(id, { time: new Date(Date.now() - 3_600_000).toISOString() }));
    expect(one(m, id).states).toMatchObject({ installed: true, observed: false, stale: true });
    // A session that began before the registration may still run the old one.
    leave(m, receipt(id));
    expect(one(m, id).states).toMatchObject({ installed: true, observed: false });
    leave(m, receipt(id, { session: 'ffee223344556677' }));
    expect(one(m, id).states).toMatchObject({ installed: true, observed: true });
  });

  it('reads and writes nothing but what it says: no file changes, no client is started', async () => {
    const m = await observed(id);
    put(path.join(m.root, 'config', 'settings.yaml'), '{}\n');
    const before = tree(m.root);
    verify(m);
    verify(m, { scope: 'project' });
    expect(tree(m.root)).toEqual(before);
    expect(fs.readdirSync(m.root).filter((name) => name.startsWith('started-'))).toEqual([]);
  });

  it.skipIf(takesProjectHooks(id))('registers no hook in a project from which the client takes none, and says so', async () => {
    const m = machine();
    await apply(m, [id], 'project');
    leave(m, receipt(id, { workspace: m.project }));
    const report = one(m, id, { scope: 'project' });
    expect(report).toMatchObject({ states: { absent: true, installed: false, observed: false }, hooks: [], meets: false });
    expect(codes(report)).toEqual(['not-registered']);
  });

  it.skipIf(!takesProjectHooks(id))('verifies a project by runs in that project', async () => {
    const m = machine();
    await apply(m, [id], 'project');
    if (clientById(id).trust !== undefined) trustCodex(m, undefined, 'project');
    leave(m, receipt(id), receipt(id, { workspace: path.join(m.root, 'elsewhere') }), receipt(id, { workspace: `${m.project}-other` }));
    expect(one(m, id, { scope: 'project' }).states).toMatchObject({ installed: true, observed: false });
    expect(one(m, id).states.absent).toBe(true);
    leave(m, receipt(id, { workspace: path.join(m.project, 'sub') }));
    expect(one(m, id, { scope: 'project' }).states).toMatchObject({ installed: true, observed: true, drifted: false, stale: false });
    expect(verify(m, { scope: 'project' }).clients.find((client) => client.client === id)?.scope).toBe('project');
    await apply(m, [id]);
    expect(texts(one(m, id, { scope: 'project' }))).toContain('a receipt does not say which registration ran');
  });
});

describe('MCP servers', () => {
  const SERVERS = 'mcpServers: { lab: { command: lab-server, args: [--fast], env: { TOKEN: hunter2 } } }\n';
  const takesServers = (id: string): boolean => clientById(id).mcp.entry({ kind: 'stdio', command: 'lab-server', args: [], env: {} }).ok;
  it.each(IDS.filter((id) => !takesServers(id)))('%s: says that a server is left out', async (id) => {
    const m = machine();
    await apply(m, [id]);
    settings(m, SERVERS);
    expect(one(m, id, { require: 'installed' })).toMatchObject({ meets: true, states: { installed: true, drifted: false }, mcp: [] });
    expect(verify(m, { clients: [id] }).diagnostics.map(({ message }) => message).join('\n')).toContain('server lab is left out');
  });

  it.each(IDS.filter(takesServers))('%s: installed, missing, changed, taken by others', async (id) => {
    const m = machine();
    await apply(m, [id]);
    settings(m, SERVERS);
    expect(one(m, id).states).toMatchObject({ installed: false, drifted: true });
    expect(one(m, id).mcp).toMatchObject([{ name: 'lab', status: 'missing' }]);
    await apply(m, [id]);
    expect(one(m, id, { require: 'installed' })).toMatchObject({ meets: true, states: { installed: true, drifted: false }, mcp: [{ name: 'lab', status: 'as-desired' }] });
    settings(m, SERVERS.replace('--fast', '--slow'));
    const changed = one(m, id);
    expect(changed.states).toMatchObject({ installed: false, drifted: true });
    expect(texts(changed)).toContain('changed: lab');
    settings(m, '{}\n');
    expect(texts(one(m, id))).toContain('surplus: lab');
    const all = JSON.stringify(verify(m)) + renderVerify(verify(m), { color: false, home: m.home });
    expect(all).not.toContain('hunter2');
    expect(all).not.toContain('--fast');
  });

  it('says that a name is taken', async () => {
    const m = machine();
    editJson(path.join(m.home, '.claude.json'), () => ({ mcpServers: { lab: { command: 'theirs' } } }));
    await apply(m, ['claude']);
    settings(m, SERVERS);
    const report = one(m, 'claude');
    expect(report.mcp).toMatchObject([{ name: 'lab', status: 'conflict' }]);
    expect(codes(report)).toContain('server-conflict');
    expect(report.states).toMatchObject({ installed: false });
  });

  it('leaves everything unknown if a client would not start with its servers\' file', async () => {
    const m = await observed('claude');
    put(path.join(m.home, '.claude.json'), '{ // comment\n}');
    const report = one(m, 'claude');
    expect(report.states).toMatchObject({ installed: true, observed: 'unknown', drifted: 'unknown' });
    expect(codes(report)).toEqual(expect.arrayContaining(['evidence-unread', 'servers-unread']));
  });
});

describe('foreign entries', () => {
  it('reports that entries of other owners are gone since the last write', async () => {
    const m = machine();
    const foreign = { matcher: 'Bash', hooks: [{ type: 'command', command: 'other-guard' }] };
    editJson(path.join(m.home, '.claude', 'settings.json'), () => ({ hooks: { PreToolUse: [foreign, foreign] } }));
    editJson(path.join(m.home, '.gemini', 'settings.json'), () => ({ mcpServers: { a: { command: 'a' }, b: { command: 'b' } } }));
    await apply(m, ['claude', 'gemini']);
    leave(m, receipt('claude'), receipt('gemini'));
    expect(one(m, 'claude').states).toMatchObject({ installed: true, observed: true, drifted: false });
    editJson(path.join(m.home, '.claude', 'settings.json'), (document) => {
      const groups = valueAt(document, ['hooks', 'PreToolUse']);
      if (Array.isArray(groups)) groups.shift();
      return undefined;
    });
    editJson(path.join(m.home, '.gemini', 'settings.json'), (document) => { delete (document['mcpServers'] as JsonObject)['a']; return undefined; });
    expect(one(m, 'claude').states).toMatchObject({ installed: true, observed: true, drifted: true });
    expect(texts(one(m, 'claude'))).toContain('1 hook in');
    expect(one(m, 'gemini').states).toMatchObject({ drifted: true });
    expect(texts(one(m, 'gemini'))).toContain('1 MCP server in');
  });
});

describe('selection and the whole answer', () => {
  it('looks at what is detected or recorded, sorted by id, and says so when there is nothing', async () => {
    const empty = machine({ programs: ['praetorctl'] });
    expect(verify(empty)).toMatchObject({ ok: false, exit: 3, clients: [] });
    expect(verify(empty).diagnostics[0]?.message).toContain('no client was found');
    const m = machine();
    expect(verify(m).clients.map((client) => client.client)).toEqual(IDS);
    const bare = machine({ programs: ['praetorctl'] });
    await apply(bare, ['gemini']);
    fs.rmSync(path.join(bare.home, '.gemini'), { recursive: true });
    const report = verify(bare).clients;
    expect(report.map((client) => client.client)).toEqual(['gemini']);
    expect(report[0]).toMatchObject({ detected: 'none', states: { drifted: true, absent: false } });
    expect(codes(report[0] ?? one(bare, 'gemini'))).toEqual(['entries-gone', 'not-detected']);
  });

  it('exits 0 only if every selected client meets what is required', async () => {
    const m = await observed('gemini');
    await apply(m, ['claude']);
    expect(verify(m, { clients: ['gemini'] }).exit).toBe(0);
    expect(verify(m, { clients: ['gemini', 'claude'] }).exit).toBe(3);
    expect(verify(m, { clients: ['gemini', 'claude'], require: 'installed' }).exit).toBe(0);
    expect(() => verify(m, { clients: ['clod'] })).toThrow(/unknown client/);
  });

  it('refuses broken settings and a wrong root override instead of guessing', async () => {
    const m = await observed('codex');
    settings(m, 'nonsense: 1\n');
    expect(() => verify(m)).toThrow(/unknown key/);
    const moved = machine({ env: { CODEX_HOME: '/nowhere/at/all' } });
    expect(() => verify(moved, { clients: ['codex'] })).toThrow(/CODEX_HOME/);
  });

  it('says where the receipts cannot be read', async () => {
    const m = machine();
    await apply(m, ['gemini']);
    fs.mkdirSync(path.join(m.state, 'receipts', 'receipts.jsonl'), { recursive: true });
    const report = one(m, 'gemini');
    expect(report.states).toMatchObject({ installed: true, discovered: 'unknown', observed: 'unknown', stale: 'unknown' });
    expect(texts(report)).toContain('the receipts could not be read');
    expect(texts(report)).toContain('receipts');
  });

  it('ignores torn and foreign lines among the receipts', async () => {
    const m = machine();
    await apply(m, ['gemini']);
    put(path.join(m.state, 'receipts', 'receipts.jsonl'), '{"v":1,"time":\nnot json\n{"v":2}\n');
    expect(one(m, 'gemini').states.observed).toBe(false);
    leave(m, receipt('gemini', { verdict: 'error' }));
    expect(one(m, 'gemini').states.observed).toBe(true);
    expect(codes(one(m, 'gemini'))).toEqual(['last-answer-error']);
  });

  it('says that the command does not resolve, and what the client does then', async () => {
    const m = await observed('gemini');
    fs.rmSync(path.join(m.bin, 'praetorctl'));
    expect(texts(one(m, 'gemini'))).toContain('praetorctl does not resolve on PATH; without it Gemini CLI blocks every guarded call');
  });

  it('reports a run that never ended', async () => {
    const m = await observed('gemini');
    const runs = path.join(m.state, 'runs');
    const name = fs.readdirSync(runs)[0] ?? '';
    const journal = path.join(runs, name, 'journal.json');
    editJson(journal, (document) => ({ ...document, state: 'open' }));
    const result = verify(m, { clients: ['gemini'] });
    expect(result.pendingRuns.map((run) => run.id)).toEqual([name]);
    expect(codes(result.clients[0] ?? one(m, 'gemini'))).toContain('run-unfinished');
    expect(result.diagnostics.some((d) => d.message.includes('interrupted'))).toBe(true);
  });

  it('is one document without values, and a table without the home', async () => {
    const m = await observed('claude');
    await apply(m, ['codex']);
    const result = verify(m, { clients: ['claude', 'codex'] });
    const text = renderVerify(result, { color: false, home: m.home });
    expect(text.split('\n')[0]).toMatch(/^client +version +inst +disc +obs +drift +stale +last +trust +proven$/);
    expect(text).toMatch(/^claude +- +yes +yes +yes +no +no +60s +- +-$/m);
    expect(text).toMatch(/untrusted/);
    expect(text).toContain('verify: 1 of 2 observed; not: codex');
    expect(text).not.toContain(m.home);
    expect(text).not.toContain('\u001b');
    expect(renderVerify(result, { color: true, home: m.home })).toContain('\u001b[32m');
    expect(`${text}${JSON.stringify(result)}`).not.toContain('enforcing');
  });
});

describe('version', () => {
  it('is read from the package around the program and from nothing else', () => {
    const m = machine({ programs: ['praetorctl'] });
    const pkg = path.join(m.root, 'lib', 'node_modules', '@openai', 'codex');
    put(path.join(pkg, 'bin', 'codex.js'), '#!/usr/bin/env node\n');
    fs.chmodSync(path.join(pkg, 'bin', 'codex.js'), 0o755);
    put(path.join(pkg, 'package.json'), JSON.stringify({ name: '@openai/codex', version: '0.171.0' }));
    fs.symlinkSync('../lib/node_modules/@openai/codex/bin/codex.js', path.join(m.bin, 'codex'));
    expect(one(m, 'codex')).toMatchObject({ version: '0.171.0', versionNote: 'package.json', detected: 'program' });
    put(path.join(pkg, 'package.json'), JSON.stringify({ name: 'another', version: '1.0.0' }));
    expect(one(m, 'codex')).toMatchObject({ version: null, versionNote: 'not read' });
    put(path.join(pkg, 'package.json'), 'broken');
    expect(one(m, 'codex').version).toBe(null);
    expect(one(m, 'gemini')).toMatchObject({ version: null, versionNote: 'no program was found', detected: 'none' });
  });
});
