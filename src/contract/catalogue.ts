// Contract: the words of an operation catalogue. The document itself: contract/catalogue-schema.ts. PURE.

export const STATES = ['generated', 'review_required', 'approved', 'deprecated', 'blocked'] as const;
export const RISKS = ['none', 'low', 'medium', 'high', 'financial', 'destructive'] as const;
export const IDEMPOTENCY = ['natural', 'key_supported', 'client_id', 'required', 'none'] as const;
export const ACTIONS = [
  'list', 'get', 'search', 'export', 'simulate', 'validate', 'poll', 'create', 'update', 'replace', 'delete', 'send', 'execute', 'approve', 'cancel', 'reserve', 'other',
] as const;
export const APPROVAL_TIERS = ['none', 'unsafe', 'all'] as const;
export const BASES = ['manual', 'annotation', 'http_method', 'name_hint', 'default'] as const;

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type OperationState = (typeof STATES)[number];
export type Risk = (typeof RISKS)[number];
export type Idempotency = (typeof IDEMPOTENCY)[number];
export type Action = (typeof ACTIONS)[number];
/** Whom a gated operation asks where it does not say so itself: the model (`none`), a person for unsafe ones, a person for all. */
export type ApprovalTier = (typeof APPROVAL_TIERS)[number];
export type Basis = (typeof BASES)[number];

/** Of one catalogue. */
export const OPERATIONS_MAX = 200_000;

/** The catalogues, one file a service, below the configuration directory. */
export const CONTRACTS_DIRECTORY = 'contracts';

/** Clients replace what is not a letter, a digit or `_`; names are compared in that form. */
export function normalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_').toLowerCase();
}
