// Contract: the particulars of a reason: which entry, which file, which switch, and the exact next action. Names, paths
// and counts only: never a value from a client's file. PURE.
import type { ClientDefinition } from '../model/client.ts';
import type { ClientEvidence, FileEvidence, ServerEvidence } from '../model/evidence.ts';
import { changesSince, serverFiles, type Yardstick } from './checks.ts';
import { silentRows, type SilentRow } from './silent.ts';
import type { Reason, ReasonCode } from './state.ts';

type Particulars = (reason: Reason, client: ClientDefinition, e: ClientEvidence, y: Yardstick) => readonly Reason[];

const list = (words: readonly string[]): string => [...new Set(words)].sort().join(', ');

function byStatus(entries: readonly { readonly word: string; readonly status: string }[]): string {
  const order = ['missing', 'changed', 'surplus', 'conflict'];
  return order.flatMap((status) => {
    const words = entries.filter((entry) => entry.status === status).map((entry) => entry.word);
    return words.length === 0 ? [] : [`${status}: ${list(words)}`];
  }).join('; ');
}

const serversOf = (e: ClientEvidence): { word: string; status: string }[] => serverFiles(e).flatMap((file) => file.servers.map((server: ServerEvidence) => ({ word: server.name, status: server.status })));
const servers: Particulars = (reason, _client, e) => [{ ...reason, text: `${reason.text} (${byStatus(serversOf(e))})` }];

function unreadFiles(reason: Reason, files: readonly FileEvidence[]): Reason[] {
  return files.flatMap(({ diagnostic, spec }) => {
    if (diagnostic === undefined) return [];
    const { where } = diagnostic;
    const place = where?.line === undefined ? where?.path ?? spec.path : `${where.path}:${where.line}${where.column === undefined ? '' : `:${where.column}`}`;
    return [{ ...reason, text: `${reason.text}: ${place}: ${diagnostic.message}`, fix: diagnostic.fix }];
  });
}

function foreignGone(reason: Reason, _client: ClientDefinition, e: ClientEvidence): Reason[] {
  const counted = (n: number, word: string): string => (n === 0 ? '' : `${n} ${word}${n === 1 ? '' : 's'}`);
  const places = e.files.flatMap(({ foreignGone: gone, spec }) => {
    const words = [counted(gone.hooks, 'hook'), counted(gone.servers, 'MCP server')].filter((word) => word !== '');
    return words.length === 0 ? [] : [`${words.join(' and ')} in ${spec.path}`];
  });
  return [{ ...reason, text: `${reason.text}: ${places.join('; ')}` }];
}

/** A receipt that is there and yet says nothing about today. */
const skewed: Particulars = (reason, client, e, y) => {
  const { tool } = e.receipts;
  const found = tool === undefined ? [] : changesSince(tool, e, y);
  if (found.length === 0) return [reason];
  return found.map(({ check, what }) => ({ ...reason, text: `${what(client.name)} since the newest receipt`, check }));
};

const PARTICULARS: { readonly [K in ReasonCode]?: Particulars } = {
  'unverified': (reason, client) => [client.seenOn.basis === 'measured' ? reason : { ...reason, text: `${reason.text}; ${client.name} is documented only, never measured` }],
  'servers-unread': (reason, _client, e) => unreadFiles(reason, serverFiles(e)),
  'servers-differ': servers, 'servers-missing': servers, 'server-conflict': servers,
  'foreign-gone': foreignGone,
  'evidence-skewed': skewed,
  'evidence-aged': (reason) => [{ ...reason, check: 'receipt.aged' }],
  'registration-changed': (reason) => [{ ...reason, check: 'receipt.other-registration' }],
};

const ofRow = ({ code, text, fix, check, evidence }: SilentRow): Reason => ({ code, text, fix, check, evidence });

/** Reasons that no state depends on, but that a person wants to know. */
function extras(client: ClientDefinition, e: ClientEvidence): Reason[] {
  const found: Reason[] = [];
  const registered = e.files.some((file) => file.commands.length > 0);
  const { ignored, tool, unread } = e.receipts;
  if (tool?.verdict === 'error') {
    found.push({ code: 'last-answer-error', check: 'receipt.error', text: 'the newest receipt says that praetorctl could not judge the call', fix: 'praetorctl doctor' });
  }
  const kinds = [[ignored.synthetic, 'made by doctor or the demonstration'], [ignored.otherCaller, 'run by hand or by another client'], [ignored.beforeInstall, 'from before the registration'], [ignored.future, 'from the future']] as const;
  const words = kinds.filter(([some]) => some).map(([, what]) => what);
  if (registered && tool === undefined && words.length > 0) {
    found.push({ code: 'ignored-receipts', check: 'receipt.no-evidence', text: `receipts that are no evidence: ${words.join(', ')}`, fix: `let ${client.name} run one harmless command, then: praetorctl clients verify --client ${client.id}` });
  }
  if (registered && unread !== undefined && tool === undefined) found.push({ code: 'note', text: unread, fix: 'praetorctl doctor' });
  return found;
}

/** Whole reasons: those of the state with their particulars, then whatever else is known. The first one's fix is the next action. */
export function explain(reasons: readonly Reason[], client: ClientDefinition, e: ClientEvidence, y: Yardstick): readonly Reason[] {
  const rows = silentRows(client, e).map(ofRow);
  const whole = reasons.flatMap((reason) => {
    const own = rows.filter((row) => row.code === reason.code);
    return own.length > 0 ? own : PARTICULARS[reason.code]?.(reason, client, e, y) ?? [reason];
  });
  const seen = new Set<string>();
  return [...whole, ...rows, ...extras(client, e)].filter((reason) => {
    const key = `${reason.text}\0${reason.fix}`;
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
}
