// Contract: `praetorctl workstation ...`: typed options -> one use case of fleet/ -> one result. Under --scheduled nobody looks: one
// line on standard error, everything else in update.jsonl.
import { pinVersion, rollBack, unpinVersion, type Chosen } from '../fleet/roll-back.ts';
import { installWorkstation } from '../fleet/station-install.ts';
import { stationOf, type Station } from '../fleet/station.ts';
import { stationStatus } from '../fleet/status-evidence.ts';
import { updateWorkstation } from '../fleet/update.ts';
import { EXIT, PraetorError, exitOf, type Diagnostic } from '../model/diagnostic.ts';
import { rootContext } from '../roots/context.ts';
import { VERSION, styleFor, type Outcome } from './output.ts';
import { absolutePath } from './policy-input.ts';
import { refuseAgents } from './person.ts';
import type { CommandContext } from './program.ts';
import { tilde } from './style.ts';
import { statusOutcome, updateOutcome } from './workstation-view.ts';
import { text } from './settings-options.ts';

const notesOf = (notes: readonly string[]): Diagnostic[] => notes.map((message) => ({ code: 'note', severity: 'warning', message, fix: '' }));
const stationFor = ({ io }: CommandContext): Station => stationOf(io.host, io.program.node);

/** What changes the installed version is a person's or a scheduler's to run, and neither has a client above. */
function changeableFor(context: CommandContext, verb: string): Station {
  refuseAgents(context.io.host, `praetorctl workstation ${verb}`);
  return stationFor(context);
}

export async function workstationInstall(context: CommandContext): Promise<Outcome> {
  const { io: { host }, options, global } = context;
  const path = (name: string): string | undefined => { const named = text(options[name]); return named === undefined ? undefined : absolutePath(host, named); };
  const done = await installWorkstation(changeableFor(context, 'install'), {
    from: String(options['from']), anchor: path('anchor'), remote: text(options['remote']), branch: text(options['branch']), org: text(options['org']), name: text(options['name']),
    binDir: path('binDir'), key: path('key'), onMissing: options['onMissing'] === 'deny' || options['onMissing'] === 'allow' ? options['onMissing'] : undefined, acceptHistory: options['acceptHistory'] === true, engine: VERSION,
  });
  const { result, id, previous, hostId, key, launcher, version, notes } = done;
  const style = styleFor(context.io, global, rootContext(host).home);
  const lines = [
    result === 'unchanged' ? `version ${id} was installed already` : `installed version ${id} (${version})`,
    `launcher  ${tilde(style, launcher)}`, `host      ${hostId}`, `key       ${key.fingerprint}`,
    'for the fork, as a line of .config/operator/hosts.allowed:', key.allowed,
  ];
  return { exit: EXIT.ok, kind: 'workstation-install', body: { result, id, release: version, previous, hostId, key: { fingerprint: key.fingerprint, publicLine: key.publicLine, allowed: key.allowed }, launcher }, text: lines.join('\n'), diagnostics: notesOf(notes), wrote: true };
}

/** Whoever reads a scheduler's log has one line for each run. */
function oneLine(severity: Diagnostic['severity'], code: Diagnostic['code'], message: string): Pick<Outcome, 'text' | 'diagnostics'> {
  return { text: '', diagnostics: [{ code, severity, message: `update: ${message}`, fix: '' }] };
}

export async function workstationUpdate(context: CommandContext): Promise<Outcome> {
  const { options } = context;
  const asked = { check: options['check'] === true, now: options['now'] === true, acceptHistory: options['acceptHistory'] === true, scheduled: options['scheduled'] === true };
  const station = (): Station => (asked.check ? stationFor(context) : changeableFor(context, 'update'));
  if (options['scheduled'] !== true) return updateOutcome(await updateWorkstation(station(), asked));
  try {
    const report = await updateWorkstation(station(), asked);
    const outcome = updateOutcome(report);
    const error = outcome.diagnostics.find(({ severity }) => severity === 'error');
    return { ...outcome, ...oneLine(error?.severity ?? 'info', error?.code ?? 'note', `${report.result}: ${report.message}`) };
  } catch (error) {
    if (!(error instanceof PraetorError)) throw error;
    const { code, message } = error.diagnostic;
    return { exit: exitOf(code), kind: 'workstation-update', body: {}, wrote: true, ...oneLine('error', code, `failed: ${message}`) };
  }
}

const chosen = ({ result, from, current, message, notes }: Chosen): Outcome =>
  ({ exit: EXIT.ok, kind: 'workstation-version', body: { result, from, current, message }, text: message, diagnostics: notesOf(notes), wrote: true });

export async function workstationRollback(context: CommandContext): Promise<Outcome> {
  return chosen(await rollBack(changeableFor(context, 'rollback'), text(context.options['to'])));
}

export async function workstationPin(context: CommandContext): Promise<Outcome> {
  return chosen(await pinVersion(changeableFor(context, 'pin'), context.args[0]));
}

export async function workstationUnpin(context: CommandContext): Promise<Outcome> {
  return chosen(await unpinVersion(changeableFor(context, 'unpin')));
}

export function workstationStatus(context: CommandContext): Outcome {
  const { io, global } = context;
  const style = styleFor(io, global, rootContext(io.host).home);
  return statusOutcome(stationStatus(io.host), (path) => tilde(style, path));
}
