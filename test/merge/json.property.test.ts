// Contract: laws that hold for every document and every edit, on documents in every formatting a person may choose.
// FUZZ_RUNS sets the number of runs for a long hunt.
import fc from 'fast-check';
import { parse as parseJsonc, type ParseError } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { jsonEditor } from '../../src/merge/json.ts';
import type { EditOp, MergeFault, Tolerance } from '../../src/model/edit.ts';
import { isObject, type JsonValue, type Path } from '../../src/model/json.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 600);
const LAX: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: true, emptyIsObject: true };
const STRICT: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
const lax = jsonEditor(LAX);
const strict = jsonEditor(STRICT);

// --- Documents -----------------------------------------------------------------------------------------------------

const KEYS = ['a', 'b', 'hooks', 'mcpServers', '__proto__', '0', '12', '', 'é', 'say "hi"', 'back\\slash', 'x\ud800y', 'constructor'];
/** Long enough that the editor remembers the ends of the containers around it. */
const LONG = 'long } ] " '.repeat(400);
const key = fc.oneof({ arbitrary: fc.constantFrom(...KEYS), weight: 6 }, { arbitrary: fc.string({ maxLength: 4 }), weight: 1 });

/** Own keys only: a plain assignment to `__proto__` would be lost. */
function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonValue {
  return Object.fromEntries(entries) as JsonValue;
}

const { value: jsonValue, root: rootObject } = fc.letrec<{ value: JsonValue; root: JsonValue }>((tie) => ({
  root: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map(objectOf),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, false, 0, 1, -3.5, 1e21, '', 'text', '// no comment', '/* nor this */', '},{', 'tab\t"q"\\', LONG, '\ud83d\ude00'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(objectOf),
  ),
}));

interface Dice { (sides: number): number }
function dice(seed: number): Dice {
  let state = seed | 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % sides;
  };
}

interface Look {
  readonly mode: 'minified' | 'spaced' | 'pretty' | 'aligned' | 'chaos';
  readonly eol: string;
  readonly unit: string;
  readonly comments: boolean;
  readonly trailing: boolean;
  readonly duplicates: boolean;
  readonly final: boolean;
  readonly seed: number;
}
const look: fc.Arbitrary<Look> = fc.record({
  mode: fc.constantFrom('minified', 'spaced', 'pretty', 'aligned', 'chaos'),
  eol: fc.constantFrom('\n', '\r\n', '\r'),
  unit: fc.constantFrom('  ', '    ', '\t', ' '),
  comments: fc.boolean(),
  trailing: fc.boolean(),
  duplicates: fc.boolean(),
  final: fc.boolean(),
  seed: fc.integer(),
});

function spell(text: string, roll: Dice): string {
  const plain = JSON.stringify(text);
  if (roll(4) !== 0) return plain;
  return `"${[...Array(text.length).keys()].map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
}

function spellScalar(value: JsonValue, roll: Dice): string {
  if (typeof value === 'string') return spell(value, roll);
  if (value === 1) return ['1', '1.0', '1e0', '10E-1'][roll(4)] ?? '1';
  if (value === 0) return ['0', '-0', '0.00'][roll(3)] ?? '0';
  return JSON.stringify(value);
}

function gapOf(at: Look, roll: Dice): string {
  let out = '';
  for (let i = roll(4); i > 0; i--) {
    const eol = roll(3) === 0 ? '\n' : at.eol;
    out += [' ', '   ', '\t', eol, eol, at.comments ? '/* c */' : ' ', at.comments ? `// line${eol}` : eol, at.comments ? `/*${eol} * block */` : '', at.comments ? '/**/' : ''][roll(9)] ?? '';
  }
  return out;
}

