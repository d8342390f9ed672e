// Contract: what the receipt of this workstation says: the installed version, its state as status sees it, every client's as verify does, the last update.
// Words, ids and digests only. Reads through Host.
import type { Host } from '../host.ts';
import type { InstallRecord } from '../roots/install-record.ts';
import { verifyClients } from '../verify/verify.ts';
import type { States } from '../verify/state.ts';
import type { ReceiptFacts } from './host-receipt.ts';
import { stationStatus, type StationStatus } from './status-evidence.ts';

/** One word for the states of a client: what is wrong first, then the most that was seen. */
function wordOf({ absent, installed, discovered, observed, drifted, stale }: States): string {
  if (drifted === true) return 'drifted';
  if (stale === true) return 'stale';
  if (observed === true) return 'observed';
  if (discovered === true) return 'discovered';
  if (installed === true) return 'installed';
  return absent === true ? 'absent' : 'unknown';
}

/** A line of the log may lack a field. */
const wordOrNull = (value: unknown): string | null => (typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._+:-]{0,63}$/.test(value) ? value : null);

/** Without its message: that holds paths and addresses. */
function updateOf(attempt: StationStatus['lastAttempt']): ReceiptFacts['update'] {
  return attempt === null ? null : { result: attempt.result, from: wordOrNull(attempt.from), to: wordOrNull(attempt.to), code: wordOrNull(attempt.code) };
}

export interface FactsInput { readonly host: Host; readonly record: InstallRecord; readonly version: string; readonly settings: string | null }

/** The state is the word of `workstation status`, so that a fleet's summary and the workstation say the same. */
export function receiptFacts({ host, record, version, settings }: FactsInput): ReceiptFacts {
  const { clients } = verifyClients(host, { clients: [], scope: 'user', require: 'observed' });
  const { state, lastAttempt } = stationStatus(host);
  return {
    os: host.platform, engine: { id: record.current, version }, settings, state,
    clients: Object.fromEntries(clients.map(({ client, states }) => [client, wordOf(states)])), update: updateOf(lastAttempt),
  };
}
