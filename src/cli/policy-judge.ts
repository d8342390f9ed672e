// Contract: asks the hook's own code what it says: the same decoder, facts, settings, quick answer and evaluator. Nothing is
// decided here. `policy test`, `policy explain` and `policy test --cases` differ only in what they show.
// What only a hook process does is left out: evaluators of the operator are not run, and no code to allow once is made.
import * as path from 'node:path';
import { EMPTY, fault, isFault, say, type HookDialect } from '../clients/dialect-kit.ts';
import { hookPlace, policyFacts, type HookPlace } from '../hook/facts.ts';
import type { Evaluate } from '../hook/judge.ts';
import { matches } from '../hook/patterns.ts';
import { respond } from '../hook/respond.ts';
import { knownServers } from '../hook/servers.ts';
import { readSettings, type SourceReader } from '../hook/settings-index.ts';
import { sourceReader } from '../hook/settings-source.ts';
import type { HookSettings, SettingsState } from '../hook/settings-types.ts';
import type { Answer, EnvMap } from '../model/dialect.ts';
import { isObject } from '../model/json.ts';
import type { Payload } from '../model/payload.ts';
import type { Decision, Verdict } from '../model/verdict.ts';
import { evaluate } from '../policy/evaluate.ts';
import { DEFAULT_POLICY, type PolicySettings } from '../policy/pack.ts';
import type { Evaluation } from '../policy/types.ts';
import { compileText } from '../settings/bundle.ts';
import type { CliIo } from './output.ts';
import type { Question } from './policy-input.ts';

export interface Judgement {
  readonly verdict: Decision | 'error';
  readonly rule: string | undefined;
  readonly reason: string | undefined;
  /** What the client is told, as the model reads it. */
  readonly message: string | undefined;
  /** Absent where the document could not be decoded. */
  readonly payload: Payload | undefined;
  readonly evaluation: Evaluation;
  /** The hook needed neither rules nor parser. */
  readonly quick: boolean;
  /** What the hook process would write; only for payloads of a client. */
  readonly answer: Answer | undefined;
  readonly settings: PolicySettings;
  /** How the settings documents were read; empty: from a fresh index, or there are none. */
  readonly settingsState: SettingsState;
}

export interface Judge {
  readonly place: HookPlace;
  /** The evaluator alone. */
  readonly look: (payload: Payload) => Evaluation;
  readonly settings: (workspace: string | undefined) => HookSettings;
}

/** Compiles documents as the hook does, and keeps nothing: asking writes no file. */
function reader(): SourceReader {
  const source = sourceReader(() => ({ compileText }));
  return {
    operatorDocument: (place, file) => source.operatorDocument({ ...place, state: undefined }, file),
    workspaceDocument: (place, file) => source.workspaceDocument({ ...place, state: undefined }, file, undefined),
  };
}

/**
 * The program that would run as the hook is this one: it guards its own installation. Cases are about commands anywhere, so
 * for them the checkout in which they are run is a directory like any other (`portable`).
 */
export function judgeFor({ host, program }: Pick<CliIo, 'host' | 'program'>, portable = false): Judge {
  const rules = host.platform === 'win32' ? path.win32 : path.posix;
  const bare = hookPlace(host.platform, host.env, portable ? undefined : rules.dirname(rules.dirname(program.script)));
  const known = new Map<string | undefined, HookSettings>();
  const settings = (workspace: string | undefined): HookSettings => {
    let found = known.get(workspace);
    if (found === undefined) known.set(workspace, found = readSettings(bare, workspace, { reader, matches }));
    return found;
  };
  const place: HookPlace = { ...bare, settings, servers: (client) => knownServers(bare, client) };
  return { place, settings, look: (payload) => evaluate(payload, policyFacts(place, payload)) };
}

const NOTHING: Evaluation = { verdict: { decision: 'neutral' }, trail: [] };

/** A question is judged in the dialect that was named, whoever asks it. */
const NOBODY: EnvMap = {};

/** A dialect that hands a payload through, for command lines of no client. */
function plainDialect(payload: Payload): HookDialect {
  return {
    id: payload.client, aliases: [], guarded: [], decode: () => payload, encode: () => EMPTY, encodeError: () => EMPTY, neutral: () => EMPTY,
  };
}

function asked(question: Question): { dialect: HookDialect; document: unknown; event: Payload['event'] } {
  return question.kind === 'payload' ? question : { dialect: plainDialect(question.payload), document: {}, event: question.payload.event };
}

export function judgeQuestion(judge: Judge, question: Question): Judgement {
  const { dialect, document, event } = asked(question);
  const { place } = judge;
  let said: Verdict | undefined;
  let evaluation: Evaluation | undefined;
  const listening: HookDialect = { ...dialect, encode: (at, verdict, payload) => { said = verdict; return dialect.encode(at, verdict, payload); } };
  const watched: Evaluate = (payload, facts) => (evaluation = evaluate(payload, facts));
  const response = respond(listening, event, document, NOBODY, place, () => watched);
  const { payload } = response;
  const answer = question.kind === 'payload' ? response.answer : undefined;
  if (payload === undefined || said === undefined) {
    return { verdict: 'error', rule: undefined, reason: faultOf(dialect, event, document, place), message: undefined, payload, evaluation: NOTHING, quick: false, answer, settings: DEFAULT_POLICY, settingsState: '' };
  }
  const { policy, state } = judge.settings(payload.workspace);
  const stops = said.decision === 'deny' || said.decision === 'ask';
  return {
    verdict: said.decision, rule: said.rule, reason: said.reason, message: stops ? say(said) : undefined, payload, answer,
    quick: evaluation === undefined, evaluation: evaluation ?? unasked(judge, payload), settings: policy ?? DEFAULT_POLICY, settingsState: state,
  };
}

/** Where the hook answered quickly, the trail is taken from the evaluator, which says the same. */
function unasked(judge: Judge, payload: Payload): Evaluation {
  return payload.tool !== undefined && (payload.event === 'pre-tool' || payload.event === 'permission') ? judge.look(payload) : NOTHING;
}

/** Why a document could not be judged; the hook refuses it where the event can be refused. */
function faultOf(dialect: HookDialect, event: Payload['event'], document: unknown, place: HookPlace): string {
  const decoded = isObject(document) ? dialect.decode(event, document, place.env) : fault('the document is not a JSON object');
  return isFault(decoded) ? decoded.fault : 'internal error';
}

export function judgePayload(judge: Judge, payload: Payload): Judgement {
  return judgeQuestion(judge, { kind: 'command', command: payload.tool?.command ?? '', payload });
}
