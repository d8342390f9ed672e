// Contract: what follows from a client's own lists: does it have our registration? Its word outweighs what was concluded from files,
// but lists nothing that is not registered. PURE.
import type { ClientDefinition } from '../model/client.ts';
import type { ClientEvidence, Tri } from '../model/evidence.ts';
import type { ListedHook, ListedServer } from '../model/probe.ts';
import { hookFiles, serverFiles } from './checks.ts';
import type { Reason } from './state.ts';

/** What one client answered. A question without an answer has its reason in `failures`. */
export interface ProbeAnswer {
  readonly hooks: readonly ListedHook[] | undefined;
  readonly servers: readonly ListedServer[] | undefined;
  /** Its session hooks were run; whether ours ran is in the receipts. */
  readonly session: boolean;
  readonly failures: readonly string[];
}

export const PROBE_VERDICTS = ['listed', 'incomplete', 'not-listed', 'unknown', 'not-asked'] as const;
export type ProbeVerdict = typeof PROBE_VERDICTS[number];
export interface ProbeReport { readonly hooks: ProbeVerdict; readonly servers: ProbeVerdict; readonly notes: readonly string[] }

function verdictOn(wanted: readonly string[], has: (name: string) => boolean): ProbeVerdict {
  const found = wanted.filter(has).length;
  if (wanted.length === 0) return 'not-asked';
  return found === wanted.length ? 'listed' : found === 0 ? 'not-listed' : 'incomplete';
}

/** The client's word against what shall stand. */
export function concludeProbe(client: ClientDefinition, e: ClientEvidence, answer: ProbeAnswer | undefined): ProbeReport | null {
  if (answer === undefined || client.probe === undefined) return null;
  const asks = client.probe.steps.map((step) => step.asks);
  const events = [...new Set(hookFiles(e).flatMap((file) => file.hooks).filter(({ status }) => status !== 'surplus').map(({ event }) => event))];
  const names = [...new Set(serverFiles(e).flatMap((file) => file.servers).filter(({ status }) => status !== 'surplus').map(({ name }) => name))];
  const { hooks, servers } = answer;
  const runs = (event: string): boolean => hooks?.some((hook) => hook.event === event && hook.enabled && hook.trusted) === true;
  const idle = hooks === undefined ? [] : events.filter((event) => !runs(event) && hooks.some((hook) => hook.event === event));
  const down = servers === undefined ? [] : servers.filter(({ name, state }) => names.includes(name) && (state === 'disabled' || state === 'failed'));
  return {
    hooks: hooks !== undefined ? verdictOn(events, runs) : asks.includes('hooks') ? 'unknown' : 'not-asked',
    servers: servers !== undefined ? verdictOn(names, (name) => servers.some((server) => server.name === name)) : asks.includes('servers') ? 'unknown' : 'not-asked',
    notes: [
      ...answer.failures, ...(idle.length === 0 ? [] : [`it lists these hooks as not trusted or not enabled: ${idle.sort().join(', ')}`]),
      ...down.map(({ name, state }) => `it lists the MCP server ${name} as ${state}`),
    ],
  };
}

/** The client's own list outweighs what was concluded from files, but lists nothing that is not registered. */
export function discoveredWith(discovered: Tri, report: ProbeReport | null): Tri {
  if (report === null || report.hooks === 'unknown' || report.hooks === 'not-asked') return discovered;
  return report.hooks === 'listed' ? (discovered === 'unknown' ? true : discovered) : false;
}

export function probeReasons(client: ClientDefinition, report: ProbeReport | null): readonly Reason[] {
  if (report === null) return [];
  const fix = `praetorctl clients plan --client ${client.id}`;
  const asked = [['hooks', report.hooks], ['MCP servers', report.servers]] as const;
  const listed = asked.filter(([, verdict]) => verdict === 'listed').map(([what]) => what);
  return [
    ...asked.filter(([, verdict]) => verdict === 'not-listed' || verdict === 'incomplete').map(([what, verdict]): Reason => ({ code: 'probe-missing', text: `${client.name} itself ${verdict === 'incomplete' ? 'lists only some of' : 'does not list'} the registered ${what}`, fix })),
    ...(listed.length === 0 ? [] : [{ code: 'note' as const, text: `${client.name} itself lists the registered ${listed.join(' and ')}`, fix: '' }]),
    ...report.notes.map((note): Reason => ({ code: 'note', text: `${client.name}: ${note}`, fix: '' })),
  ];
}
