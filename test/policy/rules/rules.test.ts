// Contract: every rule catches its spellings and leaves its neighbours, and no rule is without both.
import { describe, expect, test } from 'vitest';
import { RULES, TOOL_RULES } from '../../../src/policy/rules/index.ts';
import type { PolicyFacts } from '../../../src/policy/types.ts';
import { said, shell } from '../support.ts';
import { FILE_CASES } from './files.cases.ts';
import { GIT_CASES } from './git.cases.ts';
import { INFRA_CASES } from './infra.cases.ts';
import { REMOTE_CASES } from './remote.cases.ts';
import { SELF_CASES } from './self.cases.ts';
import type { Table } from './table.ts';

const CASES: Table = { ...GIT_CASES, ...FILE_CASES, ...SELF_CASES, ...REMOTE_CASES, ...INFRA_CASES };

/** Rules that are off by default are judged as if a person had switched them on. */
function facts(id: string): Partial<PolicyFacts> {
  const rule = RULES.find((one) => one.id === id);
  return rule?.level === 'off' ? { settings: { mode: 'default', packs: {}, rules: { [id]: 'deny' } } } : {};
}

describe.each(Object.keys(CASES))('%s', (id) => {
  const cases = CASES[id] ?? { hit: [], miss: [] };
  test.each(cases.hit)('catches %s', (line) => {
    const asks = line.startsWith('? ');
    const { verdict, trail } = shell(asks ? line.slice(2) : line, facts(id));
    expect(trail.filter(({ rule, result }) => rule === id && (result === 'deny' || result === 'ask')).map(({ result }) => result)).toContain(asks ? 'ask' : 'deny');
    expect(verdict.decision).not.toBe('neutral');
  });
  test.each(cases.miss)('leaves %s', (line) => { expect(said(shell(line, facts(id)))).toBe('neutral'); });
});

describe('the rules as a whole', () => {
  test('every rule has at least three spellings and three neighbours', () => {
    for (const { id } of RULES) expect([id, (CASES[id]?.hit.length ?? 0) >= 3, (CASES[id]?.miss.length ?? 0) >= 3]).toEqual([id, true, true]);
    expect(Object.keys(CASES).filter((id) => !RULES.some((rule) => rule.id === id))).toEqual([]);
  });

  test('ids are unique, dotted and lower case; reasons and titles are short and literal', () => {
    for (const rules of [RULES, TOOL_RULES]) expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    for (const { id, title, reason } of [...RULES, ...TOOL_RULES]) {
      expect(id).toMatch(/^[a-z]+(?:\.[a-z-]+)+$/);
      expect(reason.length + id.length).toBeLessThanOrEqual(380);
      expect(title.length).toBeLessThanOrEqual(120);
      expect(reason).toMatch(/\.$/);
    }
  });

  test('a rule that is off by default is contested', () => {
    expect(RULES.filter(({ level, contested }) => level === 'off' && contested !== true).map(({ id }) => id)).toEqual([]);
  });
});
