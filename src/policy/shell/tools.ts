// Contract: other programs with a way to run a command: make, tar, rsync, editors, curl and wget as writers of files. PURE.
import { emit, fileKey, runCode, type Call, type Handler, type Reader } from './call.ts';
import { lastOption, readOptions, type OptionSpec } from './options.ts';
import type { FullWord } from './state.ts';

function text(walker: Reader, call: Call, source: string, at: FullWord | undefined, program: string): void {
  if (source.trim() !== '') runCode(walker, call, { text: source, at, within: program, chain: [...call.frame.chain, program] });
}

const make: Handler = (walker, call, program) => {
  emit(walker, call, { program });
  for (const word of call.words.slice(1)) {
    const found = /^(?:SHELL|MAKE|\.SHELLFLAGS)=(.*)$/s.exec(word.text);
    if (found !== null) text(walker, call, found[1] ?? '', word, program);
    const recipe = /^--eval=(.*)$/s.exec(word.text)?.[1];
    if (recipe !== undefined) for (const shell of recipe.matchAll(/\$\(shell ([^)]*)\)/g)) text(walker, call, shell[1] ?? '', word, program);
  }
  return { printed: undefined };
};

const tar: Handler = (walker, call, program) => {
  emit(walker, call, { program });
  const read = readOptions(call.words.slice(1), { valued: 'fCTXIFbgHVKNL', longs: 'checkpoint? checkpoint-action= to-command= use-compress-program= info-script= new-volume-script= rsh-command= rmt-command= file= directory= files-from= exclude=' });
  for (const { name, value = '', word, valueWord } of read.options) {
    const at = (valueWord ?? word) as FullWord;
    if (name === '--checkpoint-action' && value.startsWith('exec=')) text(walker, call, value.slice(5), at, program);
    else if (/^(?:--to-command|--use-compress-program|--info-script|--new-volume-script|--rsh-command|--rmt-command|-I|-F)$/.test(name)) text(walker, call, value, at, program);
  }
  return { printed: undefined };
};

const rsync: Handler = (walker, call, program) => {
  emit(walker, call, { program });
  const read = readOptions(call.words.slice(1), { valued: 'efTBM', longs: 'rsh= rsync-path= filter= exclude= include= files-from= temp-dir= log-file= password-file= port= chmod= chown= out-format= compare-dest= copy-dest= link-dest= backup-dir= suffix= partial-dir= bwlimit= timeout= max-size= min-size= info= debug=' });
  const rsh = lastOption(read, '-e', '--rsh');
  if (rsh?.value !== undefined) text(walker, call, rsh.value, (rsh.valueWord ?? rsh.word) as FullWord, program);
  return { printed: undefined };
};

/** `vim -c '!CMD'`, `+'!CMD'`, `ex -s -c ':silent !CMD'`, and `system("CMD")`. */
const editor: Handler = (walker, call, program) => {
  emit(walker, call, { program });
  const args = call.words.slice(1);
  args.forEach((word, at) => {
    const before = args[at - 1]?.text ?? '';
    const source = /^(?:-c|--cmd|-S)$/.test(before) ? word.text : word.text[0] === '+' ? word.text.slice(1) : /^(?:-c|--cmd=)./.test(word.text) ? word.text.replace(/^(?:-c|--cmd=)/, '') : undefined;
    if (source === undefined) return;
    const bang = /^[\s:]*(?:silent!?\s+|sil!?\s+|exe(?:cute)?\s+['"])?(?:[%.,$\d]*|r(?:ead)?\s*|w(?:rite)?\s*)!(?!=)\s*(.+)$/s.exec(source)?.[1];
    if (bang !== undefined) text(walker, call, bang.replace(/['"]$/, ''), word, program);
    for (const found of source.matchAll(/\b(?:system|systemlist|shell-command|call-process-shell-command|jobstart|termopen|os\.execute|io\.popen)\s*\(?\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g)) text(walker, call, (found[1] ?? found[2] ?? '').replace(/\\(["\\])/g, '$1'), word, program);
  });
  return { printed: undefined };
};

const CURL: OptionSpec = { valued: 'oHdXuAebcFTmTxyYzEKQrtwDCUP', longs: 'output= header= data= request= user= user-agent= remote-name location silent fail show-error url= output-dir=' };
const WGET: OptionSpec = { valued: 'OPoaieUtTwQlARDIXBS', longs: 'output-document= directory-prefix= header= user= password= quiet no-check-certificate post-data= output-file=' };

/** What is fetched into a file is remembered, so that running the file says where it came from. */
const fetch: Handler = (walker, call, program) => {
  const effective = emit(walker, call, { program });
  const read = readOptions(call.words.slice(1), program === 'wget' ? WGET : CURL);
  const named = lastOption(read, '-o', '--output', '-O', '--output-document');
  const url = read.operands.find((word) => /:\/\/|\./.test(word.text));
  const base = url?.text.replace(/[?#].*$/, '').split('/').pop();
  const file = program === 'wget' ? named?.value ?? base : named?.name === '-O' || lastOption(read, '--remote-name') !== undefined ? base : named?.value;
  if (file !== undefined && file !== '-' && file !== '') call.env.files.set(fileKey(file, call.cwd), { text: undefined, from: [effective] });
  return { printed: undefined };
};

/** `tee FILE`, `cp A B`, `mv A B`: what is known of a file's text goes along. */
const copy: Handler = (walker, call, program) => {
  emit(walker, call, { program });
  const { operands } = readOptions(call.words.slice(1), { valued: 'tSm' });
  const { env, cwd, frame } = call;
  if (program === 'tee') {
    for (const word of operands) if (!word.dynamic) env.files.set(fileKey(word.text, cwd), { text: frame.stdin.text, from: frame.stdin.from });
    return { printed: frame.stdin.text };
  }
  const [from, to] = operands;
  const known = from === undefined || operands.length !== 2 ? undefined : env.files.get(fileKey(from.text, cwd));
  if (known !== undefined && to !== undefined && !to.dynamic) env.files.set(fileKey(to.text, cwd), known);
  return { printed: '' };
};

export const TOOL_PROGRAMS: Readonly<Record<string, Handler>> = {
  make, gmake: make, tar, gtar: tar, bsdtar: tar, rsync, vim: editor, vi: editor, nvim: editor, ex: editor, view: editor, gvim: editor, emacs: editor, ed: editor,
  curl: fetch, wget: fetch, tee: copy, cp: copy, mv: copy, install: copy,
};
