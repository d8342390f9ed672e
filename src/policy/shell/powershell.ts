// Contract: a PowerShell text -> pipelines of commands, with quoting resolved; script blocks, parentheses and substitutions are
// handed out as texts of their own. PURE, linear, never throws. Comments and here-strings are data.

export interface PsWord {
  readonly text: string;
  readonly quoted: boolean;
  readonly dynamic: boolean;
  /** Texts in parentheses, `$(...)` and `{...}` inside this word: they run. */
  readonly inside: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface PsCommand { readonly words: readonly PsWord[]; readonly writes: readonly PsWord[]; readonly start: number; readonly end: number }
export type PsPipeline = readonly PsCommand[];

/** Names of variables in lower case -> text; undefined where unknown. */
export type PsLookup = (name: string) => string | undefined;

export const PS_COMMANDS_MAX = 4096;

export function parsePowerShell(source: string, lookup: PsLookup): { pipelines: PsPipeline[]; overflow: boolean } {
  const parser = new PsParser(source, lookup);
  parser.run();
  return { pipelines: parser.pipelines, overflow: parser.overflow };
}

class PsParser {
  readonly pipelines: PsCommand[][] = [];
  overflow = false;
  private i = 0;
  private count = 0;
  private pipeline: PsCommand[] = [];
  private words: PsWord[] = [];
  private writes: PsWord[] = [];
  private readonly s: string;
  private readonly lookup: PsLookup;

  constructor(source: string, lookup: PsLookup) {
    this.s = source;
    this.lookup = lookup;
  }

  run(): void {
    while (this.i < this.s.length) {
      if (!this.blank() && !this.operator()) this.words.push(this.word());
      if (this.count > PS_COMMANDS_MAX) { this.overflow = true; return; }
    }
    this.endPipeline();
  }

  /** Blanks, continued lines and comments. */
  private blank(): boolean {
    const c = this.s[this.i];
    if (c === ' ' || c === '\t' || c === '\r') this.i++;
    else if (c === '`' && (this.s[this.i + 1] === '\n' || this.s[this.i + 1] === '\r')) this.i += 2;
    else if (c === '#') this.i = this.to('\n');
    else if (c === '<' && this.s[this.i + 1] === '#') this.i = this.to('#>', 2);
    else return false;
    return true;
  }

  private operator(): boolean {
    const c = this.s[this.i] ?? '';
    const twice = this.s[this.i + 1] === c;
    if (c === '\n' || c === ';' || c === '}' || c === ')') { this.endPipeline(); this.i++; }
    else if ((c === '&' || c === '|') && twice) { this.endPipeline(); this.i += 2; }
    else if (c === '|') { this.endCommand(); this.i++; }
    else if (c === '&') { if (this.words.length > 0) this.endPipeline(); this.i++; }
    else if (c === '>' || (/[0-9*]/.test(c) && this.s[this.i + 1] === '>')) this.redirect();
    else return false;
    return true;
  }

  private to(mark: string, plus = 0): number {
    const end = this.s.indexOf(mark, this.i);
    return end === -1 ? this.s.length : end + plus;
  }

  private endCommand(): void {
    const first = this.words[0] ?? this.writes[0];
    const last = this.words[this.words.length - 1] ?? this.writes[0];
    if (first !== undefined && last !== undefined) {
      this.pipeline.push({ words: this.words, writes: this.writes, start: first.start, end: last.end });
      this.count++;
    }
    this.words = [];
    this.writes = [];
  }

  private endPipeline(): void {
    this.endCommand();
    if (this.pipeline.length > 0) this.pipelines.push(this.pipeline);
    this.pipeline = [];
  }

  private redirect(): void {
    while (/[0-9*>]/.test(this.s[this.i] ?? '')) this.i++;
    if (this.s[this.i] === '&') { this.i += 2; return; }
    while (this.s[this.i] === ' ' || this.s[this.i] === '\t') this.i++;
    const target = this.word();
    if (target.text !== '$null') this.writes.push(target);
  }

