// Contract: text of a settings document (YAML 1.2 core, so JSON too) -> settings, or diagnostics with file:line:column.
// Messages name keys, never values. PURE.
import { LineCounter, parseDocument, isAlias, isMap, isNode, isScalar, visit, type Document } from 'yaml';
import type { z } from 'zod';
import type { Diagnostic } from '../model/diagnostic.ts';
import { showPath } from '../model/json.ts';
import { SERVERS_MAX, SETTINGS_CHARS_MAX, settingsSchema, type Settings } from './schema.ts';

export type ParsedSettings = { readonly ok: true; readonly settings: Settings } | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

const FIX = 'correct the settings file; its schema is schemas/settings.schema.json';

interface Source { readonly path: string; readonly lines: LineCounter; readonly document: Document.Parsed }

function fault(source: Source, offset: number | undefined, message: string): Diagnostic {
  const at = offset === undefined ? undefined : source.lines.linePos(offset);
  return {
    code: 'settings-invalid', severity: 'error', message, fix: FIX,
    where: at === undefined ? { path: source.path } : { path: source.path, line: at.line, column: at.col },
  };
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
  visit(source.document, (key, node) => {
    if (isAlias(node)) found.push(fault(source, node.range?.[0], 'aliases are not allowed'));
    else if (isNode(node)) {
      if ('anchor' in node && node.anchor !== undefined) found.push(fault(source, node.range?.[0], 'anchors are not allowed'));
      if (node.tag !== undefined && node.tag !== null) found.push(fault(source, node.range?.[0], 'tags are not allowed'));
    }
    return undefined;
  });
  return found;
}

function pathOf(issue: z.core.$ZodIssue, key?: string): string {
  const steps = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  return showPath(key === undefined ? steps : [...steps, key]) || 'the document';
}

function issueFaults(source: Source, issue: z.core.$ZodIssue): Diagnostic[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => fault(source, keyOffset(source.document, issue.path, key), `unknown key ${pathOf(issue, key)}`));
  }
  if (issue.code === 'invalid_union') {
    return [fault(source, offsetOf(source.document, issue.path), `${pathOf(issue)} is neither a stdio server (command, args, env) nor an http server (url, headers)`)];
  }
  return [fault(source, offsetOf(source.document, issue.path), `${pathOf(issue)}: ${issue.message}`)];
}

/** Parses and checks one settings document. An empty document means: all defaults. */
export function parseSettings(path: string, text: string): ParsedSettings {
  const lines = new LineCounter();
  if (text.length > SETTINGS_CHARS_MAX) {
    return { ok: false, diagnostics: [{ code: 'settings-invalid', severity: 'error', where: { path }, message: 'the settings file is larger than 256 KiB', fix: FIX }] };
  }
  const document = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: true, strict: true, lineCounter: lines, merge: false, prettyErrors: false });
  const source: Source = { path, lines, document };
  if (document.errors.length > 0) {
    return { ok: false, diagnostics: document.errors.map((e) => fault(source, e.pos[0], `not valid YAML (${e.code.toLowerCase().replace(/_/g, ' ')})`)) };
  }
  const bad = forbidden(source);
  if (bad.length > 0) return { ok: false, diagnostics: bad };
  const value: unknown = document.toJS() ?? {};
  const result = settingsSchema.safeParse(value);
  if (!result.success) return { ok: false, diagnostics: result.error.issues.flatMap((issue) => issueFaults(source, issue)) };
  if (Object.keys(result.data.mcpServers).length > SERVERS_MAX) {
    return { ok: false, diagnostics: [fault(source, offsetOf(document, ['mcpServers']), `more than ${SERVERS_MAX} servers`)] };
  }
  return { ok: true, settings: result.data };
}
