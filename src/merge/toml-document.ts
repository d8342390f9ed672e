// Contract: one TOML text, read twice: smol-toml gives the values, toml-eslint-parser the ranges, and both must accept
// the text and agree on every value; otherwise it is refused. PURE, never throws, messages carry no file contents.
import { parse as parseValues, TomlDate, TomlError } from 'smol-toml';
import { parseTOML, ParseError } from 'toml-eslint-parser';
import type { AST } from 'toml-eslint-parser';
import type { MergeFault } from '../model/edit.ts';
import type { JsonObject, JsonValue, Path } from '../model/json.ts';
import { faultAt } from './text.ts';
import { boundsFault, conflictMarkerFault, tooDeep } from './toml-guard.ts';
import { literal } from './toml-literal.ts';
import { NESTING_DEPTH_MAX, putKey } from './value-edit.ts';

/** A key-value line of the root or of a header's body. `base` is the path of that body. */
export interface Pair { readonly path: Path; readonly base: Path; readonly node: AST.TOMLKeyValue; readonly header: Header | undefined }

/** `[a.b]` has the path of its table, `[[a.b]]` the path of its element. */
export interface Header { readonly path: Path; readonly node: AST.TOMLTable }

export interface TomlDocument {
  readonly text: string;
  readonly value: JsonObject;
  readonly headers: readonly Header[];
  readonly pairs: readonly Pair[];
}

export type DocumentResult = { readonly ok: true; readonly doc: TomlDocument } | { readonly ok: false; readonly fault: MergeFault };

const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;

export function keySteps(key: AST.TOMLKey): string[] {
  return key.keys.map((step) => (step.type === 'TOMLBare' ? step.name : step.value));
}

export function readDocument(text: string): DocumentResult {
  const bounds = boundsFault(text);
  if (bounds !== undefined) return { ok: false, fault: bounds };
  try {
    // Positions of smol-toml are better than those of the ranges parser, so it goes first.
    const values = parseValues(text, { integersAsBigInt: 'asNeeded', maxDepth: NESTING_DEPTH_MAX + 1 });
    const { headers, pairs } = statements(parseTOML(text, { tomlVersion: '1.1' }));
    const deep = deepest(headers, pairs);
    if (deep !== undefined) return { ok: false, fault: tooDeep(text, deep) };
    const value = toJson(values) as JsonObject;
    const check: Check = { text, root: value, fault: undefined };
    for (const pair of pairs) checkValue(check, pair.path, pair.node.value);
    return check.fault === undefined ? { ok: true, doc: { text, value, headers, pairs } } : { ok: false, fault: check.fault };
  } catch (error) {
    return { ok: false, fault: parserFault(text, error) };
  }
}

function parserFault(text: string, error: unknown): MergeFault {
  if (error instanceof RangeError) return faultAt(text, 'too-deep', 'the file is too deeply nested or too large to be parsed', 0);
  const markers = conflictMarkerFault(text);
  if (markers !== undefined) return markers;
  if (error instanceof TomlError) {
    // The rest of smol-toml's message is an excerpt of the file.
    const reason = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
    return faultAt(text, 'invalid-document', `not valid TOML: ${reason}`, offsetAt(text, error.line, error.column));
  }
  if (error instanceof ParseError) {
    return faultAt(text, 'invalid-document', `not valid TOML: ${error.message.replace(/ code point .*/, ' character')}`, error.index);
  }
  return faultAt(text, 'internal', 'the TOML parser failed', 0);
}

function offsetAt(text: string, line: number, column: number): number {
  let start = 0;
  for (let n = 1; n < line; n += 1) {
    const eol = text.indexOf('\n', start);
    if (eol < 0) break;
    start = eol + 1;
  }
  return Math.min(text.length, start + column - 1);
}

function statements(program: AST.TOMLProgram): { headers: Header[]; pairs: Pair[] } {
  const headers: Header[] = [];
  const pairs: Pair[] = [];
  const collect = (node: AST.TOMLKeyValue, base: Path, header: Header | undefined): void => {
    pairs.push({ path: [...base, ...keySteps(node.key)], base, node, header });
  };
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      collect(node, [], undefined);
      continue;
    }
    const header = { path: node.resolvedKey, node };
    headers.push(header);
    for (const pair of node.body) collect(pair, node.resolvedKey, header);
  }
  return { headers, pairs };
}

