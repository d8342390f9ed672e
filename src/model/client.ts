// Contract: what a client's row holds. Implemented in src/clients/<id>/setup.ts, listed in src/clients/registry.ts. PURE.
import type { Tolerance } from './edit.ts';
import type { CanonicalEvent } from './events.ts';
import type { JsonObject, JsonValue, Path } from './json.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { BundleSurface } from './bundle.ts';
import type { LaunchSurface } from './launch.ts';
import type { ManagedNone, ManagedSurface } from './managed.ts';
import type { ProbeSurface } from './probe.ts';

export type Platform = 'linux' | 'darwin' | 'win32';
export type Scope = 'user' | 'project';

/** Everything a root depends on. `dirExists` and `dirNames` are asked where a place depends on what is there. */
export interface RootContext {
  readonly platform: Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The project directory, for scope `project`. */
  readonly project: string;
  readonly dirExists: (path: string) => boolean;
  /** The names in a directory, sorted; none where it is missing or cannot be read. */
  readonly dirNames: (path: string) => readonly string[];
}

export interface Roots {
  /** Named absolute directories and files of this client. */
  readonly paths: Readonly<Record<string, string>>;
  /** For example an override that no measured version honours. */
  readonly diagnostics: readonly Diagnostic[];
}

export type FileRole = 'hooks' | 'mcp' | 'hooks+mcp' | 'launcher' | 'schedule';

/** One file of a client into which registrations go. */
export interface FileSpec {
  readonly role: FileRole;
  readonly scope: Scope;
  readonly path: string;
  /** `artefact`: a program file that we generate whole (merge/artefact.ts). */
  readonly format: 'json' | 'toml' | 'yaml' | 'artefact';
  readonly tolerance: Tolerance;
  /** Native events whose hooks stand in this file, where a client has a file for each; absent: all. */
  readonly natives?: readonly string[];
  /** Where the map of events stands in this file, if not where HookSurface.arrayPath says. */
  readonly eventsAt?: Path;
  /** The file can hold secrets: a new one is created 0600. An existing mode is kept. */
  readonly secret: boolean;
  /** A new file is a program that the client starts by its path: created 0755. */
  readonly executable?: boolean;
  /** The client leaves the file out where it is a symbolic link. */
  readonly linksIgnored?: boolean;
  /** A lock directory of the client itself, held for the milliseconds of the write. */
  readonly clientLock?: string;
}

export interface HookEvent {
  readonly canonical: CanonicalEvent;
  readonly native: string;
  readonly matcher?: string;
  /** In the unit the client's file uses (see HookSurface.timeoutUnit). */
  readonly timeout: number;
  /** True where the client wants a flat list of handlers for this event instead of {matcher, hooks} groups. */
  readonly flat?: boolean;
  /** First client version that has it, where that is known. */
  readonly since?: string;
  readonly note?: string;
}

export interface EventArray { readonly path: Path; readonly native: string; readonly items: readonly JsonValue[] }

/** How a handler says its command line; registration.ts has the form that most clients share. */
export interface HandlerForm {
  readonly make: (command: string, event: HookEvent) => JsonObject;
  readonly commandOf: (handler: JsonObject) => JsonValue | undefined;
  /** Shape `list`: the native event that an entry names. */
  readonly nativeOf?: (handler: JsonObject) => JsonValue | undefined;
}

export type ShellName = 'sh' | 'bash' | 'cmd' | 'powershell';

export interface HookSurface {
  /** In which shells the client runs a registered string; absent: not known, so the usual ones (verify/shells.ts). */
  readonly shells?: { readonly posix: readonly ShellName[]; readonly win32: readonly ShellName[] };
  /**
   * `artefact`: program files of ours, `top-level` inside. `list`: one list holds the entries of all events.
   * `none`: the client has no hooks, and no events (clients/mcp-only.ts).
   */
  readonly shape: 'wrapped' | 'named-groups' | 'top-level' | 'list' | 'artefact' | 'none';
  readonly timeoutUnit: 's' | 'ms';
  readonly events: readonly HookEvent[];
  /** Path of the array that holds a native event's entries when we create it. */
  readonly arrayPath: (native: string) => Path;
  /** Every array of hook entries in a document, whoever owns it. */
  readonly arrays: (document: JsonObject) => readonly EventArray[];
  readonly handler: HandlerForm;
  /** Keys that a new hooks file must have besides the entries, for example its version. */
  readonly preamble?: JsonObject;
  /** The program on the client's PATH that runs our artefact; without it the client leaves the hook out in silence. */
  readonly runner?: string;
  /** Positions carry meaning for the client (Codex trust keys): never insert before or reorder. */
  readonly positional: boolean;
}

