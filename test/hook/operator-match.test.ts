// Contract: operator rules against single commands: `deny` cannot be hidden by added words, `allow` never covers more than it says.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { liftedBy, matchesGlob, operatorFileFindings, operatorFindings, PATTERN_TEXT_CHARS_MAX, type Called } from '../../src/policy/operator-match.ts';
import { plainMatches, type OperatorRule, type OperatorRules } from '../../src/policy/operator.ts';
import { HOME_MARK, type Word } from '../../src/policy/shell-types.ts';
import type { Place } from '../../src/policy/types.ts';

const PLACE: Place = { cwd: '/home/dev/repo', facts: { platform: 'linux', home: '/home/dev', workspace: '/home/dev/repo', ownPaths: [], guarded: [] } };

function word(text: string): Word {
  return { text: text.startsWith('~') ? HOME_MARK + text.slice(1) : text, start: 0, end: text.length, dynamic: text.startsWith('$'), glob: text.includes('*'), quoted: false };
}

function called(line: string, extra: { writes?: string[]; chain?: string[]; assigns?: string[] } = {}): Called {
  const [program = '', ...args] = line.split(' ');
  const words = args.filter((text) => text !== '').map(word);
  const redirects = (extra.writes ?? []).map((text) => ({ write: true, target: word(text) }));
  return { program, args: words, assigns: (extra.assigns ?? []).map(word), chain: extra.chain ?? [], command: { assigns: [], words, redirects, input: [], start: 0, end: line.length } };
}

function rule(given: Partial<OperatorRule>): OperatorRule {
  return { id: 'operator.r', decision: 'deny', reason: 'x', programs: [], subcommand: [], anyOption: [], args: [], paths: [], pattern: null, lifts: null, layer: 'operator', source: 's:1', ...given };
}

function rulesOf(...rows: OperatorRule[]): OperatorRules {
  return { digest: '', matches: plainMatches, rulesFor: (program) => rows.filter((row) => row.programs.length === 0 || row.programs.includes(program)) };
}

const denies = (given: Partial<OperatorRule>, line: string, extra = {}): boolean => operatorFindings(rulesOf(rule(given)), called(line, extra), PLACE).match !== undefined;
const allows = (given: Partial<OperatorRule>, line: string, extra = {}): boolean => operatorFindings(rulesOf(rule({ ...given, decision: 'allow' })), called(line, extra), PLACE).allows.length > 0;

