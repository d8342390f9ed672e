// Contract: verdicts, explanations and the rule list as text. Nothing is decided here. PURE.
import { UNKNOWN_ROOT } from '../policy/paths.ts';
import { HOME_MARK, PWD_MARK } from '../policy/shell-types.ts';
import type { Explained, ExplainedCommand } from './policy-explained.ts';
import type { RuleRow } from './policy-rules.ts';
import { paint, printable, tilde, type Style } from './style.ts';
import { table, type Cell, type CellColor } from './table.ts';

/** Longer command lines are shown around the span only. */
const LINE_CHARS_MAX = 200;
const ROWS_MAX = 100;

const WORD = { neutral: 'no opinion', allow: 'allowed', ask: 'asked', deny: 'denied', error: 'refused' } as const;
const COLOR: Readonly<Record<string, CellColor>> = { neutral: 'green', allow: 'green', ask: 'yellow', deny: 'red', error: 'red', unresolved: 'yellow', off: 'dim', none: 'dim' };

/** What stands for the home and the current directory inside the evaluator is shown as people write it. */
export function readable(text: string): string {
  return printable(text.split(HOME_MARK).join('~').split(PWD_MARK).join('$PWD'));
}

type Verdictish = Pick<Explained, 'verdict' | 'rule' | 'reason' | 'command' | 'span' | 'level' | 'client' | 'tool' | 'answer'>;

function headline(style: Style, { verdict, rule }: Verdictish): string {
  const note = verdict === 'neutral' ? " (the client's own rules go on)" : verdict === 'error' ? ' (it could not be judged)' : '';
  return `${paint(style, COLOR[verdict] === 'dim' ? 'dim' : (COLOR[verdict] ?? 'dim'), WORD[verdict])}${rule === null ? '' : `: ${rule}`}${note}`;
}

/** One character for one, so that columns stay. */
function flatLine(command: string): string {
  return printable(command.replaceAll('\n', '⏎').replaceAll('\t', ' '));
}

/** The part of the line that is shown: one line, control characters replaced one for one, so that columns stay. */
function window(command: string, span: readonly [number, number] | null): { shown: string; from: number } {
  const flat = flatLine(command);
  if (flat.length <= LINE_CHARS_MAX) return { shown: flat, from: 0 };
  const from = Math.max(0, Math.min((span?.[0] ?? 0) - 60, flat.length - LINE_CHARS_MAX));
  return { shown: flat.slice(from, from + LINE_CHARS_MAX), from };
}

/** The command line with its matched span underlined, and the rule behind the mark. */
export function underlined(style: Style, command: string, span: readonly [number, number] | null, label: string): string[] {
  const { shown, from } = window(command, span);
  const [left, right] = [from > 0 ? '…' : '', from + shown.length < command.length ? '…' : ''];
  const line = `  ${left}${shown}${right}`;
  if (span === null) return [line];
  const start = Math.max(0, span[0] - from);
  const length = Math.max(1, Math.min(span[1] - from, shown.length) - start);
  return [line, `  ${' '.repeat(left.length + start)}${paint(style, 'red', '^'.repeat(length))}${label === '' ? '' : ` ${label}`}`];
}

function subject(style: Style, e: Verdictish): string[] {
  if (e.command !== null) return underlined(style, e.command, e.span, '');
  if (e.tool === null) return [];
  return [`  ${printable(e.tool.name)}${e.tool.paths.length === 0 ? '' : ` ${e.tool.paths.slice(0, ROWS_MAX).map((path) => tilde(style, path)).join(' ')}`}`];
}

function answerLines(e: Verdictish): string[] {
  if (e.answer === null) return [];
  const show = (name: string, text: string): string[] => (text === '' ? [] : [`  ${name}: ${printable(text.trim())}`]);
  return ['', `what the hook answers ${e.client ?? ''}: exit ${e.answer.exit}${e.answer.stdout === '' && e.answer.stderr === '' ? ', no output' : ''}`, ...show('stdout', e.answer.stdout), ...show('stderr', e.answer.stderr)];
}

export function renderVerdict(style: Style, e: Verdictish): string {
  const reason = e.reason === null ? [] : [`  ${printable(e.reason)}`];
  return [headline(style, e), ...(e.rule === null ? [] : subject(style, e)), ...reason, ...answerLines(e)].join('\n');
}

