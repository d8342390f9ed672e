// Receipts of workstations through real git: pushed without contention, pulled without loss, and every way of tampering found by name.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ownRepository, writeReceipt } from '../../src/fleet/evidence-repo.ts';
import { HEARTBEAT_MS, receiptRef, toPayload, type ReceiptFacts } from '../../src/fleet/host-receipt.ts';
import { acceptHost, auditReceipts } from '../../src/fleet/receipt-audit.ts';
import { pullReceipts } from '../../src/fleet/receipt-pull.ts';
import { pushReceipt, type PushResult } from '../../src/fleet/receipt-push.ts';
import { SERVER_HOOK } from '../../src/fleet/server-hook.ts';
import { lineDigest, nodeSigner, seal } from '../../src/fleet/signed-line.ts';
import { newSigningKey, publicLine, type SigningKey } from '../../src/fleet/sshsig.ts';
import type { Host } from '../../src/host.ts';
import { gitHost, sh, tempDir } from '../support/git.ts';

interface Station { readonly id: string; readonly key: SigningKey; readonly dir: string }

const FACTS: ReceiptFacts = { os: 'linux', engine: { id: '0123456789abcdef', version: '1.2.0' }, settings: null, state: 'current', clients: { alpha: 'observed' }, update: null };
let root = '';
let server = '';
let audit = '';
let clock = 0;
let stations: Station[] = [];

beforeEach(() => {
  root = tempDir();
  server = join(root, 'evidence.git');
  audit = join(root, 'audit');
  clock = Date.parse('2026-03-01T10:00:00Z');
  stations = [];
  sh(root, ['init', '-q', '--bare', server]);
});

const host = (): Host => ({ ...gitHost(root, root), now: () => clock });
const add = (): Station => {
  const station = { id: randomUUID(), key: newSigningKey(''), dir: join(root, `station-${stations.length}`) };
  stations.push(station);
  return station;
};
const allowed = (): string => stations.map(({ id, key }) => `${id} namespaces="praetor-receipt" ${publicLine(key)}\n`).join('');
const push = (station: Station, facts: Partial<ReceiptFacts> = {}, more: { always?: boolean; repository?: string } = {}): Promise<PushResult> => pushReceipt({
  host: host(), directory: station.dir, hostId: station.id, repository: server, signer: nodeSigner(station.key), fingerprint: station.key.fingerprint, facts: { ...FACTS, ...facts }, always: false, ...more,
});
const pull = () => pullReceipts(host(), audit, server);
const verify = (write = true, silenceMs = 2 * HEARTBEAT_MS) => auditReceipts({ host: host(), directory: audit, allowed: allowed(), silenceMs }, write);
const codes = (): string[] => verify().findings.map(({ code }) => code);
const refIn = (dir: string, station: Station): string => sh(dir, ['rev-parse', '-q', '--verify', receiptRef(station.id)]);
/** `n` receipts, a minute apart. */
async function history(station: Station, n: number): Promise<void> {
  for (let i = 0; i < n; i++) {
    clock += 60_000;
    await push(station, {}, { always: true });
  }
}
/** Writes a line as a commit straight into the server, as who controls it can. */
async function plant(station: Station, payload: Record<string, unknown>, parent: string | null, key = station.key): Promise<string> {
  const line = await seal(payload as never, nodeSigner(key), 'praetor-receipt');
  return plantLine(station, line, parent);
}
function plantLine(station: Station, line: string, parent: string | null): string {
  const commit = writeReceipt({ host: host(), cwd: root, gitDir: server }, line, parent, new Date(clock).toISOString());
  sh(server, ['update-ref', receiptRef(station.id), commit]);
  return commit;
}
const lineAt = (commit: string): string => sh(server, ['cat-file', 'blob', `${commit}:receipt`]);

