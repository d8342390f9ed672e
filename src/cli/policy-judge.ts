// Contract: asks the hook's own code what it says: the same decoder, facts, settings, quick answer and evaluator. Nothing is
// decided here. `policy test`, `policy explain` and `policy test --cases` differ only in what they show.
import { say } from '../clients/dialect-kit.ts';
import type { Host } from '../host.ts';
import { hookPlace, policyFacts, type HookPlace } from '../hook/facts.ts';
import { judge, type Evaluate } from '../hook/judge.ts';
import { respond } from '../hook/respond.ts';
import type { Answer } from '../model/dialect.ts';
import { isObject } from '../model/json.ts';
import type { Payload } from '../model/payload.ts';
import type { Decision, Verdict } from '../model/verdict.ts';
import { evaluate } from '../policy/evaluate.ts';
import { DEFAULT_POLICY, type PolicySettings } from '../policy/pack.ts';
import type { Evaluation } from '../policy/types.ts';
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
}

export interface Judge { readonly place: HookPlace; readonly evaluate: Evaluate }

export function judgeFor(host: Host): Judge {
  return { place: hookPlace(host.platform, host.env), evaluate };
}

/** The message of a verdict that stops or asks, exactly as the dialects say it. */
function messageOf(verdict: Verdict): string | undefined {
  return verdict.decision === 'deny' || verdict.decision === 'ask' ? say(verdict) : undefined;
}

const NOTHING: Evaluation = { verdict: { decision: 'neutral' }, trail: [] };

/** Runs `ask` with an evaluator that remembers what it saw. */
function watched(tool: Judge): { load: () => Evaluate; seen: () => { evaluation: Evaluation; settings: PolicySettings } | undefined } {
  let seen: { evaluation: Evaluation; settings: PolicySettings } | undefined;
  const load = (): Evaluate => (payload, facts) => {
    const evaluation = tool.evaluate(payload, facts);
    seen = { evaluation, settings: facts.settings ?? DEFAULT_POLICY };
    return evaluation;
  };
  return { load, seen: () => seen };
}

/** Where the hook answered quickly, the trail is taken from the evaluator, which must say the same. */
function whole(tool: Judge, payload: Payload): { evaluation: Evaluation; settings: PolicySettings } {
  const facts = policyFacts(tool.place, payload);
  const { tool: call, event } = payload;
  const judged = call !== undefined && (event === 'pre-tool' || event === 'permission');
  return { evaluation: judged ? tool.evaluate(payload, facts) : NOTHING, settings: facts.settings ?? DEFAULT_POLICY };
}

function judgement(tool: Judge, payload: Payload, verdict: Verdict, seen: { evaluation: Evaluation; settings: PolicySettings } | undefined, answer: Answer | undefined): Judgement {
  return {
    verdict: verdict.decision, rule: verdict.rule, reason: verdict.reason, message: messageOf(verdict), payload, quick: seen === undefined, answer,
    ...(seen ?? whole(tool, payload)),
  };
}

export function judgePayload(tool: Judge, payload: Payload): Judgement {
  const { load, seen } = watched(tool);
  const verdict = judge(payload, () => policyFacts(tool.place, payload), load);
  return judgement(tool, payload, verdict, seen(), undefined);
}

/** Why a document could not be judged; the hook refuses it where the event can be refused. */
function faultOf({ dialect, event, document }: Extract<Question, { kind: 'payload' }>, { place }: Judge): string {
  if (!isObject(document)) return 'the document is not a JSON object';
  const decoded = dialect.decode(event, document, place.env);
  return 'fault' in decoded ? decoded.fault : 'internal error';
}

export function judgeQuestion(tool: Judge, question: Question): Judgement {
  if (question.kind === 'command') return judgePayload(tool, question.payload);
  const { dialect, event, document } = question;
  const { load, seen } = watched(tool);
  const response = respond(dialect, event, document, tool.place.env, tool.place, load);
  const { payload, verdict, answer } = response;
  if (payload === undefined || verdict === 'error' || verdict === 'skipped') {
    return { verdict: 'error', rule: undefined, reason: faultOf(question, tool), message: undefined, payload, evaluation: NOTHING, quick: false, answer, settings: DEFAULT_POLICY };
  }
  const found = seen();
  const said = found?.evaluation.verdict ?? { decision: verdict };
  return judgement(tool, payload, said, found, answer);
}
