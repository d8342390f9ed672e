// Contract: which operator rules concern a command or the paths of a file tool. PURE, bounded, never throws for checked rules.
// Two directions: `deny` and `ask` match when a predicate holds for some word, so that added words cannot hide it; `allow`
// covers a command only when its predicates hold for all of it, so that added words never ride along.
// The evaluator calls operatorFindings once for each simple command, and liftedBy for each built-in rule that matched.
import type { OperatorRule, OperatorRules } from './operator.ts';
import { fold, normalise, resolvePath, UNKNOWN_ROOT } from './paths.ts';
import { HOME_MARK, PWD_MARK, type Word } from './shell-types.ts';
import type { Effective, Place } from './types.ts';

/** A pattern is not run over a longer text: `deny` and `ask` then count as a match, `allow` does not. */
export const PATTERN_TEXT_CHARS_MAX = 64 * 1024;

export interface OperatorFindings {
  /** The rule that decides: deny before ask, then the order of the document. Lifted rules are not named. */
  readonly match: { readonly rule: OperatorRule; readonly at: Word | undefined } | undefined;
  /** Allow entries that cover the whole command. */
  readonly allows: readonly OperatorRule[];
  /** Every rule that was asked, for `policy explain`, with the allow entry that lifted it. */
  readonly considered: readonly { readonly rule: OperatorRule; readonly matched: boolean; readonly lifted: OperatorRule | undefined }[];
}

const NOTHING: OperatorFindings = { match: undefined, allows: [], considered: [] };

/** The part of a command that operator rules look at. */
export type Called = Pick<Effective, 'program' | 'args' | 'assigns' | 'command'> & Partial<Pick<Effective, 'chain' | 'remote'>>;

/** The rules that match one simple command. */
export function operatorFindings(rules: OperatorRules, called: Called, place: Place): OperatorFindings {
  const rows = rowsFor(rules, called.program, place.facts.platform);
  if (rows.length === 0) return NOTHING;
  return findings(rows, (rule) => (rule.decision === 'allow' ? covers(rule, called, place, rules) && { at: undefined } : touches(rule, called, place, rules)));
}

/** Where case does not count for files, `Git` starts git. */
function rowsFor(rules: OperatorRules, program: string, platform: string): readonly OperatorRule[] {
  const rows = rules.rulesFor(program);
  const lower = platform === 'darwin' || platform === 'win32' ? program.toLowerCase() : program;
  return lower === program ? rows : [...new Set([...rows, ...rules.rulesFor(lower)])];
}

/** The rules that match the paths of a file tool: those that have paths and no predicate on a command. */
export function operatorFileFindings(rules: OperatorRules, paths: readonly string[], place: Place): OperatorFindings {
  const rows = rules.rulesFor('').filter((rule) => rule.paths.length > 0 && !saysCommand(rule));
  if (rows.length === 0) return NOTHING;
  const home = place.facts.home;
  const full = paths.map((path) => resolvePath(home !== undefined && (path === '~' || path.startsWith('~/')) ? home + path.slice(1) : path, place));
  return findings(rows, (rule) => {
    const globs = rule.paths.map((glob) => segmentsOf(glob, place));
    const hit = rule.decision === 'allow' ? full.length > 0 && full.every((path) => below(path, globs)) : full.some((path) => below(path, globs));
    return hit && { at: undefined };
  });
}

/** The allow entry that lifts a built-in rule, if any. The guard's own protection is lifted by name only. */
export function liftedBy(allows: readonly OperatorRule[], rule: { readonly id: string; readonly pack: string }): OperatorRule | undefined {
  return allows.find((allow) => (allow.lifts === null ? rule.pack !== 'self-protection' : allow.lifts === rule.id));
}

/** What `at` of a match names: undefined means the whole command. */
function findings(rows: readonly OperatorRule[], ask: (rule: OperatorRule) => false | { at: Word | undefined }): OperatorFindings {
  const hits = rows.map((rule) => ({ rule, hit: ask(rule) }));
  const allows = hits.filter(({ rule, hit }) => rule.decision === 'allow' && hit !== false).map(({ rule }) => rule);
  // The person's allow entry is an exception to the person's rules; the workspace's rules stand.
  const lifter = (rule: OperatorRule): OperatorRule | undefined => (rule.layer === 'operator' ? allows.find((allow) => allow.lifts === null || allow.lifts === rule.id) : undefined);
  const considered = hits.map(({ rule, hit }) => ({ rule, matched: hit !== false, lifted: rule.decision === 'allow' || hit === false ? undefined : lifter(rule) }));
  let match: OperatorFindings['match'];
  for (const { rule, hit } of hits) {
    if (hit === false || rule.decision === 'allow' || (match !== undefined && (match.rule.decision === 'deny' || rule.decision === 'ask'))) continue;
    if (lifter(rule) === undefined) match = { rule, at: hit.at };
  }
  return { match, allows, considered };
}

