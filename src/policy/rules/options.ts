// Contract: short questions about options that shell/options.ts has read. Lists of names are blank-separated strings. PURE.
import type { Option, OptionsRead } from '../shell/options.ts';
import type { Word } from '../types.ts';

export type Args = Pick<OptionsRead, 'options' | 'operands'>;

const lists = new Map<string, readonly string[]>();

/** A blank-separated list as an array; each list is split once. */
export function names(list: string): readonly string[] {
  if (list === '') return [];
  let found = lists.get(list);
  if (found === undefined) lists.set(list, found = list.split(' '));
  return found;
}

/** True where a blank-separated list has this name. */
export function listed(list: string, name: string): boolean {
  return name !== '' && !name.includes(' ') && ` ${list} `.includes(` ${name} `);
}

/** The last of these options, given with their dashes; undefined where none is there. */
export function option({ options }: Args, wanted: string): Option | undefined {
  for (let at = options.length - 1; at >= 0; at--) {
    const one = options[at];
    if (one !== undefined && listed(wanted, one.name)) return one;
  }
  return undefined;
}

export function has(args: Args, wanted: string): boolean {
  return option(args, wanted) !== undefined;
}

/** The last one of a switch and its negation decides; gives the word that switches it on. */
export function switched({ options }: Args, on: string, off: string): Word | undefined {
  let found: Word | undefined;
  for (const { name, word } of options) {
    if (listed(on, name)) found = word;
    else if (listed(off, name)) found = undefined;
  }
  return found;
}

/** `--help` prints and does nothing, wherever it stands; `-h` only counts alone, because it means "host" to many programs. */
export function isHelp(args: readonly Word[]): boolean {
  const last = args[args.length - 1]?.text;
  if (last === '--help' || last === '-help' || args[0]?.text === '--help' || args[0]?.text === 'help') return true;
  return last === '-h' && args.length <= 2;
}

/** True where the text, from `from` on, has these characters only, and at least one. */
export function onlyOf(text: string, chars: string, from = 0): boolean {
  for (let at = from; at < text.length; at++) if (!chars.includes(text[at] ?? '')) return false;
  return text.length > from;
}
