// Contract: which paths a command changes, and how: redirections, the programs that write, move, link, remove or change rights.
// One list serves every rule about files. PURE.
import { patchPaths } from '../../clients/patch-paths.ts';
import { baseName } from '../paths.ts';
import { readOptions, type OptionSpec, type OptionsRead } from '../shell/options.ts';
import type { Effective, Word } from '../types.ts';
import { findCall } from './find.ts';
import { has, isHelp, listed, onlyOf, option } from './options.ts';
import { withoutGlob } from './places.ts';

/**
 * `remove`, `move` (away), `mode` (rights or owner), `link` (replaced by a link), `append`, `write` (other content),
 * `edit` (part of the content), `copy` (other content from a file).
 */
export type How = 'remove' | 'move' | 'mode' | 'link' | 'append' | 'write' | 'edit' | 'copy' | 'extract';

export interface Write {
  readonly how: How;
  readonly word: Word;
  /** The path where it is not the whole word. */
  readonly text: string;
  /** The directory goes with everything in it. */
  readonly whole: boolean;
  /** Text that is known to be written. */
  readonly content?: readonly string[];
  /** The path is not known, only that it lies in or below `text`. */
  readonly inside?: boolean;
}

const NOWHERE: Word = { text: '', start: 0, end: 0, dynamic: false, glob: false, quoted: false };

function write(how: How, word: Word, more: Partial<Write> = {}): Write {
  return { how, word, text: withoutGlob(word), whole: false, ...more };
}

const each = (how: How, words: readonly Word[], more: Partial<Write> = {}): Write[] => words.map((word) => write(how, word, more));

/** Option values are no paths that are written. */
const SPECS: Readonly<Record<string, OptionSpec>> = {
  rm: { longs: 'force recursive dir verbose interactive? one-file-system no-preserve-root preserve-root? help version' },
  tee: { longs: 'append ignore-interrupts output-error? help version' },
  truncate: { valued: 'sr', longs: 'no-create io-blocks reference= size= help version' },
  shred: { valued: 'ns', longs: 'force iterations= random-source= size= remove? verbose exact zero help version' },
  cp: { valued: 'tS', longs: 'archive attributes-only backup? copy-contents force interactive link dereference no-clobber no-dereference no-target-directory one-file-system parents preserve? no-preserve= recursive reflink? remove-destination sparse= strip-trailing-slashes symbolic-link suffix= target-directory= update? verbose context? debug help version' },
  mv: { valued: 'tS', longs: 'backup? force interactive no-clobber no-target-directory strip-trailing-slashes suffix= target-directory= update? verbose context debug exchange no-copy help version' },
  ln: { valued: 'tS', longs: 'backup? directory force interactive logical no-dereference physical relative symbolic suffix= target-directory= no-target-directory verbose help version' },
  install: { valued: 'gmotS', longs: 'backup? compare directory group= mode= owner= preserve-timestamps strip strip-program= suffix= target-directory= no-target-directory verbose preserve-context context? help version' },
  rsync: { valued: 'efBTM', longs: 'rsh= filter= exclude= include= exclude-from= include-from= files-from= temp-dir= partial-dir= compare-dest= copy-dest= link-dest= log-file= log-file-format= password-file= bwlimit= max-size= min-size= out-format= port= rsync-path= suffix= backup-dir= block-size= timeout= contimeout= chmod= chown= usermap= groupmap= info= debug= delete delete-before delete-during delete-delay delete-after delete-excluded dry-run archive recursive verbose', exact: true },
  scp: { valued: 'cFiJloPSDX' },
  chmod: { longs: 'changes silent quiet verbose no-preserve-root preserve-root reference= recursive help version' },
  chown: { longs: 'changes silent quiet verbose dereference no-dereference from= no-preserve-root preserve-root reference= recursive help version' },
  tar: { valued: 'fCTXbgIKLNHV', longs: 'file= directory= files-from= exclude= exclude-from= strip-components= transform= one-top-level? to-command= use-compress-program= extract get list create append update overwrite overwrite-dir unlink-first keep-old-files gzip bzip2 xz zstd verbose keep-newer-files skip-old-files wildcards owner= group= mode= absolute-names same-permissions preserve-permissions' },
  unzip: { valued: 'dxP' },
  curl: {
    valued: 'oHdFuXAebcTYyzmwxKEQrtCDUP', exact: true,
    longs: 'output= header= data= data-binary= data-raw= data-ascii= data-urlencode= json= form= form-string= user= request= user-agent= referer= cookie= cookie-jar= upload-file= max-time= connect-timeout= write-out= proxy= config= cert= key= cacert= capath= retry= retry-delay= resolve= url= range= output-dir= dump-header= trace= trace-ascii= interface= limit-rate=',
  },
  wget: { valued: 'OoaiBtTwQPADRXUe', longs: 'output-document= output-file= append-output= input-file= directory-prefix= tries= timeout= user-agent= header= post-data= post-file= body-file= method= user= password= ca-certificate= execute= quiet no-verbose continue recursive no-check-certificate', exact: true },
  sed: { valued: 'efl', attached: 'i', longs: 'expression= file= in-place? quiet silent regexp-extended line-length= null-data zero-terminated separate follow-symlinks posix debug sandbox unbuffered' },
  patch: { valued: 'pioBdDFrVYzgx', longs: 'strip= input= output= directory= reverse dry-run' },
};

