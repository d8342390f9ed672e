// Contract: PowerShell and cmd texts: every command they run, for the rules. PURE, bounded.
// Cmdlets are emitted in lower case with aliases resolved; everything else is a program like any other.
import { HOME_MARK, PWD_MARK } from '../shell-types.ts';
import type { Effective, SimpleCommand } from '../types.ts';
import { assign, emit, inner, joined, pathIn, unresolved, type Call, type Handled, type Handler, type Reader } from './call.ts';
import { base64, base64Utf16 } from './decode.ts';
import { CMDLET, CMDLET_VERBS, isFetcher } from './known.ts';
import { parsePowerShell, type PsCommand, type PsWord } from './powershell.ts';
import { DEPTH_MAX, OutOfSteps, type FullWord } from './state.ts';

const ALIASES: Readonly<Record<string, string>> = {
  ri: 'remove-item', rm: 'remove-item', rmdir: 'remove-item', del: 'remove-item', erase: 'remove-item', rd: 'remove-item', gci: 'get-childitem', ls: 'get-childitem', dir: 'get-childitem', gc: 'get-content', cat: 'get-content', type: 'get-content',
  cp: 'copy-item', copy: 'copy-item', cpi: 'copy-item', mv: 'move-item', move: 'move-item', mi: 'move-item', ren: 'rename-item', rni: 'rename-item', iex: 'invoke-expression', iwr: 'invoke-webrequest', curl: 'invoke-webrequest', wget: 'invoke-webrequest', irm: 'invoke-restmethod',
  sc: 'set-content', ac: 'add-content', clc: 'clear-content', kill: 'stop-process', spps: 'stop-process', echo: 'write-output', write: 'write-output', saps: 'start-process', start: 'start-process', ni: 'new-item', sl: 'set-location', cd: 'set-location', chdir: 'set-location', pushd: 'set-location',
  '%': 'foreach-object', foreach: 'foreach-object', '?': 'where-object', where: 'where-object', icm: 'invoke-command', gp: 'get-itemproperty', sp: 'set-itemproperty', rp: 'remove-itemproperty', sv: 'set-variable', gv: 'get-variable', sal: 'set-alias', tee: 'tee-object', gl: 'get-location', sleep: 'start-sleep',
};

/** Reads a PowerShell text. `offset` is where it begins in the line as given, where that is known. */
export function readPowerShell(walker: Reader, call: Call, source: string, within: string): void {
  const { frame, env } = call;
  if (frame.depth > DEPTH_MAX) throw new OutOfSteps('too deeply nested');
  walker.meter.spend(1 + (source.length >> 4));
  const lookup = (name: string): string | undefined => {
    switch (name) {
      case 'home': case 'env:home': case 'env:userprofile': return HOME_MARK;
      case 'pwd': return PWD_MARK;
      case 'env:temp': case 'env:tmp': case 'env:tmpdir': return '/tmp';
      case 'null': return '$null';
      case 'true': case 'false': return `$${name}`;
      default: {
        const known = env.get(name.startsWith('env:') ? name.slice(4).toUpperCase() : `ps:${name}`)?.alts[0];
        return known === undefined || known.dynamic ? undefined : known.text;
      }
    }
  };
  const deeper = { ...call, frame: { ...frame, language: 'powershell' as const, depth: frame.depth + 1, source, within, outer: frame.outer ?? (within === 'powershell line' ? undefined : call.span) } };
  const { pipelines, overflow } = parsePowerShell(source, lookup);
  for (const pipeline of pipelines) {
    let stdin = frame.stdin;
    const mark = walker.log.length;
    for (const command of pipeline) {
      const text = psCommand(walker, { ...deeper, frame: { ...deeper.frame, stdin } }, command);
      stdin = { from: walker.log.slice(Math.max(mark, walker.log.length - 64)), text };
    }
  }
  if (overflow) throw new OutOfSteps('too many commands');
}

function full(word: PsWord, from: readonly Effective[]): FullWord {
  const text = !word.quoted && (word.text === '~' || /^~[\\/]/.test(word.text)) ? HOME_MARK + word.text.slice(1) : word.text;
  return { text, start: word.start, end: word.end, dynamic: word.dynamic, glob: !word.quoted && /[*?]/.test(text), quoted: word.quoted, from, ...(word.dynamic && word.inside.length > 0 ? { whole: true } : {}) };
}

