// Contract: a server itself as a source of tools: a program that is started, or an address that is connected to, after the person
// agreed. Runs servers: IO. A header's value comes from a variable or from the client's entry, and goes into no catalogue.
import { withReferences } from '../clients/mcp-entry.ts';
import type { Catalogue, Upstream } from '../contract/catalogue-schema.ts';
import { addressFault } from '../contract/address.ts';
import type { ToolDefinition } from '../contract/pins.ts';
import type { Host } from '../host.ts';
import { startStreamable, type HttpUpstream } from '../mcp/runtime/streamable-upstream.ts';
import { inspectServer } from '../mcp/runtime/inspect.ts';
import type { Link, LinkEvents } from '../mcp/runtime/link.ts';
import { startProgram } from '../mcp/runtime/upstream.ts';
import type { Problem } from '../contract/openapi-refs.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { variableOf, type Look } from './contract-openapi.ts';
import type { FoundServer } from './contract-servers.ts';
import { printable } from './style.ts';

export const FROM_CATALOGUE = 'the catalogue';
/** Everything that a client may have, for the second look: some servers show other tools then. */
const CAPABILITIES = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } };

export interface LookRequest { readonly host: Host; readonly service: string; readonly agreed: (shown: string, question: string) => Promise<boolean> }
interface Reach { readonly shown: string; readonly question: string; readonly upstream: Upstream; readonly start: (events: LinkEvents) => Link }

const usage = (message: string, fix: string): PraetorError => new PraetorError({ code: 'usage', message, fix });

/** A value with its references replaced; undefined: a variable is not set. */
function filled(value: string, env: Host['env']): string | undefined {
  let isWhole = true;
  const text = withReferences(value, (name) => {
    isWhole &&= env[name] !== undefined;
    return env[name] ?? '';
  });
  return isWhole ? text : undefined;
}

/** The variable that is the whole value, or one that is named after the header. */
function headerVariable(service: string, header: string, value: string): string {
  return /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1] ?? variableOf(service, header);
}

function httpReach({ host, service }: LookRequest, server: Extract<FoundServer, { kind: 'http' }>): Reach {
  const fault = addressFault(server.url);
  if (fault !== undefined) throw usage(`${service} cannot be imported from ${server.from}: of its address, ${fault}`, 'register it with an https address and its credential in a header');
  const headerEnv = server.headerEnv ?? Object.fromEntries(Object.entries(server.headers).map(([header, value]) => [header, headerVariable(service, header, value)]));
  const upstream: HttpUpstream = { transport: 'http', url: server.url, allowedHosts: [new URL(server.url).host], headerEnv };
  const env = Object.fromEntries(Object.entries(headerEnv).map(([header, name]) => [name, host.env[name] ?? filled(server.headers[header] ?? `\${${name}}`, host.env)]));
  const missing = Object.keys(env).filter((name) => env[name] === undefined);
  if (missing.length > 0) throw usage(`${service} needs ${missing.join(' and ')} in the environment to be looked at`, `set it to the whole value of the header, then praetorctl contract import ${service}`);
  const { origin, pathname } = new URL(server.url);
  return {
    shown: `${server.from === FROM_CATALOGUE ? 'This connects to the server' : `This connects to the server as ${server.from} does, to read its list of tools`}:\n  ${printable(origin + pathname)}\n`,
    question: 'Connect?', upstream, start: (events) => startStreamable({ upstream, env, log: () => undefined }, events),
  };
}

function programReach({ host }: LookRequest, server: Extract<FoundServer, { kind: 'stdio' }>): Reach {
  const { command, args } = server;
  const env = Object.fromEntries(Object.entries(server.env).flatMap(([name, value]) => {
    const text = filled(value, host.env);
    return text === undefined ? [] : [[name, text]];
  }));
  return {
    shown: `${server.from === FROM_CATALOGUE ? 'This starts the server' : `This starts the server as ${server.from} does, to read its list of tools`}:\n  ${printable([command, ...args].join(' '))}\n`,
    question: 'Start it?', upstream: { transport: 'stdio', command, args: [...args], envNames: Object.keys(server.env).sort() }, start: (events) => startProgram({ command, args, env }, events),
  };
}

async function toolsOf(start: Reach['start']): Promise<{ tools: ToolDefinition[]; version: string; protocol: string; dependent: string[]; refused: readonly Problem[] }> {
  try {
    const plain = await inspectServer(start, {});
    const full = await inspectServer(start, CAPABILITIES);
    const names = new Set(plain.tools.map(({ name }) => name));
    const dependent = full.tools.filter(({ name }) => !names.has(name));
    return { tools: [...plain.tools, ...dependent], version: full.version, protocol: full.protocol, dependent: dependent.map(({ name }) => name), refused: full.refused };
  } catch (error) {
    throw new PraetorError({ code: 'catalogue-unreadable', message: `the server did not show its tools: ${error instanceof Error ? error.message : 'unknown'}`, fix: 'start it by hand to see why, then import again' }, error);
  }
}

/** Asks, starts the server or connects to it, and reads its list. Undefined: the person said no. */
export async function serverLook(request: LookRequest, server: FoundServer): Promise<Look | undefined> {
  const { shown, question, upstream, start } = server.kind === 'http' ? httpReach(request, server) : programReach(request, server);
  if (!await request.agreed(shown, question)) return undefined;
  const { tools, version, protocol, dependent, refused } = await toolsOf(start);
  return { tools, version: version.slice(0, 64), from: server.from, dependent, problems: refused, upstream, source: { kind: 'mcp', protocolVersion: protocol, capturedWith: ['elicitation.form', 'elicitation.url', 'roots', 'sampling'] } };
}

/** What the catalogue names, to be looked at again, with the variables of the entry in whose place the runtime stands. */
export function serverOfUpstream({ upstream }: Catalogue, env: Readonly<Record<string, string>> = {}): FoundServer | undefined {
  if (upstream?.transport === 'stdio') return { kind: 'stdio', command: upstream.command, args: upstream.args, env, from: FROM_CATALOGUE };
  if (upstream?.transport !== 'http') return undefined;
  const headers = Object.entries(upstream.headerEnv).flatMap(([header, name]) => (env[name] === undefined ? [] : [[header, env[name]]]));
  return { kind: 'http', url: upstream.url, headers: Object.fromEntries(headers) as Record<string, string>, headerEnv: upstream.headerEnv, from: FROM_CATALOGUE };
}
