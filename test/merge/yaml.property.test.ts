// Contract: laws of the YAML editor over random documents, random edits and garbage. The seed is random; fast-check prints it
// on failure. YAML_RUNS raises the number of runs for a long search.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { EditOp, EditResult, Tolerance } from '../../src/model/edit.ts';
import { sameValue, valueAt } from '../../src/model/json.ts';
import type { JsonObject, JsonValue, Path } from '../../src/model/json.ts';
import { yamlEditor } from '../../src/merge/yaml.ts';

const RUNS = Number(process.env['YAML_RUNS'] ?? 400);
const TOLERANT: Tolerance = { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };
const editors = [yamlEditor(TOLERANT), yamlEditor({ ...TOLERANT, emptyIsObject: false })];
const [editor = yamlEditor(TOLERANT)] = editors;

const KEYS = ['mcpServers', 'extensions', 'models', 'lab', 'name', 'x.y', 'a b', 'env', 'args', 'k', '__proto__', 'toString', '', 'yes', '1', 'a: b', '- x'];
const quoted = (key: string, how: number): string => (/^[A-Za-z_][A-Za-z_.]*$/.test(key) && how % 3 !== 0 ? key : how % 2 === 0 || key.includes("'") ? JSON.stringify(key) : `'${key}'`);

const SCALARS = ['1', '0x1F', '-0.5', '.inf', '.nan', 'true', '~', 'null', 'text', 'two words', 'http://h/p?q=1#f', '"a # no comment"', '"quote \\" and \\\\ \\n"', "'it''s'", 'é 漢 😀', '2024-01-02', "''", '-x', '"a\n  folded\n\n  text"', 'plain\n  goes on', '!tag v', '*none'];
const scalar = fc.constantFrom(...SCALARS);
const note = fc.constantFrom('', '', '', ' # note', '   # a: [b', '\t# tab');
const filler = fc.constantFrom('', '', '', '# comment', '   ', '      # indented', '#', '# - name: off');

/** Text of a random value: what stands behind the colon or dash, and the lines below it. */
interface Piece { readonly inline: string | undefined; readonly lines: readonly string[] }

const BLOCKS = ['|', '>-', '|+', '>+', '|2', '|-'];
const TEXTS: readonly (readonly string[])[] = [['a', '', 'b: c'], ['  - x', 'y'], ['x', '', ''], ['# no comment', 'z'], ['only']];

const { node } = fc.letrec<{ node: Piece }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.tuple(scalar, note).map(([text, comment]): Piece => {
      const [first = '', ...rest] = text.split('\n');
      return { inline: rest.length > 0 ? first : first + comment, lines: rest };
    }),
    fc.constantFrom('', '&a', '[]', '{}', '[ ]', '[1, two, "3"]', '{a: 1, "b": [x]}', '{ x: {y: z} }', '[a, ]', '{x}', '[a: b]', '[\n  1,\n  2\n  ]', '{k: v, # c\n  l: w}').map((text): Piece => {
      const [first = '', ...rest] = text.split('\n');
      return { inline: first, lines: rest };
    }),
    fc.tuple(fc.constantFrom(...BLOCKS), fc.constantFrom(...TEXTS)).map(([head, body]): Piece => ({ inline: head, lines: (head === '|2' ? body.map((line) => line.trim()) : body).map((line) => (line === '' ? '' : `  ${line}`)) })),
    fc.tuple(fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 4 }), fc.array(tie('node'), { minLength: 4, maxLength: 4 }), fc.array(filler, { minLength: 4, maxLength: 4 }), fc.nat(5), note)
      .map(([keys, values, gaps, how, comment]): Piece => ({ inline: comment === '' ? undefined : comment.trim(), lines: mapLines(keys, values, gaps, how) })),
    fc.tuple(fc.array(tie('node'), { minLength: 1, maxLength: 3 }), fc.array(filler, { minLength: 3, maxLength: 3 }), fc.nat(5))
      .map(([values, gaps, how]): Piece => ({ inline: undefined, lines: values.flatMap((value, i) => [...itemLines(value, how), ...(gaps[i] === '' ? [] : [gaps[i] ?? ''])]) })),
  ),
}));

