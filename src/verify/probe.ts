// Contract: `verify --probe`: asks each client that has a list of its own (probe-conclude.ts says what follows). Each program runs
// in a process group of its own, for a bounded time and output, in a fresh directory, and is ended whole. Of its answer only
// events, names and states are kept (model/probe.ts); the text itself is dropped and never shown. Through the Host.
import type { Host, StartResult } from '../host.ts';
import type { ListedHook, ListedServer, ProbeStep, ProbeSurface } from '../model/probe.ts';
import { detect } from '../roots/context.ts';
import { clientEnv } from './client-env.ts';
import type { ProbeAnswer } from './probe-conclude.ts';
import { chooseClients, type Ground } from './verify.ts';

export const PROBE_MS_MAX = 30_000;
export const PROBE_BYTES_MAX = 4 * 1024 * 1024;

const QUESTION: Readonly<Record<ProbeStep['asks'], string>> = { hooks: 'its hooks', servers: 'its MCP servers', session: 'a session start' };

function failureOf(step: ProbeStep, ended: StartResult, understood: boolean): string | undefined {
  if (understood) return undefined;
  const what = QUESTION[step.asks];
  if (ended.failure !== undefined) return `asked for ${what}, it could not be started (${ended.failure})`;
  if (ended.timedOut) return `asked for ${what}, it gave no answer in time`;
  return ended.code === 0 ? `asked for ${what}, it answered in a form that is not known` : `asked for ${what}, it ended with exit ${String(ended.code ?? ended.signal)}`;
}

async function askStep(host: Host, program: string, surface: ProbeSurface, step: ProbeStep, project: string | undefined, timeoutMs: number): Promise<{ readonly ended: StartResult; readonly read: ReturnType<NonNullable<ProbeStep['read']>> }> {
  const temp = host.tempDir('praetorctl-probe-');
  try {
    const cwd = project ?? temp.path;
    const ended = await host.start(program, step.argv(cwd), {
      env: clientEnv(host.env, surface.keptEnv, step.env ?? {}, temp.path), cwd, timeoutMs, maxBytes: PROBE_BYTES_MAX,
      ...(step.input === undefined ? {} : { input: step.input(cwd) }), ...(step.until === undefined ? {} : { until: step.until }),
    });
    return { ended, read: step.read?.(ended.stdout, ended.stderr) };
  } finally {
    temp.remove();
  }
}

export async function askClient(host: Host, program: string, surface: ProbeSurface, project?: string, timeoutMs: number = PROBE_MS_MAX): Promise<ProbeAnswer> {
  let hooks: readonly ListedHook[] | undefined;
  let servers: readonly ListedServer[] | undefined;
  let session = false;
  const failures: string[] = [];
  for (const step of surface.steps) {
    const { ended, read } = await askStep(host, program, surface, step, project, timeoutMs);
    const ran = step.asks === 'session' && ended.failure === undefined && !ended.timedOut && ended.code === 0;
    const failure = failureOf(step, ended, read !== undefined || ran);
    if (failure !== undefined) failures.push(failure);
    hooks = read?.hooks ?? hooks;
    servers = read?.servers ?? servers;
    session ||= ran;
  }
  return { hooks, servers, session, failures };
}

/** One after the other: two clients at a time would only compete. */
export async function askClients(ground: Ground, words: readonly string[], timeoutMs: number = PROBE_MS_MAX): Promise<ReadonlyMap<string, ProbeAnswer>> {
  const { host, context } = ground;
  const answers = new Map<string, ProbeAnswer>();
  for (const client of chooseClients(ground, words)) {
    if (client.probe === undefined) continue;
    const { program } = detect(host, client, context, client.roots(context));
    if (program === undefined) continue;
    answers.set(client.id, await askClient(host, program, client.probe, ground.scope === 'project' ? context.project : undefined, timeoutMs));
  }
  return answers;
}
