// Contract: one parsed document -> the answer and what the receipt says about it. Everything of a hook run that is not IO. PURE.
// Clients run each other's hooks: the dialect is that of the client that called, where it can be told, and not of the one whose
// registration it is. The order: the guard's verdict, then what settings that cannot be read ask for, then the operator's evaluators, then a
// person's leave for exactly this call.
import type { HookDialect } from '../clients/dialect-kit.ts';
import { callerOf, dialectFor } from '../clients/dialects.ts';
import type { Answer, EnvMap } from '../model/dialect.ts';
import type { CanonicalEvent } from '../model/events.ts';
import { isObject } from '../model/json.ts';
import type { Payload, ToolCall } from '../model/payload.ts';
import { NEUTRAL, type CataloguedTool, type Verdict } from '../model/verdict.ts';
import type { EvaluatorSpec } from '../policy/operator-index.ts';
import type { ReceiptVerdict } from '../receipts/format.ts';
import { applicable, combine, type EvaluatorResult } from './evaluators-list.ts';
import { policyFacts, type HookPlace } from './facts.ts';
import type { GrantedCall } from './grants.ts';
import { judge, type Evaluate } from './judge.ts';
import { withServer } from './servers.ts';
import { NO_SETTINGS, type HookSettings } from './settings-types.ts';

export interface Response {
  readonly answer: Answer;
  readonly verdict: ReceiptVerdict;
  readonly rule?: string;
  readonly payload?: Payload;
  /** Who called, where there is no payload to say it. */
  readonly caller?: string;
  /** For the receipt. */
  readonly settings?: string;
  readonly evaluators?: string;
  readonly call?: string;
  /** One line for stderr. */
  readonly complaint?: string;
}

/** What only the hook process does; `policy test` asks without. */
export interface Effects {
  readonly evaluate: (specs: readonly EvaluatorSpec[], payload: Payload) => readonly EvaluatorResult[];
  /** What the catalogues say about a call of an MCP tool. */
  readonly contract: (tool: ToolCall, spell: (name: string) => string, settings: HookSettings) => Verdict;
  /** How the guarding runtime knows the call again. */
  readonly callEvidence: (tool: ToolCall, about: CataloguedTool) => string | undefined;
  /** True once where a person granted one call of the operation. */
  readonly takeGrant: (call: Omit<GrantedCall, 'now'>) => boolean;
  /** Tells the runtime that a person allowed this call. */
  readonly passOn: (call: Omit<GrantedCall, 'now'>) => void;
  /** A verdict with a code, or neutral where a person allowed this call. */
  readonly allowOnce: (payload: Payload, verdict: Verdict) => Verdict;
}

export function respond(registered: HookDialect, event: CanonicalEvent, value: unknown, env: EnvMap, place: HookPlace, load: () => Evaluate, effects?: Effects): Response {
  if (!isObject(value)) return errorResponse(registered, event, 'the hook input is not a JSON object');
  const caller = callerOf(registered.id, value, env);
  const dialect = isForeign(registered, caller) ? dialectFor(caller) ?? registered : registered;
  const decoded = dialect.decode(event, value, env);
  if ('fault' in decoded) return { ...errorResponse(dialect, event, decoded.fault), caller };
  const payload = { ...decoded, caller, ...(decoded.tool === undefined ? {} : { tool: withServer(asItArrived(decoded.tool, caller), dialect, place.servers ?? noServers) }) };
  const settings = wantsSettings(event) ? place.settings?.(payload.workspace) ?? NO_SETTINGS : NO_SETTINGS;
  const catalogued = contracted(payload, dialect, settings, effects);
  const judged = stricter(judge(payload, () => policyFacts(place, payload), load), catalogued);
  const guarded = withProblem(judged, payload, settings);
  const checked = effects === undefined ? { verdict: guarded, receipt: '', complaint: '' } : check(guarded, payload, settings, effects);
  const stops = checked.verdict.decision === 'deny' || checked.verdict.decision === 'ask';
  const verdict = stops && isToolGate(event) && effects !== undefined ? lifted(payload, checked.verdict, settings, effects) : checked.verdict;
  const answer = dialect.encode(event, verdict, payload);
  return {
    answer,
    verdict: verdict.decision,
    payload,
    ...(verdict.rule === undefined ? {} : { rule: verdict.rule }),
    ...evidenceOf(payload, verdict, asksPerson(answer), catalogued.about, effects),
    ...(settings.state === '' ? {} : { settings: settings.state }),
    ...(checked.receipt === '' ? {} : { evaluators: checked.receipt }),
    ...(checked.complaint === '' ? {} : { complaint: checked.complaint }),
  };
}

const noServers = (): readonly string[] => [];

/**
 * A client that leaves no mark may run another one's registration, with tools that this dialect does not know (VS Code's
 * `run_in_terminal`): a tool that takes a command line is judged as one. Of a client that is known, `other` stays what it is.
 */
