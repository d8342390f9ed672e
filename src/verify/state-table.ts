// Contract: the state table of docs/states.md, made by calling deriveState over all inputs. For each state, combinations
// with the same answer are merged into boxes (a set of values per input), so that the table is exact and yet short: for
// each state, every combination is in exactly one row. PURE.
import type { Tri } from '../model/evidence.ts';
import { STATE_INPUTS, deriveState, type StateInput, type States } from './state.ts';

type Key = keyof StateInput;
/** The values of each input that a row covers, as positions in STATE_INPUTS. */
type Box = readonly (readonly number[])[];

const KEYS = Object.keys(STATE_INPUTS) as Key[];
const STATES: readonly (keyof States)[] = ['absent', 'installed', 'discovered', 'observed', 'drifted', 'stale'];
const ANSWERS: readonly Tri[] = [true, false, 'unknown'];

/** Every combination of inputs, in the order of STATE_INPUTS. */
export function allStateInputs(): StateInput[] {
  let rows: Record<string, unknown>[] = [{}];
  for (const key of KEYS) rows = rows.flatMap((row) => STATE_INPUTS[key].map((value) => ({ ...row, [key]: value })));
  return rows as unknown as StateInput[];
}

const positions = (e: StateInput): Box => KEYS.map((key) => [(STATE_INPUTS[key] as readonly unknown[]).indexOf(e[key])]);

/** Merges boxes that differ in one input only; each pass keeps them disjoint. */
function mergeAlong(boxes: readonly Box[], dimension: number): Box[] {
  const groups = new Map<string, { box: Box; values: number[] }>();
  for (const box of boxes) {
    const id = box.map((values, i) => (i === dimension ? '' : values.join('.'))).join('|');
    const group = groups.get(id) ?? { box, values: [] };
    group.values.push(...(box[dimension] ?? []));
    groups.set(id, group);
  }
  return [...groups.values()].map(({ box, values }) => box.map((old, i) => (i === dimension ? [...values].sort((a, b) => a - b) : old)));
}

export interface StateRow {
  readonly state: keyof States;
  readonly value: Tri;
  readonly inputs: Readonly<Record<Key, readonly (string | boolean)[]>>;
}

function rowsOf(state: keyof States, value: Tri, boxes: readonly Box[]): StateRow[] {
  const merged = KEYS.reduceRight((now, _key, dimension) => mergeAlong(now, dimension), [...boxes]);
  return merged.map((box): StateRow => ({
    state, value,
    inputs: Object.fromEntries(KEYS.map((key, i) => [key, (box[i] ?? []).map((at) => STATE_INPUTS[key][at] ?? '')])) as unknown as StateRow['inputs'],
  }));
}

/** The rows of the table, by state and then by answer. */
export function stateRows(): StateRow[] {
  const all = allStateInputs().map((e) => ({ box: positions(e), states: deriveState(e) }));
  return STATES.flatMap((state) => ANSWERS.flatMap((value) =>
    rowsOf(state, value, all.filter((one) => one.states[state] === value).map((one) => one.box))));
}

const shown = (value: string | boolean): string => (value === true ? 'yes' : value === false ? 'no' : value);

function cell(key: Key, values: readonly (string | boolean)[]): string {
  return values.length === STATE_INPUTS[key].length ? '' : values.map(shown).join(', ');
}

/** Markdown. An empty cell means: any value. Inputs that never matter are left out of the columns and named below. */
export function renderStateTable(): string {
  const rows = stateRows();
  const used = KEYS.filter((key) => rows.some((row) => row.inputs[key].length < STATE_INPUTS[key].length));
  const idle = KEYS.filter((key) => !used.includes(key));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = [
    line(['state', 'is', ...used]),
    line(['state', 'is', ...used].map(() => '---')),
    ...rows.map((row) => line([row.state, shown(row.value), ...used.map((key) => cell(key, row.inputs[key]))])),
  ];
  const note = idle.length === 0 ? [] : ['', `Inputs that change reasons, but no state: ${idle.join(', ')}.`];
  return `${[...lines, ...note].join('\n')}\n`;
}