const KEYWORDS: ReadonlySet<string> = new Set(['if', 'elseif', 'else', 'while', 'for', 'foreach', 'do', 'until', 'try', 'catch', 'finally', 'switch', 'function', 'filter', 'return', 'throw', 'param', 'begin', 'process', 'end', 'in', '.', '&']);

/** `$x = VALUE` and `$env:X=VALUE`: the variable and the words of its value. */
function assignmentOf(words: readonly PsWord[]): { variable: PsWord; value: readonly PsWord[] } | undefined {
  const [variable, equals] = words;
  if (variable === undefined || variable.quoted) return undefined;
  if (equals !== undefined && /^[-+]?=$/.test(equals.text)) return { variable, value: words.slice(2) };
  const attached = /^\$((?:env:)?\w+)=(.*)$/is.exec(variable.text);
  if (attached === null) return undefined;
  const text = attached[2] ?? '';
  return { variable: { ...variable, text: `$${attached[1]}` }, value: [{ ...variable, text, dynamic: text.includes('$') }, ...words.slice(1)].filter((word) => word.text !== '') };
}

/** How many keywords stand in front of a command. */
function keywordsBefore(words: readonly PsWord[], piped: boolean): number {
  let at = 0;
  for (; at < words.length; at++) {
    const text = words[at]?.text.toLowerCase() ?? '';
    if (words[at]?.quoted === true || !KEYWORDS.has(text) || (text === 'foreach' && piped)) break;
  }
  return at;
}

/** One command of a pipeline; gives its text where it is a literal. */
function psCommand(walker: Reader, outer: Call, parsed: PsCommand): string | undefined {
  const set = assignmentOf(parsed.words);
  if (set !== undefined) return psAssignment(walker, outer, set.variable, set.value, parsed);
  const froms = parsed.words.map((word) => inside(walker, outer, word));
  const piped = outer.frame.stdin.from.length > 0;
  const skip = keywordsBefore(parsed.words, piped);
  const words = parsed.words.slice(skip).map((word, at) => full(word, froms[at + skip] ?? []));
  const [first] = words;
  const command: SimpleCommand = { assigns: [], words, redirects: parsed.writes.map((target) => ({ write: true, target: full(target, []) })), input: [], start: parsed.start, end: parsed.end };
  const call: Call = { ...outer, words, assigns: [], command, span: [parsed.start, parsed.end] };
  if (first === undefined) { if (command.redirects.length > 0) emit(walker, call, { program: '', shell: 'powershell' }); return undefined; }
  // A string, a number, a block or an expression alone is only printed.
  if (words.length === 1 && first.quoted && !piped && skip === 0 && !precededByCall(outer, parsed)) return first.text;
  if (first.text === '{}' || first.text === '$()' || first.text[0] === '[') { encoded(walker, call); return undefined; }
  if (first.dynamic) { unresolved(walker, call, 'the program is not literal', (first.from ?? []).some((one) => isFetcher(one)), first.from); return undefined; }
  return named(walker, call, first);
}

function precededByCall({ frame }: Call, { start }: PsCommand): boolean {
  return /[&.]\s*$/.test(frame.source.slice(Math.max(0, start - 4), start));
}

/** Commands in parentheses and blocks of a word. */
function inside(walker: Reader, call: Call, word: PsWord): Effective[] {
  const mark = walker.log.length;
  for (const text of word.inside) readPowerShell(walker, { ...call, span: [word.start, word.end], frame: { ...call.frame, outer: call.frame.outer ?? [word.start, word.end] } }, text, 'powershell block');
  return walker.log.slice(Math.max(mark, walker.log.length - 64));
}

function psAssignment(walker: Reader, call: Call, variable: PsWord, value: readonly PsWord[], { start, end }: PsCommand): undefined {
  const from = value.flatMap((word) => inside(walker, call, word));
  const name = variable.text.replace(/^\$/, '');
  const text = value.map((word) => word.text).join(' ');
  const dynamic = value.length !== 1 || value.some((word) => word.dynamic);
  const exported = /^env:/i.test(name);
  const key = exported ? name.slice(4).toUpperCase() : `ps:${name.toLowerCase()}`;
  call.env.set(key, { alts: [{ text, dynamic }], from, exported }, false);
  if (exported) {
    const at: FullWord = { text: `${key}=${text}`, start, end, dynamic, glob: false, quoted: false };
    emit(walker, { ...call, words: [at], assigns: [], span: [start, end] }, { program: 'export', args: [at], shell: 'powershell' });
  } else if (value.length > 1) psCommand(walker, call, { words: value, writes: [], start, end });
  return undefined;
}

