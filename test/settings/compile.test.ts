// Contract: what the guard compiles from settings: bounds at the limit and one past it, clear places, patterns that are refused, and
// an index that reads back as what was written.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { CLIENTS } from '../../src/clients/registry.ts';
import { desiredFor } from '../../src/clientsetup/desired.ts';
import { openIndex } from '../../src/hook/index-reader.ts';
import { checkPattern } from '../../src/hook/patterns.ts';
import type { OperatorRule } from '../../src/policy/operator.ts';
import { NO_CONTRACT_SETTINGS, type PolicyMeta } from '../../src/policy/operator-index.ts';
import { levelFor, type PolicySettings } from '../../src/policy/pack.ts';
import { PATTERN_BYTES_MAX, PATTERNS_MAX, RULES_MAX } from '../../src/settings/command-policy.ts';
import { compileOperator, compileWorkspace, ROWS_WARN, WORKSPACE_CHARS_MAX, type Compiled, type CompileTools } from '../../src/settings/compile.ts';
import { encodeIndex } from '../../src/settings/index-writer.ts';
import { parseSettings } from '../../src/settings/parse.ts';
import { policy } from '../hook/operator-support.ts';

const TOOLS: CompileTools = { checkPattern, sha256: (text) => text.length.toString(16).padStart(64, '0'), platform: 'linux', home: '/home/dev' };
const places = mkdtempSync(join(tmpdir(), 'praetorctl-index-'));
afterAll(() => { rmSync(places, { recursive: true, force: true }); });

function ok(text: string, compile = compileOperator): Compiled {
  const result = compile('/etc/p/settings.yaml', text, TOOLS);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.compiled;
}

const faults = (text: string, compile = compileOperator): string[] => {
  const result = compile('/etc/p/settings.yaml', text, TOOLS);
  return result.ok ? [] : result.diagnostics.map((d) => `${d.where?.line ?? 0}:${d.where?.column ?? 0} ${d.message}`);
};

describe('rules', () => {
  test('every key arrives, with file and line', () => {
    const { rules } = ok(policy("deny:\n  - id: one\n    programs: [Terraform.EXE, tofu]\n    subcommand: [state, rm]\n    options: [-f, --force]\n    args: ['a*']\n    paths: [~/x]\n    pattern: 'x+y'\n    reason: Because\n    instead: Do that."));
    expect(rules).toEqual([{
      id: 'operator.one', decision: 'deny', reason: 'Because. Do that.', programs: ['terraform', 'tofu'], subcommand: ['state', 'rm'], anyOption: ['-f', '--force'], args: ['a*'], paths: ['~/x'],
      pattern: 'x+y', lifts: null, layer: 'operator', source: 'settings.yaml:4',
    }]);
  });

  test('a plain string is a pattern; ids are made where none is given', () => {
    const { rules } = ok(policy("deny: ['rm .*', { program: a }]\nask: [{ program: b }]"));
    expect(rules.map(({ id, pattern }) => [id, pattern])).toEqual([['operator.deny-1', 'rm .*'], ['operator.deny-2', null], ['operator.ask-1', null]]);
  });

  test('an exception names a built-in rule, or one of its own document by its bare id', () => {
    const { rules } = ok(policy('deny: [{ id: tf, program: terraform }]\nallow:\n  - { rule: tf, program: terraform, reason: x }\n  - { rule: git.push.force, program: git, reason: x }'));
    expect(rules.slice(1).map(({ lifts }) => lifts)).toEqual(['operator.tf', 'git.push.force']);
  });

  test.each([
    ['no predicate', 'deny:\n  - { id: a, reason: x }', '4:9 hooks.command_policy.deny[0]: has no predicate'],
    ['an unknown key', 'deny:\n  - { programm: a }', '4:11 unknown key hooks.command_policy.deny[0].programm'],
    ['a wrong type', 'deny:\n  - { program: [a] }', '4:20 hooks.command_policy.deny[0].program: Invalid input: expected string, received array'],
    ['neither text nor rule', 'deny: [7]', '3:12 hooks.command_policy.deny[0] is neither a pattern nor a rule'],
    ['a path as program', 'deny: [{ program: /bin/rm }]', '3:23 hooks.command_policy.deny[0].program: name a program without directory'],
    ['two kinds of program', 'deny: [{ program: a, programs: [b] }]', '3:36 hooks.command_policy.deny[0].programs: has both program and programs'],
    ['an option with a value', 'deny: [{ program: a, options: ["--x=y"] }]', 'hooks.command_policy.deny[0].options[0]: write one option without a value'],
    ['an id used twice', 'deny: [{ id: a, program: x }]\nask: [{ id: a, program: y }]', '4:17 hooks.command_policy.ask[0].id: this id is used twice'],
    ['a made id used twice', 'deny: [{ program: x }, { id: deny-1, program: y }]', 'this id is used twice'],
    ['an exception without a reason', 'allow: [{ program: x }]', '3:13 hooks.command_policy.allow[0].reason'],
    ['a bare pattern as exception', "allow: ['x']", 'hooks.command_policy.allow[0]'],
    ['an exception of everything', 'allow: [{ rule: git.push.force, reason: x }]', 'has no predicate'],
    ['an unknown pack', 'packs: { nonsense: off }', 'hooks.command_policy.packs'],
    ['an unknown level', 'rules: { git.push.force: maybe }', '3:30 hooks.command_policy.rules["git.push.force"]'],
    ['an unknown mode', 'mode: lax', '3:11 hooks.command_policy.mode'],
    ['a control character', 'deny: [{ program: a, reason: "a\\u0007b" }]', 'holds a control character'],
  ])('%s is an error with its place', (_name, text, wanted) => {
    expect(faults(policy(text)).join('\n')).toContain(wanted);
  });

  test('no message repeats a value', () => {
    for (const text of ["deny: ['hush(?=x)']", 'deny: [{ program: hush/x }]', 'deny: [{ id: HUSH, program: a }]', 'packs: { git-destructive: hush }', 'deny: [{ program: a, pattern: "hush(" }]', 'mode: hush', 'allow: [{ program: a, reason: 7, rule: "hush hush" }]']) {
      expect(faults(policy(text)).length).toBeGreaterThan(0);
      expect(faults(policy(text)).join('\n')).not.toMatch(/hush/i);
    }
  });
});

