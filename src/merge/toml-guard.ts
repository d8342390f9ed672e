// Contract: cheap refusals before (and after) the TOML parsers run. PURE. A text that passes cannot exhaust their stacks:
// toml-eslint-parser spreads every token into one argument list, and both parsers follow brackets.
import type { MergeFault } from '../model/edit.ts';
import { faultAt } from './text.ts';
import { NESTING_DEPTH_MAX } from './value-edit.ts';

/** The syntax tree takes up to 1 KB of memory per character, and an edit holds up to three: more could exhaust the heap. */
export const TOML_TEXT_CHARS_MAX = 512 * 1024;

/** Longest single string, number or bare word: the ranges parser fails with a RangeError near 120 000. */
export const TOML_TOKEN_CHARS_MAX = 64 * 1024;

/** The offset behind the string that opens here; an unterminated one ends with its line or the text (the parsers will say so). */
function stringEnd(text: string, open: number): number {
  const quote = text[open] as string;
  const triple = quote.repeat(3);
  const escapes = quote === '"';
  if (text.startsWith(triple, open)) {
    for (let at = open + 3; at < text.length; at += 1) {
      if (escapes && text[at] === '\\') at += 1;
      else if (text.startsWith(triple, at)) {
        at += 3;
        // Up to two quotes may stand directly before the closing three.
        for (let extra = 0; extra < 2 && text[at] === quote; extra += 1) at += 1;
        return at;
      }
    }
    return text.length;
  }
  for (let at = open + 1; at < text.length && text[at] !== '\n'; at += 1) {
    if (escapes && text[at] === '\\') at += 1;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

const WORD = /[^\s"'#[\]{},=]+/y;

function wordEnd(text: string, start: number): number {
  WORD.lastIndex = start;
  return WORD.test(text) ? WORD.lastIndex : start + 1;
}

/** One pass over strings, comments and brackets. */
export function boundsFault(text: string): MergeFault | undefined {
  if (text.length > TOML_TEXT_CHARS_MAX) {
    return faultAt(text, 'too-large', `the file is larger than ${TOML_TEXT_CHARS_MAX} characters`, TOML_TEXT_CHARS_MAX);
  }
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    const start = at;
    if (char === '#') {
      const eol = text.indexOf('\n', at);
      at = eol < 0 ? text.length : eol;
      continue;
    }
    if (char === '"' || char === "'") at = stringEnd(text, at);
    else at = wordEnd(text, at);
    if (char === '[' || char === '{') depth += 1;
    if (char === ']' || char === '}') depth = Math.max(0, depth - 1);
    if (depth > NESTING_DEPTH_MAX) return tooDeep(text, start);
    if (at - start > TOML_TOKEN_CHARS_MAX) {
      return faultAt(text, 'too-large', `a single value is longer than ${TOML_TOKEN_CHARS_MAX} characters`, start);
    }
  }
  return undefined;
}

export function tooDeep(text: string, offset: number): MergeFault {
  return faultAt(text, 'too-deep', `values are nested more than ${NESTING_DEPTH_MAX} levels deep`, offset);
}

const MARKER = /^(?:<{7}|>{7})(?: |\r?$)/m;

/** Only asked after the parsers refused: inside a multi-line string such lines are legitimate text. */
export function conflictMarkerFault(text: string): MergeFault | undefined {
  const found = MARKER.exec(text);
  if (found === null) return undefined;
  return faultAt(text, 'merge-conflict-markers', 'the file holds merge conflict markers', found.index);
}
