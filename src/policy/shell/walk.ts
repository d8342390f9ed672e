// Contract: a shell text -> every simple command that it can run, in order, each with its surroundings. PURE, bounded by steps.
// Both branches of a condition are read, loop bodies once for each known value; what a command prints is followed where the
// text of the line says it. What simple commands do is said in exec.ts.
import type * as Ast from 'unbash';
import type { Effective, PolicyFacts, SimpleCommand, Span } from '../types.ts';
import { fileKey, type Call, type Reader } from './call.ts';
import { execute } from './exec.ts';
import { DEPTH_MAX, NO_INPUT, OutOfSteps, TEXT_CHARS_MAX, type Alt, type Env, type Frame, type FullWord, type Io, type Meter, type ShellFunction } from './state.ts';
import { Expander, type Ran, type Runner } from './words.ts';

/** Loop bodies read again for another value, over the whole line. */
const UNROLLED_MAX = 64;
/** Producers that are remembered for a command. */
const FROM_MAX = 64;
/** Here-documents of one text: the parser looks for each of their ends. */
export const HEREDOCS_MAX = 256;

export type Parse = Runner['parse'];

export interface Seen {
  readonly effective: Effective;
  readonly span: Span;
  readonly within: string;
  /** Unknown code, or a program that unknown text names: never silently neutral. */
  readonly risky: boolean;
  /** Inside a function that nobody calls. */
  readonly idle: boolean;
}

export class Walker implements Runner, Reader {
  readonly facts: PolicyFacts;
  readonly meter: Meter;
  readonly parse: Parse;
  choice = 0;
  choices = 1;
  /** Every command seen so far: producers are slices of it. */
  readonly log: Effective[] = [];
  /** A text was not valid shell. */
  broken = false;
  readonly calling: (ShellFunction | string)[] = [];
  /** Calls of a function by itself that run beside each other. */
  spawns = 0;
  private unrolled = 0;
  private readonly defined: { name: string; env: Env }[] = [];
  private readonly sink: (seen: Seen) => void;

  constructor(facts: PolicyFacts, parse: Parse, meter: Meter, sink: (seen: Seen) => void) {
    this.facts = facts;
    this.parse = parse;
    this.meter = meter;
    this.sink = sink;
  }

  execute(call: Call): string | undefined {
    return execute(this, call);
  }

  wordsOf(text: string, env: Env, frame: Frame): readonly FullWord[] {
    this.meter.spend(1 + (text.length >> 5));
    const command = this.parse(`: ${text}`).commands[0]?.command;
    return command?.type === 'Command' ? command.args.flatMap((word) => (word.type === 'Word' ? new Expander(this, env, frame).fields(word) : [])) : [];
  }

  emit(effective: Effective, frame: Frame, span: Span, risky = false): void {
    this.meter.spend(1);
    // As a producer it stands beside its own producers: a list, never a tree that rules could climb again and again.
    this.log.push(effective.pipedFrom.length === 0 ? effective : { ...effective, pipedFrom: [] });
    this.sink({ effective, span: frame.outer ?? span, within: frame.within, risky: risky && !frame.idle, idle: frame.idle });
  }

  /** The producers since `mark`. */
  since(mark: number): readonly Effective[] {
    return this.log.slice(Math.max(mark, this.log.length - FROM_MAX));
  }

  /** Reads a text as commands. Gives what they print, where that is known. */
  text(source: string, env: Env, frame: Frame): string | undefined {
    if (frame.depth > DEPTH_MAX) throw new OutOfSteps('too deeply nested');
    this.meter.spend(1 + (source.length >> 5));
    if (source.length > TEXT_CHARS_MAX * 4 || source.split('<<', HEREDOCS_MAX + 1).length > HEREDOCS_MAX) throw new OutOfSteps('too long');
    return this.script(this.parse(source), env, frame);
  }

  script(script: Ast.Script & { readonly errors?: readonly unknown[] | undefined }, env: Env, frame: Frame): string | undefined {
    if (script.errors !== undefined && script.errors.length > 0) {
      this.broken = true;
      // The parser's own bound on nesting: what is below was not read.
      if (script.errors.some((error) => typeof error === 'object' && error !== null && 'message' in error && String(error.message).startsWith('maximum'))) throw new OutOfSteps('too deeply nested');
    }
    return this.list(script.commands, env, frame);
  }

