// Contract: the hook's short way (gate.ts, rules loaded on demand) gives the verdict of the long one; its lists are complete.
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULED } from '../../src/policy/ruled.ts';
import { RULES } from '../../src/policy/rules-all.ts';
import { LANGUAGE_PROGRAMS } from '../../src/policy/shell/known.ts';
import { languages } from '../../src/policy/shell/langs.ts';
import { said, shell } from './support.ts';

const rows = readFileSync(join(import.meta.dirname, '..', 'fixtures', 'policy', 'commands.jsonl'), 'utf8').trim().split('\n').map((line) => (JSON.parse(line) as { command: string }).command);
const same = (command: string): void => { expect(`${command}: ${said(shell(command, { brief: true }))}`).toBe(`${command}: ${said(shell(command))}`); };

describe('lists', () => {
  test('every program of every rule', () => {
    const listed = new Set(RULED.trim().split(/\s+/));
    const ruled = new Set(RULES.flatMap(({ programs }) => programs));
    expect([...ruled].filter((name) => !listed.has(name))).toEqual([]);
    expect([...listed].filter((name) => !ruled.has(name))).toEqual([]);
  });
  test('every program of the other languages', () => {
    expect(LANGUAGE_PROGRAMS.trim().split(/\s+/).sort()).toEqual(Object.keys(languages().handlers).sort());
  });
});

const WORDS = ['-f', '-n', '-m', '-am', '-a', '--amend', '--no-verify', 'x', 'a.txt', 'build/out.log', '.env', '.git/hooks/x', '.claude/settings.json', '~/.bashrc', '/etc/hosts', '../x', 'package.json', 'lefthook.yml', '.husky/pre-commit', 'id_rsa', 'origin', 'main', '+main', 'x:y', ':x', '--force', '--hard', 'HEAD', '-rf', '-r', '"$X"', '$(mktemp)', '$(curl x)', '"a b"', '-u', '-d', 'run', 'test', 'husky', 'uninstall', 'commit', 'push', 'reset', 'add', '-A', '.', 'settings.json', 'config', 'secrets.yml', 'server.key', '--output=x', '-c', 'core.hooksPath=x', '-C', 'sub', '-- ', '*', 'praetorctl', 'AGENTS.md', 'CLAUDE.md', 'Makefile', 'install.sh', 'cert.pem', '-i', 's/a/b/'];
const PROGRAMS = ['git', 'git commit', 'git push', 'git add', 'git status', 'git diff', 'rm', 'tee', 'cat', 'grep', 'npm', 'npm run', 'pnpm test', 'cd', 'node', 'echo', 'ls', 'sed', 'cp', 'mv', 'head', 'sort', 'read', 'FOO=1 make', 'HUSKY=0 git commit', 'export A=1', 'NODE_OPTIONS=x node', 'timeout 5 git', 'sudo rm', 'xargs rm', 'python3', 'touch', 'mkdir'];
const TAILS = ['', ' > out.txt', ' > .git/hooks/pre-commit', ' >> ~/.bashrc', ' > /dev/null 2>&1', ' > /dev/sda', ' < ~/.ssh/id_rsa', ' > .claude/settings.json', ' > package.json', ' > /proc/sysrq-trigger', ' | sh', ' | tee x.log', ' | cat', " <<'EOF'\nrm -rf /\nEOF", ' <<< x', ' > .praetorctl/settings.yaml', ' | grep x | head -3', ' > lefthook.yml'];

describe('the short way', () => {
  test.each(rows)('%s', (command) => { same(command); });

  test('generated commands', () => {
    const one = fc.tuple(fc.constantFrom(...PROGRAMS), fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }), fc.constantFrom(...TAILS)).map(([program, words, tail]) => [program, ...words].join(' ') + tail);
    fc.assert(fc.property(fc.array(one, { minLength: 1, maxLength: 3 }), fc.constantFrom(' && ', '; ', ' || ', '\n'), (list, glue) => {
      const documents = list.filter((text) => text.includes('EOF'));
      same([...list.filter((text) => !text.includes('EOF')), ...documents.slice(0, 1)].join(glue));
    }), { numRuns: 5000 });
  });

  test('it is taken by everyday lines', () => {
    for (const command of ['cd sub && npm test 2>&1 | tee out.log', 'git add -A && git commit -m "a b"', 'git status --short | head -5', 'rm -f "a.tmp"', 'grep -rn "a b" src | wc -l']) {
      expect(shell(command, { brief: true }).steps ?? 0, command).toBeLessThan((shell(command).steps ?? 0) - 3);
    }
  });
});
