// Contract: the real runtime as a process in front of a server, spoken to as a client does.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { JsonObject } from '../../src/model/json.ts';
import { BIN } from '../hook/support.ts';
import type { Station } from '../hook/operator-support.ts';

export interface Wire {
  readonly ask: (message: JsonObject) => Promise<JsonObject>;
  readonly err: () => string;
  readonly ended: Promise<number>;
  readonly child: ChildProcessWithoutNullStreams;
}

/** The real runtime in front of a server, as a client holds it; the caller ends what is in `running`. */
export function guardedServer(at: Station, server: string, env: Record<string, string>, running: ChildProcessWithoutNullStreams[]): Wire {
  const child = spawn(process.execPath, [BIN, 'mcp', server], { env: { ...at.env, PATH: process.env['PATH'] ?? '', ...env }, cwd: at.workspace });
  running.push(child);
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  let rest = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) { const message = JSON.parse(line) as JsonObject; waiting.get(message['id'])?.(message); }
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { err += chunk; });
  const ended = new Promise<number>((done) => child.on('close', (code) => done(code ?? -1)));
  return { child, ended, err: () => err, ask: (message) => new Promise((done) => { waiting.set(message['id'], done); child.stdin.write(`${JSON.stringify(message)}\n`); }) };
}
