// Every command as a person and as a script would use it: exit codes, streams, one JSON document, errors that name the next step.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { treeNodes } from '../../src/cli/completion.ts';
import type { CliIo } from '../../src/cli/output.ts';
import { realHost } from '../../src/host.ts';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { HOOKED, SHARED } from '../support/rows.ts';
import { cli, get, put, settings, tree, world, type Answer, type World } from '../support/cli.ts';

/** A JSON answer must have exactly the committed shape. */
function shaped(answer: Answer, kind: string): Record<string, unknown> {
  expect(answer.json['schema']).toBe(`praetorctl/${kind}`);
  OUTPUT_SCHEMAS[kind]!.parse(answer.json);
  expect(answer.json['exit']).toBe(answer.code);
  return answer.json;
}

/** Two events of every client in the shared home are registered where the settings name none. */
const HOOKS = 2 * SHARED.length;
const grown = (): World => world({ fixture: 'four-clients' });

describe('plan', () => {
  it('ends with the counts, exits 3, writes nothing; afterwards exits 0', async () => {
    const where = grown();
    const before = tree(where.root);
    const plan = await cli(where, ['clients', 'plan']);
    expect(plan.code).toBe(3);
    expect(plan.out.trimEnd().split('\n').at(-1)).toBe(`plan: ${HOOKS} to add, 0 to change, 0 to remove, 0 unchanged`);
    expect(tree(where.root)).toEqual(before);
    await cli(where, ['clients', 'apply', '--yes']);
    const again = await cli(where, ['clients', 'plan']);
    expect([again.code, again.out]).toEqual([0, `plan: 0 to add, 0 to change, 0 to remove, ${HOOKS} unchanged\n`]);
  });

  it('as JSON: sorted, complete, valid', async () => {
    const body = shaped(await cli(grown(), ['clients', 'plan', '--json']), 'plan') as { ok: boolean; files: { path: string }[] };
    const paths = body.files.map((f) => f.path);
    expect(paths).toEqual([...paths].sort());
    expect(body.ok).toBe(true);
  });

  it('a stored plan is applied as it was, or refused once the ground has changed', async () => {
    const where = grown();
    const file = join(where.root, 'plan.json');
    expect((await cli(where, ['clients', 'plan', '--out', file])).code).toBe(3);
    expect(readFileSync(file, 'utf8')).not.toContain('node');
    expect((await cli(where, ['clients', 'plan', '--out', file])).code).toBe(1);
    put(where, '.gemini/settings.json', '{}');
    const late = await cli(where, ['clients', 'apply', file, '--yes']);
    expect([late.code, late.err]).toEqual([4, expect.stringContaining('plan-outdated')]);
    const fresh = join(where.root, 'plan2.json');
    await cli(where, ['clients', 'plan', '--out', fresh, '--client', 'gemini']);
    const applied = shaped(await cli(where, ['clients', 'apply', fresh, '--yes', '--json']), 'report') as { report: { files: unknown[] } };
    expect(applied.report.files).toHaveLength(1);
    writeFileSync(fresh, '{"schema":"x"}');
    expect((await cli(where, ['clients', 'apply', fresh, '--yes'])).code).toBe(64);
  });
});

