// Contract: which clients would have each call judged twice: a client that also executes the hooks of another one, where both are
// registered. PURE: from the rows and from which registrations are wanted or stand. Plan and apply say it; doctor can ask the same.
import type { ClientDefinition, Fact, Scope } from '../model/client.ts';
import type { Diagnostic } from '../model/diagnostic.ts';

export interface Doubled { readonly client: ClientDefinition; readonly through: ClientDefinition; readonly basis: Fact }

/** `registered`: whose own hooks are, or are about to be, registered in this scope. */
export function doubledIn(clients: readonly ClientDefinition[], scope: Scope, registered: (id: string) => boolean): Doubled[] {
  return clients.filter(({ id }) => registered(id)).flatMap((client) => (client.runsHooksOf ?? []).flatMap((one): Doubled[] => {
    const through = clients.find(({ id }) => id === one.client);
    return one.scope === scope && through !== undefined && registered(through.id) ? [{ client, through, basis: one.basis }] : [];
  }));
}

/**
 * It is said and not undone: the own registration is the only one whose receipts prove the client, and leaving out the other
 * one would leave that client open.
 */
export function doubledNotes(doubled: readonly Doubled[], chosen: ReadonlySet<string>): Diagnostic[] {
  return doubled.filter(({ client, through }) => chosen.has(client.id) || chosen.has(through.id)).map(({ client, through, basis }): Diagnostic => ({
    code: 'note', severity: 'warning', client: client.id,
    message: `${client.name} also runs the hooks of ${through.name} (${basis.basis}: ${basis.text}): each of its calls is judged twice, and both answers count; a permission for one call is used up by the first`,
    fix: `nothing has to be done; if ${client.name} is enough where only it works, leave ${through.name} out: praetorctl clients apply --client ${client.id}`,
  }));
}
