// Contract: `praetorctl mcp <server>` as a real process in front of a real server, and the wire to it.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { Catalogue } from '../../src/contract/catalogue-schema.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { compileCatalogues, writeCatalogue } from '../../src/mcp/store.ts';
import { ioOf, station, type Station } from '../hook/operator-support.ts';
import { vectorCatalogue, withLiveTools } from './support.ts';

export const BIN = join(import.meta.dirname, '../../bin/praetorctl');
export const SERVER = join(import.meta.dirname, '../fixtures/mcp/server.mjs');

/** Takes whatever any reader could take for a call. */
export const GULLIBLE = join(import.meta.dirname, '../fixtures/mcp/gullible-server.mjs');
/** Does what LAB_MODE says. */
export const HOSTILE = join(import.meta.dirname, '../fixtures/mcp/hostile-server.mjs');

export interface Lab { readonly at: Station; readonly tools: string; readonly log: string; readonly env: Record<string, string>; readonly catalogue: Catalogue }

/** `first`: the tool that stands first in the server's list. */
export function lab(name = 'payments', server = SERVER, first = (_tool: string): boolean => false): Lab {
  const at = station();
  const [tools, log] = [join(at.root, 'tools.json'), join(at.root, 'upstream.log')];
  const live = withLiveTools(vectorCatalogue(name));
  const catalogue: Catalogue = { ...live.catalogue, upstream: { transport: 'stdio', command: process.execPath, args: [server], envNames: [] } };
  writeFileSync(tools, JSON.stringify(live.tools.toSorted((a, b) => Number(first(b.name)) - Number(first(a.name)))));
  writeFileSync(log, '');
  const { host } = ioOf(at);
  const place = { state: at.state, config: join(at.root, 'config') };
  writeCatalogue(host, place, catalogue);
  expect(compileCatalogues(host, place, 'test').diagnostics).toEqual([]);
  return { at, tools, log, env: { ...at.env, LAB_TOOLS: tools, LAB_LOG: log, LAB_RAN: join(at.root, 'ran.log'), PATH: process.env['PATH'] ?? '' }, catalogue };
}

const running: ChildProcessWithoutNullStreams[] = [];
afterEach(() => { for (const child of running.splice(0)) child.kill('SIGKILL'); });

export interface Wire {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: JsonObject[];
  readonly err: () => string;
  readonly send: (message: JsonObject | string | Buffer) => void;
  readonly until: (test: (message: JsonObject) => boolean) => Promise<JsonObject>;
  readonly ended: Promise<number>;
}

/** `node`: words for Node itself. */
export function start(of: Lab, server = 'payments', extra: Record<string, string> = {}, node: readonly string[] = []): Wire {
  const child = spawn(process.execPath, [...node, BIN, 'mcp', server], { env: { ...of.env, ...extra }, cwd: of.at.workspace });
  running.push(child);
  const messages: JsonObject[] = [];
  const waiting: (() => void)[] = [];
  let rest = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    messages.push(...lines.map((line) => JSON.parse(line) as JsonObject));
    for (const look of waiting) look();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { err += chunk; });
  const ended = new Promise<number>((done) => child.on('close', (code) => done(code ?? -1)));
  return {
    child, messages, err: () => err, ended,
    send: (message) => void child.stdin.write(typeof message === 'string' || Buffer.isBuffer(message) ? message : `${JSON.stringify(message)}\n`),
    until: (test) => new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`nothing came; ${messages.length} messages; ${err.slice(0, 400)}`)), 20_000);
      const look = (): void => {
        const found = messages.find(test);
        if (found === undefined) return;
        clearTimeout(timer);
        done(found);
      };
      waiting.push(look);
      void ended.then(look);
      look();
    }),
  };
}

export const withId = (id: number) => (message: JsonObject): boolean => message['id'] === id && message['method'] === undefined;

/** What the runtime holds, in kB; 0 where it has ended. */
export function memoryOf({ child }: Wire): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
