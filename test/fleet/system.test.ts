// The whole system with real git and real signatures: a public upstream, an operational fork, an evidence repository, twenty workstations
// with homes of their own, an auditor. Three of the workstations are driven by the built program as processes, the others by the same
// command line in this process. The engine that is promoted is a small program that judges like one, or badly in a chosen way.
import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { parseAllowedSigners } from '../../src/fleet/allowed-signers.ts';
import { writeReceipt } from '../../src/fleet/evidence-repo.ts';
import { receiptRef } from '../../src/fleet/host-receipt.ts';
import { PROMOTIONS_REF, PROMOTION_SCHEMA } from '../../src/fleet/promotion.ts';
import { NAMESPACE_PROMOTION, nodeSigner, openLine, seal } from '../../src/fleet/signed-line.ts';
import { newSigningKey, readPrivateKey, type SigningKey } from '../../src/fleet/sshsig.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { cli, repo, world, type Answer, type World } from '../support/cli.ts';
import { asked, engine, launcherOf, recordOf, type Manner } from '../support/fleet.ts';
import { ENGINE, fork, operatedFork, publish, signingKey, type ForkWorld } from '../support/fork.ts';
import { commitAll, gitHost, sh, write } from '../support/git.ts';

const HOSTS = 20;
const PROCESSES = 3;
const AT_ONCE = 3;
/** The one that a person pins. */
const PINNED = 4;

