// Contract: decide(): may this call of an MCP operation go on? One function for the hook of every client and for the guarding
// runtime, so that both agree. Total over its inputs. PURE.
// The order: what the model can put right first (misspelt controls, a missing confirmation or key), then the person, so that
// nobody is asked about a call that the runtime would refuse anyway.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { ApprovalTier } from './catalogue.ts';
import { folded } from './names.ts';
import { isUnsafe, tierAsks, type GateFacts, type GatePosture } from './gate.ts';

export type ContractCode = 'confirmation_required' | 'idempotency_required' | 'policy_denied' | 'unsupported_operation' | 'validation_error';

export type Tier = 'model-confirm' | 'human-approval';

/** `none`: no opinion, with what the model should know in `context`. Never an allow. */
export type ContractDecision =
  | { readonly decision: 'none'; readonly context?: string; readonly contextNames?: readonly string[]; readonly dryRun: boolean }
  | { readonly decision: 'ask'; readonly code: 'confirmation_required'; readonly tier: 'human-approval'; readonly required: readonly string[]; readonly reason: string; readonly operation: string; readonly tool: string; /** Where the hook found the tool. */ readonly service?: string }
  | {
    readonly decision: 'deny'; readonly code: ContractCode; readonly detail: string; readonly reason: string; readonly operation?: string;
    readonly tier?: Tier; readonly state?: string; readonly required?: readonly string[];
  };

const NONE: ContractDecision = { decision: 'none', dryRun: false };

/** Decides for one operation; `floor` is the operator's and can only raise. */
export function decide(facts: GateFacts, input: JsonValue | undefined, floor: ApprovalTier = 'none'): ContractDecision {
  const operation = facts.id;
  if (facts.state !== 'approved') {
    return {
      decision: 'deny', code: 'unsupported_operation', detail: 'not_approved', state: facts.state, operation,
      reason: `${facts.tool} is not approved (${facts.state}). Do not look for another way; a person can approve it after: praetorctl contract review ${facts.id.split('.')[0] ?? ''}`,
    };
  }
  if (input !== undefined && !isObject(input)) return { decision: 'deny', code: 'validation_error', detail: 'arguments_not_an_object', operation, reason: `The arguments of ${facts.tool} must be an object.` };
  const given = input ?? {};
  const posture = postureFor(facts, given);
  const misspelt = misspeltDryRun(facts, given) ?? misspeltVariant(facts, given);
  if (misspelt !== undefined) return misspelt;
  if (facts.dryRunInput !== '' && own(given, facts.dryRunInput) === true) return { decision: 'none', dryRun: true };
  return gates(facts, given, posture, floor) ?? misspeltControl(facts, given) ?? notice(facts, posture);
}

/** Where one name can mean several operations, the strictest answer counts. */
export function decideAmong(candidates: readonly GateFacts[], input: JsonValue | undefined, floor: ApprovalTier = 'none'): ContractDecision {
  return strictest(candidates.map((facts) => decide(facts, input, floor)));
}

export function strictest(decisions: readonly ContractDecision[]): ContractDecision {
  const weight = (d: ContractDecision): number => (d.decision === 'deny' ? 3 : d.decision === 'ask' ? 2 : d.context === undefined ? 0 : 1);
  const [first, ...others] = decisions;
  return others.reduce((worst, next) => (weight(next) > weight(worst) ? next : worst), first ?? NONE);
}

function gates(facts: GateFacts, given: JsonObject, posture: GatePosture, floor: ApprovalTier): ContractDecision | undefined {
  const human = posture.gated && (posture.human || tierAsks(floor, posture));
  const key = keyOf(facts, given);
  const keyMissing = posture.keyRequired && key !== 'good';
  if (posture.gated && !human && own(given, facts.confirmInput) !== true) {
    const required = [facts.confirmInput, ...(keyMissing ? [facts.keyInput] : [])];
    const why = facts.reason === '' ? '' : ` ${facts.reason}`;
    return {
      decision: 'deny', code: 'confirmation_required', detail: 'confirm_missing', tier: 'model-confirm', required, operation: facts.id,
      reason: `${facts.tool} must be confirmed.${why} If it is what the person asked for, call it again with ${facts.confirmInput}: true${keyMissing ? ` and ${facts.keyInput}, a text that is new for each intended effect and the same for a retry` : ''}.`,
    };
  }
  if (key === 'bad') {
    return {
      decision: 'deny', code: 'validation_error', detail: 'malformed_key', required: [facts.keyInput], operation: facts.id,
      reason: `${facts.keyInput} of ${facts.tool} must be a text of 1 to 255 visible ASCII characters.`,
    };
  }
  if (keyMissing) {
    return {
      decision: 'deny', code: 'idempotency_required', detail: 'key_missing', required: [facts.keyInput], operation: facts.id,
      reason: `${facts.tool} needs ${facts.keyInput}: a text that is new for each intended effect and the same for a retry.`,
    };
  }
  if (!human) return undefined;
  return {
    decision: 'ask', code: 'confirmation_required', tier: 'human-approval', required: [], operation: facts.id, tool: facts.tool,
    reason: `${facts.tool} needs a person's approval.${facts.reason === '' ? '' : ` ${facts.reason}`}`,
  };
}

