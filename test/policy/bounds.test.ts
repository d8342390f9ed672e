// Contract: the evaluator is bounded, linear, total, and honest about what it did not read; the quick answer agrees with it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolCall } from '../../src/model/payload.ts';
import { COMMAND_CHARS_MAX, evaluate, RULES } from '../../src/policy/evaluate.ts';
import { CONCERNED, surelyNeutral } from '../../src/policy/quick.ts';
import { parseShell } from '../../src/policy/shell-parse.ts';
import { KEYWORDS, plainCommand } from '../../src/policy/shell-plain.ts';
import { SHELLS, WRAPPERS } from '../../src/policy/unwrap.ts';
import { FACTS, payloadOf, said, shell, write } from './support.ts';

const PIECES = ['git', 'commit', '-n', 'rm', '-rf', '~', '/', ' ', ' ', '\n', ';', '&&', '||', '|', '&', '(', ')', '{', '}', '<<EOF', 'EOF', "<<'E'", 'E', '<', '>', '>>', '"', "'", '`', '$(', '${', '$((', '))', '$', '\\', '#', '*', '[[', ']]',
  'case', 'in', 'esac', ';;', 'for', 'do', 'done', 'if', 'then', 'fi', 'function', 'f()', 'A=1', 'a=(', 'sh -c', 'eval', 'env -S', 'xargs', '\u{1F600}', '\0', '\uE000', '<(', '&>', '2>&1', '<<<'];

describe('total', () => {
  test('any text is judged without a throw, and spans lie inside it', () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 })), { maxLength: 40 }), (pieces) => {
      const command = pieces.join('');
      for (const { span } of shell(command).trail) {
        if (span === undefined) continue;
        expect(span[0]).toBeGreaterThanOrEqual(0);
        expect(span[0]).toBeLessThanOrEqual(span[1]);
        expect(span[1]).toBeLessThanOrEqual(command.length);
      }
    }), { numRuns: 3000 });
  });

  test('text in single quotes is data, whatever it holds', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }), (pieces) => {
      const text = pieces.join('').replaceAll("'", '');
      expect(said(shell(`echo '${text}'`))).toBe('neutral');
      expect(said(shell(`git commit -m '${text}'`))).toBe('neutral');
    }), { numRuns: 500 });
  });
});

describe('bounds', () => {
  test('at the length limit a command is read, one past it a person is asked', () => {
    expect(said(shell(`: ${'x'.repeat(COMMAND_CHARS_MAX - 2)}`))).toBe('neutral');
    expect(said(shell(`: ${'x'.repeat(COMMAND_CHARS_MAX - 1)}`))).toBe('ask shell.unread');
  });

  test('deep nesting ends in a question', () => {
    expect(said(shell('$('.repeat(1000)))).toBe('ask shell.unread');
    expect(said(shell('('.repeat(5000)))).toBe('ask shell.unread');
    let nested = 'true';
    for (let i = 0; i < 12; i++) nested = `sh -c ${JSON.stringify(nested)}`;
    expect(said(shell(nested))).toBe('ask shell.unread');
  });

  const HOSTILE: Readonly<Record<string, (n: number) => string>> = {
    backslashes: (n) => '\\'.repeat(n), backticks: (n) => '`'.repeat(n), 'open braces': (n) => '${'.repeat(n / 2), 'arithmetic': (n) => '$(('.repeat(n / 3), quotes: (n) => `"'`.repeat(n / 2), heredocs: (n) => '<<a '.repeat(n / 4),
    'heredocs and lines': (n) => `${'<<a '.repeat(n / 8)}\n${'b\n'.repeat(n / 4)}`, words: (n) => 'a '.repeat(n / 2), commands: (n) => 'a;'.repeat(n / 2), assignments: (n) => 'a=b '.repeat(n / 4), letters: (n) => 'a'.repeat(n), 'case': (n) => 'case x in '.repeat(n / 10),
    parentheses: (n) => '()'.repeat(n / 2), wrappers: (n) => 'sudo '.repeat(n / 5), 'git options': (n) => `git commit ${'-m x '.repeat(n / 5)}`, redirects: (n) => '>a '.repeat(n / 3), 'escaped backticks': (n) => '`\\`'.repeat(n / 3), substitutions: (n) => '$(a)'.repeat(n / 4),
    'paths': (n) => `rm -rf ${'a/../'.repeat(n / 5)}`, 'evals': (n) => 'eval a;'.repeat(n / 7), shells: (n) => "sh -c 'a;a';".repeat(n / 12),
  };
  test.each(Object.keys(HOSTILE))('64 KiB of %s takes far less than a second', (name) => {
    const started = performance.now();
    shell(HOSTILE[name]?.(COMMAND_CHARS_MAX - 8) ?? '');
    expect(performance.now() - started).toBeLessThan(700);
  });

  test('reasons are short and never repeat the command', () => {
    for (const command of ['git push -f SECRETWORD', 'git commit -n -m SECRETWORD', 'rm -rf ~ SECRETWORD', 'echo SECRETWORD > ~/.codex/hooks.json', 'HUSKY=0 git push SECRETWORD']) {
      const { verdict } = shell(command);
      expect(verdict.reason?.length).toBeLessThanOrEqual(400);
      expect(JSON.stringify(verdict)).not.toContain('SECRETWORD');
    }
  });
});