/** Lines below a key or dash stand deeper; the first of them may share the dash's line. */
function below(piece: Piece, indent: string): string[] {
  return piece.lines.map((line) => (line === '' ? '' : indent + line));
}

function mapLines(keys: readonly string[], values: readonly Piece[], gaps: readonly string[], how: number): string[] {
  return keys.flatMap((key, i) => {
    const value = values[i] ?? { inline: '1', lines: [] };
    const head = `${quoted(key, how + i)}:${value.inline === undefined || value.inline === '' ? '' : ` ${value.inline}`}`;
    const list = value.inline === undefined && value.lines[0]?.startsWith('- ') === true;
    const gap = gaps[i] ?? '';
    return [head, ...below(value, list && how % 2 === 0 ? '' : how === 5 ? '    ' : '  '), ...(gap === '' ? [] : [gap])];
  });
}

function itemLines(value: Piece, how: number): string[] {
  if (value.inline !== undefined) return [`- ${value.inline}`.trimEnd(), ...below(value, '  ')];
  const [first = '', ...rest] = value.lines;
  return how === 4 ? ['-', ...below(value, '  ')] : [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))];
}

function reads(text: string): boolean {
  return editor.read(text).ok;
}

const validText = fc.tuple(node, fc.constantFrom('', '', '', '---\n', '# head\n\n', '--- # c\n'), fc.constantFrom('', '\n', '\n', '\n\n', '\n# end', '\n...\n', '\n  '), fc.boolean(), fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 4 }), fc.array(node, { minLength: 4, maxLength: 4 }), fc.array(filler, { minLength: 4, maxLength: 4 }), fc.nat(5))
  .map(([lone, head, tail, crlf, keys, values, gaps, how]) => {
    const lines = how === 3 ? [...(lone.inline === undefined ? [] : [lone.inline]), ...lone.lines] : mapLines(keys, values, gaps, how);
    const text = head + lines.join('\n') + tail;
    return crlf ? text.replace(/\n/g, '\r\n') : text;
  }).filter(reads);

const newScalar = fc.constantFrom<JsonValue>('npx', 'a "b"\n', 1, -2.5, true, null, '', 'yes', '- x', '# y', '1e3', 'é😀', '\u2028', '{a}', '0x10', '~', 'a: b', '2024-01-02', '*a', '\t');
const newValue: fc.Arbitrary<JsonValue> = fc.oneof(
  newScalar,
  fc.array(newScalar, { maxLength: 2 }),
  fc.constantFrom<JsonValue>({}, { name: 'lab', command: 'x', args: ['a', '--b'], env: { A: '${B}' } }, { env: { 'x.y': 'b' } }, [{ a: 1 }, {}], { a: {}, b: [{}] }, [[1], { a: [] }], { yes: 'no', '1': [] }),
);

const KNOWN_PATHS: Path[] = [
  ['mcpServers'], ['mcpServers', 0], ['mcpServers', 0, 'name'], ['mcpServers', 1, 'env', 'A'], ['extensions', 'lab'], ['extensions', 'lab', 'args'], ['models', 0, 'env'], ['name'], ['lab', 'k'],
];

function pathsOf(root: JsonValue, base: Path = []): Path[] {
  const children = Array.isArray(root) ? root.map((item, i) => [i, item] as const) : typeof root === 'object' && root !== null ? Object.entries(root) : [];
  return children.flatMap(([step, item]) => [[...base, step], ...pathsOf(item as JsonValue, [...base, step])]);
}

