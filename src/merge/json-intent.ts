// Contract: the second opinion on an edit. A lazy model of the document before is edited as values and then compared
// with the text after: values that no operation touched must be spelt the same, unit for unit. PURE.
import type { EditOp } from '../model/edit.ts';
import type { JsonValue } from '../model/json.ts';
import { scanJson, scannedValue } from './json-scan.ts';
import { eachEntry, keyIs, skipValue, type Entry, type Source } from './json-walk.ts';

const NO_SOURCE: Source = { text: '', ends: new Map() };

/** An untouched stretch of text, a value of ours, or a container with at least one touched entry. */
type Shape =
  | { readonly kind: 'text'; readonly source: Source; readonly start: number; readonly end: number }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'object' | 'array'; readonly source: Source; readonly bounds: readonly number[]; readonly items: Item[] };
interface Node { shape: Shape }
/** The number of an untouched entry of `bounds`, or an entry with a node of its own. */
type Item = number | { readonly key: string | undefined; readonly node: Node };
type Box = Extract<Shape, { kind: 'object' | 'array' }>;

export interface Intent { readonly root: Node }

export function intentOf(source: Source, root: number): Intent {
  return { root: { shape: { kind: 'text', source, start: root, end: skipValue(source, root) } } };
}

/** Applies one operation to the model. `pruned` is what the editor did: a container that holds a comment stays. */
export function applyIntent(intent: Intent, op: EditOp, pruned: boolean): void {
  if (op.op === 'prune' && !pruned) return;
  const grows = op.op === 'set' || op.op === 'append';
  let node = intent.root;
  const steps = op.op === 'append' ? op.path : op.path.slice(0, -1);
  steps.forEach((step, i) => {
    const box = unfold(node);
    const at = indexOf(box, step);
    if (at === -1 && !grows) throw new Error('the model has nothing at the path');
    const next = op.op === 'append' ? (steps[i + 1] ?? 0) : (op.path[i + 1] ?? '');
    node = at === -1 ? addItem(box, step, typeof next === 'string' ? {} : []) : nodeAt(box, at);
  });
  const box = unfold(node);
  if (op.op === 'append') {
    addItem(box, undefined, op.value);
    return;
  }
  const step = op.path[op.path.length - 1];
  const at = step === undefined ? -1 : indexOf(box, step);
  if (op.op === 'set' && at === -1) addItem(box, step, op.value);
  else if (at === -1) throw new Error('the model has nothing at the path');
  else if (op.op === 'set' || op.op === 'replace') nodeAt(box, at).shape = { kind: 'value', value: op.value };
  else {
    if (op.op === 'prune' && unfold(nodeAt(box, at)).items.length > 0) throw new Error('a full container was pruned');
    box.items.splice(at, 1);
  }
}

/** Whether the text after says what the model says. */
export function meetsIntent(intent: Intent, source: Source, root: number): boolean {
  const { text } = source;
  const work: { readonly node: Node; readonly start: number; readonly end: number }[] = [
    { node: intent.root, start: root, end: skipValue(source, root) },
  ];
  for (let job = work.pop(); job !== undefined; job = work.pop()) {
    const { shape } = job.node;
    if (shape.kind === 'text') {
      if (shape.source.text.slice(shape.start, shape.end) !== text.slice(job.start, job.end)) return false;
    } else if (shape.kind === 'value') {
      if (!sameJson(shape.value, parseSlice(text.slice(job.start, job.end)))) return false;
    } else if (!sameEntries(shape, source, job.start, work)) {
      return false;
    }
  }
  return true;
}

function sameEntries(box: Box, source: Source, open: number, work: { node: Node; start: number; end: number }[]): boolean {
  const { text } = source;
  if (text.charCodeAt(open) !== (box.kind === 'object' ? 123 : 91)) return false;
  let same = true;
  let at = 0;
  eachEntry(source, open, (entry) => {
    const item = box.items[at++];
    if (item === undefined) {
      same = false;
    } else if (typeof item === 'number') {
      same &&= sameSpelling(box, item, text, entry);
    } else {
      const keyed = item.key === undefined ? entry.keyEnd === -1 : keyIs(text, entry.start, entry.keyEnd, item.key);
      same &&= keyed;
      work.push({ node: item.node, start: entry.valueStart, end: entry.valueEnd });
    }
  });
  return same && at === box.items.length;
}

