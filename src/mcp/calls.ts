// Contract: one `tools/call` of the client: refused, asked about, or forwarded without the arguments that are ours. PURE: what is
// done is said as actions. The decision is contract/decide.ts, the same as the hook's.
import { decide, type ContractCode, type ContractDecision } from '../contract/decide.ts';
import { refusal, refusedResult, type Envelope } from '../contract/envelope.ts';
import { argumentsDigest } from '../contract/grant.ts';
import { quarantined } from '../contract/lookup.ts';
import { callDigest } from '../contract/pins.ts';
import { requestControls, withoutControls } from '../contract/served.ts';
import { jsonEditor } from '../merge/json.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { approvals, type Approvals } from './human.ts';
import { ledger, type Ledger } from './ledger.ts';
import type { GovernedTool, LiveTools } from './live-tools.ts';
import { canElicit, idKey, metaOf, objectAt, request, result, type MessageId } from './messages.ts';
import type { Requests } from './requests.ts';
import { QUESTIONS_MAX, QUESTION_KEY, QUESTION_MS_MAX, STATES_MAX, type Action, type HeldCall, type SessionConfig } from './session-types.ts';

const STRICT = jsonEditor({ comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false });

/** Of a name that could be anything. */
const NAME_CHARS_MAX = 128;

/** What is known of the client besides the call. */
export interface ClientSide { readonly capabilities: JsonObject | undefined; readonly name: string }

export interface Calls {
  readonly call: (held: HeldCall, client: ClientSide) => readonly Action[];
  /** The client's response to a question of ours; undefined: not one of ours. */
  readonly answered: (id: MessageId, response: JsonObject) => readonly Action[] | undefined;
  /** True where the call was waiting for a person: the upstream never saw it. */
  readonly cancelled: (key: string) => boolean;
  /** Its result has to be looked at. */
  readonly watches: (key: string) => boolean;
  /** `response`: undefined where it cannot be read. */
  readonly finished: (key: string, response: JsonObject | undefined) => void;
  readonly tick: () => readonly Action[];
}

interface Judged { readonly held: HeldCall; readonly tool: GovernedTool; readonly given: JsonObject; readonly digest: () => string; readonly caller: string; readonly modern: boolean }
interface Question { readonly judged: Judged; readonly reason: string; readonly until: number }
type Refused = Exclude<ContractDecision, { decision: 'none' }>;

interface Gate {
  readonly config: SessionConfig;
  readonly live: LiveTools;
  readonly requests: Requests;
  readonly human: Approvals;
  readonly keys: Ledger;
  readonly questions: Map<string, Question>;
  readonly running: Map<string, Judged>;
  /** Digest of an upstream's own state -> the call that may come back with it. */
  readonly continued: Map<string, string>;
  /** Made at the first question: the upstream, which sees our other ids, cannot guess it. */
  prefix: string | undefined;
  asked: number;
}

export function callGate(config: SessionConfig, live: LiveTools, requests: Requests): Calls {
  const gate: Gate = {
    config, live, requests, human: approvals(config), keys: ledger(), questions: new Map(), running: new Map(), continued: new Map(), prefix: undefined, asked: 0,
  };
  return {
    call: (held, client) => call(gate, held, client),
    answered: (id, response) => answered(gate, id, response),
    cancelled: (key) => {
      const asked = [...gate.questions].find(([, { judged }]) => idKey(judged.held.id) === key);
      return asked !== undefined && gate.questions.delete(asked[0]);
    },
    watches: (key) => gate.running.has(key),
    finished: (key, response) => finished(gate, key, response),
    tick: () => [...gate.questions].filter(([, { until }]) => until < config.now()).flatMap(([id, { judged, reason }]) => {
      gate.questions.delete(id);
      return refuse(gate, judged, humanDecision(judged.tool, reason));
    }),
  };
}

