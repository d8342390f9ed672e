// Contract: the settings that are in force for one call, from the compiled files where they are fresh. IO, two file looks where
// there are no settings. What is stale, missing, damaged or of another format is read from its source (settings-source.ts, a
// bundle of its own), and nothing that happens here can loosen: see docs/settings.md, "What is in force".
import type { BigIntStats } from 'node:fs';
import type { EnvMap } from '../model/dialect.ts';
import type { Verdict } from '../model/verdict.ts';
import { ABSENT_SIZE } from '../model/table.ts';
import type { OperatorRule, OperatorRules } from '../policy/operator.ts';
import { NO_CONTRACT_SETTINGS, type ContractSettings } from '../policy/operator-index.ts';
import type { LevelFloor, PolicySettings } from '../policy/pack.ts';
import { below } from '../roots/own-dirs.ts';
import { lookAt, openIndex, sameStamp, stampOf, type PolicyDocument } from './index-reader.ts';
import { hasOperatorDocuments } from './operator-documents.ts';
import { NO_SETTINGS, type HookSettings, type SettingsState } from './settings-types.ts';

export const INDEX_FILE = 'policy.idx';
/** Written by a hook that had to read the source; `policy compile` and `clients apply` remove it. */
export const PENDING_FILE = 'policy.pending.idx';
export const WORKSPACE_FILE = '.praetorctl/settings.yaml';
export const WORKSPACE_LEVELS_MAX = 40;

export interface SettingsPlace {
  readonly platform: string;
  readonly env: EnvMap;
  readonly home: string | undefined;
  readonly state: string | undefined;
  readonly config: string | undefined;
}

/** Reads a document as text. */
export interface SourceReader {
  readonly operatorDocument: (place: SettingsPlace, path: string) => PolicyDocument;
  readonly workspaceDocument: (place: SettingsPlace, path: string, cache: string | undefined) => PolicyDocument;
}

/** What is loaded only where a source has to be read, or a pattern has to run. */
export interface SettingsParts {
  readonly reader: () => SourceReader;
  readonly matches: (pattern: string, text: string) => boolean;
}

/** What cannot be looked at counts as gone: what was compiled stays in force. */
function seen(path: string): BigIntStats | undefined {
  try {
    return lookAt(path);
  } catch {
    return undefined;
  }
}

function isFresh({ meta }: PolicyDocument): boolean {
  for (const source of meta.sources) {
    const stat = seen(source.path);
    if (stat === undefined ? source.size !== ABSENT_SIZE : !sameStamp(source, stampOf(source.path, stat))) return false;
  }
  return true;
}

interface Layers {
  /** What is in force in full. */
  readonly base: PolicyDocument | undefined;
  /** The changed source of `base`: only what it tightens. */
  readonly newer: PolicyDocument | undefined;
  readonly state: SettingsState;
  readonly problem: Verdict | undefined;
}

const NONE: Layers = { base: undefined, newer: undefined, state: '', problem: undefined };

function invalid(what: string): Layers {
  const reason = `The operator's settings cannot be read (${what}), so a person must confirm. Ask the person to run: praetorctl policy compile`;
  return { base: undefined, newer: undefined, state: 'invalid', problem: { decision: 'ask', rule: 'settings.invalid', reason } };
}

function operatorLayers(place: SettingsPlace, reader: () => SourceReader): Layers {
  const compiled = place.state === undefined ? 'missing' : openIndex(below(place.platform, place.state, INDEX_FILE));
  if (typeof compiled === 'string') {
    // The person's own document says nothing of what others wrote, so it cannot stand in for them.
    if (hasOperatorDocuments(place)) return invalid('those of the operator are not compiled');
    const path = place.config === undefined ? undefined : below(place.platform, place.config, 'settings.yaml');
    try {
      if (path === undefined || lookAt(path) === undefined) return compiled === 'missing' ? NONE : invalid('the compiled form is damaged and its source is gone');
    } catch {
      return invalid('the document cannot be looked at');
    }
    const source = reader().operatorDocument(place, path);
    return source.meta.problem === '' ? { base: source, newer: undefined, state: 'source', problem: undefined } : invalid(source.meta.problem);
  }
  if (isFresh(compiled)) return { base: repairing(compiled, place, reader), newer: undefined, state: '', problem: undefined };
  const path = compiled.meta.sources[0]?.path;
  if (path === undefined || seen(path) === undefined) return { base: compiled, newer: undefined, state: 'stale', problem: undefined };
  const source = reader().operatorDocument(place, path);
  return { base: compiled, newer: source.meta.problem === '' ? source : undefined, state: 'stale', problem: undefined };
}

