// Contract: a bundle as paths and texts, from the clients' rows: a service's guarded server or our own registrations, installable by
// each client's own means. Nothing of single operations, so that approvals change no byte. PURE and deterministic.
import { CLIENTS } from '../clients/registry.ts';
import type { BundledService, BundleSubject } from '../model/bundle.ts';
import type { ClientDefinition } from '../model/client.ts';
import { isObject } from '../model/json.ts';
import type { Catalogue } from './catalogue-schema.ts';
import { normalName } from './catalogue.ts';

/** Says which files of a directory are ours, with their digests. */
export const BUNDLE_MANIFEST = '.praetor-bundle.json';

export function bundledService({ service, upstream }: Catalogue): BundledService {
  return { id: service.id, title: service.displayName ?? service.id, variables: upstream?.transport === 'stdio' ? [...upstream.envNames].sort() : [] };
}

const surfaces = (clients: readonly ClientDefinition[]): [ClientDefinition, NonNullable<ClientDefinition['bundle']>][] => clients.flatMap((client) => (client.bundle === undefined ? [] : [[client, client.bundle]]));

function readme(subject: BundleSubject, clients: readonly ClientDefinition[]): string {
  const { service } = subject;
  const head = service === undefined
    ? ['# praetorctl as a plugin', '', '`praetorctl clients apply` is the first way to register: it is verified, repaired and taken back by file, and needs no marketplace. Use this where plugins are how you distribute.']
    : [`# ${service.id} behind praetorctl`, '', 'Nothing here says what an operation may do: hook and runtime read the catalogue of the workstation. Approvals change no byte of it.'];
  const parts = surfaces(clients).flatMap(([client, bundle]) => ['', `## ${client.name}`, '', ...bundle.install(subject)]);
  return [...head, '', '`praetorctl` must resolve on the PATH of the client (`praetorctl doctor`).', ...parts, ''].join('\n');
}

/** By path with `/`, sorted. */
export function bundleFiles(subject: BundleSubject, clients: readonly ClientDefinition[] = CLIENTS): ReadonlyMap<string, string> {
  const all = { 'README.md': readme(subject, clients), ...Object.assign({}, ...surfaces(clients).map(([client, bundle]) => bundle.files(client, subject))) as Record<string, string> };
  return new Map(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Names under which clients will see the bundle's server and that the catalogue does not bind yet. */
export function missingBindings({ service, bindings }: Catalogue, clients: readonly ClientDefinition[] = CLIENTS): string[] {
  const bound = new Set(bindings.map(normalName));
  const wanted = [service.id, ...surfaces(clients).flatMap(([, bundle]) => bundle.bindings?.(service.id) ?? [])];
  return [...new Set(wanted)].filter((name) => !bound.has(normalName(name)));
}

export function manifestText(digests: ReadonlyMap<string, string>): string {
  return `${JSON.stringify({ schema: 'praetor.bundle/1', files: Object.fromEntries(digests) }, null, 2)}\n`;
}

/** Digest by path. Undefined where it is no manifest of ours. */
export function parseManifest(text: string): ReadonlyMap<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value['schema'] !== 'praetor.bundle/1' || !isObject(value['files'])) return undefined;
    return new Map(Object.entries(value['files']).map(([path, digest]) => [path, String(digest)]));
  } catch {
    return undefined;
  }
}
