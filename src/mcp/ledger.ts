// Contract: idempotency keys of one session: the same key with the same request gets the result that was there, another request
// with it, or a second one while the first runs, is a conflict. PURE. Bounded: the oldest finished ones go.
import type { Operation } from '../contract/catalogue-schema.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { LEDGER_MAX } from './session-types.ts';

export type Begun =
  | { readonly state: 'untracked' | 'tracked' }
  | { readonly state: 'replay'; readonly result: JsonObject }
  | { readonly state: 'conflict'; readonly why: string };

export interface Ledger {
  readonly begin: (operation: Operation, given: JsonObject, digest: () => string, call: string) => Begun;
  /** `outcome` undefined: it failed in the protocol, and may be tried again. */
  readonly end: (call: string, outcome: JsonObject | undefined) => void;
}

interface Entry { readonly digest: string; readonly call: string; result: JsonObject | undefined }

export function ledger(): Ledger {
  const entries = new Map<string, Entry>();
  return {
    begin: (operation, given, digestOf, call) => {
      const input = operation.idempotencyKey?.input;
      const key = input !== undefined && Object.hasOwn(given, input) ? given[input] : undefined;
      if (typeof key !== 'string' || key === '') return { state: 'untracked' };
      const name = `${operation.id}\0${key}`;
      const digest = digestOf();
      const known = entries.get(name);
      if (known !== undefined && known.digest !== digest) return { state: 'conflict', why: `This ${input} was used for another request. A new effect needs a new one.` };
      if (known?.result !== undefined) return { state: 'replay', result: known.result };
      if (known !== undefined) return { state: 'conflict', why: `A request with this ${input} is still running.` };
      if (entries.size >= LEDGER_MAX) for (const [old, entry] of entries) if (entry.result !== undefined) { entries.delete(old); break; }
      entries.set(name, { digest, call, result: undefined });
      return { state: 'tracked' };
    },
    end: (call, outcome) => {
      const found = [...entries].find(([, entry]) => entry.call === call && entry.result === undefined);
      if (found === undefined) return;
      if (isObject(outcome) && outcome['isError'] !== true && outcome['resultType'] !== 'input_required') found[1].result = outcome;
      else entries.delete(found[0]);
    },
  };
}