/** An index whose rows turn out to be damaged is answered from its source; where that fails too, the call is refused. */
function repairing(document: PolicyDocument, place: SettingsPlace, reader: () => SourceReader): PolicyDocument {
  let source: PolicyDocument | undefined;
  return {
    meta: document.meta,
    rowsFor: (program) => {
      if (source !== undefined) return source.rowsFor(program);
      try {
        return document.rowsFor(program);
      } catch (error) {
        const path = document.meta.sources[0]?.path;
        // Where other documents are compiled in, the person's own is not the whole source.
        if (path === undefined || document.meta.beneath !== undefined) throw error;
        source = reader().operatorDocument(place, path);
        if (source.meta.problem !== '') throw error;
        return source.rowsFor(program);
      }
    },
  };
}

// ---- the workspace's own documents ----

interface WorkspaceLayers { readonly documents: readonly PolicyDocument[]; readonly problem: Verdict | undefined }

function broken(what: string): Verdict {
  const reason = `The workspace's ${WORKSPACE_FILE} cannot be read (${what}), so a person must confirm. Ask the person to correct or remove it.`;
  return { decision: 'ask', rule: 'settings.workspace', reason };
}

/** The workspace's document and those of the directories above it, up to the home directory: a `cd` must not lose them. */
function workspaceLayers(place: SettingsPlace, workspace: string, reader: () => SourceReader): WorkspaceLayers {
  const documents: PolicyDocument[] = [];
  let problem: Verdict | undefined;
  let directory = workspace;
  for (let level = 0; level < WORKSPACE_LEVELS_MAX; level++) {
    if (directory === place.home) break;
    try {
      const path = `${directory === '/' ? '' : directory}/${WORKSPACE_FILE}`;
      const stat = lookAt(path);
      if (stat !== undefined) documents.push(workspaceDocument(place, path, stat, reader));
    } catch {
      problem ??= broken('it is not a readable file');
    }
    const cut = Math.max(directory.lastIndexOf('/'), place.platform === 'win32' ? directory.lastIndexOf('\\') : -1);
    if (cut < 0 || directory === '/') break;
    directory = cut === 0 ? '/' : directory.slice(0, cut);
  }
  for (const { meta } of documents) if (meta.problem !== '') problem ??= broken(meta.problem);
  return { documents, problem };
}

function workspaceDocument(place: SettingsPlace, path: string, stat: BigIntStats, reader: () => SourceReader): PolicyDocument {
  const cache = place.state === undefined ? undefined : workspaceCache(place.platform, place.state, path);
  const compiled = cache === undefined ? 'missing' : openIndex(cache);
  if (typeof compiled !== 'string') {
    const [stamp] = compiled.meta.sources;
    if (stamp !== undefined && sameStamp(stamp, stampOf(path, stat))) return compiled;
  }
  return reader().workspaceDocument(place, path, cache);
}

/** One file for each path; two paths of one name only cost a compilation each time. */
export function workspaceCache(platform: string, state: string, path: string): string {
  let a = 0x811c9dc5;
  let b = 0x2f0b4c47;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x01000193) ^ (b >>> 11);
  }
  const hex = (n: number): string => ((n >>> 0) + 0x100000000).toString(16).slice(1);
  return below(platform, below(platform, state, 'workspaces'), `${hex(a)}${hex(b)}.idx`);
}

// ---- layers ----

const without = (rule: OperatorRule): string => JSON.stringify({ ...rule, source: '' });

