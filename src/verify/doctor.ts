// Contract: the use case `doctor`: does the registered command resolve, run and judge, and would anything keep a client
// from calling it? It starts the registered commands with synthetic calls (their receipts are marked and never evidence)
// and writes nothing itself. Throws as verify does. Reads and starts through the Host.
import { INSTALL_FIX } from '../clientsetup/launcher.ts';
import type { Host } from '../host.ts';
import { EXIT, type Diagnostic } from '../model/diagnostic.ts';
import type { ClientDefinition, Platform, Scope } from '../model/client.ts';
import type { ClientEvidence, Seen } from '../model/evidence.ts';
import { pendingRuns } from '../clientsetup/recover.ts';
import { hasHooks, NO_HOOK_SURFACE } from '../clients/mcp-only.ts';
import { pathDirs } from '../roots/context.ts';
import { findProgram } from '../roots/installs.ts';
import { runCommand, type CommandResult } from './run-command.ts';
import { silentRows, type SilentRow } from './silent.ts';
import { chooseClients, evidenceFor, groundFor, type Ground } from './verify.ts';

export type DoctorStatus = 'ok' | 'info' | 'warning' | 'error' | 'skipped' | 'unknown';
export interface DoctorRow { readonly status: DoctorStatus; readonly id: string; readonly message: string; readonly fix: string; readonly check?: string; readonly evidence?: Seen }
export interface DoctorRequest { readonly clients: readonly string[]; readonly scope: Scope; readonly settingsPath?: string }
export interface DoctorResult { readonly ok: boolean; readonly exit: number; readonly rows: readonly DoctorRow[]; readonly diagnostics: readonly Diagnostic[] }

interface Patient { readonly client: ClientDefinition; readonly evidence: ClientEvidence }

const row = (status: DoctorStatus, id: string, message: string, fix = ''): DoctorRow => ({ status, id, message, fix });
const isRegistered = ({ evidence }: Patient): boolean => evidence.files.some((file) => file.commands.length > 0);

/** The PATH of a program that was started from a desktop, where no shell profile was read. */
export function desktopPath(platform: Platform, env: Host['env']): readonly string[] {
  const root = env['SystemRoot'] ?? 'C:\\Windows';
  if (platform === 'win32') return [`${root}\\System32`, root, `${root}\\System32\\Wbem`];
  return platform === 'darwin' ? ['/usr/bin', '/bin', '/usr/sbin', '/sbin'] : ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
}

function entrypointRows(host: Host, registered: readonly Patient[]): DoctorRow[] {
  const here = findProgram(host, 'praetorctl', pathDirs(host.platform, host.env['PATH'] ?? host.env['Path']));
  const desktop = findProgram(host, 'praetorctl', desktopPath(host.platform, host.env));
  const without = registered.map(({ client }) => `${client.name} ${client.verdicts.missingBinary.text}`).join('; ');
  const put = host.platform === 'win32' ? INSTALL_FIX : `${INSTALL_FIX}, or link praetorctl into a directory of that PATH`;
  return [
    here !== undefined ? row('ok', 'entrypoint.path', `praetorctl is ${here}`)
      : row(registered.length > 0 ? 'error' : 'warning', 'entrypoint.path', `praetorctl does not resolve on this PATH${without === '' ? '' : `: ${without}`}`, `praetorctl clients apply, then put ~/.local/bin on PATH; or ${INSTALL_FIX}`),
    desktop !== undefined ? row('ok', 'entrypoint.desktop-path', `praetorctl is found from a desktop session too (${desktop})`)
      : registered.length === 0 ? row('info', 'entrypoint.desktop-path', 'praetorctl would not be found by a client that is started from a desktop', put)
        // Clients that are started from a shell find it; so this is red only where nothing finds it.
        : row(here === undefined ? 'error' : 'warning', 'entrypoint.desktop-path', `a client that is started from a desktop (PATH ${desktopPath(host.platform, host.env).join(host.platform === 'win32' ? ';' : ':')}) would not find praetorctl: ${without}`, put),
  ];
}

const RUN_FIX = 'praetorctl clients plan shows what should stand there; reinstall praetorctl if the plan is empty';