describe('deny and ask', () => {
  test.each<[string, Partial<OperatorRule>, string[], string[]]>([
    ['program', { programs: ['tf', 'tofu'] }, ['tf', 'tofu x', 'tf --help'], ['tfx', 'git tf']],
    ['subcommand', { programs: ['git'], subcommand: ['remote', 'add'] }, ['git remote add x', 'git -C . remote add x', 'git --git-dir y remote -v add', 'git -c a=b remote add'], ['git remote', 'git add remote', 'git remote remove add', 'git log remote add']],
    ['options', { programs: ['x'], anyOption: ['--force', '-f'] }, ['x --force', 'x --force=now', 'x -f', 'x -vf', 'x --forc', 'x a b -f'], ['x --force-with-lease', 'x -- --force', 'x force', 'x --fo-rce', 'x --f=', 'x -g']],
    ['long options of several words', { programs: ['x'], anyOption: ['--dry-run'] }, ['x --dry-run', 'x --dry-ru'], ['x --dry', 'x --dry-runner']],
    ['single-dash words', { programs: ['terraform'], anyOption: ['-auto-approve'] }, ['terraform apply -auto-approve', 'terraform apply -auto-approve=true'], ['terraform apply -auto', 'terraform apply -a']],
    ['args', { programs: ['x'], args: ['prod*', 'a?c'] }, ['x production', 'x y abc', 'x -- prod'], ['x xprod', 'x ac']],
    ['paths', { paths: ['secrets', '~/.ssh/**', '/etc/*/keys'] }, ['cat secrets', 'cat secrets/a/b', 'cat ./x/../secrets', 'cat ~/.ssh/id', 'x --key=/etc/a/keys/b', 'x of=secrets/y'], ['cat secret', 'cat x/secrets', 'cat /etc/keys', 'cat ~/.sshx']],
    ['paths anywhere', { paths: ['**/*.pem'] }, ['cat a/b/c.pem', 'cat /x/y.pem', 'cat k.pem'], ['cat k.pem.txt']],
    ['pattern', { pattern: '^curl .*-k' }, ['curl -s -k x', 'curl -k'], ['echo curl -k', 'wget -k']],
    ['all of several', { programs: ['x'], subcommand: ['up'], anyOption: ['-f'] }, ['x up -f', 'x -f up'], ['x up', 'x -f']],
  ])('%s', (_name, given, yes, no) => {
    expect(yes.filter((line) => !denies(given, line))).toEqual([]);
    expect(no.filter((line) => denies(given, line))).toEqual([]);
  });

  test('redirection targets are paths too', () => {
    expect(denies({ paths: ['secrets'] }, 'echo x', { writes: ['secrets/a'] })).toBe(true);
  });

  test('a text that is too long for a pattern counts as a match', () => {
    expect(denies({ pattern: 'never' }, `x ${'y'.repeat(PATTERN_TEXT_CHARS_MAX)}`)).toBe(true);
    expect(allows({ pattern: '.*' }, `x ${'y'.repeat(PATTERN_TEXT_CHARS_MAX)}`)).toBe(false);
  });

  test('words behind a match never hide it', () => {
    const given = rule({ programs: ['x'], subcommand: ['up'], anyOption: ['--force'], args: ['prod*'] });
    const more = fc.array(fc.constantFrom('-v', '--', 'a', '--x=y', 'up', '$Z', '-', '--no-force', 'prodx'), { maxLength: 8 });
    fc.assert(fc.property(more, (words) => denies(given, ['x up --force prod', ...words].join(' '))), { numRuns: 500 });
  });
});

describe('allow', () => {
  test.each<[string, Partial<OperatorRule>, string[], string[]]>([
    ['program', { programs: ['tf'] }, ['tf', 'tf apply -auto-approve'], ['tofu']],
    ['subcommand, right behind the program', { programs: ['git'], subcommand: ['push'] }, ['git push', 'git push --force x'], ['git -C push status', 'git -c push push', 'git status push']],
    ['options: those and no others', { programs: ['git'], subcommand: ['push'], anyOption: ['--force', '-u'] }, ['git push --force', 'git push -u --force x'], ['git push', 'git push --force --no-verify', 'git push -fu', 'git push --forc']],
    ['args: every operand', { programs: ['x'], args: ['topic/*'] }, ['x topic/a', 'x topic/a topic/b -v'], ['x topic/a main', 'x', 'x -v', 'x topic/a $B']],
    ['paths: every path', { programs: ['rm'], paths: ['build', '~/tmp'] }, ['rm -rf build', 'rm -rf ./build/x ~/tmp/y'], ['rm -rf build ..', 'rm -rf build/..', 'rm -rf build ~', 'rm -rf $X', 'rm -rf']],
    ['pattern: the whole command', { pattern: 'make [a-z]+' }, ['make test'], ['make test deploy', 'xmake test', 'make test;']],
  ])('%s', (_name, given, yes, no) => {
    expect(yes.filter((line) => !allows(given, line))).toEqual([]);
    expect(no.filter((line) => allows(given, line))).toEqual([]);
  });

  test('not for writes, variables, or words that come at run time', () => {
    expect(allows({ programs: ['x'] }, 'x', { writes: ['/etc/passwd'] })).toBe(false);
    expect(allows({ programs: ['x'], paths: ['out'] }, 'x', { writes: ['out/a'] })).toBe(true);
    expect(allows({ programs: ['x'] }, 'x', { assigns: ['A=1'] })).toBe(false);
    expect(allows({ programs: ['x'], lifts: 'a.b' }, 'x', { assigns: ['A=1'] })).toBe(true);
    for (const wrapper of ['xargs', 'find', 'parallel']) expect(allows({ programs: ['x'] }, 'x', { chain: [wrapper] })).toBe(false);
  });

  test('words that were added never ride along', () => {
    const given: Partial<OperatorRule> = { programs: ['git'], subcommand: ['push'], anyOption: ['--force'], args: ['fork', 'topic/*'] };
    const more = fc.array(fc.constantFrom('--no-verify', '--mirror', 'main', '+x', '--', '-d', '$B', 'origin'), { minLength: 1, maxLength: 4 });
    fc.assert(fc.property(more, (words) => !words.some((w) => w !== '--') || !allows(given, ['git push --force fork topic/x', ...words].join(' '))), { numRuns: 500 });
  });

  test('lifts what it names; by itself everything but the guard\'s own protection; never a rule of the workspace', () => {
    const named = rule({ decision: 'allow', lifts: 'git.push.force' });
    const any = rule({ decision: 'allow' });
    expect(liftedBy([named], { id: 'git.push.force', pack: 'git-destructive' })).toBe(named);
    expect(liftedBy([named], { id: 'git.reset', pack: 'git-destructive' })).toBeUndefined();
    expect(liftedBy([any], { id: 'git.reset', pack: 'git-destructive' })).toBe(any);
    expect(liftedBy([any], { id: 'self.files', pack: 'self-protection' })).toBeUndefined();
    const own = rulesOf(rule({ id: 'operator.d', programs: ['x'] }), rule({ id: 'workspace.d', layer: 'workspace', decision: 'ask', programs: ['x'] }), { ...any, programs: ['x'] });
    const found = operatorFindings(own, called('x'), PLACE);
    expect(found.match?.rule.id).toBe('workspace.d');
    expect(found.considered.map(({ rule: { id }, lifted }) => [id, lifted?.id])).toEqual([['operator.d', 'operator.r'], ['workspace.d', undefined], ['operator.r', undefined]]);
  });
});

