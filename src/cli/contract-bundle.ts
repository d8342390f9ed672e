// Contract: `praetorctl contract bundle`: the pure writer of contract/bundle.ts onto a directory that is empty or an earlier bundle
// of ours (clientsetup/out-dir.ts).
import { BUNDLE_MANIFEST, bundledService, bundleFiles, manifestText, missingBindings, parseManifest } from '../contract/bundle.ts';
import { bindingClashes } from '../contract/contract-index.ts';
import { outRoot, planOutDir, writeOutDir, type OutDir } from '../clientsetup/out-dir.ts';
import { ownDirsOf } from '../clientsetup/survey.ts';
import type { Host } from '../host.ts';
import type { BundleSubject } from '../model/bundle.ts';
import { EXIT, PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { recordChange } from '../mcp/changes.ts';
import { exclusively } from '../mcp/exclusive.ts';
import { catalogueOf, compileCatalogues, readCatalogues, writeCatalogue, type StorePlace } from '../mcp/store.ts';
import { rootContext } from '../roots/context.ts';
import { DEFAULT_SETTINGS, wantedEvents } from '../settings/schema.ts';
import { VERSION, type Outcome } from './output.ts';
import { refuseAgents } from './person.ts';
import type { CommandContext } from './program.ts';

/** Binds the names under which clients will see the bundle's server, so that the hook governs them. It can only govern more. */
function bind(host: Host, place: StorePlace, service: string): { readonly added: readonly string[]; readonly diagnostics: readonly Diagnostic[] } {
  const { catalogue } = catalogueOf(host, place, service);
  const added = missingBindings(catalogue);
  if (added.length === 0) return { added, diagnostics: [] };
  refuseAgents(host, `praetorctl contract bundle ${service}`);
  const bound = { ...catalogue, bindings: [...catalogue.bindings, ...added] };
  const all = readCatalogues(host, place).catalogues.map((stored) => (stored.catalogue.service.id === service ? { ...stored, catalogue: bound } : stored));
  const [clash] = bindingClashes(all);
  if (clash !== undefined) throw new PraetorError({ code: 'catalogue-invalid', message: clash, fix: 'leave the name in one of the two bindings' });
  writeCatalogue(host, place, bound);
  recordChange(host, place, { action: 'bind', service, operations: [], bindings: added, from: 'bundle' });
  return { added, diagnostics: compileCatalogues(host, place, VERSION).diagnostics };
}

export async function contractBundle(context: CommandContext): Promise<Outcome> {
  const { io: { host }, options, args: [service] } = context;
  const isSelf = options['self'] === true;
  if (isSelf === (service !== undefined)) throw new PraetorError({ code: 'usage', message: 'name a service, or say --self for praetorctl\'s own registrations', fix: 'praetorctl contract list' });
  const dirs = ownDirsOf(host, rootContext(host));
  const place = { state: dirs.state, config: dirs.config };
  const target: OutDir = { host, root: outRoot(host, String(options['out'])), manifest: BUNDLE_MANIFEST, parse: parseManifest, what: 'a bundle' };
  const subject: BundleSubject = service === undefined ? { events: wantedEvents(DEFAULT_SETTINGS) } : { service: bundledService(catalogueOf(host, place, service).catalogue) };
  const content = bundleFiles(subject);
  const digests = new Map([...content].map(([path, text]) => [path, host.sha256(text)]));
  const files = new Map([...content, [BUNDLE_MANIFEST, manifestText(digests)]]);
  const plan = planOutDir(target, files);
  const { added, diagnostics } = service === undefined ? { added: [], diagnostics: [] } : await exclusively(host, dirs, () => bind(host, place, service));
  writeOutDir(target, files, plan);
  const lines = [
    ...[...content.keys()].map((path) => `  ${path}`),
    `${plan.write.length} of ${files.size} files written to ${target.root}`,
    ...(added.length === 0 ? [] : [`the catalogue of ${service ?? ''} is bound to ${added.join(', ')} too, the name of its tools in the plugin`]),
    'next: read README.md there, which says how each client takes it',
  ];
  const body = { service: service ?? null, out: target.root, files: [...digests].map(([path, digest]) => ({ path, digest: `sha256:${digest}` })), written: plan.write.length, removed: [...plan.drop], bindings: [...added] };
  return { exit: EXIT.ok, kind: 'contract-bundle', body, text: lines.join('\n'), diagnostics, wrote: true };
}
