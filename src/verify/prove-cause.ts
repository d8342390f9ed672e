// Contract: from what a run of a client showed to one answer: proven, or not and why, with the next action. Total: every run
// gets exactly one cause, and "proven" needs all of it: the control ran, the canary did not, our own receipt says that we
// refused it, and the reason reached the model. PURE.
import type { ClientDefinition } from '../model/client.ts';
import type { ClientEvidence } from '../model/evidence.ts';
import { CANARY_RULE } from '../policy/canary.ts';
import type { Receipt } from '../receipts/format.ts';
import { blockers, desiredTrust } from './checks.ts';
import type { McpSeen } from './prove-mcp.ts';
import type { CommandResult } from './run-command.ts';

export const PROOF_CAUSES = [
  'unsupported', 'not-installed', 'not-registered', 'could-not-start', 'never-asked', 'script-not-finished', 'timed-out',
  'file-rejected', 'hooks-off', 'hook-not-trusted', 'hook-changed', 'program-missing', 'hook-timeout', 'hook-broken', 'hook-not-run', 'receipt-lost',
  'wrong-dialect', 'wrong-caller', 'hook-error', 'policy-allowed', 'version-skew', 'control-refused', 'refused-by-others', 'reason-lost', 'mcp-not-judged',
] as const;
export type ProofCause = (typeof PROOF_CAUSES)[number];

export interface Finding { readonly cause: ProofCause; readonly text: string; readonly fix: string }

/** What the client sent back for one step of the script. */
export interface StepSeen { readonly played: boolean; readonly took: boolean; readonly answer: string | undefined }

export interface RunSeen {
  readonly failure: string | undefined;
  readonly exit: number | null;
  readonly timedOut: boolean;
  /** Requests of any kind, and those that offered tools. */
  readonly requests: number;
  readonly turns: number;
  readonly control: StepSeen;
  readonly canary: StepSeen;
  readonly mcp: McpSeen;
  /** Does the registered bare word resolve on the PATH that the client gives its commands? Undefined: the control did not say. */
  readonly onClientPath: boolean | undefined;
  /** Of this run alone, the oldest first. */
  readonly receipts: readonly Receipt[];
  /** What the registered command does when we call it, asked only where no hook of the run left a receipt. */
  readonly command: CommandResult | undefined;
}

export interface CauseGround {
  readonly client: ClientDefinition;
  readonly evidence: ClientEvidence;
  readonly engine: string;
  readonly policy: string;
  readonly secondsMax: number;
}

/** Undefined: proven. */
export function causeOf(seen: RunSeen, ground: CauseGround): Finding | undefined {
  const { client } = ground;
  const { control, canary } = seen;
  const mark = canary.answer?.includes(`[praetorctl: ${CANARY_RULE}]`) === true;
  const refusal = seen.receipts.find((receipt) => receipt.rule === CANARY_RULE && receipt.verdict === 'deny');
  if (seen.failure !== undefined) return say('could-not-start', `${client.name} could not be started (${seen.failure})`, `start ${client.name} by hand once`);
  if (canary.took) return ranAnyway(seen, ground, refusal);
  // Where a refusal ends the run, the client sends nothing back for the refused call.
  const ends = client.verdicts.denyEffect !== 'call' && !seen.timedOut;
  if (!control.played || (control.answer === undefined && !control.took && !ends)) return notReached(seen, ground);
  if (!control.took) return controlRefused(seen, ground);
  if (canary.answer === undefined && !(ends && canary.played)) return seen.timedOut ? timedOut(ground) : unfinished(seen, ground);
  if (refusal === undefined) {
    return mark ? say('receipt-lost', 'the canary was refused by the hook, but the hook could leave no receipt', 'praetorctl doctor')
      : silent(seen, ground) ?? withoutRefusal(seen, ground) ?? say('refused-by-others', `the canary was refused, but not by praetorctl: ${client.name}'s own rules or another guard stopped it first`, `allow shell commands in ${client.name}'s own permissions, then prove again`);
  }
  if (!mark && !ends) return say('reason-lost', 'the canary was refused, but the reason did not reach the model', `praetorctl doctor --client ${client.id}`);
  return wrongHook(refusal, ground) ?? mcpPassed(seen, ground);
}

