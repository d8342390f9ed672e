// Contract: the YAML editor on texts that people and clients write, case by case; what it refuses, and its bounds.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { EditOp, Tolerance } from '../../src/model/edit.ts';
import { sameValue } from '../../src/model/json.ts';
import type { JsonValue, Path } from '../../src/model/json.ts';
import { NESTING_DEPTH_MAX } from '../../src/merge/value-edit.ts';
import { YAML_ALIAS_VALUES_MAX, YAML_TEXT_CHARS_MAX } from '../../src/merge/yaml-document.ts';
import { flowText } from '../../src/merge/yaml-literal.ts';
import { yamlEditor } from '../../src/merge/yaml.ts';

const TOLERANT: Tolerance = { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };
const editor = yamlEditor(TOLERANT);
const strict = yamlEditor({ ...TOLERANT, emptyIsObject: false });

const set = (path: Path, value: JsonValue): EditOp => ({ op: 'set', path, value });
const append = (path: Path, value: JsonValue): EditOp => ({ op: 'append', path, value });
const replace = (path: Path, value: JsonValue): EditOp => ({ op: 'replace', path, value });
const remove = (path: Path): EditOp => ({ op: 'remove', path });
const prune = (path: Path): EditOp => ({ op: 'prune', path });

const LAB: JsonValue = { name: 'lab', command: 'lab-mcp', args: ['--root', '/srv/lab'] };

interface Case { readonly name: string; readonly before: string; readonly ops: readonly EditOp[]; readonly after: string }

const CASES: readonly Case[] = [
  { name: 'a list of servers gets one more, in its own column', before: 'mcpServers:\n  - name: a # mine\n    command: b\n\nrules: []\n', ops: [append(['mcpServers'], LAB)], after: 'mcpServers:\n  - name: a # mine\n    command: b\n  - name: lab\n    command: lab-mcp\n    args:\n      - "--root"\n      - /srv/lab\n\nrules: []\n' },
  { name: 'a list that stands in the column of its key stays there', before: 'mcpServers:\n- name: a\n# end\n', ops: [append(['mcpServers'], { name: 'b', env: { A: '1' } })], after: 'mcpServers:\n- name: a\n- name: b\n  env:\n    A: "1"\n# end\n' },
  { name: 'a map of extensions, four spaces, Windows line ends', before: 'extensions:\r\n    developer:\r\n        enabled: true\r\n', ops: [set(['extensions', 'lab'], { cmd: 'x', args: [], envs: { B: 'c' } })], after: 'extensions:\r\n    developer:\r\n        enabled: true\r\n    lab:\r\n        cmd: x\r\n        args: []\r\n        envs:\r\n            B: c\r\n' },
  { name: 'no final line end before, none after', before: 'a: 1', ops: [set(['b'], 2)], after: 'a: 1\nb: 2' },
  { name: 'into brackets on one line', before: 'mcpServers: []  # none yet\nx: { a: 1 }\n', ops: [append(['mcpServers'], { name: 'b' }), set(['x', 'c'], ['d'])], after: 'mcpServers: [{name: b}]  # none yet\nx: { a: 1, c: [d] }\n' },
  { name: 'into a key without a value, below its comment', before: 'mcpServers: # later\nz: 1\n', ops: [append(['mcpServers'], { name: 'b' })], after: 'mcpServers: # later\n  - name: b\nz: 1\n' },
  { name: 'into nothing', before: '', ops: [set(['extensions', 'lab', 'cmd'], 'x')], after: 'extensions:\n  lab:\n    cmd: x\n' },
  { name: 'behind a text with empty lines that belong to it', before: 'a: |+\n  x\n\n\nb: |\n  y\n\n# end\n', ops: [set(['c'], 1), set(['d'], 2)], after: 'a: |+\n  x\n\n\nb: |\n  y\nc: 1\nd: 2\n\n# end\n' },
  { name: 'between the document and its end', before: '---\na: 1\n...\n# end\n', ops: [set(['b'], 2)], after: '---\na: 1\nb: 2\n...\n# end\n' },
  { name: 'what is equal keeps its spelling', before: 'lab:\n  a: \'x\'   # why\n  b: 0x10\n  c: old\n', ops: [set(['lab'], { a: 'x', b: 16, c: 'new' })], after: 'lab:\n  a: \'x\'   # why\n  b: 0x10\n  c: new\n' },
  { name: 'a scalar, a text and a block make room for one another', before: 'a: 1 # n\nb: |\n  x\n  y\nc:\n  d: 1\n  # gone too\n', ops: [replace(['a'], { x: [1] }), replace(['b'], 'z'), replace(['c'], 5)], after: 'a: {x: [1]} # n\nb: z\nc: 5\n  # gone too\n' },
  { name: 'an element goes, comments around it stay', before: 'l:\n  # one\n  - 1\n  # two\n  - 2 # here\n  # three\n  - 3\n', ops: [remove(['l', 1])], after: 'l:\n  # one\n  - 1\n  # two\n  # three\n  - 3\n' },
  { name: 'the first key behind a dash goes', before: '- a: 1\n  b: 2\n- c: 3\n', ops: [remove([0, 'a']), remove([1, 'c'])], after: '- b: 2\n- {}\n' },
  { name: 'the last entry leaves brackets, and prune takes the rest', before: 'x: 1\nm: # c\n  k: v\n', ops: [remove(['m', 'k'])], after: 'x: 1\nm: {} # c\n' },
  { name: 'prune takes what is empty and nothing else', before: 'a: {}\nb: []\nc: {d: 1}\n', ops: [prune(['a']), prune(['b']), prune(['c']), prune(['e'])], after: 'c: {d: 1}\n' },
  { name: 'out of brackets, from each side', before: 'l: [ 1, 2, 3 ]\nm: {a: 1, b: 2}\n', ops: [remove(['l', 0]), remove(['l', 1]), remove(['m', 'b'])], after: 'l: [ 2 ]\nm: {a: 1}\n' },
  { name: 'anchors and merge keys elsewhere are nobody\'s business', before: 'base: &b {x: 1}\nuse:\n  <<: *b\n  y: *b\nlist:\n  - 1\n', ops: [append(['list'], 2), set(['new'], true)], after: 'base: &b {x: 1}\nuse:\n  <<: *b\n  y: *b\nlist:\n  - 1\n  - 2\nnew: true\n' },
];