describe('patterns', () => {
  test.each(['(?=a)b', '(?<!a)b', '(a)\\1', 'a{1,500}', '(a{1,30}){1,30}', '(?<n>a)\\k<n>'])('%s is refused', (pattern) => {
    expect(faults(policy(`deny: ['${pattern}']`))).toEqual([expect.stringContaining('3:12 hooks.command_policy.deny[0]: could take exponential time')]);
  });
  test.each(['(', '[a', '*', 'a**', '(?<n', '\\'])('%s is no pattern', (pattern) => {
    expect(faults(policy(`deny: ['${pattern}']`))).toEqual([expect.stringContaining('not a valid regular expression')]);
  });
  test.each(['(a+)+$', '^(git|hg)\\s+push\\b.*--force', '[^x]*', '(?:a|b)*c', '\\bcurl\\b', 'a{1,3}'])('%s is accepted: it runs in linear time', (pattern) => {
    expect(ok(policy(`deny: ['${pattern}']`)).rules).toHaveLength(1);
  });
});

describe('bounds', () => {
  const many = (n: number, line: (i: number) => string): string => policy(`deny:\n${Array.from({ length: n }, (_, i) => `  - ${line(i)}`).join('\n')}`);

  test('patterns: number and length', () => {
    expect(ok(many(PATTERNS_MAX, (i) => `'x${i}'`)).rules).toHaveLength(PATTERNS_MAX);
    expect(faults(many(PATTERNS_MAX + 1, (i) => `'x${i}'`))).toEqual([expect.stringContaining(`more than ${PATTERNS_MAX} patterns`)]);
    expect(faults(many(PATTERNS_MAX + 1, (i) => (i === 3 ? '{ program: a, pattern: b }' : `'x${i}'`)))).toEqual([expect.stringContaining(`more than ${PATTERNS_MAX} patterns`)]);
    expect(ok(policy(`deny: ['${'é'.repeat(PATTERN_BYTES_MAX / 2)}']`)).rules).toHaveLength(1);
    expect(faults(policy(`deny: ['${'é'.repeat(PATTERN_BYTES_MAX / 2)}x']`))).toEqual([expect.stringContaining(`longer than ${PATTERN_BYTES_MAX} bytes`)]);
  });

  test('rules: 20,000 fit into a document, one more does not', () => {
    const at = (n: number): string => many(n, (i) => `{ program: p${i % 5000}, subcommand: [s${i}] }`);
    expect(ok(at(RULES_MAX)).rules).toHaveLength(RULES_MAX);
    expect(faults(at(RULES_MAX + 1)).length).toBeGreaterThan(0);
    expect(faults(`${at(RULES_MAX)}    ask: [{ program: x }]\n`)).toEqual([expect.stringContaining(`more than ${RULES_MAX} rules`)]);
  }, 120_000);

  test('many rules for everything are a warning', () => {
    const { notes } = ok(many(ROWS_WARN + 1, (i) => `{ args: [a${i}] }`));
    expect(notes).toEqual([expect.objectContaining({ severity: 'warning', message: expect.stringContaining('have no program') })]);
    expect(ok(many(ROWS_WARN, (i) => `{ args: [a${i}] }`)).notes).toEqual([]);
  });
});

