// Contract: `praetorctl clients launch <client> -- args`: starts a terminal client for one session, refuses the known ways around, and
// says on one line what is and is not enforced. It proves nothing about sessions that are started another way, so its receipt
// says only that it was launched. Signals, terminal and exit code are the client's.
import { isGuarded } from '../clients/mcp-entry.ts';
import { hasHooks } from '../clients/mcp-only.ts';
import { clientById } from '../clients/registry.ts';
import type { Host } from '../host.ts';
import type { ClientDefinition } from '../model/client.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { bypassIn, type LaunchSurface } from '../model/launch.ts';
import { ENGINE_VERSION, POLICY_DIGEST } from '../policy/build-info.ts';
import { appendReceipt } from '../receipts/append.ts';
import { formatReceipt, isoTime } from '../receipts/format.ts';
import { detect } from '../roots/context.ts';
import { askClients } from '../verify/probe.ts';
import { groundFor, verifyClients, type ClientReport, type Ground, type VerifyRequest } from '../verify/verify.ts';
import { serversOf } from './contract-servers.ts';
import type { Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { settingsChoice } from './settings-options.ts';
import { printable } from './style.ts';

const NAMES_MAX = 8;
const SIGNAL_EXIT_BASE = 128;

interface Launch { readonly context: CommandContext; readonly ground: Ground; readonly client: ClientDefinition; readonly surface: LaunchSurface; readonly isStrict: boolean }

const refused = (client: ClientDefinition, message: string, fix: string): PraetorError => new PraetorError({ code: 'launch-refused', client: client.id, message, fix });

function refuseBypass({ ground, client, surface }: Launch, args: readonly string[]): void {
  const found = bypassIn(surface, args, ground.host.env);
  if (found === undefined) return;
  throw refused(client, `${found.word} is a way around the guard: ${found.does.text} (${found.does.basis})`, `${surface.bypass.includes(found) ? `leave ${found.word} out` : `unset ${found.word}`}; a person can start ${client.name} without praetorctl`);
}

const listed = (names: readonly string[]): string => `${names.slice(0, NAMES_MAX).map(printable).join(', ')}${names.length > NAMES_MAX ? `, and ${names.length - NAMES_MAX} more` : ''}`;

/** A client without hooks: its servers behind the runtime are all that is judged. */
function hooklessLine({ ground, client, surface, isStrict }: Launch): string {
  const servers = serversOf(ground.host, client, ground.context, ['user', 'project']);
  const guarded = servers.filter(({ server }) => server !== undefined && isGuarded(server)).map(({ name }) => name);
  const open = servers.filter(({ server }) => server === undefined || !isGuarded(server)).map(({ name }) => name);
  if (isStrict && open.length > 0) throw refused(client, `${listed(open)} would be reachable without the guarding runtime`, `praetorctl contract import ${open[0] ?? ''}, then praetorctl clients apply --client ${client.id}; or take it out of ${client.name}`);
  if (isStrict && guarded.length === 0) throw refused(client, `nothing of ${client.name} is guarded: it has no hooks, and none of its servers stands behind the runtime`, `praetorctl clients apply --client ${client.id}`);
  const enforced = guarded.length === 0 ? 'nothing' : `the catalogues of ${listed(guarded)}`;
  return `enforced: ${enforced}. not enforced: ${[...(open.length === 0 ? [] : [`servers without a catalogue (${listed(open)})`]), surface.open].join('; ')}`;
}

const isDiscovered = ({ states }: ClientReport): boolean => states.installed === true && states.drifted === false && states.discovered === true;

async function reportOf({ context, ground, client, isStrict }: Launch): Promise<ClientReport | undefined> {
  const request = { clients: [client.id], scope: 'user' as const, require: 'discovered' as const, documents: settingsChoice(context.options) };
  const reported = (more: Partial<VerifyRequest> = {}): ClientReport | undefined => verifyClients(ground.host, { ...request, ...more }).clients.find((one) => one.client === client.id);
  const report = reported();
  if (!isStrict || client.probe === undefined || report === undefined || isDiscovered(report)) return report;
  // Strict asks the client itself before it gives up.
  return reported({ probes: await askClients(ground, [client.id]) });
}

async function governedLine(launch: Launch): Promise<string> {
  const { client, surface, isStrict } = launch;
  const report = await reportOf(launch);
  const reached = report !== undefined && isDiscovered(report);
  if (isStrict && !reached) throw refused(client, `${client.name} is not known to have read our hooks (${report?.reasons[0]?.text ?? 'nothing is registered'})`, report?.next || `praetorctl clients apply --client ${client.id}`);
  const state = report?.states.observed === true ? 'observed' : reached ? 'discovered' : report?.states.installed === true ? 'registered, not seen to run' : 'not registered';
  return `hooks: ${state}. not enforced: ${surface.open}`;
}

/** `launched-only`: nothing but this start is known. Where a client has hooks, its own receipts say more. */
function leaveReceipt(host: Host, directory: string, client: ClientDefinition): string | undefined {
  try {
    appendReceipt(directory, formatReceipt({
      v: 1, time: isoTime(host.now()), client: client.id, event: 'launch', caller: 'praetorctl', verdict: 'neutral', rule: hasHooks(client) ? 'launched' : 'launched-only',
      engine: ENGINE_VERSION, policy: POLICY_DIGEST, ms: 0, workspace: host.cwd,
    }), true);
    return undefined;
  } catch {
    return 'praetorctl: warning: no receipt: the state directory cannot be written\n';
  }
}

/** Without the file there is nothing of ours that it could be held to. */
function pinned({ ground, client, surface: { pin } }: Launch): string[] {
  const path = pin === undefined ? undefined : client.roots(ground.context).paths[pin.path];
  return pin === undefined || path === undefined || ground.host.stat(path) === undefined ? [] : [pin.option, path];
}

function surfaceOf(client: ClientDefinition): LaunchSurface {
  if (client.launch !== undefined) return client.launch;
  throw new PraetorError({ code: 'usage', client: client.id, message: `how ${client.name} is started so that its guard holds is not known`, fix: `start it as you always do; praetorctl clients verify --client ${client.id} says what is guarded` });
}

export async function clientsLaunch(context: CommandContext): Promise<Outcome> {
  const { io, global, options, args: [word = '', ...args] } = context;
  const { host, launch: start } = io;
  if (global.json) throw new PraetorError({ code: 'usage', message: 'the output belongs to the client, so there is no JSON answer', fix: 'leave --json and PRAETORCTL_JSON out' });
  const client = clientById(word);
  const ground = groundFor(host, 'user', settingsChoice(options));
  const launch: Launch = { context, ground, client, surface: surfaceOf(client), isStrict: options['strict'] === true };
  refuseBypass(launch, args);
  const { program } = detect(host, client, ground.context, client.roots(ground.context));
  if (program === undefined || start === undefined) throw new PraetorError({ code: 'usage', client: client.id, message: `no program of ${client.name} was found`, fix: `install it, or put ${client.binaries.join(' or ')} on PATH` });
  const line = hasHooks(client) ? await governedLine(launch) : hooklessLine(launch);
  io.err(`praetorctl: launch: ${client.name}: ${line}; sessions started another way\n`);
  const warning = leaveReceipt(host, ground.dirs.receipts, client);
  if (warning !== undefined) io.err(warning);
  const ended = await start(program, [...pinned(launch), ...args]);
  if (ended.failure !== undefined) throw new PraetorError({ code: 'unreadable', client: client.id, where: { path: program }, message: `the program could not be started (${ended.failure})`, fix: `praetorctl doctor --client ${client.id}` });
  return { exit: ended.code ?? SIGNAL_EXIT_BASE + ended.signalNumber, kind: 'launch', body: {}, text: '', diagnostics: [], wrote: true };
}

