// Contract: `workstation install`: a version from a file, a checkout or the fork itself, tried before anything points to it; then the
// record by one rename, and the launcher, which is written here and by nothing else. Run again it repairs: what is right stays,
// the host keeps its id and its key. Through Host.
import { recover } from '../clientsetup/recover.ts';
import { makeDirs, OWN_DIR_MODE, pathsOf, toText } from '../clientsetup/statefiles.ts';
import { findProgram, isShadowed } from '../roots/installs.ts';
import { pathDirs } from '../roots/context.ts';
import { dataDir } from '../roots/own-dirs.ts';
import { BLANK_RECORD, type InstallRecord } from '../roots/install-record.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { SIGNERS_BYTES_MAX, parseAllowedSigners } from './allowed-signers.ts';
import { noteAttempt } from './note-attempt.ts';
import { bringIn, clientsOf, sha512Of, type Artefact } from './bring-in.ts';
import { checkoutArtefact } from './checkout-artefact.ts';
import { foreignArtefact } from './fork-manifest.ts';
import { recordBefore, setRecordAside, type RecordBefore } from './damaged-record.ts';
import { remoteHeads } from './remote-heads.ts';
import { hostKey, type HostKey } from './host-key.ts';
import { planWorkstationLauncher, writeWorkstationLauncher, type LauncherWish } from './install-launcher.ts';
import { writeInstallRecord } from './install-record.ts';
import { namedLine } from './judge-promotion.ts';
import { compileSettings } from './settle.ts';
import { smokeLauncher } from './smoke.ts';
import { stationSettings } from './station-settings.ts';
import { switched, timeNow, underLock, type Station } from './station.ts';
import { ARTEFACT_BYTES_MAX } from './tar.ts';
import { sweepVersions } from './versions.ts';
import { promotedArtefact, verifyPromotion } from './verify-promotion.ts';

export interface InstallOptions {
  readonly from: string;
  readonly anchor?: string | undefined;
  readonly remote?: string | undefined;
  readonly branch?: string | undefined;
  readonly org?: string | undefined;
  readonly name?: string | undefined;
  readonly binDir?: string | undefined;
  readonly key?: string | undefined;
  /** Absent: as the settings say. */
  readonly onMissing?: 'allow' | 'deny' | undefined;
  readonly acceptHistory: boolean;
  /** Of the program that installs, for the journal. */
  readonly engine: string;
}

export interface InstallReport {
  readonly result: 'installed' | 'unchanged';
  readonly id: string;
  readonly previous: string | null;
  readonly hostId: string;
  readonly key: HostKey;
  readonly launcher: string;
  readonly version: string;
  readonly notes: readonly string[];
}

type Origin = { readonly kind: 'file' | 'checkout'; readonly path: string } | { readonly kind: 'remote'; readonly remote: string };

/** What --from means is seen, not guessed: a file, a directory with our package in it, or something for git. */
function originOf(host: Host, from: string): Origin {
  const p = pathsOf(host);
  const path = p.isAbsolute(from) ? from : p.join(host.cwd, from);
  const kind = /^[a-z][a-z0-9+.-]*:\/\//i.test(from) ? undefined : host.stat(path)?.kind;
  if (kind === 'file') return { kind: 'file', path };
  if (kind === 'dir' && host.stat(p.join(path, 'package.json')) !== undefined) return { kind: 'checkout', path };
  if (from.startsWith('-') || from.includes('::')) throw new PraetorError({ code: 'usage', message: 'what to install from is no file, no checkout and no address of a repository', fix: 'praetorctl workstation install --from <checkout, tarball or remote>' });
  return { kind: 'remote', remote: kind === 'dir' ? path : from };
}

