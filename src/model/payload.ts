// Contract: what a client tells the hook, in one form for every client. PURE.
import type { CanonicalEvent } from './events.ts';
import type { JsonValue } from './json.ts';
import type { McpName } from './mcp-names.ts';

/** What a tool does, as far as the policy cares. `other` is never judged by content. */
export type ToolKind = 'shell' | 'file-write' | 'file-read' | 'mcp' | 'other';

export interface ToolCall {
  /** The client's own name for the tool, for example `Bash` or `mcp_lab_echo`. */
  readonly name: string;
  readonly kind: ToolKind;
  /** The client's id for this call, where it sends one. */
  readonly callId?: string;
  /** kind `shell`: the command line as the client will run it (also text typed into a running shell). */
  readonly command?: string;
  /** kind `shell`: which shell reads the command, where it is not a POSIX shell. */
  readonly shell?: 'powershell';
  /** kind `shell`: the directory in which it will run, where that is not the workspace. */
  readonly cwd?: string;
  /** kind `file-write` and `file-read`: the paths as given, relative ones to the workspace. */
  readonly paths?: readonly string[];
  /** kind `mcp`: the server and tool behind the name. */
  readonly mcp?: McpName;
  /** The tool's arguments as they came. Never logged. */
  readonly input: JsonValue;
}

export interface Payload {
  readonly client: string;
  readonly event: CanonicalEvent;
  readonly sessionId?: string;
  /** Absolute directory from the payload. Never this process' own working directory. */
  readonly workspace?: string;
  readonly tool?: ToolCall;
  /** True when a stop event already runs because a hook asked to go on (else the client loops for ever). */
  readonly stopActive: boolean;
  readonly subagent: boolean;
  /** Which client really runs this hook, read from environment markers: an id, or `unknown` when run by hand. */
  readonly caller: string;
}

/** A document that is not of the client's form. The hook answers it with the encoded error verdict. */
export interface DecodeFault { readonly fault: string }
