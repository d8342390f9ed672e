// The record of a workstation: what is read, kept, refused, and what a crash leaves behind.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeInstallRecord } from '../../src/fleet/install-record.ts';
import { realHost } from '../../src/host.ts';
import { formatInstallRecord, parseInstallRecord, readInstallRecord, type InstallRecord } from '../../src/roots/install-record.ts';
import { faultyHost, recordingHost } from '../support/hosts.ts';

const root = mkdtempSync(join(tmpdir(), 'praetorctl-record-'));
afterAll(() => { rmSync(root, { recursive: true, force: true }); });

const RECORD: InstallRecord = {
  minReader: 1, hostId: '5f0c1a9e-0000-4000-8000-000000000001', current: 'a'.repeat(16), previous: null, pin: { id: 'a'.repeat(16), by: 'rollback', at: '2026-11-30T00:00:00Z' },
  blocked: [{ id: 'b'.repeat(16), code: 'deny-not-denied', at: '2026-11-30T00:00:00Z' }], anchor: ['ops namespaces="praetor-promotion" ssh-ed25519 AAAA\n  "current": "x"'],
  lastSeq: 3, lastPromotion: null, lastCommit: null, lastNotes: null, repository: null, target: 'a'.repeat(16), expires: null, withdrawn: ['b'.repeat(16)], retired: [{ id: 'b'.repeat(16), at: '2026-11-30T00:00:00Z' }], remote: 'file:///r', branch: 'main', org: null, name: null, node: ['/usr/bin/node'], launcher: '/h/.local/bin/praetorctl',
  key: null, installedAt: '2026-11-30T00:00:00Z', lastVerifiedAt: null, maxAgeMs: 604_800_000, rest: { later: { current: 'no' } },
};
const code = (work: () => unknown): string => {
  try { work(); } catch (error) { return (error as { diagnostic?: { code: string } }).diagnostic?.code ?? 'other'; }
  return 'none';
};

describe('install.json', () => {
  it('comes back as it was written, with the keys that nobody knows here', () => {
    const text = formatInstallRecord(RECORD);
    expect(parseInstallRecord(text, '/x')).toEqual(RECORD);
    expect(formatInstallRecord(parseInstallRecord(text, '/x'))).toBe(text);
    expect(JSON.parse(text)).toMatchObject({ schema: 'praetor.install/1', later: { current: 'no' } });
  });

  it('has exactly one line that a reader of lines can take for the pointer, and it comes early', () => {
    const lines = formatInstallRecord(RECORD).split('\n');
    expect(lines.filter((line) => line.startsWith('  "current": "'))).toEqual([`  "current": "${'a'.repeat(16)}",`]);
    expect(lines.findIndex((line) => line.startsWith('  "current"'))).toBe(3);
  });

  it('a larger minReader is refused with a fix, damage is named', () => {
    const with_ = (change: Record<string, unknown>): string => JSON.stringify({ ...JSON.parse(formatInstallRecord(RECORD)) as object, ...change });
    expect(code(() => parseInstallRecord(with_({ minReader: 2 }), '/x'))).toBe('record-newer');
    for (const change of [{ current: 'x' }, { previous: '../../x' }, { blocked: {} }, { pin: { id: 'a' } }, { anchor: [1] }, { lastSeq: -1 }, { schema: 'y' }, { minReader: '1' }]) {
      expect([change, code(() => parseInstallRecord(with_(change), '/x'))]).toEqual([change, 'state-damaged']);
    }
    expect(code(() => parseInstallRecord('{', '/x'))).toBe('state-damaged');
  });

  it('is read from the data directory; nothing there is no record', () => {
    const data = mkdtempSync(join(root, 'd'));
    const host = realHost({ env: { HOME: root }, cwd: root });
    expect(readInstallRecord(host, data)).toBeUndefined();
    expect(readInstallRecord(host, join(data, 'none'))).toBeUndefined();
    writeInstallRecord(host, data, RECORD);
    expect(readInstallRecord(host, data)).toEqual(RECORD);
    writeFileSync(join(data, 'install.json'), Buffer.from([0x7b, 0xff]));
    expect(code(() => readInstallRecord(host, data))).toBe('state-damaged');
  });

  it('a fault at any call leaves the old record or the new one', () => {
    const host = realHost({ env: { HOME: root }, cwd: root });
    const before = formatInstallRecord(RECORD);
    const next = { ...RECORD, current: 'c'.repeat(16), previous: RECORD.current };
    const seen = recordingHost(host);
    writeInstallRecord(seen.host, mkdtempSync(join(root, 'd')), RECORD);
    expect(seen.calls.length).toBeGreaterThan(3);
    for (let n = 1; n <= seen.calls.length; n += 1) {
      for (const fault of ['throw', 'throw-after'] as const) {
        const data = mkdtempSync(join(root, 'd'));
        writeInstallRecord(host, data, RECORD);
        let said = '';
        try {
          writeInstallRecord(faultyHost(host, n, fault), data, next);
        } catch (error) {
          said = String(error);
        }
        const text = readFileSync(join(data, 'install.json'), 'utf8');
        // Only what the launcher may answer by itself can stay behind without a word: it is older than the record then, and not believed.
        if (said === '') expect(text).toBe(formatInstallRecord(next));
        else expect(said).toContain('injected');
        expect([before, formatInstallRecord(next)]).toContain(text);
        expect(readdirSync(data).filter((name) => name !== 'install.json').length).toBeLessThanOrEqual(1);
      }
    }
  });
});
