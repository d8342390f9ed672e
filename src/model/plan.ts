// Contract: a plan is a value. clientsetup/plan.ts makes it, the view shows it, clientsetup/apply.ts only executes it. PURE.
import type { FileSpec } from './client.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Path } from './json.ts';

/** What identifies one version of a file. `digest` is sha256 hex of the bytes. */
export interface Stamp {
  readonly digest: string;
  readonly size: number;
  /** dev and ino as decimal strings; "0" where the platform has none. */
  readonly dev: string;
  readonly ino: string;
  /** Nanoseconds as a decimal string. */
  readonly mtimeNs: string;
  /** Permission bits only. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export type Snapshot =
  | {
      readonly state: 'absent';
      readonly path: string;
      /** Where a new file will be created: the path itself. */
      readonly target: string;
      /** Directories that do not exist yet, outermost first. */
      readonly missingDirs: readonly string[];
    }
  | {
      readonly state: 'file';
      readonly path: string;
      /** The real file after all links. */
      readonly target: string;
      /** The symbolic links on the way, as the user sees them; empty for a plain file. */
      readonly links: readonly string[];
      readonly bytes: Uint8Array;
      readonly stamp: Stamp;
    }
  | { readonly state: 'refused'; readonly path: string; readonly diagnostic: Diagnostic };

export type EntryAction = 'add' | 'change' | 'remove' | 'none';

/** One registration inside a file. */
export interface EntryChange {
  readonly client: string;
  readonly kind: 'hook' | 'mcp' | 'launcher' | 'schedule';
  /** Canonical event or server name. */
  readonly name: string;
  readonly action: EntryAction;
  /** Where in the document, for people. */
  readonly at: string;
  /** What is registered, without values of environment variables or headers. */
  readonly detail: string;
}

/** create: new file · edit: new bytes into an existing one · restore: the bytes from before our first touch · delete: a file we created. */
export type FileAction = 'create' | 'edit' | 'restore' | 'delete' | 'none';

export interface FilePlan {
  readonly client: string;
  readonly spec: FileSpec;
  readonly action: FileAction;
  readonly before: Exclude<Snapshot, { state: 'refused' }>;
  /** The bytes the file shall have; null for delete and none. */
  readonly after: Uint8Array | null;
  /** Mode of a file that is created or restored; an edit keeps that of the target, with the right to execute where a program needs it. */
  readonly mode: number;
  readonly entries: readonly EntryChange[];
  /** Containers of the document that exist only because of us (this change and earlier ones). */
  readonly created: readonly Path[];
  /** Names of MCP servers in this file that are ours after the change. */
  readonly ownedServers: readonly string[];
  /** What counts as the file from before our first touch from now on. */
  readonly baseline?: { readonly bytes: Uint8Array; readonly mode: number };
}

export interface PlanCounts { readonly add: number; readonly change: number; readonly remove: number; readonly unchanged: number }

export interface Plan {
  readonly purpose: 'apply' | 'remove' | 'rollback';
  readonly files: readonly FilePlan[];
  readonly diagnostics: readonly Diagnostic[];
  readonly counts: PlanCounts;
}

/**
 * What we remember of a file that we wrote, by the path as the user sees it.
 * `pristine`: nobody else changed the file between our writes, so the original bytes may be put back.
 */
export interface FileRecord {
  readonly path: string;
  readonly target: string;
  readonly client: string;
  readonly scope: 'user' | 'project';
  /** Did the file exist before our first touch? If not, it may be deleted once nothing is in it. */
  readonly existed: boolean;
  /** sha256 of the original bytes and the backup's file name below the state directory; null if it did not exist. */
  readonly original: { readonly digest: string; readonly backup: string; readonly mode: number } | null;
  readonly lastDigest: string;
  readonly pristine: boolean;
  readonly created: readonly Path[];
  /** Directories that we made for it, outermost first. */
  readonly createdDirs: readonly string[];
  readonly ownedServers: readonly string[];
  /** Milliseconds since the epoch of the last write that changed a hook entry of ours; receipts before it are no evidence. */
  readonly installedAt: number;
  /** Foreign hook entries and servers seen at the last write, for the report of shrinkage. */
  readonly foreign: { readonly hooks: number; readonly servers: number };
}

export type Records = ReadonlyMap<string, FileRecord>;

export type FileOutcome = 'written' | 'deleted' | 'unchanged' | 'conflict' | 'failed' | 'not-reached';

export interface FileResult {
  readonly client: string;
  readonly path: string;
  readonly outcome: FileOutcome;
  /** From the readback, never from the intention: the entries as they now stand. */
  readonly entries: readonly EntryChange[];
  readonly diagnostic?: Diagnostic;
}

export interface ApplyReport {
  readonly run: string | null;
  readonly files: readonly FileResult[];
  readonly diagnostics: readonly Diagnostic[];
  readonly ok: boolean;
}