function asItArrived(tool: ToolCall, caller: string): ToolCall {
  if (caller !== 'unknown' || tool.kind !== 'other' || !isObject(tool.input)) return tool;
  const { command } = tool.input;
  return typeof command === 'string' ? { ...tool, kind: 'shell', command } : tool;
}

/** What people and git hook managers call answers them, whoever started them. */
function isForeign(registered: HookDialect, caller: string): boolean {
  return caller !== 'unknown' && caller !== registered.id && registered.fromWords === undefined;
}

const asItIs = (name: string): string => name;

function contracted({ event, tool }: Payload, dialect: HookDialect, settings: HookSettings, effects: Effects | undefined): Verdict {
  return effects !== undefined && tool?.kind === 'mcp' && isToolGate(event) ? effects.contract(tool, dialect.mcpSpelling ?? asItIs, settings) : NEUTRAL;
}

const WEIGHT = { neutral: 0, allow: 0, ask: 1, deny: 2 } as const;

/** The guard's own verdict where both say the same; what is only to be known goes along with no opinion. */
function stricter(own: Verdict, other: Verdict): Verdict {
  if (WEIGHT[other.decision] > WEIGHT[own.decision]) return other;
  return own.decision === 'neutral' && other.context !== undefined ? { ...own, context: other.context } : own;
}

/** What a person allowed in a terminal: one call of the operation, or exactly this call. */
function lifted(payload: Payload, verdict: Verdict, { contract }: HookSettings, effects: Effects): Verdict {
  const { tool } = payload;
  const { operation, rule = '' } = verdict;
  // The catalogue itself refuses it, and so does the runtime: what a person can do about that stands in the reason.
  if (verdict.decision === 'deny' && rule.startsWith('contract.')) return verdict;
  if (operation === undefined || tool === undefined) return effects.allowOnce(payload, verdict);
  const call = { operation, tool, permission: payload.event === 'permission' };
  if (contract.evidence.includes('grant') && effects.takeGrant(call)) return { decision: 'neutral', rule: `grant:${rule}` };
  const left = effects.allowOnce(payload, verdict);
  // Without an id of the call the runtime cannot know it again in the receipt.
  if (left.decision === 'neutral' && tool.callId === undefined) effects.passOn(call);
  return left;
}

/** Not every client can ask: where it cannot, its dialect says no. Quotes within a reason are escaped, so that it cannot say this. */
function asksPerson({ stdout }: Answer): boolean {
  return /"(?:permissionDecision|permission|decision)":"(?:force_)?ask"/.test(stdout);
}

/** Where a client that is known puts the question to a person, or a person has allowed the call in a terminal. */
function evidenceOf({ tool, caller }: Payload, { rule }: Verdict, isAsked: boolean, about: CataloguedTool | undefined, effects: Effects | undefined): { call?: string } {
  if (effects === undefined || tool?.kind !== 'mcp' || about === undefined) return {};
  if (!(isAsked && caller !== 'unknown') && rule?.startsWith('allow-once:contract.') !== true) return {};
  const call = effects.callEvidence(tool, about);
  return call === undefined ? {} : { call };
}

function isToolGate(event: CanonicalEvent): boolean {
  return event === 'pre-tool' || event === 'permission';
}

function wantsSettings(event: CanonicalEvent): boolean {
  return isToolGate(event) || event === 'post-tool' || event === 'stop';
}

/** Settings that cannot be read must not go unnoticed: what changes something is asked about. */
function withProblem(verdict: Verdict, { event, tool }: Payload, { problem }: HookSettings): Verdict {
  if (problem === undefined || !isToolGate(event) || tool === undefined || tool.kind === 'file-read' || tool.kind === 'other') return verdict;
  return verdict.decision === 'neutral' || verdict.decision === 'allow' ? problem : verdict;
}

function check(before: Verdict, payload: Payload, settings: HookSettings, effects: Effects): { verdict: Verdict; receipt: string; complaint: string } {
  const nothing = { verdict: before, receipt: '', complaint: '' };
  // A stop that is blocked twice could loop for ever; a call that is refused anyway needs no check.
  if (settings.evaluators.length === 0 || before.decision === 'deny' || (payload.event === 'stop' && payload.stopActive)) return nothing;
  const specs = applicable(settings.evaluators, payload);
  if (specs.length === 0) return nothing;
  const run = combine(effects.evaluate(specs, payload), payload, before);
  // At a stop there is nobody to ask: the client goes on and the model reads why.
  return payload.event === 'stop' && run.verdict.decision === 'ask' ? { ...run, verdict: { ...run.verdict, decision: 'deny' } } : run;
}

export function errorResponse(dialect: HookDialect, event: CanonicalEvent, reason: string): Response {
  return { answer: dialect.encodeError(event, reason), verdict: 'error' };
}
