// Contract: rules about files: recursive removal of what cannot be brought back, and writes to registrations, hooks and our
// own directories, by shell or by file tool. PURE. Reading is never judged.
import { patchPaths } from '../clients/patch-paths.ts';
import { baseName, fold, homeOfFacts, isWithin, normalise, resolvePath } from './paths.ts';
import { HOME_MARK, type Word } from './shell-types.ts';
import type { Effective, Match, Place, PolicyFacts, Rule } from './types.ts';

const RM_REASON = 'This removes a home directory, a system directory or a repository and cannot be undone. Name the files you mean, or ask the person.';
const OWN_REASON = 'This file belongs to praetorctl or registers its hooks. Ask the person to change it with praetorctl.';
const SHARED_REASON = 'This settings file also holds the registrations of praetorctl. A person must confirm the change.';
const HOOKS_REASON = 'This changes a git hook of the project. Ask the person to do it.';

const SYSTEM_DIRS = new Set([
  '/', '/bin', '/boot', '/dev', '/etc', '/home', '/lib', '/lib32', '/lib64', '/opt', '/proc', '/root', '/run', '/sbin', '/srv', '/sys', '/usr', '/var',
  '/usr/bin', '/usr/include', '/usr/lib', '/usr/lib64', '/usr/local', '/usr/local/bin', '/usr/local/lib', '/usr/sbin', '/usr/share', '/var/lib', '/var/log',
  '/Users', '/System', '/Library', '/Applications', '/Volumes', '/private', '/users', '/system', '/library', '/applications', '/volumes',
]);
const WINDOWS_DIRS = new Set(['windows', 'users', 'program files', 'program files (x86)', 'programdata']);

function isPrecious(path: string, facts: PolicyFacts): boolean {
  if (SYSTEM_DIRS.has(path)) return true;
  const home = homeOfFacts(facts);
  if (home !== undefined && home !== '/' && isWithin(home, path)) return true;
  if (path.length > 1 && path[1] === ':') return path.length === 2 || WINDOWS_DIRS.has(path.slice(3));
  return baseName(path) === '.git' && !isWithin(path, '/tmp') && !isWithin(path, '/var/tmp');
}

/** `DIR/*` empties DIR: the same as removing it. */
function withoutGlob(word: Word): string {
  if (!word.glob) return word.text;
  for (const tail of ['/*', '/.*']) if (word.text.endsWith(tail)) return word.text === tail ? '/' : word.text.slice(0, -tail.length);
  return word.text === '*' ? '.' : word.text;
}

function isLong(text: string, name: string, least: number): boolean {
  return text.startsWith('--') && text.length >= least + 2 && `--${name}`.startsWith(text);
}

function rmTargets({ args }: Effective): { recursive: boolean; targets: Word[] } {
  let recursive = false;
  let plain = false;
  const targets: Word[] = [];
  for (const word of args) {
    const text = word.text;
    if (plain || text.length < 2 || text[0] !== '-') targets.push(word);
    else if (text === '--') plain = true;
    else if (text === '--help' || text === '--version') return { recursive: false, targets: [] };
    else if (text.startsWith('--')) recursive ||= isLong(text, 'recursive', 1);
    else recursive ||= text.includes('r') || text.includes('R');
  }
  return { recursive, targets };
}

/** Home itself, also where it is not known which directory that is. */
function isHome(text: string): boolean {
  return text === HOME_MARK || text === `${HOME_MARK}/`;
}

function removal(effective: Effective, place: Place): Match | undefined {
  const { recursive, targets } = rmTargets(effective);
  if (!recursive) return undefined;
  const at = targets.find((word) => !word.dynamic && word.text !== '' && (isHome(withoutGlob(word)) || isPrecious(resolvePath(withoutGlob(word), place), place.facts)));
  return at === undefined ? undefined : { decision: 'deny', reason: RM_REASON, at };
}

// ---- writes to guarded places ----

type Level = 'own' | 'hooks' | 'shared' | 'git-hook';

