// Contract: how much a reason matters to a person, for every code there is: what keeps the guard from running comes first, what is
// only worth knowing last. The order in which verify, its table and the report show reasons. PURE.
import type { Reason, ReasonCode } from './state.ts';

/** Most important first. */
export const IMPORTANCES = ['blocking', 'uncertain', 'open', 'note'] as const;
export type Importance = typeof IMPORTANCES[number];

/** What a heading says of the reasons below it. */
export const IMPORTANCE_TITLES: Readonly<Record<Importance, string>> = {
  blocking: 'the guard does not run as it should', uncertain: 'not certain', open: 'still to do', note: 'worth knowing',
};

const IMPORTANCE: Readonly<Record<ReasonCode, Importance>> = {
  'file-dropped': 'blocking', 'hooks-off': 'blocking', 'untrusted': 'blocking', 'trust-modified': 'blocking', 'trust-disabled': 'blocking',
  'entries-gone': 'blocking', 'entries-differ': 'blocking', 'entrypoint-missing': 'blocking', 'probe-missing': 'blocking', 'root-moved': 'blocking', 'no-tool-event': 'blocking', 'proof-failed': 'blocking',
  'last-answer-error': 'blocking',
  'entries-unread': 'uncertain', 'evidence-unread': 'uncertain', 'trust-unread': 'uncertain', 'servers-unread': 'uncertain', 'file-doubtful': 'uncertain',
  'run-unfinished': 'uncertain', 'foreign-gone': 'uncertain', 'server-conflict': 'uncertain',
  'not-detected': 'open', 'not-registered': 'open', 'servers-missing': 'open', 'servers-differ': 'open', 'registration-changed': 'open', 'unverified': 'open',
  'evidence-aged': 'open', 'evidence-skewed': 'open', 'proof-outdated': 'open', 'tools-changed': 'open',
  'no-hook-surface': 'note', 'ignored-receipts': 'note', 'note': 'note',
};

export const importanceOf = (reason: Reason): Importance => IMPORTANCE[reason.code];

/** Reasons of one importance keep their order. */
export function mostImportantFirst(reasons: readonly Reason[]): readonly Reason[] {
  return IMPORTANCES.flatMap((importance) => reasons.filter((reason) => importanceOf(reason) === importance));
}

/** What one person has to read once: the same reason with the same next action for several clients. */
export interface SharedReason { readonly clients: readonly string[]; readonly text: string; readonly fix: string; readonly check: string | undefined }

const OPTION = ' --client ';

/** The reasons of all clients under their importance. Those that differ only in the client of the next command stand once. */
export function reasonsByImportance(clients: readonly { readonly client: string; readonly reasons: readonly Reason[] }[]): readonly { readonly importance: Importance; readonly reasons: readonly SharedReason[] }[] {
  return IMPORTANCES.flatMap((importance) => {
    const shared = new Map<string, { text: string; check: string | undefined; stem: string; own: boolean; clients: string[] }>();
    for (const { client, reasons } of clients) {
      for (const { text, fix, check } of reasons.filter((reason) => importanceOf(reason) === importance)) {
        const own = fix.endsWith(OPTION + client);
        const stem = own ? fix.slice(0, -client.length) : fix;
        const key = `${text}\0${stem}\0${check ?? ''}`;
        const known = shared.get(key);
        if (known === undefined) shared.set(key, { text, check, stem, own, clients: [client] });
        else known.clients.push(client);
      }
    }
    const reasons = [...shared.values()].map(({ text, check, stem, own, clients: ids }) => ({ clients: ids, text, check, fix: own ? stem + ids.join(',') : stem }));
    return reasons.length === 0 ? [] : [{ importance, reasons }];
  });
}