/** A string that is registered twice is run once. */
function hookRows(ground: Ground, patient: Patient): DoctorRow[] {
  const { client, evidence } = patient;
  const seen = new Map<string, CommandResult>();
  return evidence.files.flatMap((file) => file.commands.map((command) => {
    const result = seen.get(command.command) ?? runCommand(ground.host, client, command, ground.context, evidence.scope);
    seen.set(command.command, result);
    const id = `hook.${client.id}.${command.event}${evidence.scope === 'user' ? '' : `.${evidence.scope}`}`;
    if (result.receiptLost) return row('error', id, `the command in ${command.path} answers, but leaves no receipt, so nothing can be observed`, 'make the state directory writable (see state.directory)');
    return row(result.status, id, `the command in ${command.path}: ${result.message}`, result.status === 'error' || result.status === 'unknown' ? RUN_FIX : '');
  }));
}

/** The part of a row's id that says what kind of thing is wrong. */
const KIND: Partial<Record<SilentRow['code'], string>> = {
  'untrusted': 'trust', 'trust-modified': 'trust', 'trust-disabled': 'trust', 'entries-unread': 'file', 'evidence-unread': 'file', 'entries-differ': 'entry', 'entries-gone': 'entry', 'root-moved': 'root',
};

function silentRow(patient: Patient, silent: SilentRow): DoctorRow {
  const { weight, code, text, fix, check, evidence } = silent;
  const status = weight === 'note' ? 'info' : weight === 'unread' ? 'unknown' : weight === 'off' && (isRegistered(patient) || code === 'entries-gone' || code === 'root-moved') ? 'error' : 'warning';
  return { ...row(status, `${KIND[code] ?? 'switch'}.${patient.client.id}`, text, fix), check, evidence };
}

/** What verify says of this client too. The program is the same for all of them and has rows of its own. */
function clientRows(patient: Patient): DoctorRow[] {
  const { client, evidence } = patient;
  const found = silentRows(client, evidence).filter(({ code }) => code !== 'entrypoint-missing');
  const unread = new Set(found.flatMap(({ weight, evidence: { file } }) => (weight === 'unread' ? [file] : [])));
  const servers = evidence.files.flatMap(({ spec, diagnostic }) => (diagnostic === undefined || unread.has(spec.path) ? [] : [row('unknown', `file.${client.id}`, `${spec.path}: ${diagnostic.message}`, diagnostic.fix)]));
  const rows = [...new Map(found.map((one) => [`${one.check}\0${one.evidence.file ?? ''}\0${one.text}`, silentRow(patient, one)])).values(), ...servers];
  if (!hasHooks(client)) return [...rows, row('info', `surface.${client.id}`, `${client.name}: ${NO_HOOK_SURFACE}`)];
  return rows.length > 0 ? rows : [row('ok', `switch.${client.id}`, `nothing was found by which ${client.name} would leave its hooks out`)];
}

function doubleRows(user: readonly Patient[], project: readonly Patient[]): DoctorRow[] {
  return user.filter(isRegistered).flatMap((mine) => {
    const paths = mine.evidence.files.map((file) => file.spec.path);
    const other = project.find(({ client }) => client.id === mine.client.id);
    // In the home directory itself a client's two places can be the same file.
    const twice = other?.evidence.files.find((file) => file.commands.length > 0 && !paths.includes(file.spec.path));
    return twice === undefined ? [] : [row('warning', `double.${mine.client.id}`, `${mine.client.name} has the hooks registered for the user and in ${twice.spec.path}: they may run twice for each call`, `praetorctl clients remove --scope project --client ${mine.client.id}`)];
  });
}

const VERSION_MS_MAX = 5_000;

