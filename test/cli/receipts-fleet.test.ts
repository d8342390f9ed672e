// The receipts of workstations by the command line: two homes and an auditor over one bare repository.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import type { HostReceipt } from '../../src/fleet/host-receipt.ts';
import { writeInstallRecord } from '../../src/fleet/install-record.ts';
import { newSigningKey, privateKeyFile, publicLine, type SigningKey } from '../../src/fleet/sshsig.ts';
import { realHost } from '../../src/host.ts';
import { BLANK_RECORD } from '../../src/roots/install-record.ts';
import { cli, repo, settings, world, type World } from '../support/cli.ts';
import { forge, launcherOf, promote, station, type Forge } from '../support/fleet.ts';
import { sh, tempDir } from '../support/git.ts';

interface Station { readonly where: World; readonly key: SigningKey; readonly id: string }

/** Only a record and a key: enough to sign and push. */
function recorded(id: string): Station {
  const where = world({ fixture: 'claude-minimal' });
  where.env['PRAETORCTL_DATA_DIR'] = join(where.root, 'data');
  const key = newSigningKey('');
  const keyFile = join(where.root, 'host_ed25519');
  writeFileSync(keyFile, privateKeyFile(key), { mode: 0o600 });
  writeInstallRecord(realHost({ env: where.env }), join(where.root, 'data'), {
    ...BLANK_RECORD, hostId: id, current: 'a'.repeat(16), launcher: '/x', key: keyFile, installedAt: '2026-03-01T00:00:00Z',
  });
  return { where, key, id };
}

interface Installed { readonly where: World; readonly id: string; readonly ref: string; readonly fingerprint: string; readonly publicLine: string }

/** Installed from a fork, as a person does it. */
async function installed(fork: Forge): Promise<Installed> {
  const where = world({ fixture: 'claude-minimal', onPath: false });
  await cli(where, ['clients', 'apply', '--client', 'claude', '--yes']);
  const made = await station(where, 'install', '--from', fork.remote, '--anchor', fork.anchor);
  expect([made.code, made.err]).toEqual([0, '']);
  const { hostId: id, key } = made.json as { hostId: string; key: { fingerprint: string; publicLine: string } };
  return { where, id, ref: `refs/praetor/receipts/${id.slice(0, 2)}/${id}`, ...key };
}

const payloadOn = (server: string, ref: string): HostReceipt => JSON.parse(Buffer.from(sh(server, ['cat-file', 'blob', `${ref}:receipt`]).split(' ')[1] ?? '', 'base64url').toString()) as HostReceipt;