/** A random op whose path is a known one, one of the document, or a new key below one of the document. */
function opFor(root: JsonValue, seeds: readonly number[], next: JsonValue): EditOp {
  const existing = pathsOf(root);
  const [kind = 0, where = 0, which = 0, name = 0] = seeds;
  const old = existing[which % Math.max(1, existing.length)] ?? ['mcpServers'];
  const fresh = KEYS[name % KEYS.length] as string;
  const path = [KNOWN_PATHS[which % KNOWN_PATHS.length] as Path, old, [...old, `new${fresh}`], [...old.slice(0, -1), fresh]][where % 4] as Path;
  switch (kind % 6) {
    case 0: case 1: return { op: 'set', path, value: next };
    case 2: return { op: 'append', path, value: next };
    case 3: return { op: 'replace', path, value: next };
    case 4: return { op: 'remove', path };
    default: return { op: 'prune', path };
  }
}

function readBack(text: string): JsonValue {
  const read = editor.read(text);
  if (!read.ok) throw new Error(`refused: ${read.fault.message} at ${read.fault.line}:${read.fault.column}`);
  return read.value;
}

/** The parser's own conversion, which the editor does not use: NaN as the editor reads it, an empty text as an empty map. */
function independent(text: string): JsonValue {
  const plain = (value: unknown): JsonValue => {
    if (typeof value === 'number') return Number.isNaN(value) ? 'NaN' : value;
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value as JsonValue;
    const out: JsonObject = {};
    for (const [key, item] of Object.entries(value)) Object.defineProperty(out, key, { value: plain(item), enumerable: true, configurable: true, writable: true });
    return out;
  };
  const value = plain(parse(text, { logLevel: 'silent', uniqueKeys: false }) as unknown);
  return value === null ? {} : value;
}

function checkOutside(before: string, result: EditResult & { ok: true }): void {
  let at = 0;
  let out = '';
  for (const splice of result.splices) {
    expect(splice.start).toBeGreaterThanOrEqual(at);
    expect(splice.end).toBeGreaterThanOrEqual(splice.start);
    out += before.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  expect(out + before.slice(at)).toBe(result.text);
}

function inverseOf(before: JsonValue, op: EditOp, created: readonly Path[]): EditOp[] {
  const prunes = [...created].reverse().map((path): EditOp => ({ op: 'prune', path }));
  if (op.op !== 'append') return [{ op: 'remove', path: op.path }, ...prunes];
  const array = valueAt(before, op.path);
  return [{ op: 'remove', path: [...op.path, Array.isArray(array) ? array.length : 0] }, ...prunes];
}

/** The documented exception: a value that no character said is an empty container afterwards. */
function wasUnsaid(text: string, undone: string, before: JsonValue, path: Path): boolean {
  const unsaid = path.map((_, i) => path.slice(0, i + 1)).some((part) => valueAt(before, part) === null);
  return unsaid && [' {}', ' []'].some((mark) => undone.length === text.length + 3 && [...undone.matchAll(/ (?:\{\}|\[\])/g)].some(({ index }) => undone.slice(index, index + 3) === mark && undone.slice(0, index) + undone.slice(index + 3) === text));
}

const seeds = fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 });

