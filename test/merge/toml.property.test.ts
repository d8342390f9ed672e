// Contract: laws of the TOML editor over random documents, random edits and garbage. The seed is random; fast-check prints
// it on failure. TOML_RUNS raises the number of runs for a long search.
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import type { EditOp, EditResult } from '../../src/model/edit.ts';
import { sameValue, valueAt } from '../../src/model/json.ts';
import type { JsonObject, JsonValue, Path } from '../../src/model/json.ts';
import { tomlEditor } from '../../src/merge/toml.ts';

const RUNS = Number(process.env['TOML_RUNS'] ?? 400);

const KEYS = ['mcp_servers', 'hooks', 'features', 'lab', 'zeta', 'x.y', 'a b', 'PreToolUse', 'env', 'args', 'k', '__proto__', 'toString', ''];
const key = fc.constantFrom(...KEYS);

const SCALARS = [
  '1', '0xFF', '1_000', '1e5', '-0.5', 'inf', 'nan', 'true', 'false', '9007199254740993', '1979-05-27T07:32:00Z', '1979-05-27 07:32:00.999999', '07:32:00', '1979-05-27',
  '"text"', '"a # no comment"', '"quote \\" and \\\\"', "'lit [mcp_servers.fake]'", '"""\n[mcp_servers.fake]\nx = 1\n"""', "'''\n# no\n[[hooks.PreToolUse]]'''", '"""two "" quotes"""""', "'''C:\\x'''", '"é 漢 😀"', '"""a\\\n   b"""',
];
const scalar = fc.constantFrom(...SCALARS);
const comment = fc.constantFrom('', '', '', ' # note', '\t# [mcp_servers.fake]', ' # a = "b", ]');

/** The pieces of a random inline array or table; a line break may stand where TOML allows one. */
function list(open: string, close: string, items: string[], style: number): string {
  if (items.length === 0) return [`${open}${close}`, `${open} ${close}`, `${open}\n${close}`, `${open} # none\n  ${close}`][style % 4] as string;
  switch (style) {
    case 0: return open + items.join(', ') + close;
    case 1: return `${open} ${items.join(' , ')} ${close}`;
    case 2: return `${open}\n  ${items.join(', # c1\n  ')} # c2\n${close}`;
    case 3: return `${open}\n\t${items.join(',\n\n\t')},\n  # after\n${close}`;
    case 4: return `${open}${items.join(',')},${close}`;
    case 5: return `${open} # first\n ${items.join('\n , ')}\n${close}`;
    case 6: return `${open}${items.join(', ')} , # end\n${close}`;
    default: return `${open}\n ${items.join(', ')}${close}`;
  }
}

const style = fc.integer({ min: 0, max: 7 });
const dottedKey = fc.array(key, { minLength: 1, maxLength: 3 }).map((steps) => steps.map(quoteKey).join('.'));

function quoteKey(step: string): string {
  return /^[A-Za-z0-9_-]+$/.test(step) ? step : step === 'a b' ? `'${step}'` : JSON.stringify(step);
}

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.tuple(fc.array(tie('value'), { maxLength: 3 }), style).map(([items, how]) => list('[', ']', items, how)),
    fc.tuple(fc.array(fc.tuple(dottedKey, tie('value')).map(([k, v]) => `${k} = ${v}`), { maxLength: 3 }), style).map(([items, how]) => list('{', '}', items, how)),
  ),
}));

const header = fc.tuple(fc.array(key, { minLength: 1, maxLength: 3 }), fc.boolean(), fc.constantFrom('', ' ', '\t'), comment)
  .map(([steps, many, indent, note]) => `${indent}${many ? '[[' : '['}${steps.map(quoteKey).join('.')}${many ? ']]' : ']'}${note}`);
const realHeader = fc.tuple(fc.constantFrom(
  '[mcp_servers]', '[mcp_servers.lab]', '[mcp_servers.zeta]', '[mcp_servers.lab.env]', '[mcp_servers.zeta.tools.run]', '[mcp_servers."x.y"]', '[hooks]', '[hooks.state]', '[hooks.state."a:0"]', '[features]',
  '[[hooks.PreToolUse]]', '[[hooks.PreToolUse]]', '[[hooks.PreToolUse.hooks]]', '[[hooks.PreToolUse.hooks]]', '[[hooks.Stop]]', '[hooks.PreToolUse.env]',
), comment).map(([text, note]) => text + note);
const pair = fc.tuple(dottedKey, value, fc.constantFrom(' = ', '=', '   =  '), fc.constantFrom('', '', '  '), comment).map(([k, v, equals, indent, note]) => indent + k + equals + v + note);
const filler = fc.constantFrom('', '', '# comment', '   ', '  # indented', '# [mcp_servers.fake]');
const realPair = fc.tuple(fc.constantFrom(
  'mcp_servers.lab.command', 'mcp_servers.zeta.env.A', 'lab.command', 'hooks', 'env.A', 'command', 'args', 'model', 'features.hooks', 'PreToolUse', 'mcp_servers', 'hooks.PreToolUse', 'hooks.Stop',
), value, comment).map(([k, v, note]) => `${k} = ${v}${note}`);
const line = fc.oneof({ weight: 2, arbitrary: realHeader }, { weight: 2, arbitrary: realPair }, { weight: 3, arbitrary: pair }, { weight: 2, arbitrary: header }, { weight: 2, arbitrary: filler });

