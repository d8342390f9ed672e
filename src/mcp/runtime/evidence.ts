// Contract: a person's approval as it lies on the disk: receipts of the hook and grants. IO. Each counts once: a grant goes with an
// unlink that one process wins, a receipt is remembered by this process, to which its call belongs: one from before it was started is of
// another call, and may have been answered with no.
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, unlinkSync } from 'node:fs';
import { GRANTS_MAX, parseGrant, type Grant } from '../../contract/grant.ts';
import { RECEIPTS_FILE } from '../../receipts/append.ts';
import { parseReceiptLine, type Receipt } from '../../receipts/format.ts';
import { QUESTION_MS_MAX } from '../session-types.ts';

/** The receipt of the call that is being made stands near the end. */
const TAIL_BYTES = 1024 * 1024;
const USED_MAX = 100_000;

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
  const { verdict, rule, call, synthetic, time } = receipt;
  const asked = verdict === 'ask' || (verdict === 'neutral' && rule?.startsWith('allow-once:contract.') === true);
  const at = Date.parse(time);
  return call === digest && asked && synthetic !== true && at >= started && at <= now + 1_000 && at >= now - QUESTION_MS_MAX;
}

export function hookEvidence(receipts: string | undefined, now: () => number): (digest: string) => boolean {
  const used = new Set<string>();
  const started = now();
  return (digest) => {
    if (receipts === undefined || used.has(digest) || used.size >= USED_MAX) return false;
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
    if (found) used.add(digest);
    return found;
  };
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
