// Contract: a word of the syntax tree -> the words it expands to, as far as the text of the line tells. PURE.
// Certain: quoting, escapes, braces, tilde, variables that the line sets, default values, substrings, substitutions whose
// output is known. Everything else stays as written and is marked `dynamic`. Commands inside substitutions are run by `Runner`.
import type * as Ast from 'unbash';
import { HOME_MARK, PWD_MARK } from '../shell-types.ts';
import type { Effective, PolicyFacts } from '../types.ts';
import { expandBraces, Fields, type Piece } from './fields.ts';
import { transform } from './parameter.ts';
import { TEXT_CHARS_MAX, type Alt, type Env, type Frame, type FullWord, type Meter, type Value } from './state.ts';

export interface Ran { readonly text: string | undefined; readonly from: readonly Effective[] }

export interface Runner {
  readonly facts: PolicyFacts;
  readonly meter: Meter;
  readonly parse: (text: string) => Ast.Script & { readonly errors?: readonly unknown[] | undefined };
  /** Which alternative of every variable is taken in this turn, and how many there are. */
  choice: number;
  choices: number;
  substitute(script: Ast.Script | undefined, env: Env, frame: Frame): Ran;
}

const DEFAULT_IFS = ' \t\n';

export class Expander {
  private readonly run: Runner;
  private readonly env: Env;
  private readonly frame: Frame;

  constructor(run: Runner, env: Env, frame: Frame) {
    this.run = run;
    this.env = env;
    this.frame = frame;
  }

  words(nodes: readonly Ast.Word[]): FullWord[] {
    return nodes.flatMap((node) => this.fields(node));
  }

  /** All fields of one word. */
  fields(node: Ast.Word): FullWord[] {
    this.run.meter.spend(1);
    const { parts } = node;
    if (parts === undefined && node.text[0] !== '~' && node.text === node.value) {
      return [{ text: node.text, start: node.pos, end: node.end, dynamic: false, glob: false, quoted: false }];
    }
    if (parts?.some(({ type }) => type === 'BraceExpansion') === true || (parts === undefined && node.text.includes('{'))) {
      const texts = expandBraces(node.text);
      if (texts.length > 1 || texts[0] !== node.text) return texts.flatMap((text) => this.again(text, node));
    }
    const out = new Fields(node.pos, node.end);
    if (parts === undefined) this.literal(node.text, node.value, out, true);
    else parts.forEach((part, at) => this.part(part, out, at === 0));
    return out.done();
  }

  /** A text that stands for a word of its own: braces, alternatives of an assignment. */
  private again(text: string, node: Ast.Word): FullWord[] {
    this.run.meter.spend(1 + text.length / 16);
    const statement = this.run.parse(`: ${text}`).commands[0]?.command;
    const word = statement?.type === 'Command' ? statement.suffix[0] : undefined;
    if (word?.type !== 'Word') return text === '' ? [] : [{ text, start: node.pos, end: node.end, dynamic: false, glob: false, quoted: true }];
    const out = new Fields(node.pos, node.end);
    if (word.parts === undefined) this.literal(word.text, word.value, out, true);
    else word.parts.forEach((part, at) => this.part(part, out, at === 0));
    return out.done();
  }

  /** One field, not split: assignments, redirection targets, here-strings, case words. */
  single(node: Ast.Word | undefined): FullWord {
    if (node === undefined) return { text: '', start: 0, end: 0, dynamic: false, glob: false, quoted: false };
    this.run.meter.spend(1);
    const out = new Fields(node.pos, node.end);
    if (node.parts === undefined) this.literal(node.text, node.value, out, true);
    else node.parts.forEach((part, at) => this.quotedPart(part, out, at === 0));
    return out.done()[0] ?? { text: '', start: node.pos, end: node.end, dynamic: false, glob: false, quoted: true };
  }

