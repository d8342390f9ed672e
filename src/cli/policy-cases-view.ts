// Contract: the result of `policy test --cases` as text: every mismatch with its place, then a table by class. PURE.
import type { CaseResult, ClassRow, Judged } from './policy-cases.ts';
import { paint, printable, type Style } from './style.ts';
import { table, type Cell } from './table.ts';

const COMMAND_CHARS_MAX = 120;
const WORD = { neutral: 'allowed', allow: 'allowed', ask: 'asked', deny: 'denied' } as const;

function mismatch(style: Style, one: Judged): string[] {
  const command = printable(one.command.replaceAll('\n', '⏎'));
  const shown = command.length > COMMAND_CHARS_MAX ? `${command.slice(0, COMMAND_CHARS_MAX - 1)}…` : command;
  return [`${paint(style, 'red', printable(one.id))} (line ${one.line}): expected ${one.expect}, ${WORD[one.verdict]}${one.rule === null ? '' : ` by ${one.rule}`}`, `  ${shown}`];
}

const percent = (value: number | null): string => (value === null ? '-' : `${(value * 100).toFixed(1)}%`);

function cells(row: ClassRow): Cell[] {
  const number = (text: string): Cell => ({ text, right: true });
  return [
    { text: printable(row.class) }, number(String(row.rows)), { text: String(row.right), right: true, color: row.right === row.rows ? 'green' : 'red' },
    number(percent(row.recall)), number(percent(row.precision)), number(String(row.falsePositives)),
  ];
}

export function renderCases(style: Style, { cases, classes, total }: CaseResult): string {
  const wrong = cases.filter((one) => !one.right);
  const head = ['class', 'rows', 'right', 'recall', 'precision', 'false positives'].map((text, i): Cell => ({ text, right: i > 0, color: 'dim' }));
  const rows = table(style, [head, ...classes.map(cells), ...(classes.length > 1 ? [cells(total)] : [])]);
  const end = `cases: ${total.right} of ${total.rows} as expected`;
  return [...wrong.flatMap((one) => mismatch(style, one)), ...(wrong.length === 0 ? [] : ['']), ...rows, '', end].join('\n');
}
