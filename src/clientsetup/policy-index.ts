// Contract: the settings in force -> policy.idx, the file that the hook reads. What cannot be compiled changes nothing: what was
// in force stays in force. Reads and writes through the Host; the person's own document is read with its stamp (hook/).
import { checkPattern } from '../hook/patterns.ts';
import { INDEX_FILE, PENDING_FILE } from '../hook/settings-index.ts';
import { readStamped, type ReadText } from '../hook/settings-source.ts';
import type { Host } from '../host.ts';
import { PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { ABSENT_SIZE, type SourceStamp } from '../model/table.ts';
import { ENGINE_VERSION } from '../policy/build-info.ts';
import type { PolicyMeta } from '../policy/operator-index.ts';
import { rootContext } from '../roots/context.ts';
import type { OwnDirs } from '../roots/own-dirs.ts';
import { joinPath } from '../roots/paths.ts';
import { indexOf } from '../settings/bundle.ts';
import { compileEffective } from '../settings/compile.ts';
import type { LayerDocument } from '../settings/effective.ts';
import { digestOf, mergeLayers, type Merged } from '../settings/layers.ts';
import { chooseDocuments, loadSettings, readTextOf, type LoadedSettings, type SettingsChoice } from '../settings/load.ts';
import { dropFile, makeDirs, OWN_DIR_MODE, putFile } from './statefiles.ts';

export interface CompiledIndex {
  /** undefined: there is no settings document, or it cannot be compiled. */
  readonly bytes: Uint8Array | undefined;
  /** The person's own document; null: there is none. */
  readonly source: string | null;
  readonly digest: string | null;
  readonly rules: number;
  readonly evaluators: number;
  /** With errors nothing may be written. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface PolicyIndex extends Omit<CompiledIndex, 'bytes'> {
  /** null: there is no settings document, so there is no index; or nothing was written. */
  readonly index: string | null;
}

function readOwn(path: string, bytesMax: number): ReadText & { readonly text: string } {
  let read: ReadText | undefined;
  try {
    read = readStamped(path, bytesMax);
  } catch { /* said below */ }
  if (read?.text !== undefined) return { stamp: read.stamp, text: read.text };
  throw new PraetorError({ code: 'settings-unreadable', where: { path }, message: 'the settings file is not a readable text file of at most 4 MiB', fix: 'correct it, then run: praetorctl policy compile' });
}

/** What cannot be read at all is said like what is wrong in it. */
function loadOrSay(...given: Parameters<typeof loadSettings>): LoadedSettings {
  try {
    return loadSettings(...given);
  } catch (error) {
    if (error instanceof PraetorError) return { ok: false, diagnostics: [error.diagnostic] };
    throw error;
  }
}

/** Writes nothing. */
export function compilePolicyIndex(host: Host, configDir: string, choice: SettingsChoice): CompiledIndex {
  const own = chooseDocuments(host, configDir, choice).find(({ isOwn }) => isOwn)?.path ?? '';
  const nothing = { bytes: undefined, source: own, digest: null, rules: 0, evaluators: 0 };
  let seen: ReturnType<typeof readOwn> | undefined;
  const loaded = loadOrSay(host, configDir, choice, (path, bytesMax) => (path === own ? (seen = readOwn(path, bytesMax)).text : readTextOf(host)(path, bytesMax)));
  if (!loaded.ok) return { ...nothing, diagnostics: loaded.diagnostics };
  if (loaded.merged.documents.length === 0) return { ...nothing, source: null, diagnostics: [] };
  const absent: SourceStamp = { path: own, size: ABSENT_SIZE, mtimeNs: '', ctimeNs: '', ino: '' };
  return compileMerged(host, loaded.merged, seen?.stamp ?? absent, seen?.text, loaded.path);
}

function compileMerged(host: Host, merged: Merged, stamp: SourceStamp, ownText: string | undefined, source: string | null): CompiledIndex {
  const sha256 = (text: string): string => host.sha256(text);
  const others = merged.documents.filter(({ isOwn }) => !isOwn);
  // A document that stands alone keeps the digest of its text.
  const digest = others.length === 0 && ownText !== undefined ? sha256(ownText).slice(0, 16) : digestOf(merged, sha256);
  const result = compileEffective(merged, { path: stamp.path, digest }, { checkPattern, sha256, platform: host.platform, home: rootContext(host).home });
  if (!result.ok) return { bytes: undefined, source, digest: null, rules: 0, evaluators: 0, diagnostics: result.diagnostics };
  const { meta, rules, bytes, diagnostics } = indexOf(result.compiled, ENGINE_VERSION, [stamp], beneath(others));
  return { bytes, source, digest, rules: rules.length, evaluators: meta.evaluators.length, diagnostics };
}

/** They were merged with the person's own document, so they can be merged without it. */
function beneath(documents: readonly LayerDocument[]): PolicyMeta['beneath'] {
  const result = documents.length === 0 ? undefined : mergeLayers(documents);
  if (result?.ok !== true) return undefined;
  const { packs, rules } = result.merged.settings.hooks.command_policy;
  return { packs, rules, files: documents.map(({ path }) => path) };
}

/** Compiles the settings in force into the file that the hook reads. Without any document the file goes. */
export function refreshPolicyIndex(host: Host, dirs: Pick<OwnDirs, 'state' | 'config'>, choice: SettingsChoice): PolicyIndex {
  const { bytes, ...compiled } = compilePolicyIndex(host, dirs.config, choice);
  const index = joinPath(host.platform, dirs.state, INDEX_FILE);
  const pending = joinPath(host.platform, dirs.state, PENDING_FILE);
  if (bytes === undefined) {
    if (compiled.diagnostics.length === 0) for (const path of [index, pending]) if (host.lstat(path) !== undefined) dropFile(host, path);
    return { index: null, ...compiled };
  }
  makeDirs(host, dirs.state, OWN_DIR_MODE);
  putFile(host, index, bytes);
  if (host.lstat(pending) !== undefined) dropFile(host, pending);
  return { index, ...compiled };
}
