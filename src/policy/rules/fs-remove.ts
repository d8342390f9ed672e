// Contract: rules about removal that cannot be undone: whole directories of the system, of a person, of the project. PURE.
import { resolvePath } from '../paths.ts';
import { HOME_MARK } from '../shell-types.ts';
import type { Effective, Hit, Place, Rule, Word } from '../types.ts';
import { findCall, type FindCall } from './find.ts';
import { head, rule, type Check } from './kit.ts';
import { listed } from './options.ts';
import { isTopDirectory, kindOf, kindOfText, kindOfWord, localPath, withoutGlob, type Kind } from './places.ts';
import { writesOf, WRITING_PROGRAMS, type Write } from './writes.ts';

const PACK = 'filesystem';
const REMOVING = 'rm srm wipe trash trash-put rimraf find shred unlink mv';

/** Directories that a command takes away as a whole, by rm, find or mv. */
interface Taken { readonly word: Word; readonly text: string; readonly how: 'remove' | 'move' | 'find'; readonly find?: FindCall }

function findTaken(effective: Effective): readonly Taken[] {
  const { program } = effective;
  if (program === 'find') {
    const find = findCall(effective);
    if (find === undefined || find.action === undefined) return [];
    return find.roots.map((word) => ({ word, text: withoutGlob(word), how: 'find' as const, find }));
  }
  const taken: Taken[] = writesOf(effective).filter(({ how, whole }) => whole && (how === 'remove' || how === 'move'))
    .map(({ word, text, how }) => ({ word, text, how: how === 'move' ? 'move' as const : 'remove' as const }));
  return effective.chain.includes('xargs') && (program === 'rm' || program === 'rimraf') ? [...taken, ...fed(effective)] : taken;
}

/** Programs in a pipe that leave something out. */
const FILTERS = 'grep egrep fgrep rg head tail awk gawk sed fzf jq cut uniq comm sort';

/** `echo / | xargs rm -rf`, `find ~ | xargs rm`: what the line itself prints or lists is removed. */
function fed(effective: Effective): readonly Taken[] {
  const { args, pipedFrom, inputs } = effective;
  const word = args[0] ?? effective.command.words[0];
  const recursive = effective.program === 'rimraf' || args.some(({ text }) => text[0] === '-' && (text.includes('r') || text.includes('R')));
  if (word === undefined) return [];
  const taken: Taken[] = [];
  if (recursive) for (const text of inputs) for (const one of text.split(/\s+/u)) if (one !== '') taken.push({ word, text: one === '~' ? HOME_MARK : one, how: 'remove' });
  if (pipedFrom.some(({ program }) => listed(FILTERS, program) && program !== 'sort')) return taken;
  for (const one of pipedFrom) {
    if (one.program === 'find') {
      const find = findCall(one);
      if (find !== undefined) taken.push(...find.roots.map((root) => ({ word, text: withoutGlob(root), how: 'find' as const, find })));
    } else if (recursive && listed('ls dir fd fdfind', one.program)) {
      const operands = one.args.filter(({ text }) => text[0] !== '-');
      if (one.program !== 'fd' && one.program !== 'fdfind') taken.push(...(operands.length === 0 ? [{ word, text: '.', how: 'remove' as const }] : operands.map((operand) => ({ word, text: withoutGlob(operand), how: 'remove' as const }))));
    }
  }
  return taken;
}

/** What is taken, and what each of it is. Five rules ask, the answer is the same. */
interface Known { readonly taken: Taken; readonly kind: Kind | undefined }
const known = new WeakMap<Effective, readonly Known[]>();

function takenBy(effective: Effective, place: Place): readonly Known[] {
  let found = known.get(effective);
  if (found === undefined) {
    found = findTaken(effective).map((taken) => ({ taken, kind: taken.word.dynamic && taken.text === taken.word.text ? undefined : kindOfText(taken.text, place) }));
    known.set(effective, found);
  }
  return found;
}

function firstOf(effective: Effective, place: Place, wanted: (kind: Kind, taken: Taken) => Hit | undefined): Hit | undefined {
  let weak: Hit | undefined;
  for (const { taken, kind } of takenBy(effective, place)) {
    const hit = kind === undefined ? undefined : wanted(kind, taken);
    if (hit === undefined) continue;
    if (hit.decision !== 'ask') return hit;
    weak ??= hit;
  }
  return weak;
}