describe('laws of the YAML editor', () => {
  it('reads what the parser reads by its own conversion', () => {
    fc.assert(fc.property(validText, (text) => {
      expect(sameValue(readBack(text) ?? {}, independent(text))).toBe(true);
    }), { numRuns: RUNS });
  });

  it('gives the intended value, touches nothing else, and can be undone', () => {
    let done = 0;
    let exceptions = 0;
    fc.assert(fc.property(validText, seeds, newValue, fc.nat(1), (text, random, next, which) => {
      const one = editors[which] ?? editor;
      if (!one.read(text).ok) return;
      const before = readBack(text);
      const op = opFor(before, random, next);
      const result = one.edit(text, [op]);
      if (!result.ok) {
        expect(result.fault.code).toBe('wrong-type');
        return;
      }
      done += 1;
      checkOutside(text, result);
      const after = independent(result.text);
      const had = valueAt(before, op.path);
      if (op.op === 'set' || op.op === 'replace') expect(sameValue(valueAt(after, op.path), op.value)).toBe(true);
      if (op.op === 'append') expect(sameValue((valueAt(after, op.path) as JsonValue[]).at(-1), op.value)).toBe(true);
      if (op.op === 'remove' && typeof op.path.at(-1) === 'string') expect(valueAt(after, op.path)).toBeUndefined();
      for (const path of result.created) expect(valueAt(before, path)).toBeUndefined();
      if (op.op === 'append' || (op.op === 'set' && had === undefined)) {
        const undone = one.edit(result.text, inverseOf(before, op, result.created));
        expect(undone.ok ? '' : undone.fault.message).toBe('');
        if (undone.ok && undone.text !== text && wasUnsaid(text, undone.text, before, op.path)) exceptions += 1;
        else if (undone.ok) expect(undone.text).toBe(text);
      }
      expect(one.edit(result.text, []).ok).toBe(true);
    }), { numRuns: RUNS * 3 });
    expect(done).toBeGreaterThan(RUNS / 2);
    expect(exceptions).toBeLessThan(done / 5);
  });

  it('does several ops as one edit with the result of one after the other, or none of them', () => {
    fc.assert(fc.property(validText, fc.array(fc.tuple(seeds, newValue), { minLength: 2, maxLength: 4 }), (text, plans) => {
      const ops: EditOp[] = [];
      let now = text;
      for (const [random, next] of plans) {
        const op = opFor(readBack(now), random, next);
        const single = editor.edit(now, [op]);
        if (!single.ok) continue;
        ops.push(op);
        now = single.text;
      }
      const all = editor.edit(text, ops);
      if (!all.ok) throw new Error(all.fault.message);
      expect(all.text).toBe(now);
      checkOutside(text, all);
    }), { numRuns: RUNS });
  });

  it('setting the value that is there already changes nothing', () => {
    fc.assert(fc.property(validText, fc.nat(1000), (text, which) => {
      const root = readBack(text) as JsonObject;
      const paths = pathsOf(root);
      const path = paths[which % Math.max(1, paths.length)];
      if (path === undefined) return;
      const value = valueAt(root, path) as JsonValue;
      const result = editor.edit(text, [{ op: 'replace', path, value }]);
      if (result.ok) expect(result).toEqual({ ok: true, text, splices: [], created: [] });
      else expect(result.fault.code).toBe('wrong-type');
    }), { numRuns: RUNS });
  });

  it('never throws on garbage, and refuses it at a position inside the text', () => {
    const garbage = fc.tuple(validText, fc.array(fc.tuple(fc.nat(400), fc.constantFrom('[', ']', '"', "'", ':', '{', '\0', '\r', '\ud800', '\n', ',', '#', '- ', '? ', '&a ', '*a', '|', '\t', '!', '<<<<<<< ', '%', '---\n', '')), { minLength: 1, maxLength: 4 }))
      .map(([text, cuts]) => cuts.reduce((now, [at, put]) => now.slice(0, at % (now.length + 1)) + put + now.slice((at % (now.length + 1)) + 1), text));
    fc.assert(fc.property(fc.oneof(garbage, fc.string(), fc.string({ unit: 'binary' })), seeds, newValue, (text, random, next) => {
      const read = editor.read(text);
      const result = editor.edit(text, [opFor(read.ok ? read.value : {}, random, next)]);
      if (result.ok) checkOutside(text, result);
      else {
        expect(['invalid-document', 'merge-conflict-markers', 'wrong-type', 'duplicate-key', 'too-large']).toContain(result.fault.code);
        expect(result.fault.offset).toBeGreaterThanOrEqual(0);
        expect(result.fault.offset).toBeLessThanOrEqual(text.length);
      }
    }), { numRuns: RUNS * 2 });
  });
});
