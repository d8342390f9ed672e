// Contract: what the receipts say about one client. A receipt is evidence only if this client itself ran its own
// registration, after the registration came to stand as it does, and not on behalf of doctor or the demonstration.
// Everything else is named with the reason why it does not count. Reads through the Host.
import type { Host } from '../host.ts';
import { isCanonicalEvent } from '../model/events.ts';
import type { ReceiptEvidence, ReceiptFact } from '../model/evidence.ts';
import { hasTool } from '../clients/dialect-kit.ts';
import type { Receipt } from '../receipts/format.ts';
import { FUTURE_MS_MAX, type Note } from '../receipts/history.ts';
import { walkReceipts } from '../receipts/walk.ts';
import { openStore, walkFiles, type ReceiptStore, type StoreOptions } from './receipt-store.ts';

/** The newest receipts of this machine. No directory is no receipt; one that cannot be read is `unknown`. */
export type ReceiptSource =
  | { readonly ok: true; readonly counted: () => Pick<ReceiptStore, 'lines' | 'damagedLines'>; readonly ask: (question: ReceiptQuestion) => ReceiptEvidence }
  | { readonly ok: false; readonly why: string };

export interface ReceiptQuestion {
  readonly id: string;
  readonly aliases: readonly string[];
  /** A receipt counts if it is newer; undefined: nothing of ours is registered, so nothing can count. */
  readonly since: number | undefined;
  readonly now: number;
  /** For a registration of a project: only runs in it count. */
  readonly workspace: ((path: string) => boolean) | undefined;
}

const unreadable = (directory: string, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : error instanceof Error ? error.message : 'unknown';
  return `${directory} cannot be read (${code})`;
};

export function readReceipts(host: Host, directory: string, options: StoreOptions = {}): ReceiptSource {
  let store: ReceiptStore;
  try {
    store = openStore(host, directory, options);
  } catch (error) {
    return { ok: false, why: unreadable(directory, error) };
  }
  const ask = (question: ReceiptQuestion): ReceiptEvidence => {
    try {
      const found = answer(store, question);
      if (found !== undefined) return found;
      // A note without its receipt: the files are not what was noted, so all of them are read.
      store = openStore(host, directory, { ...options, afresh: true });
      return answer(store, question) ?? unknown('the receipts changed while they were read');
    } catch (error) {
      return unknown(unreadable(directory, error));
    }
  };
  return { ok: true, counted: () => store, ask };
}

/** Receipts since a time, the oldest first: for what has just run. */
export function receiptsSince(host: Host, directory: string, since: number): readonly Receipt[] {
  const found: Receipt[] = [];
  try {
    walkReceipts(directory, walkFiles(host), {
      look: () => 'take',
      visit: (receipt) => {
        const late = Date.parse(receipt.time) >= since;
        if (late) found.push(receipt);
        return Date.parse(receipt.time) < since - FUTURE_MS_MAX;
      },
    });
  } catch { /* what cannot be read is no receipt */ }
  return found.reverse();
}

const NOTHING = { tool: undefined, session: undefined, earlierTool: undefined, byEvent: new Map<string, ReceiptFact>() };
const NONE_IGNORED = { synthetic: false, otherCaller: false, beforeInstall: false, future: false };

const unknown = (why: string): ReceiptEvidence => ({ ...NOTHING, unread: why, ignored: NONE_IGNORED });

export function receiptEvidence(source: ReceiptSource, question: ReceiptQuestion): ReceiptEvidence {
  return source.ok ? source.ask(question) : unknown(source.why);
}

const newer = <T extends { readonly at: number }>(a: T | undefined, b: T): T => (a === undefined || b.at > a.at ? b : a);

/** Undefined where a receipt does not stand where it was noted. */
function answer(store: ReceiptStore, { id, aliases, since, now, workspace }: ReceiptQuestion): ReceiptEvidence | undefined {
  const ignored = { ...NONE_IGNORED };
  const newest = new Map<string, Note>();
  let earlier: Note | undefined;
  for (const note of [id, ...aliases].flatMap((word) => store.notesOf(word))) {
    if (workspace !== undefined && (note.workspace === '' || !workspace(note.workspace))) continue;
    if (note.kind === 'synthetic') ignored.synthetic = true;
    else if (note.caller !== id) ignored.otherCaller = true;
    else if (note.kind === 'future' || note.at > now + FUTURE_MS_MAX) ignored.future = true;
    // A client reads its hooks when a session starts, so a session that had begun before may still run the old ones.
    else if (since === undefined || note.at <= since || note.begun <= since) {
      ignored.beforeInstall = true;
      if (isToolEvent(note.event)) earlier = newer(earlier, note);
    } else newest.set(note.event, newer(newest.get(note.event), note));
  }
  const facts = [...newest.values()].map((note) => factOf(store, note));
  const earlierTool = earlier === undefined ? undefined : factOf(store, earlier);
  if (!facts.every((fact) => fact !== undefined) || (earlier !== undefined && earlierTool === undefined)) return undefined;
  const newestOf = (list: readonly ReceiptFact[]): ReceiptFact | undefined => list.reduce<ReceiptFact | undefined>(newer, undefined);
  const tool = newestOf(facts.filter(({ event }) => hasTool(event)));
  const session = newestOf(facts.filter(({ event }) => !hasTool(event)));
  // Where there is a later one, nobody asks for it, and the notes need not hold it.
  return { unread: unseen(store, since, tool), tool, session, earlierTool: tool === undefined ? earlierTool : undefined, byEvent: new Map(facts.map((fact) => [fact.event, fact])), ignored };
}

const isToolEvent = (event: string): boolean => isCanonicalEvent(event) && hasTool(event);

function factOf(store: ReceiptStore, note: Note): ReceiptFact | undefined {
  const receipt = store.receiptOf(note);
  if (receipt === undefined || !isCanonicalEvent(receipt.event)) return undefined;
  return { at: note.at, event: receipt.event, verdict: receipt.verdict, engine: receipt.engine, policy: receipt.policy };
}

/** "No receipt" may be said only if the receipts were read back to the installation. */
function unseen({ unknownBefore }: ReceiptStore, since: number | undefined, tool: ReceiptFact | undefined): string | undefined {
  if (unknownBefore === null || tool !== undefined || since === undefined || unknownBefore <= since) return undefined;
  return 'there are more receipts than are read, and none of the newest is of this client';
}