function named(walker: Reader, call: Call, first: FullWord): string | undefined {
  const lower = first.text.toLowerCase();
  const program = Object.prototype.hasOwnProperty.call(ALIASES, lower) ? ALIASES[lower] ?? lower : lower;
  const args = call.words.slice(1);
  const codeFrom = program === 'invoke-expression' ? [...call.frame.stdin.from, ...args.flatMap(({ from }) => from ?? [])] : [];
  if (!CMDLET.test(program) || !CMDLET_VERBS.test(program)) return walker.execute({ ...call, external: true });
  emit(walker, call, { program, args, codeFrom, shell: 'powershell' });
  switch (program) {
    case 'write-output': return args.map(({ text }) => text).join(' ');
    case 'set-location': {
      const target = args.find(({ text }) => text[0] !== '-');
      call.env.cwd = target === undefined ? walker.facts.home : target.dynamic ? undefined : pathIn(walker, target.text, call.env.cwd);
      return undefined;
    }
    case 'invoke-expression': {
      encoded(walker, call);
      const word = args.find(({ text }) => !/^-command$/i.test(text));
      const text = word === undefined ? call.frame.stdin.text : word.whole === true ? undefined : word.text;
      if (text !== undefined) readPowerShell(walker, call, text, 'invoke-expression');
      else unresolved(walker, call, 'unknown text is run as code', true, codeFrom);
      return undefined;
    }
    case 'start-process': {
      const words = args.filter(({ text }) => !/^-(?:filepath|argumentlist|args|verb|wait|nonewwindow|passthru|windowstyle|runas|hidden)$/i.test(text));
      const split = words.flatMap((word, at) => (at === 0 ? [word] : word.text.split(/[\s,]+/).filter((part) => part !== '').map((text) => ({ ...word, text }))));
      if (split.length > 0) walker.execute(inner(call, split, 'start-process'));
      return undefined;
    }
    default: return undefined;
  }
}

/** `[Convert]::FromBase64String('...')` with a literal text. */
function encoded(walker: Reader, call: Call): void {
  const source = call.frame.source.slice(call.span[0], call.span[1]);
  for (const found of source.matchAll(/FromBase64String\(\s*['"]([A-Za-z0-9+/=]{8,})['"]/gi)) {
    const wide = base64Utf16(found[1] ?? '');
    const text = wide !== undefined && /^[\x09-\x7e\r\n]*$/.test(wide) ? wide : base64(found[1] ?? '');
    if (text !== undefined) readPowerShell(walker, call, text, 'encoded');
  }
}

/** `powershell -c TEXT`, `-EncodedCommand BASE64`, `-File X`; option names may be shortened. */
const powershell: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as FullWord;
    const option = /^[-/\u2013\u2014]([a-z]+)$/i.exec(word.text)?.[1]?.toLowerCase();
    if (option === undefined || option === 'c' || 'command'.startsWith(option)) return psTexts(walker, call, program, option === undefined ? args.slice(at) : args.slice(at + 1));
    if (option === 'e' || option === 'ec' || (option.length > 1 && 'encodedcommand'.startsWith(option))) {
      emit(walker, call, { program });
      const text = args[at + 1]?.dynamic === true ? undefined : base64Utf16(args[at + 1]?.text ?? '');
      if (text === undefined || text === '') unresolved(walker, call, 'unknown text is run as code', true);
      else {
        readPowerShell(walker, call, text, 'encoded');
        // Nobody encodes what may be read: what came out is judged, and the hiding is a question of its own.
        unresolved(walker, call, 'an encoded command', true);
      }
      return { printed: undefined };
    }
    if ('file'.startsWith(option)) { emit(walker, call, { program }); return { printed: undefined }; }
    if (/^(?:ex|ep|exec|w|wi|v|ver|inp|if|of|o|out|conf|ps|wd|work|sta$|settings)/.test(option) && !/^(?:sta|mta)$/.test(option)) at++;
  }
  return psInput(walker, call, program);
};

function psTexts(walker: Reader, call: Call, program: string, words: readonly FullWord[]): Handled {
  if (words[0]?.text === '-') return psInput(walker, call, program);
  const codeFrom = words.flatMap(({ from }) => from ?? []);
  emit(walker, call, { program, codeFrom });
  if (words.length === 1 && words[0]?.whole === true) unresolved(walker, call, 'unknown text is run as code', true, codeFrom);
  else readPowerShell(walker, { ...call, frame: { ...call.frame, chain: [...call.frame.chain, program] } }, joined(words), program);
  return { printed: undefined };
}

function psInput(walker: Reader, call: Call, program: string): Handled {
  const { stdin } = call.frame;
  emit(walker, call, { program, codeFrom: stdin.from });
  if (stdin.text !== undefined) readPowerShell(walker, call, stdin.text, program);
  else if (stdin.from.length > 0) unresolved(walker, call, 'unknown text is run as code', true, stdin.from);
  return { printed: undefined };
}

const CMD_NATIVE: ReadonlySet<string> = new Set(['del', 'erase', 'rd', 'rmdir', 'format', 'copy', 'move', 'ren', 'rename', 'type', 'mklink', 'md', 'mkdir', 'dir', 'echo', 'rem', 'attrib', 'vol', 'label', 'diskpart', 'reg', 'cipher']);

/** `cmd /c TEXT`. */
const cmd: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  emit(walker, call, { program });
  const at = args.findIndex(({ text }) => /^\/{1,2}[ckr]$/i.test(text));
  if (at === -1) {
    const { stdin } = call.frame;
    if (stdin.text !== undefined) readCmd(walker, call, stdin.text, call.words[0] as FullWord);
    return { printed: undefined };
  }
  const rest = args.slice(at + 1);
  const [first] = rest;
  if (first !== undefined) readCmd(walker, call, joined(rest), first);
  return { printed: undefined };
};

