// Contract: the answers of verify and doctor as text: an aligned table, then each reason with its next action. PURE.
import type { Tri } from '../model/evidence.ts';
import type { DoctorResult, DoctorStatus } from '../verify/doctor.ts';
import type { ClientReport, VerifyResult } from '../verify/verify.ts';
import { paint as colored, printable, type Style } from './style.ts';

type Color = 'red' | 'green' | 'yellow' | 'dim';

const paint = (look: Style, color: Color | undefined, text: string): string => (color === undefined ? text : colored(look, color, text));

/** Every mention of the home directory, also inside a sentence. */
function plain(look: Style, text: string): string {
  return printable(text.split(`${look.home}/`).join('~/').split(`${look.home}\\`).join('~\\'));
}

interface Cell { readonly text: string; readonly color?: Color | undefined }

function table(look: Style, rows: readonly (readonly Cell[])[]): string[] {
  const widths = rows.reduce<number[]>((w, row) => row.map((cell, i) => Math.max(w[i] ?? 0, cell.text.length)), []);
  return rows.map((row) => row.map((cell, i) => {
    const padded = i === row.length - 1 ? cell.text : cell.text.padEnd(widths[i] ?? 0);
    return paint(look, cell.color, padded);
  }).join('  ').trimEnd());
}

const WORD = { true: 'yes', false: 'no' } as const;

/** `good` is the answer that is well; the other one stands out. */
function tri(value: Tri, good: boolean): Cell {
  if (value === 'unknown') return { text: 'unknown', color: 'yellow' };
  return { text: WORD[`${value}`], color: value === good ? 'green' : good ? 'yellow' : 'red' };
}

export function showAge(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

function clientCells(client: ClientReport): Cell[] {
  const { states, lastToolReceipt } = client;
  return [
    { text: client.client }, { text: client.version ?? '-', color: client.version === null ? 'dim' : undefined },
    tri(states.installed, true), tri(states.discovered, true), tri(states.observed, true), tri(states.drifted, false), tri(states.stale, false),
    { text: lastToolReceipt === null ? '-' : showAge(lastToolReceipt.age) },
    client.proven === null ? { text: '-' } : { text: `enforcing, proven ${client.proven.slice(0, 10)}`, color: 'green' },
  ];
}

export function renderVerify(result: VerifyResult, look: Style): string {
  const head = ['client', 'version', 'installed', 'discovered', 'observed', 'drifted', 'stale', 'evidence age', 'proof'].map((text): Cell => ({ text, color: 'dim' }));
  const lines = result.clients.length === 0 ? [] : table(look, [head, ...result.clients.map(clientCells)]);
  for (const client of result.clients) {
    if (client.reasons.length === 0) continue;
    lines.push('', `${client.name}:`);
    for (const reason of client.reasons) {
      lines.push(`  ${plain(look, reason.text)}`);
      if (reason.fix !== '') lines.push(`    ${paint(look, 'dim', 'next:')} ${plain(look, reason.fix)}`);
    }
  }
  const below = result.clients.filter((client) => !client.meets).map((client) => client.client);
  const end = result.clients.length === 0 ? 'verify: no client to verify'
    : below.length === 0 ? `verify: ${result.clients.length} of ${result.clients.length} ${result.require}`
      : `verify: ${result.clients.length - below.length} of ${result.clients.length} ${result.require}; not: ${below.join(', ')}`;
  return [...lines, ...(lines.length === 0 ? [] : ['']), end].join('\n');
}

const STATUS_COLOR: Record<DoctorStatus, Color | undefined> = { ok: 'green', info: undefined, warning: 'yellow', error: 'red', skipped: 'dim', unknown: 'yellow' };

export function renderDoctor(result: DoctorResult, look: Style): string {
  const rows = result.rows.map((row): Cell[] => [{ text: row.status, color: STATUS_COLOR[row.status] }, { text: row.id }, { text: plain(look, row.message) }]);
  const lines = table(look, rows).flatMap((line, i) => {
    const fix = result.rows[i]?.fix ?? '';
    return fix === '' ? [line] : [line, `    ${paint(look, 'dim', 'fix:')} ${plain(look, fix)}`];
  });
  const count = (status: DoctorStatus): number => result.rows.filter((row) => row.status === status).length;
  return [...lines, '', `doctor: ${count('error')} error(s), ${count('warning')} warning(s), ${count('unknown')} unknown`].join('\n');
}
