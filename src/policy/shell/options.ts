// Contract: options and operands of a program as the program itself would read them: clusters of short letters with values,
// `--name=value`, `--name value`, unique prefixes of long names, `--` as the end. PURE, linear. Values are data: they are never
// options and never operands.
import type { Word } from '../shell-types.ts';

export interface OptionSpec {
  /** Letters that take a value, attached (`-mtext`) or as the next word. */
  readonly valued?: string;
  /** Letters whose value is only ever attached (`-Skey`). */
  readonly attached?: string;
  /** Long names, separated by blanks: `name` takes none, `name=` takes a value, `name?` takes one only after `=`. */
  readonly longs?: string;
  /** git: every `name` also exists as `no-name`, and `no-name` as `name`. */
  readonly negatable?: boolean;
  /** Long names must be written out. */
  readonly exact?: boolean;
  /** Options end at the first operand, as with programs that run another program. */
  readonly leading?: boolean;
  /** One dash begins a long name as well (`terraform -auto-approve`): there are no clusters. */
  readonly oneDash?: boolean;
}

export interface Option {
  /** `-n`, or the long name written out: `--no-verify`. */
  readonly name: string;
  readonly value?: string;
  readonly word: Word;
  /** The word that holds the value, where it is another one. */
  readonly valueWord?: Word;
}

export interface OptionsRead {
  readonly options: readonly Option[];
  readonly operands: readonly Word[];
  /** An abbreviation fits more than one option: the program refuses and does nothing. */
  readonly fails: boolean;
  /** Index in `args` of the first word that is not an option (behind `--`): where a program's own command begins. */
  readonly rest: number;
}

type Long = { readonly name: string; readonly takes: '' | '=' | '?' };

const tables = new WeakMap<OptionSpec, readonly Long[]>();

function longsOf(spec: OptionSpec): readonly Long[] {
  const known = tables.get(spec);
  if (known !== undefined) return known;
  const table: Long[] = [];
  for (const entry of (spec.longs ?? '').split(' ')) {
    if (entry === '') continue;
    const last = entry[entry.length - 1];
    const takes = last === '=' || last === '?' ? last : '';
    const name = takes === '' ? entry : entry.slice(0, -1);
    table.push({ name, takes });
    if (spec.negatable === true) table.push({ name: name.startsWith('no-') ? name.slice(3) : `no-${name}`, takes: '' });
  }
  tables.set(spec, table);
  return table;
}

/** The option that `name` stands for; `ambiguous` where more than one does; undefined where none is known. */
function resolveLong(name: string, spec: OptionSpec): Long | 'ambiguous' | undefined {
  let found: Long | undefined;
  let more = false;
  for (const long of longsOf(spec)) {
    if (long.name === name) return long;
    if (spec.exact === true || !long.name.startsWith(name)) continue;
    if (found !== undefined && found.name !== long.name) more = true;
    found = long;
  }
  return more ? 'ambiguous' : found;
}

export function readOptions(args: readonly Word[], spec: OptionSpec): OptionsRead {
  const options: Option[] = [];
  const operands: Word[] = [];
  let fails = false;
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    const text = word.text;
    if (text === '--') { at++; break; }
    if (text.length < 2 || text[0] !== '-') {
      if (spec.leading === true) break;
      operands.push(word);
    } else if (text[1] === '-' || spec.oneDash === true) {
      const equals = text.indexOf('=');
      const dashes = text[1] === '-' ? 2 : 1;
      const given = text.slice(dashes, equals === -1 ? text.length : equals);
      const long = resolveLong(given, spec);
      if (long === 'ambiguous') fails = true;
      const name = `--${long === undefined || long === 'ambiguous' ? given : long.name}`;
      if (equals !== -1) options.push({ name, value: text.slice(equals + 1), word });
      else if (long !== undefined && long !== 'ambiguous' && long.takes === '=') {
        const next = args[++at];
        options.push(next === undefined ? { name, word } : { name, value: next.text, word, valueWord: next });
      } else options.push({ name, word });
    } else at = cluster(args, at, spec, options);
  }
  const rest = at;
  if (spec.leading !== true) for (; at < args.length; at++) operands.push(args[at] as Word);
  return { options, operands, fails, rest };
}

/** `-anm text`: letters up to the first that takes a value. Returns the index of the last word used. */
function cluster(args: readonly Word[], at: number, spec: OptionSpec, options: Option[]): number {
  const word = args[at] as Word;
  const text = word.text;
  for (let i = 1; i < text.length; i++) {
    const letter = text[i] ?? '';
    const name = `-${letter}`;
    const tail = text.slice(i + 1);
    if (spec.valued?.includes(letter) === true) {
      if (tail !== '') options.push({ name, value: tail, word });
      else {
        const next = args[at + 1];
        options.push(next === undefined ? { name, word } : { name, value: next.text, word, valueWord: next });
        return at + 1;
      }
      return at;
    }
    if (spec.attached?.includes(letter) === true) {
      options.push(tail === '' ? { name, word } : { name, value: tail, word });
      return at;
    }
    options.push({ name, word });
  }
  return at;
}

/** The last option of these names, as programs that let the later one win. */
export function lastOption(read: OptionsRead, ...names: readonly string[]): Option | undefined {
  for (let at = read.options.length - 1; at >= 0; at--) {
    const option = read.options[at];
    if (option !== undefined && names.includes(option.name)) return option;
  }
  return undefined;
}

export function hasOption(read: OptionsRead, ...names: readonly string[]): boolean {
  return lastOption(read, ...names) !== undefined;
}
