// The catalogues as the hook process uses them: every encoding of the vectors, the index fresh, stale, damaged and gone, changed
// tools, and that the cost does not grow with the catalogue.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseCatalogue, type Catalogue } from '../../src/contract/catalogue-schema.ts';
import { callDigest } from '../../src/contract/pins.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { compileCatalogues, writeCatalogue } from '../../src/mcp/store.ts';
import { compile, ioOf, last, station, type Station } from '../hook/operator-support.ts';
import { buildHook, run } from '../hook/support.ts';
import { sha256, vectorCatalogue, vectors } from '../mcp/support.ts';

beforeAll(buildHook);

function governed(catalogues = ['payments', 'k8s', 'notes'].map(vectorCatalogue)): Station {
  const at = station();
  const { host } = ioOf(at);
  const place = { state: at.state, config: join(at.root, 'config') };
  for (const catalogue of catalogues) writeCatalogue(host, place, catalogue);
  expect(compileCatalogues(host, place, 'test')).toMatchObject({ diagnostics: [], services: catalogues.length });
  return at;
}

interface Encoded { exit?: number; stdout?: string; stderr?: string; shim?: string }
interface HookVector { id: string; why: string; kind: string; client: string; payload: JsonObject; policy?: { humanApprovalFloor?: string; unlistedServer?: string }; encode: Record<string, Encoded>; expect: { decision: string }; disputed?: string }

const rows = (vectors as unknown as HookVector[]).filter(({ kind, id }) => kind === 'hook' && id !== 'cv-081');
const CLIENT: Record<string, string> = { antigravity: 'agy' };
const EVENT: Record<string, string> = { claude: 'PreToolUse', codex: 'PreToolUse', gemini: 'BeforeTool', qwen: 'PreToolUse', droid: 'PreToolUse' };

function documentOf(at: Station, client: string, payload: JsonObject): JsonObject {
  if (client === 'antigravity') return { conversationId: 's', workspacePaths: [at.workspace], ...payload };
  if (client === 'opencode') return { v: 1, sessionID: 's', cwd: at.workspace, ...payload };
  return { session_id: 's', cwd: at.workspace, hook_event_name: EVENT[client] ?? 'PreToolUse', ...payload };
}

/** What the model or the client gets: refused, asked, told something, or nothing. */
function meaning(out: string, code: number): string {
  const word = /"(?:permissionDecision|decision)":\s*"(deny|ask|force_ask|block)"/.exec(out)?.[1];
  if (word === 'ask' || word === 'force_ask') return 'ask';
  if (word !== undefined || code === 2) return 'deny';
  return out.includes('additionalContext') ? 'context' : out.trim() === '' ? 'nothing' : out;
}

function wanted(encoded: Encoded, decision: string): string {
  if (encoded.shim !== undefined) return encoded.shim === 'return' ? 'nothing' : 'deny';
  if (/=(?:force_)?ask/.test(encoded.stdout ?? '')) return 'ask';
  if (encoded.exit === 2 || (encoded.stdout ?? '').includes('deny')) return 'deny';
  return (encoded.stdout ?? '').includes('additionalContext') ? 'context' : decision === 'allow' ? 'nothing' : decision;
}

describe('the vectors, as a process', () => {
  let at: Station;
  beforeAll(() => { at = governed(); });

  it.each(rows.map((row) => [row.id, row.client, row.why, row] as const))('%s %s %s', async (_id, client, _why, row) => {
    const floor = row.policy?.humanApprovalFloor;
    const unlisted = row.policy?.unlistedServer;
    compile(at, `contract: { human_approval_floor: ${floor ?? 'none'}, unlisted_servers: ${unlisted ?? 'pass'} }\n`);
    const ran = await run(CLIENT[client] ?? client, 'pre-tool', { input: JSON.stringify(documentOf(at, client, row.payload)), env: at.env });
    const want = row.disputed === undefined ? wanted(row.encode[client] ?? {}, row.expect.decision) : 'deny';
    expect(meaning(ran.stdout, ran.code ?? -1)).toBe(want);
  });
});

/** What Claude Code leaves in the environment of its hooks. */
const callerEnv = (at: Station): Record<string, string> => ({ CLAUDE_CODE_SESSION_ID: 's', CLAUDE_PROJECT_DIR: at.workspace });

const call = (at: Station, tool: string, input: JsonObject, extra: JsonObject = {}): Promise<{ code: number | null; stdout: string; stderr: string }> =>
  run('claude', 'pre-tool', { input: JSON.stringify({ session_id: 's', cwd: at.workspace, hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input, ...extra }), env: at.env });

