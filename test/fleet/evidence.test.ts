// The export against a real server on loopback: what leaves, when it is tried again, and where it goes on after a failure.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DOCUMENT_SCHEMAS, OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { exportEvidence, type Destination, type ExportInput, type ExportResult } from '../../src/fleet/evidence-export.ts';
import { logsUrl, retryMs, TRIES_MAX } from '../../src/fleet/otlp-send.ts';
import { realHost, type Host } from '../../src/host.ts';
import { formatReceipt, type Receipt } from '../../src/receipts/format.ts';
import { cli, settings, world, type Answer, type World } from '../support/cli.ts';

interface Got { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }
type Reply = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string } | 'hang up';
interface OtlpRecord { timeUnixNano: string; severityNumber: number; attributes: { key: string; value: Record<string, unknown> }[] }

let server: Server;
let got: Got[] = [];
let replies: Reply[] = [];
let url = '';
let where: World;
let receipts = '';
let slept: number[] = [];
let host: Host;

beforeEach(async () => {
  [got, replies, slept] = [[], [], []];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      got.push({ url: request.url ?? '', headers: request.headers, body: (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8') });
      const reply = replies.shift() ?? { status: 200, body: '{}' };
      if (reply === 'hang up') request.socket.destroy();
      else response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
    });
  });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  where = world();
  receipts = join(where.root, 'state', 'receipts');
  mkdirSync(receipts, { recursive: true });
  host = { ...realHost({ env: where.env, cwd: where.project }), sleep: (ms) => { slept.push(ms); return Promise.resolve(); } };
});
afterEach(() => { server.closeAllConnections(); server.close(); });

const receipt = (n: number, more: Partial<Receipt> = {}): Receipt => ({
  v: 1, time: new Date(Date.UTC(2026, 2, 1, 10, 0, 0, n)).toISOString(), client: 'alpha', event: 'pre-tool', caller: 'alpha', verdict: 'neutral', kind: 'shell', tool: 'Bash', session: 'feedfacefeedface',
  engine: '1.0.0', policy: 'abcd', ms: 12, workspace: '/home/someone/secret-project', ...more,
});
const write = (count: number, from = 0, more: Partial<Receipt> = {}): void => appendFileSync(join(receipts, 'receipts.jsonl'), Array.from({ length: count }, (_, i) => formatReceipt(receipt(from + i, more))).join(''));
const input = (destination: Destination, more: Partial<ExportInput> = {}): ExportInput => ({
  host, receipts, directory: join(where.root, 'state', 'export-cursor'), format: 'otlp', destination, hostId: '0a0a0a0a-0000-4000-8000-000000000001', context: { os: 'linux', hash: () => undefined, user: undefined }, version: '1.0.0', ...more,
});
const toServer = (more: Partial<ExportInput> = {}): Promise<ExportResult> => exportEvidence(input({ kind: 'endpoint', endpoint: { url: logsUrl(url), headers: {}, gzip: false } }, more));
const records = ({ body }: Got): OtlpRecord[] => (JSON.parse(body) as { resourceLogs: { scopeLogs: { logRecords: OtlpRecord[] }[] }[] }).resourceLogs[0]!.scopeLogs[0]!.logRecords;
const attribute = (record: OtlpRecord, key: string): unknown => Object.values(record.attributes.find((one) => one.key === key)?.value ?? {})[0];
const sequences = (): number[] => got.flatMap((one) => records(one).map((record) => Number(attribute(record, 'praetor.seq'))));
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const run = (argv: string[]): Promise<Answer> => cli(where, ['evidence', 'export', ...argv], { host });

