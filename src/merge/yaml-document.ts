// Contract: one YAML text as a tree of nodes with their places and values. One document of YAML 1.2 without directives; what
// could be read in two ways, or could not be edited without guessing, is refused. The parser's tokens give the places and its
// composer the scalars; aliases are followed here, with a bound. PURE, never throws, messages carry no file contents.
import { Composer, isAlias, isMap, isScalar, isSeq, Parser } from 'yaml';
import type { CST, ParsedNode } from 'yaml';
import type { MergeFault } from '../model/edit.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { lineEnd } from './lines.ts';
import { faultAt } from './text.ts';
import { conflictMarkerFault, tooDeep } from './toml-guard.ts';
import { NESTING_DEPTH_MAX, putKey } from './value-edit.ts';

/** The tokens take up to 1 KB of memory per character, and an edit holds up to three trees. */
export const YAML_TEXT_CHARS_MAX = 512 * 1024;

/** Values that aliases may stand for, all together: a document that multiplies itself is refused. */
export const YAML_ALIAS_VALUES_MAX = 10_000;

export interface YamlNode {
  /** `empty`: a null that no character says. `pair`: a map inside a flow list without brackets of its own. */
  readonly kind: 'map' | 'seq' | 'flow-map' | 'flow-seq' | 'pair' | 'scalar' | 'block-scalar' | 'alias' | 'empty';
  readonly value: JsonValue;
  /** First character, behind anchor and tag. */
  readonly start: number;
  /** Behind the last character, without the line's end. */
  readonly end: number;
  /** Behind the last line. */
  readonly linesEnd: number;
  /** An anchor or a tag stands in front. */
  readonly props: boolean;
  /** The node or something in it is an anchor or an alias. */
  readonly linked: boolean;
  readonly items: readonly YamlItem[];
  /** How many values it stands for. */
  readonly size: number;
}

/** A pair of a map or an element of a list. */
export interface YamlItem {
  readonly key: string | undefined;
  readonly node: YamlNode;
  /** The key, or the dash; in a flow list the element itself. */
  readonly start: number;
  /** Behind the colon or the dash; undefined where there is none. */
  readonly indicatorEnd: number | undefined;
  /** `? key`, or a key with an anchor or a tag: not edited. */
  readonly unusual: boolean;
  readonly end: number;
  readonly linesEnd: number;
}

export interface YamlDocument {
  readonly text: string;
  readonly value: JsonValue;
  readonly root: YamlNode;
  /** Spaces by which a map stands inside another one. */
  readonly step: number;
  /** `...` stands in the text. */
  readonly ended: boolean;
  /** An empty text is a document without keys. */
  readonly emptyIsObject: boolean;
}

export type DocumentResult = { readonly ok: true; readonly doc: YamlDocument } | { readonly ok: false; readonly fault: MergeFault };

class Refusal extends Error {
  readonly fault: MergeFault;

  constructor(fault: MergeFault) {
    super(fault.message);
    this.fault = fault;
  }
}

interface Build { readonly text: string; readonly anchors: Map<string, YamlNode>; aliased: number; step: number | undefined }

// A lone carriage return ends a line for some readers only; controls are no YAML, whatever a lenient reader says.
const UNREADABLE = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\p{Surrogate}/u;

export function readYaml(text: string, emptyIsObject: boolean): DocumentResult {
  const early = boundsFault(text);
  if (early !== undefined) return { ok: false, fault: early };
  try {
    return { ok: true, doc: parse(text, emptyIsObject) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, fault: error.fault };
    return { ok: false, fault: faultAt(text, 'too-deep', 'the file is too deeply nested or too large to be parsed', 0) };
  }
}

function boundsFault(text: string): MergeFault | undefined {
  if (text.length > YAML_TEXT_CHARS_MAX) return faultAt(text, 'too-large', `the file is larger than ${YAML_TEXT_CHARS_MAX} characters`, YAML_TEXT_CHARS_MAX);
  const bad = UNREADABLE.exec(text);
  if (bad !== null) return faultAt(text, 'invalid-document', 'the file holds a control character or a lone carriage return', bad.index);
  return conflictMarkerFault(text);
}

function refuse(text: string, code: MergeFault['code'], message: string, offset: number): never {
  throw new Refusal(faultAt(text, code, message, Math.min(offset, text.length)));
}

