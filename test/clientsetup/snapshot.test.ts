// Contract: one look at a file: what is followed, what is refused and by which name, and that nothing is ever opened that blocks.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { FILE_BYTES_MAX, LINK_HOPS_MAX, STEADY_TRIES_MAX, sameSnapshot, takeSnapshot } from '../../src/clientsetup/snapshot.ts';
import type { Host } from '../../src/host.ts';
import type { Snapshot } from '../../src/model/plan.ts';
import { put, tempHome } from '../support/home.ts';
import { recordingHost, wrapHost } from '../support/hosts.ts';

let temp = tempHome();
const homes = [temp];
beforeEach(() => { temp = tempHome(); homes.push(temp); });
afterAll(() => { for (const home of homes) home.remove(); });

const at = (...names: string[]): string => path.join(temp.home, ...names);
const look = (file: string): Snapshot => takeSnapshot(temp.host, file);
const SECRET = 'sk-not-to-be-shown';

function refusal(file: string, host: Host = temp.host): string {
  const seen = takeSnapshot(host, file);
  if (seen.state !== 'refused') throw new Error(`not refused but ${seen.state}`);
  expect(seen.diagnostic.where?.path).toBe(file);
  expect(seen.diagnostic.fix).not.toBe('');
  expect(JSON.stringify(seen.diagnostic)).not.toContain(SECRET);
  return seen.diagnostic.code;
}

test('a plain file: bytes, digest, mode and identity', () => {
  put(at('a.json'), SECRET, 0o600);
  const seen = look(at('a.json'));
  const stat = fs.statSync(at('a.json'), { bigint: true });
  expect(seen).toMatchObject({
    state: 'file', path: at('a.json'), target: at('a.json'), links: [],
    stamp: { size: SECRET.length, mode: 0o600, ino: String(stat.ino), mtimeNs: String(stat.mtimeNs), digest: temp.host.sha256(SECRET) },
  });
});

test('an absent file names the directories it needs, outermost first', () => {
  expect(look(at('x', 'y', 'z.json'))).toEqual({ state: 'absent', path: at('x', 'y', 'z.json'), target: at('x', 'y', 'z.json'), missingDirs: [at('x'), at('x', 'y')] });
  fs.mkdirSync(at('x'));
  expect(look(at('x', 'z.json'))).toMatchObject({ state: 'absent', missingDirs: [] });
});

test('a chain of links, relative and absolute, leads to the real file', () => {
  put(at('dots', 'deep', 'real.json'), 'x');
  fs.symlinkSync(at('dots', 'deep', 'real.json'), at('dots', 'second'));
  fs.symlinkSync('dots/../dots/./second', at('first'));
  expect(look(at('first'))).toMatchObject({ state: 'file', path: at('first'), target: at('dots', 'deep', 'real.json'), links: [at('first'), at('dots', 'second')] });
});

test('".." after a link is taken from where the link leads', () => {
  put(at('elsewhere', 'file'), 'x');
  fs.mkdirSync(at('elsewhere', 'inner'));
  fs.symlinkSync(at('elsewhere', 'inner'), at('jump'));
  fs.symlinkSync('jump/../file', at('link'));
  expect(look(at('link'))).toMatchObject({ state: 'file', target: at('elsewhere', 'file') });
});

test('a link in a parent directory is followed, for a file and for one to be created', () => {
  put(at('dots', 'claude', 'settings.json'), 'x');
  fs.symlinkSync('dots/claude', at('.claude'));
  expect(look(at('.claude', 'settings.json'))).toMatchObject({ target: at('dots', 'claude', 'settings.json'), links: [at('.claude')] });
  expect(look(at('.claude', 'new', 'file'))).toMatchObject({ state: 'absent', target: at('dots', 'claude', 'new', 'file'), missingDirs: [at('dots', 'claude', 'new')] });
});

test('loops, of one link, of two and through a directory', () => {
  fs.symlinkSync('self', at('self'));
  fs.symlinkSync('b', at('a'));
  fs.symlinkSync('a', at('b'));
  fs.symlinkSync('dir', at('dir'));
  for (const file of [at('self'), at('a'), at('dir', 'file')]) expect(refusal(file)).toBe('link-loop');
});

test(`a chain of ${LINK_HOPS_MAX} links is followed, one more is not`, () => {
  put(at('l0'), 'x');
  for (let i = 1; i <= LINK_HOPS_MAX + 1; i += 1) fs.symlinkSync(`l${i - 1}`, at(`l${i}`));
  expect(look(at(`l${LINK_HOPS_MAX}`)).state).toBe('file');
  expect(refusal(at(`l${LINK_HOPS_MAX + 1}`))).toBe('link-loop');
});

test('dangling links: the file, the end of a chain, a parent directory', () => {
  fs.symlinkSync('nothing', at('file'));
  fs.symlinkSync('file', at('chain'));
  fs.symlinkSync('no/where', at('dir'));
  for (const file of [at('file'), at('chain'), at('dir', 'settings.json')]) expect(refusal(file)).toBe('dangling-link');
});

