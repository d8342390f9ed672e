// Contract: shells and programs that start one: what text they run. PURE. `sh -c TEXT`, a here-document, a pipe, a file that
// the line wrote, `bash <(...)`; unknown text that is run as code is unresolved, and a risk unless it is a file of the machine.
import type { Effective } from '../types.ts';
import { emit, fileKey, inner, joined, runCode, unresolved, type Call, type Handled, type Handler, type Reader } from './call.ts';
import { isReader, printsSettings } from './known.ts';
import { hasOption, lastOption, readOptions } from './options.ts';
import type { FullWord } from './state.ts';

export const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'mksh', 'fish', 'rbash', 'csh', 'tcsh', 'yash', 'pdksh', 'oksh', 'nu', 'elvish', 'xonsh'] as const;

const STDIN_FILES: ReadonlySet<string> = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

interface Invocation { readonly text: FullWord | undefined; readonly script: FullWord | undefined; readonly args: readonly FullWord[]; readonly startup: FullWord | undefined }

/** `-lc TEXT`, `-o pipefail -c TEXT`, `--rcfile F`, `-s ARGS`, `SCRIPT ARGS`. */
function invocation(args: readonly FullWord[]): Invocation {
  let fromText = false;
  let stdin = false;
  let startup: FullWord | undefined;
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text === '--' || text === '-') { at++; break; }
    if (text.length < 2 || (text[0] !== '-' && text[0] !== '+')) break;
    if (text.startsWith('--')) {
      if (text === '--rcfile' || text === '--init-file') startup = args[++at];
      else if (text === '--command') fromText = true;
      continue;
    }
    if (text.includes('c')) fromText = true;
    if (text.includes('s')) stdin = true;
    const last = text[text.length - 1];
    if (last === 'o' || last === 'O') at++;
  }
  const rest = args.slice(at);
  if (fromText) return { text: rest[0], script: undefined, args: rest.slice(2), startup };
  if (stdin || rest.length === 0) return { text: undefined, script: undefined, args: rest, startup };
  return { text: undefined, script: rest[0], args: rest.slice(1), startup };
}

/** The text of a file that the line wrote or of a process substitution. */
export function fileText(call: Call, file: FullWord): { known: boolean; text: string | undefined; from: readonly Effective[] } {
  if (file.text === '<()') return { known: true, text: file.content, from: file.from ?? [] };
  const written = file.dynamic ? undefined : call.env.files.get(fileKey(file.text, call.cwd));
  return written === undefined ? { known: false, text: undefined, from: file.from ?? [] } : { known: true, text: written.text, from: written.from };
}

export const shell: Handler = (walker, call, program) => {
  const { text, script, args, startup } = invocation(call.words.slice(1));
  const chain = call.frame.chain;
  if (startup !== undefined) {
    const file = fileText(call, startup);
    if (file.text !== undefined) runCode(walker, call, { text: file.text, at: startup, within: program, chain });
  }
  if (text !== undefined) {
    const codeFrom = text.from ?? [];
    emit(walker, call, { program, codeFrom });
    if (text.whole === true) return unknownCode(walker, call, codeFrom, !settingsOnly(codeFrom));
    return { printed: runCode(walker, call, { text: text.text, at: text, within: `${program} -c`, positional: args }) };
  }
  if (script !== undefined && !STDIN_FILES.has(script.text)) {
    const file = fileText(call, script);
    emit(walker, call, { program, codeFrom: file.from });
    if (file.text !== undefined) return { printed: runCode(walker, call, { text: file.text, at: script, within: 'script', positional: args }) };
    return file.known && script.text === '<()' ? unknownCode(walker, call, file.from, !settingsOnly(file.from)) : { printed: undefined };
  }
  if (hasOption(readOptions(call.words.slice(1), {}), '--version', '--help')) { emit(walker, call, { program }); return { printed: undefined }; }
  return fromInput(walker, call, program, args);
};

function settingsOnly(from: readonly Effective[]): boolean {
  return from.length > 0 && from.every((one) => printsSettings(one));
}

/** A shell without text and script reads its standard input. */
export function fromInput(walker: Reader, call: Call, program: string, args: readonly FullWord[]): Handled {
  const { stdin } = call.frame;
  emit(walker, call, { program, codeFrom: stdin.from });
  if (stdin.text !== undefined) {
    // Input that was read as code is no longer waiting for the commands inside.
    return { printed: runCode(walker, call, { text: stdin.text, within: `${program} <`, positional: args }) };
  }
  if (stdin.from.length === 0) return { printed: undefined };
  return unknownCode(walker, call, stdin.from, !stdin.from.every((one) => isReader(one)));
}

export function unknownCode(walker: Reader, call: Call, codeFrom: readonly Effective[], risky: boolean): Handled {
  unresolved(walker, call, 'unknown text is run as code', risky, codeFrom);
  return { printed: undefined };
}

/** su and runuser: `-c TEXT`, or words behind the user's name, or a shell that reads standard input. */
const switchUser: Handler = (walker, call, program) => {
  const spec = { valued: 'cCsgGuw', longs: 'command= session-command= shell= group= supp-group= user= whitelist-environment= login preserve-environment pty fast' };
  const read = readOptions(call.words.slice(1), spec);
  const text = lastOption(read, '-c', '-C', '--command', '--session-command');
  if (text?.value !== undefined) {
    emit(walker, call, { program });
    return { printed: runCode(walker, call, { text: text.value, at: text.valueWord ?? text.word, within: `${program} -c`, chain: [...call.frame.chain, program] }) };
  }
  if (lastOption(read, '-u', '--user') !== undefined && read.operands.length > 0) {
    const words = call.words.slice(1 + readOptions(call.words.slice(1), { ...spec, leading: true }).rest);
    return { printed: walker.execute(inner(call, words, program)) };
  }
  return fromInput(walker, inner(call, call.words, program), program, []);
};

/** at and batch read commands for later. */
const later: Handler = (walker, call, program) => (call.frame.stdin.text === undefined && call.frame.stdin.from.length === 0 ? undefined : fromInput(walker, call, program, []));

/** `script -c` and its kind are wrappers; tmux and screen take a text or words. */
const terminal: Handler = (walker, call, program) => {
  emit(walker, call, { program });
  const args = call.words.slice(1);
  const at = args.findIndex(({ text }) => /^(?:new|new-session|neww|new-window|splitw|split-window|respawn-pane|run|run-shell|send|send-keys|popup|display-popup|if-shell|-X|-dmS?|stuff)$/.test(text));
  if (at === -1) return { printed: undefined };
  let from = at + 1;
  if (args[at]?.text.endsWith('S') === true) from++;
  // Options of the verb, most of them with a value: a name, a target, a format.
  while (from < args.length && args[from]?.text[0] === '-') from += /[stncxyFeS]$/.test(args[from]?.text ?? '') ? 2 : 1;
  const keys = args.slice(from).filter(({ text }) => !/^(?:Enter|C-m|C-[a-z]|\\n|KPEnter)$/.test(text));
  if (keys.length > 0) runCode(walker, call, { text: joined(keys), at: keys[0], within: program, chain: [...call.frame.chain, program] });
  return { printed: undefined };
};

export const SHELL_PROGRAMS: Readonly<Record<string, Handler>> = {
  ...Object.fromEntries(SHELLS.map((name) => [name, shell])),
  su: switchUser, runuser: switchUser, at: later, batch: later, tmux: terminal, screen: terminal,
};