  private word(): PsWord {
    const start = this.i;
    let text = '';
    let quoted = false;
    let dynamic = false;
    const inside: string[] = [];
    while (this.i < this.s.length) {
      const c = this.s[this.i] ?? '';
      if (/[\s;|)}]/.test(c) || ((c === '&' || c === '>') && text !== '')) break;
      const part = this.piece(c, inside);
      text += part.text;
      dynamic ||= part.dynamic;
      quoted ||= part.quoted;
    }
    if (this.i === start) this.i++;
    return { text, quoted, dynamic, inside, start, end: this.i };
  }

  private piece(c: string, inside: string[]): { text: string; dynamic: boolean; quoted: boolean } {
    switch (c) {
      case '`': this.i += 2; return { text: this.s[this.i - 1] ?? '', dynamic: false, quoted: false };
      case "'": case '\u2018': case '\u2019': return { text: this.single(), dynamic: false, quoted: true };
      case '"': case '\u201C': case '\u201D': return { ...this.double(inside), quoted: true };
      case '(': inside.push(this.balanced('(', ')')); return { text: '$()', dynamic: true, quoted: false };
      case '{': inside.push(this.balanced('{', '}')); return { text: '{}', dynamic: true, quoted: false };
      case '@': case '$':
        if (c === '@' && (this.s[this.i + 1] === "'" || this.s[this.i + 1] === '"')) return { text: this.hereString(), dynamic: false, quoted: true };
        return { ...this.expansion(inside), quoted: false };
      default: this.i++; return { text: c, dynamic: false, quoted: false };
    }
  }

  private single(): string {
    let out = '';
    this.i++;
    for (; this.i < this.s.length; this.i++) {
      if (this.s[this.i] !== "'") out += this.s[this.i];
      else if (this.s[this.i + 1] === "'") { out += "'"; this.i++; }
      else { this.i++; break; }
    }
    return out;
  }

  private double(inside: string[]): { text: string; dynamic: boolean } {
    let text = '';
    let dynamic = false;
    this.i++;
    while (this.i < this.s.length) {
      const c = this.s[this.i] ?? '';
      if (c === '"') {
        if (this.s[this.i + 1] !== '"') { this.i++; break; }
        text += '"';
        this.i += 2;
      } else if (c === '`') { text += this.s[this.i + 1] ?? ''; this.i += 2; }
      else if (c === '$') {
        const part = this.expansion(inside);
        text += part.text;
        dynamic ||= part.dynamic;
      } else { text += c; this.i++; }
    }
    return { text, dynamic };
  }

  private hereString(): string {
    const quote = this.s[this.i + 1] ?? '';
    const start = this.s.indexOf('\n', this.i);
    const end = this.s.indexOf(`\n${quote}@`, this.i);
    const text = this.s.slice(start === -1 ? this.s.length : start + 1, end === -1 ? this.s.length : end);
    this.i = end === -1 ? this.s.length : end + 3;
    return text;
  }

  /** `$name`, `${name}`, `$env:NAME`, `$(...)`, `@(...)`. */
  private expansion(inside: string[]): { text: string; dynamic: boolean } {
    const next = this.s[this.i + 1];
    if (next === '(' || next === '{') {
      const sign = this.s[this.i];
      this.i++;
      const text = this.balanced(next, next === '(' ? ')' : '}');
      if (next === '{' && sign === '$') return this.variable(text);
      inside.push(text);
      return { text: '$()', dynamic: true };
    }
    const found = /^[$@]((?:env|global|script|local|private|using):)?[A-Za-z_?^$][\w.]*/i.exec(this.s.slice(this.i, this.i + 120))?.[0];
    if (found === undefined) { this.i++; return { text: this.s[this.i - 1] ?? '', dynamic: false }; }
    this.i += found.length;
    return this.variable(found.slice(1));
  }

  private variable(name: string): { text: string; dynamic: boolean } {
    const known = this.lookup(name.toLowerCase());
    return known === undefined ? { text: `$${name}`, dynamic: true } : { text: known, dynamic: false };
  }

  /** The text between a bracket and its partner; quotes inside are respected. */
  private balanced(open: string, close: string): string {
    const start = this.i + 1;
    let depth = 0;
    for (; this.i < this.s.length; this.i++) {
      const c = this.s[this.i];
      if (c === '`') this.i++;
      else if (c === "'" || c === '"') {
        const end = this.s.indexOf(c, this.i + 1);
        if (end === -1) { this.i = this.s.length; break; }
        this.i = end;
      } else if (c === open) depth++;
      else if (c === close && --depth === 0) break;
    }
    const text = this.s.slice(start, this.i);
    this.i++;
    return text;
  }
}