  /** Bodies of functions that were never called: something out of sight may call them. */
  finish(): void {
    for (let at = 0; at < this.defined.length; at++) {
      const entry = this.defined[at];
      const found = entry?.env.function(entry.name);
      if (entry === undefined || found === undefined || found.called) continue;
      found.called = true;
      const env = entry.env.fork();
      env.positional = undefined;
      this.functionBody(found.body, env, { ...found.frame, idle: true, depth: found.frame.depth + 1 });
    }
  }

  substitute(script: Ast.Script | undefined, env: Env, frame: Frame): Ran {
    if (script === undefined) return { text: undefined, from: [] };
    this.deeper(frame);
    this.meter.spend((script.end - script.pos) >> 3);
    const mark = this.log.length;
    const { choice, choices } = this;
    // A backtick script owns its decoded text: its positions mean nothing outside.
    const outer = script.source === undefined ? frame.outer : frame.outer ?? [script.pos, script.end];
    const source = script.source ?? frame.source;
    const text = this.script(script, env.fork(), { ...frame, source, outer, depth: frame.depth + 1, stdin: frame.stdin, conditional: false });
    this.choice = choice;
    this.choices = choices;
    return { text, from: this.since(mark) };
  }

  private deeper(frame: Frame): void {
    if (frame.depth >= DEPTH_MAX) throw new OutOfSteps('too deeply nested');
  }

  private list(statements: readonly Ast.Statement[], env: Env, frame: Frame): string | undefined {
    let out: string | undefined = '';
    for (const { command, background } of statements) {
      this.meter.spend(1);
      const text = background === true ? this.node(command, env.fork(), { ...frame, parallel: true }) : this.node(command, env, frame);
      out = out === undefined || text === undefined || out.length > TEXT_CHARS_MAX ? undefined : out + text;
    }
    return out;
  }

  private node(node: Ast.PipelineNode | Ast.AndOr, env: Env, outer: Frame): string | undefined {
    this.meter.spend(1);
    this.deeper(outer);
    const frame = node.type === 'Command' ? outer : { ...outer, depth: outer.depth + 1 };
    const branch: Frame = { ...frame, conditional: true };
    switch (node.type) {
      case 'Command': return this.simple(node, env, frame);
      case 'Pipeline': return this.pipeline(node, env, frame);
      case 'AndOr': return this.andOr(node, env, outer);
      case 'Redirected': return this.redirected(node, env, frame);
      case 'Subshell': return this.list(node.body.commands, env.fork(), frame);
      case 'BraceGroup': return this.list(node.body.commands, env, frame);
      case 'If':
        this.list(node.clause.commands, env, frame);
        this.list(node.then.commands, env, branch);
        for (const { clause, then } of node.elif) { this.list(clause.commands, env, branch); this.list(then.commands, env, branch); }
        if (node.else !== undefined) this.list(node.else.commands, env, branch);
        return undefined;
      case 'While':
        this.list(node.clause.commands, env, frame);
        this.list(node.body.commands, env, branch);
        return undefined;
      case 'For': case 'Select': return this.loop(node, env, branch);
      case 'ArithmeticFor': {
        const expander = new Expander(this, env, frame);
        for (const part of [node.initialize, node.test, node.update]) expander.arithmeticCommands(part);
        this.list(node.body.commands, env, branch);
        return undefined;
      }
      case 'Case': {
        const expander = new Expander(this, env, frame);
        expander.single(node.word);
        for (const item of node.items) {
          for (const pattern of item.pattern) expander.single(pattern);
          this.list(item.body.commands, env, branch);
        }
        return undefined;
      }
      case 'Function':
        env.define(node.name.value, { body: node.body, frame: { ...frame, stdin: NO_INPUT, parallel: false }, called: false, at: [node.pos, node.end] });
        this.defined.push({ name: node.name.value, env });
        return '';
      case 'Coproc': return this.functionBody(node.body, env.fork(), { ...frame, parallel: true });
      case 'TestCommand': this.test(node.expression, new Expander(this, env, frame)); return '';
      case 'ArithmeticCommand': new Expander(this, env, frame).arithmeticCommands(node.expression); return '';
      default: return undefined;
    }
  }

  functionBody(body: Ast.Function['body'] | Ast.Coproc['body'], env: Env, frame: Frame): string | undefined {
    return body.type === 'CompoundList' ? this.list(body.commands, env, frame) : this.node(body, env, frame);
  }