describe('to an endpoint', () => {
  it('in batches of at most 500, once, and later only what is new', async () => {
    write(1201);
    expect(await toServer()).toMatchObject({ records: 1201, batches: 3, seq: 1201 });
    expect(got.map((one) => records(one).length)).toEqual([500, 500, 201]);
    expect(got.every((one) => one.url === '/v1/logs' && one.headers['content-type'] === 'application/json')).toBe(true);
    expect(await toServer()).toMatchObject({ records: 0, batches: 0 });
    write(1, 1201);
    await toServer();
    expect(sequences()).toEqual(range(1, 1202));
  });
  it('in the form of OTLP/HTTP JSON', async () => {
    write(1, 0, { verdict: 'deny', rule: 'git.push' });
    await toServer();
    const document = JSON.parse(got[0]!.body) as { resourceLogs: { resource: { attributes: unknown[] }; scopeLogs: { scope: unknown }[] }[] };
    expect(document.resourceLogs[0]!.resource.attributes).toContainEqual({ key: 'host.id', value: { stringValue: '0a0a0a0a-0000-4000-8000-000000000001' } });
    expect(records(got[0]!)[0]).toMatchObject({ timeUnixNano: `${Date.UTC(2026, 2, 1, 10)}000000`, severityNumber: 13, severityText: 'WARN', eventName: 'praetor.hook' });
    expect(records(got[0]!)[0]!.attributes).toEqual(expect.arrayContaining([{ key: 'praetor.seq', value: { intValue: '1' } }, { key: 'praetor.verdict', value: { stringValue: 'deny' } }, { key: 'gen_ai.tool.name', value: { stringValue: 'Bash' } }]));
  });
  it('never again after a partial success: what was rejected is counted', async () => {
    write(3);
    replies = [{ status: 200, body: '{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"no"}}' }];
    expect(await toServer()).toMatchObject({ records: 3, rejected: 2 });
    expect(await toServer()).toMatchObject({ records: 0 });
    expect(got).toHaveLength(1);
  });
  it.each([429, 502, 503, 504])('again after %i, as late as Retry-After says', async (status) => {
    write(2);
    replies = [{ status, headers: { 'retry-after': '7' } }, { status, headers: { 'retry-after': '100000' } }];
    expect(await toServer()).toMatchObject({ records: 2 });
    expect(slept).toEqual([7000, 60_000]);
    expect(got).toHaveLength(3);
  });
  it('again after a connection that broke, and only so often', async () => {
    write(2);
    replies = Array.from({ length: 20 }, () => 'hang up' as const);
    await expect(toServer()).rejects.toMatchObject({ diagnostic: { code: 'export-failed' } });
    expect(got).toHaveLength(TRIES_MAX);
    replies = [];
    expect(await toServer()).toMatchObject({ records: 2, seq: 2 });
  });
  it.each([301, 400, 401, 413, 500])('not again after %i; the cursor stays', async (status) => {
    write(2);
    replies = [{ status, headers: { location: `${url}/elsewhere` }, body: 'a secret of the server' }];
    const failed = await toServer().catch((error: Error) => error.message);
    expect(failed).toContain(String(status));
    expect(failed).not.toContain('secret');
    expect(got).toHaveLength(1);
    expect(await toServer()).toMatchObject({ records: 2 });
    expect(sequences()).toEqual([1, 2, 1, 2]);
  });
  it('goes on behind the batches that were taken', async () => {
    write(1100);
    replies = [{ status: 200 }, { status: 400 }];
    await expect(toServer()).rejects.toThrow(/400/);
    expect(await toServer()).toMatchObject({ records: 600, seq: 1100 });
    expect(sequences()).toEqual([...range(1, 1000), ...range(501, 1100)]);
  });
  it('a run that was killed after the answer and before the cursor sends the same numbers again', async () => {
    write(600);
    let renames = 0;
    const dying = { ...host, rename: (from: string, to: string) => {
      renames += 1;
      if (renames === 2) throw new Error('killed');
      host.rename(from, to);
    } };
    await expect(toServer({ host: dying })).rejects.toThrow('killed');
    await toServer();
    expect(sequences()).toEqual([...range(1, 600), ...range(501, 600)]);
    expect(records(got[1]!)).toEqual(records(got[2]!));
  });
  it('follows the files through rotation, leaves half a line, and skips damage and what doctor made', async () => {
    write(3);
    await toServer();
    write(2, 3);
    renameSync(join(receipts, 'receipts.jsonl'), join(receipts, 'receipts-20260301T100000000Z-1.jsonl'));
    write(2, 5, { synthetic: true });
    appendFileSync(join(receipts, 'receipts.jsonl'), 'damage\n');
    write(1, 7);
    const half = formatReceipt(receipt(8));
    appendFileSync(join(receipts, 'receipts.jsonl'), half.slice(0, 40));
    await toServer();
    appendFileSync(join(receipts, 'receipts.jsonl'), half.slice(40));
    await toServer();
    expect(got.flatMap((one) => records(one).map(({ timeUnixNano }) => Number(timeUnixNano.slice(-9, -6))))).toEqual([0, 1, 2, 3, 4, 7, 8]);
    expect(sequences()).toEqual(range(1, 7));
  });
  it('passes over the oldest where too many wait, and says how many in the next event', async () => {
    write(1000);
    const lineBytes = formatReceipt(receipt(1)).length;
    expect(await toServer({ waitingBytesMax: 100 * lineBytes })).toMatchObject({ dropped: 900, records: 100 });
    expect(attribute(records(got[0]!)[0]!, 'praetor.dropped')).toBe('900');
    expect(attribute(records(got[0]!)[1]!, 'praetor.dropped')).toBeUndefined();
    expect(await toServer()).toMatchObject({ dropped: 0, records: 0 });
  });
  it('says that receipts are gone which it never saw', async () => {
    write(2);
    await toServer();
    rmSync(join(receipts, 'receipts.jsonl'));
    write(1, 50);
    expect(await toServer()).toMatchObject({ lost: true, records: 1 });
    expect(attribute(records(got[1]!)[0]!, 'praetor.lost')).toBe(true);
    write(1, 51);
    expect(await toServer()).toMatchObject({ lost: false });
  });
});