function parse(text: string, emptyIsObject: boolean): YamlDocument {
  const tokens: CST.Token[] = [];
  for (const token of new Parser().parse(text)) tokens.push(token);
  const documents = tokens.filter((token): token is CST.Document => token.type === 'document');
  const directive = tokens.find((token) => token.type === 'directive');
  if (directive !== undefined) refuse(text, 'invalid-document', 'a directive (%YAML or %TAG) stands before the document', directive.offset);
  const composed = [...new Composer({ keepSourceTokens: true, uniqueKeys: false, version: '1.2', logLevel: 'silent' }).compose(tokens, true, text.length)];
  const second = composed[1];
  if (second !== undefined) refuse(text, 'invalid-document', 'the file holds more than one document', second.range[0]);
  const [document] = composed;
  const error = document?.errors[0];
  if (error !== undefined) refuse(text, 'invalid-document', `the file is no valid YAML (${error.code.toLowerCase().replace(/_/g, ' ')})`, error.pos[0]);
  const build: Build = { text, anchors: new Map(), aliased: 0, step: undefined };
  const contents = document?.contents as ParsedNode | null | undefined;
  const root = contents === null || contents === undefined ? emptyNode(text.length) : nodeOf(build, contents, documents[0]?.start ?? [], undefined, 0);
  const blank = root.kind === 'empty';
  if (blank && !emptyIsObject) refuse(text, 'empty-file', 'the file is empty', 0);
  return { text, root, value: blank ? {} : root.value, step: build.step ?? 2, ended: tokens.some((token) => token.type === 'doc-end'), emptyIsObject };
}

function emptyNode(at: number, props = false): YamlNode {
  return { kind: 'empty', value: null, start: at, end: at, linesEnd: at, props, linked: props, items: [], size: 1 };
}

type Made = Omit<YamlNode, 'props' | 'linked'> & { readonly linked?: boolean };

const PROPS: readonly string[] = ['anchor', 'tag'];
const SPACE: readonly string[] = ['space', 'newline', 'comment'];

/** `before`: the tokens in front of the node, in which its anchor and tag stand. */
function nodeOf(build: Build, node: ParsedNode, before: readonly CST.SourceToken[], parent: number | undefined, depth: number): YamlNode {
  if (depth > NESTING_DEPTH_MAX) throw new Refusal(tooDeep(build.text, node.range[0]));
  const props = before.some((token) => PROPS.includes(token.type));
  const made = isAlias(node) ? aliasNode(build, node) : isMap(node) || isSeq(node) ? collection(build, node, parent, depth) : scalarNode(build, node);
  const anchor = isAlias(node) ? undefined : node.anchor;
  const whole: YamlNode = { ...made, props, linked: made.linked === true || props || anchor !== undefined };
  // Only now: an alias inside the node that it names would have no end.
  if (anchor !== undefined) build.anchors.set(anchor, whole);
  return whole;
}

function aliasNode(build: Build, node: ParsedNode & { source: string }): Made {
  const target = build.anchors.get(node.source);
  if (target === undefined) refuse(build.text, 'invalid-document', 'an alias stands for something that holds it, or for nothing', node.range[0]);
  build.aliased += target.size;
  if (build.aliased > YAML_ALIAS_VALUES_MAX) refuse(build.text, 'too-large', `aliases stand for more than ${YAML_ALIAS_VALUES_MAX} values`, node.range[0]);
  return { kind: 'alias', value: target.value, start: node.range[0], end: node.range[1], linesEnd: lineEnd(build.text, node.range[1]), items: [], size: target.size, linked: true };
}

function scalarNode({ text }: Build, node: ParsedNode): Made {
  const [start, valueEnd] = node.range;
  const raw = isScalar(node) ? node.value : null;
  const value: JsonValue = typeof raw === 'string' || typeof raw === 'boolean' || raw === null ? raw
    // NaN equals nothing, itself included, and a comparison is all that values of others are read for.
    : typeof raw === 'number' && !Number.isNaN(raw) ? raw : String(raw);
  if (isScalar(node) && node.srcToken?.type === 'block-scalar') return { kind: 'block-scalar', value, start, ...blockEnd(text, start, valueEnd), items: [], size: 1 };
  if (valueEnd === start) return emptyNode(start);
  return { kind: 'scalar', value, start, end: valueEnd, linesEnd: lineEnd(text, valueEnd), items: [], size: 1 };
}

/** With `+` the empty lines behind a block of text belong to it; otherwise they are anybody's. */
function blockEnd(text: string, start: number, valueEnd: number): { end: number; linesEnd: number } {
  const source = text.slice(start, valueEnd);
  const kept = /^[|>][0-9]?\+/.test(source);
  const body = kept ? source.replace(/\r?\n$/, '') : source.replace(/(?:\r?\n)+$/, '');
  const end = start + body.length;
  return { end, linesEnd: kept ? valueEnd : lineEnd(text, end) };
}

type Collection = Extract<ParsedNode, { items: unknown[] }>;

