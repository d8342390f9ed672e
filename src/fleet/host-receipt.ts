// Contract: the receipt of a workstation, praetor.receipt/1: what one host says about itself, and where it stands. It never holds a name of a
// person, a host name or a path: ids, versions, digests, states. PURE.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';

export const RECEIPT_SCHEMA = 'praetor.receipt/1';
/** A receipt is written when something changed, and once a day where nothing did. */
export const HEARTBEAT_MS = 86_400_000;
const CLIENTS_MAX = 128;

export interface ReceiptFacts {
  readonly os: string;
  /** The id of the installed version, null where none is installed; the version of the program that writes. */
  readonly engine: { readonly id: string | null; readonly version: string };
  readonly settings: string | null;
  readonly state: string;
  readonly clients: Readonly<Record<string, string>>;
  readonly update: { readonly result: string; readonly from: string | null; readonly to: string | null; readonly code: string | null } | null;
  /** A keyed hash, only where the settings ask for it. */
  readonly user?: string;
}

export interface HostReceipt extends ReceiptFacts {
  readonly host: string;
  readonly seq: number;
  readonly prev: string | null;
  readonly at: string;
}

export const HOST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const WORD = /^[A-Za-z0-9][A-Za-z0-9._+:-]{0,63}$/;
const DIGEST = /^[0-9a-f]{16,128}$/;
export const RECEIPT_REFS = 'refs/praetor/receipts/';
const REF = /^refs\/praetor\/receipts\/([0-9a-f]{2})\/([0-9a-f-]{36})$/;

/** Sharded by the first two digits, so that no directory of references grows without end. */
export const receiptRef = (host: string): string => `${RECEIPT_REFS}${host.slice(0, 2)}/${host}`;

/** The host whose reference it is; undefined where it is nobody's. */
export function hostOfRef(ref: string): string | undefined {
  const [, shard = '', host = ''] = REF.exec(ref) ?? [];
  return HOST_ID.test(host) && host.startsWith(shard) ? host : undefined;
}

export function toPayload(receipt: HostReceipt): JsonObject {
  const { host, seq, prev, at, os, engine, settings, state, clients, update, user } = receipt;
  const sorted = Object.fromEntries(Object.entries(clients).sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, CLIENTS_MAX));
  return {
    schema: RECEIPT_SCHEMA, host, seq, prev, at, os, engine: { ...engine }, settings, state, clients: sorted, update: update === null ? null : { ...update },
    ...(user === undefined ? {} : { user }),
  };
}

const isWord = (value: JsonValue | undefined): value is string => typeof value === 'string' && WORD.test(value);
const isDigest = (value: JsonValue | undefined): value is string => typeof value === 'string' && DIGEST.test(value);
const orNull = <T extends JsonValue>(is: (value: JsonValue | undefined) => value is T) => (value: JsonValue | undefined): value is T | null => value === null || is(value);
const digestOrNull = orNull(isDigest);
const wordOrNull = orNull(isWord);

function updateOf(value: JsonValue | undefined): ReceiptFacts['update'] | undefined {
  if (value === null) return null;
  if (!isObject(value)) return undefined;
  const { result, from, to, code } = value;
  return isWord(result) && wordOrNull(from) && wordOrNull(to) && wordOrNull(code) ? { result, from, to, code } : undefined;
}

/** The payload of a line whose signature fits, or which field is wrong. Keys that a later version added are not an error. */
export function parseReceipt(payload: JsonObject): HostReceipt | { readonly wrong: string } {
  const { host, seq, prev, at, os, engine, settings, state, clients, user } = payload;
  if (typeof host !== 'string' || !HOST_ID.test(host)) return { wrong: 'host' };
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return { wrong: 'seq' };
  if (!digestOrNull(prev) || (prev === null) !== (seq === 1)) return { wrong: 'prev' };
  if (typeof at !== 'string') return { wrong: 'at' };
  if (!isWord(os)) return { wrong: 'os' };
  if (!isObject(engine) || !digestOrNull(engine['id']) || !isWord(engine['version'])) return { wrong: 'engine' };
  if (!digestOrNull(settings)) return { wrong: 'settings' };
  if (!isWord(state)) return { wrong: 'state' };
  if (!isObject(clients) || Object.keys(clients).length > CLIENTS_MAX || !Object.entries(clients).every(([id, word]) => isWord(id) && isWord(word))) return { wrong: 'clients' };
  const update = updateOf(payload['update']);
  if (update === undefined) return { wrong: 'update' };
  if (user !== undefined && !isDigest(user)) return { wrong: 'user' };
  return {
    host, seq, prev, at, os, engine: { id: engine['id'] ?? null, version: engine['version'] }, settings, state, clients: clients as Record<string, string>, update,
    ...(user === undefined ? {} : { user }),
  };
}
