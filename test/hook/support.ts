// Contract: runs the built hook as a real process, with every kind of standard input. Test-only.
import { execFileSync, spawn, type StdioOptions } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { parseReceiptLine, type Receipt } from '../../src/receipts/format.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const HOOK = join(ROOT, 'dist', 'hook.cjs');
export const BIN = join(ROOT, 'bin', 'praetorctl');

export function buildHook(): void {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), '--hook'], { stdio: 'inherit' });
}

const directories: string[] = [];
afterAll(() => { for (const directory of directories) rmSync(directory, { recursive: true, force: true }); });

export function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'praetorctl-hook-'));
  directories.push(directory);
  return directory;
}

export interface Ran { readonly code: number | null; readonly signal: string | null; readonly stdout: string; readonly stderr: string; readonly ms: number }

export interface RunOptions {
  readonly argv?: readonly string[];
  readonly stdio?: StdioOptions;
  readonly env?: Readonly<Record<string, string>>;
  readonly state?: string;
  /** Gets standard input; the default writes `input` and ends. */
  readonly feed?: (stdin: NodeJS.WritableStream) => void;
  readonly input?: string | Buffer;
  /** Runs `sh -c` instead, with `$NODE`, `$HOOK` and `$1` (the client) `$2` (the event). */
  readonly shell?: string;
  readonly closeStdout?: boolean;
}

/** The words `hook <client> <event>` are added. */
export function run(client: string, event: string, options: RunOptions = {}): Promise<Ran> {
  const started = performance.now();
  const command = options.shell === undefined ? process.execPath : 'sh';
  const argv = options.shell === undefined ? [HOOK, 'hook', client, event, ...(options.argv ?? [])] : ['-c', options.shell, 'sh', client, event];
  return new Promise((done, fail) => {
    const child = spawn(command, argv, {
      stdio: options.stdio ?? ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '', HOME: '/nonexistent-home', NODE: process.execPath, HOOK,
        PRAETORCTL_STATE_DIR: options.state ?? temporary(), ...options.env,
      },
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => { stdout += chunk.toString(); });
    child.stderr?.on('data', (chunk: Buffer) => { stderr += chunk.toString(); });
    if (options.closeStdout === true) child.stdout?.destroy();
    child.stdin?.on('error', () => undefined);
    if (child.stdin !== null) {
      if (options.feed !== undefined) options.feed(child.stdin);
      else child.stdin.end(options.input ?? '');
    }
    child.on('error', fail);
    // `exit`, then a moment for the pipes: `close` would wait for writers that the test keeps open.
    child.on('exit', (code, signal) => setTimeout(() => {
      child.stdin?.destroy();
      done({ code, signal, stdout, stderr, ms: performance.now() - started });
    }, 50));
  });
}

export function receipts(state: string): Receipt[] {
  const directory = join(state, 'receipts');
  return readdirSync(directory).filter((name) => name.endsWith('.jsonl')).flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').filter((line) => line !== '').map((line) => {
    const receipt = parseReceiptLine(line);
    if (receipt === undefined) throw new Error(`damaged receipt: ${line}`);
    return receipt;
  }));
}

/** A harmless and a refused shell call in each client's form. */
export function shellCall(client: string, command: string): string {
  const document = client === 'agy'
    ? { conversationId: 's', workspacePaths: ['/w'], toolCall: { name: 'run_command', args: { CommandLine: command } } }
    : { session_id: 's', cwd: '/w', tool_name: client === 'gemini' ? 'run_shell_command' : 'Bash', tool_input: { command } };
  return JSON.stringify(document);
}

/** True where the client would take this as a refusal (see the golden answers). */
export function refuses(client: string, { code, stdout, stderr }: Ran): boolean {
  if (code === 2 && stderr.trim() !== '') return true;
  const denies = /"(permissionDecision|decision)":"deny"/.test(stdout);
  return client === 'claude' ? false : code === 0 && denies;
}