const reads = new WeakMap<Effective, OptionsRead>();

/** The options of a writing program; also used by rules about single programs. */
export function fileArgs(effective: Effective): OptionsRead {
  let read = reads.get(effective);
  if (read === undefined) {
    const { program, args } = effective;
    const spec = Object.prototype.hasOwnProperty.call(SPECS, program) ? SPECS[program] : undefined;
    reads.set(effective, read = readOptions(args, spec ?? {}));
  }
  return read;
}

function removeWrites(effective: Effective): Write[] {
  const args = fileArgs(effective);
  const recursive = has(args, '-r -R --recursive');
  return each('remove', args.operands, { whole: recursive });
}

/** cp, mv, ln, install, rsync, scp: the last operand, and what it becomes if that is a directory. */
function copyWrites(effective: Effective): Write[] {
  const { program } = effective;
  const args = fileArgs(effective);
  if (has(args, '-n --dry-run') && program === 'rsync') return [];
  const named = option(args, '-t --target-directory');
  const operands = args.operands;
  const target = named === undefined ? operands[operands.length - 1] : named.valueWord ?? { ...named.word, text: named.value ?? '' };
  if (program === 'install' && has(args, '-d --directory')) return [];
  if (target === undefined || (named === undefined && operands.length < 2)) return [];
  const place = target.text;
  const sources = operands.filter((word) => word !== target);
  // A copy of nothing empties the target.
  const how: How = program === 'ln' ? 'link' : sources.every(({ text }) => text === '/dev/null') ? 'write' : 'copy';
  const into = sources.map((source) => write(how, target, { text: `${place}/${baseName(source.text)}` }));
  const moved = program === 'mv' ? each('move', sources, { whole: true }) : [];
  return [write(how, target, { text: place }), ...into, ...moved];
}

/** sed and perl with -i: every operand that is not the script. */
function inPlaceWrites(effective: Effective): Write[] {
  const { program, args } = effective;
  const read = program === 'sed' ? fileArgs(effective) : readOptions(args, { valued: 'eEI', attached: 'iMm0lF', exact: true });
  if (!has(read, '-i --in-place')) return [];
  const scripted = option(read, '-e -E -f --expression --file') !== undefined;
  const scripts = read.options.filter(({ name }) => listed('-e -E --expression', name)).map(({ value }) => value ?? '');
  const files = scripted ? read.operands : read.operands.slice(1);
  const content = scripted ? scripts : [read.operands[0]?.text ?? ''];
  return each('edit', files, { content });
}

