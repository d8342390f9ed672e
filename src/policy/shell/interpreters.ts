// Contract: python, perl, ruby, node, php, lua, awk with a program in their words or on standard input. PURE.
// Calls with literal arguments become commands of their own: a started command is read as shell text or words, a removal is
// judged as `rm`, a write as a redirection.
import type { Effective, SimpleCommand } from '../types.ts';
import { emit, inner, runCode, unresolved, type Call, type Handled, type Handler, type Reader } from './call.ts';
import { callsIn, type CodeCall, type Literal } from './code-calls.ts';
import type { Language } from './code-tokens.ts';
import { isReader } from './known.ts';
import { fileText } from './shells.ts';
import type { FullWord } from './state.ts';

const CODE_DEEP_MAX = 4;
const CODE_CHARS_MAX = 64 * 1024;

interface Reading { readonly codes: readonly { text: string; at: FullWord | undefined }[]; readonly from: readonly Effective[]; readonly unknown: boolean }

interface Options {
  /** An option behind which the program text follows. */
  readonly code: RegExp;
  /** The same, with the text attached. */
  readonly attached?: RegExp;
  /** Options with another value. */
  readonly valued: RegExp;
  /** Options that name a module instead of a script. */
  readonly module?: RegExp;
}

const OPTIONS: Readonly<Record<Language, Options>> = {
  python: { code: /^-[a-zA-Z]*c$/, attached: /^-c(.+)$/s, valued: /^-[XW]$|^--check-hash-based-pycs$/, module: /^-[a-zA-Z]*m/ },
  perl: { code: /^-(?![MmI])[a-zA-Z0-9]*[eE]$/, attached: /^-[eE](.+)$/s, valued: /^-[CDFIMmx]$/ },
  ruby: { code: /^-(?![rIKE])[a-zA-Z0-9]*e$/, attached: /^-e(.+)$/s, valued: /^-[rICEFKTW]$/ },
  node: { code: /^(?:-e|-p|-pe|--eval|--print|eval)$/, attached: /^--(?:eval|print)=(.+)$/s, valued: /^(?:-r|--require|--import|--loader|-C|--conditions|--env-file)$/ },
  php: { code: /^(?:-r|-R|-B|-E|--run)$/, attached: /^-r(.+)$/s, valued: /^-[cdfzt]$/ },
  lua: { code: /^-e$/, attached: /^-e(.+)$/s, valued: /^-l$/ },
};

function reading(call: Call, options: Options): Reading {
  const args = call.words.slice(1);
  const codes: { text: string; at: FullWord }[] = [];
  const from: Effective[] = [];
  let unknown = false;
  let at = 0;
  for (; at < args.length; at++) {
    const one = args[at] as FullWord;
    if (endsOptions(one.text, options)) return { codes, from, unknown: false };
    const attached = options.attached?.exec(one.text)?.[1];
    const given = options.code.test(one.text) ? args[++at] : undefined;
    if (given !== undefined || attached !== undefined) {
      const holder = given ?? one;
      codes.push({ text: attached ?? holder.text, at: holder });
      from.push(...(holder.from ?? []));
      if (holder.whole === true) unknown = true;
    } else if (options.valued.test(one.text)) at++;
    else if (one.text[0] !== '-' || one.text === '-') break;
  }
  return codes.length > 0 ? { codes, from, unknown } : fromFile(call, args[at]);
}

/** A module, a question for the version: no program text is read. */
function endsOptions(text: string, { module, code }: Options): boolean {
  return (module?.test(text) === true && !code.test(text)) || text === '--version' || text === '--help' || text === '-V';
}

/** A script that the line wrote, or standard input. */
function fromFile(call: Call, script: FullWord | undefined): Reading {
  if (script !== undefined && script.text !== '-' && !/^\/dev\/(?:stdin|fd\/0)$/.test(script.text)) {
    const file = fileText(call, script);
    return { codes: file.text === undefined ? [] : [{ text: file.text, at: script }], from: file.from, unknown: file.text === undefined && file.known && file.text === '<()' };
  }
  const { stdin } = call.frame;
  if (stdin.text !== undefined) return { codes: [{ text: stdin.text, at: undefined }], from: stdin.from, unknown: false };
  return { codes: [], from: stdin.from, unknown: stdin.from.length > 0 && !stdin.from.every((one) => isReader(one)) };
}

function interpreter(language: Language): Handler {
  return (walker, call, program) => {
    const { codes, from, unknown } = reading(call, OPTIONS[language]);
    emit(walker, call, { program, codeFrom: from });
    if (unknown) unresolved(walker, call, 'unknown text is run as code', true, from);
    for (const { text, at } of codes) runCalls(walker, call, text, language, at ?? (call.words[0] as FullWord), program, 0);
    return { printed: undefined };
  };
}