describe('praetorctl receipts push | pull | verify | summary', () => {
  it('go from two workstations to an auditor, in text and as documents that fit their schemas', async () => {
    const server = join(tempDir(), 'evidence.git');
    sh('/', ['init', '-q', '--bare', server]);
    const fork = forge();
    await promote(fork, 'v1');
    const [first, second] = [await installed(fork), await installed(fork)];
    expect((await station(second.where, 'pin')).code).toBe(0);
    const auditor = world();
    const allowed = join(auditor.root, 'hosts.allowed');
    writeFileSync(allowed, [first, second].map(({ id, publicLine: line }) => `${id} namespaces="praetor-receipt" ${line}\n`).join(''));
    const pushed = await cli(first.where, ['receipts', 'push', '--repository', server, '--json']);
    expect(pushed).toMatchObject({ code: 0, json: { ok: true, result: 'pushed', seq: 1, pushes: 1, why: 'first', key: first.fingerprint } });
    OUTPUT_SCHEMAS['receipts-push']!.parse(pushed.json);
    expect((await cli(second.where, ['receipts', 'push', '--repository', server])).out).toBe(`pushed receipt 1 (first) to ${second.ref}\n`);
    expect((await cli(second.where, ['receipts', 'push', '--repository', server])).out).toContain('unchanged: receipt 1');

    const pulled = await cli(auditor, ['receipts', 'pull', '--repository', server, '--json']);
    expect(pulled).toMatchObject({ code: 0, json: { hosts: 2, changed: 2, forked: 0 } });
    OUTPUT_SCHEMAS['receipts-pull']!.parse(pulled.json);
    const verified = await cli(auditor, ['receipts', 'verify', '--allowed', allowed, '--json']);
    expect(verified).toMatchObject({ code: 0, json: { hosts: 2, receipts: 2, findings: [] } });
    OUTPUT_SCHEMAS['receipts-verify']!.parse(verified.json);
    const summary = await cli(auditor, ['receipts', 'summary', '--allowed', allowed, '--json']);
    expect(summary).toMatchObject({ code: 0, json: { total: 2, byState: [{ value: 'current', hosts: 1 }, { value: 'held', hosts: 1 }], byAge: [{ value: 'under 1 day', hosts: 2 }] } });
    OUTPUT_SCHEMAS['receipts-summary']!.parse(summary.json);

    // What the settings name counts too, and the person only as a hash with the key of the fleet.
    first.where.env['USER'] = 'someone';
    writeFileSync(join(first.where.root, 'key'), 'k'.repeat(32));
    settings(first.where, `hooks:\n  evidence:\n    repository: ${server}\n    identity: hash\n`);
    expect((await cli(first.where, ['receipts', 'push'])).err).toContain('no key of the fleet');
    settings(first.where, `hooks:\n  evidence:\n    repository: ${server}\n    identity: hash\n    key_file: ${join(first.where.root, 'key')}\n`);
    expect((await cli(first.where, ['receipts', 'push', '--json'])).json).toMatchObject({ seq: 2, why: 'changed' });
    await cli(auditor, ['receipts', 'pull', '--repository', server]);
    expect((await cli(auditor, ['receipts', 'verify', '--allowed', allowed, '--json'])).json).toMatchObject({ receipts: 1, findings: [] });

    sh(server, ['update-ref', '-d', second.ref]);
    await cli(auditor, ['receipts', 'pull', '--repository', server]);
    const found = await cli(auditor, ['receipts', 'verify', '--allowed', allowed]);
    expect(found.code).toBe(3);
    expect(found.out).toContain(`deleted: the reference is gone from the server (key ${second.fingerprint}, ref ${second.ref}, sequence 1)`);
    expect((await cli(auditor, ['receipts', 'summary', '--allowed', allowed])).out).toMatch(new RegExp(`${second.id}  deleted`));
    const accepted = await cli(auditor, ['receipts', 'verify', '--allowed', allowed, '--accept', second.id]);
    expect(accepted.out).toContain('never-heard');
    // Not the home, the user or the host by name.
    const everything = [pushed, pulled, verified, summary, found].map(({ out }) => out).join('');
    expect(everything).not.toContain(first.where.root);
    const payload = Buffer.from(sh(server, ['cat-file', 'blob', `${first.ref}:receipt`]).split(' ')[1] ?? '', 'base64url').toString();
    expect(payload).toMatch(/"settings":"[0-9a-f]{16}".*"clients":\{"claude":".*"user":"[0-9a-f]{32}"\}$/);
    expect(payload).not.toContain('someone');
    expect(payload.replace('praetor.receipt/1', '')).not.toMatch(/home|\/|tmp/);
  });
  it('say the state and the last attempt that the workstation itself says', { timeout: 60_000 }, async () => {
    const server = join(tempDir(), 'evidence.git');
    sh('/', ['init', '-q', '--bare', server]);
    const fork = forge();
    const one = await promote(fork, 'v1');
    const { where, ref } = await installed(fork);
    const pushed = async (): Promise<HostReceipt> => {
      expect((await cli(where, ['receipts', 'push', '--repository', server])).code).toBe(0);
      const receipt = payloadOn(server, ref);
      expect(receipt.state).toBe((await station(where, 'status')).json['state']);
      return receipt;
    };
    expect(await pushed()).toMatchObject({ engine: { id: one.id }, state: 'current', update: { result: 'installed', to: one.id } });
    const two = await promote(fork, 'v2');
    await station(where, 'update', '--check');
    expect(await pushed()).toMatchObject({ engine: { id: one.id }, state: 'behind', update: { result: 'available', from: one.id, to: two.id } });
    await station(where, 'update');
    expect(await pushed()).toMatchObject({ engine: { id: two.id }, state: 'current', update: { result: 'updated', from: one.id, to: two.id, code: null } });
    const bad = await promote(fork, 'v3', { manner: 'allows-all' });
    await station(where, 'update');
    expect(await pushed()).toMatchObject({ engine: { id: two.id }, state: 'blocked', update: { result: 'reverted', from: two.id, to: bad.id, code: 'deny-allowed' } });
    rmSync(launcherOf(where));
    expect(await pushed()).toMatchObject({ state: 'broken' });
  });
  it('of twenty workstations at once, as processes of their own, are exactly twenty pushes', { timeout: 120_000 }, async () => {
    const server = join(tempDir(), 'evidence.git');
    sh('/', ['init', '-q', '--bare', server]);
    const stations = Array.from({ length: 20 }, (_, i) => recorded(`${String(i + 10)}000000-0000-4000-8000-000000000000`));
    const answers = await Promise.all(stations.map(({ where }) => new Promise<{ pushes: number; result: string }>((resolve) => {
      const child = spawn(process.execPath, [join(repo, 'bin/praetorctl'), 'receipts', 'push', '--repository', server, '--json'], { env: where.env, cwd: where.project, stdio: ['ignore', 'pipe', 'inherit'] });
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => { out += chunk.toString('utf8'); });
      child.once('close', () => resolve(JSON.parse(out) as { pushes: number; result: string }));
    })));
    expect(answers.map(({ result, pushes }) => [result, pushes])).toEqual(stations.map(() => ['pushed', 1]));
    const auditor = world();
    writeFileSync(join(auditor.root, 'hosts.allowed'), stations.map(({ id, key }) => `${id} ${publicLine(key)}\n`).join(''));
    expect((await cli(auditor, ['receipts', 'pull', '--repository', server, '--json'])).json).toMatchObject({ hosts: 20, changed: 20 });
    expect((await cli(auditor, ['receipts', 'verify', '--allowed', join(auditor.root, 'hosts.allowed'), '--json'])).json).toMatchObject({ receipts: 20, findings: [] });
  });
  it('say what is missing', async () => {
    const empty = world();
    expect((await cli(empty, ['receipts', 'push'])).err).toContain('no evidence repository is named');
    expect(await cli(empty, ['receipts', 'push', '--repository', '/nowhere'])).toMatchObject({ code: 1, err: expect.stringContaining('praetorctl workstation install') as string });
    expect((await cli(empty, ['receipts', 'push', '--repository', 'ext::sh -c x'])).code).toBe(64);
    expect((await cli(empty, ['receipts', 'verify'])).err).toContain('--allowed');
    writeFileSync(join(empty.root, 'hosts.allowed'), '');
    expect((await cli(empty, ['receipts', 'verify', '--allowed', join(empty.root, 'hosts.allowed')])).err).toContain('praetorctl receipts pull');
    expect((await cli(empty, ['receipts', 'verify', '--allowed', join(empty.root, 'hosts.allowed'), '--max-silence', 'x'])).code).toBe(64);
  });
  it('print the hook of a server as it is', async () => {
    const printed = await cli(world(), ['receipts', 'server-hook']);
    expect(printed.out).toMatch(/^#!\/bin\/sh\n/);
    expect((await cli(world(), ['receipts', 'server-hook', '--json'])).json).toMatchObject({ file: 'hooks/update', script: printed.out });
    expect(readFileSync(join(import.meta.dirname, '../../docs/receipts.md'), 'utf8')).toContain('receipts server-hook');
  });
});
