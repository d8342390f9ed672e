// Contract: what an apply does to one machine: modes, owners, links, directories, locks, records, reports, and that a dry run is
// the same run with nothing on the disk. The planner is a stand-in (test/support/lines.ts): bytes in, bytes out.
import * as fs from 'node:fs';
import * as path from 'node:path';
import fse from 'fs-extra';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { applyPlan } from '../../src/clientsetup/apply.ts';
import type { ApplyOptions } from '../../src/clientsetup/apply.ts';
import { listRuns } from '../../src/clientsetup/backups.ts';
import { recordsPath, readRecords } from '../../src/clientsetup/records.ts';
import { recover } from '../../src/clientsetup/recover.ts';
import { readOnlyHost } from '../../src/hosts/read-only.ts';
import type { Host } from '../../src/host.ts';
import { exitFor } from '../../src/model/diagnostic.ts';
import type { ApplyReport, FileRecord, Plan } from '../../src/model/plan.ts';
import { put, tempHome, tempsIn, treeOf } from '../support/home.ts';
import { recordingHost, wrapHost } from '../support/hosts.ts';
import { lineOptions, planLines, withLine } from '../support/lines.ts';
import type { LineFile } from '../support/lines.ts';
import { makeScenario, runBefore, runRemove, runScenario } from '../support/scenario.ts';

let temp = tempHome();
const homes = [temp];
beforeEach(() => { temp = tempHome(); homes.push(temp); });
afterAll(() => { for (const home of homes) home.remove(); });

const at = (...names: string[]): string => path.join(temp.home, ...names);
const text = (file: string): string => fs.readFileSync(file, 'utf8');
const modeOf = (file: string): number => fs.statSync(file).mode & 0o7777;

async function run(files: readonly LineFile[], purpose: Plan['purpose'] = 'apply', change: Partial<ApplyOptions> = {}, host: Host = temp.host): Promise<ApplyReport> {
  const plan = planLines(temp.host, temp.dirs, files, purpose);
  return await applyPlan(host, temp.dirs, plan, { ...lineOptions(temp.host, temp.dirs, files), ...change });
}

const add = (file: string): Promise<ApplyReport> => run([{ path: file, want: true }]);
const remove = (file: string): Promise<ApplyReport> => run([{ path: file, want: false }], 'remove');
const recordOf = (file: string): FileRecord | undefined => readRecords(temp.host, temp.dirs).get(file);

test('an edit keeps mode, owner and the bytes around it, and is recorded', async () => {
  put(at('a'), 'x\n', 0o640);
  fs.chownSync(at('a'), process.getuid?.() === 0 ? 12345 : fs.statSync(at('a')).uid, process.getuid?.() === 0 ? 23456 : fs.statSync(at('a')).gid);
  const owner = fs.statSync(at('a')).uid;
  const before = Date.now();
  const report = await add(at('a'));
  expect(report).toMatchObject({ ok: true, diagnostics: [], files: [{ client: 'test', path: at('a'), outcome: 'written', entries: [{ action: 'add' }] }] });
  expect(text(at('a'))).toBe(withLine('x\n'));
  expect(modeOf(at('a'))).toBe(0o640);
  expect(fs.statSync(at('a'))).toMatchObject({ uid: owner });
  const record = recordOf(at('a'));
  expect(record).toMatchObject({
    path: at('a'), target: at('a'), client: 'test', scope: 'user', existed: true, pristine: true, created: [], createdDirs: [],
    original: { digest: temp.host.sha256('x\n'), mode: 0o640 }, lastDigest: temp.host.sha256(withLine('x\n')), foreign: { hooks: 1, servers: 0 },
  });
  expect(record?.installedAt).toBeGreaterThanOrEqual(before);
  expect(text(path.join(temp.dirs.state, record?.original?.backup ?? ''))).toBe('x\n');
});

test.each([0o600, 0o644, 0o400, 0o755])('mode %o stays, on the file and never wider on the way', async (mode) => {
  put(at('a'), 'x\n', mode);
  const widest: number[] = [];
  const host = wrapHost(temp.host, (call, go) => {
    const result = go();
    if (call.name === 'writeNew' && String(call.args[0]).startsWith(temp.home)) widest.push(modeOf(String(call.args[0])));
    return result;
  });
  await run([{ path: at('a'), want: true }], 'apply', {}, host);
  expect(modeOf(at('a'))).toBe(mode);
  expect(widest).toEqual([mode]);
});

