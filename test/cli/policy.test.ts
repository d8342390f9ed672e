// `policy test`, `policy explain` and `policy list` as a person and as CI use them: what they say is what the hook says.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commandLine } from '../../src/cli/policy-input.ts';
import { allRules, splitReason } from '../../src/cli/policy-rules.ts';
import { underlined } from '../../src/cli/policy-view.ts';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { say } from '../../src/clients/dialect-kit.ts';
import { DIALECTS } from '../../src/clients/dialects.ts';
import { hookPlace } from '../../src/hook/facts.ts';
import { respond } from '../../src/hook/respond.ts';
import { evaluate } from '../../src/policy/evaluate.ts';
import { cli, repo, settings, tree, world, type Answer } from '../support/cli.ts';

/** The published schema (descriptions and ids taken out) is the oracle; references are relative by intention. */
function conforms(log: unknown): { issues: unknown[] } {
  const schema = JSON.parse(readFileSync(join(repo, 'test/fixtures/sarif/sarif-2.1.0-rtm.5.schema.json'), 'utf8').replaceAll(/"format":"uri-reference",?/g, '').replaceAll(',}', '}')) as Parameters<typeof z.fromJSONSchema>[0];
  const result = z.fromJSONSchema(schema).safeParse(log);
  return { issues: result.success ? [] : result.error.issues };
}

interface Body { readonly verdict: string; readonly rule: string | null; readonly reason: string | null; readonly message: string | null; readonly span: [number, number] | null; readonly [key: string]: unknown }

function shaped(answer: Answer, kind: string): Body {
  expect(answer.json['schema']).toBe(`praetorctl/${kind}`);
  OUTPUT_SCHEMAS[kind]!.parse(answer.json);
  expect(answer.json['exit']).toBe(answer.code);
  return answer.json as unknown as Body;
}

describe('test', () => {
  it.each([
    [['--', 'git', 'push', '--force'], 3, 'denied: git.push.force'],
    [['git push --force'], 3, 'denied: git.push.force'],
    [['--', 'git', 'status'], 0, 'no opinion'],
    [['--', 'git', 'commit', '-m', 'git push --force; rm -rf ~'], 0, 'no opinion'],
    [['git status'], 0, 'no opinion'],
  ])('%j', async (argv, code, head) => {
    const answer = await cli(world(), ['policy', 'test', ...argv]);
    expect([answer.code, answer.err]).toEqual([code, '']);
    expect(answer.out.split('\n')[0]).toContain(head);
    const body = shaped(await cli(world(), ['policy', 'test', '--json', ...argv]), 'policy-test');
    expect(body.verdict).toBe(code === 0 ? 'neutral' : 'deny');
    if (code === 3) expect(body).toMatchObject({ rule: 'git.push.force', reason: expect.any(String), span: [9, 16] });
  });

  it('reads standard input as one command line', async () => {
    const where = world();
    const run = (input: string, ...argv: string[]) => spawnSync(process.execPath, [join(repo, 'bin/praetorctl'), 'policy', 'test', '--stdin', ...argv], { input, env: where.env, cwd: where.project, encoding: 'utf8' });
    expect(run('cd x && git push --force\n')).toMatchObject({ status: 3, stdout: expect.stringContaining('denied: git.push.force') });
    expect(run('git status\n')).toMatchObject({ status: 0 });
    expect(run('')).toMatchObject({ status: 64 });
    expect(JSON.parse(run('git push -f', '--json').stdout)).toMatchObject({ command: 'git push -f', rule: 'git.push.force' });
  });

  it.each([
    [[], 'no command line'], [['git status', '--stdin'], 'not more than one'], [['--as', 'claude', 'git status'], 'belong to --payload'], [['--payload', 'x.json'], '--payload needs --as'],
    [['--payload', 'x.json', '--as', 'nobody'], 'unknown client'], [['--payload', 'x.json', '--as', 'claude'], 'does not exist'], [['--payload', 'x.json', '--as', 'claude', '--cwd', '/'], 'do not go with --payload'],
    [['--payload', 'x.json', '--as', 'claude', '--event', 'pre-fool'], 'unknown event'], [['--sarif', 'x', 'git status'], 'belongs to --cases'], [['git', 'push', '--force'], 'put -- in front'], [['  '], 'empty'],
  ])('usage: %j', async (argv, text) => {
    const answer = await cli(world(), ['policy', 'test', ...argv]);
    expect([answer.code, answer.err]).toEqual([64, expect.stringContaining(text)]);
  });

  it('the directory counts', async () => {
    const where = world();
    const test = async (...argv: string[]): Promise<number> => (await cli(where, ['policy', 'test', ...argv])).code;
    expect(await test('--cwd', '/', '--', 'rm', '-rf', 'etc')).toBe(3);
    expect(await test('--', 'rm', '-rf', 'node_modules')).toBe(0);
    expect(await test('--workspace', where.home, '--', 'rm', '-rf', '.')).toBe(3);
  });
});