/** A server as the operator's settings name it. Env and header values are literals or `${NAME}` references. */
export type McpServer =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface McpSurface {
  readonly key: string;
  /** The servers are a list, and an entry says its name under `name`. */
  readonly list?: true;
  /** Keys that a new servers' file must have besides the servers. */
  readonly preamble?: JsonObject;
  /** The entry in this client's spelling, or the reason why it cannot be said here. */
  readonly entry: (server: McpServer) => { readonly ok: true; readonly entry: JsonObject } | { readonly ok: false; readonly why: string };
  /** Keys of an entry that a client adds by itself are left alone; these are the ones we may own. */
  readonly ownedKeys: readonly string[];
  /** How the client names an MCP tool in hooks, for the capability table. */
  readonly toolNaming: string;
  readonly validName: (name: string) => boolean;
}

/** Something in a file by which a client would ignore it, or ignore our hook. */
export interface Finding {
  readonly id: string;
  /** `file`: the client drops the whole file. `hooks`: it does not run our hooks. `note`: worth saying. */
  readonly effect: 'file' | 'hooks' | 'note';
  /** True where every measured version behaves so; false where it depends on the version. */
  readonly certain: boolean;
  /** It keeps hooks of people from running, and not those of the managed channel. */
  readonly sparesManaged?: true;
  /** Name of the evidence document in which it stands, or `ENVIRONMENT`; absent: the file that was looked at. */
  readonly source?: string;
  /** The key in that document, or the name of the variable. */
  readonly path?: Path;
  readonly message: string;
  readonly fix: string;
}

/** The source of a finding that is a variable of the environment. */
export const ENVIRONMENT = 'env';

/** One known way in which a client leaves our hooks out and says nothing. docs/verify.md lists them; findings name the id. */
export interface SilentWay {
  readonly id: string;
  /** What stands where, for a person. */
  readonly looks: string;
  readonly fix: string;
  readonly basis: Fact['basis'];
  readonly versions?: string;
}

/** A file that is read (never written) for switches and trust. */
export interface EvidenceFile {
  readonly name: string;
  readonly path: string;
  readonly format: 'json' | 'toml' | 'yaml';
  readonly tolerance: Tolerance;
  /** `path` is a directory: each file in it whose name ends so is read, as `<name>/<file>`. */
  readonly each?: string;
}

export interface Fact { readonly text: string; readonly basis: 'measured' | 'documented' | 'unknown'; readonly versions?: string }

export interface OtherHooks {
  /** What must be read to know the places: lists of plugins. */
  readonly lists: (roots: Roots) => readonly EvidenceFile[];
  readonly places: (roots: Roots, lists: ReadonlyMap<string, JsonObject>) => readonly EvidenceFile[];
}

/** The hooks file of another client, of that scope, whose hooks this one runs as if they were its own. */
export interface RunsHooksOf { readonly client: string; readonly scope: Scope; readonly path: string; readonly fact: Fact }

/** What a proof gives the client: a model on loopback instead of its own, everything else as the person has it. */
export interface ProveGround {
  readonly url: string;
  /** The row's own paths, for a client that is pointed at them once more. */
  readonly paths: Roots['paths'];
  /** The path of a file of the proof, which `start` may fill: outside the workspace, private, gone afterwards. */
  readonly fileAt: (name: string) => string;
}

export interface ProveStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** By name, with `/` where a directory is wanted. */
  readonly files: Readonly<Record<string, JsonObject>>;
  /** Files of the temporary workspace, by path with `/`. */
  readonly workspace?: Readonly<Record<string, JsonObject>>;
}

export interface McpCalls {
  /** The names on offer begin with it. */
  readonly prefix: (server: string) => string;
  /** The prefix without its end is a namespace of its own, and the name what follows. */
  readonly namespace?: true;
}

/** How a client is started without a person against another model, by its own documented means. */
export interface ProveSurface {
  /** Id of the scripted model's API: src/verify/models. */
  readonly api: string;
  /** Variables of the person's that say where the client's configuration is. No other one reaches it, least of all a key. */
  readonly keptEnv: readonly string[];
  readonly shell: (command: string) => { readonly tool: string; readonly input: JsonObject };
  /** How the model names the tools of a server, or why none of them is called in a proof. */
  readonly mcp: McpCalls | { readonly why: string };
  readonly start: (ground: ProveGround) => ProveStart;
  /** What the client is told besides where the model is, and on which version that was seen. */
  readonly basis: Fact;
}

