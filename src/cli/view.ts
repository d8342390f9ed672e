// Contract: text of plans and reports. The same values go out as JSON; nothing is decided here. PURE.
import type { ApplyReport, EntryAction, EntryChange, FilePlan, FileResult, Plan, PlanCounts } from '../model/plan.ts';
import { paint, printable, tilde, type Style } from './style.ts';

const MARK: Readonly<Record<EntryAction, string>> = { add: '+', change: '~', remove: '-', none: ' ' };
const COLOR = { add: 'green', change: 'yellow', remove: 'red', none: 'dim' } as const;
const WORD: Readonly<Record<FilePlan['action'], string>> = {
  create: 'new file', edit: 'edit', restore: 'restore the original bytes', delete: 'delete (we created it)', none: 'unchanged',
};

/** Long matchers and arguments are cut for the eye; --verbose and --json show them whole. */
const LINE_CHARS_MAX = 100;

function entryLine(style: Style, entry: EntryChange, whole: boolean): string {
  const what = printable(`${entry.kind.padEnd(4)} ${entry.name}${entry.detail === '' ? '' : `: ${entry.detail}`}`);
  const shown = whole || what.length <= LINE_CHARS_MAX ? what : `${what.slice(0, LINE_CHARS_MAX - 1)}…`;
  return paint(style, COLOR[entry.action], `  ${MARK[entry.action]} ${shown}`);
}

export function countsLine(counts: PlanCounts): string {
  return `plan: ${counts.add} to add, ${counts.change} to change, ${counts.remove} to remove, ${counts.unchanged} unchanged`;
}

function fileBlock(style: Style, file: FilePlan, whole: boolean): string[] {
  const title = `${paint(style, 'bold', tilde(style, file.spec.path))}  (${file.client}, ${WORD[file.action]})`;
  const links = file.before.state === 'file' && file.before.links.length > 0
    ? [`    a symbolic link: the file that is written is ${tilde(style, file.before.target)}`] : [];
  return [title, ...links, ...file.entries.filter((e) => whole || e.action !== 'none').map((entry) => entryLine(style, entry, whole)), ''];
}

/** Human diff per file; the last line is always the counts. */
export function renderPlan(style: Style, plan: Plan, verbose: boolean): string {
  const files = plan.files.filter((file) => verbose || file.action !== 'none');
  return [...files.flatMap((file) => fileBlock(style, file, verbose)), countsLine(plan.counts)].join('\n');
}

function resultLine(style: Style, result: FileResult): string {
  const good = result.outcome === 'written' || result.outcome === 'deleted';
  const of = (action: EntryAction): number => result.entries.filter((entry) => entry.action === action).length;
  const what = (['add', 'change', 'remove'] as const).filter((action) => of(action) > 0).map((action) => `${MARK[action]}${of(action)}`).join(' ');
  return `${paint(style, good ? 'green' : result.outcome === 'unchanged' ? 'dim' : 'red', result.outcome.padEnd(11))} ${tilde(style, result.path)}${what === '' ? '' : `  (${what})`}`;
}

/** What the readback showed, never what was intended. */
export function renderReport(style: Style, report: ApplyReport): string {
  const lines = report.files.map((file) => resultLine(style, file));
  if (report.run !== null) lines.push(`run ${report.run} (undo: praetorctl clients rollback)`);
  return lines.join('\n');
}

export function planBody(plan: Plan): Record<string, unknown> {
  const files = plan.files.map((file) => ({
    client: file.client, path: file.spec.path, target: file.before.target, links: file.before.state === 'file' ? file.before.links : [],
    role: file.spec.role, scope: file.spec.scope, action: file.action, entries: sortedEntries(file.entries),
  }));
  return { purpose: plan.purpose, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), counts: plan.counts };
}

function sortedEntries(entries: readonly EntryChange[]): EntryChange[] {
  return [...entries].sort((a, b) => (`${a.kind} ${a.name} ${a.at}` < `${b.kind} ${b.name} ${b.at}` ? -1 : 1));
}

export function reportBody(report: ApplyReport): Record<string, unknown> {
  const files = report.files.map((f) => ({ client: f.client, path: f.path, outcome: f.outcome, entries: sortedEntries(f.entries) }));
  return { run: report.run, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}
