// Contract: a grant: a person in a terminal allows one call of one operation, for a while. One file each below `<state>/grants`. PURE.
import { isObject } from '../model/json.ts';

export const GRANTS_DIRECTORY = 'grants';
export const GRANT_MS_DEFAULT = 15 * 60_000;
export const GRANT_MS_MAX = 8 * 60 * 60_000;
export const GRANTS_MAX = 1_000;

export interface Grant { readonly v: 1; readonly operation: string; readonly expiresMs: number; readonly by: string; readonly at: string }

export function parseGrant(text: string): Grant | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { v, operation, expiresMs, by, at } = value;
  if (v !== 1 || typeof operation !== 'string' || typeof expiresMs !== 'number' || typeof by !== 'string' || typeof at !== 'string') return undefined;
  return { v, operation, expiresMs, by, at };
}