function commandRow(style: Style, view: ExplainedCommand, cwd: string | null): Cell[] {
  const line = view.unresolved !== '' ? `? ${view.args.join(' ')}` : [view.program === '' ? '(only assignments or redirections)' : view.program, ...view.args].join(' ');
  const notes = [
    ...(view.chain.length === 0 ? [] : [`behind ${view.chain.join(', ')}`]), ...(view.within === '' ? [] : [`in ${view.within}`]),
    ...(view.unresolved === '' ? [] : [`unresolved: ${view.unresolved}`]),
    ...(view.cwd === cwd ? [] : [`runs in ${view.cwd === null || view.cwd.startsWith(UNKNOWN_ROOT) ? 'an unknown directory' : tilde(style, view.cwd)}`]),
  ];
  const text = readable(line);
  return [{ text: `  ${text.length > LINE_CHARS_MAX ? `${text.slice(0, LINE_CHARS_MAX - 1)}…` : text}` }, { text: readable(notes.join('; ')), color: 'dim' }];
}

function commandLines(style: Style, e: Explained): string[] {
  if (e.commands.length === 0) return [];
  const rest = e.commands.length - ROWS_MAX;
  return ['', `commands${e.cwd === null ? '' : ` (in ${tilde(style, e.cwd)})`}:`, ...table(style, e.commands.slice(0, ROWS_MAX).map((view) => commandRow(style, view, e.cwd))), ...(rest > 0 ? [`  and ${rest} more`] : [])];
}

const ROW_CHARS_MAX = 110;

/** Words in lines of a readable width. */
function wrapped(words: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 2 > ROW_CHARS_MAX) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = `${last}, ${word}`;
  }
  return lines;
}

function trailRow(e: Explained, { rule, result, span, note }: Explained['trail'][number]): Cell[] {
  const matched = span === null || e.command === null || result === 'off' ? '' : flatLine(e.command.slice(span[0], span[1]));
  return [
    { text: `  ${rule}` }, { text: result, color: COLOR[result] }, { text: matched.length > 60 ? `${matched.slice(0, 59)}…` : matched },
    { text: note === null ? '' : readable(note), color: 'dim' },
  ];
}

/** What matched first, each with its place; the many that did not are only named, once each. */
function trailLines(style: Style, e: Explained): string[] {
  if (e.trail.length === 0) return ['', 'rules considered: none'];
  const hits = e.trail.filter((step) => step.result !== 'none');
  const named = new Set(hits.map((step) => step.rule));
  const others = [...new Set(e.trail.filter((step) => !named.has(step.rule)).map((step) => step.rule))];
  const rest = hits.length - ROWS_MAX;
  return [
    '', `rules considered: ${named.size + others.length}`, ...table(style, hits.slice(0, ROWS_MAX).map((step) => trailRow(e, step))), ...(rest > 0 ? [`  and ${rest} more`] : []),
    ...(others.length === 0 ? [] : ['  no match:', ...wrapped(others, '    ').map((line) => paint(style, 'dim', line))]),
  ];
}

function levelLine(e: Explained): string[] {
  if (e.level === null) return [];
  const { level, from, note } = e.level;
  if (from === 'mode') return [`level: ${level}, because the mode is ${note}; strict denies what cannot be resolved`];
  if (from === 'operator rule') return [`level: ${level}, from your rule: ${readable(note)}`];
  return [`level: ${level} (${from}, pack ${note}); hooks.command_policy.rules or packs in settings.yaml change it`];
}

const SETTINGS = {
  '': [], stale: ['settings: changed since they were compiled; the stricter of both is in force (praetorctl policy compile)'],
  source: ['settings: read from their source at every call (praetorctl policy compile makes it cheaper)'], invalid: ['settings: a document cannot be read (praetorctl policy lint)'],
} as const;

export function renderExplain(style: Style, e: Explained): string {
  const { why, instead } = e;
  const reason = e.reason === null ? [] : ['', `why not: ${printable(instead === null ? e.reason : e.reason.slice(0, e.reason.length - instead.length).trim())}`];
  return [
    headline(style, e), ...subject(style, e), ...reason, ...(instead === null ? [] : [`instead: ${printable(instead)}`]),
    ...commandLines(style, e), ...trailLines(style, e), '', `decided: ${why}${e.quick ? ' (answered without starting the parser)' : ''}`, ...levelLine(e), ...SETTINGS[e.settings], ...answerLines(e),
  ].join('\n');
}

export function renderRules(style: Style, rows: readonly RuleRow[], mode: string, verbose: boolean): string {
  const head = ['rule', 'pack', 'level', '', 'what it matches'].map((text): Cell => ({ text, color: 'dim' }));
  const body = rows.map((row): Cell[] => [
    { text: row.id }, { text: row.pack }, { text: row.level, color: COLOR[row.level] ?? 'dim' },
    { text: row.from === 'rule default' ? (row.contested ? 'contested' : '') : `by ${row.from}`, color: 'dim' }, { text: printable(row.title) },
  ]);
  const lines = table(style, [head, ...body]);
  const long = verbose ? lines.flatMap((line, i) => (i === 0 ? [line] : [line, paint(style, 'dim', `    ${rows[i - 1]?.reason ?? ''}`)])) : lines;
  return [...long, '', `${rows.length} rules, mode ${mode}`].join('\n');
}