function parses(text: string): boolean {
  try {
    parse(text, { integersAsBigInt: 'asNeeded' });
    return true;
  } catch {
    return false;
  }
}

/** Keeps each random line only if the document so far stays valid: every kind of order and nesting, hardly any rejects. */
const validText = fc.tuple(fc.array(line, { maxLength: 14 }), fc.array(fc.constantFrom('\n', '\n', '\r\n'), { minLength: 1, maxLength: 5 }), fc.boolean()).map(([lines, eols, final]) => {
  let kept: string[] = [];
  for (const next of lines) if (parses([...kept, next].join('\n'))) kept = [...kept, next];
  let index = 0;
  const text = kept.join('\n') + (final && kept.length > 0 ? '\n' : '');
  return text.replace(/\n/g, () => eols[index++ % eols.length] as string);
}).filter(parses);

const newScalar = fc.constantFrom<JsonValue>('npx', 'a "b"\n', 1, -2.5, true, '', '[mcp_servers.fake]', 'é😀', { $toml: '1979-05-27' });
const newValue: fc.Arbitrary<JsonValue> = fc.oneof(
  newScalar,
  fc.array(newScalar, { maxLength: 2 }),
  fc.constantFrom<JsonValue>(
    {}, { command: 'x', args: ['a'], env: { A: 'b' } }, { env: { 'x.y': 'b' } }, [{ a: 1 }, {}], { matcher: '*', hooks: [{ type: 'command', command: 'praetorctl hook codex PreToolUse' }] }, { a: {}, b: [{}] }, [[1], { a: [] }],
  ),
);

const KNOWN_PATHS: Path[] = [
  ['mcp_servers', 'lab'], ['mcp_servers', 'x.y'], ['mcp_servers'], ['mcp_servers', 'lab', 'command'], ['mcp_servers', 'lab', 'env', 'A'], ['hooks', 'PreToolUse'], ['hooks', 'PreToolUse', 0, 'hooks'],
  ['features', 'hooks'], ['model'], ['hooks', 'PreToolUse', 0], ['hooks', 'PreToolUse', 0, 'env', 'k'],
];

function pathsOf(root: JsonValue, base: Path = []): Path[] {
  const below = Array.isArray(root) ? root.map((item, i) => [i, item] as const) : typeof root === 'object' && root !== null ? Object.entries(root) : [];
  return below.flatMap(([step, item]) => [[...base, step], ...pathsOf(item as JsonValue, [...base, step])]);
}

/** A random op whose path is a known one, one of the document, or a new key below one of the document. */
function opFor(root: JsonValue, seeds: readonly number[], next: JsonValue): EditOp {
  const existing = pathsOf(root);
  const [kind = 0, where = 0, which = 0, name = 0] = seeds;
  const old = existing[which % Math.max(1, existing.length)] ?? ['mcp_servers'];
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
  const read = tomlEditor.read(text);
  if (!read.ok) throw new Error(`refused: ${read.fault.message} at ${read.fault.line}:${read.fault.column}`);
  return read.value;
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

/** The documented exception leaves a bare header of a table that other headers imply, with its blank line, and nothing else. */
function leavesHeader(text: string, undone: string, op: EditOp, before: JsonValue, result: EditResult & { ok: true }): boolean {
  const [splice, ...more] = result.splices;
  const parent = op.path.slice(0, -1);
  if (splice === undefined || more.length > 0 || valueAt(before, parent) === undefined) return false;
  const rest = undone.slice(splice.start, undone.length - (text.length - splice.end));
  return /^(?:\r?\n)?\r?\n?[ \t]*\[[^[\n]*\](?:\r?\n)?$/.test(rest) && undone === text.slice(0, splice.start) + rest + text.slice(splice.end)
    && !new RegExp(`^[ \\t]*\\[${rest.trim().slice(1, -1).replace(/[^\w]/g, '\\$&')}\\]`, 'm').test(text);
}

const seeds = fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 });

