// Contract: every run can be undone as long as its files are as it left them; a rollback is itself a run; nothing is half undone
// knowingly; a bounded number of runs is kept, and never at the price of an original that is still needed.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { applyPlan } from '../../src/clientsetup/apply.ts';
import { RUNS_KEPT_MAX, listRuns, planRollback, readOriginal } from '../../src/clientsetup/backups.ts';
import { journalPath, runDir, runIds } from '../../src/clientsetup/journal.ts';
import { readRecords } from '../../src/clientsetup/records.ts';
import { pendingRuns, recover } from '../../src/clientsetup/recover.ts';
import { readOnlyHost } from '../../src/hosts/read-only.ts';
import type { Host } from '../../src/host.ts';
import { exitFor } from '../../src/model/diagnostic.ts';
import type { ApplyReport } from '../../src/model/plan.ts';
import { put, tempHome, treeOf } from '../support/home.ts';
import { wrapHost } from '../support/hosts.ts';
import { lineOptions, planLines, withLine } from '../support/lines.ts';

let temp = tempHome();
const homes = [temp];
beforeEach(() => { temp = tempHome(); homes.push(temp); });
afterAll(() => { for (const home of homes) home.remove(); });

const at = (...names: string[]): string => path.join(temp.home, ...names);
const text = (file: string): string => fs.readFileSync(file, 'utf8');
const records = (): unknown => [...readRecords(temp.host, temp.dirs)];

async function run(names: readonly string[], want: boolean, host: Host = temp.host): Promise<ApplyReport> {
  const files = names.map((name) => ({ path: at(name), want }));
  return await applyPlan(host, temp.dirs, planLines(host, temp.dirs, files, want ? 'apply' : 'remove'), lineOptions(host, temp.dirs, files));
}

async function rollback(id?: string, host: Host = temp.host): Promise<ApplyReport> {
  return await applyPlan(host, temp.dirs, planRollback(host, temp.dirs, id), lineOptions(host, temp.dirs, []));
}

test('an apply is undone: bytes, mode, created files and directories, records', async () => {
  put(at('a'), 'x', 0o640);
  const before = treeOf(temp.host, temp.home);
  const applied = await run(['a', 'new/dir/file'], true);
  const plan = planRollback(temp.host, temp.dirs);
  expect(plan).toMatchObject({ purpose: 'rollback', diagnostics: [], counts: { add: 0, remove: 2 }, rollback: { of: applied.run } });
  expect(plan.files.map((file) => [file.action, file.entries[0]?.action])).toEqual([['delete', 'remove'], ['restore', 'remove']]);
  const report = await rollback();
  expect(report).toMatchObject({ ok: true, files: [{ outcome: 'deleted' }, { outcome: 'written' }] });
  expect(treeOf(temp.host, temp.home)).toEqual(before);
  expect(records()).toEqual([]);
});

test('a removal is undone: deleted files come back with mode and directories, and the records as they were', async () => {
  put(at('a'), 'x', 0o640);
  await run(['a', 'new/dir/file'], true);
  const tree = treeOf(temp.host, temp.home);
  const known = records();
  await run(['a', 'new/dir/file'], false);
  expect(records()).toEqual([]);
  expect(planRollback(temp.host, temp.dirs).files.map((file) => file.action)).toEqual(['create', 'restore']);
  expect((await rollback()).ok).toBe(true);
  expect(treeOf(temp.host, temp.home)).toEqual(tree);
  expect(records()).toEqual(known);
});

test('by default run after run, newest first, rollbacks and undone runs left out; by name also a rollback', async () => {
  put(at('a'), 'x\n');
  put(at('b'), 'x\n');
  const first = await run(['a'], true);
  const second = await run(['b'], true);
  expect((await rollback()).ok).toBe(true);
  expect(text(at('b'))).toBe('x\n');
  const undoA = await rollback();
  expect(text(at('a'))).toBe('x\n');
  expect(listRuns(temp.host, temp.dirs).map((one) => [one.purpose, one.rollbackOf, one.rolledBack])).toEqual([
    ['rollback', first.run, false], ['rollback', second.run, false], ['apply', null, true], ['apply', null, true],
  ]);
  const nothing = planRollback(temp.host, temp.dirs);
  expect(nothing.diagnostics).toMatchObject([{ code: 'unknown-run' }]);
  expect((await rollback()).ok).toBe(false);
  expect((await rollback(undoA.run ?? '')).ok).toBe(true);
  expect(text(at('a'))).toBe(withLine('x\n'));
});

test('a file that changed since: conflict, and no other file of the run is touched', async () => {
  put(at('a'), 'x\n');
  put(at('b'), 'x\n');
  await run(['a', 'b'], true);
  fs.appendFileSync(at('a'), 'foreign\n');
  const before = treeOf(temp.host, temp.root);
  const plan = planRollback(temp.host, temp.dirs);
  expect(plan.diagnostics).toMatchObject([{ code: 'rollback-changed', where: { path: at('a') }, fix: expect.stringContaining('praetorctl clients remove') as string }]);
  expect(exitFor(plan.diagnostics)).toBe(4);
  expect((await rollback()).ok).toBe(false);
  expect(treeOf(temp.host, temp.root)).toEqual(before);
});