function anchorLines(host: Host, file: string | undefined): readonly string[] | undefined {
  if (file === undefined) return undefined;
  const refuse = (what: string): PraetorError => new PraetorError({ code: 'unreadable', where: { path: file }, message: `the trusted keys cannot be taken: ${what}`, fix: 'one line for each key: <principal> namespaces="praetor-promotion" ssh-ed25519 AAAA...' });
  let text: string;
  try {
    text = toText(host.readFile(file, SIGNERS_BYTES_MAX));
  } catch {
    throw refuse('the file cannot be read');
  }
  const { signers, problems } = parseAllowedSigners(text);
  if (problems[0] !== undefined) throw refuse(`line ${problems[0].line}: ${problems[0].message}`);
  if (signers.length === 0) throw refuse('there is none in it');
  return text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

/** Of the fork that is followed. Another one is another history. */
const NO_HISTORY = { lastSeq: 0, lastPromotion: null, lastCommit: null, lastNotes: null, repository: null, target: null, expires: null } as const;

function blankRecord({ host }: Station, hostId: string | undefined): InstallRecord {
  return { ...BLANK_RECORD, hostId: hostId ?? uuid(host), current: '', launcher: '', installedAt: timeNow(host) };
}

const foundOnPath = (host: Host, name: string): string | undefined => findProgram(host, name, pathDirs(host.platform, host.env['PATH'] ?? host.env['Path']));

/** Hooks name a bare word. */
function shadowNotes(host: Host, launcher: string): readonly string[] {
  const found = foundOnPath(host, 'praetorctl');
  return found === undefined || !isShadowed(host, found, launcher) ? [] : [`${found} stands on PATH before the launcher: hooks run that one, and updates do not reach it; remove it, or put the directory of ${launcher} first on PATH`];
}

/** Everything but what is current. */
function draftRecord(station: Station, options: InstallOptions, origin: Origin, { record: before, hostId }: RecordBefore): InstallRecord {
  const { host, node } = station;
  const kept = before ?? blankRecord(station, hostId);
  const remote = options.remote ?? (origin.kind === 'remote' ? origin.remote : kept.remote);
  const onPath = foundOnPath(host, 'node');
  return {
    ...kept, ...(kept.remote === null || remote === kept.remote ? {} : NO_HISTORY), remote, anchor: anchorLines(host, options.anchor) ?? kept.anchor, branch: options.branch ?? kept.branch,
    org: options.org ?? kept.org, name: options.name ?? kept.name, node: [...new Set([node, ...(onPath === undefined ? [] : [onPath])])], launcher: launcherPath(station, options, before),
  };
}

/** Version 4. */
function uuid(host: Host): string {
  const hex = host.nonce(16);
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function launcherPath({ host, home, data }: Station, { binDir }: InstallOptions, before: InstallRecord | undefined): string {
  const p = pathsOf(host);
  const file = host.platform === 'win32' ? 'praetorctl.cmd' : 'praetorctl';
  if (binDir !== undefined) return p.join(p.isAbsolute(binDir) ? binDir : p.join(host.cwd, binDir), file);
  if (before !== undefined) return before.launcher;
  return host.platform === 'win32' ? p.join(data, 'bin', file) : p.join(home, '.local', 'bin', file);
}

interface Source { readonly artefact: Artefact; readonly record: InstallRecord; readonly notes: readonly string[]; readonly named?: string }

function fromRemote(station: Station, draft: InstallRecord, remote: string, options: InstallOptions): Source {
  // What is installed from need not be what is followed afterwards.
  const record = { ...draft, remote };
  const { host, data } = station;
  if (record.anchor.length === 0) throw new PraetorError({ code: 'usage', message: 'it is not known whose promotions count', fix: 'name the trusted keys: --anchor <allowed signers>' });
  const heads = remoteHeads(host, data, remote, record.branch);
  // The newest promotion is taken by a person's word: what the installed version would have to be does not count.
  const believed = verifyPromotion(station, record, heads, { acceptHistory: options.acceptHistory, fromAnywhere: true });
  if (!('promotion' in believed)) throw new PraetorError({ code: 'promotion-refused', message: believed.message, fix: believed.fix });
  const { promotion, fingerprint, notes } = believed;
  const { ref, sha512 } = promotion.artifact;
  const named = namedLine(fingerprint, ref, promotion.seq);
  const artefact = promotedArtefact(believed, remote);
  if (sha512Of(artefact) !== sha512) throw new PraetorError({ code: 'promotion-refused', message: `the artefact is not the one that was promoted: its sha512 differs (${named})`, fix: 'nothing was changed; tell the operator of the fork' });
  return { artefact: { bytes: artefact, version: promotion.version, seq: promotion.seq, commit: promotion.commit }, record: { ...believed.record, remote: draft.remote }, notes, named };
}

function sourceOf(station: Station, record: InstallRecord, origin: Origin, options: InstallOptions): Source {
  if (origin.kind === 'remote') return fromRemote(station, record, origin.remote, options);
  if (origin.kind === 'checkout') return { artefact: checkoutArtefact(station.host, origin.path), record, notes: [] };
  let bytes: Uint8Array;
  try {
    bytes = station.host.readFile(origin.path, ARTEFACT_BYTES_MAX);
  } catch (error) {
    throw new PraetorError({ code: 'unreadable', where: { path: origin.path }, message: 'the archive cannot be read', fix: 'name the file that praetorctl fork prepare packed' }, error);
  }
  return { artefact: { bytes, version: 'from a file', seq: null, commit: null }, record, notes: [] };
}

function wishOf({ host, data, home }: Station, record: InstallRecord, options: InstallOptions, onMissing: 'allow' | 'deny'): LauncherWish {
  const usual = dataDir({ platform: host.platform, env: {}, home: home === '' ? undefined : home }) === data;
  return { path: record.launcher, engine: options.engine, launcher: { platform: host.platform, nodes: record.node, data, usual, onMissing } };
}

async function install(station: Station, options: InstallOptions): Promise<InstallReport> {
  const { host, data, dirs, home } = station;
  // A run that was killed while it wrote the launcher is settled first: only then is it known whose the file is.
  await recover(host, dirs);
  const found = recordBefore(station);
  const before = found.record;
  const origin = originOf(host, options.from);
  const draft = draftRecord(station, options, origin, found);
  planWorkstationLauncher(station, wishOf(station, draft, options, 'allow'));
  makeDirs(host, data, OWN_DIR_MODE);
  sweepVersions(host, data, before);
  const { artefact, record, notes, named = '' } = sourceOf(station, draft, origin, options);
  const brought = await bringIn(station, artefact);
  if (brought.fault !== undefined) throw new PraetorError({ code: 'version-fails', message: `the version does not judge: ${brought.fault.message}`, fix: 'install another version; what was installed before is as it was' });
  const foreign = record.repository === null ? undefined : foreignArtefact(brought.repository, record.repository);
  if (foreign !== undefined) {
    throw new PraetorError({ code: 'promotion-refused', message: `${foreign}${named === '' ? '' : ` (${named})`}`, fix: 'nothing was changed; tell the operator of the fork' });
  }
  const key = hostKey(host, data, record.hostId, options.key ?? record.key ?? undefined);
  const at = timeNow(host);
  const moved = before === undefined ? { ...record, current: brought.id } : switched(record, brought.id, at);
  // A person chose this version: a pin on another one is over, and so is a block of this one.
  const next: InstallRecord = { ...moved, key: key.path, pin: moved.pin?.id === brought.id ? moved.pin : null, blocked: moved.blocked.filter((one) => one.id !== brought.id) };
  const aside = found.damaged ? setRecordAside(station, found) : [];
  writeInstallRecord(host, data, next);
  const wrote = await writeWorkstationLauncher(station, wishOf(station, next, options, options.onMissing ?? stationSettings(host).onMissing));
  const fault = await smokeLauncher(host, clientsOf(station).slice(0, 1), next.launcher, home);
  if (fault !== undefined) throw new PraetorError({ code: 'launcher-broken', where: { path: next.launcher }, message: `the version judges, but not through its launcher: ${fault.message}`, fix: 'praetorctl workstation rollback, where there was a version before; else report this' });
  const compiled = await compileSettings(station, brought.directory);
  const same = before !== undefined && before.current === brought.id && !wrote && !brought.fresh;
  const message = same ? `version ${brought.id} was installed already` : `installed version ${brought.id}`;
  noteAttempt(host, dirs.state, { at, result: 'installed', code: null, from: before?.current ?? null, to: brought.id, seq: artefact.seq, message });
  return {
    result: same ? 'unchanged' : 'installed', id: brought.id, previous: next.previous, hostId: next.hostId, key, launcher: next.launcher, version: artefact.version,
    notes: [...aside, ...notes, ...compiled, ...shadowNotes(host, next.launcher), ...(before?.pin != null && next.pin === null ? [`the pin on ${before.pin.id} is over`] : []), ...(brought.warmed ? [] : ['no code cache was made: the version starts a little slower'])],
  };
}

export async function installWorkstation(station: Station, options: InstallOptions): Promise<InstallReport> {
  return await underLock(station, () => install(station, options));
}
