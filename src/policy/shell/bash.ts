// Contract: the syntax tree of a shell text. PURE. The parser is a package; in the hook it is a bundle of its own, which the
// build puts in the place of `unbash` (scripts/build.mjs), so that lines without shell syntax never load it.
import type { Script } from 'unbash';
import { parse } from 'unbash';

export type Parsed = Script & { readonly errors?: readonly unknown[] | undefined };

export function parseBash(text: string): Parsed {
  return parse(text);
}