/** Rows of all layers: a newer source adds what stops and takes exceptions away, but never gives one. */
function rowsOf(program: string, layers: Layers, workspaces: readonly PolicyDocument[]): readonly OperatorRule[] {
  const read = (document: PolicyDocument): readonly OperatorRule[] => {
    const star = document.rowsFor('');
    return program === '' ? star : star.length === 0 ? document.rowsFor(program) : [...document.rowsFor(program), ...star];
  };
  let rows = layers.base === undefined ? [] : read(layers.base);
  if (layers.newer !== undefined) {
    const newer = read(layers.newer);
    const now = new Set(newer.map(without));
    const before = new Set(rows.map(without));
    // Where there are other documents, exceptions are theirs alone.
    const keeps = layers.base?.meta.beneath !== undefined;
    rows = [...rows.filter((rule) => rule.decision !== 'allow' || keeps || now.has(without(rule))), ...newer.filter((rule) => rule.decision !== 'allow' && !before.has(without(rule)))];
  }
  return workspaces.length === 0 ? rows : [...rows, ...workspaces.flatMap(read)];
}

function policyOf({ base, newer }: Layers, workspaces: readonly PolicyDocument[]): PolicySettings | undefined {
  if (base === undefined && workspaces.length === 0) return undefined;
  const floors: LevelFloor[] = workspaces.map(({ meta }) => ({ packs: meta.packs, rules: meta.rules, unnamed: 'nothing' }));
  if (newer !== undefined) {
    const beneath = base?.meta.beneath;
    floors.push({ packs: { ...beneath?.packs, ...newer.meta.packs }, rules: { ...beneath?.rules, ...newer.meta.rules }, unnamed: 'own' });
  }
  const mode = base?.meta.mode === 'strict' || newer?.meta.mode === 'strict' ? 'strict' : 'default';
  return { mode, packs: base?.meta.packs ?? {}, rules: base?.meta.rules ?? {}, ...(floors.length === 0 ? {} : { atLeast: floors }) };
}

const TIERS = ['none', 'unsafe', 'all'] as const;

/** A changed source can only raise what was compiled. */
function contractOf({ base, newer }: Layers): ContractSettings {
  const old = base?.meta.contract ?? NO_CONTRACT_SETTINGS;
  const next = newer?.meta.contract ?? old;
  return {
    floor: TIERS[Math.max(TIERS.indexOf(old.floor), TIERS.indexOf(next.floor))] ?? 'all', unlisted: old.unlisted === 'deny' ? old.unlisted : next.unlisted,
    evidence: old.evidence.filter((kind) => next.evidence.includes(kind)),
  };
}

/** Settings for a call in a workspace. */
export function readSettings(place: SettingsPlace, workspace: string | undefined, { reader, matches }: SettingsParts): HookSettings {
  const layers = operatorLayers(place, reader);
  const own = workspace === undefined ? undefined : workspaceLayers(place, workspace, reader);
  const documents = own?.documents ?? [];
  const policy = policyOf(layers, documents);
  const problem = layers.problem ?? own?.problem;
  if (policy === undefined) return problem === undefined && layers.state === '' ? NO_SETTINGS : { ...NO_SETTINGS, state: layers.state, problem };
  const all = [layers.base, layers.newer, ...documents].filter((document) => document !== undefined);
  const known = new Map<string, readonly OperatorRule[]>();
  const operator: OperatorRules | undefined = all.every(({ meta }) => meta.rows === 0) ? undefined : {
    digest: layers.base?.meta.digest ?? '',
    matches,
    rulesFor: (program) => {
      let rows = known.get(program);
      if (rows === undefined) known.set(program, rows = rowsOf(program, layers, documents));
      return rows;
    },
  };
  // What is written down about the guard is guarded itself: the documents, and the operator's own scripts.
  const files = all.flatMap(({ meta }) => [...meta.sources.map((source) => source.path), ...meta.beneath?.files ?? [], ...meta.evaluators.filter(({ inWorkspace }) => !inWorkspace).map(({ script }) => script)]);
  const evaluators = [...(layers.base?.meta.evaluators ?? [])];
  for (const added of layers.newer?.meta.evaluators ?? []) if (!evaluators.some(({ id }) => id === added.id)) evaluators.push(added);
  return { policy, operator, evaluators, contract: contractOf(layers), files, state: layers.state, problem };
}