describe('laws of the TOML editor', () => {
  it('accepts every document that smol-toml accepts and reads the same values', () => {
    fc.assert(fc.property(validText, (text) => {
      const read = tomlEditor.read(text);
      expect(read.ok ? '' : read.fault.message).toBe('');
    }), { numRuns: RUNS });
  });

  it('gives the intended value, touches nothing else, and can be undone', () => {
    let done = 0;
    let exceptions = 0;
    fc.assert(fc.property(validText, seeds, newValue, (text, random, next) => {
      const before = readBack(text);
      const op = opFor(before, random, next);
      const result = tomlEditor.edit(text, [op]);
      if (!result.ok) {
        expect(result.fault.code).toBe('wrong-type');
        return;
      }
      done += 1;
      checkOutside(text, result);
      const after = readBack(result.text);
      const had = valueAt(before, op.path);
      if (op.op === 'set' || op.op === 'replace') expect(sameValue(valueAt(after, op.path), op.value)).toBe(true);
      if (op.op === 'append') expect(sameValue((valueAt(after, op.path) as JsonValue[]).at(-1), op.value)).toBe(true);
      if (op.op === 'remove' && typeof op.path.at(-1) === 'string') expect(valueAt(after, op.path)).toBeUndefined();
      for (const path of result.created) expect(valueAt(before, path)).toBeUndefined();
      if (op.op === 'append' || (op.op === 'set' && had === undefined)) {
        const undone = tomlEditor.edit(result.text, inverseOf(before, op, result.created));
        expect(undone.ok ? '' : undone.fault.message).toBe('');
        if (undone.ok && undone.text !== text && leavesHeader(text, undone.text, op, before, result)) exceptions += 1;
        else if (undone.ok) expect(undone.text).toBe(text);
      }
      expect(tomlEditor.edit(result.text, []).ok).toBe(true);
    }), { numRuns: RUNS * 3 });
    expect(done).toBeGreaterThan(RUNS / 2);
    expect(exceptions).toBeLessThan(done / 50);
  });

  it('does several ops as one edit with the result of one after the other, or none of them', () => {
    fc.assert(fc.property(validText, fc.array(fc.tuple(seeds, newValue), { minLength: 2, maxLength: 4 }), (text, plans) => {
      const ops: EditOp[] = [];
      let now = text;
      for (const [random, next] of plans) {
        const op = opFor(readBack(now), random, next);
        const single = tomlEditor.edit(now, [op]);
        if (!single.ok) continue;
        ops.push(op);
        now = single.text;
      }
      const all = tomlEditor.edit(text, ops);
      if (!all.ok) throw new Error(all.fault.message);
      expect(all.text).toBe(now);
      checkOutside(text, all);
    }), { numRuns: RUNS });
  });

  it('setting the value that is there already changes nothing', () => {
    fc.assert(fc.property(validText, fc.nat(1000), (text, which) => {
      const root = readBack(text) as JsonObject;
      const paths = pathsOf(root).filter((path) => !path.includes('$toml'));
      const path = paths[which % Math.max(1, paths.length)];
      if (path === undefined) return;
      const result = tomlEditor.edit(text, [{ op: 'replace', path, value: valueAt(root, path) as JsonValue }]);
      expect(result).toEqual({ ok: true, text, splices: [], created: [] });
    }), { numRuns: RUNS });
  });

  it('never throws on garbage, and refuses it at a position inside the text', () => {
    const garbage = fc.tuple(validText, fc.array(fc.tuple(fc.nat(400), fc.constantFrom('[', ']', '"', "'''", '=', '{', '\0', '\r', '\ud800', '\n', ',', '#', '.', '[[', '<<<<<<< ', '')), { minLength: 1, maxLength: 4 }))
      .map(([text, cuts]) => cuts.reduce((now, [at, put]) => now.slice(0, at % (now.length + 1)) + put + now.slice((at % (now.length + 1)) + 1), text));
    fc.assert(fc.property(fc.oneof(garbage, fc.string(), fc.string({ unit: 'binary' })), seeds, newValue, (text, random, next) => {
      const result = tomlEditor.edit(text, [opFor({}, random, next)]);
      if (result.ok) checkOutside(text, result);
      else {
        expect(['invalid-document', 'merge-conflict-markers', 'wrong-type']).toContain(result.fault.code);
        expect(result.fault.offset).toBeGreaterThanOrEqual(0);
        expect(result.fault.offset).toBeLessThanOrEqual(text.length);
      }
    }), { numRuns: RUNS * 2 });
  });
});
