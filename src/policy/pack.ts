// Contract: packs and levels: what an operator can switch, by pack or by rule id. The hook, the settings and the documents
// read the same words. PURE.

export const PACKS = [
  'git-destructive', 'hook-bypass', 'filesystem', 'disk', 'remote-exec', 'obfuscation', 'self-protection', 'secrets', 'infra', 'sql', 'windows', 'operator',
] as const;

export type PackId = (typeof PACKS)[number];

/** What a rule that matches does. `off`: it is not asked. */
export type Level = 'deny' | 'ask' | 'off';

/** What people read of a rule: `policy list`, `policy explain`, docs/rules.md. */
export interface RuleInfo {
  /** Stable, dotted, lower case: `git.push.force`. Never reused for something else. */
  readonly id: string;
  readonly pack: PackId;
  /** The level without any setting. */
  readonly level: Level;
  /** One line: what it matches. */
  readonly title: string;
  /** One or two sentences to the model: why not, and what to do instead. At most 400 characters together with the id. */
  readonly reason: string;
  /** People disagree about it: listed as such in the documents, with the setting that changes it. */
  readonly contested?: boolean;
}

/** Settings as they reach the evaluator, compiled from the operator's documents. */
export interface PolicySettings {
  /** strict: what cannot be resolved is denied instead of asked. */
  readonly mode: 'default' | 'strict';
  readonly packs: Readonly<Partial<Record<PackId, Level>>>;
  readonly rules: Readonly<Record<string, Level>>;
  /** Further layers; each can only make a level stricter. */
  readonly atLeast?: readonly LevelFloor[];
}

/** Levels below which no other layer can go. */
export interface LevelFloor {
  readonly packs: Readonly<Partial<Record<PackId, Level>>>;
  readonly rules: Readonly<Record<string, Level>>;
  /** What it says of a rule that it does not name: nothing, or the rule's own level. */
  readonly unnamed: 'nothing' | 'own';
}

export const DEFAULT_POLICY: PolicySettings = { mode: 'default', packs: {}, rules: {} };

const RANK: Readonly<Record<Level, number>> = { off: 0, ask: 1, deny: 2 };

export function stricter(a: Level, b: Level): Level {
  return RANK[b] > RANK[a] ? b : a;
}

function named(rule: Pick<RuleInfo, 'id' | 'pack'>, layer: Pick<PolicySettings, 'packs' | 'rules'>): Level | undefined {
  const own = Object.prototype.hasOwnProperty.call(layer.rules, rule.id) ? layer.rules[rule.id] : undefined;
  return own ?? layer.packs[rule.pack];
}

/** Rule before pack before the rule's own level; further layers only raise it. */
export function levelFor(rule: Pick<RuleInfo, 'id' | 'pack' | 'level'>, settings: PolicySettings): Level {
  let level = named(rule, settings) ?? rule.level;
  for (const floor of settings.atLeast ?? []) level = stricter(level, named(rule, floor) ?? (floor.unnamed === 'own' ? rule.level : 'off'));
  return level;
}
