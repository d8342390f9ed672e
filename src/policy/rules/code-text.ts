// Contract: code given to an interpreter on the command line (`python -c`, `node -e`, a here-document): its text, and its calls
// with their string literals. Comments and literals that no call takes are data. PURE, linear in the code's length.
import { readOptions, type OptionSpec } from '../shell/options.ts';
import type { Effective } from '../types.ts';
import { listed } from './options.ts';

/** Longer code is not scanned further. */
export const CODE_CHARS_MAX = 64 * 1024;
const CALLS_MAX = 256;
const CALL_CHARS_MAX = 4096;

interface Interpreter { readonly spec: OptionSpec; readonly options: string; readonly hash: boolean; /** The first operand is the program. */ readonly inline?: boolean; readonly dash?: boolean }

const PYTHON: Interpreter = { spec: { valued: 'cmWX', leading: true, exact: true }, options: '-c', hash: true };
const NODE: Interpreter = { spec: { valued: 'eprC', longs: 'eval= print= require= import= loader= experimental-loader= env-file= input-type=', leading: true, exact: true }, options: '-e -p --eval --print', hash: false };
const AWK: Interpreter = { spec: { valued: 'Fvfi', longs: 'file= field-separator= assign= source=', leading: true, exact: true }, options: '--source', hash: true, inline: true };

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  python: PYTHON, python2: PYTHON, python3: PYTHON, pypy: PYTHON, pypy3: PYTHON, ipython: PYTHON, node: NODE, nodejs: NODE, tsx: NODE, bun: NODE, 'ts-node': NODE,
  deno: { spec: { exact: true }, options: '', hash: false }, perl: { spec: { valued: 'eEI', attached: 'MmFi0l', exact: true }, options: '-e -E', hash: true },
  ruby: { spec: { valued: 'eI', attached: 'rKE', exact: true }, options: '-e', hash: true }, php: { spec: { valued: 'rBRFEd', exact: true }, options: '-r -B -R -E', hash: true },
  lua: { spec: { valued: 'el' }, options: '-e', hash: false }, luajit: { spec: { valued: 'el' }, options: '-e', hash: false }, Rscript: { spec: { valued: 'e' }, options: '-e', hash: true }, R: { spec: { valued: 'ef' }, options: '-e', hash: true }, julia: { spec: { valued: 'eEL', longs: 'eval= print=' }, options: '-e -E --eval --print', hash: true },
  osascript: { spec: { valued: 'el' }, options: '-e', hash: false }, tclsh: { spec: {}, options: '', hash: true }, expect: { spec: { valued: 'c' }, options: '-c', hash: true }, awk: AWK, gawk: AWK, mawk: AWK, nawk: AWK, groovy: { spec: { valued: 'e' }, options: '-e', hash: false }, elixir: { spec: { valued: 'e' }, options: '-e', hash: true }, scala: { spec: { valued: 'e' }, options: '-e', hash: false },
  vim: { spec: { valued: 'cSTuUiW', longs: 'cmd=', exact: true }, options: '-c --cmd', hash: false }, vi: { spec: { valued: 'c' }, options: '-c', hash: false }, nvim: { spec: { valued: 'cSu', longs: 'cmd=', exact: true }, options: '-c --cmd', hash: false }, ex: { spec: { valued: 'c' }, options: '-c', hash: false }, emacs: { spec: { longs: 'eval=', exact: true }, options: '--eval', hash: false },
};

export const INTERPRETER_PROGRAMS = `${Object.keys(INTERPRETERS).join(' ')} python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14`;

function interpreterOf(program: string): Interpreter | undefined {
  const name = program.startsWith('python3.') ? 'python3' : program;
  return Object.prototype.hasOwnProperty.call(INTERPRETERS, name) ? INTERPRETERS[name] : undefined;
}

const cache = new WeakMap<Effective, readonly string[]>();

/** The code that the command runs, as far as the line holds it. */
export function codeTexts(effective: Effective): readonly string[] {
  let found = cache.get(effective);
  if (found === undefined) cache.set(effective, found = findCode(effective));
  return found;
}

