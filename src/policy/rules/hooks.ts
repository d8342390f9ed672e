// Contract: rules that keep git's hooks running: options, configuration, variables of hook managers. PURE.
// Files of hooks are in hook-files.ts.
import { gitOptions } from '../shell/git.ts';
import type { Effective, Hit, Rule, Word } from '../types.ts';
import { isAssignment } from '../unwrap.ts';
import { callOf, gitRule, hasSetting, verbArgs } from './git-verb.ts';
import { head, rule } from './kit.ts';
import { has, isHelp, listed, option, switched } from './options.ts';

const PACK = 'hook-bypass';
const REASON = 'This would skip the git hooks of the project. Run the command without it and repair what the hooks report, or ask the person to run it.';

/** Verbs that run hooks and can be told not to; `-n` means that to two of them only. */
const SKIPPING = ['commit', 'push', 'merge', 'rebase', 'am', 'pull'] as const;

function noVerify(effective: Effective): Hit | undefined {
  const args = verbArgs(effective, ...SKIPPING);
  if (args === undefined) return undefined;
  const { verb } = callOf(effective);
  const at = switched(args, verb === 'commit' || verb === 'am' ? '--no-verify -n' : '--no-verify', '--verify');
  return at === undefined ? undefined : { at };
}

// ---- core.hooksPath ----

const KEY = 'core.hookspath';
/** Directories in a project in which people keep hooks: pointing there switches them on. */
const HOOK_DIRECTORIES = '.githooks .git-hooks githooks .hooks hooks .husky .husky/_ scripts/hooks scripts/git-hooks tools/hooks tools/git-hooks .github/hooks config/hooks';

function trimmed(path: string): string {
  const start = path.startsWith('./') ? 2 : 0;
  return path.endsWith('/') && path.length > start + 1 ? path.slice(start, -1) : path.slice(start);
}

/** `git config` that writes: the key, the value where one is given, and whether it is taken away. */
interface ConfigWrite { readonly key: Word; readonly value: Word | undefined; readonly removes: boolean }

function configWrite(effective: Effective): ConfigWrite | undefined {
  const call = callOf(effective);
  if (call.verb !== 'config' || isHelp(call.args)) return undefined;
  const args = gitOptions('config', call.args);
  if (has(args, '--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l')) return undefined;
  let operands = args.operands;
  let writes = has(args, '--add --replace-all');
  let removes = has(args, '--unset --unset-all');
  const section = option(args, '--remove-section --rename-section');
  const verb = operands[0]?.text ?? '';
  if (listed('get list edit get-color get-colorbool', verb)) return undefined;
  const sectionVerb = verb === 'remove-section' || verb === 'rename-section';
  if (verb === 'set' || verb === 'unset' || sectionVerb) {
    operands = operands.slice(1);
    writes ||= verb === 'set';
    removes ||= verb === 'unset';
  }
  const key = operands[0];
  if (key === undefined) return undefined;
  if (section !== undefined || sectionVerb) return { key: { ...key, text: `${key.text}.*` }, value: undefined, removes: true };
  return writes || removes || operands.length > 1 ? { key, value: operands[1], removes } : undefined;
}

/** Settings that make git read hooks from elsewhere, wherever on a git command line they stand. */
function hooksPath(effective: Effective): Hit | undefined {
  const call = callOf(effective);
  const setting = call.settings.find(({ key }) => key === KEY);
  if (setting !== undefined) return { at: setting.word };
  if (call.verb === 'clone' || call.verb === 'init') {
    const found = call.args.find(({ text }) => text.toLowerCase().replace('--config=', '').replace('-c', '').startsWith(KEY));
    return found === undefined ? undefined : { at: found };
  }
  const write = configWrite(effective);
  if (write === undefined) return undefined;
  const key = write.key.text.toLowerCase();
  if (key !== KEY && key !== 'core.*') return undefined;
  const toProject = !write.removes && write.value !== undefined && listed(HOOK_DIRECTORIES, trimmed(write.value.text));
  return toProject ? { at: write.key, decision: 'ask' } : { at: write.key };
}

