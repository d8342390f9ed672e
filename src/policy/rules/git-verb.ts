// Contract: how rules ask for one git verb: its options as git resolves them, and the settings of the command line. PURE.
import type { PackId } from '../pack.ts';
import { gitCall, gitOptions, isGitHelp, type GitCall } from '../shell/git.ts';
import { readOptions, type OptionSpec, type OptionsRead } from '../shell/options.ts';
import type { Effective, Hit, Place, Rule } from '../types.ts';
import { rule, type Head } from './kit.ts';
import { isHelp } from './options.ts';

const calls = new WeakMap<Effective, GitCall>();

export function callOf(effective: Effective): GitCall {
  let call = calls.get(effective);
  if (call === undefined) calls.set(effective, call = gitCall(effective));
  return call;
}

/** True where `key` (lower case) is set on the command line to something that `accepts`. */
export function hasSetting({ settings }: GitCall, key: string, accepts: (value: string) => boolean): boolean {
  return settings.some((one) => one.key === key && accepts(one.value ?? 'true'));
}

/** Verbs that only these rules look at. */
const MORE: Readonly<Record<string, OptionSpec>> = {
  'send-pack': { negatable: true, longs: 'verbose quiet receive-pack= exec= remote= all mirror dry-run force force-if-includes force-with-lease? thin signed? atomic progress push-option= stateless-rpc stdin helper-status' },
  prune: { negatable: true, longs: 'dry-run verbose progress expire= exclude-promisor-objects' },
  'symbolic-ref': { negatable: true, valued: 'm', longs: 'quiet delete short recurse' },
  rm: { negatable: true, longs: 'dry-run quiet cached force ignore-unmatch sparse pathspec-from-file= pathspec-file-nul' },
  worktree: { negatable: true, valued: 'bB', longs: 'force detach checkout lock quiet track guess-remote orphan porcelain verbose dry-run reason= expire=' },
  submodule: { valued: 'bj', longs: 'quiet force all init recursive remote cached branch= name= reference= depth= jobs=' },
  'checkout-index': { negatable: true, longs: 'all force quiet no-create index stdin temp prefix= stage=' },
  'read-tree': { negatable: true, longs: 'empty trivial aggressive reset prefix= index-output= exclude-per-directory= quiet verbose dry-run' },
  replace: { negatable: true, longs: 'list delete edit graft convert-graft-file format= raw force' },
  reflog: { negatable: true, longs: 'dry-run all rewrite updateref stale-fix verbose single-worktree expire= expire-unreachable=' },
};

const reads = new WeakMap<Effective, OptionsRead>();

/** The options and operands of the verb; undefined for another verb, for help, and where git would refuse the options. */
export function verbArgs(effective: Effective, ...verbs: readonly string[]): OptionsRead | undefined {
  const call = callOf(effective);
  if (!verbs.includes(call.verb) || isGitHelp(call) || isHelp(call.args)) return undefined;
  let read = reads.get(effective);
  if (read === undefined) {
    const spec = Object.prototype.hasOwnProperty.call(MORE, call.verb) ? MORE[call.verb] : undefined;
    read = spec === undefined ? gitOptions(call.verb, call.args) : readOptions(call.args, spec);
    reads.set(effective, read);
  }
  return read.fails ? undefined : read;
}

/** A rule about some git verbs. */
export function gitRule(pack: PackId, about: Head, verbs: string, check: (args: OptionsRead, effective: Effective, place: Place) => Hit | undefined): Rule {
  const wanted = verbs.split(' ');
  return rule(pack, about, 'git', (effective, place) => {
    const args = verbArgs(effective, ...wanted);
    return args === undefined ? undefined : check(args, effective, place);
  });
}