describe('apply', () => {
  it('without a terminal and without --yes: refused, with the fix, nothing written', async () => {
    const where = grown();
    const before = tree(where.home);
    const answer = await cli(where, ['clients', 'apply']);
    expect(answer.code).toBe(64);
    expect(answer.err).toContain('praetorctl: error: not-confirmed:');
    expect(answer.err).toMatch(/fix: .*--yes\. nothing was written\.\n$/);
    expect(tree(where.home)).toEqual(before);
  });

  it.each([['', 130], ['n', 130], ['no', 130], ['y', 0], ['YES', 0]])('on a terminal the answer %j decides', async (answer, code) => {
    const where = grown();
    const before = tree(where.home);
    const result = await cli(where, ['clients', 'apply', '--client', 'claude'], { tty: true, answer });
    expect(result.code).toBe(code);
    expect(result.err).toContain('Apply this plan? [y/N]');
    expect(tree(where.home)).toEqual(code === 0 ? expect.not.objectContaining(before) : before);
  });

  it('--dry-run runs to the end and writes nothing at all', async () => {
    const where = grown();
    const before = tree(where.root);
    const dry = shaped(await cli(where, ['clients', 'apply', '--dry-run', '--json']), 'report') as { dryRun: boolean; report: { files: { outcome: string }[] } };
    expect(dry.dryRun).toBe(true);
    expect(dry.report.files.every((f) => f.outcome === 'written')).toBe(true);
    expect(tree(where.root)).toEqual(before);
  });

  it('a broken file: one JSON document on stdout, ok false, exit 1', async () => {
    const where = grown();
    put(where, '.codex/config.toml', 'model = "x\n');
    const answer = await cli(where, ['clients', 'apply', '--yes', '--json']);
    const body = shaped(answer, 'report') as { ok: boolean; diagnostics: { code: string; where: { line: number } }[] };
    expect([answer.code, body.ok, answer.err]).toEqual([1, false, '']);
    expect(body.diagnostics).toContainEqual(expect.objectContaining({ code: 'invalid-document', where: expect.objectContaining({ line: 1 }) }));
  });

  it('brings the guard\'s own settings into force', async () => {
    const where = grown();
    settings(where, 'hooks:\n  command_policy:\n    deny:\n      - { id: acme.no-deploy, program: deploy, reason: Ask the release person. }\n');
    expect((await cli(where, ['clients', 'apply', '--yes', '--client', 'claude'], { host: realHost({ env: where.env, cwd: where.project, pid: 1 }) })).code).toBe(0);
    expect(existsSync(join(where.root, 'state/policy.idx'))).toBe(true);
  });

  it('project scope writes the project and leaves the home alone', async () => {
    const where = grown();
    const before = tree(where.home);
    expect((await cli(where, ['clients', 'apply', '--yes', '--scope', 'project'])).code).toBe(0);
    expect(tree(where.home)).toEqual(before);
    expect(existsSync(join(where.project, '.claude/settings.json'))).toBe(true);
    expect((await cli(where, ['clients', 'remove', '--yes', '--scope', 'project'])).code).toBe(0);
    expect(tree(where.project)).toEqual({});
  });

  it('values of env and headers appear in no output', async () => {
    const where = grown();
    settings(where, 'mcpServers:\n  a: { command: x, args: ["--api-key", "sekret-1", "--token=sekret-2"], env: { K: sekret-3 } }\n  b: { url: "https://u:sekret-4@h.test/p?k=sekret-5", headers: { X: sekret-6 } }\n');
    const all = [];
    for (const argv of [['clients', 'plan', '-v'], ['clients', 'plan', '--json'], ['clients', 'apply', '--yes', '-v'], ['clients', 'apply', '--yes', '--json'], ['clients', 'verify', '--json'], ['clients', 'verify'], ['doctor'], ['clients', 'rollback', '--list', '--json'], ['clients', 'remove', '--yes', '-v']]) {
      const answer = await cli(where, argv);
      all.push(answer.out, answer.err);
    }
    expect(all.join('\n')).not.toContain('sekret');
  });
});

describe('rollback', () => {
  it('lists runs, undoes the newest or the named one, and refuses unknown ones', async () => {
    const where = grown();
    const before = tree(where.home);
    await cli(where, ['clients', 'apply', '--yes', '--client', 'claude']);
    const first = (shaped(await cli(where, ['clients', 'rollback', '--list', '--json']), 'runs') as { runs: { id: string }[] }).runs;
    expect(first).toHaveLength(1);
    await cli(where, ['clients', 'apply', '--yes', '--client', 'gemini']);
    expect((await cli(where, ['clients', 'rollback', '--to', first[0]!.id, '--yes'])).code).toBe(0);
    expect(get(where, '.gemini/settings.json')).toContain('praetorctl hook');
    expect(get(where, '.claude/settings.json')).not.toContain('praetorctl hook');
    expect((await cli(where, ['clients', 'remove', '--yes'])).code).toBe(0);
    expect(tree(where.home)).toEqual(before);
    expect((await cli(where, ['clients', 'rollback', '--to', 'nope', '--yes'])).code).toBe(64);
  });

  it('a file that changed since: conflict, nothing written, and the fix names remove', async () => {
    const where = grown();
    await cli(where, ['clients', 'apply', '--yes']);
    put(where, '.gemini/settings.json', get(where, '.gemini/settings.json').replace('GitHub', 'Dracula'));
    const before = tree(where.home);
    const answer = await cli(where, ['clients', 'rollback', '--yes']);
    expect(answer.code).toBe(4);
    expect(answer.err).toContain('clients remove');
    expect(tree(where.home)).toEqual(before);
  });
});

describe('other commands', () => {
  it.each([['clients', 'list'], ['clients', 'capabilities'], ['clients', 'verify'], ['doctor']])('%s %s answers in text and in one valid JSON document', async (...argv) => {
    const where = grown();
    await cli(where, ['clients', 'apply', '--yes']);
    const words = argv.filter((w) => w !== undefined);
    const text = await cli(where, words);
    expect(text.out.length).toBeGreaterThan(20);
    shaped(await cli(where, [...words, '--json']), words.at(-1)!);
  });

  it('verify says "configured, enforcement unverified" and exits 3, or 0 for --require installed', async () => {
    const where = grown();
    await cli(where, ['clients', 'apply', '--yes', '--client', 'claude']);
    const observed = await cli(where, ['clients', 'verify', '--client', 'claude']);
    expect([observed.code, observed.out]).toEqual([3, expect.stringContaining('configured, enforcement unverified')]);
    expect((await cli(where, ['clients', 'verify', '--client', 'claude', '--require', 'installed'])).code).toBe(0);
    expect(observed.out).not.toContain('enforcing');
  });

  it('start without a terminal shows the plan, says how to apply, exits 0 and writes nothing', async () => {
    const where = grown();
    const before = tree(where.root);
    const answer = await cli(where, ['start']);
    expect(answer.code).toBe(0);
    expect(answer.out).toContain(`plan: ${HOOKS} to add`);
    expect(answer.out).toContain('To apply this plan');
    expect(tree(where.root)).toEqual(before);
  });

  it('start on a terminal asks, applies and shows what is true', async () => {
    const where = grown();
    const answer = await cli(where, ['start'], { tty: true, answer: 'y' });
    expect(answer.code).toBe(0);
    expect(answer.out).toContain('enforcement unverified');
    expect(get(where, '.claude/settings.json')).toContain('praetorctl hook claude pre-tool');
  });

  it('start with no client says so and plays the demonstration to the end', async () => {
    const where = world();
    const answer = await cli(where, ['start', '--json']);
    const body = shaped(answer, 'start') as { demonstration: boolean; calls: { asExpected: boolean }[]; changed: string[] };
    expect([answer.code, body.demonstration, body.changed]).toEqual([0, true, []]);
    expect(body.calls.map((c) => c.asExpected)).toEqual(Array.from({ length: 2 * HOOKED.length }, () => true));
    expect(tree(where.home)).toEqual({});
  });
});