function call(gate: Gate, held: HeldCall, client: ClientSide): readonly Action[] {
  const { config, live } = gate;
  const { name } = held.params;
  const caller = metaOf(held.params).clientName ?? client.name;
  const no = (tool: string, code: ContractCode, detail: string, reason: string): Action[] => refuse(gate, { held, caller }, { decision: 'deny', code, detail, reason }, tool.slice(0, NAME_CHARS_MAX));
  if (typeof name !== 'string') return no('', 'validation_error', 'no_name', 'The call names no tool.');
  if (held.isTwice) return no(name, 'validation_error', 'ambiguous_json', 'The call has one key twice: it could be read in two ways.');
  const tool = live.governed(name);
  if (tool === undefined) return no(name, 'unsupported_operation', 'unknown_operation', `${name.slice(0, NAME_CHARS_MAX)} is not in the catalogue of ${config.catalogue.service.id}.`);
  if (tool.operation.state === 'approved' && live.stateOf(name) !== 'approved') return refuse(gate, { held, caller }, quarantined(name, tool.operation.id.split('.')[0] ?? ''), name);
  const given = held.params['arguments'] ?? {};
  if (!isObject(given)) return no(name, 'validation_error', 'arguments_not_an_object', `The arguments of ${name} must be an object.`);
  let known: string | undefined;
  const digest = (): string => known ??= argumentsDigest(config.sha256, tool.operation.id, given);
  return judge(gate, { held, tool, given, digest, caller, modern: metaOf(held.params).modern }, client);
}

function judge(gate: Gate, judged: Judged, client: ClientSide): readonly Action[] {
  const { config } = gate;
  const { held, tool, given, digest } = judged;
  const decision = decide(tool.facts, given, config.floor);
  if (decision.decision === 'deny') return refuse(gate, judged, decision);
  if (decision.decision === 'none') {
    if (decision.dryRun && tool.operation.dryRun?.by === 'runtime') {
      return [config.executes ? { to: 'upstream', text: upstreamText(config, judged, false) } : reply(gate, held, plannedResult(judged))];
    }
    return forward(gate, judged, false);
  }
  const again = retried(gate, judged, decision);
  if (again !== undefined) return again;
  const { callId } = metaOf(held.params);
  if (callId !== undefined && config.humanEvidence.includes('hook') && config.takeHookEvidence(callDigest(config.sha256, { callId, service: config.catalogue.service.id, tool: tool.operation.mcpTool }, given))) return forward(gate, judged, false);
  if (config.humanEvidence.includes('grant') && config.takeGrant(tool.operation.id, digest())) return forward(gate, judged, false);
  return ask(gate, judged, decision.reason, client);
}

/** A retry of the stateless protocol. Undefined: an ordinary call. */
function retried(gate: Gate, judged: Judged, decision: Refused): readonly Action[] | undefined {
  const { inputResponses, requestState } = judged.held.params;
  if (gate.human.isOwnState(requestState)) {
    const answer = isObject(inputResponses) ? inputResponses[QUESTION_KEY] : undefined;
    return gate.human.takeState(requestState, judged.digest()) && gate.human.isYes(answer) ? forward(gate, judged, true) : refuse(gate, judged, decision);
  }
  // Without a state of ours nobody was asked: an answer to our question is made up.
  if (isObject(inputResponses) && Object.hasOwn(inputResponses, QUESTION_KEY)) return refuse(gate, judged, decision);
  if (typeof requestState !== 'string') return undefined;
  const state = gate.config.sha256(requestState);
  if (gate.continued.get(state) !== judged.digest()) return undefined;
  gate.continued.delete(state);
  return forward(gate, judged, false);
}

function ask(gate: Gate, judged: Judged, reason: string, client: ClientSide): readonly Action[] {
  const { tool, held, digest, modern } = judged;
  const name = tool.operation.mcpTool;
  const capabilities = modern ? metaOf(held.params).capabilities : client.capabilities;
  if (!gate.config.humanEvidence.includes('elicitation') || !canElicit(capabilities) || gate.questions.size >= QUESTIONS_MAX) return refuse(gate, judged, humanDecision(tool, reason));
  gate.config.note({ tool: name, verdict: 'ask', code: 'confirmation_required', caller: judged.caller, canWait: false });
  if (modern) return [reply(gate, held, gate.human.inputRequired(name, reason, digest()))];
  const id = `${gate.prefix ??= `praetor-q:${gate.config.nonce()}:`}${gate.asked++}`;
  gate.questions.set(id, { judged, reason, until: gate.config.now() + QUESTION_MS_MAX });
  return [{ to: 'client', text: request(id, 'elicitation/create', gate.human.question(name, reason)) }];
}