test('what is not a regular file is refused without being opened', async () => {
  fs.mkdirSync(at('dir'));
  execFileSync('mkfifo', [at('fifo')]);
  fs.symlinkSync('fifo', at('to-fifo'));
  const server = net.createServer();
  await new Promise<void>((resolve) => { server.listen(at('socket'), resolve); });
  const { host, calls } = recordingHost(temp.host);
  for (const file of [at('dir'), at('fifo'), at('to-fifo'), at('socket'), '/dev/null', '/']) expect(refusal(file, host)).toBe('not-a-file');
  expect(calls.filter((call) => call.name === 'readFile')).toEqual([]);
  await new Promise((resolve) => { server.close(resolve); });
});

test('a file that becomes a FIFO between the look and the read does not block', () => {
  put(at('file'), 'x');
  const host = wrapHost(temp.host, (call, run) => {
    if (call.name === 'readFile') { fs.unlinkSync(at('file')); execFileSync('mkfifo', [at('file')]); }
    return run();
  });
  expect(refusal(at('file'), host)).toBe('not-a-file');
});

test('a parent that is a file', () => {
  put(at('file'), 'x');
  expect(refusal(at('file', 'settings.json'))).toBe('not-a-file');
});

test('hard links, except on a platform whose count says nothing', () => {
  put(at('one'), SECRET);
  fs.linkSync(at('one'), at('two'));
  expect(refusal(at('one'))).toBe('hard-link');
  const zero = wrapHost(temp.host, (call, run) => (call.name === 'lstat' ? { ...(run() as object), nlink: 0 } : run()));
  expect(takeSnapshot({ ...zero, platform: 'linux' }, at('one')).state).toBe('file');
});

test.each(['EACCES', 'EPERM', 'EIO', 'ENAMETOOLONG'])('unreadable: %s from the stat or from the read', (code) => {
  put(at('dir', 'file'), SECRET);
  for (const name of ['lstat', 'readFile']) {
    const host = wrapHost(temp.host, (call, run) => {
      if (call.name === name && call.args[0] === at('dir', 'file')) throw Object.assign(new Error(SECRET), { code });
      return run();
    });
    expect(refusal(at('dir', 'file'), host)).toBe('unreadable');
  }
});

test.skipIf(process.getuid?.() === 0)('unreadable: a real file without permission', () => {
  put(at('file'), SECRET, 0o000);
  expect(refusal(at('file'))).toBe('unreadable');
});

test('the largest file, and one byte more', () => {
  put(at('file'), '');
  fs.truncateSync(at('file'), FILE_BYTES_MAX);
  expect(look(at('file')).state).toBe('file');
  fs.truncateSync(at('file'), FILE_BYTES_MAX + 1);
  expect(refusal(at('file'))).toBe('too-large');
});

test('a file that changes while it is read is read again, a bounded number of times', () => {
  put(at('file'), 'old');
  let reads = 0;
  const changing = (times: number): Host => wrapHost(temp.host, (call, run) => {
    const result = run();
    if (call.name === 'readFile') { reads += 1; if (reads <= times) fs.writeFileSync(at('file'), `new ${reads}`); }
    return result;
  });
  const seen = takeSnapshot(changing(2), at('file'));
  expect(seen.state === 'file' && new TextDecoder().decode(seen.bytes)).toBe('new 2');
  reads = 0;
  expect(refusal(at('file'), changing(1000))).toBe('changed-underneath');
  expect(reads).toBe(STEADY_TRIES_MAX);
});

test('the same version of the same file, and what makes it another one', () => {
  put(at('file'), 'x');
  fs.symlinkSync('file', at('link'));
  const first = look(at('file'));
  expect(sameSnapshot(temp.host, first, look(at('file')))).toBe(true);
  fs.utimesSync(at('file'), 1, 1);
  expect(sameSnapshot(temp.host, first, look(at('file')))).toBe(false);
  const second = look(at('file'));
  put(at('copy'), 'x');
  fs.utimesSync(at('copy'), 1, 1);
  fs.renameSync(at('copy'), at('file'));
  expect(sameSnapshot(temp.host, second, look(at('file')))).toBe(false);
  // File ids say nothing on some Windows file systems; there the content and the time decide.
  expect(sameSnapshot({ ...temp.host, platform: 'win32' }, second, look(at('file')))).toBe(true);
  const third = look(at('file'));
  fs.chmodSync(at('file'), 0o600);
  expect(sameSnapshot(temp.host, third, look(at('file')))).toBe(false);
  expect(sameSnapshot(temp.host, look(at('none')), look(at('none')))).toBe(true);
  expect(sameSnapshot(temp.host, look(at('none')), third)).toBe(false);
});

test('a relative path is a fault of the program', () => {
  expect(() => look('settings.json')).toThrow('relative path');
});
