// Contract: the operator's settings documents as they are committed: each valid by itself, and none of an organisation or a workstation
// at odds with the fleet's. A fork with a document that no workstation would take is not promoted. Reads only.
import type { Diagnostic } from '../model/diagnostic.ts';
import { valueAt } from '../model/json.ts';
import type { LayerDocument } from '../settings/effective.ts';
import { mergeLayers } from '../settings/layers.ts';
import { readLayer } from '../settings/load.ts';
import type { LayerName } from '../settings/merge-rules.ts';
import { treeOf } from './fork-repo.ts';
import { OWNER_FILE_BYTES_MAX, OWNER_FILES_MAX, OWNER_PREFIX, ownerEntries, type Finding } from './fork-tree.ts';
import { gitBlobs, type GitPlace } from './git.ts';

const LAYER_OF: readonly (readonly [RegExp, LayerName])[] = [[/^fleet\.yaml$/, 'fleet'], [/^orgs\/[^/]+\.yaml$/, 'organisation'], [/^workstations\/[^/]+\.yaml$/, 'workstation']];

const finding = ({ where, message }: Diagnostic): Finding => ({ rule: 'settings', path: where?.path ?? null, text: where?.line === undefined ? message : `line ${where.line}: ${message}` });

export interface ForkSettings { readonly findings: readonly Finding[]; readonly autoPromote: 'off' | 'verified' }

export function settingsAt(place: GitPlace, commit: string): ForkSettings {
  const named = ownerEntries(treeOf(place, commit)).slice(0, OWNER_FILES_MAX).flatMap(({ path, id, mode, size }) => {
    const layer = LAYER_OF.find(([shape]) => shape.test(path.slice(OWNER_PREFIX.length + 1)))?.[1];
    return layer === undefined || !mode.startsWith('100') || size > OWNER_FILE_BYTES_MAX ? [] : [{ path, id, layer }];
  });
  const texts = gitBlobs(place, named.map(({ id }) => id), OWNER_FILES_MAX * (OWNER_FILE_BYTES_MAX + 64)).map((bytes) => Buffer.from(bytes).toString('utf8'));
  const documents: LayerDocument[] = [];
  let autoPromote: ForkSettings['autoPromote'] = 'off';
  const alone = named.flatMap(({ path, layer }, i): readonly Diagnostic[] => {
    const read = readLayer({ layer, path, isOwn: false, by: 'the installation', mayMiss: false }, texts[i] ?? '');
    if (!read.ok) return read.diagnostics;
    documents.push(read.document);
    if (layer === 'fleet' && valueAt(read.document.written, ['update', 'auto_promote']) === 'verified') autoPromote = 'verified';
    return [];
  });
  const fleet = documents.filter(({ layer }) => layer === 'fleet');
  const above = documents.filter(({ layer }) => layer !== 'fleet');
  const together = [fleet, ...above.map((one) => [...fleet, one])].flatMap((layers) => { const merged = mergeLayers(layers); return merged.ok ? [] : merged.diagnostics; });
  const found = [...alone, ...together].filter(({ severity }) => severity === 'error').map(finding);
  return { findings: found.filter((one, i) => found.findIndex((other) => other.path === one.path && other.text === one.text) === i), autoPromote };
}
