// Contract: what a command answers, and how it is written: one result, two renderers. stdout carries the answer (text or
// exactly one JSON document), stderr everything else. The exit code is returned, never set here.
import type { Host } from '../host.ts';
import { EXIT, type Diagnostic } from '../model/diagnostic.ts';
import type { JsonValue } from '../model/json.ts';
import { pathDirs } from '../roots/context.ts';
import { findProgram } from '../roots/installs.ts';
import { paint, printable, tilde, type Style } from './style.ts';

declare const __VERSION__: string;
/** Replaced at build time; the fallback serves sources that run unbundled (tests). */
export const VERSION: string = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-dev';

/** How a client in the foreground ended. */
export interface Launched { readonly code: number | null; readonly signalNumber: number; readonly failure?: string }

/** The process border, injected: tests drive the CLI without a process. */
export interface CliIo {
  readonly host: Host;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly outIsTty: boolean;
  readonly errIsTty: boolean;
  readonly inIsTty: boolean;
  /** Width of the terminal on standard output; absent where there is none. */
  readonly columns?: number | undefined;
  /** Asks on stderr and reads one line from stdin; undefined at end of input. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** The whole of standard input as text; undefined where it is larger than `bytesMax`. Absent: nothing to read from. */
  readonly stdin?: (bytesMax: number) => Promise<string | undefined>;
  /** Starts a program in the foreground, with this process's terminal; its signals are handed on. Absent: there is no terminal to give. */
  readonly launch?: (command: string, args: readonly string[]) => Promise<Launched>;
  /** The program itself, so that the launcher and the demonstration can start it. */
  readonly program: { readonly node: string; readonly script: string };
}

export interface GlobalOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: 'auto' | 'always' | 'never';
}

export interface Outcome {
  readonly exit: number;
  /** Name of the JSON schema: `praetorctl/<kind>`, file schemas/<kind>.schema.json. */
  readonly kind: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  /** True when the command may have written; then errors do not claim that nothing was. */
  readonly wrote: boolean;
}

const COLUMNS_MIN = 20;

function wantsColor(io: CliIo, options: GlobalOptions, tty: boolean): boolean {
  if (options.color === 'always') return true;
  if (options.color === 'never') return false;
  const none = io.host.env['NO_COLOR'];
  return tty && (none === undefined || none === '') && io.host.env['TERM'] !== 'dumb';
}

/** A terminal says how wide it is; a pipe is as wide as COLUMNS asks. Fewer than COLUMNS_MIN is no terminal of a person. */
function columnsOf(io: CliIo): number | undefined {
  const asked = io.columns ?? Number(/^\d{1,4}$/.exec(io.host.env['COLUMNS'] ?? '')?.[0] ?? 0);
  return asked < COLUMNS_MIN ? undefined : asked;
}

export function styleFor(io: CliIo, options: GlobalOptions, home: string, stream: 'out' | 'err' = 'out'): Style {
  return { home, columns: columnsOf(io), color: !options.json && wantsColor(io, options, stream === 'out' ? io.outIsTty : io.errIsTty) };
}

function whereOf(style: Style, d: Diagnostic): string {
  if (d.where === undefined) return d.client === undefined ? '' : ` ${d.client}:`;
  const { path, line, column } = d.where;
  return ` ${tilde(style, path)}${line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`}:`;
}

/** `praetorctl: error: <code>: <where>: <what>` and the exact next command. */
export function renderDiagnostic(style: Style, d: Diagnostic, wrote: boolean): string {
  const color = d.severity === 'error' ? 'red' : d.severity === 'warning' ? 'yellow' : 'cyan';
  const head = `praetorctl: ${paint(style, color, d.severity)}: ${d.code}:${whereOf(style, d)} ${printable(d.message)}\n`;
  if (d.fix === '') return head;
  const tail = d.severity === 'error' && !wrote ? '. nothing was written.' : '';
  return `${head}praetorctl: fix: ${printable(d.fix)}${tail}\n`;
}

/** Paths inside JSON stay whole: programs read them. Diagnostics carry no values by contract. */
export function toDocument(outcome: Outcome): Record<string, unknown> {
  return {
    schema: `praetorctl/${outcome.kind}`, schemaVersion: 1, version: VERSION,
    ok: outcome.exit === EXIT.ok || (outcome.exit === EXIT.no && !outcome.diagnostics.some((d) => d.severity === 'error')),
    exit: outcome.exit, ...outcome.body,
    diagnostics: outcome.diagnostics as unknown as JsonValue,
  };
}

/** Where praetorctl does not resolve on PATH (a fresh checkout), the next command is shown in a form that runs. */
function runnable(io: CliIo, home: string): (text: string) => string {
  const { host, program } = io;
  if (findProgram(host, 'praetorctl', pathDirs(host.platform, host.env['PATH'] ?? host.env['Path'])) !== undefined) return (text) => text;
  const words = `node ${tilde({ home }, program.script)}`;
  return (text) => text.replace(/\bpraetorctl (?=(?:clients|doctor|fork|policy|receipts|start|completion|workstation)\b)/g, `${words} `);
}

/** A completion script, the demonstration's transcript, the definitions of a scheduler, and what is the same on every machine. */
const OWN_TEXTS: readonly string[] = ['completion', 'start', 'capabilities', 'schedule-render', 'workstation-status', 'workstation-update', 'receipts-server-hook'];

export function emit(io: CliIo, options: GlobalOptions, home: string, outcome: Outcome): number {
  if (options.json) {
    io.out(`${JSON.stringify(toDocument(outcome), null, 2)}\n`);
    return outcome.exit;
  }
  const shown = runnable(io, home);
  const text = OWN_TEXTS.includes(outcome.kind) ? outcome.text : shown(outcome.text);
  if (!options.quiet && text !== '') io.out(text.endsWith('\n') ? text : `${text}\n`);
  const style = styleFor(io, options, home, 'err');
  for (const d of outcome.diagnostics) {
    if (d.severity === 'info' && options.quiet) continue;
    io.err(renderDiagnostic(style, { ...d, fix: shown(d.fix) }, outcome.wrote));
  }
  return outcome.exit;
}