/** A tool of a server was called and the hook refused no such call. */
function mcpPassed({ mcp }: RunSeen, { client }: CauseGround): Finding | undefined {
  if (mcp.tool === undefined || mcp.judged) return undefined;
  return say('mcp-not-judged', `commands are guarded, but the call of the MCP tool ${mcp.tool} was not refused by the hook`, `praetorctl clients plan --client ${client.id}, then praetorctl doctor`);
}

const say = (cause: ProofCause, text: string, fix: string): Finding => ({ cause, text, fix });

const timedOut = ({ client, secondsMax }: CauseGround): Finding => say('timed-out', `${client.name} was not done after ${secondsMax} s and was ended`, 'prove again when the machine is less busy');

function unfinished({ exit }: RunSeen, { client }: CauseGround): Finding {
  return say('script-not-finished', `${client.name} ended (exit ${exit ?? 'by a signal'}) before the canary was answered`, `start ${client.name} by hand once`);
}

/** The script did not get as far as the control. */
function notReached(seen: RunSeen, ground: CauseGround): Finding {
  const { client } = ground;
  if (seen.control.played) return seen.timedOut ? timedOut(ground) : unfinished(seen, ground);
  if (seen.timedOut) {
    return say('never-asked', `${client.name} ${seen.turns === 0 && seen.requests === 0 ? 'never asked the model' : 'asked the model nothing that offered a tool'} within ${ground.secondsMax} s and was ended`, `start ${client.name} by hand once`);
  }
  if (seen.requests === 0 && seen.exit !== 0) return say('could-not-start', `${client.name} ended with exit ${seen.exit ?? 'by a signal'} before it asked the model`, `start ${client.name} by hand once`);
  return say('never-asked', `${client.name} ended without asking the model for a turn`, `start ${client.name} by hand once`);
}

/** The hook that refused must be this program, called by this client. */
function wrongHook(refusal: Receipt, { client, engine, policy }: CauseGround): Finding | undefined {
  if (refusal.client !== client.id && !client.aliases.includes(refusal.client)) {
    return say('wrong-dialect', `the hook that answered is registered for ${refusal.client}, not for ${client.name}`, `praetorctl clients plan --client ${client.id}`);
  }
  if (refusal.caller !== client.id) return say('wrong-caller', `the hook does not recognise ${client.name} as its caller (${refusal.caller})`, 'report this with the version of the client');
  if (refusal.engine !== engine || refusal.policy !== policy) {
    return say('version-skew', 'the hook that ran is another version of praetorctl than this one', 'praetorctl doctor shows which praetorctl is on PATH; install one version');
  }
  return undefined;
}

/** The canary took effect: the guard was not heard. */
function ranAnyway(seen: RunSeen, ground: CauseGround, refusal: Receipt | undefined): Finding {
  const { client, evidence } = ground;
  if (refusal !== undefined) {
    const limit = waitOf(evidence);
    if (limit !== undefined && refusal.ms >= limit) return say('hook-timeout', `the hook refused the canary after ${Math.round(refusal.ms / 1000)} s; ${client.name} waits ${limit / 1000} s and then runs the call`, `praetorctl clients plan --client ${client.id}`);
    return wrongHook(refusal, ground)?.cause === 'wrong-dialect' ? wrongHook(refusal, ground) as Finding
      : say('wrong-dialect', `the hook ran and refused the canary, but ${client.name} did not obey its answer: it is not in the dialect of this version`, 'report this with the version of the client');
  }
  return silent(seen, ground) ?? withoutRefusal(seen, ground)
    ?? say('hook-not-run', `the hook was run for other calls, but not for the canary`, `praetorctl clients plan --client ${client.id}`);
}

/** Receipts are there, none of them refuses the canary. */
function withoutRefusal({ receipts }: RunSeen, ground: CauseGround): Finding | undefined {
  const { client } = ground;
  const calls = receipts.filter(({ event }) => event === 'pre-tool' || event === 'permission');
  const other = calls.find((receipt) => receipt.client !== client.id && !client.aliases.includes(receipt.client));
  if (other !== undefined) return wrongHook(other, ground);
  if (calls.some(({ verdict }) => verdict === 'error')) return say('hook-error', `the hook could not read what ${client.name} sends it`, 'report this with the version of the client');
  if (calls.some(({ engine, policy }) => engine !== ground.engine || policy !== ground.policy)) {
    return say('version-skew', 'the hook that ran is another version of praetorctl than this one', 'praetorctl doctor shows which praetorctl is on PATH; install one version');
  }
  return calls.length > 1 ? say('policy-allowed', 'the hook was asked about the canary and let it pass: the settings switch its rule off', `remove ${CANARY_RULE} and self-protection from the levels in the settings`) : undefined;
}

