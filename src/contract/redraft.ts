// Contract: a tool that is described anew: its posture is never weaker than what the new description says, and where the two differ a
// person is told. PURE. What a person approved was another text, so what the person set for it does not hold against this one.
import { RISKS } from './catalogue.ts';
import type { Operation, Posture } from './catalogue-schema.ts';
import type { Draft } from './classify.ts';

const rank = ({ risk }: Pick<Posture, 'risk'>): number => RISKS.indexOf(risk);

type Strength = Pick<Posture, 'effect' | 'risk' | 'reversible' | 'confirmationRequired'>;

/** Does it say that more can happen, or ask for more? */
export function isStronger(one: Strength, than: Strength): boolean {
  return (one.effect === 'mutation' && than.effect === 'read') || rank(one) > rank(than) || (!one.reversible && than.reversible) || (one.confirmationRequired && !than.confirmationRequired);
}

const words = ({ effect, risk, reversible }: Strength): string => `${effect}, risk ${risk}, ${reversible ? 'can be undone' : 'cannot be undone'}`;

/** The operation with the stronger of each. Its exceptions go with the weaker posture that they were made for. */
export function strengthened(known: Operation, draft: Operation): Operation {
  if (!isStronger(draft, known)) return known;
  const { humanApproval, ...rest } = known;
  const repeats = known.effect === draft.effect && known.idempotency !== 'natural' ? {} : { idempotency: draft.idempotency, retrySafe: draft.retrySafe };
  const key = known.idempotencyKey ?? draft.idempotencyKey;
  return {
    ...rest, ...(humanApproval === true ? { humanApproval } : {}), ...repeats, ...(key === undefined ? {} : { idempotencyKey: key }),
    effect: draft.effect === 'mutation' ? 'mutation' : known.effect, risk: rank(draft) > rank(known) ? draft.risk : known.risk,
    reversible: known.reversible && draft.reversible, confirmationRequired: known.confirmationRequired || draft.confirmationRequired,
    variants: [], basis: { ...known.basis, ...draft.basis },
  };
}

/** What a person has to see before approving: what stands in the catalogue is weaker than what the definition says. */
export function contradiction(operation: Operation, { operation: draft, suggests }: Draft): string | undefined {
  // A tool that says nothing of itself is drafted by caution; that its name suggests a read contradicts nobody who set it so.
  if (suggests === 'read' || !isStronger(draft, operation)) return undefined;
  return `its definition says ${words(draft)}; the catalogue says ${words(operation)}`;
}

export const LISTED_TWICE = 'the server lists it twice, so which of the two is called is not known';

/** Of a tool that is listed more than once: what the strictest of them says, and never a read. */
export function strictest(drafts: readonly [Draft, ...Draft[]]): Draft {
  const [first, ...others] = drafts;
  if (others.length === 0) return first;
  const worst = others.reduce((one, other) => (isStronger(other.operation, one.operation) ? other : one), first);
  const all = drafts.reduce((operation, draft) => strengthened(operation, draft.operation), worst.operation);
  const reached: Posture = { ...all, effect: 'mutation', risk: rank(all) < RISKS.indexOf('high') ? 'high' : all.risk, reversible: false, idempotency: 'none', retrySafe: false, confirmationRequired: true };
  const { suggests: _suggests, ...rest } = worst;
  return { ...rest, operation: { ...all, ...reached, confirmationReason: LISTED_TWICE }, preTicked: false, flags: [...new Set([...drafts.flatMap(({ flags }) => flags), LISTED_TWICE])] };
}