/** On Node 20 the variable is read at every start of a process, and a hook is a process per tool call. */
function nodeRow(host: Host): DoctorRow {
  const id = 'node.extra-ca-certs';
  if ((host.env['NODE_EXTRA_CA_CERTS'] ?? '') === '') return row('ok', id, 'NODE_EXTRA_CA_CERTS is not set');
  const said = host.spawn('node', ['--version'], { env: { PATH: host.env['PATH'] ?? host.env['Path'] ?? '' }, timeoutMs: VERSION_MS_MAX, maxBytes: 4096 });
  const major = Number(/^v(\d+)\./.exec(said.stdout)?.[1] ?? Number.NaN);
  if (Number.isNaN(major)) return row('unknown', id, 'NODE_EXTRA_CA_CERTS is set, and the version of node on PATH could not be read', 'install Node 20 or newer');
  if (major > 20) return row('ok', id, `NODE_EXTRA_CA_CERTS is set; the slow start was seen with node 20, this is node ${major}`);
  return row('warning', id, `NODE_EXTRA_CA_CERTS is set: node ${major} reads those certificates at the start of every hook, which makes each tool call slower`, 'unset NODE_EXTRA_CA_CERTS in the environment of the clients, or use a newer node');
}

function stateRows(ground: Ground): DoctorRow[] {
  const { host, dirs, receipts } = ground;
  const stat = host.stat(dirs.state);
  if (stat === undefined) return [row('info', 'state.directory', `${dirs.state} does not exist yet; the first hook or apply makes it`)];
  if (stat.kind !== 'dir') return [row('error', 'state.directory', `${dirs.state} is not a directory`, `move ${dirs.state} away`)];
  const posix = host.platform !== 'win32';
  const rows = [
    posix && (stat.mode & 0o200) === 0 ? row('error', 'state.directory', `${dirs.state} is not writable for its owner`, `chmod 700 ${dirs.state}`)
      : posix && (stat.mode & 0o077) !== 0 ? row('warning', 'state.directory', `${dirs.state} is open to others (mode ${stat.mode.toString(8)})`, `chmod 700 ${dirs.state}`)
        : row('ok', 'state.directory', `${dirs.state} belongs to its owner alone`),
  ];
  if (!receipts.ok) return [...rows, row('error', 'state.receipts', `the receipts cannot be read: ${receipts.why}`, `correct the permissions of ${dirs.receipts}`)];
  if (host.stat(dirs.receipts) === undefined) return [...rows, row('info', 'state.receipts', 'there are no receipts yet')];
  const { damagedLines, lines } = receipts.counted();
  return [...rows, damagedLines > 0 ? row('warning', 'state.receipts', `${damagedLines} of ${damagedLines + lines} receipt lines are damaged and do not count`, 'nothing needs to be done; they go with the next rotation')
    : row('ok', 'state.receipts', `${lines} receipts can be read`)];
}

function pendingRows(ground: Ground): DoctorRow[] {
  const { runs, diagnostics } = pendingRuns(ground.host, ground.dirs);
  return [
    ...runs.map((run) => row('warning', 'state.runs', `the run ${run.id} (${run.purpose}) was interrupted`, 'praetorctl clients apply settles it first')),
    ...diagnostics.map((d) => row('error', 'state.runs', d.message, d.fix)),
  ];
}

export function runDoctor(host: Host, request: DoctorRequest): DoctorResult {
  const ground = groundFor(host, request.scope, request.settingsPath);
  const inScope = (scope: Scope): Patient[] => {
    const scoped: Ground = { ...ground, scope };
    return chooseClients(scoped, request.clients).map((client) => ({ client, evidence: evidenceFor(scoped, client) }));
  };
  const user = inScope('user');
  const project = inScope('project');
  const patients = request.scope === 'user' ? user : project;
  const rows = [
    ...entrypointRows(host, [...new Map([...user, ...project].filter(isRegistered).map((p) => [p.client.id, p])).values()]),
    ...patients.flatMap((patient) => hookRows(ground, patient)), ...patients.flatMap(clientRows), ...doubleRows(user, project),
    nodeRow(host), ...stateRows(ground), ...pendingRows(ground),
  ];
  const sorted = [...rows].sort((a, b) => compare(a.id, b.id) || compare(a.message, b.message));
  const ok = !sorted.some((one) => one.status === 'error');
  return { ok, exit: ok ? EXIT.ok : EXIT.no, rows: sorted, diagnostics: patients.flatMap((patient) => patient.evidence.diagnostics) };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
