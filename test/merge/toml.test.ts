// Contract: named examples of the TOML editor, the captured Codex configurations among them. Every example that only
// inserts is undone as well and must give back the original bytes.
import { readdirSync, readFileSync } from 'node:fs';
import { parse as iarnaParse } from '@iarna/toml';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EditOp, MergeFault } from '../../src/model/edit.ts';
import { valueAt } from '../../src/model/json.ts';
import type { JsonValue, Path } from '../../src/model/json.ts';
import { TOML_TEXT_CHARS_MAX, TOML_TOKEN_CHARS_MAX } from '../../src/merge/toml-guard.ts';
import { blockLines } from '../../src/merge/toml-literal.ts';
import { NESTING_DEPTH_MAX } from '../../src/merge/value-edit.ts';
import { tomlEditor } from '../../src/merge/toml.ts';

const FIXTURES = new URL('../fixtures/toml/', import.meta.url);
const fixture = (name: string): string => readFileSync(new URL(name, FIXTURES), 'utf8');

const set = (path: Path, value: JsonValue): EditOp => ({ op: 'set', path, value });
const append = (path: Path, value: JsonValue): EditOp => ({ op: 'append', path, value });
const replace = (path: Path, value: JsonValue): EditOp => ({ op: 'replace', path, value });
const remove = (...path: Path): EditOp => ({ op: 'remove', path });
const prune = (...path: Path): EditOp => ({ op: 'prune', path });

const LAB = { command: 'x', args: ['a'], env: { A: 'b' } };
const LAB_BLOCK = '[mcp_servers.lab]\ncommand = "x"\nargs = ["a"]\n\n[mcp_servers.lab.env]\nA = "b"\n';
const GUARD = { matcher: '*', hooks: [{ type: 'command', command: 'praetorctl hook codex PreToolUse' }] };
const GUARD_BLOCK = '[[hooks.PreToolUse]]\nmatcher = "*"\n\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "praetorctl hook codex PreToolUse"\n';

function edit(text: string, ops: readonly EditOp[]): string {
  const result = tomlEditor.edit(text, ops);
  if (!result.ok) throw new Error(`${result.fault.code}: ${result.fault.message}`);
  return result.text;
}

function faultOf(text: string, ops: readonly EditOp[] = []): MergeFault {
  const result = tomlEditor.edit(text, ops);
  if (result.ok) throw new Error('expected a refusal');
  return result.fault;
}

function read(text: string): JsonValue {
  const result = tomlEditor.read(text);
  if (!result.ok) throw new Error(result.fault.message);
  return result.value;
}

/** Takes back the inserting ops in reverse order, each followed by the prunes of what it created. */
function undo(text: string, ops: readonly EditOp[]): string {
  let now = text;
  const inverses: EditOp[][] = [];
  for (const op of ops) {
    const before = valueAt(read(now), op.path);
    const result = tomlEditor.edit(now, [op]);
    if (!result.ok) throw new Error(result.fault.message);
    const target = op.op === 'append' ? [...op.path, Array.isArray(before) ? before.length : 0] : op.path;
    inverses.push([{ op: 'remove', path: target }, ...[...result.created].reverse().map((path) => prune(...path))]);
    now = result.text;
  }
  return inverses.reverse().reduce(edit, now);
}

interface Example { readonly name: string; readonly before: string; readonly ops: readonly EditOp[]; readonly after: string }