  /** The text of a here-document: expansions happen, quotes are letters. */
  body(body: Ast.HereDocBody): FullWord {
    const out = new Fields(body.pos, body.end);
    if (body.parts === undefined) out.add(body.text, true);
    else for (const part of body.parts) this.quotedPart(part, out, false);
    return out.done()[0] ?? { text: '', start: body.pos, end: body.end, dynamic: false, glob: false, quoted: true };
  }

  private literal(text: string, value: string, out: Fields, first: boolean): void {
    if (first && text[0] === '~') {
      const slash = value.indexOf('/');
      const user = value.slice(1, slash === -1 ? value.length : slash);
      const home = this.tilde(user);
      out.add(home + (slash === -1 ? '' : value.slice(slash)), false);
      return;
    }
    out.add(value, text !== value);
  }

  private tilde(user: string): string {
    if (user === '') return HOME_MARK;
    if (user === '+') return PWD_MARK;
    if (!/^[a-z_][a-z0-9_-]*$/.test(user)) return `~${user}`;
    if (user === 'root') return '/root';
    const home = this.run.facts.home ?? '';
    // A name that is no user stays as written; who else has an account is not known here.
    return user === home.slice(home.lastIndexOf('/') + 1) ? HOME_MARK : `~${user}`;
  }

  /** A part outside quotes. */
  private part(part: Ast.WordPart, out: Fields, first: boolean): void {
    switch (part.type) {
      case 'Literal': this.literal(part.text, part.value, out, first); break;
      case 'Glob': case 'ExtendedGlob': out.add(part.text, false, { glob: true }); break;
      case 'BraceExpansion': out.add(part.text, false); break;
      case 'SimpleExpansion': this.variable(part.text.slice(1), part.text, out, false); break;
      case 'ParameterExpansion': this.parameter(part, out, false); break;
      case 'CommandExpansion': this.command(part.script, out, false); break;
      default: this.quotedPart(part, out, first);
    }
  }

  /** A part that is not split: inside quotes, or where a shell does not split. */
  private quotedPart(part: Ast.WordPart, out: Fields, first: boolean): void {
    switch (part.type) {
      case 'Literal': if (first) this.literal(part.text, part.value, out, true); else out.add(part.value, true); break;
      case 'SingleQuoted': case 'AnsiCQuoted': out.add(part.value, true); break;
      case 'DoubleQuoted': case 'LocaleString':
        if (part.parts.length === 0) out.add('', true);
        for (const child of part.parts) this.quotedPart(child, out, false);
        break;
      case 'SimpleExpansion': this.variable(part.text.slice(1), part.text, out, true); break;
      case 'ParameterExpansion': this.parameter(part, out, true); break;
      case 'CommandExpansion': this.command(part.script, out, true); break;
      case 'ArithmeticExpansion': out.add(this.arithmetic(part), true, { dynamic: true }); break;
      case 'ProcessSubstitution': {
        const { text, from } = this.run.substitute(part.script, this.env, this.frame);
        out.add('<()', false, { dynamic: true, from, ...(text === undefined ? {} : { content: text }) });
        break;
      }
      default: out.add(part.text, false, { glob: part.type !== 'BraceExpansion' });
    }
  }

  /** The number is not computed; commands inside run. */
  private arithmetic(part: Ast.ArithmeticExpansionPart): string {
    // The parser reads this part only now.
    this.run.meter.spend((part.end - part.pos) >> 3);
    this.arithmeticCommands(part.expression);
    return '$(())';
  }

  arithmeticCommands(expression: Ast.ArithmeticExpression | undefined): void {
    if (expression === undefined) return;
    this.run.meter.spend(1);
    switch (expression.type) {
      case 'ArithmeticBinary': this.arithmeticCommands(expression.left); this.arithmeticCommands(expression.right); break;
      case 'ArithmeticUnary': this.arithmeticCommands(expression.operand); break;
      case 'ArithmeticGroup': this.arithmeticCommands(expression.expression); break;
      case 'ArithmeticTernary':
        this.arithmeticCommands(expression.test);
        this.arithmeticCommands(expression.consequent);
        this.arithmeticCommands(expression.alternate);
        break;
      case 'ArithmeticWord': {
        const scratch = new Fields(expression.pos, expression.end);
        for (const part of expression.parts ?? []) this.quotedPart(part, scratch, false);
        break;
      }
      default: this.run.substitute(expression.script, this.env, this.frame);
    }
  }

