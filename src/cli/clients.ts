// Contract: `praetorctl clients ...`: typed options -> one use case -> one outcome.
import { EXIT, PraetorError, exitFor, type Diagnostic } from '../model/diagnostic.ts';
import type { ApplyReport, Plan } from '../model/plan.ts';
import type { Scope } from '../model/client.ts';
import type { Host } from '../host.ts';
import { CLIENTS, clientById } from '../clients/registry.ts';
import { applyPlan, ROLLBACK, type ApplyOptions } from '../clientsetup/apply.ts';
import { listRuns, planRollback } from '../clientsetup/backups.ts';
import { refreshPolicyIndex } from '../clientsetup/policy-index.ts';
import { recover } from '../clientsetup/recover.ts';
import { noteServers } from '../clientsetup/servers.ts';
import { ownDirsOf, survey, type Request, type Survey } from '../clientsetup/survey.ts';
import { readStored, storePlan } from '../clientsetup/stored.ts';
import { readOnlyHost } from '../hosts/read-only.ts';
import { detect, rootContext } from '../roots/context.ts';
import { askClients } from '../verify/probe.ts';
import type { ProbeAnswer } from '../verify/probe-conclude.ts';
import { groundFor, verifyClients, type RequiredState } from '../verify/verify.ts';
import { renderVerify } from './verify-view.ts';
import { agentAbove } from './person.ts';
import { compileCatalogues } from '../mcp/store.ts';
import { contractBundle } from './contract-bundle.ts';
import type { CommandContext } from './program.ts';
import { styleFor, VERSION, type Outcome } from './output.ts';
import { settingsChoice, text } from './settings-options.ts';
import { renderCapabilities, capabilityRows } from './capabilities.ts';
import { planBody, renderPlan, renderReport, reportBody } from './view.ts';
import { tilde } from './style.ts';

const words = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : []);
const scopeOf = (value: unknown): Scope => (value === 'project' ? 'project' : 'user');

export function requestOf(context: CommandContext, purpose: Request['purpose']): Request {
  const { options, io } = context;
  return {
    purpose, clients: words(options['client']), scope: scopeOf(options['scope']), adopt: options['adopt'] === true, program: io.program, documents: settingsChoice(options),
  };
}

const hasErrors = (diagnostics: readonly Diagnostic[]): boolean => diagnostics.some((d) => d.severity === 'error');
const isEmpty = (plan: Plan): boolean => plan.files.every((file) => file.action === 'none');

function nothingDetected(found: Survey): Diagnostic[] {
  if (found.selected.length > 0) return [];
  return [{ code: 'note', severity: 'warning', message: 'no client was found on this workstation', fix: 'name one with --client (praetorctl clients list), or see a demonstration: praetorctl start --demo' }];
}

export function clientsPlan(context: CommandContext): Outcome {
  const request = requestOf(context, 'apply');
  const found = survey(context.io.host, request);
  const { plan } = found;
  const out = text(context.options['out']);
  const blocked = hasErrors(plan.diagnostics);
  if (out !== undefined && !blocked) storePlan(context.io.host, out, request, plan);
  const style = styleFor(context.io, context.global, found.context.home);
  return {
    exit: blocked ? exitFor(plan.diagnostics) : isEmpty(plan) ? EXIT.ok : EXIT.no, kind: 'plan', body: planBody(plan),
    text: renderPlan(style, plan, context.global.verbose), diagnostics: [...nothingDetected(found), ...plan.diagnostics], wrote: false,
  };
}

const NOT_CONFIRMED: Diagnostic = {
  code: 'not-confirmed', severity: 'error', message: 'there is no terminal to ask on', fix: 'look at the plan, then run the same command with --yes',
};

/** Asks on a terminal. Without one, --yes is the only way: nothing is ever applied unasked. `show` renders what is asked about. */
export async function agreed(context: CommandContext, show: () => string, diagnostics: readonly Diagnostic[], question: string): Promise<boolean> {
  const { io, options, global } = context;
  if (options['yes'] === true || options['dryRun'] === true) return true;
  if (!io.inIsTty || !io.errIsTty || global.json) throw new PraetorError(NOT_CONFIRMED);
  io.err(`${show()}\n`);
  for (const d of diagnostics) io.err(`praetorctl: ${d.severity}: ${d.message}\n`);
  const answer = (await io.ask(`${question} [y/N] `) ?? '').trim().toLowerCase();
  return answer === 'y' || answer === 'yes';
}

interface Execution {
  readonly plan: Plan;
  readonly home: string;
  readonly dirs: Survey['dirs'];
  readonly applyOptions: ApplyOptions;
}

