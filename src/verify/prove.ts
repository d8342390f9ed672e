// Contract: the use case `clients prove`: starts the client that is installed here, with the configuration that the person has,
// against a scripted model on loopback, and says whether a refusal of ours stops a call before it runs. It asks for nothing,
// costs no token and needs no login. Bounded in time and output; the process group is ended, the workspace removed; no key
// and no token of the person's is in the environment of the client, and no output of the client is kept. Through the Host.
import type { SettingsChoice } from '../settings/load.ts';
import type { Host } from '../host.ts';
import { EXIT, type Diagnostic } from '../model/diagnostic.ts';
import type { ClientDefinition, ProveSurface } from '../model/client.ts';
import type { ClientEvidence } from '../model/evidence.ts';
import { clientById } from '../clients/registry.ts';
import { ENGINE_VERSION, POLICY_DIGEST } from '../policy/build-info.ts';
import type { Proof } from '../receipts/proof.ts';
import { bindingOf, storeProof } from './proofs.ts';
import { causeOf, type Finding, type ProofCause, type RunSeen } from './prove-cause.ts';
import { PROOF_MS_MAX, runProof, serversOf } from './prove-run.ts';
import { chooseClients, evidenceFor, groundFor, type Ground } from './verify.ts';

export interface ProveRequest {
  readonly clients: readonly string[];
  readonly documents?: SettingsChoice;
  readonly engine?: string;
  readonly policy?: string;
  /** Per client; tests take less. */
  readonly timeoutMs?: number;
}

export interface ClientProof {
  readonly client: string;
  readonly name: string;
  readonly version: string | null;
  readonly program: string | null;
  readonly proven: boolean;
  readonly cause: ProofCause | null;
  readonly text: string;
  readonly fix: string;
  readonly seconds: number;
  /** What was seen on the way; null where nothing was started. */
  readonly control: 'ran' | 'did not run' | null;
  readonly canary: 'refused' | 'ran' | 'not reached' | null;
  readonly mcp: string;
  readonly time: string | null;
}

export interface ProveResult { readonly ok: boolean; readonly exit: number; readonly clients: readonly ClientProof[]; readonly diagnostics: readonly Diagnostic[] }

const MCP_SKIPPED = 'not tried';

/** A server that praetorctl did not register may do anything, so none of its tools is called to show something. */
function mcpText(surface: ProveSurface, evidence: ClientEvidence, { mcp, canary }: RunSeen, name: string): string {
  const servers = serversOf(evidence);
  if (servers.length === 0) return `${MCP_SKIPPED}: no server of the praetorctl settings is registered`;
  if ('why' in surface.mcp) return `${MCP_SKIPPED}: ${surface.mcp.why}`;
  if (mcp.tool !== undefined) return mcp.judged ? `refused: the hook refused a call of ${mcp.tool}, so it did not reach the server` : `not refused by the hook: ${mcp.tool}`;
  return canary.answer === undefined || canary.took ? `${MCP_SKIPPED}: the canary command was not refused` : `${MCP_SKIPPED}: ${name} offered no tool of ${servers.join(', ')} without a verb of writing in its name`;
}

/** The clients that would be started, so that a person can be asked first. */
export function proveTargets(host: Host, request: ProveRequest): readonly ClientDefinition[] {
  const ground = groundFor(host, 'user', request.documents);
  for (const word of request.clients) clientById(word);
  return chooseClients(ground, request.clients).filter((client) => before(client, evidenceFor(ground, client), host) === undefined);
}

export async function proveClients(host: Host, request: ProveRequest): Promise<ProveResult> {
  const ground = groundFor(host, 'user', request.documents);
  const clients: ClientProof[] = [];
  const diagnostics: Diagnostic[] = [];
  // One after the other: two clients at a time would measure the machine.
  for (const client of chooseClients(ground, request.clients)) {
    const one = await proveOne(ground, client, request);
    clients.push(one.proof);
    diagnostics.push(...one.diagnostics);
  }
  if (clients.length === 0) diagnostics.push({ code: 'note', severity: 'warning', message: 'no client was found on this workstation, so there is nothing to prove', fix: 'name one with --client (praetorctl clients list)' });
  const ok = clients.length > 0 && clients.every(({ proven }) => proven);
  return { ok, exit: ok ? EXIT.ok : EXIT.no, clients, diagnostics };
}

