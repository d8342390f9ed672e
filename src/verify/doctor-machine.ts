// Contract: doctor's checks of the machine: is the program found, may it be started, is it the version that registered, what does a
// start cost, may receipts be left, do the clocks agree. Reads and starts through the Host.
import { INSTALL_FIX } from '../clientsetup/launcher.ts';
import { listRuns } from '../clientsetup/backups.ts';
import { pendingRuns } from '../clientsetup/recover.ts';
import type { FileStat, Host } from '../host.ts';
import type { Platform } from '../model/client.ts';
import { RECEIPTS_FILE } from '../receipts/append.ts';
import { FUTURE_MS_MAX } from '../receipts/history.ts';
import { pathDirs } from '../roots/context.ts';
import { dataDirOf, readInstallRecord, type InstallRecord } from '../roots/install-record.ts';
import { findProgram, isShadowed } from '../roots/installs.ts';
import { joinPath } from '../roots/paths.ts';
import { damagedFile, readVersion } from '../roots/version-file.ts';
import { row, type Check, type DoctorRow, type Exam } from './doctor-check.ts';
import { smallEnv } from './run-command.ts';

const VERSION_MS_MAX = 5_000;
const VERSION_BYTES_MAX = 4096;

/** The PATH of a program that was started from a desktop, where no shell profile was read. */
export function desktopPath(platform: Platform, env: Host['env']): readonly string[] {
  const root = env['SystemRoot'] ?? 'C:\\Windows';
  if (platform === 'win32') return [`${root}\\System32`, root, `${root}\\System32\\Wbem`];
  return platform === 'darwin' ? ['/usr/bin', '/bin', '/usr/sbin', '/sbin'] : ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
}

const searched = ({ platform, env }: Host): readonly string[] => pathDirs(platform, env['PATH'] ?? env['Path']);
const here = (host: Host): string | undefined => findProgram(host, 'praetorctl', searched(host));
const without = ({ registered }: Exam): string => registered.map(({ client }) => `${client.name} ${client.verdicts.missingBinary.text}`).join('; ');

function pathRows(exam: Exam): DoctorRow[] {
  const { ground: { host }, registered } = exam;
  const id = 'entrypoint.path';
  const found = here(host);
  const launcher = installedHere(host)?.launcher;
  if (found !== undefined && launcher !== undefined && isShadowed(host, found, launcher)) return [row('warning', id, `${found} stands on PATH before the launcher of this workstation, ${launcher}: hooks run the other one, and updates do not reach it`, `remove ${found}, or put the directory of ${launcher} first on PATH`)];
  if (found !== undefined) return [row('ok', id, `praetorctl is ${found}`)];
  const then = without(exam);
  return [row(registered.length > 0 ? 'error' : 'warning', id, `praetorctl does not resolve on this PATH${then === '' ? '' : `: ${then}`}`, `praetorctl clients apply, then put ~/.local/bin on PATH; or ${INSTALL_FIX}`)];
}

function desktopRows(exam: Exam): DoctorRow[] {
  const { ground: { host }, registered } = exam;
  const id = 'entrypoint.desktop-path';
  const dirs = desktopPath(host.platform, host.env);
  const found = findProgram(host, 'praetorctl', dirs);
  if (found !== undefined) return [row('ok', id, `praetorctl is found from a desktop session too (${found})`)];
  const put = host.platform === 'win32' ? INSTALL_FIX : `${INSTALL_FIX}, or link praetorctl into a directory of that PATH`;
  if (registered.length === 0) return [row('info', id, 'praetorctl would not be found by a client that is started from a desktop', put)];
  // Clients that are started from a shell find it; so this is red only where nothing finds it.
  return [row(here(host) === undefined ? 'error' : 'warning', id, `a client that is started from a desktop (PATH ${dirs.join(host.platform === 'win32' ? ';' : ':')}) would not find praetorctl: ${without(exam)}`, put)];
}

function kindOf(host: Host, path: string): FileStat['kind'] | undefined {
  try { return host.stat(path)?.kind; } catch { return undefined; }
}

