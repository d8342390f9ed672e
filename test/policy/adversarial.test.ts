// Contract: hostile lines end in a verdict within the bound of steps: no throw, no hang, never an allowance for what was not read.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMMAND_CHARS_MAX, STEPS_MAX } from '../../src/policy/evaluate.ts';
import { said, shell } from './support.ts';

const PIECES = ['git', 'commit', '-n', 'rm', '-rf', '~', '/', ' ', ' ', '\n', ';', '&&', '||', '|', '&', '(', ')', '{', '}', '<<EOF', 'EOF', "<<'E'", 'E', '<', '>', '>>', '"', "'", '`', '$(', '${', '$((', '))', '$', '\\', '#', '*', '[[', ']]',
  'case', 'in', 'esac', ';;', 'for', 'do', 'done', 'if', 'then', 'fi', 'function', 'f()', 'A=1', 'a=(', 'sh -c', 'eval', 'env -S', 'xargs', '\u{1F600}', '\0', '\uE000', '<(', '&>', '2>&1', '<<<', '$X', '${X:-a}', '{a,b}', 'python3 -c', 'powershell -c', 'cmd /c', 'find . -exec', 'alias x=', 'set --', '"$@"', 'read X', '$IFS', 'base64 -d', 'ssh h', 'Remove-Item'];

describe('total', () => {
  test('any text is judged without a throw, and spans lie inside it', () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 })), { maxLength: 40 }), (pieces) => {
      const command = pieces.join('');
      const { trail, steps = 0 } = shell(command);
      expect(steps).toBeLessThanOrEqual(STEPS_MAX * 2);
      expect(trail.filter(({ note }) => note?.startsWith('fault:'))).toEqual([]);
      for (const { span } of trail) {
        if (span === undefined) continue;
        expect(span[0]).toBeGreaterThanOrEqual(0);
        expect(span[0]).toBeLessThanOrEqual(span[1]);
        expect(span[1]).toBeLessThanOrEqual(command.length);
      }
    }), { numRuns: 3000 });
  });

  test('text in single quotes is data, whatever it holds', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }), (pieces) => {
      const text = pieces.join('').replaceAll("'", '').replaceAll('\0', '');
      expect(said(shell(`echo '${text}'`))).toBe('neutral');
      expect(said(shell(`git commit -m '${text}'`))).toBe('neutral');
    }), { numRuns: 500 });
  });
});

const BIG = 1_000_000;
const HOSTILE: Readonly<Record<string, (n: number) => string>> = {
  letters: (n) => 'a'.repeat(n), backslashes: (n) => '\\'.repeat(n), backticks: (n) => '`'.repeat(n), 'escaped backticks': (n) => '`\\`'.repeat(n / 3), 'open braces': (n) => '${'.repeat(n / 2), arithmetic: (n) => '$(('.repeat(n / 3), quotes: (n) => `"'`.repeat(n / 2),
  heredocs: (n) => '<<a '.repeat(n / 4), 'heredocs and lines': (n) => `${'<<a '.repeat(200)}\n${'b\n'.repeat(n / 2)}`, words: (n) => 'a '.repeat(n / 2), commands: (n) => 'a;'.repeat(n / 2), 'dangerous commands': (n) => 'git push -f;'.repeat(n / 12), assignments: (n) => 'a=b '.repeat(n / 4), case: (n) => 'case x in '.repeat(n / 10),
  parentheses: (n) => '()'.repeat(n / 2), 'open parentheses': (n) => '('.repeat(n), wrappers: (n) => 'sudo '.repeat(n / 5), 'git options': (n) => `git commit ${'-m x '.repeat(n / 5)}`, redirects: (n) => '>a '.repeat(n / 3), substitutions: (n) => '$(a)'.repeat(n / 4), 'open substitutions': (n) => '$('.repeat(n / 2), paths: (n) => `rm -rf ${'a/../'.repeat(n / 5)}`,
  evals: (n) => 'eval a;'.repeat(n / 7), shells: (n) => "sh -c 'a;a';".repeat(n / 12), pipes: (n) => 'a|'.repeat(n / 2), doubling: () => `X=aaaaaaaa; ${'X=$X$X; '.repeat(60)} $X`, 'doubling evals': () => `X='eval "$X"'; ${'X="$X;$X"; '.repeat(20)} eval "$X"`, 'recursive function': () => 'f() { f; f; }; f', 'mutual functions': () => 'a() { b; b; }; b() { c; c; }; c() { d; d; }; d() { a; a; }; a',
  'nested loops': () => `${'for x in 1 2 3 4 5 6 7 8 9; do '.repeat(12)} git status; ${'done;'.repeat(12)}`, alternatives: () => `${'if a; then X=1; else X=2; fi; '.repeat(200)} $X $X $X`, braces: (n) => '{a,b}'.repeat(n / 5), 'nested braces': (n) => '{a,'.repeat(n / 3), 'many braces': () => `echo ${'{a,b,c,d,e,f,g,h}'.repeat(30)}`, globs: () => `/bin/${'*a'.repeat(500)} x`, 'glob programs': (n) => '/bin/* -rf ~;'.repeat(Math.min(n, 20_000) / 13),
  'process substitutions': (n) => '<('.repeat(n / 2), 'python parentheses': (n) => `python3 -c '${'f('.repeat(n / 2)}'`, 'python strings': (n) => `python3 -c '${'"a"+'.repeat(n / 4)}'`, 'powershell blocks': (n) => `pwsh -c '${'{('.repeat(n / 2)}'`, 'powershell commands': (n) => `pwsh -c '${'git status;'.repeat(n / 11)}'`, 'cmd lines': (n) => `cmd /c '${'dir&'.repeat(n / 4)}'`, 'find actions': (n) => `find . ${'-exec rm {} ; '.repeat(n / 14)}`.replaceAll(';', '\\;'), 'awk strings': (n) => `awk '${'"a" '.repeat(n / 4)}'`,
  xargs: (n) => `echo ${'a '.repeat(n / 2)} | xargs rm`, 'alias loops': () => 'alias a=b; alias b=a; a', 'set loops': () => `set -- ${'a '.repeat(2000)}; ${'set -- "$@" "$@"; '.repeat(30)} "$@"`, 'exported variables': (n) => `${'export A$B=1 C=2;'.repeat(Math.min(n, 40_000) / 17)}`, 'many files': (n) => 'echo a>>b;'.repeat(n / 10), 'option words': (n) => `git push ${'--forc '.repeat(n / 7)}`, 'parameter operations': (n) => 'X=aaa; ' + '${X//a/aa} '.repeat(n / 12),
};