const INSERTIONS: readonly Example[] = [
  { name: 'an empty file takes a block without a blank line', before: '', ops: [set(['mcp_servers', 'lab'], LAB)], after: LAB_BLOCK },
  { name: 'a file of blank lines keeps them behind the block', before: '\n  \n', ops: [set(['features', 'hooks'], true)], after: '[features]\nhooks = true\n\n  \n' },
  { name: 'a new server goes behind the last server and its sub-tables, before the comment of the next table',
    before: '[mcp_servers.a]\ncommand = "a"\n[mcp_servers.a.env]\nX = "1" # x\n\n# next\n[tui]\nx = 1\n', ops: [set(['mcp_servers', 'lab'], LAB)],
    after: `[mcp_servers.a]\ncommand = "a"\n[mcp_servers.a.env]\nX = "1" # x\n\n${LAB_BLOCK}\n# next\n[tui]\nx = 1\n` },
  { name: 'comments that touch the last key belong to its table and stay above the new block',
    before: '[mcp_servers.a]\ncommand = "a"\n# args = []\n\n[tui]\n', ops: [set(['mcp_servers', 'lab'], { command: 'x' })],
    after: '[mcp_servers.a]\ncommand = "a"\n# args = []\n\n[mcp_servers.lab]\ncommand = "x"\n\n[tui]\n' },
  { name: 'comments that touch the next header stay with it',
    before: '[mcp_servers.a]\ncommand = "a"\n# about tui\n[tui]\n', ops: [set(['mcp_servers', 'lab'], { command: 'x' })],
    after: '[mcp_servers.a]\ncommand = "a"\n\n[mcp_servers.lab]\ncommand = "x"\n# about tui\n[tui]\n' },
  { name: 'without a parent a block goes behind the trailing comment of the file', before: 'a = 1\n# end\n\n', ops: [set(['features', 'hooks'], true)], after: 'a = 1\n# end\n\n[features]\nhooks = true\n\n' },
  { name: 'a file without a final newline stays without one', before: 'a = 1', ops: [set(['mcp_servers', 'lab'], LAB)], after: `a = 1\n\n${LAB_BLOCK.trimEnd()}` },
  { name: 'a name that is no bare key is quoted', before: '[mcp_servers."x.y"]\nk = 1\n', ops: [set(['mcp_servers', 'p.q'], { k: 1 })], after: '[mcp_servers."x.y"]\nk = 1\n\n[mcp_servers."p.q"]\nk = 1\n' },
  { name: 'out-of-order tables: the block goes behind the last table of its parent', before: '[mcp_servers.a]\n[x]\n[mcp_servers.b]\n[y]\n', ops: [set(['mcp_servers', 'lab'], { k: 1 })], after: '[mcp_servers.a]\n[x]\n[mcp_servers.b]\n\n[mcp_servers.lab]\nk = 1\n[y]\n' },
  { name: 'an inline parent takes an inline entry', before: 'mcp_servers = { a = { command = "a" } } # all\n', ops: [set(['mcp_servers', 'lab'], LAB)],
    after: 'mcp_servers = { a = { command = "a" }, lab = { command = "x", args = ["a"], env = { A = "b" } } } # all\n' },
  { name: 'an empty inline parent keeps its padding', before: 'mcp_servers = { }\n', ops: [set(['mcp_servers', 'lab', 'k'], 1)], after: 'mcp_servers = { lab = { k = 1 } }\n' },
  { name: 'dotted keys inside an inline table stay dotted', before: 'm = { a.b = 1 }\n', ops: [set(['m', 'a', 'c'], 2)], after: 'm = { a.b = 1, a.c = 2 }\n' },
  { name: 'a table of dotted keys may have sub-tables with headers (TOML 1.0, "Table")', before: 'mcp_servers.a.command = "x"\n', ops: [set(['mcp_servers', 'lab'], { k: 1 })], after: 'mcp_servers.a.command = "x"\n\n[mcp_servers.lab]\nk = 1\n' },
  { name: 'a key for a table of dotted keys is a dotted key beside its siblings', before: 'm.a.x = 1\nm.b.x = 1\n\n[t]\n', ops: [set(['m', 'a', 'y'], [2])], after: 'm.a.x = 1\nm.a.y = [2]\nm.b.x = 1\n\n[t]\n' },
  { name: 'the same below a header', before: '[t]\n  m.x = 1\n  n = 2\n', ops: [set(['t', 'm', 'y'], 2)], after: '[t]\n  m.x = 1\n  m.y = 2\n  n = 2\n' },
  { name: 'a block for a dotted parent goes behind the body that defines it', before: '[t]\nm.x = 1\n\n[u]\n', ops: [set(['t', 'm', 'n'], { k: 1 })], after: '[t]\nm.x = 1\n\n[t.m.n]\nk = 1\n\n[u]\n' },
  { name: 'a key for a table that only headers imply is a dotted key above them', before: '# top\n\n# about\n[a.b]\nx = 1\n', ops: [set(['a', 'k'], 1)], after: '# top\n\na.k = 1\n\n# about\n[a.b]\nx = 1\n' },
  { name: 'a new key follows the last key of its table with its indentation', before: '[t]\n\tx = """\n[t.fake]\n""" # c\n\n\t[t.sub]\n', ops: [set(['t', 'y'], 'z')], after: '[t]\n\tx = """\n[t.fake]\n""" # c\n\ty = "z"\n\n\t[t.sub]\n' },
  { name: 'a new key of an empty table follows its header', before: '[t] # c\n# note\n', ops: [set(['t', 'y'], 1)], after: '[t] # c\ny = 1\n# note\n' },
  { name: 'a new root key follows the last root key', before: 'a = 1 # c\n\n[t]\n', ops: [set(['b'], 2)], after: 'a = 1 # c\nb = 2\n\n[t]\n' },
  { name: 'a first root key stands before the first header with a blank line between', before: '[t]\nx = 1\n', ops: [set(['b'], 2)], after: 'b = 2\n\n[t]\nx = 1\n' },
  { name: 'a file of comments keeps them above its first key', before: '# only', ops: [set(['b'], 2)], after: '# only\nb = 2' },
  { name: 'CRLF files get CRLF', before: 'a = 1\r\n# c\r\n', ops: [set(['t', 'x'], 1)], after: 'a = 1\r\n# c\r\n\r\n[t]\r\nx = 1\r\n' },
  { name: 'in mixed files the nearest line end decides', before: '[a]\nx = 1\n[b]\r\nx = 1\r\n', ops: [set(['a', 'y'], 1), set(['b', 'y'], 1)], after: '[a]\nx = 1\ny = 1\n[b]\r\nx = 1\r\ny = 1\r\n' },
  { name: 'a first hook makes an array of tables', before: 'a = 1\n', ops: [append(['hooks', 'PreToolUse'], GUARD)], after: `a = 1\n\n${GUARD_BLOCK}` },
  { name: 'a further hook follows the last element and its sub-tables', before: `${GUARD_BLOCK}\n[hooks.state]\nx = 1\n`, ops: [append(['hooks', 'PreToolUse'], { matcher: 'y' })], after: `${GUARD_BLOCK}\n[[hooks.PreToolUse]]\nmatcher = "y"\n\n[hooks.state]\nx = 1\n` },
  { name: 'a handler joins the first group, before the second', before: '[[h]]\n[[h.hooks]]\nc = 1\n[[h]]\n[[h.hooks]]\nc = 2\n', ops: [append(['h', 0, 'hooks'], { c: 3 })], after: '[[h]]\n[[h.hooks]]\nc = 1\n\n[[h.hooks]]\nc = 3\n[[h]]\n[[h.hooks]]\nc = 2\n' },
  { name: 'an inline array of tables takes an inline table', before: 'h = [{ c = 1 }]\n', ops: [append(['h'], { c: 2, d: { e: [] } })], after: 'h = [{ c = 1 }, { c = 2, d = { e = [] } }]\n' },
  { name: 'a missing array of scalars becomes a key', before: '[t]\n', ops: [append(['t', 'a'], 'x')], after: '[t]\na = ["x"]\n' },
  { name: 'a missing array without any parent becomes a block with a key', before: '', ops: [append(['t', 'a'], 'x')], after: '[t]\na = ["x"]\n' },
  { name: 'a line per element: trailing comma and comments stay', before: 'a = [\n  "one", # c1\n  "two", # c2\n  # off\n]\n', ops: [append(['a'], 'three')], after: 'a = [\n  "one", # c1\n  "two", # c2\n  "three",\n  # off\n]\n' },
  { name: 'a line per element without trailing comma', before: 'a = [\n  "one", # c1\n  "two" # c2, "x"\n]\n', ops: [append(['a'], 'three')], after: 'a = [\n  "one", # c1\n  "two", # c2, "x"\n  "three"\n]\n' },
  { name: 'a closing bracket on the last element\'s line', before: 'a = [\n  1,\n  2]\n', ops: [append(['a'], 3)], after: 'a = [\n  1,\n  2, 3]\n' },
  { name: 'odd spacing and a trailing comma on one line', before: 'a = [ 1 ,  2 , ]\n', ops: [append(['a'], 3)], after: 'a = [ 1 ,  2 , 3, ]\n' },
  { name: 'comma-first style', before: 'a = [ 1\n    , 2\n    ]\n', ops: [append(['a'], 3)], after: 'a = [ 1\n    , 2,\n  3\n    ]\n' },
  { name: 'empty arrays: tight, padded, on lines', before: 'a = []\nb = [ ]\nc = [\n  # none\n]\n', ops: [append(['a'], 1), append(['b'], 1), append(['c'], 1)], after: 'a = [1]\nb = [ 1 ]\nc = [\n  # none\n  1,\n]\n' },
  { name: 'a TOML 1.1 inline table over several lines', before: 'm = {\n  a = 1, # c\n}\n', ops: [set(['m', 'b'], 2)], after: 'm = {\n  a = 1, # c\n  b = 2,\n}\n' },
  { name: 'objects with only sub-tables need no header, empty ones do', before: '', ops: [set(['a'], { b: { c: 1 }, d: {} })], after: '[a.b]\nc = 1\n\n[a.d]\n' },
  { name: 'strings are escaped, numbers keep their kind', before: '', ops: [set(['s'], 'a"\\\n\t\u0000\u007fé'), set(['n'], [1, -0, 1.5, 1e21, 2 ** 60, 1e-7])], after: 's = "a\\"\\\\\\n\\t\\u0000\\u007Fé"\nn = [1, -0.0, 1.5, 1e+21, 1152921504606847000.0, 1e-7]\n' },
];

