// Contract: `praetorctl contract bundle`: the pure writer of contract/bundle.ts onto a directory that is empty or an earlier bundle
// of ours. A file that somebody else put or changed there is never written over.
import { BUNDLE_MANIFEST, bundledService, bundleFiles, manifestText, missingBindings, parseManifest } from '../contract/bundle.ts';
import { bindingClashes } from '../contract/contract-index.ts';
import { dropEmptyDirs, dropFile, makeDirs, putFile, toBytes, toText } from '../clientsetup/statefiles.ts';
import { ownDirsOf } from '../clientsetup/survey.ts';
import type { Host } from '../host.ts';
import type { BundleSubject } from '../model/bundle.ts';
import { EXIT, PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { recordChange } from '../mcp/changes.ts';
import { catalogueOf, compileCatalogues, readCatalogues, writeCatalogue, type StorePlace } from '../mcp/store.ts';
import { rootContext } from '../roots/context.ts';
import { dirOf, isAbsolutePath, joinPath } from '../roots/paths.ts';
import { DEFAULT_SETTINGS, wantedEvents } from '../settings/schema.ts';
import { VERSION, type Outcome } from './output.ts';
import { refuseAgents } from './person.ts';
import type { CommandContext } from './program.ts';

const FILE_BYTES_MAX = 1024 * 1024;
const FILES_MAX = 1_000;
const DEPTH_MAX = 8;
/** A bundle is given to others. */
const FILE_MODE = 0o644;
const DIR_MODE = 0o755;

interface Target { readonly host: Host; readonly root: string }

const at = ({ host, root }: Target, path: string): string => joinPath(host.platform, root, ...path.split('/'));

const foreign = (path: string, message: string): PraetorError => new PraetorError({ code: 'foreign-entry', where: { path }, message, fix: 'name an empty directory with --out, or move the file away' });

/** Every file below, by path with `/`. Throws on anything that is neither a file nor a directory. */
function present(target: Target, prefix = '', depth = 0): string[] {
  const { host } = target;
  const directory = prefix === '' ? target.root : at(target, prefix.slice(0, -1));
  const found = host.readDir(directory).flatMap((name) => {
    const path = `${prefix}${name}`;
    const kind = host.lstat(at(target, path))?.kind;
    if (kind === 'dir' && depth < DEPTH_MAX) return present(target, `${path}/`, depth + 1);
    if (kind !== 'file') throw foreign(at(target, path), 'this is no file of a bundle');
    return [path];
  });
  if (found.length > FILES_MAX) throw foreign(directory, `there are more than ${FILES_MAX} files`);
  return found;
}

function readText(host: Host, path: string): string | undefined {
  try {
    return toText(host.readFile(path, FILE_BYTES_MAX));
  } catch {
    return undefined;
  }
}

interface BundlePlan { readonly write: readonly string[]; readonly drop: readonly string[] }

/** What has to be done. A file is ours if it is as an earlier bundle left it, or as it is about to be written. Throws on any other. */
function planBundle(target: Target, files: ReadonlyMap<string, string>): BundlePlan {
  const { host, root } = target;
  const stat = host.stat(root);
  if (stat === undefined) return { write: [...files.keys()], drop: [] };
  if (stat.kind !== 'dir') throw foreign(root, 'this is no directory');
  const earlier = parseManifest(readText(host, at(target, BUNDLE_MANIFEST)) ?? '') ?? new Map<string, string>();
  const there = new Map(present(target).map((path) => [path, readText(host, at(target, path))]));
  for (const [path, text] of there) {
    const isOurs = path === BUNDLE_MANIFEST ? parseManifest(text ?? '') !== undefined : text !== undefined && (text === files.get(path) || earlier.get(path) === host.sha256(text));
    if (!isOurs) throw foreign(at(target, path), earlier.has(path) ? 'this file of a bundle was changed by somebody else' : 'this file is not of a bundle of ours');
  }
  return { write: [...files].filter(([path, text]) => there.get(path) !== text).map(([path]) => path), drop: [...there.keys()].filter((path) => !files.has(path)) };
}

/** The manifest comes last: a run that was ended in between can be done again. */
function writeBundle(target: Target, files: ReadonlyMap<string, string>, plan: BundlePlan): void {
  const { host, root } = target;
  makeDirs(host, root, DIR_MODE);
  for (const path of plan.write) {
    makeDirs(host, dirOf(host.platform, at(target, path)), DIR_MODE);
    putFile(host, at(target, path), toBytes(files.get(path) ?? ''), FILE_MODE);
  }
  for (const path of plan.drop) {
    dropFile(host, at(target, path));
    const parts = path.split('/').slice(0, -1);
    dropEmptyDirs(host, parts.map((_part, index) => at(target, parts.slice(0, index + 1).join('/'))));
  }
}

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

export function contractBundle(context: CommandContext): Outcome {
  const { io: { host }, options, args: [service] } = context;
  const isSelf = options['self'] === true;
  if (isSelf === (service !== undefined)) throw new PraetorError({ code: 'usage', message: 'name a service, or say --self for praetorctl\'s own registrations', fix: 'praetorctl contract list' });
  const dirs = ownDirsOf(host, rootContext(host));
  const place = { state: dirs.state, config: dirs.config };
  const out = String(options['out']);
  const target = { host, root: isAbsolutePath(host.platform, out) ? out : joinPath(host.platform, host.cwd, out) };
  const subject: BundleSubject = service === undefined ? { events: wantedEvents(DEFAULT_SETTINGS) } : { service: bundledService(catalogueOf(host, place, service).catalogue) };
  const content = bundleFiles(subject);
  const digests = new Map([...content].map(([path, text]) => [path, host.sha256(text)]));
  const files = new Map([...content, [BUNDLE_MANIFEST, manifestText(digests)]]);
  const plan = planBundle(target, files);
  const { added, diagnostics } = service === undefined ? { added: [], diagnostics: [] } : bind(host, place, service);
  writeBundle(target, files, plan);
  const lines = [
    ...[...content.keys()].map((path) => `  ${path}`),
    `${plan.write.length} of ${files.size} files written to ${target.root}`,
    ...(added.length === 0 ? [] : [`the catalogue of ${service ?? ''} is bound to ${added.join(', ')} too, the name of its tools in the plugin`]),
    'next: read README.md there, which says how each client takes it',
  ];
  const body = { service: service ?? null, out: target.root, files: [...digests].map(([path, digest]) => ({ path, digest: `sha256:${digest}` })), written: plan.write.length, removed: [...plan.drop], bindings: [...added] };
  return { exit: EXIT.ok, kind: 'contract-bundle', body, text: lines.join('\n'), diagnostics, wrote: true };
}