/** The built program, as a person starts it. */
async function command(where: World, words: readonly string[]): Promise<Answer> {
  const child = spawn(process.execPath, [join(repo, 'bin/praetorctl'), ...words], { env: where.env, cwd: where.project, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => { out += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { err += text; });
  const code = await new Promise<number>((resolve) => { child.on('close', (status) => { resolve(status ?? -1); }); });
  return { code, out, err, json: words.includes('--json') ? JSON.parse(out) as Record<string, unknown> : {} };
}

describe('twenty workstations', () => {
  let system: ForkWorld;
  let key: { readonly file: string; readonly line: string };
  let evidence = '';
  let auditor: World;
  const stations: World[] = [];
  const ids: string[] = [];
  let candidates = 0;

  const ask = async (index: number, kind: string, ...words: readonly string[]): Promise<Answer> => {
    const where = stations[index] as World;
    const answer = await (index < PROCESSES ? command : cli)(where, [...words, '--json']);
    OUTPUT_SCHEMAS[kind]?.parse(answer.json);
    return answer;
  };
  /** On some of them, a few at once; the answers in the order of the workstations. */
  const on = async (some: readonly number[], kind: string, ...words: readonly string[]): Promise<readonly Answer[]> => {
    const answers = new Map<number, Answer>();
    const waiting = [...some];
    const worker = async (): Promise<void> => { for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) answers.set(index, await ask(index, kind, ...words)); };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return some.map((index) => answers.get(index) as Answer);
  };
  const EVERY = Array.from({ length: HOSTS }, (_, index) => index);
  const everywhere = (kind: string, ...words: readonly string[]): Promise<readonly Answer[]> => on(EVERY, kind, ...words);
  const update = async (some = EVERY): Promise<readonly string[]> => (await on(some, 'workstation-update', 'workstation', 'update')).map(({ code, json }) => `${String(json['result'])} ${String(json['code'])} ${code}`);
  /** State and exit code of each, through `workstation status --json`. */
  const states = async (): Promise<readonly string[]> => (await everywhere('workstation-status', 'workstation', 'status')).map(({ code, json }) => `${String(json['state'])} ${code}`);
  const push = async (): Promise<readonly number[]> => (await everywhere('receipts-push', 'receipts', 'push')).map(({ code }) => code);
  const answering = (): readonly string[] => stations.map((where) => asked(launcherOf(where), where.home));
  /** One for all, another for the pinned one. */
  const all = <T>(value: T, pinned: T = value): readonly T[] => stations.map((_, index) => (index === PINNED ? pinned : value));
  const audit = async (): Promise<{ readonly code: number; readonly findings: readonly Record<string, unknown>[]; readonly receipts: unknown }> => {
    expect((await cli(auditor, ['receipts', 'pull', '--repository', evidence])).code).toBe(0);
    const { code, json } = await cli(auditor, ['receipts', 'verify', '--allowed', join(system.checkout, '.config/operator/hosts.allowed'), '--json']);
    OUTPUT_SCHEMAS['receipts-verify']?.parse(json);
    return { code, findings: json['findings'] as Record<string, unknown>[], receipts: json['receipts'] };
  };
  const summary = async (): Promise<Record<string, unknown>> => (await cli(auditor, ['receipts', 'summary', '--allowed', join(system.checkout, '.config/operator/hosts.allowed'), '--json'])).json;

  /** Upstream publishes an engine, the operator promotes it: as a person does it. */
  async function release(name: string, manner: Manner = 'good', operator: Readonly<Record<string, string>> = {}): Promise<string> {
    write(system.work, { 'bin/praetorctl': engine(name, manner) });
    chmodSync(join(system.work, 'bin/praetorctl'), 0o755);
    publish(system, {}, name);
    if (Object.keys(operator).length > 0) {
      write(system.checkout, operator);
      commitAll(system.checkout, 'Operator settings');
    }
    candidates += 1;
    const destination = join(system.root, `candidate-${candidates}`);
    const prepared = await fork(system, ['prepare', '--destination', destination]);
    expect(prepared.code, prepared.err).toBe(0);
    return await promoted(destination);
  }
  async function promoted(...words: readonly string[]): Promise<string> {
    const answer = await fork(system, ['promote', ...words, '--sign', key.file, '--json']);
    expect(answer.code, answer.err).toBe(0);
    sh(system.checkout, ['pull', '-q', '--ff-only', 'origin', 'main']);
    return String(answer.json['id']);
  }

  beforeAll(async () => {
    system = await operatedFork({ ...ENGINE, 'package.json': JSON.stringify({ name: 'praetorctl', version: '1.0.0', files: ['bin/', 'LICENSE'] }), 'bin/package.json': '{"type":"commonjs"}' });
    evidence = join(system.root, 'acme/evidence.git');
    sh(system.root, ['init', '-q', '--bare', evidence]);
    key = signingKey(system);
    auditor = world();
    writeFileSync(join(system.root, 'anchor'), `ops namespaces="praetor-promotion" ${key.line}\n`);
    ids.push(await release('v1', 'good', { '.config/operator/fleet.yaml': `hooks:\n  evidence:\n    repository: file://${evidence}\n` }));
    for (let i = 0; i < HOSTS; i += 1) {
      const where = world({ fixture: 'claude-minimal', onPath: false });
      expect((await cli(where, ['clients', 'apply', '--client', 'claude', '--yes'])).code).toBe(0);
      stations.push(where);
    }
  }, 120_000);

  it('are installed from the fork; their keys come into it with the next promotion; one is pinned', async () => {
    const installed = await everywhere('workstation-install', 'workstation', 'install', '--from', system.origin, '--anchor', join(system.root, 'anchor'));
    expect(installed.map(({ code, json }) => `${code} ${String(json['id'])}`)).toEqual(all(`0 ${ids[0] ?? ''}`));
    expect([answering(), await states()]).toEqual([all('v1'), all('current 0')]);
    expect((await ask(PINNED, 'workstation-version', 'workstation', 'pin')).json['result']).toBe('pinned');
    const allowed = installed.map(({ json }) => (json['key'] as { allowed: string }).allowed);
    ids.push(await release('v2', 'good', { '.config/operator/hosts.allowed': `${allowed.join('\n')}\n` }));
    expect(await update()).toEqual(all('updated null 0', 'held held 3'));
    expect([answering(), await states()]).toEqual([all('v2', 'v1'), all('current 0', 'held 3')]);
    expect(await push()).toEqual(all(0));
    expect(await audit()).toEqual({ code: 0, findings: [], receipts: HOSTS });
    expect(await summary()).toMatchObject({ total: HOSTS, byState: [{ value: 'current', hosts: HOSTS - 1 }, { value: 'held', hosts: 1 }] });
  }, 120_000);

  it('refuse a release that judges only until it is current: blocked and back, on every one', async () => {
    ids.push(await release('bad', 'bad-when-current'));
    expect(await update()).toEqual(all('reverted deny-allowed 1', 'held held 3'));
    expect([answering(), await states()]).toEqual([all('v2', 'v1'), all('blocked 3', 'held 3')]);
    for (const [index, where] of stations.entries()) if (index !== PINNED) expect(recordOf(where)).toMatchObject({ current: ids[1], blocked: [{ id: ids[2], code: 'deny-allowed' }] });
    expect(await push()).toEqual(all(0));
    expect(await audit()).toEqual({ code: 0, findings: [], receipts: HOSTS });
    expect(await summary()).toMatchObject({ byState: [{ value: 'blocked', hosts: HOSTS - 1 }, { value: 'held', hosts: 1 }] });
  }, 120_000);

  it('take the third promotion as usual; where it was withdrawn together with the bad one, they go back, and who had not taken it never does', async () => {
    ids.push(await release('v3'));
    const quick = EVERY.slice(0, HOSTS / 2);
    expect(await update(quick)).toEqual(all('updated null 0', 'held held 3').slice(0, quick.length));
    expect(answering()).toEqual(stations.map((_, index) => (index === PINNED ? 'v1' : index < quick.length ? 'v3' : 'v2')));
    expect(await states()).toEqual(stations.map((_, index) => (index === PINNED ? 'held 3' : index < quick.length ? 'current 0' : 'blocked 3')));
    expect(await promoted('--withdraw', `${ids[3] ?? ''},${ids[2] ?? ''}`)).toBe(ids[1]);
    expect(await update()).toEqual(stations.map((_, index) => (index === PINNED ? 'held held 3' : index < quick.length ? 'updated null 0' : 'up-to-date null 0')));
    expect([answering(), await states()]).toEqual([all('v2', 'v1'), all('current 0', 'held 3')]);
    for (const [index, where] of stations.entries()) if (index !== PINNED) expect(recordOf(where)).toMatchObject({ current: ids[1], withdrawn: [ids[3], ids[2]] });
  }, 120_000);

  it('a server that shows an older state, and a rewritten fork, change nothing on any; afterwards all go on', async () => {
    const [main, notes] = ['refs/heads/main', PROMOTIONS_REF].map((ref) => sh(system.origin, ['rev-parse', ref]));
    // A replay: branch and notes as they were when v2 was promoted.
    sh(system.origin, ['update-ref', 'refs/heads/main', `${main ?? ''}~3`]);
    sh(system.origin, ['update-ref', PROMOTIONS_REF, `${notes ?? ''}~3`]);
    expect(await update()).toEqual(all('refused replayed 1'));
    // A rewritten history: the operator's own key, the right sequence, on a commit that leaves out what was promoted.
    sh(system.origin, ['update-ref', PROMOTIONS_REF, notes ?? '']);
    await rewrite(main ?? '');
    expect(await update()).toEqual(all('diverged diverged 1'));
    expect([answering(), await states()]).toEqual([all('v2', 'v1'), all('diverged 3')]);
    expect(await push()).toEqual(all(0));
    sh(system.origin, ['update-ref', 'refs/heads/main', main ?? '']);
    sh(system.origin, ['update-ref', PROMOTIONS_REF, notes ?? '']);
    expect(await update()).toEqual(all('up-to-date null 0', 'held held 3'));
    expect(await states()).toEqual(all('current 0', 'held 3'));
    expect(await audit()).toMatchObject({ code: 0, findings: [] });
    expect(await summary()).toMatchObject({ byState: [{ value: 'diverged', hosts: HOSTS }] });
  }, 120_000);

  /** A commit on the second promotion with the line that would follow on the newest. */
  async function rewrite(main: string): Promise<void> {
    const place = join(system.root, 'rewriter');
    sh(system.root, ['clone', '-q', system.origin, place]);
    sh(place, ['fetch', '-q', 'origin', `+${PROMOTIONS_REF}:${PROMOTIONS_REF}`]);
    const newest = sh(place, ['notes', `--ref=${PROMOTIONS_REF}`, 'show', main]);
    const opened = openLine(newest, { signers: parseAllowedSigners(`* ${key.line}`), namespace: NAMESPACE_PROMOTION, schema: PROMOTION_SCHEMA });
    if (!opened.ok) throw new Error(opened.message);
    sh(place, ['reset', '-q', '--hard', `${main}~3`]);
    const commit = commitAll(place, 'another history');
    const payload: JsonObject = { ...opened.payload, seq: Number(opened.payload['seq']) + 1, prev: opened.digest, commit, withdraws: [] };
    const signer = readPrivateKey(readFileSync(key.file, 'utf8'));
    if (!signer.ok) throw new Error(signer.message);
    sh(place, ['notes', `--ref=${PROMOTIONS_REF}`, 'add', '-m', await seal(payload, nodeSigner(signer.value), NAMESPACE_PROMOTION), commit]);
    sh(place, ['push', '-q', '--force', 'origin', 'HEAD:refs/heads/main', `+${PROMOTIONS_REF}:${PROMOTIONS_REF}`]);
  }

  it('a forged receipt and a replayed one are found, each by key, reference and sequence, and nobody else is touched', async () => {
    const [forged, replayed] = [7, 8].map((index) => String(recordOf(stations[index] as World)['hostId']));
    const place = { host: gitHost(system.root, system.root), cwd: system.root, gitDir: evidence };
    const lineAt = (commit: string): string => sh(evidence, ['cat-file', 'blob', `${commit}:receipt`]);
    const plant = (id: string, line: string): void => { sh(evidence, ['update-ref', receiptRef(id), writeReceipt(place, line, sh(evidence, ['rev-parse', receiptRef(id)]), new Date().toISOString())]); };
    const forger: SigningKey = newSigningKey('');
    const last = lineAt(receiptRef(forged ?? ''));
    const said = JSON.parse(Buffer.from(last.split(' ')[1] ?? '', 'base64url').toString()) as { seq: number };
    plant(forged ?? '', await seal({ ...said, seq: said.seq + 1 }, nodeSigner(forger), 'praetor-receipt'));
    plant(replayed ?? '', lineAt(sh(evidence, ['rev-parse', `${receiptRef(replayed ?? '')}~1`])));
    const { code, findings } = await audit();
    expect(code).toBe(3);
    expect(findings.map(({ code: found, host, ref, seq }) => ({ found, host, ref, seq })).sort((a, b) => String(a.found).localeCompare(String(b.found)))).toEqual([
      { found: 'key-unknown', host: forged, ref: receiptRef(forged ?? ''), seq: said.seq + 1 }, { found: 'replay', host: replayed, ref: receiptRef(replayed ?? ''), seq: said.seq - 1 },
    ]);
    expect(findings.find((one) => one['code'] === 'key-unknown')?.['key']).toBe(forger.fingerprint);
    // The workstations themselves notice that the server holds something else, and push over nothing.
    expect([await push(), await states()]).toEqual([stations.map((_, index) => (index === 7 || index === 8 ? 3 : 0)), all('current 0', 'held 3')]);
  }, 120_000);
});