const CHANGES: readonly Example[] = [
  { name: 'a value is replaced in place', before: '[t]\nx   =  0xFF # c\ny = 1_000\n', ops: [set(['t', 'x'], 'z')], after: '[t]\nx   =  "z" # c\ny = 1_000\n' },
  { name: 'an equal value in another spelling stays', before: 'x = 0xFF\ny = 1_000\nz = 1e5\ns = \'a\'\n', ops: [set(['x'], 255), set(['y'], 1000), set(['z'], 100000), set(['s'], 'a')], after: 'x = 0xFF\ny = 1_000\nz = 1e5\ns = \'a\'\n' },
  { name: 'a string is not equal to a date of the same text', before: 'd = 1979-05-27\n', ops: [set(['d'], '1979-05-27')], after: 'd = "1979-05-27"\n' },
  { name: 'literals outside JSON can be written back', before: 'd = 1\nn = 1\n', ops: [set(['d'], { $toml: '1979-05-27T07:32:00Z' }), set(['n'], { $toml: '9223372036854775807' })], after: 'd = 1979-05-27T07:32:00Z\nn = 9223372036854775807\n' },
  { name: 'an element is replaced in place', before: 'a = [ 1, # c\n 2 ]\n', ops: [replace(['a', 0], 'x')], after: 'a = [ "x", # c\n 2 ]\n' },
  { name: 'an existing table is replaced key by key; the header, its comments and equal keys stay', before: `# about lab\n${LAB_BLOCK}cwd = "old"\n`, ops: [set(['mcp_servers', 'lab'], { command: 'y', args: ['a'], env: { B: 'c' } })],
    after: '# about lab\n[mcp_servers.lab]\ncommand = "y"\nargs = ["a"]\n\n[mcp_servers.lab.env]\nB = "c"\n' },
  { name: 'a table of dotted keys is replaced', before: 'm.a.x = 1\nm.a.y = 2\n', ops: [set(['m', 'a'], { x: 1, z: 3 })], after: 'm.a.x = 1\nm.a.z = 3\n' },
  { name: 'a table of dotted keys that becomes empty gets a header', before: 'm.a.x = 1\nk = 1\n', ops: [set(['m', 'a'], {})], after: 'k = 1\n\n[m.a]\n' },
  { name: 'an array of tables is replaced element by element', before: '[[h]] # one\nx = 1\n[[h]]\nx = 2\n[[h]]\nx = 3\n', ops: [set(['h'], [{ x: 1 }, { x: 4 }])], after: '[[h]] # one\nx = 1\n[[h]]\nx = 4\n' },
  { name: 'a table gives way to a scalar', before: '[t]\nx = 1\n[u]\n', ops: [set(['t'], 1)], after: 't = 1\n\n[u]\n' },
  { name: 'a key goes with its line and its comment', before: '[t]\nx = """\na\n""" # c\n# note\ny = 1\n', ops: [remove('t', 'x')], after: '[t]\n# note\ny = 1\n' },
  { name: 'a table goes with all sub-tables wherever they stand; comments above stay', before: 'a = 1\n\n# lab\n[m.lab]\nx = 1\n\n[m.lab.env]\nA = 1\n\n[o]\n\n[m.lab.tools.t] # t\nk = 1\n', ops: [remove('m', 'lab')], after: 'a = 1\n\n# lab\n\n[o]\n' },
  { name: 'a table of dotted keys goes with every line', before: 'm.lab.a = 1\nk = 1\nm.lab.b = 2\n', ops: [remove('m', 'lab')], after: 'k = 1\n' },
  { name: 'dotted keys in an inline table go one and all', before: 'm = { a.x = 1, b = 2, a.y = 3 }\n', ops: [remove('m', 'a')], after: 'm = { b = 2 }\n' },
  { name: 'an element of an array of tables goes with its sub-tables', before: '[[h]]\nx = 1\n\n[[h.s]]\ny = 1\n\n[[h]]\nx = 2\n', ops: [remove('h', 0)], after: '\n[[h]]\nx = 2\n' },
  { name: 'a removed inline element takes exactly one comma: first, middle, last', before: 'a = [1, 2, 3]\nb = [1, 2, 3]\nc = [1, 2, 3]\nd = [ 1 ]\n', ops: [remove('a', 0), remove('b', 1), remove('c', 2), remove('d', 0)], after: 'a = [2, 3]\nb = [1, 3]\nc = [1, 2]\nd = [ ]\n' },
  { name: 'a removed element takes its line and its comment', before: 'a = [\n  1, # one\n  2, # two\n  3 # three\n]\n', ops: [remove('a', 1), remove('a', 1)], after: 'a = [\n  1 # one\n]\n' },
  { name: 'prune takes empty headers and inline containers only', before: '[a]\n\n[b]\nx = 1\n\n[c]\ny = {}\nz = []\n', ops: [prune('a'), prune('b'), prune('c', 'y'), prune('c', 'z'), prune('c'), prune('nowhere', 'x')], after: '\n[b]\nx = 1\n' },
  { name: 'prune of a table that vanished with its last sub-table does nothing', before: '[a.b]\n', ops: [remove('a', 'b'), prune('a')], after: '' },
  { name: 'a table in a string is no table', before: "s = '''\n[mcp_servers.lab]\n'''\n[mcp_servers.lab]\nx = 1\n", ops: [remove('mcp_servers', 'lab')], after: "s = '''\n[mcp_servers.lab]\n'''\n" },
];