test('a file that changes between the plan and the rollback is left alone', async () => {
  put(at('a'), 'x\n');
  await run(['a'], true);
  const plan = planRollback(temp.host, temp.dirs);
  fs.appendFileSync(at('a'), 'foreign\n');
  const report = await applyPlan(temp.host, temp.dirs, plan, lineOptions(temp.host, temp.dirs, [{ path: at('a'), want: true }]));
  expect(report.files).toMatchObject([{ outcome: 'conflict', diagnostic: { code: 'rollback-changed' } }]);
  expect(text(at('a'))).toBe(`${withLine('x\n')}foreign\n`);
});

test('a run that stopped half way is undone as far as it went; a rollback that stopped half way goes on', async () => {
  put(at('a'), 'x\n');
  put(at('b'), 'x\n');
  const full = (file: string): Host => wrapHost(temp.host, (call, go) => {
    if (call.name === 'rename' && call.args[1] === file) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return go();
  });
  expect((await run(['a', 'b'], true, full(at('b')))).ok).toBe(false);
  expect((await rollback()).ok).toBe(true);
  expect([text(at('a')), text(at('b')), records()]).toEqual(['x\n', 'x\n', []]);
  const { run: id } = await run(['a', 'b'], true);
  expect((await rollback(undefined, full(at('a')))).files.map((file) => file.outcome)).toEqual(['written', 'failed']);
  expect(listRuns(temp.host, temp.dirs).find((one) => one.id === id)?.rolledBack).toBe(false);
  expect((await rollback()).files.map((file) => file.outcome)).toEqual(['unchanged', 'written']);
  expect(listRuns(temp.host, temp.dirs).find((one) => one.id === id)?.rolledBack).toBe(true);
  expect([text(at('a')), text(at('b')), records()]).toEqual(['x\n', 'x\n', []]);
});

test('an unknown run, and a before-image that is damaged', async () => {
  put(at('a'), 'x\n');
  const { run: id } = await run(['a'], true);
  expect(exitFor(planRollback(temp.host, temp.dirs, '20200101T000000000Z-00000000').diagnostics)).toBe(64);
  fs.writeFileSync(path.join(runDir(temp.host, temp.dirs, id ?? ''), '0.before'), 'other');
  expect(planRollback(temp.host, temp.dirs).diagnostics).toMatchObject([{ code: 'state-damaged' }]);
  expect((await rollback()).ok).toBe(false);
  expect(text(at('a'))).toBe(withLine('x\n'));
});

test('a damaged original is not used: removal falls back to taking out our entry', async () => {
  put(at('a'), 'x');
  await run(['a'], true);
  const record = readRecords(temp.host, temp.dirs).get(at('a'));
  if (record?.original == null) throw new Error('no original');
  expect(new TextDecoder().decode(readOriginal(temp.host, temp.dirs, record))).toBe('x');
  fs.writeFileSync(path.join(temp.dirs.state, record.original.backup), 'damaged');
  expect(readOriginal(temp.host, temp.dirs, record)).toBeUndefined();
  expect((await run(['a'], false)).ok).toBe(true);
  expect(text(at('a'))).toBe('x\n');
});

test.each(['', '{"version":1}', '{"version":9}', 'null', '\0\0'])('a damaged journal %j stops every run, and the list and verify show it', async (content) => {
  put(at('a'), 'x\n');
  const { run: id } = await run(['a'], true);
  fs.writeFileSync(journalPath(temp.host, temp.dirs, id ?? ''), content);
  expect(listRuns(temp.host, temp.dirs)).toMatchObject([{ id, state: 'damaged', purpose: 'unknown', files: [] }]);
  expect(pendingRuns(temp.host, temp.dirs)).toMatchObject({ runs: [], diagnostics: [{ code: 'state-damaged' }] });
  await expect(recover(temp.host, temp.dirs)).rejects.toMatchObject({ diagnostic: { code: 'state-damaged', fix: expect.stringContaining(String(id)) as string } });
  put(at('b'), 'x\n');
  expect((await run(['b'], true)).diagnostics).toMatchObject([{ code: 'state-damaged' }]);
  expect(text(at('b'))).toBe('x\n');
});

test('runs are named so that they sort, also when the clock goes back', async () => {
  let clock = Date.parse('2026-02-03T04:05:06.789Z');
  const host: Host = { ...readOnlyHost(temp.host), now: () => clock };
  await run(['a'], true, host);
  clock -= 3_600_000;
  await run(['b'], true, host);
  await run(['c'], true, host);
  const ids = runIds(host, temp.dirs);
  expect(ids.map((id) => id.slice(0, 19))).toEqual(['20260203T040506789Z', '20260203T040506790Z', '20260203T040506791Z']);
  expect(planRollback(host, temp.dirs).files.map((file) => file.before.path)).toEqual([at('c')]);
});

test('the newest runs are kept; an original that a record or a kept run refers to stays', async () => {
  put(at('keep'), 'first touch');
  put(at('gone'), 'gone');
  const host = readOnlyHost(temp.host);
  await run(['keep'], true, host);
  await run(['gone'], true, host);
  await run(['gone'], false, host);
  const originals = (): number => host.readDir(path.join(temp.dirs.state, 'originals')).length;
  for (let i = 0; i < RUNS_KEPT_MAX + 3; i += 1) {
    await run(['other'], i % 2 === 0, host);
    expect(listRuns(host, temp.dirs).length).toBe(Math.min(RUNS_KEPT_MAX, i + 4));
    if (i === 10) expect(originals()).toBe(2);
  }
  expect(originals()).toBe(1);
  await run(['keep'], false, host);
  expect(new TextDecoder().decode(host.readFile(at('keep'), 100))).toBe('first touch');
});
