// Contract: which operations a client's call can mean, and what follows. PURE; the index is passed in. Used by the hook.
import type { JsonValue } from '../model/json.ts';
import type { ApprovalTier } from './catalogue.ts';
import type { McpPair } from '../model/mcp-names.ts';
import { decideAmong, strictest, type ContractDecision } from './decide.ts';
import type { GateFacts } from './gate.ts';

/** A call as the client names it. */
export interface CallName {
  /** What its name can mean; for certain where it is one. */
  readonly pairs: readonly McpPair[];
  /** How the client writes names of tools: several names can become one. */
  readonly spell: (name: string) => string;
}

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

/** For a name that can mean several operations, the strictest answer counts. */
export function decideCall(index: ContractIndex, { pairs, spell }: CallName, input: JsonValue | undefined, policy: ContractPolicy): ContractDecision {
  const governed = pairs.filter(({ server }) => index.serverOf(server) !== undefined);
  const [pair] = pairs;
  if (governed.length > 0) return strictest(governed.map((one) => decidePair(index, one, spell, governed.length > 1, input, policy)));
  if (policy.unlistedServer === 'pass' || pair === undefined) return NONE;
  return { decision: 'deny', code: 'policy_denied', detail: 'unlisted_server', reason: `The MCP server ${pair.server} has no catalogue here, and this workstation allows none without. Ask the person: praetorctl contract import ${pair.server}` };
}

function decidePair(index: ContractIndex, { server, tool }: McpPair, spell: CallName['spell'], isGuess: boolean, input: JsonValue | undefined, policy: ContractPolicy): ContractDecision {
  const service = index.serverOf(server)?.service ?? '';
  if (index.isQuarantined(service, tool)) return quarantined(tool, service);
  const found = index.operationsOf(service, tool).filter((facts) => spell(facts.tool) === tool);
  if (found.length > 0) {
    const decision = decideAmong(found, input, policy.floor);
    return decision.decision === 'ask' ? { ...decision, service } : decision;
  }
  // Another reading of the name may be the right one; the runtime knows its own tools.
  if (isGuess) return NONE;
  return {
    decision: 'deny', code: 'unsupported_operation', detail: 'unknown_operation',
    reason: `${tool} is not in the catalogue of ${service}. Do not look for another way; a person can look at it with: praetorctl contract diff ${service} --live`,
  };
}

export function quarantined(tool: string, service: string): Extract<ContractDecision, { decision: 'deny' }> {
  return {
    decision: 'deny', code: 'policy_denied', detail: 'definition_changed',
    reason: `${tool} is no longer what the person approved: its server changed the definition. Ask the person: praetorctl contract diff ${service} --live`,
  };
}

/** The index is there and cannot be read: governed calls must not pass unseen. */
export function unreadableIndex(server: string): ContractDecision {
  return {
    decision: 'deny', code: 'policy_denied', detail: 'index_unreadable',
    reason: `The catalogue of ${server} cannot be read, so nothing of it may run. Ask the person: praetorctl contract lint`,
  };
}
