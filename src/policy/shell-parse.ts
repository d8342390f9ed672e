// Contract: a POSIX/bash command line -> its simple commands, with quoting resolved; text that is only data (quoted words,
// comments, here-document bodies, patterns) stays data. PURE, linear in the length of the text, bounded, never throws.
// Commands inside $(...), `...`, <(...), subshells, groups, loops and functions are listed like any other.
// Not done: expansion of variables, braces and globs, aliases, arithmetic. Such words carry `dynamic` or `glob`.
import { ansiC, arithmeticEnd, assignmentEnd, endsTilde, heredocEnd, isBlank, isNameChar, isNameStart, redirectOperator } from './shell-chars.ts';
import { COMMANDS_MAX, HOME_MARK, NESTING_MAX, PWD_MARK, type Parsed, type SimpleCommand, type Word } from './shell-types.ts';

/** Words after which a new command begins. */
const LEAD = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{', 'coproc']);
const CLOSE = new Set(['fi', 'done', 'esac', '}']);

interface Heredoc { readonly mark: string; readonly strip: boolean; readonly quoted: boolean; readonly command: SimpleCommand }

export function parseShell(source: string): Parsed {
  const parser = new Parser(source);
  parser.list('');
  return { commands: parser.commands, overflow: parser.overflow, broken: parser.broken };
}

class Parser {
  readonly commands: SimpleCommand[] = [];
  overflow = false;
  broken = false;
  private i = 0;
  private depth = 0;
  private readonly s: string;
  private limit: number;
  private heredocs: Heredoc[] = [];

  constructor(source: string) {
    this.s = source;
    this.limit = source.length;
  }

  /** Commands up to `)` (closing it), up to `;;` or `esac` (leaving it), or to the end. */
  list(until: '' | ')' | 'case'): void {
    if (++this.depth > NESTING_MAX) this.giveUp();
    while (this.i < this.limit) {
      this.blanks();
      const c = this.s[this.i];
      if (c === undefined || this.i >= this.limit) break;
      if (c === '\n') this.newline();
      else if (c === '#') this.comment();
      else if (c === ')') {
        this.i++;
        if (until === ')') { this.depth--; return; }
      } else if (c === ';' && until === 'case' && (this.s[this.i + 1] === ';' || this.s[this.i + 1] === '&')) break;
      else if (c === '&' && this.s[this.i + 1] === '>') this.command();
      else if (c === ';' || c === '&' || c === '|') this.i++;
      else if (c === '(') this.parenthesis();
      else if (until === 'case' && this.wordIs('esac')) break;
      else this.command();
    }
    if (until === ')') this.broken = true;
    this.depth--;
  }

  private parenthesis(): void {
    const end = this.s[this.i + 1] === '(' ? arithmeticEnd(this.s, this.i + 2, this.limit) : -1;
    if (end !== -1) { this.i = end; return; }
    this.i++;
    this.list(')');
  }

  private giveUp(): void {
    this.overflow = true;
    this.i = this.limit;
  }

  private blanks(): void {
    for (;;) {
      const c = this.s[this.i];
      if (c === ' ' || c === '\t' || c === '\r') this.i++;
      else if (c === '\\' && this.s[this.i + 1] === '\n') this.i += 2;
      else return;
    }
  }

  private comment(): void {
    const end = this.s.indexOf('\n', this.i);
    this.i = end === -1 || end > this.limit ? this.limit : end;
  }

  private newline(): void {
    this.i++;
    if (this.heredocs.length === 0) return;
    const waiting = this.heredocs;
    this.heredocs = [];
    for (const doc of waiting) this.body(doc);
  }

  private body(doc: Heredoc): void {
    const start = this.i;
    const { end, next } = heredocEnd(this.s, start, this.limit, doc.mark, doc.strip);
    doc.command.input.push(this.s.slice(start, end));
    if (!doc.quoted) this.expansions(end);
    this.i = next;
  }

  /** An unquoted here-document is text, but its substitutions run. */
  private expansions(end: number): void {
    const limit = this.limit;
    this.limit = end;
    while (this.i < end) {
      const c = this.s[this.i];
      if (c === '\\') this.i += 2;
      else if (c === '$') this.dollar(true);
      else if (c === '`') this.backtick();
      else this.i++;
    }
    this.limit = limit;
  }

  private wordIs(word: string): boolean {
    if (!this.s.startsWith(word, this.i)) return false;
    const c = this.s[this.i + word.length];
    return c === undefined || isBlank(c) || c === ';' || c === ')' || c === '&' || c === '|';
  }

  private command(): void {
    const command: SimpleCommand = { assigns: [], words: [], redirects: [], input: [], start: this.i, end: this.i };
    while (this.i < this.limit && this.part(command)) command.end = this.i;
    if (command.words.length + command.assigns.length + command.redirects.length === 0) return;
    if (this.commands.length >= COMMANDS_MAX) this.giveUp();
    else this.commands.push(command);
  }

  /** One word, redirection or keyword. False at the end of the command. */
  private part(command: SimpleCommand): boolean {
    this.blanks();
    const c = this.s[this.i];
    if (c === undefined || this.i >= this.limit || c === '\n' || c === ';' || c === '|' || c === ')') return false;
    if (c === '&' && this.s[this.i + 1] !== '>') return false;
    if (c === '#') { this.comment(); return false; }
    if (c === '(') return this.afterName(command);
    if ((c === '<' || c === '>') && this.s[this.i + 1] === '(') {
      const start = this.i;
      this.i += 2;
      this.list(')');
      command.words.push({ text: '<()', start, end: this.i, dynamic: true, glob: false, quoted: false });
      return true;
    }
    if (this.redirect(command)) return true;
    if (command.words.length > 0) { command.words.push(this.word()); return true; }
    return this.first(command);
  }

  /** `name ()` opens a function: its body is read as commands. Any other parenthesis ends the command. */
  private afterName(command: SimpleCommand): boolean {
    if (command.words.length !== 1) return false;
    let at = this.i + 1;
    while (at < this.limit && isBlank(this.s[at] ?? '')) at++;
    if (this.s[at] !== ')') return false;
    this.i = at + 1;
    command.words.length = 0;
    return false;
  }

  /** In command position: assignments and keywords. */
  private first(command: SimpleCommand): boolean {
    const equals = assignmentEnd(this.s, this.i, this.limit);
    if (equals !== -1) {
      const start = this.i;
      if (this.s[equals] === '(') { this.array(command, start, equals); return true; }
      command.assigns.push(this.word());
      return true;
    }
    const word = this.word();
    if (word.quoted || word.dynamic) { command.words.push(word); return true; }
    if (LEAD.has(word.text)) return command.redirects.length === 0 && command.assigns.length === 0;
    if (CLOSE.has(word.text)) return true;
    if (word.text === 'case') { this.caseOf(); return true; }
    if (word.text === '[[') { this.test(); return true; }
    if (word.text === 'function') { this.blanks(); this.word(); this.blanks(); if (this.s.startsWith('()', this.i)) this.i += 2; return false; }
    if (word.text === 'for' || word.text === 'select') { this.forWords(); return false; }
    command.words.push(word);
    return true;
  }

  private array(command: SimpleCommand, start: number, open: number): void {
    this.i = open + 1;
    while (this.i < this.limit && this.s[this.i] !== ')') {
      if (isBlank(this.s[this.i] ?? '')) this.i++;
      else this.wordOrSkip();
    }
    this.i = Math.min(this.i + 1, this.limit);
    command.assigns.push({ text: this.s.slice(start, open), start, end: this.i, dynamic: true, glob: false, quoted: false });
  }

  private wordOrSkip(): void {
    const before = this.i;
    this.word();
    if (this.i === before) this.i++;
  }

  private forWords(): void {
    if (this.s.startsWith('((', this.i) || this.s.startsWith(' ((', this.i)) return;
    for (;;) {
      this.blanks();
      const c = this.s[this.i];
      if (c === undefined || this.i >= this.limit || c === '\n' || c === ';' || c === '&' || c === '|' || c === ')') return;
      this.wordOrSkip();
    }
  }

  /** `[[ ... ]]`: operators inside compare, they do not redirect. */
  private test(): void {
    while (this.i < this.limit) {
      this.blanks();
      if (this.s[this.i] === '\n') { this.i++; continue; }
      const before = this.i;
      const word = this.word();
      if (this.i === before) this.i++;
      else if (word.text === ']]') return;
    }
  }

  private caseOf(): void {
    this.blanks();
    this.word();
    while (this.i < this.limit) {
      while (this.i < this.limit && (isBlank(this.s[this.i] ?? '') || this.s[this.i] === '\n' || this.s[this.i] === ';' || this.s[this.i] === '&')) this.i++;
      if (this.s[this.i] === '#') { this.comment(); continue; }
      if (this.wordIs('in')) { this.i += 2; continue; }
      if (this.wordIs('esac')) { this.i += 4; return; }
      while (this.i < this.limit && this.s[this.i] !== ')') this.wordOrSkip();
      this.i = Math.min(this.i + 1, this.limit);
      this.list('case');
      if (this.overflow) return;
    }
  }

  private redirect(command: SimpleCommand): boolean {
    const operator = redirectOperator(this.s, this.i, this.limit);
    if (operator === undefined) return false;
    const op = operator.text;
    this.i = operator.next;
    this.blanks();
    const target = this.word();
    if (op === '<<' || op === '<<-') this.heredocs.push({ mark: target.text, strip: op === '<<-', quoted: target.quoted, command });
    else if (op === '<<<') command.input.push(target.text);
    else if (op[0] === '>' || op === '<>') command.redirects.push({ write: true, target });
    else command.redirects.push({ write: false, target });
    return true;
  }

  // ---- words ----
  private text = '';
  private dynamic = false;
  private glob = false;
  private quoted = false;

  private word(): Word {
    const saved = [this.text, this.dynamic, this.glob, this.quoted] as const;
    this.text = '';
    this.dynamic = this.glob = this.quoted = false;
    const start = this.i;
    if (this.s[start] === '~') this.tilde();
    while (this.i < this.limit && this.piece()) { /* one piece after another */ }
    const word = { text: this.text, start, end: this.i, dynamic: this.dynamic, glob: this.glob, quoted: this.quoted };
    [this.text, this.dynamic, this.glob, this.quoted] = saved;
    return word;
  }

  private tilde(): void {
    if (!endsTilde(this.s[this.i + 1])) return;
    this.text += HOME_MARK;
    this.i++;
  }

  private piece(): boolean {
    const c = this.s[this.i] ?? '';
    switch (c) {
      case ' ': case '\t': case '\r': case '\n': case ';': case '&': case '|': case '<': case '>': case '(': case ')': return false;
      case '\\':
        if (this.s[this.i + 1] !== '\n') { this.text += this.s[this.i + 1] ?? ''; this.quoted = true; }
        this.i = Math.min(this.i + 2, this.limit);
        return true;
      case "'": this.single(); return true;
      case '"': this.i++; this.double(); return true;
      case '`': this.backtick(); return true;
      case '$': this.dollar(false); return true;
      case '*': case '?': case '[': this.glob = true; break;
      default:
    }
    this.text += c;
    this.i++;
    return true;
  }

  private single(): void {
    const end = this.s.indexOf("'", this.i + 1);
    this.quoted = true;
    if (end === -1 || end >= this.limit) this.broken = true;
    const stop = end === -1 || end >= this.limit ? this.limit : end;
    this.text += this.s.slice(this.i + 1, stop);
    this.i = Math.min(stop + 1, this.limit);
  }

  private double(): void {
    this.quoted = true;
    while (this.i < this.limit) {
      const c = this.s[this.i] ?? '';
      if (c === '"') { this.i++; return; }
      if (c === '\\') {
        const next = this.s[this.i + 1] ?? '';
        if (next !== '\n') this.text += '$`"\\'.includes(next) ? next : c + next;
        this.i = Math.min(this.i + 2, this.limit);
      } else if (c === '$') this.dollar(true);
      else if (c === '`') this.backtick();
      else { this.text += c; this.i++; }
    }
    this.broken = true;
  }

  private backtick(): void {
    let end = this.i + 1;
    while (end < this.limit && this.s[end] !== '`') end += this.s[end] === '\\' ? 2 : 1;
    const inner = this.s.slice(this.i + 1, Math.min(end, this.limit)).replace(/\\([`\\$])/g, '$1');
    this.dynamic = true;
    this.text += '$()';
    const start = this.i;
    this.i = Math.min(end + 1, this.limit);
    if (this.depth >= NESTING_MAX) { this.giveUp(); return; }
    const nested = new Parser(inner);
    // Backticks nest only by escaping, so the text shrinks with every level; the depth is carried on.
    nested.depth = this.depth;
    nested.list('');
    if (nested.overflow) this.overflow = true;
    for (const command of nested.commands) this.commands.push({ ...command, start, end: this.i });
    if (this.commands.length > COMMANDS_MAX) this.giveUp();
  }

  private dollar(inDouble: boolean): void {
    const next = this.s[this.i + 1] ?? '';
    if (next === '(') return this.substitution();
    if (next === '{') return this.parameter(inDouble);
    if (next === "'" && !inDouble) {
      const end = ansiC(this.s, this.i + 2, this.limit);
      this.text += end.text;
      this.quoted = true;
      this.i = end.next;
      return;
    }
    if (next === '"' && !inDouble) { this.i += 2; return this.double(); }
    let end = this.i + 1;
    if (isNameStart(next)) while (end < this.limit && isNameChar(this.s[end] ?? '')) end++;
    else if (next !== '' && '@*#?$!-0123456789'.includes(next)) end++;
    else { this.text += '$'; this.i++; return; }
    this.variable(this.s.slice(this.i + 1, end), this.s.slice(this.i, end));
    this.i = end;
  }

  private variable(name: string, raw: string): void {
    if (name === 'HOME') this.text += HOME_MARK;
    else if (name === 'PWD') this.text += PWD_MARK;
    else { this.text += raw; this.dynamic = true; }
  }

  private substitution(): void {
    const end = this.s[this.i + 2] === '(' ? arithmeticEnd(this.s, this.i + 3, this.limit) : -1;
    this.dynamic = true;
    this.text += '$()';
    if (end !== -1) { this.i = end; return; }
    this.i += 2;
    this.list(')');
  }

  /** `${...}`: a plain name is a variable; anything longer is dynamic, and substitutions inside it run. */
  private parameter(inDouble: boolean): void {
    const start = this.i;
    let end = start + 2;
    while (end < this.limit && isNameChar(this.s[end] ?? '')) end++;
    if (this.s[end] === '}') {
      this.variable(this.s.slice(start + 2, end), this.s.slice(start, end + 1));
      this.i = end + 1;
      return;
    }
    const before = this.text;
    const quotedBefore = this.quoted;
    if (++this.depth > NESTING_MAX) { this.giveUp(); return; }
    this.i = end;
    while (this.i < this.limit && this.s[this.i] !== '}') {
      const c = this.s[this.i];
      if (c === '\\') this.i = Math.min(this.i + 2, this.limit);
      else if (c === '$') this.dollar(inDouble);
      else if (c === '`') this.backtick();
      else if (c === "'" && !inDouble) this.single();
      else if (c === '"' && !inDouble) { this.i++; this.double(); } else this.i++;
    }
    if (this.i >= this.limit) this.broken = true;
    else this.i++;
    this.depth--;
    this.text = before + this.s.slice(start, this.i);
    this.quoted = quotedBefore;
    this.dynamic = true;
  }
}
