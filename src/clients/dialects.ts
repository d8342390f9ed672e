// Contract: every dialect, by id. Used by the hook bundle and by tests; the setup rows are listed in registry.ts. PURE.
import { agyDialect } from './agy/dialect.ts';
import { auggieDialect } from './auggie/dialect.ts';
import { claudeDialect } from './claude/dialect.ts';
import { codexDialect } from './codex/dialect.ts';
import { copilotCliDialect } from './copilot-cli/dialect.ts';
import type { GuardedFile, HookDialect } from './dialect-kit.ts';
import { droidDialect } from './droid/dialect.ts';
import { geminiDialect } from './gemini/dialect.ts';
import { lefthookDialect } from './lefthook/dialect.ts';
import { opencodeDialect } from './opencode/dialect.ts';
import { qwenDialect } from './qwen/dialect.ts';
import type { EnvMap } from '../model/dialect.ts';
import type { JsonObject } from '../model/json.ts';

export const DIALECTS: readonly HookDialect[] = [
  claudeDialect,
  codexDialect,
  geminiDialect,
  agyDialect,
  qwenDialect,
  copilotCliDialect,
  droidDialect,
  opencodeDialect,
  auggieDialect,
];

/** For people and git hook managers: no client, so nothing is registered for them and no receipt of theirs is evidence. */
export const HAND_DIALECTS: readonly HookDialect[] = [lefthookDialect];

/** The dialect of an id or alias, as given on the command line. */
export function dialectFor(word: string): HookDialect | undefined {
  return DIALECTS.find((d) => d.id === word || d.aliases.includes(word)) ?? HAND_DIALECTS.find((d) => d.id === word || d.aliases.includes(word));
}

/**
 * Which client started this hook: the registration's own client first, then any other whose mark fits the document
 * (clients run each other's project hooks), else `unknown` (run by hand, or a client without a mark).
 */
export function callerOf(dialect: HookDialect, document: JsonObject, env: EnvMap): string {
  if (dialect.isCaller(document, env)) return dialect.id;
  for (const other of DIALECTS) {
    // A mark that does not look at the document says nothing about another client's registration.
    if (other !== dialect && other.isCaller(document, env) && !other.isCaller({}, env)) return other.id;
  }
  return 'unknown';
}

export function guardedFiles(): GuardedFile[] {
  return DIALECTS.flatMap((d) => d.guarded);
}
