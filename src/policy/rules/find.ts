// Contract: a find command taken apart: where it starts, whether it removes, and whether a test narrows it down. PURE.
import type { Effective, Word } from '../types.ts';
import { listed } from './options.ts';

export interface FindCall {
  /** The starting directories; the current one where none is given. */
  readonly roots: readonly Word[];
  /** `-delete`, or `-exec` of a program that removes; undefined where nothing is removed. */
  readonly action: Word | undefined;
  /** A test on name, age, size or the like: not everything is meant. */
  readonly narrow: boolean;
  /** The values of `-name` and `-path`. */
  readonly names: readonly string[];
}

const TESTS = '-name -iname -path -ipath -wholename -regex -iregex -lname -newer -anewer -cnewer -mtime -atime -ctime -mmin -amin -cmin -size -empty -user -group -uid -gid -perm -inum -samefile -nouser -nogroup -newermt -xtype -executable';
const EXECS = '-exec -execdir -ok -okdir';
const REMOVERS = 'rm unlink shred rmdir srm trash';

/** Wrappers and paths in front of the removing program do not hide it. */
function removes(words: readonly Word[], from: number): boolean {
  for (let at = from; at < words.length && at < from + 6; at++) {
    const text = words[at]?.text ?? '';
    if (text === ';' || text === '+') return false;
    if (listed(REMOVERS, text.slice(text.lastIndexOf('/') + 1))) return true;
    if (!listed('sudo doas env nice command busybox', text) && text[0] !== '-') return false;
  }
  return false;
}

/** The index of the first starting directory: some options stand in front of them. */
function firstRoot(args: readonly Word[]): number {
  let at = 0;
  for (;;) {
    const text = args[at]?.text ?? '';
    if (text === '-D') at += 2;
    else if (listed('-H -L -P', text) || text.startsWith('-O')) at++;
    else return at;
  }
}

export function findCall({ args, command }: Effective): FindCall | undefined {
  let at = firstRoot(args);
  const from = at;
  while (at < args.length && !'-(!'.includes(args[at]?.text[0] ?? '-')) at++;
  const roots = args.slice(from, at);
  const here = command.words[0];
  if (roots.length === 0 && here !== undefined) roots.push({ ...here, text: '.' });
  let action: Word | undefined;
  let narrow = false;
  const named: string[] = [];
  for (; at < args.length; at++) {
    const word = args[at] as Word;
    if (word.text === '-delete' || (listed(EXECS, word.text) && removes(args, at + 1))) action ??= word;
    else if (listed(TESTS, word.text)) {
      const value = args[at + 1]?.text ?? '';
      narrow ||= !matchesAll(word.text, value);
      if (word.text === '-name' || word.text === '-path') named.push(value);
    }
  }
  return { roots, action, narrow, names: named };
}

/** `-name '*'` narrows nothing. */
function matchesAll(test: string, value: string): boolean {
  return (test === '-name' || test === '-iname' || test === '-path') && (value === '*' || value === '**' || value === './*');
}