  private command(script: Ast.Script | undefined, out: Fields, quoted: boolean): void {
    const { text, from } = this.run.substitute(script, this.env, this.frame);
    const trimmed = text?.replace(/\n+$/, '');
    if (trimmed === undefined) out.add('$()', quoted, { dynamic: true, from });
    // What echo printed may hold expansions that stayed as written.
    else this.put({ text: trimmed, dynamic: trimmed.includes('$') }, from, out, quoted);
  }

  private put(alt: Alt, from: readonly Effective[], out: Fields, quoted: boolean): void {
    const piece: Piece = { dynamic: alt.dynamic, ...(alt.glob === true ? { glob: true } : {}), ...(from.length === 0 ? {} : { from }) };
    if (quoted || alt.dynamic) out.add(alt.text, quoted, piece);
    else out.split(alt.text, this.ifs(), piece);
  }

  private ifs(): string {
    const value = this.env.get('IFS')?.alts[0];
    return value === undefined || value.dynamic ? DEFAULT_IFS : value.text;
  }

  /** The alternative of this turn. */
  private pick(value: Value): Alt {
    if (value.alts.length > this.run.choices) this.run.choices = value.alts.length;
    return value.alts[Math.min(this.run.choice, value.alts.length - 1)] ?? { text: '', dynamic: true };
  }

  private variable(name: string, written: string, out: Fields, quoted: boolean): void {
    if (name === '@' || name === '*') return this.list(this.env.positional, name === '@', written, out, quoted);
    const known = this.lookup(name);
    if (known === undefined) out.add(written, quoted, { dynamic: true });
    else this.put(known.alt, known.from, out, quoted);
  }

  /** What a name stands for; undefined where the line does not say. */
  private lookup(name: string): { alt: Alt; from: readonly Effective[] } | undefined {
    const value = this.env.get(name);
    if (value !== undefined) return { alt: this.pick(value), from: value.from };
    const literal = (text: string): { alt: Alt; from: readonly Effective[] } => ({ alt: { text, dynamic: false }, from: [] });
    switch (name) {
      case 'HOME': return literal(HOME_MARK);
      case 'PWD': return literal(PWD_MARK);
      case 'IFS': return literal(DEFAULT_IFS);
      case 'SHELL': case 'BASH': return literal('/bin/bash');
      case 'TMPDIR': return literal('/tmp');
      case 'USER': case 'LOGNAME': case 'USERNAME': {
        const home = this.run.facts.home;
        return home === undefined ? undefined : literal(home.slice(home.lastIndexOf('/') + 1));
      }
      default:
    }
    const { positional } = this.env;
    if (positional === undefined || !/^\d+$/.test(name)) return undefined;
    if (name === '0') return undefined;
    const word = positional[Number(name) - 1];
    return word === undefined ? literal('') : { alt: word, from: word.from ?? [] };
  }

  private list(items: readonly FullWord[] | readonly Alt[] | undefined, separate: boolean, written: string, out: Fields, quoted: boolean): void {
    if (items === undefined) return out.add(written, quoted, { dynamic: true });
    if (quoted && !separate) return this.put({ text: items.map(({ text }) => text).join(' '), dynamic: items.some(({ dynamic }) => dynamic) }, [], out, true);
    items.forEach((item, at) => {
      if (at > 0) out.flush();
      this.run.meter.spend(1);
      this.put(item, (item as FullWord).from ?? [], out, quoted);
    });
  }