test('new files: a secret one 0600, an open one 0644, directories 0700, all taken away again', async () => {
  await run([{ path: at('.c', 'd', 'secret'), want: true, secret: true }, { path: at('.e', 'open'), want: true }]);
  expect([modeOf(at('.c', 'd', 'secret')), modeOf(at('.e', 'open')), modeOf(at('.c')), modeOf(at('.c', 'd'))]).toEqual([0o600, 0o644, 0o700, 0o700]);
  expect(recordOf(at('.c', 'd', 'secret'))).toMatchObject({ existed: false, original: null, createdDirs: [at('.c'), at('.c', 'd')] });
  await run([{ path: at('.c', 'd', 'secret'), want: false }, { path: at('.e', 'open'), want: false }], 'remove');
  expect(fs.readdirSync(temp.home)).toEqual([]);
  expect(readRecords(temp.host, temp.dirs).size).toBe(0);
});

test('a directory of ours stays as long as somebody else has something in it', async () => {
  await add(at('.c', 'd', 'file'));
  put(at('.c', 'other'), 'x');
  await remove(at('.c', 'd', 'file'));
  expect(fs.readdirSync(at('.c'))).toEqual(['other']);
});

test('what praetorctl keeps is 0600 in 0700', async () => {
  put(at('a'), 'x\n', 0o644);
  await add(at('a'));
  for (const [name, what] of Object.entries(treeOf(temp.host, temp.dirs.state))) {
    expect(`${name} ${what.split(' ').slice(0, 2).join(' ')}`).toMatch(/ (dir 700|file 600)$/);
  }
});

test('links stay, the target is rewritten beside itself', async () => {
  put(at('dots', 'real'), 'x\n', 0o600);
  fs.symlinkSync('dots', at('dir'));
  fs.symlinkSync('dir/real', at('link'));
  const { host, calls } = recordingHost(temp.host);
  const report = await run([{ path: at('link'), want: true }], 'apply', {}, host);
  expect(report.ok).toBe(true);
  expect(fs.readlinkSync(at('link'))).toBe('dir/real');
  expect(fs.readlinkSync(at('dir'))).toBe('dots');
  expect(text(at('dots', 'real'))).toBe(withLine('x\n'));
  expect(calls.filter((call) => call.name === 'rename').map((call) => call.args[1])).toContain(at('dots', 'real'));
  expect(recordOf(at('link'))).toMatchObject({ path: at('link'), target: at('dots', 'real') });
  await remove(at('link'));
  expect(text(at('dots', 'real'))).toBe('x\n');
});

test('the first-touch original survives later applies; removal is byte-identical', async () => {
  put(at('a'), 'no newline at the end', 0o600);
  await add(at('a'));
  // A second write of ours on top of our own: still pristine.
  const plan = planLines(temp.host, temp.dirs, [{ path: at('a'), want: true }]);
  const file = plan.files[0];
  if (file === undefined) throw new Error('no plan');
  const entries = file.entries.map((entry) => ({ ...entry, action: 'change' as const }));
  const more = new TextEncoder().encode(`${text(at('a'))}# ours\n`);
  const report = await applyPlan(temp.host, temp.dirs, { ...plan, files: [{ ...file, action: 'edit', after: more, entries }] }, lineOptions(temp.host, temp.dirs, [{ path: at('a'), want: true }]));
  expect(report.ok).toBe(true);
  expect(recordOf(at('a'))).toMatchObject({ pristine: true, original: { digest: temp.host.sha256('no newline at the end') } });
  await remove(at('a'));
  expect(text(at('a'))).toBe('no newline at the end');
  expect(recordOf(at('a'))).toBeUndefined();
});

test('a foreign change between our writes ends the pristine chain: then only our entry goes', async () => {
  put(at('a'), 'x\n');
  await add(at('a'));
  fs.writeFileSync(at('a'), 'foreign\n');
  await add(at('a'));
  expect(recordOf(at('a'))).toMatchObject({ pristine: false, original: { digest: temp.host.sha256('x\n') } });
  await remove(at('a'));
  expect(text(at('a'))).toBe('foreign\n');
});

