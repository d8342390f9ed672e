// Contract: programs that run another one for many operands: xargs, parallel, find -exec, fd -x. PURE.
// Operands that the line spells out are put in; where they come from elsewhere the chain says that there are more.
import { emit, inner, joined, quoteWord, runCode, type Call, type Handler } from './call.ts';
import { hasOption, lastOption, readOptions } from './options.ts';
import type { FullWord } from './state.ts';
import { PARALLEL, XARGS } from './wrappers.ts';

/** Operands from standard input that are put in; more are left to the chain. */
const OPERANDS_MAX = 64;

function inputWords(text: string, splitter: RegExp, at: FullWord): FullWord[] {
  return text.split(splitter).filter((part) => part !== '').slice(0, OPERANDS_MAX)
    .map((part) => ({ text: part.replace(/^(['"])(.*)\1$/, '$2'), start: at.start, end: at.end, dynamic: part.includes('$'), glob: false, quoted: true }));
}

function replaced(words: readonly FullWord[], mark: string, by: FullWord): FullWord[] {
  return words.map((word) => (word.text.includes(mark) ? { ...word, text: word.text.split(mark).join(by.text), dynamic: word.dynamic || by.dynamic, glob: word.glob || by.glob, ...(word.text === mark && by.from !== undefined ? { from: by.from } : {}), ...(word.text === mark && by.dynamic ? { whole: true } : {}) } : word));
}

function unknownOperand(call: Call, at: FullWord): FullWord {
  return { text: '$()', start: at.start, end: at.end, dynamic: true, glob: false, quoted: false, from: call.frame.stdin.from };
}

const xargs: Handler = (walker, call) => {
  const args = call.words.slice(1);
  const read = readOptions(args, XARGS);
  const words = args.slice(read.rest);
  const first = call.words[0] as FullWord;
  const { stdin } = call.frame;
  const mark = lastOption(read, '-I', '-i', '--replace');
  const zero = hasOption(read, '-0', '--null');
  const delimiter = lastOption(read, '-d', '--delimiter')?.value;
  if (words.length === 0 || hasOption(read, '--help', '--version')) { emit(walker, call, { program: 'xargs' }); return { printed: stdin.text }; }
  const known = stdin.text;
  const wrapped = inner({ ...call, frame: { ...call.frame, stdin: { from: stdin.from, text: undefined } } }, words, 'xargs');
  if (mark !== undefined) {
    const place = mark.value ?? '{}';
    const operands = known === undefined ? [unknownOperand(call, first)] : inputWords(known, zero ? /\0/ : /\n/, first);
    for (const operand of operands) walker.execute({ ...wrapped, words: replaced(words, place, operand) });
    return { printed: undefined };
  }
  const operands = known === undefined ? [] : inputWords(known, zero ? /\0/ : delimiter === undefined ? /\s+/ : delimiter === '\\n' ? /\n/ : new RegExp(`[${delimiter.replace(/[\]\\^-]/g, '\\$&')}\\n]`), first);
  return { printed: walker.execute({ ...wrapped, words: [...words, ...(known === undefined ? [unknownOperand(call, first)] : operands)] }) };
};

/** `parallel CMD ::: A B`, `parallel ::: 'CMD1' 'CMD2'`, and operands or commands from standard input. */
const parallel: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  const read = readOptions(args, PARALLEL);
  const first = call.words[0] as FullWord;
  const all = args.slice(read.rest);
  const colons = all.findIndex(({ text }) => /^:::\+?$|^::::\+?$/.test(text));
  const words = colons === -1 ? all : all.slice(0, colons);
  const listed = colons === -1 || all[colons]?.text.startsWith('::::') === true ? undefined : all.slice(colons + 1).filter(({ text }) => !text.startsWith(':::')).slice(0, OPERANDS_MAX);
  const { stdin } = call.frame;
  const operands = listed ?? (stdin.text === undefined ? [unknownOperand(call, first)] : inputWords(stdin.text, /\n/, first));
  emit(walker, call, { program, codeFrom: words.length === 0 ? stdin.from : [] });
  const chain = [...call.frame.chain, program];
  const quiet: Call = { ...call, frame: { ...call.frame, stdin: { from: stdin.from, text: undefined } } };
  for (const operand of operands) {
    const place = words.some(({ text }) => text.includes('{}'));
    const line = words.length === 0 ? operand.text : joined(place ? replaced(words, '{}', operand) : [...words, { ...operand, text: listed === undefined && !operand.dynamic ? quoteWord(operand) : operand.text }]);
    runCode(walker, quiet, { text: line, at: operand.start === first.start ? undefined : operand, within: program, chain });
  }
  return { printed: undefined };
};

const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir']);
/** Tests that leave out part of what is below the starting point. */
const FIND_TESTS = /^-(?:i?name|i?path|i?regex|i?wholename|i?lname|newer.*|[acm]min|[acm]time|size|empty|user|group|perm|inum|links|samefile|maxdepth|uid|gid|used|nouser|nogroup|executable|readable|writable|xtype)$/;

function startingPoints(args: readonly FullWord[], program: FullWord): { roots: readonly FullWord[]; end: number } {
  let begin = 0;
  while (/^-[HLPO]/.test(args[begin]?.text ?? '') || args[begin]?.text === '-D') begin += args[begin]?.text === '-D' ? 2 : 1;
  let end = begin;
  while (end < args.length && !/^[-(!]/.test(args[end]?.text ?? '')) end++;
  return { roots: end > begin ? args.slice(begin, end) : [{ ...program, text: '.' }], end };
}

/** What `{}` stands for: everything below the starting point, or some of it. */
function foundBelow(root: FullWord, chosen: boolean): FullWord {
  return chosen
    ? { ...root, text: `${root.text.replace(/\/$/, '')}/$()`, dynamic: true }
    : { ...root, text: root.text.endsWith('/') ? `${root.text}*` : `${root.text}/*`, glob: true };
}

const find: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  emit(walker, call, { program });
  const { roots, end } = startingPoints(args, call.words[0] as FullWord);
  const chosen = args.some(({ text }) => FIND_TESTS.test(text));
  for (let at = end; at < args.length; at++) {
    if (!FIND_ACTIONS.has(args[at]?.text ?? '')) continue;
    let stop = at + 1;
    while (stop < args.length && args[stop]?.text !== ';' && !(args[stop]?.text === '+' && args[stop - 1]?.text === '{}')) stop++;
    const words = args.slice(at + 1, stop);
    for (const root of roots.slice(0, 8)) {
      const found = foundBelow(root, chosen);
      if (words.length > 0) walker.execute(inner({ ...call, frame: { ...call.frame, stdin: { from: [], text: undefined } } }, replaced(words, '{}', found), program));
    }
    at = stop;
  }
  return { printed: undefined };
};

/** `fd PATTERN [PATH] -x CMD`: the pattern chooses. */
const fd: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  emit(walker, call, { program });
  const at = args.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text));
  const words = at === -1 ? [] : args.slice(at + 1).filter(({ text }) => text !== ';');
  if (words.length > 0) {
    const found = unknownOperand(call, call.words[0] as FullWord);
    const place = words.some(({ text }) => text.includes('{}'));
    walker.execute(inner(call, place ? replaced(words, '{}', found) : [...words, found], program));
  }
  return { printed: undefined };
};


export const SPREAD_PROGRAMS: Readonly<Record<string, Handler>> = { xargs, gxargs: xargs, parallel, find, gfind: find, fd, fdfind: fd };
