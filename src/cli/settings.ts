// Contract: `praetorctl settings check | show | explain <key>`: which documents are in force, what they say together, and where
// each value was written. Reads only. Exit 0; 1 where documents contradict each other or cannot be read; 64 where one is invalid.
import { compilePolicyIndex } from '../clientsetup/policy-index.ts';
import { ownDirsOf } from '../clientsetup/survey.ts';
import { openIndex } from '../hook/index-reader.ts';
import { INDEX_FILE } from '../hook/settings-index.ts';
import type { Host } from '../host.ts';
import { EXIT, PraetorError, exitFor, type Diagnostic } from '../model/diagnostic.ts';
import { rootContext } from '../roots/context.ts';
import { joinPath } from '../roots/paths.ts';
import { WORKSPACE_DOCUMENT } from '../settings/compile.ts';
import { digestOf, mergeLayers, type Merged } from '../settings/layers.ts';
import { chooseDocuments, loadSettings, workspaceDocuments } from '../settings/load.ts';
import { explained, shownValues, type Explanation, type ShownValue } from '../settings/provenance.ts';
import { styleFor, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { settingsChoice } from './settings-options.ts';
import { renderCheck, renderExplanation, renderValues } from './settings-view.ts';
import type { Style } from './style.ts';

/** A document that is in force, and what selected it. */
export interface ShownDocument { readonly layer: string; readonly path: string; readonly by: string }

interface Loaded {
  readonly documents: readonly ShownDocument[];
  readonly merged: Merged | undefined;
  readonly digest: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

function withWorkspace(host: Host, home: string | undefined, merged: Merged): { merged: Merged | undefined; diagnostics: readonly Diagnostic[] } {
  const found = workspaceDocuments(host, home);
  if (found.documents.length === 0) return { merged, diagnostics: found.diagnostics };
  const result = mergeLayers([...merged.documents, ...found.documents]);
  return result.ok ? { merged: result.merged, diagnostics: found.diagnostics } : { merged: undefined, diagnostics: [...found.diagnostics, ...result.diagnostics] };
}

function load(context: CommandContext): Loaded {
  const { host } = context.io;
  const root = rootContext(host);
  const { config } = ownDirsOf(host, root);
  const choice = settingsChoice(context.options);
  const chosen = chooseDocuments(host, config, choice).filter(({ path, mayMiss }) => !mayMiss || host.lstat(path) !== undefined);
  const documents = chosen.map(({ layer, path, by }) => ({ layer, path, by }));
  const loaded = loadSettings(host, config, choice);
  if (!loaded.ok) return { documents, merged: undefined, digest: null, diagnostics: loaded.diagnostics };
  const all = withWorkspace(host, root.home, loaded.merged);
  const workspaces = (all.merged?.documents ?? []).filter(({ layer }) => layer === 'workspace');
  return {
    documents: [...documents, ...workspaces.map(({ layer, path }) => ({ layer, path, by: `its place (${WORKSPACE_DOCUMENT})` }))],
    merged: all.merged, digest: digestOf(loaded.merged, (text) => host.sha256(text)), diagnostics: all.diagnostics,
  };
}

const styleOf = ({ io, global }: CommandContext): Style => styleFor(io, global, rootContext(io.host).home);

/** Whether what the hook reads was compiled from exactly these documents. */
function isCompiled(host: Host, state: string, digest: string | null): boolean {
  const index = openIndex(joinPath(host.platform, state, INDEX_FILE));
  return typeof index === 'string' ? index === 'missing' && digest === null : index.meta.digest === digest;
}

export function settingsCheck(context: CommandContext): Outcome {
  const { host } = context.io;
  const { documents, digest, diagnostics } = load(context);
  const { config, state } = ownDirsOf(host, rootContext(host));
  const compiled = compilePolicyIndex(host, config, settingsChoice(context.options));
  // What is wrong with the documents themselves is said by both.
  const more = compiled.diagnostics.filter((one) => !diagnostics.some((other) => other.message === one.message && other.where?.line === one.where?.line));
  const all = [...diagnostics, ...more];
  const ok = !all.some(({ severity }) => severity === 'error');
  const inForce = ok && isCompiled(host, state, compiled.digest);
  return { exit: exitFor(all), kind: 'settings-check', body: { documents, digest, inForce }, text: ok ? renderCheck(styleOf(context), documents, digest, inForce) : '', diagnostics: all, wrote: false };
}

/** What is shown needs documents that go together. */
function needed({ merged, diagnostics }: Loaded): Merged {
  if (merged !== undefined) return merged;
  throw new PraetorError(diagnostics[0] ?? { code: 'settings-invalid', message: 'the settings are invalid', fix: 'praetorctl settings check' });
}

export function settingsShow(context: CommandContext): Outcome {
  const loaded = load(context);
  const values: readonly ShownValue[] = shownValues(needed(loaded));
  const { documents, digest, diagnostics } = loaded;
  return { exit: EXIT.ok, kind: 'settings-show', body: { documents, digest, values }, text: renderValues(styleOf(context), values, context.global.verbose), diagnostics, wrote: false };
}

export function settingsExplain(context: CommandContext): Outcome {
  const loaded = load(context);
  const explanations: readonly Explanation[] = explained(needed(loaded), context.args[0] ?? '');
  return { exit: EXIT.ok, kind: 'settings-explain', body: { key: context.args[0] ?? '', keys: explanations }, text: renderExplanation(styleOf(context), explanations), diagnostics: loaded.diagnostics, wrote: false };
}
