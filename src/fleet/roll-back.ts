// Contract: `workstation rollback | pin | unpin`: what needs no network and no proof, because it chooses among versions that stand
// here. A rollback sets the pin, or the next update would undo it; done twice it does nothing twice. Through Host.
import { PraetorError } from '../model/diagnostic.ts';
import { versionDir, type InstallRecord } from '../roots/install-record.ts';
import { pathsOf } from '../clientsetup/statefiles.ts';
import { noteAttempt } from './note-attempt.ts';
import { writeInstallRecord } from './install-record.ts';
import { MEND_FIX, mendVersion } from './mend-version.ts';
import { compileSettings } from './settle.ts';
import { neededRecord, switched, timeNow, underLock, type Station } from './station.ts';
import { readVersion } from '../roots/version-file.ts';

export interface Chosen {
  readonly result: 'rolled-back' | 'already-rolled-back' | 'pinned' | 'already-pinned' | 'unpinned' | 'not-pinned';
  readonly from: string;
  readonly current: string;
  readonly message: string;
  readonly notes: readonly string[];
}

export function versionsHere({ host, data }: Station): readonly string[] {
  const versions = pathsOf(host).join(data, 'versions');
  return host.lstat(versions) === undefined ? [] : host.readDir(versions).filter((id) => readVersion(host, data, id) !== undefined);
}

function neededVersion(station: Station, id: string): string {
  if (readVersion(station.host, station.data, id) !== undefined) return id;
  const here = versionsHere(station);
  throw new PraetorError({ code: 'version-unknown', message: `version ${id.slice(0, 40)} is not on this workstation`, fix: here.length === 0 ? 'praetorctl workstation install --from <checkout, tarball or remote>' : `name one of these: ${here.join(', ')}` });
}

function cautions(record: InstallRecord, id: string): readonly string[] {
  const block = record.blocked.find((one) => one.id === id);
  return [
    ...(record.withdrawn.includes(id) ? [`version ${id} was withdrawn by a later promotion`] : []),
    ...(block === undefined ? [] : [`version ${id} is blocked here: it did not judge (${block.code})`]),
  ];
}

function target(record: InstallRecord, to: string | undefined): string | undefined {
  if (to !== undefined) return to;
  // After a rollback `previous` is the version that was left: going there again would undo it.
  return record.pin?.by === 'rollback' && record.pin.id === record.current ? record.current : record.previous ?? undefined;
}

export async function rollBack(station: Station, to: string | undefined): Promise<Chosen> {
  return await underLock(station, async () => {
    const { host, data, dirs } = station;
    const record = neededRecord(station);
    const named = target(record, to);
    if (named === undefined) throw new PraetorError({ code: 'version-fails', message: 'there is no version before this one', fix: 'praetorctl workstation status' });
    const id = neededVersion(station, named);
    const damage = await mendVersion(station, record, id);
    if (damage?.mended === false) throw new PraetorError({ code: 'state-damaged', where: { path: damage.file }, message: damage.message, fix: MEND_FIX });
    const notes = [...cautions(record, id), ...(damage === undefined ? [] : [damage.message])];
    const from = record.current;
    if (id === from && record.pin?.id === id) return { result: 'already-rolled-back', from, current: id, message: `version ${id} is current and pinned already`, notes };
    const at = timeNow(host);
    writeInstallRecord(host, data, { ...switched(record, id, at), pin: { id, by: 'rollback', at } });
    const message = `rolled back from ${from} to ${id} and pinned; praetorctl workstation unpin lets updates go on`;
    noteAttempt(host, dirs.state, { at, result: 'rolled-back', code: null, from, to: id, seq: null, message });
    // Settings go back with the program that they came with.
    const compiled = await compileSettings(station, versionDir(host.platform, data, id));
    return { result: 'rolled-back', from, current: id, message, notes: [...notes, ...compiled] };
  });
}

/** undefined: the current one. */
export async function pinVersion(station: Station, wanted: string | undefined): Promise<Chosen> {
  return await underLock(station, () => {
    const { host, data } = station;
    const record = neededRecord(station);
    const id = neededVersion(station, wanted ?? record.current);
    const base = { from: record.current, current: record.current, notes: cautions(record, id) };
    if (id !== record.current) throw new PraetorError({ code: 'version-unknown', message: `version ${id} is not the current one, and only that can be held`, fix: `praetorctl workstation rollback --to ${id}: it goes there and pins it` });
    if (record.pin?.id === id) return { ...base, result: 'already-pinned', message: `version ${id} is pinned already, by ${record.pin.by}` };
    writeInstallRecord(host, data, { ...record, pin: { id, by: 'pin', at: timeNow(host) } });
    return { ...base, result: 'pinned', message: `version ${id} is pinned: updates are verified and not taken` };
  });
}

function nextUpdate(record: InstallRecord): string {
  const { target: id, current, blocked } = record;
  if (record.remote === null) return 'no fork is followed: nothing is updated by itself';
  if (id === null || id === current) return 'the next update finds nothing newer than is known now';
  if (blocked.some((one) => one.id === id)) return `the newest promotion that is known, ${id}, is blocked here; the next update waits for another`;
  return `the next update takes version ${id}, or a newer one`;
}

export async function unpinVersion(station: Station): Promise<Chosen> {
  return await underLock(station, () => {
    const record = neededRecord(station);
    const base = { from: record.current, current: record.current, notes: [] };
    if (record.pin === null) return { ...base, result: 'not-pinned', message: `nothing was pinned; ${nextUpdate(record)}` };
    writeInstallRecord(station.host, station.data, { ...record, pin: null });
    return { ...base, result: 'unpinned', message: `version ${record.pin.id} is not pinned any more; ${nextUpdate(record)}` };
  });
}