describe('payloads', () => {
  const folder = join(repo, 'test/fixtures/payloads');
  const all = DIALECTS.flatMap((dialect) => readdirSync(join(folder, dialect.id)).filter((name) => /PreToolUse|BeforeTool/.test(name)).map((name) => [dialect.id, name] as const));

  it.each(all)('%s %s: the answer is byte for byte the hook process\' own', async (id, name) => {
    const where = world();
    const file = join(folder, id, name);
    const text = readFileSync(file, 'utf8');
    if (text.trim() === '') return;
    const hook = spawnSync(process.execPath, [join(repo, 'bin/praetorctl'), 'hook', id, 'pre-tool'], { input: text, env: where.env, cwd: where.project, encoding: 'utf8' });
    const answer = await cli(where, ['policy', 'test', '--payload', file, '--as', id, '--json']);
    expect(shaped(answer, 'policy-test')).toMatchObject({ client: id, answer: { stdout: hook.stdout, stderr: hook.stderr, exit: hook.status } });
  });

  it('a file tool and an undecodable document', async () => {
    const where = world();
    const file = join(where.root, 'p.json');
    writeFileSync(file, JSON.stringify({ session_id: 's', cwd: where.project, hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: { file_path: join(where.root, 'config', 'settings.yaml'), content: 'x' } }));
    const denied = await cli(where, ['policy', 'explain', '--payload', file, '--as', 'claude']);
    expect([denied.code, denied.out]).toEqual([3, expect.stringContaining('what the hook answers claude: exit 2')]);
    writeFileSync(file, '{"tool_name":7}');
    const broken = shaped(await cli(where, ['policy', 'test', '--payload', file, '--as', 'claude', '--json']), 'policy-test');
    expect(broken).toMatchObject({ verdict: 'error', exit: 3, reason: expect.stringContaining('tool_name') });
  });
});

