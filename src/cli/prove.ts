// Contract: `praetorctl clients prove`: asks before it starts a client, then shows one line per client with the cause and the
// next action. A script says --yes: nothing is ever started unasked.
import { PraetorError, EXIT } from '../model/diagnostic.ts';
import { rootContext } from '../roots/context.ts';
import { proveClients, proveTargets, type ClientProof, type ProveRequest, type ProveResult } from '../verify/prove.ts';
import { PROOF_MS_MAX } from '../verify/prove-run.ts';
import { requestOf } from './clients.ts';
import { styleFor, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { paint, withTilde, type Style } from './style.ts';

function lines(proof: ClientProof, look: Style): string[] {
  const word = proof.proven ? 'proven' : 'not proven';
  const head = `${proof.client.padEnd(8)} ${paint(look, proof.proven ? 'green' : 'red', word.padEnd(10))}  ${proof.cause === null ? '' : `${proof.cause}: `}${withTilde(look, proof.text)}`;
  const seen = proof.control === null ? [] : [`           control ${proof.control}, canary ${proof.canary ?? 'not reached'}, ${proof.seconds} s${proof.version === null ? '' : `, version ${proof.version}`}`];
  const mcp = proof.control === null ? [] : [`           MCP call ${withTilde(look, proof.mcp)}`];
  return [head, ...seen, ...mcp, ...(proof.fix === '' ? [] : [`           ${paint(look, 'dim', 'next:')} ${withTilde(look, proof.fix)}`])];
}

export function renderProofs(result: ProveResult, look: Style): string {
  const proven = result.clients.filter((one) => one.proven).length;
  const missing = result.clients.filter((one) => !one.proven).map((one) => one.client);
  const end = `prove: ${proven} of ${result.clients.length} proven${missing.length === 0 ? '' : `; not: ${missing.join(', ')}`}`;
  return [...result.clients.flatMap((one) => lines(one, look)), ...(result.clients.length === 0 ? [] : ['']), end].join('\n');
}

async function confirmed(context: CommandContext, request: ProveRequest): Promise<boolean> {
  const { io, options, global } = context;
  if (options['yes'] === true) return true;
  const targets = proveTargets(io.host, request);
  if (targets.length === 0) return true;
  if (!io.inIsTty || !io.errIsTty || global.json) {
    throw new PraetorError({ code: 'not-confirmed', message: 'there is no terminal to ask on, and prove starts programs', fix: 'praetorctl clients prove --yes' });
  }
  io.err(`This starts ${targets.map(({ name }) => name).join(', ')} in a temporary workspace, with your own configuration, against a model on this machine.\n`
    + `It needs no login and costs no tokens; at most ${PROOF_MS_MAX / 1000} s each. Your other hooks and MCP servers start too, and the client writes its usual session files.\n`);
  const answer = (await io.ask('Start? [y/N] ') ?? '').trim().toLowerCase();
  return answer === 'y' || answer === 'yes';
}

export async function clientsProve(context: CommandContext): Promise<Outcome> {
  const { io, global } = context;
  const { clients, documents } = requestOf(context, 'apply');
  const request: ProveRequest = { clients, ...(documents === undefined ? {} : { documents }) };
  const base = { kind: 'prove', diagnostics: [], wrote: false };
  if (!(await confirmed(context, request))) return { ...base, exit: EXIT.interrupted, body: { clients: [] }, text: 'not started' };
  const result = await proveClients(io.host, request);
  const style = styleFor(io, global, rootContext(io.host).home);
  return { ...base, exit: result.exit, body: { clients: result.clients }, text: renderProofs(result, style), diagnostics: result.diagnostics, wrote: true };
}
