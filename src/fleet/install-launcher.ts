// Contract: writes the launcher of a workstation through the plan and the applier of client files: snapshot, compare, journal, readback,
// record. A foreign file in its place is refused, one that `clients apply` wrote is taken over. Through Host.
import { applyPlan } from '../clientsetup/apply.ts';
import { WORKSTATION_OWNER, launcherFile, planLauncher } from '../clientsetup/launcher.ts';
import { versionLauncherText, type VersionLauncher } from '../clientsetup/version-launcher.ts';
import { countEntries } from '../clientsetup/plan.ts';
import { readRecords } from '../clientsetup/records.ts';
import { takeSnapshot } from '../clientsetup/snapshot.ts';
import { PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import type { FilePlan, Snapshot } from '../model/plan.ts';
import type { Station } from './station.ts';

export interface LauncherWish { readonly path: string; readonly launcher: VersionLauncher; readonly engine: string }

function foreign(path: string): Diagnostic {
  return { code: 'foreign-entry', severity: 'error', where: { path }, message: 'a file that praetorctl did not write stands where the launcher would go', fix: 'move it away, or name another directory on PATH: --bin-dir <directory>' };
}

function planned(wish: LauncherWish, station: Station): (now: Snapshot) => FilePlan | Diagnostic {
  const record = readRecords(station.host, station.dirs).get(wish.path);
  const text = versionLauncherText(wish.launcher);
  return (snapshot) => {
    if (snapshot.state === 'refused') return snapshot.diagnostic;
    return planLauncher({ spec: launcherFile(wish.path), owner: WORKSTATION_OWNER, snapshot, record, text }).file ?? foreign(wish.path);
  };
}

/** Throws what stands in the way; nothing was written then. */
export function planWorkstationLauncher(station: Station, wish: LauncherWish): FilePlan {
  const file = planned(wish, station)(takeSnapshot(station.host, wish.path));
  if ('severity' in file) throw new PraetorError(file);
  return file;
}

/** True where it was written, false where it stood there already. */
export async function writeWorkstationLauncher(station: Station, wish: LauncherWish): Promise<boolean> {
  const { host, dirs } = station;
  const file = planWorkstationLauncher(station, wish);
  const replan = planned(wish, station);
  const report = await applyPlan(host, dirs, { purpose: 'apply', files: [file], diagnostics: [], counts: countEntries([file]) }, {
    engine: wish.engine, replan: (_file, now) => replan(now), countForeign: () => ({ hooks: 0, servers: 0 }),
    readback: (one, bytes) => {
      const same = bytes !== null && (one.after === null || Buffer.compare(bytes, one.after) === 0);
      return same ? { entries: one.entries } : { code: 'readback-failed', severity: 'error', where: { path: wish.path }, message: 'the launcher was written, but reading it back shows something else', fix: 'run the command again' };
    },
  });
  const error = report.diagnostics.find((one) => one.severity === 'error');
  if (error !== undefined) throw new PraetorError(error);
  return file.action !== 'none';
}
