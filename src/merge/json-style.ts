// Contract: how new JSON is to look at a place in a document, told from its neighbours, and the rendering itself.
// Nothing here decides where something is inserted. PURE.
import type { JsonValue } from '../model/json.ts';
import type { Container, Entry } from './json-walk.ts';

/** Units of text that are looked at to learn a habit such as the dominating indent. */
const STYLE_SAMPLE_CHARS = 256 * 1024;
const SNIPPET_CHARS = 4096;
const DEFAULT_UNIT = '  ';

export interface LineStyle {
  readonly eol: string;
  /** White space before the entry itself. */
  readonly base: string;
  readonly unit: string;
  readonly colon: string;
}

export interface InlineStyle {
  readonly colon: string;
  /** White space behind a comma. */
  readonly gap: string;
  /** White space inside the braces of an object. */
  readonly pad: string;
}

export function isEol(unit: number): boolean {
  return unit === 10 || unit === 13;
}

export function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9;
}

/** Back over blanks: where the white space begins that stands directly before an offset on its line. */
export function blanksBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Whether only blanks stand before the offset on its line. */
export function beginsLine(text: string, offset: number): boolean {
  const at = blanksBefore(text, offset);
  return at === 0 || isEol(text.charCodeAt(at - 1));
}

/** The start of the line end before an offset that begins a line. */
export function lineEndBefore(text: string, offset: number): number {
  const at = blanksBefore(text, offset);
  return text.charCodeAt(at - 1) === 10 && text.charCodeAt(at - 2) === 13 ? at - 2 : at - 1;
}

/** The indent of the line that an offset is on. */
export function indentAt(text: string, offset: number): string {
  const lf = text.lastIndexOf('\n', offset - 1);
  const cr = offset === 0 ? -1 : text.slice(lf + 1, offset).lastIndexOf('\r');
  const start = offset === 0 ? 0 : lf + 1 + (cr + 1);
  let end = start;
  while (end < offset && isBlank(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

export function spansLines(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (isEol(text.charCodeAt(i))) return true;
  }
  return false;
}

/**
 * The line end nearest to an offset, `\n` where there is none. A lone `\r` is never written: behind it a `\n` of the
 * document would become the second half of one line end, and a removal could not tell them apart.
 */
export function eolNear(text: string, offset: number): string {
  const before = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  const after = text.indexOf('\n', offset);
  if (before === -1 && after === -1) return '\n';
  const nearest = after === -1 || (before !== -1 && offset - before <= after - offset) ? before : after;
  return text.charCodeAt(nearest - 1) === 13 ? '\r\n' : '\n';
}

/** The habits for an entry on a line of its own in the last container of the chain. */
export function lineStyle(text: string, chain: readonly Container[], offset: number): LineStyle {
  const container = chain[chain.length - 1];
  const last = container?.last;
  const parent = container === undefined ? '' : indentAt(text, container.open);
  const eol = eolNear(text, offset);
  const colon = lineColon(text, last);
  if (last !== undefined && beginsLine(text, last.start)) {
    const base = indentAt(text, last.start);
    return { eol, base, unit: growth(parent, base) ?? outerUnit(text, chain), colon };
  }
  const unit = outerUnit(text, chain);
  return { eol, base: parent + unit, unit, colon };
}

function growth(outer: string, inner: string): string | undefined {
  return inner.length > outer.length && inner.startsWith(outer) ? inner.slice(outer.length) : undefined;
}

/** Siblings could not tell: the enclosing containers from the inside outwards, then the whole document. */
function outerUnit(text: string, chain: readonly Container[]): string {
  for (let i = chain.length - 1; i > 0; i--) {
    const outer = chain[i - 1];
    const inner = chain[i];
    if (outer === undefined || inner === undefined) continue;
    const unit = growth(indentAt(text, outer.open), indentAt(text, inner.open));
    if (unit !== undefined) return unit;
  }
  return dominatingUnit(text);
}

function dominatingUnit(text: string): string {
  const votes = new Map<string, number>();
  let outer: string | undefined;
  for (const match of text.slice(0, STYLE_SAMPLE_CHARS).matchAll(/(?:^|[\r\n])([ \t]*)(?=["{}[\]\-\w])/g)) {
    const indent = match[1] ?? '';
    const unit = outer === undefined ? undefined : growth(outer, indent);
    if (unit !== undefined) votes.set(unit, (votes.get(unit) ?? 0) + 1);
    outer = indent;
  }
  let best = DEFAULT_UNIT;
  let most = 0;
  for (const [unit, count] of votes) {
    if (count > most) [best, most] = [unit, count];
  }
  return best;
}

function lineColon(text: string, sibling: Entry | undefined): string {
  const tight = sibling !== undefined && sibling.keyEnd !== -1
    ? sibling.valueStart === sibling.keyEnd + 1
    : /^[^"]*"[^"\\]*":\S/.test(text.slice(0, SNIPPET_CHARS));
  return tight ? ':' : ': ';
}

/** The habits inside one line, told from a stretch of text. Quoted text may mislead it, which costs looks only. */
export function inlineStyle(text: string, start: number, end: number): InlineStyle {
  const snippet = text.slice(start, Math.min(end, start + SNIPPET_CHARS));
  const colon = /"[ \t]*:([ \t]?)/.exec(snippet)?.[1];
  const comma = /["\w}\]],([ \t]?)/.exec(snippet)?.[1];
  const pad = /\{([ \t]?)[^\s}]/.exec(snippet)?.[1];
  return { colon: `:${colon ?? comma ?? ' '}`, gap: comma ?? colon ?? ' ', pad: pad ?? '' };
}

/** The value over as many lines as it needs; the first line carries no indent. */
export function renderLines(value: JsonValue, style: LineStyle): string {
  // JSON escapes line ends and tabs, so every raw one in this text was put there by stringify.
  const lines = stringify(value, '\t').split('\n');
  return lines
    .map((line, i) => {
      const levels = /^\t*/.exec(line)?.[0].length ?? 0;
      const indent = i === 0 ? '' : style.base + style.unit.repeat(levels);
      return indent + withColon(line.slice(levels), style.colon);
    })
    .join(style.eol);
}

export function renderInline(value: JsonValue, style: InlineStyle): string {
  const lines = stringify(value, '\t').split('\n');
  let out = '';
  lines.forEach((line, i) => {
    const bare = line.replace(/^\t+/, '');
    const before = lines[i - 1]?.slice(-1);
    if (before === ',') out += style.gap;
    else if (before === '{' || bare.startsWith('}')) out += i === 0 ? '' : style.pad;
    out += withColon(bare, style.colon);
  });
  return out;
}

export function renderKey(key: string, colon: string): string {
  return JSON.stringify(key) + colon;
}

function stringify(value: JsonValue, indent: string): string {
  const text: string | undefined = JSON.stringify(value, null, indent);
  if (text === undefined) throw new TypeError('the value to write is not JSON');
  return text;
}

function withColon(line: string, colon: string): string {
  if (colon === ': ') return line;
  const key = /^"(?:[^"\\]|\\.)*": /.exec(line)?.[0];
  return key === undefined ? line : key.slice(0, -2) + colon + line.slice(key.length);
}