/** A shell passes over a file without the bit, and finds another program or none. */
function executableRows({ ground: { host } }: Exam): DoctorRow[] {
  const id = 'entrypoint.executable';
  if (host.platform === 'win32') return [row('skipped', id, 'Windows has no such bit')];
  const found = here(host);
  const passedOver: string[] = [];
  for (const dir of searched(host)) {
    const path = joinPath(host.platform, dir, 'praetorctl');
    if (path === found) break;
    if (kindOf(host, path) === 'file') passedOver.push(path);
  }
  if (passedOver.length === 0) return [row('ok', id, found === undefined ? 'no praetorctl without the right to be executed is on PATH' : `${found} may be executed`)];
  const next = found === undefined ? 'and no other one is on PATH' : `so ${found} runs in its place`;
  return passedOver.map((path) => row(found === undefined ? 'error' : 'warning', id, `${path} may not be executed, ${next}`, `chmod +x ${path}, or remove it`));
}

/** Three that should be one: the program on PATH, the one that is running, and the one that wrote the registrations. */
function versionRows({ ground, registered, version }: Exam): DoctorRow[] {
  const { host, dirs } = ground;
  const id = 'entrypoint.version';
  const found = here(host);
  if (found === undefined) return [row('skipped', id, 'there is no praetorctl on PATH to ask')];
  const said = host.spawn(found, ['--version'], { env: smallEnv(host.env), timeoutMs: VERSION_MS_MAX, maxBytes: VERSION_BYTES_MAX });
  const onPath = /^(\d+\.\d+\.\d+[0-9A-Za-z.+-]{0,40})\s*$/.exec(said.stdout)?.[1];
  if (onPath === undefined) return [row('unknown', id, `${found} does not say its version`, INSTALL_FIX)];
  if (onPath !== version) return [row('warning', id, `hooks run praetorctl ${onPath} (${found}), and this is ${version}: an older one does not know newer events and rules`, `${INSTALL_FIX}, or remove the other one`)];
  const installed = registered.length === 0 ? undefined : listRuns(host, dirs).find((run) => run.purpose === 'apply' && !run.rolledBack && run.engine !== null)?.engine;
  if (installed === undefined || installed === null || installed === onPath) return [row('ok', id, `praetorctl ${onPath} everywhere`)];
  return [row('warning', id, `the registrations were last written by praetorctl ${installed}, and hooks run ${onPath}`, 'praetorctl clients plan shows whether anything differs; praetorctl clients apply writes it')];
}

/** On Node 20 the variable is read at every start of a process, and a hook is a process per tool call. */
function nodeRows({ ground: { host } }: Exam): DoctorRow[] {
  const id = 'node.extra-ca-certs';
  if ((host.env['NODE_EXTRA_CA_CERTS'] ?? '') === '') return [row('ok', id, 'NODE_EXTRA_CA_CERTS is not set')];
  const said = host.spawn('node', ['--version'], { env: { PATH: host.env['PATH'] ?? host.env['Path'] ?? '' }, timeoutMs: VERSION_MS_MAX, maxBytes: VERSION_BYTES_MAX });
  const major = Number(/^v(\d+)\./.exec(said.stdout)?.[1] ?? Number.NaN);
  if (Number.isNaN(major)) return [row('unknown', id, 'NODE_EXTRA_CA_CERTS is set, and the version of node on PATH could not be read', 'install Node 20 or newer')];
  if (major > 20) return [row('ok', id, `NODE_EXTRA_CA_CERTS is set; the slow start was seen with node 20, this is node ${major}`)];
  return [row('warning', id, `NODE_EXTRA_CA_CERTS is set: node ${major} reads those certificates at the start of every hook (measured with a system's bundle: a start of node takes about three times the CPU), which makes each tool call slower`, 'unset NODE_EXTRA_CA_CERTS in the environment of the clients, or use a newer node')];
}

function directoryRows({ ground: { host, dirs } }: Exam): DoctorRow[] {
  const id = 'state.directory';
  const stat = host.stat(dirs.state);
  if (stat === undefined) return [row('info', id, `${dirs.state} does not exist yet; the first hook or apply makes it`)];
  if (stat.kind !== 'dir') return [row('error', id, `${dirs.state} is not a directory`, `move ${dirs.state} away`)];
  const posix = host.platform !== 'win32';
  if (posix && (stat.mode & 0o200) === 0) return [row('error', id, `${dirs.state} is not writable for its owner`, `chmod 700 ${dirs.state}`)];
  if (posix && (stat.mode & 0o077) !== 0) return [row('warning', id, `${dirs.state} is open to others (mode ${stat.mode.toString(8)})`, `chmod 700 ${dirs.state}`)];
  return [row('ok', id, `${dirs.state} belongs to its owner alone`)];
}

