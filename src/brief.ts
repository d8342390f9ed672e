// Contract: the small bundle that answers `workstation status` and, where nothing is new, `workstation update --check`, without loading
// the command line: both are asked often. Whatever else was asked, and whatever goes wrong, goes to the command line, which answers
// the same. IO, and beside main.ts the only place that sets an exit code.
import type * as ChildProcess from 'node:child_process';
import * as fs from 'node:fs';
import type { SpawnOptions, SpawnResult } from './host.ts';
import type { Platform } from './model/client.ts';
import { toDocument, type Outcome } from './cli/output.ts';
import { tilde } from './cli/style.ts';
import { statusOutcome, updateOutcome } from './cli/workstation-view.ts';
import { quickCheck } from './fleet/update-report.ts';
import { stationStatus } from './fleet/status-evidence.ts';
import { dataDirOf, readInstallRecord } from './roots/install-record.ts';
import { homeOf } from './roots/own-dirs.ts';

declare const require: (path: string) => unknown;
declare const __dirname: string;

function readFile(path: string, maxBytes: number): Uint8Array {
  const stat = fs.statSync(path);
  if (!stat.isFile() || stat.size > maxBytes) throw Object.assign(new Error('not a small regular file'), { code: 'ENOTFILE' });
  return fs.readFileSync(path);
}

const exists = (path: string): { readonly kind: 'dir' | 'file' } | undefined => {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? undefined : { kind: stat.isDirectory() ? 'dir' : 'file' };
};

function spawn(command: string, args: readonly string[], { input, env, cwd, timeoutMs, maxBytes }: SpawnOptions): SpawnResult {
  // Status starts nothing, and loading this costs a tenth of what it may take.
  const { spawnSync } = require('node:child_process') as typeof ChildProcess;
  const ran = spawnSync(command, [...args], { input: input ?? '', env: env as NodeJS.ProcessEnv, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: maxBytes, encoding: 'utf8', windowsHide: true, ...(cwd === undefined ? {} : { cwd }) });
  return { code: ran.status, signal: ran.signal, stdout: ran.stdout ?? '', stderr: ran.stderr ?? '', ...(ran.error === undefined ? {} : { failure: 'unknown' }) };
}

function canExecute(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const HOST = { platform: process.platform as Platform, env: process.env, now: () => Date.now(), lstat: exists, stat: exists, readFile, canExecute, spawn };

function answerOf(words: readonly string[]): Outcome | undefined {
  if (words[0] === 'status' && words.length === 1) {
    const home = homeOf(HOST) ?? '';
    return statusOutcome(stationStatus(HOST), (path) => tilde({ home }, path));
  }
  if (words[0] !== 'update' || words[1] !== '--check' || words.length !== 2) return undefined;
  const data = dataDirOf(HOST);
  const record = readInstallRecord(HOST, data);
  const report = record === undefined ? undefined : quickCheck(HOST, data, record);
  return report === undefined ? undefined : updateOutcome(report);
}

function tried(words: readonly string[]): Outcome | undefined {
  try {
    return answerOf(words);
  } catch {
    return undefined;
  }
}

const asked = process.argv.slice(3);
const json = asked.includes('--json') || !['', '0', 'false'].includes(process.env['PRAETORCTL_JSON'] ?? '');
const outcome = tried(asked.filter((word) => word !== '--json'));
if (outcome === undefined) require(`${__dirname}/cli.cjs`);
else {
  process.exitCode = outcome.exit;
  const text = json ? `${JSON.stringify(toDocument(outcome), null, 2)}\n` : `${outcome.text}\n`;
  try {
    // A pipe takes this much at once; a closed one ends the output.
    fs.writeSync(1, text);
  } catch { /* nobody listens */ }
}
