// Contract: rules about git commands that throw away work that is not committed. PURE.
import type { Effective, Hit, Place, Rule, Word } from '../types.ts';
import { callOf, gitRule, hasSetting, verbArgs } from './git-verb.ts';
import { head, rule } from './kit.ts';
import { has, option, switched, type Args } from './options.ts';

const PACK = 'git-destructive';

function resetHard(args: Args): Hit | undefined {
  const found = option(args, '--hard --merge');
  return found === undefined || has(args, '--soft --mixed --keep') ? undefined : { at: found.word };
}

/** Endings by which a single operand of `git checkout` is a file rather than a branch. */
const FILE_ENDINGS = ' ts tsx js jsx mjs cjs json jsonc py rb go rs java kt c cc cpp h hpp cs php swift scala sh bash zsh yml yaml toml md mdx txt html css scss sql xml lock vue svelte ini cfg conf proto gradle env ';

function looksLikePath(word: Word): boolean {
  const { text } = word;
  if (text === '.' || text === '..' || text.startsWith('./') || text.startsWith('../') || text[0] === ':' || text[0] === '/' || word.glob || text.includes('*') || text.endsWith('/')) return true;
  const dot = text.lastIndexOf('.');
  return dot > text.lastIndexOf('/') && dot !== -1 && FILE_ENDINGS.includes(` ${text.slice(dot + 1).toLowerCase()} `);
}

/** The verb's words that stand behind a `--`. */
function behindDashes(effective: Effective): readonly Word[] | undefined {
  const { args } = callOf(effective);
  const at = args.findIndex(({ text }) => text === '--');
  return at === -1 ? undefined : args.slice(at + 1);
}

function checkoutDiscards(args: Args, effective: Effective): Hit | undefined {
  const force = switched(args, '-f --force', '--no-force');
  if (force !== undefined) return { at: force };
  // Choosing hunks is a person's work; taking one side of a conflict keeps both in history.
  if (has(args, '-p --patch --ours --theirs -b -B --orphan -t --track -d --detach -m --merge')) return undefined;
  const files = option(args, '--pathspec-from-file');
  if (files !== undefined) return { at: files.word };
  const behind = behindDashes(effective);
  if (behind !== undefined) return behind.length === 0 ? undefined : { at: behind[0] };
  if (args.operands.length > 1) return { at: args.operands[1] };
  const only = args.operands[0];
  return only !== undefined && looksLikePath(only) ? { at: only } : undefined;
}

function restoreDiscards(args: Args): Hit | undefined {
  if (has(args, '-p --patch --ours --theirs -m --merge')) return undefined;
  const worktree = switched(args, '-W --worktree', '--no-worktree');
  if (worktree === undefined && switched(args, '-S --staged', '--no-staged') !== undefined) return undefined;
  const at = worktree ?? args.operands[0] ?? option(args, '--pathspec-from-file')?.word;
  return at === undefined ? undefined : { at };
}

function cleans(effective: Effective): Hit | undefined {
  const args = verbArgs(effective, 'clean');
  if (args === undefined || has(args, '-n --dry-run -i --interactive')) return undefined;
  const force = switched(args, '-f --force', '--no-force');
  if (force !== undefined) return { at: force };
  const without = hasSetting(callOf(effective), 'clean.requireforce', (value) => ['false', '0', 'no', 'off', ''].includes(value.toLowerCase()));
  return without ? {} : undefined;
}

function removesAll(args: Args): Hit | undefined {
  if (!has(args, '-f --force') || has(args, '--cached -n --dry-run')) return undefined;
  const at = args.operands.find((word) => word.text === '.' || word.text === './' || word.text === ':/' || word.text === '*');
  return at === undefined ? undefined : { at };
}

/** Overwrites files of the working tree below the porcelain. */
function plumbing(effective: Effective, _place: Place): Hit | undefined {
  const index = verbArgs(effective, 'checkout-index');
  if (index !== undefined) {
    const found = option(index, '-f --force');
    return found === undefined || has(index, '--prefix --temp') ? undefined : { at: found.word };
  }
  const tree = verbArgs(effective, 'read-tree');
  if (tree === undefined || has(tree, '-n --dry-run')) return undefined;
  const found = option(tree, '--reset');
  return found === undefined ? undefined : { at: found.word };
}

export const GIT_WORK_RULES: readonly Rule[] = [
  gitRule(PACK, head('git.reset.hard', 'git reset --hard or --merge', 'This throws away changes that are not committed. Use "git stash" or commit first, "git reset --soft" or "git restore --staged" to unstage, or ask the person.'), 'reset', resetHard),
  gitRule(PACK, head('git.checkout.discard', 'git checkout -f, or of paths', 'This overwrites changes that are not committed. Keep them with "git stash" first, look at them with "git diff", or ask the person.'), 'checkout', checkoutDiscards),
  gitRule(PACK, head('git.restore', 'git restore of the working tree', 'This overwrites changes that are not committed. Keep them with "git stash" first, use "git restore --staged" to unstage only, or ask the person.'), 'restore', restoreDiscards),
  gitRule(PACK, head('git.switch.force', 'git switch -f or --discard-changes', 'This throws away changes that are not committed. Commit or stash them, then switch without force.'), 'switch', (args) => {
    const at = switched(args, '-f --force', '--no-force') ?? switched(args, '--discard-changes', '--no-discard-changes');
    return at === undefined ? undefined : { at };
  }),
  rule(PACK, head('git.clean', 'git clean -f in every form', 'This deletes files that git does not keep. Look at "git clean -n" and remove the files you mean by name, or ask the person.'), 'git', cleans),
  gitRule(PACK, head('git.rm.all', 'git rm -f of everything', 'This deletes every file together with its changes. Remove the files you mean by name, or use --cached.'), 'rm', removesAll),
  rule(PACK, head('git.plumbing.overwrite', 'git checkout-index -f, git read-tree --reset', 'This overwrites files of the working tree below git\'s own safety checks. Use "git stash" and the ordinary commands, or ask the person.'), 'git', plumbing),
];
