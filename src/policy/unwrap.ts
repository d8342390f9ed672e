// Contract: what a simple command really runs: wrappers (sudo, env, timeout, xargs, ...) are taken off, and texts that are
// run as commands (sh -c '...', eval, here-documents of a shell) are handed out for parsing. PURE, bounded, never throws.
import type { Effective } from './types.ts';
import { parseShell } from './shell-parse.ts';
import type { SimpleCommand, Word } from './shell-types.ts';

export const WRAPPERS_MAX = 16;

/** Options that take a separate value: short letters, and long names without the dashes. */
interface Options { readonly shorts: string; readonly longs: readonly string[] }

const NONE: Options = { shorts: '', longs: [] };
export const WRAPPERS: Readonly<Record<string, Options>> = {
  sudo: { shorts: 'ughpCTRDrt', longs: ['user', 'group', 'host', 'prompt', 'close-from', 'command-timeout', 'chroot', 'chdir', 'role', 'type'] },
  doas: { shorts: 'uCa', longs: [] },
  env: { shorts: 'uC', longs: ['unset', 'chdir'] },
  nohup: NONE,
  setsid: NONE,
  builtin: NONE,
  busybox: NONE,
  command: NONE,
  exec: { shorts: 'a', longs: [] },
  time: { shorts: 'fo', longs: ['format', 'output'] },
  timeout: { shorts: 'ks', longs: ['kill-after', 'signal'] },
  nice: { shorts: 'n', longs: ['adjustment'] },
  ionice: { shorts: 'cnpPu', longs: ['class', 'classdata'] },
  stdbuf: { shorts: 'ioe', longs: ['input', 'output', 'error'] },
  xargs: { shorts: 'aEIdLnPs', longs: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars'] },
  npx: { shorts: 'pc', longs: ['package', 'call'] },
  bunx: NONE,
  pnpx: NONE,
};

export const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'mksh']);

/** A text that the command runs as commands of its own. `at` is the word it stands in. */
export interface Nested { readonly source: string; readonly at: Word | undefined }

function made(program: string, path: string, args: readonly Word[], assigns: readonly Word[], command: SimpleCommand, unresolved: string): Effective {
  return { program, path, args, assigns, command, env: new Map(), pipedFrom: [], codeFrom: [], inputs: command.input, cwd: undefined, chain: [], remote: undefined, shell: 'sh', unresolved };
}

export interface Unwrapped {
  readonly effective: Effective;
  readonly nested: readonly Nested[];
  /** The program is not a literal word: what runs is unknown. */
  readonly unresolved: boolean;
}

/** Base name without directories and `.exe`, for tables. */
export function programOf(text: string): string {
  const at = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'));
  const base = at === -1 ? text : text.slice(at + 1);
  return base.length > 4 && base.slice(-4).toLowerCase() === '.exe' ? base.slice(0, -4).toLowerCase() : base;
}

export function unwrap(command: SimpleCommand): Unwrapped {
  const assigns = [...command.assigns];
  let words: readonly Word[] = command.words;
  for (let layer = 0; layer < WRAPPERS_MAX; layer++) {
    const first = words[0];
    if (first === undefined) return { effective: made('', '', [], assigns, command, ''), nested: [], unresolved: false };
    if (first.dynamic) return { effective: made('', '', words.slice(1), assigns, command, 'the program is not literal'), nested: [], unresolved: true };
    const program = programOf(first.text);
    const options = Object.prototype.hasOwnProperty.call(WRAPPERS, program) ? WRAPPERS[program] : undefined;
    const inner = options === undefined ? undefined : peel(program, options, words, assigns);
    if (inner === undefined) {
      const effective = made(program, first.text, words.slice(1), assigns, command, '');
      return { effective, nested: nestedOf(effective), unresolved: false };
    }
    words = inner;
  }
  return { effective: made('', '', [], assigns, command, 'too many wrappers'), nested: [], unresolved: true };
}

/** The words behind a wrapper; undefined where it runs nothing. Assignments of `env` and `sudo` are collected. */
function peel(program: string, options: Options, words: readonly Word[], assigns: Word[]): readonly Word[] | undefined {
  let at = 1;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? '';
    if (text === '--') { at++; break; }
    if (text.length < 2 || text[0] !== '-') break;
    if (program === 'command' && (text.includes('v') || text.includes('V'))) return undefined;
    if (program === 'env' && (text.startsWith('-S') || text.startsWith('--split-string'))) return splitString(words, at);
    if (takesNext(text, options)) at++;
  }
  if (program === 'timeout') at++;
  if (program === 'env' || program === 'sudo' || program === 'doas') {
    for (let word = words[at]; word !== undefined && isAssignment(word.text); word = words[++at]) assigns.push(word);
  }
  return at < words.length ? words.slice(at) : undefined;
}

/** `env -S "git push"` and `env -S"git push"`: the string is split into words. */
function splitString(words: readonly Word[], at: number): readonly Word[] | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  const attached = word.text.startsWith('--') ? word.text.slice('--split-string'.length).replace(/^=/, '') : word.text.slice(2);
  const holder = attached === '' ? words[at + 1] : word;
  const source = attached === '' ? holder?.text : attached;
  if (holder === undefined || source === undefined) return undefined;
  const rest = words.slice(attached === '' ? at + 2 : at + 1);
  const inner = parseShell(source).commands[0]?.words ?? [];
  return [...inner.map((w) => ({ ...w, start: holder.start, end: holder.end })), ...rest];
}

function takesNext(text: string, options: Options): boolean {
  if (text.startsWith('--')) return !text.includes('=') && options.longs.includes(text.slice(2));
  for (let i = 1; i < text.length; i++) {
    if (options.shorts.includes(text[i] ?? ' ')) return i === text.length - 1;
  }
  return false;
}

export function isAssignment(text: string): boolean {
  const equals = text.indexOf('=');
  if (equals <= 0) return false;
  for (let i = 0; i < equals; i++) {
    const c = text[i] ?? '';
    const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c === '_' || (i > 0 && c >= '0' && c <= '9');
    if (!letter) return false;
  }
  return true;
}

function nestedOf({ program, args, command }: Effective): Nested[] {
  if (program === 'eval') return args.length === 0 ? [] : [{ source: args.map((w) => w.text).join(' '), at: args[0] }];
  return SHELLS.has(program) ? shellScript(args, command) : [];
}

/** `sh -c TEXT` (also in a cluster, also behind options); without a script operand the shell reads its standard input. */
function shellScript(args: readonly Word[], command: SimpleCommand): Nested[] {
  let fromText = false;
  let fromInput = false;
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text === '--' || text === '-') { at++; break; }
    if (text.length < 2 || (text[0] !== '-' && text[0] !== '+')) break;
    if (text.startsWith('--')) { if (text === '--rcfile' || text === '--init-file') at++; continue; }
    if (text.includes('c')) fromText = true;
    if (text.includes('s')) fromInput = true;
    const last = text[text.length - 1];
    if (last === 'o' || last === 'O') at++;
  }
  const script = args[at];
  if (fromText) return script === undefined ? [] : [{ source: script.text, at: script }];
  if (script !== undefined && !fromInput) return [];
  return command.input.map((source) => ({ source, at: undefined }));
}