describe('push', () => {
  it('twenty hosts need exactly twenty pushes, and all is verified', async () => {
    for (let i = 0; i < 20; i++) add();
    const done = await Promise.all(stations.map((station) => push(station)));
    expect(done.map(({ pushes }) => pushes)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(pull()).toEqual({ hosts: 20, changed: 20, forked: 0, strange: 0, unread: 0 });
    expect(verify()).toMatchObject({ findings: [], receipts: 20 });
    expect(pull()).toMatchObject({ changed: 0 });
    expect(verify()).toMatchObject({ findings: [], receipts: 0 });
  });
  it('is silent while nothing changes, and speaks on change and once a day', async () => {
    const a = add();
    expect(await push(a)).toMatchObject({ result: 'pushed', why: 'first', seq: 1 });
    clock += HEARTBEAT_MS - 1;
    expect(await push(a)).toMatchObject({ result: 'unchanged', seq: 1, pushes: 0 });
    clock += 1;
    expect(await push(a)).toMatchObject({ why: 'heartbeat', seq: 2 });
    expect(await push(a, { state: 'held' })).toMatchObject({ why: 'changed', seq: 3 });
    expect(await push(a, { state: 'held' }, { always: true })).toMatchObject({ why: 'asked', seq: 4 });
    pull();
    expect(verify()).toMatchObject({ findings: [], receipts: 4 });
  });
  it('makes no fetch, and holds no name of a person or a machine', async () => {
    const a = add();
    const trace = join(root, 'trace');
    const tracing = { ...host(), spawn: (command: string, args: readonly string[], options: Parameters<Host['spawn']>[2]) => { writeFileSync(trace, `${args.join(' ')}\n`, { flag: 'a' }); return host().spawn(command, args, options); } };
    await pushReceipt({ host: tracing, directory: a.dir, hostId: a.id, repository: server, signer: nodeSigner(a.key), fingerprint: a.key.fingerprint, facts: FACTS, always: false });
    expect(readFileSync(trace, 'utf8')).toMatch(/ push /);
    expect(readFileSync(trace, 'utf8')).not.toMatch(/ fetch | ls-remote /);
    const commit = sh(server, ['cat-file', '-p', receiptRef(a.id)]);
    expect(commit).toMatch(/^author praetorctl <receipts@praetorctl.invalid> \d+ \+0000$/m);
    const payload = JSON.parse(Buffer.from(lineAt(refIn(server, a)).split(' ')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
    expect(Object.keys(payload)).toEqual(['schema', 'host', 'seq', 'prev', 'at', 'os', 'engine', 'settings', 'state', 'clients', 'update']);
  });
  it('keeps what could not be sent and sends it first: a number never names two receipts', async () => {
    const a = add();
    await push(a);
    await expect(push(a, { state: 'held' }, { repository: join(root, 'gone.git') })).rejects.toMatchObject({ diagnostic: { code: 'git-failed' } });
    expect(await push(a, { state: 'stale' })).toMatchObject({ pushes: 2, seq: 3, why: 'changed' });
    pull();
    expect(verify()).toMatchObject({ findings: [], receipts: 3 });
  });
  it('takes up a run that was killed after the push', async () => {
    const a = add();
    const chain = join(a.dir, 'chain.json');
    let afterPush = '';
    const watching = { ...host(), spawn: (command: string, args: readonly string[], options: Parameters<Host['spawn']>[2]) => {
      const result = host().spawn(command, args, options);
      if (args.includes('push')) afterPush = readFileSync(chain, 'utf8');
      return result;
    } };
    await pushReceipt({ host: watching, directory: a.dir, hostId: a.id, repository: server, signer: nodeSigner(a.key), fingerprint: a.key.fingerprint, facts: FACTS, always: false });
    writeFileSync(chain, afterPush);
    expect(await push(a)).toMatchObject({ seq: 1, result: 'pushed', why: 'unsent' });
    expect(await push(a, { state: 'held' })).toMatchObject({ seq: 2, pushes: 1 });
    pull();
    expect(verify()).toMatchObject({ findings: [], receipts: 2 });
  });
  it.each(['overwritten', 'deleted', 'created'] as const)('notices that the reference was %s, names key, ref and sequence, and changes nothing there', async (how) => {
    const a = add();
    const other = add();
    await push(other);
    if (how !== 'created') await push(a);
    if (how === 'deleted') sh(server, ['update-ref', '-d', receiptRef(a.id)]);
    else sh(server, ['update-ref', receiptRef(a.id), refIn(server, other)]);
    const before = sh(server, ['for-each-ref']);
    const words = { overwritten: 'was overwritten', deleted: 'was deleted', created: 'already holds' }[how];
    await expect(push(a, { state: 'held' })).rejects.toMatchObject({ diagnostic: { code: 'receipts-diverged', message: expect.stringMatching(new RegExp(`${words}.*key SHA256:.*ref ${receiptRef(a.id)}, sequence ${how === 'created' ? 1 : 2}`)) as string } });
    expect(sh(server, ['for-each-ref'])).toBe(before);
  });
  it('takes its whole history to a new repository', async () => {
    const a = add();
    await history(a, 3);
    server = join(root, 'second.git');
    sh(root, ['init', '-q', '--bare', server]);
    expect(await push(a)).toMatchObject({ seq: 4, pushes: 1 });
    pull();
    expect(verify()).toMatchObject({ findings: [], receipts: 4 });
  });
  it('refuses to go on with a damaged chain', async () => {
    const a = add();
    await push(a);
    writeFileSync(join(a.dir, 'chain.json'), '{"schema":"praetor.chain/1"');
    await expect(push(a)).rejects.toMatchObject({ diagnostic: { code: 'state-damaged' } });
  });
});

describe('verify finds', () => {
  let a: Station;
  let b: Station;
  beforeEach(async () => {
    [a, b] = [add(), add()];
    await history(a, 3);
    await history(b, 2);
    pull();
    expect(codes()).toEqual([]);
  });
  const payload = (station: Station, seq: number, prev: string | null): Record<string, unknown> => toPayload({ ...FACTS, host: station.id, seq, prev, at: new Date(clock).toISOString() });
  const only = (station: Station, code: string, seq: number | null, key: string | null = station.key.fingerprint): void => {
    pull();
    const { findings } = verify();
    expect(findings.map((f) => ({ code: f.code, host: f.host, ref: f.ref, seq: f.seq, key: f.key }))).toEqual([{ code, host: station.id, ref: receiptRef(station.id), seq, key }]);
    for (const word of [receiptRef(station.id), ...(key === null ? [] : [key]), seq === null ? 'sequence unknown' : `sequence ${seq}`]) expect(findings[0]?.message).toContain(word);
    // It stays a finding until somebody looked at it.
    expect(codes()).toEqual([code]);
  };

  it('a forged receipt: a key that nobody allowed', async () => {
    const head = refIn(server, a);
    const forger = newSigningKey('');
    await plant(a, payload(a, 4, lineDigest(lineAt(head))), head, forger);
    only(a, 'key-unknown', 4, forger.fingerprint);
  });
  it("another host's key", async () => {
    const head = refIn(server, a);
    await plant(a, payload(a, 4, lineDigest(lineAt(head))), head, b.key);
    only(a, 'principal-not-allowed', 4, b.key.fingerprint);
  });
  it('a changed payload', async () => {
    const head = refIn(server, a);
    const line = await seal(payload(a, 4, lineDigest(lineAt(head))) as never, nodeSigner(a.key), 'praetor-receipt');
    const [mark = '', body = '', signature = ''] = line.split(' ');
    const changed = Buffer.from(Buffer.from(body, 'base64url').toString().replace('"current"', '"broken"')).toString('base64url');
    plantLine(a, `${mark} ${changed} ${signature}`, head);
    only(a, 'signature-wrong', 4);
  });
  it('a signature for promotions', async () => {
    const head = refIn(server, a);
    plantLine(a, await seal(payload(a, 4, lineDigest(lineAt(head))) as never, nodeSigner(a.key), 'praetor-promotion'), head);
    only(a, 'namespace-wrong', 4);
  });
  it('a receipt of another host under this reference', async () => {
    plantLine(a, lineAt(refIn(server, b)), refIn(server, a));
    only(a, 'foreign-host', 2, b.key.fingerprint);
  });
  it("another host's whole history under a new reference", async () => {
    const c = add();
    sh(server, ['update-ref', receiptRef(c.id), refIn(server, b)]);
    pull();
    expect(verify().findings.map(({ code, host: of }) => [code, of])).toEqual([['foreign-host', c.id], ['foreign-host', c.id], ['never-heard', c.id]]);
  });
  it('a replay: an old receipt behind the newest', () => {
    plantLine(a, lineAt(sh(server, ['rev-parse', `${receiptRef(a.id)}~1`])), refIn(server, a));
    only(a, 'replay', 2);
  });
  it('a gap', async () => {
    await plant(a, payload(a, 6, lineDigest(lineAt(refIn(server, a)))), refIn(server, a));
    only(a, 'gap', 6);
  });
  it('a chain that names another receipt', async () => {
    await plant(a, payload(a, 4, 'ab'.repeat(32)), refIn(server, a));
    only(a, 'chain-broken', 4);
  });
  it('a history of a host that was never seen and does not begin with its first receipt', async () => {
    const c = add();
    await plant(c, payload(c, 7, 'ab'.repeat(32)), null);
    pull();
    expect(codes()).toEqual(['gap', 'never-heard']);
  });
  it('a reference that was overwritten by another history: both are kept', async () => {
    const before = refIn(server, a);
    const forged = await plant(a, payload(a, 1, null), null, b.key);
    only(a, 'overwritten', 1, b.key.fingerprint);
    const own = join(audit, 'evidence.git');
    expect(refIn(own, a)).toBe(before);
    expect(sh(own, ['cat-file', '-t', forged])).toBe('commit');
  });
  it('two receipts of one number with the key of the host: its state was copied', async () => {
    const first = sh(server, ['rev-parse', `${receiptRef(a.id)}~2`]);
    await plant(a, { ...payload(a, 2, lineDigest(lineAt(first))), state: 'stale' }, first);
    only(a, 'forked', 2);
  });
  it('a reference that went back, and one that is gone', () => {
    sh(server, ['update-ref', receiptRef(a.id), `${receiptRef(a.id)}~1`]);
    only(a, 'rolled-back', 3);
    sh(server, ['update-ref', '-d', receiptRef(a.id)]);
    only(a, 'deleted', 3);
  });
  it('its own repository cut behind what was verified before', () => {
    const own = join(audit, 'evidence.git');
    sh(own, ['update-ref', receiptRef(a.id), `${receiptRef(a.id)}~1`]);
    expect(codes()).toEqual(['rewritten']);
  });
  it('silence, and hosts that never spoke', () => {
    const c = add();
    clock += 2 * HEARTBEAT_MS + 600_000;
    expect(verify().findings.map(({ code, host: of, seq }) => [code, of, seq])).toEqual(expect.arrayContaining([['silent', a.id, 3], ['silent', b.id, 2], ['never-heard', c.id, null]]));
    expect(verify(true, 3 * HEARTBEAT_MS).findings.map(({ code }) => code)).toEqual(['never-heard']);
  });
  it('what is no receipt: other files, two lines, a blob, a merge, a line that is too long', async () => {
    const place = { host: host(), cwd: root, gitDir: server };
    const head = refIn(server, a);
    const blob = sh(server, ['hash-object', '-w', '--stdin'], 'x');
    const tree = sh(server, ['mktree'], `100644 blob ${blob}\treceipt\n100644 blob ${blob}\tsecond\n`);
    const put = (commit: string): void => { sh(server, ['update-ref', receiptRef(a.id), commit]); };
    put(sh(server, ['commit-tree', '-m', 'x', '-p', head, tree]));
    only(a, 'commit-shape', null);
    const good = await seal(payload(a, 4, lineDigest(lineAt(head))) as never, nodeSigner(a.key), 'praetor-receipt');
    for (const line of [`${good}\n${good}`, 'x'.repeat(70_000)]) {
      put(writeReceipt(place, line, head, '2026-03-01T10:00:00Z'));
      rmSync(audit, { recursive: true });
      pull();
      expect(codes(), line.slice(0, 20)).toEqual(['commit-shape']);
    }
    const merge = writeReceipt(place, good, head, '2026-03-01T10:00:00Z');
    put(sh(server, ['commit-tree', '-m', 'x', '-p', head, '-p', refIn(server, b), `${merge}^{tree}`]));
    rmSync(audit, { recursive: true });
    pull();
    expect(codes()).toEqual(['commit-shape']);
    put(blob);
    rmSync(audit, { recursive: true });
    pull();
    expect(codes()).toEqual(['commit-shape', 'never-heard']);
  });
  it('references that belong to no host, and lets no bad one keep the others away', async () => {
    const head = refIn(server, b);
    for (const name of ['zz/x', `00/${a.id}`, `${a.id.slice(0, 2)}/${a.id}x`]) sh(server, ['update-ref', `refs/praetor/receipts/${name}`, head]);
    const broken = sh(server, ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], 'no tree');
    sh(server, ['update-ref', receiptRef(a.id), sh(server, ['hash-object', '-w', '-t', 'commit', '--literally', '--stdin'], `tree ${broken}\nauthor x <x> 1 +0000\ncommitter x <x> 1 +0000\n\nx\n`)]);
    await history(b, 1);
    expect(pull()).toMatchObject({ hosts: 2, strange: a.id.startsWith('00') ? 2 : 3, unread: 1 });
    const found = verify();
    expect(found.receipts).toBe(1);
    expect(found.findings.filter(({ code }) => code !== 'foreign-ref').map(({ code, host: of }) => [code, of])).toEqual([['commit-shape', a.id]]);
  });
  it('allowed signers that are none, and principals that are no hosts', () => {
    const { findings } = auditReceipts({ host: host(), directory: audit, allowed: `${allowed()}laptop ${publicLine(a.key)}\nx y z\n`, silenceMs: HEARTBEAT_MS }, false);
    expect(findings.map(({ code }) => code)).toEqual(['allowed-signers', 'bad-principal']);
  });
  it('a key that ended before the receipt was written, but not the receipts before', () => {
    const lines = allowed().replace(`${a.id} namespaces="praetor-receipt"`, `${a.id} namespaces="praetor-receipt",valid-before="20260301100230Z"`);
    rmSync(join(audit, 'seen.json'));
    const { findings, hosts } = auditReceipts({ host: host(), directory: audit, allowed: lines, silenceMs: HEARTBEAT_MS }, false);
    expect(findings).toMatchObject([{ code: 'key-expired', seq: 3, key: a.key.fingerprint }]);
    expect(hosts[a.id]).toMatchObject({ seq: 2 });
  });
  it('only notes a clock that went back', async () => {
    clock -= 3_600_000;
    await push(a, { state: 'held' });
    pull();
    expect(verify().findings).toMatchObject([{ code: 'clock', severity: 'note', seq: 4 }]);
    expect(codes()).toEqual([]);
  });
  it('nothing more once somebody accepted what the server shows, and keeps what was before', async () => {
    const before = refIn(server, a);
    rmSync(a.dir, { recursive: true });
    sh(server, ['update-ref', '-d', receiptRef(a.id)]);
    await push(a);
    only(a, 'forked', 1);
    const input = { host: host(), directory: audit, allowed: allowed(), silenceMs: 2 * HEARTBEAT_MS };
    expect(acceptHost(input, a.id)).toEqual({ from: before, to: refIn(server, a) });
    expect(codes()).toEqual([]);
    await push(a, { state: 'held' });
    pull();
    expect(verify()).toMatchObject({ findings: [], receipts: 1 });
    expect(sh(join(audit, 'evidence.git'), ['for-each-ref', '--format=%(objectname)', 'refs/praetor/retired'])).toBe(before);
  });
});

describe('a server of one\'s own', () => {
  it('takes receipts only as additions, with the printed hook', async () => {
    const a = add();
    mkdirSync(join(server, 'hooks'), { recursive: true });
    writeFileSync(join(server, 'hooks', 'update'), SERVER_HOOK);
    chmodSync(join(server, 'hooks', 'update'), 0o755);
    await history(a, 2);
    const own = join(a.dir, 'evidence.git');
    const ref = receiptRef(a.id);
    const tries: [string, string[]][] = [['may not be deleted', [`:${ref}`]], ['only be appended', [`+${ref}~1:${ref}`]], ['must hold a commit', [`+${sh(own, ['rev-parse', `${ref}:receipt`])}:${ref}`]]];
    for (const [words, specs] of tries) expect(() => sh(own, ['push', '--force', server, ...specs]), words).toThrow(new RegExp(words));
    expect(refIn(server, a)).toBe(refIn(own, a));
    // Everything else is none of its business.
    sh(own, ['push', '-q', server, `${ref}:refs/heads/other`]);
    sh(own, ['push', '-q', '--force', server, `+${ref}~1:refs/heads/other`]);
    sh(own, ['push', '-q', server, ':refs/heads/other']);
    expect((await push(a, { state: 'held' })).seq).toBe(3);
    execFileSync('sh', ['-n', join(server, 'hooks', 'update')]);
  });
});

describe('reading', () => {
  it('answers every byte of a line, and says what is missing', () => {
    const place = ownRepository(host(), join(root, 'repo'));
    expect(existsSync(place.gitDir ?? '')).toBe(true);
    const commit = writeReceipt(place, 'praetor1 a b', null, '2026-03-01T10:00:00Z');
    expect(sh(place.gitDir ?? '', ['cat-file', 'blob', `${commit}:receipt`])).toBe('praetor1 a b');
  });
});
