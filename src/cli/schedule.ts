// Contract: `praetorctl schedule ...`: typed options -> the pure definition, or one change of files and of the scheduler. A change that
// the scheduler does not take is undone: files and scheduler never say different things because of us.
import { applyPlan, ROLLBACK } from '../clientsetup/apply.ts';
import { planRollback } from '../clientsetup/backups.ts';
import { makeDirs, OWN_DIR_MODE } from '../clientsetup/statefiles.ts';
import { ownDirsOf } from '../clientsetup/survey.ts';
import { readCrontab, withBlock, writeCrontab } from '../fleet/crontab.ts';
import { planSchedule, type ScheduleChange } from '../fleet/schedule-plan.ts';
import { PLATFORM_OF, renderSchedule, type Definition, type ScheduleInput } from '../fleet/schedule-render.ts';
import { jobsFor, parseInterval, SCHEDULE_KINDS, type ScheduleKind } from '../fleet/schedule.ts';
import { runCommandOf, saidBy, shown, type Command } from '../fleet/scheduler.ts';
import type { Host } from '../host.ts';
import type { Platform } from '../model/client.ts';
import { EXIT, PraetorError, exitFor, type Diagnostic } from '../model/diagnostic.ts';
import { pathDirs, rootContext } from '../roots/context.ts';
import { findProgram } from '../roots/installs.ts';
import { dataDirOf, readInstallRecord } from '../roots/install-record.ts';
import { ownDirs } from '../roots/own-dirs.ts';
import { configHome, isAbsolutePath, joinPath } from '../roots/paths.ts';
import { loadSettings } from '../settings/load.ts';
import { DEFAULT_SETTINGS } from '../settings/schema.ts';
import { agreed, settle } from './clients.ts';
import { settingsChoice, text } from './settings-options.ts';
import { styleFor, VERSION, type Outcome } from './output.ts';
import { refuseAgents } from './person.ts';
import type { CommandContext } from './program.ts';
import { tilde } from './style.ts';
import { planBody, renderPlan, renderReport, reportBody } from './view.ts';

const USUAL: Readonly<Record<Platform, ScheduleKind>> = { linux: 'systemd', darwin: 'launchd', win32: 'schtasks' };

function kindOf({ io, options }: CommandContext): ScheduleKind {
  return SCHEDULE_KINDS.find((kind) => kind === options['kind']) ?? USUAL[io.host.platform];
}

/** Cron is on every system but Windows. */
function checkKind(host: Host, kind: ScheduleKind): void {
  if (kind === 'cron' ? host.platform !== 'win32' : PLATFORM_OF[kind] === host.platform) return;
  throw new PraetorError({ code: 'usage', message: `this system has no ${kind}`, fix: `praetorctl schedule install --kind ${USUAL[host.platform]}; to see what it would be: praetorctl schedule render --kind ${kind}` });
}

function launcherFor(host: Host, platform: Platform, home: string, recorded: string | undefined): string {
  const own = platform === 'win32'
    ? joinPath(platform, host.env['LOCALAPPDATA'] ?? joinPath(platform, home, 'AppData', 'Local'), 'Programs', 'praetorctl', 'bin', 'praetorctl.exe')
    : joinPath(platform, home, '.local', 'bin', 'praetorctl');
  if (recorded !== undefined) return recorded;
  if (platform !== host.platform || host.canExecute(own)) return own;
  return findProgram(host, 'praetorctl', pathDirs(platform, host.env['PATH'] ?? host.env['Path'])) ?? own;
}

/** What the documents of the operator say. Broken ones stop nothing that already runs, but no schedule is made from them. */
function settledInterval({ io: { host }, options }: CommandContext): string {
  const loaded = loadSettings(host, ownDirsOf(host, rootContext(host)).config, settingsChoice(options));
  if (loaded.ok) return loaded.settings.update.interval;
  const [first] = loaded.diagnostics;
  throw new PraetorError(first ?? { code: 'settings-invalid', message: 'the settings cannot be read', fix: 'praetorctl settings check' });
}

/** Everything of this machine that a definition holds. For another system only what was said counts. */
function inputOf(context: CommandContext, kind: ScheduleKind, purpose: 'apply' | 'remove' = 'apply'): ScheduleInput {
  const { io: { host }, options } = context;
  const platform = kind === 'cron' && host.platform === 'darwin' ? 'darwin' : PLATFORM_OF[kind];
  const isHere = platform === host.platform;
  const home = text(options['home']) ?? rootContext(host).home;
  if (!isAbsolutePath(platform, home)) throw new PraetorError({ code: 'usage', message: 'the home directory is not an absolute path of the system that is rendered for', fix: 'name one: --home' });
  const env = isHere && text(options['home']) === undefined ? host.env : {};
  // What goes must not depend on what is installed: its record may be damaged.
  const record = isHere && purpose === 'apply' ? readInstallRecord(host, dataDirOf(host)) : undefined;
  const name = env['USERNAME'] ?? env['USER'] ?? home.split(/[\\/]/).at(-1) ?? '';
  return {
    kind, home, configHome: configHome({ platform, env, home }), stateDir: ownDirs({ platform, env, home }).state,
    launcher: text(options['launcher']) ?? launcherFor(host, platform, home, record?.launcher),
    interval: parseInterval(text(options['interval']) ?? (isHere && text(options['home']) === undefined && purpose === 'apply' ? settledInterval(context) : DEFAULT_SETTINGS.update.interval)),
    // Before a workstation is installed, its home is as stable as anything else that is known of a host.
    hostId: text(options['hostId']) ?? record?.hostId ?? home,
    jobs: jobsFor(text(options['command']), Array.isArray(options['with']) ? options['with'].map(String) : []),
    user: text(options['user']) ?? (env['USERDOMAIN'] === undefined ? name : `${env['USERDOMAIN']}\\${name}`),
  };
}

