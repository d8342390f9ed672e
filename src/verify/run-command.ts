// Contract: one registered command string, run as its client would run it, with a harmless and with a refused sample call.
// Only strings of the form that praetorctl writes are run: what stands in a file is otherwise not ours to execute. The run
// is marked synthetic, so that its receipt is never evidence. Starts processes through the Host.
import type { Host, SpawnResult } from '../host.ts';
import type { ClientDefinition, RootContext, Scope, ShellName } from '../model/client.ts';
import type { CommandEvidence } from '../model/evidence.ts';
import type { Answer, Dialect } from '../model/dialect.ts';
import { isCanonicalEvent, type CanonicalEvent } from '../model/events.ts';
import { isObject, sameValue, type JsonValue } from '../model/json.ts';
import { NEUTRAL, type Verdict } from '../model/verdict.ts';
import { canBlock } from '../clients/dialect-kit.ts';
import { dialectFor } from '../clients/dialects.ts';
import { SHELL_FORMS, shellsOf } from './shells.ts';

export const HOOK_MS_MAX = 10_000;
export const HOOK_BYTES_MAX = 1024 * 1024;

export interface CommandResult {
  readonly status: 'ok' | 'error' | 'skipped' | 'unknown';
  readonly message: string;
  /** The hook answered, but said that it could leave no receipt. */
  readonly receiptLost: boolean;
  /** What kind of fault it is, where the status is `error`. */
  readonly fault?: CommandFault;
}

export type CommandFault = 'timeout' | 'not-found' | 'no-start' | 'ended' | 'answer';

const BARE = /^praetorctl hook [a-z][a-z0-9-]* [a-z][a-z-]*$/;
const WITH_PATH = /^(?:"[^"'`$|;&<>\\\r\n]*\/praetorctl"|[^"'`$|;&<>\\\s]*\/praetorctl) hook [a-z][a-z0-9-]* [a-z][a-z-]*$/;

/** A project's file comes with the repository: a program that it names by path is not started. */
function mayRun(command: string, scope: Scope): boolean {
  return BARE.test(command) || (scope === 'user' && WITH_PATH.test(command));
}

const KEPT = [
  'PATH', 'HOME', 'USERPROFILE', 'SystemRoot', 'APPDATA', 'LOCALAPPDATA', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'PRAETORCTL_STATE_DIR', 'PRAETORCTL_CONFIG_DIR', 'PRAETORCTL_DATA_DIR',
];

/** What finds the program, the home and our directories; nothing else of the environment. */
export function smallEnv(env: RootContext['env']): Record<string, string> {
  const kept = KEPT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name] ?? ''] as const]));
  return { ...Object.fromEntries(kept), PRAETORCTL_HOOK_SYNTHETIC: '1' };
}

/** Answers are compared without their reasons, which are for people. */
function masked(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(masked);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, /reason|message/i.test(key) && typeof inner === 'string' ? inner !== '' : masked(inner)]));
}

function parsed(text: string): JsonValue {
  if (text.trim() === '') return null;
  try {
    return masked(JSON.parse(text) as JsonValue);
  } catch {
    return 'not JSON';
  }
}

const wrong = (trial: Trial, got: SpawnResult): CommandResult => ({
  status: 'error', receiptLost: false,
  message: `answers the ${trial.kind === 'allow' ? 'harmless' : 'refused'} sample call otherwise than it should (exit ${String(got.code)})`,
});

/** Reasons and messages may differ. */
export const sameAnswer = (got: Pick<SpawnResult, 'code' | 'stdout'>, wanted: Answer): boolean => got.code === wanted.exit && sameValue(parsed(got.stdout), parsed(wanted.stdout));

interface Trial { readonly kind: 'allow' | 'deny'; readonly verdict: Verdict; readonly said: string }

const ALLOW: Trial = { kind: 'allow', verdict: NEUTRAL, said: 'a harmless call is left to the client' };
const DENY: Trial = { kind: 'deny', verdict: { decision: 'deny', rule: 'sample', reason: 'sample' }, said: 'a refused call is refused in the client\'s own form' };

function expected(dialect: Dialect, event: CanonicalEvent, trial: Trial, payload: ReturnType<ClientDefinition['sample']>['payload']): Answer {
  const decoded = dialect.decode(event, payload, {});
  return 'fault' in decoded ? dialect.encodeError(event, decoded.fault) : dialect.encode(event, trial.verdict, decoded);
}

interface Failure { readonly fault: CommandFault; readonly text: string }

function failure(result: SpawnResult, shell: ShellName, timeoutMs: number): Failure | undefined {
  if (result.failure === 'ETIMEDOUT') return { fault: 'timeout', text: `gave no answer within ${timeoutMs / 1000} s` };
  if (result.failure === 'ENOENT') return { fault: 'no-start', text: `cannot be run: its client runs it in ${shell}, which is not on this PATH` };
  // EPIPE: the program did not read its input. That is no fault by itself, its answer decides.
  if (result.failure !== undefined && result.failure !== 'EPIPE') return { fault: 'no-start', text: `could not be started (${result.failure})` };
  if (result.signal !== null) return { fault: 'ended', text: `was ended by ${result.signal}` };
  if (result.code === 127) return { fault: 'not-found', text: 'was not found by the shell' };
  if (result.code === 126) return { fault: 'no-start', text: 'may not be executed' };
  return undefined;
}

function shellCommand(host: Host, shell: ShellName, command: string, input: string, context: RootContext, timeoutMs: number): SpawnResult {
  const [program, ...args] = SHELL_FORMS[shell].argv(command);
  return host.spawn(program, args, { env: smallEnv(context.env), cwd: context.home, input, timeoutMs, maxBytes: HOOK_BYTES_MAX });
}

export function runCommand(host: Host, client: ClientDefinition, found: CommandEvidence, context: RootContext, scope: Scope, timeoutMs: number = HOOK_MS_MAX): CommandResult {
  const say = (status: CommandResult['status'], message: string, receiptLost = false): CommandResult => ({ status, message, receiptLost });
  const dialect = dialectFor(client.id);
  if (dialect === undefined || !isCanonicalEvent(found.event)) return say('unknown', 'is of an event that this version does not know');
  const command = found.command.trim();
  const shells = shellsOf(client.hooks.shells, host.platform);
  const fault = shells.map((shell) => SHELL_FORMS[shell].fault(command)).find((one) => one !== undefined);
  if (fault !== undefined) return say('error', fault);
  if (host.platform === 'win32') return say('skipped', `not run here; its form is valid in ${shells.join(' and ')}`);
  if (!mayRun(command, scope)) return say('unknown', 'is not run: its form is not one that praetorctl writes');
  const event = found.event;
  const said: string[] = [];
  let receiptLost = false;
  for (const shell of shells) {
    for (const trial of canBlock(event) ? [ALLOW, DENY] : [ALLOW]) {
      const { payload } = client.sample(trial.kind, context.home);
      const got = shellCommand(host, shell, command, JSON.stringify(payload), context, timeoutMs);
      const failed = failure(got, shell, timeoutMs);
      if (failed !== undefined) return { ...say('error', failed.text), fault: failed.fault };
      if (!sameAnswer(got, expected(dialect, event, trial, payload))) return { ...wrong(trial, got), fault: 'answer' };
      if (got.stderr.includes('praetorctl: no receipt')) receiptLost = true;
      said.push(trial.said);
    }
  }
  return say('ok', `in ${shells.join(' and ')}: ${[...new Set(said)].join('; ')}`, receiptLost);
}
