// Contract: a command line without any shell syntax -> its one command, without starting the parser. PURE.
// Undefined where a character could mean something to a shell, or where the first word could be a keyword or an assignment.
import type { Parsed, Word } from './shell-types.ts';

/** Keywords that can be followed by a whole command on the same line. */
export const KEYWORDS = ['if', 'then', 'else', 'elif', 'do', 'while', 'until', 'coproc', 'case', 'for', 'select', 'function'];

export function plainCommand(source: string): Parsed | undefined {
  const words: Word[] = [];
  let start = -1;
  for (let i = 0; i <= source.length; i++) {
    const c = source.charCodeAt(i);
    if (i === source.length || c === 32) {
      if (start !== -1) words.push({ text: source.slice(start, i), start, end: i, dynamic: false, glob: false, quoted: false });
      start = -1;
      continue;
    }
    // % + , - . / 0-9 : @ A-Z _ a-z, and = behind the first word
    const plain = (c >= 97 && c <= 122) || (c >= 43 && c <= 58) || (c >= 64 && c <= 90) || c === 95 || c === 37 || (c === 61 && words.length > 0);
    if (!plain) return undefined;
    if (start === -1) start = i;
  }
  const first = words[0];
  if (first === undefined || KEYWORDS.includes(first.text)) return undefined;
  return { commands: [{ assigns: [], words, redirects: [], input: [], start: first.start, end: source.length }], overflow: false, broken: false };
}
