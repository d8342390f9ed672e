// Contract: rules about pushes that change or delete what others have. PURE.
import type { Effective, Hit, Rule, Word } from '../types.ts';
import { callOf, gitRule, verbArgs } from './git-verb.ts';
import { head, rule } from './kit.ts';
import { has, listed, option, switched, type Args } from './options.ts';

/** `--dry-run` shows what would happen. */
const isDry = (args: Args): boolean => switched(args, '-n --dry-run', '--no-dry-run') !== undefined;

/** The operands behind the remote's name. */
const refspecs = (args: Args): readonly Word[] => args.operands.slice(has(args, '--repo') ? 0 : 1);

function forced(args: Args): Hit | undefined {
  if (isDry(args)) return undefined;
  const at = switched(args, '-f --force', '--no-force') ?? refspecs(args).find(({ text }) => text.length > 1 && text[0] === '+');
  return at === undefined ? undefined : { at };
}

function mirrored(effective: Effective): Hit | undefined {
  const args = verbArgs(effective, 'push', 'send-pack');
  if (args === undefined || isDry(args)) return undefined;
  const at = switched(args, '--mirror', '--no-mirror');
  if (at !== undefined) return { at };
  const setting = callOf(effective).settings.find(({ key, value = 'true' }) => {
    if (!key.startsWith('remote.')) return false;
    return key.endsWith('.mirror') ? !listed('false no off 0', value.toLowerCase()) : key.endsWith('.push') && value[0] === '+';
  });
  return setting === undefined ? undefined : { at: setting.word };
}

/** `--delete x`, `:x`, `--prune`: branches or tags of the remote go away. A lone `:` pushes matching branches. */
function deleted(args: Args): Hit | undefined {
  if (isDry(args)) return undefined;
  const at = switched(args, '-d --delete', '--no-delete') ?? switched(args, '--prune', '--no-prune')
    ?? refspecs(args).find(({ text }) => text.length > 1 && (text[0] === ':' || text.startsWith('+:')));
  return at === undefined ? undefined : { at };
}

export const GIT_PUSH_RULES: readonly Rule[] = [
  gitRule('git-destructive', head('git.push.force', 'git push --force, -f, or a refspec with +', 'A forced push can overwrite commits of others. Use --force-with-lease, or ask the person to push.'), 'push send-pack', forced),
  rule('git-destructive', head('git.push.mirror', 'git push --mirror, also by configuration', 'A mirror push overwrites and deletes branches of the remote. Push the branches you mean, or ask the person to push.'), 'git', mirrored),
  gitRule('git-destructive', head('git.push.delete', 'git push --delete, :branch or --prune', 'This deletes branches or tags of the remote. Name them to the person, who can delete them.'), 'push', deleted),
  gitRule('git-destructive', head('git.push.lease', 'git push --force-with-lease or --force-if-includes', 'This rewrites a published branch, although only if nobody has pushed in between. Ask the person to push.', 'off', 'contested'), 'push', (args) => {
    const found = isDry(args) ? undefined : option(args, '--force-with-lease --force-if-includes');
    return found === undefined ? undefined : { at: found.word };
  }),
];
