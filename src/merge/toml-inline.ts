// Contract: one element in or out of an inline array or inline table. PURE. `insertItem` adds at the end and keeps the
// container's style (line per element, trailing comma, comments); `removeItem` of that element undoes it byte for byte.
import type { AST } from 'toml-eslint-parser';
import type { Splice } from '../model/edit.ts';
import { blanksBefore, eolNear, indentAt, lineStart, skipBlanks } from './lines.ts';

export type Container = AST.TOMLArray | AST.TOMLInlineTable;

const INDENT_STEP = '  ';

function ranges(container: Container): AST.Range[] {
  return container.type === 'TOMLArray' ? container.elements.map((item) => item.range) : container.body.map((pair) => pair.range);
}

/** The comma between two offsets that hold only white space, comments and at most one comma; -1 without one. */
function findComma(text: string, from: number, to: number): number {
  for (let at = from; at < to; at += 1) {
    if (text[at] === ',') return at;
    if (text[at] === '#') {
      at = text.indexOf('\n', at);
      if (at < 0) return -1;
    }
  }
  return -1;
}

/** The offset behind the EOL if nothing but blanks and a comment stand before it; -1 otherwise. */
function restOfLine(text: string, from: number): number {
  let at = skipBlanks(text, from);
  if (text[at] === '#') at = text.indexOf('\n', at);
  if (text[at] === '\r') at += 1;
  return at >= 0 && text[at] === '\n' ? at + 1 : -1;
}

function insertFirst(text: string, container: Container, item: string): Splice[] {
  const [open, end] = container.range;
  const closing = lineStart(text, end - 1);
  if (closing > open && blanksBefore(text, end - 1) === closing) {
    const line = `${indentAt(text, open)}${INDENT_STEP}${item},${eolNear(text, closing)}`;
    return [{ start: closing, end: closing, text: line }];
  }
  const padding = skipBlanks(text, open + 1) > open + 1 ? ' ' : '';
  return [{ start: open + 1, end: open + 1, text: padding + item }];
}

export function insertItem(text: string, container: Container, item: string): Splice[] {
  const last = ranges(container).at(-1);
  if (last === undefined) return insertFirst(text, container, item);
  const comma = findComma(text, last[1], container.range[1] - 1);
  const anchor = comma < 0 ? last[1] : comma + 1;
  const nextLine = restOfLine(text, anchor);
  if (nextLine < 0) return [{ start: anchor, end: anchor, text: comma < 0 ? `, ${item}` : ` ${item},` }];
  const ownLine = lineStart(text, last[0]) > container.range[0] && blanksBefore(text, last[0]) === lineStart(text, last[0]);
  const indent = ownLine ? indentAt(text, last[0]) : indentAt(text, container.range[0]) + INDENT_STEP;
  const line = { start: nextLine, end: nextLine, text: indent + item + (comma < 0 ? '' : ',') + eolNear(text, nextLine) };
  return comma < 0 ? [{ start: last[1], end: last[1], text: ',' }, line] : [line];
}

export function removeItem(text: string, container: Container, index: number): Splice[] {
  const items = ranges(container);
  const [start, end] = items[index] as AST.Range;
  const next = items[index + 1];
  const before = items[index - 1];
  const ownComma = findComma(text, end, next === undefined ? container.range[1] - 1 : next[0]);
  const stop = ownComma < 0 ? end : ownComma + 1;
  const freed = ownComma < 0 && before !== undefined ? findComma(text, before[1], start) : -1;
  const cut = (from: number, to: number): Splice => ({ start: from, end: to, text: '' });

  const line = lineStart(text, start);
  const nextLine = restOfLine(text, stop);
  if (line > container.range[0] && blanksBefore(text, start) === line && nextLine >= 0) {
    return freed < 0 ? [cut(line, nextLine)] : [cut(freed, freed + 1), cut(line, nextLine)];
  }
  if (next !== undefined) {
    const gap = skipBlanks(text, stop);
    return [cut(start, gap === next[0] ? gap : stop)];
  }
  const blanks = blanksBefore(text, start);
  if (freed < 0) return [cut(blanks, stop)];
  return blanks === freed + 1 ? [cut(freed, end)] : [cut(freed, freed + 1), cut(blanks, end)];
}