/** A mode that leaves every right where it is, or adds some. */
function onlyAdds(mode: string): boolean {
  if (mode === '') return false;
  for (const part of mode.split(',')) {
    let at = 0;
    while (at < part.length && 'ugoa'.includes(part[at] ?? '')) at++;
    if (part[at] !== '+' || part.slice(at).includes('-') || part.slice(at).includes('=')) return false;
  }
  return true;
}

/** Rights for owner with reading and execution, as hooks need them: `755`, `0700`. */
function keepsExecution(mode: string): boolean {
  const digits = mode.length === 4 ? mode.slice(1) : mode;
  return digits.length === 3 && (digits[0] === '7' || digits[0] === '5') && onlyOf(digits, '01234567');
}

const isMode = (text: string): boolean => text[0] === '-' && onlyOf(text, 'rwxXst,', 1);

function chmodWrites(effective: Effective): Write[] {
  // `chmod -x FILE` has its mode in the place of an option.
  const removing = effective.args.find(({ text }) => isMode(text));
  const args = readOptions(effective.args.filter((word) => word !== removing), SPECS['chmod'] ?? {});
  const mode = removing ?? args.operands[0];
  const files = removing === undefined && !has(args, '--reference') ? args.operands.slice(1) : args.operands;
  if (mode === undefined || onlyAdds(mode.text) || keepsExecution(mode.text)) return [];
  return each('mode', files, { whole: has(args, '-R --recursive') });
}

function ownerWrites(effective: Effective): Write[] {
  const args = fileArgs(effective);
  return each('mode', args.operands.slice(has(args, '--reference') ? 0 : 1), { whole: has(args, '-R --recursive') });
}

function tarWrites(effective: Effective): Write[] {
  const first = effective.args[0]?.text ?? '';
  // `tar xzf FILE -C DIR`: the old form has its letters without a dash.
  const old = first !== '' && first[0] !== '-' && [...first].every((c) => c >= 'A' && c <= 'z');
  const args = readOptions(old ? [{ ...(effective.args[0] ?? NOWHERE), text: `-${first.replaceAll('f', '')}` }, ...effective.args.slice(first.includes('f') ? 2 : 1)] : effective.args, SPECS['tar'] ?? {});
  if (has(args, '-t --list -c --create') || !has(args, '-x --extract --get')) return [];
  const into = option(args, '-C --directory');
  const word = into?.valueWord ?? into?.word ?? NOWHERE;
  return [write('extract', word, { text: into?.value ?? '.', inside: true })];
}

function curlWrites(effective: Effective): Write[] {
  const args = fileArgs(effective);
  const wanted = effective.program === 'wget' ? '-O --output-document' : '-o --output -D --dump-header -c --cookie-jar --trace';
  return args.options.filter(({ name, value }) => listed(wanted, name) && value !== undefined && value !== '-')
    .map(({ value, valueWord, word }) => write('copy', valueWord ?? word, { text: value ?? '' }));
}

type Writer = (effective: Effective) => Write[];