/** Recursion is fine here: the generator keeps values shallow. */
function render(value: JsonValue, at: Look, roll: Dice, level: number): string {
  if (typeof value !== 'object' || value === null) return spellScalar(value, roll);
  const isArray = Array.isArray(value);
  const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
  const pairs: [string | undefined, JsonValue][] = isArray ? value.map((v) => [undefined, v]) : Object.entries(value);
  if (at.duplicates && !isArray && pairs.length > 0 && roll(4) === 0) pairs.unshift([pairs[roll(pairs.length)]?.[0], 'first']);
  const inline = at.mode === 'minified' || at.mode === 'spaced' || (at.mode !== 'chaos' && roll(5) === 0);
  const g = (otherwise: string): string => (at.mode === 'chaos' ? gapOf(at, roll) : otherwise);
  const colon = at.mode === 'minified' ? ':' : at.mode === 'aligned' ? `${' '.repeat(roll(4))}: ` : ': ';
  const line = inline ? '' : at.eol + at.unit.repeat(level + 1);
  const note = (): string => (at.comments && !inline && roll(4) === 0 ? ` // note ${roll(9)}` : '');
  let out = open;
  pairs.forEach(([name, inner], i) => {
    const last = i === pairs.length - 1;
    const comma = last ? (at.trailing && roll(2) === 0 ? ',' : '') : ',';
    const lead = inline ? (i > 0 && at.mode !== 'minified' ? ' ' : '') : line;
    const above = at.comments && !inline && roll(6) === 0 ? `${line}/* above */` : '';
    out += g(above + lead);
    if (name !== undefined) out += spell(name, roll) + g('') + (at.mode === 'chaos' ? ':' : colon) + g('');
    out += render(inner, at, roll, level + 1) + g('') + comma + (at.mode === 'chaos' ? '' : note());
  });
  if (pairs.length === 0) return open + g(roll(3) === 0 ? ['', ' ', at.eol, at.eol + at.unit.repeat(level), at.comments ? '/* empty */' : '  '][roll(5)] ?? '' : '') + close;
  const below = at.comments && !inline && roll(6) === 0 ? `${line}// below` : '';
  return out + g(below + (inline ? '' : at.eol + at.unit.repeat(level))) + close;
}

function renderDocument(value: JsonValue, at: Look): string {
  const roll = dice(at.seed);
  const head = at.mode === 'chaos' ? gapOf(at, roll) : at.comments && roll(4) === 0 ? `// head${at.eol}` : '';
  return head + render(value, at, roll, 0) + (at.mode === 'chaos' ? gapOf(at, roll) : at.final ? at.eol : '');
}

// --- Edits and their meaning ---------------------------------------------------------------------------------------

interface Draft { readonly kind: EditOp['op']; readonly seed: number; readonly name: string; readonly value: JsonValue }
const draft: fc.Arbitrary<Draft> = fc.record({
  kind: fc.constantFrom('set', 'append', 'replace', 'remove', 'prune'), seed: fc.integer(), name: key, value: jsonValue,
});

function children(value: JsonValue | undefined): (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()];
  return isObject(value) ? Object.keys(value) : [];
}

function step(value: JsonValue | undefined, at: string | number): JsonValue | undefined {
  if (Array.isArray(value) !== (typeof at === 'number')) return undefined;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, at) ? (value as Record<string, JsonValue>)[at] : undefined;
}

/** A path that often exists, sometimes not. */
function toOp(from: Draft, root: JsonValue): EditOp {
  const roll = dice(from.seed);
  const path: (string | number)[] = [];
  let here: JsonValue | undefined = root;
  for (let i = roll(4); i > 0; i--) {
    const names = children(here);
    const next: string | number = names.length > 0 && roll(8) !== 0 ? (names[roll(names.length)] ?? 'a') : (KEYS[roll(KEYS.length)] ?? 'a');
    path.push(next);
    here = step(here, next);
  }
  if (from.kind === 'append') return { op: 'append', path, value: from.value };
  if (from.kind === 'set') return { op: 'set', path: [...path, roll(3) === 0 ? String(children(here)[0] ?? from.name) : from.name], value: from.value };
  return from.kind === 'replace' ? { op: 'replace', path, value: from.value } : { op: from.kind, path };
}

function put(box: JsonValue, at: string | number, value: JsonValue): void {
  Object.defineProperty(box, at, { value, writable: true, enumerable: true, configurable: true });
}

/** What an operation means, written as plainly as possible; undefined where it cannot be done. */
function meaning(root: JsonValue, op: EditOp, pruned: boolean): JsonValue | undefined {
  const copy = structuredClone(root);
  let here: JsonValue = copy;
  const parents = op.op === 'append' ? op.path : op.path.slice(0, -1);
  for (const [i, name] of parents.entries()) {
    let next = step(here, name);
    if (next === undefined) {
      if (op.op === 'prune') return copy;
      if (!isObject(here) || typeof name !== 'string' || (op.op !== 'set' && op.op !== 'append')) return undefined;
      next = op.op === 'append' && i === parents.length - 1 ? [] : {};
      put(here, name, next);
    }
    here = next;
  }
  if (op.op === 'append') {
    if (!Array.isArray(here)) return undefined;
    here.push(op.value);
    return copy;
  }
  const last = op.path[op.path.length - 1];
  if (op.op === 'prune') {
    if (!pruned || last === undefined) return copy;
    expect(children(step(here, last))).toEqual([]);
  }
  if (last === undefined || typeof here !== 'object' || here === null) return undefined;
  if (Array.isArray(here) !== (typeof last === 'number')) return undefined;
  if (op.op !== 'set' && !Object.hasOwn(here, last)) return undefined;
  if (op.op === 'set' || op.op === 'replace') put(here, last, op.value);
  else if (Array.isArray(here)) here.splice(Number(last), 1);
  else delete here[String(last)];
  return copy;
}

