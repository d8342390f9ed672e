// Contract: the four files over which faults are injected: a new file in new directories, an edit through a chain of links, an
// edit under the client's own lock, and the deletion of a file that an earlier run created.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { applyPlan } from '../../src/clientsetup/apply.ts';
import { planRollback } from '../../src/clientsetup/backups.ts';
import { recover } from '../../src/clientsetup/recover.ts';
import type { StateDirs } from '../../src/clientsetup/statefiles.ts';
import type { Host } from '../../src/host.ts';
import type { ApplyReport } from '../../src/model/plan.ts';
import { put } from './home.ts';
import { OUR_LINE, lineOptions, planLines, withLine } from './lines.ts';
import type { LineFile } from './lines.ts';

export const BETA = 'beta line\n';
export const GAMMA = '{ "gamma": 1 }';

export interface ScenarioFile extends LineFile {
  /** The content before and after; null for no file. */
  readonly old: string | null;
  readonly young: string | null;
}

export function scenarioFiles(home: string): readonly ScenarioFile[] {
  const at = (...names: string[]): string => path.join(home, ...names);
  return [
    { path: at('.alpha', 'conf', 'hooks.json'), want: true, secret: true, old: null, young: OUR_LINE },
    { path: at('.beta', 'settings.json'), want: true, old: BETA, young: withLine(BETA) },
    { path: at('.gamma.json'), want: true, clientLock: at('.gamma.json.lock'), old: GAMMA, young: withLine(GAMMA) },
    { path: at('.delta', 'launcher'), want: false, old: OUR_LINE, young: null },
  ];
}

/** The home before praetorctl ever ran. */
export function makeScenario(home: string): void {
  put(path.join(home, 'dotfiles', 'real', 'beta.json'), BETA, 0o644);
  fs.symlinkSync('real/beta.json', path.join(home, 'dotfiles', 'link.json'));
  fs.mkdirSync(path.join(home, '.beta'));
  fs.symlinkSync('../dotfiles/link.json', path.join(home, '.beta', 'settings.json'));
  put(path.join(home, '.gamma.json'), GAMMA, 0o600);
}

/** The run before: it created the file that the scenario deletes. */
export async function runBefore(host: Host, dirs: StateDirs, home: string): Promise<ApplyReport> {
  const files = [{ path: path.join(home, '.delta', 'launcher'), want: true }];
  return await applyPlan(host, dirs, planLines(host, dirs, files), lineOptions(host, dirs, files));
}

/** The apply under test. Plans on a sound host, executes on the given one. */
export async function runScenario(sound: Host, host: Host, dirs: StateDirs, home: string): Promise<ApplyReport> {
  const files = scenarioFiles(home);
  return await applyPlan(host, dirs, planLines(sound, dirs, files), lineOptions(sound, dirs, files));
}

export async function runRemove(host: Host, dirs: StateDirs, home: string): Promise<ApplyReport> {
  const files = scenarioFiles(home).map((file) => ({ ...file, want: false }));
  return await applyPlan(host, dirs, planLines(host, dirs, files, 'remove'), lineOptions(host, dirs, files));
}

/** Undoes run after run until there is nothing left to undo; answers how many. */
export async function rollbackAll(host: Host, dirs: StateDirs): Promise<number> {
  for (let count = 0; count < 10; count += 1) {
    await recover(host, dirs);
    const plan = planRollback(host, dirs);
    if (plan.diagnostics.some((d) => d.code === 'unknown-run')) return count;
    const report = await applyPlan(host, dirs, plan, lineOptions(host, dirs, []));
    if (!report.ok) throw new Error(`rollback failed: ${JSON.stringify(report)}`);
  }
  throw new Error('rollback does not come to an end');
}

/** What the file holds now; null for no file. */
export function contentOf(host: Host, file: LineFile): string | null {
  return host.stat(file.path) === undefined ? null : new TextDecoder().decode(host.readFile(file.path, 1 << 20));
}
