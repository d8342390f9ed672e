// Contract: an operator's own rules as the evaluator sees them, whatever file they came from. PURE.
// settings/ compiles them into an index by program; the hook reads only the rows of the program that is called.

/** A rule as compiled: every given predicate must hold. Strings are matched exactly unless the key says otherwise. */
export interface OperatorRule {
  readonly id: string;
  readonly decision: 'deny' | 'ask' | 'allow';
  readonly reason: string;
  /** Base names of programs; `*` in the index where a rule has none. */
  readonly programs: readonly string[];
  /** Words that must follow the program in this order, options skipped: ['remote', 'add']. */
  readonly subcommand: readonly string[];
  /** At least one of these options is present (resolved: `-f` in a cluster counts). */
  readonly anyOption: readonly string[];
  /** At least one argument matches one of these globs (`*`, `?`). */
  readonly args: readonly string[];
  /** At least one argument or redirection target is a path below or equal to one of these (`~`, absolute, or relative to the workspace; `**` allowed). */
  readonly paths: readonly string[];
  /** Linear-time regular expression over the simple command's resolved words joined by one blank. */
  readonly pattern: string | null;
  /** Where it was written, for explain: file:line. */
  readonly source: string;
}

/** Rows for one program; the reader answers from an index or from the parsed source. */
export interface OperatorRules {
  readonly rulesFor: (program: string) => readonly OperatorRule[];
  /** sha256 prefix of the compiled form, for receipts. */
  readonly digest: string;
}

export const NO_OPERATOR_RULES: OperatorRules = { rulesFor: () => [], digest: '' };