function notice(facts: GateFacts, posture: GatePosture): ContractDecision {
  if (!isUnsafe(posture)) return NONE;
  const preview = facts.dryRunInput === '' ? '' : ` A preview without effect: ${facts.dryRunInput}: true.`;
  return {
    decision: 'none', dryRun: false, contextNames: facts.dryRunInput === '' ? [] : [facts.dryRunInput],
    context: `${facts.tool} changes things${posture.reversible ? '' : ' for good'} (${posture.risk} risk). Call it only for what the person asked for.${preview}`,
  };
}

/** The argument's own value: a key such as `__proto__` is data. */
function own(given: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function postureFor(facts: GateFacts, given: JsonObject): GatePosture {
  for (const { when, posture } of facts.variants) {
    if (Object.keys(when).every((name) => (when[name] ?? []).some((value) => value === own(given, name)))) return posture;
  }
  return facts.base;
}

/** An empty text is no key; one that could not be sent in a header is a fault. */
function keyOf(facts: GateFacts, given: JsonObject): 'none' | 'good' | 'bad' {
  if (facts.keyInput === '') return 'none';
  const key = own(given, facts.keyInput);
  if (key === undefined || key === null || key === '') return 'none';
  return typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key) ? 'good' : 'bad';
}

const DRY_RUN_WORDS: readonly string[] = ['dryrun', 'preview', 'previewonly', 'simulate', 'noop', 'whatif', 'praetordryrun', 'anvildryrun'];
const OTHER_WORDS: readonly string[] = [
  'confirm', 'confirmed', 'confirmation', 'praetorconfirm', 'anvilconfirm', 'idempotencykey', 'idempotencytoken', 'idempotent', 'praetoridempotencykey', 'anvilidempotencykey',
];

const squashed = (name: string): string => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/** Arguments that look like one of the words and are neither a control nor the tool's own. */
function lookAlikes(facts: GateFacts, given: JsonObject, words: readonly string[]): string[] {
  const known = [facts.confirmInput, facts.keyInput, facts.dryRunInput, ...(facts.arguments ?? [])];
  return Object.keys(given).filter((name) => words.includes(squashed(name)) && !known.includes(name));
}

/** Measured: an argument that a server does not declare is dropped in silence, and the tool runs: a preview would become the real thing. */
function misspeltDryRun(facts: GateFacts, given: JsonObject): ContractDecision | undefined {
  if (facts.dryRunInput === '' && facts.arguments === null) return undefined;
  const exact = facts.dryRunInput === '' ? undefined : own(given, facts.dryRunInput);
  const name = exact !== undefined && typeof exact !== 'boolean' ? facts.dryRunInput : lookAlikes(facts, given, DRY_RUN_WORDS)[0];
  if (name === undefined) return undefined;
  const instead = facts.dryRunInput === '' ? 'It has no dry run; leave the argument out.' : `A dry run is ${facts.dryRunInput}: true.`;
  return { decision: 'deny', code: 'validation_error', detail: 'misspelt_control', required: facts.dryRunInput === '' ? [] : [facts.dryRunInput], operation: facts.id, reason: `${facts.tool} has no argument ${name} of this form. ${instead}` };
}

/** What decides which posture counts must not be there in a spelling that another reader takes for it (Go's does not mind the case). */
function misspeltVariant(facts: GateFacts, given: JsonObject): ContractDecision | undefined {
  if (facts.variants.length === 0) return undefined;
  const deciding = [...new Set(facts.variants.flatMap(({ when }) => Object.keys(when)))];
  const name = Object.keys(given).find((one) => !deciding.includes(one) && facts.arguments?.includes(one) !== true && deciding.some((exact) => folded(exact) === folded(one)));
  if (name === undefined) return undefined;
  return { decision: 'deny', code: 'validation_error', detail: 'misspelt_control', required: [], operation: facts.id, reason: `${facts.tool} has no argument ${name}.` };
}

function misspeltControl(facts: GateFacts, given: JsonObject): ContractDecision | undefined {
  if (facts.arguments === null) return undefined;
  const name = lookAlikes(facts, given, OTHER_WORDS)[0];
  if (name === undefined) return undefined;
  return { decision: 'deny', code: 'validation_error', detail: 'misspelt_control', required: [], operation: facts.id, reason: `${facts.tool} has no argument ${name}.` };
}
