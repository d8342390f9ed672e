// Contract: one rule for every key of the settings: which documents may hold it, and what becomes of it where several do. The
// merge, the schemas of the documents, the table in docs/settings.md and the tests are made from this one table. PURE.
import { isObject, valueAt, type JsonObject } from '../model/json.ts';
import { EVALUATORS_MAX, RULES_MAX } from './command-policy.ts';
import { SERVERS_MAX } from './schema.ts';

/** Weakest first. Built-in defaults are no layer: the first document that names a key may choose either way. */
export const LAYERS = ['fleet', 'organisation', 'workstation', 'workspace'] as const;
export type LayerName = (typeof LAYERS)[number];

/**
 * replace: the last document wins. tighten: a later document may only be as strict or stricter. append: what the documents name
 * together, each thing once. conflict: two documents that say different things are an error.
 */
export type MergeKind = 'replace' | 'tighten' | 'append' | 'conflict';

/** How strict a value is: steps, the weakest first, each a list of values that are as strict as each other. */
export type Steps = readonly (readonly (string | boolean)[])[];

export interface KeyRule {
  /** Steps in `<>` stand for any key. */
  readonly key: string;
  readonly merge: MergeKind;
  readonly layers: readonly LayerName[];
  /** `tighten`: what is stricter. `shorter`: a duration. `fewer`: a list. */
  readonly stricter?: Steps | 'shorter' | 'fewer';
  /** Bound over the merged list, or over the names in `<>`. */
  readonly itemsMax?: number;
  /** `append` of objects with an `id`: the same id with another content is a conflict. */
  readonly byId?: boolean;
  /** Where the person's document stands alone, it may hold the key too. */
  readonly aloneToo?: boolean;
  /** Parts of the value ('' is the whole) that must be literal and must not name an absolute place outside the workstation's documents. */
  readonly literal?: readonly string[];
  /** Why, where the rule alone does not say it. */
  readonly note?: string;
}

const ALL: readonly LayerName[] = LAYERS;
const OPERATOR: readonly LayerName[] = ['fleet', 'organisation', 'workstation'];
const HOST: readonly LayerName[] = ['workstation'];
const LEVELS: Steps = [['off'], ['ask'], ['deny']];

export const KEY_RULES: readonly KeyRule[] = [
  { key: 'clients.selected', merge: 'append', layers: OPERATOR, note: 'a later document adds clients and takes none away' },
  { key: 'clients.selected.<client>.required', merge: 'tighten', layers: OPERATOR, stricter: [[false], [true]] },
  { key: 'clients.places.<client>', merge: 'replace', layers: HOST, note: 'an absolute place is a matter of one machine' },
  { key: 'clients.verified_max_age', merge: 'tighten', layers: OPERATOR, stricter: 'shorter' },
  { key: 'hooks.events', merge: 'append', layers: OPERATOR },
  { key: 'hooks.command_policy.mode', merge: 'tighten', layers: OPERATOR, stricter: [['default'], ['strict']] },
  { key: 'hooks.command_policy.packs.<pack>', merge: 'tighten', layers: ALL, stricter: LEVELS },
  { key: 'hooks.command_policy.rules.<rule>', merge: 'tighten', layers: ALL, stricter: LEVELS, note: 'nor below the level of its pack in an earlier document' },
  { key: 'hooks.command_policy.deny', merge: 'append', layers: ALL, itemsMax: RULES_MAX },
  { key: 'hooks.command_policy.ask', merge: 'append', layers: ALL, itemsMax: RULES_MAX },
  { key: 'hooks.command_policy.allow', merge: 'append', layers: ['fleet'], itemsMax: RULES_MAX, aloneToo: true, note: 'and none for the pack self-protection' },
  { key: 'hooks.evaluators', merge: 'append', layers: OPERATOR, itemsMax: EVALUATORS_MAX, byId: true, literal: ['run'] },
  { key: 'hooks.on_missing_runtime', merge: 'tighten', layers: OPERATOR, stricter: [['allow'], ['deny']] },
  { key: 'hooks.evidence.export', merge: 'tighten', layers: OPERATOR, stricter: [['off'], ['file', 'otlp']], note: 'any document may switch it on, none off again' },
  { key: 'hooks.evidence.endpoint', merge: 'conflict', layers: OPERATOR, literal: [''] },
  { key: 'hooks.evidence.repository', merge: 'conflict', layers: OPERATOR, literal: [''] },
  { key: 'hooks.evidence.key_file', merge: 'replace', layers: HOST, note: 'an absolute place is a matter of one machine' },
  { key: 'hooks.evidence.identity', merge: 'tighten', layers: OPERATOR, stricter: [['plain'], ['hash'], ['off']] },
  { key: 'contract.human_approval_floor', merge: 'tighten', layers: OPERATOR, stricter: [['none'], ['unsafe'], ['all']] },
  { key: 'contract.client_servers', merge: 'tighten', layers: OPERATOR, stricter: [['leave'], ['guard']] },
  { key: 'contract.unlisted_servers', merge: 'tighten', layers: OPERATOR, stricter: [['pass'], ['deny']] },
  { key: 'contract.human_evidence', merge: 'tighten', layers: OPERATOR, stricter: 'fewer' },
  { key: 'update.channel', merge: 'replace', layers: OPERATOR },
  { key: 'update.remote', merge: 'replace', layers: OPERATOR, literal: [''] },
  { key: 'update.branch', merge: 'replace', layers: OPERATOR, literal: [''] },
  { key: 'update.interval', merge: 'replace', layers: OPERATOR },
  { key: 'update.soak', merge: 'replace', layers: OPERATOR },
  { key: 'update.auto_promote', merge: 'replace', layers: ['fleet'], note: 'read where the fork is polled' },
  { key: 'update.pin', merge: 'replace', layers: OPERATOR, note: 'shown as held' },
  { key: 'update.max_age', merge: 'tighten', layers: OPERATOR, stricter: 'shorter' },
  { key: 'mcpServers.<server>', merge: 'conflict', layers: OPERATOR, itemsMax: SERVERS_MAX, literal: ['command', 'args', 'url'] },
];

export const isAny = (step: string): boolean => step.startsWith('<');

/** The keys of a rule that documents really hold: steps in `<>` are any key. In the order in which they are found. */
export function concreteKeys(rule: KeyRule, roots: readonly JsonObject[]): string[][] {
  let found: string[][] = [[]];
  for (const step of rule.key.split('.')) {
    found = found.flatMap((key) => {
      if (!isAny(step)) return [[...key, step]];
      const names = new Set(roots.flatMap((root) => { const at = valueAt(root, key); return isObject(at) ? Object.keys(at) : []; }));
      return [...names].map((name) => [...key, name]);
    });
  }
  return found;
}

/** `fleet settings`, as messages name a document. */
export function layerWords(layer: LayerName): string {
  return `the ${layer} settings`;
}
