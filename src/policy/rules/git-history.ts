// Contract: rules about git commands that delete or rewrite what git keeps: branches, stashes, logs, objects. PURE.
import type { Effective, Hit, Rule } from '../types.ts';
import { callOf, gitRule, hasSetting, verbArgs } from './git-verb.ts';
import { head, rule } from './kit.ts';
import { has, isHelp, option, switched, type Args } from './options.ts';

const PACK = 'git-destructive';

function branchDelete(args: Args): Hit | undefined {
  const forced = option(args, '-D');
  if (forced !== undefined) return { at: forced.word };
  if (!has(args, '-d --delete')) return undefined;
  const at = switched(args, '-f --force', '--no-force');
  return at === undefined ? undefined : { at };
}

function tagDelete(args: Args): Hit | undefined {
  const found = option(args, '-d --delete');
  return found === undefined ? undefined : { at: found.word };
}

function first(words: string): (args: Args) => Hit | undefined {
  const wanted = words.split(' ');
  return (args) => (wanted.includes(args.operands[0]?.text ?? '') ? { at: args.operands[0] } : undefined);
}

function reflog(args: Args): Hit | undefined {
  return has(args, '-n --dry-run') ? undefined : first('expire delete drop')(args);
}

const isNow = (value: string | undefined): boolean => value !== undefined && ['now', 'all', '0', 'now.', '0.days', '0.seconds'].includes(value.toLowerCase());

function prunes(effective: Effective): Hit | undefined {
  const gc = verbArgs(effective, 'gc');
  if (gc !== undefined) {
    const found = option(gc, '--prune');
    if (isNow(found?.value)) return { at: found?.word };
    return hasSetting(callOf(effective), 'gc.pruneexpire', isNow) ? {} : undefined;
  }
  const args = verbArgs(effective, 'prune');
  if (args === undefined || has(args, '-n --dry-run')) return undefined;
  const expire = option(args, '--expire');
  return expire === undefined || isNow(expire.value) ? { at: expire?.word ?? callOf(effective).verbWord } : undefined;
}

function rewrites(effective: Effective): Hit | undefined {
  if (effective.program !== 'git') return isHelp(effective.args) || effective.args.length === 0 ? undefined : {};
  const { verb, verbWord, args } = callOf(effective);
  if (isHelp(args) || args.some(({ text }) => text === '--analyze' || text === '--dry-run')) return undefined;
  return verb === 'filter-branch' || verb === 'filter-repo' ? { at: verbWord } : undefined;
}

function refDelete(effective: Effective): Hit | undefined {
  const args = verbArgs(effective, 'update-ref', 'symbolic-ref');
  if (args === undefined) return undefined;
  const found = option(args, '-d --delete');
  if (found !== undefined) return { at: found.word };
  const fromInput = option(args, '--stdin');
  if (fromInput === undefined) return undefined;
  // Known instructions are read; without them a person decides.
  if (effective.inputs.length > 0) return effective.inputs.some((text) => text.split('\n').some((line) => line.startsWith('delete '))) ? { at: fromInput.word } : undefined;
  return { at: fromInput.word, decision: 'ask' };
}

function worktreeRemove(args: Args): Hit | undefined {
  if (args.operands[0]?.text !== 'remove') return undefined;
  const at = option(args, '-f --force');
  return at === undefined ? undefined : { at: at.word };
}

function submoduleDeinit(args: Args): Hit | undefined {
  if (args.operands[0]?.text !== 'deinit') return undefined;
  const at = option(args, '-f --force');
  return at === undefined ? undefined : { at: at.word };
}

function replaces(args: Args): Hit | undefined {
  if (has(args, '-l --list') || (args.operands.length === 0 && args.options.length === 0)) return undefined;
  return { at: args.options[0]?.word ?? args.operands[0] };
}

function remoteChange(args: Args): Hit | undefined {
  return first('set-url remove rm')(args);
}

export const GIT_HISTORY_RULES: readonly Rule[] = [
  gitRule(PACK, head('git.branch.delete', 'git branch -D, or -d with --force', 'This deletes a branch even if nothing else has its commits. Use "git branch -d", which refuses unmerged branches, or ask the person.'), 'branch', branchDelete),
  gitRule(PACK, head('git.tag.delete', 'git tag -d', 'This deletes a tag; its commits may have no other name. A person must confirm it.', 'ask', 'contested'), 'tag', tagDelete),
  gitRule(PACK, head('git.stash.drop', 'git stash drop or clear', 'This deletes stashed work. Apply it with "git stash apply" and leave the stash, or ask the person.'), 'stash', first('drop clear')),
  gitRule(PACK, head('git.reflog.delete', 'git reflog expire or delete', 'The reflog is the way back to lost commits. Leave it; git expires it by itself.'), 'reflog', reflog),
  rule(PACK, head('git.objects.prune', 'git gc --prune=now, git prune', 'This deletes objects that could still be recovered. "git gc" without --prune=now keeps recent ones.'), 'git', prunes),
  rule(PACK, head('git.history.rewrite', 'git filter-branch, git filter-repo, bfg', 'This rewrites every commit of the repository. Ask the person to do it on a fresh clone.'), 'git git-filter-branch git-filter-repo bfg', rewrites),
  rule(PACK, head('git.ref.delete', 'git update-ref -d or --stdin, git symbolic-ref --delete', 'This deletes a reference below git\'s safety checks. Use "git branch -d" or "git tag -d", or ask the person.'), 'git', refDelete),
  gitRule(PACK, head('git.worktree.remove', 'git worktree remove --force', 'This deletes a working tree together with changes that are not committed. Remove it without --force, which refuses that.'), 'worktree', worktreeRemove),
  gitRule(PACK, head('git.submodule.deinit', 'git submodule deinit --force', 'This deletes a submodule\'s files together with changes that are not committed. Leave --force out.'), 'submodule', submoduleDeinit),
  gitRule(PACK, head('git.replace', 'git replace', 'Replacement objects change what history shows without a trace. A person must confirm it.', 'ask'), 'replace', replaces),
  gitRule(PACK, head('git.remote.change', 'git remote set-url or remove', 'This changes where the repository is pushed to. A person must confirm it.', 'off', 'contested'), 'remote', remoteChange),
];
