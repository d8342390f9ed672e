// Contract: does a version judge? For each client a harmless call, a refused call and a document that is cut off are given to real
// processes of it. The harmless one must be left to the client; the other two must be refused, in the client's form as this
// program knows it or in another that is plainly a refusal: a newer version may know the client better. It runs in an empty
// home with our directories in a temporary place, so that no setting of a person decides. Starts processes through the Host.
import { CLIENTS } from '../clients/registry.ts';
import { dialectFor } from '../clients/dialects.ts';
import { hasHooks } from '../clients/mcp-only.ts';
import { readRecords } from '../clientsetup/records.ts';
import type { StateDirs } from '../clientsetup/statefiles.ts';
import type { Host, StartResult } from '../host.ts';
import type { ClientDefinition } from '../model/client.ts';
import type { Answer } from '../model/dialect.ts';
import { NEUTRAL } from '../model/verdict.ts';
import { sameAnswer } from '../verify/run-command.ts';

export const SMOKE_MS_MAX = 10_000;
const SMOKE_BYTES_MAX = 256 * 1024;
const AT_ONCE = 2;
const EVENT = 'pre-tool';

export type SmokeCode = 'no-start' | 'no-answer' | 'allow-refused' | 'deny-allowed' | 'malformed-allowed';
export interface SmokeFault { readonly code: SmokeCode; readonly client: string; readonly message: string }

/** How the version is started: Node and its program, or the launcher. */
export interface Started { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }

type Kind = 'allow' | 'deny' | 'malformed';

/** Every client whose calls are judged. */
export const judgedClients = (): readonly ClientDefinition[] => CLIENTS.filter((client) => hasHooks(client) && dialectFor(client.id) !== undefined);

/** Clients with a registration of ours; where there is none, all that have hooks. */
export function smokedClients(host: Host, dirs: StateDirs): readonly ClientDefinition[] {
  const all = judgedClients();
  const recorded = new Set<string>();
  try {
    for (const { client } of readRecords(host, dirs).values()) recorded.add(client);
  } catch { /* damaged records are for clients verify to name; here all clients are tried */ }
  const registered = all.filter(({ id }) => recorded.has(id));
  return registered.length === 0 ? all : registered;
}

interface Trial { readonly client: ClientDefinition; readonly kind: Kind; readonly input: string; readonly expected: Answer }

function trial(client: ClientDefinition, kind: Kind, cwd: string): Trial | undefined {
  const dialect = dialectFor(client.id);
  if (dialect === undefined) return undefined;
  const { payload } = client.sample(kind === 'allow' ? 'allow' : 'deny', cwd);
  const input = JSON.stringify(payload);
  if (kind === 'malformed') return { client, kind, input: input.slice(0, input.length >> 1), expected: dialect.encodeError(EVENT, 'the document is cut off') };
  const decoded = dialect.decode(EVENT, payload, {});
  if ('fault' in decoded) return undefined;
  return { client, kind, input, expected: dialect.encode(EVENT, kind === 'allow' ? NEUTRAL : { decision: 'deny', rule: 'sample', reason: 'sample' }, decoded) };
}

const REFUSAL = /"(?:deny|denied|block|blocked|reject|rejected|cancel|cancelled|refuse|refused|abort)"|"(?:continue|allow|allowed|proceed)":\s*false|"(?:deny|block|cancel)":\s*(?:true|")/i;

/** In a form that this program need not know: exit 2, or a document that says so. */
function refuses(got: StartResult): boolean {
  return (got.code === 2 && got.stderr.trim() !== '') || (got.code === 0 && REFUSAL.test(got.stdout));
}

function faultOf({ client, kind, expected }: Trial, got: StartResult): SmokeFault | undefined {
  const fault = (code: SmokeCode, what: string): SmokeFault => ({ code, client: client.id, message: `${client.name}: ${what}` });
  if (got.timedOut) return fault('no-answer', `gave no answer to ${kind === 'malformed' ? 'a document that is cut off' : `the ${kind === 'allow' ? 'harmless' : 'refused'} sample call`} within ${SMOKE_MS_MAX / 1000} s`);
  if (got.failure !== undefined && got.failure !== 'EPIPE') return fault('no-start', `could not be started (${got.failure})`);
  if (got.signal !== null) return fault('no-start', `was ended by ${got.signal}`);
  if (sameAnswer(got, expected)) return undefined;
  if (kind === 'allow') return got.code === 0 && !refuses(got) && !sameAnswer(got, errorForm(client, expected)) ? undefined : fault('allow-refused', `does not leave the harmless sample call to the client (exit ${String(got.code)})`);
  if (refuses(got)) return undefined;
  return kind === 'deny' ? fault('deny-allowed', `does not refuse the refused sample call (exit ${String(got.code)})`) : fault('malformed-allowed', `does not refuse a document that is cut off (exit ${String(got.code)})`);
}

/** An answer that is an error in this client's form is no leave, even with exit 0. */
function errorForm(client: ClientDefinition, otherwise: Answer): Answer {
  return dialectFor(client.id)?.encodeError(EVENT, 'x') ?? otherwise;
}

async function run(host: Host, started: Started, { client, input }: Trial, cwd: string): Promise<StartResult> {
  return await host.start(started.command, [...started.args, 'hook', client.id, EVENT], { env: started.env, cwd, input, timeoutMs: SMOKE_MS_MAX, maxBytes: SMOKE_BYTES_MAX });
}

/** What keeps a person's settings, state and versions out of the answers. */
export function isolated(directory: string): Record<string, string> {
  return {
    PRAETORCTL_CONFIG_DIR: `${directory}/config`, PRAETORCTL_STATE_DIR: `${directory}/state`, PRAETORCTL_DATA_DIR: `${directory}/data`, PRAETORCTL_HOOK_SYNTHETIC: '1',
  };
}

/** The fault of the first sample that failed in the order in which they are given, or none: what a block says must not depend on which process was quicker. */
export async function smoke(host: Host, clients: readonly ClientDefinition[], start: (directory: string) => Started): Promise<SmokeFault | undefined> {
  const place = host.tempDir('praetorctl-smoke-');
  try {
    const started = start(place.path);
    const trials = clients.flatMap((client) => (['allow', 'deny', 'malformed'] as const).flatMap((kind) => trial(client, kind, place.path) ?? []));
    const faults: (SmokeFault | undefined)[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      // Taken in order: when one fails, every earlier one runs already and is waited for.
      for (let i = next++; i < trials.length && !faults.some((one) => one !== undefined); i = next++) {
        const one = trials[i];
        if (one !== undefined) faults[i] = faultOf(one, await run(host, started, one, place.path));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return faults.find((one) => one !== undefined);
  } finally {
    place.remove();
  }
}

/** The program of a directory, with nothing of the environment. */
export function smokeVersion(host: Host, clients: readonly ClientDefinition[], node: string, program: string): Promise<SmokeFault | undefined> {
  return smoke(host, clients, (directory) => ({ command: node, args: [program], env: { HOME: directory, ...isolated(directory) } }));
}

/** The command that clients run, as they may run it: with a home and without a PATH. */
export function smokeLauncher(host: Host, clients: readonly ClientDefinition[], launcher: string, home: string): Promise<SmokeFault | undefined> {
  return smoke(host, clients, (directory) => ({ command: launcher, args: [], env: { ...isolated(directory), HOME: home } }));
}
