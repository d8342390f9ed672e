// Contract: what can be wrong with a settings document that is valid: rules that never decide, patterns that match too much,
// ids that nothing has. Compiled rules in, findings out. PURE.
import type { OperatorRule } from '../policy/operator.ts';
import type { Level } from '../policy/pack.ts';

export type FindingCode = 'invalid' | 'loosening' | 'unknown-rule' | 'unreachable' | 'too-broad' | 'note';

export interface Finding {
  readonly code: FindingCode;
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

type Found = Pick<Finding, 'code' | 'severity' | 'message'> & { readonly line: number | null };

export const lineOf = (rule: OperatorRule): number | null => {
  const line = Number(rule.source.slice(rule.source.lastIndexOf(':') + 1));
  return Number.isInteger(line) && line > 0 ? line : null;
};

const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((word, i) => word === b[i]);
/** No predicate, or one that holds wherever the other's holds: one of several must fit. */
const wider = (a: readonly string[], b: readonly string[]): boolean => a.length === 0 || (b.length > 0 && b.every((word) => a.includes(word)));

/** Wherever `b` stops something, `a` does too. Only what is surely so: a pattern is compared as text. */
function covers(a: OperatorRule, b: OperatorRule): boolean {
  return wider(a.programs, b.programs) && same(a.subcommand, b.subcommand.slice(0, a.subcommand.length)) && wider(a.anyOption, b.anyOption) && wider(a.args, b.args)
    && wider(a.paths, b.paths) && (a.pattern === null || a.pattern === b.pattern);
}

function equal(a: OperatorRule, b: OperatorRule): boolean {
  return same(a.programs, b.programs) && same(a.subcommand, b.subcommand) && same(a.anyOption, b.anyOption) && same(a.args, b.args) && same(a.paths, b.paths) && a.pattern === b.pattern;
}

/** Deny is asked before ask, and within one decision the first rule decides. */
function shadows(a: OperatorRule, b: OperatorRule, before: boolean): boolean {
  if (b.decision === 'allow') return a.decision === 'allow' && before && equal(a, b) && (a.lifts === null || a.lifts === b.lifts);
  if (a.decision === 'allow') return false;
  if (a.decision === b.decision) return before && covers(a, b);
  return a.decision === 'deny' && covers(a, b);
}

/** Pairs are compared within a bound: a document of thousands of generated rules is not read by people anyway. */
export const COMPARED_RULES_MAX = 1500;

function unreachable(rules: readonly OperatorRule[]): Found[] {
  const compared = rules.slice(0, COMPARED_RULES_MAX);
  return compared.flatMap((rule, i) => {
    const by = compared.find((other, j) => i !== j && shadows(other, rule, j < i));
    if (by === undefined) return [];
    const line = lineOf(by);
    return [{ code: 'unreachable' as const, severity: 'warning' as const, line: lineOf(rule), message: `${rule.id} never decides: ${by.id}${line === null ? '' : ` (line ${line})`} matches everything that it matches` }];
  });
}

/** Everyday commands that no rule is meant for. */
const EVERYDAY = ['ls -la', 'git status', 'npm test', 'cat README.md', 'echo done', 'node index.js', 'python3 app.py', 'make build', 'grep -rn word src', 'cd src', 'mkdir -p out', 'curl -sS localhost'];
const BROAD_GLOBS: readonly string[] = ['*', '**', '/', '/*', '/**', '~', '~/*', '~/**'];

function tooBroad(rules: readonly OperatorRule[], matches: (pattern: string, text: string) => boolean): Found[] {
  return rules.flatMap((rule): Found[] => {
    const finding = (message: string): Found[] => [{ code: 'too-broad', severity: 'warning', line: lineOf(rule), message: `${rule.id} ${message}` }];
    if (rule.pattern !== null) {
      if (matches(rule.pattern, '')) return finding('has a pattern that matches the empty text, so it matches every command');
      const count = EVERYDAY.filter((text) => matches(rule.pattern ?? '', text)).length;
      if (count * 3 >= EVERYDAY.length) return finding(`has a pattern that matches ${count} of ${EVERYDAY.length} everyday commands`);
      return [];
    }
    const narrow = rule.programs.length > 0 || rule.subcommand.length > 0 || rule.anyOption.length > 0;
    const broad = [...rule.args, ...rule.paths].find((glob) => BROAD_GLOBS.includes(glob));
    if (!narrow && broad !== undefined) return finding(`names no program, and ${broad} holds for nearly every command`);
    if (rule.decision === 'allow' && rule.lifts === null && rule.programs.length === 0) return finding('names neither a rule nor a program: it lifts every rule for every program');
    return [];
  });
}

export interface KnownRules {
  /** Ids of built-in rules. */
  readonly ids: readonly string[];
  /** A program that is taken off in front of another one (sudo, env) is never the program of a command. */
  readonly isWrapper: (program: string) => boolean;
}

export function nearest(word: string, ids: readonly string[]): string | undefined {
  const last = word.split('.').at(-1) ?? word;
  const head = word.split('.')[0] ?? word;
  return ids.find((id) => id.endsWith(`.${last}`)) ?? ids.find((id) => id.startsWith(`${head}.`));
}

function unknownRule(id: string, known: KnownRules, line: number | null): Found {
  const near = nearest(id, known.ids);
  return { code: 'unknown-rule', severity: 'error', line, message: `there is no rule ${id}${near === undefined ? '' : `; is ${near} meant?`} (praetorctl policy list)` };
}

export interface Linted {
  readonly rules: readonly OperatorRule[];
  readonly levels: Readonly<Record<string, Level>>;
  /** Where a level of a rule stands. */
  readonly levelLine: (id: string) => number | null;
}

export function lintRules({ rules, levels, levelLine }: Linted, known: KnownRules, matches: (pattern: string, text: string) => boolean): Found[] {
  const own = new Set(rules.map((rule) => rule.id));
  const isKnown = (id: string): boolean => known.ids.includes(id) || own.has(id);
  return [
    ...Object.keys(levels).filter((id) => !isKnown(id)).map((id) => unknownRule(id, known, levelLine(id))),
    ...rules.flatMap((rule) => (rule.lifts === null || isKnown(rule.lifts) ? [] : [unknownRule(rule.lifts, known, lineOf(rule))])),
    ...unreachable(rules),
    ...rules.flatMap((rule): Found[] => {
      const wrapped = rule.programs.filter(known.isWrapper);
      if (rule.programs.length === 0 || wrapped.length < rule.programs.length) return [];
      return [{ code: 'unreachable', severity: 'warning', line: lineOf(rule), message: `${rule.id} never decides: ${wrapped.join(', ')} is taken off, and the command behind it is judged; name that program instead` }];
    }),
    ...tooBroad(rules, matches),
  ];
}
