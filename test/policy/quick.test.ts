// Contract: the quick answer agrees with the evaluator: what it calls surely neutral is neutral.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolCall } from '../../src/model/payload.ts';
import { CONCERNED } from '../../src/policy/concerned.ts';
import { evaluate } from '../../src/policy/evaluate.ts';
import { surelyNeutral } from '../../src/policy/quick.ts';
import { judgedPrograms } from '../../src/policy/registry.ts';
import { FACTS, payloadOf, said, write } from './support.ts';

const shellTool = (command: string): ToolCall => ({ name: 'Bash', kind: 'shell', command, input: {} });

describe('the list of programs', () => {
  test('is exactly what the tables name', () => {
    const listed = new Set(CONCERNED.trim().split(/\s+/));
    const judged = judgedPrograms();
    expect([...judged].filter((name) => !listed.has(name))).toEqual([]);
    expect([...listed].filter((name) => !judged.has(name))).toEqual([]);
  });
});

const WORDS = ['git', 'rm', 'ls', 'npm', '/bin/rm', './git', 'sudo', 'push', '-f', '-rf', 'a=1', '/', '=', '-n', 'commit', 'x.exe', 'git.exe', 'sh', '-c', 'HUSKY=0', 'time', '%', 'if', ' ', '', 'Remove-Item', 'remove-item', '-Recurse', 'run', 'test', 'husky', 'uninstall',
  'cat', 'head', 'grep', 'rg', 'status', 'diff', 'log', 'show', 'add', 'fetch', '--output=.git/hooks/x', '--force', '-o', '.env', 'id_rsa', '/home/dev/.ssh/id_ed25519', '../x', 'src/a.ts', '/etc/shadow', 'cargo', 'build', 'pnpm', 'yarn', 'publish', 'install', 'less', 'wc', '--prune', 'origin', '--hard', 'HEAD', '.claude/settings.json', 'core.hooksPath', '-D', 'blame', 'fork-bomb', 'praetorctl', 'clients', 'remove', 'python3', 'node', 'docker'];

describe('surely neutral', () => {
  test('commands of plain words', () => {
    let quick = 0;
    fc.assert(fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }), (words) => {
      const tool = shellTool(words.join(' '));
      if (!surelyNeutral(tool, FACTS)) return;
      quick++;
      expect(`${tool.command}: ${evaluate(payloadOf(tool), FACTS).verdict.decision}`).toBe(`${tool.command}: neutral`);
    }), { numRuns: 6000 });
    expect(quick).toBeGreaterThan(100);
  });

  test('everyday calls of programs that are looked at', () => {
    const first = fc.constantFrom('git status', 'git diff', 'git log', 'git show', 'git add', 'git fetch', 'git blame', 'npm run', 'npm test', 'pnpm run', 'yarn test', 'cargo build', 'cat', 'head', 'grep', 'rg', 'wc', 'tail');
    fc.assert(fc.property(first, fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }), (start, words) => {
      const tool = shellTool([start, ...words].join(' '));
      if (surelyNeutral(tool, FACTS)) expect(`${tool.command}: ${said(evaluate(payloadOf(tool), FACTS))}`).toBe(`${tool.command}: neutral`);
    }), { numRuns: 6000 });
  });

  test.each(['npm run test -- --reporter dot', 'git status --short', 'git log --oneline -n 20', 'cat src/index.ts', 'grep -rn needle src', 'ls -la', 'go test ./...', 'cargo build --release', 'pnpm test'])('%s needs no rules', (command) => {
    expect(surelyNeutral(shellTool(command), FACTS)).toBe(true);
  });

  const PARTS = ['home', 'dev', '.codex', 'hooks.json', '.claude', 'settings.json', 'src', 'a.ts', '.git', 'hooks', 'pre-commit', '..', '.', '', '.CODEX', 'Hooks.JSON', '.local', 'state', 'praetorctl', '.config', 'config.toml', '.ssh', 'id_rsa', '.env', 'etc', 'shadow', '.husky', 'bin', 'node_modules', '.praetorctl', 'settings.yaml', 'proc', 'self', 'environ', 'cert.pem', 'Library', 'Keychains', '.aws', 'credentials'];
  const paths = fc.tuple(fc.array(fc.constantFrom(...PARTS), { maxLength: 7 }), fc.boolean()).map(([parts, absolute]) => (absolute ? '/' : '') + parts.join('/'));

  test('paths of file tools', () => {
    fc.assert(fc.property(paths, fc.constantFrom('linux', 'darwin', 'win32'), fc.constantFrom<'file-write' | 'file-read'>('file-write', 'file-read'), (path, platform, kind) => {
      const tool: ToolCall = { name: 'X', kind, paths: [path], input: {} };
      const facts = { ...FACTS, platform };
      if (surelyNeutral(tool, facts)) expect(`${kind} ${path}: ${said(evaluate(payloadOf(tool), facts))}`).toBe(`${kind} ${path}: neutral`);
    }), { numRuns: 6000 });
    expect(surelyNeutral({ name: 'Write', kind: 'file-write', paths: ['/home/dev/work/repo/src/a.ts'], input: {} }, FACTS)).toBe(true);
    expect(said(write('/home/dev/work/repo/src/a.ts'))).toBe('neutral');
  });

  test('arguments of MCP calls', () => {
    fc.assert(fc.property(fc.constantFrom('write_file', 'read_file', 'delete', 'move', 'query'), fc.dictionary(fc.constantFrom('path', 'text', 'to'), fc.oneof(paths, fc.constantFrom('~/.claude/settings.json', 'file:///home/dev/.ssh/id_rsa', 'hello')), { maxKeys: 3 }), (name, input) => {
      const tool: ToolCall = { name: `mcp__fs__${name}`, kind: 'mcp', mcp: { server: 'fs', tool: name, ambiguous: false }, input };
      if (surelyNeutral(tool, FACTS)) expect(`${JSON.stringify(input)}: ${said(evaluate(payloadOf(tool), FACTS))}`).toBe(`${JSON.stringify(input)}: neutral`);
    }), { numRuns: 6000 });
  });
});
