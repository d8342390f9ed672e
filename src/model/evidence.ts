// Contract: what was seen of one client, before anything is concluded from it. verify/evidence.ts gathers it through the
// Host, verify/state.ts concludes. What could not be read is said to be unread, with the reason; nothing is guessed. PURE.
import type { Finding, Install, RunsHooksOf, Scope, TrustState } from './client.ts';
import type { FileSpec } from './client.ts';
import type { CanonicalEvent } from './events.ts';
import type { Diagnostic } from './diagnostic.ts';

/** Nothing is called false that was only not read. */
export type Tri = true | false | 'unknown';

/** Where something was seen: the file (null: the environment), the key, and what stands there in words, never a value of a person's. */
export interface Seen { readonly file: string | null; readonly key: string | null; readonly seen: string }
export type SeenFinding = Finding & { readonly evidence: Seen };
export type SeenTrust = TrustState & { readonly evidence: Seen };

/** How one entry stands against what is desired. `conflict`: the name is taken by an entry that is not ours. */
export type EntryStatus = 'as-desired' | 'missing' | 'changed' | 'surplus' | 'conflict' | 'unknown';

export interface HookEvidence {
  readonly event: string;
  readonly native: string;
  readonly path: string;
  readonly status: EntryStatus;
  /** Where in the document, or where it would go. */
  readonly at: string;
  /** Does this client tell the hook about single tool calls at this event? */
  readonly tool: boolean;
  /** The keys of a changed entry that are not as desired, sorted. */
  readonly keys: readonly string[];
}

export interface ServerEvidence { readonly name: string; readonly path: string; readonly status: EntryStatus }

/** A registered command string of ours, as it stands in the file. */
export interface CommandEvidence {
  readonly event: string;
  readonly command: string;
  readonly path: string;
  /** Native event, matcher and handler in one spelling: what a proof is bound to. */
  readonly entry: string;
  /** How long the client waits for it, where the entry says so. */
  readonly timeoutMs: number | undefined;
}

export interface FileEvidence {
  readonly spec: FileSpec;
  /** The administrator's, not the person's. */
  readonly managed?: true;
  readonly state: 'absent' | 'read' | 'unread';
  /** Why it is unread. */
  readonly diagnostic: Diagnostic | undefined;
  /** The symbolic links on the way to it. */
  readonly links: readonly string[];
  /** Milliseconds since the epoch; undefined where there is no file. */
  readonly modifiedAt: number | undefined;
  readonly recorded: boolean;
  readonly installedAt: number | undefined;
  readonly hooks: readonly HookEvidence[];
  readonly servers: readonly ServerEvidence[];
  readonly commands: readonly CommandEvidence[];
  readonly findings: readonly SeenFinding[];
  /** How many foreign entries are gone since our last write. */
  readonly foreignGone: { readonly hooks: number; readonly servers: number };
}

/** A file that was looked at for switches or trust and could not be read. */
export interface UnreadEvidence { readonly name: string; readonly path: string; readonly diagnostic: Diagnostic }

/** The part of a receipt on which a conclusion may rest. Never more: payloads stay where they are. */
export interface ReceiptFact {
  readonly at: number;
  readonly event: CanonicalEvent;
  readonly verdict: string;
  readonly engine: string;
  readonly policy: string | undefined;
}

export interface ReceiptEvidence {
  /** Why nothing is known; then the rest is empty. */
  readonly unread: string | undefined;
  /** Newest receipt of a tool event that this client itself caused after the installation. */
  readonly tool: ReceiptFact | undefined;
  /** The same for any other event. */
  readonly session: ReceiptFact | undefined;
  /** Newest genuine tool receipt from before the last change of the registration, where there is none after it. */
  readonly earlierTool: ReceiptFact | undefined;
  /** Newest genuine receipt since the installation for each event. */
  readonly byEvent: ReadonlyMap<string, ReceiptFact>;
  /** Are there receipts of this client's registration that are no evidence, and why not? */
  readonly ignored: { readonly synthetic: boolean; readonly otherCaller: boolean; readonly beforeInstall: boolean; readonly future: boolean };
}

export interface ClientEvidence {
  readonly client: string;
  readonly scope: Scope;
  readonly detected: 'program' | 'configuration' | 'none';
  /** What a shell would start of it. */
  readonly program: string | undefined;
  /** Every install; the first one is what the version and the times are about. */
  readonly installs: readonly Install[];
  /** Null with the reason where it could not be had without starting the client. */
  readonly version: { readonly value: string | null; readonly why: string };
  /** When the program last became another one, by the times of its files; undefined where there is none. */
  readonly programChangedAt: number | undefined;
  /** Size, time and inode of the real program; undefined where there is none. */
  readonly binary: string | undefined;
  readonly files: readonly FileEvidence[];
  readonly unread: readonly UnreadEvidence[];
  readonly switches: readonly SeenFinding[];
  /** `no-gate`: this client runs registered hooks without asking a person. */
  readonly trust: 'no-gate' | 'unknown' | readonly SeenTrust[];
  readonly receipts: ReceiptEvidence;
  /** From when on a receipt counts; undefined where nothing of ours is registered. */
  readonly since: number | undefined;
  /** False where the launcher that we wrote is not there any more or holds something else: then our hooks run something else. */
  readonly launcherIntact: boolean;
  /** Where the registered bare word `praetorctl` resolves on the current PATH. */
  readonly entrypoint: string | undefined;
  /** A file of that name on PATH that may not be executed, where nothing else resolves. */
  readonly entrypointBlocked: string | undefined;
  /** Registrations of other clients that this one runs besides its own. */
  readonly doubled: readonly RunsHooksOf[];
  /** Files that we wrote for this client at places where it does not look now, because a variable moved its directory. */
  readonly elsewhere: readonly string[];
  /** From the roots and the settings: overrides, servers that this client cannot have. */
  readonly diagnostics: readonly Diagnostic[];
}
