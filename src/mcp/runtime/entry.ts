// Contract: `praetorctl mcp <server>`: the program that clients start in the place of a server. IO. A bundle of its own (part `mcp`):
// no packages, no schema library; the catalogue comes in the form that `contract lint` and `clients apply` compiled.
// It starts nothing where the catalogue is missing, changed or damaged: a guard that does not know what it guards would let all pass.
import { readFileSync } from 'node:fs';
import { normalName } from '../../contract/catalogue.ts';
import type { Catalogue } from '../../contract/catalogue-schema.ts';
import { COMPILED_DIRECTORY, CONTRACT_MAGIC, DEFINITIONS_DIRECTORY, type ContractMeta } from '../../contract/contract-index.ts';
import type { GateFacts } from '../../contract/gate.ts';
import type { ToolDefinition } from '../../contract/pins.ts';
import { CONTRACT_FILE } from '../../hook/contract-place.ts';
import { hookPlace, type HookPlace } from '../../hook/facts.ts';
import { lookAt, openTable, sameStamp, stampOf } from '../../hook/index-reader.ts';
import { below } from '../../roots/own-dirs.ts';
import { sha256 } from './digest.ts';
import type * as Guard from './guard.ts';
import type { Link, LinkEvents } from './link.ts';
import { pipes, type Pipes } from './pipes.ts';
import { runProxy } from './proxy.ts';
import type * as Remote from './remote.ts';
import type * as Streams from './streams.ts';

function fail(message: string, fix: string): never {
  process.stderr.write(`praetorctl mcp: error: ${message}. fix: ${fix}\n`);
  process.exit(1);
}

function compiledCatalogue(place: HookPlace, server: string): Catalogue {
  const again = 'praetorctl contract lint';
  const { state, platform } = place;
  if (state === undefined) fail(place.problem ?? 'no state directory is known', 'praetorctl doctor');
  const index = openTable<ContractMeta, GateFacts>(below(platform, state, CONTRACT_FILE), CONTRACT_MAGIC);
  if (typeof index === 'string') fail(index === 'missing' ? 'no catalogue is in force' : 'the compiled catalogues are damaged', index === 'missing' ? `praetorctl contract import ${server}` : again);
  const found = index.meta.servers[normalName(server)] ?? Object.values(index.meta.servers).find(([service]) => service === server);
  if (found === undefined) fail(`no catalogue governs a server named ${server}`, `praetorctl contract import ${server}`);
  const [service, number] = found;
  const source = index.meta.sources[number];
  const stat = source === undefined ? undefined : lookAt(source.path);
  if (source === undefined || stat === undefined || !sameStamp(source, stampOf(source.path, stat))) fail(`the catalogue of ${service} changed since it was compiled`, again);
  try {
    return JSON.parse(readFileSync(below(platform, below(platform, state, COMPILED_DIRECTORY), `${service}.json`), 'utf8')) as Catalogue;
  } catch {
    return fail(`the compiled catalogue of ${service} cannot be read`, again);
  }
}

function definitionsOf(place: HookPlace, service: string): ToolDefinition[] {
  try {
    return JSON.parse(readFileSync(below(place.platform, below(place.platform, place.state ?? '', DEFINITIONS_DIRECTORY), `${service}.json`), 'utf8')) as ToolDefinition[];
  } catch {
    return fail(`the tools of ${service} as they were approved are not in the state directory`, `praetorctl contract import ${service} --openapi FILE`);
  }
}

type Opener = (events: LinkEvents) => Link;

/** Given by dist/mcp.cjs (scripts/hook-stub.cjs). The guard is read while the server starts; what goes over HTTP, and what does without libuv's own handles, only where it is needed. */
interface Parts { readonly guard: typeof Guard; readonly remote: typeof Remote; readonly streams: typeof Streams }
declare const load: <K extends keyof Parts>(part: K) => Parts[K];

const log = (line: string): void => void process.stderr.write(`${line}\n`);

function starterOf(place: HookPlace, catalogue: Catalogue, own: Pipes | undefined): Opener {
  const { upstream, service } = catalogue;
  if (upstream === undefined) fail(`the catalogue of ${service.id} names no server`, `praetorctl contract import ${service.id}`);
  if (upstream.transport === 'stdio') return (events) => (own === undefined ? load('streams').startProgram(upstream, events) : own.start(upstream, process.env, events));
  if (upstream.transport === 'http') return (events) => load('remote').startStreamable({ upstream, env: process.env, log: (line) => log(`${service.id}: ${line}`) }, events);
  const definitions = definitionsOf(place, service.id);
  return (events) => load('remote').startOpenapi({ catalogue, upstream, definitions, env: process.env, sha256 }, events);
}

function main(server: string): Promise<number> {
  const place = hookPlace(process.platform, process.env);
  const catalogue = compiledCatalogue(place, server);
  const own = pipes(place.platform);
  const client: Opener = own?.client ?? ((events) => load('streams').clientStreams(process.stdin, process.stdout, events));
  return runProxy(() => load('guard').guardOf(place, catalogue), { upstream: starterOf(place, catalogue, own), client, log });
}

void main(process.argv[3] ?? '').then((code) => process.exit(code));