function sameSpelling(box: Box, item: number, text: string, entry: Entry): boolean {
  const [start = 0, keyEnd = -1, valueStart = 0, valueEnd = 0] = box.bounds.slice(item * 4, item * 4 + 4);
  const sameKey = keyEnd === -1 ? entry.keyEnd === -1 : box.source.text.slice(start, keyEnd) === text.slice(entry.start, entry.keyEnd);
  return sameKey && box.source.text.slice(valueStart, valueEnd) === text.slice(entry.valueStart, entry.valueEnd);
}

/** Makes a node into a container whose entries can be reached one by one. */
function unfold(node: Node): Box {
  const { shape } = node;
  if (shape.kind !== 'text' && shape.kind !== 'value') return shape;
  const box = shape.kind === 'text' ? boxOfText(shape.source, shape.start) : boxOfValue(shape.value);
  node.shape = box;
  return box;
}

function boxOfText(source: Source, open: number): Box {
  const opener = source.text.charCodeAt(open);
  if (opener !== 123 && opener !== 91) throw new Error('the model has no container at the path');
  const bounds: number[] = [];
  const items: Item[] = [];
  eachEntry(source, open, (entry) => {
    items.push(items.length);
    bounds.push(entry.start, entry.keyEnd, entry.valueStart, entry.valueEnd);
  });
  return { kind: opener === 123 ? 'object' : 'array', source, bounds, items };
}

function boxOfValue(value: JsonValue): Box {
  if (typeof value !== 'object' || value === null) throw new Error('the model has no container at the path');
  const pairs: [string | undefined, JsonValue][] = Array.isArray(value)
    ? value.map((element) => [undefined, element])
    : Object.entries(value);
  const items = pairs.map(([key, inner]): Item => ({ key, node: { shape: { kind: 'value', value: inner } } }));
  return { kind: Array.isArray(value) ? 'array' : 'object', source: NO_SOURCE, bounds: [], items };
}

function indexOf(box: Box, step: string | number): number {
  if (typeof step === 'number') return box.kind === 'array' && step >= 0 && step < box.items.length ? step : -1;
  if (box.kind !== 'object') return -1;
  return box.items.findIndex((item) =>
    typeof item === 'number'
      ? keyIs(box.source.text, box.bounds[item * 4] ?? 0, box.bounds[item * 4 + 1] ?? 0, step)
      : item.key === step,
  );
}

function nodeAt(box: Box, at: number): Node {
  const item = box.items[at];
  if (typeof item !== 'number') {
    if (item === undefined) throw new Error('the model has nothing at the path');
    return item.node;
  }
  const [start = 0, keyEnd = -1, valueStart = 0, valueEnd = 0] = box.bounds.slice(item * 4, item * 4 + 4);
  const key = keyEnd === -1 ? undefined : (JSON.parse(box.source.text.slice(start, keyEnd)) as string);
  const node: Node = { shape: { kind: 'text', source: box.source, start: valueStart, end: valueEnd } };
  box.items[at] = { key, node };
  return node;
}

function addItem(box: Box, step: string | number | undefined, value: JsonValue): Node {
  if ((box.kind === 'object') !== (typeof step === 'string')) throw new Error('the model has another container here');
  const node: Node = { shape: { kind: 'value', value } };
  box.items.push({ key: typeof step === 'string' ? step : undefined, node });
  return node;
}

/** The value of a stretch of scanned text that may hold comments. */
export function parseSlice(text: string): JsonValue | undefined {
  const scan = scanJson(text);
  return scan.ok ? scannedValue(text, scan) : undefined;
}

/** Deep equality without recursion. Keys count as a set; both sides hold own keys only. */
export function sameJson(left: JsonValue, right: JsonValue | undefined): boolean {
  const work: [JsonValue | undefined, JsonValue | undefined][] = [[left, right]];
  for (let pair = work.pop(); pair !== undefined; pair = work.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    const fromA = a as { readonly [key: string]: JsonValue };
    const fromB = b as { readonly [key: string]: JsonValue };
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      work.push([fromA[key], fromB[key]]);
    }
  }
  return true;
}

/** Whether a value has more levels of containers than there is room for. */
export function isTooDeep(value: JsonValue, room: number): boolean {
  const work: [JsonValue, number][] = [[value, 1]];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const [inner, depth] = next;
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth > room) return true;
    for (const child of Object.values(inner)) work.push([child, depth + 1]);
  }
  return false;
}
