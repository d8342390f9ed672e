// Contract: every spelling that a rule catches is caught wherever it runs, and is nothing where it is only text.
import { describe, expect, test } from 'vitest';
import { RULES } from '../../../src/policy/rules/index.ts';
import { said, shell } from '../support.ts';
import { FILE_CASES } from './files.cases.ts';
import { GIT_CASES } from './git.cases.ts';
import { INFRA_CASES } from './infra.cases.ts';
import { REMOTE_CASES } from './remote.cases.ts';
import { SELF_CASES } from './self.cases.ts';
import type { Table } from './table.ts';

const CASES: Table = { ...GIT_CASES, ...FILE_CASES, ...SELF_CASES, ...REMOTE_CASES, ...INFRA_CASES };
const isOn = (id: string): boolean => RULES.some((rule) => rule.id === id && rule.level !== 'off');
const hits = [...new Set(Object.keys(CASES).filter(isOn).flatMap((id) => CASES[id]?.hit ?? []).map((line) => line.replace(/^\? /, '')))];
const misses = [...new Set(Object.keys(CASES).flatMap((id) => CASES[id]?.miss ?? []))].filter((line) => said(shell(line)) === 'neutral');

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const inline = (line: string): boolean => !line.includes('<<') && !line.includes('\n');

const DATA: Readonly<Record<string, (line: string) => string>> = {
  'argument of echo': (line) => `echo ${quoted(line)}`,
  'commit message': (line) => `git commit -m ${quoted(line)}`,
  'search pattern': (line) => `grep -rn ${quoted(line)} docs`,
  'here-document of cat': (line) => `cat > notes.md <<'END_OF_NOTES'\n${line}\nEND_OF_NOTES`,
  'comment': (line) => `ls # ${line.replaceAll('\n', ' ')}`,
  'issue text': (line) => `gh issue create -t x -b ${quoted(line)}`,
  'comparison': (line) => `[ "$x" = ${quoted(line)} ] && echo same`,
  'request body': (line) => `curl -s -d ${quoted(JSON.stringify({ text: line }))} http://localhost:3000/check`,
};

const LIVE: Readonly<Record<string, (line: string) => string>> = {
  'list': (line) => `ls && ${line}`,
  'subshell': (line) => `(${line})`,
  'condition': (line) => `if true; then ${line}; fi`,
  'loop': (line) => `for i in 1 2; do ${line}; done`,
  'function': (line) => `outer() { ${line}; }; outer`,
  'nested shell': (line) => `bash -c ${quoted(line)}`,
  'second line': (line) => `echo start\n${line}`,
};

describe('as text', () => {
  test.each(Object.keys(DATA))('%s', (context) => {
    const wrong = hits.map((line) => DATA[context]?.(line) ?? '').filter((line) => said(shell(line)) !== 'neutral');
    expect(wrong).toEqual([]);
  });
});

describe('as a command', () => {
  test('there are many', () => { expect([hits.length > 600, misses.length > 500]).toEqual([true, true]); });
  test.each(Object.keys(LIVE))('%s', (context) => {

    const wrong = hits.filter(inline).filter((line) => said(shell(LIVE[context]?.(line) ?? '')) === 'neutral');
    expect(wrong).toEqual([]);
  });
  test.each(Object.keys(LIVE))('harmless: %s', (context) => {
    const wrong = misses.filter(inline).filter((line) => !line.includes('#')).filter((line) => said(shell(LIVE[context]?.(line) ?? '')) !== 'neutral');
    expect(wrong).toEqual([]);
  });
});