const WRITERS: Readonly<Record<string, Writer>> = {
  tee: (effective) => each(has(fileArgs(effective), '-a --append') ? 'append' : 'write', fileArgs(effective).operands, { content: effective.inputs }),
  sponge: (effective) => each(has(fileArgs(effective), '-a') ? 'append' : 'write', fileArgs(effective).operands, { content: effective.inputs }),
  truncate: (effective) => each('write', fileArgs(effective).operands),
  shred: (effective) => each('remove', fileArgs(effective).operands),
  unlink: (effective) => each('remove', fileArgs(effective).operands),
  rm: removeWrites,
  srm: removeWrites,
  wipe: removeWrites,
  trash: removeWrites,
  rimraf: (effective) => each('remove', fileArgs(effective).operands, { whole: true }),
  'trash-put': removeWrites,
  find: (effective) => {
    const found = findCall(effective);
    return found === undefined || found.action === undefined || found.narrow ? [] : each('remove', found.roots, { whole: true });
  },
  dd: ({ args }) => args.filter(({ text }) => text.startsWith('of=')).map((word) => write('write', word, { text: word.text.slice(3) })),
  sed: inPlaceWrites, gsed: inPlaceWrites, perl: inPlaceWrites,
  cp: copyWrites, mv: copyWrites, ln: copyWrites, install: copyWrites, rsync: copyWrites, scp: copyWrites,
  chmod: chmodWrites, chown: ownerWrites, chgrp: ownerWrites, chattr: ownerWrites, setfacl: ownerWrites, chflags: ownerWrites,
  tar: tarWrites, bsdtar: tarWrites,
  unzip: (effective) => {
    const into = option(fileArgs(effective), '-d');
    return has(fileArgs(effective), '-l -t -v -p -Z') ? [] : [write('extract', into?.valueWord ?? into?.word ?? NOWHERE, { text: into?.value ?? '.', inside: true })];
  },
  curl: curlWrites, wget: curlWrites,
  yq: (effective) => (has(fileArgs(effective), '-i --inplace') ? each('edit', fileArgs(effective).operands.slice(1), { content: fileArgs(effective).operands.slice(0, 1).map(({ text }) => text) }) : []),
  patch: (effective) => each('edit', fileArgs(effective).operands.slice(0, 1), { content: effective.inputs }),
  ed: (effective) => each('edit', fileArgs(effective).operands, { content: effective.inputs }),
  ex: (effective) => each('edit', fileArgs(effective).operands, { content: effective.inputs }),
  apply_patch: ({ args, command, inputs }) => [...args.map(({ text }) => text), ...inputs].flatMap((patch) =>
    patchPaths(patch).map((text) => write('edit', args[0] ?? command.words[0] ?? NOWHERE, { text, content: addedLines(patch) }))),
};

/** Names of programs that have an entry above. */
export const WRITING_PROGRAMS = Object.keys(WRITERS).join(' ');

/** The lines that a patch adds and removes. */
export function addedLines(patch: string): string[] {
  return patch.split('\n').filter((line) => line[0] === '+' || line[0] === '-');
}

function redirectWrites({ command, inputs, program }: Effective): Write[] {
  const out: Write[] = [];
  for (const redirect of command.redirects) {
    const { text } = redirect.target;
    if (!redirect.write || text === '-' || text === '' || isDescriptor(text)) continue;
    const appends = 'append' in redirect && redirect.append === true;
    out.push(write(appends ? 'append' : 'write', redirect.target, { text, content: program === 'cat' || program === '' ? inputs : printed(command.words) }));
  }
  return out;
}

/** What echo and printf print is what the redirection writes. */
function printed(words: readonly Word[]): string[] {
  const program = words[0]?.text ?? '';
  return program === 'echo' || program === 'printf' ? words.slice(1).map(({ text }) => text) : [];
}

function isDescriptor(text: string): boolean {
  return [...text].every((c) => c >= '0' && c <= '9');
}

/** GNU programs print their help or version and do nothing, wherever in front of `--` they are asked to. */
function onlyPrints(args: readonly Word[]): boolean {
  for (const { text } of args) {
    if (text === '--') return false;
    if (text === '--help' || text === '--version') return true;
  }
  return false;
}

const cache = new WeakMap<Effective, readonly Write[]>();

/** Everything that the command changes, as far as its words say. */
export function writesOf(effective: Effective): readonly Write[] {
  let found = cache.get(effective);
  if (found === undefined) {
    const { program, args } = effective;
    const writer = Object.prototype.hasOwnProperty.call(WRITERS, program) && !isHelp(args) && !onlyPrints(args) ? WRITERS[program] : undefined;
    const redirected = redirectWrites(effective);
    found = writer === undefined ? redirected : [...redirected, ...writer(effective)];
    cache.set(effective, found);
  }
  return found;
}
