// Contract: text of one document (YAML 1.2 core, so JSON too) and a schema -> a value that knows its lines, or diagnostics with
// file:line:column. Messages name keys, never values. PURE.
import { LineCounter, parseDocument, isAlias, isMap, isNode, isScalar, visit, type Document } from 'yaml';
import type { z } from 'zod';
import type { Diagnostic } from '../model/diagnostic.ts';
import { isObject, showPath, type JsonObject } from '../model/json.ts';

export interface Place { readonly line: number; readonly column: number }

export interface ReadDocument<T> {
  readonly value: T;
  /** As it was written: without the defaults. */
  readonly written: JsonObject;
  /** Where the key or value nearest to a path stands. */
  readonly placeOf: (path: readonly PropertyKey[]) => Place | undefined;
}

export type ReadResult<T> = { readonly ok: true; readonly document: ReadDocument<T> } | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export interface DocumentKind<T> {
  readonly schema: z.ZodType<T>;
  readonly charsMax: number;
  /** `the settings file`. */
  readonly name: string;
  readonly fix: string;
}

interface Source { readonly path: string; readonly fix: string; readonly lines: LineCounter; readonly document: Document.Parsed }

function placeAt(source: Source, offset: number | undefined): Place | undefined {
  const at = offset === undefined ? undefined : source.lines.linePos(offset);
  return at === undefined ? undefined : { line: at.line, column: at.col };
}

function fault(source: Source, offset: number | undefined, message: string): Diagnostic {
  return { code: 'settings-invalid', severity: 'error', message, fix: source.fix, where: { path: source.path, ...placeAt(source, offset) } };
}

/** The offset of the key or value nearest to a path: a missing key is reported at its parent. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return undefined;
}

/** The offset of a key itself, for keys that should not be there. */
function keyOffset(document: Document.Parsed, path: readonly PropertyKey[], key: string): number | undefined {
  const parent: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isMap(parent)) return offsetOf(document, path);
  const pair = parent.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
  return isNode(pair?.key) ? pair.key.range?.[0] : offsetOf(document, path);
}

/** Anchors, tags and merge keys make a document say things that a reader does not see. */
function forbidden(source: Source): Diagnostic[] {
  const found: Diagnostic[] = [];
  visit(source.document, (_key, node) => {
    if (isAlias(node)) found.push(fault(source, node.range?.[0], 'aliases are not allowed'));
    else if (isNode(node)) {
      if ('anchor' in node && node.anchor !== undefined) found.push(fault(source, node.range?.[0], 'anchors are not allowed'));
      if (node.tag !== undefined && node.tag !== null) found.push(fault(source, node.range?.[0], 'tags are not allowed'));
    }
    return undefined;
  });
  return found;
}

export function keyPath(path: readonly PropertyKey[], key?: string): string {
  const steps = path.map((step) => (typeof step === 'number' ? step : String(step)));
  return showPath(key === undefined ? steps : [...steps, key]) || 'the document';
}

/** The branch of a union that the value was meant for: the one that did not already fail on the value's own type. */
function meantBranch(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  return issue.errors.find((branch) => !branch.some((inner) => inner.path.length === 0 && inner.code === 'invalid_type'));
}

function issueFaults(source: Source, issue: z.core.$ZodIssue, prefix: readonly PropertyKey[] = []): Diagnostic[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => fault(source, keyOffset(source.document, path, key), `unknown key ${keyPath(path, key)}`));
  }
  if (issue.code === 'invalid_union') {
    if (path[0] === 'mcpServers') return [fault(source, offsetOf(source.document, path), `${keyPath(path)} is neither a stdio server (command, args, env) nor an http server (url, headers)`)];
    const branch = meantBranch(issue);
    if (branch === undefined) return [fault(source, offsetOf(source.document, path), `${keyPath(path)} is neither a pattern nor a rule`)];
    return branch.flatMap((inner) => issueFaults(source, inner, path));
  }
  return [fault(source, offsetOf(source.document, path), `${keyPath(path)}: ${issue.message}`)];
}

/** Parses and checks one document. An empty one is the empty object. */
export function readDocument<T>(kind: DocumentKind<T>, path: string, text: string): ReadResult<T> {
  const lines = new LineCounter();
  const { fix } = kind;
  if (text.length > kind.charsMax) {
    const size = kind.charsMax >= 1024 * 1024 ? `${kind.charsMax / 1024 / 1024} MiB` : `${kind.charsMax / 1024} KiB`;
    return { ok: false, diagnostics: [{ code: 'settings-invalid', severity: 'error', where: { path }, message: `${kind.name} is larger than ${size}`, fix }] };
  }
  const document = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: true, strict: true, lineCounter: lines, merge: false, prettyErrors: false });
  const source: Source = { path, fix, lines, document };
  if (document.errors.length > 0) {
    return { ok: false, diagnostics: document.errors.map((e) => fault(source, e.pos[0], `not valid YAML (${e.code.toLowerCase().replace(/_/g, ' ')})`)) };
  }
  const bad = forbidden(source);
  if (bad.length > 0) return { ok: false, diagnostics: bad };
  const value: unknown = document.toJS() ?? {};
  const result = kind.schema.safeParse(value);
  if (!result.success) return { ok: false, diagnostics: result.error.issues.flatMap((issue) => issueFaults(source, issue)) };
  return { ok: true, document: { value: result.data, written: isObject(value) ? value : {}, placeOf: (at) => placeAt(source, offsetOf(document, at)) } };
}

/** A fault that a schema cannot see, at its line. */
export function faultAt<T>(document: ReadDocument<T>, where: { readonly path: string; readonly fix: string }, key: readonly PropertyKey[], message: string, severity: Diagnostic['severity'] = 'error'): Diagnostic {
  return { code: severity === 'error' ? 'settings-invalid' : 'note', severity, message: `${keyPath(key)}: ${message}`, fix: where.fix, where: { path: where.path, ...document.placeOf(key) } };
}