function readCmd(walker: Reader, outer: Call, source: string, at: FullWord): void {
  walker.meter.spend(1 + (source.length >> 4));
  const env = outer.env.fork();
  for (const text of splitCmd(source)) {
    const plain = text.replace(/^[\s@(]+/, '').replace(/\)\s*$/, '').replace(/^(?:call|start)\s+(?:\/\w+\s+|"[^"]*"\s+)*/i, '').replace(/^(?:if\s+(?:not\s+)?(?:exist\s+\S+|errorlevel\s+\d+|\S+==\S+)\s*\(?|for\s+.*?\bdo\s*\(?)\s*/i, '');
    if (plain.trim() === '') continue;
    const set = /^set\s+"?(\w+)=([^"]*)"?\s*$/i.exec(plain);
    const words = [...plain.matchAll(/"([^"]*)"|(\S+)/g)].map((found): FullWord => {
      const value = (found[1] ?? found[2] ?? '').replace(/\^(.)/g, '$1').replace(/"/g, '');
      return { text: value.replace(/%(?:USERPROFILE|HOMEPATH|HOME)%/gi, HOME_MARK), start: at.start, end: at.end, dynamic: /%\w+%/.test(value), glob: /[*?]/.test(value), quoted: found[1] !== undefined };
    });
    const [first] = words;
    if (first === undefined) continue;
    const command: SimpleCommand = { assigns: [], words, redirects: [], input: [], start: at.start, end: at.end };
    const wrapped = inner(outer, words, 'cmd');
    const call: Call = { ...wrapped, frame: { ...wrapped.frame, language: 'cmd' }, env, assigns: [], command };
    if (set !== null) {
      const word: FullWord = { ...at, text: `${(set[1] ?? '').toUpperCase()}=${(set[2] ?? '').trim()}`, dynamic: false };
      assign(env, word, false, true);
      emit(walker, call, { program: 'export', args: [word], shell: 'cmd' });
      continue;
    }
    const program = first.text.replace(/^.*[\\/]/, '').replace(/\.exe$/i, '').toLowerCase();
    const [, drive] = /^(rd|rmdir|del|erase)(?:\/|$)/.exec(program) ?? [];
    if (CMD_NATIVE.has(program) || drive !== undefined) emit(walker, call, { program: drive ?? program, shell: 'cmd' });
    else walker.execute({ ...call, words: [{ ...first, text: program }, ...words.slice(1)] });
  }
}

/** Commands of a cmd line: `&`, `&&`, `||`, `|` and line ends outside quotes, `^` escapes. */
function splitCmd(source: string): string[] {
  const out: string[] = [];
  let from = 0;
  let quoted = false;
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    if (c === '^') i++;
    else if (c === '"') quoted = !quoted;
    else if (!quoted && (c === '&' || c === '|' || c === '\n')) { out.push(source.slice(from, i)); from = i + 1; }
  }
  out.push(source.slice(from));
  return out;
}

export const WINDOWS_PROGRAMS: Readonly<Record<string, Handler>> = { powershell, pwsh: powershell, PowerShell: powershell, cmd, 'command.com': cmd };

