// Contract: a git command line as git reads it: global options, the verb, and the verb's own options. PURE.
// The lists of long names are those of git 2.39.5 (`git VERB --git-completion-helper-all`): a unique prefix counts
// (`--no-verif` skips hooks), an ambiguous one fails (`--no-ver`). Configuration keys are compared without case by the callers.
import type { Effective } from '../types.ts';
import type { Word } from '../shell-types.ts';
import { readOptions, type OptionSpec, type OptionsRead } from './options.ts';

export interface GitSetting {
  /** In lower case. */
  readonly key: string;
  /** Undefined for `-c key` (true) and for `--config-env`, whose value is a variable. */
  readonly value: string | undefined;
  readonly word: Word;
}

export interface GitCall {
  /** Empty where there is none; `$...` where it is not literal. */
  readonly verb: string;
  readonly verbWord: Word | undefined;
  /** The words behind the verb. */
  readonly args: readonly Word[];
  readonly settings: readonly GitSetting[];
  /** Values of `-C`, in order, and of `--git-dir` and `--work-tree`. */
  readonly directories: readonly Word[];
  readonly gitDir: Word | undefined;
  readonly workTree: Word | undefined;
}

const GLOBAL: OptionSpec = {
  valued: 'Cc', leading: true, exact: true,
  longs: 'git-dir= work-tree= namespace= super-prefix= attr-source= config-env= exec-path? list-cmds? html-path man-path info-path paginate no-pager no-replace-objects bare literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks no-lazy-fetch no-advice version help',
};

function setting(text: string, word: Word, fromEnv: boolean): GitSetting {
  const equals = text.indexOf('=');
  const key = (equals === -1 ? text : text.slice(0, equals)).toLowerCase();
  return { key, value: equals === -1 || fromEnv ? undefined : text.slice(equals + 1), word };
}

export function gitCall({ args }: Pick<Effective, 'args'>): GitCall {
  const { options, rest } = readOptions(args, GLOBAL);
  const settings: GitSetting[] = [];
  const directories: Word[] = [];
  let gitDir: Word | undefined;
  let workTree: Word | undefined;
  for (const { name, value, word, valueWord } of options) {
    if (value === undefined) continue;
    const holder = valueWord ?? { ...word, text: value };
    if (name === '-c') settings.push(setting(value, holder, false));
    else if (name === '--config-env') settings.push(setting(value, holder, true));
    else if (name === '-C') directories.push(holder);
    else if (name === '--git-dir') gitDir = holder;
    else if (name === '--work-tree') workTree = holder;
  }
  const help = options.find(({ name }) => name === '--help' || name === '-h');
  const verbWord = help === undefined ? args[rest] : undefined;
  return { verb: verbWord?.text ?? '', verbWord, args: args.slice(rest + 1), settings, directories, gitDir, workTree };
}

