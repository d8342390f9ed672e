// Contract: commands of the shell itself that change what later commands of the line mean: directories, variables, positional
// parameters, aliases, and texts that run later. PURE. They are emitted for the rules as well.
import { PWD_MARK } from '../shell-types.ts';
import { printf } from './decode.ts';
import { assign, emit, fileKey, isAssignment, pathIn, quoteWord, unresolved, type Call, type Handled, type Handler, type Reader } from './call.ts';
import { isFetcher, printsSettings } from './known.ts';
import { readOptions } from './options.ts';
import { ALTERNATIVES_MAX, type Alt, type FullWord } from './state.ts';

const SILENT: Handled = { printed: '' };

/** Texts as code of the same shell: `eval`, `trap`, `source`. */
export function runText(walker: Reader, call: Call, text: string, within: string, positional?: readonly FullWord[]): string | undefined {
  const { env, frame } = call;
  const at = call.words[1] ?? call.words[0];
  const saved = env.positional;
  if (positional !== undefined) env.positional = positional;
  const out = walker.text(text, env, { ...frame, source: text, outer: frame.outer ?? (at === undefined ? call.span : [at.start, at.end]), within, depth: frame.depth + 1, code: true });
  env.positional = saved;
  return out;
}

const changeDirectory: Handler = (walker, call, program) => {
  emit(walker, call, { program });
  const target = call.words.slice(1).find(({ text }) => text === '-' || text[0] !== '-');
  const { env } = call;
  if (target === undefined) env.cwd = program === 'pushd' ? undefined : walker.facts.home;
  else if (target.text === '-' || /^[+]\d+$/.test(target.text)) env.cwd = undefined;
  else if (target.dynamic) env.cwd = undefined;
  else env.cwd = pathIn(walker, target.text, env.cwd);
  return SILENT;
};

const declare: Handler = (walker, call, program) => {
  const options = call.words.slice(1).filter(({ text }) => text[0] === '-');
  const exported = program === 'export' || options.some(({ text }) => text.includes('x'));
  const indirect = options.some(({ text }) => text.includes('n') && program !== 'export');
  for (const word of call.words.slice(1)) {
    if (isAssignment(word.text)) {
      const array = call.env.get(word.text.slice(0, word.text.indexOf('=')))?.items;
      if (array !== undefined && word.text.endsWith('=') && word.dynamic) continue;
      assign(call.env, indirect ? { ...word, dynamic: true } : word, call.frame.conditional, exported);
    } else if (exported && !word.dynamic && word.text[0] !== '-') call.env.export(word.text);
  }
  emit(walker, call, { program });
  return SILENT;
};

const read: Handler = (walker, call, program) => {
  const { env, frame } = call;
  const { options, operands } = readOptions(call.words.slice(1), { valued: 'adinNptu' });
  const array = options.find(({ name }) => name === '-a')?.value;
  const lines = frame.stdin.text?.replace(/\n$/, '').split('\n').slice(0, ALTERNATIVES_MAX) ?? [];
  const names = operands.length > 0 ? operands.map(({ text }) => text) : ['REPLY'];
  const from = frame.stdin.from;
  if (array !== undefined) {
    const items = lines[0]?.trim().split(/[ \t]+/).map((text): Alt => ({ text, dynamic: text.includes('$') }));
    env.set(array, { alts: [items?.[0] ?? { text: `$${array}`, dynamic: true }], from, exported: false, ...(items === undefined ? {} : { items }) }, frame.conditional);
  }
  const rows = lines.map((line) => line.trim().split(/[ \t]+/));
  names.forEach((name, at) => {
    const alts = rows.map((row): Alt => {
      const text = at === names.length - 1 ? row.slice(at).join(' ') : row[at] ?? '';
      return { text, dynamic: text.includes('$') };
    });
    env.set(name, { alts: alts.length > 0 ? alts : [{ text: `$${name}`, dynamic: true }], from, exported: false }, frame.conditional);
  });
  emit(walker, call, { program });
  return SILENT;
};

const print: Handler = (_walker, call) => {
  const [, option, name, format, ...args] = call.words;
  if (option?.text !== '-v' || name === undefined || format === undefined) return undefined;
  const text = [format, ...args].some(({ dynamic }) => dynamic) ? undefined : printf(format.text, args.map((word) => word.text));
  call.env.set(name.text, { alts: [text === undefined ? { text: `$${name.text}`, dynamic: true } : { text, dynamic: false }], from: args.flatMap(({ from }) => from ?? []), exported: false }, call.frame.conditional);
  return SILENT;
};

const setParameters: Handler = (walker, call, program) => {
  const words = call.words.slice(1);
  const dashes = words.findIndex(({ text }) => text === '--');
  if (dashes !== -1) call.env.positional = words.slice(dashes + 1);
  else if (words[0] !== undefined && !/^[-+]/.test(words[0].text)) call.env.positional = words;
  emit(walker, call, { program });
  return SILENT;
};