  private parameter(part: Ast.ParameterExpansionPart, out: Fields, quoted: boolean): void {
    const { parameter, index, prefix, operation } = part;
    if (index !== undefined && prefix === undefined && operation === undefined) {
      const items = this.env.get(parameter)?.items;
      if (index.text === '@' || index.text === '*') return this.list(items, index.text === '@', part.text, out, quoted);
      const element = this.env.get(`${parameter}[${index.text}]`);
      if (element !== undefined) return this.put(this.pick(element), element.from, out, quoted);
      const item = items?.[Number(index.text)];
      return item === undefined ? out.add(part.text, quoted, { dynamic: true }) : this.put(item, [], out, quoted);
    }
    if (prefix === '!' && operation === undefined && index === undefined) return this.indirect(parameter, part.text, out, quoted);
    if (prefix !== undefined || index !== undefined) {
      if (operation !== undefined) this.operand(operation);
      return out.add(part.text, quoted, { dynamic: true });
    }
    if (operation === undefined) return this.variable(parameter, part.text, out, quoted);
    if (operation.type === 'Slice' && (parameter === '@' || parameter === '*')) {
      const from = Number(operation.offset.text);
      const list = this.env.positional?.slice(Math.max(0, from - 1));
      return this.list(Number.isInteger(from) ? list : undefined, parameter === '@', part.text, out, quoted);
    }
    this.operated(part, operation, out, quoted);
  }

  private operated(part: Ast.ParameterExpansionPart, operation: Ast.ParameterOperation, out: Fields, quoted: boolean): void {
    const known = this.lookup(part.parameter);
    if (operation.type === 'Default') {
      const operand = this.single(operation.operand);
      const set = known !== undefined && (known.alt.text !== '' || known.alt.dynamic || !operation.operator.startsWith(':'));
      const sign = operation.operator[operation.operator.length - 1];
      if (sign === '+') return known === undefined || set ? this.alternative(operand, part, known === undefined, out, quoted) : out.add('', quoted);
      if (known !== undefined && set) return this.put(known.alt, known.from, out, quoted);
      if (sign === '?') return out.add(part.text, quoted, { dynamic: true });
      if (sign === '=') this.env.set(part.parameter, { alts: [operand], from: operand.from ?? [], exported: false }, this.frame.conditional);
      return this.alternative(operand, part, known === undefined, out, quoted);
    }
    const operands = this.operand(operation);
    const home = this.run.facts.home;
    const text = known === undefined || known.alt.dynamic ? undefined : known.alt.text.split(HOME_MARK).join(home ?? HOME_MARK);
    const changed = text === undefined || operands.some(({ dynamic }) => dynamic) ? undefined : transform(operation, text, operands.map((word) => word.text));
    if (changed === undefined || changed.length > TEXT_CHARS_MAX) out.add(part.text, quoted, { dynamic: true, ...(known === undefined ? {} : { from: known.from }) });
    else this.put({ text: changed, dynamic: false }, known?.from ?? [], out, quoted);
  }

  /** A default value is one of two: the environment may hold another. */
  private alternative(operand: FullWord, part: Ast.ParameterExpansionPart, uncertain: boolean, out: Fields, quoted: boolean): void {
    if (!uncertain) return this.put(operand, operand.from ?? [], out, quoted);
    this.put(this.pick({ alts: [operand, { text: part.text, dynamic: true }], from: [], exported: false }), operand.from ?? [], out, quoted);
  }

  private indirect(parameter: string, written: string, out: Fields, quoted: boolean): void {
    const name = this.lookup(parameter)?.alt;
    if (name === undefined || name.dynamic) out.add(written, quoted, { dynamic: true });
    else this.variable(name.text, written, out, quoted);
  }

  /** Words of an operation, expanded (their substitutions run). */
  private operand(operation: Ast.ParameterOperation): FullWord[] {
    switch (operation.type) {
      case 'Default': case 'Remove': case 'Transform': return [this.single(operation.operand)];
      case 'CaseModification': return operation.operand === undefined ? [] : [this.single(operation.operand)];
      case 'Replace': return [this.single(operation.pattern), this.single(operation.replacement)];
      case 'Slice': return [this.single(operation.offset), ...(operation.length === undefined ? [] : [this.single(operation.length)])];
      default: return [];
    }
  }
}
