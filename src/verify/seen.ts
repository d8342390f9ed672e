// Contract: a finding with its evidence: which file or variable, which key, and what stands there. Of a value only its kind
// is said, and a boolean: everything else may be a secret of the person's. PURE.
import { ENVIRONMENT, type Finding, type TrustState } from '../model/client.ts';
import type { Seen, SeenFinding, SeenTrust } from '../model/evidence.ts';
import { isObject, showPath, valueAt, type JsonObject, type JsonValue, type Path } from '../model/json.ts';

/** The documents that were read, by evidence name, and where each stands. */
export interface Documents { readonly documents: ReadonlyMap<string, JsonObject>; readonly places: ReadonlyMap<string, string> }

function inWords(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isObject(value) ? 'an object' : typeof value === 'number' ? 'a number' : value === '' ? 'an empty string' : 'a string';
}

const at = (file: string | null, path: Path | undefined, document: JsonObject | undefined): Seen => ({
  file, key: path === undefined || path.length === 0 ? null : showPath(path),
  seen: path === undefined || document === undefined ? 'as the text says' : inWords(valueAt(document, path)),
});

/** A finding of a file that was linted. */
export function seenInFile(finding: Finding, file: string, document: JsonObject): SeenFinding {
  return { ...finding, evidence: at(file, finding.path, document) };
}

/** A finding of the documents, or of the environment. */
export function seenInDocuments(finding: Finding, { documents, places }: Documents): SeenFinding {
  if (finding.source === ENVIRONMENT) return { ...finding, evidence: { file: null, key: finding.path === undefined ? null : showPath(finding.path), seen: 'set' } };
  return { ...finding, evidence: placeOf(finding, { documents, places }) };
}

export function seenTrust(state: TrustState, found: Documents): SeenTrust {
  return { ...state, evidence: placeOf(state, found) };
}

function placeOf({ source, path }: Pick<Finding, 'source' | 'path'>, { documents, places }: Documents): Seen {
  return at(source === undefined ? null : places.get(source) ?? null, path, source === undefined ? undefined : documents.get(source) ?? {});
}