async function executePlan(context: CommandContext, host: Host, run: Execution): Promise<Outcome> {
  const { plan, home, dirs } = run;
  const { io, global, options } = context;
  const style = styleFor(io, global, home);
  const dryRun = options['dryRun'] === true;
  const base = { kind: 'report', body: { dryRun, plan: planBody(plan), report: null as unknown }, wrote: false };
  if (hasErrors(plan.diagnostics)) return { ...base, exit: exitFor(plan.diagnostics), text: '', diagnostics: plan.diagnostics };
  if (isEmpty(plan)) {
    // The applier still runs where we remember a file: it forgets records of files in which nothing of ours is left.
    const report = plan.files.length === 0 ? { ok: true, diagnostics: [] } : await applyPlan(host, dirs, plan, run.applyOptions);
    return { ...base, exit: exitFor(report.diagnostics), text: `nothing to do\n${renderPlan(style, plan, global.verbose)}`, diagnostics: report.ok ? plan.diagnostics : report.diagnostics };
  }
  const asked = (): string => renderPlan(styleFor(io, global, home, 'err'), plan, global.verbose);
  if (!(await agreed(context, asked, plan.diagnostics, 'Apply this plan?'))) return { ...base, exit: EXIT.interrupted, text: 'not applied', diagnostics: [] };
  const report: ApplyReport = await applyPlan(host, dirs, plan, run.applyOptions);
  const { diagnostics } = report;
  const wrote = report.run !== null && !dryRun;
  const title = dryRun ? 'dry run: nothing was written; this is what would be read back' : '';
  // On a terminal the plan was shown before the question; a script sees it with the result.
  const shown = options['yes'] === true || dryRun ? renderPlan(style, plan, global.verbose) : '';
  return {
    ...base, body: { ...base.body, report: reportBody(report) }, wrote, diagnostics,
    exit: report.ok ? EXIT.ok : exitFor(diagnostics) || EXIT.failed, text: [shown, title, renderReport(style, report)].filter((t) => t !== '').join('\n\n'),
  };
}

/** Unfinished runs of a killed process are brought to truth before anything is planned on top of them. */
export async function settle(context: CommandContext): Promise<{ host: Host; settled: readonly Diagnostic[] }> {
  const host = context.options['dryRun'] === true ? readOnlyHost(context.io.host) : context.io.host;
  return { host, settled: (await recover(host, ownDirsOf(host, rootContext(host)))).diagnostics };
}

/** The guard's own settings come into force with the registrations, but never through an agent: it could loosen them. */
function refreshIndex(context: CommandContext, found: Survey, request: Request): readonly Diagnostic[] {
  if (agentAbove(context.io.host) !== undefined) return [];
  const { host } = context.io;
  return [...refreshPolicyIndex(host, found.dirs, request.documents ?? {}).diagnostics, ...compileCatalogues(host, found.dirs, VERSION).diagnostics];
}

/** `check` sees the very plan that is executed next. */
async function surveyAndExecute(context: CommandContext, request: Request, check: (plan: Plan) => void = () => undefined): Promise<Outcome> {
  const { host, settled } = await settle(context);
  const found = survey(host, request);
  check(found.plan);
  const outcome = await executePlan(context, host, {
    plan: found.plan, home: found.context.home, dirs: found.dirs, applyOptions: { ...found.applyOptions, engine: VERSION },
  });
  if (request.purpose === 'apply' && outcome.exit === EXIT.ok) noteServers(host, found.dirs, found.selected);
  const index = request.purpose === 'apply' && outcome.exit === EXIT.ok && context.options['dryRun'] !== true ? refreshIndex(context, found, request) : [];
  return { ...outcome, exit: outcome.exit || exitFor(index), diagnostics: [...settled, ...(request.purpose === 'apply' ? nothingDetected(found) : []), ...outcome.diagnostics, ...index] };
}

/** The same writer as `contract bundle --self`: a client's cache of plugins is nothing that verify and rollback could own. */
async function applyAsPlugin(context: CommandContext): Promise<Outcome> {
  const out = text(context.options['out']);
  if (out === undefined) throw new PraetorError({ code: 'usage', message: '--via plugin writes a directory, and none is named', fix: 'praetorctl clients apply --via plugin --out DIR' });
  const made = await contractBundle({ ...context, args: [], options: { self: true, out } });
  const lines = [
    made.text, `install: claude plugin validate ${out}, then claude --plugin-dir ${out} (one session), or claude plugin install from a marketplace of yours`, `         agy plugin install ${out}/antigravity`,
    'files stay the default: verify, doctor, remove and rollback know what stands in files; of an installed plugin the client keeps a copy of its own, and its list does not say whether the hooks run',
  ];
  return { ...made, text: lines.join('\n') };
}

