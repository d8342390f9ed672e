// Contract: the evaluator's vocabulary. `evaluate` (evaluate.ts) is what the hook, `policy test` and `policy explain` call. PURE.
// Rules see commands as they run: quoting, variables, wrappers and nested texts are resolved before a rule is asked.
import type { GuardedFile } from '../clients/dialect-kit.ts';
import type { ToolCall, ToolKind } from '../model/payload.ts';
import type { Verdict } from '../model/verdict.ts';
import type { OperatorRules } from './operator.ts';
import type { PolicySettings, RuleInfo } from './pack.ts';
import type { SimpleCommand, Word } from './shell-types.ts';

export type { SimpleCommand, Word } from './shell-types.ts';

/** What a judgement depends on besides the payload. Nothing else: same payload and same facts give the same verdict. */
export interface PolicyFacts {
  readonly platform: string;
  readonly home: string | undefined;
  readonly workspace: string | undefined;
  /** Our own directories and files, absolute. */
  readonly ownPaths: readonly string[];
  /** Files of the clients that hold registrations, relative to home or project. */
  readonly guarded: readonly GuardedFile[];
  /** Levels and mode; absent: the defaults. */
  readonly settings?: PolicySettings;
  /** The operator's own rules; absent: none. */
  readonly operator?: OperatorRules;
  /** Only the verdict is wanted: rules that cannot say anything are not asked and not named in the trail. */
  readonly brief?: boolean;
}

/** Characters [start, end) of the command line as given, also for nested text; absent for path rules. */
export type Span = readonly [start: number, end: number];

export interface TrailStep {
  readonly rule: string;
  /** `none`: the rule was considered and did not match. `unresolved`: what runs cannot be known from the text. */
  readonly result: 'deny' | 'ask' | 'allow' | 'off' | 'none' | 'unresolved';
  readonly span?: Span;
  /** For operator rules: where the rule is written. For `allow`: the reason that was given. */
  readonly note?: string;
}

/** One command as `policy explain` shows it. */
export interface CommandView {
  readonly program: string;
  readonly args: readonly string[];
  /** Wrappers taken off, outermost first. */
  readonly chain: readonly string[];
  /** In which text it stands: `''` in the line itself, `sh -c`, `eval`, `here-document`, ... */
  readonly within: string;
  readonly unresolved: string;
  /** The directory in which it runs, as far as the text says; absent: unknown. */
  readonly cwd?: string | undefined;
  readonly span: Span;
}

export interface Evaluation {
  readonly verdict: Verdict;
  readonly trail: readonly TrailStep[];
  readonly commands?: readonly CommandView[];
  /** Where the winning rule matched. */
  readonly span?: Span;
  /** Units of work spent: parse nodes, words and rule checks. */
  readonly steps?: number;
}

/** Runs on another machine or in a container: local paths do not apply, except what is mounted. */
export interface Remote {
  readonly kind: 'ssh' | 'container';
  readonly mounts: readonly { readonly host: string; readonly inside: string }[];
}

/** A synthetic program: a function that starts itself more than once (`:(){ :|:& };:`), at the place where it is called. */
export const FORK_BOMB = 'fork-bomb';

/** A command with its wrappers (sudo, env, timeout, ...) taken off. */
export interface Effective {
  /**
   * Base name of the program, `.exe` removed; empty where the command is only assignments or redirections, or unknown.
   * PowerShell and cmd programs are in lower case, and PowerShell's own aliases are resolved (`rm` in PowerShell: `remove-item`).
   */
  readonly program: string;
  /** The program as written, with its directory, after expansion: `./x.sh`, `/usr/bin/git`. */
  readonly path: string;
  readonly args: readonly Word[];
  /** Assignments in front of it (`NAME=value` words), also those given to `env` and `sudo`. */
  readonly assigns: readonly Word[];
  readonly command: SimpleCommand;
  /** Exported variables in effect: assignments in front, and earlier exports of the same line. The word's text is the value alone. */
  readonly env: ReadonlyMap<string, Word>;
  /** Commands whose output is this command's standard input, first of the pipeline first. */
  readonly pipedFrom: readonly Effective[];
  /**
   * Commands whose output this command runs as code: piped into a shell or an interpreter that reads its program from
   * standard input, `bash -c "$(...)"`, `eval "$(...)"`, `source <(...)`, `bash <(...)`, `sh FILE` where the line wrote FILE.
   */
  readonly codeFrom: readonly Effective[];
  /** Text known to arrive on standard input: here-documents, here-strings, and what echo, printf or cat print into the pipe. */
  readonly inputs: readonly string[];
  /** The directory in which it runs, as far as the text says (cd, pushd, `git -C`, `env -C`, `sudo -D`); undefined is unknown. */
  readonly cwd: string | undefined;
  /** Programs taken off in front of it, outermost first: `['sudo', 'xargs']`. `xargs` and `find` mean: more operands at run time. */
  readonly chain: readonly string[];
  readonly remote: Remote | undefined;
  /** Which language the words were written in. */
  readonly shell: 'sh' | 'powershell' | 'cmd';
  /** Why it is not known what runs; empty where it is known. Then `program` is empty. */
  readonly unresolved: string;
}

export interface Place {
  readonly facts: PolicyFacts;
  /** The command's own directory; undefined is unknown. */
  readonly cwd: string | undefined;
  readonly remote?: Remote | undefined;
}

/** A rule matched. */
export interface Hit {
  /** The word that decided it; absent: the whole command. */
  readonly at?: Word | undefined;
  /** Instead of the rule's own reason. */
  readonly reason?: string;
  /** Only to weaken: a `deny` rule may say `ask` for a variant. The level of the settings still counts. */
  readonly decision?: 'deny' | 'ask';
}

export type Also = 'assigns' | 'redirects' | 'inputs';

export interface Rule extends RuleInfo {
  /** Base names of the programs it looks at. */
  readonly programs: readonly string[];
  /** It also looks at every command with assignments in front, with redirections, or with text on standard input. */
  readonly also?: Also | readonly Also[];
  readonly check: (effective: Effective, place: Place) => Hit | undefined;
}

/** A rule about calls of other tools: file tools and MCP. src/policy/rules/index.ts exports RULES and TOOL_RULES. */
export interface ToolRule extends RuleInfo {
  readonly kinds: readonly ToolKind[];
  readonly checkTool: (tool: ToolCall, place: Place) => Hit | undefined;
}
