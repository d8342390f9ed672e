// Contract: stands in for clients/dialects.ts in the hook's bundle (scripts/build.mjs): a table of what the hook must know of all
// dialects is part of the bundle, and the one dialect that a call needs is loaded from a bundle of its own. So a call costs the
// same whatever the number of clients. IO.
import { callerAmong, idAmong } from '../clients/callers.ts';
import type { DialectFacts, GuardedFile, HookDialect } from '../clients/dialect-kit.ts';
import type { EnvMap } from '../model/dialect.ts';
import type { JsonObject } from '../model/json.ts';

/** Put in by the build, from the dialects themselves. */
declare const __DIALECTS__: readonly DialectFacts[];
const TABLE = __DIALECTS__;
/** Given by dist/hook.cjs (scripts/hook-stub.cjs). */
declare const load: (part: `dialect-${string}`) => { readonly dialect: HookDialect };

export function dialectFor(word: string): HookDialect | undefined {
  const id = idAmong(TABLE, word);
  return id === undefined ? undefined : load(`dialect-${id}`).dialect;
}

export function callerOf(registration: string, document: JsonObject, env: EnvMap): string {
  return callerAmong(TABLE, registration, document, env);
}

export function guardedFiles(): GuardedFile[] {
  return TABLE.flatMap(({ guarded }) => guarded);
}
