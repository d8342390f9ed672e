// Nothing of what a client sends leaves: payloads full of secrets go through every dialect as real hook processes, then everything that was
// written, exported or said is searched. And the export as a real process, killed while the endpoint thinks.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { parseReceiptLine } from '../../src/receipts/format.ts';
import { formatReceipt } from '../../src/receipts/format.ts';
import { cli, repo, world, type World } from '../support/cli.ts';
import { captured, CLIENTS, type Captured } from '../dialects/payloads.ts';

const CANARY = 'c4nary-5ecret';
/** What a dialect tells events, tools and workspaces by. Every other text of a payload gets the canary. */
const STRUCTURE = /event|hook|^tool|tool_?name|^name$|^type$|^kind$|mode$|^source$|server|cwd|workspace|roots|director|_dir$|action|^method$|^status$|^v$|version|^client/i;
const PER_CLIENT_MAX = 4;

function poisoned(value: JsonValue, key: string): JsonValue {
  if (typeof value === 'string') return STRUCTURE.test(key) ? value : `${value} ${CANARY}`;
  if (Array.isArray(value)) return value.map((one) => poisoned(one, key));
  if (typeof value !== 'object' || value === null) return value;
  // A container of that name does not make its texts structure.
  return { ...Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poisoned(one, name)])), [`${CANARY}_key`]: `${CANARY} value` };
}

/** Tool calls first, then one of each other event. */
function chosen(client: string): readonly Captured[] {
  const all = captured(client);
  const gates = all.filter(({ event }) => event === 'pre-tool').slice(0, 2);
  const others = [...new Map(all.filter(({ event }) => event !== 'pre-tool').map((one) => [one.event, one])).values()];
  return [...gates, ...others].slice(0, PER_CLIENT_MAX);
}

function hook(where: World, client: string, event: string, stdin: string): { readonly err: string } {
  const run = spawnSync(process.execPath, [join(repo, 'bin/praetorctl'), 'hook', client, event], { cwd: where.project, env: { ...where.env, SECRET_TOKEN: CANARY }, input: stdin, encoding: 'utf8', timeout: 20_000 });
  return { err: run.stderr };
}

function textsBelow(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`).join('\n');
}

describe('secrets of payloads', () => {
  it('stay out of receipts, exports, logs and error texts, whatever the client', { timeout: 180_000 }, async () => {
    const where = world();
    let said = '';
    let calls = 0;
    for (const client of CLIENTS) {
      for (const { event, document } of chosen(client)) {
        const payload = JSON.stringify(poisoned(document as JsonObject, ''));
        expect(payload.split(CANARY).length, client).toBeGreaterThan(2);
        said += hook(where, client, event, payload).err;
        calls += 1;
      }
      // What cannot be read: cut in the middle, another type, a word that is no event.
      said += hook(where, client, 'pre-tool', JSON.stringify({ tool_input: { command: CANARY } }).slice(0, -3)).err;
      said += hook(where, client, 'pre-tool', JSON.stringify([CANARY])).err;
      calls += 2;
    }
    const receipts = join(where.root, 'state', 'receipts', 'receipts.jsonl');
    const written = readFileSync(receipts, 'utf8').trimEnd().split('\n').map((line) => parseReceiptLine(line)!);
    expect(written).toHaveLength(calls);
    // The poisoned payloads were understood: each client has a tool call that was judged.
    expect(CLIENTS.filter((client) => !written.some((one) => one.client === client && one.tool !== undefined && one.verdict !== 'error'))).toEqual([]);
    expect(CLIENTS.filter((client) => !written.some((one) => one.client === client && one.verdict === 'error'))).toEqual([]);

    writeFileSync(join(where.root, 'key'), 'k'.repeat(32));
    for (const format of ['jsonl', 'otlp', 'ocsf']) {
      const shown = await cli(where, ['evidence', 'export', '--dry-run', '--format', format, '--hash-key-file', join(where.root, 'key')]);
      expect(shown.code, shown.err).toBe(0);
      expect(shown.out.length, format).toBeGreaterThan(calls * 200);
      // Nor a path, nor who works here.
      expect(shown.out).not.toMatch(/\/home\/|\/tmp\/|[A-Z]:\\\\/);
      said += shown.out + shown.err;
    }
    for (const argv of [['evidence', 'export', '--out', join(where.root, 'state', 'out')], ['receipts', 'list', '--limit', '1000', '--json'], ['receipts', 'show', '1'], ['clients', 'verify', '--json']]) {
      const answer = await cli(where, argv);
      said += answer.out + answer.err;
    }
    const found = `${said}\n${textsBelow(join(where.root, 'state'))}`.split('\n').filter((line) => line.includes(CANARY));
    expect(found).toEqual([]);
  });
});

describe('the export as a process', () => {
  it('killed while the endpoint thinks, goes on with the batch that was not answered', { timeout: 60_000 }, async () => {
    const where = world();
    const bodies: string[] = [];
    let reached = (): void => undefined;
    const second = new Promise<void>((resolve) => { reached = resolve; });
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks).toString('utf8'));
        // The second is never answered.
        if (bodies.length === 2) reached();
        else response.writeHead(200).end('{}');
      });
    });
    await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    spawnSync(process.execPath, [join(repo, 'bin/praetorctl'), 'hook', 'claude', 'pre-tool'], { cwd: where.project, env: where.env, input: '{}' });
    const lines = Array.from({ length: 1200 }, (_, i) => formatReceipt({ v: 1, time: new Date(Date.UTC(2026, 2, 1) + i).toISOString(), client: 'alpha', event: 'pre-tool', caller: 'alpha', verdict: 'neutral', engine: '1', policy: 'a', ms: 1 }));
    writeFileSync(join(where.root, 'state', 'receipts', 'receipts.jsonl'), lines.join(''));
    const argv = [join(repo, 'bin/praetorctl'), 'evidence', 'export', '--endpoint', url];
    const child = spawn(process.execPath, argv, { cwd: where.project, env: where.env, stdio: 'ignore' });
    await second;
    child.kill('SIGKILL');
    await new Promise((resolve) => { child.once('exit', resolve); });
    expect(existsSync(join(where.root, 'state', 'export-cursor', 'cursor.json'))).toBe(true);
    // The lock of the killed run is taken over when it is stale.
    const started = Date.now();
    let code: number | null = null;
    while (code !== 0 && Date.now() - started < 30_000) {
      const again = spawn(process.execPath, argv, { cwd: where.project, env: where.env, stdio: 'ignore' });
      code = await new Promise((resolve) => { again.once('exit', resolve); });
    }
    expect(code).toBe(0);
    const counts = bodies.map((body) => body.split('"timeUnixNano"').length - 1);
    expect(counts).toEqual([500, 500, 500, 200]);
    expect(bodies[2]).toBe(bodies[1]);
    server.closeAllConnections();
    server.close();
  });
});
