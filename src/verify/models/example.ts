// Contract: a small document that a JSON schema takes, for auxiliary requests that want structured output. Gemini CLI asks a
// routing question so before its first turn and asks again for minutes if it gets plain text (measured on 0.61.0). It knows
// types, required keys, enums, constants and lower bounds, in JSON Schema's and in Gemini's upper-case spelling. PURE.
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';

const DEPTH_MAX = 16;
const PROPERTIES_MAX = 256;

export function exampleOf(schema: JsonValue, text: string, depth: number = 0): JsonValue {
  if (!isObject(schema) || depth >= DEPTH_MAX) return text;
  if (schema['const'] !== undefined) return schema['const'];
  const words = schema['enum'];
  if (Array.isArray(words) && words[0] !== undefined) return words[0];
  const choices = schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf'];
  if (Array.isArray(choices) && choices[0] !== undefined) return exampleOf(choices[0], text, depth + 1);
  switch (typeOf(schema)) {
    case 'object': return exampleObject(schema, text, depth);
    case 'array': return exampleArray(schema, text, depth);
    case 'integer':
    case 'number': return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean': return false;
    case 'null': return null;
    default: return text;
  }
}

function typeOf(schema: JsonObject): string {
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (typeof type === 'string') return type.toLowerCase();
  return isObject(schema['properties']) ? 'object' : 'string';
}

function exampleObject(schema: JsonObject, text: string, depth: number): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : Object.keys(properties);
  const names = required.filter((name): name is string => typeof name === 'string' && name !== '__proto__').slice(0, PROPERTIES_MAX);
  return Object.fromEntries(names.map((name) => [name, exampleOf(ownValue(properties, name), text, depth + 1)]));
}

function ownValue(object: JsonObject, key: string): JsonValue {
  return Object.prototype.hasOwnProperty.call(object, key) ? object[key] ?? null : null;
}

function exampleArray(schema: JsonObject, text: string, depth: number): JsonValue[] {
  const least = schema['minItems'];
  return typeof least === 'number' && least > 0 && schema['items'] !== undefined ? [exampleOf(schema['items'], text, depth + 1)] : [];
}
