// Contract: every dialect, by id; the setup rows are listed in registry.ts. In the hook's bundle hook/load-dialects.ts stands in for
// this file: a table of what the hook must know of all, and one bundle for each dialect. PURE.
import { agyDialect } from './agy/dialect.ts';
import { ampDialect } from './amp/dialect.ts';
import { auggieDialect } from './auggie/dialect.ts';
import { callerAmong, idAmong } from './callers.ts';
import { claudeDialect } from './claude/dialect.ts';
import { clineDialect } from './cline/dialect.ts';
import { codexDialect } from './codex/dialect.ts';
import { copilotCliDialect } from './copilot-cli/dialect.ts';
import { crushDialect } from './crush/dialect.ts';
import { cursorDialect } from './cursor/dialect.ts';
import type { GuardedFile, HookDialect } from './dialect-kit.ts';
import { droidDialect } from './droid/dialect.ts';
import { geminiDialect } from './gemini/dialect.ts';
import { gooseDialect } from './goose/dialect.ts';
import { junieDialect } from './junie/dialect.ts';
import { kiloDialect } from './kilo/dialect.ts';
import { kimiDialect } from './kimi/dialect.ts';
import { lefthookDialect } from './lefthook/dialect.ts';
import { opencodeDialect } from './opencode/dialect.ts';
import { qwenDialect } from './qwen/dialect.ts';
import { vscodeDialect } from './vscode/dialect.ts';
import { windsurfDialect } from './windsurf/dialect.ts';
import { devinDialect } from './devin/dialect.ts';
import { kiroDialect } from './kiro/dialect.ts';
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
  kiroDialect,
  devinDialect,
  windsurfDialect,
  kiloDialect,
  clineDialect,
  ampDialect,
  crushDialect,
  kimiDialect,
  junieDialect,
  gooseDialect,
  cursorDialect,
  vscodeDialect,
];

/** For people and git hook managers: no client, so nothing is registered for them and no receipt of theirs is evidence. */
export const HAND_DIALECTS: readonly HookDialect[] = [lefthookDialect];

const ALL: readonly HookDialect[] = [...DIALECTS, ...HAND_DIALECTS];

/** The dialect of an id or alias, as given on the command line. */
export function dialectFor(word: string): HookDialect | undefined {
  const id = idAmong(ALL, word);
  return ALL.find((dialect) => dialect.id === id);
}

export function callerOf(registration: string, document: JsonObject, env: EnvMap): string {
  return callerAmong(ALL, registration, document, env);
}

export function guardedFiles(): GuardedFile[] {
  return ALL.flatMap(({ guarded }) => guarded);
}