/** The offset of the first value below the permitted depth: only after this check may the value tree be walked recursively. */
function deepest(headers: readonly Header[], pairs: readonly Pair[]): number | undefined {
  const visit = (node: AST.TOMLContentNode, depth: number): number | undefined => {
    if (depth > NESTING_DEPTH_MAX) return node.range[0];
    const below: [AST.TOMLContentNode, number][] = node.type === 'TOMLArray' ? node.elements.map((item) => [item, depth + 1])
      : node.type === 'TOMLInlineTable' ? node.body.map((pair) => [pair.value, depth + pair.key.keys.length])
      : [];
    for (const [child, level] of below) {
      const found = visit(child, level);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  for (const header of headers) if (header.path.length > NESTING_DEPTH_MAX) return header.node.range[0];
  for (const pair of pairs) {
    const found = visit(pair.node.value, pair.path.length);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Dates and numbers outside JSON become tagged literals; their exact text is filled in from the ranges afterwards. */
function toJson(value: unknown): JsonValue {
  if (value instanceof TomlDate) return literal(value.toISOString());
  if (typeof value === 'bigint') return literal(value.toString());
  if (typeof value === 'number') return Number.isFinite(value) ? value : literal(String(value));
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(toJson);
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value as Record<string, unknown>)) putKey(out, key, toJson(item));
  return out;
}

interface Check { readonly text: string; readonly root: JsonObject; fault: MergeFault | undefined }

function own(container: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (Array.isArray(container)) return typeof step === 'number' ? container[step] : undefined;
  if (typeof container !== 'object' || container === null || typeof step !== 'string') return undefined;
  return Object.prototype.hasOwnProperty.call(container, step) ? container[step] : undefined;
}

/** Holds the two parsers against each other, value by value: a range that belongs to another value would corrupt the file. */
function checkValue(check: Check, path: Path, node: AST.TOMLContentNode): void {
  if (check.fault !== undefined) return;
  if (node.type === 'TOMLArray') {
    node.elements.forEach((item, index) => checkValue(check, [...path, index], item));
    return;
  }
  if (node.type === 'TOMLInlineTable') {
    for (const pair of node.body) checkValue(check, [...path, ...keySteps(pair.key)], pair.value);
    return;
  }
  const parent = path.slice(0, -1).reduce<JsonValue | undefined>(own, check.root);
  const last = path.at(-1) as string | number;
  const found = own(parent, last);
  if (node.kind === 'integer' && (node.bigint < I64_MIN || node.bigint > I64_MAX)) {
    check.fault = faultAt(check.text, 'invalid-document', 'not valid TOML: an integer needs more than 64 bits', node.range[0]);
  } else if (!agrees(node, found)) {
    check.fault = faultAt(check.text, 'invalid-document', 'two TOML parsers read this value differently', node.range[0]);
  } else if (typeof found === 'object' && node.kind !== 'string' && node.kind !== 'boolean') {
    const tagged = literal(literalSource(node, check.text));
    if (Array.isArray(parent)) parent[last as number] = tagged;
    else putKey(parent as JsonObject, last as string, tagged);
  }
}

/** Dates keep their raw text: it alone holds the digits that a Date drops. Other spellings of one number are one value. */
function literalSource(node: AST.TOMLValue, text: string): string {
  if (node.kind === 'integer') return node.bigint.toString();
  if (node.kind !== 'float') return text.slice(...node.range);
  if (Number.isNaN(node.value)) return 'nan';
  return node.value > 0 ? 'inf' : '-inf';
}

function agrees(node: AST.TOMLValue, found: JsonValue | undefined): boolean {
  if (node.kind === 'string') {
    // The ranges parser turns CRLF inside multi-line strings into LF.
    return typeof found === 'string' && found.replace(/\r\n/g, '\n') === node.value.replace(/\r\n/g, '\n');
  }
  if (node.kind === 'integer') {
    return Number.isSafeInteger(node.value) ? found === node.value : typeof found === 'object';
  }
  if (node.kind === 'float') return Number.isFinite(node.value) ? found === node.value : typeof found === 'object';
  if (node.kind === 'boolean') return found === node.value;
  return typeof found === 'object';
}
