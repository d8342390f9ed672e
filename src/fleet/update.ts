// Contract: `workstation update`, step by step: lock, sweep, ask the fork, verify, decide, bring in, try, switch, prove. Every way it
// can end is one result with a stable code; what runs is the old version until the one rename, and again after a failed proof.
import { PraetorError } from '../model/diagnostic.ts';
import type { InstallRecord } from '../roots/install-record.ts';
import type { AttemptResult } from './attempts.ts';
import { noteAttempt } from './note-attempt.ts';
import { bringIn, checkLauncher, sha512Of, switchTo } from './bring-in.ts';
import { foreignArtefact } from './fork-manifest.ts';
import { tidyRepository } from './fork-remote.ts';
import { writeInstallRecord } from './install-record.ts';
import { decideUpdate, namedLine } from './judge-promotion.ts';
import { MEND_FIX, mendVersion } from './mend-version.ts';
import { versionId, type Promotion } from './promotion.ts';
import { remoteHeads, type RemoteHeads } from './remote-heads.ts';
import { stationSettings, type StationSettings } from './station-settings.ts';
import { checkSettings, ownSettingsNote, placed, settlePlan } from './settle.ts';
import { neededRecord, timeNow, underLock, withBlock, type Station } from './station.ts';
import { neededRemote, nothingNew, quickCheck, upToDate, type UpdateReport } from './update-report.ts';
import { dropUnchanged, writeUnchanged } from './unchanged.ts';
import { sweepVersions } from './versions.ts';
import { promotedArtefact, verifyPromotion, type Believed } from './verify-promotion.ts';

export interface UpdateOptions {
  readonly check: boolean;
  readonly now: boolean;
  readonly acceptHistory: boolean;
  readonly scheduled: boolean;
}

interface Run {
  readonly station: Station;
  readonly options: UpdateOptions;
  readonly from: string;
  readonly settings: StationSettings;
  /** Writes the record. What the settings say of the fork is not what was installed. */
  readonly save: (record: InstallRecord) => InstallRecord;
}
const answer = ({ from }: Run, result: AttemptResult, message: string, more: Partial<UpdateReport> = {}): UpdateReport => ({ result, code: null, from, to: null, seq: null, message, fix: '', notes: [], ...more });

/** Only --now takes such a promotion. */
function endedNotes({ host }: Station, { expires }: Promotion): readonly string[] {
  return expires !== null && Date.parse(expires) < host.now() ? [`the promotion ended on ${expires} and is taken because of --now`] : [];
}

async function install(run: Run, believed: Believed): Promise<UpdateReport> {
  const { promotion, fingerprint, record: seen } = believed;
  const { station } = run;
  const { host } = station;
  const record = run.save(seen);
  const { ref, sha512 } = promotion.artifact;
  const id = versionId(sha512);
  const notes = [...believed.notes, ...endedNotes(station, promotion)];
  const about = { to: id, seq: promotion.seq, notes };
  const named = namedLine(fingerprint, ref, promotion.seq);
  await checkLauncher(station, record);
  const artefact = promotedArtefact(believed, neededRemote(seen));
  if (sha512Of(artefact) !== sha512) {
    return answer(run, 'refused', `the artefact is not the one that was promoted: its sha512 differs (${named})`, { ...about, code: 'artefact-other', fix: 'nothing was changed; tell the operator of the fork' });
  }
  const brought = await bringIn(station, { bytes: artefact, version: promotion.version, seq: promotion.seq, commit: promotion.commit });
  const foreign = foreignArtefact(brought.repository, promotion.repository);
  if (foreign !== undefined) {
    return answer(run, 'refused', `${foreign} (${named})`, { ...about, code: brought.repository === null ? 'operator-missing' : 'repository-other', fix: 'nothing was changed; tell the operator of the fork' });
  }
  const { refusal, own } = await checkSettings(station, brought.directory);
  if (refusal !== undefined) return answer(run, 'refused', `the settings of version ${id} cannot be taken: ${placed(refusal)} (${named})`, { ...about, code: 'settings-refused', fix: refusal.fix });
  const blocked = (code: string, what: string): UpdateReport => answer(run, 'reverted', `version ${id} ${what}; it is blocked here, ${record.current} stays (${named})`, { ...about, code, fix: 'praetorctl workstation status; the next promotion is taken as usual' });
  if (brought.fault !== undefined) {
    run.save(withBlock(record, id, brought.fault.code, timeNow(host)));
    return blocked(brought.fault.code, `does not judge: ${brought.fault.message}`);
  }
  const { fault } = await switchTo(station, record, id);
  if (fault !== undefined) return blocked(fault.code, `did not judge through the launcher: ${fault.message}`);
  const drift = own === undefined ? await settlePlan(station, brought.directory) : [ownSettingsNote(own)];
  return answer(run, 'updated', `updated from ${record.current} to ${id} (${promotion.version}, sequence ${promotion.seq})`, { ...about, notes: [...notes, ...(brought.warmed ? [] : ['no code cache was made: the version starts a little slower']), ...drift] });
}

