// Contract: a real process is killed (SIGKILL) before every host call that can change the disk, and in the middle of every file
// it writes. Afterwards each client file is fully old or fully new, and the next recovery, apply, remove and rollback work.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan } from '../../src/clientsetup/apply.ts';
import { pendingRuns, recover } from '../../src/clientsetup/recover.ts';
import { readOnlyHost } from '../../src/hosts/read-only.ts';
import type { Host } from '../../src/host.ts';
import { bundleChild, inParallel, startChild } from '../support/children.ts';
import { tempHome, tempsIn, treeOf } from '../support/home.ts';
import { CHANGING, recordingHost } from '../support/hosts.ts';
import type { HostCall } from '../support/hosts.ts';
import { lineOptions, planLines } from '../support/lines.ts';
import { contentOf, makeScenario, rollbackAll, runBefore, runRemove, runScenario, scenarioFiles } from '../support/scenario.ts';

const CHILDREN_AT_ONCE = 2;
const work = tempHome();
let script = '';
let calls: readonly HostCall[] = [];

beforeAll(async () => {
  script = await bundleChild('kill-child', work.root);
  makeScenario(work.home);
  await runBefore(work.host, work.dirs, work.home);
  const recording = recordingHost(readOnlyHost(work.host));
  // Planned on another host, as the child does, so that the numbers are the same.
  await runScenario(readOnlyHost(work.host), recording.host, work.dirs, work.home);
  calls = recording.calls;
});
afterAll(work.remove);

interface Killed { readonly host: Host; readonly home: string; readonly dirs: typeof work.dirs; readonly root: string; readonly pristine: Readonly<Record<string, string>>; readonly remove: () => void }

async function killed(n: number, fault: string): Promise<Killed> {
  const temp = tempHome();
  makeScenario(temp.home);
  const pristine = treeOf(temp.host, temp.home);
  await runBefore(temp.host, temp.dirs, temp.home);
  const child = startChild(script, [temp.root, String(n), fault]);
  const ended = await child.ended;
  expect(ended).toMatchObject({ signal: 'SIGKILL', err: '' });
  return { ...temp, pristine };
}

async function followUp(after: Killed): Promise<void> {
  const { home, dirs, pristine } = after;
  for (const file of scenarioFiles(home)) expect([file.old, file.young]).toContain(contentOf(after.host, file));
  // In memory from here: the disk has shown what it had to show, and flushing it would only cost time.
  const host = readOnlyHost(after.host);
  await recover(host, dirs);
  expect(pendingRuns(host, dirs)).toEqual({ runs: [], diagnostics: [] });
  const again = await runScenario(host, host, dirs, home);
  expect(again.diagnostics.filter((d) => d.severity === 'error')).toEqual([]);
  for (const file of scenarioFiles(home)) expect(contentOf(host, file)).toBe(file.young);
  expect(tempsIn(host, after.root)).toEqual([]);
  expect(host.lstat(path.join(home, '.gamma.json.lock'))).toBeUndefined();
  const other = readOnlyHost(host);
  expect((await runRemove(other, dirs, home)).ok).toBe(true);
  expect(treeOf(other, home)).toEqual(pristine);
  await rollbackAll(host, dirs);
  expect(treeOf(host, home)).toEqual(pristine);
}

async function killAndFollow(call: HostCall, n: number, fault: string): Promise<void> {
  const after = await killed(n, fault);
  try {
    await followUp(after);
  } catch (error) {
    throw new Error(`killed at ${call.name} ${String(call.args[0])} (${fault})`, { cause: error });
  } finally {
    after.remove();
  }
}

test('killed before any call that changes the disk', async () => {
  const points = calls.flatMap((call, i) => (CHANGING.has(call.name) ? [{ call, n: i + 1 }] : []));
  expect(points.length).toBeGreaterThan(30);
  await inParallel(points, CHILDREN_AT_ONCE, async ({ call, n }) => killAndFollow(call, n, 'kill'));
});

test('killed in the middle of writing any file', async () => {
  const points = calls.flatMap((call, i) => (call.name === 'writeNew' ? [{ call, n: i + 1 }] : []));
  expect(points.length).toBeGreaterThan(10);
  await inParallel(points, CHILDREN_AT_ONCE, async ({ call, n }) => killAndFollow(call, n, 'kill-torn'));
});

test('a run right after a killed one takes its lock over and settles its files, on the disk', async () => {
  const beta = calls.findIndex((call) => call.name === 'rename' && String(call.args[1]).endsWith('/real/beta.json'));
  const after = await killed(beta + 2, 'kill');
  try {
    const { host, home, dirs } = after;
    expect(fs.existsSync(path.join(dirs.locks, 'run.lock'))).toBe(true);
    const pending = pendingRuns(host, dirs).runs[0]?.files.map((file) => file.state);
    expect(pending).toEqual(['done', 'done', 'not-done', 'not-done']);
    const settled = await recover(host, dirs);
    expect(settled.diagnostics[0]?.message).toContain('interrupted after 2 of 4 files');
    const files = scenarioFiles(home);
    const report = await applyPlan(host, dirs, planLines(host, dirs, files), lineOptions(host, dirs, files));
    expect(report.files.map((file) => file.outcome)).toEqual(['unchanged', 'unchanged', 'written', 'deleted']);
    await rollbackAll(host, dirs);
    expect(treeOf(host, home)).toEqual(after.pristine);
  } finally {
    after.remove();
  }
});

test('a plan made before the recovery of a killed run is outdated', async () => {
  const alpha = calls.findIndex((call) => call.name === 'rename' && String(call.args[1]).endsWith('/hooks.json'));
  const after = await killed(alpha + 2, 'kill');
  try {
    const host = readOnlyHost(after.host);
    const report = await runScenario(host, host, after.dirs, after.home);
    expect(report).toMatchObject({ run: null, ok: false });
    expect(report.diagnostics.map((d) => d.code)).toEqual(['plan-outdated']);
    expect((await runScenario(host, host, after.dirs, after.home)).ok).toBe(true);
  } finally {
    after.remove();
  }
});
