// Contract: `praetorctl fork ...`: typed options -> one use case of fleet/ -> one result. Everything happens in the checkout of the
// current directory; only `promote` and `poll` write to a server.
import { initFork } from '../fleet/fork-init.ts';
import { planFork, type ForkPlan } from '../fleet/fork-plan.ts';
import { openRepo, type ForkRepo } from '../fleet/fork-repo.ts';
import type { Finding } from '../fleet/fork-tree.ts';
import { EXIT, type Diagnostic } from '../model/diagnostic.ts';
import type { Outcome } from './output.ts';
import type { CommandContext } from './program.ts';

const FINDINGS_SHOWN_MAX = 20;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function repoOf({ io: { host }, options }: CommandContext): ForkRepo {
  return openRepo(host, { remote: String(options['remote']), upstream: String(options['upstream']), branch: String(options['branch']) });
}

export function forkInit(context: CommandContext): Outcome {
  const { options } = context;
  const repo = repoOf(context);
  const { manifest, head, files } = initFork(repo, { owner: text(options['owner']), repository: text(options['repository']), source: text(options['source']) });
  const lines = [
    `${manifest.repository}, a fork of ${manifest.source}`,
    ...files.map((path) => `  + ${path}`),
    'nothing was staged or committed. next: edit these files, then',
    `  git add -f ${files.join(' ')} && git commit -m "Operator settings"`,
  ];
  return { exit: EXIT.ok, kind: 'fork-init', body: { ...manifest, head, files }, text: lines.join('\n'), diagnostics: [], wrote: true };
}

export const FIXES: Readonly<Record<Finding['rule'], string>> = {
  environment: 'unset the variables that are named',
  grafts: 'make a fresh full clone and plan there',
  replace: 'make a fresh full clone and plan there',
  shallow: 'git fetch --unshallow, then plan again',
  partial: 'make a fresh full clone and plan there',
  filter: 'take a version of upstream without this attribute; what a filter makes is not what is proven',
  submodule: 'take a version of upstream without submodules',
  'upstream-path': 'do not take this version of upstream: report it there',
  'owner-path': 'correct the file, commit, and plan again',
  difference: 'undo the change in a new commit: the fork carries owner files only, changes of the engine go to upstream',
  history: 'start the branch of the fork from a commit of upstream',
  rewritten: 'compare what upstream was and is; if it is meant, start a new branch from it, bring the owner files over, and promote once with --resets',
  identity: 'correct the address of the remote (git remote set-url), or fork.json',
};

export function findingDiagnostics(findings: readonly Finding[]): readonly Diagnostic[] {
  return findings.slice(0, FINDINGS_SHOWN_MAX).map(({ rule, path, text: message }) => ({
    code: 'fork-refused', severity: 'error', ...(path === null ? {} : { where: { path } }), message, fix: FIXES[rule],
  }));
}

export function planLine({ state, behind, ahead, ownerFiles, findings }: ForkPlan): string {
  const size = `${behind} behind, ${ahead} ahead, ${ownerFiles.length} owner file${ownerFiles.length === 1 ? '' : 's'}`;
  return state === 'refused' ? `refused: ${findings.length} reason${findings.length === 1 ? '' : 's'}` : `${state === 'up-to-date' ? 'up to date with upstream' : 'sync possible'}: ${size}`;
}

export function planBody({ manifest, ...plan }: ForkPlan): Record<string, unknown> {
  return { ...plan, repository: manifest.repository, upstream: manifest.source };
}

const PLAN_EXIT = { 'up-to-date': EXIT.ok, 'sync-possible': EXIT.no, refused: EXIT.failed } as const;

export function forkPlan(context: CommandContext): Outcome {
  const { options } = context;
  const plan = planFork(repoOf(context), { owner: text(options['ownerCommit']), source: text(options['sourceCommit']) });
  const { state, owner, base, source } = plan;
  const lines = [`owner   ${owner}`, `base    ${base ?? 'none'}`, `source  ${source}`, planLine(plan), ...(state === 'sync-possible' ? ['next: praetorctl fork prepare --destination DIR'] : [])];
  return { exit: PLAN_EXIT[state], kind: 'fork-plan', body: planBody(plan), text: lines.join('\n'), diagnostics: findingDiagnostics(plan.findings), wrote: false };
}