describe('edits', () => {
  it.each(CASES)('$name', ({ before, ops, after }) => {
    const result = editor.edit(before, ops);
    if (!result.ok) throw new Error(result.fault.message);
    expect(result.text).toBe(after);
    const read = editor.read(after);
    expect(read.ok && sameValue(read.value, (parse(after) ?? {}) as JsonValue)).toBe(true);
  });

  it('take back what they put, byte for byte', () => {
    for (const before of ['', 'a: 1', '# only\n', 'a: 1\n\n# end\n', 'extensions: {}\n', 'extensions: { }\n', '---\nextensions:\n  dev: {}\n...\n', 'a: 1\r\n', 'a:\n- b\n']) {
      const done = editor.edit(before, [set(['extensions', 'lab'], { cmd: 'x', args: ['a'] })]);
      if (!done.ok) throw new Error(done.fault.message);
      const undone = editor.edit(done.text, [remove(['extensions', 'lab']), ...[...done.created].reverse().map(prune)]);
      expect(undone).toMatchObject({ ok: true, text: before });
    }
  });

  it('say nothing that one version of YAML reads differently', () => {
    for (const word of ['yes', 'No', 'on', 'OFF', 'y', 'N', 'true', 'null', '~', '', '1', '0x1', '1e3', '1_000', '.inf', '12:30:45', '2024-01-02', '<<', '=', '- a', '? a', '# a', 'a: b', 'a #b', '*a', '&a', '!a', '%a', '@a', '`a', '{a', '[a', ',a', ' a', 'a ', '"', "'", '|', '>', '\t', '\n', '\u2028', '\u0085', '\ufeff', '---', '...']) {
      const text = flowText(word);
      expect(text).toMatch(/^"/);
      expect(parse(`k: [${text}]`)).toEqual({ k: [word] });
      expect(parse(`k: ${text}`, { version: '1.1' })).toEqual({ k: word });
    }
    expect([flowText('lab-mcp'), flowText('/srv/lab'), flowText('lab_1.x')]).toEqual(['lab-mcp', '/srv/lab', 'lab_1.x']);
  });
});

describe('refusals', () => {
  const LAUGHS = `a: &a [x,x,x,x,x,x,x,x,x]\n${'abcdefghi'.split('').slice(1).map((name, i) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghi'[i]}`).join(',')}]`).join('\n')}\n`;
  it.each<[string, string, string]>([
    ['two documents', 'a: 1\n---\nb: 2\n', 'invalid-document'], ['a directive', '%YAML 1.1\n---\na: yes\n', 'invalid-document'], ['a tab in front', 'a:\n\tb: 1\n', 'invalid-document'],
    ['a key twice', 'a: 1\n"a": 2\n', 'duplicate-key'], ['a key that is a list', '[a]: 1\n', 'invalid-document'], ['a lone carriage return', 'a: 1\rb: 2', 'invalid-document'],
    ['a control character', 'a: \u0001', 'invalid-document'], ['half of a surrogate pair', 'a: \ud800', 'invalid-document'], ['an open bracket', 'a: [1', 'invalid-document'], ['an alias of nothing', 'a: *b', 'invalid-document'],
    ['an alias that holds itself', 'a: &a [*a]', 'invalid-document'], ['aliases that multiply', LAUGHS, 'too-large'], ['merge-conflict markers', '<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n', 'merge-conflict-markers'],
    ['brackets without end', '['.repeat(20_000), 'invalid-document'], ['deep brackets', `${'['.repeat(NESTING_DEPTH_MAX + 2)}${']'.repeat(NESTING_DEPTH_MAX + 2)}`, 'too-deep'], ['very deep brackets', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'invalid-document'],
    ['a file past the bound', `a: ${'x'.repeat(YAML_TEXT_CHARS_MAX)}`, 'too-large'],
  ])('%s', (_name, text, code) => {
    const read = editor.read(text);
    expect(read.ok ? '' : read.fault.code).toBe(code);
    expect(read.ok ? '' : read.fault.message).not.toMatch(/xxx|HEAD/);
    expect(editor.edit(text, [set(['z'], 1)])).toMatchObject({ ok: false, fault: { code } });
  });

  it('an empty text where the client wants a document', () => {
    for (const text of ['', ' \n', '# only\n', '---\n']) expect(strict.read(text)).toMatchObject({ ok: false, fault: { code: 'empty-file' } });
    expect(strict.edit('a: 1\n', [remove(['a'])])).toMatchObject({ ok: true, text: '{}\n' });
    expect(editor.edit('# c\na: 1\n', [remove(['a'])])).toMatchObject({ ok: true, text: '# c\n' });
  });

  it.each<[string, string, EditOp]>([
    ['an anchored map', 'a: &x\n  b: 1\nc: *x\n', set(['a', 'd'], 2)], ['an alias', 'a: &x {b: 1}\nc: *x\n', set(['c', 'd'], 2)], ['what an alias needs', 'a: &x 1\nb: *x\n', remove(['a'])], ['an anchor inside', 'a:\n  b: &x 1\nc: *x\n', remove(['a'])],
    ['a merge key', 'b: &b {x: 1}\na:\n  <<: *b\n', set(['a', 'd'], 2)], ['a tag', 'a: !mine\n  b: 1\n', set(['a', 'd'], 2)], ['brackets over lines', 'a: [\n  1\n]\n', append(['a'], 2)], ['a last comma', 'a: [1,]\n', append(['a'], 2)],
    ['a pair without braces', 'a: [b: 1]\n', set(['a', 0, 'c'], 2)], ['an explicit key', '? a\n: b: 1\n', set(['a', 'c'], 2)], ['a null that is said', 'a: ~\n', set(['a', 'c'], 2)], ['a scalar in the way', 'a: 1\n', set(['a', 'c'], 2)],
    ['a map where a list is wanted', 'a: {b: 1}\n', append(['a'], 2)], ['nothing to remove', 'a: 1\n', remove(['b'])], ['a comment behind a shared line', '- a: 1 # c\n  b: 2\n', remove([0, 'a'])],
    ['lines that a text would take in', 'a: |\n  x\nb: 1\n      # c\nc: 2\n', remove(['b'])], ['half a surrogate', 'a: 1\n', set(['b'], '\ud800')], ['a number that is none', 'a: 1\n', set(['b'], Number.NaN)], ['a long key', 'a: 1\n', set(['k'.repeat(161)], 1)],
    ['the document itself', 'a: 1\n', set([], 1)],
  ])('%s on the way to an edit', (_name, text, op) => {
    expect(editor.read(text).ok).toBe(true);
    expect(editor.edit(text, [set(['other'], 1), op])).toMatchObject({ ok: false, fault: { code: 'wrong-type' } });
  });
});

