// Contract: the process boundary of everything but `hook` (bin/praetorctl sends that to its own bundle). The only place that
// sets an exit code. IO.
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { realHost } from './host.ts';
import { runCli } from './cli/program.ts';
import type { CliIo, Launched } from './cli/output.ts';

/** Whole or not at all: a pipe that takes only a part is written again until done; a closed one ends the output. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(fd, bytes, done, bytes.length - done);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EAGAIN') { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); continue; }
      if (code === 'EPIPE') return;
      throw error;
    }
  }
}

function ask(question: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    let answered = false;
    lines.on('close', () => { if (!answered) resolve(undefined); });
    lines.question(question, (answer) => { answered = true; lines.close(); resolve(answer); });
  });
}

/** Everything on standard input, or nothing where it is too large to be meant. */
async function readAll(bytesMax: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > bytesMax) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const PASSED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** A client in the foreground: our terminal, our signals, its exit code. */
function launch(command: string, args: readonly string[]): Promise<Launched> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args], { stdio: 'inherit' });
    const pass = (signal: NodeJS.Signals): void => {
      // The terminal tells every process of the foreground about its keys; a second time would end clients that ask first.
      const isKey = process.stdin.isTTY === true && (signal === 'SIGINT' || signal === 'SIGQUIT');
      if (!isKey) child.kill(signal);
    };
    for (const signal of PASSED) {
      process.removeAllListeners(signal);
      process.on(signal, pass);
    }
    child.on('error', (error) => resolve({ code: null, signalNumber: 0, failure: (error as NodeJS.ErrnoException).code ?? 'unknown' }));
    child.on('exit', (code, signal) => resolve({ code, signalNumber: signal === null ? 0 : constants.signals[signal] }));
  });
}

async function main(): Promise<void> {
  const io: CliIo = {
    host: realHost(),
    out: (text) => { writeAll(1, text); },
    err: (text) => { writeAll(2, text); },
    outIsTty: process.stdout.isTTY === true, errIsTty: process.stderr.isTTY === true, inIsTty: process.stdin.isTTY === true,
    columns: process.stdout.columns,
    ask, stdin: readAll, launch,
    // dist/cli.cjs -> bin/praetorctl
    program: { node: process.execPath, script: path.resolve(__dirname, '..', 'bin', 'praetorctl') },
  };
  // Each ends through `exit`, where temporary directories are removed and what was started is ended.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => { process.exit(128 + constants.signals[signal]); });
  process.exitCode = await runCli(process.argv.slice(2), io);
}

main().catch((error: unknown) => {
  // Standard output that cannot be written to ends up here; there is nobody left to give a JSON document to.
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  try {
    writeAll(2, `praetorctl: error: write-failed: the output could not be written (${code})\npraetorctl: fix: check where the output goes; the command itself had ended.\n`);
  } catch { /* nobody listens */ }
  process.exitCode = 1;
});