function saysCommand(rule: OperatorRule): boolean {
  return rule.programs.length > 0 || rule.subcommand.length > 0 || rule.anyOption.length > 0 || rule.args.length > 0 || rule.pattern !== null;
}

// ---- deny and ask: some word is enough ----

function touches(rule: OperatorRule, called: Called, place: Place, rules: OperatorRules): false | { at: Word | undefined } {
  let at: Word | undefined;
  const { args } = called;
  if (rule.subcommand.length > 0) {
    const last = subcommandEnd(rule.subcommand, args);
    if (last === -1) return false;
    at = args[last];
  }
  if (rule.anyOption.length > 0) {
    const word = optionWords(args).find(({ text }) => rule.anyOption.some((option) => isOption(text, option)));
    if (word === undefined) return false;
    at = word;
  }
  if (rule.args.length > 0) {
    const word = args.find(({ text }) => rule.args.some((glob) => matchesGlob(shown(text), glob)));
    if (word === undefined) return false;
    at = word;
  }
  if (rule.paths.length > 0) {
    const globs = rule.paths.map((glob) => segmentsOf(glob, place));
    const found = candidates(called).find(({ text }) => below(resolvePath(text, place), globs));
    if (found === undefined) return false;
    at = found.word;
  }
  if (rule.pattern !== null) {
    const text = lineOf(called);
    if (text.length <= PATTERN_TEXT_CHARS_MAX && !rules.matches(rule.pattern, text)) return false;
  }
  return { at };
}

/**
 * The index of the last word of the subcommand, -1 where it is not called. A word behind an option may be that option's
 * value, so it is allowed to stand in between: `git -C path push` calls `push`.
 */
function subcommandEnd(subcommand: readonly string[], args: readonly Word[]): number {
  let next = 0;
  let afterOption = false;
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text.length > 1 && text[0] === '-') {
      afterOption = !text.includes('=');
      continue;
    }
    if (text === subcommand[next]) {
      if (++next === subcommand.length) return at;
    } else if (!afterOption) return -1;
    afterOption = false;
  }
  return -1;
}

/** Words in front of `--`. */
function optionWords(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex(({ text }) => text === '--');
  return end === -1 ? args : args.slice(0, end);
}

/**
 * `--force` is said by `--force`, `--force=x` and the abbreviations of its last word (`--forc`; not `--dry` for `--dry-run`,
 * which could be an option of its own). `-f` is also said inside a cluster.
 */
function isOption(text: string, option: string): boolean {
  if (text[0] !== option[0]) return false;
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  if (name === option) return true;
  if (option.startsWith('--')) return name.length > 3 && option.startsWith(name) && option[name.length] !== '-' && option.lastIndexOf('-') < name.length - 1;
  return option.length === 2 && option[0] === '-' && text.length > 2 && text[1] !== '-' && name.includes(option[1] ?? '-');
}

// ---- allow: all of it, or nothing ----

function covers(rule: OperatorRule, called: Called, place: Place, rules: OperatorRules): boolean {
  const { args, command } = called;
  const writes = command.redirects.filter(({ write }) => write);
  // What runs elsewhere or gets more words at run time is not the command that was allowed.
  if (called.remote !== undefined || (called.chain ?? []).some((wrapper) => wrapper === 'xargs' || wrapper === 'find' || wrapper === 'parallel')) return false;
  if (writes.length > 0 && rule.paths.length === 0) return false;
  if (rule.lifts === null && called.assigns.length > 0) return false;
  // The words of the subcommand stand right behind the program: an option in between could take one of them as its value.
  if (rule.subcommand.some((word, i) => args[i]?.text !== word || args[i]?.dynamic === true)) return false;
  const rest = args.slice(rule.subcommand.length);
  const exact = rule.anyOption.length > 0 || rule.args.length > 0 || rule.paths.length > 0 || rule.pattern !== null;
  if (exact && rest.some(({ dynamic }) => dynamic)) return false;
  const plain = operands(rest);
  if (rule.anyOption.length > 0) {
    const given = optionWords(rest).filter(({ text }) => text.length > 1 && text[0] === '-');
    if (given.length === 0 || !given.every(({ text }) => rule.anyOption.includes(text.split('=', 1)[0] ?? ''))) return false;
  }
  if (rule.args.length > 0 && (plain.length === 0 || !plain.every(({ text }) => rule.args.some((glob) => matchesGlob(shown(text), glob))))) return false;
  if (rule.paths.length > 0) {
    const globs = rule.paths.map((glob) => segmentsOf(glob, place));
    const all = candidates({ ...called, args: rest });
    if (all.length === 0 || !all.every(({ text }) => below(resolvePath(text, place), globs))) return false;
  }
  if (rule.pattern === null) return true;
  const text = lineOf(called);
  return text.length <= PATTERN_TEXT_CHARS_MAX && rules.matches(`^(?:${rule.pattern})$`, text);
}

