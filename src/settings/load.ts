// Contract: which settings documents are in force, read through the Host and merged. A document that is selected must exist and
// say something; only the person's own at its usual place may be missing. Nothing is looked for anywhere else.
import { hostErrorCode, type Host } from '../host.ts';
import type { Platform } from '../model/client.ts';
import { PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { dataDirOf, readInstallRecord, versionDir, type InstallRecord } from '../roots/install-record.ts';
import { dirOf, isAbsolutePath, joinPath } from '../roots/paths.ts';
import { WORKSPACE_DOCUMENT, WORKSPACE_KIND } from './compile.ts';
import { readDocument, type DocumentKind } from './document.ts';
import { layerDocument, type LayerDocument } from './effective.ts';
import { mergeLayers, type Merged } from './layers.ts';
import { layerWords, type LayerName } from './merge-rules.ts';
import { parseSettings, SETTINGS_KIND } from './parse.ts';
import { SETTINGS_BYTES_MAX, type Settings } from './schema.ts';

/** Of a fleet, an organisation, or what the operator wrote for one workstation. */
export const OPERATOR_CHARS_MAX = 256 * 1024;
/** Directories above the current one that are looked at for a workspace's documents, as in a hook. */
const WORKSPACE_LEVELS_MAX = 40;
const OPERATOR_BYTES_MAX = OPERATOR_CHARS_MAX * 3;

/** What a command line names; the rest comes from the environment and the installation. */
export interface SettingsChoice {
  readonly settings?: string | undefined;
  readonly fleet?: string | undefined;
  readonly organisation?: string | undefined;
  /** Directory of a version whose documents are looked at instead of those of the current one. */
  readonly version?: string | undefined;
}

/** A document that is selected, and what selected it. */
export interface ChosenDocument { readonly layer: LayerName; readonly path: string; readonly isOwn: boolean; readonly by: string; readonly mayMiss: boolean }

export type LoadedSettings =
  | { readonly ok: true; readonly settings: Settings; /** The person's own document; null: there is none. */ readonly path: string | null; readonly merged: Merged }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads one document; where it throws, the document cannot be read. */
export type ReadText = (path: string, bytesMax: number) => string;

const OPERATOR_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export interface OperatorDocuments { readonly directory: string; readonly fleet: string; readonly organisation: string | undefined; readonly workstation: string | undefined }

/** Where the operator's documents stand in a version: the record says which of them are this workstation's. PURE. */
export function operatorDocuments(platform: Platform, record: Pick<InstallRecord, 'org' | 'name'>, version: string): OperatorDocuments {
  const directory = joinPath(platform, version, 'operator');
  const file = (kind: string, name: string | null): string | undefined => {
    if (name === null) return undefined;
    if (!OPERATOR_NAME.test(name)) throw new PraetorError({ code: 'state-damaged', message: `the installation names ${kind} that cannot be a file's name`, fix: 'praetorctl workstation install with a name of letters, digits, ".", "_" and "-"' });
    return joinPath(platform, directory, kind, `${name}.yaml`);
  };
  return { directory, fleet: joinPath(platform, directory, 'fleet.yaml'), organisation: file('orgs', record.org), workstation: file('workstations', record.name) };
}

/** Nothing where no workstation is installed, or its version holds no documents of an operator. */
function installedDocuments(host: Host, choice: SettingsChoice): OperatorDocuments | undefined {
  let data: string;
  try {
    data = dataDirOf(host);
  } catch (error) {
    if (error instanceof PraetorError && error.diagnostic.code === 'no-home') return undefined;
    throw error;
  }
  const record = readInstallRecord(host, data);
  if (record === undefined) return undefined;
  const found = operatorDocuments(host.platform, record, choice.version ?? versionDir(host.platform, data, record.current));
  return host.stat(found.directory)?.kind === 'dir' ? found : undefined;
}

/** Weakest first. A flag wins over the environment, which wins over the installation. */
export function chooseDocuments(host: Host, configDir: string, choice: SettingsChoice): readonly ChosenDocument[] {
  const named = (flag: string | undefined, variable: string): string | undefined => {
    const value = flag ?? host.env[variable];
    return value === undefined || value === '' ? undefined : absolute(host, value);
  };
  const fleet = named(choice.fleet, 'PRAETORCTL_FLEET_SETTINGS');
  const organisation = named(choice.organisation, 'PRAETORCTL_ORG_SETTINGS');
  const installed = installedDocuments(host, choice);
  const chosen = (layer: LayerName, path: string | undefined, by: string): ChosenDocument[] => (path === undefined ? [] : [{ layer, path, isOwn: false, by, mayMiss: false }]);
  const station = installed?.workstation;
  return [
    ...chosen('fleet', fleet ?? installed?.fleet, fleet === undefined ? 'the installation' : '--fleet-settings or PRAETORCTL_FLEET_SETTINGS'),
    ...chosen('organisation', organisation ?? installed?.organisation, organisation === undefined ? 'the installation' : '--org-settings or PRAETORCTL_ORG_SETTINGS'),
    ...(station !== undefined && host.lstat(station) !== undefined ? chosen('workstation', station, 'the installation') : []),
    { layer: 'workstation', path: choice.settings === undefined ? joinPath(host.platform, configDir, 'settings.yaml') : absolute(host, choice.settings), isOwn: true, by: choice.settings === undefined ? 'its place' : '--settings', mayMiss: choice.settings === undefined },
  ];
}

function absolute(host: Host, path: string): string {
  return isAbsolutePath(host.platform, path) ? path : joinPath(host.platform, host.cwd, path);
}

/** Through the Host. */
export function readTextOf(host: Host): ReadText {
  return (path, bytesMax) => new TextDecoder('utf-8', { fatal: true }).decode(host.readFile(path, bytesMax));
}

function wordsOf({ layer, isOwn }: ChosenDocument): string {
  return isOwn ? 'the settings file' : layerWords(layer);
}

function unreadable(chosen: ChosenDocument, message: string, fix: string, cause?: unknown): PraetorError {
  return new PraetorError({ code: 'settings-unreadable', where: { path: chosen.path }, message, fix }, cause);
}

/** The text of a document; undefined where it may be missing and is. */
function textOf(host: Host, chosen: ChosenDocument, read: ReadText): string | undefined {
  const { path, isOwn } = chosen;
  if (host.stat(path) === undefined) {
    if (chosen.mayMiss && host.lstat(path) === undefined) return undefined;
    throw unreadable(chosen, `${wordsOf(chosen)} ${isOwn ? 'does' : 'do'} not exist`, isOwn ? 'name an existing file with --settings, or leave the option out' : `selected by ${chosen.by}: name an existing file, or do not select one`);
  }
  try {
    return read(path, isOwn ? SETTINGS_BYTES_MAX : OPERATOR_BYTES_MAX);
  } catch (error) {
    if (error instanceof PraetorError) throw error;
    // A decoder fails without the code of a system call.
    if (error instanceof TypeError && hostErrorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new PraetorError({ code: 'settings-invalid', where: { path }, message: `${wordsOf(chosen)} ${isOwn ? 'is' : 'are'} not UTF-8`, fix: 'save it as UTF-8' }, error);
    throw unreadable(chosen, `${wordsOf(chosen)} cannot be read`, `check that it is a regular file of at most ${isOwn ? '4 MiB' : '256 KiB'} and that you may read it`, error);
  }
}

function kindOf(layer: LayerName): DocumentKind<Settings> {
  return { ...SETTINGS_KIND, charsMax: OPERATOR_CHARS_MAX, name: layerWords(layer), fix: `correct ${layerWords(layer)}; their schema is schemas/settings-${layer}.schema.json` };
}

type ReadLayer = { readonly ok: true; readonly document: LayerDocument } | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** One document by itself. */
export function readLayer(chosen: ChosenDocument, text: string): ReadLayer {
  const { layer, path, isOwn } = chosen;
  if (isOwn) {
    const parsed = parseSettings(path, text);
    return parsed.ok ? { ok: true, document: layerDocument(path, parsed.document, layer) } : parsed;
  }
  const result = readDocument(kindOf(layer), path, text);
  if (!result.ok) return result;
  if (Object.keys(result.document.written).length === 0) {
    return { ok: false, diagnostics: [{ code: 'settings-invalid', severity: 'error', where: { path }, message: `${layerWords(layer)} are selected by ${chosen.by} and say nothing`, fix: 'give the document a section (clients, hooks, contract, update or mcpServers), or do not select it' }] };
  }
  return { ok: true, document: layerDocument(path, result.document, layer, false) };
}

/** Documents of the current directory and of those above it, up to the home directory, the outermost first: as a hook finds them. */
export function workspaceDocuments(host: Host, home: string | undefined): { documents: readonly LayerDocument[]; diagnostics: readonly Diagnostic[] } {
  const documents: LayerDocument[] = [];
  const diagnostics: Diagnostic[] = [];
  let directory = host.cwd;
  for (let level = 0; level < WORKSPACE_LEVELS_MAX && directory !== home; level++) {
    const path = joinPath(host.platform, directory, WORKSPACE_DOCUMENT);
    if (host.stat(path) !== undefined) {
      const text = textOf(host, { layer: 'workspace', path, isOwn: false, by: 'its place', mayMiss: false }, readTextOf(host));
      const result = readDocument(WORKSPACE_KIND, path, text ?? '');
      if (result.ok) documents.unshift(layerDocument(path, result.document, 'workspace', false));
      else diagnostics.push(...result.diagnostics);
    }
    const above = dirOf(host.platform, directory);
    if (above === directory) break;
    directory = above;
  }
  return { documents, diagnostics };
}

/** Loads and merges what is selected. A broken document is an error, never the defaults. */
export function loadSettings(host: Host, configDir: string, choice: SettingsChoice, read: ReadText = readTextOf(host)): LoadedSettings {
  const documents: LayerDocument[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const chosen of chooseDocuments(host, configDir, choice)) {
    const text = textOf(host, chosen, read);
    if (text === undefined) continue;
    const result = readLayer(chosen, text);
    if (result.ok) documents.push(result.document);
    else diagnostics.push(...result.diagnostics);
  }
  if (diagnostics.length > 0) return { ok: false, diagnostics };
  const result = mergeLayers(documents);
  if (!result.ok) return result;
  return { ok: true, settings: result.merged.settings, path: documents.find(({ isOwn }) => isOwn)?.path ?? null, merged: result.merged };
}