function answered(gate: Gate, id: MessageId, response: JsonObject): readonly Action[] | undefined {
  if (typeof id !== 'string' || gate.prefix === undefined || !id.startsWith(gate.prefix)) return undefined;
  const question = gate.questions.get(id);
  gate.questions.delete(id);
  if (question === undefined) return [];
  const { judged, reason } = question;
  return gate.human.isYes(response['result']) ? forward(gate, judged, false) : refuse(gate, judged, humanDecision(judged.tool, reason));
}

/** `asked`: the answer to our question stands in the call and is not the upstream's. */
function forward(gate: Gate, judged: Judged, asked: boolean): Action[] {
  const { held, tool, given } = judged;
  const name = tool.operation.mcpTool;
  const key = gate.keys.begin(tool.operation, given, judged.digest, idKey(held.id));
  if (key.state === 'replay') return [reply(gate, held, key.result)];
  if (key.state === 'conflict') {
    gate.config.note({ tool: name, verdict: 'deny', code: 'conflict', caller: judged.caller, canWait: false });
    return [reply(gate, held, refusedResult(conflict(tool, key.why)))];
  }
  gate.config.note({ tool: name, verdict: 'neutral', caller: judged.caller, canWait: tool.isRead });
  if (key.state === 'tracked' || judged.modern) gate.running.set(idKey(held.id), judged);
  return [{ to: 'upstream', text: upstreamText(gate.config, judged, asked) }];
}

function refuse(gate: Gate, { held, caller, tool: known }: Pick<Judged, 'held' | 'caller'> & { readonly tool?: GovernedTool }, decision: Refused, tool = known?.operation.mcpTool ?? ''): Action[] {
  gate.config.note({ tool, verdict: 'deny', code: decision.code, caller, canWait: false });
  const help = decision.decision === 'ask' ? ` No person allowed it here. A person can allow it in a terminal: praetorctl contract grant ${decision.operation}` : '';
  return [reply(gate, held, refusedResult(refusal(tool, { ...decision, reason: decision.reason + help })))];
}

/** Our own answer, in the place of the upstream's. */
function reply({ requests }: Gate, { id, params }: HeldCall, value: JsonObject): Action {
  requests.end(idKey(id));
  // The stateless protocol wants to know of every result what it is.
  return { to: 'client', text: result(id, metaOf(params).modern ? { resultType: 'complete', ...value } : value) };
}

function finished(gate: Gate, key: string, response: JsonObject | undefined): void {
  const judged = gate.running.get(key);
  gate.running.delete(key);
  if (judged === undefined) return;
  const outcome = objectAt(response, 'result');
  gate.keys.end(key, outcome);
  if (outcome?.['resultType'] !== 'input_required' || typeof outcome['requestState'] !== 'string') return;
  if (gate.continued.size >= STATES_MAX) gate.continued.clear();
  gate.continued.set(gate.config.sha256(outcome['requestState']), judged.digest());
}

function humanDecision(tool: GovernedTool, reason: string): Extract<ContractDecision, { decision: 'ask' }> {
  return { decision: 'ask', code: 'confirmation_required', tier: 'human-approval', required: [], reason, operation: tool.facts.id, tool: tool.facts.tool };
}

function conflict(tool: GovernedTool, why: string): Envelope {
  return { error: { code: 'conflict', message: why, retryable: false, safe_to_retry: true, operation: tool.facts.id } };
}

/** The text of the call without the controls that end here and, where it carries the answer to our question, without that. Else as it came. */
function upstreamText({ executes }: SessionConfig, { held, tool, given }: Judged, asked: boolean): string {
  const kept = withoutControls(tool.operation, given, executes ? requestControls(tool.operation) : []);
  if (kept === given && !asked) return `${held.line}\n`;
  const gone = Object.keys(given).filter((name) => !Object.hasOwn(kept, name)).map((name) => ['params', 'arguments', name]);
  const paths = asked ? [...gone, ['params', 'inputResponses'], ['params', 'requestState']] : gone;
  const edited = STRICT.edit(held.line, paths.map((path) => ({ op: 'remove', path })));
  if (!edited.ok) throw new Error(`the arguments of ours cannot be taken out: ${edited.fault.code}`);
  return `${edited.text}\n`;
}

function plannedResult({ tool, given }: Judged): JsonObject {
  const plan = { dry_run: true, operation: tool.facts.id, tool: tool.operation.mcpTool, arguments: withoutControls(tool.operation, given), effect: tool.operation.effect, risk: tool.operation.risk, note: 'Nothing was done.' };
  return { content: [{ type: 'text', text: JSON.stringify(plan) }] };
}