test('a file that the user deleted and we create again is ours alone', async () => {
  put(at('a'), 'x\n');
  await add(at('a'));
  fs.unlinkSync(at('a'));
  await add(at('a'));
  expect(recordOf(at('a'))).toMatchObject({ existed: false, original: null, pristine: true });
});

test('a restore gives the original mode back, but no bit that somebody took away since', async () => {
  for (const [now, then] of [[0o644, 0o644], [0o600, 0o600], [0o666, 0o644]] as const) {
    put(at('a'), 'x\n', 0o644);
    await add(at('a'));
    fs.chmodSync(at('a'), now);
    await remove(at('a'));
    expect(modeOf(at('a'))).toBe(then);
    expect(text(at('a'))).toBe('x\n');
  }
});

test('a file that we did not create is never deleted', async () => {
  put(at('a'), 'x\n');
  const plan = planLines(temp.host, temp.dirs, [{ path: at('a'), want: true }], 'remove');
  const files = plan.files.map((file) => ({ ...file, action: 'delete' as const, after: null }));
  const report = await applyPlan(temp.host, temp.dirs, { ...plan, files }, lineOptions(temp.host, temp.dirs, []));
  expect(report.files[0]).toMatchObject({ outcome: 'failed', diagnostic: { code: 'internal' } });
  expect(text(at('a'))).toBe('x\n');
});

test('nothing to do writes nothing; a record in whose file nothing of ours is left goes', async () => {
  put(at('a'), 'x\n');
  await add(at('a'));
  const runs = listRuns(temp.host, temp.dirs).length;
  expect(await add(at('a'))).toMatchObject({ run: null, ok: true, files: [{ outcome: 'unchanged', entries: [{ action: 'none' }] }] });
  fs.writeFileSync(at('a'), 'foreign\n');
  expect(await remove(at('a'))).toMatchObject({ run: null, ok: true });
  expect(readRecords(temp.host, temp.dirs).size).toBe(0);
  expect(listRuns(temp.host, temp.dirs)).toHaveLength(runs);
});

test('a plan with an error is not executed at all', async () => {
  put(at('a'), 'x\n');
  fs.mkdirSync(at('b'));
  const report = await run([{ path: at('a'), want: true }, { path: at('b'), want: true }]);
  expect(report).toMatchObject({ ok: false, run: null, files: [{ outcome: 'not-reached' }] });
  expect(report.diagnostics.map((d) => d.code)).toEqual(['not-a-file']);
  expect(fs.existsSync(temp.dirs.state)).toBe(false);
});

test('a file that was refused since the plan stops everything before the first write', async () => {
  put(at('a'), 'x\n');
  put(at('b'), 'x\n');
  const files = [{ path: at('a'), want: true }, { path: at('b'), want: true }];
  const plan = planLines(temp.host, temp.dirs, files);
  fs.linkSync(at('b'), at('c'));
  const report = await applyPlan(temp.host, temp.dirs, plan, lineOptions(temp.host, temp.dirs, files));
  expect(report).toMatchObject({ ok: false, run: null, files: [{ outcome: 'not-reached' }, { outcome: 'failed', diagnostic: { code: 'hard-link' } }] });
  expect(text(at('a'))).toBe('x\n');
});

test('two plans for one file through different names are refused', async () => {
  put(at('a'), 'x\n');
  fs.symlinkSync('a', at('b'));
  const report = await run([{ path: at('a'), want: true }, { path: at('b'), want: true }]);
  expect(report.files.map((file) => file.outcome)).toEqual(['not-reached', 'failed']);
  expect(text(at('a'))).toBe('x\n');
});

test('a readback that shows something else is a failure, and the run stops there', async () => {
  put(at('a'), 'x\n');
  put(at('b'), 'x\n');
  const wrong: ApplyOptions['readback'] = (file) => ({ code: 'readback-failed', severity: 'error', where: { path: file.spec.path }, message: 'wrong', fix: 'look' });
  const report = await run([{ path: at('a'), want: true }, { path: at('b'), want: true }], 'apply', { readback: wrong });
  expect(report.files.map((file) => file.outcome)).toEqual(['failed', 'not-reached']);
  expect(exitFor(report.diagnostics)).toBe(1);
  // It was written all the same, and can be undone.
  expect(listRuns(temp.host, temp.dirs)[0]?.files).toEqual([at('a')]);
});

