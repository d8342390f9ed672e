// Contract: whatever host call fails, each client file is fully old or fully new, the report says what stands, nothing is left
// behind, and the next apply, remove and rollback work. Runs over a host in memory, for every call.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recover } from '../../src/clientsetup/recover.ts';
import { readOnlyHost } from '../../src/hosts/read-only.ts';
import type { Host } from '../../src/host.ts';
import type { ApplyReport } from '../../src/model/plan.ts';
import { tempHome, tempsIn, treeOf } from '../support/home.ts';
import { CHANGING, dyingHost, faultyHost, recordingHost, rememberingHost } from '../support/hosts.ts';
import type { Fault, HostCall } from '../support/hosts.ts';
import { contentOf, makeScenario, rollbackAll, runBefore, runRemove, runScenario, scenarioFiles } from '../support/scenario.ts';

const temp = tempHome();
const { home, dirs } = temp;
let real: Host = temp.host;
let pristine: Readonly<Record<string, string>> = {};
let calls: readonly HostCall[] = [];

beforeAll(async () => {
  makeScenario(home);
  pristine = treeOf(real, home);
  expect((await runBefore(real, dirs, home)).ok).toBe(true);
  real = rememberingHost(real);
  const recording = recordingHost(readOnlyHost(real));
  expect((await runScenario(recording.host, recording.host, dirs, home)).ok).toBe(true);
  const planning = recordingHost(readOnlyHost(real));
  await runScenario(planning.host, readOnlyHost(real), dirs, home);
  calls = recording.calls.slice(planning.calls.length);
});
afterAll(temp.remove);

function expectWhole(host: Host, report: ApplyReport): void {
  for (const [i, file] of scenarioFiles(home).entries()) {
    const content = contentOf(host, file);
    const outcome = report.files[i]?.outcome;
    expect([file.old, file.young]).toContain(content);
    if (outcome === 'written' || outcome === 'deleted') expect(content).toBe(file.young);
    if (outcome === 'not-reached') expect(content).toBe(file.old);
    if (report.ok) expect(content).toBe(file.young);
  }
  if (!report.ok) expect(report.diagnostics.some((d) => d.severity === 'error')).toBe(true);
}

/** If looking into a directory of ours or removing it is what failed, the empty directory may stay. */
function withoutEmpty(tree: Readonly<Record<string, string>>, forgive: boolean): Readonly<Record<string, string>> {
  const names = Object.keys(tree);
  const isEmpty = (name: string): boolean => /^\.(alpha|delta)/.test(name) && tree[name]?.startsWith('dir') === true && !names.some((other) => !tree[other]?.startsWith('dir') && other.startsWith(`${name}/`));
  return forgive ? Object.fromEntries(Object.entries(tree).filter(([name]) => !isEmpty(name))) : tree;
}

/** In memory, with a clock and names that are the same each time, so that equal outcomes are equal trees. */
function fresh(): Host {
  let serial = 0;
  return readOnlyHost({ ...real, now: () => 1_800_000_000_000, sleep: async () => undefined, nonce: (bytes) => (serial += 1).toString(16).padStart(bytes * 2, '0') });
}

/** What follows depends on the files alone: an outcome that was followed once need not be followed again. */
const followed = new Set<string>();

async function followUp(host: Host, forgive: boolean): Promise<void> {
  const outcome = `${forgive} ${JSON.stringify(treeOf(host, temp.root))}`;
  if (followed.has(outcome)) return;
  followed.add(outcome);
  const again = await runScenario(host, host, dirs, home);
  expect(again.diagnostics.filter((d) => d.severity === 'error')).toEqual([]);
  for (const file of scenarioFiles(home)) expect(contentOf(host, file)).toBe(file.young);
  expect(tempsIn(host, temp.root)).toEqual([]);
  const other = readOnlyHost(host);
  expect((await runRemove(other, dirs, home)).ok).toBe(true);
  expect(withoutEmpty(treeOf(other, home), forgive)).toEqual(pristine);
  await rollbackAll(host, dirs);
  expect(withoutEmpty(treeOf(host, home), forgive)).toEqual(pristine);
}

async function oneFault(n: number, fault: Fault): Promise<void> {
  const host = fresh();
  const report = await runScenario(host, faultyHost(host, n, fault), dirs, home);
  expectWhole(host, report);
  await recover(host, dirs);
  await followUp(host, calls[n - 1]?.name === 'readDir' || calls[n - 1]?.name === 'rmdir');
}

/** Says with a failure which call it was. */
async function named(call: HostCall, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(`with a fault in ${call.name} ${String(call.args[0])} (call ${call.n} of the recording)`, { cause: error });
  }
}

test('the scenario touches what it should', () => {
  expect(calls.length).toBeGreaterThan(100);
  for (const name of ['writeNew', 'rename', 'unlink', 'mkdir', 'rmdir', 'fsyncDir', 'lock', 'readFile', 'lstat']) {
    expect(calls.map((call) => call.name)).toContain(name);
  }
});

test('a call that fails', async () => {
  for (const [i, call] of calls.entries()) await named(call, () => oneFault(i + 1, 'throw'));
});

test('a call that does its work and then fails', async () => {
  for (const [i, call] of calls.entries()) {
    if (!CHANGING.has(call.name) && call.name !== 'fsyncDir') continue;
    await named(call, () => oneFault(i + 1, 'throw-after'));
  }
});

/** Where a process dies so that the recovery has something to do: right after each change of a client file. */
function deaths(): readonly number[] {
  const changes = calls.flatMap((call, i) => ((call.name === 'rename' || call.name === 'unlink') && String(call.args.at(-1)).startsWith(home) ? [i + 1] : []));
  return changes.flatMap((n) => [n, n + 1]);
}

test('a recovery that dies itself, at any call', async () => {
  expect(deaths().length).toBeGreaterThanOrEqual(8);
  for (const n of deaths()) {
    const dead = fresh();
    await expect(runScenario(dead, dyingHost(dead, n), dirs, home)).rejects.toThrow('dead');
    const whole = recordingHost(readOnlyHost(dead));
    expect((await recover(whole.host, dirs)).runs).toHaveLength(1);
    for (const [i, call] of whole.calls.entries()) {
      if (!CHANGING.has(call.name)) continue;
      const host = readOnlyHost(dead);
      await recover(dyingHost(host, i + 1), dirs).catch((error: unknown) => { expect(String(error)).toContain('dead'); });
      await recover(host, dirs);
      await followUp(host, false);
    }
  }
});

test('the outcomes that were followed are many, though not as many as the calls', () => {
  expect(followed.size).toBeGreaterThan(20);
});
