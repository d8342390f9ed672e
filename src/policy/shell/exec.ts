// Contract: one simple command with its words expanded -> what it really runs. Wrappers are taken off one by one; texts that
// it runs as code are walked; the rest is emitted for the rules. PURE, bounded. Gives what the command prints, where known.
import { FORK_BOMB } from '../types.ts';
import { BUILTINS } from './builtins.ts';
import { assign, emit, fileKey, outputOf, programOf, quoteWord, unresolved, type Call, type Handled, type Reader } from './call.ts';
import { globPrograms, isCmdlet, isDecoder, isFetcher } from './known.ts';
import { peel } from './peel.ts';
import { handlerOf } from './programs.ts';
import type { FullWord } from './state.ts';
import { languages } from './langs.ts';

/** Wrappers around one command. */
export const WRAPPERS_MAX = 16;
const CALLS_DEEP_MAX = 12;

export function execute(walker: Reader, start: Call): string | undefined {
  let call = start;
  walker.meter.spend(1 + call.words.length);
  for (let layer = 0; layer < WRAPPERS_MAX; layer++) {
    const first = call.words[0];
    if (first === undefined) {
      if (call.assigns.length > 0 || call.command.redirects.length > 0 || call.command.input.length > 0) emit(walker, call, { program: '', path: '' });
      // `$(< file)` and `> file` print what they read.
      return call.frame.stdin.text ?? '';
    }
    const named = literalProgram(first);
    if (named === undefined) return unknownProgram(walker, call, first);
    const own = call.external === true ? undefined : ofShell(walker, call, first);
    if (own !== undefined) return own.printed;
    if (first.glob && !first.quoted) return globbed(walker, call, first);
    const program = programOf(named);
    if (isCmdlet(program)) return cmdlet(walker, call);
    const builtin = Object.prototype.hasOwnProperty.call(BUILTINS, program) ? BUILTINS[program]?.(walker, call, program) : undefined;
    if (builtin !== undefined) return builtin.printed;
    const written = writtenScript(walker, call, named);
    if (written !== undefined) return written.printed;
    const handled = handlerOf(program)?.(walker, call, program);
    if (handled !== undefined) return handled.printed;
    const inner = peel(walker, call, program);
    if (inner === undefined) return plain(walker, call, program, named);
    if (inner === 'done') return undefined;
    call = inner;
  }
  unresolved(walker, call, 'too many wrappers', true);
  return undefined;
}

/** `Remove-Item C:\x` in another shell: the words as written, for PowerShell keeps its backslashes. */
function cmdlet(walker: Reader, call: Call): undefined {
  const { frame, command } = call;
  languages().readPowerShell(walker, call, frame.source.slice(command.start, command.end), 'powershell line');
  return undefined;
}

/** The program's text where its base name is certain: `$DIR/rm` is rm. */
function literalProgram(word: FullWord): string | undefined {
  if (!word.dynamic) return word.text;
  const base = word.text.slice(word.text.lastIndexOf('/') + 1);
  return base !== '' && base !== word.text && !/[$\uE000\uE001]|^<\(\)$/.test(base) ? word.text : undefined;
}

/** Functions and aliases that the line defines. */
function ofShell(walker: Reader, call: Call, first: FullWord): Handled {
  const { env, frame } = call;
  const alias = first.quoted ? undefined : env.aliasOf(first.text);
  if (alias !== undefined && !walker.calling.includes(`alias ${first.text}`) && walker.calling.length < CALLS_DEEP_MAX) {
    walker.calling.push(`alias ${first.text}`);
    const text = [alias, ...call.words.slice(1).map(quoteWord)].join(' ');
    const out = walker.text(text, env, { ...frame, source: text, outer: frame.outer ?? call.span, within: 'alias', depth: frame.depth + 1 });
    walker.calling.pop();
    return { printed: out };
  }
  const found = env.function(first.text);
  if (found === undefined) return undefined;
  found.called = true;
  if (walker.calling.includes(found)) {
    if (frame.parallel && ++walker.spawns >= 2) emit(walker, call, { program: FORK_BOMB, path: first.text });
    return { printed: undefined };
  }
  if (walker.calling.length >= CALLS_DEEP_MAX) { unresolved(walker, call, 'functions call each other too deeply', true); return { printed: undefined }; }
  walker.calling.push(found);
  const spawns = walker.spawns;
  const { positional } = env;
  env.positional = call.words.slice(1);
  for (const word of call.assigns) assign(env, word, frame.conditional, true);
  const out = walker.functionBody(found.body, env, { ...frame, source: found.frame.source, outer: found.frame.outer, within: frame.within === '' ? found.frame.within : frame.within, depth: frame.depth + 1 });
  env.positional = positional;
  walker.spawns = spawns;
  walker.calling.pop();
  return { printed: out };
}

/** `./x.sh` where the line itself wrote x.sh. */
function writtenScript(walker: Reader, call: Call, path: string): Handled {
  if (!path.includes('/')) return undefined;
  const file = call.env.files.get(fileKey(path, call.cwd));
  if (file === undefined) return undefined;
  const shebang = file.text?.startsWith('#!') === true ? file.text.slice(2, file.text.indexOf('\n') === -1 ? undefined : file.text.indexOf('\n')).trim() : '/bin/sh';
  const interpreter = shebang.split(/\s+/).filter((part) => !part.endsWith('/env') && part[0] !== '-')[0] ?? '/bin/sh';
  const at = call.words[0] as FullWord;
  const words = [{ ...at, text: interpreter, dynamic: false }, at, ...call.words.slice(1)];
  return { printed: execute(walker, { ...call, words, external: true }) };
}

function plain(walker: Reader, call: Call, program: string, path: string): string | undefined {
  const effective = emit(walker, call, { program, path });
  return outputOf(call, effective, walker.facts.home);
}

/**
 * The program is an unknown word. An unset variable of the everyday (`$PYTHON`, `$EDITOR`) comes from the person's environment
 * and is judged by its words alone (evaluate.ts tries dangerous programs on them). It is a risk where the text was code that
 * somebody composed, or where its value was fetched or decoded.
 */
function unknownProgram(walker: Reader, call: Call, first: FullWord): undefined {
  const from = first.from ?? [];
  if (/^\$env:\w/i.test(call.frame.source.slice(call.command.start, call.command.start + 8))) return cmdlet(walker, call);
  const composed = call.frame.code && (call.words.length === 1 || call.frame.within === 'eval');
  const hidden = from.some((one) => isFetcher(one) || isDecoder(one));
  unresolved(walker, call, 'the program is not literal', composed || hidden, from);
  return undefined;
}

/** `/bin/r?`: every program that the rules know and that fits is tried. */
function globbed(walker: Reader, call: Call, first: FullWord): undefined {
  for (const program of globPrograms(programOf(first.text))) {
    execute(walker, { ...call, words: [{ ...first, text: program, glob: false }, ...call.words.slice(1)], external: true });
  }
  unresolved(walker, call, 'the program is a pattern', false);
  return undefined;
}

