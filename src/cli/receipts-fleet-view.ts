// Contract: receipts of workstations as text: findings one by one, and a fleet in a few groups. PURE.
import type { Finding, Seen } from '../fleet/receipt-chain.ts';
import { paint, printable, type Style } from './style.ts';
import { table, type Cell } from './table.ts';

interface Verified { readonly pulledAt: string; readonly hosts: number; readonly receipts: number; readonly findings: readonly Finding[] }

export function renderFindings(style: Style, { pulledAt, hosts, receipts, findings }: Verified): string {
  const lines = findings.map(({ code, severity, message }) => `${paint(style, severity === 'note' ? 'yellow' : 'red', severity === 'note' ? `note ${code}` : code)}: ${printable(message)}`);
  const failed = findings.filter(({ severity }) => severity === 'finding').length;
  return [...lines, `${hosts} host(s), ${receipts} new receipt(s), ${failed} finding(s); pulled at ${pulledAt}`].join('\n');
}

interface Group { readonly value: string; readonly hosts: number }

export interface Summary {
  readonly pulledAt: string;
  readonly total: number;
  readonly byVersion: readonly Group[];
  readonly bySettings: readonly Group[];
  readonly byState: readonly Group[];
  readonly byAge: readonly Group[];
  readonly hosts: readonly { readonly host: string; readonly version: string; readonly id: string | null; readonly settings: string | null; readonly state: string; readonly at: string; readonly ageSeconds: number; readonly findings: readonly string[] }[];
}

const DAY_MS = 86_400_000;

function ageWord(ms: number): string {
  if (ms < DAY_MS) return 'under 1 day';
  if (ms < 2 * DAY_MS) return 'under 2 days';
  return ms < 7 * DAY_MS ? 'under 7 days' : '7 days and more';
}

function groups(values: readonly string[]): Group[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, hosts]) => ({ value, hosts })).sort((a, b) => b.hosts - a.hosts || (a.value < b.value ? -1 : 1));
}

export function summarize({ pulledAt, now, hosts, findings }: { readonly pulledAt: string; readonly now: number; readonly hosts: Readonly<Record<string, Seen>>; readonly findings: readonly Finding[] }): Summary {
  const codes = new Map<string, string[]>();
  for (const { host, code } of findings) if (host !== null) codes.set(host, [...(codes.get(host) ?? []), code]);
  const rows = Object.entries(hosts).sort(([a], [b]) => (a < b ? -1 : 1)).map(([host, { engine, settings, state, at }]) => ({
    host, version: engine.version, id: engine.id, settings, state, at, ageSeconds: Math.max(0, Math.floor((now - Date.parse(at)) / 1000)), findings: [...new Set(codes.get(host))].sort(),
  }));
  return {
    pulledAt, total: rows.length, byVersion: groups(rows.map(({ version, id }) => `${version} (${id ?? 'not installed'})`)), bySettings: groups(rows.map(({ settings }) => settings ?? 'none')),
    byState: groups(rows.map(({ state }) => state)), byAge: groups(rows.map(({ ageSeconds }) => ageWord(ageSeconds * 1000))), hosts: rows,
  };
}

export function renderSummary(style: Style, summary: Summary): string {
  if (summary.total === 0) return 'no host was verified yet (praetorctl receipts pull, then praetorctl receipts verify)';
  const part = (title: string, list: readonly Group[]): Cell[][] => list.map(({ value, hosts }, i) => [{ text: i === 0 ? title : '', color: 'dim' }, { text: String(hosts), right: true }, { text: printable(value) }]);
  const rows = [...part('version', summary.byVersion), ...part('settings', summary.bySettings), ...part('state', summary.byState), ...part('heard', summary.byAge)];
  const marked = summary.hosts.filter(({ findings }) => findings.length > 0).map(({ host, findings }): Cell[] => [{ text: host }, { text: findings.join(', '), color: 'red' }]);
  return [...table(style, rows), ...(marked.length === 0 ? [] : ['', ...table(style, marked)]), '', `${summary.total} host(s); pulled at ${summary.pulledAt}`].join('\n');
}
