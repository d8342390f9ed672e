// Contract: the answers of verify and doctor as text. Verify: one line for each client, in the columns that the terminal has, then
// each reason once with its next action, the most important first. PURE.
import type { Tri } from '../model/evidence.ts';
import type { DoctorStatus } from '../verify/doctor-check.ts';
import type { DoctorResult } from '../verify/doctor.ts';
import { IMPORTANCE_TITLES, reasonsByImportance, type Importance } from '../verify/importance.ts';
import type { ClientReport, VerifyResult } from '../verify/verify.ts';
import { paint, printable, withTilde, type Style } from './style.ts';
import { table, type Cell, type CellColor } from './table.ts';
import { wrap } from './wrap.ts';

/** Where nobody says how wide the terminal is. */
export const COLUMNS_DEFAULT = 80;
/** A version is cut where the columns are tight; --json shows it whole. */
const VERSION_CHARS_MAX = [16, 8] as const;

/** Short enough for a column: 90s, 5m, 3h, 12d. */
export function showAge(seconds: number): string {
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** Whole seconds since a proof that binds; null where there is none. */
export function proofAge(client: ClientReport, now: number): number | null {
  return client.proven === null ? null : Math.max(0, Math.floor((now - Date.parse(client.proven)) / 1000));
}

/** `good` is the answer that is well; the other one stands out where something is registered at all. */
function tri(value: Tri, good: boolean, registered: boolean): Cell {
  if (value === 'unknown') return { text: '?', color: 'yellow' };
  const color: CellColor = value === good ? (good ? 'green' : 'dim') : !registered ? 'dim' : good ? 'yellow' : 'red';
  return { text: value ? 'yes' : 'no', color };
}

const TRUST: Readonly<Record<ClientReport['trust'], Cell>> = {
  none: { text: '-', color: 'dim' }, trusted: { text: 'trusted', color: 'green' }, unknown: { text: '?', color: 'yellow' },
  untrusted: { text: 'untrusted', color: 'red' }, modified: { text: 'modified', color: 'red' }, disabled: { text: 'disabled', color: 'red' },
};

const NONE: Cell = { text: '-', color: 'dim' };

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

interface Column { readonly head: string; readonly cell: (client: ClientReport, now: number) => Cell }

const columns = (versionMax: number): readonly Column[] => [
  { head: 'client', cell: (c) => ({ text: c.client, color: c.meets ? 'green' : 'yellow' }) },
  { head: 'version', cell: (c) => (c.version === null ? NONE : { text: cut(printable(c.version), versionMax) }) },
  { head: 'inst', cell: (c) => tri(c.states.installed, true, c.states.absent !== true) },
  { head: 'disc', cell: (c) => tri(c.states.discovered, true, c.states.absent !== true) },
  { head: 'obs', cell: (c) => tri(c.states.observed, true, c.states.absent !== true) },
  { head: 'drift', cell: (c) => tri(c.states.drifted, false, true) },
  { head: 'stale', cell: (c) => tri(c.states.stale, false, true) },
  { head: 'last', cell: (c) => (c.lastToolReceipt === null ? NONE : { text: showAge(c.lastToolReceipt.age) }) },
  { head: 'trust', cell: (c) => TRUST[c.trust] },
  { head: 'proven', cell: (c, now) => { const age = proofAge(c, now); return age === null ? NONE : { text: showAge(age), color: 'green' }; } },
];

const WORDS = 'inst(alled), disc(overed), obs(erved); last: newest tool receipt; ?: unknown';

/** Columns do not fit: the same words in as many lines as they need. */
function stacked(result: VerifyResult, look: Style, width: number): string[] {
  return result.clients.flatMap((client) => {
    const [id, ...cells] = columns(VERSION_CHARS_MAX[0]).map(({ head, cell }) => ({ head, ...cell(client, result.now) }));
    const said = cells.filter((cell) => cell.text !== '-').map((cell) => `${cell.head} ${cell.text}`).join(', ');
    return [paint(look, id?.color ?? 'dim', client.client), ...wrap(said, Math.max(1, width - 2)).map((line) => `  ${line}`)];
  });
}

function matrix(result: VerifyResult, look: Style, width: number): string[] {
  if (result.clients.length === 0) return [];
  const forms = VERSION_CHARS_MAX.map((max) => [columns(max).map(({ head }): Cell => ({ text: head, color: 'dim' })), ...result.clients.map((client) => columns(max).map(({ cell }) => cell(client, result.now)))]);
  const fits = forms.find((rows) => table({ ...look, color: false }, rows).every((line) => line.length <= width));
  const lines = fits === undefined ? stacked(result, look, width) : table(look, fits);
  return [...lines, ...wrap(WORDS, width).map((line) => paint(look, 'dim', line))];
}

const TITLE_COLOR: Readonly<Record<Importance, CellColor>> = { blocking: 'red', uncertain: 'yellow', open: 'yellow', note: 'dim' };

function reasonLines(result: VerifyResult, look: Style, width: number): string[] {
  return reasonsByImportance(result.clients).flatMap(({ importance, reasons }) => ['', ...wrap(`${IMPORTANCE_TITLES[importance]}:`, width).map((line) => paint(look, TITLE_COLOR[importance], line)), ...reasons.flatMap((reason) => {
    const ids = reason.clients.join(', ');
    const said = `${withTilde(look, reason.text)}${reason.check === undefined ? '' : ` [${reason.check}]`}`;
    const text = wrap(reason.clients.length === 1 ? `${ids}: ${said}` : `${said}: ${ids}`, width - 4);
    const fix = reason.fix === '' ? [] : wrap(withTilde(look, reason.fix), width - 10);
    return [...text.map((line, i) => `${i === 0 ? '  ' : '    '}${line}`), ...fix.map((line, i) => `    ${i === 0 ? paint(look, 'dim', 'next:') : '     '} ${line}`)];
  })]);
}

export function renderVerify(result: VerifyResult, look: Style): string {
  const width = look.columns ?? COLUMNS_DEFAULT;
  const all = result.clients.length;
  const below = result.clients.filter((client) => !client.meets).map((client) => client.client);
  const end = all === 0 ? 'verify: no client to verify'
    : `verify: ${all - below.length} of ${all} ${result.require}${below.length === 0 ? '' : `; not: ${below.join(', ')}`}`;
  return [...matrix(result, look, width), ...reasonLines(result, look, width), ...(all === 0 ? [] : ['']), ...wrap(end, width)].join('\n');
}

const STATUS_COLOR: Record<DoctorStatus, CellColor | undefined> = { ok: 'green', info: undefined, warning: 'yellow', error: 'red', skipped: 'dim', unknown: 'yellow' };

export function renderDoctor(result: DoctorResult, look: Style): string {
  const rows = result.rows.map((row): Cell[] => [{ text: row.status, color: STATUS_COLOR[row.status] }, { text: row.id }, { text: `${withTilde(look, row.message)}${row.check === undefined ? '' : ` [${row.check}]`}` }]);
  const lines = table(look, rows).flatMap((line, i) => {
    const fix = result.rows[i]?.fix ?? '';
    return fix === '' ? [line] : [line, `    ${paint(look, 'dim', 'fix:')} ${withTilde(look, fix)}`];
  });
  const count = (status: DoctorStatus): number => result.rows.filter((row) => row.status === status).length;
  return [...lines, '', `doctor: ${count('error')} error(s), ${count('warning')} warning(s), ${count('unknown')} unknown`].join('\n');
}
