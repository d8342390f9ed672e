// Contract: a command as its handlers see it, what they may ask of the reader, and how a command is handed to the rules. PURE.
import { resolvePath } from '../paths.ts';
import type { Effective, PolicyFacts, Remote, SimpleCommand, Span, Word } from '../types.ts';
import { printed, type Printing } from './output.ts';
import type { Env, Frame, FullWord, Meter, ShellFunction, Value } from './state.ts';

/** What handlers may ask of the reader of a line (walk.ts). */
export interface Reader {
  readonly facts: PolicyFacts;
  readonly meter: Meter;
  /** Functions and aliases that are being read; a function that is defined again is another one. */
  readonly calling: (ShellFunction | string)[];
  /** Calls of a function by itself that run beside each other. */
  spawns: number;
  readonly log: readonly Effective[];
  execute(call: Call): string | undefined;
  text(source: string, env: Env, frame: Frame): string | undefined;
  functionBody(body: ShellFunction['body'], env: Env, frame: Frame): string | undefined;
  emit(effective: Effective, frame: Frame, span: Span, risky?: boolean): void;
  /** Words of a text as the shell would expand them. */
  wordsOf(text: string, env: Env, frame: Frame): readonly FullWord[];
}

export interface Call {
  readonly words: readonly FullWord[];
  readonly assigns: readonly FullWord[];
  readonly command: SimpleCommand;
  readonly env: Env;
  readonly frame: Frame;
  readonly cwd: string | undefined;
  readonly span: Span;
  /** Functions and aliases are not asked: `command x`, and everything behind a real program. */
  readonly external?: true;
}

/** What a handler returns: the text printed (undefined: unknown), or that it has no opinion. */
export type Handled = { readonly printed: string | undefined } | undefined;
export type Handler = (walker: Reader, call: Call, program: string) => Handled;

/** Base name without directories and `.exe`, for tables. */
export function programOf(text: string): string {
  const at = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'));
  const base = at === -1 ? text : text.slice(at + 1);
  return base.length > 4 && base.slice(-4).toLowerCase() === '.exe' ? base.slice(0, -4).toLowerCase() : base;
}

export function isAssignment(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*=/.test(text);
}

export function assign(env: Env, word: FullWord, conditional: boolean, exported: boolean): void {
  const equals = word.text.indexOf('=');
  if (equals <= 0) return;
  const append = word.text[equals - 1] === '+';
  env.set(word.text.slice(0, append ? equals - 1 : equals), { alts: [{ text: word.text.slice(equals + 1), dynamic: word.dynamic }], from: word.from ?? [], exported }, conditional);
}

/** A word as it would be typed again: data stays data, unknown expansions stay expansions. */
export function quoteWord(word: Word): string {
  if (!word.dynamic && !word.glob && /[^A-Za-z0-9_./:=@%+,\uE000\uE001-]/.test(word.text)) return `'${word.text.replace(/'/g, "'\\''")}'`;
  if (word.text === '') return "''";
  return word.dynamic && /\s/.test(word.text) ? `"${word.text.replace(/["\\`]/g, '\\$&')}"` : word.text;
}

export function outputOf({ frame, env, cwd }: Call, { program, args }: Effective, home: string | undefined): string | undefined {
  const user = home?.slice(home.lastIndexOf('/') + 1);
  const printing: Printing = { program, args, input: frame.stdin.text, cwd, user, file: (path) => env.files.get(fileKey(path, cwd))?.text };
  return printed(printing);
}

export interface Given {
  readonly program: string;
  readonly path?: string;
  readonly args?: readonly FullWord[];
  readonly codeFrom?: readonly Effective[];
  readonly cwd?: string | undefined;
  readonly shell?: Effective['shell'];
  readonly remote?: Remote;
  readonly unresolved?: string;
  readonly risky?: boolean;
}

