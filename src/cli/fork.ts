// Contract: `praetorctl fork ...`: typed options -> one use case of fleet/ -> one result. Everything happens in the checkout of the
// current directory; only `promote` and `poll` write to a server.
import { engineCheck } from '../fleet/engine-check.ts';
import { initFork } from '../fleet/fork-init.ts';
import { planFork, type ForkPlan } from '../fleet/fork-plan.ts';
import { pollFork, type PollResult } from '../fleet/fork-poll.ts';
import { prepareFork, type Prepared } from '../fleet/fork-prepare.ts';
import { promoteFork, withdrawVersions, type PromoteInput, type PromoteResult } from '../fleet/fork-promote.ts';
import { openRepo, type ForkRepo } from '../fleet/fork-repo.ts';
import type { Finding } from '../fleet/fork-tree.ts';
import { passed } from '../fleet/gates.ts';
import { EXIT, PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { rootContext } from '../roots/context.ts';
import { pathsOf } from '../clientsetup/statefiles.ts';
import { ownDirsOf } from '../clientsetup/survey.ts';
import { durationMs } from '../settings/schema.ts';
import type { Outcome } from './output.ts';
import { refuseAgents } from './person.ts';
import type { CommandContext } from './program.ts';
import { text } from './settings-options.ts';

const FINDINGS_SHOWN_MAX = 20;

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

const FIXES: Readonly<Record<Finding['rule'], string>> = {
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
  settings: 'correct the document: praetorctl settings check',
  identity: 'correct the address of the remote (git remote set-url), or fork.json',
};

function findingDiagnostics(findings: readonly Finding[]): readonly Diagnostic[] {
  return findings.slice(0, FINDINGS_SHOWN_MAX).map(({ rule, path, text: message }) => ({
    code: 'fork-refused', severity: 'error', ...(path === null ? {} : { where: { path } }), message, fix: FIXES[rule],
  }));
}

function planLine({ state, behind, ahead, ownerFiles, findings }: ForkPlan): string {
  const size = `${behind} behind, ${ahead} ahead, ${ownerFiles.length} owner file${ownerFiles.length === 1 ? '' : 's'}`;
  return state === 'refused' ? `refused: ${findings.length} reason${findings.length === 1 ? '' : 's'}` : `${state === 'up-to-date' ? 'up to date with upstream' : 'sync possible'}: ${size}`;
}

function planBody({ manifest, ...plan }: ForkPlan): Record<string, unknown> {
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

/** What a review needs: the commits, what was run and how it ended, and what the artefact is. */
function candidateLines({ candidate, destination, plan }: Prepared): readonly string[] {
  const { owner, base, commit, gates, artefact, version } = candidate;
  const failed = gates.findIndex((gate) => !passed(gate));
  return [
    `owner      ${owner}`, `upstream   ${base}${plan.behind > 0 ? ` (${plan.behind} new)` : ''}`, `candidate  ${commit}`,
    ...gates.map(({ command, exit, sha256 }) => `  ${exit === 0 ? 'passed' : `failed (${exit})`}  ${command}  sha256:${sha256.slice(0, 12)}`),
    artefact === null ? `nothing was packed: see gates/${failed + 1}.log in ${destination}` : `artefact   ${version}, ${artefact.bytes} bytes, sha512:${artefact.sha512.slice(0, 16)}`,
  ];
}

function candidateBody({ candidate, destination, plan }: Prepared): Record<string, unknown> {
  return { ...candidate, destination, upstream: plan.manifest.source, behind: plan.behind };
}

function gateDiagnostics({ candidate, destination }: Prepared): readonly Diagnostic[] {
  const failed = candidate.gates.findIndex((gate) => !passed(gate));
  if (failed < 0) return [];
  return [{ code: 'gate-failed', severity: 'error', where: { path: destination }, message: `a gate failed: ${candidate.gates[failed]?.command ?? ''}`, fix: `read gates/${failed + 1}.log there` }];
}

const listOfTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []);

export async function forkPrepare(context: CommandContext): Promise<Outcome> {
  const { io: { host, program }, options } = context;
  const prepared = await prepareFork(repoOf(context), {
    destination: String(options['destination']), gates: listOfTexts(options['gate']), build: text(options['build']), owner: text(options['ownerCommit']), source: text(options['sourceCommit']),
  }, engineCheck(host, program.node));
  const diagnostics = gateDiagnostics(prepared);
  const lines = [...candidateLines(prepared), ...(diagnostics.length > 0 ? [] : [`next: praetorctl fork promote ${prepared.destination} --sign KEY`])];
  return { exit: diagnostics.length > 0 ? EXIT.failed : EXIT.ok, kind: 'fork-prepare', body: candidateBody(prepared), text: lines.join('\n'), diagnostics, wrote: true };
}

const NEW_SIGNERS_BYTES_MAX = 64 * 1024;

function expiresAt(now: number, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const at = /^[1-9][0-9]{0,4}[smhd]$/.test(value) ? now + durationMs(value) : Date.parse(value);
  if (Number.isNaN(at) || at <= now) throw new PraetorError({ code: 'usage', message: '--expires is a time to come', fix: 'write a duration such as 30d, or a date such as 2027-01-01T00:00:00Z' });
  return new Date(at).toISOString();
}

function promoteInput({ io: { host }, options }: CommandContext): PromoteInput {
  const [minFrom, signers] = [text(options['minFrom']), text(options['newSigners'])];
  if (minFrom !== undefined && !/^[1-9][0-9]{0,8}$/.test(minFrom)) throw new PraetorError({ code: 'usage', message: '--min-from is the sequence number of a promotion', fix: 'praetorctl workstation status names the one a workstation has' });
  const readSigners = (path: string): string => {
    try {
      return Buffer.from(host.readFile(pathsOf(host).resolve(host.cwd, path), NEW_SIGNERS_BYTES_MAX)).toString('utf8');
    } catch {
      throw new PraetorError({ code: 'unreadable', where: { path }, message: 'the new signers cannot be read', fix: 'name a file with allowed signers: --new-signers FILE' });
    }
  };
  return {
    sign: String(options['sign']), urgent: options['urgent'] === true, minFrom: minFrom === undefined ? undefined : Number(minFrom), expires: expiresAt(host.now(), text(options['expires'])),
    resets: text(options['resets']), newSigners: signers === undefined ? undefined : readSigners(signers),
  };
}

function promoteBody({ promoted, promotion, id, fingerprint, digest, why }: PromoteResult): Record<string, unknown> {
  return { promoted, id, fingerprint, line: digest, why: why === '' ? null : why, promotion };
}

function promoteLine({ promotion, id, fingerprint, why }: PromoteResult): string {
  if (promotion === null) return `nothing to promote: ${why}`;
  const withdrawn = promotion.withdraws.length === 0 ? '' : `, withdraws ${promotion.withdraws.join(', ')}`;
  return `promoted ${id ?? ''} (${promotion.version}) as sequence ${promotion.seq} on ${promotion.commit.slice(0, 12)}${withdrawn}, signed by ${fingerprint ?? ''}`;
}

export async function forkPromote(context: CommandContext): Promise<Outcome> {
  const { options, args: [directory] } = context;
  refuseAgents(context.io.host, 'praetorctl fork promote');
  const ids = listOfTexts(options['withdraw']);
  if ((directory === undefined) === (ids.length === 0)) throw new PraetorError({ code: 'usage', message: 'name a candidate, or a version with --withdraw', fix: 'praetorctl fork promote DIR --sign KEY' });
  const repo = repoOf(context);
  const input = promoteInput(context);
  const result = directory !== undefined ? await promoteFork(repo, directory, input) : await withdrawVersions(repo, ids, input);
  return { exit: result.promoted ? EXIT.ok : EXIT.no, kind: 'fork-promote', body: promoteBody(result), text: promoteLine(result), diagnostics: [], wrote: result.promoted };
}

const POLL_EXIT: Readonly<Record<PollResult['state'], number>> = { 'up-to-date': EXIT.ok, promoted: EXIT.ok, waiting: EXIT.no, refused: EXIT.failed, 'gate-failed': EXIT.failed };

/** One line: this is what a scheduler's journal shows. */
function pollLine({ state, plan, prepared, promotion, review, gate, remembered }: PollResult, kept: string | undefined): string {
  const { source, owner, behind, findings } = plan;
  const earlier = remembered ? ', found earlier' : '';
  if (state === 'promoted' && promotion !== null) return promoteLine(promotion);
  if (state === 'refused') return `refused, ${findings.length} reason${findings.length === 1 ? '' : 's'}: ${findings[0]?.path ?? ''} ${findings[0]?.text ?? ''}`;
  if (state === 'gate-failed') return `a gate failed on ${source.slice(0, 12)}: ${gate ?? ''}${earlier}; its output: ${kept ?? 'praetorctl fork poll --destination DIR'}`;
  if (state === 'up-to-date') return `up to date: ${owner.slice(0, 12)} contains ${source.slice(0, 12)}`;
  const where = review ?? kept;
  const candidate = prepared === null ? '' : `candidate ${prepared.candidate.commit}, `;
  return `waits for review${where === undefined ? '' : ` (${where})`}: ${candidate}${behind} new of upstream ${source.slice(0, 12)}${earlier}; next: praetorctl fork prepare --owner-commit ${owner} --source-commit ${source}`;
}

export async function forkPoll(context: CommandContext): Promise<Outcome> {
  const { io: { host, program }, options } = context;
  const result = await pollFork(repoOf(context), ownDirsOf(host, rootContext(host)).state, {
    gates: listOfTexts(options['gate']), build: text(options['build']), destination: text(options['destination']), autoPromote: options['autoPromote'] === 'verified', review: options['review'] === true, again: options['again'] === true,
    promotion: { ...promoteInput(context), sign: text(options['sign']) },
  }, engineCheck(host, program.node));
  const { state, plan, prepared, promotion, review, gate, remembered } = result;
  const body = {
    state, review, gate, remembered, plan: planBody(plan), candidate: prepared === null ? null : { ...candidateBody(prepared), destination: text(options['destination']) ?? null }, promotion: promotion === null ? null : promoteBody(promotion),
  };
  return { exit: POLL_EXIT[state], kind: 'fork-poll', body, text: pollLine(result, text(options['destination'])), diagnostics: context.global.json ? findingDiagnostics(plan.findings) : [], wrote: true };
}
