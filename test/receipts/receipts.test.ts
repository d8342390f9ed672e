// Contract: receipts: the format, rotation under parallel load, sha256.
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendReceipt, RECEIPTS_FILE, rotatedNames } from '../../src/receipts/append.ts';
import { formatReceipt, isoTime, parseReceiptLine, RECEIPT_BYTES_MAX, type Receipt } from '../../src/receipts/format.ts';
import { sha256Hex } from '../../src/model/sha256.ts';

const RECEIPT: Receipt = {
  v: 1, time: '2026-11-30T09:00:00.123Z', client: 'claude', event: 'pre-tool', caller: 'claude', verdict: 'deny', rule: 'git.push.force', kind: 'shell', tool: 'Bash',
  session: '0123456789abcdef', engine: '0.1.0', policy: 'aaaaaaaaaaaaaaaa', ms: 21, workspace: '/home/dev/work',
};

let directory: string;
beforeEach(() => { directory = mkdtempSync(join(tmpdir(), 'praetorctl-receipts-')); });
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('format', () => {
  test('round trip, fixed order', () => {
    const line = formatReceipt(RECEIPT);
    expect(line.endsWith('}\n')).toBe(true);
    expect(parseReceiptLine(line)).toEqual(RECEIPT);
    expect(Object.keys(JSON.parse(line) as object)).toEqual(['v', 'time', 'client', 'event', 'caller', 'verdict', 'rule', 'kind', 'tool', 'session', 'engine', 'policy', 'ms', 'workspace']);
    expect(formatReceipt({ ...RECEIPT, synthetic: true })).toContain('"synthetic":true');
  });

  test('whatever comes from outside, it is one bounded ASCII line that reads back', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3000 });
    fc.assert(fc.property(text, text, text, (tool, workspace, event) => {
      const line = formatReceipt({ ...RECEIPT, tool, workspace, event });
      expect(line.length).toBeLessThanOrEqual(RECEIPT_BYTES_MAX);
      expect(line).toMatch(/^[\x20-\x7e]+\n$/);
      expect(parseReceiptLine(line)).toMatchObject({ client: 'claude', verdict: 'deny' });
    }));
  });

  test('a forged field inside a name is not found by indexOf', () => {
    const line = formatReceipt({ ...RECEIPT, verdict: 'neutral', event: 'x","verdict":"deny' });
    expect(line.indexOf('"verdict":"')).toBe(line.indexOf('"verdict":"neutral"'));
  });

  test.each(['', '{', '[]', 'null', '{"v":2}', '{"v":1}', formatReceipt(RECEIPT).slice(5), formatReceipt(RECEIPT).replace('deny', 'maybe'), formatReceipt(RECEIPT).replace('2026', 'x')])('not a receipt: %s', (line) => {
    expect(parseReceiptLine(line)).toBeUndefined();
  });

  test('isoTime is toISOString', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => { expect(isoTime(ms)).toBe(new Date(ms).toISOString()); }), { numRuns: 3000 });
    for (const day of ['2024-02-29', '2024-03-01', '2000-02-29', '2100-02-28', '2100-03-01', '1970-01-01', '2026-12-31']) expect(isoTime(Date.parse(day))).toBe(`${day}T00:00:00.000Z`);
  });

  test('sha256', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => { expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex')); }), { numRuns: 1000 });
    for (const length of [0, 55, 56, 63, 64, 119, 120, 1000]) expect(sha256Hex('a'.repeat(length))).toBe(createHash('sha256').update('a'.repeat(length)).digest('hex'));
  });
});

describe('append', () => {
  test('creates its directory, appends, refuses what is no plain file', () => {
    const place = join(directory, 'a', 'b');
    appendReceipt(place, 'x\n', false);
    appendReceipt(place, 'y\n', false);
    expect(readFileSync(join(place, RECEIPTS_FILE), 'utf8')).toBe('x\ny\n');
    const blocked = join(directory, 'c');
    mkdirSync(join(blocked, RECEIPTS_FILE), { recursive: true });
    expect(() => appendReceipt(blocked, 'x\n', false)).toThrow();
  });

  test('rotates past the limit, at the limit not, keeps eight', () => {
    const line = formatReceipt(RECEIPT);
    appendReceipt(directory, line, true, line.length);
    expect(rotatedNames(readdirSync(directory))).toEqual([]);
    for (let i = 0; i < 30; i++) appendReceipt(directory, line, true, line.length);
    expect(rotatedNames(readdirSync(directory)).length).toBeLessThanOrEqual(8);
    expect(existsSync(join(directory, 'rotate.lock'))).toBe(false);
  });

  test('a stale rotation lock is dropped, a fresh one respected', () => {
    const lock = join(directory, 'rotate.lock');
    mkdirSync(lock);
    appendReceipt(directory, 'x\n', true, 1);
    expect(existsSync(lock)).toBe(true);
    utimesSync(lock, new Date(0), new Date(0));
    appendReceipt(directory, 'x\n', true, 1);
    appendReceipt(directory, 'x\n', true, 1);
    expect(existsSync(lock)).toBe(false);
    expect(rotatedNames(readdirSync(directory))).toHaveLength(1);
  });

  test('rotation under parallel load loses and tears nothing', async () => {
    const script = join(directory, 'writer.cjs');
    await build({
      stdin: {
        contents: `import { appendReceipt } from './append.ts';
          const [place, line, count, max] = process.argv.slice(2);
          for (let i = 0; i < Number(count); i++) appendReceipt(place, line + '\\n', true, Number(max));`,
        resolveDir: join(import.meta.dirname, '..', '..', 'src', 'receipts'), loader: 'ts',
      },
      bundle: true, platform: 'node', format: 'cjs', outfile: script, logLevel: 'error',
    });
    const place = join(directory, 'receipts');
    const line = formatReceipt(RECEIPT).trimEnd();
    const writers = 8;
    const each = 400;
    const max = Math.ceil((writers * each * line.length) / 6);
    await Promise.all(Array.from({ length: writers }, () => promisify(execFile)(process.execPath, [script, place, line, String(each), String(max)])));
    const names = readdirSync(place).filter((name) => name.endsWith('.jsonl'));
    const lines = names.flatMap((name) => readFileSync(join(place, name), 'utf8').split('\n').filter((l) => l !== ''));
    expect(names.length).toBeGreaterThan(3);
    expect(lines).toHaveLength(writers * each);
    expect(new Set(lines)).toEqual(new Set([line]));
  }, 60_000);
});