describe('bounds', () => {
  test.each(Object.keys(HOSTILE))('%s: small, large and huge lines end within the steps', (name) => {
    for (const size of [4_096, 65_536, BIG]) {
      const command = HOSTILE[name]?.(size) ?? '';
      const { verdict, trail, steps = 0 } = shell(command);
      expect(trail.filter(({ note }) => note?.startsWith('fault:'))).toEqual([]);
      expect(verdict.decision).not.toBe('allow');
      // One indivisible piece of work may pass the bound, once.
      expect(steps).toBeLessThanOrEqual(STEPS_MAX + COMMAND_CHARS_MAX);
    }
  }, 120_000);

  test('a command behind what is not read is never allowed', () => {
    for (const filler of ['a;', '(', '$(', '"$(', 'if ', '{ ', '<<a ', '${x:-', '`']) {
      for (const count of [300, 5_000, 100_000, 400_000]) expect(shell(`${filler.repeat(count)} git push -f`).verdict.decision, `${filler} ${count}`).not.toBe('allow');
    }
    expect(shell(`${'a;'.repeat(20_000)} git push -f`).verdict.decision).not.toBe('neutral');
    expect(shell(`${'a;'.repeat(500_000)} git push -f`).verdict.decision).toBe('ask');
    expect(shell(`${'('.repeat(5_000)} git push -f ${')'.repeat(5_000)}`).verdict.decision).toBe('ask');
    expect(shell(`echo ${'\\'.repeat(200_000)}; git push -f`).verdict.decision).toBe('deny');
  });

  test('at the length limit a command is read, one past it a person is asked', () => {
    expect(said(shell(`: ${'x'.repeat(COMMAND_CHARS_MAX - 2)}`))).toBe('neutral');
    expect(said(shell(`: ${'x'.repeat(COMMAND_CHARS_MAX - 1)}`))).toBe('ask shell.unread');
  });

  test('deep nesting ends in a question', () => {
    expect(said(shell('$('.repeat(1000)))).toBe('ask shell.unread');
    expect(said(shell('('.repeat(5000)))).toBe('ask shell.unread');
    expect(said(shell(`${'eval '.repeat(200)}git push -f`))).not.toBe('neutral');
  });

  test('a long here-document of data is read', () => {
    expect(said(shell(`cat > x.txt <<'EOF'\n${'git push -f\n'.repeat(4000)}EOF`))).toBe('neutral');
    expect(shell(`cat > x.txt <<'EOF'\n${'text\n'.repeat(4000)}EOF\ngit push -f`).verdict.decision).toBe('deny');
  });

  test('the same line gives the same verdict', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), (pieces) => {
      expect(shell(pieces.join(' '))).toEqual(shell(pieces.join(' ')));
    }), { numRuns: 500 });
  });
});
