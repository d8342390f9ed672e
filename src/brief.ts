// Contract: the small bundle that answers `workstation status` without loading the command line: it is asked often. Whatever else was
// asked, and whatever goes wrong, goes to the command line, which answers the same. IO, and beside main.ts the only place that
// sets an exit code.
import * as fs from 'node:fs';
import type { Platform } from './model/client.ts';
import { toDocument, type Outcome } from './cli/output.ts';
import { tilde } from './cli/style.ts';
import { statusOutcome } from './cli/workstation-view.ts';
import { stationStatus } from './fleet/status-evidence.ts';
import { homeOf } from './roots/own-dirs.ts';

declare const require: (path: string) => unknown;
declare const __dirname: string;

function readFile(path: string, maxBytes: number): Uint8Array {
  const stat = fs.statSync(path);
  if (!stat.isFile() || stat.size > maxBytes) throw Object.assign(new Error('not a small regular file'), { code: 'ENOTFILE' });
  return fs.readFileSync(path);
}

const lstat = (path: string): { readonly mtimeNs: string } | undefined => {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? undefined : { mtimeNs: `${Math.floor(stat.mtimeMs)}000000` };
};

function canExecute(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const HOST = { platform: process.platform as Platform, env: process.env, now: () => Date.now(), lstat, readFile, canExecute };

function answerOf(words: readonly string[]): Outcome | undefined {
  if (words[0] !== 'status' || words.length !== 1) return undefined;
  const home = homeOf(HOST) ?? '';
  return statusOutcome(stationStatus(HOST), (path) => tilde({ home }, path));
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
