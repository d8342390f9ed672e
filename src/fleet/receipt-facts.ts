// Contract: what the receipt of this workstation says: the installed version, the state of every client as verify sees it, the last update.
// Words, ids and digests only. Reads through Host.
import { toText } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { isObject, type JsonValue } from '../model/json.ts';
import type { InstallRecord } from '../roots/install-record.ts';
import { joinPath } from '../roots/paths.ts';
import { verifyClients } from '../verify/verify.ts';
import type { States } from '../verify/state.ts';
import type { ReceiptFacts } from './host-receipt.ts';

const UPDATES_FILE = 'update.jsonl';
const UPDATES_BYTES_MAX = 1024 * 1024;

/** One word for the states of a client: what is wrong first, then the most that was seen. */
function wordOf({ absent, installed, discovered, observed, drifted, stale }: States): string {
  if (drifted === true) return 'drifted';
  if (stale === true) return 'stale';
  if (observed === true) return 'observed';
  if (discovered === true) return 'discovered';
  if (installed === true) return 'installed';
  return absent === true ? 'absent' : 'unknown';
}

const wordOrNull = (value: JsonValue | undefined): string | null => (typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._+:-]{0,63}$/.test(value) ? value : null);

/** The last attempt that was written down; null where there is none that can be read. */
function lastUpdate(host: Host, stateDir: string): ReceiptFacts['update'] {
  try {
    const lines = toText(host.readFile(joinPath(host.platform, stateDir, UPDATES_FILE), UPDATES_BYTES_MAX)).trimEnd().split('\n');
    const value: unknown = JSON.parse(lines[lines.length - 1] ?? '');
    const result = isObject(value) ? wordOrNull(value['result']) : null;
    return !isObject(value) || result === null ? null : { result, from: wordOrNull(value['from']), to: wordOrNull(value['to']), code: wordOrNull(value['code']) };
  } catch {
    // A receipt says what is known; the log of updates is judged by `workstation status`.
    return null;
  }
}

export interface FactsInput { readonly host: Host; readonly record: InstallRecord; readonly stateDir: string; readonly version: string; readonly settings: string | null; readonly state: string }

export function receiptFacts({ host, record, stateDir, version, settings, state }: FactsInput): ReceiptFacts {
  const { clients } = verifyClients(host, { clients: [], scope: 'user', require: 'observed' });
  return {
    os: host.platform, engine: { id: record.current, version }, settings, state,
    clients: Object.fromEntries(clients.map(({ client, states }) => [client, wordOf(states)])), update: lastUpdate(host, stateDir),
  };
}
