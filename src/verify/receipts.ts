// Contract: what the receipts say about one client. A receipt is evidence only if this client itself ran its own
// registration, after the registration came to stand as it does, and not on behalf of doctor or the demonstration.
// Everything else is counted with the reason why it does not count. Reads through the Host.
import type { Host } from '../host.ts';
import { isCanonicalEvent } from '../model/events.ts';
import type { ReceiptEvidence, ReceiptFact } from '../model/evidence.ts';
import { hasTool } from '../clients/dialect-kit.ts';
import type { Receipt } from '../receipts/format.ts';
import { readReceiptTail, type ReceiptTail } from '../receipts/read.ts';

/** A clock may be set back a little; a receipt from further ahead would never age. */
export const FUTURE_MS_MAX = 5 * 60_000;

export type ReceiptSource = { readonly ok: true; readonly tail: ReceiptTail } | { readonly ok: false; readonly why: string };

/** The newest receipts of this machine. No directory is no receipt; one that cannot be read is `unknown`. */
export function readReceipts(host: Host, directory: string): ReceiptSource {
  try {
    const tail = readReceiptTail(directory, {
      names: (path) => (host.stat(path) === undefined ? undefined : host.readDir(path)),
      size: (path) => host.stat(path)?.size,
      readAt: (path, start, end) => (host.stat(path)?.kind === 'file' ? new TextDecoder().decode(host.readAt(path, start, end - start)) : fail('not a regular file')),
    });
    return { ok: true, tail };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : error instanceof Error ? error.message : 'unknown';
    return { ok: false, why: `${directory} cannot be read (${code})` };
  }
}

function fail(message: string): never {
  throw new Error(message);
}

export interface ReceiptQuestion {
  readonly id: string;
  readonly aliases: readonly string[];
  /** A receipt counts if it is newer; undefined: nothing of ours is registered, so nothing can count. */
  readonly since: number | undefined;
  readonly now: number;
  /** For a registration of a project: only runs in it count. */
  readonly workspace: ((path: string) => boolean) | undefined;
}

const NOTHING = { tool: undefined, session: undefined, earlierTool: undefined, byEvent: new Map<string, ReceiptFact>() };

function factOf(receipt: Receipt): ReceiptFact | undefined {
  if (!isCanonicalEvent(receipt.event) || receipt.verdict === 'skipped' || receipt.verdict === 'recorded') return undefined;
  return { at: Date.parse(receipt.time), event: receipt.event, verdict: receipt.verdict, engine: receipt.engine, policy: receipt.policy };
}

const newer = (a: ReceiptFact | undefined, b: ReceiptFact): ReceiptFact => (a === undefined || b.at > a.at ? b : a);

export function receiptEvidence(source: ReceiptSource, question: ReceiptQuestion): ReceiptEvidence {
  const ignored = { synthetic: 0, otherCaller: 0, beforeInstall: 0, future: 0 };
  if (!source.ok) return { ...NOTHING, unread: source.why, ignored };
  const { id, aliases, since, now, workspace } = question;
  const byEvent = new Map<string, ReceiptFact>();
  const early = sessionsBefore(source.tail, id, since);
  let tool: ReceiptFact | undefined;
  let session: ReceiptFact | undefined;
  let earlierTool: ReceiptFact | undefined;
  for (const receipt of source.tail.receipts) {
    const fact = factOf(receipt);
    if (fact === undefined || (receipt.client !== id && !aliases.includes(receipt.client))) continue;
    if (workspace !== undefined && (receipt.workspace === undefined || !workspace(receipt.workspace))) continue;
    if (receipt.synthetic === true) { ignored.synthetic += 1; continue; }
    if (receipt.caller !== id) { ignored.otherCaller += 1; continue; }
    if (fact.at > now + FUTURE_MS_MAX) { ignored.future += 1; continue; }
    if (since === undefined || fact.at <= since || (receipt.session !== undefined && early.has(receipt.session))) {
      ignored.beforeInstall += 1;
      if (hasTool(fact.event)) earlierTool = newer(earlierTool, fact);
      continue;
    }
    byEvent.set(fact.event, newer(byEvent.get(fact.event), fact));
    if (hasTool(fact.event)) tool = newer(tool, fact);
    else session = newer(session, fact);
  }
  return { unread: unseen(source.tail, since, tool), tool, session, earlierTool, byEvent, ignored };
}

/** Sessions that had begun before the registration: a client reads its hooks at the start, so later calls may run the old ones. */
function sessionsBefore(tail: ReceiptTail, id: string, since: number | undefined): ReadonlySet<string> {
  const found = new Set<string>();
  if (since === undefined) return found;
  for (const { session, caller, time } of tail.receipts) if (session !== undefined && caller === id && Date.parse(time) <= since) found.add(session);
  return found;
}

/** "No receipt" may be said only if the receipts were read back to the installation. */
function unseen(tail: ReceiptTail, since: number | undefined, tool: ReceiptFact | undefined): string | undefined {
  if (!tail.truncated || tool !== undefined || since === undefined) return undefined;
  const oldest = tail.receipts[tail.receipts.length - 1];
  return oldest === undefined || Date.parse(oldest.time) > since ? 'there are more receipts than are read, and none of the newest is of this client' : undefined;
}
