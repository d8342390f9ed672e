// Contract: which operations a client's call can mean, and what follows. PURE; the index is passed in. Used by the hook.
import type { JsonValue } from '../model/json.ts';
import type { ApprovalTier } from './catalogue.ts';
import { decideAmong, type ContractDecision } from './decide.ts';
import type { GateFacts } from './gate.ts';

/** The server and tool of a call as the client names them. `verbatim`: the client does not replace characters of names. */
export interface CallName { readonly server: string; readonly tool: string; readonly verbatim: boolean }

export interface GovernedServer { readonly service: string }

export interface ContractIndex {
  readonly serverOf: (server: string) => GovernedServer | undefined;
  /** Operations whose name is this one once both are in normal form. Throws where the index is damaged. */
  readonly operationsOf: (service: string, tool: string) => readonly GateFacts[];
  /** Tools of the service whose definition is no longer the approved one. */
  readonly isQuarantined: (service: string, tool: string) => boolean;
}

export interface ContractPolicy { readonly floor: ApprovalTier; readonly unlistedServer: 'pass' | 'deny' }

const NONE: ContractDecision = { decision: 'none', dryRun: false };

/** For a name that can mean several servers, each is asked and the strictest answer counts. */
export function decideCall(index: ContractIndex, call: CallName, input: JsonValue | undefined, policy: ContractPolicy): ContractDecision {
  const server = index.serverOf(call.server);
  if (server === undefined) {
    if (policy.unlistedServer === 'pass') return NONE;
    return { decision: 'deny', code: 'policy_denied', detail: 'unlisted_server', reason: `The MCP server ${call.server} has no catalogue here, and this workstation allows none without. Ask the person: praetorctl contract import` };
  }
  if (index.isQuarantined(server.service, call.tool)) return quarantined(call.tool);
  const found = index.operationsOf(server.service, call.tool);
  const exact = call.verbatim ? found.filter(({ tool }) => tool === call.tool) : found;
  if (exact.length > 0) return decideAmong(exact, input, policy.floor);
  return {
    decision: 'deny', code: 'unsupported_operation', detail: 'unknown_operation',
    reason: `${call.tool} is not in the catalogue of ${server.service}. Do not look for another way; a person can look at it with: praetorctl contract diff ${server.service} --live`,
  };
}

export function quarantined(tool: string): Extract<ContractDecision, { decision: 'deny' }> {
  return {
    decision: 'deny', code: 'policy_denied', detail: 'definition_changed',
    reason: `${tool} is no longer what the person approved: its server changed the definition. Ask the person: praetorctl contract diff`,
  };
}

/** The index is there and cannot be read: governed calls must not pass unseen. */
export function unreadableIndex(server: string): ContractDecision {
  return {
    decision: 'deny', code: 'policy_denied', detail: 'index_unreadable',
    reason: `The catalogue of ${server} cannot be read, so nothing of it may run. Ask the person: praetorctl contract lint`,
  };
}
