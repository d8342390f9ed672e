// Contract: takes one wrapper (sudo, env, timeout, npx, ...) off a command, by the table in wrappers.ts. PURE.
// Gives the inner call; `done` where its texts were read as code; undefined where the program wraps nothing here.
import { emit, inner, isAssignment, joined, pathIn, runCode, type Call, type Reader } from './call.ts';
import { lastOption, readOptions, type OptionsRead } from './options.ts';
import type { FullWord } from './state.ts';
import { KEPT, wrapperOf, type WrapperRow } from './wrappers.ts';

export function peel(walker: Reader, call: Call, program: string): Call | 'done' | undefined {
  const row = wrapperOf(program);
  if (row === undefined) return undefined;
  const args = row.verbs.length === 0 ? call.words.slice(1) : behindVerb(call.words.slice(1), row.verbs);
  if (args === undefined) return undefined;
  const read = readOptions(args, row.spec);
  if (lastOption(read, ...row.idle) !== undefined) return undefined;
  const split = program === 'env' ? lastOption(read, '-S', '--split-string') : undefined;
  if (split?.value !== undefined) {
    const at = split.valueWord ?? split.word;
    const words = walker.wordsOf(split.value, call.env, call.frame).map((word) => ({ ...word, start: at.start, end: at.end }));
    return command(walker, call, program, row, read, [...words, ...args.slice(read.rest)]);
  }
  if (runTexts(walker, call, program, row, read)) return 'done';
  return command(walker, call, program, row, read, args.slice(read.rest + row.skip));
}

function behindVerb(args: readonly FullWord[], verbs: readonly string[]): readonly FullWord[] | undefined {
  const at = args.findIndex(({ text }) => text[0] !== '-');
  const verb = args[at]?.text ?? '';
  if (at === -1 || !verbs.includes(verb)) return undefined;
  // `uv tool run`: the second verb counts as well.
  if (verb === 'tool') return args[at + 1]?.text === 'run' ? args.slice(at + 2) : undefined;
  return args.slice(at + 1);
}

/** Options whose values are command texts. */
function runTexts(walker: Reader, call: Call, program: string, row: WrapperRow, read: OptionsRead): boolean {
  const texts = read.options.filter(({ name, value }) => value !== undefined && row.texts.includes(name));
  if (texts.length === 0) return false;
  emit(walker, call, { program });
  for (const { value, word, valueWord } of texts) runCode(walker, call, { text: value ?? '', at: valueWord ?? word, within: program, chain: [...call.frame.chain, program] });
  return !row.joined;
}

function command(walker: Reader, call: Call, program: string, row: WrapperRow, read: OptionsRead, given: readonly FullWord[]): Call | 'done' | undefined {
  let words = given;
  const assigns = [...call.assigns];
  if (row.assigns) {
    let at = 0;
    for (let word = words[0]; word !== undefined && isAssignment(word.text); word = words[++at]) assigns.push(word);
    words = words.slice(at);
  }
  const chdir = lastOption(read, ...row.chdir);
  const cwd = chdir?.value === undefined ? call.cwd : chdir.valueWord?.dynamic === true ? undefined : pathIn(walker, chdir.value, call.cwd);
  const first = words[0];
  if (first === undefined) {
    const shell = lastOption(read, ...row.shells) !== undefined;
    const at = call.words[0];
    return shell && at !== undefined ? inner(call, [{ ...at, text: 'sh', dynamic: false }], program, { assigns, cwd }) : undefined;
  }
  const text = row.texts.includes(first.text) ? words[1] : undefined;
  if (text !== undefined) {
    runCode(walker, { ...call, assigns, cwd }, { text: text.text, at: text, within: program, chain: [...call.frame.chain, program] });
    return 'done';
  }
  if (row.joined && lastOption(read, '-x', '--exec') === undefined) {
    const together = program === 'watch' || program === 'cross-env-shell';
    for (const source of together ? [joined(words)] : words.map((word) => word.text)) runCode(walker, { ...call, assigns, cwd }, { text: source, at: first, within: program, chain: [...call.frame.chain, program] });
    return 'done';
  }
  if (KEPT.has(program)) emit(walker, call, { program });
  // `npx husky@8 uninstall`: the version is no part of the program's name.
  const versioned = /^npx$|^bunx$|^pnpx$|^uvx$|^npm$|^pnpm$|^yarn$|^bun$|^pipx$/.test(program) ? first.text.replace(/(.)(?:@|==)[^/]*$/, '$1') : first.text;
  return inner(call, [{ ...first, text: versioned }, ...words.slice(1)], program, { assigns, cwd });
}

