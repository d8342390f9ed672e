// Answers that were written at build time are what the command line says, and everything else still reaches it.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENTS } from '../../src/clients/registry.ts';
import { repo } from '../support/cli.ts';

const place = mkdtempSync(join(tmpdir(), 'praetorctl-answer-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeAll(() => { if (!existsSync(join(repo, 'dist', 'capabilities.json'))) execFileSync(process.execPath, [join(repo, 'scripts', 'build.mjs')], { cwd: repo }); });

interface Said { readonly status: number | null; readonly stdout: string }

function run(script: string, words: readonly string[], env: Record<string, string> = {}): Said {
  const { status, stdout } = spawnSync(process.execPath, [script, ...words], { env: { HOME: place, ...env }, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return { status, stdout };
}

const bin = join(repo, 'bin', 'praetorctl');
const cli = join(repo, 'dist', 'cli.cjs');

describe('capabilities', () => {
  it.each([
    [['capabilities'], {}], [['capabilities', '--json'], {}], [['clients', 'capabilities'], {}], [['clients', 'capabilities', '--json'], {}],
    [['capabilities'], { PRAETORCTL_JSON: '1' }], [['capabilities'], { PRAETORCTL_JSON: '0' }],
    [['capabilities', '--client', 'codex'], {}], [['capabilities'], { PRAETORCTL_CLIENT: 'codex' }], [['capabilities', '--quiet'], {}],
    [['capabilities', '--client', 'nobody', '--json'], {}], [['capabilities', '--nonsense'], {}], [['policy', 'capabilities'], {}],
  ] as const)('%j with %j is what the whole command line says', (words, env) => {
    expect(run(bin, words, env)).toEqual(run(cli, words, env));
  });

  it('is about every client', () => {
    const { clients } = JSON.parse(run(bin, ['capabilities', '--json']).stdout) as { clients: { id: string }[] };
    expect(clients.map(({ id }) => id)).toEqual(CLIENTS.map(({ id }) => id).sort());
  });

  it('is answered without the command line, and by it where the answer is not there', () => {
    const copy = join(place, 'copy');
    cpSync(join(repo, 'bin'), join(copy, 'bin'), { recursive: true });
    mkdirSync(join(copy, 'dist'));
    for (const name of ['answer.cjs', 'capabilities.txt']) cpSync(join(repo, 'dist', name), join(copy, 'dist', name));
    const script = join(copy, 'bin', 'praetorctl');
    expect(run(script, ['capabilities'])).toEqual(run(cli, ['capabilities']));
    expect(run(script, ['capabilities', '--json']).status).toBe(1);
    for (const name of readdirSync(join(repo, 'dist')).filter((file) => /^cli[.-]/.test(file) && file.endsWith('.cjs'))) cpSync(join(repo, 'dist', name), join(copy, 'dist', name));
    expect(run(script, ['capabilities', '--json'])).toEqual(run(cli, ['capabilities', '--json']));
  });

  it('ends quietly where nobody reads', () => {
    expect(execFileSync('bash', ['-c', `set -o pipefail; '${process.execPath}' '${bin}' capabilities --json | head -c 12`], { encoding: 'utf8' })).toBe('{\n  "schema"');
  });
});
