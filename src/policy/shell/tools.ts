// Contract: other programs with a way to run a command: make, tar, rsync, editors. PURE.
import { emit, runCode, type Call, type Handler, type Reader } from './call.ts';
import { lastOption, readOptions } from './options.ts';
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

export const SELDOM_TOOLS: Readonly<Record<string, Handler>> = {
  make, gmake: make, tar, gtar: tar, bsdtar: tar, rsync, vim: editor, vi: editor, nvim: editor, ex: editor, view: editor, gvim: editor, emacs: editor, ed: editor,
};