describe('praetorctl evidence export', () => {
  it('is off until somebody asks for it', async () => {
    write(2);
    expect(await run([])).toMatchObject({ code: 0, out: expect.stringContaining('is off') as string });
    expect(existsSync(join(where.root, 'state', 'export-cursor'))).toBe(false);
    OUTPUT_SCHEMAS['evidence-export']!.parse((await run(['--json'])).json);
  });
  it('goes where the settings say, with credentials by the name of their variable, compressed', async () => {
    write(2);
    settings(where, `hooks:\n  evidence:\n    export: otlp\n    endpoint: ${url}/collector/\n`);
    where.env['OTLP_AUTH'] = 'Bearer c4narytoken';
    const answer = await run(['--header', 'Authorization=OTLP_AUTH', '--gzip', '--json']);
    expect(answer).toMatchObject({ code: 0, json: { export: 'endpoint', records: 2, target: `${url}/collector/v1/logs` } });
    OUTPUT_SCHEMAS['evidence-export']!.parse(answer.json);
    expect(got[0]).toMatchObject({ url: '/collector/v1/logs', headers: { authorization: 'Bearer c4narytoken', 'content-encoding': 'gzip' } });
    expect(records(got[0]!)).toHaveLength(2);
    expect(answer.out + answer.err).not.toContain('c4narytoken');
  });
  it.each(['http://collector.example.org', 'ftp://127.0.0.1', 'https://user:pw@example.org', 'https://example.org/?token=x', 'no address'])('refuses %s', async (endpoint) => {
    write(1);
    const answer = await run(['--endpoint', endpoint]);
    expect(answer.code).toBe(64);
    expect(answer.err).not.toMatch(/pw@|token=x/);
  });
  it('refuses headers that hold a value, variables that are not set, and two places at once', async () => {
    where.env['BROKEN'] = 'a\nb: c4nary';
    for (const argv of [['--endpoint', url, '--header', 'Authorization: Bearer c4nary'], ['--endpoint', url, '--header', 'A=NOT_SET'], ['--endpoint', url, '--header', 'A=BROKEN'], ['--endpoint', url, '--out', 'x'], ['--endpoint', url, '--format', 'ocsf'], ['--out', 'x', '--hash-key-env', 'NOT_SET']]) {
      const answer = await run(argv);
      expect([argv, answer.code]).toEqual([argv, 64]);
      expect(answer.err).not.toContain('c4nary');
    }
    expect(got).toEqual([]);
  });
  it('writes files that are complete or not there, chained, in the form of the schema', async () => {
    write(501);
    const dir = join(where.root, 'out');
    expect(await run(['--out', dir, '--json'])).toMatchObject({ code: 0, json: { records: 501, batches: 2, export: 'files' } });
    const names = readdirSync(dir);
    expect(names.map((name) => name.replace(/^events-[0-9a-f]{8}-/, ''))).toEqual(['000000000001.jsonl', '000000000501.jsonl']);
    const lines = names.flatMap((name) => readFileSync(join(dir, name), 'utf8').trimEnd().split('\n'));
    lines.forEach((line, i) => {
      const event = DOCUMENT_SCHEMAS['event']!.parse(JSON.parse(line)) as { seq: number; prev: string | null; host: string; id: string };
      expect(event).toMatchObject({ seq: i + 1, prev: i === 0 ? null : createHash('sha256').update(lines[i - 1]!).digest('hex'), id: `${event.host}-${i + 1}` });
    });
  });
  it('maps to OCSF: a shell command as process activity, another tool as API activity', async () => {
    write(1, 0, { verdict: 'deny', rule: 'git.push' });
    write(1, 1, { kind: 'mcp', tool: 'mcp__lab__echo' });
    const { json } = await run(['--dry-run', '--format', 'ocsf', '--json']);
    const [first, second] = (json['bodies'] as string[])[0]!.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toMatchObject({ class_uid: 1007, category_uid: 1, type_uid: 100701, action_id: 2, disposition_id: 2, metadata: { sequence: 1 }, process: { name: 'Bash' }, unmapped: { rule: 'git.push', verdict: 'deny' } });
    expect(second).toMatchObject({ class_uid: 6003, category_uid: 6, type_uid: 600399, action_id: 1, api: { operation: 'mcp__lab__echo' } });
  });
  it('--dry-run prints what the run then sends, byte for byte, and changes nothing', async () => {
    write(3);
    settings(where, `hooks:\n  evidence:\n    export: otlp\n    endpoint: ${url}\n`);
    const shown = await run(['--dry-run']);
    expect(got).toEqual([]);
    expect(existsSync(join(where.root, 'state', 'export-cursor'))).toBe(false);
    const second = JSON.parse(shown.out) as { resourceLogs: [{ resource: { attributes: { key: string; value: { stringValue: string } }[] } }] };
    expect(second.resourceLogs[0].resource.attributes.map(({ key }) => key)).toEqual(['service.name', 'service.version', 'host.id', 'os.type']);
    // The random id of a workstation that is not installed is remembered with the first export.
    await run([]);
    const again = async (): Promise<string> => (await run(['--dry-run'])).out;
    write(2, 3);
    const next = await again();
    await run([]);
    expect(got[1]!.body).toBe(next);
  });
  it('names session, workspace and user only as keyed hashes, and nobody where identity is off', async () => {
    write(1);
    where.env['USER'] = 'someone';
    writeFileSync(join(where.root, 'key'), 'k'.repeat(32));
    const shown = async (...argv: string[]): Promise<Record<string, unknown>> => JSON.parse((await run(['--dry-run', ...argv])).out) as Record<string, unknown>;
    const bare = await shown();
    expect([bare['session'], bare['workspace'], bare['user']]).toEqual([undefined, undefined, undefined]);
    const keyed = await shown('--hash-key-file', join(where.root, 'key'));
    expect(keyed).toMatchObject({ session: expect.stringMatching(/^[0-9a-f]{32}$/) as string, workspace: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
    expect(keyed['user']).toBeUndefined();
    where.env['OTHER'] = 'o'.repeat(32);
    expect((await shown('--hash-key-env', 'OTHER'))['workspace']).not.toBe(keyed['workspace']);
    expect(JSON.stringify([bare, keyed])).not.toMatch(/someone|secret-project|feedface/);
    settings(where, 'hooks:\n  evidence:\n    identity: hash\n');
    expect((await run(['--dry-run'])).code).toBe(64);
    expect((await shown('--hash-key-env', 'OTHER'))['user']).toMatch(/^[0-9a-f]{32}$/);
    settings(where, 'hooks:\n  evidence:\n    identity: plain\n');
    expect((await shown())['user']).toBe('someone');
  });
  it('waits as the protocol says', () => {
    const now = Date.parse('2026-03-01T10:00:00Z');
    expect(retryMs('Sun, 01 Mar 2026 10:00:05 GMT', 0, now, 0)).toBe(5000);
    expect(retryMs('Sun, 01 Mar 2026 09:00:00 GMT', 0, now, 0)).toBe(0);
    expect([0, 1, 2, 10].map((attempt) => retryMs(undefined, attempt, now, 1))).toEqual([1000, 2000, 4000, 60_000]);
  });
});