/** Why a client is not started at all. */
function before(client: ClientDefinition, e: ClientEvidence, host: Host): Finding | undefined {
  const { prove } = client;
  if (prove === undefined) return { cause: 'unsupported', text: `no way is known to start ${client.name} against another model`, fix: `let ${client.name} run one command, then: praetorctl clients verify --client ${client.id}` };
  if ('unsupported' in prove) return { cause: 'unsupported', text: prove.unsupported, fix: `let ${client.name} run one command, then: praetorctl clients verify --client ${client.id}` };
  if (host.platform === 'win32') return { cause: 'unsupported', text: 'a proof was not tried on Windows', fix: `let ${client.name} run one command, then: praetorctl clients verify --client ${client.id}` };
  if (e.program === undefined) return { cause: 'not-installed', text: `the program of ${client.name} was not found`, fix: `install ${client.name}, or put it on PATH` };
  if (!e.files.some((file) => file.commands.some(({ event }) => event === 'pre-tool'))) {
    const unread = e.files.find((file) => file.spec.role !== 'mcp' && file.diagnostic !== undefined)?.diagnostic;
    if (unread !== undefined) return { cause: 'file-rejected', text: unread.message, fix: unread.fix };
    return { cause: 'not-registered', text: 'no hook for tool calls is registered', fix: `praetorctl clients apply --client ${client.id}` };
  }
  return undefined;
}

async function proveOne(ground: Ground, client: ClientDefinition, request: ProveRequest): Promise<{ proof: ClientProof; diagnostics: readonly Diagnostic[] }> {
  const { host } = ground;
  const evidence = evidenceFor(ground, client);
  const engine = request.engine ?? ENGINE_VERSION;
  const policy = request.policy ?? POLICY_DIGEST;
  const base = { client: client.id, name: client.name, version: evidence.version.value, program: evidence.program ?? null, mcp: MCP_SKIPPED };
  const early = before(client, evidence, host);
  const surface = client.prove;
  if (early !== undefined || surface === undefined || 'unsupported' in surface || evidence.program === undefined) {
    const { cause, text, fix } = early ?? { cause: 'unsupported' as const, text: '', fix: '' };
    return { proof: { ...base, proven: false, cause, text, fix, seconds: 0, control: null, canary: null, time: null }, diagnostics: evidence.diagnostics };
  }
  // Taken before the run: what the client changes in its own files is not what was proven.
  const binding = bindingOf(host, evidence, engine, policy);
  const started = host.now();
  const timeoutMs = request.timeoutMs ?? PROOF_MS_MAX;
  const seen = await runProof({ ground, client, surface, evidence, program: evidence.program, timeoutMs });
  const finding = causeOf(seen, { client, evidence, engine, policy, secondsMax: timeoutMs / 1000 });
  const time = new Date(host.now()).toISOString();
  const proof: ClientProof = {
    ...base, proven: finding === undefined, cause: finding?.cause ?? null, fix: finding?.fix ?? '', time, seconds: Math.round((host.now() - started) / 100) / 10,
    mcp: mcpText(surface, evidence, seen, client.name),
    text: finding?.text ?? `the control command ran, the canary was refused before it ran, and ${client.verdicts.denyEffect === 'call' ? 'the reason reached the model' : `that ended the ${client.verdicts.denyEffect}: the model does not hear the reason`}`,
    control: seen.control.took ? 'ran' : 'did not run',
    canary: seen.canary.took ? 'ran' : seen.canary.answer !== undefined || finding === undefined ? 'refused' : 'not reached',
  };
  return { proof, diagnostics: [...evidence.diagnostics, ...keep(ground, binding === undefined ? undefined : { v: 1, kind: 'proof', time, client: client.id, result: finding === undefined ? 'proven' : 'not-proven', cause: finding?.cause ?? '', ...binding })] };
}

/** A proof that cannot be stored was one all the same; verify will not know of it. */
function keep({ host, dirs }: Ground, proof: Proof | undefined): readonly Diagnostic[] {
  if (proof === undefined) return [];
  try {
    storeProof(host, dirs.receipts, proof);
    return [];
  } catch {
    return [{ code: 'note', severity: 'warning', client: proof.client, message: 'the proof could not be stored, so verify will not know of it', fix: `make ${dirs.receipts} writable` }];
  }
}
