// Contract: the one document that is in force, and where each of its parts was written. PURE. A document that stands alone is
// in force as it is; several are merged in layers.ts, which a hook never loads.
import type { Diagnostic } from '../model/diagnostic.ts';
import type { JsonObject, Path } from '../model/json.ts';
import { keyPath, type Place, type ReadDocument } from './document.ts';
import type { LayerName } from './merge-rules.ts';
import type { Settings } from './schema.ts';

/** One document of a layer, read and checked by itself. */
export interface LayerDocument {
  readonly layer: LayerName;
  readonly path: string;
  /** The person's own, as opposed to what the operator wrote for this workstation. */
  readonly isOwn: boolean;
  readonly written: JsonObject;
  readonly placeOf: (key: Path) => Place | undefined;
}

/** Where one value was written: the key is its own in that document. */
export interface Origin { readonly document: LayerDocument; readonly key: Path }

export interface Effective {
  readonly settings: Settings;
  /** Where a key, or the nearest one above it, was written first; undefined: nowhere, it is a default. */
  readonly originOf: (key: Path) => Origin | undefined;
}

export function layerDocument(path: string, { written, placeOf }: ReadDocument<unknown>, layer: LayerName = 'workstation', isOwn = true): LayerDocument {
  return { layer, path, isOwn, written, placeOf };
}

export function alone(document: LayerDocument, settings: Settings): Effective {
  return { settings, originOf: (key) => ({ document, key }) };
}

export function whereOf({ document, key }: Origin): Diagnostic['where'] & { readonly path: string } {
  return { path: document.path, ...document.placeOf(key) };
}

/** `fleet.yaml:12`, as a rule says where it is written. */
export function sourceOf({ document, key }: Origin, name: string = baseOf(document.path)): string {
  return `${name}:${document.placeOf(key)?.line ?? 0}`;
}

export function baseOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** A fault of a key of the merged document, at the line of the document that it comes from. */
export function faultOf({ originOf }: Pick<Effective, 'originOf'>, { path, fix }: { readonly path: string; readonly fix: string }, key: Path, message: string, severity: Diagnostic['severity']): Diagnostic {
  const origin = originOf(key);
  return {
    code: severity === 'error' ? 'settings-invalid' : 'note', severity, message: `${keyPath(key)}: ${message}`, fix,
    where: origin === undefined ? { path } : whereOf(origin),
  };
}
