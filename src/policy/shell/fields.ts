// Contract: builds the words of a command from pieces, with field splitting as a shell does it. PURE.
// Word.text of what is not known: a variable stays as written (`$X`), a command substitution reads `$()`.
import type { Effective } from '../types.ts';
import { TEXT_CHARS_MAX, type FullWord } from './state.ts';

export interface Piece {
  readonly dynamic?: boolean;
  readonly glob?: boolean;
  readonly from?: readonly Effective[];
  readonly content?: string;
}

export class Fields {
  readonly words: FullWord[] = [];
  private text = '';
  private begun = false;
  private dynamic = false;
  private glob = false;
  private quoted = false;
  private pieces = 0;
  private from: Effective[] | undefined;
  private content: string | undefined;
  private readonly start: number;
  private readonly end: number;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }

  /** Text that is not split. */
  add(text: string, quoted: boolean, piece: Piece = {}): void {
    this.begun = true;
    this.pieces++;
    if (quoted) this.quoted = true;
    if (piece.dynamic === true) this.dynamic = true;
    if (piece.glob === true) this.glob = true;
    if (piece.from !== undefined && piece.from.length > 0) (this.from ??= []).push(...piece.from.slice(-16));
    if (piece.content !== undefined) this.content = piece.content;
    if (this.text.length + text.length > TEXT_CHARS_MAX) this.dynamic = true;
    else this.text += text;
  }

  /** The value of an unquoted expansion: split at blanks (or IFS), empty parts vanish. */
  split(text: string, ifs: string, piece: Piece = {}): void {
    let from = 0;
    for (let at = 0; at <= text.length; at++) {
      const c = text[at];
      if (c !== undefined && !ifs.includes(c)) continue;
      if (at > from) {
        const part = text.slice(from, at);
        this.add(part, false, { ...piece, glob: piece.glob === true || /[*?[]/.test(part) });
      }
      if (c !== undefined) this.flush();
      from = at + 1;
    }
  }

  /** Ends the field: `"$@"` and split text make several of one word. */
  flush(): void {
    if (!this.begun) return;
    this.words.push({
      text: this.text, start: this.start, end: this.end, dynamic: this.dynamic, glob: this.glob, quoted: this.quoted,
      ...(this.from === undefined ? {} : { from: this.from }), ...(this.content === undefined ? {} : { content: this.content }),
      ...(this.dynamic && this.pieces === 1 ? { whole: true } : {}),
    });
    this.text = '';
    this.begun = this.dynamic = this.glob = this.quoted = false;
    this.pieces = 0;
    this.from = undefined;
    this.content = undefined;
  }

  done(): FullWord[] {
    this.flush();
    return this.words;
  }
}

/** Words of one brace expansion, and the longest text that is expanded. */
export const BRACES_MAX = 128;
const BRACE_CHARS_MAX = 4096;

/** `{a,b}` and `{1..3}` of an unquoted text, quotes respected; the text alone where there is no brace expansion or too much. */
export function expandBraces(text: string): readonly string[] {
  if (text.length > BRACE_CHARS_MAX) return [text];
  let done: string[] = [''];
  let rest = text;
  // Left to right: each brace multiplies what is before it. Nested braces are expanded in the alternatives.
  for (let guard = 0; guard < 32; guard++) {
    const found = firstBrace(rest);
    if (found === undefined) break;
    const alternatives = found.items.flatMap((item) => expandBraces(item));
    const next: string[] = [];
    for (const head of done) for (const item of alternatives) {
      if (next.length >= BRACES_MAX) return [text];
      next.push(head + rest.slice(0, found.open) + item);
    }
    done = next;
    rest = rest.slice(found.close + 1);
  }
  return done.map((head) => head + rest);
}

function firstBrace(text: string): { open: number; close: number; items: string[] } | undefined {
  for (let open = nextOpen(text, 0); open !== -1; open = nextOpen(text, open + 1)) {
    const found = braceAt(text, open);
    if (found !== undefined) return found;
  }
  return undefined;
}

function nextOpen(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const c = text[at];
    if (c === '\\') at++;
    else if (c === "'" || c === '"') at = quoteEnd(text, at);
    else if (c === '{' && text[at - 1] !== '$') return at;
  }
  return -1;
}

function quoteEnd(text: string, at: number): number {
  const quote = text[at];
  let end = at + 1;
  while (end < text.length && text[end] !== quote) end += quote === '"' && text[end] === '\\' ? 2 : 1;
  return end;
}

function braceAt(text: string, open: number): { open: number; close: number; items: string[] } | undefined {
  let depth = 0;
  let from = open + 1;
  const items: string[] = [];
  for (let at = open; at < text.length; at++) {
    const c = text[at];
    if (c === '\\') at++;
    else if (c === "'" || c === '"') at = quoteEnd(text, at);
    else if (c === '{') depth++;
    else if (c === ',' && depth === 1) { items.push(text.slice(from, at)); from = at + 1; }
    else if (c === '}' && --depth === 0) {
      const last = text.slice(from, at);
      const all = items.length === 0 ? sequence(last) : [...items, last];
      return all === undefined ? undefined : { open, close: at, items: all };
    }
  }
  return undefined;
}

function sequence(text: string): string[] | undefined {
  const found = /^(-?\d{1,6}|[a-zA-Z])\.\.(-?\d{1,6}|[a-zA-Z])(?:\.\.-?\d{1,6})?$/.exec(text);
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  const number = /\d/.test(first);
  if (number !== /\d/.test(last)) return undefined;
  const a = number ? Number(first) : first.charCodeAt(0);
  const b = number ? Number(last) : last.charCodeAt(0);
  const out: string[] = [];
  for (let at = a; a <= b ? at <= b : at >= b; at += a <= b ? 1 : -1) {
    out.push(number ? String(at) : String.fromCharCode(at));
    if (out.length > BRACES_MAX) return [text];
  }
  return out;
}
