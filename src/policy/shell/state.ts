// Contract: what is known of a shell while its text is read from left to right: variables, functions, aliases, directory, files
// written by the line. PURE. A subshell gets a fork: what it changes is gone after it, as in a real shell.
// Under a condition an assignment does not replace: the earlier value stays as an alternative, and commands are judged for each.
import type * as Ast from 'unbash';
import type { Effective, Remote, Span, Word } from '../types.ts';

/** Texts longer than this are not followed: they count as unknown. */
export const TEXT_CHARS_MAX = 64 * 1024;
/** Alternatives of one variable. */
export const ALTERNATIVES_MAX = 4;

/** Units of work for one command line, over all nested texts: parse nodes, words, characters read again, rule checks. */
export const STEPS_MAX = 250_000;

/** Nested constructs and texts together. Real lines stay below twenty. */
export const DEPTH_MAX = 96;

export const OUT_OF_STEPS = 'OutOfSteps';

/** The bound is reached, or the nesting: what was not read is unresolved. Never leaves the evaluator. */
export class OutOfSteps extends Error {
  /** Bundles have a class each: the name is what they share. */
  override readonly name = OUT_OF_STEPS;
}

export class Meter {
  used = 0;
  spend(units: number): void {
    this.used += units;
    if (this.used > STEPS_MAX) throw new OutOfSteps('the command line takes too many steps');
  }
}

/** A word with what is known of its origin. Rules see the `Word` part. */
export interface FullWord extends Word {
  /** Commands whose output is part of it. */
  readonly from?: readonly Effective[];
  /** What reading this word as a file gives: process substitution with a known text. */
  readonly content?: string;
  /** The whole word is one unknown expansion. */
  readonly whole?: boolean;
}

export interface Alt { readonly text: string; readonly dynamic: boolean; readonly glob?: boolean }

export interface Value {
  /** The latest first. */
  readonly alts: readonly Alt[];
  readonly from: readonly Effective[];
  readonly exported: boolean;
  /** Elements of an array. */
  readonly items?: readonly Alt[];
}

export interface FileText {
  readonly text: string | undefined;
  readonly from: readonly Effective[];
}

export interface ShellFunction {
  readonly body: Ast.Function['body'];
  readonly frame: Frame;
  called: boolean;
  readonly at: Span;
}

/** What arrives on standard input. */
export interface Io { readonly from: readonly Effective[]; readonly text: string | undefined }

export const NO_INPUT: Io = { from: [], text: undefined };

/** The surroundings of a command that its text cannot change. */
export interface Frame {
  readonly source: string;
  /** Where the text stands in the line as given; undefined for the line itself. */
  readonly outer: Span | undefined;
  readonly within: string;
  readonly chain: readonly string[];
  readonly remote: Remote | undefined;
  readonly stdin: Io;
  /** Inside a branch or loop. */
  readonly conditional: boolean;
  /** In the background or in a pipeline: processes of their own. */
  readonly parallel: boolean;
  readonly depth: number;
  /** The text is code that was not written as such: `eval`, `sh -c`, a pipe. Unknown text in it is a risk of its own. */
  readonly code: boolean;
  /** A function body that nobody calls: unknown words in it are not asked about. */
  readonly idle: boolean;
  /** In which language the words were written. */
  readonly language: 'sh' | 'powershell' | 'cmd';
}

export class Env {
  cwd: string | undefined;
  positional: readonly FullWord[] | undefined = [];
  private readonly vars = new Map<string, Value | null>();
  private readonly functions = new Map<string, ShellFunction>();
  private readonly aliases = new Map<string, string>();
  /** Shared by all forks: files stay, and git's configuration is a file. */
  readonly files: Map<string, FileText>;
  readonly gitAliases: Map<string, string>;
  private readonly parent: Env | undefined;

  constructor(cwd: string | undefined, parent?: Env) {
    this.cwd = cwd;
    this.parent = parent;
    this.files = parent?.files ?? new Map<string, FileText>();
    this.gitAliases = parent?.gitAliases ?? new Map<string, string>();
    if (parent !== undefined) this.positional = parent.positional;
  }

  fork(): Env {
    return new Env(this.cwd, this);
  }

  get(name: string): Value | undefined {
    // eslint-disable-next-line unicorn/no-this-assignment, typescript/no-this-alias
    let env: Env | undefined = this;
    while (env !== undefined) {
      const found = env.vars.get(name);
      if (found !== undefined) return found ?? undefined;
      env = env.parent;
    }
    return undefined;
  }

  set(name: string, value: Value, conditional: boolean): void {
    const before = conditional ? this.get(name) : undefined;
    const alts = before === undefined ? value.alts : [...value.alts, ...before.alts.filter(({ text }) => !value.alts.some((alt) => alt.text === text))].slice(0, ALTERNATIVES_MAX);
    this.vars.set(name, { ...value, alts, exported: value.exported || this.get(name)?.exported === true });
  }

  unset(name: string): void {
    this.vars.set(name, null);
    this.functions.delete(name);
  }

  export(name: string): void {
    const value = this.get(name);
    if (value !== undefined) this.vars.set(name, { ...value, exported: true });
  }

  /** Exported variables, the innermost value of each. */
  exported(): Map<string, Value> {
    const out = this.parent?.exported() ?? new Map<string, Value>();
    for (const [name, value] of this.vars) {
      if (value?.exported === true) out.set(name, value);
      else out.delete(name);
    }
    return out;
  }

  define(name: string, value: ShellFunction): void {
    this.functions.set(name, value);
  }

  function(name: string): ShellFunction | undefined {
    return this.functions.get(name) ?? this.parent?.function(name);
  }

  alias(name: string, text: string): void {
    this.aliases.set(name, text);
  }

  aliasOf(name: string): string | undefined {
    return this.aliases.get(name) ?? this.parent?.aliasOf(name);
  }
}