describe('insertions', () => {
  for (const { name, before, ops, after } of INSERTIONS) {
    it(name, () => {
      expect(edit(before, ops)).toBe(after);
      expect(undo(before, ops)).toBe(before);
    });
  }
});

describe('changes and removals', () => {
  for (const { name, before, ops, after } of CHANGES) it(name, () => expect(edit(before, ops)).toBe(after));

  it('a table that only headers imply, below an explicit parent that comes later, gets a header that stays when its key goes', () => {
    const before = '[a.b.c]\nx = 1\n[a]\ny = 1\n';
    const after = edit(before, [set(['a', 'b', 'k'], 1)]);
    expect(after).toBe('[a.b.c]\nx = 1\n\n[a.b]\nk = 1\n[a]\ny = 1\n');
    expect(edit(after, [remove('a', 'b', 'k')])).toBe('[a.b.c]\nx = 1\n\n[a.b]\n[a]\ny = 1\n');
  });
});

describe('captured Codex configurations', () => {
  const ops = [set(['mcp_servers', 'praetor'], LAB), append(['hooks', 'PreToolUse'], GUARD), append(['hooks', 'Stop'], GUARD), set(['features', 'hooks'], true), set(['approval_policy'], 'never')];
  for (const name of readdirSync(FIXTURES)) {
    for (const [eol, make] of [['LF', (text: string) => text], ['CRLF', (text: string) => text.replace(/\n/g, '\r\n')], ['no final newline', (text: string) => text.trimEnd()]] as const) {
      it(`${name} (${eol}) takes server, hooks, feature and key, keeps every other byte and comes back`, () => {
        const fresh = edit(make(fixture(name)), read(make(fixture(name))) !== null && valueAt(read(make(fixture(name))), ['mcp_servers', 'praetor']) !== undefined ? [remove('mcp_servers', 'praetor')] : []);
        const result = tomlEditor.edit(fresh, ops);
        if (!result.ok) throw new Error(result.fault.message);
        expect(result.splices.every((splice) => splice.start === splice.end)).toBe(true);
        expect(result.text.includes('\r\n')).toBe(eol === 'CRLF');
        expect(/[^\r]\n/.test(result.text)).toBe(eol !== 'CRLF');
        expect(undo(fresh, ops)).toBe(fresh);
        if (eol === 'LF') expect(valueAt(JSON.parse(JSON.stringify(iarnaParse(result.text))) as JsonValue, ['mcp_servers', 'praetor'])).toEqual(LAB);
      });
    }
  }

  it('a server is added as Codex adds it, but nothing else of the file changes', () => {
    const before = fixture('config.before_mcp_add.toml');
    const value = { command: '/usr/bin/node', args: ['/home/dev/bin/mcp.mjs', '--flag', 'a b'], env: { K: 'V' } };
    const after = edit(before, [set(['mcp_servers', 'praetor'], value)]);
    const codex = fixture('config.after_mcp_add.toml');
    expect(after.replace(/[^]*(?=\[mcp_servers\.praetor\])/, '')).toBe(codex.replace(/[^]*(?=\[mcp_servers\.praetor\])/, ''));
    expect(read(after)).toEqual(read(codex));
  });

  it('created names missing parents and the array of an appended element, outermost first, and splices are against the original', () => {
    const result = tomlEditor.edit('a = 1\n', [append(['hooks', 'PreToolUse'], GUARD), set(['mcp_servers', 'lab', 'command'], 'x'), remove('a')]);
    expect(result).toMatchObject({ ok: true, created: [['hooks'], ['mcp_servers'], ['hooks', 'PreToolUse'], ['mcp_servers', 'lab']], splices: [{ start: 0, end: 6 }] });
  });
});

