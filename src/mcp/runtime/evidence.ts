// Contract: a person's approval as it lies on the disk: receipts of the hook and grants. IO. Each counts once on this workstation: a
// grant goes with an unlink that one process wins, a receipt with a file that one process makes. A receipt from before this process was
// started is of another call, and may have been answered with no.
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { GRANTS_MAX, parseGrant, type Grant } from '../../contract/grant.ts';
import { RECEIPTS_FILE } from '../../receipts/append.ts';
import { parseReceiptLine, type Receipt } from '../../receipts/format.ts';
import { QUESTION_MS_MAX } from '../session-types.ts';

/** The receipt of the call that is being made stands near the end. */
const TAIL_BYTES = 1024 * 1024;
/** Below the state directory: an empty file for each question whose answer was used, by the digest of its call. */
export const USED_DIRECTORY = 'used';
const USED_MAX = 10_000;
/** No receipt counts as long. */
const USED_MS_MAX = 2 * QUESTION_MS_MAX;

function tailOf(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const got = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('latin1', 0, got);
  } finally {
    closeSync(fd);
  }
}

/** The client shows a question of its hook before it calls: a call that comes was answered with yes. Or a person allowed it in a terminal. */
function isYes(receipt: Receipt, digest: string, started: number, now: number): boolean {
  const { verdict, rule, call, caller, synthetic, time } = receipt;
  const asked = (verdict === 'ask' && caller !== 'unknown') || (verdict === 'neutral' && rule?.startsWith('allow-once:contract.') === true);
  const at = Date.parse(time);
  return call === digest && asked && synthetic !== true && at >= started && at <= now + 1_000 && at >= now - QUESTION_MS_MAX;
}

/** `used`: the directory of what was used. */
export function hookEvidence(receipts: string | undefined, used: string | undefined, now: () => number): (digest: string) => boolean {
  const started = now();
  return (digest) => {
    if (receipts === undefined || used === undefined) return false;
    let lines: string[];
    try {
      lines = tailOf(`${receipts}/${RECEIPTS_FILE}`).split('\n').filter((line) => line.includes(digest));
    } catch {
      return false;
    }
    const found = lines.some((line) => {
      const receipt = parseReceiptLine(line);
      return receipt !== undefined && isYes(receipt, digest, started, now());
    });
    return found && taken(used, digest, now());
  };
}

/** True for the one process that makes the file. What cannot be written down does not count. */
function taken(directory: string, digest: string, now: number): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const names = readdirSync(directory);
    const old = names.filter((name) => (statSync(`${directory}/${name}`, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - USED_MS_MAX);
    if (names.length - old.length >= USED_MAX) return false;
    closeSync(openSync(`${directory}/${digest}`, 'wx', 0o600));
    for (const name of old) rmSync(`${directory}/${name}`, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** `call`: the digest of the call's arguments. What a hook left for this very call comes first, so that it does not stay behind. */
export function grantTaker(directory: string | undefined, now: () => number): (operation: string, call: string) => boolean {
  return (operation, call) => {
    if (directory === undefined) return false;
    const grants = grantsIn(directory).filter(({ grant }) => grant.operation === operation);
    const fitting = [...grants.filter(({ grant }) => grant.call === call), ...grants.filter(({ grant }) => grant.call === undefined)];
    return fitting.some(({ path, grant }) => {
      try {
        // Whoever unlinks it has it.
        unlinkSync(path);
        return grant.expiresMs >= now();
      } catch {
        return false;
      }
    });
  };
}

function grantsIn(directory: string): { readonly path: string; readonly grant: Grant }[] {
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => name.endsWith('.json')).slice(0, GRANTS_MAX);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = `${directory}/${name}`;
    try {
      const grant = parseGrant(readFileSync(path, 'utf8'));
      return grant === undefined ? [] : [{ path, grant }];
    } catch {
      return [];
    }
  });
}