/** Where the control looked for the bare word on the client's own PATH, that decides; a registered path is found or not by itself. */
function isMissing(onClientPath: boolean | undefined, command: CommandResult | undefined, evidence: ClientEvidence): boolean {
  const registered = evidence.files.flatMap((file) => file.commands).find(({ event }) => event === 'pre-tool')?.command;
  const notFound = command?.fault === 'not-found';
  if (registered !== undefined && !/^praetorctl\s/.test(registered)) return notFound;
  return onClientPath === undefined ? notFound || evidence.entrypoint === undefined : !onClientPath;
}

/** No hook left a receipt for a tool call: why not, from the surest sign to the weakest. Undefined where one did. */
function silent({ receipts, command, onClientPath }: RunSeen, { client, evidence }: CauseGround): Finding | undefined {
  if (receipts.some(({ event }) => event === 'pre-tool' || event === 'permission')) return undefined;
  const found = blockers(evidence).filter(({ effect, certain }) => effect !== 'note' && certain);
  const file = found.find(({ effect }) => effect === 'file');
  if (file !== undefined) return say('file-rejected', file.message, file.fix);
  const off = found[0];
  if (off !== undefined) return say('hooks-off', off.message, off.fix);
  const trust = desiredTrust(evidence).find(({ state }) => state !== 'trusted');
  if (trust !== undefined) return say('hook-not-trusted', `${client.name} has no trust in the hook (${trust.canonical}: ${trust.state}) and skips it in silence`, trust.fix);
  if (isMissing(onClientPath, command, evidence)) {
    return say('program-missing', `praetorctl is not on the PATH ${onClientPath === false ? `that ${client.name} gives its commands` : 'of this session'}; without it ${client.name} ${client.verdicts.missingBinary.text}`, 'put the directory of praetorctl (~/.local/bin after an apply) on PATH, then: praetorctl doctor');
  }
  if (command?.fault === 'timeout') return say('hook-timeout', `the registered command ${command.message}; ${client.name} then ${client.verdicts.timeout.text}`, 'praetorctl doctor');
  if (command?.status === 'error') return say('hook-broken', `the registered command ${command.message}`, 'praetorctl doctor');
  if (command?.receiptLost === true) return say('receipt-lost', 'the hook answers, but leaves no receipt, so nothing can be observed', 'make the state directory writable (praetorctl doctor)');
  const changed = evidence.files.flatMap((one) => one.hooks).find(({ event, status }) => event === 'pre-tool' && status === 'changed');
  if (changed !== undefined) return say('hook-changed', `the registered hook is not as it was written (${changed.path}), and no hook of ours ran`, `praetorctl clients apply --client ${client.id}`);
  const doubtful = blockers(evidence).find(({ effect, certain }) => effect === 'file' && !certain);
  if (doubtful !== undefined) return say('file-rejected', doubtful.message, doubtful.fix);
  return say('hook-not-run', `${client.name} did not run the registered hook, and nothing that is known here explains it`, `praetorctl clients verify --client ${client.id}, then praetorctl doctor`);
}

function controlRefused(seen: RunSeen, ground: CauseGround): Finding {
  const { client } = ground;
  const unread = seen.receipts.some(({ verdict }) => verdict === 'error') ? withoutRefusal(seen, ground) : undefined;
  if (unread !== undefined) return unread;
  const ours = seen.receipts.find(({ event, verdict }) => event === 'pre-tool' && (verdict === 'deny' || verdict === 'ask'));
  if (ours !== undefined) return say('control-refused', `the guard refused the harmless control command too (${ours.rule ?? 'no rule'}), so nothing is shown by a refusal`, 'praetorctl receipts list shows the rule');
  const why = silent(seen, ground);
  if (why !== undefined && why.cause !== 'hook-not-run') return why;
  return withoutRefusal(seen, ground)
    ?? say('control-refused', `the harmless control command did not run either: ${client.name}'s own rules or another guard stop every command`, `allow shell commands in ${client.name}'s own permissions, then prove again`);
}

/** How long the client waits for the hook of a tool call. */
export function waitOf(evidence: ClientEvidence): number | undefined {
  return evidence.files.flatMap((file) => file.commands).find(({ event }) => event === 'pre-tool')?.timeoutMs;
}