/** A configuration file that is taken in for one command can move the hooks as well. */
function included(effective: Effective): Hit | undefined {
  const found = callOf(effective).settings.find(({ key }) => key === 'include.path' || (key.startsWith('includeif.') && key.endsWith('.path')));
  return found === undefined ? undefined : { at: found.word };
}

// ---- variables ----

/** Installers read these as "do not set the hooks up" (usual on build machines); everything else as "do not run them". */
const INSTALLERS = 'npm pnpm yarn bun';
const INSTALL = 'ci install i add clean-install';

const isOff = (value: string): boolean => value === '0' || value === 'false' || value === 'no' || value === 'off';
const isOn = (value: string): boolean => value !== '' && !isOff(value);

function hooksOff(name: string, raw: string): boolean {
  const value = raw.toLowerCase();
  if (name.startsWith('GIT_CONFIG_KEY_')) return value === KEY || value === 'include.path';
  switch (name) {
    case 'HUSKY': return value === '0';
    case 'LEFTHOOK': return isOff(value);
    case 'LEFTHOOK_EXCLUDE': case 'LEFTHOOK_BIN': return value !== '';
    case 'HUSKY_SKIP_HOOKS': case 'HUSKY_SKIP_INSTALL': case 'SKIP_SIMPLE_GIT_HOOKS': case 'OVERCOMMIT_DISABLE': case 'PRE_COMMIT_ALLOW_NO_CONFIG': case 'SKIP_YORKIE_HOOKS':
      return isOn(value);
    case 'GIT_CONFIG_PARAMETERS': return value.includes(KEY);
    default: return false;
  }
}

/** Programs whose operands are assignments. `set` is one in cmd only: there it makes environment variables. */
const EXPORTS = 'export declare typeset local readonly setx set';

function split(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  return [text.slice(0, equals), text.slice(equals + 1).trim()];
}

function assignments({ program, args, assigns, shell }: Effective): readonly { readonly at: Word; readonly pair: readonly [string, string] }[] {
  if (program === 'setx') return args[0] === undefined ? [] : [{ at: args[0], pair: [args[0].text, args[1]?.text ?? ''] }];
  if (program === 'set' && shell !== 'cmd') return [];
  const words = listed(EXPORTS, program) ? args.filter(({ text }) => isAssignment(text)) : program === '' ? [] : assigns;
  return words.map((at) => ({ at, pair: split(at.text) }));
}

function hookVariable(effective: Effective): Hit | undefined {
  const { program, args } = effective;
  const found = assignments(effective).find(({ pair: [name, value] }) => hooksOff(name, value));
  if (found === undefined) return undefined;
  const verb = args.find(({ text }) => text[0] !== '-')?.text ?? 'install';
  return listed(INSTALLERS, program) && listed(INSTALL, verb) ? undefined : { at: found.at };
}

/** Variables exported earlier on the line. They are seen again where a git command would obey them. */
function inherited(effective: Effective): Hit | undefined {
  if (!listed('commit push merge rebase am pull cherry-pick revert checkout', callOf(effective).verb)) return undefined;
  for (const [name, word] of effective.env) if (hooksOff(name, word.text)) return { at: word };
  return undefined;
}

/** `SKIP=eslint git commit` and `pre-commit run` leave single checks out; to other programs the variable means something else. */
function skipList(effective: Effective): Hit | undefined {
  const { program, args } = effective;
  const skip = assignments(effective).find(({ pair: [name, value] }) => name === 'SKIP' && value !== '')?.at ?? effective.env.get('SKIP');
  if (skip === undefined || skip.text === '' || skip.text === 'SKIP=') return undefined;
  if (program === 'pre-commit' || program === 'prek') return { at: skip };
  if (program !== 'git') return undefined;
  return listed('commit push merge rebase am pull cherry-pick revert', callOf(effective).verb) && args.length > 0 ? { at: skip } : undefined;
}