const HOLDING = { held: 'held', waiting: 'waiting', blocked: 'blocked', expired: 'refused' } as const;

async function verified(run: Run, before: InstallRecord, heads: RemoteHeads): Promise<UpdateReport> {
  const { station: { host }, options, settings } = run;
  const believed = verifyPromotion(run.station, before, heads, options);
  if (!('promotion' in believed)) return answer(run, believed.code === 'diverged' ? 'diverged' : 'refused', believed.message, { code: believed.code, seq: believed.seq, fix: believed.fix });
  // Remembered before anything else: a fork that goes back now is noticed whatever comes of this update.
  const { promotion, record, notes } = believed;
  run.save(record);
  const decision = decideUpdate({ ...record, nowMs: host.now(), soakMs: settings.soakMs, now: options.now }, promotion);
  const about = { to: record.target, seq: promotion.seq, notes };
  tidyRepository(believed.place);
  if (decision.what === 'up-to-date') return { ...upToDate(record), from: run.from, notes };
  if ('message' in decision) return answer(run, HOLDING[decision.what], decision.message, { ...about, code: decision.what });
  if (settings.pin !== undefined && promotion.commit !== settings.pin) return answer(run, 'held', `the settings hold commit ${settings.pin.slice(0, 12)}; the promotion of ${promotion.commit.slice(0, 12)} is not taken`, { ...about, code: 'settings-pin' });
  if (options.scheduled && settings.manual) return answer(run, 'held', `version ${record.target ?? ''} is there; the settings leave updates to a person`, { ...about, code: 'manual', fix: 'praetorctl workstation update' });
  if (options.check) return answer(run, 'available', `version ${record.target ?? ''} (${promotion.version}, sequence ${promotion.seq}) is there`, { ...about, fix: 'praetorctl workstation update' });
  return await install(run, believed);
}

/** The settings name another fork or branch than the one that was installed from. */
const followed = (record: InstallRecord, { remote, branch }: StationSettings): InstallRecord => ({ ...record, remote: remote ?? record.remote, branch: branch ?? record.branch });

/** What runs is looked at whole; damage that cannot be mended is what this update ends with, unless it brings another version. */
async function looked(run: Run): Promise<UpdateReport> {
  const installed = neededRecord(run.station);
  sweepVersions(run.station.host, run.station.data, installed);
  const damage = run.options.check ? undefined : await mendVersion(run.station, installed, installed.current);
  const report = await locked(run, installed, damage === undefined);
  if (damage === undefined) return report;
  if (damage.mended || report.result === 'updated') return { ...report, notes: [...report.notes, damage.message] };
  return answer(run, 'refused', damage.message, { code: 'version-damaged', seq: report.seq, fix: MEND_FIX, notes: report.notes });
}

async function locked(run: Run, installed: InstallRecord, whole: boolean): Promise<UpdateReport> {
  const { station: { host, data }, settings } = run;
  // Only an update that ends well and without a finding lets the launcher answer the next question.
  dropUnchanged(host, data);
  const record = followed(installed, settings);
  const heads = remoteHeads(host, data, neededRemote(record), record.branch);
  if (!nothingNew(record, heads)) return await verified(run, record, heads);
  if (!run.options.check) {
    run.save({ ...record, lastVerifiedAt: timeNow(host) });
    if (settings.fault === undefined && whole) writeUnchanged(run.station, record);
  }
  return upToDate(record);
}

function runOf(station: Station, options: UpdateOptions, before: InstallRecord): Run {
  const { host, data } = station;
  const settings = stationSettings(host);
  const save = (record: InstallRecord): InstallRecord => {
    const kept = { ...record, remote: before.remote, branch: before.branch, maxAgeMs: settings.maxAgeMs };
    writeInstallRecord(host, data, kept);
    return kept;
  };
  return { station, options, from: before.current, settings, save };
}

/** Throws PraetorError where nothing could be found out: no record, a lock, no connection. */
export async function updateWorkstation(station: Station, options: UpdateOptions): Promise<UpdateReport> {
  const { host, data, dirs } = station;
  const before = neededRecord(station);
  const quick = options.check ? quickCheck(host, data, followed(before, stationSettings(host))) : undefined;
  if (quick !== undefined) return quick;
  return await underLock(station, async () => {
    const run = runOf(station, options, neededRecord(station));
    const note = ({ result, code, from, to, seq, message }: UpdateReport): void => noteAttempt(host, dirs.state, { at: timeNow(host), result, code, from, to, seq, message });
    try {
      const report = await looked(run);
      note(report);
      return run.settings.fault === undefined ? report : { ...report, notes: [...report.notes, `the settings could not be read, their defaults counted: ${placed(run.settings.fault)}`] };
    } catch (error) {
      const { code, message } = error instanceof PraetorError ? error.diagnostic : { code: 'internal', message: 'an unexpected failure' };
      note(answer(run, 'failed', message, { code }));
      throw error;
    }
  });
}