function findCode(effective: Effective): readonly string[] {
  const interpreter = interpreterOf(effective.program);
  if (interpreter === undefined) return [];
  const read = readOptions(effective.args, interpreter.spec);
  const given = read.options.filter(({ name, value }) => value !== undefined && listed(interpreter.options, name)).map(({ value }) => value ?? '');
  if (given.length > 0) return given;
  const operands = effective.args.slice(read.rest);
  const first = (interpreter.spec.leading === true ? operands[0] : read.operands[0])?.text;
  if (interpreter.inline === true) return first === undefined || read.options.some(({ name }) => name === '-f' || name === '--file') ? [] : [first];
  if ((effective.program === 'deno') && first === 'eval') return read.operands.slice(1).map(({ text }) => text);
  // Without a file the program comes from standard input.
  return first === undefined || first === '-' ? effective.inputs : [];
}

// ---- literals and calls ----

interface Scan { readonly code: string; readonly hash: boolean }

/** The position behind a literal or comment that starts at `at`; undefined where none does. */
function skip({ code, hash }: Scan, at: number): number | undefined {
  const c = code[at];
  if (c === '#' && hash && (at === 0 || ' \t\n;{}'.includes(code[at - 1] ?? ''))) return lineEnd(code, at);
  if (c === '/' && code[at + 1] === '/' && !hash && code[at - 1] !== ':') return lineEnd(code, at);
  return c === '"' || c === "'" || c === '`' ? literalEnd(code, at) : undefined;
}

function lineEnd(code: string, at: number): number {
  const end = code.indexOf('\n', at);
  return end === -1 ? code.length : end;
}

function literalEnd(code: string, at: number): number {
  const quote = code[at] ?? '';
  if (code.startsWith(quote.repeat(3), at)) {
    const end = code.indexOf(quote.repeat(3), at + 3);
    return end === -1 ? code.length : end + 3;
  }
  for (let i = at + 1; i < code.length; i++) {
    if (code[i] === '\\') i++;
    else if (code[i] === quote) return i + 1;
  }
  return code.length;
}

function literalText(code: string, at: number, end: number): string {
  const triple = code.startsWith((code[at] ?? '').repeat(3), at) && end - at >= 6;
  const body = triple ? code.slice(at + 3, end - 3) : code.slice(at + 1, end - 1);
  return body.includes('\\') ? body.replaceAll('\\"', '"').replaceAll("\\'", "'").replaceAll('\\n', '\n').replaceAll('\\\\', '\\') : body;
}

export interface CodeCall {
  /** The last part of its name: `rmtree` of `shutil.rmtree`. */
  readonly name: string;
  /** With what stands in front: `shutil.rmtree`. */
  readonly full: string;
  readonly literals: readonly string[];
  /** The argument text as written, without the outer parentheses. */
  readonly text: string;
}

const isNameChar = (c: string): boolean => (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c === '_';

/** Every call in the code: a name and its parenthesis, or (Ruby, Perl) a name and a literal. */
export function callsIn(code: string, program: string): readonly CodeCall[] {
  const scan: Scan = { code: code.slice(0, CODE_CHARS_MAX), hash: interpreterOf(program)?.hash ?? true };
  const calls: CodeCall[] = [];
  let start = -1;
  for (let at = 0; at < scan.code.length && calls.length < CALLS_MAX; at++) {
    const c = scan.code[at] ?? '';
    if (isNameChar(c) || c === '.' || c === ':' || c === '$' || c === '?' || c === '!') { if (start === -1) start = at; continue; }
    if (start !== -1) {
      let open = at;
      while (scan.code[open] === ' ') open++;
      const next = scan.code[open] ?? '';
      if (next === '(' || (next === '"' || next === "'" || next === '[')) calls.push(callAt(scan, scan.code.slice(start, at), open));
      start = -1;
    }
    const end = skip(scan, at);
    if (end !== undefined) at = end - 1;
  }
  return calls;
}

function callAt(scan: Scan, full: string, open: number): CodeCall {
  const { code } = scan;
  const literals: string[] = [];
  const stop = Math.min(code.length, open + CALL_CHARS_MAX);
  let depth = 0;
  let at = open;
  for (; at < stop; at++) {
    const c = code[at] ?? '';
    const end = skip(scan, at);
    if (end !== undefined) {
      if (c === '"' || c === "'" || c === '`') literals.push(literalText(code, at, end));
      at = end - 1;
      if (depth === 0 && code[end] !== ',' && code[end] !== ' ') { at = end; break; }
    } else if (c === '(' || c === '[' || c === '{') depth++;
    else if (c === ')' || c === ']' || c === '}') { if (--depth <= 0) break; } else if (depth === 0 && (c === '\n' || c === ';')) break;
  }
  const dot = Math.max(full.lastIndexOf('.'), full.lastIndexOf(':'));
  return { name: full.slice(dot + 1), full, literals, text: code.slice(open, at + 1) };
}
