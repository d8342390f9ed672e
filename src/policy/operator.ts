// Contract: an operator's own rules as the evaluator sees them, whatever file they came from. PURE.
// settings/ compiles them into an index by program; the hook reads only the rows of the program that is called.
// Matching is in operator-match.ts.

/** Whose document a rule stands in: the person's own, or the workspace's, which can only tighten. */
export type OperatorLayer = 'operator' | 'workspace';

/** A rule as compiled: every given predicate must hold. Strings are matched exactly unless the key says otherwise. */
export interface OperatorRule {
  /** As verdicts and receipts name it: `operator.<id>` or `workspace.<id>`. */
  readonly id: string;
  readonly decision: 'deny' | 'ask' | 'allow';
  readonly reason: string;
  /** Base names of programs; `*` in the index where a rule has none. */
  readonly programs: readonly string[];
  /** Words that must follow the program in this order, options skipped: ['remote', 'add']. */
  readonly subcommand: readonly string[];
  /** At least one of these options is present (`-f` in a cluster counts, for `allow` it does not). */
  readonly anyOption: readonly string[];
  /** At least one argument matches one of these globs (`*`, `?`). */
  readonly args: readonly string[];
  /** At least one argument or redirection target is a path below or equal to one of these (`~`, absolute, or relative to the workspace; `**` allowed). */
  readonly paths: readonly string[];
  /** Linear-time regular expression over the simple command's resolved words joined by one blank. */
  readonly pattern: string | null;
  /** `allow` only: the one rule that it lifts; null lifts every rule but those of the pack self-protection. */
  readonly lifts: string | null;
  readonly layer: OperatorLayer;
  /** Where it was written, for explain: file:line. */
  readonly source: string;
}

/** Rows for one program; the reader answers from an index or from the parsed source. */
export interface OperatorRules {
  /** The rows of a program and those without a program, in the order of the document. `''`: only those without one. */
  readonly rulesFor: (program: string) => readonly OperatorRule[];
  /** Runs a pattern; the text is bounded by the caller, the time by whoever gives this function. */
  readonly matches: (pattern: string, text: string) => boolean;
  /** sha256 prefix of the compiled form, for receipts. */
  readonly digest: string;
}

/** Plain matching, for callers whose patterns were compiled with the linear engine in the same process. */
export function plainMatches(pattern: string, text: string): boolean {
  return new RegExp(pattern).test(text);
}

export const NO_OPERATOR_RULES: OperatorRules = { rulesFor: () => [], matches: plainMatches, digest: '' };