describe('usage', () => {
  it.each([
    [['clients', 'plan', '--client', 'cladue'], 'use --client claude'],
    [['clients', 'plan', '--client', 'claude,'], 'name a client'],
    [['clients', 'plan', '--frobnicate'], 'unknown option'],
    [['clients', 'verify', '--require', 'enforced'], 'Allowed choices'],
    [['clients', 'frobnicate'], 'unknown command'],
    [['clients', 'plan', '--settings', '/nowhere.yaml'], 'does not exist'],
    [['completion', 'tcsh'], 'bash|zsh|fish|pwsh'],
  ])('%j exits with usage or failure and says what to do', async (argv, text) => {
    const answer = await cli(grown(), argv);
    expect([64, 1]).toContain(answer.code);
    expect(answer.err).toContain(text);
    expect(answer.err).toMatch(/^praetorctl: error: /);
    const asJson = await cli(grown(), [...argv, '--json']);
    expect(asJson.json['ok']).toBe(false);
    expect((asJson.json['diagnostics'] as unknown[]).length).toBe(1);
  });

  it.each([
    ['CLAUDE_CONFIG_DIR', 'claude'], ['CODEX_HOME', 'codex'], ['GEMINI_CLI_HOME', 'gemini'], ['ANTIGRAVITY_CONFIG_DIR', 'agy'], ['GEMINI_CONFIG_DIR', 'agy'],
  ])('%s must be absolute and exist', async (name, id) => {
    for (const value of ['relative/dir', '/no/such/dir']) {
      const where = world({ env: { [name]: value } });
      const answer = await cli(where, ['clients', 'plan', '--client', id]);
      expect([answer.code, answer.err]).toEqual([64, expect.stringContaining(name)]);
      expect(tree(where.home)).toEqual({});
    }
  });

  it('an override is followed', async () => {
    const where = world();
    const dir = join(where.root, 'elsewhere');
    execFileSync('mkdir', [dir]);
    where.env['CLAUDE_CONFIG_DIR'] = dir;
    settings(where, 'mcpServers: { a: { command: x } }');
    expect((await cli(where, ['clients', 'apply', '--yes', '--client', 'claude'])).code).toBe(0);
    expect(existsSync(join(dir, 'settings.json')) && existsSync(join(dir, '.claude.json'))).toBe(true);
    expect(tree(where.home)).toEqual({});
  });

  it('no flag disables a safety check, and every flag is documented', () => {
    const root = buildProgram({ io: { out: () => undefined, err: () => undefined } as unknown as CliIo, exit: 0 });
    const flags = treeNodes(root).flatMap((n) => n.options);
    expect(flags.length).toBeGreaterThan(40);
    expect(flags.filter((f) => f.description === '' || /force|unsafe|skip|no-check/.test(f.flags))).toEqual([]);
  });

  it('colour only where it is asked for', async () => {
    const where = grown();
    expect((await cli(where, ['clients', 'plan'])).out).not.toContain('\u001b');
    expect((await cli(where, ['clients', 'plan', '--color', 'always'])).out).toContain('\u001b[');
  });

  it('completion works in a real bash', async () => {
    const script = (await cli(world(), ['completion', 'bash'])).out;
    const ask = (words: string[]): string => execFileSync('bash', ['-c', `${script}\nCOMP_WORDS=(${words.map((w) => `'${w}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _praetorctl; echo "\${COMPREPLY[*]}"`], { encoding: 'utf8' }).trim();
    expect(ask(['praetorctl', 'cl'])).toBe('clients');
    expect(ask(['praetorctl', 'clients', 'ver'])).toBe('verify');
    expect(ask(['praetorctl', 'clients', 'verify', '--req'])).toBe('--require');
    expect(ask(['praetorctl', 'completion', 'z'])).toBe('zsh');
  });

  it('a missing HOME is said, not guessed', async () => {
    const where = world();
    delete where.env['HOME'];
    const answer = await cli(where, ['clients', 'plan']);
    expect([answer.code, answer.err]).toEqual([64, expect.stringContaining('HOME')]);
  });
});