  private andOr(node: Ast.AndOr, env: Env, frame: Frame): string | undefined {
    let out = this.node(node.commands[0] as Ast.PipelineNode, env, frame);
    for (let at = 1; at < node.commands.length; at++) {
      const text = this.node(node.commands[at] as Ast.PipelineNode, env, { ...frame, conditional: true });
      if (node.operators[at - 1] === '||') out = out === '' ? undefined : out;
      else out = out === undefined || text === undefined || out.length > TEXT_CHARS_MAX ? undefined : out + text;
    }
    return out;
  }

  private pipeline({ commands }: Ast.Pipeline, env: Env, frame: Frame): string | undefined {
    const [only] = commands;
    if (commands.length === 1 && only !== undefined) return this.node(only, env, frame);
    const mark = this.log.length;
    let stdin: Io = frame.stdin;
    for (const command of commands) {
      const text = this.node(command, env.fork(), { ...frame, stdin, parallel: true });
      stdin = { from: this.since(mark), text };
    }
    return stdin.text;
  }

  private loop(node: Ast.For | Ast.Select, env: Env, frame: Frame): undefined {
    const name = node.name.value;
    const words: readonly FullWord[] = node.wordlist === undefined ? env.positional ?? [] : new Expander(this, env, frame).words(node.wordlist);
    const known = words.filter((word) => !word.dynamic);
    const unknown = words.find((word) => word.dynamic);
    const values: { alt: Alt; from: readonly Effective[] }[] = [];
    for (const word of known) {
      if (this.unrolled >= UNROLLED_MAX) break;
      this.unrolled++;
      values.push({ alt: { text: word.text, dynamic: false, glob: word.glob }, from: word.from ?? [] });
    }
    const rest = known.length - values.length;
    if (unknown !== undefined || values.length === 0 || rest > 0) values.push({ alt: { text: `$${name}`, dynamic: true }, from: unknown?.from ?? [] });
    for (const { alt, from } of values) {
      env.set(name, { alts: [alt], from, exported: false }, false);
      this.list(node.body.commands, env, frame);
    }
    return undefined;
  }

  private test(expression: Ast.TestExpression, expander: Expander): void {
    this.meter.spend(1);
    switch (expression.type) {
      case 'TestUnary': expander.single(expression.operand); break;
      case 'TestBinary': expander.single(expression.left); expander.single(expression.right); break;
      case 'TestLogical': for (const operand of expression.operands) this.test(operand, expander); break;
      case 'TestNot': this.test(expression.operand, expander); break;
      default: this.test(expression.expression, expander);
    }
  }

  /** Redirections of a group or loop: its input reaches the commands inside, its output file holds what they print. */
  private redirected(node: Ast.Redirected, env: Env, frame: Frame): string | undefined {
    const command = emptyCommand(node.pos, node.end);
    const mark = this.log.length;
    const taken = this.redirects(node.redirects, command, env, frame);
    if (command.redirects.length > 0) execute(this, { words: [], assigns: [], command, env, frame: { ...frame, stdin: taken.stdin }, cwd: env.cwd, span: [node.pos, node.end] });
    const text = this.node(node.command, env, { ...frame, stdin: taken.stdin });
    return this.written(taken.files, text, env, mark);
  }

  private simple(node: Ast.Command, env: Env, frame: Frame): string | undefined {
    const { choice, choices } = this;
    let out: string | undefined;
    this.choices = 1;
    for (this.choice = 0; this.choice < this.choices; this.choice++) {
      const turn = this.choice;
      const text = this.turn(node, env, frame);
      this.choice = turn;
      if (turn === 0) out = text;
    }
    this.choice = choice;
    this.choices = choices;
    return out;
  }

  private turn(node: Ast.Command, env: Env, frame: Frame): string | undefined {
    const mark = this.log.length;
    const expander = new Expander(this, env, frame);
    const command = emptyCommand(node.pos, node.end);
    const assigns: FullWord[] = [];
    for (const part of node.prefix) if (part.type === 'Assignment') assigns.push(this.assignment(part, expander, env, frame, node.name === undefined));
    const words: FullWord[] = node.name === undefined ? [] : expander.fields(node.name);
    for (const argument of node.args) {
      if (argument.type === 'Assignment') words.push(this.assignment(argument, expander, env, frame, false));
      else words.push(...expander.fields(argument));
    }
    const taken = this.redirects(node.redirects, command, env, frame);
    command.assigns.push(...assigns);
    command.words.push(...words);
    const call: Call = { words, assigns, command, env, frame: { ...frame, stdin: taken.stdin }, cwd: env.cwd, span: [node.pos, node.end] };
    return this.written(taken.files, execute(this, call), env, mark);
  }

