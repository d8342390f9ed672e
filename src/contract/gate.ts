// Contract: what the decision needs of an operation, computed once when the catalogue is indexed. PURE.
import type { ApprovalTier, OperationState, Risk } from './catalogue.ts';
import type { Catalogue, Operation, Posture, Variant } from './catalogue-schema.ts';

/** A posture with every default worked out. `human` is without the operator's floor. */
export interface GatePosture {
  readonly effect: 'read' | 'mutation';
  readonly risk: Risk;
  readonly reversible: boolean;
  /** A key must be given: it is required and the runtime does not make one. */
  readonly keyRequired: boolean;
  readonly gated: boolean;
  readonly human: boolean;
}

export interface GateFacts {
  readonly id: string;
  readonly tool: string;
  readonly state: OperationState;
  readonly base: GatePosture;
  readonly variants: readonly { readonly when: Variant['when']; readonly posture: GatePosture }[];
  /** Argument names; empty where there is none. */
  readonly keyInput: string;
  readonly confirmInput: string;
  readonly dryRunInput: string;
  readonly reason: string;
  readonly arguments: readonly string[] | null;
}

const UNSAFE: readonly Risk[] = ['high', 'financial', 'destructive'];

/** High, financial or destructive, or not to be undone. */
export function isUnsafe(posture: { readonly effect: string; readonly risk: Risk; readonly reversible: boolean }): boolean {
  return posture.effect === 'mutation' && (!posture.reversible || UNSAFE.includes(posture.risk));
}

/** Does a tier ask a person about a gated operation of this posture? */
export function tierAsks(tier: ApprovalTier, posture: { readonly effect: string; readonly risk: Risk; readonly reversible: boolean }): boolean {
  return tier === 'all' || (tier === 'unsafe' && isUnsafe(posture));
}

function postureOf(operation: Operation, set: Variant['set'], tier: ApprovalTier): GatePosture {
  const { effect, risk, reversible, idempotency, confirmationRequired, humanApproval } = { ...operation, ...set } as Posture;
  return {
    effect, risk, reversible, gated: confirmationRequired,
    keyRequired: idempotency === 'required' && operation.idempotencyKey?.derive !== 'request_fingerprint',
    human: confirmationRequired && (humanApproval ?? tierAsks(tier, { effect, risk, reversible })),
  };
}

export function gateFacts(catalogue: Pick<Catalogue, 'humanApprovalDefault'>, operation: Operation): GateFacts {
  const tier = catalogue.humanApprovalDefault;
  return {
    id: operation.id, tool: operation.mcpTool, state: operation.state,
    base: postureOf(operation, {}, tier),
    variants: operation.variants.map(({ when, set }) => ({ when, posture: postureOf(operation, set, tier) })),
    keyInput: operation.idempotencyKey?.input ?? '', confirmInput: operation.confirmationInput, dryRunInput: operation.dryRun?.input ?? '',
    reason: operation.confirmationReason ?? '', arguments: operation.arguments ?? null,
  };
}
