// Contract: what a simple command prints, where the text of the line says it; undefined where it does not. PURE.
// Only programs whose output is a plain function of their words and their input: a wrong guess would hide a command.
import { HOME_MARK, PWD_MARK } from '../shell-types.ts';
import type { Word } from '../types.ts';
import { base32, base64, escapes, hex, printf, translate } from './decode.ts';
import { hasOption, lastOption, readOptions, type OptionSpec } from './options.ts';
import { TEXT_CHARS_MAX } from './state.ts';

export interface Printing {
  readonly program: string;
  readonly args: readonly Word[];
  /** Text on standard input. */
  readonly input: string | undefined;
  readonly cwd: string | undefined;
  /** Whose home directory it is. */
  readonly user: string | undefined;
  /** A file that the line itself wrote. */
  readonly file: (path: string) => string | undefined;
}

const SILENT = new Set([':', 'true', 'false', 'cd', 'export', 'unset', 'set', 'shift', 'alias', 'trap', 'umask', 'shopt', 'read', 'test', '[', 'mkdir', 'chmod', 'touch', 'sleep', 'exit', 'return', 'local', 'declare', 'readonly', 'wait']);

/** Programs that turn a text into another one: an unknown text behind them has been hidden from the reader on purpose. */
export const DECODERS: ReadonlySet<string> = new Set(['base64', 'base32', 'basenc', 'xxd', 'openssl', 'rev', 'tr', 'uudecode', 'gunzip', 'zcat', 'bunzip2', 'xz', 'gpg', 'hexdump', 'od', 'printf', 'python', 'python3', 'perl', 'ruby', 'awk']);

export function printed(call: Printing): string | undefined {
  const text = compute(call);
  return text === undefined || text.length > TEXT_CHARS_MAX ? undefined : text;
}

function literal(words: readonly Word[]): string[] | undefined {
  return words.some(({ dynamic }) => dynamic) ? undefined : words.map(({ text }) => text);
}

const BASE64: OptionSpec = { valued: 'wio', longs: 'decode wrap= ignore-garbage input= output=' };
const XXD: OptionSpec = { valued: 'cglnosR' };
const OPENSSL: OptionSpec = { oneDash: true, longs: 'in= out= pass= k= kfile= K= iv= md= iter=' };

type Printer = (call: Printing) => string | undefined;

const decode = (spec: OptionSpec, wanted: readonly string[], by: (text: string) => string | undefined): Printer => (call) => decoded(call, spec, wanted, by);
const search: Printer = ({ program, args }) => located(program, args);
const namePrinter: Printer = ({ program, args }) => namePart(program, args);

const PRINTERS: Readonly<Record<string, Printer>> = {
  echo: ({ args }) => echo(args),
  printf: ({ args }) => {
    const texts = literal(args[0]?.text === '--' ? args.slice(1) : args);
    return texts === undefined || texts[0] === '-v' ? undefined : printf(texts[0] ?? '', texts.slice(1));
  },
  cat, tac: cat,
  tee: ({ input }) => input,
  base64: decode(BASE64, ['-d', '-D', '--decode'], base64),
  base32: decode(BASE64, ['-d', '-D', '--decode'], base32),
  xxd: decode(XXD, ['-r'], hex),
  openssl: ({ args, input }) => {
    const rest = readOptions(args.slice(1), OPENSSL);
    const plain = args[0]?.text === 'base64' || (args[0]?.text === 'enc' && hasOption(rest, '--base64', '--a'));
    return plain && hasOption(rest, '--d') && input !== undefined ? base64(input) : undefined;
  },
  rev: ({ args, input }) => (args.length === 0 ? input?.split('\n').map((line) => [...line].reverse().join('')).join('\n') : undefined),
  tr: ({ args, input }) => tr(args, input),
  which: search, type: search, command: search,
  pwd: ({ cwd }) => cwd ?? PWD_MARK,
  whoami: ({ user }) => user, logname: ({ user }) => user,
  id: ({ args, user }) => (args.length === 1 && args[0]?.text === '-un' ? user : undefined),
  mktemp: ({ args }) => temporary(args),
  dirname: namePrinter, basename: namePrinter,
  realpath: ({ args }) => locatedPath(args), readlink: ({ args }) => locatedPath(args),
};

