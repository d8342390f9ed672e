// Contract: a client's managed channel: the place that belongs to the machine and not to the person, what it is stronger than, and
// what is stronger than it. Implemented in src/clients/<id>/managed.ts. PURE.
import type { Fact, FileSpec, Platform } from './client.ts';
import type { JsonObject } from './json.ts';

export interface ManagedFile {
  /** Absolute, on the system it is for. */
  readonly path: string;
  readonly format: FileSpec['format'];
  readonly tolerance: FileSpec['tolerance'];
  /** There is one file for everybody who manages this client, so it is put only where none is. False: a file of our own beside others. */
  readonly shared: boolean;
  /** That the client reads it there. */
  readonly basis: Fact;
}

/** The same content as a preference domain of macOS: the document's own keys, or the whole text under one key in base64. */
export interface ManagedDomain { readonly domain: string; readonly base64Key?: string; readonly basis: Fact }

/** A further file without which the client does not read the first one: exactly these keys. */
export interface ManagedCompanion extends ManagedFile { readonly content: JsonObject }

export interface ManagedSurface {
  /** undefined: no place is known for this system. */
  readonly file: (platform: Platform) => ManagedFile | undefined;
  readonly also?: (platform: Platform) => readonly ManagedCompanion[];
  /** Keys that must stand beside the entries, so that nothing weaker switches them off. */
  readonly besides?: JsonObject;
  readonly winsOver: Fact;
  readonly blockedBy: readonly Fact[];
  readonly domain?: ManagedDomain;
}

/** The client has managed settings, and hooks cannot be put there. */
export interface ManagedNone { readonly none: Fact }
