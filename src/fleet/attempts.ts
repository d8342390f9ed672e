// Contract: update.jsonl, the last attempts to change the version of this workstation, one line each: what was tried, what came of
// it. For status and receipts; nothing is decided by it. Read here, written in note-attempt.ts. Through Host.
import type { Host } from '../host.ts';
import { isObject } from '../model/json.ts';

export const ATTEMPTS_MAX = 200;
export const ATTEMPTS_BYTES_MAX = 1024 * 1024;

export const RESULTS = ['installed', 'updated', 'up-to-date', 'available', 'held', 'waiting', 'blocked', 'refused', 'diverged', 'reverted', 'failed', 'rolled-back'] as const;
export type AttemptResult = (typeof RESULTS)[number];

export interface Attempt {
  readonly at: string;
  readonly result: AttemptResult;
  /** Why, in one stable word; null where there is nothing to explain. */
  readonly code: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly seq: number | null;
  readonly message: string;
}

export const attemptsPath = (host: Pick<Host, 'platform'>, state: string): string => `${state}${host.platform === 'win32' ? '\\' : '/'}update.jsonl`;

function isAttempt(value: unknown): value is Attempt {
  return isObject(value) && typeof value['at'] === 'string' && (RESULTS as readonly unknown[]).includes(value['result']);
}

/** The oldest first; lines that are none are left out. */
export function parseAttempts(text: string): readonly Attempt[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isAttempt(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

export function readAttempts(host: Pick<Host, 'platform' | 'readFile'>, state: string): readonly Attempt[] {
  try {
    return parseAttempts(new TextDecoder().decode(host.readFile(attemptsPath(host, state), ATTEMPTS_BYTES_MAX)));
  } catch {
    return [];
  }
}
