// Contract: an OpenAPI document of the person's -> what `contract import` and `contract diff --live` make of it. Through Host, reads
// only: nothing is fetched and nothing is started.
import type { Catalogue, OpenapiUpstream } from '../contract/catalogue-schema.ts';
import { addressFault } from '../contract/address.ts';
import { compileOpenapi, draftOf, isBaseUrl, type CompiledDocument } from '../contract/openapi.ts';
import type { Problem } from '../contract/openapi-refs.ts';
import type { ToolDefinition } from '../contract/pins.ts';
import type { DraftOf } from '../contract/review.ts';
import { toText } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { JsonValue } from '../model/json.ts';
import { isAbsolutePath, joinPath } from '../roots/paths.ts';

export const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024;

/** A source of tools as import and diff take it. */
export interface Look {
  readonly tools: readonly ToolDefinition[];
  readonly draftOf?: DraftOf;
  readonly version: string;
  readonly upstream: NonNullable<Catalogue['upstream']>;
  readonly source: Pick<Catalogue['service']['source'], 'kind' | 'protocolVersion' | 'capturedWith' | 'uri'>;
  readonly from: string;
  readonly dependent: readonly string[];
  readonly problems: readonly Problem[];
}

export interface OpenapiRequest { readonly file: string; readonly baseUrl: string | undefined; readonly service: string }

const usage = (message: string, fix: string): PraetorError => new PraetorError({ code: 'usage', message, fix });

/** JSON, or YAML where it is none. An alias that unfolds without end is refused by the parser. */
async function documentOf(text: string): Promise<JsonValue> {
  if (/^\s*\{/.test(text)) return JSON.parse(text) as JsonValue;
  const { parse } = await import('yaml');
  return parse(text, { maxAliasCount: 100, logLevel: 'silent' }) as JsonValue;
}

export async function openapiLook(host: Host, { file, baseUrl, service }: OpenapiRequest): Promise<Look> {
  const path = isAbsolutePath(host.platform, file) ? file : joinPath(host.platform, host.cwd, file);
  let compiled: CompiledDocument | string;
  try {
    compiled = compileOpenapi(await documentOf(toText(host.readFile(path, DOCUMENT_BYTES_MAX)).replace(/^\ufeff/, '')), (text) => host.sha256(text));
  } catch (error) {
    throw usage(`${file} cannot be read as an OpenAPI document: ${(error instanceof Error ? error.message : 'unknown').split('\n')[0]?.slice(0, 200)}`, 'name a JSON or YAML file of at most 64 MiB');
  }
  if (typeof compiled === 'string') throw usage(`${file} is no OpenAPI document: ${compiled}`, 'name another file');
  const { tools, headers, problems, version } = compiled;
  const base = baseUrl ?? compiled.baseUrl;
  if (base === undefined || !isBaseUrl(base)) throw usage(`${file} names no address to call`, `praetorctl contract import ${service} --openapi FILE --base-url https://HOST/PATH`);
  if (tools.length === 0) throw usage(`${file} has no operation that can be called${problems[0] === undefined ? '' : `: ${problems[0].where}: ${problems[0].message}`}`, 'name another file');
  const byName = new Map(tools.map((one) => [one.tool.name, one]));
  const upstream: OpenapiUpstream = {
    transport: 'openapi', baseUrl: base, allowedHosts: [new URL(base).host], document: path, headerEnv: Object.fromEntries(headers.map((header) => [header, variableOf(service, header)])),
  };
  return {
    tools: tools.map(({ tool }) => tool), version: version.replace(/[\u0000-\u001f\u007f]/g, '').slice(0, 64), upstream, source: { kind: 'openapi', uri: path }, from: path, dependent: [], problems,
    draftOf: (id, tool, sha256) => {
      const one = byName.get(tool.name);
      if (one === undefined) throw new Error(`no operation ${tool.name}`);
      return draftOf(id, one, sha256);
    },
  };
}

/** The name of the variable that holds a header's whole value. */
export function variableOf(service: string, header: string): string {
  return `${service}_${header}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_').replace(/^([0-9])/, '_$1');
}

/** Another address for what was approved: all of it has to be approved again. A known catalogue keeps its own names of variables. */
export function withAddress(known: Catalogue, upstream: NonNullable<Catalogue['upstream']>): Catalogue {
  const before = known.upstream;
  if (before === undefined || before.transport !== upstream.transport) throw usage(`${known.service.id} is the catalogue of another kind of server`, 'import it under another name');
  const isSame = sameAddress(before, upstream);
  if (isSame && (before.transport === 'stdio' || upstream.transport === 'stdio')) return known;
  const merged = before.transport === 'stdio' || upstream.transport === 'stdio' ? upstream : { ...upstream, headerEnv: { ...upstream.headerEnv, ...before.headerEnv } };
  if (isSame && before.transport !== 'stdio' && merged.transport !== 'stdio') return { ...known, upstream: { ...merged, allowedHosts: before.allowedHosts } };
  const operations = known.operations.map(({ approval, ...operation }) => ({ ...operation, ...(operation.state === 'approved' ? { state: 'review_required' as const } : approval === undefined ? {} : { approval }) }));
  return { ...known, upstream: merged, operations };
}

function addressOf(upstream: NonNullable<Catalogue['upstream']>): string {
  if (upstream.transport === 'stdio') return JSON.stringify([upstream.command, ...upstream.args]);
  return upstream.transport === 'http' ? upstream.url : upstream.baseUrl;
}

/** Is it the same program, or the same address? */
export const sameAddress = (one: NonNullable<Catalogue['upstream']>, other: NonNullable<Catalogue['upstream']>): boolean => one.transport === other.transport && addressOf(one) === addressOf(other);

/** What the person has to know of the upstream: where calls go, and what has to be in the environment. */
export function upstreamLines({ upstream }: Look, service: string): string[] {
  if (upstream.transport === 'stdio') return [];
  const isServer = upstream.transport === 'http';
  const plain = !isServer && addressFault(upstream.baseUrl) !== undefined;
  return [
    isServer ? `  messages go to ${upstream.allowedHosts.join(', ')} and to no other host` : `  calls go to ${upstream.baseUrl} and nowhere else${plain ? ', not encrypted' : ''}`,
    ...Object.entries(upstream.headerEnv).map(([header, name]) => `  ${name} must hold the whole value of the header ${header}${header === 'Authorization' ? ', such as: Bearer TOKEN' : ''}`),
    ...isServer ? [] : [`  clients get it with clients apply, once the settings name it: mcpServers: { ${service}: { command: praetorctl, args: [mcp, ${service}] } }`],
  ];
}

const SHOWN_MAX = 20;

export function problemLines({ problems }: Look): string[] {
  const more = problems.length > SHOWN_MAX ? [`  and ${problems.length - SHOWN_MAX} more`] : [];
  return [...problems.slice(0, SHOWN_MAX).map(({ where, message }) => `  ${where}: ${message}`), ...more];
}