describe('explain', () => {
  it('shows the line with the span, the rules, the winner, the alternative and the level', async () => {
    const { out } = await cli(world(), ['policy', 'explain', 'cd sub && sudo git push -f origin main']);
    expect(out).toContain('  cd sub && sudo git push -f origin main\n                          ^^\n');
    for (const text of ['denied: git.push.force', 'why not: ', 'instead: ', 'rules considered:', 'decided: ', 'level: deny (rule default, pack git-destructive)']) expect(out).toContain(text);
    const body = shaped(await cli(world(), ['policy', 'explain', '--json', 'cd sub && sudo git push -f origin main']), 'policy-explain');
    expect(body).toMatchObject({ rule: 'git.push.force', level: { level: 'deny', from: 'rule default' }, trail: expect.arrayContaining([expect.objectContaining({ rule: 'git.push.force', result: 'deny' })]) });
  });

  it('shows the commands as they run: wrappers off, the text they stand in, where they run, what is not known', async () => {
    const where = world();
    const line = 'cd sub && sudo env A=1 git push -f; sh -c "git status"; cd "$D" && $X';
    const { out } = await cli(where, ['policy', 'explain', line]);
    expect(out).toMatch(/\n {2}git push -f +behind sudo, env; runs in .*\/project\/sub\n/);
    expect(out).toMatch(/\n {2}git status +in sh -c/);
    expect(out).toMatch(/\n {2}\? +unresolved: .*; runs in an unknown directory\n/);
    const body = shaped(await cli(where, ['policy', 'explain', '--json', line]), 'policy-explain') as unknown as { commands: { program: string; cwd: string | null }[] };
    expect(body.commands.find((one) => one.program === 'git')?.cwd).toBe(join(where.project, 'sub'));
  });

  it('what it says is what the hook sends to every client', async () => {
    const where = world();
    const body = shaped(await cli(where, ['policy', 'explain', '--json', '--', 'git', 'push', '--force']), 'policy-explain');
    for (const dialect of DIALECTS.filter((d) => d.id === 'claude' || d.id === 'gemini')) {
      const tool = dialect.id === 'claude' ? 'Bash' : 'run_shell_command';
      const document = { session_id: 's', cwd: where.project, hook_event_name: 'PreToolUse', tool_name: tool, tool_input: { command: 'git push --force' } };
      const { answer } = respond(dialect, 'pre-tool', document, where.env, hookPlace('linux', where.env), () => evaluate);
      expect(answer.stdout).toContain(JSON.stringify(body.message).slice(1, -1));
    }
  });

  it('a hostile command line stays on one line, with the mark under the match', () => {
    const look = { color: false, home: '/home/u' };
    const long = `echo ${'a'.repeat(500)} && git push --force`;
    const [line, mark] = underlined(look, long, [long.length - 7, long.length], '');
    expect(line!.slice(mark!.indexOf('^'), mark!.lastIndexOf('^') + 1)).toBe('--force');
    expect(line!.length).toBeLessThan(210);
    // eslint-disable-next-line no-control-regex -- these are what must not be there
    expect(underlined(look, 'a\u001b[2J\nb\u0007', null, '')[0]).not.toMatch(/[\u0000-\u001f]/);
  });

  it('never shows the environment', async () => {
    const where = world({ env: { DEPLOY_TOKEN: 'sekret-7' } });
    for (const argv of [['$DEPLOY_TOKEN push --force'], ['echo "$DEPLOY_TOKEN" > ~/.claude/settings.json'], ['git push --force $DEPLOY_TOKEN']]) {
      for (const command of ['test', 'explain']) for (const json of [[], ['--json']]) {
        const answer = await cli(where, ['policy', command, ...json, '--', ...argv]);
        expect(answer.out + answer.err).not.toContain('sekret');
      }
    }
  });

  it('several words become the command line they were', () => {
    const words = ['git', 'commit', '-m', "it's; $(rm -rf ~) `x` \"y\"", '', '~', 'a=b', '*'];
    const back = execFileSync('sh', ['-c', `printf '%s\\n' ${commandLine(words.slice(3))}`], { encoding: 'utf8', env: { HOME: '~' } });
    expect(back).toBe(`${words.slice(3).join('\n')}\n`);
  });
});