/** -0 and 0 are one value here; the spelling of numbers is held by the splices. */
function normal(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function expectPlausible(fault: MergeFault, text: string): void {
  expect(fault.message.length).toBeGreaterThan(0);
  expect(fault.offset).toBeGreaterThanOrEqual(0);
  expect(fault.offset).toBeLessThanOrEqual(text.length);
  const before = text.slice(0, fault.offset).replace(/\r\n/g, '\n').split(/[\r\n]/);
  const insidePair = text[fault.offset - 1] === '\r' && text[fault.offset] === '\n';
  if (insidePair) return;
  expect(fault.line).toBe(before.length);
  expect(fault.column).toBe((before[before.length - 1]?.length ?? 0) + 1);
}

function inverseOf(op: EditOp, created: readonly Path[], root: JsonValue): EditOp[] {
  if (op.op !== 'set' && op.op !== 'append') return [];
  let index: JsonValue | undefined = root;
  for (const name of op.path) index = step(index, name);
  const inserted = op.op === 'set' ? op.path : [...op.path, Array.isArray(index) ? index.length : 0];
  return [{ op: 'remove', path: inserted }, ...created.toReversed().map((path): EditOp => ({ op: 'prune', path }))];
}

function isNew(op: EditOp, root: JsonValue): boolean {
  let here: JsonValue | undefined = root;
  for (const name of op.path) here = step(here, name);
  return op.op === 'append' || (op.op === 'set' && here === undefined);
}

const runs = (share: number): { numRuns: number } => ({ numRuns: Math.max(50, Math.round(RUNS * share)) });

describe('for every document and every edit', () => {
  test('the text after says what was asked for, and the splices alone make it', () => {
    let edited = 0;
    fc.assert(fc.property(rootObject, look, fc.array(draft, { minLength: 1, maxLength: 4 }), (value, at, drafts) => {
      const text = renderDocument(value, at);
      const before = lax.read(text);
      if (!before.ok) throw new Error(`generator made an invalid document: ${before.fault.message}\n${text}`);
      expect(normal(before.value)).toEqual(normal(value));
      const ops: EditOp[] = [];
      let wanted: JsonValue | undefined = value;
      for (const one of drafts) {
        const op = toOp(one, wanted);
        const solo = lax.edit(text, [...ops, op]);
        if (!solo.ok) {
          expect(['duplicate-key', 'wrong-type']).toContain(solo.fault.code);
          if (solo.fault.code === 'wrong-type') expect(meaning(wanted, op, true)).toBeUndefined();
          break;
        }
        const without = lax.edit(text, ops);
        wanted = meaning(wanted, op, without.ok && without.text !== solo.text);
        if (wanted === undefined) throw new Error('the editor did what cannot be done');
        ops.push(op);
      }
      const result = lax.edit(text, ops);
      if (!result.ok) throw new Error(result.fault.message);
      if (result.splices.length > 0) edited++;
      const after = lax.read(result.text);
      expect(after.ok && normal(after.value)).toEqual(normal(wanted));
      let rebuilt = '';
      let from = 0;
      for (const splice of result.splices) {
        expect(splice.start).toBeGreaterThanOrEqual(from);
        expect(splice.end).toBeGreaterThanOrEqual(splice.start);
        rebuilt += text.slice(from, splice.start) + splice.text;
        from = splice.end;
      }
      expect(rebuilt + text.slice(from)).toBe(result.text);
    }), runs(1));
    expect(edited).toBeGreaterThan(10);
  });

  test('what was added and then removed leaves the document byte for byte as it was', () => {
    let added = 0;
    fc.assert(fc.property(rootObject, look, fc.array(draft, { minLength: 1, maxLength: 4 }), (value, at, drafts) => {
      const text = renderDocument(value, at);
      const trail: { text: string; undo: EditOp[] }[] = [];
      let now = text;
      for (const one of drafts) {
        const read = lax.read(now);
        if (!read.ok) throw new Error(read.fault.message);
        const op = toOp({ ...one, kind: one.kind === 'append' || one.kind === 'prune' ? 'append' : 'set' }, read.value);
        if (!isNew(op, read.value)) continue;
        const result = lax.edit(now, [op]);
        if (!result.ok) continue;
        expect(result.splices.every((splice) => splice.start === splice.end)).toBe(true);
        trail.push({ text: now, undo: inverseOf(op, result.created, read.value) });
        now = result.text;
        added++;
      }
      for (const { text: earlier, undo } of trail.toReversed()) {
        const undone = lax.edit(now, undo);
        if (!undone.ok) throw new Error(undone.fault.message);
        expect(undone.text).toBe(earlier);
        now = undone.text;
      }
    }), runs(1.5));
    expect(added).toBeGreaterThan(10);
  });

  test('a removal keeps every comment above, below and beside the neighbours', () => {
    fc.assert(fc.property(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 }), fc.integer(), fc.constantFrom('\n', '\r\n'), fc.boolean(), (names, seed, eol, trailing) => {
      const roll = dice(seed);
      const victim = names[roll(names.length)] ?? 'a';
      const lines = names.map((name, i) => `  // above ${name}${eol}  "${name}": ${roll(9)}${i < names.length - 1 || trailing ? ',' : ''} // beside ${name}`);
      const text = `{${eol}${lines.join(eol)}${eol}  // below${eol}}${eol}`;
      const result = lax.edit(text, [{ op: 'remove', path: [victim] }]);
      if (!result.ok) throw new Error(result.fault.message);
      for (const name of names) {
        expect(result.text).toContain(`// above ${name}${eol}`);
        expect(result.text.includes(`// beside ${name}${eol}`)).toBe(name !== victim);
      }
      expect(result.text).toContain(`  // below${eol}}${eol}`);
    }), runs(0.3));
  });
});