describe('values', () => {
  it('literals that JSON cannot hold are tagged with their text', () => {
    expect(read('a = 9007199254740993\nb = inf\nc = -nan\nd = 1979-05-27 07:32:00.1234567Z\ne = [07:32:00]\nf = 1e400\n__proto__ = 1\n')).toEqual(
      Object.fromEntries([['a', { $toml: '9007199254740993' }], ['b', { $toml: 'inf' }], ['c', { $toml: 'nan' }], ['d', { $toml: '1979-05-27 07:32:00.1234567Z' }], ['e', [{ $toml: '07:32:00' }]], ['f', { $toml: 'inf' }], ['__proto__', 1]]));
  });

  it('new blocks mean the same to @iarna/toml', () => {
    const leaf = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n)), fc.boolean());
    const { table } = fc.letrec<{ table: { [key: string]: JsonValue }; value: JsonValue }>((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 3 }), tie('table'), fc.array(tie('table'), { maxLength: 2 })),
      table: fc.dictionary(fc.string().filter((key) => key !== '$toml' && !(key in {})), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    }));
    fc.assert(fc.property(table, (value) => {
      const text = `${blockLines(['t'], value).join('\n')}\n`;
      expect(JSON.parse(JSON.stringify(iarnaParse(text)))).toEqual({ t: value });
      expect(read(text)).toEqual({ t: value });
    }), { numRuns: 300 });
  });
});