test('a fault in the second of three files: what is written stays, the rest is not reached, the report says how to go on', async () => {
  for (const name of ['a', 'b', 'c']) put(at(name), 'x\n');
  const files = ['a', 'b', 'c'].map((name) => ({ path: at(name), want: true }));
  const host = wrapHost(temp.host, (call, go) => {
    if (call.name === 'rename' && call.args[1] === at('b')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return go();
  });
  const report = await run(files, 'apply', {}, host);
  expect(report.files.map((file) => file.outcome)).toEqual(['written', 'failed', 'not-reached']);
  expect(report.diagnostics.map((d) => [d.code, d.fix])).toEqual([
    ['write-failed', 'free some disk space, then run the command again'],
    ['note', `to undo them: praetorctl clients rollback --to ${report.run}; to go on: run the command again`],
  ]);
  expect(['a', 'b', 'c'].map((name) => text(at(name)))).toEqual([withLine('x\n'), 'x\n', 'x\n']);
  expect([...readRecords(temp.host, temp.dirs).keys()]).toEqual([at('a')]);
  expect(tempsIn(temp.host, temp.root)).toEqual([]);
});

test('a second holder of the lock: conflict, nothing written', async () => {
  put(at('a'), 'x\n');
  await add(at('b'));
  const release = await temp.host.lock(path.join(temp.dirs.locks, 'run.lock'), 0);
  const before = treeOf(temp.host, temp.home);
  const hurried: Host = { ...temp.host, lock: (file) => temp.host.lock(file, 200) };
  const report = await run([{ path: at('a'), want: true }], 'apply', {}, hurried);
  await release();
  expect(report).toMatchObject({ ok: false, run: null, diagnostics: [{ code: 'lock-held' }] });
  expect(exitFor(report.diagnostics)).toBe(4);
  expect(treeOf(temp.host, temp.home)).toEqual(before);
});

test('a run that stood still so long that another one settled it does not go on', async () => {
  for (const name of ['a', 'b']) put(at(name), 'x\n');
  const host = wrapHost(temp.host, (call, go) => {
    const result = go();
    if (call.name === 'rename' && call.args[1] === at('a')) {
      const journal = path.join(temp.dirs.runs, fs.readdirSync(temp.dirs.runs)[0] ?? '', 'journal.json');
      fs.writeFileSync(journal, text(journal).replace('"state": "open"', '"state": "recovered"'));
    }
    return result;
  });
  const report = await run(['a', 'b'].map((name) => ({ path: at(name), want: true })), 'apply', {}, host);
  expect(report.files.map((file) => file.outcome)).toEqual(['written', 'conflict']);
  expect(report.diagnostics.filter((d) => d.severity === 'error').map((d) => d.code)).toEqual(['lock-held', 'lock-held']);
  expect(text(at('b'))).toBe('x\n');
  expect(readRecords(temp.host, temp.dirs).size).toBe(0);
});

test("the client's own lock: waited for, taken over when it is old, held for the rename only, always released", async () => {
  put(at('a'), 'x\n');
  const files = [{ path: at('a'), want: true, clientLock: at('a.lock') }];
  let clock = Date.now();
  const steps: number[] = [];
  const held: string[] = [];
  const host: Host = { ...wrapHost(temp.host, (call, go) => {
    if (fs.existsSync(at('a.lock')) && String(call.args[0]).startsWith(temp.home) && call.name !== 'lstat' && call.name !== 'readFile') held.push(call.name);
    return go();
  }), now: () => clock, sleep: async (ms) => { steps.push(ms); clock += ms; } };
  fs.mkdirSync(at('a.lock'));
  const refused = await run(files, 'apply', {}, host);
  expect(refused).toMatchObject({ ok: false, files: [{ outcome: 'conflict', diagnostic: { code: 'lock-held', where: { path: at('a.lock') } } }] });
  expect(steps.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(5_050);
  expect(text(at('a'))).toBe('x\n');
  expect(fs.existsSync(at('a.lock'))).toBe(true);
  expect(tempsIn(temp.host, temp.home)).toEqual([]);
  fs.utimesSync(at('a.lock'), (clock - 61_000) / 1000, (clock - 61_000) / 1000);
  held.length = 0;
  expect((await run(files, 'apply', {}, host)).ok).toBe(true);
  expect(text(at('a'))).toBe(withLine('x\n'));
  expect(fs.existsSync(at('a.lock'))).toBe(false);
  expect(held.slice(held.lastIndexOf('writeNew') + 1)).toEqual(['mkdir', 'rmdir', 'rename', 'rmdir']);
});

test('a program without an error code of its own is not taken for the disk', async () => {
  put(at('a'), 'x\n');
  const broken: ApplyOptions['countForeign'] = () => { throw new Error('a bug'); };
  await expect(run([{ path: at('a'), want: true }], 'apply', { countForeign: broken })).rejects.toThrow('a bug');
  expect(text(at('a'))).toBe('x\n');
});

test.each(['', '{', '[]', '{"version":1}', '{"version":1,"files":[{"path":"/x"}]}', '{"version":2,"files":[]}', '\0\0\0\0'])('damaged records %j are an error, never empty', async (content) => {
  put(at('a'), 'x\n');
  put(recordsPath(temp.host, temp.dirs), content, 0o600);
  expect(() => readRecords(temp.host, temp.dirs)).toThrow();
  const plan = { purpose: 'apply' as const, files: [], diagnostics: [], counts: { add: 0, change: 0, remove: 0, unchanged: 0 } };
  const report = await applyPlan(temp.host, temp.dirs, plan, lineOptions(temp.host, temp.dirs, []));
  expect(report.diagnostics).toMatchObject([{ code: 'state-damaged', where: { path: recordsPath(temp.host, temp.dirs) } }]);
  expect(text(recordsPath(temp.host, temp.dirs))).toBe(content);
});

test('records that are not the ones the plan was made with make the plan outdated', async () => {
  put(at('a'), 'x\n');
  await add(at('a'));
  const report = await run([{ path: at('a'), want: false }], 'remove', { records: new Map() });
  expect(report.diagnostics.map((d) => d.code)).toEqual(['plan-outdated']);
  expect(text(at('a'))).toBe(withLine('x\n'));
});

test('a dry run reports what the real run reports, and leaves the disk alone', async () => {
  makeScenario(temp.home);
  await runBefore(temp.host, temp.dirs, temp.home);
  const snapshot = (): unknown => Object.fromEntries(Object.keys(treeOf(temp.host, temp.root)).map((name) => {
    const stat = fs.lstatSync(path.join(temp.root, name), { bigint: true });
    return [name, [stat.mtimeNs, stat.ino, stat.size, stat.mode]];
  }));
  const tree = treeOf(temp.host, temp.root);
  const stats = snapshot();
  const dry = readOnlyHost(temp.host);
  const dryReport = await runScenario(dry, dry, temp.dirs, temp.home);
  const dryTree = treeOf(dry, temp.home);
  expect((await runRemove(dry, temp.dirs, temp.home)).ok).toBe(true);
  expect(treeOf(temp.host, temp.root)).toEqual(tree);
  expect(snapshot()).toEqual(stats);
  const report = await runScenario(temp.host, temp.host, temp.dirs, temp.home);
  expect(report.run).not.toBe(dryReport.run);
  expect({ ...report, run: '' }).toEqual({ ...dryReport, run: '' });
  expect(treeOf(temp.host, temp.home)).toEqual(dryTree);
});

test('a dry run on a copied home says the same as on the first', async () => {
  makeScenario(temp.home);
  const copy = tempHome();
  homes.push(copy);
  fse.copySync(temp.home, copy.home);
  expect(treeOf(copy.host, copy.home)).toEqual(treeOf(temp.host, temp.home));
  const outcomes = async (where: typeof temp): Promise<readonly string[]> => {
    const host = readOnlyHost(where.host);
    await recover(host, where.dirs);
    return (await runScenario(host, host, where.dirs, where.home)).files.map((file) => file.outcome);
  };
  expect(await outcomes(copy)).toEqual(await outcomes(temp));
});