/** Directories whose registrations can matter in this session: home, the workspace and what is above it, the place itself. */
function isRoot(root: string, place: Place): boolean {
  const { facts } = place;
  if (root === '?' || root === homeOfFacts(facts)) return true;
  if (place.cwd !== undefined && normalise(fold(place.cwd, facts.platform)) === root) return true;
  return facts.workspace === undefined || isWithin(normalise(fold(facts.workspace, facts.platform)), root === '' ? '/' : root);
}

/** What a write to `path` touches; `whole`: it takes the directory with everything in it. */
export function levelOf(path: string, whole: boolean, place: Place): Level | undefined {
  const { facts } = place;
  for (const raw of facts.ownPaths) {
    const own = normalise(fold(raw, facts.platform));
    if (isWithin(path, own) || (whole && isWithin(own, path))) return 'own';
  }
  let level: Level | undefined;
  for (const file of facts.guarded) {
    const tail = fold(file.path, facts.platform);
    const hit = path.endsWith(`/${tail}`) ? isRoot(path.slice(0, -tail.length - 1), place) : whole && holds(path, tail, place);
    if (hit && level !== 'hooks') level = file.level;
  }
  return level ?? (isGitHook(path) ? 'git-hook' : undefined);
}

/** True where removing or moving the directory `path` takes `<root>/<tail>` with it. */
function holds(path: string, tail: string, place: Place): boolean {
  for (let slash = tail.lastIndexOf('/'); slash > 0; slash = tail.lastIndexOf('/', slash - 1)) {
    const directory = `/${tail.slice(0, slash)}`;
    if (path.endsWith(directory) && isRoot(path.slice(0, -directory.length), place)) return true;
  }
  return false;
}

function isGitHook(path: string): boolean {
  const at = path.indexOf('/.git/hooks');
  if (at === -1 || path.endsWith('.sample')) return false;
  const next = path[at + '/.git/hooks'.length];
  return next === undefined || next === '/';
}

const MATCHES: Readonly<Record<Level, Match>> = {
  own: { decision: 'deny', reason: OWN_REASON },
  hooks: { decision: 'deny', reason: OWN_REASON },
  shared: { decision: 'ask', reason: SHARED_REASON },
  'git-hook': { decision: 'deny', reason: HOOKS_REASON },
};

interface Write { readonly word: Word; readonly whole: boolean; readonly text?: string }

function writeMatch(writes: readonly Write[], place: Place, wanted: (level: Level) => boolean): Match | undefined {
  let found: Match | undefined;
  for (const { word, whole, text } of writes) {
    const level = levelOf(resolvePath(text ?? withoutGlob(word), place), whole, place);
    if (level === undefined || !wanted(level)) continue;
    const match = { ...MATCHES[level], at: word };
    if (match.decision === 'deny') return match;
    found ??= match;
  }
  return found;
}

function operandsOf(args: readonly Word[], withValue: string): Word[] {
  const out: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (word.text === '--') return [...out, ...args.slice(at + 1)];
    if (word.text.length < 2 || word.text[0] !== '-') out.push(word);
    else if (!word.text.startsWith('--') && withValue.includes(word.text[word.text.length - 1] ?? ' ')) at++;
  }
  return out;
}

const plainWrites = (words: readonly Word[]): Write[] => words.map((word) => ({ word, whole: false }));

/** cp, mv, install, ln, rsync: the last operand, and what it becomes if that is a directory. */
function copyWrites({ program, args }: Effective): Write[] {
  const operands = operandsOf(args, 't');
  const inDirectory = args.findIndex(({ text }) => text === '-t' || text === '--target-directory');
  const attached = args.find(({ text }) => text.startsWith('--target-directory='));
  const target = inDirectory !== -1 ? args[inDirectory + 1] : attached ?? operands[operands.length - 1];
  if (target === undefined || (operands.length < 2 && target === operands[0])) return [];
  const place = attached === target ? target.text.slice('--target-directory='.length) : target.text;
  const sources = operands.filter((word) => word !== target);
  const into = sources.map((word) => ({ word: target, whole: false, text: `${place}/${baseName(word.text)}` }));
  const moved = program === 'mv' ? sources.map((word) => ({ word, whole: true })) : [];
  return [{ word: target, whole: false, text: place }, ...into, ...moved];
}