test('deny beats ask, then the order of the document', () => {
  const rows = [rule({ id: 'a', decision: 'ask' }), rule({ id: 'b' }), rule({ id: 'c' })].map((row) => ({ ...row, programs: ['x'] }));
  expect(operatorFindings(rulesOf(...rows), called('x'), PLACE).match?.rule.id).toBe('b');
});

test('file tools: rules of paths alone; an exception needs every path', () => {
  const rules = rulesOf(rule({ id: 'p', paths: ['secrets'] }), rule({ id: 'c', paths: ['src'], pattern: 'x' }));
  expect(operatorFileFindings(rules, ['src/a', '~/x', 'secrets/a'], PLACE).match?.rule.id).toBe('p');
  expect(operatorFileFindings(rules, ['src/a'], PLACE).match).toBeUndefined();
  const open = rulesOf(rule({ decision: 'allow', paths: ['/tmp'] }));
  expect(operatorFileFindings(open, ['/tmp/a'], PLACE).allows).toHaveLength(1);
  expect(operatorFileFindings(open, ['/tmp/a', '/etc/b'], PLACE).allows).toHaveLength(0);
});

test('globs agree with their meaning as a regular expression', () => {
  const glob = fc.array(fc.constantFrom('a', 'b', '*', '?', '.'), { maxLength: 8 }).map((parts) => parts.join(''));
  const text = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 10 }).map((parts) => parts.join(''));
  fc.assert(fc.property(text, glob, (t, g) => matchesGlob(t, g) === new RegExp(`^${g.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`).test(t)), { numRuns: 3000 });
  const started = performance.now();
  matchesGlob('a'.repeat(60_000), `${'*a'.repeat(100)}*b`);
  expect(performance.now() - started).toBeLessThan(2000);
});

test('where case does not count for files, it does not count for programs', () => {
  const mac: Place = { ...PLACE, facts: { ...PLACE.facts, platform: 'darwin' } };
  const rules = rulesOf(rule({ programs: ['terraform'] }));
  expect(operatorFindings(rules, called('Terraform apply'), mac).match).toBeDefined();
  expect(operatorFindings(rules, called('Terraform apply'), PLACE).match).toBeUndefined();
});
