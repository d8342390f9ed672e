// The launcher of an installed workstation, run by sh: what it starts, with what, and what it says where it cannot.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { versionLauncherText, type VersionLauncher } from '../../src/clientsetup/version-launcher.ts';

const root = mkdtempSync(join(tmpdir(), "praetorctl launcher's \"$x\" "));
afterAll(() => { rmSync(root, { recursive: true, force: true }); });

const ID = 'a'.repeat(16);

function station(change: Partial<VersionLauncher> = {}, current = ID): { readonly launcher: string; readonly data: string } {
  const home = mkdtempSync(join(root, 'h'));
  const data = join(home, "da ta's");
  mkdirSync(join(data, 'versions', ID, 'bin'), { recursive: true });
  writeFileSync(join(data, 'versions', ID, 'bin', 'praetorctl'), 'process.stdout.write(JSON.stringify({ node: process.execPath, args: process.argv.slice(2), data: process.env.PRAETORCTL_DATA_DIR ?? null }))\n');
  writeFileSync(join(data, 'install.json'), `${JSON.stringify({ schema: 'x', minReader: 1, current, rest: { current: 'no' } }, null, 2)}\n`);
  const launcher = join(home, 'praetorctl');
  writeFileSync(launcher, versionLauncherText({ platform: 'linux', nodes: [process.execPath], data, usual: true, onMissing: 'allow', ...change }));
  chmodSync(launcher, 0o755);
  return { launcher, data };
}
const run = (launcher: string, args: readonly string[] = [], env: Record<string, string> = {}): { code: number | null; out: unknown; err: string } => {
  const got = spawnSync(launcher, args, { env, encoding: 'utf8' });
  return { code: got.status, out: got.stdout === '' ? null : JSON.parse(got.stdout), err: got.stderr };
};

describe('launcher of a workstation', () => {
  it('starts the current version with an empty environment, from paths with spaces and quotes, and hands every argument on', () => {
    const { launcher } = station();
    const args = ['hook', 'a b', '$HOME', "it's", '', '*'];
    expect(run(launcher, args)).toEqual({ code: 0, out: { node: process.execPath, args, data: null }, err: '' });
  });

  it('tells the program its data directory where the environment would lead elsewhere', () => {
    const { launcher, data } = station({ usual: false });
    expect(run(launcher).out).toMatchObject({ data });
  });

  it('takes the first Node that exists, then the one on PATH', () => {
    const bin = mkdtempSync(join(root, 'bin'));
    const other = join(bin, 'node');
    writeFileSync(other, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
    chmodSync(other, 0o755);
    expect(run(station({ nodes: ['/nowhere/node', process.execPath] }).launcher).out).toMatchObject({ node: process.execPath });
    expect(run(station({ nodes: ['/nowhere/node'] }).launcher, [], { PATH: bin }).code).toBe(0);
  });

  it('no Node, no version, no record: one line, and 127; with deny a tool call is refused with 2', () => {
    const cases = [station({ nodes: ['/nowhere/node'] }), station({}, 'b'.repeat(16)), { launcher: station({ data: join(root, 'nothing') }).launcher }];
    for (const { launcher } of cases) {
      const got = run(launcher, ['hook', 'x', 'pre-tool'], { PATH: '/nowhere' });
      expect([got.code, got.err.split('\n').length]).toEqual([127, 2]);
      expect(got.err).toMatch(/^praetorctl: error: .* fix: /);
    }
    const { launcher } = station({ nodes: ['/nowhere/node'], onMissing: 'deny' });
    expect(['pre-tool', 'permission', 'session-start'].map((event) => run(launcher, ['hook', 'x', event], { PATH: '/nowhere' }).code)).toEqual([2, 2, 127]);
    expect(run(launcher, ['clients', 'plan'], { PATH: '/nowhere' }).code).toBe(127);
  });

  it.each(['../elsewhere', '../../elsewhere/x', '', 'a'.repeat(15), 'a'.repeat(17), 'A'.repeat(16), `${'a'.repeat(15)}/`, `..//versions/${'a'.repeat(4)}`, `../versions/${ID}`, '6', `${'a'.repeat(15)}*`])('starts nothing for a record that names %j as current', (current) => {
    const { launcher, data } = station({}, current);
    const program = join(data, 'versions', current, 'bin', 'praetorctl');
    mkdirSync(join(program, '..'), { recursive: true });
    writeFileSync(program, 'process.stdout.write("1")');
    const got = run(launcher, ['doctor']);
    expect([got.code, got.out]).toEqual([127, null]);
    expect(got.err).toMatch(/^praetorctl: error: version .* is not installed .* fix: /);
    const denying = station({ onMissing: 'deny' }, current);
    expect(run(denying.launcher, ['hook', 'x', 'pre-tool']).code).toBe(2);
  });

  it('starts no process besides Node', () => {
    // Without any directory to find programs in, and with the shell's builtins only, it still works.
    expect(run(station().launcher, [], { PATH: '' }).code).toBe(0);
  });

  it('on Windows (not run): the text', async () => {
    const input = { platform: 'win32', nodes: ['C:\\Program Files\\nodejs\\node.exe'], data: 'C:\\Users\\d 100%\\AppData\\Local\\praetorctl', usual: true } as const;
    await expect(versionLauncherText({ ...input, onMissing: 'allow' })).toMatchFileSnapshot('golden/praetorctl.cmd');
    await expect(versionLauncherText({ ...input, usual: false, onMissing: 'deny' })).toMatchFileSnapshot('golden/praetorctl-deny.cmd');
  });
});