function operands(args: readonly Word[]): Word[] {
  const end = args.findIndex(({ text }) => text === '--');
  return args.filter(({ text }, i) => i !== end && ((end !== -1 && i > end) || text.length < 2 || text[0] !== '-'));
}

// ---- words, globs, paths ----

/** As people write it: `~` for the home directory, `.` for the working directory. */
function shown(text: string): string {
  return text.includes(HOME_MARK) || text.includes(PWD_MARK) ? text.split(HOME_MARK).join('~').split(PWD_MARK).join('.') : text;
}

function lineOf(called: Called): string {
  return [called.program, ...called.args.map(({ text }) => shown(text))].join(' ');
}

/** Everything that may be a path: operands, values of `--option=value`, redirection targets. */
function candidates(called: Called): { word: Word; text: string }[] {
  const found: { word: Word; text: string }[] = [];
  const end = called.args.findIndex(({ text }) => text === '--');
  called.args.forEach((word, i) => {
    const isOptionWord = word.text.length > 1 && word.text[0] === '-' && (end === -1 || i < end);
    const equals = word.text.indexOf('=');
    if (!isOptionWord) found.push({ word, text: word.text });
    if (equals > 0 && equals < word.text.length - 1) found.push({ word, text: word.text.slice(equals + 1) });
  });
  for (const { target } of called.command.redirects) {
    if (target.text !== '-' && !/^\d+$/.test(target.text)) found.push({ word: target, text: target.text });
  }
  return found;
}

/** `*` is any text, `?` one character. Two pointers and one place to return to: no backtracking beyond it. */
export function matchesGlob(text: string, glob: string): boolean {
  let t = 0;
  let g = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    if (glob[g] === '*') {
      star = g++;
      mark = t;
    } else if (g < glob.length && (glob[g] === '?' || glob[g] === text[t])) {
      t++;
      g++;
    } else if (star !== -1) {
      g = star + 1;
      t = ++mark;
    } else return false;
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}

/** A path glob as absolute segments. `~` is the home directory; a relative one starts in the workspace. */
function segmentsOf(glob: string, { facts }: Place): string[] | undefined {
  let path = fold(glob, facts.platform);
  if (path === '~' || path.startsWith('~/')) {
    if (facts.home === undefined) return undefined;
    path = fold(facts.home, facts.platform) + path.slice(1);
  } else if (!path.startsWith('/') && path[1] !== ':') {
    if (path.startsWith('**')) return normalise(path).split('/');
    if (facts.workspace === undefined) return undefined;
    path = `${fold(facts.workspace, facts.platform)}/${path}`;
  }
  return normalise(path).split('/').filter((part) => part !== '');
}

/** True where a path, or a directory above it, matches one of the globs. A path with an unknown root matches none. */
function below(path: string, globs: readonly (string[] | undefined)[]): boolean {
  if (path === UNKNOWN_ROOT || path.startsWith(`${UNKNOWN_ROOT}/`)) return false;
  const parts = path.split('/').filter((part) => part !== '');
  return globs.some((glob) => glob !== undefined && belowGlob(parts, glob));
}

/** Positions in the glob that can be reached after each part; the end of the glob once reached is a match. */
function belowGlob(parts: readonly string[], glob: readonly string[]): boolean {
  let at = closure(new Set([0]), glob);
  if (at.has(glob.length)) return true;
  for (const part of parts) {
    const next = new Set<number>();
    for (const i of at) {
      const segment = glob[i] ?? '';
      if (segment === '**') next.add(i);
      else if (matchesGlob(part, segment)) next.add(i + 1);
    }
    at = closure(next, glob);
    if (at.has(glob.length)) return true;
    if (at.size === 0) return false;
  }
  return false;
}

function closure(at: Set<number>, glob: readonly string[]): Set<number> {
  for (const i of at) if (glob[i] === '**') at.add(i + 1);
  return at;
}