const definitionBody = ({ kind, interval, jobs, files, block, notes }: Definition): Record<string, unknown> => ({
  kind, interval: { asked: interval.asked, minutes: interval.minutes }, jobs: jobs.map(({ id, words, times }) => ({ id, command: `praetorctl ${words.join(' ')}`, times })),
  files: files.map(({ path, text: content }) => ({ path, text: content })), block: block ?? null, notes,
});

export function scheduleRender(context: CommandContext): Outcome {
  const definition = renderSchedule(inputOf(context, kindOf(context)));
  const parts = definition.block === undefined ? definition.files.map(({ path, text: content }) => `==> ${path}\n${content}`) : [definition.block];
  const notes = definition.notes.map((message): Diagnostic => ({ code: 'note', severity: 'info', message, fix: '' }));
  return { exit: EXIT.ok, kind: 'schedule-render', body: definitionBody(definition), text: parts.join('\n'), diagnostics: notes, wrote: false };
}

interface Ran { readonly command: string; readonly exit: number | null }

/** Stops at the first that fails. */
function runAll(host: Host, commands: readonly Command[], ran: Ran[]): Diagnostic | undefined {
  for (const command of commands) {
    const result = runCommandOf(host, command);
    ran.push({ command: shown(command), exit: result.code });
    if (result.code !== 0) {
      return { code: 'command-failed', severity: 'error', message: `${shown(command)} failed: ${saidBy(result)}`, fix: 'see what it says when you run it yourself, then run the command again' };
    }
  }
  return undefined;
}

type Dirs = ReturnType<typeof ownDirsOf>;

interface Work { readonly context: CommandContext; readonly host: Host; readonly dirs: Dirs; readonly home: string; readonly settled: readonly Diagnostic[] }

const body = (work: Work, kind: ScheduleKind, change: { plan: unknown; report: unknown; commands: readonly Ran[] }): Record<string, unknown> => ({ dryRun: work.context.options['dryRun'] === true, kind, ...change });
const commandLines = (commands: readonly Command[]): string[] => commands.map((command) => `$ ${shown(command)}`);
const hasErrors = (diagnostics: readonly Diagnostic[]): boolean => diagnostics.some(({ severity }) => severity === 'error');

function changeText(work: Work, change: ScheduleChange, stream: 'out' | 'err'): string {
  const { context: { io, global } } = work;
  return [...commandLines(change.before), renderPlan(styleFor(io, global, work.home, stream), change.plan, global.verbose), ...commandLines(change.after)].join('\n');
}

/** Files first, then the scheduler; where it refuses, the files go back. */
async function execute(work: Work, change: ScheduleChange): Promise<{ report: unknown; shownReport: string; commands: readonly Ran[]; diagnostics: readonly Diagnostic[] }> {
  const { host, dirs, context } = work;
  const ran: Ran[] = [];
  const stopped = runAll(host, change.before, ran);
  if (stopped !== undefined) return { report: null, shownReport: '', commands: ran, diagnostics: [stopped] };
  const report = await applyPlan(host, dirs, change.plan, { ...change.applyOptions, engine: VERSION });
  const base = { report: reportBody(report), shownReport: renderReport(styleFor(context.io, context.global, work.home), report), commands: ran };
  if (!report.ok) return { ...base, diagnostics: report.diagnostics };
  for (const dir of change.dirs) makeDirs(host, dir, OWN_DIR_MODE);
  const failed = runAll(host, change.after, ran);
  if (failed === undefined || report.run === null || change.plan.purpose === 'remove') return { ...base, diagnostics: failed === undefined ? report.diagnostics : [...report.diagnostics, failed] };
  const undone = await applyPlan(host, dirs, planRollback(host, dirs, report.run), { ...ROLLBACK, engine: VERSION });
  const said: Diagnostic = { code: 'note', severity: 'info', message: undone.ok ? 'the files are as they were before' : 'the files could not be put back', fix: undone.ok ? '' : `praetorctl clients rollback --to ${report.run}` };
  return { ...base, diagnostics: [...report.diagnostics, failed, said, ...undone.diagnostics] };
}