/** Hands a command to the rules. */
export function emit(walker: Reader, call: Call, given: Given): Effective {
  const { env, frame, assigns, command } = call;
  const effective: Effective = {
    program: given.program,
    path: given.path ?? given.program,
    args: given.args ?? call.words.slice(1),
    assigns,
    command,
    env: environment(env, assigns),
    pipedFrom: frame.stdin.from,
    codeFrom: given.codeFrom ?? [],
    inputs: command.input.length > 0 || frame.stdin.text === undefined ? command.input : [frame.stdin.text],
    cwd: 'cwd' in given ? given.cwd : call.cwd,
    chain: frame.chain,
    remote: given.remote ?? frame.remote,
    shell: given.shell ?? frame.language,
    unresolved: given.unresolved ?? '',
  };
  walker.emit(effective, frame, call.span, given.risky === true);
  return effective;
}

const NO_ENV: ReadonlyMap<string, Word> = new Map();

function environment(env: Env, assigns: readonly FullWord[]): ReadonlyMap<string, Word> {
  const exported: Map<string, Value> = env.exported();
  if (exported.size === 0 && assigns.length === 0) return NO_ENV;
  const out = new Map<string, Word>();
  for (const [name, value] of exported) {
    const alt = value.alts[0] ?? { text: '', dynamic: true };
    out.set(name, { text: alt.text, dynamic: alt.dynamic, start: 0, end: 0, glob: false, quoted: true });
  }
  for (const word of assigns) {
    const equals = word.text.indexOf('=');
    out.set(word.text.slice(0, equals), { ...word, text: word.text.slice(equals + 1) });
  }
  return out;
}

/** What runs is not known: the evaluator decides by the risk. */
export function unresolved(walker: Reader, call: Call, why: string, risky: boolean, codeFrom: readonly Effective[] = []): void {
  emit(walker, call, { program: '', path: call.words[0]?.text ?? '', unresolved: why, risky, codeFrom });
}

export function pathIn(walker: Reader, text: string, cwd: string | undefined): string {
  return resolvePath(text, { facts: walker.facts, cwd });
}


/** The same file named relatively and absolutely counts as two; `./x` and `x` as one. */
export function fileKey(path: string, cwd: string | undefined): string {
  const plain = path.startsWith('./') ? path.slice(2) : path;
  return plain.startsWith('/') || plain.startsWith('~') ? plain : `${cwd ?? ''}\0${plain}`;
}

export interface Code {
  readonly text: string;
  /** The word it stands in, for the span. */
  readonly at?: Word | undefined;
  readonly within: string;
  readonly chain?: readonly string[];
  readonly remote?: Remote | undefined;
  readonly positional?: readonly FullWord[];
  /** It keeps the shell's own state: `eval` does, `sh -c` does not. */
  readonly same?: true;
}

/** Reads a text as commands of a shell of its own. */
export function runCode(walker: Reader, call: Call, code: Code): string | undefined {
  const { frame } = call;
  const env = code.same === true ? call.env : call.env.fork();
  const remote = code.remote ?? frame.remote;
  if (code.same !== true) {
    env.positional = code.positional ?? [];
    env.cwd = remote === undefined ? call.cwd : undefined;
    for (const word of call.assigns) assign(env, word, false, true);
  }
  return walker.text(code.text, env, {
    ...frame, source: code.text, outer: frame.outer ?? (code.at === undefined ? call.span : [code.at.start, code.at.end]), within: code.within,
    chain: code.chain ?? frame.chain, remote, depth: frame.depth + 1, code: true, language: 'sh', conditional: code.same === true && frame.conditional,
  });
}

export function joined(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}

/** The call without its first words, behind one more wrapper. */
export function inner(call: Call, words: readonly FullWord[], program: string, more: Partial<Call> = {}, remote?: Remote): Call {
  const frame: Frame = { ...call.frame, chain: [...call.frame.chain, program], ...(remote === undefined ? {} : { remote }) };
  return { ...call, words, external: true, ...more, frame };
}