describe('a workspace', () => {
  test('may deny, ask and raise levels; what would loosen is named as an error and left out', () => {
    const { rules, meta, notes } = ok(policy('deny: [{ program: a }]\nask: [b]\npacks: { sql: deny, infra: off }\nrules: { git.push.force: off, x.y: ask }\nallow: [{ program: a }]\nmode: strict'), compileWorkspace);
    expect(rules.map(({ id, layer }) => [id, layer])).toEqual([['workspace.deny-1', 'workspace'], ['workspace.ask-1', 'workspace']]);
    expect(meta).toMatchObject({ mode: 'default', packs: { sql: 'deny' }, rules: { 'x.y': 'ask' }, evaluators: [] });
    expect(notes.map(({ severity, message }) => `${severity} ${message.split(':', 1)[0]}`).sort()).toEqual([
      'error hooks.command_policy.allow', 'error hooks.command_policy.mode', 'error hooks.command_policy.packs.infra', 'error hooks.command_policy.rules["git.push.force"]',
    ]);
  });

  test.each(['mcpServers: {}', 'clients: {}', 'hooks: { events: [stop] }', 'hooks: { evaluators: [] }', 'hooks: { command_policy: { x: 1 } }'])('%s is an error', (text) => {
    expect(faults(text, compileWorkspace)).toHaveLength(1);
  });

  test('its size is bounded', () => {
    const pad = (n: number): string => `# ${'x'.repeat(n - 2)}`;
    expect(ok(pad(WORKSPACE_CHARS_MAX), compileWorkspace).rules).toEqual([]);
    expect(faults(pad(WORKSPACE_CHARS_MAX + 1), compileWorkspace)).toEqual([expect.stringContaining('larger than 64 KiB')]);
  });
});

describe('evaluators', () => {
  const evaluator = (lines: string): string => `hooks:\n  evaluators:\n    - { ${lines} }\n`;

  test('paths, interpreters and defaults', () => {
    const { meta } = ok(evaluator('id: a, events: [stop], run: { interpreter: [python3, "py -3"], script: checks/a.py, args: [-v] }'));
    expect(meta.evaluators).toEqual([{ id: 'a', events: ['stop'], tools: [], interpreter: [['python3'], ['py', '-3']], script: '/etc/p/checks/a.py', inWorkspace: false, args: ['-v'], timeoutMs: 10_000, outputBytes: 65_536 }]);
    expect(ok(evaluator('id: a, events: [stop], run: { script: ~/a }')).meta.evaluators[0]?.script).toBe('/home/dev/a');
    expect(ok(evaluator('id: a, events: [stop], run: { interpreter: [node], workspace_script: tools/a.js }')).meta.evaluators[0]).toMatchObject({ script: 'tools/a.js', inWorkspace: true });
  });

  test.each([
    ['id: a, events: [], run: { script: a }', 'evaluators[0].events'], ['id: a, events: [prompt], run: { script: a }', 'evaluators[0].events[0]'], ['id: a, events: [stop], run: {}', 'needs either script or workspace_script'],
    ['id: a, events: [stop], run: { script: a, workspace_script: b }', 'needs either'], ['id: a, events: [stop], run: { workspace_script: b }', 'needs an interpreter'],
    ['id: a, events: [stop], run: { interpreter: [n], workspace_script: ../b }', 'must lie below the workspace'], ['id: a, events: [stop], run: { interpreter: [n], workspace_script: /b }', 'must lie below the workspace'],
    ['id: a, events: [stop], timeout_seconds: 26, run: { script: a }', 'timeout_seconds'], ['id: a, events: [stop], timeout_seconds: 0, run: { script: a }', 'timeout_seconds'], ['id: a, events: [stop], shell: true, run: { script: a }', 'unknown key'],
  ])('%s is an error', (text, wanted) => {
    expect(faults(evaluator(text)).join('\n')).toContain(wanted);
  });

  test('the events they need are registered, and no others', () => {
    const parsed = parseSettings('/s', evaluator('id: a, events: [pre-tool, stop], run: { script: a }'));
    if (!parsed.ok) throw new Error('invalid');
    for (const client of CLIENTS) {
      const context = { platform: 'linux' as const, env: {}, home: '/home/dev', project: '/w', dirExists: () => true, dirNames: () => [] };
      const events = new Set(desiredFor(client, context, 'user', parsed.settings).files.flatMap((file) => file.events.map((event) => event.canonical)));
      expect([...events].filter((event) => !['pre-tool', 'session-start', 'stop'].includes(event))).toEqual([]);
      expect(events.has('stop')).toBe(client.hooks.events.some((event) => event.canonical === 'stop'));
      expect(desiredFor(client, context, 'user', null).files.flatMap((file) => file.events)).toEqual([]);
    }
  });
});

