// Contract: receipts as text: a table with the newest last, and one receipt with all its fields. PURE.
import type { ShownReceipt } from './receipts.ts';
import { paint, printable, tilde, type Style } from './style.ts';
import { table, type Cell } from './table.ts';

const VERDICT_COLOR = { deny: 'red', ask: 'yellow', error: 'red', skipped: 'yellow', recorded: 'yellow', allow: 'green', neutral: 'dim' } as const;

/** To the second, in UTC: `2026-03-01 08:30:00Z`. */
function shortTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}Z`;
}

/** Whose registration, and who ran it where that is someone else. */
function who({ client, caller, synthetic }: ShownReceipt): string {
  const by = caller === client ? '' : caller === 'unknown' ? ' (by hand)' : ` (by ${caller})`;
  return synthetic === true ? `${client} (doctor)` : `${client}${by}`;
}

function cells(style: Style, receipt: ShownReceipt): Cell[] {
  return [
    { text: receipt.id, color: 'dim' }, { text: shortTime(receipt.time) }, { text: printable(who(receipt)) }, { text: printable(receipt.event) },
    { text: receipt.verdict, color: VERDICT_COLOR[receipt.verdict] }, { text: printable(receipt.rule ?? '-') }, { text: printable(receipt.tool ?? '-') },
    { text: receipt.workspace === undefined ? '-' : tilde(style, receipt.workspace) },
  ];
}

export function renderReceipts(style: Style, receipts: readonly ShownReceipt[], more: boolean): string {
  if (receipts.length === 0) return 'no receipts';
  const head = ['id', 'time', 'client', 'event', 'verdict', 'rule', 'tool', 'workspace'].map((text): Cell => ({ text, color: 'dim' }));
  const lines = table(style, [head, ...receipts.map((receipt) => cells(style, receipt))]);
  const end = `${receipts.length} receipt${receipts.length === 1 ? '' : 's'}${more ? '; older ones match too (--limit, --since)' : ''}`;
  return [...lines, '', end].join('\n');
}

export function renderReceipt(style: Style, receipt: ShownReceipt, reason: string | undefined): string {
  const entries = Object.entries(receipt).filter(([key]) => key !== 'v');
  const width = Math.max(...entries.map(([key]) => key.length));
  const lines = entries.map(([key, value]) => {
    const text = key === 'workspace' ? tilde(style, String(value)) : printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
    return `${paint(style, 'dim', key.padEnd(width))}  ${key === 'ms' ? `${text} ms from process start to answer` : text}`;
  });
  return reason === undefined ? lines.join('\n') : [...lines, '', printable(reason)].join('\n');
}
