// Contract: `$ref` of an OpenAPI document, followed where it is needed and inside the document only. PURE. A reference to another
// file or host is refused: what a tool is must stand in the document that the person imported.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';

export const REF_CHAIN_MAX = 32;

export interface Problem { readonly where: string; readonly message: string }

/** The value behind any references. Undefined where there is none; why is reported. */
export type Resolve = (value: JsonValue | undefined, where: string) => JsonValue | undefined;

export function refOf(value: JsonValue | undefined): string | undefined {
  const ref = isObject(value) && Object.hasOwn(value, '$ref') ? value['$ref'] : undefined;
  return typeof ref === 'string' ? ref : undefined;
}

export function refReader(document: JsonObject, report: (problem: Problem) => void): Resolve {
  const targets = new Map<string, JsonValue | undefined>();
  return (value, where) => {
    let found = value;
    const no = (message: string): undefined => void report({ where, message });
    for (let steps = 0; ; steps++) {
      const ref = refOf(found);
      if (ref === undefined) return found;
      const shown = ref.slice(0, 200);
      if (ref !== '#' && !ref.startsWith('#/')) return no(`${shown} is outside of the document, which is not followed`);
      if (steps >= REF_CHAIN_MAX) return no(`${shown} leads to no value: the references go round`);
      if (!targets.has(ref)) targets.set(ref, target(document, ref));
      found = targets.get(ref);
      if (found === undefined) return no(`${shown} is not in the document`);
    }
  };
}

/** Own keys only; a pointer's `..` is a name like any other. */
function target(document: JsonObject, ref: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const step of ref.slice(1).split('/').slice(1).map(unescaped)) {
    if (step === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as JsonObject)[step];
  }
  return value;
}

function unescaped(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
