// Contract: documents of several layers -> the one document in force, with the documents that each value comes from, or faults
// that name both documents. Values are merged as they were written, by the table in merge-rules.ts: a default is no layer. PURE.
import type { Diagnostic } from '../model/diagnostic.ts';
import { isObject, sameValue, showPath, valueAt, type JsonObject, type JsonValue, type Path } from '../model/json.ts';
import { whereOf, type Effective, type LayerDocument, type Origin } from './effective.ts';
import { layerFaults } from './layer-checks.ts';
import { levelFaults } from './levels.ts';
import { concreteKeys, isAny, KEY_RULES, type KeyRule } from './merge-rules.ts';
import { settingsSchema } from './schema.ts';
import { between, compareStrictness, FIX } from './strictness.ts';

/** A value in force. */
export interface MergedValue {
  readonly key: Path;
  readonly rule: KeyRule;
  readonly value: JsonValue;
  /** Every document that says exactly this, weakest first; of a merged list, those that added to it. */
  readonly from: readonly Origin[];
  /** Documents that said something else and do not count. */
  readonly overruled: readonly Origin[];
}

export interface Merged extends Effective {
  readonly documents: readonly LayerDocument[];
  /** What was written, merged: without defaults. */
  readonly written: JsonObject;
  readonly values: readonly MergedValue[];
}

export type MergeResult = { readonly ok: true; readonly merged: Merged } | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

interface Given extends Origin { readonly value: JsonValue }

/** What a fold finds: the value with its origins, and where items of a list come from. */
interface Folded { readonly value: JsonValue; readonly from: readonly Given[]; readonly overruled: readonly Given[]; readonly items?: readonly (readonly [string | number, Origin])[] }

type Fold = (rule: KeyRule, given: readonly Given[]) => Folded | Diagnostic;

function last(given: readonly Given[], keep: (one: Given) => boolean): Folded {
  return { value: (given[given.length - 1] as Given).value, from: given.filter(keep), overruled: given.filter((one) => !keep(one)) };
}

const replace: Fold = (_rule, given) => last(given, (one) => sameValue(one.value, (given[given.length - 1] as Given).value));

const conflict: Fold = (_rule, given) => {
  const [first, ...rest] = given as [Given, ...Given[]];
  const other = rest.find((one) => !sameValue(one.value, first.value));
  return other === undefined ? last(given, () => true) : between('settings-conflict', other, first, first.key, 'say something else than');
};

const tighten: Fold = ({ stricter }, given) => {
  let now = given[0] as Given;
  for (const one of given.slice(1)) {
    const compared = compareStrictness(stricter, now.value, one.value);
    if (compared === 'looser') return between('settings-loosened', one, now, one.key, 'loosen what is set by');
    if (compared === 'other') return between('settings-conflict', one, now, one.key, 'say something else than');
    if (compared === 'stricter') now = one;
  }
  return last(given, (one) => compareStrictness(stricter, now.value, one.value) === 'same');
};

/** Objects: the union of their keys. Lists: one behind the other; what an earlier document holds is not repeated. */
const append: Fold = (rule, given) => (isObject((given[0] as Given).value) ? appendKeys(given) : appendItems(rule, given));

function appendKeys(given: readonly Given[]): Folded {
  const value: JsonObject = {};
  const items: [string, Origin][] = [];
  for (const one of given) {
    for (const key of Object.keys(one.value as JsonObject)) {
      if (!Object.hasOwn(value, key)) items.push([key, { document: one.document, key: [...one.key, key] }]);
      value[key] = {};
    }
  }
  return { value, from: given, overruled: [], items };
}

