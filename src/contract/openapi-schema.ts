// Contract: a schema of an OpenAPI document -> a schema that a model is shown, without references. PURE. Bounded: where it goes
// round, too deep or on without end, it says `{}`, anything. The server judges the value anyway.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { refOf, type Resolve } from './openapi-refs.ts';

export const SCHEMA_LEVELS_MAX = 6;
/** Schemas within one tool: some documents unfold to millions. */
export const SCHEMA_NODES_MAX = 200;
const TEXT_CHARS_MAX = 1_000;
const ENUM_MAX = 200;
const PROPERTIES_MAX = 500;

const NUMBERS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;
const TEXTS = ['format', 'pattern', 'description', 'title'] as const;
const TYPES: readonly JsonValue[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

export interface Copying { readonly resolve: Resolve; readonly where: string; nodes: number }

export const copying = (resolve: Resolve, where: string): Copying => ({ resolve, where, nodes: 0 });

export const shortened = (text: string, max = TEXT_CHARS_MAX): string => (text.length <= max ? text : `${text.slice(0, max)}\u2026`);

/** `open`: the references that are being unfolded. */
export function copySchema(state: Copying, value: JsonValue | undefined, level = 0, open: readonly string[] = []): JsonObject {
  const ref = refOf(value);
  if (state.nodes++ >= SCHEMA_NODES_MAX || level > SCHEMA_LEVELS_MAX || (ref !== undefined && open.includes(ref))) return {};
  const schema = state.resolve(value, state.where);
  if (!isObject(schema)) return {};
  const deeper = (inner: JsonValue | undefined): JsonObject => copySchema(state, inner, level + 1, ref === undefined ? open : [...open, ref]);
  const list = (key: string): JsonObject => {
    const all = schema[key];
    return Array.isArray(all) && all.length > 0 ? { [key]: all.slice(0, 50).map(deeper) } : {};
  };
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const fits = state.nodes + properties.length <= SCHEMA_NODES_MAX;
  const required = fits && Array.isArray(schema['required']) ? schema['required'].filter((name) => typeof name === 'string').slice(0, PROPERTIES_MAX) : [];
  return {
    ...typeOf(schema), ...scalars(schema),
    ...(fits && properties.length > 0 ? { properties: Object.fromEntries(properties.map(([name, inner]) => [name, deeper(inner)])) } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(schema['items'] === undefined ? {} : { items: deeper(schema['items']) }),
    ...(typeof schema['additionalProperties'] === 'boolean' ? { additionalProperties: schema['additionalProperties'] } : {}),
    ...list('oneOf'), ...list('anyOf'), ...list('allOf'),
  };
}

/** 3.0 says `nullable`, 3.1 a list of types. */
function typeOf(schema: JsonObject): JsonObject {
  const given = Array.isArray(schema['type']) ? schema['type'] : [schema['type'] ?? ''];
  const types = given.filter((type) => TYPES.includes(type));
  if (schema['nullable'] === true && types.length > 0 && !types.includes('null')) types.push('null');
  const [first] = types;
  if (first === undefined) return {};
  return { type: types.length === 1 ? first : types };
}

function scalars(schema: JsonObject): JsonObject {
  const kept: [string, JsonValue][] = [];
  for (const key of NUMBERS) if (typeof schema[key] === 'number') kept.push([key, schema[key]]);
  for (const key of TEXTS) if (typeof schema[key] === 'string') kept.push([key, shortened(schema[key])]);
  const choices = schema['enum'];
  const plain = (value: JsonValue | undefined): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (Array.isArray(choices) && choices.every(plain) && choices.length <= ENUM_MAX) kept.push(['enum', choices]);
  for (const key of ['const', 'default']) if (schema[key] !== undefined && plain(schema[key])) kept.push([key, schema[key]]);
  return Object.fromEntries(kept);
}

/** The top-level properties of an object schema, with those of its `allOf`. Undefined: it is not known to be an object with names. */
export function propertiesOf(state: Copying, value: JsonValue | undefined, level = 0): { readonly properties: [string, JsonValue][]; readonly required: string[] } | undefined {
  const schema = state.resolve(value, state.where);
  if (!isObject(schema) || level > SCHEMA_LEVELS_MAX || state.nodes++ >= SCHEMA_NODES_MAX || schema['oneOf'] !== undefined || schema['anyOf'] !== undefined) return undefined;
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'].map((part) => propertiesOf(state, part, level + 1)) : [];
  if (parts.some((part) => part === undefined)) return undefined;
  const own = isObject(schema['properties']) ? Object.entries(schema['properties']).slice(0, PROPERTIES_MAX) : [];
  const properties = [...new Map([...parts.flatMap((part) => part?.properties ?? []), ...own])];
  if (properties.length === 0 || (schema['type'] !== undefined && schema['type'] !== 'object')) return undefined;
  const required = (Array.isArray(schema['required']) ? schema['required'] : []).filter((name) => typeof name === 'string');
  return { properties, required: [...parts.flatMap((part) => part?.required ?? []), ...required] };
}
