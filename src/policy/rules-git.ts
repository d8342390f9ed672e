// Contract: rules that keep git's hooks running and published branches where they are. PURE.
// git takes unambiguous prefixes of long options (measured with git 2.39.5: `--no-veri` and `--no-verif` skip hooks,
// `--no-ver` is ambiguous with --no-verbose and fails) and compares configuration keys without case.
import { isAssignment } from './unwrap.ts';
import type { Word } from './shell-types.ts';
import type { Effective, Match, Rule } from './types.ts';

const HOOKS_REASON = 'This would skip the git hooks of the project. Run the command without it and repair what the hooks report, or ask the person to run it.';
const FORCE_REASON = 'A forced push can overwrite commits of others. Use --force-with-lease, or ask the person to push.';
const MIRROR_REASON = 'A mirror push overwrites and deletes branches of the remote. Push the branches you mean, or ask the person to push.';
const UNINSTALL_REASON = 'This removes the git hooks of the project. Ask the person to do it.';

interface GitCall {
  readonly verb: string;
  readonly args: readonly Word[];
  /** `key=value` words of `-c`, and of `--config-env`. */
  readonly settings: readonly Word[];
}

const GLOBAL_WITH_VALUE = new Set(['-C', '--git-dir', '--work-tree', '--namespace', '--super-prefix', '--attr-source']);

function gitCall({ args }: Effective): GitCall {
  const settings: Word[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    const text = word?.text ?? '';
    if (text === '-c' || text === '--config-env') {
      const value = args[++at];
      if (value !== undefined) settings.push(value);
    } else if (word !== undefined && text.startsWith('--config-env=')) settings.push({ ...word, text: text.slice('--config-env='.length) });
    else if (GLOBAL_WITH_VALUE.has(text)) at++;
    else if (text[0] !== '-') break;
  }
  return { verb: args[at]?.text ?? '', args: args.slice(at + 1), settings };
}

/** `git push --help` and `git push -h` print and do nothing. */
function isHelp(args: readonly Word[]): boolean {
  return args[0]?.text === '--help' || (args.length === 1 && args[0]?.text === '-h');
}

/** Per verb: letters that take a value, letters whose value is only ever attached, long options with a separate value. */
interface VerbOptions { readonly shorts: string; readonly attached: string; readonly longs: readonly string[]; readonly skip: string }

const PLAIN: VerbOptions = { shorts: '', attached: '', longs: [], skip: '' };
const VERBS: Readonly<Record<string, VerbOptions>> = {
  commit: {
    shorts: 'mFcCt', attached: 'uS', skip: 'n',
    longs: ['message', 'file', 'author', 'date', 'reuse-message', 'reedit-message', 'fixup', 'squash', 'template', 'cleanup', 'trailer', 'pathspec-from-file'],
  },
  push: { shorts: 'o', attached: '', skip: '', longs: ['push-option', 'repo', 'receive-pack', 'exec', 'recurse-submodules'] },
  merge: { shorts: 'mFsX', attached: 'S', skip: '', longs: ['message', 'file', 'strategy', 'strategy-option', 'into-name', 'cleanup'] },
  rebase: { shorts: 'sXxC', attached: 'S', skip: '', longs: ['onto', 'strategy', 'strategy-option', 'exec', 'empty', 'whitespace'] },
  am: { shorts: '', attached: 'SCp', skip: 'n', longs: ['directory', 'exclude', 'include', 'whitespace', 'patch-format'] },
  pull: { shorts: 'sXo', attached: 'Sj', skip: '', longs: ['strategy', 'strategy-option', 'upload-pack', 'depth', 'server-option', 'refmap'] },
};

interface Flag { readonly name: string; readonly word: Word }

/** The options and operands of one verb. Values of options are left out: they are data. */
function options(args: readonly Word[], spec: VerbOptions): { flags: Flag[]; operands: Word[] } {
  const flags: Flag[] = [];
  const operands: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    const text = word.text;
    if (text === '--') { operands.push(...args.slice(at + 1)); break; }
    if (text.startsWith('--')) {
      flags.push({ name: text, word });
      if (!text.includes('=') && spec.longs.some((long) => long.startsWith(text.slice(2)))) at++;
    } else if (text.length > 1 && text[0] === '-') {
      for (let i = 1; i < text.length; i++) {
        const letter = text[i] ?? '';
        flags.push({ name: `-${letter}`, word });
        if (spec.shorts.includes(letter)) { if (i === text.length - 1) at++; break; }
        if (spec.attached.includes(letter)) break;
      }
    } else operands.push(word);
  }
  return { flags, operands };
}

const NO_VERIFY = new Set(['--no-verify', '--no-verif', '--no-veri']);

function noVerify(effective: Effective): Match | undefined {
  const { verb, args } = gitCall(effective);
  const spec = Object.prototype.hasOwnProperty.call(VERBS, verb) ? VERBS[verb] : undefined;
  if (spec === undefined || isHelp(args)) return undefined;
  let found: Word | undefined;
  for (const { name, word } of options(args, spec).flags) {
    if (NO_VERIFY.has(name) || (spec.skip !== '' && name === `-${spec.skip}`)) found = word;
    else if (name === '--verify') found = undefined;
  }
  return found === undefined ? undefined : { decision: 'deny', reason: HOOKS_REASON, at: found };
}

function isHooksPath(text: string): boolean {
  return text.toLowerCase().startsWith('core.hookspath');
}

const CONFIG_OPTIONS_WITH_VALUE = ['-f', '--file', '--blob', '--type', '--default', '--comment', '--value'];