describe('trail', () => {
  test('names every rule considered and the words that matched', () => {
    const command = 'ls && git push origin -f';
    expect(shell(command).trail.map(({ rule, result, span }) => [rule, result, command.slice(...(span ?? [0, 0]))])).toEqual([
      ['git.hooks.no-verify', 'none', 'git push origin -f'], ['git.hooks.path', 'none', 'git push origin -f'], ['git.push.force', 'deny', '-f'], ['git.push.mirror', 'none', 'git push origin -f'],
    ]);
  });

  test.each(['$X -rf /', '$(which rm) -rf /', '"${CMD}" x', '`echo rm` x'])('%s: unresolved, neutral for now', (command) => {
    const { verdict, trail } = shell(command);
    expect(verdict.decision).toBe('neutral');
    expect(trail).toContainEqual(expect.objectContaining({ rule: 'shell.unresolved', result: 'unresolved' }));
  });

  test('rule ids are unique', () => { expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length); });
});

describe('the quick answer', () => {
  test('knows every program of every table', () => {
    for (const program of [...RULES.flatMap((rule) => rule.programs), ...Object.keys(WRAPPERS), ...SHELLS, ...KEYWORDS, 'eval', 'cd']) expect(CONCERNED).toContain(` ${program} `);
  });

  test('surely neutral is neutral', () => {
    const word = fc.constantFrom('git', 'rm', 'ls', 'npm', '/bin/rm', './git', 'sudo', 'push', '-f', '-rf', 'a=1', '/', '=', '-n', 'commit', 'x.exe', 'git.exe', 'sh', '-c', 'HUSKY=0', 'time', '%', 'if', ' ', '');
    let quick = 0;
    fc.assert(fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      const command = words.join(' ');
      const tool: ToolCall = { name: 'Bash', kind: 'shell', command, input: {} };
      if (!surelyNeutral(tool, FACTS)) return;
      quick++;
      expect(evaluate(payloadOf(tool), FACTS).verdict.decision).toBe('neutral');
    }), { numRuns: 3000 });
    expect(quick).toBeGreaterThan(100);
  });

  test('surely neutral paths are neutral', () => {
    const part = fc.constantFrom('home', 'dev', '.codex', 'hooks.json', '.claude', 'settings.json', 'src', 'a.ts', '.git', 'hooks', 'pre-commit', '..', '.', '', '.CODEX', 'Hooks.JSON', '.local', 'state', 'praetorctl', '.config', 'config.toml');
    fc.assert(fc.property(fc.array(part, { maxLength: 7 }), fc.boolean(), fc.constantFrom('linux', 'darwin', 'win32'), (parts, absolute, platform) => {
      const path = (absolute ? '/' : '') + parts.join('/');
      const tool: ToolCall = { name: 'Write', kind: 'file-write', paths: [path], input: {} };
      if (surelyNeutral(tool, { ...FACTS, platform })) expect(said(write(path, { platform }))).toBe('neutral');
    }), { numRuns: 3000 });
    expect(surelyNeutral({ name: 'Write', kind: 'file-write', paths: ['/home/dev/work/repo/src/a.ts'], input: {} }, FACTS)).toBe(true);
  });

  test('a plain line parses to what the parser says', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom('git', '-f', 'a/b', 'x=1', '@', '%1', '+x', 'a,b', '.'), { minLength: 1, maxLength: 6 }), (words) => {
      const plain = plainCommand(words.join(' '));
      if (plain === undefined) return;
      const parsed = parseShell(words.join(' '));
      expect(parsed.commands.map(({ words: w }) => w)).toEqual(plain.commands.map(({ words: w }) => w));
    }));
  });
});