export async function clientsApply(context: CommandContext): Promise<Outcome> {
  if (context.options['via'] === 'plugin') return applyAsPlugin(context);
  if (context.options['out'] !== undefined) throw new PraetorError({ code: 'usage', message: '--out is for --via plugin', fix: 'praetorctl clients plan --out FILE stores a plan' });
  const file = context.args[0];
  if (file === undefined) return await surveyAndExecute(context, requestOf(context, 'apply'));
  const stored = readStored(context.io.host, file);
  const request: Request = { ...stored.request, purpose: 'apply', program: context.io.program };
  return await surveyAndExecute(context, request, stored.check);
}

export async function clientsRemove(context: CommandContext): Promise<Outcome> {
  return await surveyAndExecute(context, requestOf(context, 'remove'));
}

export async function clientsRollback(context: CommandContext): Promise<Outcome> {
  const { host, settled } = await settle(context);
  const root = rootContext(host);
  const dirs = ownDirsOf(host, root);
  if (context.options['list'] === true) {
    const runs = listRuns(host, dirs);
    const style = styleFor(context.io, context.global, root.home);
    const lines = runs.map((run) => `${run.id}  ${run.purpose.padEnd(8)}  ${(run.rolledBack ? 'undone' : run.state).padEnd(8)}  ${run.files.map((f) => tilde(style, f)).join(', ')}`);
    return { exit: EXIT.ok, kind: 'runs', body: { runs }, text: lines.length === 0 ? 'no runs' : lines.join('\n'), diagnostics: settled, wrote: false };
  }
  const plan = planRollback(host, dirs, text(context.options['to']));
  const outcome = await executePlan(context, host, { plan, home: root.home, dirs, applyOptions: { ...ROLLBACK, engine: VERSION } });
  return { ...outcome, diagnostics: [...settled, ...outcome.diagnostics] };
}

/** `verify --probe`: the clients are asked first, one after the other. */
export async function clientsVerifyAsked(context: CommandContext): Promise<Outcome> {
  const { io, options, global } = context;
  if (options['probe'] !== true) return clientsVerify(context);
  if (!global.json && !global.quiet) io.err('asking the clients for their own lists; this starts them and takes a while\n');
  return clientsVerify(context, await askClients(groundFor(io.host, scopeOf(options['scope']), settingsChoice(options)), words(options['client'])));
}

export function clientsVerify(context: CommandContext, probes?: ReadonlyMap<string, ProbeAnswer>): Outcome {
  const { io, options, global } = context;
  const require = (text(options['require']) ?? 'observed') as RequiredState;
  const result = verifyClients(io.host, { clients: words(options['client']), scope: scopeOf(options['scope']), require, documents: settingsChoice(options), ...(probes === undefined ? {} : { probes }) });
  const style = styleFor(io, global, rootContext(io.host).home);
  return { exit: result.exit, kind: 'verify', body: { require, clients: result.clients, pendingRuns: result.pendingRuns }, text: renderVerify(result, style), diagnostics: result.diagnostics, wrote: false };
}

export function clientsList(context: CommandContext): Outcome {
  const { host } = context.io;
  const root = rootContext(host);
  const style = styleFor(context.io, context.global, root.home);
  const rows = CLIENTS.map((client) => {
    const found = detect(host, client, root, client.roots(root));
    return { id: client.id, name: client.name, aliases: [...client.aliases], vendor: client.vendor, detected: found.how, program: found.program ?? null, installs: found.installs };
  }).sort((a, b) => (a.id < b.id ? -1 : 1));
  const [idWidth, width] = [Math.max(...rows.map((row) => row.id.length)), Math.max(...rows.map((row) => row.name.length))];
  const places = (row: (typeof rows)[number]): string[] => (row.installs.length > 0 ? row.installs.map(({ kind, path }) => `${tilde(style, path)}${kind === 'program' ? '' : ` (${kind})`}`) : [row.detected === 'none' ? 'not found' : 'configuration only']);
  const lines = rows.flatMap((row) => places(row).map((place, i) => `${(i === 0 ? row.id : '').padEnd(idWidth)} ${(i === 0 ? row.name : '').padEnd(width)}  ${place}`));
  return { exit: EXIT.ok, kind: 'list', body: { clients: rows }, text: lines.join('\n'), diagnostics: [], wrote: false };
}

export function clientsCapabilities(context: CommandContext): Outcome {
  const ids = words(context.options['client']).map((word) => clientById(word).id);
  const rows = capabilityRows(CLIENTS.filter((client) => ids.length === 0 || ids.includes(client.id)));
  return { exit: EXIT.ok, kind: 'capabilities', body: { clients: rows }, text: renderCapabilities(rows), diagnostics: [], wrote: false };
}
