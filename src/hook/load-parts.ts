// Contract: loads the parts of the hook that most calls do not need. IO. Throws where one is missing or damaged: the hook then
// answers with the encoded error. `load` is given by dist/hook.cjs (scripts/hook-stub.cjs) and runs a part each time, so that
// each is remembered here.
import type { ContractPolicy } from '../contract/lookup.ts';
import type { Payload, ToolCall } from '../model/payload.ts';
import type { CataloguedTool, Verdict } from '../model/verdict.ts';
import type { EvaluatorSpec } from '../policy/operator-index.ts';
import type { OncePlace } from './allow-once.ts';
import type { ContractPlace } from './contract-place.ts';
import type { EvaluatorPlace } from './evaluators.ts';
import type { EvaluatorResult } from './evaluators-list.ts';
import type { GrantedCall, GrantPlace } from './grants.ts';
import type { SettingsParts, SourceReader } from './settings-index.ts';
import type { SettingsCompiler } from './settings-source.ts';

interface Parts {
  readonly settings: SettingsCompiler;
  readonly source: { readonly sourceReader: (compiler: () => SettingsCompiler) => SourceReader };
  readonly patterns: { readonly matches: (pattern: string, text: string) => boolean };
  readonly once: { readonly allowOnce: (place: OncePlace, payload: Payload, verdict: Verdict, now: number) => Verdict };
  readonly record: { readonly refusal: (directory: string, platform: string) => string | undefined; readonly record: (directory: string, client: string, event: string, raw: Uint8Array) => void };
  readonly contract: {
    readonly contractVerdict: (place: ContractPlace, tool: ToolCall, spell: (name: string) => string, policy: ContractPolicy) => Verdict;
    readonly callEvidence: (tool: ToolCall, about: CataloguedTool) => string | undefined;
    readonly takeGrant: (place: GrantPlace, call: GrantedCall) => boolean;
    readonly passOn: (place: GrantPlace, call: GrantedCall) => void;
  };
  readonly evaluators: { readonly runEvaluators: (specs: readonly EvaluatorSpec[], payload: Payload, place: EvaluatorPlace) => EvaluatorResult[] };
}

declare const load: <K extends keyof Parts>(part: K) => Parts[K];

const loaded = new Map<keyof Parts, unknown>();

export function loadPart<K extends keyof Parts>(name: K): Parts[K] {
  let part = loaded.get(name) as Parts[K] | undefined;
  if (part === undefined) loaded.set(name, part = load(name));
  return part;
}

let reader: SourceReader | undefined;

export const SETTINGS_PARTS: SettingsParts = {
  reader: () => reader ??= loadPart('source').sourceReader(() => loadPart('settings')),
  matches: (pattern, text) => loadPart('patterns').matches(pattern, text),
};