/** One place where a client is installed. */
export interface Install { readonly kind: 'program' | 'app' | 'extension'; readonly path: string }

export interface ClientDefinition {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly vendor: string;
  /** Versions on which the facts were seen. */
  readonly seenOn: Fact;
  readonly binaries: readonly string[];
  /** Programs of its own install places, absolute. PATH and the places of roots/places.ts are looked at for every client. */
  readonly installPaths: (context: RootContext) => readonly string[];
  /** Names of its app bundles on macOS: `Cursor.app`. */
  readonly apps?: readonly string[];
  /** Ids of its extensions in editors of the VS Code kind, in lower case: `publisher.name`. */
  readonly extensions?: readonly string[];
  /** Files or directories whose presence says that the client was configured here. */
  readonly configMarks: (roots: Roots) => readonly string[];
  readonly roots: (context: RootContext) => Roots;
  readonly files: (roots: Roots, scope: Scope) => readonly FileSpec[];
  readonly hooks: HookSurface;
  readonly mcp: McpSurface;
  /** Whole-document checks on a file of the given role (schema faults by which the client drops it). */
  readonly lint: (role: FileRole, document: JsonObject) => readonly Finding[];
  /** Files read as evidence besides `files`: other layers, switches, trust. */
  readonly evidenceFiles: (roots: Roots, context: RootContext) => readonly EvidenceFile[];
  /**
   * Switches by which hooks are off, from all documents that could be read, by evidence name. The user's hooks file is
   * `own` and the user's servers' file `mcp` in both scopes; in scope `project` the project's hooks file is `scoped` too.
   */
  readonly switches: (documents: ReadonlyMap<string, JsonObject>, env: RootContext['env'], context: RootContext) => readonly Finding[];
  /** The catalogue of what `lint` and `switches` can find. */
  readonly silent?: readonly SilentWay[];
  /** Ways to leave hooks out that no file shows, so that only a receipt tells. */
  readonly unseen?: readonly Fact[];
  /** Hooks of the person that stop running once the named native events are registered, from the evidence files. */
  readonly shadows?: (documents: ReadonlyMap<string, JsonObject>, natives: readonly string[]) => readonly Finding[];
  /** Other files from which the client takes hooks in the same form. Their names say what they are. */
  readonly otherHooks?: OtherHooks;
  /** Registrations of other clients that this one runs too: the places where it looks for them. */
  readonly runsHooksOf?: (roots: Roots) => readonly RunsHooksOf[];
  /** Trust of each of our hooks where the client has such a gate. Paths are as registered. */
  readonly trust?: (documents: ReadonlyMap<string, JsonObject>, hooksFile: string, sha256: (text: string) => string) => readonly TrustState[];
  /** Native action the person must take after apply, if any. */
  readonly afterApply: readonly string[];
  readonly verdicts: ClientVerdictFacts;
  /** A pre-tool payload as this client sends it: `git status` for allow, `git push --force` for deny. For doctor and the demonstration. */
  readonly sample: (kind: 'allow' | 'deny', workspace: string) => { readonly command: string; readonly payload: JsonObject };
  /** For `clients prove`; absent: this version knows no way. */
  readonly prove?: ProveSurface | { readonly unsupported: string };
  /** For `verify --probe`; absent: the client cannot be asked. */
  readonly probe?: ProbeSurface;
  /** For `contract bundle`; absent: nothing is made for this client. */
  readonly bundle?: BundleSurface;
  /** For `clients render --managed`; absent: no managed channel is known. */
  readonly managed?: ManagedSurface | ManagedNone;
  /** For `clients launch`; absent: no way to start it is known by which its guard holds. */
  readonly launch?: LaunchSurface;
  /** Tools or ways that no hook sees. */
  readonly gaps: readonly Fact[];
}

export interface TrustState {
  readonly canonical: CanonicalEvent;
  readonly state: 'trusted' | 'untrusted' | 'modified' | 'disabled';
  readonly fix: string;
  /** Where the client's record of it stands or would stand. */
  readonly source?: string;
  readonly path?: Path;
}

/** What happens, for the capability table. */
export interface ClientVerdictFacts {
  readonly deny: Fact;
  readonly ask: Fact;
  readonly neutral: Fact;
  readonly crash: Fact;
  readonly timeout: Fact;
  readonly missingBinary: Fact;
  readonly denyEffect: 'call' | 'turn' | 'task' | 'none';
}