function appendItems(rule: KeyRule, given: readonly Given[]): Folded | Diagnostic {
  const value: JsonValue[] = [];
  const items: [number, Origin][] = [];
  const known = new Map<string, JsonValue>();
  const ids = new Map<string, number>();
  for (const one of given) {
    // Twice in one document is that document's own matter.
    const before = new Set(known.keys());
    for (const [index, item] of (one.value as JsonValue[]).entries()) {
      const text = canonical(item);
      if (before.has(text)) continue;
      const origin: Origin = { document: one.document, key: [...one.key, index] };
      const id = rule.byId === true && isObject(item) ? String(item['id']) : undefined;
      const same = id === undefined ? undefined : ids.get(id);
      const other = same === undefined ? undefined : items[same]?.[1];
      if (other !== undefined && other.document !== one.document) return between('settings-conflict', origin, other, origin.key, 'give another meaning to an id of');
      if (id !== undefined) ids.set(id, value.length);
      known.set(text, item);
      items.push([value.length, origin]);
      value.push(item);
    }
  }
  return tooMany(rule, value.length, given.map(({ document }) => document)) ?? { value, from: given, overruled: [], items };
}

/** More than the rule allows, all documents together; said at the last document that holds any. */
function tooMany({ key, itemsMax }: KeyRule, count: number, documents: readonly LayerDocument[]): Diagnostic | undefined {
  const steps = key.split('.').filter((step) => !isAny(step));
  const latest = documents.findLast(({ written }) => valueAt(written, steps) !== undefined);
  if (itemsMax === undefined || count <= itemsMax || latest === undefined) return undefined;
  return { code: 'settings-invalid', severity: 'error', where: whereOf({ document: latest, key: steps }), fix: FIX, message: `${showPath(steps)}: ${count} in all documents together, more than ${itemsMax}` };
}

const FOLDS: Readonly<Record<KeyRule['merge'], Fold>> = { replace, tighten, append, conflict };

function put(root: JsonObject, key: Path, value: JsonValue): void {
  let at = root;
  for (const step of key.slice(0, -1)) {
    const next = Object.hasOwn(at, step) ? at[step] : undefined;
    // A null is an object without keys: `clients.selected.<client>:`.
    at = isObject(next) ? next : (at[step] = {});
  }
  at[String(key[key.length - 1])] = value;
}

/** Keys sorted at every depth, so that the same settings give the same text. */
export function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key] as JsonValue)}`).join(',')}}`;
}

/** Merges documents, weakest first. Each was checked by itself before. */
export function mergeLayers(documents: readonly LayerDocument[]): MergeResult {
  const faults: Diagnostic[] = [...layerFaults(documents), ...levelFaults(documents)];
  const written: JsonObject = {};
  const values: MergedValue[] = [];
  const origins = new Map<string, Origin>();
  const roots = documents.map((document) => document.written);
  for (const rule of KEY_RULES) {
    const keys = concreteKeys(rule, roots);
    const many = tooMany(rule, keys.length, documents);
    if (many !== undefined) faults.push(many);
    for (const key of keys) {
      const given = documents.flatMap((document): Given[] => {
        const value = valueAt(document.written, key);
        return value === undefined || value === null ? [] : [{ document, key, value }];
      });
      if (given.length === 0) continue;
      const folded = FOLDS[rule.merge](rule, given);
      if ('severity' in folded) { faults.push(folded); continue; }
      put(written, key, folded.value);
      values.push({ key, rule, value: folded.value, from: folded.from, overruled: folded.overruled });
      origins.set(showPath(key), folded.from[0] as Origin);
      for (const [step, origin] of folded.items ?? []) origins.set(showPath([...key, step]), origin);
    }
  }
  if (faults.length > 0) return { ok: false, diagnostics: faults };
  return { ok: true, merged: { documents, written, values, settings: settingsSchema.parse(written), originOf: (key) => originIn(origins, key) } };
}

function originIn(origins: ReadonlyMap<string, Origin>, key: Path): Origin | undefined {
  for (let length = key.length; length > 0; length -= 1) {
    const origin = origins.get(showPath(key.slice(0, length)));
    if (origin !== undefined) return { document: origin.document, key: [...origin.key, ...key.slice(length)] };
  }
  return undefined;
}

/** First 16 hex digits of the sha256 over what was written, in canonical form: keys that nobody wrote do not change it. */
export function digestOf({ written }: Pick<Merged, 'written'>, sha256: (text: string) => string): string {
  return sha256(canonical(written)).slice(0, 16);
}
