// Contract: how rules are written: a head (what people read), the programs it looks at, and a check; and the pattern rules of
// programs with subcommands. Patterns are strings and are compiled at the first question, so that a rule costs nothing at
// start-up. PURE.
import type { PackId } from '../pack.ts';
import { readOptions, type OptionSpec } from '../shell/options.ts';
import type { Effective, Hit, Place, Rule, ToolRule, Word } from '../types.ts';
import { has, isHelp, listed, names, option, type Args } from './options.ts';

export type Check = (effective: Effective, place: Place) => Hit | undefined;

/** Marks of a head: a question instead of a refusal, off unless switched on, contested. */
export type Mark = 'ask' | 'off' | 'contested';

export interface Head { readonly id: string; readonly title: string; readonly reason: string; readonly marks: readonly Mark[] }

export function head(id: string, title: string, reason: string, ...marks: Mark[]): Head {
  return { id, title, reason, marks };
}

/** A rule whose check is a function. `programs` is blank-separated. */
export function rule(pack: PackId, { id, title, reason, marks }: Head, programs: string, check: Check, also?: Rule['also']): Rule {
  const level = marks.includes('off') ? 'off' : marks.includes('ask') ? 'ask' : 'deny';
  const base = { id, pack, level, title, reason, programs: names(programs), check } as const;
  return { ...base, ...(marks.includes('contested') ? { contested: true } : {}), ...(also === undefined ? {} : { also }) };
}

/**
 * One compiled pattern. `delete ns|namespace -A|--all !--dry-run`: the operands begin with these words (alternatives by `|`,
 * `*` is any text within a word, `**` any operands in between), these options are present, those behind `!` are not.
 */
interface Pattern { readonly words: readonly (readonly string[])[]; readonly options: readonly string[]; readonly absent: string }

const patterns = new Map<string, Pattern>();

function compile(source: string): Pattern {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const words: (readonly string[])[] = [];
  const options: string[] = [];
  const absent: string[] = [];
  for (const part of source.split(' ')) {
    if (part === '') continue;
    if (part[0] === '!') absent.push(...part.slice(1).split('|'));
    else if (part[0] === '-') options.push(part.split('|').join(' '));
    else words.push(part.split('|'));
  }
  const made = { words, options, absent: absent.join(' ') };
  patterns.set(source, made);
  return made;
}

/** `*` stands for any characters, at most twice in a pattern. */
export function wild(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === text;
  const before = pattern.slice(0, star);
  const after = pattern.slice(star + 1);
  if (!text.startsWith(before) || text.length < before.length + after.length - (after.includes('*') ? 1 : 0)) return false;
  if (!after.includes('*')) return text.endsWith(after);
  const second = after.indexOf('*');
  const at = text.indexOf(after.slice(0, second), before.length);
  return at !== -1 && text.endsWith(after.slice(second + 1));
}

/** Operands that `**` may skip. */
const SKIPPED_MAX = 6;

function matchWords(pattern: Pattern, operands: readonly Word[]): Word | undefined | false {
  let at = 0;
  let last: Word | undefined;
  for (let i = 0; i < pattern.words.length; i++) {
    const wanted = pattern.words[i] ?? [];
    const skip = wanted[0] === '**';
    const next = skip ? pattern.words[++i] ?? [] : wanted;
    let tries = skip ? SKIPPED_MAX : 0;
    while (!next.some((one) => wild(one, operands[at]?.text ?? '\0'))) {
      if (tries-- <= 0 || at >= operands.length) return false;
      at++;
    }
    last = operands[at++];
  }
  return last;
}

/** The word that a pattern matched, true where only its options did, false where it did not match. */
function matchPattern(source: string, args: Args): Word | boolean {
  const pattern = compile(source);
  const word = matchWords(pattern, args.operands);
  if (word === false) return false;
  if (pattern.absent !== '' && has(args, pattern.absent)) return false;
  let at: Word | undefined;
  for (const wanted of pattern.options) {
    const found = option(args, wanted);
    if (found === undefined || found.value === 'false') return false;
    at ??= found.word;
  }
  return at ?? word ?? true;
}

/** The first of the patterns that matches. */
export function anyPattern(sources: readonly string[], args: Args): Hit | undefined {
  for (const source of sources) {
    const found = matchPattern(source, args);
    if (found === false) continue;
    return found === true ? {} : { at: found };
  }
  return undefined;
}

/** A rule of patterns over the operands and options of programs with subcommands. */
export function patternRule(pack: PackId, about: Head, programs: string, spec: OptionSpec, sources: readonly string[]): Rule {
  return rule(pack, about, programs, ({ args }) => (isHelp(args) ? undefined : anyPattern(sources, readOptions(args, spec))));
}

/** Every call of the program matches, except asking it for help or its version. */
export function alwaysRule(pack: PackId, about: Head, programs: string, unless = ''): Rule {
  return rule(pack, about, programs, ({ args }) => {
    if (isHelp(args) || args.some(({ text }) => text === '--version' || text === '-V' || listed(unless, text))) return undefined;
    return {};
  });
}

/** A rule about calls of other tools. It may carry the id of a rule about commands: people read of it once. */
export function toolRule(pack: PackId, { id, title, reason, marks }: Head, kinds: ToolRule['kinds'], checkTool: ToolRule['checkTool']): ToolRule {
  const level = marks.includes('off') ? 'off' : marks.includes('ask') ? 'ask' : 'deny';
  return { id, pack, level, title, reason, kinds, checkTool, ...(marks.includes('contested') ? { contested: true } : {}) };
}

/** Patterns of their own for each program, for programs that do the same in different words. */
export function tableRule(pack: PackId, about: Head, spec: OptionSpec, table: Readonly<Record<string, readonly string[]>>): Rule {
  return rule(pack, about, Object.keys(table).join(' '), ({ program, args }) => {
    const sources = Object.prototype.hasOwnProperty.call(table, program) ? table[program] : undefined;
    return sources === undefined || isHelp(args) ? undefined : anyPattern(sources, readOptions(args, spec));
  });
}