const isPrecious = (kind: Kind): boolean => kind === 'root' || kind === 'system' || kind === 'home' || kind === 'private';

const precious: Check = (effective, place) => firstOf(effective, place, (kind, { word, text, how, find }) => {
  if (!isPrecious(kind)) return undefined;
  if (how === 'move' && kind === 'system') {
    const path = localPath(text, place) ?? '';
    if (!isTopDirectory(path) && !isVital(path)) return { at: word, decision: 'ask' };
  }
  // A find that names what it looks for is narrower; on such a directory a person still decides.
  return find?.narrow === true ? { at: word, decision: 'ask' } : { at: word };
});

const workspace: Check = (effective, place) => firstOf(effective, place, (kind, { word, find }) => (kind === 'workspace' && find?.narrow !== true ? { at: word } : undefined));

const homeEntry: Check = (effective, place) => firstOf(effective, place, (kind, { word, find, how }) => (kind === 'home-entry' && find?.narrow !== true && how !== 'move' ? { at: word } : undefined));

const repository: Check = (effective, place) => {
  const hit = firstOf(effective, place, (kind, { word, find }) => (kind === 'repository' && find?.narrow !== true ? { at: word } : undefined));
  if (hit !== undefined) return hit;
  const named = effective.program === 'find' ? findCall(effective) : undefined;
  if (named?.action !== undefined && named.names.some((name) => name === '.git' || name.endsWith('/.git'))) return { at: named.action };
  const inside = writesOf(effective).find(({ how, whole, text }) => whole && how === 'remove' && isRepositoryPart(text));
  return inside === undefined ? undefined : { at: inside.word };
};

/** Parts of a repository without which it is none. */
function isRepositoryPart(text: string): boolean {
  const path = text.endsWith('/') ? text.slice(0, -1) : text;
  for (const part of ['.git/objects', '.git/refs', '.git/refs/heads', '.git/logs', '.git/HEAD']) if (path === part || path.endsWith(`/${part}`)) return true;
  return false;
}

// ---- paths that are known only when the command runs ----

/** What stays of `$X/*` or `${X}/` when the variable is empty; undefined where it cannot be the root. */
function emptyTail(text: string): string | undefined {
  let at = 0;
  while (text[at] === '$') {
    if (text[at + 1] === '{') {
      const close = text.indexOf('}', at);
      const inner = close === -1 ? '' : text.slice(at + 2, close);
      // `${X:?}` fails where X is empty.
      if (close === -1 || inner.includes(':?') || inner.includes('?')) return undefined;
      at = close + 1;
    } else if (text.startsWith('$(', at)) {
      const close = text.indexOf(')', at);
      if (close === -1) return undefined;
      at = close + 1;
    } else {
      at++;
      while (at < text.length && isNameChar(text[at] ?? '')) at++;
    }
    if (text[at] !== '$') break;
  }
  return at === 0 ? undefined : text.slice(at);
}

function isNameChar(c: string): boolean {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c === '_';
}

/** `${X:-/}` and `${X-~}`: the word that is used where X is empty. */
function fallback(text: string): string | undefined {
  if (!text.startsWith('${')) return undefined;
  const close = text.lastIndexOf('}');
  const dash = text.indexOf('-');
  if (close === -1 || dash === -1 || dash > close) return undefined;
  return text.slice(dash + 1, close) + text.slice(close + 1);
}

function variable({ word, text }: Taken, place: Place): Hit | undefined {
  if (!word.dynamic) return undefined;
  const otherwise = fallback(text);
  if (otherwise !== undefined && otherwise !== '') {
    const kind = kindOfText(otherwise, place);
    return kind !== undefined && kind !== 'home-entry' ? { at: word } : undefined;
  }
  const raw = word.text;
  const tail = emptyTail(raw);
  if (tail === undefined || tail === '') return undefined;
  if (tail === '/*' || tail === '/.*' || tail === '/**') return raw.startsWith('$(') ? { at: word, decision: 'ask' } : { at: word };
  if (tail === '/') return { at: word, decision: 'ask' };
  const kind = kindOf(resolvePath(tail, place), place);
  return tail[0] === '/' && kind !== undefined && isPrecious(kind) && !raw.startsWith('$(') ? { at: word, decision: 'ask' } : undefined;
}