describe('the index', () => {
  const meta = (rows: number): PolicyMeta => ({ engine: 'x', digest: 'd', sources: [], problem: '', mode: 'default', packs: {}, rules: {}, evaluators: [], contract: NO_CONTRACT_SETTINGS, rows });
  const rule = (id: string, programs: readonly string[]): OperatorRule => ({ id, decision: 'deny', reason: 'é', programs, subcommand: [], anyOption: [], args: [], paths: [], pattern: null, lifts: null, layer: 'operator', source: 's:1' });
  let serial = 0;
  function open(bytes: Uint8Array): ReturnType<typeof openIndex> {
    const path = join(places, `${serial++}.idx`);
    writeFileSync(path, bytes);
    return openIndex(path);
  }

  test('every program gets its own rows, in order, and no other program any', () => {
    const name = fc.oneof(fc.constantFrom('git', 'rm', 'a', '__proto__', 'é', '日本'), fc.string({ minLength: 1, maxLength: 8 }));
    fc.assert(fc.property(fc.array(fc.uniqueArray(name, { maxLength: 3 }), { maxLength: 60 }), fc.array(name, { maxLength: 5 }), (programs, asked) => {
      const rules = programs.map((list, i) => rule(`r${i}`, list));
      const index = open(encodeIndex(meta(rules.length), rules));
      if (typeof index === 'string') throw new Error(index);
      for (const program of [...programs.flat(), ...asked]) expect(index.rowsFor(program)).toEqual(rules.filter((r) => r.programs.includes(program)));
      expect(index.rowsFor('')).toEqual(rules.filter((r) => r.programs.length === 0));
    }), { numRuns: 150 });
  });

  test('one changed byte anywhere: refused, thrown, or without effect on what is read', () => {
    const rules = ['git', 'rm', 'tf', 'kubectl'].map((program, i) => rule(`r${i}`, [program]));
    const bytes = encodeIndex(meta(4), [...rules, rule('star', [])]);
    for (let at = 0; at < bytes.length; at += 3) {
      const damaged = Uint8Array.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x20;
      const index = open(damaged);
      if (typeof index === 'string') continue;
      for (const program of ['git', 'rm', 'tf', 'kubectl', '']) {
        let rows: readonly OperatorRule[] | undefined;
        try { rows = index.rowsFor(program); } catch { /* said, not hidden */ }
        if (rows !== undefined) expect(rows).toEqual(program === '' ? [rule('star', [])] : rules.filter((r) => r.programs.includes(program)));
      }
    }
  });

  test('the same document gives the same bytes', () => {
    const rules = [rule('a', ['x']), rule('b', [])];
    expect(Buffer.from(encodeIndex(meta(2), rules)).equals(Buffer.from(encodeIndex(meta(2), rules)))).toBe(true);
  });
});

test('levels: layers only raise', () => {
  const level = fc.constantFrom('deny', 'ask', 'off');
  const levels = fc.record({ packs: fc.option(level).map((l) => (l === null ? {} : { sql: l })), rules: fc.option(level).map((l) => (l === null ? {} : { 'sql.drop': l })) });
  const rank = { off: 0, ask: 1, deny: 2 } as const;
  fc.assert(fc.property(level, levels, fc.array(fc.tuple(levels, fc.constantFrom('nothing', 'own')), { maxLength: 3 }), (own, base, floors) => {
    const rule = { id: 'sql.drop', pack: 'sql', level: own } as const;
    const settings = { mode: 'default', ...base } as PolicySettings;
    const raised = levelFor(rule, { ...settings, atLeast: floors.map(([layer, unnamed]) => ({ ...layer, unnamed }) as NonNullable<PolicySettings['atLeast']>[number]) });
    expect(rank[raised]).toBeGreaterThanOrEqual(rank[levelFor(rule, settings)]);
  }));
});
