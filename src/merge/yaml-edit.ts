// Contract: the splices by which a value comes into a YAML text, is replaced or leaves it. The nodes were judged before
// (yaml-walk.ts). New entries stand behind the last one of their container, in the same column; what was inserted goes without
// a trace. The one exception: a value that no character says counts as an empty container, and afterwards it is `{}` or `[]`.
// PURE.
import type { MergeFault, Splice } from '../model/edit.ts';
import type { JsonValue, Path } from '../model/json.ts';
import { insertLines, isBlankLine, lineEnd, lineStart, removeLines } from './lines.ts';
import type { YamlDocument, YamlItem, YamlNode } from './yaml-document.ts';
import { elementLines, flowText, pairLines, wordText } from './yaml-literal.ts';
import { fault, isFlow, ownsLine } from './yaml-walk.ts';

export type Splices = { readonly splices: readonly Splice[]; readonly risk?: MergeFault } | { readonly fault: MergeFault };

/** Where an edit happens: a container and the item that holds it; no item: the root. */
export interface Place { readonly node: YamlNode; readonly holder: YamlItem | undefined; readonly path: Path }

const put = (at: number, text: string): Splice => ({ start: at, end: at, text });
const over = (start: number, end: number, text: string): Splice => ({ start, end, text });

const spaces = (count: number): string => ' '.repeat(count);
const column = ({ text }: YamlDocument, offset: number): number => offset - lineStart(text, offset);

/** Whole lines go; a last line without an end takes the one in front along, unless that one is part of a text. */
function cutLines(text: string, start: number, end: number): Splice[] {
  if (end === text.length && start > 0 && !text.endsWith('\n') && isBlankLine(text, lineStart(text, start - 1))) return [over(start, end, '')];
  return removeLines(text, [{ start, end }]);
}

/** A new pair (`key`) or element behind everything that is in the container. */
export function insertInto(doc: YamlDocument, place: Place, key: string | undefined, value: JsonValue): Splices {
  const { node } = place;
  if (isFlow(node)) return insertFlow(node, key === undefined ? flowText(value) : `${wordText(key)}: ${flowText(value)}`);
  const step = spaces(doc.step);
  const lines = (indent: string): string[] => (key === undefined ? elementLines(value, indent, step) : pairLines(key, value, indent, step));
  if (node.kind !== 'empty') {
    const first = node.items[0]?.start ?? node.start;
    return { splices: [insertLines(doc.text, node.linesEnd, lines(spaces(column(doc, first))))] };
  }
  const { holder } = place;
  if (holder === undefined) {
    if (doc.ended) return { fault: fault(doc, [], 0, 'the end of an empty document is marked with "..."') };
    // Behind everything, but in front of blanks that no line end follows: there the lines go again without a trace.
    const last = lineStart(doc.text, doc.text.length);
    return { splices: [insertLines(doc.text, isBlankLine(doc.text, last) ? last : doc.text.length, lines(''))] };
  }
  if (holder.indicatorEnd === undefined || !ownsEnd(doc, holder)) return { fault: fault(doc, place.path, holder.start, 'it stands in brackets without a value') };
  const outer = columnOf(doc, holder);
  return { splices: [insertLines(doc.text, lineEnd(doc.text, holder.indicatorEnd), lines(spaces(outer) + step))] };
}

/** The column of the map or list that holds an item, also where the line begins with the dash of an outer list. */
function columnOf(doc: YamlDocument, item: YamlItem): number {
  return column(doc, item.start);
}

/** Nothing but a comment behind it: a pair inside brackets has its comma or bracket there. */
function ownsEnd({ text }: YamlDocument, item: YamlItem): boolean {
  return /^[ \t]*(?:#.*)?\r?\n?$/.test(text.slice(item.end, lineEnd(text, item.end)));
}

function insertFlow(node: YamlNode, text: string): Splices {
  const last = node.items.at(-1);
  return { splices: [last === undefined ? put(node.start + 1, text) : put(last.end, `, ${text}`)] };
}

/** Puts another value in the place of one. Never for two containers of a kind, which are edited entry by entry. */
export function replaceNode(doc: YamlDocument, item: YamlItem, path: Path, value: JsonValue): Splices {
  const { node } = item;
  const text = flowText(value);
  if (node.kind === 'empty') {
    if (item.indicatorEnd === undefined) return { fault: fault(doc, path, item.start, 'it has no place for a value') };
    return { splices: [put(item.indicatorEnd, ` ${text}`)] };
  }
  if ((node.kind === 'map' || node.kind === 'seq') && ownsLine(doc, node.start) && item.indicatorEnd !== undefined) {
    return { splices: [put(item.indicatorEnd, ` ${text}`), ...cutLines(doc.text, lineStart(doc.text, node.start), node.linesEnd)] };
  }
  return { splices: [over(node.start, node.end, text)] };
}

export function removeItem(doc: YamlDocument, place: Place, index: number): Splices {
  const { node } = place;
  const item = node.items[index];
  if (item === undefined) return { splices: [] };
  if (isFlow(node)) return { splices: [removeFlow(node, item, index)] };
  if (node.items.length === 1) return { splices: emptied(doc, place) };
  if (ownsLine(doc, item.start)) {
    const splices = cutLines(doc.text, lineStart(doc.text, item.start), item.linesEnd);
    const before = node.items[index - 1];
    return before !== undefined && endsInText(before.node) ? { splices, risk: fault(doc, place.path, item.start, 'the lines behind an entry would become part of the text in front of it') } : { splices };
  }
  // The first entry stands behind the dash of an outer list; the next one moves up to its place.
  const next = node.items[index + 1];
  if (next === undefined || doc.text.slice(item.end, next.start).trim() !== '') return { fault: fault(doc, place.path, item.start, 'a comment stands behind its first entry, which shares its line with a dash') };
  return { splices: [over(item.start, next.start, '')] };
}

function endsInText(node: YamlNode): boolean {
  const last = node.items.at(-1);
  return node.kind === 'block-scalar' || (last !== undefined && endsInText(last.node));
}

function removeFlow(node: YamlNode, item: YamlItem, index: number): Splice {
  const before = node.items[index - 1];
  const after = node.items[index + 1];
  if (before !== undefined) return over(before.end, item.end, '');
  return over(item.start, after?.start ?? item.end, '');
}

/** A block without entries cannot be written, so its brackets take its place. */
function emptied(doc: YamlDocument, { node, holder }: Place): readonly Splice[] {
  const text = node.kind === 'seq' ? '[]' : '{}';
  if (!ownsLine(doc, node.start)) return [over(node.start, node.end, text)];
  const start = lineStart(doc.text, node.start);
  if (holder?.indicatorEnd !== undefined) return [put(holder.indicatorEnd, ` ${text}`), ...cutLines(doc.text, start, node.linesEnd)];
  return doc.emptyIsObject && node.kind === 'map' ? cutLines(doc.text, start, node.linesEnd) : [over(node.start, node.end, text)];
}