describe('bounds', () => {
  it('aliases up to the bound, and one past it', () => {
    const text = (count: number): string => `a: &a [${Array.from({ length: 98 }, () => 1).join(',')}]\nb: [${Array.from({ length: count }, () => '*a').join(',')}]\n`;
    expect(editor.read(text(Math.floor(YAML_ALIAS_VALUES_MAX / 99))).ok).toBe(true);
    expect(editor.read(text(Math.floor(YAML_ALIAS_VALUES_MAX / 99) + 1))).toMatchObject({ ok: false, fault: { code: 'too-large' } });
  });

  const N = YAML_TEXT_CHARS_MAX - 64;
  it.each<[string, string]>([
    ['keys', Array.from({ length: 40_000 }, (_, i) => `k${i}: v`).join('\n')], ['elements', '- a\n'.repeat(N / 4)], ['comments', `a: 1\n${'# c\n'.repeat(N / 4)}`], ['one long text', `a: "${'x'.repeat(N)}"`], ['one long plain text', `a: ${'x '.repeat(N / 2)}`],
    ['a flow list', `a: [${'1,'.repeat(N / 2 - 8)}1]`], ['blank lines', `a: 1\n${'\n'.repeat(N)}b: 2`], ['a block of text', `a: |\n${'  x\n'.repeat(N / 4 - 2)}`], ['quotes', `a: ${"''".repeat(N / 2)}`], ['dashes', '- '.repeat(90)], ['anchors', Array.from({ length: 20_000 }, (_, i) => `k${i}: &a${i} v`).join('\n')],
  ])('an edit of a file full of %s takes seconds at most', (_name, text) => {
    const started = performance.now();
    editor.edit(text, [set(['mcpServers', 'lab'], LAB)]);
    expect(performance.now() - started).toBeLessThan(20_000);
  }, 60_000);
});
