// Contract: the catalogues of this workstation: `<config>/contracts/<service>.json`, and their compiled form `<state>/contract.idx`,
// which the hook reads. Through Host. Compiling is all or nothing: with one invalid catalogue the index stays as it was, and what
// changed since is refused by the hook until the fault is corrected.
import { COMPILED_DIRECTORY, bindingClashes, encodeContracts, type CataloguedSource } from '../contract/contract-index.ts';
import { storeLoosenings } from '../contract/loosenings.ts';
import { CATALOGUE_CHARS_MAX, parseCatalogue, type Catalogue } from '../contract/catalogue-schema.ts';
import { OWN_DIR_MODE, dropFile, makeDirs, putFile, toBytes } from '../clientsetup/statefiles.ts';
import { CONTRACTS_DIRECTORY } from '../contract/catalogue.ts';
import { CONTRACT_FILE } from '../hook/contract-place.ts';
import { readStamped } from '../hook/settings-source.ts';
import type { Host } from '../host.ts';
import { PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { joinPath } from '../roots/paths.ts';

export interface StorePlace { readonly state: string; readonly config: string }

export interface StoredCatalogue extends CataloguedSource { readonly path: string }

export interface StoreRead { readonly catalogues: readonly StoredCatalogue[]; readonly diagnostics: readonly Diagnostic[] }

export function catalogueDirectory(host: Host, place: StorePlace): string {
  return joinPath(host.platform, place.config, CONTRACTS_DIRECTORY);
}

export function cataloguePath(host: Host, place: StorePlace, service: string): string {
  return joinPath(host.platform, catalogueDirectory(host, place), `${service}.json`);
}

function namesIn(host: Host, directory: string): string[] {
  const stat = host.stat(directory);
  if (stat === undefined) return [];
  return host.readDir(directory).filter((name) => name.endsWith('.json')).sort();
}

function unreadable(path: string): Diagnostic {
  return { code: 'catalogue-unreadable', severity: 'error', where: { path }, message: 'the catalogue is not a readable text file', fix: 'correct or remove it, then: praetorctl contract lint' };
}

function readOne(path: string): { readonly stored?: StoredCatalogue; readonly diagnostics: readonly Diagnostic[] } {
  let read: ReturnType<typeof readStamped>;
  try {
    read = readStamped(path, CATALOGUE_CHARS_MAX);
  } catch {
    return { diagnostics: [unreadable(path)] };
  }
  if (read.text === undefined) return { diagnostics: [unreadable(path)] };
  const parsed = parseCatalogue(path, read.text);
  if (!parsed.ok) return { diagnostics: parsed.diagnostics };
  return { stored: { path, stamp: read.stamp, catalogue: parsed.catalogue }, diagnostics: [] };
}

/** Every catalogue that can be read, sorted by the name of its file, and what is wrong with the others. */
export function readCatalogues(host: Host, place: StorePlace): StoreRead {
  const directory = catalogueDirectory(host, place);
  const all = namesIn(host, directory).map((name) => ({ name, ...readOne(joinPath(host.platform, directory, name)) }));
  const catalogues = all.flatMap(({ stored }) => (stored === undefined ? [] : [stored]));
  const misnamed = all.flatMap(({ name, stored }): Diagnostic[] => (stored === undefined || name === `${stored.catalogue.service.id}.json` ? [] : [{
    code: 'catalogue-invalid', severity: 'error', where: { path: stored.path }, message: `the file of the catalogue ${stored.catalogue.service.id} must have its name`, fix: `rename it to ${stored.catalogue.service.id}.json`,
  }]));
  const clashes = bindingClashes(catalogues).map((message): Diagnostic => ({
    code: 'catalogue-invalid', severity: 'error', where: { path: directory }, message, fix: 'leave the name in one of the two bindings',
  }));
  return { catalogues, diagnostics: [...all.flatMap(({ diagnostics }) => diagnostics), ...misnamed, ...clashes] };
}

export interface CompiledStore {
  readonly index: string | null;
  readonly services: number;
  readonly operations: number;
  /** What is in force afterwards lets more pass than before; by service. */
  readonly loosened: Readonly<Record<string, readonly string[]>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Puts the catalogues into force. A loosening is no silent change: without `allowLoosening` nothing is written. */
export function compileCatalogues(host: Host, place: StorePlace, engine: string, allowLoosening = false): CompiledStore {
  const { catalogues, diagnostics } = readCatalogues(host, place);
  const index = joinPath(host.platform, place.state, CONTRACT_FILE);
  const nothing = { index: null, services: 0, operations: 0, loosened: {} };
  if (diagnostics.length > 0) return { ...nothing, diagnostics };
  const before = compiledBefore(host, place);
  const loose = storeLoosenings([...before.values()], catalogues.map(({ catalogue }) => catalogue)).map((one) => ({ ...one, path: cataloguePath(host, place, one.service) }));
  if (loose.length > 0 && !allowLoosening) return { ...nothing, diagnostics: loose.map(looseningOf) };
  const loosened = Object.fromEntries([...new Set(loose.map(({ service }) => service))].map((service) => [service, loose.filter((one) => one.service === service).map(({ operation }) => operation)]));
  const compiled = joinPath(host.platform, place.state, COMPILED_DIRECTORY);
  const here = new Set(catalogues.map(({ catalogue }) => catalogue.service.id));
  if (catalogues.length === 0 && host.lstat(index) !== undefined) dropFile(host, index);
  for (const service of before.keys()) if (!here.has(service)) dropFile(host, joinPath(host.platform, compiled, `${service}.json`));
  if (catalogues.length === 0) return { ...nothing, loosened, diagnostics: [] };
  makeDirs(host, compiled, OWN_DIR_MODE);
  for (const { catalogue } of catalogues) putFile(host, joinPath(host.platform, compiled, `${catalogue.service.id}.json`), toBytes(JSON.stringify(catalogue)));
  putFile(host, index, encodeContracts(engine, catalogues));
  return { index, services: catalogues.length, operations: catalogues.reduce((n, { catalogue }) => n + catalogue.operations.length, 0), loosened, diagnostics: [] };
}

function looseningOf({ operation, text, path }: { readonly operation: string; readonly text: string; readonly path: string }): Diagnostic {
  return { code: 'catalogue-loosened', severity: 'error', where: { path }, message: `${operation}: ${text}`, fix: 'undo it, or confirm it: praetorctl contract lint --allow-loosening' };
}

/** The catalogues as they are in force. */
function compiledBefore(host: Host, place: StorePlace): ReadonlyMap<string, Catalogue> {
  const directory = joinPath(host.platform, place.state, COMPILED_DIRECTORY);
  return new Map(namesIn(host, directory).flatMap((name) => {
    const { stored } = readOne(joinPath(host.platform, directory, name));
    return stored === undefined ? [] : [[stored.catalogue.service.id, stored.catalogue] as const];
  }));
}

/** The catalogue of a service. Throws where it is missing or invalid. */
export function catalogueOf(host: Host, place: StorePlace, service: string): StoredCatalogue {
  const path = cataloguePath(host, place, service);
  if (host.stat(path) === undefined) throw new PraetorError({ code: 'usage', message: `there is no catalogue of ${service}`, fix: `praetorctl contract import ${service}` });
  const { stored, diagnostics } = readOne(path);
  if (stored === undefined) throw new PraetorError(diagnostics[0] ?? unreadable(path));
  return stored;
}

/** Written as a person would review it: one key a line. */
export function writeCatalogue(host: Host, place: StorePlace, catalogue: Catalogue): string {
  makeDirs(host, catalogueDirectory(host, place), OWN_DIR_MODE);
  const path = cataloguePath(host, place, catalogue.service.id);
  putFile(host, path, toBytes(`${JSON.stringify(catalogue, null, 2)}\n`));
  return path;
}