/** sed and perl with -i: every operand that is not the script. */
function inPlaceWrites({ args }: Effective): Write[] {
  const cluster = (letter: string) => args.some(({ text }) => text[0] === '-' && text[1] !== '-' && text.includes(letter));
  if (!cluster('i') && !args.some(({ text }) => text.startsWith('--in-place'))) return [];
  const scripted = cluster('e') || cluster('f') || args.some(({ text }) => text.startsWith('--expression') || text.startsWith('--file'));
  const operands = operandsOf(args, 'ef');
  return plainWrites(scripted ? operands : operands.slice(1));
}

/** chmod that only adds rights is harmless. */
function chmodWrites({ args }: Effective): Write[] {
  const operands = operandsOf(args.filter(({ text }) => !/^-[rwxXst,]+$/.test(text)), '');
  const removing = args.find(({ text }) => /^-[rwxXst]+$/.test(text));
  const mode = removing ?? operands[0];
  const files = removing === undefined ? operands.slice(1) : operands;
  if (mode === undefined || /^[ugoa]*\+/.test(mode.text) || /^[0-7]?[1357][0-7][0-7]$/.test(mode.text)) return [];
  return plainWrites(files);
}

const WRITERS: Readonly<Record<string, (effective: Effective) => Write[]>> = {
  tee: ({ args }) => plainWrites(operandsOf(args, '')),
  truncate: ({ args }) => plainWrites(operandsOf(args, 'sr')),
  shred: ({ args }) => plainWrites(operandsOf(args, 'ns')),
  unlink: ({ args }) => plainWrites(operandsOf(args, '')),
  rm: (effective) => {
    const { recursive, targets } = rmTargets(effective);
    return targets.map((word) => ({ word, whole: recursive }));
  },
  dd: ({ args }) => args.filter(({ text }) => text.startsWith('of=')).map((word) => ({ word, whole: false, text: word.text.slice(3) })),
  sed: inPlaceWrites,
  perl: inPlaceWrites,
  cp: copyWrites,
  mv: copyWrites,
  ln: copyWrites,
  install: copyWrites,
  rsync: copyWrites,
  chmod: chmodWrites,
  apply_patch: ({ args, command }) => [...args.map(({ text }) => text), ...command.input]
    .flatMap(patchPaths)
    .map((text) => ({ word: args[0] ?? command.words[0] ?? NOWHERE, whole: false, text })),
};

const NOWHERE: Word = { text: '', start: 0, end: 0, dynamic: false, glob: false, quoted: false };

function shellWrites(effective: Effective): Write[] {
  const redirected = effective.command.redirects
    .filter(({ write, target }) => write && target.text !== '-' && !/^\d+$/.test(target.text))
    .map(({ target }) => ({ word: target, whole: false }));
  const writer = Object.prototype.hasOwnProperty.call(WRITERS, effective.program) ? WRITERS[effective.program] : undefined;
  return writer === undefined ? redirected : [...redirected, ...writer(effective)];
}

const isGit = (level: Level): boolean => level === 'git-hook';
const isRegistration = (level: Level): boolean => level !== 'git-hook';

export const FILE_RULES: readonly Rule[] = [
  { id: 'fs.remove', pack: 'filesystem', level: 'deny', title: 'recursive removal of what cannot be brought back', reason: RM_REASON, programs: ['rm'], check: removal },
  { id: 'self.files', pack: 'self-protection', level: 'deny', title: 'writes to registrations and to files of praetorctl', reason: OWN_REASON, programs: Object.keys(WRITERS), also: 'redirects', check: (effective, place) => writeMatch(shellWrites(effective), place, isRegistration) },
  { id: 'git.hooks.file', pack: 'hook-bypass', level: 'deny', title: 'changes of git hook files', reason: HOOKS_REASON, programs: Object.keys(WRITERS), also: 'redirects', check: (effective, place) => writeMatch(shellWrites(effective), place, isGit) },
];

/** The same two rules for the paths of a file tool. */
export function pathMatch(path: string, place: Place): { rule: string; match: Match } | undefined {
  const level = levelOf(resolvePath(path, place), false, place);
  return level === undefined ? undefined : { rule: level === 'git-hook' ? 'git.hooks.file' : 'self.files', match: MATCHES[level] };
}
