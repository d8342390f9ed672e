// Contract: from what was seen of a client to the few values on which its state depends. PURE.
import type { ClientEvidence, EntryStatus, FileEvidence, ReceiptFact, SeenFinding, SeenTrust } from '../model/evidence.ts';
import type { ServerInput, StateInput } from './state.ts';

/** What counts as ours and as recent. */
export interface Yardstick {
  readonly now: number;
  readonly maxAgeMs: number;
  readonly engine: string;
  readonly policy: string;
}

export const hookFiles = (e: ClientEvidence): readonly FileEvidence[] => e.files.filter((file) => file.spec.role !== 'mcp');
export const serverFiles = (e: ClientEvidence): readonly FileEvidence[] => e.files.filter((file) => file.spec.role !== 'hooks');

/** Everything by which the client would leave our hooks out: faults in the file that holds them, and switches anywhere. */
export function blockers(e: ClientEvidence): readonly SeenFinding[] {
  return [...hookFiles(e).filter((file) => file.commands.length > 0 || file.recorded).flatMap((file) => file.findings), ...e.switches];
}

function entriesOf(e: ClientEvidence): StateInput['entries'] {
  const files = hookFiles(e);
  if (files.some((file) => file.state === 'unread')) return 'unknown';
  if (files.every((file) => file.commands.length === 0)) return 'none';
  return e.launcherIntact && files.every((file) => file.hooks.every((hook) => hook.status === 'as-desired')) ? 'exact' : 'differs';
}

function gateOf(e: ClientEvidence): StateInput['gate'] {
  const found = blockers(e).filter((finding) => finding.effect !== 'note');
  if (found.some((finding) => finding.effect === 'file' && finding.certain)) return 'dropped';
  if (found.some((finding) => finding.certain)) return 'off';
  if (e.unread.length > 0) return 'unknown';
  return found.length > 0 ? 'doubtful' : 'open';
}

/** The worst of our hooks decides: one that is skipped is a hole, whatever the others do. */
export function trustOf(e: ClientEvidence): StateInput['trust'] {
  if (typeof e.trust === 'string') return e.trust;
  const states = desiredTrust(e).map((one) => one.state);
  for (const state of ['untrusted', 'modified', 'disabled'] as const) {
    if (states.includes(state)) return state;
  }
  return states.length === 0 ? 'unknown' : 'trusted';
}

export interface ChangeSince { readonly check: string; readonly what: (client: string) => string }

/** What is another one now than when the receipt was left: then it says nothing about what is installed now. */
export function changesSince(fact: ReceiptFact, e: ClientEvidence, y: Yardstick): readonly ChangeSince[] {
  const parts: readonly (readonly [boolean, string, (client: string) => string])[] = [
    [e.programChangedAt !== undefined && fact.at <= e.programChangedAt, 'receipt.other-program', (client) => `the program of ${client} changed`],
    [fact.engine !== y.engine, 'receipt.other-version', () => 'the version of praetorctl changed'],
    [fact.policy !== y.policy, 'receipt.other-policy', () => 'the policy changed'],
  ];
  return parts.filter(([changed]) => changed).map(([, check, what]) => ({ check, what }));
}

const isCurrent = (fact: ReceiptFact, e: ClientEvidence, y: Yardstick): boolean => changesSince(fact, e, y).length === 0;
const isRecent = (fact: ReceiptFact, y: Yardstick): boolean => fact.at >= y.now - y.maxAgeMs;

function toolOf(e: ClientEvidence, y: Yardstick): StateInput['tool'] {
  const { tool, earlierTool, unread } = e.receipts;
  if (tool !== undefined) return !isRecent(tool, y) ? 'aged' : isCurrent(tool, e, y) ? 'fresh' : 'skewed';
  if (unread !== undefined) return 'unknown';
  return earlierTool === undefined ? 'none' : 'earlier';
}

function sessionOf(e: ClientEvidence, y: Yardstick): StateInput['session'] {
  const { session, unread } = e.receipts;
  if (session !== undefined) return isRecent(session, y) && isCurrent(session, e, y) ? 'fresh' : 'old';
  return unread === undefined ? 'none' : 'unknown';
}

const STANDS: readonly EntryStatus[] = ['as-desired', 'changed'];

/** An event that a client splits over several of its own counts only whole: with one of them gone, calls pass beside us. */
function hasWholeToolEvent(files: readonly FileEvidence[]): boolean {
  const wanted = files.flatMap((file) => file.hooks).filter((hook) => hook.tool && hook.status !== 'surplus');
  return wanted.some(({ event }) => wanted.every((hook) => hook.event !== event || STANDS.includes(hook.status)));
}

export function stateInput(e: ClientEvidence, y: Yardstick): StateInput {
  const files = hookFiles(e);
  return {
    detected: e.detected, entries: entriesOf(e),
    toolEvent: hasWholeToolEvent(files),
    recorded: files.some((file) => file.recorded),
    foreign: e.files.some((file) => file.foreignGone.hooks + file.foreignGone.servers > 0) ? 'fewer' : 'kept',
    gate: gateOf(e), trust: trustOf(e), tool: toolOf(e, y), session: sessionOf(e, y),
  };
}

/** `ownedServers`: how many servers the records say we wrote into this client's files. */
export function serverInput(e: ClientEvidence, ownedServers: number): ServerInput {
  const files = serverFiles(e);
  const statuses = files.flatMap((file) => file.servers.map((server) => server.status));
  const wanted = statuses.some((status) => status !== 'surplus');
  const base = { wanted, recorded: ownedServers > 0 };
  if (files.some((file) => file.state === 'unread')) return { ...base, servers: 'unknown' };
  if (statuses.every((status) => status === 'missing')) return { ...base, servers: 'none' };
  if (statuses.every((status) => status === 'as-desired')) return { ...base, servers: 'exact' };
  return { ...base, servers: statuses.every((status) => status === 'conflict' || status === 'as-desired') ? 'conflict' : 'differs' };
}

/** Trust of the hooks that are desired; a surplus entry does not matter to what runs. */
export function desiredTrust(evidence: ClientEvidence): readonly SeenTrust[] {
  if (typeof evidence.trust === 'string') return [];
  const wanted = evidence.files.flatMap((file) => file.hooks).filter((hook) => hook.status !== 'surplus').map((hook) => hook.event);
  return evidence.trust.filter((state) => wanted.includes(state.canonical));
}