function collection(build: Build, node: Collection, parent: number | undefined, depth: number): Made {
  const { text } = build;
  const source = node.srcToken as CST.BlockMap | CST.BlockSequence | CST.FlowCollection | undefined;
  const column = source?.type === 'block-map' ? source.indent : undefined;
  if (column !== undefined && parent !== undefined && column > parent) build.step ??= Math.min(column - parent, 8);
  const items = isMap(node) ? mapItems(build, node, column, depth) : seqItems(build, node as Extract<Collection, { items: ParsedNode[] }>, source, depth);
  const value = isMap(node) ? mapValue(text, items) : items.map((one) => one.node.value);
  const size = items.reduce((sum, one) => sum + one.node.size, 1);
  const linked = items.some((one) => one.node.linked || one.unusual);
  return { value, size, linked, items, ...extent(text, node, source, items) };
}

function extent(text: string, node: Collection, source: CST.BlockMap | CST.BlockSequence | CST.FlowCollection | undefined, items: readonly YamlItem[]): Pick<YamlNode, 'kind' | 'start' | 'end' | 'linesEnd'> {
  const [start, valueEnd] = node.range;
  const [first, last] = [items[0], items.at(-1)];
  if (source?.type !== 'flow-collection' && source !== undefined && first !== undefined && last !== undefined) {
    return { kind: source.type === 'block-map' ? 'map' : 'seq', start: first.start, end: last.end, linesEnd: last.linesEnd };
  }
  const close = source?.type === 'flow-collection' ? source.end.find((token) => token.type === 'flow-map-end' || token.type === 'flow-seq-end') : undefined;
  const end = close === undefined ? valueEnd : close.offset + 1;
  return { kind: close === undefined ? 'pair' : isMap(node) ? 'flow-map' : 'flow-seq', start, end, linesEnd: lineEnd(text, end) };
}

function mapValue(text: string, items: readonly YamlItem[]): JsonObject {
  const value: JsonObject = {};
  for (const { key = '', node, start } of items) {
    if (Object.hasOwn(value, key)) refuse(text, 'duplicate-key', 'a key stands twice in the same map', start);
    putKey(value, key, node.value);
  }
  return value;
}

function mapItems(build: Build, node: Collection, column: number | undefined, depth: number): YamlItem[] {
  const { text } = build;
  return (node.items as { key: unknown; value: ParsedNode | null; srcToken?: CST.CollectionItem }[]).map((pair): YamlItem => {
    const { srcToken } = pair;
    const key = pair.key as ParsedNode | null;
    const place = key?.range[0] ?? srcToken?.sep?.[0]?.offset ?? node.range[0];
    if (key !== null && !isScalar(key)) refuse(text, 'invalid-document', 'a key is no plain value', place);
    if (srcToken === undefined) refuse(text, 'invalid-document', 'a pair could not be placed', place);
    const sep = srcToken.sep ?? [];
    const colon = sep.find((token) => token.type === 'map-value-ind');
    const node_ = pair.value === null ? emptyNode(colon === undefined ? place : colon.offset + 1) : nodeOf(build, pair.value, sep, column, depth + 1);
    const marks = srcToken.start.filter((token) => !SPACE.includes(token.type) && token.type !== 'comma' && !token.type.startsWith('flow-'));
    const keyEnd = key?.range[1] ?? place;
    return placed(text, { key: keyText(key), node: node_, start: marks[0]?.offset ?? place, mark: colon?.offset, unusual: marks.length > 0 || keyEnd === place, low: keyEnd });
  });
}

function keyText(key: ParsedNode | null): string {
  const raw = isScalar(key) ? key.value : null;
  return raw === null || raw === undefined ? '' : String(raw);
}

function seqItems(build: Build, node: { items: ParsedNode[] }, source: CST.BlockSequence | CST.FlowCollection | CST.BlockMap | undefined, depth: number): YamlItem[] {
  const block = source?.type === 'block-seq';
  // In a block the tokens and the elements run side by side; a flow list has tokens for its commas only where something follows.
  const parts = source?.type === 'block-seq' || source?.type === 'flow-collection' ? source.items : [];
  return node.items.map((element, i): YamlItem => {
    const before = parts[i]?.start ?? [];
    const inner = nodeOf(build, element, before, undefined, depth + 1);
    const dash = block ? before.find((token) => token.type === 'seq-item-ind')?.offset : undefined;
    const mark = before.find((token) => PROPS.includes(token.type))?.offset;
    return placed(build.text, { key: undefined, node: inner, start: dash ?? mark ?? inner.start, mark: dash, unusual: false, low: dash ?? inner.start });
  });
}

function placed(text: string, made: { key: string | undefined; node: YamlNode; start: number; mark: number | undefined; unusual: boolean; low: number }): YamlItem {
  const { key, node, start, mark, unusual } = made;
  const indicatorEnd = mark === undefined ? undefined : mark + 1;
  const bare = indicatorEnd ?? made.low;
  // An anchor of nothing still stands on the line.
  const end = node.kind === 'empty' ? Math.max(bare, node.props ? node.end : bare) : node.end;
  return { key, node, start, indicatorEnd, unusual, end, linesEnd: node.kind === 'empty' ? lineEnd(text, end) : node.linesEnd };
}