describe('for every string', () => {
  const damaged = fc.tuple(rootObject, look, fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...'{}[],:"\'\\/*\n\r\t 0.eE-+x\u0000\u0001\ud800\ufeff\u2028')), { minLength: 0, maxLength: 4 })).map(([value, at, damage]) => {
    let text = renderDocument(value, at);
    for (const [place, cut, char] of damage) {
      const i = place % (text.length + 1);
      text = text.slice(0, i) + (cut === 3 ? '' : char) + text.slice(i + cut);
    }
    return text;
  });
  const garbage = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'{}[],:"\'\\/*\n 0123.eE-+truefalsn') }), damaged, damaged);
  const ops: EditOp[] = [
    { op: 'set', path: ['hooks', 'a', 'new'], value: { x: [1, 'y'] } }, { op: 'append', path: ['a'], value: 1 },
    { op: 'remove', path: ['b'] }, { op: 'prune', path: ['hooks'] },
  ];

  test('a strict reader agrees with JSON.parse', () => {
    fc.assert(fc.property(garbage, (text) => {
      let wanted: JsonValue | undefined;
      try {
        wanted = JSON.parse(text) as JsonValue;
      } catch {
        wanted = undefined;
      }
      const result = strict.read(text);
      expect(result.ok).toBe(isObject(wanted));
      if (result.ok) expect(result.value).toEqual(wanted);
      else expectPlausible(result.fault, text);
    }), runs(2));
  });

  test('a tolerant reader agrees with jsonc-parser', () => {
    fc.assert(fc.property(garbage, (text) => {
      const errors: ParseError[] = [];
      parseJsonc(text, errors, { allowTrailingComma: true });
      const result = lax.read(text);
      if (result.ok && text.trim() !== '') expect(errors).toEqual([]);
      if (!result.ok) {
        expectPlausible(result.fault, text);
        if (result.fault.code !== 'not-an-object') expect(errors).not.toEqual([]);
      }
    }), runs(2));
  });

  test('an edit answers with a readable document or a fault with a place, and never throws', () => {
    fc.assert(fc.property(garbage, fc.constantFrom(lax, strict), fc.subarray(ops, { minLength: 1 }), (text, editor, some) => {
      const result = editor.edit(text, some);
      if (result.ok) expect(editor.read(result.text).ok || result.text === text).toBe(true);
      else {
        expectPlausible(result.fault, text);
        expect(result.fault.code).not.toBe('internal');
      }
    }), runs(2));
  });
});