/** Another configuration file for one command leaves out a globally set hooks directory. */
function otherConfig(effective: Effective): Hit | undefined {
  if (!listed('commit push merge rebase am', callOf(effective).verb)) return undefined;
  const found = assignments(effective).find(({ pair: [name] }) => name === 'GIT_CONFIG_GLOBAL' || name === 'GIT_CONFIG_SYSTEM' || name === 'GIT_CONFIG');
  return found === undefined ? undefined : { at: found.at };
}

// ---- hook managers, signatures, plumbing ----

function uninstalls({ program, args }: Effective): Hit | undefined {
  const operands = args.filter(({ text }) => text[0] !== '-');
  if (isHelp(args)) return undefined;
  if (program === 'lefthook' || program === 'pre-commit' || program === 'husky' || program === 'prek') return operands[0]?.text === 'uninstall' ? { at: operands[0] } : undefined;
  if (program === 'overcommit') {
    const at = args.find(({ text }) => text === '--uninstall' || text === '-u');
    return at === undefined ? undefined : { at };
  }
  // A package manager takes the manager itself out of the project.
  if (!listed('uninstall remove rm un r', operands[0]?.text ?? '')) return undefined;
  const at = operands.slice(1).find(({ text }) => listed('husky lefthook @evilmartians/lefthook simple-git-hooks pre-commit lint-staged yorkie', text));
  return at === undefined ? undefined : { at, decision: 'ask' };
}

function unsigned(effective: Effective): Hit | undefined {
  const args = verbArgs(effective, 'commit', 'merge', 'rebase', 'tag');
  if (args === undefined) return undefined;
  const at = switched(args, '--no-gpg-sign --no-sign', '-S --gpg-sign -s');
  if (at !== undefined) return { at };
  return hasSetting(callOf(effective), 'commit.gpgsign', isOff) ? {} : undefined;
}

export const HOOK_RULES: readonly Rule[] = [
  rule(PACK, head('git.hooks.no-verify', '--no-verify in every spelling, -n of commit and am', REASON), 'git', noVerify),
  rule(PACK, head('git.hooks.path', 'core.hooksPath on the command line or by git config', REASON), 'git', hooksPath),
  rule(PACK, head('git.hooks.include', 'include.path on the command line', 'A configuration file taken in for one command can move the git hooks. Run the command without it, or ask the person.', 'ask'), 'git', included),
  rule(PACK, head('git.hooks.variable', 'HUSKY=0, LEFTHOOK=0, GIT_CONFIG_KEY_n and other switches of hook managers', REASON), EXPORTS, hookVariable, 'assigns'),
  rule(PACK, head('git.hooks.exported', 'a switch exported earlier on the same line', REASON), 'git', inherited),
  rule(PACK, head('git.hooks.skip', 'SKIP=... for pre-commit', 'This leaves out checks of the project. Repair what they report, or ask the person to run it.', 'contested'), 'git pre-commit prek', skipList, 'assigns'),
  rule(PACK, head('git.hooks.config-file', 'GIT_CONFIG_GLOBAL or GIT_CONFIG_SYSTEM in front of git commit and push', 'Another git configuration can leave out the person\'s hooks. A person must confirm it.', 'ask', 'contested'), 'git', otherConfig, 'assigns'),
  rule(PACK, head('git.hooks.uninstall', 'uninstalling lefthook, husky, pre-commit', 'This removes the git hooks of the project. Ask the person to do it.'), 'lefthook pre-commit prek husky overcommit npm pnpm yarn bun', uninstalls),
  gitRule(PACK, head('git.hooks.plumbing', 'git commit-tree, git fast-import', 'Commits made below "git commit" run no hooks. Use "git commit", or ask the person.', 'ask', 'contested'), 'commit-tree fast-import', (_args, effective) => ({ at: callOf(effective).verbWord })),
  rule(PACK, head('git.commit.unsigned', '--no-gpg-sign, commit.gpgSign=false', 'This leaves the signature out. Ask the person.', 'off', 'contested'), 'git', unsigned),
];
