// Contract: small child processes for tests: a TypeScript file is bundled once and then started as often as needed.
import { spawn } from 'node:child_process';
import * as path from 'node:path';
import { build } from 'esbuild';

export interface Ended { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly out: string; readonly err: string }

/** Bundles test/support/<name>.ts into a directory. */
export async function bundleChild(name: string, directory: string): Promise<string> {
  const outfile = path.join(directory, `${name}.mjs`);
  await build({
    entryPoints: [path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), `${name}.ts`)],
    bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'silent',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}

export interface Child { readonly ended: Promise<Ended>; readonly stop: () => void; readonly firstOutput: Promise<void> }

export function startChild(script: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [script, ...args], { env: { PATH: process.env['PATH'] }, stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  let started = (): void => undefined;
  const firstOutput = new Promise<void>((resolve) => { started = resolve; });
  child.stdout.on('data', (data: Buffer) => { out += data.toString(); started(); });
  child.stderr.on('data', (data: Buffer) => { err += data.toString(); });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => { started(); resolve({ code, signal, out, err }); });
  });
  return { ended, firstOutput, stop: () => { child.stdin.end(); } };
}

/** Runs jobs with a few at a time. */
export async function inParallel<T>(items: readonly T[], width: number, job: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await job(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