describe('refusals', () => {
  it('invalid TOML names line and column and never quotes the file', () => {
    expect(faultOf('a = 1\nb = secret-value\n')).toMatchObject({ code: 'invalid-document', line: 2, column: 5, offset: 10 });
    for (const text of ['a = 1\nb = secret-value\n', 'a = "secret\n', '[secret\n', '"secret" 1', 'a = "\\secret"']) expect(faultOf(text).message).not.toContain('secret');
  });

  it('duplicate keys, NUL, bare CR, and integers beyond 64 bits are invalid documents', () => {
    for (const text of ['a = 1\na = 2\n', '[a]\n[a]\n', 'a.b = 1\n[a]\n', 'a = "\0"', 'a = 1\rb = 2', 'a = 9223372036854775808', '\0\0']) expect(faultOf(text).code).toBe('invalid-document');
  });

  it('merge conflict markers are named, but not inside a string', () => {
    expect(faultOf('a = 1\n<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> x\n')).toMatchObject({ code: 'merge-conflict-markers', line: 2, column: 1 });
    expect(edit("a = '''\n<<<<<<< HEAD\n'''\n", [])).toContain('<<<<<<<');
  });

  it('a path through a value of another type is refused where that value stands', () => {
    const text = '[a]\nb = 1\nc = [1]\n\n[[d]]\nx = 1\n';
    expect(faultOf(text, [set(['a', 'b', 'c'], 1)])).toMatchObject({ code: 'wrong-type', line: 2, column: 5 });
    expect(faultOf(text, [append(['a', 'b'], 1)])).toMatchObject({ code: 'wrong-type', line: 2, column: 5 });
    expect(faultOf(text, [append(['d'], 1)])).toMatchObject({ code: 'wrong-type', line: 5, column: 1 });
    for (const op of [set(['a', 'c', 'x'], 1), set(['a', 0], 1), append(['a'], 1), remove('a', 'x'), remove('d', 1), replace(['a', 'x'], 1), replace(['d', 0], 1), set([], {}), set(['d', 3, 'x'], 1), set(['a', 'x'], null), set(['a', 'x'], '\ud800')]) {
      expect(faultOf(text, [op]).code).toBe('wrong-type');
    }
  });

  it('positions of a later op are those of the original file', () => {
    expect(faultOf('a = 1\nb = 2\n', [remove('a'), set(['b', 'x'], 1)])).toMatchObject({ line: 2, column: 5 });
  });

  it('all ops or none: a refused op leaves no text behind', () => {
    expect(tomlEditor.edit('a = 1\n', [set(['b'], 1), remove('c')])).not.toHaveProperty('text');
  });

  it('nesting is bounded: accepted at the limit, refused one past it and far past it', () => {
    const nest = (depth: number): string => `a = ${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(tomlEditor.read(nest(NESTING_DEPTH_MAX)).ok).toBe(true);
    const dots = (depth: number): string => Array.from({ length: depth }, () => 'a').join('.');
    expect(tomlEditor.read(`[${dots(NESTING_DEPTH_MAX)}]`).ok).toBe(true);
    for (const text of [nest(NESTING_DEPTH_MAX + 1), nest(100_000), `a = ${'{a='.repeat(100_000)}`, `[${dots(NESTING_DEPTH_MAX + 1)}]`, `${dots(20_000)} = 1`, `x = { ${dots(NESTING_DEPTH_MAX)} = 1 }`, '['.repeat(500_000)]) expect(faultOf(text).code).toBe('too-deep');
    expect(faultOf('', [set(['a'], JSON.parse(nest(NESTING_DEPTH_MAX + 5).slice(4)) as JsonValue)]).code).toBe('wrong-type');
    expect(tomlEditor.read(`a = "${'['.repeat(5000)}" # ${'['.repeat(5000)}`).ok).toBe(true);
  });

  it('size is bounded: texts and single tokens, at the limit and one past it', () => {
    const comment = (length: number): string => `#${'x'.repeat(length - 1)}`;
    expect(tomlEditor.read(comment(TOML_TEXT_CHARS_MAX)).ok).toBe(true);
    expect(faultOf(comment(TOML_TEXT_CHARS_MAX + 1)).code).toBe('too-large');
    const text = (length: number): string => `a = "${'x'.repeat(length - 2)}"`;
    expect(tomlEditor.read(text(TOML_TOKEN_CHARS_MAX)).ok).toBe(true);
    expect(faultOf(text(TOML_TOKEN_CHARS_MAX + 1)).code).toBe('too-large');
    expect(faultOf(`a = ${'9'.repeat(500_000)}`).code).toBe('too-large');
    expect(faultOf('', [set(['a'], 'x'.repeat(TOML_TOKEN_CHARS_MAX))]).code).toBe('too-large');
  });
});