describe('in force', () => {
  it('an ask leaves what the runtime knows the call by, and no argument', async () => {
    const at = governed();
    const own = { ...at, env: { ...at.env, ...callerEnv(at) } };
    await call(own, 'mcp__payments__payments_void', { id: 'secret-id' }, { tool_use_id: 'toolu_9' });
    expect(last(at)).toMatchObject({ verdict: 'ask', caller: 'claude', rule: 'contract.confirmation_required', call: callDigest(sha256, { callId: 'toolu_9', service: 'payments', tool: 'payments_void' }, { id: 'secret-id' }) });
    expect(JSON.stringify(last(at))).not.toContain('secret-id');
    await call(own, 'mcp__payments__payments_get_payment', {}, { tool_use_id: 'toolu_8' });
    expect(last(at).call).toBeUndefined();
  });

  it('where nobody is asked nothing says so: a hook run by hand, a client that cannot ask', async () => {
    const at = governed();
    await call(at, 'mcp__payments__payments_void', { id: 'p' }, { tool_use_id: 'toolu_9' });
    expect(last(at)).toMatchObject({ verdict: 'ask', caller: 'unknown' });
    expect(last(at).call).toBeUndefined();
    const input = JSON.stringify({ session_id: 's', cwd: at.workspace, hook_event_name: 'PreToolUse', tool_name: 'mcp__payments__payments_void', tool_input: { id: 'p' }, tool_use_id: 'toolu_9' });
    const ran = await run('codex', 'pre-tool', { input, env: { ...at.env, PATH: `/x/tmp/arg0/codex-arg0abc:${process.env['PATH'] ?? ''}` } });
    expect(ran.stdout).toContain('"deny"');
    expect(last(at)).toMatchObject({ verdict: 'ask', caller: 'codex' });
    expect(last(at).call).toBeUndefined();
  });

  it('a catalogue that changed since it was compiled refuses its server, and no other', async () => {
    const at = governed();
    utimesSync(join(at.root, 'config', 'contracts', 'payments.json'), 1, 1);
    expect((await call(at, 'mcp__payments__payments_get_payment', {})).stderr).toContain('cannot be read');
    expect((await call(at, 'mcp__k8s__kubectl_get', {})).code).toBe(0);
  });

  it.each([['damaged', 'x'.repeat(200)], ['gone', undefined]])('an index that is %s: governed servers are refused, others pass', async (_what, text) => {
    const at = governed();
    const index = join(at.state, 'contract.idx');
    if (text === undefined) rmSync(index);
    else writeFileSync(index, text);
    expect((await call(at, 'mcp__payments__payments_get_payment', {})).code).toBe(2);
    expect((await call(at, 'mcp__my_payments_2__payments_get_payment', {})).code).toBe(2);
    expect((await call(at, 'mcp__github__create_issue', {})).code).toBe(0);
  });

  it('a tool that the runtime saw change is refused; a list of them that cannot be read refuses the service', async () => {
    const at = governed();
    const directory = join(at.state, 'quarantine');
    mkdirSync(directory);
    writeFileSync(join(directory, 'k8s.json'), '["kubectl_get"]');
    expect((await call(at, 'mcp__k8s__kubectl_get', {})).stderr).toContain('no longer what the person approved');
    expect((await call(at, 'mcp__k8s__destroy_thing', {})).code).toBe(0);
    writeFileSync(join(directory, 'k8s.json'), '{');
    expect((await call(at, 'mcp__k8s__destroy_thing', {})).code).toBe(2);
  });

  it('what the catalogue itself refuses is nothing that a person can allow by a code: the runtime would refuse it all the same', async () => {
    const at = governed();
    for (const tool of ['mcp__payments__payments_create_refund', 'mcp__payments__nobody_knows_this']) {
      const { code, stderr } = await call(at, tool, {});
      expect(code).toBe(2);
      expect(stderr).not.toContain('policy allow');
    }
    expect((await call(at, 'mcp__payments__payments_void', { id: 'p' })).stdout).toContain('policy allow');
  });

  it('without catalogues nothing is said', async () => {
    const at = station();
    expect(await call(at, 'mcp__payments__payments_void', {})).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});

describe('the document', () => {
  const base = vectorCatalogue('notes');
  const faulty = (change: (value: Record<string, unknown>) => void): unknown => {
    const value = structuredClone(base) as unknown as Record<string, unknown>;
    change(value);
    const parsed = parseCatalogue('c.json', JSON.stringify(value));
    return parsed.ok ? 'accepted' : parsed.diagnostics.map(({ message }) => message).join('; ');
  };
  const operation = (value: Record<string, unknown>): Record<string, unknown> => (value['operations'] as Record<string, unknown>[])[0]!;

  it.each<[string, (value: Record<string, unknown>) => void, string]>([
    ['an unknown key', (value) => { operation(value)['confirmationRequried'] = true; }, 'confirmationRequried'],
    ['approved without a record', (value) => { delete operation(value)['approval']; }, 'record of its approval'],
    ['approved as something else', (value) => { (operation(value)['approval'] as Record<string, unknown>)['definition'] = `sha256:${'1'.repeat(64)}`; }, 'another definition'],
    ['a required key without an argument', (value) => { operation(value)['idempotency'] = 'required'; }, 'has an argument'],
    ['a person asked about nothing', (value) => { Object.assign(operation(value), { humanApproval: true, confirmationRequired: false }); }, 'is one that is confirmed'],
    ['one name for two controls', (value) => { Object.assign(operation(value), { dryRun: { input: 'confirm', by: 'runtime' } }); }, 'one name'],
    ['a retry that repeats', (value) => { Object.assign(operation(value), { retrySafe: true }); }, 'not safe to retry'],
    ['control characters in a reason', (value) => { operation(value)['confirmationReason'] = 'a\u001b[2Kb'; }, 'no control characters'],
  ])('%s is refused', (_what, change, text) => expect(faulty(change)).toContain(text));

  it('two catalogues of one server name are not compiled', () => {
    const at = station();
    const { host } = ioOf(at);
    const place = { state: at.state, config: join(at.root, 'config') };
    const twin: Catalogue = { ...base, service: { ...base.service, id: 'other' } };
    for (const one of [base, twin]) writeCatalogue(host, place, one);
    expect(compileCatalogues(host, place, 'test').diagnostics).toMatchObject([{ message: 'the server name notes is bound by notes and by other' }]);
  });
});