const shift: Handler = (_walker, call) => {
  const count = Number(call.words[1]?.text ?? '1');
  call.env.positional = Number.isInteger(count) ? call.env.positional?.slice(count) : undefined;
  return SILENT;
};

const evaluate: Handler = (walker, call, program) => {
  const words = call.words[1]?.text === '--' ? call.words.slice(2) : call.words.slice(1);
  const codeFrom = words.flatMap(({ from }) => from ?? []);
  emit(walker, call, { program, codeFrom });
  if (words.length === 0) return SILENT;
  const text = words.map((word) => word.text).join(' ');
  const unknown = words.every((word) => word.whole === true) || text.trimStart().startsWith('$()');
  if (!unknown) return { printed: runText(walker, call, text, 'eval') };
  const settings = codeFrom.length > 0 && codeFrom.every((one) => printsSettings(one));
  unresolved(walker, call, 'unknown text is run as code', !settings, codeFrom);
  return { printed: undefined };
};

const source: Handler = (walker, call, program) => {
  const [, file, ...args] = call.words;
  const written = file === undefined || file.dynamic ? undefined : call.env.files.get(fileKey(file.text, call.cwd));
  const input = file !== undefined && /^(?:\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(file.text) ? call.frame.stdin : undefined;
  const codeFrom = [...(file?.from ?? []), ...(written?.from ?? []), ...(input?.from ?? [])];
  emit(walker, call, { program, codeFrom });
  const text = file?.content ?? written?.text ?? input?.text;
  if (text !== undefined) return { printed: runText(walker, call, text, 'source', args.length > 0 ? args : undefined) };
  if (file?.text === '<()' || input !== undefined || codeFrom.some((one) => isFetcher(one))) {
    const settings = codeFrom.length > 0 && codeFrom.every((one) => printsSettings(one));
    unresolved(walker, call, 'unknown text is run as code', !settings, codeFrom);
  }
  return { printed: undefined };
};

const alias: Handler = (walker, call, program) => {
  for (const { text } of call.words.slice(1)) {
    const equals = text.indexOf('=');
    if (equals > 0) call.env.alias(text.slice(0, equals), text.slice(equals + 1));
  }
  emit(walker, call, { program });
  return SILENT;
};

const trap: Handler = (walker, call, program) => {
  const words = call.words.slice(1).filter(({ text }) => text !== '--');
  const [text] = words;
  emit(walker, call, { program });
  if (text !== undefined && words.length > 1 && text.text !== '-' && text.text !== '' && !/^-[lp]$/.test(text.text)) runText(walker, { ...call, env: call.env.fork() }, text.text, 'trap');
  return SILENT;
};

const command: Handler = (walker, call) => {
  const next = call.words[1];
  if (next === undefined) return SILENT;
  if (/^-[pvV]*[vV]/.test(next.text)) return undefined;
  const rest = call.words.slice(next.text === '-p' || next.text === '--' ? 2 : 1);
  return { printed: walker.execute({ ...call, words: rest, external: true }) };
};

/** `hash -p /bin/rm x` makes x another name of rm. */
const hash: Handler = (walker, call, program) => {
  const { options, operands } = readOptions(call.words.slice(1), { valued: 'p' });
  const path = options.find(({ name }) => name === '-p')?.value;
  if (path !== undefined && operands[0] !== undefined) call.env.alias(operands[0].text, quoteWord({ ...operands[0], text: path }));
  emit(walker, call, { program });
  return SILENT;
};

const unset: Handler = (walker, call, program) => {
  for (const { text, dynamic } of call.words.slice(1)) if (!dynamic && text[0] !== '-') call.env.unset(text);
  emit(walker, call, { program });
  return SILENT;
};

const lines: Handler = (walker, call, program) => {
  const { operands } = readOptions(call.words.slice(1), { valued: 'dnOsuCc' });
  const name = operands[0]?.text ?? 'MAPFILE';
  const items = call.frame.stdin.text?.replace(/\n$/, '').split('\n').slice(0, 64).map((text): Alt => ({ text, dynamic: text.includes('$') }));
  call.env.set(name, { alts: [items?.[0] ?? { text: `$${name}`, dynamic: true }], from: call.frame.stdin.from, exported: false, ...(items === undefined ? {} : { items }) }, call.frame.conditional);
  emit(walker, call, { program });
  return SILENT;
};

export const BUILTINS: Readonly<Record<string, Handler>> = {
  cd: changeDirectory, chdir: changeDirectory, pushd: changeDirectory,
  popd: (walker, call, program) => { call.env.cwd = undefined; emit(walker, call, { program }); return SILENT; },
  export: declare, declare, typeset: declare, local: declare, readonly: declare,
  read, printf: print, set: setParameters, shift, eval: evaluate, source, '.': source, alias, trap, command, builtin: command, hash, unset, mapfile: lines, readarray: lines,
  pwd: (walker, call, program) => { emit(walker, call, { program }); return { printed: `${call.cwd ?? PWD_MARK}\n` }; },
};
