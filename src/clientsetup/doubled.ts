// Contract: which clients would have each call judged twice: a client that also runs the hooks of another one, where both are
// registered. The plan, verify and doctor all ask here and say the same words. PURE.
import { clientById } from '../clients/registry.ts';
import type { ClientDefinition, Roots, RunsHooksOf } from '../model/client.ts';

/** `stands`: are hooks for that client in that file, or are they about to be? `own`: where the client's own ones can be. */
export function doubledIn(client: ClientDefinition, roots: Roots, own: readonly string[], stands: (client: string, path: string) => boolean): readonly RunsHooksOf[] {
  if (client.runsHooksOf === undefined || !own.some((path) => stands(client.id, path))) return [];
  return client.runsHooksOf(roots).filter((place) => stands(place.client, place.path));
}

/**
 * It is said and not undone: the own registration is the only one whose receipts prove the client, and leaving out the other
 * one would leave that client open.
 */
export function doubledWords(client: ClientDefinition, { client: id, scope, path, fact }: RunsHooksOf): { readonly message: string; readonly fix: string } {
  const { name } = clientById(id);
  return {
    message: `${client.name} also runs the hooks of ${name} in ${path} (${fact.basis}: ${fact.text}): each of its calls is judged twice, and both answers count; a permission for one call is used up by the first`,
    fix: `nothing has to be done; if nobody works with ${name} here: praetorctl clients remove --client ${id}${scope === 'project' ? ' --scope project' : ''}`,
  };
}
