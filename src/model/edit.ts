// Contract: edits of one text document. Implemented by merge/json.ts, merge/toml.ts and merge/yaml.ts. PURE.
import type { JsonValue, Path } from './json.ts';

/**
 * What a document's reader (the client) accepts. Facts per client: docs/clients.md.
 * `emptyIsObject`: an empty or white-space-only file counts as an empty document.
 */
export interface Tolerance {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  readonly bom: boolean;
  readonly utf16le: boolean;
  readonly emptyIsObject: boolean;
}

export type EditOp =
  /** Set the key at `path` (last step a string). Missing parent objects are created; an existing value is replaced in place. */
  | { readonly op: 'set'; readonly path: Path; readonly value: JsonValue }
  /** Add an element at the end of the array at `path`; a missing array and missing parents are created. */
  | { readonly op: 'append'; readonly path: Path; readonly value: JsonValue }
  /** Replace the existing value at `path` (last step a string or a number). */
  | { readonly op: 'replace'; readonly path: Path; readonly value: JsonValue }
  /** Remove the key or array element at `path`. It must exist. */
  | { readonly op: 'remove'; readonly path: Path }
  /** Remove the object or array at `path` if it is empty; do nothing if it is not there or not empty. */
  | { readonly op: 'prune'; readonly path: Path };

/** Why a document was refused. Positions are 1-based; `offset` counts UTF-16 units. */
export interface MergeFault {
  readonly code: 'invalid-document' | 'merge-conflict-markers' | 'not-an-object' | 'duplicate-key' | 'wrong-type'
    | 'too-deep' | 'too-large' | 'empty-file' | 'client-rejects' | 'undecodable' | 'nul-filled' | 'foreign-entry' | 'internal';
  readonly message: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** A splice: `text.slice(start, end)` of the text before was replaced by `text`. */
export interface Splice { readonly start: number; readonly end: number; readonly text: string }

export type ReadResult = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly fault: MergeFault };

export type EditResult =
  | {
      readonly ok: true;
      readonly text: string;
      /** Containers (objects, arrays, tables) that did not exist before, outermost first. */
      readonly created: readonly Path[];
      /** All splices against the original text, in order, not overlapping: every other character is untouched. */
      readonly splices: readonly Splice[];
    }
  | { readonly ok: false; readonly fault: MergeFault };

/** One format's editor. `text` never carries a BOM (merge/text.ts takes it off and puts it back). */
export interface Editor {
  readonly read: (text: string) => ReadResult;
  /** All ops or none. The result was parsed again and equals the intent, or the answer is a fault of code `internal`. */
  readonly edit: (text: string, ops: readonly EditOp[]) => EditResult;
}
