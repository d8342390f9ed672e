// Record mode as a real process: what is stored, what is answered, and that nothing is recorded where it could be read by others.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { cli, repo, world, type World } from '../support/cli.ts';

const PAYLOAD = '{"session_id":"s-1","cwd":"/home/ann/w",  "hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force"}}\n';

function hook(where: World, directory: string, words: readonly string[], input: string | Buffer = PAYLOAD): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [path.join(repo, 'bin/praetorctl'), 'hook', ...words], { input, encoding: 'utf8', env: { ...where.env, PRAETORCTL_HOOK_RECORD_DIR: directory } });
}

function place(where: World, mode = 0o700): string {
  const directory = path.join(where.root, 'rec');
  fs.mkdirSync(directory);
  fs.chmodSync(directory, mode);
  return directory;
}

const receipts = (where: World): string => fs.readFileSync(path.join(where.root, 'state/receipts/receipts.jsonl'), 'utf8');

describe('record mode', () => {
  it('keeps the raw input in a new private file, answers neutrally, and leaves a receipt that is no evidence', () => {
    const where = world();
    const directory = place(where);
    for (const [client, answer] of [['claude', ''], ['codex', ''], ['agy', '']] as const) expect(hook(where, directory, [client, 'pre-tool'])).toMatchObject({ status: 0, stdout: answer, stderr: '' });
    const names = fs.readdirSync(directory).sort();
    expect(names).toHaveLength(3);
    for (const name of names) expect(fs.statSync(path.join(directory, name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(fs.readFileSync(path.join(directory, names[0] ?? ''), 'utf8'))).toEqual({ v: 1, client: 'claude', event: 'pre-tool', stdin: PAYLOAD });
    expect(receipts(where)).toContain('"verdict":"recorded"');
    expect(receipts(where)).not.toContain('git push');
  });

  it('records clients and events that this version does not know, and input that is no JSON or no text', () => {
    const where = world();
    const directory = place(where);
    expect(hook(where, directory, ['newclient', 'BeforeThing'])).toMatchObject({ status: 0, stdout: '' });
    expect(hook(where, directory, ['claude', 'pre-tool'], 'not json')).toMatchObject({ status: 0, stdout: '' });
    expect(hook(where, directory, ['claude', 'pre-tool'], Buffer.from([0x7b, 0xff, 0x7d]))).toMatchObject({ status: 0 });
    const all = fs.readdirSync(directory).map((name) => JSON.parse(fs.readFileSync(path.join(directory, name), 'utf8')) as Record<string, unknown>);
    expect(all.map((one) => one['event']).sort()).toEqual(['BeforeThing', 'pre-tool', 'pre-tool']);
    expect(all.some((one) => one['stdinBase64'] === Buffer.from([0x7b, 0xff, 0x7d]).toString('base64'))).toBe(true);
  });

  it.each<[string, (where: World) => string]>([
    ['a relative path', () => 'rec'], ['a directory that is not there', (where) => path.join(where.root, 'none')], ['one that others can read', (where) => place(where, 0o755)],
    ['a link', (where) => { fs.symlinkSync(place(where), path.join(where.root, 'link')); return path.join(where.root, 'link'); }], ['a file', (where) => path.join(where.root, 'bin', 'praetorctl')],
  ])('records nothing in %s, says so in one line, and judges as always', (_what, make) => {
    const where = world();
    const found = hook(where, make(where), ['codex', 'pre-tool']);
    expect(found.stderr.split('\n').filter((line) => line.includes('not recorded'))).toHaveLength(1);
    expect(found.stdout).toContain('deny');
    expect(receipts(where)).toContain('"verdict":"deny"');
  });
});

describe('fixtures redact', () => {
  it('makes captures, leaves out what is no recording, and writes nothing over', async () => {
    const where = world();
    const directory = place(where);
    hook(where, directory, ['claude', 'pre-tool']);
    hook(where, directory, ['claude', 'pre-tool']);
    hook(where, directory, ['claude', 'pre-tool'], 'not json');
    const out = path.join(where.root, 'captures');
    const answer = await cli(where, ['fixtures', 'redact', directory, '--out', out, '--json']);
    expect(answer.code).toBe(0);
    expect(OUTPUT_SCHEMAS['fixtures']?.safeParse(answer.json).success).toBe(true);
    expect(fs.readdirSync(out)).toEqual(['claude.PreToolUse.Bash.2.json', 'claude.PreToolUse.Bash.json']);
    expect(fs.readFileSync(path.join(out, 'claude.PreToolUse.Bash.json'), 'utf8')).not.toMatch(/ann|push/);
    expect((await cli(where, ['fixtures', 'redact', directory, '--out', out])).code).toBe(1);
    expect((await cli(where, ['fixtures', 'redact', path.join(where.root, 'none'), '--out', out])).code).toBe(1);
    expect((await cli(where, ['fixtures', 'redact', directory])).code).toBe(64);
  });
});
