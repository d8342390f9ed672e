// Contract: the answers of verify and doctor as text: an aligned table, then each reason with its next action. The home is
// shown as `~`; nothing that a terminal would execute gets through. PURE.
import type { Tri } from '../model/evidence.ts';
import type { ClientReport, VerifyResult } from './verify.ts';
import type { DoctorResult, DoctorStatus } from './doctor.ts';

/** As in cli/style.ts, which stands above this room. */
export interface Look { readonly color: boolean; readonly home: string }

type Color = 'red' | 'green' | 'yellow' | 'dim';
const CODES: Record<Color, number> = { red: 31, green: 32, yellow: 33, dim: 2 };

function paint(look: Look, color: Color | undefined, text: string): string {
  return look.color && color !== undefined ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text;
}

/** Every mention of the home directory, also inside a sentence. */
function plain(look: Look, text: string): string {
  const short = text.split(`${look.home}/`).join('~/').split(`${look.home}\\`).join('~\\');
  return short.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

interface Cell { readonly text: string; readonly color?: Color | undefined }

function table(look: Look, rows: readonly (readonly Cell[])[]): string[] {
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
    { text: client.client }, { text: client.version ?? client.versionNote, color: client.version === null ? 'dim' : undefined },
    tri(states.installed, true), tri(states.discovered, true), tri(states.observed, true), tri(states.drifted, false), tri(states.stale, false),
    { text: lastToolReceipt === null ? '-' : showAge(lastToolReceipt.age) },
  ];
}

export function renderVerify(result: VerifyResult, look: Look): string {
  const head = ['client', 'version', 'installed', 'discovered', 'observed', 'drifted', 'stale', 'evidence age'].map((text): Cell => ({ text, color: 'dim' }));
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

export function renderDoctor(result: DoctorResult, look: Look): string {
  const rows = result.rows.map((row): Cell[] => [{ text: row.status, color: STATUS_COLOR[row.status] }, { text: row.id }, { text: plain(look, row.message) }]);
  const lines = table(look, rows).flatMap((line, i) => {
    const fix = result.rows[i]?.fix ?? '';
    return fix === '' ? [line] : [line, `    ${paint(look, 'dim', 'fix:')} ${plain(look, fix)}`];
  });
  const count = (status: DoctorStatus): number => result.rows.filter((row) => row.status === status).length;
  return [...lines, '', `doctor: ${count('error')} error(s), ${count('warning')} warning(s), ${count('unknown')} unknown`].join('\n');
}