async function changeFiles(work: Work, kind: Exclude<ScheduleKind, 'cron'>, purpose: 'apply' | 'remove'): Promise<Outcome> {
  const { context, host, dirs } = work;
  const uid = host.stat(work.home)?.uid ?? 0;
  const change = planSchedule({ host, dirs, uid }, kind, inputOf(context, kind, purpose), purpose);
  const { plan } = change;
  const planned = (commands: readonly Ran[], report: unknown = null): Record<string, unknown> => body(work, kind, { plan: planBody(plan), report, commands });
  const base = { kind: 'schedule', wrote: false, diagnostics: [...work.settled, ...plan.diagnostics] };
  const all = [...change.before, ...change.after];
  if (hasErrors(plan.diagnostics)) return { ...base, exit: exitFor(plan.diagnostics), body: planned([]), text: '' };
  if (plan.files.every(({ action }) => action === 'none') && all.length === 0) return { ...base, exit: EXIT.ok, body: planned([]), text: 'nothing to do' };
  const asPlanned = all.map((command): Ran => ({ command: shown(command), exit: null }));
  if (context.options['dryRun'] === true) return { ...base, exit: EXIT.no, body: planned(asPlanned), text: `dry run: nothing was written or started\n\n${changeText(work, change, 'out')}` };
  if (!(await agreed(context, () => changeText(work, change, 'err'), plan.diagnostics, 'Do this?'))) return { ...base, exit: EXIT.interrupted, body: planned(asPlanned), text: 'not done' };
  const done = await execute(work, change);
  const texts = [context.options['yes'] === true ? changeText(work, change, 'out') : '', done.shownReport, hasErrors(done.diagnostics) ? '' : purpose === 'apply' ? change.definition.notes.map((note) => `note: ${note}`).join('\n') : ''];
  return {
    kind: 'schedule', body: planned(done.commands, done.report), text: texts.filter((part) => part !== '').join('\n\n'), wrote: true,
    exit: exitFor(done.diagnostics), diagnostics: [...work.settled, ...done.diagnostics],
  };
}

/** cron has no files of ours: one block of one table, swapped by `crontab` itself. */
async function changeCrontab(work: Work, purpose: 'apply' | 'remove'): Promise<Outcome> {
  const { context, host } = work;
  const definition = renderSchedule(inputOf(context, 'cron', purpose));
  const before = readCrontab(host);
  const after = withBlock(before, purpose === 'apply' ? definition.block : undefined);
  const command: Command = { program: 'crontab', args: ['-'] };
  const answer = (exit: number, shownText: string, commands: readonly Ran[], wrote = false): Outcome => ({
    exit, kind: 'schedule', text: shownText, wrote, diagnostics: work.settled, body: body(work, 'cron', { plan: { block: definition.block, purpose }, report: null, commands }),
  });
  if (before === after) return answer(EXIT.ok, 'nothing to do', []);
  const lines = (definition.block ?? '').trimEnd().split('\n').map((line) => `  ${purpose === 'apply' ? '+' : '-'} ${line}`);
  const asked = [`your crontab${purpose === 'apply' ? '' : ': the block between these markers goes'}`, ...lines, `$ ${shown(command)}`].join('\n');
  if (context.options['dryRun'] === true) return answer(EXIT.no, `dry run: nothing was written\n\n${asked}`, [{ command: shown(command), exit: null }]);
  if (!(await agreed(context, () => asked, [], 'Do this?'))) return answer(EXIT.interrupted, 'not done', []);
  writeCrontab(host, before, after);
  const notes = purpose === 'apply' ? definition.notes.map((note) => `note: ${note}`) : [];
  return answer(EXIT.ok, [...(context.options['yes'] === true ? [asked, ''] : []), 'the crontab was written and read back', ...notes].join('\n'), [{ command: shown(command), exit: 0 }], true);
}

async function changed(context: CommandContext, purpose: 'apply' | 'remove'): Promise<Outcome> {
  const kind = kindOf(context);
  checkKind(context.io.host, kind);
  if (context.options['dryRun'] !== true) refuseAgents(context.io.host, `praetorctl schedule ${purpose === 'apply' ? 'install' : 'remove'}`);
  const { host, settled } = await settle(context);
  const root = rootContext(host);
  const work: Work = { context, host, dirs: ownDirsOf(host, root), home: root.home, settled };
  if (purpose === 'apply') {
    const { launcher } = inputOf(context, kind);
    if (host.stat(launcher)?.kind !== 'file' || !host.canExecute(launcher)) {
      throw new PraetorError({ code: 'entrypoint-not-on-path', where: { path: launcher }, message: `${tilde(root, launcher)} cannot be started, so nothing would run`, fix: 'praetorctl workstation install --from <checkout or tarball>; or name a program: --launcher' });
    }
  }
  return kind === 'cron' ? await changeCrontab(work, purpose) : await changeFiles(work, kind, purpose);
}

export const scheduleInstall = (context: CommandContext): Promise<Outcome> => changed(context, 'apply');
export const scheduleRemove = (context: CommandContext): Promise<Outcome> => changed(context, 'remove');