function compute(call: Printing): string | undefined {
  if (SILENT.has(call.program)) return '';
  return Object.prototype.hasOwnProperty.call(PRINTERS, call.program) ? PRINTERS[call.program]?.(call) : undefined;
}

function echo(args: readonly Word[]): string | undefined {
  let at = 0;
  let newline = true;
  let special = false;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (!/^-[neE]+$/.test(text)) break;
    if (text.includes('n')) newline = false;
    if (text.includes('e')) special = true;
  }
  const texts = args.slice(at).map((word) => word.text);
  const line = texts.join(' ');
  // Unknown parts stay as written: the text around them is still known, and `$X` reads the same in a nested shell.
  return (special ? escapes(line) : line) + (newline ? '\n' : '');
}

function cat({ args, input, file }: Printing): string | undefined {
  const { operands } = readOptions(args, {});
  if (operands.length === 0) return input;
  let out = '';
  for (const word of operands) {
    const text = word.text === '-' ? input : (word as { content?: string }).content ?? (word.dynamic ? undefined : file(word.text));
    if (text === undefined) return undefined;
    out += text;
  }
  return out;
}

function decoded({ args, input, file }: Printing, spec: OptionSpec, wanted: readonly string[], by: (text: string) => string | undefined): string | undefined {
  const read = readOptions(args, spec);
  if (!hasOption(read, ...wanted)) return undefined;
  const operand = lastOption(read, '-i', '--input')?.valueWord ?? read.operands[0];
  const content = operand === undefined || operand.text === '-' ? input : (operand as { content?: string }).content ?? file(operand.text);
  return content === undefined ? undefined : by(content);
}

function tr(args: readonly Word[], input: string | undefined): string | undefined {
  const texts = literal(args);
  if (texts === undefined || input === undefined) return undefined;
  if (texts[0] === '-d' && texts.length === 2) {
    const without = texts[1] ?? '';
    return without.includes('[:') || without.includes('-') ? undefined : [...input].filter((c) => !escapes(without).includes(c)).join('');
  }
  return texts.length === 2 && texts[0]?.[0] !== '-' ? translate(input, texts[0] ?? '', texts[1] ?? '') : undefined;
}

/** `which rm`, `command -v rm`, `type -P rm`: the program found carries the same name. */
function located(program: string, args: readonly Word[]): string | undefined {
  const names = args.filter(({ text }) => text[0] !== '-');
  const first = names[0];
  if (first === undefined || first.dynamic || names.length !== 1) return undefined;
  return program === 'which' || args.length > names.length ? `${first.text}\n` : undefined;
}

function temporary(args: readonly Word[]): string | undefined {
  const read = readOptions(args, { valued: 'p', longs: 'tmpdir? suffix= directory dry-run quiet' });
  const directory = lastOption(read, '-p', '--tmpdir')?.value;
  const template = read.operands[0];
  if (template?.dynamic === true) return undefined;
  const name = template?.text ?? 'tmp.XXXXXXXXXX';
  if (name.startsWith('/') && directory === undefined) return `${name}\n`;
  return template === undefined || directory !== undefined || hasOption(read, '-t') ? `${directory ?? '/tmp'}/${name}\n` : `${name}\n`;
}

function namePart(program: string, args: readonly Word[]): string | undefined {
  const word = args[0];
  if (word === undefined || word.dynamic || word.text[0] === '-' || args.length > 1) return undefined;
  const path = word.text.replace(/(.)\/+$/, '$1');
  const slash = path.lastIndexOf('/');
  if (program === 'basename') return `${path.slice(slash + 1)}\n`;
  if (path === HOME_MARK) return undefined;
  return slash === -1 ? '.\n' : `${slash === 0 ? '/' : path.slice(0, slash)}\n`;
}

function locatedPath(args: readonly Word[]): string | undefined {
  const operands = args.filter(({ text }) => text[0] !== '-');
  const [word] = operands;
  return word === undefined || operands.length > 1 || word.dynamic ? undefined : `${word.text}\n`;
}
