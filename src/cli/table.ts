// Contract: aligned columns for a terminal; colour never changes a width. PURE.
import { paint, type Style } from './style.ts';

export type CellColor = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim';

export interface Cell { readonly text: string; readonly color?: CellColor | undefined; readonly right?: boolean }

export function table(style: Style, rows: readonly (readonly Cell[])[]): string[] {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: columns }, (_, i) => rows.reduce((most, row) => Math.max(most, row[i]?.text.length ?? 0), 0));
  return rows.map((row) => row.map((cell, i) => {
    const width = widths[i] ?? 0;
    const padded = cell.right === true ? cell.text.padStart(width) : i === row.length - 1 ? cell.text : cell.text.padEnd(width);
    return cell.color === undefined ? padded : paint(style, cell.color, padded);
  }).join('  ').trimEnd());
}