const FETCHES = /urlopen|requests\.|urllib|http|b64decode|base64|socket|marshal|zlib|atob|unpack|fetch\s*\(/;

function runCalls(walker: Reader, call: Call, code: string, language: Language, at: FullWord, program: string, depth: number): void {
  if (code.length > CODE_CHARS_MAX || depth > CODE_DEEP_MAX) return unresolved(walker, call, 'the program text is too long', true);
  walker.meter.spend(1 + (code.length >> 4));
  for (const found of callsIn(code, language)) {
    if (found.kind === 'code') runCalls(walker, call, found.text, language, at, program, depth + 1);
    else if (found.kind === 'unknown') unresolved(walker, call, 'unknown text is run as code', FETCHES.test(code));
    else runCall(walker, call, found, at, program);
  }
}

function word(at: FullWord, { text, dynamic }: Literal): FullWord {
  return { text, start: at.start, end: at.end, dynamic, glob: false, quoted: true };
}

/** The programs' own removals and writes take paths as they are: no glob, no tilde. */
function runCall(walker: Reader, call: Call, found: Exclude<CodeCall, { kind: 'code' | 'unknown' }>, at: FullWord, program: string): void {
  const make = (text: string): FullWord => word(at, { text, dynamic: false });
  const quiet: Call = { ...call, assigns: [], frame: { ...call.frame, stdin: { from: [], text: undefined } } };
  switch (found.kind) {
    case 'shell': runCode(walker, quiet, { text: found.text, at, within: program, chain: [...call.frame.chain, program] }); return;
    case 'words': walker.execute(inner(quiet, found.words.map((one) => word(at, one)), program)); return;
    case 'remove': walker.execute(inner(quiet, [make('rm'), make(found.recursive ? '-rf' : '-f'), word(at, found.path)], program)); return;
    case 'move': walker.execute(inner(quiet, [make('mv'), ...found.words.map((one) => word(at, one))], program)); return;
    case 'copy': walker.execute(inner(quiet, [make('cp'), ...found.words.map((one) => word(at, one))], program)); return;
    default: {
      const command: SimpleCommand = { assigns: [], words: [], redirects: [{ write: true, target: word(at, found.path) }], input: [], start: at.start, end: at.end };
      emit(walker, inner({ ...quiet, command }, [], program), { program: '', path: '' });
    }
  }
}

/** awk: `system("CMD")`, `"CMD" | getline`, `print ... | "CMD"`. */
const awk: Handler = (walker, call, program) => {
  emit(walker, call, { program });
  const args = call.words.slice(1);
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text === '-f' || text.startsWith('--file')) return { printed: undefined };
    if (/^-[vFf]$/.test(text)) at++;
    else if (text[0] !== '-' || text === '-') break;
  }
  const script = args[at];
  if (script === undefined) return { printed: undefined };
  walker.meter.spend(1 + (script.text.length >> 4));
  for (const text of awkCommands(script.text)) runCode(walker, call, { text, at: script, within: program, chain: [...call.frame.chain, program] });
  return { printed: undefined };
};

function awkCommands(script: string): string[] {
  const out: string[] = [];
  const variables = new Map<string, string>();
  const strings = /"((?:[^"\\]|\\.)*)"|\/(?:[^/\\\n]|\\.)*\//g;
  for (const found of script.matchAll(strings)) {
    if (found[1] === undefined) continue;
    const before = script.slice(Math.max(0, found.index - 24), found.index);
    const after = script.slice(found.index + found[0].length, found.index + found[0].length + 16);
    const variable = /([A-Za-z_]\w*)\s*=\s*$/.exec(before)?.[1];
    if (variable !== undefined) variables.set(variable, found[1].replace(/\\(["\\/])/g, '$1'));
    const starts = /system\s*\(\s*$/.test(before);
    if (!starts && !/\|&?\s*$/.test(before) && !/^\s*\|&?\s*getline/.test(after)) continue;
    const text = found[1].replace(/\\(["\\/])/g, '$1').replace(/\\n/g, '\n');
    // What is joined behind it is not known.
    out.push(starts && !/^\s*\)/.test(after) ? `${text}$()` : text);
  }
  for (const found of script.matchAll(/system\s*\(\s*([A-Za-z_]\w*)\s*\)|\|\s*([A-Za-z_]\w*)\b/g)) {
    const known = variables.get(found[1] ?? found[2] ?? '');
    if (known !== undefined) out.push(known);
  }
  return out;
}

/** osascript: `do shell script "CMD"`. */
const appleScript: Handler = (walker, call, program): Handled => {
  emit(walker, call, { program });
  for (const script of call.words.slice(1)) {
    for (const found of script.text.matchAll(/do shell script\s+"((?:[^"\\]|\\.)*)"/g)) runCode(walker, call, { text: (found[1] ?? '').replace(/\\(["\\])/g, '$1'), at: script, within: program, chain: [...call.frame.chain, program] });
  }
  return { printed: undefined };
};

const named = (names: string, handler: Handler): Record<string, Handler> => Object.fromEntries(names.split(' ').map((name) => [name, handler]));

export const INTERPRETERS: Readonly<Record<string, Handler>> = {
  ...named('python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ipython py', interpreter('python')),
  ...named('perl perl5', interpreter('perl')), ...named('ruby jruby', interpreter('ruby')), ...named('node nodejs deno tsx ts-node', interpreter('node')),
  ...named('php', interpreter('php')), ...named('lua luajit', interpreter('lua')), ...named('awk gawk mawk nawk', awk), osascript: appleScript,
};
