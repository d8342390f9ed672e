// Contract: a grant: a person in a terminal allows one call of one operation, for a while. One file each below `<state>/grants`. PURE.
// Where a hook judges first, it takes the grant and leaves one for exactly the call that it let through, which the runtime takes.
import { isObject, type JsonValue } from '../model/json.ts';
import { safeCanonical } from './pins.ts';

export const GRANTS_DIRECTORY = 'grants';
export const GRANT_MS_DEFAULT = 15 * 60_000;
export const GRANT_MS_MAX = 8 * 60 * 60_000;
export const GRANTS_MAX = 1_000;
/** From the hook to the runtime: the client may ask the person in between. */
export const PASSED_MS_MAX = 5 * 60_000;

export interface Grant {
  readonly v: 1;
  readonly operation: string;
  readonly expiresMs: number;
  readonly by: string;
  readonly at: string;
  /** Only for the call of this digest: a hook let it through. Absent: for any one call. */
  readonly call?: string;
}

/** A call of an operation with these arguments, the same for hook and runtime. */
export function argumentsDigest(sha256: (text: string) => string, operation: string, given: JsonValue | undefined): string {
  return sha256(`${operation}\0${safeCanonical(given ?? {})}`);
}

export function parseGrant(text: string): Grant | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { v, operation, expiresMs, by, at, call } = value;
  if (v !== 1 || typeof operation !== 'string' || typeof expiresMs !== 'number' || typeof by !== 'string' || typeof at !== 'string' || (call !== undefined && typeof call !== 'string')) return undefined;
  return { v, operation, expiresMs, by, at, ...(call === undefined ? {} : { call }) };
}
