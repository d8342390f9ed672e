// The archive of a version: the same files are the same bytes, other programs can read it, and nothing else gets in.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PraetorError } from '../../src/model/diagnostic.ts';
import { ENTRIES_MAX, UNPACKED_BYTES_MAX, packTar, pathFault, unpackTar, type TarEntry } from '../../src/fleet/tar.ts';
import { tempDir } from '../support/git.ts';

const entry = (path: string, content = path, executable = false): TarEntry => ({ path, executable, bytes: Buffer.from(content) });
const plain = (entries: readonly TarEntry[]): unknown => entries.map(({ path, executable, bytes }) => [path, executable, Buffer.from(bytes).toString('base64')]);

function refused(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error instanceof PraetorError && error.diagnostic.code).toBe('artefact-invalid');
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

/** A changed archive whose checksums are right again, so that only what it says can be the reason. */
function changed(packed: Uint8Array, change: (tar: Buffer) => Buffer | void): Uint8Array {
  const tar = Buffer.from(gunzipSync(packed));
  const after = change(tar) ?? tar;
  for (let at = 0; at + 512 <= after.length && after[at] !== 0;) {
    after.write('        ', at + 148, 'latin1');
    after.write(after.subarray(at, at + 512).reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0') + '\0 ', at + 148, 'latin1');
    at += 512 + Math.ceil(Number.parseInt(after.toString('latin1', at + 124, at + 135), 8) / 512) * 512;
  }
  return gzipSync(after);
}

describe('the archive of a version', () => {
  const files = [entry('package/bin/praetorctl', '#!/bin/sh\n', true), entry('package/dist/a.cjs', 'x'.repeat(1024)), entry('package/empty', ''), entry(`package/${'long/'.repeat(8)}${'n'.repeat(100)}`)];

  it('gives back what was put in, whatever it is', () => {
    const name = fc.stringMatching(/^[a-z0-9_-]{1,12}$/).filter((n) => pathFault(n) === undefined);
    fc.assert(fc.property(fc.uniqueArray(fc.tuple(name, name, fc.boolean(), fc.uint8Array({ maxLength: 1100 })), { minLength: 1, maxLength: 12, selector: ([a, b]) => `${a}/${b}` }), (rows) => {
      const entries = rows.map(([a, b, executable, bytes]) => ({ path: `${a}/${b}`, executable, bytes }));
      const sorted = [...entries].sort((x, y) => (x.path < y.path ? -1 : 1));
      expect(plain(unpackTar(packTar(entries)))).toEqual(plain(sorted));
    }), { numRuns: 100 });
  });

  it('is the same bytes for the same files in any order, and carries no time, owner or system', () => {
    const packed = packTar(files);
    expect(Buffer.from(packTar([...files].reverse())).equals(Buffer.from(packed))).toBe(true);
    expect(Buffer.from(packed.subarray(0, 10)).toString('hex')).toBe('1f8b08000000000002ff');
  });

  it('can be read by tar, with modes and long names', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'a.tgz'), packTar(files));
    execFileSync('tar', ['xzf', 'a.tgz'], { cwd: dir });
    for (const { path, executable, bytes } of files) {
      expect(readFileSync(join(dir, path)).equals(Buffer.from(bytes))).toBe(true);
      expect(statSync(join(dir, path)).mode & 0o777).toBe(executable ? 0o755 : 0o644);
    }
  });

  it('refuses what tar itself writes with links and directories', () => {
    const dir = tempDir();
    mkdirSync(join(dir, 'package'));
    writeFileSync(join(dir, 'package/a'), 'a');
    symlinkSync('/etc/passwd', join(dir, 'package/link'));
    for (const what of ['package/link', 'package', 'package/a']) {
      execFileSync('tar', ['czf', 'a.tgz', what], { cwd: dir });
      refused(() => unpackTar(readFileSync(join(dir, 'a.tgz'))));
    }
  });

  it.each(['', '/etc/passwd', '../a', 'a/../b', './a', 'a//b', 'a/', 'a\\b', 'c:/a', 'a\u0000b', 'a b', 'ä', 'nul', 'a/CON.txt', 'a.', 'a/'.repeat(12) + 'b', 'a'.repeat(201)])('refuses the path %j, packing and unpacking', (path) => {
    expect(pathFault(path)).toBeDefined();
    refused(() => packTar([entry(path)]));
    if (path !== '' && path.length < 100 && !/[^\x01-\xff]/.test(path)) {
      refused(() => unpackTar(changed(packTar([entry('x'.repeat(path.length))]), (tar) => { tar.write(path, 0, 'latin1'); })));
    }
  });

  it.each([['a', 'A'], ['a/b', 'A/B'], ['a', 'a/b'], ['A', 'a/b'], ['a', 'a']])('refuses %s beside %s', (one, two) => {
    expect(refused(() => packTar([entry(one), entry(two)]))).toMatch(/claim one place/);
  });

  it('refuses a changed archive: type, mode, owner, time, order, second copies, trailing bytes, cut', () => {
    const packed = packTar([entry('a', 'one'), entry('b', 'two')]);
    const byte = (at: number, value: string) => (tar: Buffer): void => { tar.write(value, at, 'latin1'); };
    expect(plain(unpackTar(changed(packed, () => undefined)))).toEqual(plain([entry('a', 'one'), entry('b', 'two')]));
    for (const type of ['1', '2', '3', '5', '6', 'L', 'x', 'g', '\0']) refused(() => unpackTar(changed(packed, byte(156, type))));
    for (const [at, value] of [[100, '0000777'], [100, '0004755'], [108, '0000001'], [116, '0000001'], [136, '00000000001'], [157, '/etc/passwd'], [265, 'root'], [297, 'root'], [345, '..'], [124, '0000000000x'], [124, '77777777777']] as const) {
      refused(() => unpackTar(changed(packed, byte(at, value))));
    }
    refused(() => unpackTar(changed(packed, (tar) => Buffer.concat([tar.subarray(1024, 2048), tar.subarray(0, 1024), tar.subarray(2048)]))));
    refused(() => unpackTar(changed(packed, (tar) => Buffer.concat([tar.subarray(0, 1024), tar]))));
    refused(() => unpackTar(changed(packed, (tar) => Buffer.concat([tar, Buffer.from('more')]))));
    refused(() => unpackTar(changed(packed, (tar) => { tar.write('hidden', 512 + 3, 'latin1'); })));
    for (const length of [0, 9, packed.length - 9]) refused(() => unpackTar(packed.subarray(0, length)));
    refused(() => unpackTar(gzipSync(gunzipSync(packed).subarray(0, 1400))));
    refused(() => unpackTar(Buffer.from('not gzip')));
  });

  it('is bounded: files and bytes, also of a small archive that grows', () => {
    const many = Array.from({ length: ENTRIES_MAX }, (_v, i) => entry(`f/${i}`, ''));
    expect(unpackTar(packTar(many)).length).toBe(ENTRIES_MAX);
    refused(() => packTar([...many, entry('one-more')]));
    refused(() => packTar([]));
    expect(refused(() => unpackTar(gzipSync(Buffer.alloc(UNPACKED_BYTES_MAX + 1), { level: 1 })))).toMatch(/larger than/);
  });
});
