// Contract: stands for the package `unbash` in the policy bundle: loads the parser's own bundle at the first line with shell
// syntax. IO. `load` is given by dist/hook.cjs (scripts/hook-stub.cjs).
import type { Script } from 'unbash';

interface Parser { readonly parse: (text: string) => Script }

declare const load: (bundle: 'shell') => Parser;

let parser: Parser | undefined;

export function parse(text: string): Script {
  parser ??= load('shell');
  return parser.parse(text);
}