  /** The word `NAME=value`; a command of nothing but assignments sets variables of the shell. */
  private assignment(node: Ast.Assignment, expander: Expander, env: Env, frame: Frame, keep: boolean): FullWord {
    const index = node.index === undefined ? undefined : expander.single(node.index);
    if (node.value.type === 'ArrayValue') {
      const items = node.value.elements.flatMap((word) => expander.fields(word));
      const first: Alt = items[0] ?? { text: '', dynamic: false };
      env.set(node.name, { alts: [first], from: items.flatMap(({ from }) => from ?? []), exported: false, items }, frame.conditional);
      return { text: `${node.name}=`, start: node.pos, end: node.end, dynamic: true, glob: false, quoted: false };
    }
    const value = expander.single(node.value);
    const before = node.append === true ? env.get(node.name)?.alts[0] : undefined;
    const text = (before?.text ?? '') + value.text;
    const long = text.length > TEXT_CHARS_MAX;
    const alt: Alt = long ? { text: `$${node.name}`, dynamic: true } : { text, dynamic: value.dynamic || before?.dynamic === true };
    // An element is kept under its own name: `m[x]`.
    const name = index === undefined ? node.name : `${node.name}[${index.text}]`;
    if (keep && index?.dynamic !== true) env.set(name, { alts: [alt], from: value.from ?? [], exported: false }, frame.conditional);
    return { ...value, text: `${node.name}=${alt.text}`, start: node.pos, end: node.end, dynamic: alt.dynamic };
  }

  private redirects(nodes: readonly Ast.Redirection[], command: SimpleCommand, env: Env, frame: Frame): { stdin: Io; files: Written[] } {
    let stdin = frame.stdin;
    const files: Written[] = [];
    const expander = new Expander(this, env, frame);
    for (const node of nodes) {
      if (node.type === 'HereDoc') {
        const word = expander.body(node.body);
        command.input.push(word.text);
        if (descriptor(node) <= 0) stdin = { from: word.from ?? [], text: word.text };
      } else if (node.type === 'HereString') {
        const word = expander.single(node.target);
        command.input.push(word.text);
        stdin = { from: word.from ?? [], text: `${word.text}\n` };
      } else {
        const target = expander.single(node.target);
        if (node.operator === '<&' || (node.operator === '>&' && /^(?:\d+-?|-)$/.test(target.text))) continue;
        const write = node.operator !== '<';
        command.redirects.push({ write, append: node.operator.includes('>>'), target });
        if (!write && descriptor(node) <= 0) stdin = this.input(target, env);
        else if (write && (descriptor(node) === -1 || descriptor(node) === 1)) files.push({ target, append: node.operator.includes('>>') });
      }
    }
    return { stdin, files };
  }

  private input(target: FullWord, env: Env): Io {
    if (target.text === '<()') return { from: target.from ?? [], text: target.content };
    const file = target.dynamic ? undefined : env.files.get(fileKey(target.text, env.cwd));
    return { from: file?.from ?? [], text: file?.text };
  }

  /** What went into files is known there, and no longer on standard output. */
  private written(files: readonly Written[], text: string | undefined, env: Env, mark: number): string | undefined {
    for (const { target, append } of files) {
      if (target.dynamic) continue;
      const key = fileKey(target.text, env.cwd);
      const before = append ? env.files.get(key) : undefined;
      const whole = before === undefined ? text : before.text === undefined || text === undefined ? undefined : before.text + text;
      env.files.set(key, { text: whole === undefined || whole.length > TEXT_CHARS_MAX ? undefined : whole, from: [...(before?.from ?? []), ...this.since(mark)].slice(-FROM_MAX) });
    }
    return files.length > 0 ? '' : text;
  }
}

interface Written { readonly target: FullWord; readonly append: boolean }

function descriptor(node: Ast.Redirection): number {
  return node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : -1;
}

function emptyCommand(start: number, end: number): SimpleCommand {
  return { assigns: [], words: [], redirects: [], input: [], start, end };
}