const dynamicRemoval: Check = (effective, place) => {
  let weak: Hit | undefined;
  for (const { taken } of takenBy(effective, place)) {
    if (taken.how === 'move') continue;
    const hit = variable(taken, place);
    if (hit?.decision === 'ask') weak ??= hit;
    else if (hit !== undefined) return hit;
  }
  return weak;
};

// ---- single files, moves, copies that delete ----

/** Files whose loss locks people out or breaks the machine; removal of one is enough. */
const systemFile: Check = (effective, place) => {
  const found = writesOf(effective).find(({ how, word, whole }) => (how === 'remove' || how === 'move') && !whole && kindOfWord(word, place) === 'system')
    ?? (effective.program === 'mv' ? undefined : writesOf(effective).find(({ how, word, whole }) => how === 'remove' && !whole && kindOfWord(word, place) === 'root'));
  if (found === undefined) return undefined;
  return effective.program === 'shred' || isVital(resolvePath(found.text, place)) ? { at: found.word } : { at: found.word, decision: 'ask' };
};

const VITAL = ' passwd shadow group gshadow hosts fstab sudoers resolv.conf hostname ld.so.conf ld.so.preload profile bash.bashrc crontab machine-id nsswitch.conf shells environment ';

export function isVital(path: string): boolean {
  for (const tree of ['/bin/', '/sbin/', '/boot/', '/lib/', '/lib64/', '/usr/bin/', '/usr/sbin/', '/usr/lib/', '/dev/', '/proc/', '/sys/', '/etc/sudoers.d/', '/etc/pam.d/', '/etc/ssh/', '/etc/cron', '/etc/systemd/', '/etc/profile.d/', '/System/']) {
    if (path.startsWith(tree)) return true;
  }
  const etc = path.startsWith('/private') ? path.slice('/private'.length) : path;
  return etc.startsWith('/etc/') && VITAL.includes(` ${etc.slice('/etc/'.length)} `);
}

const privateFile: Check = (effective, place) => {
  const found = writesOf(effective).find(({ how, word, whole }: Write) => (how === 'remove' || how === 'move') && !whole && kindOfWord(word, place) === 'private');
  if (found === undefined || found.text.endsWith('known_hosts') || found.text.endsWith('known_hosts.old')) return undefined;
  return effective.program === 'shred' ? { at: found.word } : { at: found.word, decision: 'ask' };
};

/** `mv X /dev/null` loses X. */
const intoNull: Check = ({ program, args }) => {
  const last = args[args.length - 1];
  return program === 'mv' && last?.text === '/dev/null' && args.length > 1 ? { at: last } : undefined;
};

const REASON = 'This removes a home directory, a system directory or private files and cannot be undone. Name the files you mean, or ask the person.';

export const FS_REMOVE_RULES: readonly Rule[] = [
  rule(PACK, head('fs.remove', 'rm -r, find -delete or mv of root, home, system or private directories', REASON), REMOVING, precious),
  rule(PACK, head('fs.remove.workspace', 'removal of the whole workspace or of a directory above it', 'This removes the whole workspace with everything that is not committed. Remove the directories you mean by name (dist, node_modules, ...), or ask the person.', 'contested'), REMOVING, workspace),
  rule(PACK, head('fs.remove.home-entry', 'rm -r of a directory directly in the home directory', 'This removes a directory of the person outside the workspace. Remove single files by name, or ask the person.', 'contested'), REMOVING, homeEntry),
  rule('git-destructive', head('git.repository.remove', 'rm -r, find -delete or mv of a .git directory', 'This removes the repository with its history and everything that is not pushed. Ask the person.'), REMOVING, repository),
  rule(PACK, head('fs.remove.variable', 'rm -r of $X/* or "$X/": the root where X is empty', 'Where the variable is empty this removes the root directory. Write "${NAME:?}" so that the command fails then, or write the path out.'), REMOVING, dynamicRemoval),
  rule(PACK, head('fs.remove.system-file', 'removal of a single system file', 'This removes a file of the system. Ask the person.'), WRITING_PROGRAMS, systemFile),
  rule(PACK, head('fs.remove.private-file', 'removal of a private key or of settings in a home directory', 'This removes a key or settings of the person. Ask the person.'), WRITING_PROGRAMS, privateFile),
  rule(PACK, head('fs.move.null', 'mv to /dev/null', 'Moving a file to /dev/null loses it or replaces the device. Ask the person.'), 'mv', intoNull),
];
