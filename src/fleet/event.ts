// Contract: one event of evidence, praetor.event/1, from one receipt of a hook. An allow-list: a field is written here or it does not leave.
// Never a prompt, content, argument, environment value, path or command line; what could name a person or a project is a keyed hash, or absent
// where no key is known. PURE.
import type { Receipt } from '../receipts/format.ts';

export const EVENT_SCHEMA = 'praetor.event/1';

export interface EvidenceEvent {
  readonly schema: typeof EVENT_SCHEMA;
  /** `<host>-<seq>`: the same event keeps it if it is sent twice. */
  readonly id: string;
  readonly seq: number;
  /** sha256 of the event before it, as one line of JSON. */
  readonly prev: string | null;
  readonly at: string;
  readonly host: string;
  readonly os: string;
  readonly engine: string;
  readonly policy: string;
  readonly user?: string;
  readonly client: string;
  readonly caller: string;
  readonly session?: string;
  readonly event: string;
  readonly kind?: string;
  readonly tool?: string;
  readonly verdict: Receipt['verdict'];
  readonly rule?: string;
  /** How the settings were read where that was not as usual: stale, source, invalid. */
  readonly settings?: string;
  /** A person was asked about this call. */
  readonly asked?: true;
  readonly duration_us: number;
  readonly workspace?: string;
  /** Receipts right before this one that were not exported: too many waited. */
  readonly dropped?: number;
  /** Receipts before this one are gone and cannot be counted. */
  readonly lost?: true;
}

/** HMAC-SHA-256 with the key of the fleet, or undefined where there is none. */
export type KeyedHash = (kind: string, text: string) => string | undefined;

export interface EventContext {
  readonly host: string;
  readonly os: string;
  readonly hash: KeyedHash;
  /** As it is to be written; undefined: identity is off. */
  readonly user: string | undefined;
}

export interface Position { readonly seq: number; readonly prev: string | null; readonly dropped: number; readonly lost: boolean }

/** Words of ours and of clients: names of tools, rules and events. Anything else in their place came from outside and stays here. */
const WORD = /^[A-Za-z0-9_@][A-Za-z0-9_.:/@-]{0,127}$/;
const word = (text: string): string => (WORD.test(text) ? text : 'other');

export function toEvent(receipt: Receipt, context: EventContext, { seq, prev, dropped, lost }: Position): EvidenceEvent {
  const session = receipt.session === undefined ? undefined : context.hash('session', receipt.session);
  const workspace = receipt.workspace === undefined ? undefined : context.hash('workspace', receipt.workspace);
  return {
    schema: EVENT_SCHEMA, id: `${context.host}-${seq}`, seq, prev, at: new Date(receipt.time).toISOString(), host: context.host, os: context.os,
    engine: word(receipt.engine), policy: word(receipt.policy), ...(context.user === undefined ? {} : { user: context.user }),
    client: word(receipt.client), caller: word(receipt.caller), ...(session === undefined ? {} : { session }), event: word(receipt.event),
    ...(receipt.kind === undefined ? {} : { kind: receipt.kind }), ...(receipt.tool === undefined ? {} : { tool: word(receipt.tool) }),
    verdict: receipt.verdict, ...(receipt.rule === undefined ? {} : { rule: word(receipt.rule) }), ...(receipt.settings === undefined ? {} : { settings: word(receipt.settings) }),
    ...(receipt.call === undefined ? {} : { asked: true as const }), duration_us: Math.max(0, Math.round(receipt.ms * 1000)), ...(workspace === undefined ? {} : { workspace }),
    ...(dropped === 0 ? {} : { dropped }), ...(lost ? { lost: true as const } : {}),
  };
}
