// Contract: the steps of CONTRIBUTING.md for a new client, followed literally in a copy of the tree with a made-up client: one new
// folder, an import and a line in each of the two lists, fixtures, its silent ways in the list of the tests. Nothing else is touched by hand, and what the
// suites of that copy say counts.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { repo } from './support/cli.ts';

const COPIED = ['src', 'test', 'scripts', 'bin', 'schemas', 'docs', 'package.json', 'tsconfig.json', 'vitest.config.ts', 'README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'AGENTS.md', 'CONTRIBUTING.md', 'package-lock.json', '.npmrc'];
const root = mkdtempSync(join(tmpdir(), 'praetorctl-new-client-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const edit = (path: string, change: (before: string) => string): void => writeFileSync(join(root, path), change(text(path)));
const madeUp = (source: string): string => source
  .replaceAll('Auggie', 'Made Up').replaceAll('auggie', 'madeup').replaceAll('AUGMENT', 'MADEUP').replaceAll('.augment', '.madeup').replaceAll("'augment'", "'made-up'").replaceAll('/augment', '/madeup');

/** A folder as a contributor would write it, from one that stands: other names, other places. */
function copyFolder(from: string, to: string): void {
  cpSync(join(root, from), join(root, to), { recursive: true });
  for (const name of readdirSync(join(root, to), { recursive: true }) as string[]) {
    const path = join(to, name);
    if (statSync(join(root, path)).isFile()) edit(path, madeUp);
  }
  if (existsSync(join(root, to, '.augment'))) renameSync(join(root, to, '.augment'), join(root, to, '.madeup'));
}

/** What it printed; where it failed, the test shows it. */
function run(...words: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: root, TMPDIR: process.env['TMPDIR'], NO_COLOR: '1' };
  const ran = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8', env, timeout: 240_000 });
  expect(ran.status === 0 ? '' : ran.stdout + ran.stderr).toBe('');
  return ran.stdout;
}

const vitest = (...words: string[]): string => run('node_modules/vitest/vitest.mjs', 'run', ...words);

function filesBelow(base: string): Map<string, string> {
  const walk = (directory: string): string[] => readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist', '.vite'].includes(entry.name) ? [] : walk(path);
    return entry.isFile() ? [path] : [];
  });
  return new Map(walk(base).map((path) => [relative(base, path), readFileSync(path, 'latin1')]));
}

test('a made-up client by the six steps', () => {
  for (const name of COPIED) cpSync(join(repo, name), join(root, name), { recursive: true });
  symlinkSync(join(repo, 'node_modules'), join(root, 'node_modules'));
  const before = filesBelow(root);
  // 1. Capture.
  copyFolder('test/fixtures/payloads/auggie', 'test/fixtures/payloads/madeup');
  for (const home of ['minimal', 'grown']) copyFolder(`test/fixtures/homes/auggie-${home}`, `test/fixtures/homes/madeup-${home}`);
  // 2. and 3. Row and dialect, and the silent ways with what builds them.
  copyFolder('src/clients/auggie', 'src/clients/madeup');
  edit('test/silent/ways.mjs', (list) => list
    .replace(/^export const HOOK_FILES = \{$/m, "$&\n  madeup: '.madeup/settings.json',")
    .replace(/^const auggie = [\s\S]*?^\];$/m, (ways) => `${ways}\n${madeUp(ways)}`).replace(/^(const LISTS = .*) \};$/m, '$1, madeup };'));
  // 4. The two lists.
  const listed = (constant: string, file: string) => (list: string): string => list
    .replace(/^import /m, `import { ${constant} } from './madeup/${file}.ts';\nimport `).replace(/^(export const (?:CLIENTS|DIALECTS): .* = \[)$/m, `$1\n  ${constant},`);
  edit('src/clients/registry.ts', listed('madeup', 'setup'));
  edit('src/clients/dialects.ts', listed('madeupDialect', 'dialect'));
  // 5. `npm run docs` (without the transcript, which holds no client of this kind) and the suites.
  run('scripts/build.mjs');
  run('scripts/generate.mjs');
  expect(vitest('test/conformance.test.ts', '-t', '^madeup ')).toMatch(/Tests +[3-9]\d passed/);
  vitest('test/dialects', 'test/architecture.test.ts');
  expect(vitest('test/silent/silent.test.ts', '-t', 'catalogues|madeup')).toMatch(/Tests +1\d passed/);
  // 6. A line in the changelog.
  edit('CHANGELOG.md', (list) => `${list}- Made Up: hooks and MCP servers.\n`);

  const after = filesBelow(root);
  const touched = [...after].filter(([path, content]) => before.get(path) !== content).map(([path]) => path).sort();
  const ours = touched.filter((path) => path.startsWith('src/'));
  expect(ours).toEqual(['src/clients/dialects.ts', 'src/clients/madeup/dialect.ts', 'src/clients/madeup/managed.ts', 'src/clients/madeup/setup.ts', 'src/clients/madeup/silent.ts', 'src/clients/registry.ts']);
  const generated = ['CHANGELOG.md', 'README.md', 'docs/clients.md', 'docs/verify.md', 'test/__snapshots__/conformance.test.ts.snap', 'test/dialects/golden/madeup.txt', 'test/roots/golden/madeup.json', 'test/silent/ways.mjs'];
  expect(touched.filter((path) => !ours.includes(path) && !path.startsWith('test/fixtures/') && !generated.includes(path))).toEqual([]);
  for (const path of touched.filter((one) => one.startsWith('test/fixtures/'))) expect(path).toMatch(/^test\/fixtures\/(?:payloads\/madeup|homes\/madeup-(?:minimal|grown))\//);
  for (const list of ['src/clients/registry.ts', 'src/clients/dialects.ts']) expect(text(list).split('\n').length - (before.get(list) ?? '').split('\n').length).toBe(2);
  expect(text('docs/clients.md')).toContain('Made Up (`madeup`)');

  // And it works: the built hook judges a call of it.
  const payload = readFileSync(join(root, 'test/fixtures/payloads/madeup/documented.PreToolUse.json'), 'utf8');
  const document = JSON.parse(payload) as { tool_input: object };
  const input = JSON.stringify({ ...document, tool_input: { ...document.tool_input, command: 'git push --force' } });
  const said = spawnSync(join(root, 'bin/praetorctl'), ['hook', 'madeup', 'pre-tool'], { input, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: root } });
  expect(said.stdout).toContain('git.push.force');
}, 480_000);
