// Contract: the settings in force as people ask about them: every value with its rule and the documents that it comes from, and
// the words for a rule. Values of `env` and `headers` are never shown. PURE.
import { toJSONSchema } from 'zod';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject, showPath, valueAt, type JsonObject, type JsonValue, type Path } from '../model/json.ts';
import { whereOf, type Origin } from './effective.ts';
import type { Merged } from './layers.ts';
import { isAny, KEY_RULES, type KeyRule } from './merge-rules.ts';
import { settingsSchema } from './schema.ts';

export interface ShownOrigin { readonly layer: string; readonly path: string; readonly line: number | null }

export interface ShownValue {
  readonly key: string;
  readonly value: JsonValue;
  readonly merge: KeyRule['merge'];
  /** Weakest first; empty: the built-in default. */
  readonly from: readonly ShownOrigin[];
  readonly overruled: readonly ShownOrigin[];
  /** Where each item of a merged list was written. */
  readonly items: readonly ShownOrigin[];
}

export interface Explanation {
  readonly key: string;
  readonly what: string;
  readonly rule: string;
  readonly layers: readonly string[];
  readonly default: JsonValue;
  readonly values: readonly ShownValue[];
}

function shownOrigin(origin: Origin): ShownOrigin {
  const { path, line } = whereOf(origin);
  return { layer: origin.document.layer, path, line: line ?? null };
}

const SECRET = ['env', 'headers'];

/** Names instead of values where a value may be a secret. */
function withoutSecrets(rule: KeyRule, value: JsonValue): JsonValue {
  if (!rule.key.startsWith('mcpServers') || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, SECRET.includes(key) && isObject(inner) ? Object.keys(inner).sort() : inner]));
}

function itemsOf(merged: Merged, key: Path, value: JsonValue): readonly ShownOrigin[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((_item, index) => { const origin = merged.originOf([...key, index]); return origin === undefined ? [] : [shownOrigin(origin)]; });
}

const DEFAULTS = settingsSchema.parse({}) as unknown as JsonObject;

function defaultOf(rule: KeyRule): JsonValue {
  return valueAt(DEFAULTS, rule.key.split('.')) ?? null;
}

function valuesOf(merged: Merged, rule: KeyRule): ShownValue[] {
  return merged.values.filter((one) => one.rule === rule).map(({ key, value, from, overruled }) => ({
    key: showPath(key), value: withoutSecrets(rule, value), merge: rule.merge, from: from.map(shownOrigin), overruled: overruled.map(shownOrigin),
    items: rule.merge === 'append' ? itemsOf(merged, key, value) : [],
  }));
}

/** Every value in force, in the order of the table; what nobody wrote with its default. */
export function shownValues(merged: Merged): readonly ShownValue[] {
  return KEY_RULES.flatMap((rule) => {
    const written = valuesOf(merged, rule);
    const isMap = rule.key.includes('<');
    return written.length > 0 || isMap ? written : [{ key: rule.key, value: defaultOf(rule), merge: rule.merge, from: [], overruled: [], items: [] }];
  });
}

/** `tighten: default < strict`. */
export function ruleWords({ merge, stricter, itemsMax }: KeyRule): string {
  const words = stricter === undefined ? '' : Array.isArray(stricter) ? `: ${stricter.map((step: readonly (string | boolean)[]) => step.join(' or ')).join(' < ')}` : stricter === 'shorter' ? ': shorter' : ': fewer';
  return `${merge}${words}${itemsMax === undefined ? '' : `, at most ${itemsMax}`}`;
}

/** The description in the schema, at a key of the table. */
function describedAt(schema: JsonObject, steps: readonly string[]): string {
  let options: JsonObject[] = [schema];
  for (const step of steps) {
    options = options.flatMap((one): JsonObject[] => {
      const parts = Array.isArray(one['anyOf']) ? one['anyOf'] as JsonObject[] : [one];
      return parts.flatMap((part) => {
        const next = isAny(step) ? part['additionalProperties'] : isObject(part['properties']) ? part['properties'][step] : undefined;
        return isObject(next) ? [next] : [];
      });
    });
  }
  const found = options.map((one) => one['description']).find((text) => typeof text === 'string');
  return typeof found === 'string' ? found : '';
}

/** A key as people write it: with dots, also inside a name, or with brackets. */
function stepsAsked(asked: string): string[] {
  return [...asked.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[\]]+/g)].map((match) => match[1] ?? match[0]);
}

/** The rules that a key means: its own, or all below it. A name in `<>` takes what is left: `rules.git.push.force`. */
function rulesFor(asked: readonly string[]): { rule: KeyRule; name: string | undefined }[] {
  return KEY_RULES.flatMap((rule): { rule: KeyRule; name: string | undefined }[] => {
    const steps = rule.key.split('.');
    const any = steps.findIndex(isAny);
    const fixed = any < 0 ? steps : steps.slice(0, any);
    const matches = asked.slice(0, fixed.length).every((step, i) => step === fixed[i]);
    if (!matches) return [];
    if (asked.length <= fixed.length) return [{ rule, name: undefined }];
    if (any < 0) return [];
    const after = steps.slice(any + 1);
    const rest = asked.slice(any);
    const tail = after.length > 0 && rest.length > after.length && after.every((step, i) => rest[rest.length - after.length + i] === step) ? after.length : 0;
    return after.length > 0 && tail === 0 && rest.length > 1 ? [] : [{ rule, name: rest.slice(0, rest.length - tail).join('.') }];
  });
}

export function explained(merged: Merged, asked: string): readonly Explanation[] {
  const meant = rulesFor(stepsAsked(asked));
  if (meant.length === 0 || asked.trim() === '') throw new PraetorError({ code: 'usage', message: `there is no key "${asked.slice(0, 80)}" in the settings`, fix: 'praetorctl settings show lists the keys; docs/settings.md has the table' });
  const schema = toJSONSchema(settingsSchema, { io: 'input' }) as JsonObject;
  return meant.map(({ rule, name }) => {
    const any = rule.key.split('.').findIndex(isAny);
    const values = valuesOf(merged, rule).filter((_value, index) => name === undefined || merged.values.filter((one) => one.rule === rule)[index]?.key[any] === name);
    return {
      key: rule.key, what: describedAt(schema, rule.key.split('.')), rule: `${ruleWords(rule)}${rule.note === undefined ? '' : ` (${rule.note})`}`,
      layers: rule.layers, default: defaultOf(rule), values,
    };
  });
}
