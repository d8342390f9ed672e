// Contract: `praetorctl policy compile` and `praetorctl policy allow`: what puts a person's rules into force, and what lets one
// refused call pass. Exports for the command tree: policyCompile (kind policy-compile, options --settings) and policyAllow
// (kind policy-allow, argument <code>, option --for <duration>). `clients apply` calls refreshPolicyIndex.
import { hostErrorCode, type Host } from '../host.ts';
import { EXIT, PraetorError, exitFor } from '../model/diagnostic.ts';
import {
  CODE_ALPHABET, CODE_CHARS, parsePending, parsePendingName, PENDING_DIRECTORY, PENDING_FILE_BYTES_MAX, PENDING_MS_MAX, pendingName, type Pending, type PendingName,
} from '../policy/allow-once-call.ts';
import { rootContext } from '../roots/context.ts';
import { joinPath } from '../roots/paths.ts';
import { refreshPolicyIndex } from '../clientsetup/policy-index.ts';
import { dropFile, putFile, toBytes, toText } from '../clientsetup/statefiles.ts';
import { ownDirsOf } from '../clientsetup/survey.ts';
import { durationMs } from '../settings/schema.ts';
import { needPerson, refuseAgents } from './person.ts';
import { styleFor, type Outcome } from './output.ts';
import { settingsChoice } from './settings-options.ts';
import type { CommandContext } from './program.ts';
import { printable, tilde } from './style.ts';

/** `policy allow --for`. */
export const ALLOW_MS_MAX = 8 * 60 * 60_000;

// ---- compile ----

export function policyCompile(context: CommandContext): Outcome {
  const { io, options, global } = context;
  const { host } = io;
  refuseAgents(host, 'praetorctl policy compile');
  const root = rootContext(host);
  const result = refreshPolicyIndex(host, ownDirsOf(host, root), settingsChoice(options));
  const { diagnostics, ...body } = result;
  const style = styleFor(io, global, root.home);
  const failed = diagnostics.some((d) => d.severity === 'error');
  const text = failed ? '' : result.index === null ? 'no settings document: only the built-in rules are in force'
    : `${tilde(style, result.index)}: ${result.rules} ${result.rules === 1 ? 'rule' : 'rules'}, ${result.evaluators} evaluators, from ${tilde(style, result.source ?? '')}`;
  return { exit: exitFor(diagnostics), kind: 'policy-compile', body, text, diagnostics, wrote: !failed };
}

// ---- allow ----

interface Found { readonly name: PendingName; readonly path: string; readonly pending: Pending }

function unknownCode(): PraetorError {
  return new PraetorError({ code: 'usage', message: 'no refused call has this code: it was used, it is older than 15 minutes, or it is misspelt', fix: 'let the client try the call again; the refusal names a code' });
}

function find(host: Host, directory: string, given: string): Found {
  const code = given.trim().toUpperCase();
  if (code.length !== CODE_CHARS || ![...code].every((letter) => CODE_ALPHABET.includes(letter))) throw unknownCode();
  let names: readonly string[];
  try {
    names = host.readDir(directory);
  } catch {
    throw unknownCode();
  }
  for (const file of names) {
    const name = parsePendingName(file);
    if (name === undefined || name.code !== code || name.state !== 'asked') continue;
    const path = joinPath(host.platform, directory, file);
    const pending = read(host, path);
    if (pending !== undefined && pending.expiresMs >= host.now()) return { name, path, pending };
  }
  throw unknownCode();
}

function read(host: Host, path: string): Pending | undefined {
  try {
    return parsePending(toText(host.readFile(path, PENDING_FILE_BYTES_MAX)));
  } catch (error) {
    if (hostErrorCode(error) === undefined && !(error instanceof TypeError)) throw error;
    return undefined;
  }
}

/** Undefined: once. */
function spanOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  const ms = /^[1-9][0-9]{0,4}[smh]$/.test(text) ? durationMs(text) : 0;
  if (ms <= 0 || ms > ALLOW_MS_MAX) throw new PraetorError({ code: 'usage', message: '--for takes a duration of at most 8h, for example 10m', fix: 'praetorctl policy allow CODE --for 10m' });
  return ms;
}

function shown(pending: Pending, span: number | undefined): string {
  const lines = pending.shown.split('\n').map((line) => `    ${printable(line)}`);
  return [
    `${printable(pending.client)} wanted to run (${printable(pending.kind)}, ${printable(pending.tool)})`,
    ...lines, ...(pending.cut ? ['    ... (cut; the whole call is what will be allowed)'] : []),
    `  in         ${pending.workspace === '' ? 'an unknown directory' : printable(pending.workspace)}`,
    `  at         ${new Date(pending.createdMs).toISOString()}`,
    `  refused by ${printable(pending.rule)}: ${printable(pending.reason)}`,
    `  allow      ${span === undefined ? 'exactly this, once, within 15 minutes' : `exactly this, as often as it comes, for ${Math.round(span / 1000)} s`}`, '',
  ].join('\n');
}

export async function policyAllow(context: CommandContext): Promise<Outcome> {
  const { io, args, options } = context;
  const { host } = io;
  const code = args[0] ?? '';
  needPerson(io, `praetorctl policy allow ${/^[0-9A-Za-z]{6}$/.test(code) ? code : 'CODE'}`);
  const span = spanOf(options['for']);
  const directory = joinPath(host.platform, ownDirsOf(host, rootContext(host)).state, PENDING_DIRECTORY);
  const found = find(host, directory, code);
  io.err(shown(found.pending, span));
  const answer = (await io.ask('Allow it? [y/N] ') ?? '').trim().toLowerCase();
  const body = { code: found.name.code, rule: found.pending.rule, workspace: found.pending.workspace, once: span === undefined };
  if (answer !== 'y' && answer !== 'yes') return { exit: EXIT.interrupted, kind: 'policy-allow', body: { ...body, granted: false, expires: null }, text: 'not allowed', diagnostics: [], wrote: false };
  const expiresMs = host.now() + (span ?? PENDING_MS_MAX);
  const granted: Pending = { ...found.pending, expiresMs, until: span !== undefined };
  putFile(host, joinPath(host.platform, directory, pendingName({ ...found.name, state: 'granted' })), toBytes(JSON.stringify(granted)));
  dropFile(host, found.path);
  const text = span === undefined ? 'allowed once: let the client try it again' : `allowed until ${new Date(expiresMs).toISOString()}`;
  return { exit: EXIT.ok, kind: 'policy-allow', body: { ...body, granted: true, expires: new Date(expiresMs).toISOString() }, text, diagnostics: [], wrote: true };
}
