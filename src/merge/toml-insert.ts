// Contract: the splices that put a value where none stands yet. PURE. What is inserted is exactly what toml-remove.ts
// takes away for the same path: a block brings one blank line before itself, a first root key one behind itself.
import type { Splice } from '../model/edit.ts';
import type { JsonObject, JsonValue, Path } from '../model/json.ts';
import type { Header, TomlDocument } from './toml-document.ts';
import { insertItem } from './toml-inline.ts';
import { blockLines, isTable, isTableArray, pairText } from './toml-literal.ts';
import { contentEnd, indentAt, insertLines, isBlankLine, isCommentLine, lineEnd, lineStart } from './lines.ts';
import { locate, startsWith } from './toml-locate.ts';
import type { Site } from './toml-locate.ts';

/** `path` exists for `depth` steps; the steps beyond are strings. */
export function insertValue(doc: TomlDocument, path: Path, depth: number, value: JsonValue): Splice[] {
  const base = path.slice(0, depth);
  const rest = path.slice(depth) as string[];
  const site = locate(doc, base);
  if (site.kind === 'value' || site.kind === 'inline-dotted') return insertInline(doc, site, base, rest, value);
  if (isTable(value) || isTableArray(value)) return insertBlock(doc, site, base, path, value);
  const last = rest.at(-1) as string;
  if (rest.length > 1) return insertBlock(doc, site, base, path.slice(0, -1), { [last]: value });
  return insertPair(doc, site, base, last, value);
}

function nested(steps: readonly string[], value: JsonValue): JsonValue {
  return steps.reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), value);
}

function insertInline(doc: TomlDocument, site: Site, base: Path, rest: readonly string[], value: JsonValue): Splice[] {
  const inner = nested(rest.slice(1), value);
  const first = rest[0] as string;
  if (site.kind === 'inline-dotted') {
    const dotted = base.slice(site.base.length) as string[];
    return insertItem(doc.text, site.table, pairText([...dotted, first], inner));
  }
  if (site.kind !== 'value' || site.node.type !== 'TOMLInlineTable') throw new TypeError('not an inline table');
  return insertItem(doc.text, site.node, pairText([first], inner));
}

/** Behind the block's last line and the comments that touch it, unless these comments lead over to the next header. */
function blockEnd(text: string, header: Header): number {
  const end = lineEnd(text, header.node.range[1]);
  let at = end;
  while (at < text.length && isCommentLine(text, at)) at = lineEnd(text, at);
  return at >= text.length || isBlankLine(text, at) ? at : end;
}

/** The block goes behind everything that belongs to the nearest existing parent, else to the end of the file. */
function blockOffset(doc: TomlDocument, site: Site, base: Path): number {
  const host = site.kind === 'dotted' ? site.last.header : undefined;
  const family = base.length === 0 ? undefined : doc.headers.findLast((header) => startsWith(header.path, base) || header === host);
  return family === undefined ? contentEnd(doc.text) : blockEnd(doc.text, family);
}

function insertBlock(doc: TomlDocument, site: Site, base: Path, path: Path, value: JsonObject | JsonObject[]): Splice[] {
  const at = blockOffset(doc, site, base);
  const lines = blockLines(path.filter((step) => typeof step === 'string'), value);
  return [insertLines(doc.text, at, at === 0 ? lines : ['', ...lines])];
}

/** One more `[[path]]` behind the last one and its sub-tables. */
export function appendBlock(doc: TomlDocument, site: Site, path: Path, value: JsonObject): Splice[] {
  return insertBlock(doc, site, path, path, [value]);
}

/** A line of its own below what stands at `range`, with the same indentation. */
function lineAfter(doc: TomlDocument, range: readonly [number, number], line: string): Splice[] {
  return [insertLines(doc.text, lineEnd(doc.text, range[1]), [indentAt(doc.text, range[0]) + line])];
}

function insertPair(doc: TomlDocument, site: Site, base: Path, key: string, value: JsonValue): Splice[] {
  if (site.kind === 'root') return insertRootPair(doc, pairText([key], value));
  if (site.kind === 'header') return insertBodyPair(doc, site.header, pairText([key], value));
  if (site.kind === 'dotted') {
    const steps = base.slice(site.last.base.length) as string[];
    return lineAfter(doc, site.last.node.range, pairText([...steps, key], value));
  }
  if (site.kind !== 'implicit') throw new TypeError('not a table');
  // A dotted key in the nearest body above needs no new header, so that its removal leaves nothing behind. It must stand
  // before the headers that imply the table: a dotted key may not extend a table that a header has already opened.
  const host = doc.headers.filter((header) => header.path.length < base.length && startsWith(base, header.path))
    .reduce<Header | undefined>((a, b) => (a === undefined || b.path.length > a.path.length ? b : a), undefined);
  const line = pairText([...(base.slice(host?.path.length ?? 0) as string[]), key], value);
  if (host === undefined) return insertRootPair(doc, line);
  if (host.node.range[0] < site.first.node.range[0]) return insertBodyPair(doc, host, line);
  return insertBlock(doc, site, base, base, { [key]: value });
}

function insertBodyPair(doc: TomlDocument, header: Header, line: string): Splice[] {
  return lineAfter(doc, header.node.body.at(-1)?.range ?? header.node.range, line);
}

function insertRootPair(doc: TomlDocument, line: string): Splice[] {
  const { text } = doc;
  const last = doc.pairs.findLast((pair) => pair.header === undefined);
  if (last !== undefined) return lineAfter(doc, last.node.range, line);
  const first = doc.headers[0];
  if (first === undefined) return [insertLines(text, contentEnd(text), [line])];
  let at = lineStart(text, first.node.range[0]);
  while (at > 0 && isCommentLine(text, lineStart(text, at - 1))) at = lineStart(text, at - 1);
  return [insertLines(text, at, [line, ''])];
}