describe('rules', () => {
  it('list: every rule once, by pack, with the level in force', async () => {
    const body = shaped(await cli(world(), ['policy', 'list', '--json']), 'policy-list') as unknown as { rules: { id: string; pack: string }[] };
    expect(body.rules.map((rule) => rule.id)).toEqual(allRules().map((rule) => rule.id));
    expect(new Set(body.rules.map((rule) => rule.id)).size).toBe(body.rules.length);
    const one = shaped(await cli(world(), ['policy', 'list', '--pack', 'hook-bypass', '--json']), 'policy-list') as unknown as typeof body;
    expect(new Set(one.rules.map((rule) => rule.pack))).toEqual(new Set(['hook-bypass']));
    expect((await cli(world(), ['policy', 'list', '--pack', 'nope'])).code).toBe(64);
    expect((await cli(world(), ['policy', 'list'])).out).toMatch(/git\.push\.force +git-destructive +deny/);
  });

  it.each(allRules().map((rule) => [rule.id, rule] as const))('%s: says why not and what to do instead, in at most 400 characters', (_id, rule) => {
    expect(say({ decision: 'deny', rule: rule.id, reason: rule.reason }).length).toBeLessThanOrEqual(400);
    expect(splitReason(rule.reason).instead).not.toBe('');
    expect(rule.title).toMatch(/^[^\n]{3,100}$/);
  });
});

