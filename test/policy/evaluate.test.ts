// Contract: levels, order, trail, spans and operator rules of the evaluator; the shared corpus with its bars.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULES, TOOL_RULES } from '../../src/policy/rules-all.ts';
import { plainMatches, type OperatorRule, type OperatorRules } from '../../src/policy/operator.ts';
import type { PolicySettings } from '../../src/policy/pack.ts';
import { said, shell } from './support.ts';

interface Row { readonly id: string; readonly command: string; readonly expect: 'deny' | 'allow'; readonly class: string; readonly why: string }
const rows = readFileSync(join(import.meta.dirname, '..', 'fixtures', 'policy', 'commands.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Row);
const settings = (more: Partial<PolicySettings>): { settings: PolicySettings } => ({ settings: { mode: 'default', packs: {}, rules: {}, ...more } });

describe('the shared corpus', () => {
  const missed = (...classes: string[]): string[] => rows.filter((row) => row.expect === 'deny' && classes.includes(row.class) && shell(row.command).verdict.decision !== 'deny').map(({ id, command }) => `${id} ${command}`);
  const caught = (name: string): number => 1 - missed(name).length / rows.filter((row) => row.class === name && row.expect === 'deny').length;

  test('every refusal that must be is', () => {
    expect(missed('git-destructive', 'hook-bypass', 'self-protection', 'fs-destructive', 'wrapper', 'obfuscation', 'remote-exec', 'disk')).toEqual([]);
  });
  test.each(['infra', 'sql', 'powershell-cmd'])('%s: nine of ten', (name) => { expect(caught(name)).toBeGreaterThanOrEqual(0.9); });
  test('at most one harmless command is stopped', () => {
    expect(rows.filter((row) => row.class.startsWith('b-') && shell(row.command).verdict.decision !== 'neutral').map(({ id, command }) => `${id} ${command}`).length).toBeLessThanOrEqual(1);
  });
  test('the same command gives the same answer', () => {
    for (const { command } of rows) expect(shell(command)).toEqual(shell(command));
  });
});

describe('levels', () => {
  test('a rule, a pack, and off', () => {
    expect(shell('git push -f').verdict.decision).toBe('deny');
    expect(said(shell('git push -f', settings({ rules: { 'git.push.force': 'ask' } })))).toBe('ask git.push.force');
    expect(said(shell('git push -f', settings({ packs: { 'git-destructive': 'off' } })))).toBe('neutral');
    expect(shell('git push -f', settings({ packs: { 'git-destructive': 'off' } })).trail).toContainEqual(expect.objectContaining({ rule: 'git.push.force', result: 'off' }));
    expect(said(shell('git push -f', settings({ packs: { 'git-destructive': 'off' }, rules: { 'git.push.force': 'deny' } })))).toBe('deny git.push.force');
  });
  test('strict refuses what cannot be resolved', () => {
    expect(said(shell('$CMD -rf ~'))).toBe('ask shell.unresolved');
    expect(said(shell('$CMD -rf ~', settings({ mode: 'strict' })))).toBe('deny shell.unresolved');
  });
  test('deny beats ask, ask beats unresolved, the first in the line is named', () => {
    expect(said(shell('$CMD -rf ~; git push -f', settings({ rules: { 'git.push.force': 'ask' } })))).toBe('ask git.push.force');
    expect(said(shell('$CMD -rf ~; git push -f; git commit -n'))).toBe('deny git.push.force');
  });
  test('ids are unique, reasons short', () => {
    for (const list of [RULES, TOOL_RULES]) expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
    const all = [...RULES, ...TOOL_RULES];
    for (const { id, reason } of all) expect(`${id} ${reason}`.length).toBeLessThanOrEqual(400);
  });
});

describe('trail', () => {
  test('names every rule considered and the words that matched', () => {
    const command = 'ls && git push origin -f';
    const { trail, span, commands } = shell(command);
    expect(command.slice(...(span ?? [0, 0]))).toBe('-f');
    expect(trail.filter(({ result }) => result === 'deny' || result === 'ask')).toEqual([{ rule: 'git.push.force', result: 'deny', span: [22, 24] }]);
    expect(trail.filter(({ result }) => result === 'none').length).toBeGreaterThan(3);
    expect(commands?.map(({ program, args }) => [program, ...args].join(' '))).toEqual(['ls', 'git push origin -f']);
  });
  test.each([['sh -c "git push -f" x', '"git push -f"'], ['echo "git push -f" | sh', 'sh'], ['echo $(git push -f)', '-f'], ['X=git; $X push -f', '-f'], ['eval "git push -f"', '"git push -f"'], ['env -S "git push -f"', '"git push -f"']])('%s: the span lies in the line as given', (command, expected) => {
    expect(command.slice(...(shell(command).span ?? [0, 0]))).toBe(expected);
  });
  test('the messages never repeat the command', () => {
    for (const command of ['git push -f SECRETWORD', 'git commit -n -m SECRETWORD', 'rm -rf ~ SECRETWORD', 'echo SECRETWORD > ~/.codex/hooks.json', 'HUSKY=0 git push SECRETWORD', 'eval "$SECRETWORD"']) {
      const { verdict } = shell(command);
      expect(verdict.reason?.length).toBeLessThanOrEqual(400);
      expect(JSON.stringify(verdict)).not.toContain('SECRETWORD');
    }
  });
});

describe('operator rules', () => {
  const base: OperatorRule = { id: 'operator.x', decision: 'deny', reason: 'because', programs: ['make'], subcommand: [], anyOption: [], args: [], paths: [], pattern: null, lifts: null, layer: 'operator', source: 'settings.yaml:3' };
  const rules = (...list: Partial<OperatorRule>[]): { operator: OperatorRules } => {
    const all = list.map((one) => ({ ...base, ...one }));
    return { operator: { digest: 'x', matches: plainMatches, rulesFor: (program) => all.filter(({ programs }) => programs.includes(program)) } };
  };
  test('tighten', () => {
    expect(said(shell('sudo make deploy', rules({ subcommand: ['deploy'] })))).toBe('deny operator.x');
    expect(said(shell('make test', rules({ subcommand: ['deploy'] })))).toBe('neutral');
  });
  test('an allow entry lifts the rule it names, is seen in the trail, and nothing more', () => {
    const allow = rules({ decision: 'allow', programs: ['git'], subcommand: ['push'], lifts: 'git.push.force' });
    const allowed = shell('git push -f', allow);
    expect(said(allowed)).toBe('neutral');
    expect(allowed.trail).toContainEqual(expect.objectContaining({ rule: 'git.push.force', result: 'allow' }));
    expect(said(shell('git push -f --no-verify', allow))).toBe('deny git.hooks.no-verify');
    expect(said(shell('git push -f && git reset --hard', allow))).toBe('deny git.reset.hard');
  });
});