/** Hooks follow no link at the end of the path, write to plain files only, and never wait for a reader. */
function receiptsPlaceRows({ ground: { host, dirs } }: Exam): DoctorRow[] {
  const id = 'state.receipts-directory';
  const file = joinPath(host.platform, dirs.receipts, RECEIPTS_FILE);
  const stat = host.lstat(dirs.receipts);
  if (stat === undefined) return [row('info', id, 'there is no directory of receipts yet; the first hook makes it')];
  if (stat.kind === 'link') return [row('warning', id, `${dirs.receipts} is a symbolic link: receipts go where it points`, `replace ${dirs.receipts} by a directory`)];
  if (stat.kind !== 'dir') return [row('error', id, `${dirs.receipts} is not a directory, so hooks leave no receipts`, `move ${dirs.receipts} away`)];
  const posix = host.platform !== 'win32';
  if (posix && (stat.mode & 0o300) !== 0o300) return [row('error', id, `${dirs.receipts} is not writable for its owner, so hooks leave no receipts`, `chmod 700 ${dirs.receipts}`)];
  if (posix && (stat.mode & 0o077) !== 0) return [row('warning', id, `${dirs.receipts} is open to others (mode ${stat.mode.toString(8)})`, `chmod 700 ${dirs.receipts}`)];
  const newest = host.lstat(file);
  if (newest !== undefined && newest.kind !== 'file') return [row('error', id, `${file} is no plain file (${newest.kind}), so hooks leave no receipts`, `move ${file} away`)];
  if (posix && newest !== undefined && (newest.mode & 0o200) === 0) return [row('error', id, `${file} is not writable, so hooks leave no receipts`, `chmod 600 ${file}`)];
  return [row('ok', id, `${dirs.receipts} takes receipts`)];
}

function receiptRows({ ground: { host, dirs, receipts } }: Exam): DoctorRow[] {
  const id = 'state.receipts';
  if (!receipts.ok) return [row('error', id, `the receipts cannot be read: ${receipts.why}`, `correct the permissions of ${dirs.receipts}`)];
  if (host.stat(dirs.receipts) === undefined) return [row('info', id, 'there are no receipts yet')];
  const { damagedLines, lines } = receipts.counted();
  if (damagedLines > 0) return [row('warning', id, `${damagedLines} of ${damagedLines + lines} receipt lines are damaged and do not count`, 'nothing needs to be done; they go with the next rotation')];
  return [row('ok', id, `${lines} receipts can be read`)];
}

function runRows({ ground }: Exam): DoctorRow[] {
  const { runs, diagnostics } = pendingRuns(ground.host, ground.dirs);
  const rows = [
    ...runs.map((run) => row('warning', 'state.runs', `the run ${run.id} (${run.purpose}) was interrupted`, 'praetorctl clients apply settles it first')),
    ...diagnostics.map((d) => row('error', 'state.runs', d.message, d.fix)),
  ];
  return rows.length > 0 ? rows : [row('ok', 'state.runs', 'no run was interrupted')];
}

/** The record of a workstation; undefined where none is installed, or where it cannot be read (`workstation status` says so). */
function installedHere(host: Host): InstallRecord | undefined {
  try { return readInstallRecord(host, dataDirOf(host)); } catch { return undefined; }
}

function versionFileRows({ ground: { host } }: Exam): DoctorRow[] {
  const id = 'version.files';
  const record = installedHere(host);
  // Most machines follow no fleet, and have nothing to hear about it.
  if (record === undefined) return [];
  const { current } = record;
  const file = damagedFile(host, dataDirOf(host), current);
  if (file !== undefined) return [row('error', id, `version ${current} is damaged: ${file} is not the file that was unpacked`, 'praetorctl workstation update, or praetorctl workstation install --from <checkout, tarball or remote>')];
  const known = readVersion(host, dataDirOf(host), current)?.files !== undefined;
  return [known ? row('ok', id, `the files of version ${current} are as they were unpacked`) : row('unknown', id, `version ${current} was unpacked by a praetorctl that kept no list of its files`)];
}