describe('cases', () => {
  const lines = (where: ReturnType<typeof world>, rows: readonly unknown[]): string => {
    mkdirSync(join(where.project, 'ci dir'), { recursive: true });
    writeFileSync(join(where.project, 'ci dir', 'cases.jsonl'), rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'));
    return 'ci dir/cases.jsonl';
  };
  const GOOD = [{ id: 'a', command: 'git push --force', expect: 'deny', class: 'git' }, '', '# a comment', { id: 'b', command: 'git push -f', expect: 'stop', class: 'git' }, { id: 'c', command: 'git status', expect: 'allow', class: 'safe' }];
  const BAD = [...GOOD, { id: 'd', command: 'git status', expect: 'deny', class: 'git' }, { id: 'e', command: 'git push -f', expect: 'allow', class: 'safe' }, { id: 'f', command: 'git push -f', expect: 'ask', class: 'git' }];

  it('as expected: 0 and a table', async () => {
    const where = world();
    const answer = await cli(where, ['policy', 'test', '--cases', lines(where, GOOD)]);
    expect([answer.code, answer.out.trimEnd().split('\n').at(-1)]).toEqual([0, 'cases: 3 of 3 as expected']);
    const body = shaped(await cli(where, ['policy', 'test', '--cases', lines(where, GOOD), '--json']), 'policy-cases');
    expect(body).toMatchObject({ mismatches: [], classes: [{ class: 'git', rows: 2, right: 2, recall: 1, precision: 1 }, { class: 'safe', recall: null, precision: null }] });
  });

  it('otherwise: 3, each mismatch with its line, recall and precision', async () => {
    const where = world();
    const file = lines(where, BAD);
    const answer = await cli(where, ['policy', 'test', '--cases', file]);
    expect(answer.code).toBe(3);
    for (const text of ['d (line 6): expected deny, allowed', 'e (line 7): expected allow, denied by git.push.force', 'f (line 8): expected ask, denied']) expect(answer.out).toContain(text);
    const body = shaped(await cli(where, ['policy', 'test', '--cases', file, '--json']), 'policy-cases');
    expect(body['total']).toMatchObject({ rows: 6, right: 3, recall: 0.75, precision: 0.75, falsePositives: 1 });
  });

  it.each([['{', 'not JSON'], ['[]', 'not an object'], ['{"command":1}', 'not a string'], ['{"command":"x","expect":"maybe"}', 'none of deny'], ['', 'no case']])('a malformed file: %j', async (row, text) => {
    const where = world();
    const answer = await cli(where, ['policy', 'test', '--cases', lines(where, [row])]);
    expect([answer.code, answer.err]).toEqual([64, expect.stringContaining(text)]);
  });

  it('SARIF: the structure that 2.1.0 asks for, to standard output and to a file', async () => {
    const where = world();
    const file = lines(where, BAD);
    const printed = await cli(where, ['policy', 'test', '--cases', file, '--format', 'sarif']);
    expect(printed.code).toBe(3);
    const written = await cli(where, ['policy', 'test', '--cases', file, '--sarif', 'out.sarif']);
    expect(readFileSync(join(where.project, 'out.sarif'), 'utf8')).toBe(printed.out);
    expect(written.out).toContain('of 6 as expected');
    const log = JSON.parse(printed.out) as { version: string; runs: { tool: { driver: { name: string; rules: { id: string; shortDescription: { text: string } }[] } }; artifacts: { location: { uri: string } }[]; results: Record<string, unknown>[] }[] };
    expect(log.version).toBe('2.1.0');
    const [run] = log.runs;
    const ids = run!.tool.driver.rules.map((rule) => rule.id);
    expect(run!.tool.driver.name).toBe('praetorctl');
    expect(new Set(ids).size).toBe(ids.length);
    expect(run!.artifacts).toEqual([{ location: { uri: 'ci%20dir/cases.jsonl' } }]);
    expect(run!.results).toHaveLength(3);
    for (const result of run!.results as { ruleId: string; ruleIndex: number; level: string; kind: string; message: { text: string }; locations: { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[] }[]) {
      expect(ids[result.ruleIndex]).toBe(result.ruleId);
      expect([result.kind, ['error', 'warning']]).toEqual(['fail', expect.arrayContaining([result.level])]);
      expect(result.message.text).toMatch(/^Case [def] /);
      expect(result.locations[0]!.physicalLocation.region.startLine).toBeGreaterThan(5);
    }
    expect(conforms(log).issues).toEqual([]);
    expect(conforms({ ...log, runs: [{ ...run, results: [{ ...run!.results[0], rank: 'high' }] }] }).issues).not.toEqual([]);
    expect(conforms({ ...log, runs: [{ results: run!.results }] }).issues).not.toEqual([]);
    expect((run!.results as { ruleId: string }[]).map((result) => result.ruleId)).toEqual(['policy.case.missed', 'git.push.force', 'policy.case.other-verdict']);
  });
});

describe('compile and allow, as commands', () => {
  it('compile writes the index and says what is in it; a broken document changes nothing', async () => {
    const where = world();
    settings(where, 'hooks:\n  command_policy:\n    deny:\n      - { program: terraform, reason: "Not from here." }\n');
    const done = shaped(await cli(where, ['policy', 'compile', '--json']), 'policy-compile') as unknown as { index: string; rules: number };
    expect([existsSync(done.index), done.rules]).toEqual([true, 1]);
    settings(where, 'hooks: 7\n');
    const broken = await cli(where, ['policy', 'compile', '--json']);
    OUTPUT_SCHEMAS['policy-compile']!.parse(broken.json);
    expect(broken.code).toBe(64);
  });

  it('allow without a terminal, or with a code that nothing named, is refused', async () => {
    for (const answer of [await cli(world(), ['policy', 'allow', 'ABC234']), await cli(world(), ['policy', 'allow', 'nope', '--json'])]) {
      expect(answer.code).toBe(64);
    }
  });
});

describe('settings in force', () => {
  const policy = (body: string): string => `hooks:\n  command_policy:\n${body.split('\n').map((line) => `    ${line}`).join('\n')}\n`;
  const explain = async (text: string, command: string, workspace?: string): Promise<Body> => {
    const where = world();
    settings(where, policy(text));
    if (workspace !== undefined) {
      mkdirSync(join(where.project, '.praetorctl'));
      writeFileSync(join(where.project, '.praetorctl', 'settings.yaml'), policy(workspace));
    }
    return shaped(await cli(where, ['policy', 'explain', '--json', command]), 'policy-explain');
  };

  it('a level of the pack, of the rule, and off', async () => {
    expect(await explain('packs:\n  git-destructive: ask', 'git push --force')).toMatchObject({ verdict: 'ask', exit: 3, level: { level: 'ask', from: 'pack setting' } });
    expect(await explain('rules:\n  git.push.force: ask', 'git push --force')).toMatchObject({ verdict: 'ask', level: { level: 'ask', from: 'rule setting' } });
    expect(await explain('rules:\n  git.push.force: off', 'git push --force')).toMatchObject({ verdict: 'neutral', exit: 0, trail: expect.arrayContaining([expect.objectContaining({ rule: 'git.push.force', result: 'off' })]) });
  });

  it('a rule of the operator, with file and line', async () => {
    const body = await explain('deny:\n  - { id: no-tf, program: terraform, subcommand: [apply], reason: "Not from here.", instead: "Open a change." }', 'sudo terraform apply');
    expect(body).toMatchObject({ verdict: 'deny', rule: 'operator.no-tf', instead: 'Open a change.', level: { level: 'deny', from: 'operator rule', note: expect.stringContaining('settings.yaml:4') } });
  });

  it('an exception, with its reason', async () => {
    const body = await explain('allow:\n  - { rule: git.push.force, program: git, subcommand: [push], options: [--force], reason: "My own fork." }', 'git push --force');
    expect(body).toMatchObject({ verdict: expect.stringMatching(/neutral|allow/), exit: 0 });
    expect(JSON.stringify(body['trail'])).toContain('My own fork.');
  });

  it('a workspace that tightens', async () => {
    expect(await explain('rules:\n  git.push.force: ask', 'git push --force', 'rules:\n  git.push.force: deny')).toMatchObject({ verdict: 'deny', level: { level: 'deny', from: 'further layer' } });
    expect(await explain('rules:\n  git.push.force: deny', 'git push --force', 'rules:\n  git.push.force: off')).toMatchObject({ verdict: 'deny' });
  });

  it('asking writes nothing, and what is shown in text names the source', async () => {
    const where = world();
    settings(where, policy('deny:\n  - { program: make, reason: "No." }'));
    mkdirSync(join(where.project, '.praetorctl'));
    writeFileSync(join(where.project, '.praetorctl', 'settings.yaml'), policy('ask:\n  - { program: cmake, reason: "Sure?" }'));
    const before = tree(where.root);
    const answer = await cli(where, ['policy', 'explain', '--', 'make', 'all']);
    expect(answer.out).toContain('from your rule: settings.yaml:4');
    expect(answer.out).toContain('settings: read from their source at every call');
    await cli(where, ['policy', 'test', '--', 'cmake', '.']);
    await cli(where, ['policy', 'list']);
    await cli(where, ['policy', 'lint']);
    expect(tree(where.root)).toEqual(before);
  });

  it('a document that cannot be read is not passed over in silence', async () => {
    const where = world();
    settings(where, 'hooks: 7\n');
    expect(shaped(await cli(where, ['policy', 'explain', '--json', 'git status']), 'policy-explain')).toMatchObject({ verdict: 'ask', rule: 'settings.invalid', settings: 'invalid' });
  });

  it('what explain says of settings is what the hook process says', async () => {
    const where = world();
    settings(where, policy('mode: strict\nrules:\n  git.push.force: ask\ndeny:\n  - { program: make, reason: "No make. Use ninja." }'));
    for (const command of ['git push --force', 'make all', 'sudo make all', '"$X" push -f', 'ls']) {
      const input = JSON.stringify({ session_id: 's', cwd: where.project, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } });
      const hook = spawnSync(process.execPath, [join(repo, 'bin/praetorctl'), 'hook', 'claude', 'pre-tool'], { input, env: { ...where.env, PRAETORCTL_HOOK_SYNTHETIC: '1' }, cwd: where.project, encoding: 'utf8' });
      const body = shaped(await cli(where, ['policy', 'explain', '--json', '--', command]), 'policy-explain');
      const said = hook.stdout === '' ? { permissionDecision: 'neutral' } : (JSON.parse(hook.stdout) as { hookSpecificOutput: { permissionDecision: string; permissionDecisionReason: string } }).hookSpecificOutput;
      expect([command, body.verdict]).toEqual([command, said.permissionDecision]);
      if ('permissionDecisionReason' in said) expect(said.permissionDecisionReason).toBe(body.message);
    }
  });
});