/** `git -c core.hooksPath=...`, `git config core.hooksPath X` (also unset), but not reading it. */
function hooksPath(effective: Effective): Match | undefined {
  const { verb, args, settings } = gitCall(effective);
  const setting = settings.find((word) => isHooksPath(word.text));
  if (setting !== undefined) return { decision: 'deny', reason: HOOKS_REASON, at: setting };
  if (verb !== 'config' || isHelp(args)) return undefined;
  let writes = false;
  const operands: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    const text = word?.text ?? '';
    if (text.startsWith('--get') || text === '--list' || text === '-l') return undefined;
    if (text.startsWith('--unset') || text === '--add' || text === '--replace-all') writes = true;
    else if (CONFIG_OPTIONS_WITH_VALUE.includes(text)) at++;
    else if (word !== undefined && text[0] !== '-') operands.push(word);
  }
  const first = operands[0]?.text;
  if (first === 'get' || first === 'list') return undefined;
  if (first === 'set' || first === 'unset') { operands.shift(); writes = true; }
  const key = operands[0];
  if (key === undefined || key.text.toLowerCase() !== 'core.hookspath') return undefined;
  return writes || operands.length > 1 ? { decision: 'deny', reason: HOOKS_REASON, at: key } : undefined;
}

function pushFlags(effective: Effective): { flags: Flag[]; operands: Word[] } | undefined {
  const { verb, args } = gitCall(effective);
  if (verb !== 'push' || isHelp(args)) return undefined;
  const parsed = options(args, VERBS['push'] ?? PLAIN);
  return parsed.flags.some(({ name }) => name === '-n' || name === '--dry-run') ? undefined : parsed;
}

function forcedPush(effective: Effective): Match | undefined {
  const parsed = pushFlags(effective);
  if (parsed === undefined) return undefined;
  let found: Word | undefined;
  for (const { name, word } of parsed.flags) {
    if (name === '--force' || name === '-f') found = word;
    else if (name === '--no-force') found = undefined;
  }
  const firstRef = parsed.flags.some(({ name }) => name === '--repo' || name.startsWith('--repo=')) ? 0 : 1;
  found ??= parsed.operands.slice(firstRef).find((word) => word.text.length > 1 && word.text[0] === '+');
  return found === undefined ? undefined : { decision: 'deny', reason: FORCE_REASON, at: found };
}

function mirrorPush(effective: Effective): Match | undefined {
  const found = pushFlags(effective)?.flags.find(({ name }) => name === '--mirror' || name === '--mirro' || name === '--mirr');
  return found === undefined ? undefined : { decision: 'deny', reason: MIRROR_REASON, at: found.word };
}

/** Installers read HUSKY=0 as "do not set the hooks up" (usual on build machines); everything else as "do not run them". */
const INSTALL = new Set(['ci', 'install', 'i', 'add', 'clean-install']);
const INSTALLERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);

function switchesHooksOff(text: string): boolean {
  const equals = text.indexOf('=');
  const value = text.slice(equals + 1).toLowerCase();
  const name = text.slice(0, equals);
  if (name === 'HUSKY') return value === '0';
  if (name === 'HUSKY_SKIP_HOOKS') return value !== '' && value !== '0' && value !== 'false';
  if (name === 'LEFTHOOK') return value === '0' || value === 'false';
  if (name.startsWith('GIT_CONFIG_KEY_')) return value === 'core.hookspath';
  return name === 'GIT_CONFIG_PARAMETERS' && value.includes('core.hookspath');
}

const EXPORTS = ['export', 'declare', 'typeset', 'setx'];

function hookSwitch({ program, args, assigns }: Effective): Match | undefined {
  const exported = EXPORTS.includes(program);
  const words = exported ? args.filter((word) => isAssignment(word.text)) : program === '' ? [] : assigns;
  const found = words.find((word) => switchesHooksOff(word.text));
  if (found === undefined) return undefined;
  if (INSTALLERS.has(program) && INSTALL.has(args.find((word) => word.text[0] !== '-')?.text ?? 'install')) return undefined;
  return { decision: 'deny', reason: HOOKS_REASON, at: found };
}

function uninstall({ args }: Effective): Match | undefined {
  const word = args.find(({ text }) => text[0] !== '-');
  return word?.text === 'uninstall' ? { decision: 'deny', reason: UNINSTALL_REASON, at: word } : undefined;
}

export const GIT_RULES: readonly Rule[] = [
  { id: 'git.hooks.no-verify', pack: 'hook-bypass', level: 'deny', title: 'options that skip git hooks', reason: HOOKS_REASON, programs: ['git'], check: noVerify },
  { id: 'git.hooks.path', pack: 'hook-bypass', level: 'deny', title: 'core.hooksPath set or unset', reason: HOOKS_REASON, programs: ['git'], check: hooksPath },
  { id: 'git.hooks.variable', pack: 'hook-bypass', level: 'deny', title: 'variables that switch hooks off', reason: HOOKS_REASON, programs: EXPORTS, also: 'assigns', check: hookSwitch },
  { id: 'git.hooks.uninstall', pack: 'hook-bypass', level: 'deny', title: 'hook managers that uninstall', reason: UNINSTALL_REASON, programs: ['lefthook', 'pre-commit', 'husky'], check: uninstall },
  { id: 'git.push.force', pack: 'git-destructive', level: 'deny', title: 'forced push', reason: FORCE_REASON, programs: ['git'], check: forcedPush },
  { id: 'git.push.mirror', pack: 'git-destructive', level: 'deny', title: 'mirror push', reason: MIRROR_REASON, programs: ['git'], check: mirrorPush },
];