const CLOCK_FIX = 'set the clock; then, for what was written ahead of it: praetorctl clients apply, and one harmless command in the client';
const when = (ms: number): string => new Date(ms).toISOString();

function receiptClockRows({ patients }: Exam): DoctorRow[] {
  const id = 'clock.receipts';
  const ahead = patients.filter(({ evidence }) => evidence.receipts.ignored.future).map(({ client }) => client.name);
  return [ahead.length === 0 ? row('ok', id, 'no receipt is ahead of the clock')
    : row('warning', id, `receipts of ${ahead.join(', ')} are ahead of the clock by more than ${FUTURE_MS_MAX / 60_000} minutes and are no evidence`, CLOCK_FIX)];
}

/** A registration that was written in the future makes every receipt until then one from before it. */
function fileClockRows({ ground: { host, records }, patients }: Exam): DoctorRow[] {
  const id = 'clock.files';
  const limit = host.now() + FUTURE_MS_MAX;
  const recorded = [...records.values()].filter(({ installedAt }) => installedAt > limit).map(({ path, installedAt }) => `${path} (registered ${when(installedAt)})`);
  const files = patients.flatMap(({ evidence }) => evidence.files).filter(({ modifiedAt }) => (modifiedAt ?? 0) > limit).map(({ spec, modifiedAt }) => `${spec.path} (written ${when(modifiedAt ?? 0)})`);
  const ahead = [...new Set([...recorded, ...files])].sort();
  return [ahead.length === 0 ? row('ok', id, 'no file of a registration is ahead of the clock')
    : row(recorded.length > 0 ? 'error' : 'warning', id, `ahead of the clock, so no receipt until then is evidence: ${ahead.join(', ')}`, CLOCK_FIX)];
}

export const MACHINE_CHECKS: readonly Check[] = [
  { id: 'entrypoint.path', about: 'The registered bare word `praetorctl` resolves on the current PATH.', otherwise: 'error where hooks are registered: the row says what each client does then', run: pathRows },
  { id: 'entrypoint.desktop-path', about: 'It also resolves on the PATH of a program that was started from a desktop, where no shell profile is read.', otherwise: 'warning where only shells find it, error where nothing does', run: desktopRows },
  { id: 'entrypoint.executable', about: 'No `praetorctl` without the right to be executed stands on PATH in front of the one that runs.', otherwise: 'warning; error where no other one is found', run: executableRows },
  { id: 'entrypoint.version', about: 'The program on PATH, the running one and the one that wrote the registrations are the same version.', otherwise: 'warning; unknown where it does not say its version', run: versionRows },
  { id: 'node.extra-ca-certs', about: '`NODE_EXTRA_CA_CERTS` does not slow each hook down (Node 20 reads it at every start).', otherwise: 'warning, with the cost', run: nodeRows },
  { id: 'state.directory', about: 'The state directory is a directory, writable, and belongs to its owner alone.', otherwise: 'error where hooks cannot write, warning where others can read', run: directoryRows },
  { id: 'state.receipts-directory', about: 'The directory of the receipts takes them: no link, writable, private, and the file in it a plain one.', otherwise: 'error where hooks leave no receipts, warning for a link and for open modes', run: receiptsPlaceRows },
  { id: 'state.receipts', about: 'The receipts can be read, and no line is damaged.', otherwise: 'error where they cannot be read, warning for damaged lines', run: receiptRows },
  { id: 'state.runs', about: 'No run of apply, remove or rollback was interrupted.', otherwise: 'warning; error where its journal is damaged', run: runRows },
  { id: 'version.files', about: 'The files of the installed version are the ones that were unpacked (their sha256 stand in version.json).', otherwise: 'error, with the first file that differs; no row where no workstation is installed', run: versionFileRows },
  { id: 'clock.receipts', about: 'No receipt is ahead of the clock.', otherwise: 'warning: such receipts are no evidence', run: receiptClockRows },
  { id: 'clock.files', about: 'No registration and no file that holds one is ahead of the clock.', otherwise: 'error for registrations, because then no receipt counts; warning for files', run: fileClockRows },
];
