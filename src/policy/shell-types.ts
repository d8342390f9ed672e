// Contract: what the shell parser says about a command line, and its bounds. PURE.

/** Nested constructs; deeper text is not judged (`overflow`). */
export const NESTING_MAX = 32;

/** Stand for $HOME and $PWD (also `~`) inside a word's text. Private-use characters. */
export const HOME_MARK = '\uE000';
export const PWD_MARK = '\uE001';

export interface Word {
  /** The text after quote removal. Unresolved expansions stay as written (`$X`); command substitutions read `$()`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly dynamic: boolean;
  readonly glob: boolean;
  readonly quoted: boolean;
}

export interface Redirect { readonly write: boolean; readonly append?: boolean; readonly target: Word }

export interface SimpleCommand {
  readonly assigns: Word[];
  readonly words: Word[];
  readonly redirects: Redirect[];
  /** Bodies of here-documents and here-strings: the command's standard input. */
  readonly input: string[];
  start: number;
  end: number;
}

export interface Parsed {
  readonly commands: readonly SimpleCommand[];
  /** A bound was reached: the list is not complete. */
  readonly overflow: boolean;
  /** A quote or a parenthesis is not closed. */
  readonly broken: boolean;
}
