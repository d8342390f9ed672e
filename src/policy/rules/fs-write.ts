// Contract: rules about files of the system and of a person that are overwritten, and about rights and owners. PURE.
import { readOptions } from '../shell/options.ts';
import type { Effective, Hit, Place, Rule, Word } from '../types.ts';
import { isVital } from './fs-remove.ts';
import { head, rule, type Check } from './kit.ts';
import { has, isHelp, listed, onlyOf, option } from './options.ts';
import { homeOfFacts } from '../paths.ts';
import { isForInstalls, isSystemFile, isTopDirectory, kindOfText, kindOfWord, localPath } from './places.ts';
import { fileArgs, writesOf, WRITING_PROGRAMS, type Write } from './writes.ts';

const PACK = 'filesystem';

const paths = new WeakMap<Write, string | undefined>();

/** Many rules ask for the same path. */
function pathOfWrite(write: Write, place: Place): string | undefined {
  if (paths.has(write)) return paths.get(write);
  const path = localPath(write.text, place);
  paths.set(write, path);
  return path;
}

/** The strongest hit among a command's writes. */
function overWrites(effective: Effective, place: Place, judge: (write: Write, path: string) => 'deny' | 'ask' | undefined): Hit | undefined {
  let weak: Hit | undefined;
  for (const write of writesOf(effective)) {
    if (write.word.dynamic && write.text === write.word.text) continue;
    const path = pathOfWrite(write, place);
    const found = path === undefined ? undefined : judge(write, path);
    if (found === 'deny') return { at: write.word };
    if (found === 'ask') weak ??= { at: write.word, decision: 'ask' };
  }
  return weak;
}

const systemWrite: Check = (effective, place) => overWrites(effective, place, ({ how }, path) => {
  if (how === 'remove' || how === 'move' || how === 'mode' || how === 'extract' || !isSystemFile(path)) return undefined;
  if (path.toLowerCase().startsWith('/proc/') || path.toLowerCase().startsWith('/sys/')) return path === '/proc/sysrq-trigger' ? undefined : 'ask';
  return how === 'append' || !isVital(path) ? 'ask' : 'deny';
});

// ---- files of a person ----

const START_FILES = ' .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zprofile .zshenv .zlogin .zlogout .kshrc .cshrc .tcshrc .login .config/fish/config.fish .xprofile .xinitrc .inputrc .gitconfig .vimrc .tmux.conf ';
const START_DIRS = ['.config/autostart/', '.config/systemd/user/', 'Library/LaunchAgents/', '.config/fish/conf.d/', '.bashrc.d/', '.config/environment.d/'];

/** The path below the home directory; undefined where it lies elsewhere. */
function belowHome(path: string, place: Place): string | undefined {
  const home = homeOfFacts(place.facts);
  return home !== undefined && path.startsWith(`${home}/`) ? path.slice(home.length + 1) : undefined;
}

const startFile: Check = (effective, place) => overWrites(effective, place, ({ how }, path) => {
  const inside = belowHome(path, place);
  if (inside === undefined) return undefined;
  if (START_DIRS.some((directory) => inside.startsWith(directory))) return how === 'mode' ? undefined : 'ask';
  if (!START_FILES.includes(` ${inside} `) || how === 'mode') return undefined;
  // What is appended or edited leaves the rest; what is truncated or removed is lost.
  return how === 'write' || how === 'remove' ? 'deny' : 'ask';
});

const sshFile: Check = (effective, place) => overWrites(effective, place, ({ how }, path) => {
  const inside = belowHome(path, place) ?? (path.startsWith('/root/') ? path.slice('/root/'.length) : undefined);
  if (inside === undefined || !inside.startsWith('.ssh/') || how === 'mode' || how === 'remove' || how === 'move') return undefined;
  const name = inside.slice('.ssh/'.length);
  if (name.startsWith('known_hosts')) return undefined;
  return name.startsWith('authorized_keys') || name.startsWith('id_') ? 'deny' : 'ask';
});

const HISTORY_FILES = ' .bash_history .zsh_history .history .local/share/fish/fish_history .python_history .node_repl_history .psql_history .mysql_history .lesshst ';

const history: Check = (effective, place) => {
  const { program, args } = effective;
  if (program === 'history') {
    const at = args.find(({ text }) => text[0] === '-' && (text.includes('c') || text.includes('d')));
    return at === undefined ? undefined : { at };
  }
  if (program === 'unset') {
    const at = args.find(({ text }) => text === 'HISTFILE');
    return at === undefined ? undefined : { at };
  }
  const hit = overWrites(effective, place, ({ how }, path) => {
    const inside = belowHome(path, place);
    return inside !== undefined && how !== 'append' && how !== 'mode' && HISTORY_FILES.includes(` ${inside} `) ? 'deny' : undefined;
  });
  return hit;
};

// ---- whole trees ----

const extract: Check = (effective, place) => overWrites(effective, place, ({ how }, path) => {
  if (how !== 'extract' || isForInstalls(path)) return undefined;
  const kind = kindOfText(path, place);
  return kind === 'root' || kind === 'system' ? 'deny' : undefined;
});

const rsyncDelete: Check = (effective, place) => {
  const args = fileArgs(effective);
  const deletes = args.options.find(({ name }) => name === '--del' || name.startsWith('--delete'));
  const target = args.operands[args.operands.length - 1];
  if (deletes === undefined || target === undefined || args.operands.length < 2 || has(args, '-n --dry-run')) return undefined;
  if (!target.text.startsWith('/') && target.text.includes(':')) return undefined;
  const kind = kindOfWord(target, place);
  return kind === undefined || kind === 'home-entry' ? undefined : { at: target };
};