const DIFF_FREE = 'quiet verbose';
const SPECS: Readonly<Record<string, OptionSpec>> = {
  commit: {
    valued: 'mFcCt', attached: 'uS',
    longs: 'quiet verbose file= author= date= message= reedit-message= reuse-message= fixup= squash= reset-author trailer= signoff template= edit cleanup= status gpg-sign? all include interactive patch only no-verify dry-run short branch ahead-behind porcelain long null amend no-post-rewrite untracked-files? pathspec-from-file= pathspec-file-nul allow-empty allow-empty-message',
  },
  push: {
    valued: 'o',
    longs: 'verbose quiet repo= all mirror delete tags dry-run porcelain force force-with-lease? force-if-includes recurse-submodules= thin receive-pack= exec= set-upstream progress prune no-verify follow-tags signed? atomic push-option= ipv4 ipv6 branches',
  },
  merge: {
    valued: 'msXF', attached: 'S',
    longs: 'stat summary log? squash commit edit cleanup= ff ff-only rerere-autoupdate verify-signatures strategy= strategy-option= message= file= into-name= verbose quiet abort quit continue allow-unrelated-histories progress gpg-sign? autostash overwrite-ignore signoff no-verify',
  },
  rebase: {
    valued: 'sXx', attached: 'SCr',
    longs: 'onto= keep-base no-verify quiet verbose no-stat signoff committer-date-is-author-date reset-author-date ignore-date ignore-whitespace whitespace= force-rebase no-ff continue skip abort quit edit-todo show-current-patch apply merge interactive preserve-merges rerere-autoupdate empty= keep-empty autosquash update-refs gpg-sign? autostash exec= allow-empty-message rebase-merges? fork-point strategy= strategy-option= root reschedule-failed-exec reapply-cherry-picks',
  },
  am: {
    attached: 'SCp',
    longs: 'interactive binary 3way quiet signoff utf8 keep keep-non-patch message-id keep-cr scissors quoted-cr= whitespace= ignore-space-change ignore-whitespace directory= exclude= include= patch-format= reject resolvemsg= continue resolved skip abort quit show-current-patch? allow-empty committer-date-is-author-date ignore-date rerere-autoupdate gpg-sign? empty= rebasing no-verify',
  },
  pull: {
    valued: 'sXo', attached: 'Srj',
    longs: 'verbose quiet progress recurse-submodules? rebase? stat summary log? signoff? squash commit edit cleanup= ff ff-only verify verify-signatures autostash strategy= strategy-option= gpg-sign? allow-unrelated-histories all append upload-pack= force tags prune jobs? dry-run keep depth= shallow-since= shallow-exclude= deepen= unshallow update-shallow refmap= server-option= ipv4 ipv6 negotiation-tip= show-forced-updates set-upstream',
  },
  'cherry-pick': { valued: 'mXs', attached: 'S', longs: 'quit continue abort skip cleanup= no-commit edit signoff mainline= rerere-autoupdate strategy= strategy-option= gpg-sign? ff allow-empty allow-empty-message keep-redundant-commits' },
  revert: { valued: 'mXs', attached: 'S', longs: 'quit continue abort skip cleanup= no-commit edit signoff mainline= rerere-autoupdate strategy= strategy-option= gpg-sign? reference' },
  reset: { longs: `${DIFF_FREE} no-refresh mixed soft hard merge keep recurse-submodules? patch intent-to-add pathspec-from-file= pathspec-file-nul` },
  clean: { valued: 'e', longs: 'quiet dry-run force interactive exclude=' },
  checkout: {
    valued: 'bB',
    longs: 'guess overlay quiet recurse-submodules? progress merge conflict= detach track? force orphan= overwrite-ignore ignore-other-worktrees ours theirs patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul',
  },
  switch: { valued: 'cC', longs: 'create= force-create= guess discard-changes quiet recurse-submodules? progress merge conflict= detach track? force orphan= overwrite-ignore ignore-other-worktrees' },
  restore: { valued: 's', longs: 'source= staged worktree ignore-unmerged overlay quiet recurse-submodules? progress merge conflict= ours theirs patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul' },
  branch: {
    valued: 'u',
    longs: 'verbose quiet track? set-upstream set-upstream-to= unset-upstream color? remotes contains no-contains with without abbrev? all delete move copy list show-current create-reflog edit-description force merged no-merged column? sort= points-at= ignore-case recurse-submodules format=',
  },
  tag: { valued: 'mFu', attached: 'n', longs: 'list delete verify annotate message= file= edit sign cleanup= local-user= force create-reflog column? contains no-contains with without merged no-merged sort= points-at format= color? ignore-case' },
  gc: { longs: 'quiet prune? cruft aggressive auto force keep-largest-pack detach max-cruft-size= expire-to=' },
  fetch: {
    valued: 'jo',
    longs: 'verbose quiet all set-upstream append atomic upload-pack= force multiple tags jobs= prefetch prune prune-tags recurse-submodules? dry-run write-fetch-head keep update-head-ok progress depth= shallow-since= shallow-exclude= deepen= unshallow refetch submodule-prefix= recurse-submodules-default= update-shallow refmap= server-option= ipv4 ipv6 negotiation-tip= negotiate-only filter= auto-maintenance auto-gc show-forced-updates write-commit-graph stdin',
  },
  config: {
    valued: 'f',
    longs: 'global system local worktree file= blob= get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section list fixed-value edit get-color get-colorbool type= bool int bool-or-int bool-or-str path expiry-date null name-only includes show-origin show-scope default= comment= value= all regexp url= append show-names',
  },
  'update-ref': { valued: 'm', longs: 'no-deref stdin create-reflog' },
  'filter-branch': { valued: 'd', exact: true, longs: 'setup= subdirectory-filter= env-filter= tree-filter= index-filter= parent-filter= msg-filter= commit-filter= tag-name-filter= prune-empty original= force state-branch= remap-to-ancestor' },
};

const negatable = new Map<string, OptionSpec>();
const NO_SPEC: OptionSpec = {};

/** The verb's options and operands. Verbs without a table: every letter and name stands alone. */
export function gitOptions(verb: string, args: readonly Word[]): OptionsRead {
  let spec = negatable.get(verb);
  if (spec === undefined) {
    const base = Object.prototype.hasOwnProperty.call(SPECS, verb) ? SPECS[verb] ?? NO_SPEC : NO_SPEC;
    spec = { negatable: true, ...base };
    negatable.set(verb, spec);
  }
  return readOptions(args, spec);
}

/** `git push --help` and `git push -h` print and do nothing. */
export function isGitHelp({ args }: GitCall): boolean {
  return args[0]?.text === '--help' || (args.length === 1 && args[0]?.text === '-h');
}
