// `policy lint`: what is wrong with a document that its writer believes in; and silence where nothing is.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { cli, settings, world, type World } from '../support/cli.ts';

interface Finding { readonly code: string; readonly line: number; readonly message: string }

async function lint(where: World, ...argv: string[]): Promise<{ code: number; findings: Finding[]; documents: { layer: string }[] }> {
  const answer = await cli(where, ['policy', 'lint', '--json', ...argv]);
  OUTPUT_SCHEMAS['policy-lint']!.parse(answer.json);
  return { code: answer.code, findings: answer.json['findings'] as Finding[], documents: answer.json['documents'] as { layer: string }[] };
}

function workspace(where: World, text: string): string {
  mkdirSync(join(where.project, '.praetorctl'), { recursive: true });
  const path = join(where.project, '.praetorctl', 'settings.yaml');
  writeFileSync(path, text);
  return path;
}

const policy = (body: string): string => `hooks:\n  command_policy:\n${body.split('\n').map((line) => `    ${line}`).join('\n')}\n`;

async function found(body: string): Promise<string[]> {
  const where = world();
  settings(where, policy(body));
  const { code, findings } = await lint(where);
  expect(code).toBe(findings.length === 0 ? 0 : 3);
  return findings.map((one) => `${one.line} ${one.code}: ${one.message}`);
}

describe('lint', () => {
  it('no document, or one without findings: 0', async () => {
    const none = await cli(world(), ['policy', 'lint']);
    expect([none.code, none.out]).toEqual([0, expect.stringContaining('no settings document here')]);
    expect(await found('rules:\n  git.push.force: ask\ndeny:\n  - { program: terraform, subcommand: [apply], reason: "Not from here." }\n  - "^make deploy-prod"\nallow:\n  - { rule: git.push.force, program: git, subcommand: [push], reason: "My fork." }')).toEqual([]);
  });

  it.each([
    ['unknown ids', 'rules:\n  git.push.farce: off\nallow:\n  - { rule: fs.everything, program: rm, reason: "x" }', ['4 unknown-rule: there is no rule git.push.farce', '6 unknown-rule: there is no rule fs.everything']],
    ['a rule behind a wider one', 'deny:\n  - { program: git, reason: "a" }\n  - { program: git, subcommand: [push], options: [-f], reason: "b" }', ['5 unreachable: operator.deny-2 never decides: operator.deny-1 (line 4)']],
    ['an ask behind a deny', 'deny:\n  - { program: make, reason: "a" }\nask:\n  - { program: make, args: [x], reason: "b" }', ['6 unreachable: operator.ask-1 never decides']],
    ['the same exception twice', 'allow:\n  - { program: make, reason: "a" }\n  - { program: make, rule: git.push.force, reason: "b" }', ['5 unreachable: operator.allow-2']],
    ['a pattern for everything', 'deny:\n  - ".*"\n  - "[a-z]+ [a-z-]+"', ['4 too-broad: operator.deny-1 has a pattern that matches the empty text', '5 too-broad: operator.deny-2 has a pattern that matches']],
    ['a path for everything', 'ask:\n  - { paths: ["/"], reason: "a" }', ['4 too-broad: operator.ask-1 names no program']],
    ['an exception from everything', 'allow:\n  - { args: ["x*"], reason: "a" }', ['4 too-broad: operator.allow-1 names neither a rule nor a program']],
    ['an exponential pattern', 'deny:\n  - "(?=a)b"', ['4 invalid: ']],
    ['an unknown key', 'denied: []', ['3 invalid: unknown key']],
  ])('%s', async (_name, body, expected) => {
    const lines = await found(body);
    expect(lines).toHaveLength(expected.length);
    expected.forEach((text, i) => expect(lines[i]).toContain(text));
  });

  it('rules that only look alike are left alone', async () => {
    expect(await found('deny:\n  - { program: git, subcommand: [push], reason: "a" }\n  - { program: git, subcommand: [pull], reason: "b" }\n  - { program: git, reason: "c" }\n  - { program: make, args: [a], reason: "d" }\n  - { program: make, args: [b], reason: "e" }')).toEqual([]);
  });

  it('a workspace cannot loosen: each attempt is named', async () => {
    const where = world();
    const path = workspace(where, policy('packs:\n  git-destructive: off\nallow:\n  - { program: git, reason: "x" }\nmode: default\ndeny:\n  - { program: terraform, reason: "y" }'));
    const { code, findings, documents } = await lint(where);
    expect([code, documents.map((one) => one.layer)]).toEqual([3, ['workspace']]);
    expect(findings.map((one) => one.code)).toEqual(['loosening', 'loosening', 'loosening']);
    expect((await lint(world(), path)).documents[0]?.layer).toBe('workspace');
  });

  it('a named file that is not there is said', async () => {
    const answer = await cli(world(), ['policy', 'lint', 'nowhere.yaml']);
    expect([answer.code, answer.err]).toEqual([64, expect.stringContaining('does not exist')]);
  });
});