// ---- rights and owners ----

const isSymbolicRemoval = (text: string): boolean => text[0] === '-' && onlyOf(text, 'rwxXst', 1);

function modeCall({ args }: Effective): { readonly mode: string; readonly files: readonly Word[]; readonly recursive: boolean } {
  const removal = args.find(({ text }) => isSymbolicRemoval(text) && text !== '-R');
  const read = readOptions(args.filter((word) => word !== removal), { longs: 'changes silent quiet verbose no-preserve-root preserve-root reference= recursive' });
  const files = removal === undefined ? read.operands.slice(1) : read.operands;
  return { mode: removal?.text ?? read.operands[0]?.text ?? '', files, recursive: has(read, '-R --recursive') };
}

const digitsOf = (mode: string): string => (onlyOf(mode, '01234567') ? mode.padStart(3, '0').slice(-3) : '');

/** Everybody may write, or nobody may do anything. */
function isWild(mode: string): boolean {
  const digits = digitsOf(mode);
  if (digits !== '') return '2367'.includes(digits[2] ?? '') || digits[0] === '0' || digits === '000';
  return mode.includes('a+w') || mode.includes('o+w') || mode.includes('a+rw') || mode.includes('o+rw') || mode === '+rwx' || mode.includes('a=rw') || mode.includes('ugo+rw') || mode.includes('a-') || mode === '-rwx' || mode === 'a=' || mode.includes('u-rwx');
}

const modes: Check = (effective, place) => {
  if (isHelp(effective.args)) return undefined;
  const { mode, files, recursive } = modeCall(effective);
  for (const word of files) {
    const kind = kindOfWord(word, place);
    if (kind === undefined) continue;
    const path = localPath(word.text, place) ?? '';
    if (recursive && (kind === 'root' || kind === 'home' || (kind === 'system' && !isForInstalls(path)))) return { at: word };
    if (!isWild(mode)) continue;
    if (kind === 'root' || kind === 'home' || kind === 'private' || (kind === 'system' && (isVital(path) || isTopDirectory(path)) && !isForInstalls(path))) return { at: word };
  }
  return undefined;
};

/** Set-user-id gives a program the rights of its owner. */
const setUserId: Check = (effective) => {
  const { mode, files } = modeCall(effective);
  const numeric = mode.length === 4 && digitsOf(mode) !== '' && '4567'.includes(mode[0] ?? '');
  return files.length > 0 && (numeric || mode.includes('u+s') || mode === '+s') ? { at: files[0] } : undefined;
};

const owners: Check = (effective, place) => {
  const args = fileArgs(effective);
  if (!has(args, '-R --recursive') || isHelp(effective.args)) return undefined;
  let weak: Hit | undefined;
  for (const word of args.operands.slice(option(args, '--reference') === undefined ? 1 : 0)) {
    const kind = kindOfWord(word, place);
    const path = localPath(word.text, place) ?? '';
    if (kind === 'root' || (kind === 'system' && !isForInstalls(path))) return { at: word };
    if (kind === 'home' || (kind === 'system' && isTopDirectory(path))) weak ??= { at: word, decision: 'ask' };
  }
  return weak;
};

const crontab: Check = ({ args }) => {
  const at = args.find(({ text }) => text[0] === '-' && text[1] !== '-' && text.includes('r'));
  return at === undefined || listed('-u', at.text) ? undefined : { at };
};

export const FS_WRITE_RULES: readonly Rule[] = [
  rule(PACK, head('fs.system.write', 'overwriting, linking or copying over files of the system', 'This changes a file of the system. Write it in the workspace and let the person install it.'), WRITING_PROGRAMS, systemWrite, 'redirects'),
  rule(PACK, head('fs.start-file', 'changing shell start files, autostart entries', 'Every later shell or login of the person obeys this file. Show the lines that are needed and let the person add them.', 'contested'), WRITING_PROGRAMS, startFile, 'redirects'),
  rule(PACK, head('fs.ssh.file', 'changing authorized_keys, private keys or the ssh configuration', 'This changes who can log in as the person, and where to. Ask the person to do it.'), WRITING_PROGRAMS, sshFile, 'redirects'),
  rule(PACK, head('fs.history', 'wiping the shell history', 'The history belongs to the person. Leave it.', 'ask'), `history unset ${WRITING_PROGRAMS}`, history, 'redirects'),
  rule(PACK, head('fs.extract', 'tar or unzip into root or system directories', 'An archive unpacked there overwrites the system. Unpack it in the workspace and copy what is needed.'), 'tar bsdtar unzip', extract),
  rule(PACK, head('fs.rsync.delete', 'rsync --delete onto root, system, home or the whole workspace', 'rsync --delete removes everything that the source does not have. Try it with --dry-run on a directory of its own, or ask the person.'), 'rsync', rsyncDelete),
  rule(PACK, head('fs.mode', 'chmod -R, 777 or 000 on root, system or home directories', 'These rights break logins and system programs. Name the single files that need other rights.'), 'chmod', modes),
  rule(PACK, head('fs.mode.setuid', 'chmod u+s', 'A set-user-id program runs with the rights of its owner. A person must confirm it.', 'ask'), 'chmod', setUserId),
  rule(PACK, head('fs.owner', 'chown -R on root, system or home directories', 'Another owner breaks system programs and logins. Name the directories of the project that need it.'), 'chown chgrp', owners),
  rule(PACK, head('fs.crontab', 'crontab -r', 'This removes every scheduled job of the person. Use "crontab -l", and let the person edit the table.'), 'crontab', crontab),
];
